/* The stiffness dP/dF of one element, in the form in which it is cheapest to use: by principal stretches if the law
   provides them, else by all 81 entries. */
#ifndef JN_ELASTIC_STIFFNESS_FORM_H
#define JN_ELASTIC_STIFFNESS_FORM_H

#include "elastic/material.h"

/* Squeezed elements have negative eigenvalues. Their neighbours and inertia compensate for them, and projecting them
   would add numerical damping, so the safe stiffness keeps those down to minus this many times Young's modulus. The
   limit depends neither on the frame of reference nor on how much a crushed element has stiffened. With 4, collapsing
   towers cut half as many steps again as with 2. */
#define HARMLESS_STIFFNESS 2.0

typedef struct StiffnessForm {
    bool by_stretches; /* which of the two is set */
    union {
        PrincipalForm stretches;
        double entries[81];
    };
} StiffnessForm;

/* The law's stiffness at F, not projected. */
void stiffness_raw(const Material *law, const double *c, const double F[9], StiffnessForm *out);

/* Replaces its negative eigenvalues by 0. Returns whether there were any. */
bool stiffness_project(StiffnessForm *stiffness);

/* Whether it has no eigenvalue below -allowed, Pa. */
bool stiffness_is_above(const StiffnessForm *stiffness, double allowed);

/* dP = dP/dF : dF. */
void stiffness_apply(const StiffnessForm *stiffness, const double dF[9], double dP[9]);

/* The blocks scale g_a . dP/dF . g_b of the corners (0,0), (1,1), (2,2), (1,0), (2,0), (2,1) with the shape gradients
   g_0, g_1, g_2, each block by rows. */
enum { STIFFNESS_BLOCKS = 6 };
void stiffness_blocks(const StiffnessForm *stiffness, const double gradients[9], double scale,
                      double blocks[STIFFNESS_BLOCKS][9]);

#endif
