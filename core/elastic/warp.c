#include "elastic/warp.h"

#include "base/disjoint_sets.h"
#include "base/math3.h"
#include "base/status.h"
#include "elastic/scatter.h"
#include "elastic/tet_elements.h"
#include "linear/scalar_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts that run in parallel: a fixed number, because the order of the sums depends on it. */
enum { PARTS = 32 };
static const uint32_t NONE = UINT32_MAX;

typedef struct WarpTet {
    uint32_t vertices[4], places[4]; /* places: in `scatter`, of each corner */
    double gradients[9], volume;     /* as in TetRest, of the rest shape */
} WarpTet;

struct Warp {
    uint32_t vertex_count, tet_count, unknown_count, floating_count;
    WarpTet *tets;            /* [tet_count] */
    uint32_t *unknowns;       /* [vertex_count] or NONE: stays, or is the one that a floating part is placed by */
    uint32_t *floating;       /* [vertex_count] the part that has no fixed vertex, or NONE */
    double *sums;             /* [floating_count * 4] scratch: weighted ways, weights */
    double *ways[WARP_POSES]; /* [vertex_count * 3] m, from the linear to the warped positions */
    double *columns;          /* [unknown_count * 3 * WARP_POSES] right-hand sides, solutions */
    ScalarSystem *matrix;     /* NULL: nothing to solve for */
    Scatter scatter;
};

/* ------------------------------------------------------------------------------------------------ building */

static JnStatus allocate(Warp *warp, JnMessage *message) {
    size_t n = (size_t)warp->vertex_count + 1;
    warp->tets = calloc((size_t)warp->tet_count + 1, sizeof *warp->tets);
    warp->unknowns = malloc(n * sizeof *warp->unknowns);
    warp->floating = malloc(n * sizeof *warp->floating);
    warp->sums = malloc(4 * n * sizeof *warp->sums);
    warp->columns = malloc(3 * WARP_POSES * n * sizeof *warp->columns);
    bool ok = warp->tets && warp->unknowns && warp->floating && warp->sums && warp->columns;
    for (int p = 0; p < WARP_POSES; ++p) {
        warp->ways[p] = malloc(3 * n * sizeof *warp->ways[p]);
        ok &= warp->ways[p] != NULL;
    }
    return ok ? JN_OK : status_no_memory(message, "the warp");
}

static JnStatus fill_tets(Warp *warp, const WarpDesc *desc, JnMessage *message) {
    for (uint32_t t = 0; t < desc->tet_count; ++t) {
        WarpTet *tet = &warp->tets[t];
        double gradients[4][3];
        memcpy(tet->vertices, desc->tet_vertices + 4 * (size_t)t, sizeof tet->vertices);
        if (!tet_gradients(desc->rest_positions, tet->vertices, gradients, &tet->volume))
            return status_fail(message, JN_ERR_MESH, "tet %u has no volume: repair the mesh", t);
        memcpy(tet->gradients, gradients, sizeof tet->gradients);
    }
    return JN_OK;
}

static JnStatus plan_scatter(Warp *warp, JnMessage *message) {
    uint32_t *places = malloc(((size_t)warp->tet_count * 4 + 1) * sizeof *places);
    size_t starts[PARTS + 1];
    if (!places)
        return status_no_memory(message, "the warp");
    for (uint64_t part = 0; part <= PARTS; ++part)
        starts[part] = 4 * (size_t)(warp->tet_count * part / PARTS);
    for (size_t t = 0; t < warp->tet_count; ++t)
        memcpy(places + 4 * t, warp->tets[t].vertices, sizeof warp->tets[t].vertices);
    JnStatus status = scatter_build(warp->vertex_count, 3, PARTS, starts, places, &warp->scatter, message);
    for (size_t t = 0; status == JN_OK && t < warp->tet_count; ++t)
        memcpy(warp->tets[t].places, places + 4 * t, sizeof warp->tets[t].places);
    free(places);
    return status;
}

/* Numbers the unknowns: every vertex but the fixed ones and the first of each part that has none of them. */
static JnStatus number_unknowns(Warp *warp, const uint8_t *fixed, JnMessage *message) {
    uint32_t n = warp->vertex_count;
    uint32_t *parents = malloc(((size_t)n + 1) * sizeof *parents), *numbers = warp->unknowns;
    uint8_t *held = calloc((size_t)n + 1, 1);
    if (!parents || !held) {
        free(parents);
        free(held);
        return status_no_memory(message, "the warp");
    }
    disjoint_sets_init(parents, n);
    for (uint32_t t = 0; t < warp->tet_count; ++t)
        for (int a = 1; a < 4; ++a)
            disjoint_sets_join(parents, warp->tets[t].vertices[0], warp->tets[t].vertices[a]);
    for (uint32_t v = 0; v < n; ++v)
        held[disjoint_sets_root(parents, v)] |= fixed[v] != 0;
    for (uint32_t v = 0; v < n; ++v) {
        uint32_t root = disjoint_sets_root(parents, v); /* the part's first vertex */
        bool floats = !held[root];
        warp->floating[v] = !floats ? NONE : v == root ? warp->floating_count++ : warp->floating[root];
        numbers[v] = fixed[v] || (floats && v == root) ? NONE : warp->unknown_count++;
    }
    free(parents);
    free(held);
    return JN_OK;
}

