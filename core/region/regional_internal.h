/* Shared by the files of methods with fast regions: regional.c takes the large step, regional_rounds.c solves for the
   slow part together with the sets, regional_linear.c and regional_newton.c take the small steps of semi-implicit
   and of backward Euler, regional_touching.c those of a set that touches colliders, and regional_small.c lets all take
   small steps where that is cheaper, or a set touches something else. */
#ifndef JN_REGION_REGIONAL_INTERNAL_H
#define JN_REGION_REGIONAL_INTERNAL_H

#include "base/archive.h"
#include "integrate/contact_rounds.h"
#include "integrate/integrator.h"
#include "integrate/newton.h"
#include "linear/reuse.h"
#include "region/agreement.h"
#include "region/border_answer.h"
#include "region/fast_contact.h"
#include "region/fast_region.h"
#include "region/slow_guess.h"

typedef enum RegionalRule { RULE_SEMI_IMPLICIT, RULE_BACKWARD_EULER } RegionalRule;

/* Since a set's answer was found: an old one takes more rounds. Plain data. */
typedef struct AnswerCounts {
    double h;      /* s, the large step that it was found for; 0: there is none */
    double spent;  /* operations, with it and on finding it, */
    double latest; /* those of the latest step, */
    double steps;  /* of so many */
} AnswerCounts;

/* Whether elements of a set have damping of their own. */
typedef enum ElementsDamp { ELEMENTS_UNKNOWN, ELEMENTS_DAMPED, ELEMENTS_UNDAMPED } ElementsDamp;

/* K and D of the elements of a set, if they change by keys alone. */
typedef struct ElasticBlocks {
    double *blocks;     /* [2][9 * block_count of the region] K, D; NULL: they change */
    double *factors;    /* [group_count] Moment.stiffness_factors at which, behind them */
    StiffnessKind kind; /* how */
    bool known;
} ElasticBlocks;

/* A set of fast regions in the steps. */
typedef struct FastPart {
    FastRegion *region;
    AnswerCounts counts;
    ElementsDamp elements_damp;
    ElasticBlocks elastic;
    View *view;                           /* free: what is inside; active: elements with a vertex inside */
    double *memory;                       /* of the vectors below, which are those of fast_region.h */
    double *forces, *held;                /* [ratio][vector], as in FastRun */
    double *velocities, *moved, *impulse; /* as in FastRun */
    double *way;                          /* [ratio][vector] of backward Euler: as in FastRun; else NULL */
    bool followed;                        /* velocities, moved and impulse are those of a run with what is expected */
    double squares;                       /* and this what FastRun.squares would be */
    double way_off;                       /* and by how much its forces were other ones than those it was run with */
    Newton *newton;                       /* of backward Euler; else NULL */
    MemoryArchive beginning;              /* of its view, at the start of the large step, where each round begins */
    FastContact *contact;                 /* of semi-implicit Euler where anything can touch; else NULL */
    bool touching;                        /* it may touch something in this large step: its small steps look for it */
    double *pushes, *track; /* [ratio][vector] of contact in every small step of the last run; velocities at its end */
    MemoryArchive *touches; /* [ratio] what touched in it */
    double reached;         /* s: how far into the large step the small step under way ends */
    struct Regional *regional;
} FastPart;

/* Of large steps in which sets touch something. Plain data. */
typedef struct TouchingCounts {
    double h;      /* s, the latest; 0: there was none */
    double rounds; /* expected in the next; 0: nothing is known */
    Retry retry;   /* after one that came to no agreement */
} TouchingCounts;

