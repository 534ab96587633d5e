/* The solver contract: analyse a pattern once, take its values many times, solve blocks of right-hand sides. */
#ifndef JN_LINEAR_SOLVER_H
#define JN_LINEAR_SOLVER_H

#include "linear/block_matrix.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Solver Solver;

typedef struct SolverReport {
    double factor_flops;      /* of one numeric factorization */
    double factor_bytes;      /* of the factor's values and indices */
    double bytes;             /* of all that the solver keeps, the factor included */
    uint64_t factor_count;    /* factorizations so far */
    uint64_t iteration_count; /* of conjugate gradients so far */
    uint64_t reused_count;    /* matrices so far that were solved with an older one's factor */
    const char *ordering;     /* the fill-reducing ordering that won: "amd", "metis" or "dissection" */
} SolverReport;

/* What is known of the matrices to come. The looser kinds cost several times as much, and reuse no factor. */
typedef enum SolverKind {
    SOLVER_POSITIVE_DEFINITE, /* symmetric; others are found out and refused */
    SOLVER_SYMMETRIC_INDEFINITE,
    SOLVER_UNSYMMETRIC /* with an upper triangle of their own */
} SolverKind;

/* Symmetric positive definite systems in the unknowns of the vertices that are not fixed. fixed: [vertex_count],
   nonzero for vertices whose unknowns are left out, or NULL. Analyses the pattern of `matrix`; its values are not read.
 */
JnStatus solver_create(const BlockMatrix *matrix, const uint8_t *fixed, Solver **solver, JnMessage *message);
/* As above, for systems of another kind. Where it says positive definite below, these mean not singular. */
JnStatus solver_create_kind(const BlockMatrix *matrix, const uint8_t *fixed, SolverKind kind, Solver **solver,
                            JnMessage *message);

/* Factors the values of `matrix`, which must have the pattern given to solver_create. A matrix that is not positive
   definite is no error: *positive_definite says so, and the solver holds no factor then. */
JnStatus solver_factor(Solver *solver, const BlockMatrix *matrix, bool *positive_definite, JnMessage *message);

/* As solver_factor, in single precision where that is cheaper: solves then run conjugate gradients, with that factor as
   preconditioner, until the residual is SOLVER_TOLERANCE of the right-hand side, or factor in double precision after
   all where they take too long. Whether the matrix is positive definite may show at the solve only. `matrix` must stay
   as it is until the last solve with it. positions: [vertex_count * 3], where the vertices are, so that the factor can
   be turned with them when it is old; or NULL. */
JnStatus solver_factor_mixed(Solver *solver, const BlockMatrix *matrix, const double *positions,
                             bool *positive_definite, JnMessage *message);
extern const double SOLVER_TOLERANCE;

/* As solver_factor_mixed, or keeps the last factor where that is cheaper: solves then iterate with it. The choice is
   made by counts of arithmetic, so it is the same on every machine. */
JnStatus solver_update(Solver *solver, const BlockMatrix *matrix, const double *positions, bool *positive_definite,
                       JnMessage *message);

/* false: solver_update always makes a new factor. True at first. */
void solver_allow_reuse(Solver *solver, bool allowed);

/* Solves A x = b for `count` right-hand sides. b, x: [count][vertex_count * 3], may be the same array; entries of fixed
   vertices are not read, and set to 0 in x. JN_ERR_DIVERGED if it shows that A is not positive definite. */
JnStatus solver_solve(Solver *solver, const double *b, double *x, uint32_t count, JnMessage *message);

/* As above for one right-hand side, from a guess at x, [vertex_count * 3] or NULL, which may be x itself. That A is not
   positive definite is no error: *positive_definite says so, x is not touched, and the next update decides anew. */
JnStatus solver_solve_near(Solver *solver, const double *b, const double *guess, double *x, bool *positive_definite,
                           JnMessage *message);

/* What the next solves depend on beside the matrices given: the last factor's matrix, and the counts.

   Holding marks the present state and returning comes back to it, both at no cost; if the factor has changed in
   between, the next update makes the old one again. Saving passes pieces of memory to `visit`, and loading, in a solver
   of the same pattern, the same pieces to be filled; both stop and return false when it does. After a load that failed
   the solver begins anew. */
typedef bool (*SolverVisit)(void *context, void *data, size_t size);
void solver_hold(Solver *solver);
void solver_return(Solver *solver);
bool solver_save(Solver *solver, SolverVisit visit, void *context);
bool solver_load(Solver *solver, SolverVisit visit, void *context);

void solver_report(const Solver *solver, SolverReport *report);
uint32_t solver_unknown_count(const Solver *solver);
void solver_destroy(Solver *solver); /* may be NULL */

#endif
