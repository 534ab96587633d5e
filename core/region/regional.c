#include "region/regional.h"

#include "base/status.h"
#include "base/vectors.h"
#include "region/regional_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ begin, end */

static void destroy(void *self) {
    Regional *regional = self;
    if (!regional)
        return;
    for (uint32_t k = 0; regional->parts && k < regional->sets.count; ++k) {
        FastPart *part = &regional->parts[k];
        regional_free_touching(part);
        fast_region_destroy(part->region);
        newton_destroy(part->newton);
        memory_archive_free(&part->beginning);
        view_destroy(part->view);
        free(part->elastic.blocks);
        free(part->memory);
    }
    agreement_free(&regional->agreement);
    slow_guess_free(&regional->guess);
    contact_rounds_destroy(regional->rounds);
    newton_destroy(regional->newton);
    view_destroy(regional->slow);
    block_matrix_free(&regional->stiffness);
    block_matrix_free(&regional->damping);
    fast_sets_free(&regional->sets);
    free(regional->parts);
    free(regional->answers);
    free(regional->border);
    memory_archive_free(&regional->contacts);
    if (regional->plain_self)
        regional->plain->destroy(regional->plain_self);
    free(regional->memory);
    free(regional);
}

/* The view of what is free in the part, or outside of all sets if that is NULL. */
static JnStatus make_view(Regional *regional, const View *whole, FastPart *part, View **view, JnMessage *message) {
    const FastSet *set = part ? part->region->set : NULL;
    uint8_t *roles = malloc((size_t)whole->system->vertex_count + 1);
    if (!roles)
        return status_no_memory(message, "the fast regions");
    for (uint32_t v = 0; v < whole->system->vertex_count; ++v) {
        bool here = set ? set->marked[v] : !regional->sets.marked[v];
        roles[v] = view_is_free(whole, v) && !here ? VERTEX_ELSEWHERE : whole->roles[v];
    }
    ViewDesc desc = {.system = whole->system,
                     .roles = roles,
                     .term_roles = set ? FAST_TERM_ROLES : ALL_TERM_ROLES,
                     .subset = {set ? set->marked : regional->sets.marked, set ? SUBSET_ANY : SUBSET_NONE},
                     .stiffness = whole->stiffness,
                     .elsewhere = part ? regional_move_outside : NULL,
                     .elsewhere_owner = part};
    JnStatus status = view_create(&desc, view, message);
    free(roles);
    return status;
}

static bool has_contact(const System *system) {
    bool any = false;
    for (uint32_t k = 0; k < system->term_count; ++k)
        any |= system->terms[k].operations->role == TERM_CONTACT;
    return any;
}

static JnStatus make_part(Regional *regional, const View *whole, const FastSet *set, FastPart *part,
                          JnMessage *message) {
    const System *system = whole->system;
    size_t n = (size_t)set->vertex_count * 3;
    part->regional = regional;
    bool fully = regional->rule == RULE_BACKWARD_EULER;
    part->memory = calloc((3 + (fully ? 3 : 2) * (size_t)set->ratio) * n + 1, sizeof(double));
    if (!part->memory)
        return status_no_memory(message, "the fast regions");
    part->velocities = part->memory;
    part->moved = part->velocities + n;
    part->impulse = part->moved + n;
    part->forces = part->impulse + n;
    part->held = part->forces + set->ratio * n;
    part->way = fully ? part->held + set->ratio * n : NULL;
    for (uint32_t i = 0; i < set->vertex_count; ++i)
        if (set->kinds[i] == FAST_BORDER)
            regional->border[set->vertices[i]] = 1;
    JnStatus status = fast_region_create(set, &system->pattern, system->masses, &part->region, message);
    if (status == JN_OK)
        fast_region_keep_ends(part->region, regional->rule == RULE_SEMI_IMPLICIT && !system_stiffness_turns(system));
    if (status == JN_OK)
        status = make_view(regional, whole, part, &part->view, message);
    if (status == JN_OK)
        status = regional_prepare_matrices(part, message);
    if (status == JN_OK && fully)
        status = regional_prepare_newton(part, message);
    else if (status == JN_OK && has_contact(system))
        status = regional_prepare_touching(part, message);
    return status;
}

