/* A matrix A + C and its solvers: A in the system's pattern, C in pairs of vertices that the pattern does not
   couple. */
#ifndef JN_SYSTEM_LINEAR_SYSTEM_H
#define JN_SYSTEM_LINEAR_SYSTEM_H

#include "linear/solver.h"

typedef struct LinearSystem {
    BlockMatrix matrix;        /* A */
    PairBlocks pairs;          /* C */
    size_t contact_count;      /* how many of these, the first ones, are contacts; all, if contacts were not given */
    Solver *solver;            /* of positive definite matrices; NULL: only products */
    Solver *indefinite_solver; /* made with the first matrix that needs it */
    const void *writer;        /* whose the matrix is now, of those that share it */
    uint8_t *fixed;            /* [vertex_count] nonzero: not solved for */
    uint8_t *eliminated_last;  /* [vertex_count] 1: pairs may join this vertex; the solver eliminates it last */
    uint8_t *marked;           /* [vertex_count] scratch */
    BlockMatrix sum;           /* A + C, where C is in the pattern; without values until it is needed */
    bool sums;                 /* the solver is given that: the pairs are so many that a dense block would not pay */
    double sparse_flops;       /* of a factorization with nothing eliminated last */
    uint32_t spare_systems;    /* in a row so far for which most of what is eliminated last was not needed */
    bool reuse;                /* solver_update may keep an old factor */
} LinearSystem;

/* For products only. The pattern is borrowed for its life. On failure *linear is NULL. */
JnStatus linear_system_create(const BlockMatrix *pattern, LinearSystem **linear, JnMessage *message);
void linear_system_destroy(LinearSystem *linear); /* may be NULL */

/* Makes the solver, once. fixed: [vertex_count] nonzero: not solved for; copied. */
JnStatus linear_system_make_solver(LinearSystem *linear, const uint8_t *fixed, bool reuse, JnMessage *message);

/* Prepares the solver for pairs that join the marked vertices, [vertex_count] CoupledMark (elastic/force_term.h). If it
   has to be rebuilt, it has no factor at first. */
JnStatus linear_system_expect_pairs(LinearSystem *linear, const uint8_t *marks, JnMessage *message);

/* How the solver may take a matrix: as solver_factor, solver_factor_mixed, solver_update or solver_change_pairs do. */
typedef enum LinearGift { GIFT_FACTOR_EXACTLY, GIFT_FACTOR, GIFT_MAY_REUSE, GIFT_NEW_PAIRS } LinearGift;

/* Gives A + C to the solver, which keeps pointers to it. positions: as in solver_update. */
JnStatus linear_system_give(LinearSystem *linear, LinearGift gift, const double *positions, bool *positive_definite,
                            JnMessage *message);

/* Factors A + C, which may be indefinite; C must be in the pattern. *regular false: it is singular. */
JnStatus linear_system_factor_indefinite(LinearSystem *linear, bool *regular, JnMessage *message);

/* y = (A + C) x, [vertex_count * 3]; must not alias. */
void linear_system_multiply(const LinearSystem *linear, const double *x, double *y);

/* The state that later solves depend on, in addition to their matrices. false: the archive ended, or a solver for its
   content could not be made. */
bool linear_system_archive(LinearSystem *linear, Archive *archive);

#endif
