/* Contact in a view: where a step ends, what touches there, and how far the way is free. */
#include "system/view_internal.h"

#include "base/os/os.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ the step's end */

/* Whether the term is contact that the view selects. */
static bool touches(const View *view, uint32_t term) {
    return view->system->terms[term].operations->role == TERM_CONTACT && view_term_acts(view, term);
}

bool view_prepare_reach(View *view) {
    size_t n = (size_t)view->system->vertex_count * 3 + 1;
    bool any = false;
    for (uint32_t k = 0; k < view->system->term_count; ++k)
        any |= touches(view, k);
    if (!any)
        return true;
    view->end_position_offset = calloc(4 * n, sizeof(double));
    if (!view->end_position_offset)
        return false;
    view->end_velocity_offset = view->end_position_offset + n;
    view->end_position = view->end_velocity_offset + n;
    view->end_velocity = view->end_position + n;
    return true;
}

void view_limit_reach(View *view, const uint32_t *vertices, uint32_t count) {
    view->reach_vertices = vertices;
    view->reach_count = count;
}

/* Of the entries that contact may look at: how many there are, and the k-th. */
static size_t reach_size(const View *view) {
    return 3 * (size_t)(view->reach_vertices ? view->reach_count : view->system->vertex_count);
}

static size_t reach_entry(const View *view, size_t k) {
    return view->reach_vertices ? 3 * (size_t)view->reach_vertices[k / 3] + k % 3 : k;
}

void view_set_reach(View *view, const ContactReach *reach, const double *position_offset,
                    const double *velocity_offset) {
    if (!view->end_position_offset)
        return;
    view->has_reach = true;
    view->reach = *reach;
    for (size_t k = 0; k < reach_size(view); ++k) {
        size_t i = reach_entry(view, k);
        view->end_position_offset[i] = position_offset ? position_offset[i] : 0;
        view->end_velocity_offset[i] = velocity_offset ? velocity_offset[i] : 0;
    }
}

/* The position at the step's end for z: z itself without a reach, else in `position`. */
static const double *end_position(const View *view, const double *z, double *position) {
    if (!view->has_reach)
        return z;
    for (size_t k = 0; k < reach_size(view); ++k) {
        size_t i = reach_entry(view, k);
        position[i] = view->end_position_offset[i] + view->reach.position_scale * z[i];
    }
    return position;
}

void view_reach_end(View *view, Evaluation *e) {
    e->reach = view->has_reach ? view->reach : (ContactReach){1, e->v ? 1 : 0, 1, 0};
    if (!view->has_reach)
        return;
    for (size_t k = 0; k < reach_size(view); ++k) {
        size_t i = reach_entry(view, k);
        view->end_velocity[i] = view->end_velocity_offset[i] + view->reach.velocity_scale * e->q[i];
    }
    e->q = end_position(view, e->q, view->end_position);
    e->v = view->reach.velocity_scale != 0 ? view->end_velocity : NULL;
    e->stiffness_scale = view->reach.strength * view->reach.position_scale;
    e->damping_scale = view->reach.strength * view->reach.velocity_scale;
}

/* ------------------------------------------------------------------------------------------------ what touches */

bool view_may_touch(const View *view) {
    for (uint32_t k = 0; k < view->system->term_count; ++k) {
        const TermOperations *operations = view->system->terms[k].operations;
        if (touches(view, k) && (!operations->is_active || operations->is_active(view->lags[k])))
            return true;
    }
    return false;
}

/* Sets the energy and the force that are wanted to those of contact. */
static JnStatus evaluate_contact(View *view, Evaluation evaluation, JnMessage *message) {
    if (evaluation.energy)
        *evaluation.energy = 0;
    if (evaluation.force)
        memset(evaluation.force, 0, (size_t)view->system->vertex_count * 3 * sizeof *evaluation.force);
    return view_evaluate(view, TERM_ROLE_BIT(TERM_CONTACT), evaluation, message);
}

JnStatus view_contact(View *view, const double *z, double *energy, double *force, JnMessage *message) {
    return evaluate_contact(view, (Evaluation){.q = z, .energy = energy, .force = force}, message);
}

JnStatus view_linear_contact(View *view, const double *z, double *force, JnMessage *message) {
    return evaluate_contact(view, (Evaluation){.q = z, .force = force, .linear_contact = true}, message);
}

