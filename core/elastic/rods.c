#include "elastic/rods.h"

#include "base/status.h"
#include "elastic/fibre_turns.h"
#include "elastic/scatter.h"

#include <stdlib.h>
#include <string.h>

/* As in tet_elements.c: fixed, because the order of the sums depends on it. */
enum { PARTS = 32 };

typedef struct Rods {
    RodSegment *segments;
    uint32_t segment_count;
    double *stiffness_factors; /* [group_count], of the moment */
    uint32_t group_count;
    const double *masses; /* [vertex_count] borrowed */
    RodRest *modelled;    /* [segment_count]: without animation; NULL: no rest shape follows it */
    uint32_t part_starts[PARTS + 1];
    double part_energies[PARTS]; /* summed in order */
    /* where each segment adds: its vertices' forces, and its blocks */
    uint32_t *force_places, *block_places;
    Scatter force_scatter, block_scatter;
} Rods;

/* ------------------------------------------------------------------------------------------------ evaluation */

typedef struct PartWork {
    Rods *rods;
    Evaluation *evaluation;
} PartWork;

static void add_results(Rods *rods, size_t k, const RodWork *work, Evaluation *e) {
    for (size_t i = 0; e->force && i < ROD_VERTICES; ++i) {
        double *force = scatter_at(&rods->force_scatter, e->force, rods->force_places[ROD_VERTICES * k + i]);
        for (int j = 0; j < 3; ++j)
            force[j] += work->force[i][j];
    }
    for (size_t b = 0; e->matrix && b < ROD_BLOCKS; ++b) {
        double *block = scatter_at(&rods->block_scatter, e->matrix->values, rods->block_places[ROD_BLOCKS * k + b]);
        for (int i = 0; i < 9; ++i)
            block[i] += work->blocks[b][i];
    }
}

static bool is_active(const RodSegment *segment, const ElementSubset *subset) {
    uint32_t vertices[ROD_VERTICES];
    for (uint32_t i = 0; i < ROD_VERTICES; ++i)
        vertices[i] = rod_vertex(segment, i);
    return element_subset_has(subset, vertices, ROD_VERTICES);
}

static void evaluate_part(void *context, uint32_t part) {
    const PartWork *part_work = context;
    Rods *rods = part_work->rods;
    Evaluation *e = part_work->evaluation;
    RodWork work = {.q = e->q,
                    .v = e->v,
                    .stiffness_scale = e->stiffness_scale,
                    .damping_scale = e->damping_scale,
                    .stiffness = e->stiffness,
                    .wants_force = e->force != NULL,
                    .wants_blocks = e->matrix != NULL};
    double energy = 0;
    for (uint32_t k = rods->part_starts[part]; k < rods->part_starts[part + 1]; ++k) {
        const RodSegment *segment = &rods->segments[k];
        if (!is_active(segment, &e->subset))
            continue;
        work.stiffness_factor = rods->stiffness_factors[segment->group];
        rod_segment_evaluate(segment, &work);
        add_results(rods, k, &work, e);
        energy += work.energy;
    }
    rods->part_energies[part] = energy;
}

