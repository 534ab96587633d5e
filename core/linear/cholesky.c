/* The matrix is kept in the order of the factor, so that CHOLMOD need not permute it at every factorization. */
#include "linear/cholesky.h"

#include "base/status.h"
#include "linear/cholmod_guard.h"
#include "linear/float_factor.h"

#include <stdlib.h>
#include <string.h>

struct Cholesky {
    cholmod_common common;
    cholmod_sparse *permuted; /* lower triangle in the factor's order; its values are the caller's */
    uint32_t *sources;        /* of each value, in the block matrix's */
    size_t value_count;
    cholmod_factor *factor;
    cholmod_dense *rhs; /* reused from call to call, as the workspace */
    CholmodWorkspace workspace;
    FloatFactor single;
    bool single_current; /* it holds the latest factor, computed or rounded */
    CholeskyReport report;
};

/* The lower pattern with `size` unknowns a vertex: 1 for ordering, 3 for factoring. NULL without memory. */
static cholmod_sparse *make_pattern(const FreeUnknowns *unknowns, size_t size, cholmod_common *common) {
    size_t n = (size_t)unknowns->count * size;
    size_t diagonal = (size_t)unknowns->count, off = (size_t)unknowns->block_starts[unknowns->count] - diagonal;
    size_t entries = diagonal * size * (size + 1) / 2 + off * size * size;
    if (entries > INT32_MAX)
        return NULL;
    cholmod_sparse *sparse = cholmod_allocate_sparse(n, n, entries, 1, 1, -1, CHOLMOD_PATTERN, common);
    if (!sparse)
        return NULL;
    int *starts = sparse->p, *rows = sparse->i, fill = 0;
    for (uint32_t i = 0; i < unknowns->count; ++i)
        for (size_t c = 0; c < size; ++c) {
            starts[(size_t)i * size + c] = fill;
            for (uint32_t k = unknowns->block_starts[i]; k < unknowns->block_starts[i + 1]; ++k)
                for (size_t r = unknowns->rows[k] == i ? c : 0; r < size; ++r)
                    rows[fill++] = (int)(unknowns->rows[k] * size + r);
        }
    starts[n] = fill;
    return sparse;
}

/* Calls visit for every entry of the lower triangle in the factor's order: its row, its column, where it comes from. */
static void for_each_entry(const FreeUnknowns *unknowns, const int *place,
                           void (*visit)(void *context, int row, int column, uint32_t source), void *context) {
    for (uint32_t i = 0; i < unknowns->count; ++i)
        for (uint32_t k = unknowns->block_starts[i]; k < unknowns->block_starts[i + 1]; ++k)
            for (uint32_t c = 0; c < 3; ++c)
                for (uint32_t r = unknowns->rows[k] == i ? c : 0; r < 3; ++r) {
                    int a = place[3 * (size_t)unknowns->rows[k] + r], b = place[3 * (size_t)i + c];
                    visit(context, a > b ? a : b, a > b ? b : a, 9 * unknowns->blocks[k] + 3 * r + c);
                }
}

static void count_entry(void *context, int row, int column, uint32_t source) {
    (void)row, (void)source;
    ++((int *)context)[column + 1];
}

typedef struct Placement {
    int *fill, *rows;
    uint32_t *sources;
} Placement;

static void place_entry(void *context, int row, int column, uint32_t source) {
    Placement *placement = context;
    int at = placement->fill[column]++;
    placement->rows[at] = row;
    placement->sources[at] = source;
}

/* Sets up the matrix in the order of the factor. false: out of memory. */
static bool permute(Cholesky *cholesky, const FreeUnknowns *unknowns, size_t entries) {
    size_t n = (size_t)unknowns->count * 3;
    const int *order = cholesky->factor->Perm;
    int *place = calloc(n, sizeof *place), *fill = malloc(n * sizeof *fill);
    cholesky->permuted = cholmod_allocate_sparse(n, n, entries, 0, 1, -1, CHOLMOD_PATTERN, &cholesky->common);
    cholesky->sources = malloc(entries * sizeof *cholesky->sources);
    cholesky->value_count = entries;
    bool ok = place && fill && cholesky->permuted && cholesky->sources;
    if (ok) {
        int *starts = cholesky->permuted->p;
        for (size_t i = 0; i < n; ++i)
            place[order[i]] = (int)i;
        memset(starts, 0, (n + 1) * sizeof *starts);
        for_each_entry(unknowns, place, count_entry, starts);
        for (size_t i = 0; i < n; ++i)
            starts[i + 1] += starts[i];
        memcpy(fill, starts, n * sizeof *fill);
        for_each_entry(unknowns, place, place_entry, &(Placement){fill, cholesky->permuted->i, cholesky->sources});
        cholesky->permuted->xtype = CHOLMOD_REAL;
    }
    free(place);
    free(fill);
    return ok;
}

