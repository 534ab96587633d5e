#include "region/fast_contact_internal.h"

#include "base/status.h"
#include "base/vectors.h"
#include "linear/blas_guard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ begin, end */

void fast_contact_destroy(FastContact *contact) {
    if (!contact)
        return;
    pair_blocks_free(&contact->pairs);
    free(contact->places);
    free(contact->locals);
    free(contact->responses);
    free(contact->touching);
    free(contact->marks);
    free(contact->compliance);
    free(contact->matrix);
    free(contact->pivots);
    free(contact->active);
    free(contact->factored_vertices);
    free(contact->memory);
    free(contact->system_memory);
    free(contact);
}

JnStatus fast_contact_create(FastRegion *region, View *view, FastContact **out, JnMessage *message) {
    size_t most = 3 * (size_t)FAST_CONTACT_MOST, vertices = view->system->vertex_count;
    FastContact *contact = calloc(1, sizeof *contact);
    *out = NULL;
    JnStatus status = blas_guard_reserve(message);
    if (status != JN_OK || !contact) {
        free(contact);
        return status != JN_OK ? status : status_no_memory(message, "contact of a fast region");
    }
    double **const small[] = {&contact->w,      &contact->free_w, &contact->lambda, &contact->off,
                              &contact->change, &contact->way,    &contact->trial,  &contact->law};
    double **const large[] = {&contact->z, &contact->force, &contact->impedances};
    contact->region = region;
    contact->view = view;
    contact->places = malloc(((size_t)region->set->vertex_count + 1) * sizeof *contact->places);
    contact->touching = malloc(((size_t)region->set->vertex_count + 1) * sizeof *contact->touching);
    contact->locals = malloc((vertices + 1) * sizeof *contact->locals);
    contact->marks = calloc(vertices + 1, 1);
    contact->compliance = malloc(most * most * sizeof(double));
    contact->matrix = malloc(most * most * sizeof(double));
    contact->pivots = malloc(most * sizeof *contact->pivots);
    contact->active = malloc(FAST_CONTACT_MOST * sizeof *contact->active);
    contact->factored_vertices = malloc(FAST_CONTACT_MOST * sizeof *contact->factored_vertices);
    contact->memory = vectors_make(small, sizeof small / sizeof *small, most);
    contact->system_memory = vectors_make(large, sizeof large / sizeof *large, 3 * vertices);
    if (!contact->places || !contact->touching || !contact->locals || !contact->marks || !contact->compliance ||
        !contact->matrix || !contact->pivots || !contact->active || !contact->factored_vertices || !contact->memory ||
        !contact->system_memory) {
        fast_contact_destroy(contact);
        return status_no_memory(message, "contact of a fast region");
    }
    *out = contact;
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ what touches */

FastTouching fast_contact_look(FastContact *contact) {
    const FastSet *set = contact->region->set;
    uint32_t all = 0;
    contact->count = contact->inside_count = 0;
    if (!view_may_touch(contact->view))
        return FAST_TOUCHES_NOTHING;
    view_mark_coupled(contact->view, contact->marks);
    for (uint32_t v = 0; v < contact->view->system->vertex_count; ++v)
        all += contact->marks[v] >= COUPLED_INSIDE;
    for (int inside = 1; inside >= 0; --inside) {
        for (uint32_t v = 0; v < set->vertex_count; ++v) {
            bool touches = contact->marks[set->vertices[v]] >= COUPLED_INSIDE;
            if (touches && (set->kinds[v] == FAST_INSIDE) == inside)
                contact->touching[contact->count++] = v;
        }
        contact->inside_count = inside ? contact->count : contact->inside_count;
    }
    bool solvable = contact->count == all && contact->inside_count <= FAST_CONTACT_MOST;
    return solvable ? FAST_TOUCHES_HERE : FAST_TOUCHES_OTHERS;
}

uint32_t fast_contact_count(const FastContact *contact) {
    return contact->inside_count;
}

/* Responses of up to this many vertices at once, beside the one right-hand side of the small step. */
enum { RESPONSES_AT_ONCE = (FAST_BATCH - 1) / 3 };

static JnStatus add_responses(FastContact *contact, const uint32_t *vertices, int count, JnMessage *message) {
    FastRegion *region = contact->region;
    size_t n = 3 * (size_t)region->set->vertex_count, have = (size_t)contact->response_count;
    double *right = region->right + n;
    if (have + (size_t)count > contact->response_capacity) {
        size_t capacity = 2 * (have + (size_t)count);
        double *responses = realloc(contact->responses, 3 * capacity * n * sizeof *responses);
        if (!responses)
            return status_no_memory(message, "contact of a fast region");
        contact->responses = responses;
        contact->response_capacity = capacity;
    }
    memset(right, 0, 3 * (size_t)count * n * sizeof *right);
    for (size_t k = 0; k < 3 * (size_t)count; ++k)
        right[k * n + 3 * (size_t)vertices[k / 3] + k % 3] = 1;
    JnStatus status =
        solver_solve(region->solver, right, contact->responses + 3 * have * n, 3 * (uint32_t)count, message);
    for (int k = 0; status == JN_OK && k < count; ++k)
        contact->places[vertices[k]] = contact->response_count++;
    return status;
}

/* Responses of all vertices that may touch, and G. */
static JnStatus find_compliance(FastContact *contact, JnMessage *message) {
    const FastRegion *region = contact->region;
    size_t n = 3 * (size_t)region->set->vertex_count, size = fast_contact_unknowns(contact);
    uint32_t missing[RESPONSES_AT_ONCE];
    int count = 0;
    JnStatus status = JN_OK;
    if (contact->matrices != region->matrices || contact->response_count == 0) {
        contact->matrices = region->matrices;
        contact->response_count = 0;
        contact->factored = false;
        for (uint32_t v = 0; v < region->set->vertex_count; ++v)
            contact->places[v] = NOWHERE;
    }
    for (uint32_t k = 0; status == JN_OK && k < contact->inside_count; ++k) {
        if (contact->places[contact->touching[k]] == NOWHERE)
            missing[count++] = contact->touching[k];
        if (count == RESPONSES_AT_ONCE || (count > 0 && k + 1 == contact->inside_count)) {
            status = add_responses(contact, missing, count, message);
            count = 0;
        }
    }
    for (size_t c = 0; status == JN_OK && c < size; ++c) {
        const double *response =
            contact->responses + (3 * (size_t)contact->places[contact->touching[c / 3]] + c % 3) * n;
        for (size_t r = 0; r < size; ++r)
            contact->compliance[c * size + r] = response[3 * (size_t)contact->touching[r / 3] + r % 3];
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ contact at w */

JnStatus fast_contact_evaluate(FastContact *contact, const double *w, bool linear, double *result, JnMessage *message) {
    const FastSet *set = contact->region->set;
    size_t n = fast_contact_unknowns(contact);
    for (size_t i = 0; i < 3 * (size_t)contact->count; ++i) {
        size_t at = 3 * (size_t)set->vertices[contact->touching[i / 3]] + i % 3;
        contact->force[at] = 0;
        contact->z[at] = i < n ? w[i] : contact->z[at];
    }
    Evaluation evaluation = {.q = contact->z, .force = contact->force, .stiffness_scale = 1, .linear_contact = linear};
    if (linear) {
        pair_blocks_clear(&contact->pairs);
        evaluation.matrix = &contact->region->stiffness; /* contact writes pairs alone */
        evaluation.pairs = &contact->pairs;
    }
    JnStatus status = view_evaluate(contact->view, TERM_ROLE_BIT(TERM_CONTACT), evaluation, message);
    for (size_t i = 0; i < n; ++i)
        result[i] = contact->force[3 * (size_t)set->vertices[contact->touching[i / 3]] + i % 3];
    return status;
}

void fast_contact_respond(const FastContact *contact, const double *x, double *y) {
    size_t n = fast_contact_unknowns(contact);
    for (size_t c = 0; c < n; ++c)
        for (size_t r = 0; x[c] != 0 && r < n; ++r)
            y[r] += contact->compliance[c * n + r] * x[c];
}

/* ------------------------------------------------------------------------------------------------ the small step */

/* Of what touches: its number, z, w without contact, the impulse given, and impedances. */
static void start(FastContact *contact, const FastContactSolve *solve) {
    const FastRegion *region = contact->region;
    const FastSet *set = region->set;
    double h = region->h;
    for (uint32_t v = 0; v < set->vertex_count; ++v)
        contact->locals[set->vertices[v]] = NOWHERE;
    for (uint32_t k = 0; k < contact->count; ++k) {
        uint32_t v = contact->touching[k], at = set->vertices[v];
        const double *block = region->matrix.values + 9 * (size_t)region->matrix.column_starts[v];
        bool inside = k < contact->inside_count;
        contact->locals[at] = inside ? (int)k : NOWHERE;
        contact->impedances[at] = inside ? (block[0] + block[4] + block[8]) / (3 * h) : INFINITY;
        for (size_t i = 0; i < 3; ++i) {
            contact->z[3 * (size_t)at + i] = solve->velocities[3 * (size_t)v + i];
            if (!inside)
                continue;
            contact->free_w[3 * k + i] = contact->w[3 * k + i] = solve->velocities[3 * (size_t)v + i];
            contact->lambda[3 * k + i] = solve->impulse[3 * (size_t)v + i];
        }
    }
}

/* v = v* + A^-1 c, and c on the border. */
static void finish(const FastContact *contact, const FastContactSolve *solve) {
    const FastSet *set = contact->region->set;
    size_t n = 3 * (size_t)set->vertex_count;
    memset(solve->impulse, 0, n * sizeof(double));
    for (size_t i = 0; i < 3 * (size_t)contact->count; ++i) {
        uint32_t v = contact->touching[i / 3];
        if (i >= fast_contact_unknowns(contact)) {
            solve->impulse[3 * (size_t)v + i % 3] =
                set->kinds[v] == FAST_BORDER ? contact->force[3 * (size_t)set->vertices[v] + i % 3] : 0;
            continue;
        }
        double impulse = contact->lambda[i];
        if (impulse == 0)
            continue;
        const double *response = contact->responses + (3 * (size_t)contact->places[v] + i % 3) * n;
        solve->impulse[3 * (size_t)v + i % 3] = impulse;
        for (size_t j = 0; j < n; ++j)
            solve->velocities[j] += set->kinds[j / 3] == FAST_INSIDE ? impulse * response[j] : 0;
    }
}

/* Whether there is no impulse so far, and contact has none where there is none. */
static JnStatus is_off(FastContact *contact, bool *off, JnMessage *message) {
    JnStatus status = fast_contact_evaluate(contact, contact->free_w, false, contact->law, message);
    *off = status == JN_OK;
    for (size_t i = 0; i < fast_contact_unknowns(contact); ++i)
        *off &= contact->lambda[i] == 0 && contact->law[i] == 0;
    return status;
}

JnStatus fast_contact_solve(FastContact *contact, const FastContactSolve *solve, bool *solved, JnMessage *message) {
    start(contact, solve);
    JnStatus status = is_off(contact, solved, message);
    if (status != JN_OK || *solved) {
        finish(contact, solve);
        return status;
    }
    status = find_compliance(contact, message);
    if (status != JN_OK)
        return status;
    fast_contact_respond(contact, contact->lambda, contact->w);
    status = fast_contact_solve_rounds(contact, solve, solved, message);
    if (status == JN_OK && *solved)
        finish(contact, solve);
    return status;
}