static JnStatus make_parts(Regional *regional, View *view, const MethodOptions *options, JnMessage *message) {
    const System *system = view->system;
    JnStatus status = fast_sets_build(&system->pattern, view->roles, options->ratios, &regional->sets, message);
    if (status != JN_OK)
        return status;
    regional->parts = calloc((size_t)regional->sets.count + 1, sizeof *regional->parts);
    regional->answers = calloc((size_t)regional->sets.count + 1, sizeof *regional->answers);
    regional->border = calloc((size_t)system->vertex_count + 1, 1);
    if (!regional->parts || !regional->answers || !regional->border)
        return status_no_memory(message, "the fast regions");
    for (uint32_t k = 0; status == JN_OK && k < regional->sets.count; ++k)
        status = make_part(regional, view, &regional->sets.sets[k], &regional->parts[k], message);
    if (status == JN_OK)
        status = make_view(regional, view, NULL, &regional->slow, message);
    if (status == JN_OK)
        status = view_make_jacobian(regional->slow, view->jacobian->linear->reuse, message);
    return status;
}

static JnStatus prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    Regional *regional = calloc(1, sizeof *regional);
    *out = NULL;
    if (view->system->mass_blocks) {
        free(regional);
        return status_fail(message, JN_ERR_ARGUMENT,
                           "fast regions need masses at the vertices: switch consistent_mass off, or remove the effect "
                           "fast");
    }
    if (!border_answer_is_there(view->system)) {
        free(regional);
        return status_fail(message, JN_ERR_ORDER, "the system has no term for the borders of fast regions");
    }
    if (regional) {
        double **const vectors[] = {&regional->start,          &regional->start_velocity,  &regional->slow_velocity,
                                    &regional->impulse,        &regional->predicted,       &regional->end,
                                    &regional->force,          &regional->known,           &regional->momentum,
                                    &regional->last,           &regional->scratch,         &regional->bare,
                                    &regional->fast_positions, &regional->fast_velocities, &regional->expected};
        regional->rule = (RegionalRule)options->variant;
        regional->count = (size_t)view->system->vertex_count * 3;
        regional->memory = vectors_make(vectors, sizeof vectors / sizeof *vectors, regional->count);
    }
    JnStatus status = regional && regional->memory
                          ? block_matrix_share_pattern(&view->system->pattern, &regional->stiffness, message)
                          : status_no_memory(message, "the fast regions");
    if (status == JN_OK)
        status = block_matrix_share_pattern(&view->system->pattern, &regional->damping, message);
    if (status == JN_OK)
        status = make_parts(regional, view, options, message);
    if (status == JN_OK)
        status = contact_rounds_create(regional->slow, &regional->rounds, message);
    if (status == JN_OK)
        status = agreement_create(regional->count, &regional->agreement, message);
    if (status == JN_OK)
        agreement_mark(&regional->agreement, regional->border);
    if (status == JN_OK)
        status = slow_guess_create(regional->count, &regional->guess, message);
    if (status == JN_OK && regional->rule == RULE_BACKWARD_EULER)
        status = newton_create(regional->slow, &regional->newton, message);
    if (status == JN_OK && has_contact(view->system))
        status = regional_prepare_small(regional, view, regional->rule == RULE_SEMI_IMPLICIT ? "si" : "be", message);
    if (status == JN_OK)
        *out = regional;
    else
        destroy(regional);
    return status;
}

/* ------------------------------------------------------------------------------------------------ the step */

