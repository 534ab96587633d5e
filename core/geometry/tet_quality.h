/* How well shaped tets are. */
#ifndef JN_GEOMETRY_TET_QUALITY_H
#define JN_GEOMETRY_TET_QUALITY_H

#include "geometry/tetmesh.h"

typedef struct TetQuality {
    double smallest_angle, largest_angle; /* dihedral, degrees */
    double smallest_angle_place[3];       /* the centre of the tet that has it */
    double worst_aspect;                  /* longest edge over smallest height, scaled so that a regular tet has 1 */
    double mean_aspect;
    double volume;
    double solid_volume;     /* by the factors on the density */
    uint32_t inverted_count; /* tets of no positive volume */
} TetQuality;

void tet_quality(const TetMesh *mesh, TetQuality *quality);

/* The volume alone. */
double tet_quality_volume(const TetMesh *mesh);

/* The smallest sine of the six dihedral angles: 0.94 for a regular tet, near 0 for a needle or a sliver; negative if
   the tet is inverted. */
double tet_smallest_sine(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
