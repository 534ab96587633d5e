#include "geometry/surface_volume.h"
#include "geometry/array.h"
#include "geometry/shake.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "geometry/wall_crossings.h"
#include "base/status.h"

#include <stdlib.h>

/* Lines along the longest side: at least so many for closed surfaces, and more, up to the most, where they are thin.
   Where the winding number may change between triangles, lines are looked at in parts of such a length. */
enum { CLOSED_LINES = 384, MOST_LINES = 2048, OPEN_LINES = 96, OPEN_PARTS = 64, SURE_STEPS = 8, MOST_HITS = 1024 };
/* Winding numbers at the two ends of a stretch of at most SURE_STEPS parts that are nearer to each other than this tell
   what is between. */
#define SMOOTH 0.2
/* Of a stretch: how far from its ends its first and last number are taken. */
#define ASIDE 1e-3
/* Of the longest side: how far beyond an open surface its inside may reach, as a dome over the opening of a bowl. */
#define OPEN_BEYOND 0.25
/* Lines across the mean thickness. */
#define LINES_ACROSS 6.0

double surface_signed_volume(const double *positions, const uint32_t *triangles, uint32_t triangle_count) {
    double sum = 0;
    const double *origin = triangle_count ? &positions[3 * (size_t)triangles[0]] : NULL;
    for (size_t t = 0; t < triangle_count; ++t)
        sum += vec3_tet_det(origin, &positions[3 * (size_t)triangles[3 * t]],
                            &positions[3 * (size_t)triangles[3 * t + 1]], &positions[3 * (size_t)triangles[3 * t + 2]]);
    return sum / 6;
}

typedef struct Lines {
    const Winding *winding;
    bool closed;
    int axis; /* the lines run along it, */
    int u, v; /* and their rows along these */
    double lower[3], upper[3];
    uint32_t rows, columns;
    double *lengths; /* [rows] inside, of all lines of a row */
} Lines;

typedef struct Hit {
    double at; /* part of the line */
    int turns; /* what the winding number of a closed surface gains there */
} Hit;

typedef struct Hits {
    const Winding *winding;
    const double *start, *way;
    int count;
    Hit hits[MOST_HITS];
} Hits;

static void visit_triangle(void *context, uint32_t triangle) {
    Hits *hits = context;
    const Winding *winding = hits->winding;
    const uint32_t *v = &winding->triangles[3 * (size_t)triangle];
    const double *p[3];
    for (int i = 0; i < 3; ++i)
        p[i] = &winding->positions[3 * (size_t)v[i]];
    double at, normal[3];
    if (hits->count == MOST_HITS || !triangle_crosses_line(hits->start, hits->way, p[0], p[1], p[2], &at) ||
        !(at >= 0 && at <= 1))
        return;
    triangle_normal(p[0], p[1], p[2], normal);
    hits->hits[hits->count++] = (Hit){at, vec3_dot(normal, hits->way) < 0 ? 1 : -1};
}

static int compare(const void *left, const void *right) {
    double a = ((const Hit *)left)->at, b = ((const Hit *)right)->at;
    return a < b ? -1 : a > b;
}

static double number_at(const Lines *lines, const Hits *hits, double part) {
    double point[3];
    for (int a = 0; a < 3; ++a)
        point[a] = hits->start[a] + part * hits->way[a];
    return winding_number(lines->winding, point);
}

/* How much of a stretch of a line without triangles is inside, `before` and `after` being the winding numbers at its
   ends: halved into `steps` where they do not tell. */
static double inside_stretch(const Lines *lines, const Hits *hits, double from, double to, double before, double after,
                             int steps) {
    double middle = 0.5 * (from + to), mean = 0.5 * (before + after);
    if (steps > 1 && steps <= SURE_STEPS && fabs(before - after) < SMOOTH && winding_is_calm(mean))
        return winding_is_inside(mean) ? to - from : 0;
    if (steps > 1) {
        double number = number_at(lines, hits, middle);
        return inside_stretch(lines, hits, from, middle, before, number, steps / 2) +
               inside_stretch(lines, hits, middle, to, number, after, steps / 2);
    }
    bool inside = winding_is_inside(before);
    if (inside == winding_is_inside(after))
        return inside ? to - from : 0;
    // the number goes through a half once, or is that of a part turned inside out
    double part = before + after > 0 ? (0.5 - before) / (after - before) : 0.5;
    return (to - from) * (inside ? part : 1 - part);
}

