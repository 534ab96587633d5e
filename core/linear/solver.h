/* The solver contract: analyse a pattern once, take its values many times, solve blocks of right-hand sides.

   The systems are (A + C) x = b in the unknowns of the vertices that are not fixed. A has the pattern that was
   analysed. C is made of blocks between pairs of vertices, such as contact and friction, which change from system to
   system and need not be in the pattern. The vertices that pairs may couple are named beforehand and eliminated last,
   so that a change of C costs no more than a dense factorization of their unknowns (schur_block.h). */
#ifndef JN_LINEAR_SOLVER_H
#define JN_LINEAR_SOLVER_H

#include "base/archive.h"
#include "linear/pair_blocks.h"

typedef struct Solver Solver;

/* What is known of the matrices to come. The looser kinds cost several times as much, reuse no factor and take no
   pairs. */
typedef enum SolverKind {
    SOLVER_POSITIVE_DEFINITE, /* symmetric; others are detected and refused */
    SOLVER_SYMMETRIC_INDEFINITE,
    SOLVER_UNSYMMETRIC /* with an upper triangle of their own */
} SolverKind;

typedef struct SolverDesc {
    const BlockMatrix *pattern; /* of A; its values are not read */
    const uint8_t *fixed;       /* [vertex_count], nonzero for vertices whose unknowns are left out; or NULL: none */
    SolverKind kind;      /* 0: positive definite. Where it says positive definite below, other kinds mean regular */
    const uint32_t *last; /* [last_count] vertices that pairs may couple, in any order, fixed ones too; may be NULL
                             if there are none. Memory grows with the square of their number, time with the cube */
    uint32_t last_count;
} SolverDesc;

typedef struct SolverReport {
    double factor_flops;      /* of one numeric factorization */
    double factor_bytes;      /* of the factor's values and indices */
    double bytes;             /* of all that the solver keeps, the factor included */
    uint64_t factor_count;    /* factorizations so far */
    uint64_t iteration_count; /* of conjugate gradients so far */
    uint64_t reused_count;    /* systems so far that were solved with an older one's factor */
    uint64_t pairs_count;     /* of those, the ones that put pairs into it, by a dense factorization */
    const char *ordering;     /* the fill-reducing ordering that won: "amd", "metis" or "dissection" */
} SolverReport;

/* Analyses the pattern; nothing of the desc is needed afterwards. JN_ERR_ARGUMENT: a vertex in `last` that does not
   exist, or `last` for a kind that takes no pairs. On failure *solver is NULL. */
JnStatus solver_create(const SolverDesc *desc, Solver **solver, JnMessage *message);

/* In the next three, `matrix` is A and must have the pattern of the desc; `pairs` is C, or NULL: 0. Blocks of fixed
   vertices are left out. JN_ERR_ARGUMENT with a sentence: a pair has a vertex that is neither in `last` nor fixed, so a
   solver with that vertex in `last` is needed; the solver stays as it was.

   Factors A + C. A matrix that is not positive definite is no error: *positive_definite says so, and the solver holds
   no factor then. */
JnStatus solver_factor(Solver *solver, const BlockMatrix *matrix, const PairBlocks *pairs, bool *positive_definite,
                       JnMessage *message);

/* As solver_factor, in single precision where that is cheaper: solves then run conjugate gradients, with that factor as
   preconditioner, until the residual is SOLVER_TOLERANCE of the right-hand side. Where that takes too long they factor
   in double precision after all. Whether A + C is positive definite may show at the solve only. `matrix` and `pairs`
   must stay unchanged until the last solve with them. positions: [vertex_count * 3], where the vertices are, so that
   the factor can be turned with them when it is old; or NULL. */
JnStatus solver_factor_mixed(Solver *solver, const BlockMatrix *matrix, const PairBlocks *pairs,
                             const double *positions, bool *positive_definite, JnMessage *message);
extern const double SOLVER_TOLERANCE;

/* As solver_factor_mixed, or keeps the last factor of A where that is cheaper, with the new C in it: solves then
   iterate with it. The choice is made by counts of arithmetic, so it is the same on every machine. */
JnStatus solver_update(Solver *solver, const BlockMatrix *matrix, const PairBlocks *pairs, const double *positions,
                       bool *positive_definite, JnMessage *message);

/* false: solver_update always makes a new factor. True at first. */
void solver_allow_reuse(Solver *solver, bool allowed);

/* Solves (A + C) x = b for `count` right-hand sides. b, x: [count][vertex_count * 3], may be the same array; entries of
   fixed vertices are not read, and set to 0 in x. JN_ERR_DIVERGED if it shows that A + C is not positive definite.
   JN_ERR_ORDER if no matrix was given, or none since the solver was loaded. */
JnStatus solver_solve(Solver *solver, const double *b, double *x, uint32_t count, JnMessage *message);

/* As above for one right-hand side, from a guess at x, [vertex_count * 3] or NULL, which may be x itself. That A + C is
   not positive definite is no error: *positive_definite says so, x is not touched, and the next update decides anew. */
JnStatus solver_solve_near(Solver *solver, const double *b, const double *guess, double *x, bool *positive_definite,
                           JnMessage *message);

/* Saves or loads what the next updates depend on beside the systems given: the matrix and positions that the last
   factor was made of, and the counts. A solver with the same desc that loads them goes on to the bit; it makes the
   factor again when that is needed, unless it still has it. After loading, a matrix must be given before the next
   solve. false: the archive failed; after a load that failed the solver begins anew. */
bool solver_archive(Solver *solver, Archive *archive);

void solver_report(const Solver *solver, SolverReport *report);
uint32_t solver_unknown_count(const Solver *solver);
void solver_destroy(Solver *solver); /* may be NULL */

#endif
