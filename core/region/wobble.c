#include "region/wobble.h"

#include "base/math3.h"

#include <stdlib.h>
#include <string.h>

/* The extent of a wobble is where this part of it is. */
static const double MOST = 0.9;
/* Elements differ from neighbour to neighbour more than a part of a body does. */
enum { SMOOTHINGS = 3 };

/* Every vertex's share of the elastic energy: elements give theirs to their vertices. */
static void spread_elastic(const Wobbles *wobbles, const Wobble *wobble, double *energies) {
    memcpy(energies, wobble->kinetic, wobbles->pattern->vertex_count * sizeof *energies);
    for (uint32_t e = 0; e < wobbles->element_count; ++e)
        for (int a = 0; a < 4; ++a)
            energies[wobbles->elements[e].vertices[a]] += 0.25 * wobble->elastic[e];
}

/* values becomes the sum over each vertex and its neighbours. */
static void smooth(const BlockMatrix *pattern, double *values, double *scratch) {
    memcpy(scratch, values, pattern->vertex_count * sizeof *scratch);
    for (uint32_t column = 0; column < pattern->vertex_count; ++column)
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k)
            if (pattern->rows[k] != column) {
                values[column] += scratch[pattern->rows[k]];
                values[pattern->rows[k]] += scratch[column];
            }
}

typedef struct Ranked {
    double density;
    uint32_t vertex;
} Ranked;

static int compare_ranked(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if (x->density != y->density)
        return x->density > y->density ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* Energy per mass, of a vertex and those around it. */
static bool find_order(const Wobbles *wobbles, Wobble *wobble) {
    uint32_t n = wobbles->pattern->vertex_count;
    double *energies = malloc(3 * (size_t)n * sizeof *energies + 1), *masses = energies + n, *scratch = masses + n;
    Ranked *ranked = malloc((size_t)n * sizeof *ranked + 1);
    wobble->order = malloc((size_t)n * sizeof *wobble->order + 1);
    bool ok = energies && ranked && wobble->order;
    if (ok) {
        spread_elastic(wobbles, wobble, energies);
        memcpy(masses, wobbles->masses, n * sizeof *masses);
        for (int k = 0; k < SMOOTHINGS; ++k) {
            smooth(wobbles->pattern, energies, scratch);
            smooth(wobbles->pattern, masses, scratch);
        }
        for (uint32_t v = 0; v < n; ++v)
            ranked[v] = (Ranked){wobbles->roles[v] ? -1 : energies[v] / masses[v], v};
        qsort(ranked, n, sizeof *ranked, compare_ranked);
        for (uint32_t v = 0; v < n; ++v)
            wobble->order[v] = ranked[v].vertex;
    }
    free(energies);
    free(ranked);
    return ok;
}

static void wobble_free(Wobble *wobble) {
    free(wobble->kinetic);
    free(wobble->elastic);
    free(wobble->order);
}

/* Scales the values to a sum of 1. */
static void normalize(double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += values[i];
    for (size_t i = 0; sum > 0 && i < count; ++i)
        values[i] /= sum;
}

bool wobbles_add(Wobbles *wobbles, double omega, double material, const double *shape, const double *energies) {
    uint32_t n = wobbles->pattern->vertex_count;
    Wobble wobble = {.omega = omega,
                     .material = material,
                     .kinetic = malloc((size_t)n * sizeof(double) + 1),
                     .elastic = malloc((size_t)wobbles->element_count * sizeof(double) + 1)};
    Wobble *items = realloc(wobbles->items, ((size_t)wobbles->count + 1) * sizeof *items);
    if (items)
        wobbles->items = items;
    bool ok = items && wobble.kinetic && wobble.elastic;
    if (ok) {
        for (size_t v = 0; v < n; ++v)
            wobble.kinetic[v] = wobbles->masses[v] * vec3_dot(shape + 3 * v, shape + 3 * v);
        for (size_t e = 0; e < wobbles->element_count; ++e)
            wobble.elastic[e] = energies[e];
        normalize(wobble.kinetic, n);
        normalize(wobble.elastic, wobbles->element_count);
        ok = find_order(wobbles, &wobble);
    }
    uint8_t *marked = calloc((size_t)n + 1, 1);
    if (ok && marked) {
        wobble_mark(wobbles, &wobble, MOST, marked);
        for (uint32_t v = 0; v < n; ++v)
            wobble.extent += marked[v];
        items[wobbles->count++] = wobble;
    } else
        wobble_free(&wobble);
    free(marked);
    return ok && marked;
}

static int compare_wobbles(const void *a, const void *b) {
    const Wobble *x = a, *y = b;
    if (x->extent != y->extent)
        return x->extent < y->extent ? -1 : 1;
    return (x->omega > y->omega) - (x->omega < y->omega);
}

void wobbles_sort(Wobbles *wobbles) {
    if (wobbles->count > 0)
        qsort(wobbles->items, wobbles->count, sizeof *wobbles->items, compare_wobbles);
}

void wobbles_free(Wobbles *wobbles) {
    for (uint32_t k = 0; k < wobbles->count; ++k)
        wobble_free(&wobbles->items[k]);
    free(wobbles->items);
    wobbles->items = NULL;
    wobbles->count = 0;
}

double wobble_share(const Wobbles *wobbles, const Wobble *wobble, const uint8_t *marked) {
    double share = 0;
    for (uint32_t v = 0; v < wobbles->pattern->vertex_count; ++v)
        share += marked[v] ? wobble->kinetic[v] : 0;
    for (uint32_t e = 0; e < wobbles->element_count; ++e) {
        const uint32_t *at = wobbles->elements[e].vertices;
        share += marked[at[0]] || marked[at[1]] || marked[at[2]] || marked[at[3]] ? wobble->elastic[e] : 0;
    }
    return 0.5 * share;
}

void wobble_mark(const Wobbles *wobbles, const Wobble *wobble, double most, uint8_t *marked) {
    /* by bisection: the share grows with the number of vertices */
    uint32_t least = 0, enough = 0, n = wobbles->pattern->vertex_count;
    uint8_t *own = wobbles->scratch;
    while (enough < n && !wobbles->roles[wobble->order[enough]])
        ++enough;
    while (least + 1 < enough) {
        uint32_t middle = least + (enough - least) / 2;
        for (uint32_t k = 0; k < n; ++k)
            own[wobble->order[k]] = k < middle;
        if (wobble_share(wobbles, wobble, own) >= most)
            enough = middle;
        else
            least = middle;
    }
    for (uint32_t k = 0; k < enough; ++k)
        marked[wobble->order[k]] = 1;
}
