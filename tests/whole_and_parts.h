/* Two caches of one bake, one baked in one go and one in parts, for tests that they are the same to the byte. */
#ifndef JN_TESTS_WHOLE_AND_PARTS_H
#define JN_TESTS_WHOLE_AND_PARTS_H

#include "read_file.h"

#include <string.h>

static const char whole_path[] = JN_TEST_OUTPUT "/whole.abc", parts_path[] = JN_TEST_OUTPUT "/parts.abc";
static const char checkpoint_path[] = JN_TEST_OUTPUT "/parts.abc.resume";

static inline void remove_whole_and_parts(void) {
    remove(whole_path);
    remove(parts_path);
    remove(checkpoint_path);
}

static inline int whole_equals_parts(void) {
    size_t sizes[2] = {0, 1};
    char *whole = read_file(whole_path, &sizes[0]), *parts = read_file(parts_path, &sizes[1]);
    int equal = whole && parts && sizes[0] == sizes[1] && memcmp(whole, parts, sizes[0]) == 0;
    free(whole);
    free(parts);
    return equal;
}

#endif
