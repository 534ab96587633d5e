/* Which points of meshes and of the room are seen behind the pixels of a picture. */
#ifndef JN_CLI_PICTURE_SURFELS_H
#define JN_CLI_PICTURE_SURFELS_H

#include "drawing.h"
#include "raster.h"

/* A point seen in the picture. */
typedef struct Surfel {
    Vec3 position, normal; /* the normal looks towards the eye */
    float line;            /* 1: on an edge of a polygon that is large enough to be seen, 0: not */
    int32_t object;        /* object of the mesh, OBJECT_COLLIDER, or one of the two below */
    bool contact;          /* of a collider: a body rests here */
    float paint;           /* the painted weight, 0 to 1; NAN: not painted */
    float key;             /* light of the key lamp, 1: full and straight on */
    float shine;           /* share of the key lamp that is seen from here */
    float sky;             /* light of the sky, 1: unoccluded and facing up */
} Surfel;

enum { SURFEL_BACKDROP = -1, SURFEL_FLOOR = -2 };

/* 0 below `from`, 1 above `to`, smooth between. */
static inline float smoothed(float from, float to, float x) {
    float t = fminf(fmaxf((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

/* Draws the mesh as the camera sees it, with the triangles' numbers. False if memory runs out. */
bool draw_depths(const FrameMesh *mesh, const Camera *camera, Raster *raster);

/* The point of the triangle that the ray meets, without light. */
Surfel surfel_on_triangle(const FrameMesh *mesh, const Camera *camera, uint32_t triangle, Vec3 ray);

/* The nearest point behind every pixel of the raster, in which the mesh has been drawn, without light. */
void find_surfels(const FrameMesh *mesh, const Stage *stage, const Raster *raster, Surfel *surfels);

#endif
