/* Small steps of a set that touches colliders: each is solved with contact, at its own rate, against a border that
   moves with its velocity of the large step. In contact the set does not answer linearly at its border. So the rounds
   of regional_rounds.c repeat the small steps, each from its impulses of the run before, with how the set would answer
   without contact as the linearization.

   Runs look for what touches as each small step begins; when impulses nearly agree, what touched in the last run is
   kept: else who is looked at could change with the last digits. At the end the motion is looked at once more. Where
   the set touches itself or another body, or contact is not found, all take small steps. */
#include "region/regional_internal.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

JnStatus regional_prepare_touching(FastPart *part, JnMessage *message) {
    const FastSet *set = part->region->set;
    size_t n = 3 * (size_t)set->vertex_count;
    part->pushes = calloc(2 * set->ratio * n + n + 1, sizeof(double));
    part->touches = calloc(set->ratio, sizeof *part->touches);
    if (!part->pushes || !part->touches)
        return status_no_memory(message, "contact of a fast region");
    part->track = part->pushes + set->ratio * n;
    view_limit_reach(part->view, set->vertices, set->vertex_count);
    return fast_contact_create(part->region, part->view, &part->contact, message);
}

void regional_free_touching(FastPart *part) {
    fast_contact_destroy(part->contact);
    for (uint32_t r = 0; part->touches && r < part->region->set->ratio; ++r)
        memory_archive_free(&part->touches[r]);
    free(part->touches);
    free(part->pushes);
}

bool regional_is_touching(const Regional *regional) {
    bool any = false;
    for (uint32_t k = 0; k < regional->sets.count; ++k)
        any |= regional->parts[k].touching;
    return any;
}

/* ------------------------------------------------------------------------------------------------ cost */

/* Near what bench_regions shows for two bars: rounds of such a large step; iterations of a solve, and of a rough one
   from a good guess; operations to assemble a block of the matrix; rounds of contact in a small step, operations for
   each vertex in it, and the share of small steps in which the dense matrix is factored. */
static const double ROUNDS = 7, ITERATIONS = 3, ROUGH_ITERATIONS = 1.5, PER_BLOCK = 650, CONTACT_ROUNDS = 4,
                    PER_VERTEX = 400, FACTORS = 0.5;
/* How much of the difference to the usual number of rounds is forgotten in each step that does without. */
static const double FORGOTTEN = 0.2;

static bool is_cheaper(const Regional *regional, const FastPart *part, double rounds) {
    SolverReport whole, slow, inside;
    solver_report(regional->whole->jacobian->linear->solver, &whole);
    solver_report(regional->slow->jacobian->linear->solver, &slow);
    solver_report(part->region->solver, &inside);
    const FastSet *set = part->region->set;
    uint32_t ratio = regional->sets.sets[regional->sets.count - 1].ratio;
    double n = 3.0 * fast_contact_count(part->contact), solve = 4 * inside.factor_entries;
    double blocks = PER_BLOCK * (double)regional->stiffness.block_count;
    double contact = CONTACT_ROUNDS * (2 * n * n + PER_VERTEX * set->vertex_count) + FACTORS * n * n * n / 1.5;
    double round = ROUGH_ITERATIONS * 4 * slow.factor_entries + set->ratio * (solve + contact);
    return blocks + n * solve + rounds * round < ratio * (blocks + ITERATIONS * 4 * whole.factor_entries);
}

bool regional_touching_pays(Regional *regional, const FastPart *part) {
    TouchingCounts *counts = &regional->touching;
    if (!part->contact || fast_contact_look(part->contact) == FAST_TOUCHES_OTHERS || !retry_now(&counts->retry))
        return false;
    counts->rounds = counts->rounds > 0 ? counts->rounds : ROUNDS;
    bool pays = is_cheaper(regional, part, counts->rounds);
    if (!pays)
        counts->rounds -= FORGOTTEN * (counts->rounds - ROUNDS);
    return pays;
}

/* ------------------------------------------------------------------------------------------------ places */

