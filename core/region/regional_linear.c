/* The small steps with forces that are linear around the start of the large one. */
#include "region/regional_internal.h"

#include "base/os/os.h"
#include "base/status.h"

#include <string.h>

JnStatus regional_find_answer(Regional *regional, FastPart *part, JnMessage *message) {
    double since = os_clock_seconds();
    part->counts = (AnswerCounts){.h = regional->h, .spent = fast_region_answer_flops(part->region)};
    JnStatus status = fast_region_find_answer(part->region, regional->start, message);
    part->view->system->times.solve += os_clock_seconds() - since;
    return status;
}

/* An old answer costs rounds, a new one runs of every unit velocity of the border. It is found anew when the latest
   step cost more than a step on average since the last time, with that itself: a new one then lowers the average. The
   answer of a linear material is never old. */
static bool answer_is_too_old(const Regional *regional, const AnswerCounts *counts) {
    return counts->h != regional->h || counts->latest * counts->steps > counts->spent;
}

void regional_set_small_time(Regional *regional, FastPart *part, uint32_t r) {
    double time = regional->time, h = regional->h;
    uint32_t ratio = part->region->set->ratio;
    view_set_time(part->view, time + h * (r - 1) / ratio, time + h * r / ratio);
}

/* Adds the forces of some terms at the start of the large step, with the inputs of the view's time. */
static JnStatus add_forces(Regional *regional, FastPart *part, uint32_t roles, double *forces, JnMessage *message) {
    const FastSet *set = part->region->set;
    JnStatus status = view_force(part->view, roles, regional->start, NULL, regional->force, message);
    for (size_t i = 0; i < 3 * (size_t)set->vertex_count; ++i)
        forces[i] += regional->force[3 * (size_t)set->vertices[i / 3] + i % 3];
    return status;
}

void regional_find_held(const Regional *regional, FastPart *part, uint32_t r) {
    const FastSet *set = part->region->set;
    size_t n = 3 * (size_t)set->vertex_count;
    for (size_t i = 0; i < n; ++i)
        if (set->kinds[i / 3] == FAST_HELD) {
            size_t at = 3 * (size_t)set->vertices[i / 3] + i % 3;
            double target = part->view->prescribed_positions[at] - regional->start[at];
            part->held[(r - 1) * n + i] = (target - part->moved[i]) / part->region->h;
            part->moved[i] = target;
        }
}

/* Forces of some terms in small step r. */
static JnStatus find_forces(Regional *regional, FastPart *part, uint32_t r, uint32_t roles, double *forces,
                            JnMessage *message) {
    memset(forces, 0, 3 * (size_t)part->region->set->vertex_count * sizeof(double));
    regional_set_small_time(regional, part, r);
    return add_forces(regional, part, roles, forces, message);
}

/* Forces in all small steps, of which those of the first and of the last are there and differ. Those of elements are
   the same in all if they are in these two: unless they become stiffer by keys, or their rest shape follows. */
static JnStatus find_changing_forces(Regional *regional, FastPart *part, JnMessage *message) {
    const uint32_t elastic = TERM_ROLE_BIT(TERM_ELASTIC);
    const FastSet *set = part->region->set;
    size_t n = 3 * (size_t)set->vertex_count, bytes = n * sizeof(double);
    double *first = part->impulse, *last = part->velocities; /* which the small steps will overwrite */
    JnStatus status = find_forces(regional, part, 1, elastic, first, message);
    if (status == JN_OK)
        status = find_forces(regional, part, set->ratio, elastic, last, message);
    bool same = memcmp(first, last, bytes) == 0;
    for (uint32_t r = 2; status == JN_OK && r < set->ratio; ++r) {
        double *forces = part->forces + (r - 1) * n;
        status = find_forces(regional, part, r, same ? ALL_BUT_CONTACT & ~elastic : ALL_BUT_CONTACT, forces, message);
        for (size_t i = 0; same && i < n; ++i)
            forces[i] += first[i];
    }
    return status;
}

