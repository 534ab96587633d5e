/* Faster agreement of the slow part with regions whose impulse J is nearly affine in its velocities z. After a round,
   the slow part is off by the difference of J(z) and the impulse it was solved with. That difference is affine too: of
   all combinations of the last few z, the next round starts from the one that is off least, with the same combination
   of their J (Anderson's acceleration). Where J is not affine, as in contact, that is only a better start; there the
   ways from round to round of the large steps before are of use too. */
#ifndef JN_REGION_AGREEMENT_H
#define JN_REGION_AGREEMENT_H

#include "base/archive.h"
#include "jounce.h"

#include <stdbool.h>
#include <stddef.h>

enum { AGREEMENT_WAYS = 10 };

/* What a round has ended with, or by how much that differs from one round to the next. */
typedef struct AgreementRound {
    double *velocities, *impulse, *off; /* [n] */
} AgreementRound;

typedef struct Agreement {
    size_t n;
    uint8_t *marked;    /* [n / 3] 1: on a border */
    bool begun;         /* there is a latest round */
    uint32_t way_count; /* so many ways lead to it, the latest first, those of this large step before the others */
    AgreementRound latest, ways[AGREEMENT_WAYS];
    double *memory;
} Agreement;

JnStatus agreement_create(size_t n, Agreement *agreement, JnMessage *message); /* all zero after a failure */
void agreement_free(Agreement *agreement);
/* marked: [n / 3] 1: on a border, as from now on. */
void agreement_mark(Agreement *agreement, const uint8_t *marked);
/* A large step begins, or its equations have changed. keeps: the ways so far, on the borders, are of use. */
void agreement_restart(Agreement *agreement, bool keeps);

/* Adds a round that has ended with these velocities and this impulse, where `predicted` was expected, and replaces both
   by the best combination. All [n]. */
void agreement_combine(Agreement *agreement, double *velocities, double *impulse, const double *predicted);

/* The ways that a large step leaves to the next. */
bool agreement_archive(Agreement *agreement, Archive *archive);

#endif
