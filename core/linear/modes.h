/* The lowest modes of K u = lambda M u: the free vibrations of a body, lowest frequency first. lambda is the angular
   frequency squared.

     modes.c          one connected part after the other, then the lowest of all
     modes_part.c     one part: searches until none is missed, orthogonalizes, sorts
     modes_pencil.c   K, M and the shifted solve in the free unknowns
     modes_rigid.c    rigid motions in closed form: lambda = 0 for an unconstrained part
     modes_near.c     those of a body that pins hold, by a factor that is there already
     modes_search.c   the next lowest pairs in addition to those known, by ARPACK or, in small parts, by LAPACK

   A single Lanczos run may miss copies of a repeated eigenvalue without notice. So the search is repeated in the
   complement of all modes found until it finds none below the last mode kept. Identical parts, such as the fibres of a
   brush, would repeat every eigenvalue as often as there are parts; solving each part separately avoids this. */
#ifndef JN_LINEAR_MODES_H
#define JN_LINEAR_MODES_H

#include "linear/block_matrix.h"
#include "linear/solver.h"

#include <stdbool.h>

typedef struct ModesProblem {     /* borrowed */
    const BlockMatrix *stiffness; /* K, 1/s2 kg; may be semidefinite or slightly indefinite */
    const double *masses; /* [vertex_count] kg, above 0: the lumped mass, or each row's sum of the consistent one */
    const double *mass_blocks; /* [block_count] kg as in System; NULL: lumped */
    const uint8_t *fixed;      /* [vertex_count] 1: left out; NULL: none */
    const double *positions;   /* [vertex_count * 3] m: where the vertices are, for the rigid motions */
    bool exactly_count; /* `count` elastic modes and no others: neither rigid ones nor the rest of the last cluster */
    double precision;   /* of the eigenvalues, relative to their distance from the shift; 0: rounding */
} ModesProblem;

typedef struct Modes {    /* owns its arrays */
    uint32_t count;       /* rigid ones first, then the elastic ones by ascending eigenvalue */
    uint32_t rigid_count; /* motions without a restoring force, up to six per body */
    double *eigenvalues;  /* [count] 1/s2; exactly 0 where the computed value is within rounding of 0 */
    double *shapes;       /* [count][vertex_count * 3]: u'Mu = 1, orthogonal to each other; 0 at fixed vertices */
    double *residuals;    /* [count] 1/s2, the norm of Ku - lambda Mu with each entry divided by the root of its lumped
                             mass: a bound on the distance to the nearest exact eigenvalue (2.3 times this for a
                             consistent mass) */
    uint64_t solve_count; /* number of solves with the shifted matrix of one part; small parts need none */
} Modes;

/* The `count` lowest elastic modes, and all rigid ones in addition. More if the last eigenvalue is repeated (to within
   a thousandth), because only the whole eigenspace is meaningful. Fewer if there are fewer unknowns; none if everything
   is pinned. Deterministic; the largest entries of a shape are positive. On failure *modes is all zero: JN_ERR_DIVERGED
   if K is too indefinite or nothing converges. */
JnStatus modes_solve(const ModesProblem *problem, uint32_t count, Modes *modes, JnMessage *message);
/* The same, roughly, by the solver of a matrix near a M + b K, such as a time step's, which must have a factor: none is
   made. It is applied to what is left of all modes at once (Knyazev 2001), until the eigenvalues are too high by no
   more than `precision` of them, by estimate. Each round of it costs as many solves as modes, side by side, and rounds
   are few where the step is not much shorter than the slowest period. *done: false if the body can move rigidly, if
   `most_rounds` of them are not enough, or if K is not positive definite: *modes is then all zero. */
typedef struct NearSolver {
    Solver *solver;
    double mass, stiffness; /* a, b; above 0 */
    uint32_t most_rounds;
    uint32_t guards; /* the last so many of the modes asked for, fewer than all, need not be precise */
} NearSolver;
JnStatus modes_solve_near(const ModesProblem *problem, const NearSolver *near, uint32_t count, Modes *modes, bool *done,
                          JnMessage *message);
void modes_free(Modes *modes); /* leaves it all zero */

#endif
