#include "contact/pair_advance.h"

#include "base/math3.h"

#include <float.h>

#define TINIEST 1e-29 /* m, above what pair_distance takes for points */

/* Positions and displacements relative to the first point: digits do not depend on where the pair lies. */
typedef struct Motion {
    PairKind kind;
    double start[12], way[12];
    double rounding; /* m, above the error of any distance that is computed from them */
} Motion;

/* False if something is not finite. */
static bool make_motion(PairKind kind, const double *x0, const double *x1, Motion *motion) {
    uint32_t n = 3 * pair_point_count(kind);
    double extent = 0;
    bool finite = true;
    motion->kind = kind;
    for (uint32_t i = 0; i < n; ++i) {
        motion->start[i] = x0[i] - x0[i % 3];
        motion->way[i] = (x1[i] - x0[i]) - (x1[i % 3] - x0[i % 3]);
        finite = finite && isfinite(motion->start[i]) && isfinite(x1[i] - x0[i]);
        /* the displacements round where they are large themselves */
        extent = fmax(extent, fmax(fabs(motion->start[i]), fmax(fabs(x1[i] - x0[i]), fabs(x1[i % 3] - x0[i % 3]))));
    }
    motion->rounding = 64 * DBL_EPSILON * extent + TINIEST;
    return finite;
}

/* The time, from now on, for which the plane across `normal` keeps both sides `gap` apart; INFINITY: for ever. */
static double plane_time(const Motion *motion, const double *x, const double normal[3], double gap) {
    uint32_t n = pair_point_count(motion->kind), first = pair_first_count(motion->kind);
    double time = INFINITY;
    for (uint32_t i = 0; i < first; ++i)
        for (uint32_t j = first; j < n; ++j) {
            double apart[3], way[3];
            vec3_sub(&x[3 * i], &x[3 * j], apart);
            vec3_sub(&motion->way[3 * i], &motion->way[3 * j], way);
            double height = vec3_dot(apart, normal) - gap, approach = -vec3_dot(way, normal);
            if (approach > 0)
                time = fmin(time, fmax(height, 0) / approach);
        }
    return time;
}

PairAdvanceEnd pair_advance(PairKind kind, const double *x0, const double *x1, const PairAdvance *how, double *time) {
    Motion motion;
    PairDistance now;
    uint32_t n = 3 * pair_point_count(kind);
    *time = 0;
    if (!make_motion(kind, x0, x1, &motion))
        return PAIR_ADVANCE_INSIDE;
    pair_distance(kind, motion.start, &now);
    double gap = sqrt(now.squared) - how->thickness - motion.rounding;
    if (!(gap > motion.rounding))
        return PAIR_ADVANCE_INSIDE;

    double least = how->keep * fmin(gap, how->reach);
    for (uint32_t plane = 0; plane < how->most_planes; ++plane) {
        double x[12], normal[3], length;
        for (uint32_t i = 0; i < n; ++i)
            x[i] = motion.start[i] + *time * motion.way[i];
        pair_distance(kind, x, &now);
        length = sqrt(now.squared);
        if (plane > 0 && length - how->thickness - motion.rounding <= 2 * least)
            return PAIR_ADVANCE_HIT;
        for (int a = 0; a < 3; ++a)
            normal[a] = now.offset[a] / length;
        *time += plane_time(&motion, x, normal, how->thickness + motion.rounding + least);
        if (*time >= 1) {
            *time = 1;
            return PAIR_ADVANCE_FREE;
        }
    }
    return PAIR_ADVANCE_GIVEN_UP;
}
