#include "system/system.h"

#include "base/math3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

void system_free(System *system) {
    for (uint32_t k = 0; k < system->term_count; ++k)
        system->terms[k].operations->destroy(system->terms[k].self);
    free(system->masses);
    free(system->mass_blocks);
    block_matrix_free(&system->pattern);
    memset(system, 0, sizeof *system);
}

ForceTerm *system_next_term(System *system) {
    return &system->terms[system->term_count];
}

JnStatus system_keep_term(System *system, JnStatus status, JnMessage *message) {
    if (status != JN_OK)
        return status;
    if (system->view_count == 0 && system->term_count < SYSTEM_TERM_CAPACITY) {
        ++system->term_count;
        return JN_OK;
    }
    system->terms[system->term_count].operations->destroy(system->terms[system->term_count].self);
    return system->view_count > 0 ? status_fail(message, JN_ERR_ORDER, "force terms come before views of the system")
                                  : status_no_memory(message, "another force term");
}

/* ------------------------------------------------------------------------------------------------ time, rest shape */

void system_set_moment(System *system, const Moment *moment) {
    if (system->moment == moment->number)
        return;
    for (uint32_t k = 0; k < system->term_count; ++k)
        if (system->terms[k].operations->set_moment)
            system->terms[k].operations->set_moment(system->terms[k].self, moment, system->pool);
    system->moment = moment->number;
}

void system_number_moment(System *system, Moment *moment) {
    moment->number = ++system->moment_count;
}

bool system_set_rest(System *system, const double *rest_positions) {
    for (uint32_t k = 0; k < system->term_count; ++k) {
        const ForceTerm *term = &system->terms[k];
        if (term->operations->accepts_rest && !term->operations->accepts_rest(term->self, rest_positions))
            return false;
    }
    for (uint32_t k = 0; k < system->term_count; ++k)
        if (system->terms[k].operations->set_rest)
            system->terms[k].operations->set_rest(system->terms[k].self, rest_positions);
    system->moment = 0;
    return true;
}

void system_scale_damping(System *system, uint32_t group, double factor) {
    for (uint32_t k = 0; k < system->term_count; ++k)
        if (system->terms[k].operations->scale_damping)
            system->terms[k].operations->scale_damping(system->terms[k].self, group, factor);
}

uint32_t system_limited_rest_count(const System *system) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < system->term_count; ++k)
        if (system->terms[k].operations->limited_rest_count)
            count += system->terms[k].operations->limited_rest_count(system->terms[k].self);
    return count;
}

bool system_stiffness_turns(const System *system) {
    bool turns = false;
    for (uint32_t k = 0; k < system->term_count; ++k)
        turns |= system->terms[k].operations->stiffness_turns &&
                 system->terms[k].operations->stiffness_turns(system->terms[k].self);
    return turns;
}

void system_write_unturned(const System *system, double *positions) {
    for (uint32_t k = 0; k < system->term_count; ++k)
        if (system->terms[k].operations->write_unturned)
            system->terms[k].operations->write_unturned(system->terms[k].self, positions);
}

/* ------------------------------------------------------------------------------------------------ mass */

double system_kinetic_energy(const System *system, const double *v) {
    double energy = 0;
    if (!system->mass_blocks) {
        for (size_t i = 0; i < system->vertex_count; ++i)
            energy += 0.5 * system->masses[i] * vec3_dot(v + 3 * i, v + 3 * i);
        return energy;
    }
    const BlockMatrix *pattern = &system->pattern;
    for (uint32_t column = 0; column < system->vertex_count; ++column)
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k) {
            uint32_t row = pattern->rows[k];
            energy += (row == column ? 0.5 : 1) * system->mass_blocks[k] *
                      vec3_dot(v + 3 * (size_t)row, v + 3 * (size_t)column);
        }
    return energy;
}

void system_multiply_mass(const System *system, const double *x, double *y) {
    size_t n = (size_t)system->vertex_count * 3;
    if (!system->mass_blocks) {
        for (size_t i = 0; i < n; ++i)
            y[i] = system->masses[i / 3] * x[i];
        return;
    }
    const BlockMatrix *pattern = &system->pattern;
    memset(y, 0, n * sizeof *y);
    for (size_t column = 0; column < system->vertex_count; ++column)
        for (size_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k) {
            size_t row = pattern->rows[k];
            double mass = system->mass_blocks[k];
            for (size_t i = 0; i < 3; ++i)
                y[3 * row + i] += mass * x[3 * column + i];
            for (size_t i = 0; row != column && i < 3; ++i)
                y[3 * column + i] += mass * x[3 * row + i];
        }
}

void system_write_mass(const System *system, double scale, BlockMatrix *matrix) {
    block_matrix_set_zero(matrix);
    for (size_t k = 0; system->mass_blocks && k < matrix->block_count; ++k)
        for (size_t i = 0; i < 3; ++i)
            matrix->values[9 * k + 4 * i] = scale * system->mass_blocks[k];
    for (size_t v = 0; !system->mass_blocks && v < system->vertex_count; ++v) {
        double *diagonal = matrix->values + 9 * (size_t)matrix->column_starts[v];
        for (int i = 0; i < 3; ++i)
            diagonal[4 * i] = scale * system->masses[v];
    }
}

JnStatus system_check_cancelled(const System *system, JnMessage *message) {
    const World *world = &system->world;
    return world->should_stop && world->should_stop(world->owner)
               ? status_fail(message, JN_ERR_CANCELLED, "cancelled within a time step")
               : JN_OK;
}
