/* A surface as the mesher sees it: triangles cleaned in memory, however the render mesh was modelled. Vertices at the
   same place are one; faces without area and copies of a face, also back to back, are dropped; the faces of each part
   face the same way, outwards. The render mesh itself is not touched. */
#ifndef JN_GEOMETRY_SOUP_H
#define JN_GEOMETRY_SOUP_H

#include "geometry/findings.h"

#include <stdbool.h>

#define SOUP_NONE UINT32_MAX

typedef struct Soup { /* owns its arrays */
    uint32_t vertex_count, triangle_count;
    uint32_t component_count;  /* connected by shared vertices */
    double *positions;         /* [vertex_count * 3] */
    uint32_t *triangles;       /* [triangle_count * 3] */
    uint32_t *components;      /* [triangle_count] */
    uint32_t *vertex_of_point; /* [surface vertex_count]: SOUP_NONE for a vertex that no kept triangle has */
    uint32_t *point_of_vertex; /* [vertex_count]: the first of the surface's vertices there */
    uint32_t *partners;        /* [triangle_count * 3]: of edge 3 t + i, from corner i to the next, the same edge of the
                                  neighbour; SOUP_NONE: open, or more than two faces */
    double lower[3], upper[3]; /* of the triangles */
    double longest;            /* side of that box */
    uint32_t open_edge_count;  /* edges of one triangle */
    Findings findings;
} Soup;

/* `surface` has passed surface_check. JN_ERR_MESH if no triangle has an area. On failure *soup is all zero. */
JnStatus soup_build(const JnSurface *surface, Soup *soup, JnMessage *message);

/* Turns the faces of every part the same way, and outwards: a step of soup_build. */
JnStatus soup_orient(Soup *soup, JnMessage *message);

/* Marks the corners of a triangle. */
void soup_mark_triangle(Soup *soup, FindingKind kind, uint32_t triangle);

void soup_free(Soup *soup); /* leaves it all zero */

#endif
