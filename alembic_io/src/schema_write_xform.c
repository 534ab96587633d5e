/* Layer 3, writing: transforms. See alembic_io.h.

   Properties of an Xform: .inherits (bool), .ops (one byte per operation), .vals (all channels), isNotConstantIdentity
   (true if present), .animChans (numbers of the channels that move). Readers take the number of samples from
   .inherits. */
#include "writer.h"
#include "xform_ops.h"

#include <math.h>

static const char XFORM_METADATA[] = "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform";

AbcXformDesc abc_xform_desc_default(void) {
    AbcXformDesc desc = {.trs_value = {.scale = {1, 1, 1}}};
    abc_matrix_identity(desc.matrix);
    return desc;
}

static AbcStatus check_finite(const double *values, uint32_t count, const char *name, AbcError *error) {
    for (uint32_t i = 0; i < count; ++i)
        if (!isfinite(values[i]))
            return abc_fail(error, ABC_ERR_ARGUMENT, "Channel %u of the transform \"%s\" is not a finite number.", i,
                            name);
    return ABC_OK;
}

/* The channels of a constant transform, or identity for an animated one. */
static uint32_t initial_channels(const AbcXformDesc *desc, double channels[16]) {
    const AbcXformDesc identity = abc_xform_desc_default();
    const AbcXformDesc *values = desc->animation.sample_capacity ? &identity : desc;
    if (desc->trs)
        abc_xform_trs_channels(&values->trs_value, channels);
    else
        memcpy(channels, values->matrix, sizeof values->matrix);
    return desc->trs ? TRS_CHANNEL_COUNT : 16;
}

static bool is_identity(const double m[16]) {
    double identity[16];
    abc_matrix_identity(identity);
    return memcmp(m, identity, sizeof identity) == 0;
}

static AbcStatus add_values(AbcWriter *writer, uint32_t number, const AbcXformDesc *desc, const uint8_t *ops,
                            uint32_t op_count, const double *channels, uint32_t channel_count, AbcError *error) {
    WriterObject *object = &writer->objects[number];
    bool animated = desc->animation.sample_capacity > 0;
    const uint8_t yes = 1, inherits = !desc->ignore_parent;
    uint32_t compound = object->property[ROLE_SCHEMA];
    AbcStatus status = abcw_add_property(writer, number, compound, ".inherits", "",
                                         (WriterProperty){.kind = PROPERTY_SCALAR,
                                                          .pod = ABC_BOOL,
                                                          .extent = 1,
                                                          .homogeneous = true,
                                                          .mode = animated ? MODE_REPEATED : MODE_CONSTANT,
                                                          .time_sampling = desc->animation.time_sampling},
                                         &object->property[ROLE_INHERITS], error);
    if (status == ABC_OK)
        status = abcw_put_pods(writer, object->property[ROLE_INHERITS], &inherits, 1, error);
    if (status == ABC_OK)
        status = abcw_add_constant(writer, number, compound, ".ops", "", PROPERTY_SCALAR, ABC_UINT8, op_count, ops, 1,
                                   error);
    if (status == ABC_OK)
        status = abcw_add_property(writer, number, compound, ".vals", "",
                                   (WriterProperty){.kind = PROPERTY_SCALAR,
                                                    .pod = ABC_FLOAT64,
                                                    .extent = channel_count,
                                                    .homogeneous = true,
                                                    .mode = animated ? MODE_ANIMATED : MODE_CONSTANT,
                                                    .time_sampling = desc->animation.time_sampling,
                                                    .capacity = desc->animation.sample_capacity},
                                   &object->property[ROLE_XFORM_VALUES], error);
    if (status == ABC_OK && !animated)
        status = abcw_put_pods(writer, object->property[ROLE_XFORM_VALUES], channels, channel_count, error);
    if (status == ABC_OK && (animated || !is_identity(object->matrix)))
        status = abcw_add_constant(writer, number, compound, "isNotConstantIdentity", "", PROPERTY_SCALAR, ABC_BOOL, 1,
                                   &yes, 1, error);
    if (status == ABC_OK && animated) {
        uint32_t moving[16];
        for (uint32_t i = 0; i < channel_count; ++i)
            moving[i] = i;
        status = abcw_add_constant(writer, number, compound, ".animChans", "", PROPERTY_ARRAY, ABC_UINT32, 1, moving,
                                   channel_count, error);
    }
    return status;
}

