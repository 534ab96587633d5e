/* External loads on the bodies: gravity, the artist's forces, goals, air. Each is a force term. */
#ifndef JN_ELASTIC_LOADS_H
#define JN_ELASTIC_LOADS_H

#include "elastic/point_set.h"

/* Gravity and forces; masses [vertex_count] kg, borrowed for the term's life. */
JnStatus loads_create(uint32_t vertex_count, const double *masses, ForceTerm *term, JnMessage *message);

/* Springs from each vertex to its target. */
JnStatus goals_create(uint32_t vertex_count, ForceTerm *term, JnMessage *message);

/* Pressure of the air on the surface, rho/2 |u.n| (u.n) n per area with u the air's velocity relative to it; |u.n| and
   the normals are those of the start of the step, so that still air is always dissipative. `points` is borrowed for the
   term's life. */
JnStatus air_create(const PointSet *points, ForceTerm *term, JnMessage *message);

#endif
