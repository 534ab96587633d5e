/* Shared by contact_rounds.c and contact_interior.c. */
#ifndef JN_INTEGRATE_CONTACT_ROUNDS_INTERNAL_H
#define JN_INTEGRATE_CONTACT_ROUNDS_INTERNAL_H

#include "integrate/contact_rounds.h"

struct ContactRounds { /* [vertex_count * 3] */
    size_t count;
    double *force;       /* of contact at z */
    double *direction;   /* the next z, then less z */
    double *trial;       /* z along the direction, */
    double *trial_force; /* and the force of contact there */
    double *stiffnesses; /* [vertex_count] N/m, N s/m: the force on a vertex for a change of its position and of its */
    double *impedances;  /* velocity at the step's end, roughly */
    double *product;     /* products with the direction */
    double *rhs;         /* of the round's linear equations */
    double *memory;
};

/* direction = the solution with contact as it is linearized at z, less z. rough: NULL, or the solve may stop early, as
   in solver_solve_near. */
JnStatus contact_find_direction(ContactRounds *rounds, View *view, const LinearStep *step, const double *z,
                                bool good_guess, const GuessSpan *span, bool *rough, JnMessage *message);

/* Brings z near the solution for the normal forces by the interior method (InteriorStage in elastic/force_term.h). */
JnStatus contact_solve_interior(ContactRounds *rounds, View *view, const LinearStep *step, double *z,
                                JnMessage *message);

#endif
