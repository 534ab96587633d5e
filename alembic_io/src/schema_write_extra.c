/* Layer 3, writing: curves, points, face sets, instances, parameters, user properties, visibility. */
#include "bounds_scan.h"
#include "schema_write.h"

AbcCurvesDesc abc_curves_desc_default(void) {
    return (AbcCurvesDesc){0};
}

AbcPointsDesc abc_points_desc_default(void) {
    return (AbcPointsDesc){0};
}

static AbcStatus check_curves(const AbcCurvesDesc *desc, AbcError *error) {
    size_t sum = 0;
    AbcStatus status = abcw_check_name(desc->name, "object of curves", error);
    if (status)
        return status;
    for (size_t i = 0; i < desc->curve_count; ++i) {
        if (desc->vertex_counts[i] < 1)
            return abc_fail(error, ABC_ERR_ARGUMENT, "Curve %zu of \"%s\" has %d vertices.", i, desc->name,
                            desc->vertex_counts[i]);
        sum += (size_t)desc->vertex_counts[i];
    }
    if (sum != desc->vertex_count)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The curves of \"%s\" have %zu vertices; %zu are given.", desc->name,
                        sum, desc->vertex_count);
    return ABC_OK;
}

/* Type (0 cubic, 1 linear), wrap, and basis twice (0 none, 2 B-spline). */
static AbcStatus add_curve_data(AbcWriter *writer, uint32_t number, const AbcCurvesDesc *desc, AbcError *error) {
    const uint8_t basis = desc->cubic ? 2 : 0;
    const uint8_t type[4] = {desc->cubic ? 0 : 1, desc->periodic, basis, basis};
    uint32_t compound = writer->objects[number].property[ROLE_SCHEMA];
    AbcStatus status = abc_geom_put_constant(
        writer, number, &(AbcMeshSample){.vertex_count = desc->vertex_count, .positions = desc->positions}, error);
    if (status == ABC_OK)
        status = abcw_add_constant(writer, number, compound, "nVertices", "", PROPERTY_ARRAY, ABC_INT32, 1,
                                   desc->vertex_counts, desc->curve_count, error);
    if (status == ABC_OK)
        status = abcw_add_constant(writer, number, compound, "curveBasisAndType", "", PROPERTY_SCALAR, ABC_UINT8, 4,
                                   type, 1, error);
    if (status == ABC_OK && desc->widths) {
        char metadata[256];
        status = abc_geom_param_metadata(metadata, sizeof metadata, ABC_SCOPE_VERTEX, "", 1, NULL, error);
        if (status == ABC_OK)
            status = abcw_add_constant(writer, number, compound, "width", metadata, PROPERTY_ARRAY, ABC_FLOAT32, 1,
                                       desc->widths, desc->vertex_count, error);
    }
    return status;
}

AbcStatus abc_writer_add_curves(AbcWriter *writer, uint32_t parent, const AbcCurvesDesc *desc, uint32_t *number,
                                AbcError *error) {
    AbcStatus status = check_curves(desc, error);
    if (status)
        return status;
    WriterMark mark = abcw_mark(writer);
    const GeomDesc geom = {.name = desc->name,
                           .schema = ABC_SCHEMA_CURVES,
                           .animation = desc->animation,
                           .vertex_count = desc->vertex_count,
                           .fixed_size = true,
                           .velocities = desc->velocities};
    status = abc_geom_add(writer, parent, &geom, number, error);
    if (status == ABC_OK) {
        writer->objects[*number].face_count = desc->curve_count;
        status = add_curve_data(writer, *number, desc, error);
    }
    if (status)
        abcw_undo(writer, mark);
    return status;
}

AbcStatus abc_writer_add_points(AbcWriter *writer, uint32_t parent, const AbcPointsDesc *desc, uint32_t *number,
                                AbcError *error) {
    WriterMark mark = abcw_mark(writer);
    const GeomDesc geom = {.name = desc->name,
                           .schema = ABC_SCHEMA_POINTS,
                           .animation = desc->animation,
                           .vertex_count = desc->point_count,
                           .velocities = desc->velocities};
    AbcStatus status = abc_geom_add(writer, parent, &geom, number, error);
    if (status == ABC_OK)
        status = abc_geom_put_constant(
            writer, *number,
            &(AbcMeshSample){.vertex_count = desc->point_count, .positions = desc->positions, .ids = desc->ids}, error);
    if (status)
        abcw_undo(writer, mark);
    return status;
}

