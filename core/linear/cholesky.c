/* The matrix is kept in the order of the factor, so that CHOLMOD need not permute it at every factorization. */
#include "linear/cholesky.h"

#include "base/status.h"
#include "linear/cholmod_guard.h"
#include "linear/float_factor.h"
#include "linear/schur_split.h"

#include <stdlib.h>
#include <string.h>

struct Cholesky {
    cholmod_common common;
    cholmod_sparse *permuted; /* lower triangle in the factor's order; its values are the caller's */
    uint32_t *sources;        /* of each value: its index in the block matrix's values */
    size_t value_count;
    cholmod_factor *factor;
    cholmod_dense *rhs; /* reused from call to call, as the workspace */
    CholmodWorkspace workspace;
    FloatFactor single;
    bool single_current; /* it holds the latest factor, computed or rounded */
    bool is_double;      /* the latest factor is in double precision, in `factor` */
    SchurBlock schur;    /* of the unknowns eliminated last */
    bool schur_current;  /* it is that of the latest factor */
    SchurSplit split;    /* its factor in single precision, */
    bool is_split;       /* if the latest one in single precision has it there */
    bool last_factored;  /* the latest factor includes those unknowns, by CHOLMOD or through `schur` */
    bool last_plain;     /* through `schur`, and without pairs */
    CholeskyReport report;
};

/* Numbers in the lower triangle, with `size` unknowns a vertex. */
static size_t count_entries(const FreeUnknowns *unknowns, size_t size) {
    size_t diagonal = (size_t)unknowns->count, off = (size_t)unknowns->block_starts[unknowns->count] - diagonal;
    return diagonal * size * (size + 1) / 2 + off * size * size;
}

/* The lower pattern with `size` unknowns a vertex: 1 for ordering, 3 for factoring. last: [free count], nonzero for
   vertices that are all coupled to each other, beyond the matrix; or NULL. NULL without memory. */
static cholmod_sparse *make_pattern(const FreeUnknowns *unknowns, size_t size, const uint8_t *last,
                                    cholmod_common *common) {
    size_t n = (size_t)unknowns->count * size, entries = count_entries(unknowns, size), last_count = 0;
    for (uint32_t i = 0; last && i < unknowns->count; ++i)
        last_count += last[i] != 0;
    entries += last_count * (last_count + 1) / 2 * size * size;
    if (entries > INT32_MAX)
        return NULL;
    cholmod_sparse *sparse = cholmod_allocate_sparse(n, n, entries, !last, 1, -1, CHOLMOD_PATTERN, common);
    if (!sparse)
        return NULL;
    int *starts = sparse->p, *rows = sparse->i, fill = 0;
    for (uint32_t i = 0; i < unknowns->count; ++i)
        for (size_t c = 0; c < size; ++c) {
            bool coupled = last && last[i];
            starts[(size_t)i * size + c] = fill;
            for (uint32_t k = unknowns->block_starts[i]; k < unknowns->block_starts[i + 1]; ++k)
                for (size_t r = unknowns->rows[k] == i ? c : 0; !(coupled && last[unknowns->rows[k]]) && r < size; ++r)
                    rows[fill++] = (int)(unknowns->rows[k] * size + r);
            for (uint32_t j = i; coupled && j < unknowns->count; ++j)
                for (size_t r = j == i ? c : 0; last[j] && r < size; ++r)
                    rows[fill++] = (int)(j * size + r);
        }
    starts[n] = fill;
    return sparse;
}

/* Takes the edges of `last` vertices out of a graph: they are eliminated after all others, so no separator need divide
   them, and the orders of the others alone have less fill. */
