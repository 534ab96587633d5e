#include "linear/modes_parts.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ pencil */

bool pencil_is_fixed(const Pencil *pencil, size_t vertex) {
    return pencil->problem->fixed && pencil->problem->fixed[vertex];
}

/* The diagonal entry of the mass matrix at a vertex. */
static double diagonal_mass(const ModesProblem *problem, size_t vertex) {
    return problem->mass_blocks ? problem->mass_blocks[problem->stiffness->column_starts[vertex]]
                                : problem->masses[vertex];
}

/* The trace of a diagonal block over its mass bounds the eigenvalues of that vertex if all others are fixed; in a mesh
   the largest one is at most a few times that. */
static double estimate_largest(const Pencil *pencil) {
    const BlockMatrix *stiffness = pencil->problem->stiffness;
    double largest = 0;
    for (size_t v = 0; v < stiffness->vertex_count; ++v) {
        if (pencil_is_fixed(pencil, v))
            continue;
        const double *block = stiffness->values + 9 * (size_t)stiffness->column_starts[v];
        double rate = (block[0] + block[4] + block[8]) / diagonal_mass(pencil->problem, v);
        if (!isfinite(rate))
            return rate;
        largest = fmax(largest, rate);
    }
    return largest;
}

JnStatus pencil_open(const ModesProblem *problem, Pencil *pencil, JnMessage *message) {
    *pencil = (Pencil){.problem = problem, .size = (size_t)problem->stiffness->vertex_count * 3};
    for (size_t v = 0; v < problem->stiffness->vertex_count; ++v)
        pencil->unknowns += pencil_is_fixed(pencil, v) ? 0 : 3;
    pencil->largest = estimate_largest(pencil);
    if (!isfinite(pencil->largest))
        return status_fail(message, JN_ERR_DIVERGED,
                           "the stiffness has numbers that are not finite, so it has no modes: check the material and "
                           "the pose");
    pencil->scratch = malloc((pencil->size + 1) * sizeof(double));
    return pencil->scratch ? JN_OK : status_no_memory(message, "the modes");
}

void pencil_close(Pencil *pencil) {
    solver_destroy(pencil->solver);
    free(pencil->shifted.values);
    free(pencil->scratch);
    memset(pencil, 0, sizeof *pencil);
}

static void clear_fixed(const Pencil *pencil, double *x) {
    for (size_t v = 0; pencil->problem->fixed && v < pencil->size / 3; ++v)
        if (pencil->problem->fixed[v])
            x[3 * v] = x[3 * v + 1] = x[3 * v + 2] = 0;
}

void pencil_multiply_stiffness(const Pencil *pencil, const double *x, double *y) {
    block_matrix_multiply(pencil->problem->stiffness, x, y);
    clear_fixed(pencil, y);
}

void pencil_multiply_mass(const Pencil *pencil, const double *x, double *y) {
    const ModesProblem *problem = pencil->problem;
    const BlockMatrix *pattern = problem->stiffness;
    if (!problem->mass_blocks) {
        for (size_t i = 0; i < pencil->size; ++i)
            y[i] = problem->masses[i / 3] * x[i];
        return;
    }
    memset(y, 0, pencil->size * sizeof *y);
    for (size_t column = 0; column < pattern->vertex_count; ++column)
        for (size_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k) {
            size_t row = pattern->rows[k];
            for (size_t i = 0; i < 3; ++i) {
                y[3 * row + i] += problem->mass_blocks[k] * x[3 * column + i];
                if (row != column)
                    y[3 * column + i] += problem->mass_blocks[k] * x[3 * row + i];
            }
        }
    clear_fixed(pencil, y);
}

JnStatus pencil_solve(Pencil *pencil, const double *x, double *y, JnMessage *message) {
    ++pencil->solve_count;
    return solver_solve(pencil->solver, x, y, 1, message);
}

/* ------------------------------------------------------------------------------------------------ shift */

/* The first shift, relative to the largest eigenvalue: small compared with the eigenvalues sought, large compared with
   rounding error. The smallest shift is closer to rounding error, for long thin bodies. */
static const double FIRST_SHIFT = 1e-7, LEAST_SHIFT = 1e-12;
/* With a shift this many times the lowest eigenvalue convergence is slow: a new factorization costs less. */
static const double COARSE_SHIFT = 4;
enum { PROBE_STEPS = 3, SHIFT_ATTEMPTS = 12 };

static JnStatus factor_shifted(Pencil *pencil, double shift, bool *positive_definite, JnMessage *message) {
    const ModesProblem *problem = pencil->problem;
    BlockMatrix *shifted = &pencil->shifted;
    memcpy(shifted->values, problem->stiffness->values, (size_t)shifted->block_count * 9 * sizeof(double));
    for (size_t k = 0; problem->mass_blocks && k < shifted->block_count; ++k)
        for (size_t i = 0; i < 3; ++i)
            shifted->values[9 * k + 4 * i] -= shift * problem->mass_blocks[k];
    for (size_t v = 0; !problem->mass_blocks && v < shifted->vertex_count; ++v)
        for (size_t i = 0; i < 3; ++i)
            shifted->values[9 * (size_t)shifted->column_starts[v] + 4 * i] -= shift * problem->masses[v];
    pencil->shift = shift;
    return solver_factor(pencil->solver, shifted, NULL, positive_definite, message);
}

/* A few inverse iterations: *lowest is an upper bound of, and soon close to, the lowest eigenvalue that is not in the
   basis. */
