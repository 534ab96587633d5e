#include "geometry/cloth_pairs.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/array.h"
#include "geometry/index_sort.h"

#include <stdlib.h>
#include <string.h>

/* A corner of a face, and with it the side to the next corner. */
typedef struct Side {
    uint32_t first; /* corner number of the face's first corner */
    uint32_t size;  /* corners of the face */
    uint32_t place; /* of this corner in the face */
    double area;    /* of the face, divided among its sides */
} Side;

static uint32_t corner(const JnSurface *surface, const Side *side, uint32_t steps) {
    return surface->face_vertices[side->first + (side->place + steps) % side->size];
}

static double face_area(const JnSurface *surface, uint32_t first, uint32_t size) {
    const uint32_t *corners = surface->face_vertices + first;
    double sum[3] = {0, 0, 0};
    for (uint32_t i = 2; i < size; ++i) {
        const double *a = surface->positions + 3 * (size_t)corners[0];
        double ab[3], ac[3], cross[3];
        vec3_sub(surface->positions + 3 * (size_t)corners[i - 1], a, ab);
        vec3_sub(surface->positions + 3 * (size_t)corners[i], a, ac);
        vec3_cross(ab, ac, cross);
        for (int k = 0; k < 3; ++k)
            sum[k] += 0.5 * cross[k];
    }
    return vec3_length(sum);
}

static JnStatus collect_sides(const JnSurface *surface, const char *place, Side *sides, JnMessage *message) {
    uint32_t first = 0;
    for (uint32_t f = 0; f < surface->face_count; first += surface->face_sizes[f++]) {
        uint32_t size = surface->face_sizes[f];
        double area = face_area(surface, first, size) * (size == 3 ? 1 : 0.5);
        for (uint32_t i = 0; i < size; ++i) {
            Side *side = &sides[first + i];
            *side = (Side){first, size, i, area};
            if (corner(surface, side, 0) == corner(surface, side, 1))
                return status_fail(message, JN_ERR_MESH,
                                   "%s: face %u names vertex %u twice in succession: remove the corner", place, f,
                                   corner(surface, side, 0));
        }
    }
    return JN_OK;
}

