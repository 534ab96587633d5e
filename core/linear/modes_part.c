/* The modes of one connected part. */
#include "linear/modes_parts.h"

#include "base/status.h"
#include "linear/dense_eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Eigenvalues closer than this, relative to themselves, are one repeated eigenvalue that the mesh has split. */
static const double SAME = 1e-3;
/* Rounding error of a zero eigenvalue, relative to the largest eigenvalue. */
static const double ZERO = 1e-13;
/* A mode of an unpinned body under stress that is nearly a rotation, with an eigenvalue this much lower than that of
   the first bending mode, counts as rigid. */
static const double RIGID_PART = 0.99, RIGID_RATE = 1e-2;
/* Parts with up to this many unknowns, or with few more than requested modes, are solved densely. */
enum { DENSE_UNKNOWNS = 300, DENSE_ROOM = 40 };
/* Pairs found in each search beyond the missing ones: they show where a cluster ends. Doubled in each search after the
   second, because the cluster is large. */
enum { BEYOND = 2 };

bool modes_same(double largest, double a, double b) {
    return fabs(b) > ZERO * largest && b - a <= SAME * fmax(fabs(a), fabs(b));
}

/* ------------------------------------------------------------------------------------------------ completeness */

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double lowest_of(const double *values, uint32_t count) {
    double lowest = INFINITY;
    for (uint32_t k = 0; k < count; ++k)
        lowest = fmin(lowest, values[k]);
    return lowest;
}

/* Whether the lowest `count` values from `first` on are complete, to the end of their cluster, if the last search found
   values[searched..]: all of these must be larger. sorted: room for the values. */
static bool is_complete(const Pencil *pencil, const Basis *basis, uint32_t first, uint32_t searched, uint32_t count,
                        double *sorted) {
    uint32_t found = basis->count - first, end = count;
    if (found <= count)
        return false;
    memcpy(sorted, basis->values + first, found * sizeof *sorted);
    qsort(sorted, found, sizeof *sorted, compare_doubles);
    while (end < found && modes_same(pencil->largest, sorted[end - 1], sorted[end]))
        ++end;
    double lowest = lowest_of(basis->values + searched, basis->count - searched);
    return end < found && lowest >= sorted[end] - ZERO * pencil->largest;
}

/* The same for exactly_count: the last search may have found copies of them, but nothing lower. */
static bool has_lowest(const Pencil *pencil, const Basis *basis, uint32_t first, uint32_t searched, uint32_t count,
                       double *sorted) {
    uint32_t found = searched - first;
    if (found < count)
        return false;
    memcpy(sorted, basis->values + first, found * sizeof *sorted);
    qsort(sorted, found, sizeof *sorted, compare_doubles);
    double lowest = lowest_of(basis->values + searched, basis->count - searched), last = sorted[count - 1];
    return lowest >= last - ZERO * pencil->largest || modes_same(pencil->largest, lowest, last);
}

