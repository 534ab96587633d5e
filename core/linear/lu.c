#include "linear/lu.h"

#include "base/status.h"
#include "linear/cholmod_guard.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <umfpack.h>

struct Lu {
    int n;
    int *starts, *rows; /* both triangles, column by column */
    double *values;
    uint32_t *sources; /* of each value: in the matrix's `values`, or after them in its `upper` */
    double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
    void *symbolic, *numeric;
    int *integer_work; /* [n] */
    double *work;      /* [5 n] */
};

/* Where entry (row, column) of block k's mirror image, above the diagonal, comes from. */
static uint32_t mirror_source(const BlockMatrix *matrix, uint32_t k, uint32_t row, uint32_t column) {
    return matrix->upper ? 9 * (matrix->block_count + k) + 3 * row + column : 9 * k + 3 * column + row;
}

/* The rows of a column come in ascending order: those above the diagonal while the columns before it are visited. */
static void fill_pattern(Lu *lu, const BlockMatrix *matrix, const FreeUnknowns *unknowns, int *fill) {
    for (uint32_t i = 0; i < unknowns->count; ++i)
        for (uint32_t k = unknowns->block_starts[i]; k < unknowns->block_starts[i + 1]; ++k) {
            uint32_t j = unknowns->rows[k], block = unknowns->blocks[k];
            for (uint32_t c = 0; c < 3; ++c)
                for (uint32_t r = 0; r < 3; ++r) {
                    int at = fill[3 * i + c]++;
                    lu->rows[at] = (int)(3 * j + r);
                    lu->sources[at] = 9 * block + 3 * r + c;
                    if (i == j)
                        continue;
                    at = fill[3 * j + c]++;
                    lu->rows[at] = (int)(3 * i + r);
                    lu->sources[at] = mirror_source(matrix, block, r, c);
                }
        }
}

static void count_columns(const FreeUnknowns *unknowns, int *starts) {
    for (uint32_t i = 0; i < unknowns->count; ++i)
        for (uint32_t k = unknowns->block_starts[i]; k < unknowns->block_starts[i + 1]; ++k)
            for (uint32_t c = 0; c < 3; ++c) {
                starts[3 * i + c + 1] += 3;
                if (unknowns->rows[k] != i)
                    starts[3 * unknowns->rows[k] + c + 1] += 3;
            }
    for (size_t c = 0; c < 3 * (size_t)unknowns->count; ++c)
        starts[c + 1] += starts[c];
}

static JnStatus fail(int status, const char *what, JnMessage *message) {
    if (status == UMFPACK_ERROR_out_of_memory)
        return status_no_memory(message, what);
    return status_fail(message, JN_ERR_DIVERGED, "%s failed in the linear solver (UMFPACK status %d)", what, status);
}

static JnStatus analyze(Lu *lu, bool symmetric, JnMessage *message) {
    umfpack_di_defaults(lu->control);
    lu->control[UMFPACK_STRATEGY] = symmetric ? UMFPACK_STRATEGY_SYMMETRIC : UMFPACK_STRATEGY_UNSYMMETRIC;
    CholmodHold hold = cholmod_guard_hold();
    int status = umfpack_di_symbolic(lu->n, lu->n, lu->starts, lu->rows, NULL, &lu->symbolic, lu->control, lu->info);
    cholmod_guard_release(hold);
    return status == UMFPACK_OK ? JN_OK : fail(status, "the analysis of the matrix", message);
}

JnStatus lu_create(const BlockMatrix *matrix, const FreeUnknowns *unknowns, bool symmetric, Lu **out,
                   JnMessage *message) {
    *out = NULL;
    size_t n = 3 * (size_t)unknowns->count;
    uint64_t entries = 18 * (uint64_t)unknowns->block_starts[unknowns->count] - 9 * (uint64_t)unknowns->count;
    Lu *lu = entries <= INT32_MAX && matrix->block_count <= UINT32_MAX / 18 ? calloc(1, sizeof *lu) : NULL;
    if (!lu)
        return status_no_memory(message, "the linear solver");
    lu->n = (int)n;
    lu->starts = calloc(n + 1, sizeof *lu->starts);
    lu->rows = malloc(entries * sizeof *lu->rows);
    lu->values = malloc(entries * sizeof *lu->values);
    lu->sources = malloc(entries * sizeof *lu->sources);
    lu->integer_work = malloc(n * sizeof *lu->integer_work);
    lu->work = malloc(5 * n * sizeof *lu->work);
    int *fill = malloc(n * sizeof *fill);
    JnStatus status = JN_OK;
    if (!lu->starts || !lu->rows || !lu->values || !lu->sources || !lu->integer_work || !lu->work || !fill)
        status = status_no_memory(message, "the linear solver");
    if (status == JN_OK) {
        count_columns(unknowns, lu->starts);
        memcpy(fill, lu->starts, n * sizeof *fill);
        fill_pattern(lu, matrix, unknowns, fill);
        status = analyze(lu, symmetric, message);
    }
    free(fill);
    if (status != JN_OK)
        lu_destroy(lu);
    else
        *out = lu;
    return status;
}

JnStatus lu_factor(Lu *lu, const BlockMatrix *matrix, bool *regular, JnMessage *message) {
    size_t lower = 9 * (size_t)matrix->block_count;
    for (int k = 0; k < lu->starts[lu->n]; ++k)
        lu->values[k] = lu->sources[k] < lower ? matrix->values[lu->sources[k]] : matrix->upper[lu->sources[k] - lower];
    umfpack_di_free_numeric(&lu->numeric);
    CholmodHold hold = cholmod_guard_hold();
    int status =
        umfpack_di_numeric(lu->starts, lu->rows, lu->values, lu->symbolic, &lu->numeric, lu->control, lu->info);
    cholmod_guard_release(hold);
    /* UMFPACK's estimate of the ratio of the smallest pivot to the largest; NaN if the matrix has a NaN */
    *regular = status == UMFPACK_OK && lu->info[UMFPACK_RCOND] > DBL_EPSILON;
    if (!*regular)
        umfpack_di_free_numeric(&lu->numeric);
    return status == UMFPACK_OK || status == UMFPACK_WARNING_singular_matrix
               ? JN_OK
               : fail(status, "the factorization", message);
}

bool lu_has_factor(const Lu *lu) {
    return lu->numeric != NULL;
}

JnStatus lu_solve(Lu *lu, const double *b, double *x, JnMessage *message) {
    CholmodHold hold = cholmod_guard_hold();
    int status = umfpack_di_wsolve(UMFPACK_A, lu->starts, lu->rows, lu->values, x, b, lu->numeric, lu->control,
                                   lu->info, lu->integer_work, lu->work);
    cholmod_guard_release(hold);
    return status == UMFPACK_OK ? JN_OK : fail(status, "the solve", message);
}

double lu_factor_flops(const Lu *lu) {
    return lu->numeric ? lu->info[UMFPACK_FLOPS] : 0;
}

double lu_factor_bytes(const Lu *lu) {
    return lu->numeric ? lu->info[UMFPACK_NUMERIC_SIZE] * lu->info[UMFPACK_SIZE_OF_UNIT] : 0;
}

void lu_destroy(Lu *lu) {
    if (!lu)
        return;
    umfpack_di_free_numeric(&lu->numeric);
    umfpack_di_free_symbolic(&lu->symbolic);
    free(lu->starts);
    free(lu->rows);
    free(lu->values);
    free(lu->sources);
    free(lu->integer_work);
    free(lu->work);
    free(lu);
}
