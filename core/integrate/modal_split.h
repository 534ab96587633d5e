/* A step in two parts: on the kept modes (kept_modes.h) the motion in closed form, on their complement the implicit
   rule of a method (SIERE: Chen, Sheen, Ascher, Pai 2020; the other hybrids: Ascher, Larionov, Sheen, Pai 2021,
   section 3.5).

   The modes advance by the oscillator's closed form under the forces of the step's start, with eigenvalues taken in the
   step's own stiffness. Then, with z what the method solves for, m = U'M z,

       A z = b + c(z)   where U'M z = target + (the answer of the modes to contact, a constant force over the step).

   The answer is c's part U'c / stiffness. An exact motion is followed by the implicit rule in the complement, so energy
   cannot grow whatever U is, if A comes from a convex energy: the exact motion keeps it, but for the work of contact,
   the implicit rule cannot raise it, and contact at the step's end cannot return more than it took (force_term.h).

   The complement takes one solve with A, which is exact where U are eigenvectors. Elsewhere its error is of second
   order in what is left of K U - M U L, and is corrected by iterations where that is not small. */
#ifndef JN_INTEGRATE_MODAL_SPLIT_H
#define JN_INTEGRATE_MODAL_SPLIT_H

#include "integrate/kept_modes.h"
#include "integrate/oscillator.h"

typedef struct ModalSplit {
    KeptModes *modes;
    JacobianScales scales;  /* of the matrix in use */
    bool roughly;           /* solves need not be precise to rounding */
    uint32_t capacity;      /* modes that the arrays have room for */
    double *start_velocity; /* [count] m/s kg^1/2: U'M v at the start, */
    double *start_force;    /* and U'f, without the modes' own damping, */
    double *force_rate;     /* and its change in a second */
    Oscillation *motion;    /* over the time to the stage */
    double *moved;          /* by the stage, m kg^1/2, */
    double *velocity;       /* and how fast then */
    double *target;         /* of m, in the units of z */
    double *stiffness;      /* of m against contact, in the units of A */
    double *m, *place;      /* scratch; `m` is that of the functions below too */
    double *work[6];        /* [n] scratch */
    double *memory;         /* of all these */
} ModalSplit;

/* *split is NULL if the options ask for no modes. */
JnStatus modal_split_create(View *view, const MethodOptions *options, ModalSplit **split, JnMessage *message);
void modal_split_destroy(ModalSplit *split); /* may be NULL */

/* Updates the modes. matrix: the scales that view->jacobian has, or will have in the solves. */
JnStatus modal_split_update(ModalSplit *split, View *view, const KeptUpdate *update, JnMessage *message);

/* The scales of the matrix that the next solves are with. */
void modal_split_use(ModalSplit *split, const JacobianScales *scales);

/* The force of all but contact, [n], as it is with these velocities; NULL: at rest. */
typedef struct ModalForce {
    const double *force, *velocity;
} ModalForce;

/* The start of the modes, with velocities v: the force then, which may be NULL, and `time` later for unchanged
   positions. It changes where pins and keys do. */
void modal_split_start(ModalSplit *split, const double *v, const ModalForce *start, const ModalForce *later,
                       double time);

/* Where the modes are after a time, s: `moved`, `velocity`, and `motion`. */
void modal_split_advance(ModalSplit *split, double time);

/* b += D U m, [n]. */
void modal_split_add_damping(const ModalSplit *split, const double *m, double *b);

/* z += U (value - U'M z), so that its modes are `value`. */
void modal_split_place(ModalSplit *split, const double *value, double *z);

/* held = what takes the part of `force`, [n], on the modes out of it, and pulls them to their targets at z. */
void modal_split_hold(ModalSplit *split, const double *z, const double *force, double *held);

/* What is left of the equations at z, [n], but contact: of A (z - origin) = b in the complement, and stiffness (target
   - m) on the modes; origin NULL: 0. Entries that are not free are 0. */
void modal_split_left(ModalSplit *split, const View *view, const double *b, const double *origin, const double *z,
                      double *left);
/* y = the symmetric matrix of both parts times x, without contact: [n]. */
void modal_split_multiply(ModalSplit *split, const View *view, const double *x, double *y);

/* Solves that matrix, with the contacts of view->jacobian, for a right-hand side. guess: NULL: none. */
JnStatus modal_split_solve(ModalSplit *split, View *view, const double *b, const double *guess, double *x,
                           JnMessage *message);

/* Where nothing touches: z, a guess at first if it is a good one, becomes `start`, which meets the targets and `known`,
   the unknowns that are not free, plus the solution of A z = b in the complement. All [n]; known: NULL: 0. The solve is
   as precise as one of A z = b itself, however little of that is left in the complement. */
JnStatus modal_split_solve_from(ModalSplit *split, View *view, const double *b, const double *known,
                                const double *start, bool good_guess, double *z, JnMessage *message);

/* Adds to `velocity` what contact has, for a solution z in which it has moved the modes off their target. strength: of
   contact in the units of z. */
void modal_split_answer(ModalSplit *split, const double *z, double strength);

bool modal_split_archive(ModalSplit *split, Archive *archive); /* split may be NULL */

#endif
