#include "geometry/cube_split.h"

void cube_split(const uint32_t corners[8], uint32_t parity, uint32_t tets[CUBE_TETS * 4]) {
    static const uint8_t even[CUBE_TETS * 4] = {0, 5, 3, 6, 1, 3, 0, 5, 2, 0, 3, 6, 4, 5, 0, 6, 7, 3, 5, 6};
    for (int i = 0; i < CUBE_TETS * 4; ++i) {
        // the odd cube is the even one mirrored along x; two corners of each tet are swapped to stay
        // positive
        static const uint8_t mirrored[4] = {1, 0, 2, 3};
        tets[i] = corners[parity & 1 ? even[i / 4 * 4 + mirrored[i % 4]] ^ 1 : even[i]];
    }
}
