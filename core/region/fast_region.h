/* The small steps of a fast region S within one large step, with its forces linear in between: m steps of backward
   Euler against a border that moves with one velocity z through all of them,

       (M + h D + h^2 K)_SS v_r = M v_(r-1) + h f_r - h K u_(r-1) - (h D + h^2 K) (border, held),   u_r = u_(r-1) + h
   v_r,

   h the small step, f_r the forces at the start of the large step with all inputs at time r, u what has moved since.
   All elements with a vertex inside take part; those that reach the border give it the impulse

       J(z) = sum over r of [h f_r - h K u_(r-1) - (h D + h^2 K) v_r] on the border,

   the sum of the very forces that the small steps have solved for, so momentum is exact. The sum needs only the sums of
   all u and v; and inside, K u_r follows from what the last step has solved, so that a small step costs one solve, and
   a product with D if there is damping. J is affine in z: its slope -W is found by running all unit velocities of the
   border together as one block (fast_answer.c). */
#ifndef JN_REGION_FAST_REGION_H
#define JN_REGION_FAST_REGION_H

#include "linear/solver.h"
#include "region/fast_sets.h"

typedef struct FastBorders FastBorders;               /* fast_answer.c: what W is found with */
FastBorders *fast_borders_create(const FastSet *set); /* NULL: out of memory */
void fast_borders_destroy(FastBorders *borders);      /* may be NULL */

/* Vectors of a region have three numbers for every vertex of the set, in its order. */
typedef struct FastRegion {
    const FastSet *set;    /* borrowed */
    BlockMatrix stiffness; /* K of the elements with a vertex inside */
    BlockMatrix damping;   /* D of them */
    bool damped;           /* D is not 0 */
    BlockMatrix change;    /* h D + h^2 K */
    BlockMatrix matrix;    /* M + h D + h^2 K, which the solver has, if `solvable` */
    uint32_t *sources;     /* [block_count] each block's number in the system's pattern */
    double *masses;        /* [set->vertex_count] kg */
    Solver *solver;        /* for what is inside */
    double h;              /* s, the small step of the matrices; 0: there are none yet */
    bool solvable;         /* the matrix is positive definite */
    FastBorders *borders;
    PairBlocks answer;                               /* W, between vertices of the system, kg */
    double *right, *solved, *pulled, *pushed, *sums; /* scratch [FAST_BATCH][vector] */
    double *product;                                 /* scratch [vector] */
} FastRegion;

/* How many right-hand sides are run at once at most. */
enum { FAST_BATCH = 24 };

/* pattern, masses: of the system. On failure *region is NULL. */
JnStatus fast_region_create(const FastSet *set, const BlockMatrix *pattern, const double *masses, FastRegion **region,
                            JnMessage *message);
void fast_region_destroy(FastRegion *region); /* may be NULL */

/* Takes K and D from matrices of the system, and factors them if they differ from the ones before. */
JnStatus fast_region_take(FastRegion *region, const BlockMatrix *stiffness, const BlockMatrix *damping, double h,
                          JnMessage *message);

/* Finds W, with the matrices taken last. */
JnStatus fast_region_find_answer(FastRegion *region, JnMessage *message);
/* Operations of that, and of one run. */
double fast_region_answer_flops(const FastRegion *region);
double fast_region_run_flops(const FastRegion *region);
/* W, which may be older than the matrices. */
bool fast_region_archive(FastRegion *region, Archive *archive);

typedef struct FastRun {
    uint32_t columns;     /* runs at once, at most FAST_BATCH; vectors of the results are [columns][vector] */
    const double *forces; /* [ratio][vector] N, f_r; NULL: none act */
    const double *held;   /* [ratio][vector] m/s of what is held in every small step; NULL: none moves */
    double *velocities;   /* m/s; on entry those inside at the start, and those of the border; then at the end */
    double *moved;        /* m, from 0 on entry */
    double *impulse;      /* kg m/s on the border, 0 elsewhere */
    double *squares;      /* += kg2 m2/s2: of the impulses whose differences those are; NULL: not wanted */
} FastRun;

JnStatus fast_region_run(FastRegion *region, const FastRun *run, JnMessage *message);

#endif