/* The part of a vector of the system that the set has. */
static void scatter(const FastSet *set, const double *from, double *to) {
    for (size_t i = 0; i < 3 * (size_t)set->vertex_count; ++i)
        to[3 * (size_t)set->vertices[i / 3] + i % 3] = from[i];
}

/* Positions of the set, `moved` and then h times the velocities from the start of the large step; either may be
   NULL. */
static void place(const Regional *regional, const FastPart *part, const double *moved, const double *velocities,
                  double *q) {
    const FastSet *set = part->region->set;
    for (size_t i = 0; i < 3 * (size_t)set->vertex_count; ++i) {
        size_t at = 3 * (size_t)set->vertices[i / 3] + i % 3;
        q[at] = regional->start[at] + (moved ? moved[i] : 0) + (velocities ? part->region->h * velocities[i] : 0);
    }
}

/* ------------------------------------------------------------------------------------------------ a small step */

/* Small step r, from 0, begins in the view, as it did in the last run, or anew. */
static JnStatus begin(Regional *regional, FastPart *part, uint32_t r, JnMessage *message) {
    View *view = part->view;
    double h = part->region->h;
    part->reached = (r + 1) * h;
    regional_set_small_time(regional, part, r + 1);
    JnStatus status = JN_OK;
    if (!regional->keeps_touches)
        status =
            view_begin_step(view, &(StepStart){regional->fast_positions, regional->fast_velocities, h, false}, message);
    else if (!view_step_archive(view, memory_archive_load(&part->touches[r])))
        status = status_no_memory(message, "contact of a fast region");
    view_set_reach(view, &(ContactReach){h, 1, h, 0}, regional->fast_positions, NULL);
    return status;
}

/* Solves with what touches. *more: something else would be crossed, and is held from now on. */
static JnStatus solve(Regional *regional, FastPart *part, const FastContactSolve *solve, bool *more,
                      JnMessage *message) {
    bool solved = false;
    *more = false;
    FastTouching touching = fast_contact_look(part->contact);
    if (touching == FAST_TOUCHES_OTHERS) {
        regional->touches = true;
        return JN_OK;
    }
    if (touching == FAST_TOUCHES_NOTHING)
        memset(solve->impulse, 0, 3 * (size_t)part->region->set->vertex_count * sizeof(double));
    JnStatus status =
        touching == FAST_TOUCHES_HERE ? fast_contact_solve(part->contact, solve, &solved, message) : JN_OK;
    regional->touches |= status == JN_OK && touching == FAST_TOUCHES_HERE && !solved;
    if (status != JN_OK || regional->touches || regional->keeps_touches)
        return status;
    scatter(part->region->set, solve->velocities, regional->scratch);
    return view_look_again(part->view, regional->scratch, more, message);
}

/* Whether the small step crosses nothing: then all take small ones, whose steps are cut as those of others are. */
static JnStatus check_way(Regional *regional, FastPart *part, const double *moved, const double *velocities,
                          JnMessage *message) {
    place(regional, part, moved, velocities, regional->scratch);
    JnStatus status = view_check_way(part->view, regional->scratch, regional->may_cross, message);
    if (status != JN_ERR_DIVERGED)
        return status;
    status_clear(message);
    regional->touches = true;
    return JN_OK;
}

