/* The matrices of a set in a large step. Those of linear elements change by keys alone: they are kept. */
#include "region/regional_internal.h"

#include "base/os/os.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

JnStatus regional_prepare_matrices(FastPart *part, JnMessage *message) {
    const System *system = part->view->system;
    if (system_stiffness_turns(system))
        return JN_OK;
    size_t groups = part->view->moment.group_count;
    part->elastic.blocks = malloc((18 * (size_t)part->region->stiffness.block_count + groups + 1) * sizeof(double));
    if (!part->elastic.blocks)
        return status_no_memory(message, "the fast regions");
    part->elastic.factors = part->elastic.blocks + 18 * (size_t)part->region->stiffness.block_count;
    return JN_OK;
}

/* Writes the blocks that are kept of K and D of elements to matrices of the system, or, if `keep`, reads them. */
static void move_kept(Regional *regional, FastPart *part, bool keep) {
    const FastRegion *region = part->region;
    size_t count = region->stiffness.block_count;
    for (size_t k = 0; k < 2 * count; ++k) {
        double *of_system = (k < count ? regional->stiffness.values : regional->damping.values) +
                            9 * (size_t)region->sources[k % count];
        double *kept = part->elastic.blocks + 9 * k;
        memcpy(keep ? kept : of_system, keep ? of_system : kept, 9 * sizeof(double));
    }
}

/* Whether what is kept holds for this step. */
static bool is_kept(const FastPart *part, StiffnessKind kind) {
    const Moment *moment = &part->view->moment;
    return part->elastic.known && part->elastic.kind == kind &&
           memcmp(part->elastic.factors, moment->stiffness_factors, moment->group_count * sizeof(double)) == 0;
}

/* Adds K of some terms, and their D. */
static JnStatus add_terms(Regional *regional, FastPart *part, StiffnessKind kind, uint32_t roles, bool damped,
                          JnMessage *message) {
    uint64_t projected = 0;
    Evaluation evaluation = {.q = regional->start,
                             .matrix = &regional->stiffness,
                             .pairs = &regional->no_pairs,
                             .stiffness_scale = 1,
                             .stiffness = kind,
                             .projected = &projected};
    JnStatus status = view_evaluate(part->view, roles, evaluation, message);
    evaluation.matrix = &regional->damping;
    evaluation.stiffness_scale = 0;
    evaluation.damping_scale = 1;
    return status == JN_OK && damped ? view_evaluate(part->view, roles, evaluation, message) : status;
}

/* K and D of the elements with a vertex inside, with the inputs of the large step's end. */
static JnStatus assemble(Regional *regional, FastPart *part, StiffnessKind kind, JnMessage *message) {
    const uint32_t elastic = TERM_ROLE_BIT(TERM_ELASTIC);
    const Moment *moment = &part->view->moment;
    JnStatus status = JN_OK;
    fast_region_clear_blocks(part->region, &regional->stiffness);
    fast_region_clear_blocks(part->region, &regional->damping);
    if (is_kept(part, kind)) {
        move_kept(regional, part, false);
    } else {
        status = add_terms(regional, part, kind, elastic, part->elements_damp != ELEMENTS_UNDAMPED, message);
        if (status == JN_OK && part->elastic.blocks) {
            move_kept(regional, part, true);
            memcpy(part->elastic.factors, moment->stiffness_factors, moment->group_count * sizeof(double));
            part->elastic.kind = kind;
            part->elastic.known = true;
        }
    }
    /* how much of its stiffness an element has as damping does not change in a bake */
    if (status == JN_OK && part->elements_damp == ELEMENTS_UNKNOWN)
        part->elements_damp =
            fast_region_has_blocks(part->region, &regional->damping) ? ELEMENTS_DAMPED : ELEMENTS_UNDAMPED;
    return status == JN_OK ? add_terms(regional, part, kind, ALL_BUT_CONTACT & ~elastic, true, message) : status;
}

JnStatus regional_take_matrices(Regional *regional, FastPart *part, JnMessage *message) {
    FastRegion *region = part->region;
    StiffnessKind kind = part->view->stiffness;
    JnStatus status = JN_OK;
    do {
        status = assemble(regional, part, kind, message);
        double since = os_clock_seconds();
        if (status == JN_OK)
            status = fast_region_take(region, &regional->stiffness, &regional->damping,
                                      regional->h / region->set->ratio, message);
        part->view->system->times.factor += os_clock_seconds() - since;
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
