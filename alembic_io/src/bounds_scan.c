/* The bounds of many points. See bounds_scan.h. */
#include "bounds_scan.h"

#include "digest_block.h"

#include <float.h>
#include <math.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

AbcBounds abc_bounds_empty(void) {
    return (AbcBounds){{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
}

bool abc_bounds_are_empty(const AbcBounds *b) {
    return !(b->min[0] <= b->max[0] && b->min[1] <= b->max[1] && b->min[2] <= b->max[2]);
}

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
/* All lanes in registers, which compilers do not do automatically. */
typedef struct Lanes {
    __m128 low[3], high[3], bad[3];
} Lanes;

static inline Lanes load_lanes(const BoundsScan *s) {
    Lanes lanes;
    for (int k = 0; k < 3; ++k) {
        lanes.low[k] = _mm_loadu_ps(s->low + 4 * k);
        lanes.high[k] = _mm_loadu_ps(s->high + 4 * k);
        lanes.bad[k] = _mm_loadu_ps(s->bad + 4 * k);
    }
    return lanes;
}

static inline void store_lanes(BoundsScan *s, const Lanes *lanes) {
    for (int k = 0; k < 3; ++k) {
        _mm_storeu_ps(s->low + 4 * k, lanes->low[k]);
        _mm_storeu_ps(s->high + 4 * k, lanes->high[k]);
        _mm_storeu_ps(s->bad + 4 * k, lanes->bad[k]);
    }
}

static inline void add_vector(Lanes *lanes, int k, __m128 v) {
    lanes->low[k] = _mm_min_ps(v, lanes->low[k]);
    lanes->high[k] = _mm_max_ps(v, lanes->high[k]);
    lanes->bad[k] = _mm_add_ps(lanes->bad[k], _mm_sub_ps(v, v));
}

/* Written out: in a loop the lanes would live in memory. */
static inline void add_group(Lanes *lanes, const float *x) {
    add_vector(lanes, 0, _mm_loadu_ps(x));
    add_vector(lanes, 1, _mm_loadu_ps(x + 4));
    add_vector(lanes, 2, _mm_loadu_ps(x + 8));
}

static void add_groups(BoundsScan *s, const float *x, size_t group_count) {
    Lanes lanes = load_lanes(s);
    for (size_t i = 0; i < group_count; ++i)
        add_group(&lanes, x + 12 * i);
    store_lanes(s, &lanes);
}

/* Whole blocks of the digest: two groups each. */
static void add_blocks(BoundsScan *s, DigestState *digest, const float *x, size_t block_count) {
    Lanes lanes = load_lanes(s);
    uint64_t h[12];
    memcpy(h, digest->h, sizeof h);
    for (size_t i = 0; i < block_count; ++i, x += 24) {
        const uint8_t *bytes = (const uint8_t *)x;
        add_group(&lanes, x);
        add_group(&lanes, x + 12);
        DIGEST_TAKE_BLOCK(h, bytes);
    }
    memcpy(digest->h, h, sizeof h);
    digest->byte_count += DIGEST_BLOCK * (uint64_t)block_count;
    store_lanes(s, &lanes);
}
#else
static void add_groups(BoundsScan *s, const float *x, size_t group_count) {
    for (size_t i = 0; i < group_count; ++i)
        add_lanes(s, x + 12 * i, 12);
}
#endif

void abc_bounds_scan_digest(BoundsScan *scan, DigestState *digest, const float *xyz, size_t triple_count) {
#if defined(__SSE2__)
    /* 8 triples make a block */
    if (digest->byte_count % DIGEST_BLOCK == 0) {
        size_t blocks = triple_count / 8;
        add_blocks(scan, digest, xyz, blocks);
        xyz += 24 * blocks;
        triple_count -= 8 * blocks;
    }
#endif
    abc_digest_add(digest, xyz, 12 * triple_count);
    abc_bounds_scan_add(scan, xyz, triple_count);
}

void abc_round_to_floats(float *to, const double *from, size_t count) {
    size_t i = 0;
#if defined(__SSE2__)
    for (; i + 4 <= count; i += 4) {
        const __m128 low = _mm_cvtpd_ps(_mm_loadu_pd(from + i)), high = _mm_cvtpd_ps(_mm_loadu_pd(from + i + 2));
        _mm_storeu_ps(to + i, _mm_movelh_ps(low, high));
    }
#endif
    for (; i < count; ++i)
        to[i] = (float)from[i];
}

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