static JnStatus evaluate(void *self, const void *lag, Evaluation *e, JnMessage *message) {
    (void)lag, (void)message;
    Rods *rods = self;
    if (e->force)
        scatter_clear(&rods->force_scatter);
    if (e->matrix)
        scatter_clear(&rods->block_scatter);
    pool_run(e->pool, PARTS, evaluate_part, &(PartWork){rods, e});
    if (e->force)
        scatter_reduce(&rods->force_scatter, e->force);
    if (e->matrix)
        scatter_reduce(&rods->block_scatter, e->matrix->values);
    if (e->energy)
        for (int part = 0; part < PARTS; ++part)
            *e->energy += rods->part_energies[part];
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ the term */

static void destroy(void *self) {
    Rods *rods = self;
    if (!rods)
        return;
    free(rods->segments);
    free(rods->stiffness_factors);
    free(rods->modelled);
    free(rods->force_places);
    free(rods->block_places);
    scatter_free(&rods->force_scatter);
    scatter_free(&rods->block_scatter);
    free(rods);
}

static void scale_damping(void *self, uint32_t group, double factor) {
    Rods *rods = self;
    for (uint32_t k = 0; k < rods->segment_count; ++k)
        if (rods->segments[k].group == group)
            rods->segments[k].stiffness_damping *= factor;
}

static void set_moment(void *self, const Moment *moment, Pool *pool) {
    (void)pool;
    Rods *rods = self;
    memcpy(rods->stiffness_factors, moment->stiffness_factors, rods->group_count * sizeof(double));
    for (uint32_t k = 0; rods->modelled && k < rods->segment_count; ++k) {
        RodSegment *segment = &rods->segments[k];
        if (!(segment->rest_follows > 0))
            continue;
        RodRest animated = rod_rest_at(segment, moment->targets);
        RodRest rest = rod_rest_between(&rods->modelled[k], &animated, segment->rest_follows);
        rod_set_rest(segment, &rest);
    }
}

static bool follow_turns(const void *self, const uint8_t *roles, TurnKind kind, const double *q0, double *q1) {
    const Rods *rods = self;
    for (uint32_t k = 0, end; k < rods->segment_count; k = end) {
        for (end = k + 1; end < rods->segment_count; ++end)
            if (rods->segments[end].sections[0] != rods->segments[end - 1].sections[1])
                break;
        fibre_follow_turns(rods->segments + k, end - k, &(FibreStep){rods->masses, roles, kind, q0, q1});
    }
    return rods->segment_count > 0;
}

static bool stiffness_turns(const void *self) {
    (void)self;
    return true;
}

static const TermOperations operations = {.name = "rods",
                                          .role = TERM_ELASTIC,
                                          .has_potential = true,
                                          .evaluate = evaluate,
                                          .destroy = destroy,
                                          .set_moment = set_moment,
                                          .follow_turns = follow_turns,
                                          .stiffness_turns = stiffness_turns,
                                          .scale_damping = scale_damping};

/* Cuts the segments into parts and finds where each adds its forces and blocks. */
static JnStatus plan_scatter(Rods *rods, uint32_t vertex_count, const BlockMatrix *matrix, JnMessage *message) {
    size_t count = rods->segment_count, force_starts[PARTS + 1], block_starts[PARTS + 1];
    for (size_t part = 0; part <= PARTS; ++part) {
        rods->part_starts[part] = (uint32_t)(count * part / PARTS);
        force_starts[part] = (size_t)ROD_VERTICES * rods->part_starts[part];
        block_starts[part] = (size_t)ROD_BLOCKS * rods->part_starts[part];
    }
    uint32_t *force_place = rods->force_places = malloc((count * ROD_VERTICES + 1) * sizeof *force_place);
    uint32_t *block_place = rods->block_places = malloc((count * ROD_BLOCKS + 1) * sizeof *block_place);
    if (!force_place || !block_place)
        return status_no_memory(message, "the fibres");
    for (size_t k = 0; k < count; ++k)
        for (uint32_t c = 0; c < ROD_VERTICES; ++c) {
            uint32_t i = rod_vertex(&rods->segments[k], c);
            *force_place++ = i;
            for (uint32_t d = 0; d <= c; ++d) {
                uint32_t j = rod_vertex(&rods->segments[k], d);
                *block_place++ = i >= j ? block_matrix_find(matrix, i, j) : block_matrix_find(matrix, j, i);
            }
        }
    JnStatus status =
        scatter_build(vertex_count, 3, PARTS, force_starts, rods->force_places, &rods->force_scatter, message);
    if (status == JN_OK)
        status = scatter_build(matrix->block_count, 9, PARTS, block_starts, rods->block_places, &rods->block_scatter,
                               message);
    return status;
}

/* Sets the rest shapes, and keeps them if any follows the animation. */
static JnStatus set_rests(Rods *rods, const double *rest_positions, JnMessage *message) {
    bool any = false;
    for (uint32_t k = 0; k < rods->segment_count; ++k)
        any |= rods->segments[k].rest_follows > 0;
    rods->modelled = any ? malloc(rods->segment_count * sizeof *rods->modelled) : NULL;
    if (any && !rods->modelled)
        return status_no_memory(message, "the fibres");
    for (uint32_t k = 0; k < rods->segment_count; ++k) {
        RodRest rest = rod_rest_at(&rods->segments[k], rest_positions);
        rod_set_rest(&rods->segments[k], &rest);
        if (any)
            rods->modelled[k] = rest;
    }
    return JN_OK;
}

JnStatus rods_create(const double *rest_positions, const double *masses, uint32_t vertex_count,
                     const RodSegment *segments, uint32_t segment_count, uint32_t group_count,
                     const BlockMatrix *matrix, ForceTerm *term, JnMessage *message) {
    Rods *rods = calloc(1, sizeof *rods);
    if (!rods)
        return status_no_memory(message, "the fibres");
    rods->segment_count = segment_count;
    rods->group_count = group_count;
    rods->masses = masses;
    rods->segments = malloc(((size_t)segment_count + 1) * sizeof *rods->segments);
    rods->stiffness_factors = malloc(((size_t)group_count + 1) * sizeof(double));
    JnStatus status = rods->segments && rods->stiffness_factors ? JN_OK : status_no_memory(message, "the fibres");
    for (uint32_t group = 0; status == JN_OK && group < group_count; ++group)
        rods->stiffness_factors[group] = 1;
    if (status == JN_OK) {
        memcpy(rods->segments, segments, segment_count * sizeof *segments);
        status = set_rests(rods, rest_positions, message);
    }
    if (status == JN_OK)
        status = plan_scatter(rods, vertex_count, matrix, message);
    if (status != JN_OK) {
        destroy(rods);
        return status;
    }
    *term = (ForceTerm){&operations, rods};
    return JN_OK;
}
