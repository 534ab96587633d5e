/* Inside and outside by columns: a line along x through the centres of each column of cubes crosses the surface;
   between two crossings all cubes are inside or all are outside. Whether a line crosses a triangle is decided in the
   y-z plane by the triangle's three edges: an edge counts if its ends lie on different sides of the line's z (equal
   counts as below) and it passes the line's y on the right. Two triangles that share an edge perform the same
   computation for it, so the line can neither pass between them nor cross both: no tolerance, no special cases at edges
   and vertices. */
#include "geometry/voxels.h"
#include "geometry/array.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

typedef struct Crossing {
    double x;
    int32_t sign; /* +1 where the surface is left towards +x, -1 where it is entered */
} Crossing;

/* Where the edge a b crosses z: always computed from its lexicographically lower end, so that both triangles agree. */
static void edge_at(const double *a, const double *b, double z, double *x, double *y) {
    for (int i = 2; i >= 0; --i)
        if (a[i] != b[i]) {
            if (a[i] > b[i]) {
                const double *swap = a;
                a = b, b = swap;
            }
            break;
        }
    double t = (z - a[2]) / (b[2] - a[2]);
    *x = a[0] + t * (b[0] - a[0]);
    *y = a[1] + t * (b[1] - a[1]);
}

/* Whether the line (., y, z) crosses the triangle, where, and in which direction the triangle faces. */
static bool meet(const double *const corners[3], double y, double z, Crossing *crossing) {
    double cut_x[2], cut_y[2];
    int32_t upwards[2];
    int count = 0;
    for (int i = 0; i < 3 && count < 2; ++i) {
        const double *a = corners[i], *b = corners[(i + 1) % 3];
        if ((a[2] > z) == (b[2] > z))
            continue;
        edge_at(a, b, z, &cut_x[count], &cut_y[count]);
        upwards[count++] = b[2] > a[2] ? 1 : -1;
    }
    if (count < 2 || (cut_y[0] > y) == (cut_y[1] > y))
        return false;
    int right = cut_y[1] > y;
    double t = (y - cut_y[!right]) / (cut_y[right] - cut_y[!right]);
    crossing->x = cut_x[!right] + t * (cut_x[right] - cut_x[!right]);
    crossing->sign = upwards[right];
    return true;
}

/* The columns whose centres may lie between `low` and `high` along `axis`: first to last. */
static void center_range(const Voxels *voxels, int axis, double low, double high, int64_t *first, int64_t *last) {
    double begin = ceil((low - voxels->origin[axis]) / voxels->cell - 0.5 - 1e-6);
    double end = floor((high - voxels->origin[axis]) / voxels->cell - 0.5 + 1e-6);
    *first = (int64_t)fmax(begin, 0);
    *last = (int64_t)fmin(end, (double)voxels->counts[axis] - 1);
}

static double center(const Voxels *voxels, int axis, int64_t index) {
    return voxels->origin[axis] + voxels->cell * ((double)index + 0.5);
}

/* Counts the crossings of each column in `ends` [column], or, if `crossings` is given, stores them, ends[column] being
   where the column's next one goes. */
static void cross_columns(const Voxels *voxels, const double *positions, const uint32_t *triangles,
                          uint32_t triangle_count, size_t *ends, Crossing *crossings) {
    for (size_t t = 0; t < triangle_count; ++t) {
        const double *corners[3];
        for (size_t i = 0; i < 3; ++i)
            corners[i] = &positions[3 * (size_t)triangles[3 * t + i]];
        int64_t first[3], last[3];
        for (int a = 1; a < 3; ++a)
            center_range(voxels, a, fmin(corners[0][a], fmin(corners[1][a], corners[2][a])),
                         fmax(corners[0][a], fmax(corners[1][a], corners[2][a])), &first[a], &last[a]);
        for (int64_t z = first[2]; z <= last[2]; ++z)
            for (int64_t y = first[1]; y <= last[1]; ++y) {
                Crossing crossing;
                if (!meet(corners, center(voxels, 1, y), center(voxels, 2, z), &crossing))
                    continue;
                size_t column = (size_t)(z * voxels->counts[1] + y);
                if (crossings)
                    crossings[ends[column]] = crossing;
                ++ends[column];
            }
    }
}

static int compare_crossings(const void *left, const void *right) {
    const Crossing *a = left, *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return a->sign < b->sign ? -1 : a->sign > b->sign;
}

/* Flags the cubes of one column between its sorted crossings; returns the length inside. */
static double fill_column(Voxels *voxels, size_t column, const Crossing *crossings, size_t count, bool oriented) {
    double length = 0;
    int64_t winding = 0;
    for (size_t i = 0; i + 1 < count; ++i) {
        winding += crossings[i].sign;
        bool inside = oriented ? winding != 0 : i % 2 == 0;
        if (!inside)
            continue;
        length += crossings[i + 1].x - crossings[i].x;
        int64_t first, last;
        center_range(voxels, 0, crossings[i].x, crossings[i + 1].x, &first, &last);
        for (int64_t x = first; x <= last; ++x)
            voxels->flags[column * voxels->counts[0] + (size_t)x] |= VOXELS_INSIDE;
    }
    return length;
}

JnStatus voxels_mark_inside(Voxels *voxels, const double *positions, const uint32_t *triangles, uint32_t triangle_count,
                            bool oriented, double *inside_length, JnMessage *message) {
    size_t column_count = (size_t)voxels->counts[1] * voxels->counts[2];
    size_t *ends = array_new(column_count, sizeof *ends);
    Crossing *crossings = NULL;
    if (ends) {
        // count, turn counts into where each column begins, then store
        cross_columns(voxels, positions, triangles, triangle_count, ends, NULL);
        size_t total = 0;
        for (size_t c = 0; c < column_count; ++c) {
            size_t count = ends[c];
            ends[c] = total;
            total += count;
        }
        crossings = array_new(total, sizeof *crossings);
    }
    if (!crossings) {
        free(ends);
        return status_no_memory(message, "the cells of the simulation mesh");
    }
    cross_columns(voxels, positions, triangles, triangle_count, ends, crossings);
    double length = 0;
    for (size_t c = 0, begin = 0; c < column_count; begin = ends[c++]) {
        qsort(&crossings[begin], ends[c] - begin, sizeof *crossings, compare_crossings);
        length += fill_column(voxels, c, &crossings[begin], ends[c] - begin, oriented);
    }
    if (inside_length)
        *inside_length = length;
    free(ends);
    free(crossings);
    return JN_OK;
}
