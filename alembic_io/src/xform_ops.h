/* Layer 3: transforms as lists of operations, and 4x4 matrices for row vectors (x' = x M). */
#ifndef XFORM_OPS_H
#define XFORM_OPS_H

#include "alembic_io.h"

/* The upper four bits of an operation's byte; the lower four are a hint for hosts. */
typedef enum XformOp {
    XFORM_SCALE = 0,
    XFORM_TRANSLATE = 1,
    XFORM_ROTATE = 2, /* axis, then degrees */
    XFORM_MATRIX = 3,
    XFORM_ROTATE_X = 4, /* degrees */
    XFORM_ROTATE_Y = 5,
    XFORM_ROTATE_Z = 6,
    XFORM_OP_COUNT
} XformOp;

/* The operations and channels of an AbcTrs: translate, rotate Z, Y, X, scale. The last one acts first. */
enum { TRS_OP_COUNT = 5, TRS_CHANNEL_COUNT = 9 };
extern const uint8_t ABC_XFORM_TRS_OPS[TRS_OP_COUNT];
void abc_xform_trs_channels(const AbcTrs *trs, double channels[TRS_CHANNEL_COUNT]);

/* Channels of an operation; 0 if unknown. */
uint32_t abc_xform_op_channels(uint8_t op);

/* The matrix of some operations. channels: the sum of abc_xform_op_channels. */
void abc_xform_matrix(const uint8_t *ops, uint32_t op_count, const double *channels, double matrix[16]);

void abc_matrix_identity(double m[16]);
/* out = a b: a acts first. out may alias a or b. */
void abc_matrix_multiply(const double a[16], const double b[16], double out[16]);
/* The box around a box that was transformed; an empty one stays empty. */
AbcBounds abc_matrix_transform_bounds(const double m[16], const AbcBounds *bounds);

#endif
