/* Bytes: a buffer that grows, copies in the byte order of the file. See abc_bytes.h. */
#include "abc_bytes.h"

#include <stdlib.h>

void abc_bytes_reorder(uint8_t *to, const uint8_t *from, size_t count, size_t width) {
    if (bytes_are_native()) {
        if (to != from && count)
            memcpy(to, from, count * width);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        uint8_t element[8];
        memcpy(element, from + i * width, width);
        for (size_t k = 0; k < width; ++k)
            to[i * width + k] = element[width - 1 - k];
    }
}

uint8_t *abc_buffer_extend(ByteBuffer *buffer, size_t size) {
    if (buffer->failed)
        return NULL;
    if (size > buffer->capacity - buffer->size) {
        size_t capacity = buffer->capacity ? buffer->capacity : 256;
        while (capacity - buffer->size < size) {
            if (capacity > SIZE_MAX / 2) {
                buffer->failed = true;
                return NULL;
            }
            capacity *= 2;
        }
        uint8_t *data = realloc(buffer->data, capacity);
        if (!data) {
            buffer->failed = true;
            return NULL;
        }
        buffer->data = data;
        buffer->capacity = capacity;
    }
    uint8_t *start = buffer->data + buffer->size;
    buffer->size += size;
    return start;
}

void abc_buffer_bytes(ByteBuffer *buffer, const void *bytes, size_t size) {
    uint8_t *to = abc_buffer_extend(buffer, size);
    if (to && size)
        memcpy(to, bytes, size);
}

void abc_buffer_u8(ByteBuffer *buffer, uint8_t value) {
    abc_buffer_bytes(buffer, &value, 1);
}

void abc_buffer_u32(ByteBuffer *buffer, uint32_t value) {
    uint8_t *to = abc_buffer_extend(buffer, 4);
    if (to)
        put_u32(to, value);
}

void abc_buffer_u64(ByteBuffer *buffer, uint64_t value) {
    uint8_t *to = abc_buffer_extend(buffer, 8);
    if (to)
        put_u64(to, value);
}

void abc_buffer_f64(ByteBuffer *buffer, double value) {
    uint8_t *to = abc_buffer_extend(buffer, 8);
    if (to)
        put_f64(to, value);
}

void abc_buffer_free(ByteBuffer *buffer) {
    free(buffer->data);
    *buffer = (ByteBuffer){0};
}

void *abc_array_grow(void *array, size_t *capacity, size_t count, size_t width) {
    if (count < *capacity)
        return array;
    size_t wanted = *capacity ? *capacity : 16;
    while (wanted <= count) {
        if (wanted > SIZE_MAX / 2 / width)
            return NULL;
        wanted *= 2;
    }
    void *grown = realloc(array, wanted * width);
    if (grown)
        *capacity = wanted;
    return grown;
}

char *abc_text_copy_length(const char *text, size_t length) {
    char *copy = length < SIZE_MAX ? malloc(length + 1) : NULL;
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *abc_text_copy(const char *text) {
    return abc_text_copy_length(text, strlen(text));
}
