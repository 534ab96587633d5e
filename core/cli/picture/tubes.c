#include "tubes.h"

#include <math.h>

/* Width of a tube as a part of the largest side of the box round all curves. */
static const double TUBE_WIDTH = 0.004;

size_t tube_quads(size_t point_count, size_t curve_count) {
    return point_count > curve_count ? (point_count - curve_count) * TUBE_SIDES : 0;
}

static double largest_side(const double *positions, size_t point_count) {
    double side = 0;
    for (size_t i = 0; i < 3; ++i) {
        double low = INFINITY, high = -INFINITY;
        for (size_t p = 0; p < point_count; ++p) {
            low = fmin(low, positions[3 * p + i]);
            high = fmax(high, positions[3 * p + i]);
        }
        side = fmax(side, high - low);
    }
    return side;
}

/* Two unit vectors across the direction from a to b; any two if there is none. */
static void find_across(const double *a, const double *b, double u[3], double v[3]) {
    double t[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (int i = 0; i < 3; ++i)
        t[i] = length > 0 ? t[i] / length : i == 0;
    int least = fabs(t[0]) < fabs(t[1]) ? 0 : 1;
    least = fabs(t[2]) < fabs(t[least]) ? 2 : least;
    double along = t[least], root = sqrt(1 - along * along);
    for (int i = 0; i < 3; ++i)
        u[i] = ((i == least) - along * t[i]) / root;
    for (int i = 0; i < 3; ++i)
        v[i] = t[(i + 1) % 3] * u[(i + 2) % 3] - t[(i + 2) % 3] * u[(i + 1) % 3];
}

static void place_ring(const double *point, const double *before, const double *after, double radius, double *ring) {
    static const double corners[TUBE_SIDES][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double u[3], v[3];
    find_across(before, after, u, v);
    for (size_t c = 0; c < TUBE_SIDES; ++c)
        for (size_t i = 0; i < 3; ++i)
            ring[3 * c + i] = point[i] + radius * (corners[c][0] * u[i] + corners[c][1] * v[i]);
}

void tubes_make(const double *positions, const int32_t *curve_counts, size_t curve_count, double *tube_positions,
                int32_t *quads) {
    size_t point_count = 0, p = 0;
    for (size_t k = 0; k < curve_count; ++k)
        point_count += (size_t)curve_counts[k];
    double radius = 0.5 * TUBE_WIDTH * largest_side(positions, point_count);
    for (size_t k = 0; k < curve_count; ++k)
        for (int32_t i = 0; i < curve_counts[k]; ++i, ++p) {
            bool last = i + 1 == curve_counts[k];
            place_ring(positions + 3 * p, positions + 3 * (i > 0 ? p - 1 : p), positions + 3 * (last ? p : p + 1),
                       radius, tube_positions + 3 * TUBE_SIDES * p);
            int32_t first = (int32_t)(TUBE_SIDES * p);
            for (int32_t c = 0; !last && c < TUBE_SIDES; ++c) {
                int32_t next = (c + 1) % TUBE_SIDES;
                *quads++ = first + c;
                *quads++ = first + next;
                *quads++ = first + TUBE_SIDES + next;
                *quads++ = first + TUBE_SIDES + c;
            }
        }
}
