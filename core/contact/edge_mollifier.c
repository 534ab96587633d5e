#include "contact/edge_mollifier.h"

#include "base/math3.h"

#include <string.h>

#define SCALE 1e-3
#define SMALLEST_SCALE 1e-120 /* below it derivatives overflow; edges of 1e-29 m at rest */

double edge_mollifier_scale(const double rest[12]) {
    double a[3], b[3];
    vec3_sub(&rest[3], &rest[0], a);
    vec3_sub(&rest[9], &rest[6], b);
    return SCALE * vec3_dot(a, a) * vec3_dot(b, b);
}

/* Second derivatives of c by the edge vectors, [6 * 6]:
     c_aa = 2 (|b|^2 I - b b^T), c_bb = 2 (|a|^2 I - a a^T), c_ab = 2 (2 a b^T - b a^T - (a . b) I) */
static void cross_hessian(const double a[3], const double b[3], double second[36]) {
    double aa = vec3_dot(a, a), bb = vec3_dot(b, b), ab = vec3_dot(a, b);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double mixed = 2 * (2 * a[i] * b[j] - b[i] * a[j] - (i == j) * ab);
            second[6 * i + j] = 2 * ((i == j) * bb - b[i] * b[j]);
            second[6 * (3 + i) + 3 + j] = 2 * ((i == j) * aa - a[i] * a[j]);
            second[6 * i + 3 + j] = mixed;
            second[6 * (3 + j) + i] = mixed;
        }
}

/* The edge vector that coordinate i of the twelve moves, as a coordinate of the six, and the sign. */
static int edge_coordinate(int i, double *sign) {
    *sign = i / 3 % 2 ? 1 : -1;
    return 3 * (i / 6) + i % 3;
}

bool edge_mollifier(const double x[12], double scale, double *factor, double *gradient, double *hessian) {
    double a[3], b[3], normal[3];
    vec3_sub(&x[3], &x[0], a);
    vec3_sub(&x[9], &x[6], b);
    vec3_cross(a, b, normal);
    double c = vec3_dot(normal, normal);
    *factor = 1;
    if (gradient)
        memset(gradient, 0, 12 * sizeof *gradient);
    if (hessian)
        memset(hessian, 0, 144 * sizeof *hessian);
    if (!(c < scale) || scale < SMALLEST_SCALE)
        return false;

    double ratio = c / scale, slope = 2 * (1 - ratio) / scale, curvature = -2 / scale / scale;
    double first[6], second[36], sign_i, sign_j;
    *factor = ratio * (2 - ratio);
    if (!gradient && !hessian)
        return true;
    /* c_a = 2 b x (a x b), c_b = 2 (a x b) x a */
    vec3_cross(b, normal, &first[0]);
    vec3_cross(normal, a, &first[3]);
    for (int i = 0; i < 6; ++i)
        first[i] *= 2;
    for (int i = 0; gradient && i < 12; ++i) {
        int k = edge_coordinate(i, &sign_i);
        gradient[i] = sign_i * slope * first[k];
    }
    if (!hessian)
        return true;
    cross_hessian(a, b, second);
    for (int i = 0; i < 12; ++i)
        for (int j = 0; j < 12; ++j) {
            int k = edge_coordinate(i, &sign_i), l = edge_coordinate(j, &sign_j);
            hessian[12 * i + j] = sign_i * sign_j * (slope * second[6 * k + l] + curvature * first[k] * first[l]);
        }
    return true;
}
