/* A uniform grid of cubes over a triangle surface: which cubes it touches, and which have their centre inside
   it. */
#ifndef JN_GEOMETRY_VOXELS_H
#define JN_GEOMETRY_VOXELS_H

#include "jounce.h"

#include <stdbool.h>

enum { VOXELS_INSIDE = 1, VOXELS_TOUCHED = 2 };

typedef struct Voxels { /* owns `flags` */
    double origin[3];   /* lower corner of cube (0, 0, 0) */
    double cell;        /* side of a cube */
    uint32_t counts[3];
    uint8_t *flags; /* [counts[2] * counts[1] * counts[0]], x fastest: VOXELS_* */
} Voxels;

/* Lays an empty grid of `resolution` cubes along the longest side over the triangles, centred on their bounding box.
   JN_ERR_ARGUMENT if the size cannot be represented, or there are too many cubes. */
JnStatus voxels_init(const double *positions, const uint32_t *triangles, uint32_t triangle_count, double resolution,
                     Voxels *voxels, JnMessage *message);

/* Flags every cube whose interior some triangle enters; a triangle in the plane of a cube's side does not. */
void voxels_mark_touched(Voxels *voxels, const double *positions, const uint32_t *triangles, uint32_t triangle_count);

/* Flags every cube whose centre is inside the closed surface: where the winding number is not 0 if `oriented`,
   otherwise where a ray crosses the surface an odd number of times. *inside_length (may be NULL) receives the total
   length of all columns inside. Exact at edges and vertices, provided that coincident vertices have equal positions. */
JnStatus voxels_mark_inside(Voxels *voxels, const double *positions, const uint32_t *triangles, uint32_t triangle_count,
                            bool oriented, double *inside_length, JnMessage *message);

void voxels_free(Voxels *voxels); /* leaves it all zero */

#endif
