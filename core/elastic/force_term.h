/* The force-term contract: every source of force (elements, contact, goals, gravity, wind) is a term that adds its
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
    STIFFNESS_SAFE, /* unchanged, but projected where it is too negative for neighbours and inertia to compensate */
    STIFFNESS_PROJECTED, /* each stencil's made positive semidefinite, which adds numerical damping */
    STIFFNESS_RAW        /* unchanged */
} StiffnessKind;

/* What a term represents, and to which energy of JnMotion its energy is added. */
typedef enum TermRole {
    TERM_ELASTIC, /* depends on the rest shape: elements, springs, their damping */
    TERM_LOADS,
    TERM_GOALS,
    TERM_AIR,
    TERM_FIELDS,
    TERM_CONTACT,
    TERM_BORDERS /* what is solved elsewhere, as it is felt where it begins */
} TermRole;

/* How contact enters the equations of a step. What is solved for is z: positions, or velocities. Contact acts as a
   constant force over the whole step, that of the step's end, in every method: then no contact gives back more energy
   than it took, whatever the method does with the other forces. So contact is evaluated at the position and the
   velocity at which z lets the step end, both affine in z, and its force is multiplied by a strength that gives it the
   impulse of the whole step. */
typedef struct ContactReach {
    double position_scale; /* d position / d z */
    double velocity_scale; /* d velocity / d z; 0: everything is at rest, and there is no friction */
    double strength;
    double calmed_over; /* s, the step's length, if it is calmed after it; else 0 */
} ContactReach;

/* Where to evaluate, and which results are wanted. One pass over a term's elements computes all of them. */
typedef struct Evaluation {
    const Moment *moment; /* the one passed to the last set_moment */
    ElementSubset subset; /* elements outside of it add nothing */
    const double *q;      /* [vertex_count * 3] m */
    const double *v;      /* [vertex_count * 3] m/s; NULL: all at rest */
    double *energy;       /* += J, of the part of the force at rest that has a potential; NULL: not wanted */
    bool stored_energy;   /* only the recoverable energy: without the work of wind and of friction */
    double *force;        /* += N [vertex_count * 3]; NULL: not wanted */
    BlockMatrix *matrix;  /* += stiffness_scale K + damping_scale D, K = -df/dq, D = -df/dv; NULL: not wanted */
    PairBlocks *pairs;    /* += the same for pairs of vertices that the pattern does not couple; NULL if `matrix` is
                             NULL */
    double stiffness_scale, damping_scale;
    StiffnessKind stiffness;
    uint64_t *projected; /* += the elements of solids whose stiffness was projected in `matrix`; NULL: not wanted */
    bool linear_contact; /* the force of contact is that of its linearization, of which the matrix is */
    ContactReach reach;  /* for contact alone: its force is multiplied by the strength, and its energy is a potential
                            of that force in z; the scales of its matrices are given above, as those of others */
    Pool *pool;          /* NULL: the calling thread only */
} Evaluation;

/* The start of a time step: what a term may lag (candidates for contact, the drag of the air) is computed here. */
typedef struct StepStart {
    const double *q, *v;
    double h;    /* s, the step's length; inputs and colliders are already those of the step's end */
    bool within; /* another step, of which this is a stage: not where anything is at any time */
} StepStart;

/* Of which view a step is: what a term looks at when a step begins. */
typedef struct StepScope {
    const Moment *moment; /* at the step's end */
    ElementSubset subset; /* elements outside of it need not be looked at */
    const uint8_t *roles; /* [vertex_count] 0: the vertex is free to move */
    Pool *pool;           /* NULL: the calling thread only */
} StepScope;

/* How pairs join a vertex: 0 not at all. */
typedef enum CoupledMark {
    COUPLED_NEAR = 1,   /* not yet, but soon */
    COUPLED_INSIDE = 2, /* to vertices that the pattern couples it with */
    COUPLED_ACROSS = 3  /* to others too */
} CoupledMark;

