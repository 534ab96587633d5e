/* Layer 3: transforms and matrices. See xform_ops.h. */
#include "xform_ops.h"

#include "bounds_scan.h"

#include <math.h>
#include <string.h>

const uint8_t ABC_XFORM_TRS_OPS[TRS_OP_COUNT] = {XFORM_TRANSLATE << 4, XFORM_ROTATE_Z << 4, XFORM_ROTATE_Y << 4,
                                                 XFORM_ROTATE_X << 4, XFORM_SCALE << 4};

void abc_xform_trs_channels(const AbcTrs *trs, double channels[TRS_CHANNEL_COUNT]) {
    memcpy(channels, trs->translate, sizeof trs->translate);
    for (int i = 0; i < 3; ++i)
        channels[3 + i] = trs->rotate_degrees[2 - i];
    memcpy(channels + 6, trs->scale, sizeof trs->scale);
}

uint32_t abc_xform_op_channels(uint8_t op) {
    static const uint8_t channels[XFORM_OP_COUNT] = {3, 3, 4, 16, 1, 1, 1};
    return op >> 4 < XFORM_OP_COUNT ? channels[op >> 4] : 0;
}

void abc_matrix_identity(double m[16]) {
    memset(m, 0, 16 * sizeof *m);
    for (int i = 0; i < 4; ++i)
        m[5 * i] = 1;
}

void abc_matrix_multiply(const double a[16], const double b[16], double out[16]) {
    double product[16];
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column) {
            double sum = 0;
            for (int k = 0; k < 4; ++k)
                sum += a[4 * row + k] * b[4 * k + column];
            product[4 * row + column] = sum;
        }
    memcpy(out, product, sizeof product);
}

/* Rotation about an axis of any length by degrees, Rodrigues' formula transposed for row vectors. */
static void rotation(const double axis[3], double degrees, double m[16]) {
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    abc_matrix_identity(m);
    if (!(length > 0))
        return;
    double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
    double angle = degrees * (3.14159265358979323846 / 180.0), c = cos(angle), s = sin(angle), t = 1 - c;
    const double r[9] = {t * x * x + c,     t * x * y + s * z, t * x * z - s * y, t * x * y - s * z, t * y * y + c,
                         t * y * z + s * x, t * x * z + s * y, t * y * z - s * x, t * z * z + c};
    for (int i = 0; i < 3; ++i)
        memcpy(m + 4 * i, r + 3 * i, 3 * sizeof *r);
}

static void op_matrix(XformOp op, const double *channels, double m[16]) {
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    abc_matrix_identity(m);
    switch (op) {
    case XFORM_SCALE:
        for (int i = 0; i < 3; ++i)
            m[5 * i] = channels[i];
        return;
    case XFORM_TRANSLATE:
        memcpy(m + 12, channels, 3 * sizeof *m);
        return;
    case XFORM_ROTATE:
        rotation(channels, channels[3], m);
        return;
    case XFORM_MATRIX:
        memcpy(m, channels, 16 * sizeof *m);
        return;
    case XFORM_ROTATE_X:
    case XFORM_ROTATE_Y:
    case XFORM_ROTATE_Z:
        rotation(axes[op - XFORM_ROTATE_X], channels[0], m);
        return;
    case XFORM_OP_COUNT:
        return;
    }
}

void abc_xform_matrix(const uint8_t *ops, uint32_t op_count, const double *channels, double matrix[16]) {
    abc_matrix_identity(matrix);
    for (uint32_t i = 0; i < op_count; ++i) {
        double m[16];
        op_matrix((XformOp)(ops[i] >> 4), channels, m);
        abc_matrix_multiply(m, matrix, matrix);
        channels += abc_xform_op_channels(ops[i]);
    }
}

AbcBounds abc_matrix_transform_bounds(const double m[16], const AbcBounds *bounds) {
    AbcBounds out = abc_bounds_empty();
    if (abc_bounds_are_empty(bounds))
        return out;
    for (int corner = 0; corner < 8; ++corner) {
        double p[3];
        for (int i = 0; i < 3; ++i)
            p[i] = corner >> i & 1 ? bounds->max[i] : bounds->min[i];
        for (int i = 0; i < 3; ++i) {
            double x = p[0] * m[i] + p[1] * m[4 + i] + p[2] * m[8 + i] + m[12 + i];
            out.min[i] = fmin(out.min[i], x);
            out.max[i] = fmax(out.max[i], x);
        }
    }
    return out;
}