/* Forces and pins in all small steps. What is the same in the first and in the last of them is so in all. */
static JnStatus find_inputs(Regional *regional, FastPart *part, JnMessage *message) {
    const FastSet *set = part->region->set;
    size_t n = 3 * (size_t)set->vertex_count, bytes = n * sizeof(double);
    double *first = part->forces, *last = part->forces + (set->ratio - 1) * n;
    bool is_held = set->vertex_count > set->inside_count + set->border_count;
    JnStatus status = find_forces(regional, part, set->ratio, ALL_BUT_CONTACT, last, message);
    if (status == JN_OK)
        status = find_forces(regional, part, 1, ALL_BUT_CONTACT, first, message);
    if (status == JN_OK && memcmp(first, last, bytes) != 0)
        status = find_changing_forces(regional, part, message);
    else
        for (uint32_t r = 2; r < set->ratio; ++r)
            memcpy(part->forces + (r - 1) * n, first, bytes);
    memset(part->moved, 0, bytes);
    for (uint32_t r = 1; status == JN_OK && is_held && r <= set->ratio; ++r) {
        regional_set_small_time(regional, part, r);
        regional_find_held(regional, part, r);
    }
    return status;
}

JnStatus regional_begin_part(Regional *regional, FastPart *part, JnMessage *message) {
    double time = regional->time, h = regional->h;
    bool returns = part->newton || part->contact; /* to where the large step begins */
    if (returns && !view_archive(part->view, memory_archive_save(&part->beginning)))
        return status_no_memory(message, "the fast regions");
    view_set_time(part->view, time, time + h);
    JnStatus status =
        view_begin_step(part->view, &(StepStart){regional->start, regional->start_velocity, h, false}, message);
    part->touching = view_may_touch(part->view);
    regional->touches |= part->touching && !regional_touching_pays(regional, part);
    if (regional->touches)
        return status;
    if (status == JN_OK)
        status = regional_take_matrices(regional, part, message);
    if (status == JN_OK && answer_is_too_old(regional, &part->counts))
        status = regional_find_answer(regional, part, message);
    else if (status == JN_OK)
        fast_region_turn_answer(part->region, regional->start);
    /* after a resume */
    if (status == JN_OK && fast_region_lacks_ends(part->region) && fast_region_answer_is_exact(part->region))
        status = fast_region_find_answer(part->region, regional->start, message);
    part->followed = false;
    if (status != JN_OK)
        return status;
    /* the expected way knows of no contact, and would lead through what is touched */
    bool follows = part->newton || (system_stiffness_turns(part->view->system) && !part->touching);
    return follows ? regional_follow(regional, part, message) : find_inputs(regional, part, message);
}

JnStatus regional_run_linear(Regional *regional, FastPart *part, JnMessage *message) {
    const FastSet *set = part->region->set;
    size_t n = (size_t)set->vertex_count * 3;
    bool again = !part->followed || part->touching;
    part->followed = false;
    for (size_t i = 0; again && i < n; ++i) {
        size_t at = 3 * (size_t)set->vertices[i / 3] + i % 3;
        part->velocities[i] =
            set->kinds[i / 3] == FAST_INSIDE ? regional->start_velocity[at] : regional->slow_velocity[at];
    }
    const FastPush push = part->touching ? regional_push(part) : (FastPush){NULL, NULL, NULL};
    const FastRun run = {.columns = 1,
                         .forces = part->forces,
                         .held = part->held,
                         .velocities = part->velocities,
                         .moved = part->moved,
                         .impulse = part->impulse,
                         .way = part->way,
                         .push = part->touching ? &push : NULL,
                         .squares = &regional->squares};
    double since = os_clock_seconds();
    JnStatus status = again ? fast_region_run(part->region, &run, message) : JN_OK;
    part->view->system->times.solve += os_clock_seconds() - since;
    regional->squares += again ? 0 : part->squares;
    for (size_t i = 0; status == JN_OK && i < n; ++i)
        regional->impulse[3 * (size_t)set->vertices[i / 3] + i % 3] += part->impulse[i];
    return status;
}
