/* Shared by fast_contact.c, which finds what touches and what impulses do, and fast_contact_rounds.c, which solves for
   them. */
#ifndef JN_REGION_FAST_CONTACT_INTERNAL_H
#define JN_REGION_FAST_CONTACT_INTERNAL_H

#include "region/fast_contact.h"

enum { NOWHERE = -1 };

struct FastContact {
    FastRegion *region;
    View *view;
    uint64_t matrices;  /* of the region, that the responses are of */
    int *places;        /* [set->vertex_count] the number of the vertex among the responses, or NOWHERE */
    int *locals;        /* [vertices of the system] the number of the vertex among what touches, or NOWHERE */
    int response_count; /* vertices with responses */
    size_t response_capacity;
    double *responses;            /* [3 * response_count][vector] A^-1 times unit impulses */
    uint32_t *touching;           /* [count] vertices of the set that may touch: */
    uint32_t count, inside_count; /* first those inside */
    uint8_t *marks;               /* [vertices of the system] */
    double *compliance;           /* [n][n] G, n = 3 * inside_count */
    double *matrix;               /* [n][n] factors */
    int *pivots;                  /* [n] of them */
    uint32_t *active;             /* [active_count] of them, those whose impulse changes with w */
    uint32_t
        *factored_vertices; /* [active_count] the same as vertices of the set, of which the matrix holds factors, */
    bool factored;          /* if so */
    uint32_t active_count;
    PairBlocks pairs;                                               /* -dc/dw */
    double *w, *free_w, *lambda, *off, *change, *way, *trial, *law; /* [n] */
    double *z, *force, *impedances;                                 /* [3 * vertices of the system] */
    double *memory, *system_memory;
};

/* 3 * inside_count: n above. */
static inline size_t fast_contact_unknowns(const FastContact *contact) {
    return 3 * (size_t)contact->inside_count;
}

/* z = w inside, and contact there, linearized, or by its law; into `result`, [n]. */
JnStatus fast_contact_evaluate(FastContact *contact, const double *w, bool linear, double *result, JnMessage *message);
/* y += G x, of [n]. */
void fast_contact_respond(const FastContact *contact, const double *x, double *y);

/* Solves for w and the impulses lambda on it, from what they are, with w = w* + G lambda. *solved false: there is no
   solution. */
JnStatus fast_contact_solve_rounds(FastContact *contact, const FastContactSolve *solve, bool *solved,
                                   JnMessage *message);

#endif
