/* Faster agreement of the slow part with regions whose impulse J is nearly affine in its velocities z. After a round,
   the slow part is off by the difference of J(z) and the impulse it was solved with. That difference is affine too: of
   all combinations of the last few z, the next round starts from the one that is off least, with the same combination
   of their J (Anderson's acceleration). Where J is not affine, as in contact, that is only a better start. */
#ifndef JN_REGION_AGREEMENT_H
#define JN_REGION_AGREEMENT_H

#include "jounce.h"

#include <stdbool.h>

enum { AGREEMENT_DEPTH = 9 };

typedef struct Agreement {
    size_t n;
    uint32_t count; /* rounds kept, the latest first */
    double *velocities[AGREEMENT_DEPTH], *impulses[AGREEMENT_DEPTH], *off[AGREEMENT_DEPTH]; /* [n] each */
    double *memory;
} Agreement;

JnStatus agreement_create(size_t n, Agreement *agreement, JnMessage *message); /* all zero after a failure */
void agreement_free(Agreement *agreement);
void agreement_restart(Agreement *agreement);

/* Adds a round that has ended with these velocities and this impulse, where `predicted` was expected, and replaces both
   by the best combination. All [n]. */
void agreement_combine(Agreement *agreement, double *velocities, double *impulse, const double *predicted);

#endif
