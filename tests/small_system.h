/* Systems made by hand, for integrators to be tested on without a bake: a soft bar whose pinned end moves smoothly, and
   a mass on a spring. */
#ifndef JN_TESTS_SMALL_SYSTEM_H
#define JN_TESTS_SMALL_SYSTEM_H

#include "elastic/loads.h"
#include "elastic/tet_elements.h"
#include "integrate/integrator.h"
#include "tet_box.h"

#include <math.h>
#include <string.h>

typedef struct SmallSystem {
    System system;
    View *view;
    TetBox box; /* empty: one mass on a spring */
    double *rest;
    uint8_t *roles;
    double goal_stiffness; /* N/m, of vertex 0 */
    double goal_growth;    /* N/m/s: goals of all vertices grow from 0; of systems that have goals */
    double gravity;        /* m/s2, downwards */
    double swing;          /* m: the pinned end moves by swing (1 - cos 3t) upwards */
    double stiffening;     /* 1/s: stiffness grows by this part a second */
    uint32_t mode_count;   /* that hybrid methods keep */
    bool damp_complement;  /* and whether damping acts on the others alone */
    double precision;      /* of these modes; 0: as usual */
} SmallSystem;

static inline JnStatus small_system_create_moment(void *owner, Moment *moment, JnMessage *message) {
    const SmallSystem *small = owner;
    JnStatus status = moment_create(small->system.vertex_count, 1, moment, message);
    if (status == JN_OK) {
        memcpy(moment->targets, small->rest, 3 * (size_t)small->system.vertex_count * sizeof(double));
        moment->goal_stiffness[0] = small->goal_stiffness;
        moment->gravity[1] = -small->gravity;
    }
    return status;
}

static inline void small_system_fill(void *owner, double time_before, double time, Moment *moment) {
    const SmallSystem *small = owner;
    (void)time_before;
    moment->stiffness_factors[0] = 1 + small->stiffening * time;
    for (size_t v = 0; v < small->system.vertex_count; ++v) {
        if (small->goal_growth > 0)
            moment->goal_stiffness[v] = small->goal_growth * time;
        moment->targets[3 * v + 1] = small->rest[3 * v + 1] + small->swing * (1 - cos(3 * time));
        moment->target_velocities[3 * v + 1] = small->swing * 3 * sin(3 * time);
    }
}

static inline void small_system_free_moment(void *owner, Moment *moment) {
    (void)owner;
    moment_free(moment);
}

static inline int small_system_allocate(SmallSystem *small, uint32_t vertex_count) {
    size_t n = vertex_count;
    memset(small, 0, sizeof *small);
    System *system = &small->system;
    system->vertex_count = vertex_count;
    system->masses = calloc(n, sizeof(double));
    system->world = (World){.create_moment = small_system_create_moment,
                            .fill = small_system_fill,
                            .free_moment = small_system_free_moment,
                            .owner = small};
    small->roles = calloc(n, 1);
    small->rest = calloc(3 * n, sizeof(double));
    return system->masses && small->roles && small->rest;
}

/* The view that the steps are taken in. `stiffness`: how it is treated. */
static inline JnStatus small_system_open(SmallSystem *small, StiffnessKind stiffness, JnMessage *message) {
    view_destroy(small->view);
    ViewDesc desc = {.system = &small->system, .roles = small->roles, .stiffness = stiffness};
    JnStatus status = view_create(&desc, &small->view, message);
    return status == JN_OK ? view_make_jacobian(small->view, true, message) : status;
}

/* Adds a term, which it owns from then on, and opens the view anew. Returns 1 if it could be. */
static inline int small_system_add(SmallSystem *small, ForceTerm term) {
    view_destroy(small->view);
    small->view = NULL;
    *system_next_term(&small->system) = term;
    return system_keep_term(&small->system, JN_OK, NULL) == JN_OK &&
           small_system_open(small, STIFFNESS_SAFE, NULL) == JN_OK;
}

/* A mass of 1 kg that a spring of `stiffness` pulls to the origin. Returns 1 if it could be made. */
static inline int small_system_oscillator(SmallSystem *small, double stiffness) {
    JnMessage message;
    if (!small_system_allocate(small, 1))
        return 0;
    System *system = &small->system;
    system->masses[0] = 1;
    small->goal_stiffness = stiffness;
    JnStatus status = block_matrix_build(1, NULL, 0, &system->pattern, &message);
    if (status == JN_OK)
        status = system_keep_term(system, goals_create(1, system_next_term(system), &message), &message);
    return status == JN_OK && small_system_open(small, STIFFNESS_SAFE, &message) == JN_OK;
}

