/* With r = sum over the stencil of w_a x_a, n = r / l and f the pull:

       force on vertex a: -w_a f n,      stiffness of vertices a, b: w_a w_b H,
       H = f' n n' + (f / l) (I - n n'),

   whose eigenvalues are f' along the spring, never negative, and f / l across it, negative where the spring is
   compressed: the projection drops it. The weights sum to 0, and so do the forces. */
#include "elastic/springs.h"

#include "base/math3.h"
#include "base/status.h"
#include "elastic/scatter.h"

#include <stdlib.h>
#include <string.h>

/* As in tet_elements.c: fixed, because the order of the sums depends on it. */
enum { PARTS = 32, STENCIL_LARGEST = 4 };

/* Below this fraction of its rest length a spring has no direction: there its force goes to 0 with its length. */
static const double SHORTEST_LENGTH = 1e-6;

static const struct {
    uint32_t size;
    double weights[STENCIL_LARGEST];
} stencils[] = {
    [SPRING_VERTICES] = {2, {1, -1}},
    [SPRING_TO_TRIANGLE] = {4, {1, -1.0 / 3, -1.0 / 3, -1.0 / 3}},
};

typedef struct Springs {
    Spring *springs; /* along a curve, part after part */
    uint32_t spring_count;
    double *stiffness_factors; /* [group_count], of the moment */
    uint32_t group_count;
    double *modelled_lengths; /* [spring_count] at rest, without animation; NULL: no rest length follows the
                                 animation */
    uint32_t part_starts[PARTS + 1];
    double part_energies[PARTS]; /* summed in order */
    /* where each spring adds: its vertices' forces, and its blocks (a, b) for b <= a of the stencil, row by row */
    uint32_t *force_places, *block_places;
    size_t force_starts[PARTS + 1], block_starts[PARTS + 1];
    Scatter force_scatter, block_scatter;
} Springs;

static uint32_t block_total(uint32_t size) {
    return size * (size + 1) / 2;
}

/* ------------------------------------------------------------------------------------------------ one spring */

static void stencil_vector(const Spring *spring, const double *values, double r[3]) {
    r[0] = r[1] = r[2] = 0;
    for (uint32_t a = 0; a < stencils[spring->stencil].size; ++a) {
        const double *x = values + 3 * (size_t)spring->vertices[a];
        for (int i = 0; i < 3; ++i)
            r[i] += stencils[spring->stencil].weights[a] * x[i];
    }
}

static double length_at(const Spring *spring, const double *positions) {
    double r[3];
    stencil_vector(spring, positions, r);
    return vec3_length(r);
}

Spring spring_between(const double *positions, uint32_t a, uint32_t b, double stiffness) {
    Spring spring = {.vertices = {a, b, b, b}, .stencil = SPRING_VERTICES, .stiffness = stiffness, .linear = 1};
    spring.rest_length = length_at(&spring, positions);
    return spring;
}

Spring spring_to_triangle(const double *positions, uint32_t vertex, const uint32_t triangle[3], double stiffness) {
    Spring spring = {.vertices = {vertex, triangle[0], triangle[1], triangle[2]},
                     .stencil = SPRING_TO_TRIANGLE,
                     .stiffness = stiffness,
                     .linear = 1};
    spring.rest_length = length_at(&spring, positions);
    return spring;
}

/* The current state of a spring. */
typedef struct Stretch {
    double direction[3]; /* n */
    double pull;         /* f n = pull direction, N */
    double along;        /* f', N/m */
    double across;       /* f / l, N/m */
    double energy;       /* J */
} Stretch;

