/* Connectivity of a surface by position: coincident vertices count as one. */
#ifndef JN_GEOMETRY_TOPOLOGY_H
#define JN_GEOMETRY_TOPOLOGY_H

#include "jounce.h"

#include <stdbool.h>

/* representative[v] is the lowest vertex at exactly the position of v (0 and -0 are the same). Positions are finite.
   Returns an array [vertex_count] that the caller frees, or NULL if out of memory. */
uint32_t *topology_weld(const double *positions, uint32_t vertex_count);

typedef struct TopologyEdges {
    uint32_t open_count;    /* edges of one triangle */
    uint32_t odd_count;     /* edges of three, five, .. triangles */
    uint32_t first_open[2]; /* vertices of the first edge that is open, or else odd */
    bool oriented;          /* every edge is traversed equally often in both directions: each point has a winding
                               number */
} TopologyEdges;

/* Counts the edges of `triangles` [triangle_count * 3] after welding by `representative` (from
   topology_weld). The surface is closed if no edge is open or odd. */
JnStatus topology_edges(const uint32_t *triangles, uint32_t triangle_count, const uint32_t *representative,
                        uint32_t vertex_count, TopologyEdges *edges, JnMessage *message);

#endif
