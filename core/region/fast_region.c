#include "region/fast_region.h"

#include "base/hash.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static size_t vector_size(const FastRegion *region) {
    return (size_t)region->set->vertex_count * 3;
}

/* ------------------------------------------------------------------------------------------------ begin, end */

/* The number of each vertex in the set, or UINT32_MAX. */
static uint32_t *number_vertices(const FastSet *set, const BlockMatrix *pattern) {
    uint32_t *numbers = malloc(((size_t)pattern->vertex_count + 1) * sizeof *numbers);
    for (uint32_t v = 0; numbers && v < pattern->vertex_count; ++v)
        numbers[v] = UINT32_MAX;
    for (uint32_t i = 0; numbers && i < set->vertex_count; ++i)
        numbers[set->vertices[i]] = i;
    return numbers;
}

/* The blocks of the system's pattern between vertices of the set, and where they come from: the set's vertices ascend,
   so the order is the same. */
static JnStatus build_pattern(FastRegion *region, const BlockMatrix *pattern, JnMessage *message) {
    const FastSet *set = region->set;
    BlockMatrix *own = &region->stiffness;
    uint32_t *numbers = number_vertices(set, pattern), count = 0;
    own->vertex_count = set->vertex_count;
    own->column_starts = malloc(((size_t)set->vertex_count + 1) * sizeof *own->column_starts);
    for (uint32_t i = 0; numbers && i < set->vertex_count; ++i)
        for (uint32_t k = pattern->column_starts[set->vertices[i]]; k < pattern->column_starts[set->vertices[i] + 1];
             ++k)
            count += numbers[pattern->rows[k]] != UINT32_MAX;
    own->rows = malloc(((size_t)count + 1) * sizeof *own->rows);
    region->sources = malloc(((size_t)count + 1) * sizeof *region->sources);
    own->values = calloc((size_t)count * 9 + 1, sizeof *own->values);
    bool ok = numbers && own->column_starts && own->rows && region->sources && own->values;
    for (uint32_t i = 0; ok && i < set->vertex_count; ++i) {
        uint32_t column = set->vertices[i];
        own->column_starts[i] = own->block_count;
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k)
            if (numbers[pattern->rows[k]] != UINT32_MAX) {
                own->rows[own->block_count] = numbers[pattern->rows[k]];
                region->sources[own->block_count++] = k;
            }
    }
    if (ok)
        own->column_starts[set->vertex_count] = own->block_count;
    free(numbers);
    return ok ? JN_OK : status_no_memory(message, "a fast region");
}

static JnStatus list_outer(FastRegion *region, JnMessage *message) {
    const BlockMatrix *own = &region->stiffness;
    const uint8_t *kinds = region->set->kinds;
    region->outer = malloc(((size_t)own->block_count + 1) * sizeof *region->outer);
    if (!region->outer)
        return status_no_memory(message, "a fast region");
    for (uint32_t column = 0; column < own->vertex_count; ++column)
        for (uint32_t k = own->column_starts[column]; k < own->column_starts[column + 1]; ++k)
            if (kinds[column] != FAST_INSIDE || kinds[own->rows[k]] != FAST_INSIDE)
                region->outer[region->outer_count++] = (FastBlock){own->rows[k], column, k};
    return JN_OK;
}

JnStatus fast_region_create(const FastSet *set, const BlockMatrix *pattern, const double *masses, FastRegion **out,
                            JnMessage *message) {
    size_t batch = FAST_BATCH * (size_t)set->vertex_count * 3 + 1;
    FastRegion *region = calloc(1, sizeof *region);
    *out = NULL;
    if (!region)
        return status_no_memory(message, "a fast region");
    region->set = set;
    region->masses = malloc(((size_t)set->vertex_count + 1) * sizeof(double));
    region->right = calloc(6 * batch, sizeof(double));
    JnStatus status = region->masses && region->right ? build_pattern(region, pattern, message)
                                                      : status_no_memory(message, "a fast region");
    if (status == JN_OK)
        status = list_outer(region, message);
    if (status == JN_OK) {
        region->borders = fast_borders_create(set, &region->stiffness);
        status = region->borders ? JN_OK : status_no_memory(message, "a fast region");
    }
    if (status == JN_OK) {
        region->solved = region->right + batch;
        region->pulled = region->solved + batch;
        region->sums = region->pulled + batch;
        region->pushed = region->sums + batch;
        region->product = region->pushed + batch;
        for (uint32_t i = 0; i < set->vertex_count; ++i)
            region->masses[i] = masses[set->vertices[i]];
        status = block_matrix_share_pattern(&region->stiffness, &region->change, message);
    }
    if (status == JN_OK)
        status = block_matrix_share_pattern(&region->stiffness, &region->damping, message);
    if (status == JN_OK)
        status = block_matrix_share_pattern(&region->stiffness, &region->matrix, message);
    if (status == JN_OK)
        status =
            solver_create(&(SolverDesc){.pattern = &region->stiffness, .fixed = set->kinds}, &region->solver, message);
    if (status == JN_OK)
        *out = region;
    else
        fast_region_destroy(region);
    return status;
}