static int compare_indices(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Refuses a face whose corners are those of another one, `firsts` [face_count] and `sorted` [corner_count] the corners
   of each face ascending: its cloth would weigh and pull twice. */
static JnStatus check_repeats(const JnSurface *surface, const uint32_t *firsts, const uint32_t *sorted,
                              const uint32_t *order, const char *place, JnMessage *message) {
    for (uint32_t i = 1; i < surface->face_count; ++i)
        for (uint32_t k = i; k-- > 0;) {
            // faces with the same three lowest corners stand together
            uint32_t f = order[k], g = order[i], size = surface->face_sizes[f];
            const uint32_t *a = &sorted[firsts[f]], *b = &sorted[firsts[g]];
            if (memcmp(a, b, 3 * sizeof *a) != 0)
                break;
            if (size == surface->face_sizes[g] && memcmp(a, b, size * sizeof *a) == 0)
                return status_fail(
                    message, JN_ERR_MESH,
                    "%s: face %u (vertices %u %u %u%s) is listed again as face %u: remove one of the two", place, f,
                    a[0], a[1], a[2], size > 3 ? " ..." : "", g);
        }
    return JN_OK;
}

static JnStatus refuse_repeated_faces(const JnSurface *surface, const char *place, JnMessage *message) {
    uint32_t *firsts = array_new(surface->face_count, sizeof *firsts);
    uint32_t *sorted = array_new(surface->corner_count, sizeof *sorted);
    uint32_t *keys = array_new(3 * (size_t)surface->face_count, sizeof *keys), *order = NULL;
    if (firsts && sorted && keys) {
        memcpy(sorted, surface->face_vertices, surface->corner_count * sizeof *sorted);
        for (uint32_t f = 0, first = 0; f < surface->face_count; first += surface->face_sizes[f++]) {
            firsts[f] = first;
            qsort(&sorted[first], surface->face_sizes[f], sizeof *sorted, compare_indices);
            memcpy(&keys[3 * (size_t)f], &sorted[first], 3 * sizeof *keys);
        }
        order = index_sort_tuples(keys, surface->face_count, 3, surface->vertex_count);
    }
    JnStatus status = order ? check_repeats(surface, firsts, sorted, order, place, message)
                            : status_no_memory(message, "checking the faces");
    free(firsts);
    free(sorted);
    free(keys);
    free(order);
    return status;
}

/* Candidates, repeats included, in the order of their kinds. */
typedef struct Candidates {
    uint32_t *ends; /* [count * 2] ascending in each pair */
    double *areas;  /* [count] */
    size_t count;
    size_t kind_starts[PAIR_FOLD + 2];
} Candidates;

static void add_candidate(Candidates *candidates, uint32_t a, uint32_t b, double area) {
    if (a == b)
        return;
    candidates->ends[2 * candidates->count] = a < b ? a : b;
    candidates->ends[2 * candidates->count + 1] = a < b ? b : a;
    candidates->areas[candidates->count++] = area;
}

/* The neighbours of the edge's ends on either side of it. Two faces may traverse the edge in the same or in opposite
   directions. */
static void add_folds(const JnSurface *surface, const Side *s, const Side *t, Candidates *candidates) {
    uint32_t before_s = corner(surface, s, s->size - 1), after_s = corner(surface, s, 2);
    uint32_t before_t = corner(surface, t, t->size - 1), after_t = corner(surface, t, 2);
    bool same_way = corner(surface, s, 0) == corner(surface, t, 0);
    add_candidate(candidates, before_s, same_way ? before_t : after_t, 0);
    add_candidate(candidates, after_s, same_way ? after_t : before_t, 0);
}

/* All candidates; `order` sorts the sides by their ends, which are the edges in candidates. */
static void collect_folds(const JnSurface *surface, const Side *sides, const uint32_t *order, Candidates *candidates) {
    for (uint32_t k = 0; k + 1 < surface->corner_count; ++k) {
        const uint32_t *ends = candidates->ends + 2 * (size_t)order[k];
        if (memcmp(ends, candidates->ends + 2 * (size_t)order[k + 1], 2 * sizeof *ends) == 0)
            add_folds(surface, &sides[order[k]], &sides[order[k + 1]], candidates);
    }
}

static ClothPairKind kind_of(const Candidates *candidates, size_t index) {
    return index < candidates->kind_starts[PAIR_DIAGONAL] ? PAIR_EDGE
           : index < candidates->kind_starts[PAIR_FOLD]   ? PAIR_DIAGONAL
                                                          : PAIR_FOLD;
}

/* One pair for each run of equal pairs; equal ones are in the order of their kinds. */
static uint32_t merge(const Candidates *candidates, const uint32_t *order, ClothPair *pairs) {
    uint32_t count = 0;
    for (size_t k = 0; k < candidates->count; ++k) {
        const uint32_t *ends = candidates->ends + 2 * (size_t)order[k];
        if (count > 0 && pairs[count - 1].ends[0] == ends[0] && pairs[count - 1].ends[1] == ends[1]) {
            if (kind_of(candidates, order[k]) == pairs[count - 1].kind)
                pairs[count - 1].area += candidates->areas[order[k]];
            continue;
        }
        pairs[count++] = (ClothPair){{ends[0], ends[1]}, kind_of(candidates, order[k]), candidates->areas[order[k]]};
    }
    return count;
}

JnStatus cloth_pairs_find(const JnSurface *surface, const char *place, ClothPair **pairs, uint32_t *pair_count,
                          JnMessage *message) {
    *pairs = NULL;
    *pair_count = 0;
    if (surface->corner_count > UINT32_MAX / 4)
        return status_fail(message, JN_ERR_MESH, "%s: %u corners of faces are more than the %u that can be linked",
                           place, surface->corner_count, UINT32_MAX / 4);
    size_t corners = surface->corner_count, most = 4 * corners;
    Side *sides = array_new(corners, sizeof *sides);
    Candidates candidates = {.ends = array_new(2 * most, sizeof(uint32_t)), .areas = array_new(most, sizeof(double))};
    uint32_t *edge_order = NULL, *order = NULL;
    JnStatus status = sides && candidates.ends && candidates.areas ? collect_sides(surface, place, sides, message)
                                                                   : status_no_memory(message, "the springs");
    if (status == JN_OK)
        status = refuse_repeated_faces(surface, place, message);
    if (status == JN_OK) {
        for (size_t c = 0; c < corners; ++c)
            add_candidate(&candidates, corner(surface, &sides[c], 0), corner(surface, &sides[c], 1), sides[c].area);
        edge_order = index_sort_tuples(candidates.ends, corners, 2, surface->vertex_count);
        candidates.kind_starts[PAIR_DIAGONAL] = candidates.count;
        for (size_t c = 0; c < corners; ++c)
            if (sides[c].size > 3)
                add_candidate(&candidates, corner(surface, &sides[c], 0), corner(surface, &sides[c], 2),
                              2 * sides[c].area);
        candidates.kind_starts[PAIR_FOLD] = candidates.count;
        if (edge_order)
            collect_folds(surface, sides, edge_order, &candidates);
        order = index_sort_tuples(candidates.ends, candidates.count, 2, surface->vertex_count);
        *pairs = array_new(candidates.count, sizeof **pairs);
        if (edge_order && order && *pairs)
            *pair_count = merge(&candidates, order, *pairs);
        else
            status = status_no_memory(message, "the springs");
    }
    if (status != JN_OK) {
        free(*pairs);
        *pairs = NULL;
    }
    free(sides);
    free(candidates.ends);
    free(candidates.areas);
    free(edge_order);
    free(order);
    return status;
}
