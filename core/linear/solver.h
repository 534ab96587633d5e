/* The solver contract: analyse a pattern once, take its values many times, solve blocks of right-hand sides.

   The systems are (A + C) x = b in the unknowns of the vertices that are not fixed. A has the pattern that was
   analysed. C is made of blocks between pairs of vertices, such as contact and friction, which change from system to
   system and need not be in the pattern. The vertices that pairs may couple are given in advance and eliminated last,
   so that a change of C costs no more than a dense factorization of their unknowns (schur_block.h). */
#ifndef JN_LINEAR_SOLVER_H
#define JN_LINEAR_SOLVER_H

#include "base/archive.h"
#include "linear/pair_blocks.h"

typedef struct Solver Solver;

/* The kind of the matrices. Kinds other than positive definite cost several times as much, do not reuse factors and do
   not support pairs. */
typedef enum SolverKind {
    SOLVER_POSITIVE_DEFINITE, /* symmetric; others are detected and refused */
    SOLVER_SYMMETRIC_INDEFINITE,
    SOLVER_UNSYMMETRIC /* with a separate upper triangle */
} SolverKind;

typedef struct SolverDesc {
    const BlockMatrix *pattern; /* of A; its values are not read */
    const uint8_t *fixed;       /* [vertex_count], nonzero for vertices whose unknowns are left out; or NULL: none */
    SolverKind kind;      /* 0: positive definite. For the other kinds, read `regular` for `positive definite` below */
    const uint32_t *last; /* [last_count] vertices that pairs may couple, in any order, fixed ones too; may be NULL
                             if there are none. Memory grows with the square of their number, time with the cube */
    uint32_t last_count;
} SolverDesc;

typedef struct SolverReport {
    double factor_flops;      /* of one numeric factorization */
    double factor_bytes;      /* of the factor's values and indices */
    double factor_entries;    /* numbers in it; 0 if it has pivots */
    double bytes;             /* total memory of the solver, including the factor */
    uint64_t factor_count;    /* factorizations so far */
    uint64_t iteration_count; /* of conjugate gradients so far */
    uint64_t reused_count;    /* systems so far that were solved with the factor of an earlier one */
    uint64_t pairs_count;     /* dense factorizations so far that changed the pairs of an earlier factor */
    uint64_t swept_count;     /* systems so far that were solved without a factor, or tried */
    const char *ordering;     /* the fill-reducing ordering that was chosen: "amd", "metis" or "dissection" */
} SolverReport;

/* Analyses the pattern; nothing of the desc is needed afterwards. JN_ERR_ARGUMENT: a vertex in `last` that does not
   exist, or `last` for a kind that takes no pairs. On failure *solver is NULL. */
JnStatus solver_create(const SolverDesc *desc, Solver **solver, JnMessage *message);

/* In the next three, `matrix` is A and must have the pattern of the desc; `pairs` is C, or NULL: 0. Blocks of fixed
   vertices are left out. JN_ERR_ARGUMENT: a pair has a vertex that is neither in `last` nor fixed, so a solver with
   that vertex in `last` is needed; the solver is unchanged.

   Factors A + C. A matrix that is not positive definite is no error: *positive_definite is then false, and the solver
   has no factor. */
JnStatus solver_factor(Solver *solver, const BlockMatrix *matrix, const PairBlocks *pairs, bool *positive_definite,
                       JnMessage *message);

/* As solver_factor, in single precision if that is cheaper: solves then run conjugate gradients, with that factor as
   preconditioner, until the residual is SOLVER_TOLERANCE times the right-hand side. If that takes too many iterations,
   they factor in double precision. That A + C is not positive definite may be detected only by the solve. `matrix` and
   `pairs` must stay unchanged until the last solve with them. positions: [vertex_count * 3], the positions of the
   vertices, used to rotate an old factor with them; or NULL. */
JnStatus solver_factor_mixed(Solver *solver, const BlockMatrix *matrix, const PairBlocks *pairs,
                             const double *positions, bool *positive_definite, JnMessage *message);
extern const double SOLVER_TOLERANCE;

/* As solver_factor_mixed, or if that is cheaper, keeps the last factor of A, updated with the new C, as preconditioner
   of the solves, or does without a factor, with sweeps as preconditioner (sweeps.h). The choice is made by operation
   counts, so it is the same on every machine. */
JnStatus solver_update(Solver *solver, const BlockMatrix *matrix, const PairBlocks *pairs, const double *positions,
                       bool *positive_definite, JnMessage *message);

/* After any of these, for a system with the same A and another C: keeps the factor of A, whether that is this A's own
   or an old one, and of A + C where C has hardly changed; or goes on without a factor. */
JnStatus solver_change_pairs(Solver *solver, const BlockMatrix *matrix, const PairBlocks *pairs,
                             const double *positions, bool *positive_definite, JnMessage *message);

/* false: solver_update always makes a new factor. True at first. */
void solver_allow_reuse(Solver *solver, bool allowed);

/* Solves (A + C) x = b for `count` right-hand sides. b, x: [count][vertex_count * 3], may alias; entries of fixed
   vertices are not read, and set to 0 in x. JN_ERR_DIVERGED if A + C is found not to be positive definite. JN_ERR_ORDER
   if no matrix was given, or none since the solver was loaded. */
JnStatus solver_solve(Solver *solver, const double *b, double *x, uint32_t count, JnMessage *message);

/* As above for one right-hand side, from an initial guess of x, [vertex_count * 3] or NULL, which may alias x. If A + C
   is not positive definite, this is no error: *positive_definite is false, x is unchanged, and the next update makes a
   new decision. rough: NULL, or set to whether the solve stopped before SOLVER_TOLERANCE, when the residual was
   SOLVER_ROUGH_PART of that of the guess. */
JnStatus solver_solve_near(Solver *solver, const double *b, const double *guess, double *x, bool *positive_definite,
                           bool *rough, JnMessage *message);
extern const double SOLVER_ROUGH_PART;

/* x = A^-1 b roughly, for `count` right-hand sides at once: by one application of the factor in use, of the system or
   of an earlier one, and no iterations. A positive definite approximation of the inverse, for methods that need no
   more. b, x: as in solver_solve. JN_ERR_ORDER if there is no such factor: the solver does without, or is of another
   kind. */
JnStatus solver_precondition(Solver *solver, const double *b, double *x, uint32_t count, JnMessage *message);
bool solver_has_factor(const Solver *solver);

/* Saves or loads the state that later updates depend on, in addition to the systems given: the matrix and positions
   that the last factor was computed from, and the counts. A solver with the same desc that loads them continues
   bit-exactly; it recomputes the factor when needed, unless it still has it. After loading, a matrix must be given
   before the next solve. false: the archive failed; after a failed load the solver is in its initial state. */
bool solver_archive(Solver *solver, Archive *archive);

void solver_report(const Solver *solver, SolverReport *report);
/* Goes on with the counts of the solver that this one is to replace. */
void solver_count_on(Solver *solver, const Solver *replaced);
uint32_t solver_unknown_count(const Solver *solver);
void solver_destroy(Solver *solver); /* may be NULL */

#endif