AbcStatus abc_writer_add_face_set(AbcWriter *writer, uint32_t mesh, const char *name, const int32_t *faces,
                                  size_t face_count, uint32_t *number, AbcError *error) {
    AbcStatus status = abcw_check_definition(writer, mesh, error);
    if (status == ABC_OK)
        status = abcw_check_name(name, "face set", error);
    if (status)
        return status;
    const WriterObject *object = &writer->objects[mesh];
    if (object->schema != ABC_SCHEMA_POLYMESH && object->schema != ABC_SCHEMA_SUBD)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The face set \"%s\" needs a mesh; \"%s\" is not one.", name,
                        object->path);
    for (size_t i = 0; i < face_count; ++i)
        if (faces[i] < 0 || (size_t)faces[i] >= object->face_count)
            return abc_fail(error, ABC_ERR_ARGUMENT, "The face set \"%s\" names face %d of %zu.", name, faces[i],
                            object->face_count);
    WriterMark mark = abcw_mark(writer);
    const AbcBounds empty = abc_bounds_empty();
    uint32_t compound = NO_PROPERTY;
    status = abcw_add_object(writer, mesh, name,
                             "schema=AbcGeom_FaceSet_v1;schemaBaseType=AbcGeom_GeomBase_v1;"
                             "schemaObjTitle=AbcGeom_FaceSet_v1:.faceset",
                             ABC_SCHEMA_FACESET, number, error);
    if (status == ABC_OK)
        status = abcw_add_compound(writer, *number, NO_PROPERTY, ".faceset",
                                   "schema=AbcGeom_FaceSet_v1;schemaBaseType=AbcGeom_GeomBase_v1", &compound, error);
    if (status == ABC_OK)
        status = abcw_add_constant(writer, *number, compound, ".selfBnds", METADATA_BOUNDS, PROPERTY_SCALAR,
                                   ABC_FLOAT64, 6, &empty, 1, error);
    if (status == ABC_OK)
        status = abcw_add_constant(writer, *number, compound, ".faces", "", PROPERTY_ARRAY, ABC_INT32, 1, faces,
                                   face_count, error);
    if (status)
        abcw_undo(writer, mark);
    else
        writer->objects[*number].property[ROLE_SCHEMA] = compound;
    return status;
}

AbcStatus abc_writer_add_instance(AbcWriter *writer, uint32_t parent, const char *name, uint32_t source,
                                  uint32_t *number, AbcError *error) {
    AbcStatus status = abcw_check_definition(writer, source, error);
    if (status == ABC_OK)
        status = abcw_check_definition(writer, parent, error);
    if (status == ABC_OK)
        status = abcw_check_name(name, "instance", error);
    if (status)
        return status;
    for (uint32_t above = parent; above != ABC_NO_OBJECT; above = writer->objects[above].parent)
        if (above == source)
            return abc_fail(error, ABC_ERR_ARGUMENT,
                            "The instance \"%s\" would contain itself: its source \"%s\" is "
                            "above it.",
                            name, writer->objects[source].path);
    if (strcmp(writer->objects[source].metadata, "isInstance=1") == 0)
        return abc_fail(error, ABC_ERR_ARGUMENT, "\"%s\" is an instance itself: name its source.",
                        writer->objects[source].path);
    WriterMark mark = abcw_mark(writer);
    status = abcw_add_object(writer, parent, name, "isInstance=1", ABC_SCHEMA_NONE, number, error);
    if (status == ABC_OK) {
        const char *path = writer->objects[source].path;
        status = abcw_add_constant(writer, *number, NO_PROPERTY, ".instanceSource", "", PROPERTY_SCALAR, ABC_STRING, 1,
                                   path, strlen(path) + 1, error);
    }
    if (status)
        abcw_undo(writer, mark);
    return status;
}

/* The compound for properties of one kind, made when first needed. */
static AbcStatus need_compound(AbcWriter *writer, uint32_t number, PropertyRole role, const char *name,
                               AbcError *error) {
    WriterObject *object = &writer->objects[number];
    if (object->property[role] != NO_PROPERTY)
        return ABC_OK;
    return abcw_add_compound(writer, number, object->property[ROLE_SCHEMA], name, "", &object->property[role], error);
}

/* Number of values that a scope requires; SIZE_MAX if the object does not have that scope. */
static size_t values_of_scope(const WriterObject *object, AbcScope scope) {
    bool mesh = object->schema == ABC_SCHEMA_POLYMESH || object->schema == ABC_SCHEMA_SUBD;
    switch (scope) {
    case ABC_SCOPE_CONSTANT:
        return 1;
    case ABC_SCOPE_UNIFORM:
        return mesh || object->schema == ABC_SCHEMA_CURVES ? object->face_count : 1;
    case ABC_SCOPE_VARYING:
    case ABC_SCOPE_VERTEX:
        return object->vertex_count;
    case ABC_SCOPE_FACEVARYING:
        return mesh ? object->index_count : object->vertex_count;
    case ABC_SCOPE_UNKNOWN:
        break;
    }
    return SIZE_MAX;
}

