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
   border together as one block (fast_answer.c). Elements rotate far more than they stretch, so a W of earlier matrices,
   rotated vertex by vertex as the border has turned since, is near that of the matrices of now. */
#ifndef JN_REGION_FAST_REGION_H
#define JN_REGION_FAST_REGION_H

#include "linear/solver.h"
#include "region/fast_sets.h"

typedef struct FastBorders FastBorders; /* fast_answer.c: what W is found with */
/* pattern: of the set's vertices; NULL: out of memory. */
FastBorders *fast_borders_create(const FastSet *set, const BlockMatrix *pattern);
void fast_borders_destroy(FastBorders *borders); /* may be NULL */

typedef struct FastBlock {
    uint32_t row, column, block; /* vertices of the set, and its number in the matrices */
} FastBlock;

/* Vectors of a region have three numbers for every vertex of the set, in its order. */
typedef struct FastRegion {
    const FastSet *set;    /* borrowed */
    BlockMatrix stiffness; /* K of the elements with a vertex inside */
    BlockMatrix damping;   /* D of them */
    bool damped;           /* D is not 0 */
    BlockMatrix change;    /* h D + h^2 K */
    BlockMatrix matrix;    /* M + h D + h^2 K, which the solver has, if `solvable` */
    uint32_t *sources;     /* [block_count] each block's number in the system's pattern */
    FastBlock *outer;      /* [outer_count] the blocks with a vertex that is not inside */
    uint32_t outer_count;
    double *masses;    /* [set->vertex_count] kg */
    Solver *solver;    /* for what is inside */
    double h;          /* s, the small step of the matrices; 0: there are none yet */
    bool solvable;     /* the matrix is positive definite */
    uint64_t matrices; /* hash of K, D and h */
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

/* Sets the blocks to 0 that elements with a vertex inside add to; matrix: of the system. */
void fast_region_clear_blocks(const FastRegion *region, BlockMatrix *matrix);
/* Whether any of them is not 0. */
bool fast_region_has_blocks(const FastRegion *region, const BlockMatrix *matrix);
/* Takes K and D from matrices of the system, and factors them if they differ from the ones before. */
JnStatus fast_region_take(FastRegion *region, const BlockMatrix *stiffness, const BlockMatrix *damping, double h,
                          JnMessage *message);

/* Finds W, with the matrices taken last. positions: of the system, where those are from. */
JnStatus fast_region_find_answer(FastRegion *region, const double *positions, JnMessage *message);
/* The W found last, turned to these positions if the matrices have changed since. */
void fast_region_turn_answer(FastRegion *region, const double *positions);
/* Whether it was found with the matrices of now. */
bool fast_region_answer_is_exact(const FastRegion *region);
/* Where matrices stay, the ends of the runs that W was found with are kept, if using them costs less than a run: all
   ends are affine in z too. To be called before W is found; `stay`: matrices are expected to. */
void fast_region_keep_ends(FastRegion *region, bool stay);
/* Whether they are wanted, and not there. */
bool fast_region_lacks_ends(const FastRegion *region);
/* Whether they are there for the matrices of now; then the next one may be called. */
bool fast_region_keeps_ends(const FastRegion *region);
/* Adds to the velocities and displacements at the end of a run what changes with the border's velocities; change: of
   these, [3 for each vertex of the system]. */
void fast_region_move_end(const FastRegion *region, const double *change, double *velocities, double *moved);
/* Operations of that, and of one run. */
double fast_region_answer_flops(const FastRegion *region);
double fast_region_run_flops(const FastRegion *region);
/* W as it was found, which may be older than the matrices. */
bool fast_region_archive(FastRegion *region, Archive *archive);

/* What pushes in the small steps beside the forces of the matrices. */
typedef struct FastPush {
    /* Small step r, from 0. before, moved: the velocities at its start (outside, those through it), and what has moved
       until then. velocities: inside, on entry those that solve it without the push, on return with it. impulse: the
       push, kg m/s, inside and on the border. All [vector]. */
    JnStatus (*push)(void *owner, uint32_t r, const double *before, const double *moved, double *velocities,
                     double *impulse, JnMessage *message);
    void *owner;
    double *impulse; /* [vector] scratch */
} FastPush;

typedef struct FastRun {
    uint32_t columns;     /* runs at once, at most FAST_BATCH; vectors of the results are [columns][vector] */
    const double *forces; /* [ratio][vector] N, f_r; NULL: none act */
    const double *held;   /* [ratio][vector] m/s of what is held in every small step; NULL: none moves */
    double *velocities;   /* m/s; on entry those inside at the start, and those of the border; then at the end */
    double *moved;        /* m, from 0 on entry */
    double *impulse;      /* kg m/s on the border, 0 elsewhere */
    double *way;          /* [ratio][vector] m/s, the velocities after each small step; NULL: not wanted; columns 1 */
    const FastPush *push; /* NULL: nothing else pushes; else there is one column */
    double *squares;      /* += kg2 m2/s2: of the impulses whose differences those are; NULL: not wanted */
} FastRun;

JnStatus fast_region_run(FastRegion *region, const FastRun *run, JnMessage *message);
/* The end of a run: subtracts from the impulse of all f_r what K, D and the displacements take of it. sums: of the
   displacements at the start of every small step; moved: at the end. squares: as in FastRun, not NULL. */
void fast_region_find_impulse(const FastRegion *region, const double *sums, const double *moved, double *impulse,
                              double *squares);

#endif
