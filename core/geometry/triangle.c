#include "geometry/triangle.h"
#include "geometry/array.h"
#include "geometry/vec3.h"

#include <math.h>
#include <stddef.h>

/* Ericson, Real-Time Collision Detection, 5.1.5: the region of the triangle a b c that is nearest to p. */
double triangle_distance_squared(const double p[3], const double a[3], const double b[3], const double c[3],
                                 double nearest[3]) {
    double ab[3], ac[3], ap[3], bp[3], cp[3];
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_sub(p, a, ap);
    vec3_sub(p, b, bp);
    vec3_sub(p, c, cp);
    double d1 = vec3_dot(ab, ap), d2 = vec3_dot(ac, ap);
    double d3 = vec3_dot(ab, bp), d4 = vec3_dot(ac, bp);
    double d5 = vec3_dot(ab, cp), d6 = vec3_dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    double v, w;
    if (d1 <= 0 && d2 <= 0)
        v = 0, w = 0;
    else if (d3 >= 0 && d4 <= d3)
        v = 1, w = 0;
    else if (d6 >= 0 && d5 <= d6)
        v = 0, w = 1;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        v = d1 / (d1 - d3), w = 0;
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        v = 0, w = d2 / (d2 - d6);
    else if (va <= 0 && d4 >= d3 && d5 >= d6)
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6)), v = 1 - w;
    else
        v = vb / (va + vb + vc), w = vc / (va + vb + vc);
    double point[3];
    for (int i = 0; i < 3; ++i) {
        point[i] = a[i] + v * ab[i] + w * ac[i];
        if (nearest)
            nearest[i] = point[i];
    }
    return vec3_distance_squared(p, point);
}

void triangle_normal(const double a[3], const double b[3], const double c[3], double normal[3]) {
    double ab[3], ac[3];
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_cross(ab, ac, normal);
}

void triangle_angles(const double a[3], const double b[3], const double c[3], double angles[3]) {
    const double *p[3] = {a, b, c};
    for (int i = 0; i < 3; ++i) {
        double first[3], second[3], across[3];
        vec3_sub(p[(i + 1) % 3], p[i], first);
        vec3_sub(p[(i + 2) % 3], p[i], second);
        vec3_cross(first, second, across);
        angles[i] = atan2(vec3_length(across), vec3_dot(first, second));
    }
}

/* van Oosterom and Strackee 1983. */
void triangle_half_angle(const double p[3], const double a[3], const double b[3], const double c[3], double *sine,
                         double *cosine) {
    double u[3], v[3], w[3];
    vec3_sub(a, p, u);
    vec3_sub(b, p, v);
    vec3_sub(c, p, w);
    double lu = vec3_length(u), lv = vec3_length(v), lw = vec3_length(w);
    *sine = vec3_det(u, v, w);
    *cosine = lu * lv * lw + vec3_dot(u, v) * lw + vec3_dot(v, w) * lu + vec3_dot(w, u) * lv;
}

double triangle_solid_angle(const double p[3], const double a[3], const double b[3], const double c[3]) {
    double sine, cosine;
    triangle_half_angle(p, a, b, c, &sine, &cosine);
    return sine == 0 ? 0 : 2 * atan2(sine, cosine);
}

bool triangle_crosses_line(const double p[3], const double d[3], const double a[3], const double b[3],
                           const double c[3], double *at) {
    double pa[3], pb[3], pc[3];
    vec3_sub(a, p, pa);
    vec3_sub(b, p, pb);
    vec3_sub(c, p, pc);
    // on which side of each edge the line passes: all the same means through the triangle
    double u = vec3_det(d, pc, pb), v = vec3_det(d, pa, pc), w = vec3_det(d, pb, pa);
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0))
        return false;
    double sum = u + v + w;
    if (sum == 0)
        return false;
    double x[3];
    for (int i = 0; i < 3; ++i)
        x[i] = (u * pa[i] + v * pb[i] + w * pc[i]) / sum;
    *at = vec3_dot(x, d) / vec3_dot(d, d);
    return true;
}

/* A flat face is not flat to the last digit once it is turned or written as text: what passes through another by less
   than this part of their size only touches it. */
static const double FLAT = 1e-6;

/* Whether the segment p q passes through the inside of the triangle, from one side to the other. */
static bool pierces(const double *p, const double *q, const double *const t[3]) {
    double before = vec3_tet_det(t[0], t[1], t[2], p), after = vec3_tet_det(t[0], t[1], t[2], q);
    double edges[2][3], normal[3];
    vec3_sub(t[1], t[0], edges[0]);
    vec3_sub(t[2], t[0], edges[1]);
    vec3_cross(edges[0], edges[1], normal);
    double least = FLAT * vec3_length(normal) * fmax(sqrt(vec3_distance_squared(p, q)), sqrt(vec3_length(normal)));
    if (!(before * after < 0 && fabs(before) > least && fabs(after) > least))
        return false;
    double d[3], sides[3];
    vec3_sub(q, p, d);
    for (int i = 0; i < 3; ++i) {
        double a[3], b[3];
        vec3_sub(t[i], p, a);
        vec3_sub(t[(i + 1) % 3], p, b);
        sides[i] = vec3_det(d, a, b);
    }
    return (sides[0] > 0 && sides[1] > 0 && sides[2] > 0) || (sides[0] < 0 && sides[1] < 0 && sides[2] < 0);
}

bool triangles_cross(const double *const first[3], const double *const second[3]) {
    for (int i = 0; i < 3; ++i)
        if (pierces(first[i], first[(i + 1) % 3], second) || pierces(second[i], second[(i + 1) % 3], first))
            return true;
    return false;
}

double *triangle_boxes(const double *positions, const uint32_t *triangles, uint32_t triangle_count) {
    double *boxes = array_new(6 * (size_t)triangle_count, sizeof *boxes);
    for (size_t corner = 0; boxes && corner < 3 * (size_t)triangle_count; ++corner) {
        double *box = &boxes[6 * (corner / 3)];
        const double *p = &positions[3 * (size_t)triangles[corner]];
        bool first = corner % 3 == 0;
        for (int a = 0; a < 3; ++a) {
            box[a] = first ? p[a] : fmin(box[a], p[a]);
            box[3 + a] = first ? p[a] : fmax(box[3 + a], p[a]);
        }
    }
    return boxes;
}
