/* Reports the first error in a JSON text and its position: stricter than cJSON, with a message. */
#ifndef JN_SCENE_JSON_SCAN_H
#define JN_SCENE_JSON_SCAN_H

#include <stddef.h>

enum {
    JSON_DEPTH = 32,       /* deepest nesting of lists and objects */
    JSON_NUMBER_BYTES = 60 /* longest number, less than cJSON's own limit */
};

/* NULL if text[0, length) is one JSON value (RFC 8259, UTF-8, a byte order mark allowed) within the limits
   above, with no zero byte or \u0000 in it; else one sentence about the first problem, at byte *offset. */
const char *json_scan(const char *text, size_t length, size_t *offset);

#endif
