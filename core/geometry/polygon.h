/* Triangles of one face: right for concave ones, and for thousands of corners. */
#ifndef JN_GEOMETRY_POLYGON_H
#define JN_GEOMETRY_POLYGON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the size - 2 triangles of the face to `triangles`. A convex face of few corners becomes a fan from its first
   corner. The face may be bent, cross itself or have no area: then its triangles still have all of its sides. False if
   out of memory. */
bool polygon_triangulate(const double *positions, const uint32_t *corners, uint32_t size, uint32_t *triangles);

#endif
