#include "integrate/system.h"

#include "base/os/os.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

void system_free(System *system) {
    for (uint32_t k = 0; k < system->term_count; ++k)
        system->terms[k].destroy(system->terms[k].self);
    free(system->masses);
    free(system->fixed);
    block_matrix_free(&system->matrix);
    solver_destroy(system->solver);
    memset(system, 0, sizeof *system);
}

/* Adds the seconds since *since to contact's or assembly's account. */
static void account(System *system, uint32_t term, double since) {
    double seconds = os_clock_seconds() - since;
    *(term == system->contact_term ? &system->times.contact : &system->times.assembly) += seconds;
}

JnStatus system_begin_step(System *system, const StepStart *start, JnMessage *message) {
    JnStatus status = JN_OK;
    for (uint32_t k = 0; status == JN_OK && k < system->term_count; ++k) {
        if (!system->terms[k].begin_step)
            continue;
        double since = os_clock_seconds();
        status = system->terms[k].begin_step(system->terms[k].self, start, message);
        account(system, k, since);
    }
    return status;
}

static void evaluate_terms(System *system, const Evaluation *evaluation) {
    for (uint32_t k = 0; k < system->term_count; ++k) {
        double since = os_clock_seconds();
        system->terms[k].evaluate(system->terms[k].self, evaluation);
        account(system, k, since);
    }
}

void system_force(System *system, const double *q, const double *v, double *force) {
    memset(force, 0, (size_t)system->vertex_count * 3 * sizeof *force);
    Evaluation evaluation = {.q = q, .v = v, .force = force, .pool = system->pool};
    evaluate_terms(system, &evaluation);
}

double system_energy(System *system, const double *q) {
    double energy = 0;
    Evaluation evaluation = {.q = q, .energy = &energy, .pool = system->pool};
    evaluate_terms(system, &evaluation);
    return energy;
}

double system_kinetic_energy(const System *system, const double *v) {
    double energy = 0;
    for (size_t i = 0; i < system->vertex_count; ++i)
        energy +=
            0.5 * system->masses[i] * (v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]);
    return energy;
}

void system_assemble(System *system, const double *q, double damping_scale, double stiffness_scale, StiffnessKind kind,
                     double *force) {
    double since = os_clock_seconds();
    if (force)
        memset(force, 0, (size_t)system->vertex_count * 3 * sizeof *force);
    block_matrix_set_zero(&system->matrix);
    for (uint32_t v = 0; v < system->vertex_count; ++v) {
        double *diagonal = system->matrix.values + 9 * (size_t)system->matrix.column_starts[v];
        for (int i = 0; i < 3; ++i)
            diagonal[4 * i] = system->masses[v];
    }
    system->times.assembly += os_clock_seconds() - since;
    Evaluation evaluation = {.q = q,
                             .force = force,
                             .matrix = &system->matrix,
                             .stiffness_scale = stiffness_scale,
                             .damping_scale = damping_scale,
                             .stiffness = kind,
                             .pool = system->pool};
    evaluate_terms(system, &evaluation);
}

JnStatus system_factor(System *system, const double *q, double damping_scale, double stiffness_scale, double *force,
                       JnMessage *message) {
    static const StiffnessKind kinds[] = {STIFFNESS_SAFE, STIFFNESS_PROJECTED};
    bool positive_definite = false;
    for (int attempt = 0; attempt < 2 && !positive_definite; ++attempt) {
        system_assemble(system, q, damping_scale, stiffness_scale, kinds[attempt], force);
        double since = os_clock_seconds();
        JnStatus status = solver_factor(system->solver, &system->matrix, &positive_definite, message);
        system->times.factor += os_clock_seconds() - since;
        if (status != JN_OK)
            return status;
        if (!positive_definite && attempt == 0)
            ++system->projected_count;
    }
    if (!positive_definite)
        return status_fail(message, JN_ERR_DIVERGED,
                           "the system's matrix is not positive definite even after projection, so the motion has "
                           "diverged: use more steps_per_frame");
    return JN_OK;
}

JnStatus system_solve(System *system, const double *b, double *x, JnMessage *message) {
    double since = os_clock_seconds();
    JnStatus status = solver_solve(system->solver, b, x, 1, message);
    system->times.solve += os_clock_seconds() - since;
    return status;
}
