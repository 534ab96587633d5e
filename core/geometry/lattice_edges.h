/* The edges of a lattice in a solid. An edge between two vertices inside is broken if it crosses a gap of the solid, so
   that its ends lie in parts that are separate there. */
#ifndef JN_GEOMETRY_LATTICE_EDGES_H
#define JN_GEOMETRY_LATTICE_EDGES_H

#include "geometry/solid_lattice.h"
#include "geometry/interior.h"

enum { TET_EDGES = 6 };
extern const uint8_t tet_edges[TET_EDGES][2]; /* corners */

typedef enum EdgeState {
    EDGE_WHOLE,    /* both ends inside, and connected */
    EDGE_BROKEN,   /* both ends inside, with a gap between */
    EDGE_OUTWARDS, /* one end inside */
} EdgeState;

typedef struct LatticeEdges { /* owns its arrays */
    uint32_t count;           /* edges with an end inside */
    uint32_t *ends;           /* [count * 2] sorted; the lower number first */
    uint8_t *states;          /* [count] */
    uint32_t *of_tet;         /* [tet_count * TET_EDGES]; UINT32_MAX: both ends outside */
} LatticeEdges;

/* inside [vertex_count] of the lattice's vertices. False if
   out of memory; *edges is all zero then. */
bool lattice_edges_build(const SolidLattice *lattice, const uint8_t *inside, const Interior *interior, Pool *pool,
                         LatticeEdges *edges);

/* labels [4]: corners of a tet that are connected within it have the same label, which is one of them; outside: 4. */
void lattice_edges_groups(const LatticeEdges *edges, const SolidLattice *lattice, const uint8_t *inside, size_t tet,
                          uint8_t labels[4]);

void lattice_edges_free(LatticeEdges *edges); /* leaves it all zero */

#endif