/* The part of a line that is inside. */
static double inside_part(const Lines *lines, const double start[3], const double way[3]) {
    Hits hits; // its array is large and filled by its count
    hits.winding = lines->winding;
    hits.start = start;
    hits.way = way;
    hits.count = 0;
    bvh_visit_segment(&lines->winding->bvh, start, way, visit_triangle, &hits);
    if (!lines->closed && hits.count + 2 <= MOST_HITS) {
        hits.hits[hits.count++] = (Hit){0, 0};
        hits.hits[hits.count++] = (Hit){1, 0};
    }
    qsort(hits.hits, (size_t)hits.count, sizeof *hits.hits, compare);
    // through a closed surface a line turns as often one way as the other, unless it meets an edge
    int turns = 0;
    for (int i = 0; i < hits.count; ++i)
        turns += hits.hits[i].turns;
    bool counted = lines->closed && hits.count < MOST_HITS && turns == 0;
    double part = 0;
    for (int i = 0; i + 1 < hits.count; ++i) {
        double from = hits.hits[i].at, to = hits.hits[i + 1].at;
        turns += hits.hits[i].turns;
        if (!(to > from))
            continue;
        if (counted) {
            part += winding_is_inside(turns) ? to - from : 0;
            continue;
        }
        int steps = 1;
        while (!lines->closed && steps < OPEN_PARTS * (to - from))
            steps *= 2;
        // the ends of the stretch are on triangles; a short one has the number of its middle
        double slack = (steps > 1 ? ASIDE : 0.5) * (to - from), before = number_at(lines, &hits, from + slack);
        double after = steps > 1 ? number_at(lines, &hits, to - slack) : before;
        part += inside_stretch(lines, &hits, from, to, before, after, steps);
    }
    return part;
}

/* For a line: lines at even distances would all meet or all miss walls at even distances. */
static double shake_line(uint32_t row, uint32_t column, uint64_t axis) {
    return shake(((uint64_t)row << 32 | column) * 0x9E3779B97F4A7C15u + axis);
}

static void measure_row(void *context, uint32_t row) {
    const Lines *lines = context;
    double start[3], way[3] = {0}, sum = 0;
    start[lines->axis] = lines->lower[lines->axis];
    way[lines->axis] = lines->upper[lines->axis] - lines->lower[lines->axis];
    for (uint32_t column = 0; column < lines->columns; ++column) {
        double across[2] = {(column + shake_line(row, column, 0)) / lines->columns,
                            (row + shake_line(row, column, 1)) / lines->rows};
        for (int i = 0; i < 2; ++i) {
            int axis = i ? lines->v : lines->u;
            start[axis] = lines->lower[axis] + across[i] * (lines->upper[axis] - lines->lower[axis]);
        }
        sum += inside_part(lines, start, way);
    }
    lines->lengths[row] = sum * way[lines->axis];
}

/* The mean thickness of a closed surface. */
static double mean_thickness(const Winding *winding) {
    double area = 0;
    for (size_t t = 0; t < winding->triangle_count; ++t) {
        const uint32_t *v = &winding->triangles[3 * t];
        double normal[3];
        triangle_normal(&winding->positions[3 * (size_t)v[0]], &winding->positions[3 * (size_t)v[1]],
                        &winding->positions[3 * (size_t)v[2]], normal);
        area += 0.5 * vec3_length(normal);
    }
    double volume = surface_signed_volume(winding->positions, winding->triangles, winding->triangle_count);
    return 2 * fabs(volume) / area;
}

JnStatus surface_volume(const Winding *winding, bool closed, Pool *pool, double *volume, JnMessage *message) {
    const BvhNode *root = &winding->bvh.nodes[0];
    Lines lines = {.winding = winding, .closed = closed};
    double longest = 0, beyond = 0;
    for (int a = 0; a < 3 && !closed; ++a)
        beyond = fmax(beyond, OPEN_BEYOND * (root->upper[a] - root->lower[a]));
    for (int a = 0; a < 3; ++a) {
        double slack = 1e-9 * (root->upper[a] - root->lower[a]) + beyond;
        lines.lower[a] = root->lower[a] - slack;
        lines.upper[a] = root->upper[a] + slack;
        longest = fmax(longest, lines.upper[a] - lines.lower[a]);
        if (lines.upper[a] - lines.lower[a] < lines.upper[lines.axis] - lines.lower[lines.axis])
            lines.axis = a;
    }
    // lines along the shortest side: they see the most of a thin shape
    lines.u = (lines.axis + 1) % 3;
    lines.v = (lines.axis + 2) % 3;
    double spacing = longest / OPEN_LINES;
    if (closed)
        spacing = fmin(longest / CLOSED_LINES, fmax(longest / MOST_LINES, mean_thickness(winding) / LINES_ACROSS));
    lines.columns = (uint32_t)ceil((lines.upper[lines.u] - lines.lower[lines.u]) / spacing) + 1;
    lines.rows = (uint32_t)ceil((lines.upper[lines.v] - lines.lower[lines.v]) / spacing) + 1;
    lines.lengths = array_new(lines.rows, sizeof *lines.lengths);
    if (!lines.lengths)
        return status_no_memory(message, "the volume of a surface");
    pool_run(pool, lines.rows, measure_row, &lines);
    *volume = 0;
    for (uint32_t row = 0; row < lines.rows; ++row)
        *volume += lines.lengths[row];
    *volume *= (lines.upper[lines.u] - lines.lower[lines.u]) / lines.columns *
               ((lines.upper[lines.v] - lines.lower[lines.v]) / lines.rows);
    free(lines.lengths);
    return JN_OK;
}
