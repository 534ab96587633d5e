#include "geometry/polygon.h"
#include "geometry/array.h"
#include "geometry/vec3.h"
#include "base/status.h"
#include "jounce.h"

#include <math.h>
#include <stdlib.h>

/* Convex faces of more corners are cut in halves. Concave ones of more than MOST_CLIPPED too: ears take a time that
   grows with the square. */
enum { MOST_FAN = 8, MOST_CLIPPED = 20000 };
/* Of the area: corners that are turned inwards by less count as straight. */
#define STRAIGHT 1e-9

/* The triangles of a face, all at its first corner. */
static void fan(const uint32_t *corners, uint32_t size, uint32_t *out) {
    for (uint32_t i = 2; i < size; ++i) {
        *out++ = corners[0];
        *out++ = corners[i - 1];
        *out++ = corners[i];
    }
}

/* The same of the corners from `first` to `last`, cut in halves again and again: of thousands of corners, most
   triangles are small, and none of the trees over them has to hold thousands of needles in one place. Returns where the
   next triangle goes. */
static uint32_t *halve(const uint32_t *corners, uint32_t first, uint32_t last, uint32_t *out) {
    if (last - first < 2)
        return out;
    uint32_t middle = first + (last - first) / 2;
    *out++ = corners[first];
    *out++ = corners[middle];
    *out++ = corners[last];
    out = halve(corners, first, middle, out);
    return halve(corners, middle, last, out);
}

/* Twice the area of the face times its mean normal. */
static void face_normal(const double *positions, const uint32_t *corners, uint32_t size, double normal[3]) {
    const double *first = &positions[3 * (size_t)corners[0]];
    normal[0] = normal[1] = normal[2] = 0;
    for (uint32_t i = 2; i < size; ++i) {
        double a[3], b[3], cross[3];
        vec3_sub(&positions[3 * (size_t)corners[i - 1]], first, a);
        vec3_sub(&positions[3 * (size_t)corners[i]], first, b);
        vec3_cross(a, b, cross);
        for (int k = 0; k < 3; ++k)
            normal[k] += cross[k];
    }
}

static bool is_convex(const double *positions, const uint32_t *corners, uint32_t size, const double normal[3]) {
    double area = vec3_length(normal);
    for (uint32_t i = 0; i < size; ++i) {
        const double *at = &positions[3 * (size_t)corners[(i + 1) % size]];
        double before[3], after[3], cross[3];
        vec3_sub(at, &positions[3 * (size_t)corners[i]], before);
        vec3_sub(&positions[3 * (size_t)corners[(i + 2) % size]], at, after);
        vec3_cross(before, after, cross);
        if (vec3_dot(cross, normal) < -STRAIGHT * area * area)
            return false;
    }
    return true;
}

/* The corners that are left, in a ring. */
typedef struct Ring {
    double (*points)[2]; /* the face seen against its normal */
    uint32_t *next, *before;
    uint32_t *inwards; /* [inward_count] the corners that are not convex at first: what can lie in an ear */
    uint32_t inward_count;
    uint8_t *convex, *no_ear, *gone;
} Ring;

static double turn(const Ring *ring, uint32_t a, uint32_t b, uint32_t c) {
    const double *p = ring->points[a], *q = ring->points[b], *r = ring->points[c];
    return (q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0]);
}

static bool same_place(const Ring *ring, uint32_t a, uint32_t b) {
    return ring->points[a][0] == ring->points[b][0] && ring->points[a][1] == ring->points[b][1];
}

static bool is_ear(const Ring *ring, uint32_t corner) {
    uint32_t a = ring->before[corner], c = ring->next[corner];
    if (!ring->convex[corner])
        return false;
    double low[2], high[2];
    for (int k = 0; k < 2; ++k) {
        double x = ring->points[a][k], y = ring->points[corner][k], z = ring->points[c][k];
        low[k] = fmin(x, fmin(y, z));
        high[k] = fmax(x, fmax(y, z));
    }
    for (uint32_t i = 0; i < ring->inward_count; ++i) {
        uint32_t other = ring->inwards[i];
        const double *p = ring->points[other];
        if (p[0] < low[0] || p[0] > high[0] || p[1] < low[1] || p[1] > high[1] || ring->gone[other] ||
            ring->convex[other] || same_place(ring, other, a) || same_place(ring, other, corner) ||
            same_place(ring, other, c))
            continue;
        if (turn(ring, a, corner, other) >= 0 && turn(ring, corner, c, other) >= 0 && turn(ring, c, a, other) >= 0)
            return false;
    }
    return true;
}