void view_renew_friction(View *view, const double *z, double least, double *change) {
    const StepScope scope = view_scope(view);
    Evaluation end = {.q = z};
    *change = 0;
    if (!view->has_reach || view->reach.velocity_scale == 0)
        return;
    view_reach_end(view, &end);
    for (uint32_t k = 0; k < view->system->term_count; ++k) {
        const ForceTerm *term = &view->system->terms[k];
        double own = 0;
        if (!term->operations->renew_friction || !view_term_acts(view, k))
            continue;
        double since = os_clock_seconds();
        term->operations->renew_friction(term->self, view->lags[k], &scope, end.q, end.v, view->reach.calmed_over,
                                         least, &own);
        view_account(view->system, k, since);
        *change = fmax(*change, own);
    }
}

void view_move_friction(View *view, const double *z, const double *impedances) {
    Evaluation end = {.q = z};
    if (!view->has_reach || view->reach.velocity_scale == 0)
        return;
    view_reach_end(view, &end);
    for (uint32_t k = 0; k < view->system->term_count; ++k) {
        const ForceTerm *term = &view->system->terms[k];
        if (term->operations->move_friction && view_term_acts(view, k))
            term->operations->move_friction(term->self, view->lags[k], end.v, impedances);
    }
}

void view_interior(View *view, const double *z, InteriorStage stage, InteriorMove *move) {
    const StepScope scope = view_scope(view);
    Evaluation end = {.q = z};
    view_reach_end(view, &end);
    move->q = end.q;
    move->v = end.v;
    for (uint32_t k = 0; k < view->system->term_count; ++k) {
        const ForceTerm *term = &view->system->terms[k];
        if (term->operations->interior && view_term_acts(view, k))
            term->operations->interior(term->self, view->lags[k], &scope, stage, move);
    }
}

void view_calm(View *view, const double *q, double *v) {
    const StepScope scope = view_scope(view);
    if (!view->has_reach || view->reach.calmed_over == 0)
        return;
    for (uint32_t k = 0; k < view->system->term_count; ++k) {
        const ForceTerm *term = &view->system->terms[k];
        if (term->operations->calm && view_term_acts(view, k))
            term->operations->calm(term->self, view->lags[k], &scope, q, view->reach.calmed_over, v);
    }
}

bool view_mark_coupled(const View *view, uint8_t *marks) {
    bool any = false;
    memset(marks, 0, view->system->vertex_count);
    for (uint32_t k = 0; k < view->system->term_count; ++k) {
        const ForceTerm *term = &view->system->terms[k];
        if (!term->operations->mark_coupled || !view_term_acts(view, k))
            continue;
        term->operations->mark_coupled(term->self, view->lags[k], marks);
        any = true;
    }
    return any;
}

/* ------------------------------------------------------------------------------------------------ the way */

JnStatus view_look_again(View *view, const double *z, bool *more, JnMessage *message) {
    const StepScope scope = view_scope(view);
    JnStatus status = JN_OK;
    *more = false;
    for (uint32_t k = 0; status == JN_OK && k < view->system->term_count; ++k) {
        const ForceTerm *term = &view->system->terms[k];
        bool own = false;
        if (!term->operations->look_again || !view_term_acts(view, k))
            continue;
        double since = os_clock_seconds();
        status = term->operations->look_again(term->self, view->lags[k], &scope,
                                              end_position(view, z, view->end_position), &own, message);
        view_account(view->system, k, since);
        *more |= own;
    }
    return status;
}

void view_give_way(View *view) {
    for (uint32_t k = 0; k < view->system->term_count; ++k)
        if (view->system->terms[k].operations->give_way && view_term_acts(view, k))
            view->system->terms[k].operations->give_way(view->lags[k]);
}

JnStatus view_check_way(View *view, const double *q, bool may_cross, JnMessage *message) {
    const StepScope scope = view_scope(view);
    double least = 1;
    JnStatus status = JN_OK;
    for (uint32_t k = 0; status == JN_OK && k < view->system->term_count; ++k) {
        const ForceTerm *term = &view->system->terms[k];
        double own = 1;
        if (!term->operations->check_way || !view_term_acts(view, k))
            continue;
        double since = os_clock_seconds();
        status = term->operations->check_way(term->self, view->lags[k], &scope, q, may_cross, &own, message);
        view_account(view->system, k, since);
        least = fmin(least, own);
    }
    if (status != JN_OK || least >= 1 || may_cross)
        return status;
    return status_fail(message, JN_ERR_DIVERGED,
                       "a time step would pass through what touches after %.2g of it: use more steps_per_frame", least);
}
