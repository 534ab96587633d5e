/* distance^2 = min |r|^2 over the two simplices, r = sum w_i x_i. On the inside of a region the weights w are free in
   0 to 2 directions c_k that span the vectors D_k = sum c_ki x_i, and the minimum is at r . D_k = 0. With the dual
   vectors B_k (B_k . D_l = 1 if k = l, else 0, in the span of D) all regions share the same formulas:
     weights   w = w0 - sum (B_k . r0) c_k from any weights w0 on the region
     gradient  2 w_i r, since the minimum does not vary to first order with the weights
     Hessian   f_xx - f_xw f_ww^-1 f_wx = 2 (w_i w_j Q - w_i u_j r^T - w_j r u_i^T - (u_i . u_j) r r^T)
   where u_i = sum c_ki B_k and Q projects on what is orthogonal to the span.
   If the minimum over the hull of a region lies outside of the simplices, the nearest points lie on a smaller region:
   the best of those is taken, so that rounding near a border cannot pick a wrong one. */
#include "contact/pair_distance.h"

#include "base/math3.h"

#include <string.h>

#define SHORTEST_SQUARED 1e-60 /* an edge below this is a point */
#define FLATTEST_SQUARED 1e-24 /* sine^2 of an angle below which two directions count as parallel */

/* The directions of a region: c, D and B above. */
typedef struct Hull {
    int count;
    double directions[2][4];
    double spans[2][3];
    double duals[2][3];
} Hull;

uint32_t pair_point_count(PairKind kind) {
    static const uint32_t counts[PAIR_KIND_COUNT] = {2, 3, 4, 4};
    return counts[kind];
}

uint32_t pair_first_count(PairKind kind) {
    return kind == PAIR_EDGE_EDGE ? 2 : 1;
}

static bool has_point(uint32_t region, uint32_t i) {
    return region >> i & 1;
}

/* From the first point of each simplex in the region to its others; the second simplex counts negative. */
static int region_directions(PairKind kind, uint32_t region, double directions[2][4]) {
    uint32_t n = pair_point_count(kind), first = pair_first_count(kind), base = 0;
    int count = 0;
    bool based = false;
    for (uint32_t i = 0; i < n; ++i) {
        based = based && i != first;
        if (!has_point(region, i))
            continue;
        if (!based) {
            base = i;
            based = true;
            continue;
        }
        double sign = i < first ? 1 : -1;
        memset(directions[count], 0, sizeof directions[count]);
        directions[count][base] = -sign;
        directions[count++][i] = sign;
    }
    return count;
}

/* False if the region is degenerate: its nearest points are those of a smaller one. */
static bool make_hull(PairKind kind, uint32_t region, const double *x, Hull *hull) {
    hull->count = region_directions(kind, region, hull->directions);
    uint32_t n = pair_point_count(kind);
    for (int k = 0; k < hull->count; ++k)
        for (uint32_t a = 0; a < 3; ++a) {
            hull->spans[k][a] = 0;
            for (uint32_t i = 0; i < n; ++i)
                if (hull->directions[k][i] != 0)
                    hull->spans[k][a] += hull->directions[k][i] * x[3 * i + a];
        }
    double squared[2] = {1, 1};
    for (int k = 0; k < hull->count; ++k) {
        squared[k] = vec3_dot(hull->spans[k], hull->spans[k]);
        if (!(squared[k] > SHORTEST_SQUARED))
            return false;
    }
    if (hull->count == 1)
        for (int a = 0; a < 3; ++a)
            hull->duals[0][a] = hull->spans[0][a] / squared[0];
    if (hull->count == 2) {
        double normal[3];
        vec3_cross(hull->spans[0], hull->spans[1], normal);
        double area = vec3_dot(normal, normal);
        if (!(area > FLATTEST_SQUARED * squared[0] * squared[1]))
            return false;
        vec3_cross(hull->spans[1], normal, hull->duals[0]);
        vec3_cross(normal, hull->spans[0], hull->duals[1]);
        for (int a = 0; a < 3; ++a) {
            hull->duals[0][a] /= area;
            hull->duals[1][a] /= area;
        }
    }
    return true;
}