AbcStatus abc_writer_add_xform(AbcWriter *writer, uint32_t parent, const AbcXformDesc *desc, uint32_t *number,
                               AbcError *error) {
    static const uint8_t matrix_op = XFORM_MATRIX << 4;
    double channels[16];
    uint32_t channel_count = initial_channels(desc, channels);
    const uint8_t *ops = desc->trs ? ABC_XFORM_TRS_OPS : &matrix_op;
    uint32_t op_count = desc->trs ? TRS_OP_COUNT : 1;
    AbcStatus status = abcw_check_name(desc->name, "transform", error);
    if (status == ABC_OK)
        status = abcw_check_animation(writer, desc->animation, desc->name, error);
    if (status == ABC_OK)
        status = check_finite(channels, channel_count, desc->name, error);
    if (status)
        return status;
    WriterMark mark = abcw_mark(writer);
    status = abcw_add_object(writer, parent, desc->name, XFORM_METADATA, ABC_SCHEMA_XFORM, number, error);
    if (status)
        return status;
    WriterObject *object = &writer->objects[*number];
    object->animated = desc->animation.sample_capacity > 0;
    object->trs = desc->trs;
    object->ignore_parent = desc->ignore_parent;
    abc_xform_matrix(ops, op_count, channels, object->matrix);
    status = abcw_add_compound(writer, *number, NO_PROPERTY, ".xform", "schema=AbcGeom_Xform_v3",
                               &object->property[ROLE_SCHEMA], error);
    if (status == ABC_OK)
        status = add_values(writer, *number, desc, ops, op_count, channels, channel_count, error);
    if (status)
        abcw_undo(writer, mark);
    return status;
}

static AbcStatus put_sample(AbcWriter *writer, uint32_t number, bool trs, const double *channels,
                            uint32_t channel_count, AbcError *error) {
    AbcStatus status = abc_writer_begin(writer, error);
    if (status)
        return status;
    WriterObject *object = number < writer->object_count ? &writer->objects[number] : NULL;
    if (!object || object->schema != ABC_SCHEMA_XFORM || !object->animated || object->trs != trs)
        return abc_fail(error, ABC_ERR_ARGUMENT, "Object number %u is not an animated transform made of %s.", number,
                        trs ? "translation, rotation and scale" : "a matrix");
    status = check_finite(channels, channel_count, object->path, error);
    if (status)
        return status;
    SampleMark mark = abcw_sample_mark(writer, number);
    status = abcw_put_pods(writer, object->property[ROLE_XFORM_VALUES], channels, channel_count, error);
    if (status == ABC_OK)
        abcw_repeat(writer, object->property[ROLE_INHERITS]);
    return abcw_sample_done(writer, &mark, status);
}

AbcStatus abc_writer_xform_sample(AbcWriter *writer, uint32_t number, const double matrix[16], AbcError *error) {
    AbcStatus status = put_sample(writer, number, false, matrix, 16, error);
    if (status == ABC_OK)
        memcpy(writer->objects[number].matrix, matrix, sizeof writer->objects[number].matrix);
    return status;
}

AbcStatus abc_writer_xform_trs_sample(AbcWriter *writer, uint32_t number, const AbcTrs *trs, AbcError *error) {
    double channels[TRS_CHANNEL_COUNT];
    abc_xform_trs_channels(trs, channels);
    AbcStatus status = put_sample(writer, number, true, channels, TRS_CHANNEL_COUNT, error);
    if (status == ABC_OK)
        abc_xform_matrix(ABC_XFORM_TRS_OPS, TRS_OP_COUNT, channels, writer->objects[number].matrix);
    return status;
}
