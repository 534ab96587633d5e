/* All external inputs at one time: targets of pins and goals, given forces, gravity, wind, fields, keys, colliders.
   Several moments at different times may exist at once. The owner of time (World in system/system.h) fills them in;
   force terms only read them. */
#ifndef JN_ELASTIC_MOMENT_H
#define JN_ELASTIC_MOMENT_H

#include "jounce.h"

struct ColliderPlacement; /* contact/collider.h */
struct FieldState;        /* elastic/force_field.h */

typedef struct Moment { /* owns its arrays, but for the colliders */
    uint64_t number;    /* changes whenever the content changes, never 0: what a term has derived from a moment is valid
                           for this number only */
    double time_before, time; /* s: start and end of a step; equal: an instant */
    uint32_t vertex_count, group_count;
    double *targets;           /* [vertex_count * 3] m: targets of pins and goals */
    double *target_velocities; /* [vertex_count * 3] m/s, over the step to that time */
    double *forces;            /* [vertex_count * 3] N */
    double *goal_stiffness;    /* [vertex_count] N/m; 0: no goal */
    double *stiffness_factors; /* [group_count]: factor on energy, force, stiffness and stiffness damping of a group's
                                  elements */
    double load_part;          /* gravity and forces act with this part of their strength; 1 at first */
    double gravity[3];         /* m/s2 */
    double wind[3];            /* m/s */
    double air_density;        /* kg/m3 */
    struct ColliderPlacement *colliders; /* of all colliders, made and freed by the owner of time; NULL: none */
    struct FieldState *fields;           /* of all fields of force, made and freed by the owner of time; NULL: none */
} Moment;

/* Everything 0, factors 1. On failure *moment is all zero. */
JnStatus moment_create(uint32_t vertex_count, uint32_t group_count, Moment *moment, JnMessage *message);
void moment_free(Moment *moment); /* leaves it all zero; may be all zero */

#endif
