/* The method of Hestenes and Stiefel (1952). Sums run in a fixed order on one thread, so results are bit-identical
   everywhere. */
#include "linear/conjugate_gradients.h"

#include "linear/vertex_rotations.h"

#include <math.h>
#include <string.h>

size_t conjugate_gradients_scratch(const FreeUnknowns *unknowns) {
    return (size_t)unknowns->count * (4 * 3 + 1);
}

static double dot(const double *a, const double *b, size_t n) {
    double sums[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; ++k)
            sums[k] += a[i + k] * b[i + k];
    for (; i < n; ++i)
        sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* weights[i] = 1 / the mean of the diagonal entries of vertex i. false: one is not positive, so the matrix is
   indefinite. diagonal: [free count * 3] scratch. */
static bool find_weights(const CgProblem *problem, double *diagonal, double *weights) {
    const FreeUnknowns *unknowns = problem->unknowns;
    bool positive = true;
    for (size_t i = 0; i < unknowns->count; ++i)
        for (size_t c = 0; c < 3; ++c)
            diagonal[3 * i + c] =
                problem->matrix->values[9 * (size_t)unknowns->blocks[unknowns->block_starts[i]] + 4 * c];
    for (size_t k = 0; problem->pairs && k < problem->pairs->count; ++k) {
        const PairBlock *pair = &problem->pairs->blocks[k];
        uint32_t i = unknowns->of_vertex[pair->row];
        for (size_t c = 0; pair->row == pair->column && i != NOT_FREE && c < 3; ++c)
            diagonal[3 * (size_t)i + c] += pair->block[4 * c];
    }
    for (size_t i = 0; i < unknowns->count; ++i) {
        const double *d = diagonal + 3 * i;
        positive &= d[0] > 0 && d[1] > 0 && d[2] > 0;
        weights[i] = 3 / (d[0] + d[1] + d[2]);
    }
    return positive;
}

/* y = (A + C) x. */
static void multiply(const CgProblem *problem, const double *x, double *y) {
    free_unknowns_multiply(problem->unknowns, problem->matrix, x, y);
    pair_blocks_multiply_free(problem->pairs, problem->unknowns, x, y);
}

static double weighted_square(const double *r, const double *weights, size_t vertex_count) {
    double sum = 0;
    for (size_t i = 0; i < vertex_count; ++i)
        sum += weights[i] * (r[3 * i] * r[3 * i] + r[3 * i + 1] * r[3 * i + 1] + r[3 * i + 2] * r[3 * i + 2]);
    return sum;
}

/* Whether, after the first few iterations, the logarithm of the residual has decreased less than half as much as the
   fraction of the allowed iterations that was used requires. */
static bool lags(double square, double first_square, double goal, uint32_t iteration, uint32_t most_iterations) {
    enum { START = 4 };
    if (iteration < START || !(first_square > goal))
        return false;
    return log(first_square / square) / log(first_square / goal) < 0.5 * iteration / most_iterations;
}

/* z = P^-1 r, or R P^-1 R' r; scratch: [free count * 3]. false: out of memory. */
static bool precondition(CgProblem *problem, const double *r, double *scratch, double *z) {
    if (problem->sweeps) {
        sweeps_apply(problem->sweeps, r, scratch, z);
        return true;
    }
    if (!problem->rotations)
        return cholesky_precondition(problem->preconditioner, r, z);
    vertex_rotations_apply_transposed(problem->rotations, problem->unknowns->count, r, scratch);
    if (!cholesky_precondition(problem->preconditioner, scratch, z))
        return false;
    vertex_rotations_apply(problem->rotations, problem->unknowns->count, z, z);
    return true;
}

static void find_residual(const CgProblem *problem, const double *x, double *r) {
    multiply(problem, x, r);
    for (size_t i = 0; i < (size_t)problem->unknowns->count * 3; ++i)
        r[i] = problem->b[i] - r[i];
}

CgOutcome conjugate_gradients(CgProblem *problem, double *x, uint32_t *iterations) {
    const FreeUnknowns *unknowns = problem->unknowns;
    size_t n = (size_t)unknowns->count * 3;
    double *r = problem->scratch, *z = r + n, *p = z + n, *Ap = p + n, *weights = Ap + n, rz = 1;
    *iterations = 0;
    if (!find_weights(problem, z, weights))
        return CG_INDEFINITE;
    translation_correction_set_matrix(problem->translations, unknowns, problem->matrix, problem->pairs);
    find_residual(problem, x, r);
    translation_correction_apply(problem->translations, unknowns, r, x);
    find_residual(problem, x, r);
    double goal = problem->tolerance * problem->tolerance * weighted_square(problem->b, weights, unknowns->count);
    double square = weighted_square(r, weights, unknowns->count), first_square = square, precise = goal;
    if (!isfinite(goal))
        return CG_TOO_SLOW;
    goal = fmax(goal, problem->enough * problem->enough * first_square);
    while (!(square <= goal)) {
        if (*iterations == problem->most_iterations || !isfinite(square) ||
            lags(square, first_square, goal, *iterations, problem->most_iterations))
            return CG_TOO_SLOW;
        if (!precondition(problem, r, Ap, z))
            return CG_NO_MEMORY;
        double rz_before = rz;
        rz = dot(r, z, n);
        double beta = *iterations > 0 ? rz / rz_before : 0;
        for (size_t i = 0; i < n; ++i)
            p[i] = z[i] + (*iterations > 0 ? beta * p[i] : 0);
        multiply(problem, p, Ap);
        double curvature = dot(p, Ap, n);
        if (!(curvature > 0))
            return isfinite(curvature) ? CG_INDEFINITE : CG_TOO_SLOW;
        double alpha = rz / curvature;
        for (size_t i = 0; i < n; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * Ap[i];
        }
        square = weighted_square(r, weights, unknowns->count);
        ++*iterations;
    }
    translation_correction_apply(problem->translations, unknowns, r, x);
    return square <= precise ? CG_CONVERGED : CG_ROUGH;
}