static void gradient_of_corner(const double gradients[9], int corner, double g[3]) {
    for (int j = 0; j < 3; ++j)
        g[j] = corner < 3 ? gradients[3 * corner + j] : -(gradients[j] + gradients[3 + j] + gradients[6 + j]);
}

static JnStatus factor(Warp *warp, JnMessage *message) {
    if (warp->unknown_count == 0)
        return JN_OK;
    JnStatus status = scalar_system_create(warp->unknown_count, (size_t)warp->tet_count * 10, &warp->matrix, message);
    if (status != JN_OK)
        return status;
    for (const WarpTet *tet = warp->tets; tet < warp->tets + warp->tet_count; ++tet) {
        double g[4][3];
        for (int a = 0; a < 4; ++a)
            gradient_of_corner(tet->gradients, a, g[a]);
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b <= a; ++b) {
                uint32_t row = warp->unknowns[tet->vertices[a]], column = warp->unknowns[tet->vertices[b]];
                if (row != NONE && column != NONE)
                    scalar_system_add(warp->matrix, row, column, tet->volume * vec3_dot(g[a], g[b]));
            }
    }
    return scalar_system_factor(warp->matrix, message);
}

JnStatus warp_create(const WarpDesc *desc, Warp **out, JnMessage *message) {
    *out = NULL;
    Warp *warp = calloc(1, sizeof *warp);
    if (!warp)
        return status_no_memory(message, "the warp");
    warp->vertex_count = desc->vertex_count;
    warp->tet_count = desc->tet_count;
    JnStatus status = allocate(warp, message);
    if (status == JN_OK)
        status = fill_tets(warp, desc, message);
    if (status == JN_OK)
        status = plan_scatter(warp, message);
    if (status == JN_OK)
        status = number_unknowns(warp, desc->fixed, message);
    if (status == JN_OK)
        status = factor(warp, message);
    if (status != JN_OK) {
        warp_destroy(warp);
        return status;
    }
    *out = warp;
    return JN_OK;
}

void warp_destroy(Warp *warp) {
    if (!warp)
        return;
    scalar_system_destroy(warp->matrix);
    scatter_free(&warp->scatter);
    for (int p = 0; p < WARP_POSES; ++p)
        free(warp->ways[p]);
    free(warp->tets);
    free(warp->unknowns);
    free(warp->floating);
    free(warp->sums);
    free(warp->columns);
    free(warp);
}

/* ------------------------------------------------------------------------------------------------ the tets */

static double sine_over(double angle) {
    return angle > 0 ? sin(angle) / angle : 1;
}

/* out = a b */
static void multiply(const double a[9], const double b[9], double out[9]) {
    for (int i = 0; i < 9; i += 3)
        for (int j = 0; j < 3; ++j)
            out[i + j] = a[i] * b[j] + a[i + 1] * b[3 + j] + a[i + 2] * b[6 + j];
}

/* exp(W) (I + e) - (I + W + e), without loss of digits where the rotation is small. G: the displacement gradient. */
static void missing_gradient(const double G[9], double missing[9]) {
    double x = 0.5 * (G[7] - G[5]), y = 0.5 * (G[2] - G[6]), z = 0.5 * (G[3] - G[1]);
    double square = x * x + y * y + z * z, angle = sqrt(square), half = sine_over(0.5 * angle);
    /* exp(W) - I - W = s W + c W^2 */
    double s = sine_over(angle) - 1, c = 0.5 * half * half;
    const double W[9] = {0, -z, y, z, 0, -x, -y, x, 0};
    const double w[3] = {x, y, z};
    double turned[9], strain[9], strained[9], sheared[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            turned[3 * i + j] = s * W[3 * i + j] + c * (w[i] * w[j] - (i == j ? square : 0));
            strain[3 * i + j] = 0.5 * (G[3 * i + j] + G[3 * j + i]);
        }
    multiply(turned, strain, strained);
    multiply(W, strain, sheared);
    for (int i = 0; i < 9; ++i)
        missing[i] = turned[i] + strained[i] + sheared[i];
}

