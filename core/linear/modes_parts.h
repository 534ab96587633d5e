/* Shared by the files of modes.h: all of them except modes.c work on one connected part. Vectors are [vertex_count * 3]
   with 0 at fixed vertices. */
#ifndef JN_LINEAR_MODES_PARTS_H
#define JN_LINEAR_MODES_PARTS_H

#include "linear/modes.h"
#include "linear/solver.h"

/* ------------------------------------------------------------------------------------------------ pencil */

typedef struct Pencil {
    const ModesProblem *problem;
    size_t size;         /* of a vector: vertex_count * 3 */
    uint32_t unknowns;   /* of free vertices */
    double largest;      /* 1/s2: approximately the largest eigenvalue */
    BlockMatrix shifted; /* K - shift M; borrows the pattern, owns its values */
    Solver *solver;      /* made when first needed */
    double shift;        /* below 0 */
    double lowest;       /* 1/s2: roughly the lowest eigenvalue when the shift was chosen, but those known then */
    double *scratch;     /* [size] */
    uint64_t solve_count;
} Pencil;

JnStatus pencil_open(const ModesProblem *problem, Pencil *pencil, JnMessage *message);
void pencil_close(Pencil *pencil);

bool pencil_is_fixed(const Pencil *pencil, size_t vertex);
void pencil_multiply_stiffness(const Pencil *pencil, const double *x, double *y);
void pencil_multiply_mass(const Pencil *pencil, const double *x, double *y);

/* y = (K - shift M)^-1 x by the factor; x may alias y. */
JnStatus pencil_solve(Pencil *pencil, const double *x, double *y, JnMessage *message);

/* ------------------------------------------------------------------------------------------------ basis */

/* Vectors that are orthonormal in M, and M times each. */
typedef struct Basis {
    size_t size; /* of a vector */
    uint32_t count, capacity;
    double *vectors, *mass_vectors; /* [count][size] */
    double *values;                 /* [count] eigenvalues */
} Basis;

void basis_free(Basis *basis);

/* M-orthogonalizes x against the basis, twice, because of rounding. */
void basis_project_out(const Basis *basis, double *x);

/* Adds x after M-orthonormalization. *added is false if nothing of it remains. */
JnStatus basis_add(Basis *basis, const Pencil *pencil, const double *x, double value, bool *added, JnMessage *message);

/* ------------------------------------------------------------------------------------------------ the parts */

/* modes_solve for one connected part. *next is the eigenvalue after the last one given, INFINITY if there is none. */
JnStatus modes_solve_part(const ModesProblem *problem, uint32_t count, Modes *modes, double *next, JnMessage *message);

/* All rigid motions that the fixed vertices allow: those in the null space of K go to free_motions with the eigenvalue
   0. An unpinned body under stress resists rotation: its rotations go to `stressed`. Both start empty. */
JnStatus modes_rigid(const Pencil *pencil, Basis *free_motions, Basis *stressed, JnMessage *message);

/* Chooses a shift for the modes that the basis does not have, and factors. */
JnStatus modes_shift(Pencil *pencil, const Basis *basis, JnMessage *message);

/* Finds approximately `count` of the lowest pairs in the complement of the basis, at least one, and adds them to it. */
JnStatus modes_search(Pencil *pencil, uint32_t count, Basis *basis, JnMessage *message);

/* The same by a dense solve: exactly the lowest pairs, complete clusters if wanted, and one more; all pairs if there
   are fewer. count: above 0. */
JnStatus modes_search_dense(const Pencil *pencil, uint32_t count, Basis *basis, JnMessage *message);

/* Whether eigenvalue b, next after a, counts as a repeated one, if the largest is approximately `largest`. Zero
   eigenvalues do not: a slack cloth has as many as vertices. */
bool modes_same(double largest, double a, double b);

/* A pseudo-random number between -1 and 1, a function of the index. */
double modes_noise(uint64_t index);

#endif
