/* Where the edges of a lattice leave a solid, and which vertices move onto its surface for that.

   A cut runs from a vertex inside to its end: a vertex outside, or one beyond a gap. Each side of a gap sees an end of
   its own there, a ghost: cuts to the same vertex share a ghost if their vertices are connected within a tet. So parts
   of the solid that are separate never share a vertex. */
#ifndef JN_GEOMETRY_LATTICE_CUTS_H
#define JN_GEOMETRY_LATTICE_CUTS_H

#include "geometry/lattice_edges.h"

#define LATTICE_NO_CUT UINT32_MAX

typedef struct LatticeCut {
    uint32_t inside, end; /* vertices of the lattice */
    double part;          /* of the way from inside to the end */
} LatticeCut;

typedef struct LatticeCuts { /* owns its arrays */
    uint32_t count;
    LatticeCut *cuts;
    uint32_t *first_cuts;   /* [vertex_count + 1]: those of vertex v are ordered[first_cuts[v] ..) */
    uint32_t *ordered;      /* [count] */
    uint32_t *ghosts;       /* [count] of each cut's end, a number below count */
    uint32_t *vertex_snaps; /* [vertex_count] the cut that the vertex has moved to; LATTICE_NO_CUT: it stays */
    uint32_t *ghost_snaps;  /* [count] of the ghosts */
} LatticeCuts;

/* Of the same lattice as the edges. False if out of memory; *cuts is all zero then. */
bool lattice_cuts_build(const SolidLattice *lattice, const uint8_t *inside, const LatticeEdges *edges,
                        const Interior *interior, Pool *pool, LatticeCuts *cuts);

/* The cut from `inside` to `end`, which must be there. */
uint32_t lattice_cuts_find(const LatticeCuts *cuts, uint32_t inside, uint32_t end);

void lattice_cuts_free(LatticeCuts *cuts); /* leaves it all zero */

#endif
