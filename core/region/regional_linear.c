/* The small steps with forces that are linear around the start of the large one. */
#include "region/regional_internal.h"

#include "base/status.h"

#include <string.h>

/* K and D of the elements with a vertex inside, with the inputs of the large step's end. */
static JnStatus assemble(Regional *regional, FastPart *part, StiffnessKind kind, JnMessage *message) {
    uint64_t projected = 0;
    Evaluation evaluation = {.q = regional->start,
                             .matrix = &regional->stiffness,
                             .pairs = &regional->no_pairs,
                             .stiffness_scale = 1,
                             .stiffness = kind,
                             .projected = &projected};
    fast_region_clear_blocks(part->region, &regional->stiffness);
    fast_region_clear_blocks(part->region, &regional->damping);
    JnStatus status = view_evaluate(part->view, ALL_BUT_CONTACT, evaluation, message);
    evaluation.matrix = &regional->damping;
    evaluation.stiffness_scale = 0;
    evaluation.damping_scale = 1;
    return status == JN_OK ? view_evaluate(part->view, ALL_BUT_CONTACT, evaluation, message) : status;
}

static JnStatus take_matrices(Regional *regional, FastPart *part, JnMessage *message) {
    FastRegion *region = part->region;
    StiffnessKind kind = part->view->stiffness;
    JnStatus status = JN_OK;
    do {
        status = assemble(regional, part, kind, message);
        if (status == JN_OK)
            status = fast_region_take(region, &regional->stiffness, &regional->damping,
                                      regional->h / region->set->ratio, message);
        if (status != JN_OK || region->solvable || kind != STIFFNESS_SAFE)
            break;
        ++part->view->system->projected_count;
        kind = STIFFNESS_PROJECTED;
    } while (true);
    if (status == JN_OK && !region->solvable)
        return status_fail(message, JN_ERR_DIVERGED,
                           "the matrix of a fast region is not positive definite, so its motion has diverged: use more "
                           "steps_per_frame");
    return status;
}

JnStatus regional_find_answer(Regional *regional, FastPart *part, JnMessage *message) {
    part->counts = (AnswerCounts){.h = regional->h, .spent = fast_region_answer_flops(part->region)};
    return fast_region_find_answer(part->region, regional->start, message);
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

/* Forces in small step r, without and with those of elements, which are in part->impulse if `elastic_known`. */
static JnStatus find_forces(Regional *regional, FastPart *part, uint32_t r, bool elastic_known, JnMessage *message) {
    const uint32_t elastic = TERM_ROLE_BIT(TERM_ELASTIC);
    size_t n = 3 * (size_t)part->region->set->vertex_count;
    double *forces = part->forces + (r - 1) * n, *known = part->impulse; /* which the small steps will overwrite */
    JnStatus status = JN_OK;
    regional_set_small_time(regional, part, r);
    if (!elastic_known) {
        memset(known, 0, n * sizeof(double));
        status = add_forces(regional, part, elastic, known, message);
    }
    memcpy(forces, known, n * sizeof(double));
    return status == JN_OK ? add_forces(regional, part, ALL_BUT_CONTACT & ~elastic, forces, message) : status;
}

/* Forces and pins in all small steps. What is the same in the first and in the last of them is so in all: elements,
   unless they become stiffer by keys or their rest shape follows the animation; and loads. */
static JnStatus find_inputs(Regional *regional, FastPart *part, JnMessage *message) {
    const FastSet *set = part->region->set;
    size_t n = 3 * (size_t)set->vertex_count, bytes = n * sizeof(double);
    double *first = part->forces, *last = part->forces + (set->ratio - 1) * n, *elastic_last = part->velocities;
    bool is_held = set->vertex_count > set->inside_count + set->border_count;
    JnStatus status = find_forces(regional, part, set->ratio, false, message);
    memcpy(elastic_last, part->impulse, bytes);
    if (status == JN_OK)
        status = find_forces(regional, part, 1, false, message);
    bool elastic_same = memcmp(elastic_last, part->impulse, bytes) == 0, all_same = memcmp(first, last, bytes) == 0;
    memset(part->moved, 0, bytes);
    for (uint32_t r = 1; status == JN_OK && r <= set->ratio; ++r) {
        if (all_same)
            memmove(part->forces + (r - 1) * n, first, bytes);
        else if (r > 1 && r < set->ratio)
            status = find_forces(regional, part, r, elastic_same, message);
        if (is_held) {
            regional_set_small_time(regional, part, r);
            regional_find_held(regional, part, r);
        }
    }
    return status;
}

JnStatus regional_begin_part(Regional *regional, FastPart *part, JnMessage *message) {
    double time = regional->time, h = regional->h;
    if (part->newton && !view_archive(part->view, memory_archive_save(&part->beginning)))
        return status_no_memory(message, "the fast regions");
    view_set_time(part->view, time, time + h);
    JnStatus status =
        view_begin_step(part->view, &(StepStart){regional->start, regional->start_velocity, h, false}, message);
    regional->touches |= view_may_touch(part->view);
    if (regional->touches)
        return status;
    if (status == JN_OK)
        status = take_matrices(regional, part, message);
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
    return part->newton || system_stiffness_turns(part->view->system) ? regional_follow(regional, part, message)
                                                                      : find_inputs(regional, part, message);
}

JnStatus regional_run_linear(Regional *regional, FastPart *part, JnMessage *message) {
    const FastSet *set = part->region->set;
    size_t n = (size_t)set->vertex_count * 3;
    bool again = !part->followed;
    part->followed = false;
    for (size_t i = 0; again && i < n; ++i) {
        size_t at = 3 * (size_t)set->vertices[i / 3] + i % 3;
        part->velocities[i] =
            set->kinds[i / 3] == FAST_INSIDE ? regional->start_velocity[at] : regional->slow_velocity[at];
    }
    const FastRun run = {.columns = 1,
                         .forces = part->forces,
                         .held = part->held,
                         .velocities = part->velocities,
                         .moved = part->moved,
                         .impulse = part->impulse,
                         .way = part->way,
                         .squares = &regional->squares};
    JnStatus status = again ? fast_region_run(part->region, &run, message) : JN_OK;
    regional->squares += again ? 0 : part->squares;
    for (size_t i = 0; status == JN_OK && i < n; ++i)
        regional->impulse[3 * (size_t)set->vertices[i / 3] + i % 3] += part->impulse[i];
    return status;
}
