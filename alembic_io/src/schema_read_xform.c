/* Layer 3, reading: transforms and visibility. See alembic_io.h. */
#include "schema_read.h"
#include "xform_ops.h"

#include <inttypes.h>
#include <stdlib.h>

/* Operations of one transform: more are not handled. Channels follow: 16 each at most. */
enum { LARGEST_OP_COUNT = 255 };

/* A number property at a time, linearly between samples; `to` has room for `count` values. */
static AbcStatus values_at(AbcReader *reader, const ReaderProperty *property, double time, double *to, size_t count,
                           AbcError *error) {
    uint32_t lower, upper;
    double weight;
    OgawaData before, after;
    abcr_bracket(reader, property, time, &lower, &upper, &weight);
    AbcStatus status = abcr_sample(reader, property, lower, &before, error);
    if (status == ABC_OK)
        status = abcr_sample(reader, property, upper, &after, error);
    if (status)
        return status;
    if (abcr_pod_count(property, before) < count || abcr_pod_count(property, after) < count)
        return abc_fail_at(error, before.position, "\"%.100s\" has fewer than the %zu values that are needed.",
                           property->header.name, count);
    status = abcr_doubles(reader, property, before, 0, to, count, error);
    for (size_t i = 0; status == ABC_OK && weight > 0 && i < count; ++i) {
        double value;
        status = abcr_doubles(reader, property, after, i, &value, 1, error);
        to[i] += weight * (value - to[i]);
    }
    return status;
}

static AbcStatus load_ops(AbcReader *reader, uint32_t object, uint8_t *ops, uint32_t *op_count, uint32_t *channel_count,
                          AbcError *error) {
    ReaderProperty *property;
    *op_count = *channel_count = 0;
    AbcStatus status = abcr_find_optional(reader, object, ".xform/.ops", &property, error);
    if (status || !property || property->header.sample_count == 0)
        return status;
    OgawaData values;
    status = abcr_sample(reader, property, 0, &values, error);
    if (status)
        return status;
    if (property->header.pod != ABC_UINT8 || values.size > LARGEST_OP_COUNT)
        return abc_fail(error, ABC_ERR_UNSUPPORTED, "The transform \"%.200s\" has operations of an unknown type.",
                        reader->objects[object].path);
    status = ogawa_read(&reader->source, values.position, ops, (size_t)values.size, "operations of a transform", error);
    if (status)
        return status;
    *op_count = (uint32_t)values.size;
    for (uint32_t i = 0; i < *op_count; ++i) {
        if (abc_xform_op_channels(ops[i]) == 0)
            return abc_fail_at(error, values.position + i, "The transform has the unknown operation %d.", ops[i]);
        *channel_count += abc_xform_op_channels(ops[i]);
    }
    return ABC_OK;
}

AbcStatus abc_reader_local_matrix(AbcReader *reader, uint32_t object, double time, double matrix[16], AbcError *error) {
    abc_matrix_identity(matrix);
    if (object >= reader->object_count)
        return abc_fail(error, ABC_ERR_NOT_FOUND, "There is no object number %" PRIu32 " in the archive.", object);
    if (reader->objects[object].schema != ABC_SCHEMA_XFORM)
        return ABC_OK;
    uint8_t ops[LARGEST_OP_COUNT];
    uint32_t op_count, channel_count;
    double channels[16 * LARGEST_OP_COUNT];
    ReaderProperty *property;
    AbcStatus status = load_ops(reader, object, ops, &op_count, &channel_count, error);
    if (status || op_count == 0)
        return status;
    status = abcr_find(reader, object, ".xform/.vals", &property, error);
    if (status || property->header.sample_count == 0)
        return status;
    status = values_at(reader, property, time, channels, channel_count, error);
    if (status == ABC_OK)
        abc_xform_matrix(ops, op_count, channels, matrix);
    return status;
}

/* Whether the transforms above an Xform apply to it. */
static AbcStatus inherits_at(AbcReader *reader, uint32_t object, double time, bool *inherits, AbcError *error) {
    ReaderProperty *property;
    double value = 1;
    *inherits = true;
    AbcStatus status = abcr_find_optional(reader, object, ".xform/.inherits", &property, error);
    if (status || !property || property->header.sample_count == 0)
        return status;
    status = values_at(reader, property, time, &value, 1, error);
    *inherits = value >= 0.5;
    return status;
}

AbcStatus abc_reader_world_matrix(AbcReader *reader, uint32_t object, double time, double matrix[16], AbcError *error) {
    abc_matrix_identity(matrix);
    if (object >= reader->object_count)
        return abc_fail(error, ABC_ERR_NOT_FOUND, "There is no object number %" PRIu32 " in the archive.", object);
    for (uint32_t above = object; above != ABC_NO_OBJECT; above = reader->objects[above].parent) {
        if (reader->objects[above].schema != ABC_SCHEMA_XFORM)
            continue;
        double local[16];
        bool inherits;
        AbcStatus status = abc_reader_local_matrix(reader, above, time, local, error);
        if (status == ABC_OK)
            status = inherits_at(reader, above, time, &inherits, error);
        if (status)
            return status;
        abc_matrix_multiply(matrix, local, matrix);
        if (!inherits)
            break;
    }
    return ABC_OK;
}

AbcStatus abc_reader_visible(AbcReader *reader, uint32_t object, double time, bool *visible, AbcError *error) {
    *visible = true;
    if (object >= reader->object_count)
        return abc_fail(error, ABC_ERR_NOT_FOUND, "There is no object number %" PRIu32 " in the archive.", object);
    for (uint32_t above = object; above != ABC_NO_OBJECT && *visible; above = reader->objects[above].parent) {
        ReaderProperty *property;
        AbcStatus status = abcr_find_optional(reader, above, "visible", &property, error);
        if (status)
            return status;
        if (!property || property->header.kind == PROPERTY_COMPOUND || property->header.sample_count == 0)
            continue;
        /* a switch, not a number: the earlier sample holds */
        uint32_t lower, upper;
        double weight, value;
        OgawaData values;
        abcr_bracket(reader, property, time, &lower, &upper, &weight);
        status = abcr_sample(reader, property, lower, &values, error);
        if (status == ABC_OK && abcr_pod_count(property, values) == 0)
            continue;
        if (status == ABC_OK)
            status = abcr_doubles(reader, property, values, 0, &value, 1, error);
        if (status)
            return status;
        *visible = value != 0;
    }
    return ABC_OK;
}
