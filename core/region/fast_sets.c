#include "region/fast_sets.h"

#include "base/disjoint_sets.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* What the sets are found from. */
typedef struct Painting {
    const BlockMatrix *pattern;
    const uint8_t *roles;
    uint32_t *ratios;  /* [vertex_count] in the end the largest of the region, 0: slow */
    uint32_t *parents; /* [vertex_count] */
} Painting;

static bool is_fast(const Painting *painting, uint32_t vertex) {
    return painting->ratios[vertex] > 1;
}

/* Joins the fast vertices that share an element, and gives each the largest ratio among those. */
static void join_regions(Painting *painting, uint32_t *hastened) {
    const BlockMatrix *pattern = painting->pattern;
    disjoint_sets_init(painting->parents, pattern->vertex_count);
    for (uint32_t column = 0; column < pattern->vertex_count; ++column)
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k)
            if (is_fast(painting, column) && is_fast(painting, pattern->rows[k]))
                disjoint_sets_join(painting->parents, column, pattern->rows[k]);
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t v = 0; v < pattern->vertex_count; ++v) {
            uint32_t root = disjoint_sets_root(painting->parents, v);
            uint32_t *ratio = &painting->ratios[v], *largest = &painting->ratios[root];
            if (pass == 0 && *ratio > *largest) {
                *hastened = root;
                *largest = *ratio;
            } else if (pass == 1 && *ratio < *largest) {
                *hastened = v;
                *ratio = *largest;
            }
        }
}

/* Marks what is inside the set of this ratio, and lists that with its neighbours. */
static bool list_vertices(const Painting *painting, FastSet *set) {
    const BlockMatrix *pattern = painting->pattern;
    uint8_t *near = calloc((size_t)pattern->vertex_count + 1, 1);
    set->marked = calloc((size_t)pattern->vertex_count + 1, 1);
    if (!near || !set->marked) {
        free(near);
        return false;
    }
    for (uint32_t v = 0; v < pattern->vertex_count; ++v)
        set->marked[v] = near[v] = painting->ratios[v] == set->ratio;
    for (uint32_t column = 0; column < pattern->vertex_count; ++column)
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k) {
            near[column] |= set->marked[pattern->rows[k]];
            near[pattern->rows[k]] |= set->marked[column];
        }
    for (uint32_t v = 0; v < pattern->vertex_count; ++v)
        set->vertex_count += near[v];
    set->vertices = malloc(((size_t)set->vertex_count + 1) * sizeof *set->vertices);
    set->kinds = malloc((size_t)set->vertex_count + 1);
    bool ok = set->vertices && set->kinds;
    for (uint32_t v = 0, n = 0; ok && v < pattern->vertex_count; ++v)
        if (near[v]) {
            set->vertices[n] = v;
            set->kinds[n++] = (uint8_t)(set->marked[v]            ? FAST_INSIDE
                                        : painting->roles[v] == 0 ? FAST_BORDER
                                                                  : FAST_HELD);
        }
    free(near);
    return ok;
}

/* Numbers the islands by their first vertices. */
static bool find_islands(Painting *painting, FastSet *set) {
    const BlockMatrix *pattern = painting->pattern;
    uint32_t *parents = painting->parents;
    uint32_t *borders = calloc((size_t)set->vertex_count + 1, sizeof *borders);
    uint32_t *numbers = malloc(((size_t)pattern->vertex_count + 1) * sizeof *numbers);
    set->islands = malloc(((size_t)set->vertex_count + 1) * sizeof *set->islands);
    if (!borders || !numbers || !set->islands) {
        free(borders);
        free(numbers);
        return false;
    }
    disjoint_sets_init(parents, pattern->vertex_count);
    for (uint32_t column = 0; column < pattern->vertex_count; ++column)
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k) {
            uint32_t row = pattern->rows[k];
            bool is_free = painting->roles[row] == 0 && painting->roles[column] == 0;
            if (is_free && (set->marked[row] || set->marked[column]))
                disjoint_sets_join(parents, row, column);
        }
    for (uint32_t i = 0; i < set->vertex_count; ++i) {
        uint32_t root = disjoint_sets_root(parents, set->vertices[i]);
        set->islands[i] = UINT32_MAX;
        if (set->kinds[i] == FAST_HELD)
            continue;
        /* a root precedes all others of its island */
        if (root == set->vertices[i])
            numbers[root] = set->island_count++;
        set->islands[i] = numbers[root];
        set->inside_count += set->kinds[i] == FAST_INSIDE;
        if (set->kinds[i] == FAST_BORDER) {
            ++set->border_count;
            uint32_t count = ++borders[set->islands[i]];
            set->longest_border = count > set->longest_border ? count : set->longest_border;
        }
    }
    free(borders);
    free(numbers);
    return true;
}

/* The smallest ratio above `last`, or UINT32_MAX. */
static uint32_t next_ratio(const Painting *painting, uint32_t last) {
    uint32_t next = UINT32_MAX;
    for (uint32_t v = 0; v < painting->pattern->vertex_count; ++v)
        if (painting->ratios[v] > last && painting->ratios[v] < next)
            next = painting->ratios[v];
    return next;
}

static bool build_sets(Painting *painting, FastSets *sets) {
    uint32_t vertex_count = painting->pattern->vertex_count;
    for (uint32_t ratio = next_ratio(painting, 1); ratio != UINT32_MAX; ratio = next_ratio(painting, ratio))
        ++sets->count;
    sets->sets = calloc((size_t)sets->count + 1, sizeof *sets->sets);
    sets->marked = calloc((size_t)vertex_count + 1, 1);
    if (!sets->sets || !sets->marked)
        return false;
    uint32_t ratio = 1;
    for (FastSet *set = sets->sets; set < sets->sets + sets->count; ++set) {
        ratio = set->ratio = next_ratio(painting, ratio);
        if (!list_vertices(painting, set) || !find_islands(painting, set))
            return false;
    }
    for (uint32_t v = 0; v < vertex_count; ++v) {
        sets->marked[v] = is_fast(painting, v);
        sets->slow_count += painting->roles[v] == 0 && !sets->marked[v];
    }
    return true;
}

JnStatus fast_sets_build(const BlockMatrix *pattern, const uint8_t *roles, const uint32_t *ratios, FastSets *sets,
                         JnMessage *message) {
    size_t n = (size_t)pattern->vertex_count + 1;
    Painting painting = {pattern, roles, malloc(n * sizeof(uint32_t)), malloc(n * sizeof(uint32_t))};
    *sets = (FastSets){.hastened_vertex = UINT32_MAX};
    bool ok = painting.ratios && painting.parents;
    for (uint32_t v = 0; ok && v < pattern->vertex_count; ++v)
        painting.ratios[v] = roles[v] == 0 && ratios[v] > 1 ? ratios[v] : 0;
    if (ok) {
        join_regions(&painting, &sets->hastened_vertex);
        ok = build_sets(&painting, sets);
    }
    free(painting.ratios);
    free(painting.parents);
    if (ok)
        return JN_OK;
    fast_sets_free(sets);
    return status_no_memory(message, "the fast regions");
}

void fast_sets_free(FastSets *sets) {
    for (uint32_t k = 0; sets->sets && k < sets->count; ++k) {
        free(sets->sets[k].vertices);
        free(sets->sets[k].kinds);
        free(sets->sets[k].islands);
        free(sets->sets[k].marked);
    }
    free(sets->sets);
    free(sets->marked);
    memset(sets, 0, sizeof *sets);
}
