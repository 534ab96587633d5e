/* What the world does to the bodies: gravity, the artist's pulls and pushes, goals, air. Each is a force term. */
#ifndef JN_ELASTIC_LOADS_H
#define JN_ELASTIC_LOADS_H

#include "elastic/point_set.h"

/* The inputs at the present time; whoever moves time keeps them up to date, the terms only read them. */
typedef struct StepInputs {
    const double *targets; /* [vertex_count * 3] m: where pins and goals want the vertices */
    const double *forces;  /* [vertex_count * 3] N */
    double gravity[3];     /* m/s2 */
    double wind[3];        /* m/s */
    double air_density;    /* kg/m3 */
} StepInputs;

/* Gravity and forces; masses [vertex_count] kg. Everything is borrowed for the term's life. */
JnStatus loads_create(uint32_t vertex_count, const double *masses, const StepInputs *inputs, ForceTerm *term,
                      JnMessage *message);

/* Springs from each vertex to its target; stiffness [vertex_count] N/m, 0: none. Borrowed. */
JnStatus goals_create(uint32_t vertex_count, const double *stiffness, const StepInputs *inputs, ForceTerm *term,
                      JnMessage *message);

/* Pressure of the air on the surface, rho/2 |u.n| (u.n) n per area with u the air's velocity relative to it; |u.n| is
   taken from the start of the step, as the normals are, so that still air brakes and never drives. */
JnStatus air_create(const PointSet *points, const StepInputs *inputs, ForceTerm *term, JnMessage *message);

#endif