/* Adds to the basis, which has all rigid motions, at least the `count` lowest modes. */
static JnStatus search_all(Pencil *pencil, uint32_t count, Basis *basis, JnMessage *message) {
    uint32_t first = basis->count, beyond = BEYOND;
    if (count == 0 || pencil->unknowns == first)
        return JN_OK;
    if (pencil->unknowns <= DENSE_UNKNOWNS || pencil->unknowns / 2 < (uint64_t)count + first + DENSE_ROOM)
        return modes_search_dense(pencil, count, basis, message);
    JnStatus status = modes_shift(pencil, basis, message);
    bool complete = false;
    while (status == JN_OK && !complete && basis->count < pencil->unknowns) {
        uint32_t searched = basis->count, found = searched - first;
        status = modes_search(pencil, (found < count ? count - found : 0) + beyond, basis, message);
        beyond = found == 0 || beyond > pencil->unknowns ? beyond : 2 * beyond;
        double *sorted = malloc(basis->count * sizeof *sorted);
        if (!sorted)
            return status_no_memory(message, "the modes");
        complete = status == JN_OK && (pencil->problem->exactly_count ? has_lowest : is_complete)(
                                          pencil, basis, first, searched, count, sorted);
        free(sorted);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ cleaning up */

/* Replaces the vectors from `first` on by the Ritz vectors of their span, in ascending order (Rayleigh-Ritz). */
static JnStatus ritz(const Pencil *pencil, Basis *basis, uint32_t first, JnMessage *message) {
    size_t n = pencil->size, count = basis->count - first;
    if (count == 0)
        return JN_OK;
    double *vectors = basis->vectors + first * n;
    double *a = malloc((count * count + 1) * sizeof *a), *row = malloc((count + 1) * sizeof *row);
    double *x = malloc((n + 1) * sizeof *x);
    JnStatus status = a && row && x ? JN_OK : status_no_memory(message, "the modes");
    for (size_t k = 0; status == JN_OK && k < count; ++k) {
        pencil_multiply_stiffness(pencil, vectors + k * n, x);
        for (size_t l = 0; l < count; ++l) {
            a[k * count + l] = 0;
            for (size_t i = 0; i < n; ++i)
                a[k * count + l] += vectors[l * n + i] * x[i];
        }
    }
    if (status == JN_OK)
        status = dense_eigen(count, a, NULL, basis->values + first, message);
    for (size_t i = 0; status == JN_OK && i < n; ++i) {
        for (size_t k = 0; k < count; ++k) {
            row[k] = 0;
            for (size_t l = 0; l < count; ++l)
                row[k] += a[k * count + l] * vectors[l * n + i];
        }
        for (size_t k = 0; k < count; ++k)
            vectors[k * n + i] = row[k];
    }
    free(a);
    free(row);
    free(x);
    return status;
}

/* Fixes the sign: the first of the largest entries, to within a factor of two, is positive. */
static void fix_sign(double *shape, size_t size) {
    double largest = 0;
    size_t i = 0;
    for (size_t k = 0; k < size; ++k)
        largest = fmax(largest, fabs(shape[k]));
    while (i < size && fabs(shape[i]) < 0.5 * largest)
        ++i;
    bool negative = i < size && shape[i] < 0;
    for (size_t k = 0; negative && k < size; ++k)
        shape[k] = -shape[k];
}

/* The fraction of a mode, in the mass norm, that is a rotation of a body under stress. */
static double stressed_part(const Basis *stressed, const double *shape) {
    double part = 0;
    for (size_t k = 0; k < stressed->count; ++k) {
        double along = 0;
        for (size_t i = 0; i < stressed->size; ++i)
            along += stressed->mass_vectors[k * stressed->size + i] * shape[i];
        part += along * along;
    }
    return part;
}

static double residual(const Pencil *pencil, const double *shape, double eigenvalue, double *stiffness_x,
                       double *mass_x) {
    double sum = 0;
    pencil_multiply_stiffness(pencil, shape, stiffness_x);
    pencil_multiply_mass(pencil, shape, mass_x);
    for (size_t i = 0; i < pencil->size; ++i) {
        double error = stiffness_x[i] - eigenvalue * mass_x[i];
        sum += error * error / pencil->problem->masses[i / 3];
    }
    return sqrt(sum);
}

static double clean_eigenvalue(const Pencil *pencil, double value) {
    return fabs(value) <= ZERO * pencil->largest ? 0 : value;
}

/* Selects the vectors to keep: `order` receives their numbers, rigid ones first. Returns the eigenvalue after the last
   one kept. */
static double choose(const Pencil *pencil, const Basis *basis, uint32_t first, const Basis *stressed, uint32_t count,
                     uint32_t *order, Modes *modes) {
    double first_elastic = INFINITY;
    for (uint32_t k = first; k < basis->count && first_elastic == INFINITY; ++k)
        if (stressed_part(stressed, basis->vectors + k * basis->size) < RIGID_PART)
            first_elastic = basis->values[k];
    for (uint32_t k = 0; k < basis->count; ++k)
        if (k < first || (stressed_part(stressed, basis->vectors + k * basis->size) >= RIGID_PART &&
                          fabs(basis->values[k]) <= RIGID_RATE * first_elastic))
            order[modes->rigid_count++] = k;
    modes->count = modes->rigid_count;
    double last = 0;
    for (uint32_t k = first, r = first; k < basis->count; ++k) {
        if (r < modes->rigid_count && order[r] == k) {
            ++r;
            continue;
        }
        if (modes->count - modes->rigid_count >= count &&
            (pencil->problem->exactly_count || !modes_same(pencil->largest, last, basis->values[k])))
            return clean_eigenvalue(pencil, basis->values[k]);
        order[modes->count++] = k;
        last = basis->values[k];
    }
    return INFINITY;
}

static JnStatus keep(Pencil *pencil, const Basis *basis, const uint32_t *order, Modes *modes, JnMessage *message) {
    size_t n = pencil->size;
    double *scratch = malloc((n + 1) * sizeof *scratch);
    modes->eigenvalues = malloc(((size_t)modes->count + 1) * sizeof(double));
    modes->residuals = malloc(((size_t)modes->count + 1) * sizeof(double));
    modes->shapes = malloc((modes->count * n + 1) * sizeof(double));
    JnStatus status = scratch && modes->eigenvalues && modes->residuals && modes->shapes
                          ? JN_OK
                          : status_no_memory(message, "the modes");
    for (uint32_t k = 0; status == JN_OK && k < modes->count; ++k) {
        double *shape = modes->shapes + k * n;
        memcpy(shape, basis->vectors + order[k] * n, n * sizeof *shape);
        fix_sign(shape, n);
        modes->eigenvalues[k] = clean_eigenvalue(pencil, basis->values[order[k]]);
        modes->residuals[k] = residual(pencil, shape, modes->eigenvalues[k], pencil->scratch, scratch);
    }
    free(scratch);
    return status;
}

JnStatus modes_solve_part(const ModesProblem *problem, uint32_t count, Modes *modes, double *next, JnMessage *message) {
    Pencil pencil;
    Basis basis = {0}, stressed = {0};
    memset(modes, 0, sizeof *modes);
    JnStatus status = pencil_open(problem, &pencil, message);
    if (status == JN_OK)
        status = modes_rigid(&pencil, &basis, &stressed, message);
    uint32_t first = basis.count, *order = NULL;
    /* as many more as may be found to be rigid */
    if (status == JN_OK)
        status = search_all(&pencil, count == 0 ? 0 : count + stressed.count, &basis, message);
    if (status == JN_OK)
        status = ritz(&pencil, &basis, first, message);
    if (status == JN_OK) {
        order = malloc(((size_t)basis.count + 1) * sizeof *order);
        status = order ? JN_OK : status_no_memory(message, "the modes");
    }
    if (status == JN_OK) {
        *next = choose(&pencil, &basis, first, &stressed, count, order, modes);
        modes->solve_count = pencil.solve_count;
        status = keep(&pencil, &basis, order, modes, message);
    }
    free(order);
    basis_free(&basis);
    basis_free(&stressed);
    pencil_close(&pencil);
    if (status != JN_OK)
        modes_free(modes);
    return status;
}
