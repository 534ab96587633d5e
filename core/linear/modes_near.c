/* The lowest modes by locally optimal block preconditioned conjugate gradients (Knyazev 2001): in each round, the
   lowest Ritz vectors of the block X, of the preconditioned residuals W and of the directions P that X was changed by.
 */
#include "linear/modes_parts.h"

#include "base/math3.h"
#include "base/status.h"
#include "base/vectors.h"
#include "linear/dense_eigen.h"
#include "linear/vector_blocks.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Vectors beyond those wanted, which converge first where the next eigenvalues are far away: at least the first number,
   and one for so many wanted ones. */
enum { GUARDS = 4, WANTED_PER_GUARD = 4 };
/* More modes than this, or than a small part of the unknowns, are left to other methods. */
enum { MODES_MOST = 100, LEAST_UNKNOWNS = 30 };
/* The start: products of powers of the coordinates up to the second, in each direction. */
enum { POWERS = 10, SMOOTH = 3 * POWERS };
/* The part of noise in them, so that what no such shape moves is found too. */
static const double NOISE = 0.1;
/* Pins this close to one line, relative to their distances, let the body turn about it. */
static const double ON_A_LINE = 1e-6;

typedef struct Block {
    Pencil pencil;
    const NearSolver *near;
    size_t n;
    int wanted, given, size;                        /* vectors of X that must be precise, that are given, and in all */
    int room;                                       /* for vectors in all */
    int count;                                      /* of vectors: X, then P, then W */
    double *vectors, *mass_vectors, *stiff_vectors; /* [room][n] */
    double *values;                                 /* [room] */
    double *small;                                  /* [3][room][room] */
    double *combined;                               /* [2 size][n] */
} Block;

/* ------------------------------------------------------------------------------------------------ begin, end */

/* Whether what is fixed holds every rigid motion: three of its vertices are not on a line. */
static bool is_held(const ModesProblem *problem) {
    const double *first = NULL, *far = NULL, *p = problem->positions;
    double length = 0, across = 0;
    for (size_t v = 0; problem->fixed && v < problem->stiffness->vertex_count; ++v) {
        double way[3];
        if (!problem->fixed[v])
            continue;
        first = first ? first : p + 3 * v;
        vec3_sub(p + 3 * v, first, way);
        if (vec3_dot(way, way) > length) {
            length = vec3_dot(way, way);
            far = p + 3 * v;
        }
    }
    for (size_t v = 0; far && v < problem->stiffness->vertex_count; ++v) {
        double way[3], line[3], area[3];
        if (!problem->fixed[v])
            continue;
        vec3_sub(p + 3 * v, first, way);
        vec3_sub(far, first, line);
        vec3_cross(way, line, area);
        across = fmax(across, vec3_dot(area, area));
    }
    return across > ON_A_LINE * ON_A_LINE * length * length;
}

static void block_close(Block *block) {
    pencil_close(&block->pencil);
    free(block->vectors);
    free(block->mass_vectors);
    free(block->stiff_vectors);
    free(block->values);
    free(block->small);
    free(block->combined);
}

static JnStatus block_open(const ModesProblem *problem, const NearSolver *near, uint32_t count, Block *block,
                           JnMessage *message) {
    JnStatus status = pencil_open(problem, &block->pencil, message);
    uint32_t wanted = count - near->guards;
    uint32_t size = wanted + (wanted / WANTED_PER_GUARD > GUARDS ? wanted / WANTED_PER_GUARD : GUARDS);
    size = size > count ? size : count;
    uint32_t room = 3 * size > SMOOTH ? 3 * size : SMOOTH;
    if (status != JN_OK)
        return status;
    block->near = near;
    block->n = block->pencil.size;
    block->wanted = (int)wanted;
    block->given = (int)count;
    block->size = (int)size;
    block->room = (int)room;
    block->vectors = malloc((room * block->n + 1) * sizeof(double));
    block->mass_vectors = malloc((room * block->n + 1) * sizeof(double));
    block->stiff_vectors = malloc((room * block->n + 1) * sizeof(double));
    block->values = malloc(room * sizeof(double));
    block->small = malloc(3 * (size_t)room * room * sizeof(double));
    block->combined = malloc((2 * size * block->n + 1) * sizeof(double));
    return block->vectors && block->mass_vectors && block->stiff_vectors && block->values && block->small &&
                   block->combined
               ? JN_OK
               : status_no_memory(message, "the modes");
}

/* ------------------------------------------------------------------------------------------------ vectors */

