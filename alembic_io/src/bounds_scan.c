/* The bounds of many points. See bounds_scan.h. */
#include "bounds_scan.h"

#include "xform_ops.h"

#include <math.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

void abc_bounds_scan_start(BoundsScan *scan) {
    for (int k = 0; k < 12; ++k) {
        scan->low[k] = INFINITY;
        scan->high[k] = -INFINITY;
        scan->bad[k] = 0;
    }
}

static void add_lanes(BoundsScan *s, const float *x, int lane_count) {
    for (int k = 0; k < lane_count; ++k) {
        s->low[k] = x[k] < s->low[k] ? x[k] : s->low[k];
        s->high[k] = x[k] > s->high[k] ? x[k] : s->high[k];
        s->bad[k] += x[k] - x[k];
    }
}

#if defined(__SSE2__)
/* The same with all lanes in registers, which compilers do not find by themselves. */
static void add_groups(BoundsScan *s, const float *x, size_t group_count) {
    __m128 low[3], high[3], bad[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = _mm_loadu_ps(s->low + 4 * k);
        high[k] = _mm_loadu_ps(s->high + 4 * k);
        bad[k] = _mm_loadu_ps(s->bad + 4 * k);
    }
    for (size_t i = 0; i < group_count; ++i, x += 12) {
        const __m128 a = _mm_loadu_ps(x), b = _mm_loadu_ps(x + 4), c = _mm_loadu_ps(x + 8);
        low[0] = _mm_min_ps(a, low[0]);
        low[1] = _mm_min_ps(b, low[1]);
        low[2] = _mm_min_ps(c, low[2]);
        high[0] = _mm_max_ps(a, high[0]);
        high[1] = _mm_max_ps(b, high[1]);
        high[2] = _mm_max_ps(c, high[2]);
        bad[0] = _mm_add_ps(bad[0], _mm_sub_ps(a, a));
        bad[1] = _mm_add_ps(bad[1], _mm_sub_ps(b, b));
        bad[2] = _mm_add_ps(bad[2], _mm_sub_ps(c, c));
    }
    for (int k = 0; k < 3; ++k) {
        _mm_storeu_ps(s->low + 4 * k, low[k]);
        _mm_storeu_ps(s->high + 4 * k, high[k]);
        _mm_storeu_ps(s->bad + 4 * k, bad[k]);
    }
}
#else
static void add_groups(BoundsScan *s, const float *x, size_t group_count) {
    for (size_t i = 0; i < group_count; ++i)
        add_lanes(s, x + 12 * i, 12);
}
#endif

void abc_bounds_scan_add(BoundsScan *scan, const float *xyz, size_t triple_count) {
    add_groups(scan, xyz, triple_count / 4);
    for (size_t i = triple_count / 4 * 4; i < triple_count; ++i)
        add_lanes(scan, xyz + 3 * i, 3);
}

bool abc_bounds_scan_is_finite(const BoundsScan *scan) {
    for (int k = 0; k < 12; ++k)
        if (scan->bad[k] != 0)
            return false;
    return true;
}

AbcBounds abc_bounds_scan_result(const BoundsScan *scan) {
    AbcBounds bounds = abc_bounds_empty();
    for (int k = 0; k < 12; ++k) {
        bounds.min[k % 3] = fmin(bounds.min[k % 3], (double)scan->low[k]);
        bounds.max[k % 3] = fmax(bounds.max[k % 3], (double)scan->high[k]);
    }
    return bounds;
}
