/* The split of a cube into five tets: one in the middle, one at every other corner. Neighbouring cubes alternate
   between the two mirror images, so that the diagonals of shared faces match, and no direction is preferred. */
#ifndef JN_GEOMETRY_CUBE_SPLIT_H
#define JN_GEOMETRY_CUBE_SPLIT_H

#include <stdint.h>

enum { CUBE_TETS = 5 };

/* Corner i of the cube lies at (i & 1, i >> 1 & 1, i >> 2 & 1). `parity` is that of the sum of the cube's
   three grid indices. All tets are positive if the axes x y z of the grid are right-handed. */
void cube_split(const uint32_t corners[8], uint32_t parity, uint32_t tets[CUBE_TETS * 4]);

#endif