void fast_region_destroy(FastRegion *region) {
    if (!region)
        return;
    solver_destroy(region->solver);
    block_matrix_free(&region->matrix);
    block_matrix_free(&region->change);
    block_matrix_free(&region->damping);
    block_matrix_free(&region->stiffness);
    pair_blocks_free(&region->answer);
    fast_borders_destroy(region->borders);
    free(region->sources);
    free(region->outer);
    free(region->masses);
    free(region->right);
    free(region);
}

/* ------------------------------------------------------------------------------------------------ matrices */

void fast_region_clear_blocks(const FastRegion *region, BlockMatrix *matrix) {
    for (size_t k = 0; k < region->stiffness.block_count; ++k)
        memset(matrix->values + 9 * (size_t)region->sources[k], 0, 9 * sizeof(double));
}

bool fast_region_has_blocks(const FastRegion *region, const BlockMatrix *matrix) {
    for (size_t k = 0; k < 9 * (size_t)region->stiffness.block_count; ++k)
        if (matrix->values[9 * (size_t)region->sources[k / 9] + k % 9] != 0)
            return true;
    return false;
}

/* Copies the region's blocks; returns whether any is another one than before. */
static bool copy_blocks(const FastRegion *region, const BlockMatrix *from, BlockMatrix *to) {
    bool changed = false;
    for (size_t k = 0; k < to->block_count; ++k) {
        const double *block = from->values + 9 * (size_t)region->sources[k];
        double *own = to->values + 9 * k;
        if (memcmp(own, block, 9 * sizeof *own) == 0)
            continue;
        memcpy(own, block, 9 * sizeof *own);
        changed = true;
    }
    return changed;
}

/* change = h D + h^2 K, matrix = M + change. */
static void add_up(FastRegion *region, double h) {
    size_t n = 9 * (size_t)region->matrix.block_count;
    region->damped = false;
    for (size_t k = 0; k < n; ++k) {
        region->damped |= region->damping.values[k] != 0;
        region->change.values[k] = h * region->damping.values[k] + h * h * region->stiffness.values[k];
        region->matrix.values[k] = region->change.values[k];
    }
    for (size_t v = 0; v < region->set->vertex_count; ++v) {
        double *diagonal = region->matrix.values + 9 * (size_t)region->matrix.column_starts[v];
        for (int i = 0; i < 3; ++i)
            diagonal[4 * i] += region->masses[v];
    }
}

JnStatus fast_region_take(FastRegion *region, const BlockMatrix *stiffness, const BlockMatrix *damping, double h,
                          JnMessage *message) {
    bool changed = copy_blocks(region, stiffness, &region->stiffness);
    changed |= copy_blocks(region, damping, &region->damping);
    if (!changed && region->h == h)
        return JN_OK;
    region->h = h;
    region->matrices = HASH_START;
    hash_mix_numbers(&region->matrices, region->stiffness.values, 9 * (size_t)region->stiffness.block_count);
    hash_mix_numbers(&region->matrices, region->damping.values, 9 * (size_t)region->damping.block_count);
    hash_mix_numbers(&region->matrices, &h, 1);
    add_up(region, h);
    JnStatus status = solver_factor(region->solver, &region->matrix, NULL, &region->solvable, message);
    if (status != JN_OK)
        region->h = 0; /* there is no factor */
    return status;
}

/* ------------------------------------------------------------------------------------------------ small steps */

/* One of the runs of a FastRun. */
typedef struct Column {
    double *velocities, *moved, *impulse; /* as there */
    double *right, *solved;
    double *pulled; /* h K u, inside */
    double *pushed; /* (h D + h^2 K) times the velocities outside */
    double *sums;   /* of u at the start of every small step so far */
} Column;

static Column column_of(const FastRegion *region, const FastRun *run, size_t c) {
    size_t at = c * vector_size(region);
    return (Column){.velocities = run->velocities + at,
                    .moved = run->moved + at,
                    .impulse = run->impulse + at,
                    .right = region->right + at,
                    .solved = region->solved + at,
                    .pulled = region->pulled + at,
                    .pushed = region->pushed + at,
                    .sums = region->sums + at};
}

/* y = matrix x where x is 0 inside, or, for any x, outside. */
static void multiply_outer(const FastRegion *region, const BlockMatrix *matrix, const double *x, double *y) {
    memset(y, 0, vector_size(region) * sizeof *y);
    for (const FastBlock *at = region->outer; at < region->outer + region->outer_count; ++at) {
        const double *a = matrix->values + 9 * (size_t)at->block;
        const double *xc = x + 3 * (size_t)at->column, *xr = x + 3 * (size_t)at->row;
        double *yc = y + 3 * (size_t)at->column, *yr = y + 3 * (size_t)at->row;
        for (int i = 0; i < 3; ++i)
            yr[i] += a[3 * i] * xc[0] + a[3 * i + 1] * xc[1] + a[3 * i + 2] * xc[2];
        for (int j = 0; at->row != at->column && j < 3; ++j)
            yc[j] += a[j] * xr[0] + a[3 + j] * xr[1] + a[6 + j] * xr[2];
    }
}