typedef struct SmallBar {
    double swing;
    double stiffness_damping, mass_damping;
    int consistent_mass;
    double stiffening;
    double rest_follows;  /* 0 to 1: how much the rest shape follows the targets */
    const char *law;      /* NULL: stable neo-Hookean */
    double young_modulus; /* Pa; 0: 2e4 */
} SmallBar;

/* A soft bar of 4 x 1 x 1 cells of 10 cm, pinned at x = 0, under gravity. Returns 1 if made. */
static inline int small_system_bar(SmallSystem *small, const SmallBar *bar) {
    TetBox box = tet_box_make(4, 1, 1, 0.1);
    JnMessage message;
    if (!small_system_allocate(small, box.vertex_count))
        return 0;
    small->box = box;
    small->swing = bar->swing;
    small->stiffening = bar->stiffening;
    System *system = &small->system;
    const void *law = NULL;
    const Material *laws[24];
    double young[24], poisson[24], density[24], damping[24], follows[24], damping_mass[20];
    table_find(&material_table, bar->law ? bar->law : "stable_neohooke", "test", &law, &message);
    for (uint32_t t = 0; t < box.tet_count; ++t) {
        laws[t] = law;
        young[t] = bar->young_modulus > 0 ? bar->young_modulus : 2e4;
        poisson[t] = 0.3;
        density[t] = 1000;
        damping[t] = bar->stiffness_damping;
        follows[t] = bar->rest_follows;
    }
    tet_elements_lump_mass(box.positions, box.tets, box.tet_count, density, system->masses);
    for (uint32_t v = 0; v < box.vertex_count; ++v) {
        small->roles[v] = box.positions[3 * v] == 0 ? VERTEX_PINNED : VERTEX_FREE;
        damping_mass[v] = bar->mass_damping * system->masses[v];
    }
    memcpy(small->rest, box.positions, (size_t)box.vertex_count * 3 * sizeof(double));
    small->gravity = 9.81;
    VertexGroups groups = vertex_groups_of_tets(box.tets, box.tet_count);
    TetElementsDesc elements = {.vertex_count = box.vertex_count,
                                .tet_count = box.tet_count,
                                .rest_positions = box.positions,
                                .tet_vertices = box.tets,
                                .laws = laws,
                                .young_modulus = young,
                                .poisson_ratio = poisson,
                                .stiffness_damping = damping,
                                .damping_mass = damping_mass,
                                .rest_follows = follows};
    JnStatus status = block_matrix_build(box.vertex_count, &groups, 1, &system->pattern, &message);
    if (status == JN_OK && bar->consistent_mass) {
        system->mass_blocks = calloc(system->pattern.block_count, sizeof(double));
        tet_elements_consistent_mass(box.positions, box.tets, box.tet_count, density, &system->pattern,
                                     system->mass_blocks);
    }
    if (status == JN_OK)
        status = system_keep_term(
            system, tet_elements_create(&elements, &system->pattern, system_next_term(system), &message), &message);
    if (status == JN_OK)
        status = system_keep_term(
            system, loads_create(box.vertex_count, system->masses, system_next_term(system), &message), &message);
    return status == JN_OK && small_system_open(small, STIFFNESS_SAFE, &message) == JN_OK;
}

static inline void small_system_free(SmallSystem *small) {
    view_destroy(small->view);
    system_free(&small->system);
    tet_box_free(&small->box);
    free(small->roles);
    free(small->rest);
}

/* Runs `steps` steps of `method` from rest for `seconds`, q and v: [vertex_count * 3], results. Returns 1 on success.
 */
static inline int small_system_run(SmallSystem *small, const Integrator *method, double seconds, int steps, double *q,
                                   double *v) {
    void *self = NULL;
    JnMessage message;
    const double precision = small->precision > 0 ? small->precision : 1e-12;
    MethodOptions options = {.variant = method->variant,
                             .spectral_radius = 0.8,
                             .mode_count = small->mode_count,
                             .damp_complement = small->damp_complement,
                             .tolerance = precision,
                             .mode_tolerance = precision};
    State state = {q, v, 0};
    StepReport report;
    size_t n = (size_t)small->system.vertex_count * 3;
    memcpy(q, small->rest, n * sizeof *q);
    memset(v, 0, n * sizeof *v);
    JnStatus status = method->prepare(small->view, &options, &self, &message);
    for (int k = 0; status == JN_OK && k < steps; ++k) {
        state.time = seconds * k / steps;
        status = method->step(self, small->view, &state, seconds / steps, &report, &message);
    }
    if (self)
        method->destroy(self);
    return status == JN_OK;
}

#endif
