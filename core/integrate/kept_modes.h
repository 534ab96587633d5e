/* The lowest modes of a view's stiffness, K U = M U diag(values), U'MU = 1, carried from step to step.

   They are found by ARPACK when they are first needed (linear/modes.h). From then on each step rotates them with the
   vertices, and takes of what they span the modes of its own K (Rayleigh and Ritz), whose eigenvalues are off by the
   square of what the shapes are off. Some of the next higher modes, the guards, are carried along and not used: what
   mixes most with the modes is found among them, and as stiffness changes the lowest stay the lowest. Where what is
   left, K u - value M u, of modes that move would visibly damp them, the step's factor is applied to what is left of
   these modes, and the span of all is searched for better ones. Where it says that they are lost, they are found anew.
   All this is decided by counts, never by a clock.

   The rigid motions of pieces that nothing holds are counted from pins, goals and fields and kept in closed form,
   whatever the stress makes of their eigenvalues. They come in addition to the modes that were asked for. */
#ifndef JN_INTEGRATE_KEPT_MODES_H
#define JN_INTEGRATE_KEPT_MODES_H

#include "integrate/integrator.h"
#include "linear/free_unknowns.h"

/* What the next step depends on, saved and loaded as plain bytes. */
typedef struct KeptState {
    uint32_t count;   /* of modes */
    uint32_t rigid;   /* the first of them: the rigid motions of pieces that nothing holds */
    uint32_t free;    /* pieces that nothing holds */
    uint32_t waiting; /* updates until they may be searched for again */
    uint32_t waited;  /* how long the last wait was */
    uint32_t guards;  /* vectors behind the modes: the next higher ones, roughly */
    uint8_t damped;   /* some force depends on velocity */
    uint8_t lowest;   /* they are to be the lowest of all, not just of those that are not rigid */
    uint8_t found;    /* they were searched for */
    uint8_t put_off;  /* they were to be improved, and there was no factor to do it with */
} KeptState;

/* Some of the modes, as the owner has them; borrowed arrays. */
typedef struct ModeSet {
    size_t n;
    uint32_t count;
    bool damped, damp_all;
    const double *vectors, *mass_vectors, *stiff_vectors, *damp_vectors; /* [count][n] */
    const double *values, *dampings, *residuals, *damp_residuals;        /* [count] */
} ModeSet;

typedef struct KeptModes {
    size_t n;         /* vertex_count * 3 */
    uint32_t asked;   /* elastic ones; KEPT_AUTOMATIC */
    bool damp_all;    /* damping acts on them too */
    double precision; /* above 0: they are found anew wherever a value may be too high by this part of the largest */
    KeptState state;
    ModeSet used;           /* in this step: all but what buckles faster than the step, or is not known well enough for
                               it; where anything may touch, elastic ones that it resolves, or none */
    uint32_t capacity;      /* vectors that the arrays have room for */
    double *vectors;        /* U, [capacity][n], 0 at vertices that are not free */
    double *mass_vectors;   /* M U, 0 there too */
    double *stiff_vectors;  /* K U, at free vertices */
    double *damp_vectors;   /* D U, likewise; zeros if nothing is damped */
    double *values;         /* [capacity] 1/s2 */
    double *dampings;       /* [capacity] 1/s: u'Du, at least 0 */
    double *residuals;      /* [capacity] 1/s: the norm of K_d^-1/2 (K u - value M u), K_d the diagonal of K; its square
                               is about by how much the value is too high */
    double *damp_residuals; /* [capacity]: likewise of D u - damping M u */
    double *losses;         /* [capacity] scratch */
    double *diagonal;       /* [vertex_count] N/m: K_d */
    double *positions;      /* [n] m: where they were last updated */
    double *reference; /* [n] m: from where rigid motions are none to K: the same, or, where stiffness does not turn,
                          at rest */
    double *scratch;   /* [n] */
    double *products;  /* [2 BLOCK_PRODUCTS][n] scratch */
    FreeUnknowns unknowns;
    double *rotations;        /* [free count * 9], */
    double *rotation_scratch; /* and what finding them takes */
    uint32_t *pieces;         /* [vertex_count] the connected piece of each vertex, */
    uint32_t piece_count;
    uint8_t *pinned;     /* [piece_count] 1: it has a vertex that is not free */
    uint8_t *held;       /* [piece_count] 1: that, or goals or fields hold it in this step */
    double *balance;     /* [piece_count] scratch */
    Jacobian *stiffness; /* K for products, where the step's matrix does not give them */
    Jacobian *damping;   /* D likewise */
} KeptModes;

#define KEPT_AUTOMATIC                                                                                                 \
    UINT32_MAX /* as many as move visibly where the whole body is accelerated, and the step resolves */

/* *modes is NULL if the options ask for none. */
JnStatus kept_modes_create(View *view, const MethodOptions *options, KeptModes **modes, JnMessage *message);
void kept_modes_destroy(KeptModes *modes); /* may be NULL */

/* Updates them to the stiffness at q, [n] m, at the view's moment. matrix: the matrix in use of view->jacobian is at q,
   and has these scales, its stiffness above 0: it serves for products. Else, NULL, the matrices are assembled here, and
   view->jacobian is factored anew with `fallback` scales if a solve is needed. v: [n] m/s, the velocities, which say
   which modes must be precise; NULL: all. h: s, the step's length. There may be no modes afterwards. */
typedef struct KeptUpdate {
    const double *q, *v;
    const JacobianScales *matrix;
    JacobianScales fallback;
    double h;
    bool touching; /* those that the step resolves are used also where anything may touch: in rules of one step and one
                      stage, whose contact acts on both parts alike */
} KeptUpdate;
JnStatus kept_modes_update(KeptModes *modes, View *view, const KeptUpdate *update, JnMessage *message);

/* m = U'M x, x += U m, force -= M U (U'force), x -= U (U'M x). m: [count]; x, force: [n]. */
void mode_set_coordinates(const ModeSet *modes, const double *x, double *m);
void mode_set_add(const ModeSet *modes, const double *m, double *x);
void mode_set_project_force(const ModeSet *modes, double *force);
void mode_set_project_motion(const ModeSet *modes, double *x);
/* m = V'x, x += V m, for vectors V that the modes have, [count][n]. */
void mode_set_multiply(const ModeSet *modes, const double *vectors, const double *x, double *m);
void mode_set_add_products(const ModeSet *modes, const double *vectors, const double *m, double *x);

bool kept_modes_archive(KeptModes *modes, Archive *archive);

/* ------------------------------------------------------------------------------------------------ for its own files */

/* Makes room for `count` vectors, and keeps what is there. */
JnStatus kept_modes_reserve(KeptModes *modes, uint32_t count, JnMessage *message);
/* Writes the rigid motions of the pieces that nothing holds, as they are at q, to the first vectors, M-orthonormal, and
   sets how many they are; none if there are too many such pieces. */
JnStatus kept_modes_write_rigid(KeptModes *modes, const View *view, const double *q, double h, JnMessage *message);
/* M-orthogonalizes vector k to those before it and gives it the length 1. Returns the part of it that was left; where
   that is nearly nothing, it is set to 0. */
double kept_modes_orthonormalize(KeptModes *modes, const View *view, uint32_t k);
/* Finds them anew with K in modes->stiffness. None are found where K is too far from positive definite. */
JnStatus kept_modes_search(KeptModes *modes, View *view, const KeptUpdate *update, JnMessage *message);

#endif