static void look_again(Ring *ring, uint32_t corner) {
    ring->convex[corner] = turn(ring, ring->before[corner], corner, ring->next[corner]) > 0;
    ring->no_ear[corner] = 0;
}

/* Cuts off one ear after another. After each it goes on beyond the next corner, so that convex stretches are halved
   again and again. Where the face crosses itself and no corner is an ear, any is cut off. */
static void clip(Ring *ring, const uint32_t *corners, uint32_t size, uint32_t *out) {
    uint32_t at = 0, passed = 0;
    for (uint32_t left = size; left >= 3;) {
        uint32_t a = ring->before[at], c = ring->next[at];
        bool ear = left == 3 || passed >= left || (!ring->no_ear[at] && is_ear(ring, at));
        if (!ear) {
            ring->no_ear[at] = 1;
            ++passed;
            at = c;
            continue;
        }
        *out++ = corners[a];
        *out++ = corners[at];
        *out++ = corners[c];
        ring->gone[at] = 1;
        ring->next[a] = c;
        ring->before[c] = a;
        look_again(ring, a);
        look_again(ring, c);
        at = ring->next[c];
        passed = 0;
        --left;
    }
}

static void place_corners(const double *positions, const uint32_t *corners, uint32_t size, const double normal[3],
                          Ring *ring) {
    // seen along the axis that the normal is nearest to, counterclockwise
    size_t axis = fabs(normal[0]) > fabs(normal[1]) ? 0 : 1;
    axis = fabs(normal[2]) > fabs(normal[axis]) ? 2 : axis;
    size_t across = (axis + (normal[axis] < 0 ? 2 : 1)) % 3, up = 3 - axis - across;
    for (uint32_t i = 0; i < size; ++i) {
        ring->points[i][0] = positions[3 * (size_t)corners[i] + across];
        ring->points[i][1] = positions[3 * (size_t)corners[i] + up];
        ring->next[i] = (i + 1) % size;
        ring->before[i] = (i + size - 1) % size;
    }
    for (uint32_t i = 0; i < size; ++i) {
        look_again(ring, i);
        if (!ring->convex[i])
            ring->inwards[ring->inward_count++] = i;
    }
}

static bool clip_ears(const double *positions, const uint32_t *corners, uint32_t size, const double normal[3],
                      uint32_t *out) {
    Ring ring = {.points = array_new(size, sizeof *ring.points),
                 .next = array_new(size, sizeof *ring.next),
                 .before = array_new(size, sizeof *ring.before),
                 .inwards = array_new(size, sizeof *ring.inwards),
                 .convex = array_new(size, 1),
                 .no_ear = array_new(size, 1),
                 .gone = array_new(size, 1)};
    bool ready = ring.points && ring.next && ring.before && ring.inwards && ring.convex && ring.no_ear && ring.gone;
    if (ready) {
        place_corners(positions, corners, size, normal, &ring);
        clip(&ring, corners, size, out);
    }
    free(ring.points);
    free(ring.next);
    free(ring.before);
    free(ring.inwards);
    free(ring.convex);
    free(ring.no_ear);
    free(ring.gone);
    return ready;
}

bool polygon_triangulate(const double *positions, const uint32_t *corners, uint32_t size, uint32_t *triangles) {
    double normal[3] = {0};
    if (size > 3 && size <= MOST_CLIPPED)
        face_normal(positions, corners, size, normal);
    bool convex = size == 3 || size > MOST_CLIPPED || is_convex(positions, corners, size, normal);
    if (!convex)
        return clip_ears(positions, corners, size, normal, triangles);
    if (size > MOST_FAN)
        halve(corners, 0, size - 1, triangles);
    else
        fan(corners, size, triangles);
    return true;
}

JnStatus jn_polygon_triangulate(const double *points, uint32_t corner_count, uint32_t *triangles, JnMessage *message) {
    if (!points || !triangles || corner_count < 3)
        return status_fail(message, JN_ERR_ARGUMENT, "%s",
                           !points      ? "points is NULL"
                           : !triangles ? "triangles is NULL"
                                        : "a face has at least three corners");
    uint32_t *corners = array_new(corner_count, sizeof *corners);
    for (uint32_t i = 0; corners && i < corner_count; ++i)
        corners[i] = i;
    bool done = corners && polygon_triangulate(points, corners, corner_count, triangles);
    free(corners);
    return done ? JN_OK : status_no_memory(message, "the triangles of a face");
}