/* What holds the parts of a body apart pushes or is off: to find who pushes, normal forces and what is missing to a
   contact are both kept above 0, and their products are brought to 0 together (a primal-dual interior point method).
   That takes about ten linear systems whatever the number of contacts, where going from one set to the next may take as
   many as there are contacts, or never end. */
typedef enum InteriorStage {
    INTERIOR_MEASURE, /* how deep things are at q */
    INTERIOR_BEGIN,   /* at q, with the centre */
    INTERIOR_CENTRE,  /* linearizes around a new centre */
    INTERIOR_BOUND,   /* how far the forces may go to the solution of the linear system at q: `part`, at most what it
                         is */
    INTERIOR_MOVE,    /* goes so far */
    INTERIOR_END
} InteriorStage;

typedef struct InteriorMove {
    const double *q, *v;       /* [vertex_count * 3] m, m/s, at the step's end; v NULL: at rest */
    const double *stiffnesses; /* [vertex_count] N/m: the force on a vertex for a change of its position, roughly */
    double rate;               /* 1/s: the change of a velocity for one of a position */
    double centre;             /* m2: what the products, in terms of lengths, are brought to */
    double part;
    double products; /* += m2: their sum, after a move; INTERIOR_MEASURE: that of depths squared */
    uint32_t count;  /* += of them */
} InteriorMove;

/* What a step is that is to follow turns. */
typedef enum TurnKind {
    TURN_STEP,  /* the linear solution of a step: lengths are those that it gives to first order */
    TURN_GUESS, /* free flight: lengths stay */
    TURN_SEARCH /* one of Newton's steps: as TURN_STEP, and parts that would turn too far go only part of the way */
} TurnKind;

/* What a kind of term can do. `self` is the term; `lag` is what it holds fixed since a step began; each view of the
   system has its own. An operation that is NULL does nothing. */
