#include "geometry/surface_volume.h"
#include "geometry/array.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdlib.h>

/* Lines along the longest side; each is cut into so many parts where the winding number may change between triangles.
 */
enum { CLOSED_LINES = 384, OPEN_LINES = 96, OPEN_PARTS = 48, MOST_HITS = 1024 };

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

typedef struct Hits {
    const Winding *winding;
    const double *start, *way;
    int count;
    double parts[MOST_HITS];
} Hits;

static void visit_triangle(void *context, uint32_t triangle) {
    Hits *hits = context;
    const Winding *winding = hits->winding;
    const uint32_t *v = &winding->triangles[3 * (size_t)triangle];
    double at;
    if (hits->count < MOST_HITS &&
        triangle_crosses_line(hits->start, hits->way, &winding->positions[3 * (size_t)v[0]],
                              &winding->positions[3 * (size_t)v[1]], &winding->positions[3 * (size_t)v[2]], &at) &&
        at >= 0 && at <= 1)
        hits->parts[hits->count++] = at;
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* The part of a line that is inside. */
static double inside_part(const Lines *lines, const double start[3], const double way[3]) {
    Hits hits = {.winding = lines->winding, .start = start, .way = way};
    bvh_visit_segment(&lines->winding->bvh, start, way, visit_triangle, &hits);
    for (int i = 1; !lines->closed && i < OPEN_PARTS && hits.count < MOST_HITS; ++i)
        hits.parts[hits.count++] = (double)i / OPEN_PARTS;
    qsort(hits.parts, (size_t)hits.count, sizeof *hits.parts, compare);
    double part = 0;
    for (int i = 0; i + 1 < hits.count; ++i) {
        double middle = 0.5 * (hits.parts[i] + hits.parts[i + 1]), point[3];
        for (int a = 0; a < 3; ++a)
            point[a] = start[a] + middle * way[a];
        if (hits.parts[i + 1] > hits.parts[i] && winding_is_inside(winding_number(lines->winding, point)))
            part += hits.parts[i + 1] - hits.parts[i];
    }
    return part;
}

static void measure_row(void *context, uint32_t row) {
    const Lines *lines = context;
    double start[3], way[3] = {0}, sum = 0;
    start[lines->axis] = lines->lower[lines->axis];
    way[lines->axis] = lines->upper[lines->axis] - lines->lower[lines->axis];
    start[lines->v] =
        lines->lower[lines->v] + (row + 0.5) / lines->rows * (lines->upper[lines->v] - lines->lower[lines->v]);
    for (uint32_t column = 0; column < lines->columns; ++column) {
        start[lines->u] = lines->lower[lines->u] +
                          (column + 0.5) / lines->columns * (lines->upper[lines->u] - lines->lower[lines->u]);
        sum += inside_part(lines, start, way);
    }
    lines->lengths[row] = sum * way[lines->axis];
}

JnStatus surface_volume(const Winding *winding, bool closed, Pool *pool, double *volume, JnMessage *message) {
    const BvhNode *root = &winding->bvh.nodes[0];
    Lines lines = {.winding = winding, .closed = closed};
    double longest = 0;
    for (int a = 0; a < 3; ++a) {
        double slack = 1e-9 * (root->upper[a] - root->lower[a]);
        lines.lower[a] = root->lower[a] - slack;
        lines.upper[a] = root->upper[a] + slack;
        longest = fmax(longest, lines.upper[a] - lines.lower[a]);
        if (lines.upper[a] - lines.lower[a] < lines.upper[lines.axis] - lines.lower[lines.axis])
            lines.axis = a;
    }
    // lines along the shortest side: they see the most of a thin shape
    lines.u = (lines.axis + 1) % 3;
    lines.v = (lines.axis + 2) % 3;
    double spacing = longest / (closed ? CLOSED_LINES : OPEN_LINES);
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
