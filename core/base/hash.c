#include "base/hash.h"

#include <string.h>

void hash_mix(uint64_t *hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; ++i)
        *hash = (*hash ^ bytes[i]) * UINT64_C(0x100000001b3);
}

void hash_mix_numbers(uint64_t *hash, const double *numbers, size_t count) {
    uint64_t h = *hash;
    for (size_t i = 0; i < count; ++i) {
        uint64_t word;
        memcpy(&word, &numbers[i], sizeof word);
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32; /* else signs that change in pairs would cancel */
    }
    *hash = h;
}
