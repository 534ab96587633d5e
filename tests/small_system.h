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
    TetBox box; /* empty: one mass on a spring */
    StepInputs inputs;
    double *targets, *target_velocities, *forces, *goal_stiffness, *rest;
    double swing; /* m: the pinned end moves by swing (1 - cos 3t) upwards */
} SmallSystem;

static inline void small_system_set_time(void *owner, double time_before, double time) {
    SmallSystem *small = owner;
    (void)time_before;
    for (size_t v = 0; v < small->system.vertex_count; ++v) {
        small->targets[3 * v + 1] = small->rest[3 * v + 1] + small->swing * (1 - cos(3 * time));
        small->target_velocities[3 * v + 1] = small->swing * 3 * sin(3 * time);
    }
}

static inline int small_system_allocate(SmallSystem *small, uint32_t vertex_count) {
    size_t n = vertex_count;
    memset(small, 0, sizeof *small);
    System *system = &small->system;
    system->vertex_count = vertex_count;
    system->contact_term = SYSTEM_TERM_CAPACITY;
    system->masses = calloc(n, sizeof(double));
    system->fixed = calloc(n, 1);
    small->targets = calloc(3 * n, sizeof(double));
    small->target_velocities = calloc(3 * n, sizeof(double));
    small->forces = calloc(3 * n, sizeof(double));
    small->goal_stiffness = calloc(n, sizeof(double));
    small->rest = calloc(3 * n, sizeof(double));
    small->inputs.targets = small->targets;
    small->inputs.forces = small->forces;
    system->set_time = small_system_set_time;
    system->owner = small;
    system->pin_targets = small->targets;
    system->pin_velocities = small->target_velocities;
    return system->masses && system->fixed && small->targets && small->target_velocities && small->forces &&
           small->goal_stiffness && small->rest;
}

/* A mass of 1 kg that a spring of `stiffness` pulls to the origin. Returns 1 if it could be made. */
static inline int small_system_oscillator(SmallSystem *small, double stiffness) {
    JnMessage message;
    if (!small_system_allocate(small, 1))
        return 0;
    System *system = &small->system;
    system->masses[0] = 1;
    small->goal_stiffness[0] = stiffness;
    JnStatus status = block_matrix_build(1, NULL, 0, &system->matrix, &message);
    if (status == JN_OK)
        status = goals_create(1, small->goal_stiffness, &small->inputs, &system->terms[system->term_count++], &message);
    if (status == JN_OK)
        status =
            solver_create(&(SolverDesc){.pattern = &system->matrix, .fixed = system->fixed}, &system->solver, &message);
    return status == JN_OK;
}

typedef struct SmallBar {
    double swing;
    double stiffness_damping, mass_damping;
    int consistent_mass;
} SmallBar;

/* A soft bar of 4 x 1 x 1 cells of 10 cm, stable neo-Hookean, pinned at x = 0, under gravity. Returns 1 if made. */
static inline int small_system_bar(SmallSystem *small, const SmallBar *bar) {
    TetBox box = tet_box_make(4, 1, 1, 0.1);
    JnMessage message;
    if (!small_system_allocate(small, box.vertex_count))
        return 0;
    small->box = box;
    small->swing = bar->swing;
    System *system = &small->system;
    const void *law = NULL;
    const Material *laws[24];
    double young[24], poisson[24], density[24], damping[24], damping_mass[20];
    table_find(&material_table, "stable_neohooke", "test", &law, &message);
    for (uint32_t t = 0; t < box.tet_count; ++t) {
        laws[t] = law;
        young[t] = 2e4;
        poisson[t] = 0.3;
        density[t] = 1000;
        damping[t] = bar->stiffness_damping;
    }
    tet_elements_lump_mass(box.positions, box.tets, box.tet_count, density, system->masses);
    for (uint32_t v = 0; v < box.vertex_count; ++v) {
        system->fixed[v] = box.positions[3 * v] == 0;
        damping_mass[v] = bar->mass_damping * system->masses[v];
    }
    memcpy(small->rest, box.positions, (size_t)box.vertex_count * 3 * sizeof(double));
    memcpy(small->targets, box.positions, (size_t)box.vertex_count * 3 * sizeof(double));
    small->inputs.gravity[1] = -9.81;
    VertexGroups groups = vertex_groups_of_tets(box.tets, box.tet_count);
    TetElementsDesc elements = {.vertex_count = box.vertex_count,
                                .tet_count = box.tet_count,
                                .rest_positions = box.positions,
                                .tet_vertices = box.tets,
                                .laws = laws,
                                .young_modulus = young,
                                .poisson_ratio = poisson,
                                .stiffness_damping = damping,
                                .damping_mass = damping_mass};
    JnStatus status = block_matrix_build(box.vertex_count, &groups, 1, &system->matrix, &message);
    if (status == JN_OK && bar->consistent_mass) {
        system->mass_blocks = calloc(system->matrix.block_count, sizeof(double));
        tet_elements_consistent_mass(box.positions, box.tets, box.tet_count, density, &system->matrix,
                                     system->mass_blocks);
    }
    if (status == JN_OK)
        status = tet_elements_create(&elements, &system->matrix, &system->terms[system->term_count++], &message);
    if (status == JN_OK)
        status = loads_create(box.vertex_count, system->masses, &small->inputs, &system->terms[system->term_count++],
                              &message);
    if (status == JN_OK)
        status =
            solver_create(&(SolverDesc){.pattern = &system->matrix, .fixed = system->fixed}, &system->solver, &message);
    return status == JN_OK;
}

static inline void small_system_free(SmallSystem *small) {
    system_free(&small->system);
    tet_box_free(&small->box);
    free(small->targets);
    free(small->target_velocities);
    free(small->forces);
    free(small->goal_stiffness);
    free(small->rest);
}

/* Runs `steps` steps of `method` from rest for `seconds`, q and v: [vertex_count * 3], results. Returns 1 on success.
 */
static inline int small_system_run(SmallSystem *small, const Integrator *method, double seconds, int steps, double *q,
                                   double *v) {
    void *self = NULL;
    JnMessage message;
    MethodOptions options = {method->variant, 0.8};
    State state = {q, v, 0};
    StepReport report;
    size_t n = (size_t)small->system.vertex_count * 3;
    memcpy(q, small->rest, n * sizeof *q);
    memset(v, 0, n * sizeof *v);
    JnStatus status = method->prepare(&small->system, &options, &self, &message);
    for (int k = 0; status == JN_OK && k < steps; ++k) {
        state.time = seconds * k / steps;
        status = method->step(self, &small->system, &state, seconds / steps, &report, &message);
    }
    if (self)
        method->destroy(self);
    return status == JN_OK;
}

#endif
