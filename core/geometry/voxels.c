/* The grid and its touched cubes. A triangle is clipped to a slab of cubes in z, the result to a row of cubes in y; the
   final polygon is convex and enters every cube between its lowest and its highest x. */
#include "geometry/voxels.h"
#include "geometry/array.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* Memory for the flags: one byte a cube. */
#define MOST_CUBES (1u << 27)
#define MOST_RESOLUTION 1e5
/* In cubes: a polygon that enters a cube by less only touches its side. */
#define SIDE_TOLERANCE 1e-9
/* A triangle clipped by four half-spaces. */
enum { POLYGON_SIZE = 8 };

typedef struct Polygon {
    int count;
    double points[POLYGON_SIZE][3];
} Polygon;

JnStatus voxels_init(const double *positions, const uint32_t *triangles, uint32_t triangle_count, double resolution,
                     Voxels *voxels, JnMessage *message) {
    *voxels = (Voxels){0};
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t c = 0; c < 3 * (size_t)triangle_count; ++c)
        for (size_t a = 0; a < 3; ++a) {
            lower[a] = fmin(lower[a], positions[3 * (size_t)triangles[c] + a]);
            upper[a] = fmax(upper[a], positions[3 * (size_t)triangles[c] + a]);
        }
    double longest = 0, farthest = 0;
    for (int a = 0; a < 3; ++a) {
        longest = fmax(longest, upper[a] - lower[a]);
        farthest = fmax(farthest, fmax(fabs(lower[a]), fabs(upper[a])));
    }
    if (!(resolution >= 1 && resolution <= MOST_RESOLUTION))
        return status_fail(message, JN_ERR_ARGUMENT,
                           "a resolution of %g cells along the longest side: give between 1 and %g", resolution,
                           MOST_RESOLUTION);
    voxels->cell = longest / resolution;
    if (!isfinite(longest) || !(voxels->cell > 1e-12 * farthest))
        return status_fail(
            message, JN_ERR_MESH,
            "the surface is %g long and reaches to %g from the origin, too far to resolve its cells of %g: "
            "move it to the origin or scale it",
            longest, farthest, voxels->cell);
    double cubes = 1, counts[3];
    for (int a = 0; a < 3; ++a) {
        counts[a] = fmax(1, ceil((upper[a] - lower[a]) / voxels->cell - SIDE_TOLERANCE));
        cubes *= counts[a];
    }
    if (!(cubes <= MOST_CUBES))
        return status_fail(message, JN_ERR_ARGUMENT,
                           "a resolution of %g needs %.0f x %.0f x %.0f cells, at most %u in total are possible: "
                           "lower the resolution",
                           resolution, counts[0], counts[1], counts[2], MOST_CUBES);
    for (int a = 0; a < 3; ++a) {
        voxels->counts[a] = (uint32_t)counts[a];
        voxels->origin[a] = 0.5 * (lower[a] + upper[a]) - 0.5 * counts[a] * voxels->cell;
    }
    voxels->flags = array_new((size_t)cubes, 1);
    return voxels->flags ? JN_OK : status_no_memory(message, "the cells of the simulation mesh");
}

/* Keeps the part of the polygon where sign * (coordinate - limit) >= 0. */
static void clip(Polygon *polygon, int axis, double limit, double sign) {
    Polygon kept = {0};
    for (int i = 0; i < polygon->count; ++i) {
        const double *p = polygon->points[i], *q = polygon->points[(i + 1) % polygon->count];
        double dp = sign * (p[axis] - limit), dq = sign * (q[axis] - limit);
        if (dp >= 0 && kept.count < POLYGON_SIZE)
            memcpy(kept.points[kept.count++], p, sizeof kept.points[0]);
        if ((dp < 0) != (dq < 0) && kept.count < POLYGON_SIZE) {
            double *cut = kept.points[kept.count++];
            for (int a = 0; a < 3; ++a)
                cut[a] = p[a] + dp / (dp - dq) * (q[a] - p[a]);
            cut[axis] = limit;
        }
    }
    *polygon = kept;
}

/* The cubes that the polygon enters along `axis`: first to last, empty if first > last. */
static void cube_range(const Voxels *voxels, const Polygon *polygon, int axis, int64_t *first, int64_t *last) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < polygon->count; ++i) {
        low = fmin(low, polygon->points[i][axis]);
        high = fmax(high, polygon->points[i][axis]);
    }
    *first = 0;
    *last = -1;
    if (polygon->count == 0)
        return;

    // a polygon that ends or begins on a cube's side does not enter the next; one in the plane of a side enters neither
    // cube
    double begin = (low - voxels->origin[axis]) / voxels->cell + SIDE_TOLERANCE;
    double end = (high - voxels->origin[axis]) / voxels->cell - SIDE_TOLERANCE;
    if (end < begin && floor(end) != floor(begin))
        return;
    int64_t highest = (int64_t)voxels->counts[axis] - 1;
    *first = (int64_t)fmax(floor(fmin(begin, end)), 0);
    *last = (int64_t)fmin(floor(fmax(begin, end)), (double)highest);
}

/* The part of the polygon between the two sides of cube `index` along `axis`. */
static Polygon slab_part(const Voxels *voxels, const Polygon *polygon, int axis, int64_t index) {
    Polygon part = *polygon;
    clip(&part, axis, voxels->origin[axis] + voxels->cell * ((double)index + SIDE_TOLERANCE), 1);
    clip(&part, axis, voxels->origin[axis] + voxels->cell * ((double)index + 1 - SIDE_TOLERANCE), -1);
    return part;
}

void voxels_mark_touched(Voxels *voxels, const double *positions, const uint32_t *triangles, uint32_t triangle_count) {
    for (size_t t = 0; t < triangle_count; ++t) {
        Polygon triangle = {.count = 3};
        for (size_t i = 0; i < 3; ++i)
            memcpy(triangle.points[i], &positions[3 * (size_t)triangles[3 * t + i]], sizeof triangle.points[i]);
        int64_t first[3], last[3];
        cube_range(voxels, &triangle, 2, &first[2], &last[2]);
        for (int64_t z = first[2]; z <= last[2]; ++z) {
            Polygon slab = slab_part(voxels, &triangle, 2, z);
            cube_range(voxels, &slab, 1, &first[1], &last[1]);
            for (int64_t y = first[1]; y <= last[1]; ++y) {
                Polygon row = slab_part(voxels, &slab, 1, y);
                cube_range(voxels, &row, 0, &first[0], &last[0]);
                uint8_t *flags = &voxels->flags[(size_t)(z * voxels->counts[1] + y) * voxels->counts[0]];
                for (int64_t x = first[0]; x <= last[0]; ++x)
                    flags[x] |= VOXELS_TOUCHED;
            }
        }
    }
}

void voxels_free(Voxels *voxels) {
    free(voxels->flags);
    *voxels = (Voxels){0};
}
