/* Small time steps where the effect fast is painted. */
#include "bake/bake_internal.h"

#include "base/hash.h"
#include "base/status.h"
#include "region/fast_region.h"
#include "region/regional.h"
#include "system/jacobian.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fast_regions_painted(const JnBake *bake) {
    bool any = false;
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        any |= bake->model.bodies[b].has_fast;
    return any;
}

/* The ratios of all vertices; NULL: out of memory. *any: whether some that are not pinned take small steps. */
static uint32_t *join_ratios(const JnBake *bake, bool *any) {
    uint32_t *ratios = calloc((size_t)bake->model.vertex_count + 1, sizeof *ratios);
    *any = false;
    for (uint32_t b = 0; ratios && b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        for (uint32_t v = 0; v < body->mesh.vertex_count; ++v) {
            ratios[body->first_vertex + v] = body->fast_ratios[v];
            *any |= body->fast_ratios[v] > 1 && view_is_free(bake->motion.view, body->first_vertex + v);
        }
    }
    return ratios;
}

/* What fast regions cannot go with. */
static JnStatus check_company(const JnBake *bake, JnMessage *message) {
    const Integrator *method = bake->model.integrator;
    if (!regional_method(method))
        return status_fail(
            message, JN_ERR_ARGUMENT,
            "the effect fast is painted, but the integrator %s takes one time step for all: choose %s, or "
            "remove the effect",
            method->entry.name, regional_names);
    return JN_OK;
}

/* Whether matrices do not change from step to step. */
static bool is_linear(const JnBake *bake) {
    bool linear = bake->model.spring_count == 0 && bake->model.rod_count == 0;
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        linear &= !(bake->model.bodies[b].law->traits & MATERIAL_ROTATES);
    return linear;
}

/* Tets, and what costs as much to assemble: six springs or one segment of a fibre. */
static uint32_t element_count(const JnBake *bake) {
    return bake->model.tet_count + bake->model.spring_count / 6 + bake->model.rod_count;
}

JnStatus fast_regions_predict(const JnBake *bake, const uint32_t *ratios, double *with, double *small,
                              JnMessage *message) {
    const View *view = bake->motion.view;
    RegionalScene scene = {.vertex_count = bake->model.vertex_count,
                           .tet_count = element_count(bake),
                           .constant = is_linear(bake),
                           .solves_fully = strcmp(bake->model.integrator->entry.name, "be") == 0};
    FastSets sets;
    JnStatus status = fast_sets_build(&view->system->pattern, view->roles, ratios, &sets, message);
    solver_report(view->jacobian->linear->solver, &scene.whole);
    *with = *small = 1;
    for (uint32_t k = 0; status == JN_OK && k < sets.count; ++k) {
        FastRegion *region = NULL;
        SolverReport inside;
        status = fast_region_create(&sets.sets[k], &view->system->pattern, view->system->masses, &region, message);
        if (status == JN_OK) {
            solver_report(region->solver, &inside);
            RegionalCost cost = regional_cost(&scene, &sets.sets[k], sets.sets[sets.count - 1].ratio, &inside);
            *with += cost.region / cost.large;
            *small = cost.small / cost.large;
        }
        fast_region_destroy(region);
    }
    fast_sets_free(&sets);
    return status;
}

/* Lists the regions, and what they are expected to cost. *small: whether small steps for all cost less. */
static JnStatus list_regions(JnBake *bake, bool *small, JnMessage *message) {
    const void *self = bake->motion.integrator_self;
    const FastSets *sets = regional_sets(self);
    double large = 0, all_small = 0, all = 0;
    bake->model.fast_regions = calloc((size_t)sets->count + 1, sizeof *bake->model.fast_regions);
    if (!bake->model.fast_regions)
        return status_no_memory(message, "the fast regions");
    bake->model.fast_region_count = sets->count;
    for (uint32_t k = 0; k < sets->count; ++k) {
        const FastSet *set = &sets->sets[k];
        RegionalCost cost = regional_set_cost(self, bake->motion.view, element_count(bake), is_linear(bake), k);
        bake->model.fast_regions[k] =
            (JnFastRegion){.struct_size = sizeof(JnFastRegion),
                           .ratio = set->ratio,
                           .vertex_count = set->inside_count,
                           .border_count = set->border_count,
                           .island_count = set->island_count,
                           .cost_of_large = (cost.large + cost.region) / cost.large,
                           .cost_of_small = (cost.large + cost.region) / cost.small,
                           .hastened = sets->hastened_vertex != UINT32_MAX && set->marked[sets->hastened_vertex]};
        large = cost.large;
        all_small = cost.small;
        all += cost.region;
    }
    *small = large + all > all_small;
    return JN_OK;
}

