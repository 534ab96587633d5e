/* Mass damping with a consistent mass: the force -D v with D = R^1/2 M R^1/2, R the damping rate at each vertex, so
   that D is rate times M for a uniform rate, and positive semidefinite for a painted one. With lumped mass the elements
   do this themselves, vertex by vertex. */
#ifndef JN_ELASTIC_MASS_DAMPING_H
#define JN_ELASTIC_MASS_DAMPING_H

#include "elastic/force_term.h"

/* mass_blocks: [pattern->block_count] kg as in System; rates: [vertex_count] 1/s, at least 0. Both are copied.
   `pattern` is the system's matrix: borrowed, its values are not read. */
JnStatus mass_damping_create(const BlockMatrix *pattern, const double *mass_blocks, const double *rates,
                             ForceTerm *term, JnMessage *message);

#endif
