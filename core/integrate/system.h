/* The system M q'' = f(q, v, t) as an integrator sees it: masses, pins, the sum of all force terms, and one matrix. */
#ifndef JN_INTEGRATE_SYSTEM_H
#define JN_INTEGRATE_SYSTEM_H

#include "elastic/force_term.h"
#include "linear/solver.h"

enum { SYSTEM_TERM_CAPACITY = 16 };

typedef struct SystemTimes { /* seconds spent so far */
    double assembly, contact, factor, solve;
} SystemTimes;

/* A sum of the mass, damping and stiffness matrices, and how its terms are evaluated. */
typedef struct MatrixScales {
    double mass, damping, stiffness;
    bool hold_contacts; /* as in Evaluation: for methods that take one Newton step */
} MatrixScales;

typedef struct System {
    uint32_t vertex_count;
    Pool *pool;          /* borrowed; NULL: one thread */
    double *masses;      /* [vertex_count] kg, each vertex's whole share: what gravity acts on, and the lumped mass */
    double *mass_blocks; /* [matrix.block_count] kg: consistent mass, each block this times the identity, every row of
                            which sums to `masses`; NULL: lumped */
    uint8_t *fixed;      /* [vertex_count] 1: pinned */
    ForceTerm terms[SYSTEM_TERM_CAPACITY];
    uint32_t term_count;
    uint32_t contact_term;    /* which of the terms is contact; term_count or more: none */
    StiffnessKind first_kind; /* that system_factor tries; a solver that checks its steps may set it for a while */
    BlockMatrix matrix;
    Solver *solver;
    SystemTimes times;
    bool raw; /* all stiffness as it is, for comparison with textbooks; an indefinite matrix is solved as such */
    uint32_t projected_count; /* matrices that were not positive definite at first */
    struct {                  /* the matrix in use, as it was asked for */
        const double *q, *v;
        MatrixScales scales;
        StiffnessKind kind;
        bool factored;   /* with a factor of its own, not an earlier one */
        bool indefinite; /* and in indefinite_solver */
    } current;
    Solver *indefinite_solver; /* of raw matrices; made with the first that needs it */
    double *coupling;          /* [vertex_count * 3], of system_solve_near; made with the first matrix */

    /* Brings inputs and colliders to `time` (s); a step from `time_before` leads there. Called at every stage. */
    void (*set_time)(void *owner, double time_before, double time);
    void *owner;
    /* Whether to give up soon, for methods that take very many small steps; NULL: never. */
    bool (*should_stop)(void *owner);
    const double *pin_targets;    /* [vertex_count * 3] m, at the time last set; read where fixed */
    const double *pin_velocities; /* [vertex_count * 3] m/s, of the targets on the way to that time; read where fixed */
} System;

/* Frees what the system owns: masses, fixed, terms, matrix, solver. */
void system_free(System *system);

/* Tells every term where a step starts. */
JnStatus system_begin_step(System *system, const StepStart *start, JnMessage *message);

/* force = the sum of all terms at q, v (v NULL: at rest), [vertex_count * 3]. */
void system_force(System *system, const double *q, const double *v, double *force);

/* The potential energy of all terms, J. */
double system_energy(System *system, const double *q);

/* The sum of all terms at one place, and what it is to be judged by. */
typedef struct SystemBalance {
    double energy;    /* J, as system_energy */
    double magnitude; /* N: the sum over the terms of the length of each one's force. Forces that balance cancel in the
                         sum, not here */
} SystemBalance;

/* As system_force, with its balance. scratch: [vertex_count * 3]. */
SystemBalance system_force_balance(System *system, const double *q, const double *v, double *force, double *scratch);

/* The potential energy of the term at `index` alone, J; without the work of wind and of what slides past. */
double system_term_energy(System *system, uint32_t index, const double *q);

double system_kinetic_energy(const System *system, const double *v);

/* y = M x, [vertex_count * 3], not the same array. */
void system_multiply_mass(const System *system, const double *x, double *y);

/* Whether every term has a potential while it is at rest, so that a line search may trust the energy. */
bool system_has_potential(const System *system);

/* A number that changes with what is in contact since the step's start, 0 if nothing is. */
uint64_t system_touching(const System *system);

/* matrix = the sum at q, and with it, in the same pass, force as above at q, v (force NULL: not wanted). */
void system_assemble(System *system, const double *q, const double *v, const MatrixScales *scales, StiffnessKind kind,
                     double *force);

/* Assembles as above and factors: the safe matrix (or what first_kind says), or, where that is not positive definite,
   the projected one; only the raw one if the system is. With mass, and not raw, the factor may be in single precision
   and solves iterate. That the matrix is not positive definite may then show only at a solve, which turns to the
   projected one; so q, v and what terms lag must stay as they are until the last solve with this matrix, unless
   system_keep says where it goes on. */
JnStatus system_factor(System *system, const double *q, const double *v, const MatrixScales *scales, double *force,
                       JnMessage *message);

/* Makes the mass matrix alone the one that is solved with. */
JnStatus system_factor_mass(System *system, JnMessage *message);

/* As system_factor, for methods that solve with a matrix once or twice: where it is cheaper the solver keeps its last
   factor. */
JnStatus system_update(System *system, const double *q, const double *v, const MatrixScales *scales, double *force,
                       JnMessage *message);

/* Keeps the matrix for solves at a place near that of system_update, after time and what terms lag have moved on. A
   solve that finds it not positive definite turns to the projected one of this place. */
void system_keep(System *system, const double *q, const double *v);

/* x = matrix^-1 b in the free unknowns, 0 in the pinned ones; the same array is allowed. */
JnStatus system_solve(System *system, const double *b, double *x, JnMessage *message);

/* As above, with the pinned unknowns known and a guess at the others: x = matrix^-1 (b - matrix pinned). pinned: 0 in
   the free unknowns; NULL: all zero. guess: NULL for none. All [vertex_count * 3]; x may be guess or b. */
JnStatus system_solve_near(System *system, const double *b, const double *pinned, const double *guess, double *x,
                           JnMessage *message);

#endif