static void leave_out(cholmod_sparse *graph, const uint8_t *last) {
    int *starts = graph->p, *rows = graph->i, fill = 0, from = 0;
    for (size_t j = 0; j < graph->ncol; ++j) {
        int to = starts[j + 1];
        for (int k = from; k < to; ++k)
            if ((size_t)rows[k] == j || !(last[j] || last[rows[k]]))
                rows[fill++] = rows[k];
        starts[j + 1] = fill;
        from = to;
    }
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

/* Analyses the pattern and prepares all that depends on its order. */
static JnStatus analyze(Cholesky *cholesky, const FreeUnknowns *unknowns, const uint8_t *last, JnMessage *message) {
    cholmod_common *common = &cholesky->common;
    cholmod_sparse *graph = make_pattern(unknowns, 1, NULL, common);
    cholmod_sparse *expanded = graph ? make_pattern(unknowns, 3, last, common) : NULL;
    JnStatus status = expanded ? JN_OK : status_no_memory(message, "the linear system");
    if (expanded) {
        if (last)
            leave_out(graph, last);
        CholmodHold hold = cholmod_guard_hold();
        cholesky->factor = cholmod_guard_analyze(graph, expanded, 3, last, &cholesky->report.ordering, common);
        cholmod_guard_release(hold);
        if (!cholesky->factor)
            status = cholmod_guard_fail(common, "the analysis of the stiffness matrix", message);
        else if (!permute(cholesky, unknowns, count_entries(unknowns, 3)))
            status = status_no_memory(message, "the linear system");
    }
    cholmod_free_sparse(&graph, common);
    cholmod_free_sparse(&expanded, common);
    int last_count = 0;
    for (uint32_t i = 0; last && i < unknowns->count; ++i)
        last_count += last[i] ? 3 : 0;
    if (status == JN_OK && last_count > 0 &&
        (!schur_block_prepare(&cholesky->schur, cholesky->factor, last_count) ||
         !schur_split_prepare(&cholesky->split, last_count)))
        status = status_no_memory(message, "the linear system");
    return status;
}

JnStatus cholesky_create(const BlockMatrix *matrix, const FreeUnknowns *unknowns, const uint8_t *last, Cholesky **out,
                         JnMessage *message) {
    *out = NULL;
    Cholesky *cholesky = calloc(1, sizeof *cholesky);
    if (!cholesky || (uint64_t)matrix->block_count * 9 > UINT32_MAX) {
        free(cholesky);
        return status_no_memory(message, "the linear solver");
    }
    cholmod_guard_start(&cholesky->common);
    JnStatus status = analyze(cholesky, unknowns, last, message);
    if (status != JN_OK) {
        cholesky_destroy(cholesky);
        return status;
    }
    double last_count = cholesky->schur.count;
    cholesky->report.factor_flops = cholesky->common.fl;
    cholesky->report.factor_entries = (double)cholesky->factor->xsize;
    cholesky->report.last_flops = last_count * last_count * last_count / 3;
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

JnStatus cholesky_factor(Cholesky *cholesky, const double *values, bool *positive_definite, JnMessage *message) {
    cholmod_common *common = &cholesky->common;
    cholmod_factor *factor = cholesky->factor;
    double shift[2] = {0, 0};
    cholesky->permuted->x = (double *)values; /* CHOLMOD only reads it, but has no const */
    CholmodHold hold = cholmod_guard_hold();
    common->status = CHOLMOD_OK;
    int done = cholmod_super_numeric(cholesky->permuted, NULL, shift, factor, common);
    cholmod_guard_release(hold);
    cholesky->permuted->x = NULL;
    cholesky->single_current = cholesky->schur_current = cholesky->last_factored = cholesky->last_plain = false;
    cholesky->is_split = cholesky->split.head_current = false;
    cholesky->is_double = true;
    *positive_definite = false;
    if (!done || common->status < 0)
        return cholmod_guard_fail(common, "the factorization", message);
    bool whole = common->status != CHOLMOD_NOT_POSDEF && factor->minor == factor->n;
    /* a pivot that is not positive does not change the columns before it */
    *positive_definite =
        whole || (cholesky->schur.count > 0 && factor->minor >= factor->n - (size_t)cholesky->schur.count);
    cholesky->last_factored = whole;
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
    *done =
        float_factor_compute(&cholesky->single, cholesky->factor, cholesky->permuted, values, cholesky->schur.count);
    cholmod_guard_release(hold);
    if (*done && cholesky->schur.count > 0)
        schur_block_copy_front(&cholesky->schur, cholesky->factor, cholesky->single.values);
    cholesky->single_current = cholesky->schur_current = *done;
    cholesky->is_double = cholesky->last_factored = cholesky->last_plain = false;
    cholesky->is_split = cholesky->split.head_current = false;
    return JN_OK;
}

bool cholesky_is_last(const Cholesky *cholesky, uint32_t vertex) {
    return cholesky->schur.count > 0 && cholesky->schur.places[3 * (size_t)vertex] >= 0;
}

void cholesky_factor_last(Cholesky *cholesky, const double *values, const FreeUnknowns *unknowns,
                          const PairBlocks *pairs, bool *positive_definite) {
    bool plain = pair_blocks_empty(pairs);
    *positive_definite = true;
    if (cholesky->schur.count == 0 || (plain && cholesky->last_plain))
        return;
    CholmodHold hold = cholmod_guard_hold();
    if (!cholesky->schur_current)
        schur_block_compute(&cholesky->schur, cholesky->factor, cholesky->permuted, values);
    bool single = !cholesky->is_double && cholesky->single_current &&
                  schur_split_factor(&cholesky->split, &cholesky->schur, unknowns, pairs);
    cholesky->is_split = single;
    if (!single)
        *positive_definite = schur_block_factor(&cholesky->schur, unknowns, pairs);
    cholmod_guard_release(hold);
    if (*positive_definite && cholesky->is_double)
        schur_block_put_double(&cholesky->schur, cholesky->factor);
    if (*positive_definite && cholesky->single_current && !single)
        schur_block_put_single(&cholesky->schur, cholesky->factor, cholesky->single.values);
    cholesky->schur_current = true;
    cholesky->last_factored = *positive_definite;
    cholesky->last_plain = *positive_definite && plain;
}

bool cholesky_archive(Cholesky *cholesky, Archive *archive, bool *changed) {
    return schur_split_archive(&cholesky->split, archive, changed);
}

bool cholesky_last_factored(const Cholesky *cholesky) {
    return cholesky->schur.count == 0 || cholesky->last_factored;
}

/* Makes the factor in single precision that of the latest factor. false: out of memory. */
static bool renew_single(Cholesky *cholesky) {
    if (!prepare_single(cholesky))
        return false;
    if (!cholesky->single_current)
        float_factor_round(&cholesky->single, cholesky->factor);
    cholesky->single_current = true;
    return true;
}

bool cholesky_precondition(Cholesky *cholesky, const double *r, double *z) {
    if (!renew_single(cholesky))
        return false;
    LastBlock last = schur_split_last(&cholesky->split);
    float_factor_solve(&cholesky->single, cholesky->factor, cholesky->is_split ? &last : NULL, r, z);
    return true;
}

bool cholesky_precondition_many(Cholesky *cholesky, const double *r, double *z, uint32_t count) {
    if (!renew_single(cholesky))
        return false;
    CholmodHold hold = cholmod_guard_hold();
    LastBlock last = schur_split_last(&cholesky->split);
    bool done =
        float_factor_solve_many(&cholesky->single, cholesky->factor, cholesky->is_split ? &last : NULL, r, z, count);
    cholmod_guard_release(hold);
    return done;
}

void cholesky_report(const Cholesky *cholesky, CholeskyReport *report) {
    const cholmod_factor *factor = cholesky->factor;
    *report = cholesky->report;
    report->factor_bytes = (double)factor->ssize * sizeof(int);
    if (factor->x)
        report->factor_bytes += report->factor_entries * sizeof(double);
    if (cholesky->single.values)
        report->factor_bytes += float_factor_bytes(&cholesky->single, factor);
    report->factor_bytes += schur_block_bytes(&cholesky->schur) + schur_split_bytes(&cholesky->split);
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
    schur_block_free(&cholesky->schur);
    schur_split_free(&cholesky->split);
    cholmod_finish(&cholesky->common);
    free(cholesky->sources);
    free(cholesky);
}
