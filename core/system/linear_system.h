/* A matrix A + C and its solvers: A in the system's pattern, C in pairs of vertices that the pattern does not
   couple. */
#ifndef JN_SYSTEM_LINEAR_SYSTEM_H
#define JN_SYSTEM_LINEAR_SYSTEM_H

#include "linear/solver.h"

typedef struct LinearSystem {
    BlockMatrix matrix;        /* A */
    PairBlocks pairs;          /* C */
    Solver *solver;            /* of positive definite matrices; NULL: only products */
    Solver *indefinite_solver; /* made with the first matrix that needs it */
    const void *writer;        /* whose the matrix is now, of those that share it */
    uint8_t *fixed;            /* [vertex_count] nonzero: not solved for */
    uint8_t *eliminated_last;  /* [vertex_count] 1: pairs may join this vertex; the solver eliminates it last */
    uint8_t *marked;           /* [vertex_count] scratch */
    bool reuse;                /* solver_update may keep an old factor */
} LinearSystem;

/* For products only. The pattern is borrowed for its life. On failure *linear is NULL. */
JnStatus linear_system_create(const BlockMatrix *pattern, LinearSystem **linear, JnMessage *message);
void linear_system_destroy(LinearSystem *linear); /* may be NULL */

/* Makes the solver, once. fixed: [vertex_count] nonzero: not solved for; copied. */
JnStatus linear_system_make_solver(LinearSystem *linear, const uint8_t *fixed, bool reuse, JnMessage *message);

/* Lets pairs join these vertices, [vertex_count] nonzero, in addition to earlier ones: if there are new ones, the
   solver is rebuilt and has no factor at first. */
JnStatus linear_system_let_pairs_join(LinearSystem *linear, const uint8_t *vertices, JnMessage *message);

/* Factors A, which may be indefinite; pairs are not supported here. *regular false: it is singular. */
JnStatus linear_system_factor_indefinite(LinearSystem *linear, bool *regular, JnMessage *message);

/* y = (A + C) x, [vertex_count * 3]; must not alias. */
void linear_system_multiply(const LinearSystem *linear, const double *x, double *y);

/* The state that later solves depend on, in addition to their matrices. false: the archive ended, or a solver for its
   content could not be made. */
bool linear_system_archive(LinearSystem *linear, Archive *archive);

#endif