/* The products of a vector, and its length 1 in the mass. */
static void finish_vector(Block *block, int k) {
    size_t n = block->n, at = (size_t)k * n;
    double *u = block->vectors + at, *mass = block->mass_vectors + at, *stiff = block->stiff_vectors + at;
    pencil_multiply_mass(&block->pencil, u, mass);
    pencil_multiply_stiffness(&block->pencil, u, stiff);
    double square = vector_dot_by_fours(u, mass, n), scale = square > 0 ? 1 / sqrt(square) : 0;
    for (size_t i = 0; i < n; ++i) {
        u[i] *= scale;
        mass[i] *= scale;
        stiff[i] *= scale;
    }
}

/* Smooth shapes, and noise. */
static void write_start(Block *block) {
    const ModesProblem *problem = block->pencil.problem;
    const double *p = problem->positions;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, largest = 0;
    for (size_t i = 0; i < block->n; ++i) {
        low[i % 3] = fmin(low[i % 3], p[i]);
        high[i % 3] = fmax(high[i % 3], p[i]);
    }
    for (int i = 0; i < 3; ++i)
        largest = fmax(largest, high[i] - low[i]);
    block->count = block->size > SMOOTH ? block->size : SMOOTH;
    for (int k = 0; k < block->count; ++k) {
        double *u = block->vectors + (size_t)k * block->n;
        for (size_t v = 0; v < block->n / 3; ++v) {
            double x[3], powers[POWERS];
            for (size_t i = 0; i < 3; ++i)
                x[i] = largest > 0 ? 2 * (p[3 * v + i] - 0.5 * (low[i] + high[i])) / largest : 0;
            memcpy(powers,
                   (double[POWERS]){1, x[0], x[1], x[2], x[0] * x[0], x[1] * x[1], x[2] * x[2], x[0] * x[1],
                                    x[1] * x[2], x[2] * x[0]},
                   sizeof powers);
            for (size_t i = 0; i < 3; ++i) {
                double noise = modes_noise((size_t)k * block->n + 3 * v + i);
                double smooth = k < SMOOTH ? ((size_t)k % 3 == i) * powers[k / 3] : 0;
                u[3 * v + i] = pencil_is_fixed(&block->pencil, v) ? 0 : smooth + (k < SMOOTH ? NOISE : 1) * noise;
            }
        }
        finish_vector(block, k);
    }
}

/* Replaces the first vectors by `size` sums of them, weights [count][count], and the next ones by the parts of these
   sums without the first `size`. */
static JnStatus combine(Block *block, double *vectors, const double *weights, const double *changes,
                        JnMessage *message) {
    uint32_t count = (uint32_t)block->count, size = (uint32_t)block->size;
    double *directions = block->combined + (size_t)size * block->n;
    JnStatus status = vector_blocks_sum(block->n, vectors, count, weights, size, block->combined, message);
    if (status == JN_OK)
        status = vector_blocks_sum(block->n, vectors, count, changes, size, directions, message);
    if (status == JN_OK)
        memcpy(vectors, block->combined, 2 * (size_t)size * block->n * sizeof(double));
    return status;
}

/* X becomes the lowest Ritz vectors of all vectors, P the change. *left: false where they do not span enough. */
static JnStatus ritz(Block *block, bool *left, JnMessage *message) {
    size_t count = (size_t)block->count, size = (size_t)block->size;
    double *a = block->small, *gram = a + count * count, *changes = gram + count * count;
    uint32_t all = (uint32_t)count;
    JnStatus status = vector_blocks_multiply(block->n, block->vectors, all, block->stiff_vectors, all, a, message);
    if (status == JN_OK)
        status = vector_blocks_multiply(block->n, block->vectors, all, block->mass_vectors, all, gram, message);
    if (status == JN_OK)
        status = dense_eigen(count, a, gram, block->values, message);
    *left = status == JN_OK;
    if (status == JN_ERR_DIVERGED)
        status_clear(message);
    if (status != JN_OK)
        return status == JN_ERR_DIVERGED ? JN_OK : status;
    for (size_t k = 0; k < size; ++k) {
        double square = 0;
        memcpy(changes + k * count, a + k * count, count * sizeof *a);
        memset(changes + k * count, 0, size * sizeof *a);
        for (size_t l = size; l < count; ++l)
            square += changes[k * count + l] * changes[k * count + l];
        for (size_t l = size; l < count; ++l)
            changes[k * count + l] /= square > 0 ? sqrt(square) : 1;
    }
    double *blocks[] = {block->vectors, block->mass_vectors, block->stiff_vectors};
    for (size_t b = 0; status == JN_OK && b < sizeof blocks / sizeof blocks[0]; ++b)
        status = combine(block, blocks[b], a, changes, message);
    block->count = 2 * block->size;
    return status;
}

