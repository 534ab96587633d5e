/* Bytes: numbers in the little-endian order of the file, and a buffer that grows. */
#ifndef ABC_BYTES_H
#define ABC_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t get_u16(const uint8_t *b) {
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t get_u32(const uint8_t *b) {
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t get_u64(const uint8_t *b) {
    return (uint64_t)get_u32(b) | (uint64_t)get_u32(b + 4) << 32;
}

static inline float get_f32(const uint8_t *b) {
    uint32_t bits = get_u32(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double get_f64(const uint8_t *b) {
    uint64_t bits = get_u64(b);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void put_u32(uint8_t *b, uint32_t value) {
    for (int i = 0; i < 4; ++i)
        b[i] = (uint8_t)(value >> (8 * i));
}

static inline void put_u64(uint8_t *b, uint64_t value) {
    put_u32(b, (uint32_t)value);
    put_u32(b + 4, (uint32_t)(value >> 32));
}

static inline void put_f64(uint8_t *b, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u64(b, bits);
}

/* True where arrays in memory have the byte order of the file, so that they need no conversion. */
static inline bool bytes_are_native(void) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Copies `count` elements of `width` bytes (1, 2, 4 or 8) between the order of memory and that of the
   file. */
void abc_bytes_reorder(uint8_t *to, const uint8_t *from, size_t count, size_t width);

/* A buffer that grows. After a failed allocation `failed` stays set and puts do nothing: check once at
   the end. */
typedef struct ByteBuffer {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
} ByteBuffer;

/* Appends `size` bytes and returns where they start; NULL after a failed allocation. */
uint8_t *abc_buffer_extend(ByteBuffer *buffer, size_t size);
void abc_buffer_bytes(ByteBuffer *buffer, const void *bytes, size_t size);
void abc_buffer_u8(ByteBuffer *buffer, uint8_t value);
void abc_buffer_u32(ByteBuffer *buffer, uint32_t value);
void abc_buffer_u64(ByteBuffer *buffer, uint64_t value);
void abc_buffer_f64(ByteBuffer *buffer, double value);
void abc_buffer_free(ByteBuffer *buffer);

/* Makes room for element number `count` of an array that grows by doubling; `width` is the size of an
   element. Returns the array, which may have moved; NULL after a failed allocation, which leaves it as it
   was. */
void *abc_array_grow(void *array, size_t *capacity, size_t count, size_t width);

/* Copies of texts; NULL after a failed allocation. */
char *abc_text_copy(const char *text);
char *abc_text_copy_length(const char *text, size_t length);

#endif