static JnStatus begin(Regional *regional, View *view, const State *state, double h, JnMessage *message) {
    size_t bytes = regional->count * sizeof(double);
    View *slow = regional->slow;
    const StepStart start = {state->q, state->v, h, false};
    regional->time = state->time;
    regional->h = h;
    memcpy(regional->start, state->q, bytes);
    memcpy(regional->start_velocity, state->v, bytes);
    regional->touches = regional->in_turn = false;
    regional->may_cross = view->may_cross;
    regional->whole = view;
    view_set_time(slow, state->time, state->time + h);
    JnStatus status = view_begin_step(slow, &start, message);
    slow_guess_find(&regional->guess, state->v, h, regional->slow_velocity);
    for (size_t i = 0; i < regional->count; ++i) {
        bool pinned = slow->roles[i / 3] == VERTEX_PINNED;
        regional->known[i] = pinned ? (slow->prescribed_positions[i] - state->q[i]) / h : 0;
        if (!view_is_free(slow, i / 3))
            regional->slow_velocity[i] = regional->known[i];
    }
    memcpy(regional->expected, regional->slow_velocity, bytes);
    for (uint32_t k = 0; status == JN_OK && k < regional->sets.count; ++k)
        status = regional_begin_part(regional, &regional->parts[k], message);
    view_set_time(view, state->time, state->time + h);
    return status;
}

/* Others look at the whole view: it shows what touches at the end of the step, and how it slides there. */
static JnStatus show_end(Regional *regional, View *view, const State *state, JnMessage *message) {
    double h = regional->h, change;
    JnStatus status = view_begin_step(view, &(StepStart){state->q, state->v, 0, false}, message);
    for (size_t i = 0; i < regional->count; ++i)
        regional->scratch[i] = state->v[i] - state->q[i] / h;
    view_set_reach(view, &(ContactReach){1, 1 / h, 1, 0}, NULL, regional->scratch);
    if (status == JN_OK)
        view_renew_friction(view, state->q, INFINITY, &change);
    return status;
}

/* Where everything is at the end. */
static void place(const Regional *regional, const View *view, State *state) {
    for (size_t i = 0; i < regional->count; ++i) {
        if (!view_is_free(view, i / 3)) {
            state->q[i] = view->prescribed_positions[i];
            state->v[i] = regional->known[i];
        } else if (!regional->sets.marked[i / 3]) {
            state->v[i] = regional->slow_velocity[i];
            state->q[i] = regional->start[i] + regional->h * regional->slow_velocity[i];
        }
    }
    for (const FastPart *part = regional->parts; part < regional->parts + regional->sets.count; ++part) {
        const FastSet *set = part->region->set;
        for (size_t i = 0; i < 3 * (size_t)set->vertex_count; ++i)
            if (set->kinds[i / 3] == FAST_INSIDE) {
                size_t at = 3 * (size_t)set->vertices[i / 3] + i % 3;
                state->q[at] = regional->start[at] + part->moved[i];
                state->v[at] = part->velocities[i];
            }
    }
}

static JnStatus step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    Regional *regional = self;
    *report = (StepReport){.h = h, .error = NAN, .residual = NAN};
    JnStatus status = begin(regional, view, state, h, message);
    bool tried = status == JN_OK && !regional->touches;
    for (bool more = true; status == JN_OK && !regional->touches && more;) {
        status = regional_solve_together(regional, report, message);
        more = false;
        if (status == JN_OK && !regional->touches) {
            place(regional, view, state);
            status = regional_check_touching(regional, state->q, &more, message);
        }
    }
    if (status == JN_OK && regional->touches) {
        ++view->system->hastened_steps;
        if (tried)
            retry_failed(&regional->touching.retry);
        slow_guess_restart(&regional->guess);
        agreement_restart(&regional->agreement, false);
        return regional_take_small_steps(regional, view, state, report, message);
    }
    if (status == JN_OK)
        status = view_check_way(regional->slow, state->q, view->may_cross, message);
    if (status != JN_OK)
        return status;
    view->system->fast_touch_steps += regional_is_touching(regional);
    slow_guess_learn(&regional->guess, regional->start_velocity, h, state->v, regional->border);
    if (regional->rule == RULE_SEMI_IMPLICIT)
        view_follow_turns(view, TURN_STEP, regional->start, state->q);
    state->time += h;
    return show_end(regional, view, state, message);
}

