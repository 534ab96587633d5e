/* Which parts of the bodies to paint fast: those that hold wobbles which the time steps damp away, at a cost for which
   more steps for all would keep less of them.

   Candidates are the parts that have most of the most local wobbles, of one, two, ... groups of them. Each is judged by
   how near the motion of small steps for all every wobble is (wobble.h), against more steps for all that cost as much.
 */
#ifndef JN_REGION_SUGGESTION_H
#define JN_REGION_SUGGESTION_H

#include "jounce.h"
#include "region/wobble.h"

typedef struct SuggestionProblem {
    const Wobbles *wobbles; /* sorted: those that can be seen */
    double h;               /* s, the step of now */
    bool never;             /* no part can take small steps alone */
    void *owner;
    /* d / omega of the scene's method for this h omega; or of its form with fast regions. */
    double (*damping)(void *owner, bool regional, double h_omega);
    /* The cost of a large step with these small steps, [vertex_count] as for fast_sets_build, relative to one without;
       and that of small steps for all. */
    JnStatus (*cost)(void *owner, const uint32_t *ratios, double *with, double *small, JnMessage *message);
} SuggestionProblem;

typedef struct Suggestion {
    uint32_t *ratios; /* [vertex_count] the caller's; all 0: no part is worth it */
    bool found;
    uint32_t damped;         /* wobbles that lose their height, */
    double slowest, fastest; /* rad/s, of these; 0: there are none */
    uint32_t kept;           /* of which so many keep it with the small steps */
    double kept_now;         /* the part of the height left after a swing, the mean of those that are kept: now, */
    double kept_with;        /* with the small steps, */
    double kept_for_all;     /* and with more steps for all at the same cost */
    double cost_of_large;    /* of a step, relative to one without small steps, */
    double cost_of_small;    /* and relative to small steps for all */
    uint32_t steps_for_all;  /* how many times the steps for all keep the damped ones as well; 1: none are damped */
} Suggestion;

JnStatus suggestion_find(const SuggestionProblem *problem, Suggestion *suggestion, JnMessage *message);

/* How the part that the scene's method leaves of each damped wobble is found: also for another method's damping. */
double suggestion_kept_in_a_swing(double damping);

#endif
