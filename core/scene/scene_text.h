/* From the bytes of a scene file to a JSON tree, safely. */
#ifndef JN_SCENE_SCENE_TEXT_H
#define JN_SCENE_SCENE_TEXT_H

#include "jounce.h"

#include <cjson/cJSON.h>

enum { SCENE_TEXT_BYTES = 64 << 20 }; /* largest scene file */

/* Reads the whole file at `path`. The caller frees *text, which is terminated; *length does not count the terminator.
   `what` names the file in messages: "scene file". JN_ERR_FILE, JN_ERR_FORMAT if it is larger than SCENE_TEXT_BYTES,
   JN_ERR_MEMORY. */
JnStatus scene_text_read(const char *path, const char *what, char **text, size_t *length, JnMessage *message);

/* Parses UTF-8 JSON; text[length] must be the terminator. Errors (JN_ERR_SCENE) give line and column. The
   caller frees *json with cJSON_Delete. */
JnStatus scene_text_parse(const char *text, size_t length, cJSON **json, JnMessage *message);

#endif