JnStatus cholesky_create(const BlockMatrix *matrix, const FreeUnknowns *unknowns, Cholesky **out, JnMessage *message) {
    *out = NULL;
    Cholesky *cholesky = calloc(1, sizeof *cholesky);
    if (!cholesky || (uint64_t)matrix->block_count * 9 > UINT32_MAX) {
        free(cholesky);
        return status_no_memory(message, "the linear solver");
    }
    cholmod_common *common = &cholesky->common;
    cholmod_guard_start(common);
    JnStatus status = JN_OK;
    cholmod_sparse *graph = make_pattern(unknowns, 1, common);
    cholmod_sparse *expanded = graph ? make_pattern(unknowns, 3, common) : NULL;
    if (expanded) {
        CholmodHold hold = cholmod_guard_hold();
        cholesky->factor = cholmod_guard_analyze(graph, expanded, 3, &cholesky->report.ordering, common);
        cholmod_guard_release(hold);
        if (!cholesky->factor)
            status = cholmod_guard_fail(common, "the analysis of the stiffness matrix", message);
        else if (!permute(cholesky, unknowns, expanded->nzmax))
            status = status_no_memory(message, "the linear system");
    } else {
        status = status_no_memory(message, "the linear system");
    }
    cholmod_free_sparse(&graph, common);
    cholmod_free_sparse(&expanded, common);
    if (status != JN_OK) {
        cholesky_destroy(cholesky);
        return status;
    }
    CholeskyReport *report = &cholesky->report;
    report->factor_flops = common->fl;
    report->factor_entries = (double)cholesky->factor->xsize;
    *out = cholesky;
    return JN_OK;
}

size_t cholesky_value_count(const Cholesky *cholesky) {
    return cholesky->value_count;
}

void cholesky_gather_values(const Cholesky *cholesky, const BlockMatrix *matrix, double *values) {
    for (size_t k = 0; k < cholesky->value_count; ++k)
        values[k] = matrix->values[cholesky->sources[k]];
}

JnStatus cholesky_factor(Cholesky *cholesky, double *values, bool *positive_definite, JnMessage *message) {
    cholmod_common *common = &cholesky->common;
    double shift[2] = {0, 0};
    cholesky->permuted->x = values;
    CholmodHold hold = cholmod_guard_hold();
    common->status = CHOLMOD_OK;
    int done = cholmod_super_numeric(cholesky->permuted, NULL, shift, cholesky->factor, common);
    cholmod_guard_release(hold);
    cholesky->permuted->x = NULL;
    cholesky->single_current = false;
    *positive_definite = false;
    if (!done || common->status < 0)
        return cholmod_guard_fail(common, "the factorization", message);
    *positive_definite = common->status != CHOLMOD_NOT_POSDEF && cholesky->factor->minor == cholesky->factor->n;
    return JN_OK;
}

double *cholesky_right_hand_sides(Cholesky *cholesky, uint32_t count) {
    size_t n = cholesky->factor->n;
    cholmod_dense *rhs = cholmod_ensure_dense(&cholesky->rhs, n, count, n, CHOLMOD_REAL, &cholesky->common);
    return rhs ? rhs->x : NULL;
}

const double *cholesky_solve(Cholesky *cholesky) {
    return cholmod_guard_solve(cholesky->factor, cholesky->rhs, &cholesky->workspace, &cholesky->common)
               ? cholesky->workspace.solution->x
               : NULL;
}

/* false: out of memory. */
static bool prepare_single(Cholesky *cholesky) {
    return cholesky->single.values || float_factor_prepare(&cholesky->single, cholesky->factor);
}

JnStatus cholesky_factor_single(Cholesky *cholesky, const double *values, bool *done, JnMessage *message) {
    *done = false;
    if (!prepare_single(cholesky))
        return status_no_memory(message, "the factorization");
    CholmodHold hold = cholmod_guard_hold();
    *done = float_factor_compute(&cholesky->single, cholesky->factor, cholesky->permuted, values);
    cholmod_guard_release(hold);
    cholesky->single_current = *done;
    return JN_OK;
}

bool cholesky_precondition(Cholesky *cholesky, const double *r, double *z) {
    if (!prepare_single(cholesky))
        return false;
    if (!cholesky->single_current)
        float_factor_round(&cholesky->single, cholesky->factor);
    cholesky->single_current = true;
    float_factor_solve(&cholesky->single, cholesky->factor, r, z);
    return true;
}

void cholesky_report(const Cholesky *cholesky, CholeskyReport *report) {
    const cholmod_factor *factor = cholesky->factor;
    *report = cholesky->report;
    report->factor_bytes = (double)factor->ssize * sizeof(int);
    if (factor->x)
        report->factor_bytes += report->factor_entries * sizeof(double);
    if (cholesky->single.values)
        report->factor_bytes += float_factor_bytes(&cholesky->single, factor);
    /* the matrix's rows and sources; the solve's workspace */
    report->bytes =
        report->factor_bytes + (double)cholesky->value_count * 2 * sizeof(int) + (double)factor->n * 4 * sizeof(double);
}

void cholesky_destroy(Cholesky *cholesky) {
    if (!cholesky)
        return;
    cholmod_free_sparse(&cholesky->permuted, &cholesky->common);
    cholmod_free_factor(&cholesky->factor, &cholesky->common);
    cholmod_free_dense(&cholesky->rhs, &cholesky->common);
    cholmod_guard_free_workspace(&cholesky->workspace, &cholesky->common);
    float_factor_free(&cholesky->single);
    cholmod_finish(&cholesky->common);
    free(cholesky->sources);
    free(cholesky);
}