static JnStatus probe_lowest(Pencil *pencil, const Basis *basis, double *lowest, JnMessage *message) {
    double *x = malloc((pencil->size + 1) * sizeof *x), *y = pencil->scratch;
    if (!x)
        return status_no_memory(message, "the modes");
    JnStatus status = JN_OK;
    for (size_t i = 0; i < pencil->size; ++i)
        x[i] = pencil_is_fixed(pencil, i / 3) ? 0 : modes_noise(i);
    for (int step = 0; status == JN_OK && step < PROBE_STEPS; ++step) {
        double norm = 0;
        basis_project_out(basis, x);
        pencil_multiply_mass(pencil, x, y);
        for (size_t i = 0; i < pencil->size; ++i)
            norm += x[i] * y[i];
        for (size_t i = 0; i < pencil->size && norm > 0; ++i)
            y[i] /= sqrt(norm);
        status = pencil_solve(pencil, y, x, message);
    }
    double stiffness = 0, mass = 0;
    basis_project_out(basis, x);
    pencil_multiply_stiffness(pencil, x, y);
    for (size_t i = 0; i < pencil->size; ++i)
        stiffness += x[i] * y[i];
    pencil_multiply_mass(pencil, x, y);
    for (size_t i = 0; i < pencil->size; ++i)
        mass += x[i] * y[i];
    *lowest = mass > 0 ? stiffness / mass : 0;
    free(x);
    return status;
}

/* Makes |shift| larger until K - shift M is positive definite. */
static JnStatus factor_from(Pencil *pencil, double shift, JnMessage *message) {
    bool positive_definite = false;
    for (int attempt = 0; attempt < SHIFT_ATTEMPTS; ++attempt, shift *= 10) {
        JnStatus status = factor_shifted(pencil, shift, &positive_definite, message);
        if (status != JN_OK || positive_definite)
            return status;
    }
    return status_fail(
        message, JN_ERR_DIVERGED,
        "the stiffness is far from positive definite in this pose, so there are no modes: look for a body that "
        "is flattened or turned inside out");
}

JnStatus modes_shift(Pencil *pencil, const Basis *basis, JnMessage *message) {
    const ModesProblem *problem = pencil->problem;
    pencil->shifted = *problem->stiffness;
    pencil->shifted.values = malloc(((size_t)pencil->shifted.block_count * 9 + 1) * sizeof(double));
    if (!pencil->shifted.values)
        return status_no_memory(message, "the modes");
    JnStatus status =
        solver_create(&(SolverDesc){.pattern = problem->stiffness, .fixed = problem->fixed}, &pencil->solver, message);
    double largest = pencil->largest > 0 ? pencil->largest : 1;
    if (status == JN_OK)
        status = factor_from(pencil, -FIRST_SHIFT * largest, message);
    for (int attempt = 0; status == JN_OK && attempt < 3; ++attempt) {
        double shift = pencil->shift;
        status = probe_lowest(pencil, basis, &pencil->lowest, message);
        double wanted = -fmax(pencil->lowest, LEAST_SHIFT * largest);
        if (status != JN_OK || pencil->lowest < 0 || -shift <= -COARSE_SHIFT * wanted)
            break;
        status = factor_from(pencil, wanted, message);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ basis */

void basis_free(Basis *basis) {
    free(basis->vectors);
    free(basis->mass_vectors);
    free(basis->values);
    memset(basis, 0, sizeof *basis);
}

void basis_project_out(const Basis *basis, double *x) {
    for (int pass = 0; pass < 2; ++pass)
        for (size_t k = 0; k < basis->count; ++k) {
            const double *vector = basis->vectors + k * basis->size,
                         *mass_vector = basis->mass_vectors + k * basis->size;
            double part = 0;
            for (size_t i = 0; i < basis->size; ++i)
                part += mass_vector[i] * x[i];
            for (size_t i = 0; i < basis->size; ++i)
                x[i] -= part * vector[i];
        }
}

static bool grow(double **array, size_t count) {
    double *grown = realloc(*array, count * sizeof *grown);
    if (grown)
        *array = grown;
    return grown != NULL;
}

static JnStatus basis_reserve(Basis *basis, size_t size, JnMessage *message) {
    basis->size = size;
    if (basis->count < basis->capacity)
        return JN_OK;
    uint32_t capacity = 2 * basis->capacity + 8;
    if (!grow(&basis->vectors, capacity * size + 1) || !grow(&basis->mass_vectors, capacity * size + 1) ||
        !grow(&basis->values, capacity))
        return status_no_memory(message, "the shapes of the modes");
    basis->capacity = capacity;
    return JN_OK;
}

/* After orthogonalization a vector must keep at least this fraction of its norm, or it is only rounding error. */
static const double LEAST_NEW_PART = 1e-8;

JnStatus basis_add(Basis *basis, const Pencil *pencil, const double *x, double value, bool *added, JnMessage *message) {
    size_t n = pencil->size;
    double before = 0, after = 0;
    *added = false;
    JnStatus status = basis_reserve(basis, n, message);
    if (status != JN_OK)
        return status;
    double *vector = basis->vectors + basis->count * n, *mass_vector = basis->mass_vectors + basis->count * n;
    memcpy(vector, x, n * sizeof *x);
    pencil_multiply_mass(pencil, vector, mass_vector);
    for (size_t i = 0; i < n; ++i)
        before += vector[i] * mass_vector[i];
    basis_project_out(basis, vector);
    pencil_multiply_mass(pencil, vector, mass_vector);
    for (size_t i = 0; i < n; ++i)
        after += vector[i] * mass_vector[i];
    if (!(after > LEAST_NEW_PART * LEAST_NEW_PART * before))
        return JN_OK;
    for (size_t i = 0; i < n; ++i) {
        vector[i] /= sqrt(after);
        mass_vector[i] /= sqrt(after);
    }
    basis->values[basis->count++] = value;
    *added = true;
    return JN_OK;
}