AbcStatus abc_writer_add_geom_param(AbcWriter *writer, uint32_t number, const char *name, AbcScope scope,
                                    const float *values, size_t value_count, uint32_t width, AbcError *error) {
    static const char *const interpretations[] = {"", "vector", "vector", "rgba"};
    AbcStatus status = abcw_check_definition(writer, number, error);
    if (status == ABC_OK)
        status = abcw_check_name(name, "parameter", error);
    if (status)
        return status;
    const WriterObject *object = &writer->objects[number];
    if (object->property[ROLE_POSITIONS] == NO_PROPERTY)
        return abc_fail(error, ABC_ERR_ARGUMENT,
                        "The parameter \"%s\" needs a mesh, curves or points; \"%s\" is none of these.", name,
                        object->path);
    if (width < 1 || width > 4)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The parameter \"%s\" has %u floats a value; 1 to 4 are known.", name,
                        width);
    if (value_count != values_of_scope(object, scope) || (value_count && !values))
        return abc_fail(error, ABC_ERR_ARGUMENT,
                        "The parameter \"%s\" of \"%s\" has %zu values; its scope requires %zu.", name, object->path,
                        value_count, values_of_scope(object, scope));
    char metadata[256];
    WriterMark mark = abcw_mark(writer);
    uint32_t compound_before = object->property[ROLE_PARAMS];
    status = abc_geom_param_metadata(metadata, sizeof metadata, scope, interpretations[width - 1], width, NULL, error);
    if (status == ABC_OK)
        status = need_compound(writer, number, ROLE_PARAMS, ".arbGeomParams", error);
    if (status == ABC_OK)
        status = abcw_check_unique(writer, number, writer->objects[number].property[ROLE_PARAMS], name, error);
    if (status == ABC_OK)
        status = abcw_add_constant(writer, number, writer->objects[number].property[ROLE_PARAMS], name, metadata,
                                   PROPERTY_ARRAY, ABC_FLOAT32, width, values, value_count, error);
    if (status) {
        abcw_undo(writer, mark);
        writer->objects[number].property[ROLE_PARAMS] = compound_before;
    }
    return status;
}

static AbcStatus add_user_property(AbcWriter *writer, uint32_t number, const char *name, AbcPod pod, const void *values,
                                   size_t count, AbcError *error) {
    AbcStatus status = abcw_check_definition(writer, number, error);
    if (status == ABC_OK)
        status = abcw_check_name(name, "user property", error);
    if (status)
        return status;
    WriterMark mark = abcw_mark(writer);
    uint32_t compound_before = writer->objects[number].property[ROLE_USER];
    status = need_compound(writer, number, ROLE_USER, ".userProperties", error);
    if (status == ABC_OK)
        status = abcw_check_unique(writer, number, writer->objects[number].property[ROLE_USER], name, error);
    if (status == ABC_OK)
        status = abcw_add_constant(writer, number, writer->objects[number].property[ROLE_USER], name, "",
                                   PROPERTY_SCALAR, pod, 1, values, count, error);
    if (status) {
        abcw_undo(writer, mark);
        writer->objects[number].property[ROLE_USER] = compound_before;
    }
    return status;
}

AbcStatus abc_writer_add_user_string(AbcWriter *writer, uint32_t number, const char *name, const char *value,
                                     AbcError *error) {
    if (!value)
        return abc_fail(error, ABC_ERR_ARGUMENT, "A user string needs a text.");
    return add_user_property(writer, number, name, ABC_STRING, value, strlen(value) + 1, error);
}

AbcStatus abc_writer_add_user_double(AbcWriter *writer, uint32_t number, const char *name, double value,
                                     AbcError *error) {
    return add_user_property(writer, number, name, ABC_FLOAT64, &value, 1, error);
}

AbcStatus abc_writer_replace_user_string(AbcWriter *writer, uint32_t number, const char *name, const char *value,
                                         AbcError *error) {
    if (!name || !value)
        return abc_fail(error, ABC_ERR_ARGUMENT, "A user string needs a name and a text.");
    for (size_t i = 0; i < writer->property_count; ++i)
        if (writer->properties[i].pending)
            return abc_fail(error, ABC_ERR_STATE, "User strings are replaced between frames: commit first.");
    for (uint32_t i = 0; i < writer->property_count; ++i) {
        const WriterProperty *p = &writer->properties[i];
        if (p->object == number && p->pod == ABC_STRING && p->parent != NO_PROPERTY && strcmp(p->name, name) == 0 &&
            strcmp(writer->properties[p->parent].name, ".userProperties") == 0)
            return abcw_replace_constant(writer, i, value, strlen(value) + 1, error);
    }
    return abc_fail(error, ABC_ERR_NOT_FOUND, "Object number %u has no user string \"%s\".", number, name);
}

AbcStatus abc_writer_add_visibility(AbcWriter *writer, uint32_t number, int8_t visibility, AbcError *error) {
    AbcStatus status = abcw_check_definition(writer, number, error);
    if (status)
        return status;
    if (visibility < -1 || visibility > 1)
        return abc_fail(error, ABC_ERR_ARGUMENT, "A visibility of %d is unknown: -1 as the parent, 0 hidden, 1 shown.",
                        visibility);
    status = abcw_check_unique(writer, number, NO_PROPERTY, "visible", error);
    if (status)
        return status;
    WriterMark mark = abcw_mark(writer);
    status = abcw_add_constant(writer, number, NO_PROPERTY, "visible", "", PROPERTY_SCALAR, ABC_INT8, 1, &visibility, 1,
                               error);
    if (status)
        abcw_undo(writer, mark);
    return status;
}