/* The velocities outside in small step r, from 0, and how they push. */
static void move_outside(const FastRegion *region, const FastRun *run, uint32_t r, const Column *column) {
    const uint8_t *kinds = region->set->kinds;
    size_t n = vector_size(region);
    bool changed = r == 0;
    for (size_t i = 0; i < n; ++i)
        if (kinds[i / 3] == FAST_HELD) {
            double velocity = run->held ? run->held[r * n + i] : 0;
            changed |= column->velocities[i] != velocity;
            column->velocities[i] = velocity;
        }
    if (!changed)
        return;
    for (size_t i = 0; i < n; ++i)
        region->product[i] = kinds[i / 3] == FAST_INSIDE ? 0 : column->velocities[i];
    multiply_outer(region, &region->change, region->product, column->pushed);
}

/* The right-hand side of a small step; forces: f_r, or NULL. */
static void find_right_hand_side(const FastRegion *region, const double *forces, const Column *column) {
    for (size_t i = 0; i < vector_size(region); ++i) {
        column->sums[i] += column->moved[i];
        column->right[i] = region->masses[i / 3] * column->velocities[i] + (forces ? region->h * forces[i] : 0) -
                           column->pulled[i] - column->pushed[i];
    }
}

/* The small step is solved; push: the impulse of FastPush, or NULL. */
static void finish_small_step(const FastRegion *region, const double *forces, const double *push,
                              const Column *column) {
    const uint8_t *kinds = region->set->kinds;
    size_t n = vector_size(region);
    for (size_t i = 0; i < n; ++i)
        if (kinds[i / 3] == FAST_INSIDE) {
            column->pulled[i] = (forces ? region->h * forces[i] : 0) + (push ? push[i] : 0) -
                                region->masses[i / 3] * (column->solved[i] - column->velocities[i]);
            column->velocities[i] = column->solved[i];
        } else if (push && kinds[i / 3] == FAST_BORDER) {
            column->impulse[i] += push[i];
        }
    if (region->damped)
        block_matrix_multiply(&region->damping, column->velocities, region->product);
    for (size_t i = 0; i < n; ++i) {
        if (region->damped)
            column->pulled[i] -= region->h * region->product[i];
        column->moved[i] += region->h * column->velocities[i];
    }
}

void fast_region_find_impulse(const FastRegion *region, const double *sums, const double *moved, double *impulse,
                              double *squares) {
    size_t n = vector_size(region);
    multiply_outer(region, &region->stiffness, sums, region->product);
    multiply_outer(region, &region->change, moved, region->right);
    for (size_t i = 0; i < n; ++i)
        if (region->set->kinds[i / 3] == FAST_BORDER) {
            double pull = region->h * region->product[i], change = region->right[i] / region->h;
            *squares += pull * pull + change * change + impulse[i] * impulse[i];
            impulse[i] -= pull + change;
        }
}

JnStatus fast_region_run(FastRegion *region, const FastRun *run, JnMessage *message) {
    size_t n = vector_size(region), bytes = run->columns * n * sizeof(double);
    double unwanted = 0;
    memset(run->moved, 0, bytes);
    memset(run->impulse, 0, bytes);
    memset(region->pulled, 0, bytes);
    memset(region->sums, 0, bytes);
    for (uint32_t r = 0; r < region->set->ratio; ++r) {
        const double *forces = run->forces ? run->forces + r * n : NULL;
        for (size_t c = 0; c < run->columns; ++c) {
            const Column column = column_of(region, run, c);
            move_outside(region, run, r, &column);
            find_right_hand_side(region, forces, &column);
            for (size_t i = 0; forces && i < n; ++i)
                column.impulse[i] += region->set->kinds[i / 3] == FAST_BORDER ? region->h * forces[i] : 0;
        }
        JnStatus status = solver_solve(region->solver, region->right, region->solved, run->columns, message);
        if (status == JN_OK && run->push)
            status = run->push->push(run->push->owner, r, run->velocities, run->moved, region->solved,
                                     run->push->impulse, message);
        if (status != JN_OK)
            return status;
        for (size_t c = 0; c < run->columns; ++c) {
            const Column column = column_of(region, run, c);
            finish_small_step(region, forces, run->push ? run->push->impulse : NULL, &column);
        }
        if (run->way)
            memcpy(run->way + r * n, run->velocities, n * sizeof(double));
    }
    for (size_t c = 0; c < run->columns; ++c) {
        const Column column = column_of(region, run, c);
        fast_region_find_impulse(region, column.sums, column.moved, column.impulse,
                                 run->squares ? run->squares : &unwanted);
    }
    return JN_OK;
}
