/* The force-term contract: everything that pushes (elements, contact, goals, gravity, wind) is a term that adds its
   energy, force and matrices to the system's. */
#ifndef JN_ELASTIC_FORCE_TERM_H
#define JN_ELASTIC_FORCE_TERM_H

#include "base/pool.h"
#include "linear/block_matrix.h"

#include <stdbool.h>

/* How a term's stiffness enters the matrix. */
typedef enum StiffnessKind {
    STIFFNESS_SAFE, /* as it is, but projected where it is negative beyond what inertia can be trusted to outweigh */
    STIFFNESS_PROJECTED, /* each stencil's made positive semidefinite, which damps */
    STIFFNESS_RAW        /* as it is */
} StiffnessKind;

/* Where to evaluate, and what is wanted. One pass over a term's elements serves all that is asked for. */
typedef struct Evaluation {
    const double *q;     /* [vertex_count * 3] m */
    const double *v;     /* [vertex_count * 3] m/s; NULL: all at rest */
    double *energy;      /* += J, of the part of the force at rest that has a potential; NULL: not wanted */
    bool stored_energy;  /* of it only what can be given back: not the work of wind or of what slides past */
    double *force;       /* += N [vertex_count * 3]; NULL: not wanted */
    BlockMatrix *matrix; /* += stiffness_scale K + damping_scale D, K = -df/dq, D = -df/dv; NULL: not wanted */
    double stiffness_scale, damping_scale;
    StiffnessKind stiffness;
    bool hold_contacts; /* what was found touching at the step's start pushes and pulls alike, so that one Newton step
                           ends where it touches; else it only pushes */
    Pool *pool;         /* NULL: the calling thread only */
} Evaluation;

/* Where a time step starts: what a term may lag (active contacts, the friction's secant) is fixed from this. */
typedef struct StepStart {
    const double *q, *v;
    double h; /* s, the step's length; inputs and colliders are already those of the step's end */
} StepStart;

typedef struct ForceTerm {
    const char *name;
    bool has_potential; /* its force at rest is minus the derivative of its energy, with what it lags held still: a line
                           search may trust it */
    void *self;
    /* NULL: nothing depends on the step. Fails where it needs memory and gets none. */
    JnStatus (*begin_step)(void *self, const StepStart *start, JnMessage *message);
    void (*evaluate)(void *self, const Evaluation *evaluation);
    /* A number that changes with what is in contact since begin_step, 0 if nothing is; NULL: nothing ever is. */
    uint64_t (*touching)(const void *self);
    void (*destroy)(void *self);
} ForceTerm;

#endif