/* G of the vertices at q, from the rest shape with these gradients. */
static void displacement_gradient(const WarpTet *tet, const double gradients[9], const double *q, double G[9]) {
    const double *last = q + 3 * (size_t)tet->vertices[3];
    double edges[9];
    for (int a = 0; a < 3; ++a)
        vec3_sub(q + 3 * (size_t)tet->vertices[a], last, edges + 3 * a);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            G[3 * i + j] =
                edges[i] * gradients[j] + edges[3 + i] * gradients[3 + j] + edges[6 + i] * gradients[6 + j] - (i == j);
}

typedef struct PoseWork {
    Warp *warp;
    const WarpPose *pose;
    double *targets;
} PoseWork;

/* Adds volume times missing gradient times the gradient of each corner. */
static void add_tet(const PoseWork *work, uint32_t t) {
    const WarpTet *tet = &work->warp->tets[t];
    const double *rest = work->pose->rest_gradients ? work->pose->rest_gradients + 9 * (size_t)t : tet->gradients;
    double G[9], missing[9];
    displacement_gradient(tet, rest, work->pose->q, G);
    missing_gradient(G, missing);
    if (rest != tet->gradients) {
        /* over the rest shape of the desc: the edges of the other are `change` times its edges */
        double edges[9], change[9], over[9];
        if (!mat3_inverse(rest, edges))
            return;
        multiply(edges, tet->gradients, change);
        multiply(missing, change, over);
        memcpy(missing, over, sizeof missing);
    }
    for (int a = 0; a < 4; ++a) {
        double g[3], *sum = scatter_at(&work->warp->scatter, work->targets, tet->places[a]);
        gradient_of_corner(tet->gradients, a, g);
        for (int i = 0; i < 3; ++i)
            sum[i] += tet->volume * vec3_dot(missing + 3 * i, g);
    }
}

static void add_part(void *context, uint32_t part) {
    const PoseWork *work = context;
    uint64_t count = work->warp->tet_count;
    for (uint64_t t = count * part / PARTS; t < count * (part + 1) / PARTS; ++t)
        add_tet(work, (uint32_t)t);
}

/* ------------------------------------------------------------------------------------------------ the vertices */

/* Moves each floating part so that the weighted mean of its ways is 0. */
static void place_floating(Warp *warp, const double *anchors, double *ways) {
    if (warp->floating_count == 0)
        return;
    memset(warp->sums, 0, 4 * (size_t)warp->floating_count * sizeof *warp->sums);
    for (size_t v = 0; v < warp->vertex_count; ++v) {
        if (warp->floating[v] == NONE)
            continue;
        double *sum = warp->sums + 4 * (size_t)warp->floating[v];
        for (size_t i = 0; i < 3; ++i)
            sum[i] += anchors[v] * ways[3 * v + i];
        sum[3] += anchors[v];
    }
    for (size_t v = 0; v < warp->vertex_count; ++v) {
        if (warp->floating[v] == NONE)
            continue;
        const double *sum = warp->sums + 4 * (size_t)warp->floating[v];
        for (size_t i = 0; i < 3; ++i)
            ways[3 * v + i] -= sum[i] / sum[3];
    }
}

JnStatus warp_apply(Warp *warp, const WarpPose *poses, uint32_t pose_count, const double *anchors, Pool *pool,
                    JnMessage *message) {
    size_t width = 3 * (size_t)pose_count;
    for (uint32_t p = 0; p < pose_count; ++p) {
        memset(warp->ways[p], 0, 3 * (size_t)warp->vertex_count * sizeof *warp->ways[p]);
        scatter_clear(&warp->scatter);
        pool_run(pool, PARTS, add_part, &(PoseWork){warp, &poses[p], warp->ways[p]});
        scatter_reduce(&warp->scatter, warp->ways[p]);
    }
    for (size_t v = 0; v < warp->vertex_count; ++v)
        for (size_t k = 0; warp->unknowns[v] != NONE && k < width; ++k)
            warp->columns[warp->unknowns[v] * width + k] = warp->ways[k / 3][3 * v + k % 3];
    JnStatus status = warp->matrix ? scalar_system_solve(warp->matrix, warp->columns, (uint32_t)width, message) : JN_OK;
    if (status != JN_OK)
        return status;
    for (size_t v = 0; v < warp->vertex_count; ++v)
        for (size_t k = 0; k < width; ++k)
            warp->ways[k / 3][3 * v + k % 3] =
                warp->unknowns[v] == NONE ? 0 : warp->columns[warp->unknowns[v] * width + k];
    for (uint32_t p = 0; p < pose_count; ++p) {
        place_floating(warp, anchors, warp->ways[p]);
        for (size_t i = 0; i < 3 * (size_t)warp->vertex_count; ++i)
            poses[p].warped[i] = poses[p].q[i] + warp->ways[p][i];
    }
    return JN_OK;
}