typedef struct TermOperations {
    const char *name;
    TermRole role;
    bool has_potential; /* its force at rest is minus the derivative of its energy, with what it lags held fixed: a line
                           search may use it */

    /* Adds the results that are wanted. Fails where the term is undefined, as a barrier is at a gap of 0. Never
       NULL. */
    JnStatus (*evaluate)(void *self, const void *lag, Evaluation *evaluation, JnMessage *message);
    void (*destroy)(void *self); /* never NULL; `self` may be NULL */

    /* Derives what it needs from the moment, before evaluations at it: factors from keys, rest shapes that follow the
       animation. */
    void (*set_moment)(void *self, const Moment *moment, Pool *pool);
    /* The number of rest shapes that were limited because the animated pose would have crushed them: the largest at one
       time so far. */
    uint32_t (*limited_rest_count)(const void *self);
    /* Whether no element would be inverted if the modelled rest shape became rest_positions, [vertex_count * 3] m. */
    bool (*accepts_rest)(const void *self, const double *rest_positions);
    /* The modelled rest shape becomes rest_positions, which has been accepted; masses stay. Rest shapes that follow the
       animation are recomputed by set_moment. Terms that have one of the two have both. */
    void (*set_rest)(void *self, const double *rest_positions);
    /* Whether its stiffness turns with the vertices, so that a factor of it serves longer if turned with them. NULL: it
       does not, or other terms of the same elements say so. */
    bool (*stiffness_turns)(const void *self);
    /* Writes the positions at rest of vertices whose stiffness does not turn with them, [vertex_count * 3] m, and
       leaves the others. It gives no force to what such vertices do rigidly from there, to first order. NULL: there are
       none. */
    void (*write_unturned)(const void *self, double *positions);
    /* Multiplies the stiffness damping of a group. */
    void (*scale_damping)(void *self, uint32_t group, double factor);

    /* Allocates what it lags; NULL if out of memory. Terms that lag something have the first three operations, others
       none. */
    void *(*lag_create)(const void *self);
    void (*lag_destroy)(void *lag); /* may be NULL */
    JnStatus (*begin_step)(const void *self, void *lag, const StepScope *scope, const StepStart *start,
                           JnMessage *message);
    /* += the stiffness with which it holds vertices where they are until the next begin_step, rigid motions too,
       [vertex_count] N/m. NULL: it does not. */
    void (*add_holding)(const void *self, const void *lag, double *stiffness);
    /* Whether it may act at all until the next begin_step; NULL: it may. */
    bool (*is_active)(const void *lag);
    /* Lags the normal forces and the directions of friction anew, as they are at q, v; the force is what is left of it
       after `calm`, if calmed_over is not 0. *change: how much the friction forces change by that, relative to all of
       them; they are left as they were if it is at most `least`. */
    void (*renew_friction)(const void *self, void *lag, const StepScope *scope, const double *q, const double *v,
                           double calmed_over, double least, double *change);
    /* Chooses anew where friction is linearized, from its linearization so far at the solution v of the linear system
       with it. impedances: [vertex_count] N s/m, the force on a vertex for a change of its velocity, roughly; NULL:
       from now on it is linearized wherever it is evaluated. */
    void (*move_friction)(const void *self, void *lag, const double *v, const double *impedances);
    /* The normal forces by the interior method. */
    void (*interior)(const void *self, void *lag, const StepScope *scope, InteriorStage stage, InteriorMove *move);
    /* Takes from v, [vertex_count * 3], the velocity with which points leave what pushed them in a step of h that ended
       at q, v. A constant force that stops a point at a surface throws it back as fast as it came: a rigid body at rest
       would tremble. At most as much momentum is taken as contact gave, so that it never pulls. */
    void (*calm)(const void *self, const void *lag, const StepScope *scope, const double *q, double h, double *v);
    /* Marks the vertices that its pairs may join until the next begin_step, [vertex_count], as a CoupledMark; leaves
       the other entries unchanged. Terms that write to Evaluation.pairs have it. */
    void (*mark_coupled)(const void *self, const void *lag, uint8_t *marks);
    /* Holds from now on what would be crossed if the step ended at q, and is not held yet. *more: whether there is
       any. */
    JnStatus (*look_again)(const void *self, void *lag, const StepScope *scope, const double *q, bool *more,
                           JnMessage *message);
    /* The step ends at q: *free_part is the part of the straight way there on which nothing is crossed that must not
       be, above 0, at most 1. may_cross: it ends there all the same. */
    JnStatus (*check_way)(const void *self, void *lag, const StepScope *scope, const double *q, bool may_cross,
                          double *free_part, JnMessage *message);
    /* A step was not solved for, and the next try of it may cross what it must not: what holds with more than the force
       that was given is to do so no more. */
    void (*give_way)(void *lag);
    /* A straight step lengthens what it turns. Moves q1, which such a step from q0 has found, to where the term's stiff
       parts have turned. roles: [vertex_count], not 0 where q1 is final. Returns whether it moved anything. */
    bool (*follow_turns)(const void *self, const uint8_t *roles, TurnKind kind, const double *q0, double *q1);
    /* The part of the lag that persists from step to step, for undo and resume: a barrier's stiffness, but not what
       begin_step recomputes. false: the archive ended. */
    bool (*lag_archive)(void *lag, Archive *archive);
    /* All that begin_step found, and what was held or renewed since: loaded into the lag again, the step goes on from
       there. Of the same process: it may hold addresses. NULL: nothing that evaluations need. false: the archive
       ended, or memory. */
    bool (*step_archive)(void *lag, Archive *archive);
    /* The part of the lag that a step which failed leaves to the next try of it, for undo of more than that step and
       for resume. false: the archive ended. */
    bool (*retry_archive)(void *lag, Archive *archive);
} TermOperations;

typedef struct ForceTerm {
    const TermOperations *operations;
    void *self; /* owned */
} ForceTerm;

#endif