static Stretch stretch_at(const Spring *spring, double stiffness_factor, const double *q) {
    Stretch s;
    stencil_vector(spring, q, s.direction);
    double length = vec3_length(s.direction), L = spring->rest_length, k = stiffness_factor * spring->stiffness;
    double shortest = SHORTEST_LENGTH * L, l = fmax(length, shortest);
    double d = l - L, cubic = L > 0 ? spring->cubic * (d / L) * (d / L) : 0;
    double f = k * d * (spring->linear + cubic);
    s.energy = k * d * d * (0.5 * spring->linear + 0.25 * cubic);
    s.along = k * (spring->linear + 3 * cubic);
    s.across = l > 0 ? f / l : s.along;
    if (length <= shortest) {
        /* E = E(shortest) + across/2 (length^2 - shortest^2): independent of direction */
        s.energy += 0.5 * s.across * (length * length - shortest * shortest);
        s.along = s.across;
        f = s.across * length;
    }
    for (int i = 0; i < 3; ++i)
        s.direction[i] = length > 0 ? s.direction[i] / length : 0;
    s.pull = f;
    return s;
}

/* Across the springs of a sheet or a chain there is only inertia: even a slight compression can make the matrix nearly
   singular, so the negative part is dropped from the safe stiffness, too. In tets other springs brace it; there tension
   and compression of a bent body cancel, and without the compression it would resist rotation. */
static void project(const Spring *spring, Stretch *s, StiffnessKind kind) {
    if (kind == STIFFNESS_RAW || s->across >= 0 || (kind == STIFFNESS_SAFE && spring->braced))
        return;
    s->along = fmax(s->along, 0);
    s->across = 0;
}