static JnStatus push(void *owner, uint32_t r, const double *before, const double *moved, double *velocities,
                     double *impulse, JnMessage *message) {
    FastPart *part = owner;
    Regional *regional = part->regional;
    const FastSet *set = part->region->set;
    size_t n = 3 * (size_t)set->vertex_count;
    double *pushes = part->pushes + r * n;
    bool more = !regional->touches, known = false;
    JnStatus status = JN_OK;
    if (r == 0 && regional->forgets_pushes) /* nothing is known of those of a large step that begins */
        memset(part->pushes, 0, set->ratio * n * sizeof(double));
    if (r == 0 && !regional->keeps_touches && !view_archive(part->view, memory_archive_load(&part->beginning)))
        return status_no_memory(message, "contact of a fast region");
    for (size_t i = 0; i < n; ++i)
        known |= pushes[i] != 0;
    if (r > 0 && !known) /* as in the small step before */
        memcpy(pushes, pushes - n, n * sizeof(double));
    for (size_t i = 0; i < n; ++i)
        velocities[i] = set->kinds[i / 3] == FAST_INSIDE ? velocities[i] : before[i];
    memcpy(part->track + r * n, velocities, n * sizeof(double));
    place(regional, part, moved, NULL, regional->fast_positions);
    scatter(set, before, regional->fast_velocities);
    if (more)
        status = begin(regional, part, r, message);
    for (int look = 0; status == JN_OK && more && !regional->touches && look <= CONTACT_LOOKS_MOST; ++look) {
        memcpy(velocities, part->track + r * n, n * sizeof(double));
        status = solve(regional, part,
                       &(FastContactSolve){velocities, pushes, regional->contact_off, regional->holds_friction}, &more,
                       message);
    }
    if (status == JN_OK && !regional->touches && !view_step_archive(part->view, memory_archive_save(&part->touches[r])))
        status = status_no_memory(message, "contact of a fast region");
    if (status == JN_OK && !regional->touches && !regional->keeps_touches)
        status = check_way(regional, part, moved, velocities, message);
    memcpy(part->track + r * n, velocities, n * sizeof(double));
    memcpy(impulse, pushes, n * sizeof(double));
    return status;
}

FastPush regional_push(FastPart *part) {
    return (FastPush){push, part,
                      part->pushes + 2 * part->region->set->ratio * 3 * (size_t)part->region->set->vertex_count};
}

/* ------------------------------------------------------------------------------------------------ a look at it all */

/* Every small step as it was solved, from what is remembered of contact at the start of the large one: so it is at the
   end too. */
static JnStatus check_part(Regional *regional, FastPart *part, JnMessage *message) {
    const FastSet *set = part->region->set;
    size_t n = 3 * (size_t)set->vertex_count;
    double *moved = part->pushes + 2 * set->ratio * n;
    JnStatus status = JN_OK;
    if (!view_archive(part->view, memory_archive_load(&part->beginning)))
        return status_no_memory(message, "contact of a fast region");
    memset(moved, 0, n * sizeof(double));
    regional->keeps_touches = false;
    for (uint32_t r = 0; status == JN_OK && !regional->touches && r < set->ratio; ++r) {
        const double *velocities = part->track + r * n;
        bool more = false;
        place(regional, part, moved, NULL, regional->fast_positions);
        for (size_t i = 0; i < n; ++i) {
            size_t at = 3 * (size_t)set->vertices[i / 3] + i % 3;
            regional->fast_velocities[at] = set->kinds[i / 3] != FAST_INSIDE ? velocities[i]
                                            : r == 0                         ? regional->start_velocity[at]
                                                                             : velocities[(ptrdiff_t)i - (ptrdiff_t)n];
        }
        status = begin(regional, part, r, message);
        scatter(set, velocities, regional->scratch);
        if (status == JN_OK && fast_contact_look(part->contact) == FAST_TOUCHES_OTHERS)
            regional->touches = true;
        if (status == JN_OK)
            status = view_look_again(part->view, regional->scratch, &more, message);
        regional->touches |= more;
        if (status == JN_OK && !regional->touches)
            status = check_way(regional, part, moved, velocities, message);
        for (size_t i = 0; i < n; ++i)
            moved[i] += part->region->h * velocities[i];
    }
    return status;
}

JnStatus regional_check_touching(Regional *regional, const double *q, bool *more, JnMessage *message) {
    JnStatus status = JN_OK;
    for (uint32_t k = 0; status == JN_OK && regional->plain && k < regional->sets.count; ++k) {
        FastPart *part = &regional->parts[k];
        bool unforeseen = false;
        if (part->touching) {
            status = check_part(regional, part, message);
            continue;
        }
        status = view_look_again(part->view, q, &unforeseen, message);
        part->touching = unforeseen;
        regional->touches |= unforeseen && !part->contact;
        *more |= unforeseen;
    }
    return status;
}
