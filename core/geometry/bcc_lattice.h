/* The body-centred cubic lattice on a graded octree (Labelle and Shewchuk 2007): vertices at the centres and corners of
   the leaves, tets between them that fit together where leaves of different sizes meet. */
#ifndef JN_GEOMETRY_BCC_LATTICE_H
#define JN_GEOMETRY_BCC_LATTICE_H

#include "geometry/octree.h"

typedef struct BccLattice { /* owns its arrays */
    uint32_t vertex_count, tet_count;
    int32_t *places; /* [vertex_count * 3] whole coordinates of the octree */
    uint32_t *tets;  /* [tet_count * 4], positive */
} BccLattice;

/* On failure *lattice is all zero. */
JnStatus bcc_lattice_build(const Octree *octree, BccLattice *lattice, JnMessage *message);

void bcc_lattice_free(BccLattice *lattice); /* leaves it all zero */

#endif
