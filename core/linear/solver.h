/* The solver contract: analyse a pattern once, factor its values many times, solve blocks of right-hand sides. */
#ifndef JN_LINEAR_SOLVER_H
#define JN_LINEAR_SOLVER_H

#include "linear/block_matrix.h"

#include <stdbool.h>

typedef struct Solver Solver;

typedef struct SolverReport {
    double factor_flops;  /* of one numeric factorization */
    double factor_bytes;  /* of the factor's values and indices */
    const char *ordering; /* the fill-reducing ordering that won: "amd" or "metis" */
} SolverReport;

/* Symmetric positive definite systems in the unknowns of the vertices that are not fixed. fixed: [vertex_count],
   nonzero for vertices whose unknowns are left out, or NULL. Analyses the pattern of `matrix`; its values are not read. */
JnStatus solver_create(const BlockMatrix *matrix, const uint8_t *fixed, Solver **solver, JnMessage *message);

/* Factors the values of `matrix`, which must have the pattern given to solver_create. A matrix that is not positive
   definite is no error: *positive_definite says so, and the solver holds no factor then. */
JnStatus solver_factor(Solver *solver, const BlockMatrix *matrix, bool *positive_definite, JnMessage *message);

/* Solves A x = b for `count` right-hand sides by the last factor. b, x: [count][vertex_count * 3], may be the same
   array; entries of fixed vertices are not read, and set to 0 in x. */
JnStatus solver_solve(Solver *solver, const double *b, double *x, uint32_t count, JnMessage *message);

void solver_report(const Solver *solver, SolverReport *report);
uint32_t solver_unknown_count(const Solver *solver);
void solver_destroy(Solver *solver); /* may be NULL */

#endif