/* ------------------------------------------------------------------------------------------------ rounds */

/* Adds the preconditioned residuals of X to the vectors. *error: by how much the worst wanted eigenvalue is too high,
   about, as part of it. */
static JnStatus add_residuals(Block *block, double *error, JnMessage *message) {
    size_t n = block->n, size = (size_t)block->size;
    const NearSolver *near = block->near;
    double *residuals = block->combined, *w = block->vectors + (size_t)block->count * n;
    *error = 0;
    for (size_t k = 0; k < size; ++k)
        for (size_t i = 0; i < n; ++i)
            residuals[k * n + i] = block->stiff_vectors[k * n + i] - block->values[k] * block->mass_vectors[k * n + i];
    JnStatus status = solver_precondition(near->solver, residuals, w, (uint32_t)size, message);
    if (status != JN_OK)
        return status;
    block->pencil.solve_count += size;
    for (int k = 0; k < block->wanted; ++k) {
        double value = block->values[k], along = vector_dot_by_fours(residuals + (size_t)k * n, w + (size_t)k * n, n);
        double decrease = along * (near->mass / value + near->stiffness);
        *error = value > 0 ? fmax(*error, decrease / value) : INFINITY;
    }
    for (int k = 0; k < block->size; ++k)
        finish_vector(block, block->count + k);
    block->count += block->size;
    return JN_OK;
}

static JnStatus solve(Block *block, double precision, bool *done, JnMessage *message) {
    double error = INFINITY;
    bool left = true;
    *done = false;
    write_start(block);
    JnStatus status = ritz(block, &left, message);
    block->count = block->size; /* no directions yet */
    for (uint32_t round = 0; status == JN_OK && left && !*done && round < block->near->most_rounds; ++round) {
        status = add_residuals(block, &error, message);
        if (status == JN_OK)
            status = ritz(block, &left, message);
        *done = left && error <= precision;
    }
    return status;
}

/* Eigenvalues closer than this, relative to themselves, may be one: they are only roughly known. */
static const double ROUGHLY_SAME = 1e-2;

static JnStatus give(const Block *block, Modes *modes, JnMessage *message) {
    uint32_t count = (uint32_t)block->given;
    while (count < (uint32_t)block->size && count > 0 &&
           block->values[count] - block->values[count - 1] <= ROUGHLY_SAME * block->values[count])
        ++count;
    modes->count = count;
    modes->solve_count = block->pencil.solve_count;
    modes->eigenvalues = malloc((count + 1) * sizeof(double));
    modes->residuals = calloc(count + 1, sizeof(double));
    modes->shapes = malloc((count * block->n + 1) * sizeof(double));
    if (!modes->eigenvalues || !modes->residuals || !modes->shapes) {
        modes_free(modes);
        return status_no_memory(message, "the shapes of the modes");
    }
    memcpy(modes->eigenvalues, block->values, count * sizeof(double));
    memcpy(modes->shapes, block->vectors, count * block->n * sizeof(double));
    for (size_t k = 0; k < count; ++k) {
        double sum = 0;
        for (size_t i = 0; i < block->n; ++i) {
            double left =
                block->stiff_vectors[k * block->n + i] - block->values[k] * block->mass_vectors[k * block->n + i];
            sum += left * left / block->pencil.problem->masses[i / 3];
        }
        modes->residuals[k] = sqrt(sum);
    }
    return JN_OK;
}

JnStatus modes_solve_near(const ModesProblem *problem, const NearSolver *near, uint32_t count, Modes *modes, bool *done,
                          JnMessage *message) {
    size_t n = 3 * (size_t)problem->stiffness->vertex_count;
    Block block = {0};
    memset(modes, 0, sizeof *modes);
    *done = false;
    if (count == 0 || count > MODES_MOST || n > INT_MAX ||
        solver_unknown_count(near->solver) < LEAST_UNKNOWNS * count || !is_held(problem))
        return JN_OK;
    JnStatus status = block_open(problem, near, count, &block, message);
    if (status == JN_OK)
        status = solve(&block, problem->precision, done, message);
    if (status == JN_OK && *done)
        status = give(&block, modes, message);
    block_close(&block);
    return status;
}