typedef struct Regional {
    RegionalRule rule;
    size_t count; /* vertex_count * 3 */
    FastSets sets;
    FastPart *parts; /* [sets.count] */
    View *slow;      /* free: what is in no set; active: elements without a vertex in one, and how the sets answer */
    PairBlocks *answers;            /* [sets.count] the regions' own */
    uint8_t *border;                /* [vertex_count] 1: on the border of a set */
    BlockMatrix stiffness, damping; /* of the system, to take the regions' from */
    PairBlocks no_pairs;            /* of those: empty */
    Agreement agreement;
    SlowGuess guess;
    ContactRounds *rounds;
    Newton *newton;                 /* of the slow part */
    double *memory;                 /* of the vectors below, [count] */
    double *start, *start_velocity; /* of the large step */
    double *slow_velocity;          /* z: of the slow part through it, and of the pins */
    double *expected;               /* as it was expected to be */
    double *impulse, *predicted;    /* of all sets on their borders; as the last linear answer foretold it */
    double *end, *force, *known, *momentum, *last, *scratch;
    double *bare; /* of semi-implicit Euler: the right-hand side of the slow part without the sets */
    double *fast_positions, *fast_velocities; /* of what is inside, at the end of the last small step */
    double squares;                           /* kg2 m2/s2, of what the impulse is the difference of */
    double time, h;                           /* s: where the large step starts, and its length */
    const View *whole;                        /* that the large step is taken in */
    TouchingCounts touching;
    double contact_off;      /* the part by which impulses of contact may be off in the next run */
    bool touches;            /* a set touches something in it so that all have to take small steps */
    bool may_cross;          /* as that of the whole view */
    bool forgets_pushes;     /* the next run is the first of its large step */
    bool keeps_touches;      /* small steps look for contact no more: what touched in the last run does */
    bool holds_friction;     /* nor do they renew the normal forces of friction */
    bool in_turn;            /* of backward Euler: small steps are solved one after the other */
    const Integrator *plain; /* the method with one step for all, where something can touch, */
    void *plain_self;
    MemoryArchive contacts; /* of the whole view, for the others, after steps of that */
} Regional;

/* The force terms of a fast region. */
#define FAST_TERM_ROLES (~TERM_ROLE_BIT(TERM_BORDERS))

/* regional_matrices.c */
JnStatus regional_prepare_matrices(FastPart *part, JnMessage *message);
/* The matrices of the set at the start of the large step, with the inputs of its end. */
JnStatus regional_take_matrices(Regional *regional, FastPart *part, JnMessage *message);

/* regional_linear.c */
/* How the set answers, with its matrices of this step. */
JnStatus regional_find_answer(Regional *regional, FastPart *part, JnMessage *message);
/* At the start of a large step: the matrices of the set there, how it answers, and, for regional_run_linear, its inputs
   in the small steps. Nothing of that if it may touch something, which is noted. */
JnStatus regional_begin_part(Regional *regional, FastPart *part, JnMessage *message);
/* The small steps with the slow velocities; leaves what is inside at their end in moved and velocities, and adds the
   impulse to regional->impulse. */
JnStatus regional_run_linear(Regional *regional, FastPart *part, JnMessage *message);

/* The inputs of small step r, 1 to the ratio; and the velocities of pins in it, part->moved being how far they have
   come, which it goes on with. */
void regional_set_small_time(Regional *regional, FastPart *part, uint32_t r);
void regional_find_held(const Regional *regional, FastPart *part, uint32_t r);

/* regional_follow.c: the inputs, with forces along the way that the set is expected to take. */
JnStatus regional_follow(Regional *regional, FastPart *part, JnMessage *message);
/* The same along part->way, the one that it was run on last; part->way_off is the largest change of the forces in a
   small step, as part of the sum of the magnitudes of all. */
JnStatus regional_follow_again(Regional *regional, FastPart *part, JnMessage *message);

/* regional_touching.c */
JnStatus regional_prepare_touching(FastPart *part, JnMessage *message);
void regional_free_touching(FastPart *part);
/* Whether small steps of the part alone, which may touch something, are expected to cost less than small steps for
   all. */
bool regional_touching_pays(Regional *regional, const FastPart *part);
/* Whether any set may touch something in this large step. */
bool regional_is_touching(const Regional *regional);
/* Contact in the small steps of regional_run_linear. */
FastPush regional_push(FastPart *part);
/* Looks at the large step that ends at q: whether what touches was held, of sets that touch; whether others do so after
   all, *more: then they will from now on. Notes where all have to take small steps instead. */
JnStatus regional_check_touching(Regional *regional, const double *q, bool *more, JnMessage *message);

/* regional_newton.c: as regional_run_linear, every small step solved fully, until one may touch something, which is
   noted. */
void regional_move_outside(void *part, const Moment *moment, double *q, double *v); /* an ElsewhereMotion */
JnStatus regional_prepare_newton(FastPart *part, JnMessage *message);
JnStatus regional_run_newton(Regional *regional, FastPart *part, uint32_t *iterations, JnMessage *message);

/* regional_small.c */
JnStatus regional_prepare_small(Regional *regional, View *view, const char *method, JnMessage *message);
/* From the start of the large step, all take small ones, as the method does without regions. */
JnStatus regional_take_small_steps(Regional *regional, View *view, State *state, StepReport *report,
                                   JnMessage *message);

/* regional_rounds.c: all velocities at the end of the large step, from those at its start. */
JnStatus regional_solve_together(Regional *regional, StepReport *report, JnMessage *message);

#endif
