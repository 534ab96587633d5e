/* Small steps of backward Euler, each solved fully, against a border that moves with its velocity of the large
   step. */
#include "region/regional_internal.h"

#include "base/status.h"

#include <string.h>

/* Where what is solved elsewhere is in the small step under way, and how fast. */
void regional_move_outside(void *owner, const Moment *moment, double *q, double *v) {
    const FastPart *part = owner;
    const Regional *regional = part->regional;
    (void)moment;
    for (size_t i = 0; i < regional->count; ++i)
        if (part->view->roles[i / 3] == VERTEX_ELSEWHERE) {
            q[i] = regional->start[i] + part->reached * regional->slow_velocity[i];
            v[i] = regional->slow_velocity[i];
        }
}

JnStatus regional_prepare_newton(FastPart *part, JnMessage *message) {
    JnStatus status = view_make_jacobian(part->view, false, message);
    return status == JN_OK ? newton_create(part->view, &part->newton, message) : status;
}

/* Small step r, 1 to the ratio, from q and v to there. */
static JnStatus take_small_step(Regional *regional, FastPart *part, uint32_t r, uint32_t *iterations,
                                JnMessage *message) {
    View *view = part->view;
    double *q = regional->fast_positions, *v = regional->fast_velocities, *x = regional->scratch,
           *target = regional->momentum;
    uint32_t ratio = part->region->set->ratio;
    double h = regional->h / ratio, before = regional->time + regional->h * (r - 1) / ratio,
           after = regional->time + regional->h * r / ratio;
    NewtonReport solved = {0};
    part->reached = r * h;
    view_set_time(view, before, after);
    JnStatus status = view_begin_step(view, &(StepStart){q, v, h, false}, message);
    regional->touches |= view_may_touch(view);
    if (status != JN_OK || regional->touches)
        return status;
    for (size_t i = 0; i < regional->count; ++i) {
        target[i] = q[i] + h * v[i];
        x[i] = view_is_free(view, i / 3) ? target[i] : view->prescribed_positions[i];
        regional->force[i] = -q[i] / h;
    }
    view_set_reach(view, &(ContactReach){1, 1 / h, 1, 0}, NULL, regional->force);
    const NewtonProblem problem = {
        .mass = 1 / (h * h), .inertia_target = target, .velocity_scale = 1 / h, .velocity_origin = q, .before = q};
    status = newton_solve(part->newton, view, &problem, newton_step_limits(view), x, &solved, message);
    *iterations += solved.iterations;
    for (size_t i = 0; i < regional->count; ++i) {
        v[i] = (x[i] - q[i]) / h;
        q[i] = x[i];
    }
    return status;
}

/* Adds the impulse of the small step just taken: outside, the view's elements are those that straddle the border. */
static JnStatus add_impulse(Regional *regional, FastPart *part, JnMessage *message) {
    double h = regional->h / part->region->set->ratio;
    JnStatus status = view_force(part->view, ALL_TERM_ROLES, regional->fast_positions, regional->fast_velocities,
                                 regional->force, message);
    for (size_t i = 0; status == JN_OK && i < regional->count; ++i)
        if (regional->border[i / 3])
            regional->impulse[i] += h * regional->force[i];
    return status;
}

JnStatus regional_run_newton(Regional *regional, FastPart *part, uint32_t *iterations, JnMessage *message) {
    const FastSet *set = part->region->set;
    JnStatus status = view_archive(part->view, memory_archive_load(&part->beginning))
                          ? JN_OK
                          : status_no_memory(message, "the fast regions");
    memcpy(regional->fast_positions, regional->start, regional->count * sizeof(double));
    memcpy(regional->fast_velocities, regional->start_velocity, regional->count * sizeof(double));
    for (uint32_t r = 1; status == JN_OK && !regional->touches && r <= set->ratio; ++r) {
        status = system_check_cancelled(part->view->system, message);
        if (status == JN_OK)
            status = take_small_step(regional, part, r, iterations, message);
        if (status == JN_OK)
            status = add_impulse(regional, part, message);
    }
    for (size_t i = 0; i < 3 * (size_t)set->vertex_count; ++i) {
        size_t at = 3 * (size_t)set->vertices[i / 3] + i % 3;
        part->moved[i] = regional->fast_positions[at] - regional->start[at];
        part->velocities[i] = regional->fast_velocities[at];
    }
    return status;
}
