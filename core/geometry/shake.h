/* Numbers that look random but are always the same, for places that must not lie as evenly as what they meet. */
#ifndef JN_GEOMETRY_SHAKE_H
#define JN_GEOMETRY_SHAKE_H

#include <stdint.h>

/* In [0, 1); different keys give numbers that have nothing to do with each other. */
static inline double shake(uint64_t key) {
    uint64_t x = (key ^ key >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

#endif
