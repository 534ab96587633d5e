/* Bytes that grow at their end. */
#ifndef JN_CLI_PICTURE_BYTES_H
#define JN_CLI_PICTURE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct Bytes { /* all zero: empty */
    uint8_t *data;
    size_t count, capacity;
    bool failed; /* out of memory: what was added since is lost */
} Bytes;

static inline void bytes_add(Bytes *bytes, uint8_t byte) {
    if (bytes->count == bytes->capacity && !bytes->failed) {
        size_t capacity = bytes->capacity < 4096 ? 4096 : 2 * bytes->capacity;
        uint8_t *data = realloc(bytes->data, capacity);
        bytes->failed = !data;
        bytes->data = data ? data : bytes->data;
        bytes->capacity = data ? capacity : bytes->capacity;
    }
    if (!bytes->failed)
        bytes->data[bytes->count++] = byte;
}

static inline void bytes_add_big_endian(Bytes *bytes, uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes_add(bytes, (uint8_t)(number >> shift));
}

static inline void bytes_free(Bytes *bytes) {
    free(bytes->data);
    *bytes = (Bytes){0};
}

#endif