/* ------------------------------------------------------------------------------------------------ the methods */

static void restart(void *self, RestartReason reason) {
    (void)reason;
    Regional *regional = self;
    slow_guess_restart(&regional->guess);
    agreement_restart(&regional->agreement, false);
}

/* The factors of the regions follow from the matrices of a step alone. */
static bool archive_steps(void *self, Archive *archive) {
    Regional *regional = self;
    bool ok = slow_guess_archive(&regional->guess, archive) && agreement_archive(&regional->agreement, archive) &&
              view_archive(regional->slow, archive);
    for (uint32_t k = 0; ok && k < regional->sets.count; ++k)
        ok = view_archive(regional->parts[k].view, archive);
    return ok;
}

static bool archive_solvers(void *self, Archive *archive) {
    Regional *regional = self;
    bool ok = jacobian_archive(regional->slow->jacobian, archive) && view_retry_archive(regional->slow, archive) &&
              archive_piece(archive, &regional->touching, sizeof regional->touching);
    for (uint32_t k = 0; ok && k < regional->sets.count; ++k)
        ok = archive_piece(archive, &regional->parts[k].counts, sizeof regional->parts[k].counts) &&
             fast_region_archive(regional->parts[k].region, archive) &&
             view_retry_archive(regional->parts[k].view, archive) &&
             (!regional->parts[k].newton || jacobian_archive(regional->parts[k].view->jacobian, archive));
    return ok;
}

const FastSets *regional_sets(const void *self) {
    return &((const Regional *)self)->sets;
}

static void add_solver(const Solver *solver, SolverReport *sum) {
    SolverReport own;
    solver_report(solver, &own);
    sum->factor_count += own.factor_count;
    sum->reused_count += own.reused_count;
    sum->iteration_count += own.iteration_count;
    sum->bytes += own.bytes;
}

void regional_add_solvers(const void *self, SolverReport *report) {
    const Regional *regional = self;
    add_solver(regional->slow->jacobian->linear->solver, report);
    for (uint32_t k = 0; k < regional->sets.count; ++k) {
        const FastPart *part = &regional->parts[k];
        add_solver(part->region->solver, report);
        if (part->newton)
            add_solver(part->view->jacobian->linear->solver, report);
    }
}

RegionalCost regional_set_cost(const void *self, const View *view, uint32_t tet_count, bool constant, uint32_t k) {
    const Regional *regional = self;
    RegionalScene scene = {.vertex_count = (uint32_t)(regional->count / 3),
                           .tet_count = tet_count,
                           .constant = constant,
                           .solves_fully = regional->rule == RULE_BACKWARD_EULER};
    SolverReport inside;
    solver_report(view->jacobian->linear->solver, &scene.whole);
    solver_report(regional->parts[k].region->solver, &inside);
    uint32_t largest = regional->sets.sets[regional->sets.count - 1].ratio;
    return regional_cost(&scene, &regional->sets.sets[k], largest, &inside);
}

#define REGIONAL(method, variant)                                                                                      \
    { {method, NULL, NULL}, 1, variant, false, prepare, step, restart, archive_steps, destroy, false, archive_solvers }

static const Integrator methods[] = {REGIONAL("si", RULE_SEMI_IMPLICIT), REGIONAL("be", RULE_BACKWARD_EULER)};
const char regional_names[] = "si or be";

const Integrator *regional_method(const Integrator *method) {
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; ++k)
        if (strcmp(methods[k].entry.name, method->entry.name) == 0)
            return &methods[k];
    return NULL;
}
