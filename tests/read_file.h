/* A whole file in memory, for tests that compare bytes. */
#ifndef JN_TESTS_READ_FILE_H
#define JN_TESTS_READ_FILE_H

#include <stdio.h>
#include <stdlib.h>

/* All bytes of a file, for the caller to free; NULL if it is not there. */
static inline char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    *size = fread(bytes, 1, *size, file);
    fclose(file);
    return bytes;
}

#endif
