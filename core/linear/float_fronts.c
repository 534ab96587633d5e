#include "linear/float_fronts.h"

#include "linear/supernodes.h"

#include <stdlib.h>
#include <string.h>

/* BLAS and LAPACK routines, with Fortran calling conventions. */
extern void spotrf_(const char *triangle, const int *n, float *a, const int *stride, int *info);
extern void strsm_(const char *side, const char *triangle, const char *transposed, const char *diagonal,
                   const int *rows, const int *columns, const float *scale, const float *a, const int *a_stride,
                   float *b, const int *b_stride);
extern void ssyrk_(const char *triangle, const char *transposed, const int *n, const int *depth, const float *scale,
                   const float *a, const int *a_stride, const float *c_scale, float *c, const int *c_stride);

static const float ONE = 1, MINUS_ONE = -1;
enum { NOBODY = -1 };

typedef struct Front {
    int parent, last_child, child_before; /* supernodes or NOBODY; children from the last to the first */
    int side;                             /* which stack its update is on: that of its depth */
    size_t update;                        /* where it begins there: [below][below], the lower triangle */
} Front;

/* ------------------------------------------------------------------------------------------------ the plan */

static bool find_family(Front *fronts, const cholmod_factor *analysis) {
    int count = (int)analysis->nsuper;
    int *supernode_of_column = malloc((analysis->n + 1) * sizeof(int));
    if (!supernode_of_column)
        return false;
    for (int s = 0; s < count; ++s) {
        Supernode node = supernode_of(analysis, (size_t)s);
        for (int j = 0; j < node.width; ++j)
            supernode_of_column[node.first + j] = s;
        fronts[s].last_child = NOBODY;
    }
    for (int s = 0; s < count; ++s) {
        Supernode node = supernode_of(analysis, (size_t)s);
        fronts[s].parent = node.below > 0 ? supernode_of_column[node.rows[node.width]] : NOBODY;
        if (fronts[s].parent == NOBODY)
            continue;
        Front *parent = &fronts[fronts[s].parent];
        fronts[s].child_before = parent->last_child;
        parent->last_child = s;
    }
    for (int s = count; s-- > 0;)
        fronts[s].side = fronts[s].parent != NOBODY && fronts[fronts[s].parent].side == 0;
    free(supernode_of_column);
    return true;
}

/* Gives every update its place. In postorder a supernode's children are on top of the other stack, and are popped when
   their parent is processed. */
static void place_updates(Front *fronts, const cholmod_factor *analysis, size_t most[2]) {
    size_t top[2] = {0, 0};
    most[0] = most[1] = 0;
    for (size_t s = 0; s < analysis->nsuper; ++s) {
        Front *front = &fronts[s];
        size_t below = (size_t)supernode_of(analysis, s).below;
        front->update = top[front->side];
        top[front->side] += below * below;
        if (most[front->side] < top[front->side])
            most[front->side] = top[front->side];
        for (int child = front->last_child; child != NOBODY; child = fronts[child].child_before)
            top[!front->side] = fronts[child].update;
    }
}

bool float_fronts_prepare(FloatFronts *fronts, const cholmod_factor *analysis) {
    size_t most[2];
    memset(fronts, 0, sizeof *fronts);
    fronts->fronts = calloc(analysis->nsuper + 1, sizeof *fronts->fronts);
    fronts->local_rows = malloc((analysis->n + 1) * sizeof(int));
    fronts->runs = malloc((3 * analysis->n + 1) * sizeof(int));
    bool ready = fronts->fronts && fronts->local_rows && fronts->runs && find_family(fronts->fronts, analysis);
    if (ready) {
        place_updates(fronts->fronts, analysis, most);
        for (int side = 0; side < 2; ++side) {
            fronts->updates[side] = malloc((most[side] + 1) * sizeof(float));
            ready = ready && fronts->updates[side];
        }
        fronts->bytes = analysis->nsuper * sizeof *fronts->fronts + 4 * analysis->n * sizeof(int) +
                        (most[0] + most[1]) * sizeof(float);
    }
    if (!ready)
        float_fronts_free(fronts);
    return ready;
}

void float_fronts_free(FloatFronts *fronts) {
    free(fronts->fronts);
    free(fronts->updates[0]);
    free(fronts->updates[1]);
    free(fronts->local_rows);
    free(fronts->runs);
    memset(fronts, 0, sizeof *fronts);
}

/* ------------------------------------------------------------------------------------------------ the numbers */

/* The front being computed: its supernode's columns of the factor, and its update. */
typedef struct Work {
    Supernode node;
    float *columns; /* [width][stride] */
    float *update;  /* [below][below] */
} Work;

/* The column of the front at a local place, from the row `*skipped` on. */
static float *column_of(Work *work, int local, int *skipped) {
    const Supernode *node = &work->node;
    *skipped = local < node->width ? 0 : node->width;
    return *skipped == 0 ? work->columns + (size_t)local * (size_t)node->stride
                         : work->update + (size_t)(local - node->width) * (size_t)node->below;
}

