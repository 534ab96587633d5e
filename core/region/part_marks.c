#include "region/part_marks.h"

#include <stdlib.h>
#include <string.h>

/* Pieces with less than this part of the vertices in question are crumbs. */
static const double CRUMB = 0.02;
enum { SMOOTHINGS = 3 };

bool part_marks_create(const BlockMatrix *pattern, const uint8_t *roles, PartMarks *parts) {
    size_t n = (size_t)pattern->vertex_count + 1;
    *parts = (PartMarks){.pattern = pattern,
                         .roles = roles,
                         .islands = malloc(n * sizeof(uint32_t)),
                         .counts = malloc(n * sizeof(uint32_t)),
                         .around = malloc(n * sizeof(uint32_t))};
    return parts->islands && parts->counts && parts->around;
}

void part_marks_free(PartMarks *parts) {
    free(parts->islands);
    free(parts->counts);
    free(parts->around);
    memset(parts, 0, sizeof *parts);
}

/* The first vertex of v's piece, by a forest whose roots point to themselves. */
static uint32_t find_root(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

/* Numbers the pieces of the free vertices whose mark is `wanted`. */
static void find_pieces(PartMarks *parts, const uint8_t *marked, uint8_t wanted) {
    const BlockMatrix *pattern = parts->pattern;
    uint32_t *parents = parts->around, n = pattern->vertex_count;
    for (uint32_t v = 0; v < n; ++v)
        parents[v] = parts->roles[v] == 0 && (marked[v] != 0) == wanted ? v : UINT32_MAX;
    for (uint32_t column = 0; column < n; ++column)
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k) {
            uint32_t row = pattern->rows[k];
            if (parents[column] == UINT32_MAX || parents[row] == UINT32_MAX)
                continue;
            uint32_t a = find_root(parents, row), b = find_root(parents, column);
            parents[a > b ? a : b] = a < b ? a : b;
        }
    parts->island_count = 0;
    for (uint32_t v = 0; v < n; ++v) {
        uint32_t root = parents[v] == UINT32_MAX ? UINT32_MAX : find_root(parents, v);
        parts->islands[v] = root == UINT32_MAX ? UINT32_MAX : root == v ? parts->island_count++ : parts->islands[root];
    }
}

void part_marks_find_islands(PartMarks *parts, const uint8_t *marked) {
    find_pieces(parts, marked, 1);
}

/* A vertex becomes what most around it are. */
static void smooth(PartMarks *parts, uint8_t *marked) {
    const BlockMatrix *pattern = parts->pattern;
    uint32_t n = pattern->vertex_count;
    memset(parts->counts, 0, n * sizeof(uint32_t));
    memset(parts->around, 0, n * sizeof(uint32_t));
    for (uint32_t column = 0; column < n; ++column)
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k) {
            uint32_t row = pattern->rows[k];
            if (row == column || parts->roles[row] || parts->roles[column])
                continue;
            ++parts->around[row];
            ++parts->around[column];
            parts->counts[row] += marked[column] != 0;
            parts->counts[column] += marked[row] != 0;
        }
    for (uint32_t v = 0; v < n; ++v)
        if (parts->roles[v] == 0 && 2 * parts->counts[v] != parts->around[v])
            marked[v] = 2 * parts->counts[v] > parts->around[v];
}

/* Pieces of the vertices marked `wanted` that are small get the other mark. */
static void turn_crumbs(PartMarks *parts, uint8_t *marked, uint8_t wanted) {
    uint32_t n = parts->pattern->vertex_count, all = 0;
    find_pieces(parts, marked, wanted);
    memset(parts->counts, 0, n * sizeof(uint32_t));
    for (uint32_t v = 0; v < n; ++v)
        if (parts->islands[v] != UINT32_MAX) {
            ++parts->counts[parts->islands[v]];
            ++all;
        }
    for (uint32_t v = 0; v < n; ++v)
        if (parts->islands[v] != UINT32_MAX && parts->counts[parts->islands[v]] < CRUMB * all)
            marked[v] = !wanted;
}

void part_marks_tidy(PartMarks *parts, uint8_t *marked) {
    for (int k = 0; k < SMOOTHINGS; ++k)
        smooth(parts, marked);
    turn_crumbs(parts, marked, 1);
    turn_crumbs(parts, marked, 0);
}
