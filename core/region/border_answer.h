/* How fast regions answer at their borders, as a force term of the slow view alone. In a large step of h, the elements
   between a region and its border give the border an impulse that is nearly an affine function of the border's
   velocity,

       J(z) = J_k - W (z - z_k),

   W symmetric positive semidefinite: the region's inertia and stiffness as they are felt there. As a force, it is J / h
   and has a potential; as a matrix, W is dense, and enters as pairs of vertices. What it is at a step belongs to the
   lag of a view: in all other views the term does nothing. */
#ifndef JN_REGION_BORDER_ANSWER_H
#define JN_REGION_BORDER_ANSWER_H

#include "system/view.h"

JnStatus border_answer_create(uint32_t vertex_count, ForceTerm *term, JnMessage *message);

/* Whether the system has the term. */
bool border_answer_is_there(const System *system);

typedef struct BorderAnswer {  /* borrowed until it is set again */
    const PairBlocks *answers; /* [answer_count] W, whose sum acts, kg */
    uint32_t answer_count;
    const uint8_t *marked; /* [vertex_count] 1: on a border */
    const double *impulse; /* [vertex_count * 3] J_k, kg m/s, 0 off the borders */
    const double *end;     /* [vertex_count * 3] q_0 + h z_k, m */
    double h;              /* s, the large step */
} BorderAnswer;

/* From now on the term acts so in this view. */
void border_answer_set(View *view, const BorderAnswer *answer);

#endif