/* Small steps for all take the place of the regions, because of their border, or because a linear small step would not
   follow how fibres turn. */
static JnStatus take_small_steps(JnBake *bake, bool turns, JnMessage *message) {
    uint32_t ratio = bake->model.fast_regions[bake->model.fast_region_count - 1].ratio, border = 0;
    char reason[120];
    bake->model.stepper->destroy(bake->motion.integrator_self);
    bake->motion.integrator_self = NULL;
    bake->model.stepper = bake->model.integrator;
    bake->settings.steps_per_frame *= ratio;
    for (uint32_t k = 0; k < bake->model.fast_region_count; ++k) {
        bake->model.fast_regions[k].for_all = 1;
        border += bake->model.fast_regions[k].border_count;
    }
    hash_mix(&bake->model.input_hash, &bake->settings.steps_per_frame, sizeof bake->settings.steps_per_frame);
    snprintf(reason, sizeof reason,
             turns ? "fibres turn in every one of them"
                   : "these regions have a border of %u vertices, and to solve for it would take longer",
             border);
    snprintf(bake->output.choice, sizeof bake->output.choice,
             "%s, with the small time steps of the fast regions for all, %u a frame: %s",
             bake->model.integrator->entry.name, bake->settings.steps_per_frame, reason);
    return bake->model.stepper->prepare(bake->motion.view, &bake->model.method_options, &bake->motion.integrator_self,
                                        message);
}

JnStatus fast_regions_prepare(JnBake *bake, JnMessage *message) {
    uint32_t *ratios = NULL;
    bool any = false, small = false;
    JnStatus status = JN_OK;
    bake->model.stepper = bake->model.integrator;
    if (fast_regions_painted(bake)) {
        ratios = join_ratios(bake, &any);
        status = ratios ? check_company(bake, message) : status_no_memory(message, "the fast regions");
    }
    MethodOptions options = bake->model.method_options;
    if (status == JN_OK && any) {
        bake->model.stepper = regional_method(bake->model.integrator);
        options.variant = bake->model.stepper->variant;
        options.ratios = ratios;
    }
    if (status == JN_OK)
        status = bake->model.stepper->prepare(bake->motion.view, &options, &bake->motion.integrator_self, message);
    free(ratios);
    if (status == JN_OK && any)
        status = list_regions(bake, &small, message);
    bool turns = view_has_turns(bake->motion.view);
    return status == JN_OK && any && (small || turns) ? take_small_steps(bake, turns, message) : status;
}

void fast_regions_add_solvers(const JnBake *bake, SolverReport *report) {
    if (bake->model.stepper != bake->model.integrator && bake->motion.integrator_self)
        regional_add_solvers(bake->motion.integrator_self, report);
}

uint32_t jn_bake_fast_region_count(const JnBake *bake) {
    return bake ? bake->model.fast_region_count : 0;
}

JnStatus jn_bake_fast_region(const JnBake *bake, uint32_t index, JnFastRegion *region, JnMessage *message) {
    if (!bake || !region || region->struct_size != sizeof *region)
        return status_fail(message, bake && region ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a bake and a JnFastRegion whose struct_size is %zu", sizeof *region);
    if (index >= bake->model.fast_region_count)
        return status_fail(message, JN_ERR_ARGUMENT, "index is %u, but the bake has %u fast regions", index,
                           bake->model.fast_region_count);
    status_clear(message);
    *region = bake->model.fast_regions[index];
    return JN_OK;
}
