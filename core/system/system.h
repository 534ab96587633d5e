/* The system M q'' = f(q, v, t): masses, force terms, and the owner of time. What a caller selects (unknowns, terms,
   time, matrix, solver) is a View; several may exist at once. */
#ifndef JN_SYSTEM_SYSTEM_H
#define JN_SYSTEM_SYSTEM_H

#include "elastic/force_term.h"

enum { SYSTEM_TERM_CAPACITY = 16 };

typedef struct SystemTimes { /* seconds spent so far */
    double assembly, contact, factor, solve;
} SystemTimes;

/* The owner of time: fills in moments. */
typedef struct World {
    /* Allocates a moment for all that `fill` writes. On failure it is all zero. */
    JnStatus (*create_moment)(void *owner, Moment *moment, JnMessage *message);
    /* Fills in all inputs at `time` (s), the end of a step from `time_before`. */
    void (*fill)(void *owner, double time_before, double time, Moment *moment);
    /* Places the colliders alone, at another time than the rest; NULL: there are none. */
    void (*place_colliders)(void *owner, double time_before, double time, Moment *moment);
    void (*free_moment)(void *owner, Moment *moment); /* may be all zero */
    /* Whether the bake is cancelled, for what takes long within a step; NULL: never. */
    bool (*should_stop)(void *owner);
    void *owner;
} World;

typedef struct System {
    uint32_t vertex_count;
    double *masses;      /* [vertex_count] kg, the total share of each vertex: for gravity, and the lumped mass */
    double *mass_blocks; /* [pattern.block_count] kg: consistent mass, each block this times the identity, every row of
                            which sums to `masses`; NULL: lumped */
    BlockMatrix pattern; /* in which every element of every term is coupled; without values */
    ForceTerm terms[SYSTEM_TERM_CAPACITY + 1]; /* [term_count], and room for one that is being made */
    uint32_t term_count;
    uint32_t view_count;
    World world;
    Pool *pool;            /* borrowed; NULL: one thread */
    uint64_t moment_count; /* moments filled so far: the next one's number */
    uint64_t moment;       /* the number of the one that the terms are set to; 0: none */
    SystemTimes times;
    uint32_t projected_count;    /* matrices of all views that were not positive definite at first; and those of one
                                    Newton step, in which elements were projected */
    uint64_t projected_elements; /* the elements that were projected in matrices of one Newton step */
    uint64_t contact_rounds;     /* linear solves of steps in which something may touch */
    uint32_t fast_touch_steps;   /* as in JnStatistics, */
    uint32_t hastened_steps;     /* of methods with fast regions */
    uint64_t mode_searches;      /* for modes to be kept, from nothing; */
    uint64_t mode_improvements;  /* solves that improved one of them */
    uint64_t mode_corrections; /* iterations in which the rest was solved for apart from modes that were not precise */
} System;

/* Frees what the system owns: masses, pattern, terms. */
void system_free(System *system);

/* The place for another term, which system_keep_term counts once it has been made. All terms come before the first
   view. */
ForceTerm *system_next_term(System *system);
/* Keeps the term in that place if `status` is JN_OK, and returns `status`. JN_ERR_ORDER: there is a view already. */
JnStatus system_keep_term(System *system, JnStatus status, JnMessage *message);

/* Sets every term to the moment, unless they are at it already. */
void system_set_moment(System *system, const Moment *moment);

/* Gives the moment a new unique number: its content has changed. */
void system_number_moment(System *system, Moment *moment);

/* The modelled rest shape of all terms becomes rest_positions, [vertex_count * 3] m. false: an element would be
   inverted, and nothing has changed. */
bool system_set_rest(System *system, const double *rest_positions);

/* Multiplies the stiffness damping of a group of elements. */
void system_scale_damping(System *system, uint32_t group, double factor);

/* The number of rest shapes that were limited because the animated pose would have crushed them: the largest at one
   time so far. */
uint32_t system_limited_rest_count(const System *system);
/* Whether the stiffness of any term turns with the vertices. */
bool system_stiffness_turns(const System *system);
/* Where stiffness does not turn with the vertices: their positions at rest; others are left. [vertex_count * 3] m. */
void system_write_unturned(const System *system, double *positions);

double system_kinetic_energy(const System *system, const double *v);

/* y = M x, [vertex_count * 3]; must not alias. */
void system_multiply_mass(const System *system, const double *x, double *y);

/* matrix = scale M; the matrix shares the system's pattern. */
void system_write_mass(const System *system, double scale, BlockMatrix *matrix);

/* JN_ERR_CANCELLED if the owner of time says so: to be asked where a step may take long. */
JnStatus system_check_cancelled(const System *system, JnMessage *message);

#endif