static void gather_matrix(Work *work, const cholmod_sparse *matrix, const double *values, const int *local_rows) {
    const int *starts = matrix->p, *rows = matrix->i;
    for (int j = 0; j < work->node.width; ++j) {
        float *column = work->columns + (size_t)j * (size_t)work->node.stride;
        memset(column, 0, (size_t)work->node.stride * sizeof *column);
        for (int k = starts[work->node.first + j]; k < starts[work->node.first + j + 1]; ++k)
            column[local_rows[rows[k]]] = (float)values[k];
    }
}

/* Finds the runs of a child's rows below that lie in a row here too: [run][0] the first, [1] the one after the last,
   [2] where the first lies here. */
static int find_runs(const Supernode *child, const int *local_rows, int *runs) {
    const int *rows = child->rows + child->width;
    int count = 0;
    for (int i = 0; i < child->below; ++count) {
        int start = i, local = local_rows[rows[i]];
        while (i < child->below && local_rows[rows[i]] == local + i - start)
            ++i;
        runs[3 * count] = start;
        runs[3 * count + 1] = i;
        runs[3 * count + 2] = local;
    }
    return count;
}

/* Adds a child's update to the front. */
static void gather_update(Work *work, const Supernode *child, const float *update, const int *runs, int run_count) {
    for (int first_run = 0; first_run < run_count; ++first_run)
        for (int j = runs[3 * first_run]; j < runs[3 * first_run + 1]; ++j) {
            int skipped;
            float *to = column_of(work, runs[3 * first_run + 2] + j - runs[3 * first_run], &skipped);
            const float *from = update + (size_t)j * (size_t)child->below;
            for (int k = first_run; k < run_count; ++k) {
                int start = k == first_run ? j : runs[3 * k], length = runs[3 * k + 1] - start;
                float *restrict into = to + (runs[3 * k + 2] + start - runs[3 * k] - skipped);
                const float *restrict part = from + start;
                for (int i = 0; i < length; ++i)
                    into[i] += part[i];
            }
        }
}

/* Computes the supernode's columns of the factor, and subtracts their products from its update; `taken`: the update
   already includes those of the children. */
static bool eliminate(Work *work, bool taken) {
    const Supernode *node = &work->node;
    int info;
    spotrf_("L", &node->width, work->columns, &node->stride, &info);
    if (info != 0)
        return false;
    if (node->below > 0) {
        float *rectangle = work->columns + node->width, kept = taken ? 1 : 0;
        strsm_("R", "L", "T", "N", &node->below, &node->width, &ONE, work->columns, &node->stride, rectangle,
               &node->stride);
        ssyrk_("L", "N", &node->below, &node->width, &MINUS_ONE, rectangle, &node->stride, &kept, work->update,
               &node->below);
    }
    return true;
}

/* As above for the last supernode, where the last `kept` columns are not factored and are used as the update. */
static bool eliminate_partly(Work *work, int kept) {
    const Supernode *node = &work->node;
    int width = node->width - kept, info;
    if (width == 0)
        return true;
    float *rectangle = work->columns + width, *square = work->columns + (size_t)width * (size_t)(node->stride + 1);
    spotrf_("L", &width, work->columns, &node->stride, &info);
    if (info != 0)
        return false;
    strsm_("R", "L", "T", "N", &kept, &width, &ONE, work->columns, &node->stride, rectangle, &node->stride);
    ssyrk_("L", "N", &kept, &width, &MINUS_ONE, rectangle, &node->stride, &ONE, square, &node->stride);
    return true;
}

bool float_fronts_factor(FloatFronts *fronts, const cholmod_factor *analysis, const cholmod_sparse *matrix,
                         const double *values, int kept, float *factor) {
    for (size_t s = 0; s < analysis->nsuper; ++s) {
        const Front *front = &fronts->fronts[s];
        Work work = {.node = supernode_of(analysis, s)};
        work.columns = factor + work.node.values;
        work.update = fronts->updates[front->side] + front->update;
        for (int i = 0; i < work.node.stride; ++i)
            fronts->local_rows[work.node.rows[i]] = i;
        gather_matrix(&work, matrix, values, fronts->local_rows);
        size_t below = (size_t)work.node.below;
        for (size_t j = 0; front->last_child != NOBODY && j < below; ++j)
            memset(work.update + j * below + j, 0, (below - j) * sizeof(float));
        for (int c = front->last_child; c != NOBODY; c = fronts->fronts[c].child_before) {
            Supernode child = supernode_of(analysis, (size_t)c);
            int run_count = find_runs(&child, fronts->local_rows, fronts->runs);
            gather_update(&work, &child, fronts->updates[!front->side] + fronts->fronts[c].update, fronts->runs,
                          run_count);
        }
        bool partly = kept > 0 && s + 1 == analysis->nsuper;
        if (!(partly ? eliminate_partly(&work, kept) : eliminate(&work, front->last_child != NOBODY)))
            return false;
    }
    return true;
}
