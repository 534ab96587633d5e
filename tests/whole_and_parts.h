/* Two caches of one bake, one baked in one go and one in parts, for tests that they are the same to the byte. Their
   names are those of the process, so that tests may run side by side; they are removed at its end. */
#ifndef JN_TESTS_WHOLE_AND_PARTS_H
#define JN_TESTS_WHOLE_AND_PARTS_H

#include "read_file.h"

#include <string.h>
#include <unistd.h>

static char whole_path[600], parts_path[600], checkpoint_path[620];

static void remove_whole_and_parts(void) {
    remove(whole_path);
    remove(parts_path);
    remove(checkpoint_path);
}

__attribute__((constructor)) static void name_whole_and_parts(void) {
    snprintf(whole_path, sizeof whole_path, "%s/whole_%ld.abc", JN_TEST_OUTPUT, (long)getpid());
    snprintf(parts_path, sizeof parts_path, "%s/parts_%ld.abc", JN_TEST_OUTPUT, (long)getpid());
    snprintf(checkpoint_path, sizeof checkpoint_path, "%s.resume", parts_path);
    atexit(remove_whole_and_parts);
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
