/* Shared by the files of the solver: solver.c makes and saves it, solver_factor.c chooses the factor, solver_solve.c
   solves with it. */
#ifndef JN_LINEAR_SOLVER_PARTS_H
#define JN_LINEAR_SOLVER_PARTS_H

#include "linear/cholesky.h"
#include "linear/factored_pairs.h"
#include "linear/lu.h"
#include "linear/reuse.h"
#include "linear/solver.h"
#include "linear/translation_correction.h"

/* The state that later solves depend on, in addition to what the factor was computed from. */
typedef struct SolverState { /* saved and loaded as plain bytes */
    ReuseCounts counts;
    SweepCounts sweeps;
    uint64_t factored;      /* the number of the factorization; 0: there is none */
    uint32_t has_positions; /* 1: of that matrix */
    uint32_t is_single;     /* 1: it is in single precision */
    uint32_t last_apart;    /* 1: the unknowns eliminated last were factored after the others, not with them */
    Retry single_retry;     /* of attempts to factor in single precision */
} SolverState;

struct Solver {
    FreeUnknowns unknowns;
    TranslationCorrection translation_correction;
    Cholesky *cholesky; /* of positive definite matrices */
    Lu *lu;             /* of others; neither if every vertex is fixed */
    ReuseCosts costs;
    bool reuse_allowed;

    SolverState state;
    double *origin; /* [origin_count] what the factor was computed from: the values of A, then the positions */
    size_t value_count, origin_count;
    FactoredPairs factored_pairs;
    bool factor_outdated;   /* the factor is not of `origin`, which was loaded, */
    bool last_outdated;     /* or not of the pairs that were */
    uint64_t factor_number; /* given last */

    bool has_system;           /* one was given, and can be solved */
    const BlockMatrix *matrix; /* A to iterate on; NULL: the factor is the system's own, in double precision */
    const PairBlocks *pairs;   /* C to iterate on, or NULL */
    const double *positions;   /* of that matrix, or NULL */
    bool own_factor;           /* the factor is of the matrix to iterate on */
    bool turned;               /* the iterations rotate the factor by `rotations` */

    double *inverses;                                                 /* [free count * 9] of `sweeps` */
    double *rotations, *rotation_scratch, *iteration_scratch, *b, *x; /* and these in one allocation at `rotations` */
    SolverReport report;
};

/* What the next factor costs. */
double solver_factor_cost(const Solver *solver);

/* After too many iterations: replaces an old factor by a new one, and the system's own factor in single precision by
   one in double precision, which needs no iterations. */
JnStatus solver_factor_after_all(Solver *solver, bool *positive_definite, JnMessage *message);

#endif
