/* A triangle mesh that is collided with, asked point by point: its nearest point, and how far a point may move before
   it comes to the mesh, which may move or deform meanwhile. The mesh may be open, and its triangles may be degenerate,
   repeated or cross each other: distances have no sign. */
#ifndef JN_CONTACT_SURFACE_TREE_H
#define JN_CONTACT_SURFACE_TREE_H

#include "contact/pair_advance.h"
#include "contact/primitive_tree.h"

/* Borrows the triangles and positions. Queries may run on several threads. */
typedef struct SurfaceTree {
    PrimitiveTree tree;
    const double *start, *end; /* [vertices * 3] of the last move */
} SurfaceTree;

typedef struct SurfacePoint {
    uint32_t triangle;
    double weights[3];  /* of its vertices: the velocity of the surface there is the sum of weights[i] v[i] */
    double position[3]; /* m */
    double distance;    /* m */
    double normal[3];   /* from the surface to the point; on the surface itself the triangle's, or (0, 0, 1) */
} SurfacePoint;

typedef struct SurfaceAdvance {
    double time;        /* as of pair_advance: the motion is free until then */
    PairAdvanceEnd end; /* FREE if no triangle stops the point */
    uint32_t triangle;  /* that stops it, unless FREE */
} SurfaceAdvance;

/* `triangles` [triangle_count * 3], each index a vertex. Finite positions. On failure *surface is all zero. */
JnStatus surface_tree_create(const uint32_t *triangles, uint32_t triangle_count, const double *positions,
                             SurfaceTree *surface, JnMessage *message);

/* The mesh moves, every vertex on a straight line from start to end; for one that rests they are the same. */
void surface_tree_move(SurfaceTree *surface, const double *start, const double *end, Pool *pool);

/* The point of the mesh that is nearest, no farther away than `radius` (which may be INFINITY); of equally near
   triangles the one with the lowest number. `positions`: start, end, or any between them. False: none. */
bool surface_tree_nearest(const SurfaceTree *surface, const double *positions, const double point[3], double radius,
                          SurfacePoint *nearest);

/* The same among points within a triangle that lie in another direction than those of `taken`, [count * 3], from the
   surface to the point: the other walls of a corner. */
bool surface_tree_nearest_other(const SurfaceTree *surface, const double *positions, const double point[3],
                                double radius, const double *taken, uint32_t count, SurfacePoint *nearest);

/* The point of one triangle that is nearest, at a time from 0 (start) to 1 (end). */
void surface_tree_nearest_of(const SurfaceTree *surface, uint32_t triangle, double time, const double point[3],
                             SurfacePoint *nearest);

/* Whether a point lies behind the closed and consistently oriented mesh at `nearest`, its nearest point: on the side
   that the normals do not point to. By the sum of the normals that meet there, weighted with their angles (Baerentzen
   and Aanaes 2005), which is right at edges and corners too. */
bool surface_tree_is_behind(const SurfaceTree *surface, const double *positions, const double point[3],
                            const SurfacePoint *nearest);

/* Of length 1; of a degenerate triangle (0, 0, 1). */
void surface_tree_normal(const SurfaceTree *surface, const double *positions, uint32_t triangle, double normal[3]);

/* How far a point may move from `from` to `to` while the mesh moves from start to end: the least of pair_advance over
   all triangles whose boxes the point comes into, the thickness included; of equal times the triangle with the lowest
   number. */
void surface_tree_advance(const SurfaceTree *surface, const double from[3], const double to[3], const PairAdvance *how,
                          SurfaceAdvance *advance);

void surface_tree_free(SurfaceTree *surface); /* leaves it all zero */

#endif
