#include "base/rigid.h"

#include "base/math3.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ quaternions */

/* w x y z, of length 1, to a matrix by rows. */
static void matrix_of(const double q[4], double r[9]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    r[0] = 1 - 2 * (y * y + z * z), r[1] = 2 * (x * y - w * z), r[2] = 2 * (x * z + w * y);
    r[3] = 2 * (x * y + w * z), r[4] = 1 - 2 * (x * x + z * z), r[5] = 2 * (y * z - w * x);
    r[6] = 2 * (x * z - w * y), r[7] = 2 * (y * z + w * x), r[8] = 1 - 2 * (x * x + y * y);
}

/* Eigenvector of the largest eigenvalue of a symmetric 4x4 matrix, by Jacobi's method. */
static void largest_eigenvector(double a[4][4], double out[4]) {
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < 12; ++sweep)
        for (int p = 0; p < 3; ++p)
            for (int q = p + 1; q < 4; ++q) {
                if (a[p][q] == 0)
                    continue;
                double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 4; ++k) {
                    double kp = a[k][p], kq = a[k][q], vp = v[k][p], vq = v[k][q];
                    a[k][p] = c * kp - s * kq, a[k][q] = s * kp + c * kq;
                    v[k][p] = c * vp - s * vq, v[k][q] = s * vp + c * vq;
                }
                for (int k = 0; k < 4; ++k) {
                    double pk = a[p][k], qk = a[q][k];
                    a[p][k] = c * pk - s * qk, a[q][k] = s * pk + c * qk;
                }
            }
    int best = 0;
    for (int k = 1; k < 4; ++k)
        if (a[k][k] > a[best][best])
            best = k;
    for (int k = 0; k < 4; ++k)
        out[k] = v[k][best];
}

/* The rotation nearest to a matrix (by rows): the quaternion that maximises the trace of R' m. */
static void nearest_rotation(const double m[9], double q[4]) {
    double n[4][4] = {{m[0] + m[4] + m[8], m[7] - m[5], m[2] - m[6], m[3] - m[1]},
                      {m[7] - m[5], m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]},
                      {m[2] - m[6], m[1] + m[3], m[4] - m[0] - m[8], m[5] + m[7]},
                      {m[3] - m[1], m[2] + m[6], m[5] + m[7], m[8] - m[0] - m[4]}};
    largest_eigenvector(n, q);
}

/* ------------------------------------------------------------------------------------------------ fit */

/* weights: NULL: all 1. */
static void fit(const double *from, const double *to, const double *weights, uint32_t count, double motion[12]) {
    double centre_from[3] = {0, 0, 0}, centre_to[3] = {0, 0, 0}, covariance[9] = {0}, q[4], r[9], turned[3],
           total = count;
    for (size_t p = 0; weights && p < count; ++p)
        total = p == 0 ? weights[0] : total + weights[p];
    for (size_t p = 0; p < count; ++p)
        for (size_t i = 0; i < 3; ++i) {
            double weight = weights ? weights[p] : 1;
            centre_from[i] += weight * from[3 * p + i] / total;
            centre_to[i] += weight * to[3 * p + i] / total;
        }
    for (size_t p = 0; p < count; ++p)
        for (size_t i = 0; i < 3; ++i)
            for (size_t j = 0; j < 3; ++j)
                covariance[3 * i + j] +=
                    (weights ? weights[p] : 1) * (to[3 * p + i] - centre_to[i]) * (from[3 * p + j] - centre_from[j]);
    nearest_rotation(covariance, q);
    matrix_of(q, r);
    mat3_mul_vec(r, centre_from, turned);
    for (int i = 0; i < 3; ++i) {
        memcpy(motion + 4 * i, r + 3 * i, 3 * sizeof *r);
        motion[4 * i + 3] = centre_to[i] - turned[i];
    }
}

void rigid_fit(const double *from, const double *to, uint32_t count, double motion[12]) {
    fit(from, to, NULL, count, motion);
}

void rigid_fit_weighted(const double *from, const double *to, const double *weights, uint32_t count,
                        double motion[12]) {
    fit(from, to, weights, count, motion);
}

/* ------------------------------------------------------------------------------------------------ parts of a motion */

RigidMove rigid_move(const double motion[12], const double centre[3]) {
    RigidMove move = {.turn = {0, 0, 0}};
    double linear[9], q[4], moved[3];
    for (int i = 0; i < 9; ++i)
        linear[i] = motion[4 * (i / 3) + i % 3];
    nearest_rotation(linear, q);
    double length = vec3_length(q + 1), sign = q[0] < 0 ? -1 : 1;
    double angle = 2 * atan2(length, fabs(q[0]));
    affine_apply(motion, centre, moved);
    for (int i = 0; i < 3; ++i) {
        move.turn[i] = length > 0 ? sign * angle * q[1 + i] / length : 0;
        move.centre[i] = centre[i];
        move.shift[i] = moved[i] - centre[i];
    }
    return move;
}

