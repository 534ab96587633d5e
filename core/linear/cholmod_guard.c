#include "linear/cholmod_guard.h"

#include "base/os/os.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* Of the OpenMP runtime that CHOLMOD uses; declared here because a compiler's own omp.h may belong to another
   runtime. */
extern int omp_get_max_active_levels(void);
extern void omp_set_max_active_levels(int levels);

/* OpenBLAS's own calls, which its C headers declare beside names that clash with CHOLMOD's. */
extern void openblas_set_num_threads(int count);
extern int openblas_get_num_threads(void);

void cholmod_guard_start(cholmod_common *common) {
    cholmod_start(common);
    common->supernodal = CHOLMOD_SUPERNODAL;
    common->print = 0;
    common->error_handler = NULL;
    common->try_catch = 1;
    /* METIS aborts the process where it gets no memory: CHOLMOD first sees whether twice its estimate is there */
    common->metis_memory = 2;
}

/* OpenBLAS has one number of threads for the process: the first of several holds sets it to 1, the last release
   restores it. */
static int blas_holds, blas_threads_before;

CholmodHold cholmod_guard_hold(void) {
    os_process_lock();
    if (blas_holds++ == 0) {
        blas_threads_before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    os_process_unlock();
    CholmodHold hold = {omp_get_max_active_levels()};
    /* the setting belongs to the calling thread: no level of its teams may be active, so each has one thread */
    omp_set_max_active_levels(0);
    return hold;
}

void cholmod_guard_release(CholmodHold hold) {
    omp_set_max_active_levels(hold.openmp_levels);
    os_process_lock();
    if (--blas_holds == 0)
        openblas_set_num_threads(blas_threads_before);
    os_process_unlock();
}

/* Moves the entries of nodes in `last` behind all others; both keep their order. entries: [count], each of the node
   entry / node_size; scratch: [count]. */
static void move_last(int *entries, size_t count, size_t node_size, const uint8_t *last, int *scratch) {
    size_t fill = 0, moved = 0;
    for (size_t i = 0; i < count; ++i) {
        if (last[(size_t)entries[i] / node_size])
            scratch[moved++] = entries[i];
        else
            entries[fill++] = entries[i];
    }
    memcpy(entries + fill, scratch, moved * sizeof *entries);
}

static cholmod_factor *analyze_given(cholmod_sparse *expanded, int *unknowns, int postorder, cholmod_common *common) {
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_GIVEN;
    common->postorder = postorder;
    return cholmod_analyze_p(expanded, unknowns, NULL, 0, common);
}

/* Analyses `expanded` with the node ordering `nodes` expanded to its unknowns; unknowns: [2 * count of them] scratch.
 */
static cholmod_factor *analyze_with(cholmod_sparse *expanded, const int *nodes, size_t node_size, const uint8_t *last,
                                    int *unknowns, cholmod_common *common) {
    size_t count = expanded->nrow;
    for (size_t i = 0; i < count; ++i)
        unknowns[i] = nodes[i / node_size] * (int)node_size + (int)(i % node_size);
    if (last)
        move_last(unknowns, count, node_size, last, unknowns + count);
    cholmod_factor *factor = analyze_given(expanded, unknowns, 1, common);
    if (!factor || !last)
        return factor;
    /* postordering moves the last nodes again, but the others stay in postorder without them; and all columns after
       those are one supernode, so the supernodes are in postorder as well */
    memcpy(unknowns, factor->Perm, count * sizeof *unknowns);
    cholmod_free_factor(&factor, common);
    move_last(unknowns, count, node_size, last, unknowns + count);
    factor = analyze_given(expanded, unknowns, 0, common);
    common->postorder = 1;
    return factor;
}

/* An ordering of the pattern's nodes into `nodes`; parents, members: [node_count] scratch. 0: it failed. */
typedef int (*Order)(cholmod_sparse *pattern, int *nodes, int *parents, int *members, cholmod_common *common);

static int order_by_amd(cholmod_sparse *pattern, int *nodes, int *parents, int *members, cholmod_common *common) {
    (void)parents, (void)members;
    return cholmod_amd(pattern, NULL, 0, nodes, common);
}

static int order_by_metis(cholmod_sparse *pattern, int *nodes, int *parents, int *members, cholmod_common *common) {
    (void)parents, (void)members;
    return cholmod_metis(pattern, NULL, 0, 1, nodes, common);
}

/* METIS's separators, and minimum degree within them and within the parts that are left. */
static int order_by_dissection(cholmod_sparse *pattern, int *nodes, int *parents, int *members,
                               cholmod_common *common) {
    common->current = 0;
    common->method[0].nd_small = 50; /* nodes: smaller parts are not divided */
    return cholmod_nested_dissection(pattern, NULL, 0, nodes, parents, members, common) >= 0;
}

static const struct {
    const char *name;
    Order order;
} orderings[] = {{"amd", order_by_amd}, {"metis", order_by_metis}, {"dissection", order_by_dissection}};
enum { ORDERINGS = sizeof orderings / sizeof *orderings };

/* METIS uses the process's rand(), which concurrent calls would share, and does not restore the handlers of SIGTERM and
   SIGABRT: the program's own handlers would be lost. */
static int order_guarded(Order order, cholmod_sparse *pattern, int *nodes, int *parents, int *members,
                         cholmod_common *common) {
    os_process_lock();
    OsSignals *signals = os_signals_keep();
    int ordered = order(pattern, nodes, parents, members, common);
    os_signals_put_back(signals);
    os_process_unlock();
    return ordered;
}

cholmod_factor *cholmod_guard_analyze(cholmod_sparse *pattern, cholmod_sparse *expanded, size_t node_size,
                                      const uint8_t *last, const char **ordering, cholmod_common *common) {
    cholmod_factor *best = NULL;
    size_t node_count = pattern->nrow;
    int *nodes = malloc((3 * node_count + 1) * sizeof *nodes);
    int *unknowns = malloc((2 * node_count * node_size + 1) * sizeof *unknowns);
    if (!nodes || !unknowns) {
        common->status = CHOLMOD_OUT_OF_MEMORY;
        goto done;
    }
    double best_flops = 0;
    for (int k = 0; k < ORDERINGS; ++k) {
        int ordered =
            order_guarded(orderings[k].order, pattern, nodes, nodes + node_count, nodes + 2 * node_count, common);
        cholmod_factor *factor = ordered ? analyze_with(expanded, nodes, node_size, last, unknowns, common) : NULL;
        if (factor && (!best || common->fl < best_flops)) {
            cholmod_free_factor(&best, common);
            best = factor;
            best_flops = common->fl;
            *ordering = orderings[k].name;
        } else {
            cholmod_free_factor(&factor, common);
        }
    }
    common->fl = best_flops;
done:
    free(nodes);
    free(unknowns);
    return best;
}

bool cholmod_guard_solve(cholmod_factor *factor, cholmod_dense *rhs, CholmodWorkspace *workspace,
                         cholmod_common *common) {
    size_t n = factor->n, count = rhs->ncol;
    bool ready = cholmod_ensure_dense(&workspace->solution, n, count, n, CHOLMOD_REAL, common) &&
                 cholmod_ensure_dense(&workspace->y, n, count, n, CHOLMOD_REAL, common) &&
                 cholmod_ensure_dense(&workspace->e, count, factor->maxesize, count, CHOLMOD_REAL, common);
    if (!ready) {
        common->status = CHOLMOD_OUT_OF_MEMORY;
        return false;
    }
    CholmodHold hold = cholmod_guard_hold();
    int done =
        cholmod_solve2(CHOLMOD_A, factor, rhs, NULL, &workspace->solution, NULL, &workspace->y, &workspace->e, common);
    cholmod_guard_release(hold);
    return done;
}

void cholmod_guard_free_workspace(CholmodWorkspace *workspace, cholmod_common *common) {
    cholmod_free_dense(&workspace->solution, common);
    cholmod_free_dense(&workspace->y, common);
    cholmod_free_dense(&workspace->e, common);
}

JnStatus cholmod_guard_fail(const cholmod_common *common, const char *what, JnMessage *message) {
    if (common->status == CHOLMOD_OUT_OF_MEMORY || common->status == CHOLMOD_TOO_LARGE)
        return status_no_memory(message, what);
    return status_fail(message, JN_ERR_DIVERGED, "%s failed in the linear solver (CHOLMOD status %d)", what,
                       common->status);
}
