/* The search in small systems, which are too small for Lanczos: computes all eigenpairs at once. */
#include "linear/modes_parts.h"

#include "base/status.h"
#include "linear/dense_eigen.h"

#include <stdlib.h>

/* Known modes are shifted to this many times the largest eigenvalue, and so come last. */
static const double OUT_OF_THE_WAY = 100;

typedef struct Dense {
    size_t n;
    uint32_t *numbers;        /* [vertex_count] of the vertex's first unknown; UINT32_MAX: fixed */
    double *stiffness, *mass; /* [n * n] */
    double *values;           /* [n] */
    double *vector;           /* [size] */
} Dense;

static void dense_free(Dense *dense) {
    free(dense->numbers);
    free(dense->stiffness);
    free(dense->mass);
    free(dense->values);
    free(dense->vector);
}

static JnStatus dense_allocate(const Pencil *pencil, Dense *dense, JnMessage *message) {
    size_t n = pencil->unknowns;
    *dense = (Dense){.n = n,
                     .numbers = malloc((pencil->size / 3 + 1) * sizeof(uint32_t)),
                     .stiffness = calloc(n * n + 1, sizeof(double)),
                     .mass = calloc(n * n + 1, sizeof(double)),
                     .values = malloc((n + 1) * sizeof(double)),
                     .vector = calloc(pencil->size + 1, sizeof(double))};
    if (!dense->numbers || !dense->stiffness || !dense->mass || !dense->values || !dense->vector)
        return status_no_memory(message, "the modes");
    uint32_t number = 0;
    for (size_t v = 0; v < pencil->size / 3; ++v) {
        dense->numbers[v] = pencil_is_fixed(pencil, v) ? UINT32_MAX : number;
        number += pencil_is_fixed(pencil, v) ? 0 : 3;
    }
    return JN_OK;
}

/* One 3x3 block into both triangles. */
static void fill_block(Dense *dense, const ModesProblem *problem, size_t block, size_t row, size_t column) {
    size_t n = dense->n, r = dense->numbers[row], c = dense->numbers[column];
    const double *values = problem->stiffness->values + 9 * block;
    double mass = problem->mass_blocks ? problem->mass_blocks[block] : row == column ? problem->masses[row] : 0;
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 3; ++j) {
            dense->stiffness[(r + i) * n + c + j] = dense->stiffness[(c + j) * n + r + i] = values[3 * i + j];
            dense->mass[(r + i) * n + c + j] = dense->mass[(c + j) * n + r + i] = i == j ? mass : 0;
        }
}

/* K += s (M u)(M u)' for every vector u of the basis. */
static void move_basis_away(Dense *dense, const Pencil *pencil, const Basis *basis) {
    size_t n = dense->n;
    for (size_t k = 0; k < basis->count; ++k) {
        const double *mass_vector = basis->mass_vectors + k * basis->size;
        size_t filled = 0;
        double *packed = dense->values;
        for (size_t i = 0; i < pencil->size; ++i)
            if (!pencil_is_fixed(pencil, i / 3))
                packed[filled++] = mass_vector[i];
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j)
                dense->stiffness[i * n + j] += OUT_OF_THE_WAY * pencil->largest * packed[i] * packed[j];
    }
}

/* The requested pairs, and one more. */
static JnStatus add_lowest(Dense *dense, const Pencil *pencil, uint32_t count, Basis *basis, JnMessage *message) {
    size_t n = dense->n, left = n - basis->count, end = count < left ? count : left;
    bool whole = !pencil->problem->exactly_count;
    while (whole && end < left && modes_same(pencil->largest, dense->values[end - 1], dense->values[end]))
        ++end;
    JnStatus status = JN_OK;
    for (size_t k = 0; status == JN_OK && k < left && k <= end; ++k) {
        size_t taken = 0;
        bool added;
        for (size_t i = 0; i < pencil->size; ++i)
            dense->vector[i] = pencil_is_fixed(pencil, i / 3) ? 0 : dense->stiffness[k * n + taken++];
        status = basis_add(basis, pencil, dense->vector, dense->values[k], &added, message);
    }
    return status;
}

JnStatus modes_search_dense(const Pencil *pencil, uint32_t count, Basis *basis, JnMessage *message) {
    const BlockMatrix *pattern = pencil->problem->stiffness;
    Dense dense;
    JnStatus status = dense_allocate(pencil, &dense, message);
    for (size_t column = 0; status == JN_OK && column < pattern->vertex_count; ++column)
        for (size_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k)
            if (dense.numbers[column] != UINT32_MAX && dense.numbers[pattern->rows[k]] != UINT32_MAX)
                fill_block(&dense, pencil->problem, k, pattern->rows[k], column);
    if (status == JN_OK) {
        move_basis_away(&dense, pencil, basis);
        status = dense_eigen(dense.n, dense.stiffness, dense.mass, dense.values, message);
    }
    if (status == JN_OK)
        status = add_lowest(&dense, pencil, count, basis, message);
    dense_free(&dense);
    return status;
}