void rigid_move_between(const RigidMove *move, double from, double to, double amount, double out[12]) {
    double part = amount * (to - from), angle = vec3_length(move->turn), half = 0.5 * part * angle;
    double q[4] = {cos(half), 0, 0, 0}, r[9], centre[3], turned[3];
    for (int i = 0; i < 3; ++i) {
        q[1 + i] = angle > 0 ? sin(half) * move->turn[i] / angle : 0;
        centre[i] = move->centre[i] + from * move->shift[i];
    }
    matrix_of(q, r);
    mat3_mul_vec(r, centre, turned);
    for (int i = 0; i < 3; ++i) {
        memcpy(out + 4 * i, r + 3 * i, 3 * sizeof *r);
        out[4 * i + 3] = centre[i] - turned[i] + part * move->shift[i];
    }
}

void rigid_carry_points(const double motion[12], uint32_t count, double *points) {
    for (size_t p = 0; p < count; ++p) {
        double x[3] = {points[3 * p], points[3 * p + 1], points[3 * p + 2]};
        affine_apply(motion, x, points + 3 * p);
    }
}

void rigid_carry_vectors(const double motion[12], uint32_t count, double *vectors) {
    for (size_t p = 0; p < count; ++p) {
        double x[3] = {vectors[3 * p], vectors[3 * p + 1], vectors[3 * p + 2]};
        for (size_t i = 0; i < 3; ++i)
            vectors[3 * p + i] = motion[4 * i] * x[0] + motion[4 * i + 1] * x[1] + motion[4 * i + 2] * x[2];
    }
}

/* ------------------------------------------------------------------------------------------------ blend */

static void linear_part(const double m[12], double linear[9]) {
    for (int i = 0; i < 9; ++i)
        linear[i] = m[4 * (i / 3) + i % 3];
}

/* linear = sign * R stretch, with R of quaternion q and sign that of the determinant. */
static void split(const double m[12], double q[4], double stretch[9]) {
    double linear[9], r[9];
    linear_part(m, linear);
    double sign = mat3_det(linear) < 0 ? -1 : 1;
    for (int i = 0; i < 9; ++i)
        linear[i] *= sign;
    nearest_rotation(linear, q);
    matrix_of(q, r);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            stretch[3 * i + j] = sign * (r[i] * linear[j] + r[3 + i] * linear[3 + j] + r[6 + i] * linear[6 + j]);
}

/* Spherical interpolation, the short way round. */
static void slerp(const double a[4], const double b[4], double fraction, double out[4]) {
    double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], sign = cosine < 0 ? -1 : 1;
    double angle = acos(fmin(1, fabs(cosine))), weight_a = 1 - fraction, weight_b = fraction, length = 0;
    if (angle > 1e-6) {
        weight_a = sin((1 - fraction) * angle) / sin(angle);
        weight_b = sin(fraction * angle) / sin(angle);
    }
    for (int k = 0; k < 4; ++k) {
        out[k] = weight_a * a[k] + sign * weight_b * b[k];
        length += out[k] * out[k];
    }
    for (int k = 0; k < 4; ++k)
        out[k] /= sqrt(length);
}

void affine_blend(const double from[12], const double to[12], double fraction, double out[12]) {
    /* equal transforms are not decomposed, so that they stay bit-identical */
    if (fraction == 0 || fraction == 1 || memcmp(from, to, 12 * sizeof *from) == 0) {
        memcpy(out, fraction == 0 ? from : to, 12 * sizeof *out);
        return;
    }
    double q_from[4], q_to[4], q[4], r[9], stretch_from[9], stretch_to[9];
    split(from, q_from, stretch_from);
    split(to, q_to, stretch_to);
    slerp(q_from, q_to, fraction, q);
    matrix_of(q, r);
    for (int i = 0; i < 9; ++i)
        stretch_from[i] += fraction * (stretch_to[i] - stretch_from[i]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            out[4 * i + j] =
                r[3 * i] * stretch_from[j] + r[3 * i + 1] * stretch_from[3 + j] + r[3 * i + 2] * stretch_from[6 + j];
        out[4 * i + 3] = from[4 * i + 3] + fraction * (to[4 * i + 3] - from[4 * i + 3]);
    }
}

bool affine_can_blend(const double from[12], const double to[12]) {
    double a[9], b[9];
    linear_part(from, a);
    linear_part(to, b);
    return mat3_det(a) * mat3_det(b) > 0;
}
