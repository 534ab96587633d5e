#include "base/hash.h"

void hash_mix(uint64_t *hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; ++i)
        *hash = (*hash ^ bytes[i]) * UINT64_C(0x100000001b3);
}
