/* The force-term contract: everything that pushes (elements, contact, goals, gravity, wind) is a term that adds its
   energy, force and matrices to the system's. */
#ifndef JN_ELASTIC_FORCE_TERM_H
#define JN_ELASTIC_FORCE_TERM_H

#include "base/archive.h"
#include "base/pool.h"
#include "elastic/element_subset.h"
#include "elastic/moment.h"
#include "linear/block_matrix.h"
#include "linear/pair_blocks.h"

#include <stdbool.h>

/* How a term's stiffness enters the matrix. */
typedef enum StiffnessKind {
    STIFFNESS_SAFE, /* as it is, but projected where it is negative beyond what inertia can be trusted to outweigh */
    STIFFNESS_PROJECTED, /* each stencil's made positive semidefinite, which damps */
    STIFFNESS_RAW        /* as it is */
} StiffnessKind;

/* What a term stands for, and which energy of a motion its own counts to. */
typedef enum TermRole {
    TERM_ELASTIC, /* knows the rest shape: elements, springs, their damping */
    TERM_LOADS,
    TERM_GOALS,
    TERM_AIR,
    TERM_CONTACT
} TermRole;

/* Where to evaluate, and what is wanted. One pass over a term's elements serves all that is asked for. */
typedef struct Evaluation {
    const Moment *moment; /* the one that the term was last set to */
    ElementSubset subset; /* elements outside of it add nothing */
    const double *q;      /* [vertex_count * 3] m */
    const double *v;      /* [vertex_count * 3] m/s; NULL: all at rest */
    double *energy;       /* += J, of the part of the force at rest that has a potential; NULL: not wanted */
    bool stored_energy;   /* of it only what can be given back: not the work of wind or of what slides past */
    double *force;        /* += N [vertex_count * 3]; NULL: not wanted */
    BlockMatrix *matrix;  /* += stiffness_scale K + damping_scale D, K = -df/dq, D = -df/dv; NULL: not wanted */
    PairBlocks *pairs; /* += the same for pairs of vertices that the pattern does not couple; NULL where `matrix` is */
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

/* What a kind of term can do. `self` is the term; `lag` is what it holds fixed since a step began, of which every view
   of the system has its own. Operations that are NULL have nothing to do. */
typedef struct TermOperations {
    const char *name;
    TermRole role;
    bool has_potential; /* its force at rest is minus the derivative of its energy, with what it lags held still: a line
                           search may trust it */

    /* Adds what is wanted. Fails where it has no value: a barrier where things touch. Never NULL. */
    JnStatus (*evaluate)(void *self, const void *lag, Evaluation *evaluation, JnMessage *message);
    void (*destroy)(void *self); /* never NULL; `self` may be NULL */

    /* Derives what it needs of the moment before evaluations at it: factors from keys, rest shapes that follow the
       animation. */
    void (*set_moment)(void *self, const Moment *moment, Pool *pool);
    /* Rest shapes that the animated pose would have crushed, and that were limited: most at a time, so far. */
    uint32_t (*limited_rest_count)(const void *self);
    /* The modelled rest shape becomes rest_positions, [vertex_count * 3] m; masses stay. What follows the animation is
       derived anew by set_moment. false: an element would be inverted, and nothing has changed. */
    bool (*set_rest)(void *self, const double *rest_positions);
    /* Multiplies the stiffness damping of a group. */
    void (*scale_damping)(void *self, uint32_t group, double factor);

    /* Memory for what it lags; NULL without memory. Terms that lag something have the first three, others none. */
    void *(*lag_create)(const void *self);
    void (*lag_destroy)(void *lag); /* may be NULL */
    JnStatus (*begin_step)(const void *self, void *lag, const Moment *moment, const StepStart *start,
                           JnMessage *message);
    /* A number that changes with what is in contact since begin_step, 0 if nothing is. */
    uint64_t (*contact_signature)(const void *lag);
    /* Marks the vertices that its pairs may join until the next begin_step, [vertex_count]; leaves the others alone.
       Terms that write to Evaluation.pairs have it. */
    void (*mark_coupled)(const void *self, const void *lag, uint8_t *marks);
    /* How much of the way from q0 to q1 may be gone before something touches, above 0, at most 1. */
    double (*step_bound)(const void *self, const void *lag, const double *q0, const double *q1);
    /* What the lag carries from step to step, for undo and resume: a barrier's stiffness, not what begin_step finds
       anew. false: the archive ended. */
    bool (*lag_archive)(void *lag, Archive *archive);
} TermOperations;

typedef struct ForceTerm {
    const TermOperations *operations;
    void *self; /* owned */
} ForceTerm;

#endif
