/* What can touch each other: the surfaces and fibres of all bodies, and the colliders that are surfaces, as points,
   edges and triangles on one row of vertices, the bodies' points first.

   Points of a body that are embedded at the same place are one: a surface that is cut along its texture's seams is
   whole. */
#ifndef JN_CONTACT_SKIN_H
#define JN_CONTACT_SKIN_H

#include "contact/broad_phase.h"
#include "contact/contact.h"

typedef struct SkinCollider {
    uint32_t collider, first_vertex, vertex_count;
} SkinCollider;

typedef struct Skin { /* owns its arrays */
    uint32_t vertex_count, body_vertex_count;
    BroadPhaseDesc desc; /* points, edges (by ascending vertices, none twice), triangles, objects as groups */
    uint32_t *points, *edges, *triangles, *groups;
    uint32_t *triangle_starts; /* [objects + 1] those of an object are in one row */
    uint8_t *touching;
    bool colliders_hold;     /* points of bodies themselves, so that they do not meet their triangles here */
    SkinCollider *colliders; /* [collider_count] those that are surfaces */
    uint32_t collider_count;
    double *point_areas, *edge_areas, *triangle_areas; /* m2 at rest; of colliders INFINITY */
    uint32_t *first_triangles;                         /* [vertex_count] the lowest of each vertex, or CONTACT_NOBODY */
    uint32_t *edge_triangles;                          /* [edge_count] the lowest of each edge, or CONTACT_NOBODY */
    uint32_t *opposite_starts, *opposites; /* of edge e: opposites[opposite_starts[e]] .. are the third vertices of its
                                              triangles, */
    uint32_t *opposite_triangles;          /* and these the triangles */
    uint8_t *round;                        /* [objects] 1: a collider that is round around its points and edges */
    uint8_t *closed; /* [objects] 1: every edge has two triangles, in opposite directions: it has an inside */
    uint32_t *neighbour_starts, *neighbours; /* of vertex v: the other ends of its edges */
} Skin;

/* *skin is NULL if there is nothing that could touch another; also on failure. */
JnStatus skin_create(const ContactDesc *desc, Skin **skin, JnMessage *message);
void skin_destroy(Skin *skin); /* may be NULL */

/* 1: the triangles of a closed object show their outer sides at these positions, [vertices * 3]; -1: their inner
   sides; 0: it is not closed. */
double skin_side(const Skin *skin, uint32_t object, const double *positions);

/* CONTACT_NOBODY: there is no such edge. */
uint32_t skin_edge(const Skin *skin, uint32_t a, uint32_t b);

/* Whether the method leaves it to the skin to hold bodies before this collider. */
bool skin_holds(const ContactDesc *desc, const Collider *collider);

/* The friction and the thickness between two objects. */
double skin_friction(const ContactDesc *desc, uint32_t first, uint32_t second);
double skin_thickness(const ContactDesc *desc, uint32_t first, uint32_t second);
/* Whether two different objects may touch. */
bool skin_may_meet(const ContactDesc *desc, uint32_t first, uint32_t second);

#endif