/* H = along n n' + across (I - n n'). */
static void fill_block(const double n[3], double along, double across, double H[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            H[3 * i + j] = (along - across) * n[i] * n[j] + (i == j ? across : 0);
}

/* Damping acts along the spring only, so that it does not damp rotations. N s/m. */
static double damper(const Spring *spring, const Stretch *s) {
    return spring->stiffness_damping * fmax(s->along, 0);
}

/* Adds the wanted results of one spring; returns its energy. */
static double evaluate_spring(Springs *springs, const Spring *spring, const uint32_t *force_places,
                              const uint32_t *block_places, Evaluation *e) {
    const double *weights = stencils[spring->stencil].weights;
    uint32_t size = stencils[spring->stencil].size;
    Stretch s = stretch_at(spring, springs->stiffness_factors[spring->group], e->q);
    if (e->force) {
        double pull = s.pull;
        if (e->v && spring->stiffness_damping > 0) {
            double rate[3];
            stencil_vector(spring, e->v, rate);
            pull += damper(spring, &s) * vec3_dot(rate, s.direction);
        }
        for (uint32_t a = 0; a < size; ++a) {
            double *force = scatter_at(&springs->force_scatter, e->force, force_places[a]);
            for (int i = 0; i < 3; ++i)
                force[i] -= weights[a] * pull * s.direction[i];
        }
    }
    if (e->matrix) {
        double H[9], damping = e->damping_scale * damper(spring, &s);
        project(spring, &s, e->stiffness);
        fill_block(s.direction, e->stiffness_scale * s.along + damping, e->stiffness_scale * s.across, H);
        for (uint32_t a = 0; a < size; ++a)
            for (uint32_t b = 0; b <= a; ++b) {
                double *block = scatter_at(&springs->block_scatter, e->matrix->values, *block_places++);
                for (int i = 0; i < 9; ++i)
                    block[i] += weights[a] * weights[b] * H[i];
            }
    }
    return s.energy;
}

/* ------------------------------------------------------------------------------------------------ all springs */

typedef struct PartWork {
    Springs *springs;
    Evaluation *evaluation;
} PartWork;

static void evaluate_part(void *context, uint32_t part) {
    const PartWork *work = context;
    Springs *springs = work->springs;
    const uint32_t *force_places = springs->force_places + springs->force_starts[part];
    const uint32_t *block_places = springs->block_places + springs->block_starts[part];
    double energy = 0;
    for (uint32_t k = springs->part_starts[part]; k < springs->part_starts[part + 1]; ++k) {
        const Spring *spring = &springs->springs[k];
        uint32_t size = stencils[spring->stencil].size;
        if (element_subset_has(&work->evaluation->subset, spring->vertices, size))
            energy += evaluate_spring(springs, spring, force_places, block_places, work->evaluation);
        force_places += size;
        block_places += block_total(size);
    }
    springs->part_energies[part] = energy;
}

static JnStatus evaluate(void *self, const void *lag, Evaluation *e, JnMessage *message) {
    (void)lag, (void)message;
    Springs *springs = self;
    if (e->force)
        scatter_clear(&springs->force_scatter);
    if (e->matrix)
        scatter_clear(&springs->block_scatter);
    pool_run(e->pool, PARTS, evaluate_part, &(PartWork){springs, e});
    if (e->force)
        scatter_reduce(&springs->force_scatter, e->force);
    if (e->matrix)
        scatter_reduce(&springs->block_scatter, e->matrix->values);
    if (e->energy)
        for (int part = 0; part < PARTS; ++part)
            *e->energy += springs->part_energies[part];
    return JN_OK;
}

static void destroy(void *self) {
    Springs *springs = self;
    if (!springs)
        return;
    free(springs->springs);
    free(springs->stiffness_factors);
    free(springs->modelled_lengths);
    free(springs->force_places);
    free(springs->block_places);
    scatter_free(&springs->force_scatter);
    scatter_free(&springs->block_scatter);
    free(springs);
}

static void scale_damping(void *self, uint32_t group, double factor) {
    Springs *springs = self;
    for (uint32_t k = 0; k < springs->spring_count; ++k)
        if (springs->springs[k].group == group)
            springs->springs[k].stiffness_damping *= factor;
}

static void set_moment(void *self, const Moment *moment, Pool *pool) {
    (void)pool;
    Springs *springs = self;
    memcpy(springs->stiffness_factors, moment->stiffness_factors, springs->group_count * sizeof(double));
    for (uint32_t k = 0; springs->modelled_lengths && k < springs->spring_count; ++k) {
        Spring *spring = &springs->springs[k];
        double modelled = springs->modelled_lengths[k];
        spring->rest_length = modelled + spring->rest_follows * (length_at(spring, moment->targets) - modelled);
    }
}

static bool stiffness_turns(const void *self) {
    (void)self;
    return true;
}

static const TermOperations operations = {.name = "springs",
                                          .role = TERM_ELASTIC,
                                          .has_potential = true,
                                          .evaluate = evaluate,
                                          .destroy = destroy,
                                          .set_moment = set_moment,
                                          .stiffness_turns = stiffness_turns,
                                          .scale_damping = scale_damping};

/* ------------------------------------------------------------------------------------------------ making the term */

/* The springs along a curve through space, so that parts are compact. */
static JnStatus order_springs(Springs *springs, const double *rest_positions, uint32_t vertex_count,
                              const Spring *given, JnMessage *message) {
    uint32_t count = springs->spring_count;
    uint32_t *order = malloc(((size_t)count + 1) * sizeof *order);
    uint32_t *groups = malloc(((size_t)count + 1) * 4 * sizeof *groups);
    JnStatus status = order && groups ? JN_OK : status_no_memory(message, "the springs");
    for (size_t k = 0; status == JN_OK && k < count; ++k)
        memcpy(groups + 4 * k, given[k].vertices, sizeof given[k].vertices);
    if (status == JN_OK)
        status = scatter_curve_order(rest_positions, vertex_count, groups, count, order, message);
    for (uint32_t k = 0; status == JN_OK && k < count; ++k)
        springs->springs[k] = given[order[k]];
    free(order);
    free(groups);
    return status;
}

/* Cuts the springs into parts and finds where each adds its forces and blocks. */
static JnStatus plan_scatter(Springs *springs, uint32_t vertex_count, const BlockMatrix *matrix, JnMessage *message) {
    size_t forces = 0, blocks = 0;
    for (uint32_t part = 0; part < PARTS; ++part) {
        springs->part_starts[part] = (uint32_t)((uint64_t)springs->spring_count * part / PARTS);
        springs->part_starts[part + 1] = (uint32_t)((uint64_t)springs->spring_count * (part + 1) / PARTS);
        springs->force_starts[part] = forces;
        springs->block_starts[part] = blocks;
        for (uint32_t k = springs->part_starts[part]; k < springs->part_starts[part + 1]; ++k) {
            forces += stencils[springs->springs[k].stencil].size;
            blocks += block_total(stencils[springs->springs[k].stencil].size);
        }
    }
    springs->force_starts[PARTS] = forces;
    springs->block_starts[PARTS] = blocks;
    uint32_t *force_place = springs->force_places = malloc((forces + 1) * sizeof *force_place);
    uint32_t *block_place = springs->block_places = malloc((blocks + 1) * sizeof *block_place);
    if (!force_place || !block_place)
        return status_no_memory(message, "the springs");
    for (uint32_t k = 0; k < springs->spring_count; ++k) {
        const Spring *spring = &springs->springs[k];
        for (uint32_t a = 0; a < stencils[spring->stencil].size; ++a) {
            *force_place++ = spring->vertices[a];
            for (uint32_t b = 0; b <= a; ++b) {
                uint32_t i = spring->vertices[a], j = spring->vertices[b];
                *block_place++ = i >= j ? block_matrix_find(matrix, i, j) : block_matrix_find(matrix, j, i);
            }
        }
    }
    JnStatus status = scatter_build(vertex_count, 3, PARTS, springs->force_starts, springs->force_places,
                                    &springs->force_scatter, message);
    if (status == JN_OK)
        status = scatter_build(matrix->block_count, 9, PARTS, springs->block_starts, springs->block_places,
                               &springs->block_scatter, message);
    return status;
}

/* Keeps the modelled lengths, if any rest length follows the animation. */
static JnStatus keep_lengths(Springs *springs, JnMessage *message) {
    bool any = false;
    for (uint32_t k = 0; k < springs->spring_count; ++k)
        any |= springs->springs[k].rest_follows > 0;
    if (!any)
        return JN_OK;
    springs->modelled_lengths = malloc(springs->spring_count * sizeof *springs->modelled_lengths);
    if (!springs->modelled_lengths)
        return status_no_memory(message, "the springs");
    for (uint32_t k = 0; k < springs->spring_count; ++k)
        springs->modelled_lengths[k] = springs->springs[k].rest_length;
    return JN_OK;
}

JnStatus springs_create(const double *rest_positions, uint32_t vertex_count, const Spring *given, uint32_t spring_count,
                        uint32_t group_count, const BlockMatrix *matrix, ForceTerm *term, JnMessage *message) {
    Springs *springs = calloc(1, sizeof *springs);
    if (!springs)
        return status_no_memory(message, "the springs");
    springs->spring_count = spring_count;
    springs->group_count = group_count;
    springs->springs = malloc(((size_t)spring_count + 1) * sizeof *springs->springs);
    springs->stiffness_factors = malloc(((size_t)group_count + 1) * sizeof(double));
    JnStatus status = springs->springs && springs->stiffness_factors ? JN_OK : status_no_memory(message, "the springs");
    for (uint32_t g = 0; status == JN_OK && g < group_count; ++g)
        springs->stiffness_factors[g] = 1;
    if (status == JN_OK)
        status = order_springs(springs, rest_positions, vertex_count, given, message);
    if (status == JN_OK)
        status = keep_lengths(springs, message);
    if (status == JN_OK)
        status = plan_scatter(springs, vertex_count, matrix, message);
    if (status != JN_OK) {
        destroy(springs);
        return status;
    }
    *term = (ForceTerm){&operations, springs};
    return JN_OK;
}