/* The nearest points of the hulls of a region; false if they lie outside of it or it is degenerate. */
static bool nearest_inside(PairKind kind, uint32_t region, const double *x, PairDistance *distance) {
    Hull hull;
    uint32_t n = pair_point_count(kind), first = pair_first_count(kind), i = 0, j = first;
    *distance = (PairDistance){.kind = kind, .region = region};
    if (!make_hull(kind, region, x, &hull))
        return false;

    /* start at the first point of each simplex in the region; differences keep their digits far from the origin */
    while (!has_point(region, i))
        ++i;
    while (!has_point(region, j))
        ++j;
    double *w = distance->weights, *r = distance->offset;
    vec3_sub(&x[3 * i], &x[3 * j], r);
    w[i] = 1;
    w[j] = -1;
    /* the second round takes away what rounding left along the spans, which matters for an offset short against them */
    for (int round = 0; round < 2; ++round) {
        double along[2] = {0, 0};
        for (int k = 0; k < hull.count; ++k)
            along[k] = -vec3_dot(hull.duals[k], r);
        for (int k = 0; k < hull.count; ++k) {
            for (uint32_t p = 0; p < n; ++p)
                w[p] += along[k] * hull.directions[k][p];
            for (int a = 0; a < 3; ++a)
                r[a] += along[k] * hull.spans[k][a];
        }
    }
    distance->squared = vec3_dot(r, r);
    for (uint32_t p = 0; p < n; ++p)
        if (has_point(region, p) && !((p < first ? 1 : -1) * w[p] > 0))
            return false;
    return true;
}

/* The nearest points of a region of one point and one edge, whose ends are points `from` and `to`. */
static void nearest_on_edge(PairKind kind, uint32_t point, uint32_t from, uint32_t to, const double *x,
                            PairDistance *distance) {
    uint32_t ends[2] = {1u << point | 1u << from, 1u << point | 1u << to};
    if (nearest_inside(kind, ends[0] | ends[1], x, distance))
        return;
    PairDistance other;
    nearest_inside(kind, ends[0], x, distance);
    nearest_inside(kind, ends[1], x, &other);
    if (other.squared < distance->squared)
        *distance = other;
}

/* Whether `other` takes the place of `best`. A region gives way to one that contains it and has its nearest points
   inside, whatever the distances are: they may agree in all digits where the gradients do not. */
static bool is_better(const PairDistance *other, const PairDistance *best) {
    uint32_t common = other->region & best->region;
    if (common == best->region)
        return other->region != common;
    return common != other->region && other->squared < best->squared;
}

void pair_distance(PairKind kind, const double *x, PairDistance *distance) {
    /* the borders of the largest region: point, from, to */
    static const uint8_t triangle_borders[][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}};
    static const uint8_t edge_borders[][3] = {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}};
    uint32_t n = pair_point_count(kind);
    if (kind == PAIR_POINT_EDGE) {
        nearest_on_edge(kind, 0, 1, 2, x, distance);
        return;
    }
    if (nearest_inside(kind, (1u << n) - 1, x, distance))
        return;
    bool triangle = kind == PAIR_POINT_TRIANGLE;
    const uint8_t(*borders)[3] = triangle ? triangle_borders : edge_borders;
    for (int b = 0; b < (triangle ? 3 : 4); ++b) {
        PairDistance other;
        nearest_on_edge(kind, borders[b][0], borders[b][1], borders[b][2], x, &other);
        if (b == 0 || is_better(&other, distance))
            *distance = other;
    }
}

int pair_distance_directions(const PairDistance *distance, double directions[2][4]) {
    return region_directions(distance->kind, distance->region, directions);
}

void pair_distance_gradient(const PairDistance *distance, double *gradient) {
    uint32_t n = pair_point_count(distance->kind);
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t a = 0; a < 3; ++a)
            gradient[3 * i + a] = 2 * distance->weights[i] * distance->offset[a];
}

/* Q: the projection on what is orthogonal to the spans of the hull. */
static void hull_complement(const Hull *hull, double Q[9]) {
    double normal[3], length = 1;
    if (hull->count == 2) {
        vec3_cross(hull->spans[0], hull->spans[1], normal);
        length = vec3_length(normal);
    }
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            Q[3 * a + b] = hull->count == 2   ? normal[a] / length * (normal[b] / length)
                           : hull->count == 1 ? (a == b) - hull->duals[0][a] * hull->spans[0][b]
                                              : (a == b);
}

void pair_distance_hessian(const PairDistance *distance, const double *x, double *hessian) {
    Hull hull;
    uint32_t n = pair_point_count(distance->kind);
    const double *w = distance->weights, *r = distance->offset;
    double Q[9], u[4][3] = {{0}};
    make_hull(distance->kind, distance->region, x, &hull);
    hull_complement(&hull, Q);
    for (uint32_t i = 0; i < n; ++i)
        for (int k = 0; k < hull.count; ++k)
            for (int a = 0; a < 3; ++a)
                u[i][a] += hull.directions[k][i] * hull.duals[k][a];
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = 0; j < n; ++j) {
            double uu = vec3_dot(u[i], u[j]);
            for (uint32_t a = 0; a < 3; ++a)
                for (uint32_t b = 0; b < 3; ++b)
                    hessian[3 * n * (3 * i + a) + 3 * j + b] = 2 * (w[i] * w[j] * Q[3 * a + b] - w[i] * u[j][a] * r[b] -
                                                                    w[j] * r[a] * u[i][b] - uu * r[a] * r[b]);
        }
}
