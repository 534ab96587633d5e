/* Layer 3, writing: positions, velocities and bounds of meshes, curves and points, and their samples. */
#include "bounds_scan.h"
#include "schema_write.h"
#include "xform_ops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct SchemaText {
    const char *compound; /* metadata of the schema's compound */
    const char *object;   /* metadata of the object */
} SchemaText;

#define SCHEMA_TEXT(title)                                                                                             \
    {                                                                                                                  \
        "schema=" title ";schemaBaseType=AbcGeom_GeomBase_v1",                                                         \
            "schema=" title ";schemaBaseType=AbcGeom_GeomBase_v1;schemaObjTitle=" title ":.geom"                       \
    }

static const SchemaText SCHEMA_TEXTS[] = {
    [ABC_SCHEMA_POLYMESH] = SCHEMA_TEXT("AbcGeom_PolyMesh_v1"),
    [ABC_SCHEMA_SUBD] = SCHEMA_TEXT("AbcGeom_SubD_v1"),
    [ABC_SCHEMA_CURVES] = SCHEMA_TEXT("AbcGeom_Curve_v2"),
    [ABC_SCHEMA_POINTS] = SCHEMA_TEXT("AbcGeom_Points_v1"),
};

static const char *const SCOPE_TEXTS[] = {"con", "uni", "var", "vtx", "fvr"};

AbcStatus abc_geom_param_metadata(char *text, size_t capacity, AbcScope scope, const char *interpretation,
                                  uint32_t width, const char *source, AbcError *error) {
    if (source && strpbrk(source, ";="))
        return abc_fail(error, ABC_ERR_ARGUMENT, "The name \"%s\" of a uv set holds ';' or '='.", source);
    int size = snprintf(text, capacity,
                        "arrayExtent=1;geoScope=%s;interpretation=%s;isGeomParam=true;podExtent=%u;"
                        "podName=float32_t%s%s",
                        SCOPE_TEXTS[scope], interpretation, width, source ? ";sourceName=" : "", source ? source : "");
    if (size < 0 || (size_t)size >= capacity)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The name of a uv set is too long for a parameter.");
    return ABC_OK;
}

/* An array of triples, one per sample or constant. */
static WriterProperty triples(const GeomDesc *desc) {
    bool animated = desc->animation.sample_capacity > 0;
    return (WriterProperty){.kind = PROPERTY_ARRAY,
                            .pod = ABC_FLOAT32,
                            .extent = 3,
                            .homogeneous = desc->fixed_size,
                            .mode = animated ? MODE_ANIMATED : MODE_CONSTANT,
                            .time_sampling = desc->animation.time_sampling,
                            .capacity = desc->animation.sample_capacity};
}

/* Velocities, normals and ids of every sample. */
static AbcStatus add_extras(AbcWriter *writer, uint32_t number, const GeomDesc *desc, AbcError *error) {
    WriterObject *object = &writer->objects[number];
    uint32_t compound = object->property[ROLE_SCHEMA];
    AbcStatus status = ABC_OK;
    if (desc->velocities)
        status = abcw_add_property(writer, number, compound, ".velocities", METADATA_VELOCITIES, triples(desc),
                                   &object->property[ROLE_VELOCITIES], error);
    if (status == ABC_OK && desc->normals) {
        char metadata[256];
        status = abc_geom_param_metadata(metadata, sizeof metadata, ABC_SCOPE_VERTEX, "normal", 3, NULL, error);
        if (status == ABC_OK)
            status = abcw_add_property(writer, number, compound, "N", metadata, triples(desc),
                                       &object->property[ROLE_NORMALS], error);
    }
    if (status == ABC_OK && desc->schema == ABC_SCHEMA_POINTS) {
        WriterProperty ids = triples(desc);
        ids.pod = ABC_UINT64;
        ids.extent = 1;
        status = abcw_add_property(writer, number, compound, ".pointIds", "geoScope=var", ids,
                                   &object->property[ROLE_IDS], error);
    }
    return status;
}

static AbcStatus add_properties(AbcWriter *writer, uint32_t number, const GeomDesc *desc, AbcError *error) {
    WriterObject *object = &writer->objects[number];
    AbcStatus status = abcw_add_compound(writer, number, NO_PROPERTY, ".geom", SCHEMA_TEXTS[desc->schema].compound,
                                         &object->property[ROLE_SCHEMA], error);
    uint32_t compound = object->property[ROLE_SCHEMA];
    WriterProperty box = triples(desc);
    box.kind = PROPERTY_SCALAR;
    box.pod = ABC_FLOAT64;
    box.extent = 6;
    box.homogeneous = true;
    if (status == ABC_OK)
        status = abcw_add_property(writer, number, compound, "P",
                                   desc->schema == ABC_SCHEMA_POINTS ? "geoScope=var;interpretation=point"
                                                                     : METADATA_POSITIONS,
                                   triples(desc), &object->property[ROLE_POSITIONS], error);
    if (status == ABC_OK)
        status = abcw_add_property(writer, number, compound, ".selfBnds", METADATA_BOUNDS, box,
                                   &object->property[ROLE_BOUNDS], error);
    return status ? status : add_extras(writer, number, desc, error);
}

static AbcStatus put_bounds(AbcWriter *writer, uint32_t property, const AbcBounds *bounds, AbcError *error) {
    double box[6];
    memcpy(box, bounds->min, sizeof bounds->min);
    memcpy(box + 3, bounds->max, sizeof bounds->max);
    return abcw_put_pods(writer, property, box, 6, error);
}

/* The ids 0, 1, 2, ... where none are given. */
static AbcStatus put_ids(AbcWriter *writer, uint32_t property, const uint64_t *ids, size_t count, AbcError *error) {
    if (ids || count == 0)
        return abcw_put_pods(writer, property, ids, count, error);
    uint64_t *counted = malloc(count * sizeof *counted);
    if (!counted)
        return abc_fail_memory(error, "the ids of points");
    for (size_t i = 0; i < count; ++i)
        counted[i] = i;
    AbcStatus status = abcw_put_pods(writer, property, counted, count, error);
    free(counted);
    return status;
}

/* All values of a sample, into the samples or the constants of the object's properties. */
static AbcStatus put_values(AbcWriter *writer, uint32_t number, const AbcMeshSample *sample, AbcError *error) {
    WriterObject *object = &writer->objects[number];
    const uint32_t *property = object->property;
    size_t count = sample->vertex_count;
    AbcBounds bounds = abc_bounds_empty();
    AbcStatus status =
        abcw_put_vec3(writer, property[ROLE_POSITIONS], sample->positions, count, &bounds, "position", error);
    if (status == ABC_OK && property[ROLE_VELOCITIES] != NO_PROPERTY)
        status = abcw_put_vec3(writer, property[ROLE_VELOCITIES], sample->velocities, count, NULL, "velocity", error);
    if (status == ABC_OK && property[ROLE_NORMALS] != NO_PROPERTY)
        status = abcw_put_vec3(writer, property[ROLE_NORMALS], sample->normals, count, NULL, "normal", error);
    if (status == ABC_OK && property[ROLE_IDS] != NO_PROPERTY)
        status = put_ids(writer, property[ROLE_IDS], sample->ids, count, error);
    if (status)
        return status;
    if (sample->bounds)
        bounds = *sample->bounds;
    if (abc_bounds_are_empty(&bounds))
        bounds = abc_bounds_empty();
    status = put_bounds(writer, property[ROLE_BOUNDS], &bounds, error);
    if (status == ABC_OK) {
        object->bounds = bounds;
        object->has_bounds = true;
    }
    return status;
}

AbcStatus abc_geom_add(AbcWriter *writer, uint32_t parent, const GeomDesc *desc, uint32_t *number, AbcError *error) {
    bool animated = desc->animation.sample_capacity > 0;
    AbcStatus status = abcw_check_name(desc->name, "object", error);
    if (status == ABC_OK)
        status = abcw_check_animation(writer, desc->animation, desc->name, error);
    if (status)
        return status;
    if (desc->vertex_count > INT32_MAX)
        return abc_fail(error, ABC_ERR_ARGUMENT, "\"%s\" has %zu vertices; Alembic counts to %d.", desc->name,
                        desc->vertex_count, INT32_MAX);
    if (!animated && (desc->velocities || desc->normals))
        return abc_fail(error, ABC_ERR_ARGUMENT,
                        "\"%s\" is constant: velocities and normals per sample need an animated object.", desc->name);
    status =
        abcw_add_object(writer, parent, desc->name, SCHEMA_TEXTS[desc->schema].object, desc->schema, number, error);
    if (status)
        return status;
    WriterObject *object = &writer->objects[*number];
    object->animated = animated;
    object->vertex_count = desc->vertex_count;
    object->bounds = abc_bounds_empty();
    return add_properties(writer, *number, desc, error);
}

AbcStatus abc_geom_put_constant(AbcWriter *writer, uint32_t number, const AbcMeshSample *sample, AbcError *error) {
    return writer->objects[number].animated ? ABC_OK : put_values(writer, number, sample, error);
}

static AbcStatus check_sample(const AbcWriter *writer, uint32_t number, const AbcMeshSample *sample, AbcError *error) {
    const WriterObject *object = number < writer->object_count ? &writer->objects[number] : NULL;
    if (!object || object->property[ROLE_POSITIONS] == NO_PROPERTY || !object->animated)
        return abc_fail(error, ABC_ERR_ARGUMENT, "Object number %u is not an animated mesh, curves or points.", number);
    if (object->schema != ABC_SCHEMA_POINTS && object->vertex_count != VERTEX_COUNT_UNKNOWN &&
        sample->vertex_count != object->vertex_count)
        return abc_fail(error, ABC_ERR_ARGUMENT, "A sample of \"%s\" has %zu vertices; the object has %zu.",
                        object->path, sample->vertex_count, object->vertex_count);
    if (sample->vertex_count > INT32_MAX)
        return abc_fail(error, ABC_ERR_ARGUMENT, "A sample of \"%s\" has %zu points; Alembic counts to %d.",
                        object->path, sample->vertex_count, INT32_MAX);
    return ABC_OK;
}

AbcStatus abc_writer_mesh_sample(AbcWriter *writer, uint32_t number, const AbcMeshSample *sample, AbcError *error) {
    AbcStatus status = check_sample(writer, number, sample, error);
    if (status == ABC_OK)
        status = abc_writer_begin(writer, error);
    if (status)
        return status;
    SampleMark mark = abcw_sample_mark(writer, number);
    status = abcw_sample_done(writer, &mark, put_values(writer, number, sample, error));
    if (status == ABC_OK)
        writer->objects[number].vertex_count = sample->vertex_count;
    return status;
}

AbcStatus abc_writer_add_archive_bounds(AbcWriter *writer, const AbcAnimation *animation, AbcError *error) {
    AbcStatus status = abcw_check_definition(writer, ABC_ROOT, error);
    if (status == ABC_OK)
        status = abcw_check_animation(writer, *animation, "/", error);
    if (status == ABC_OK)
        status = abcw_check_unique(writer, ABC_ROOT, NO_PROPERTY, ".childBnds", error);
    if (status)
        return status;
    if (animation->sample_capacity == 0)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The bounds of the archive need room for their samples.");
    return abcw_add_property(writer, ABC_ROOT, NO_PROPERTY, ".childBnds", METADATA_BOUNDS,
                             (WriterProperty){.kind = PROPERTY_SCALAR,
                                              .pod = ABC_FLOAT64,
                                              .extent = 6,
                                              .homogeneous = true,
                                              .mode = MODE_ANIMATED,
                                              .time_sampling = animation->time_sampling,
                                              .capacity = animation->sample_capacity},
                             &writer->archive_bounds, error);
}

/* From the object's space to world space, as of the latest samples. */
static void world_matrix(const AbcWriter *writer, uint32_t number, double matrix[16]) {
    abc_matrix_identity(matrix);
    for (; number != ABC_NO_OBJECT; number = writer->objects[number].parent) {
        const WriterObject *object = &writer->objects[number];
        if (object->schema != ABC_SCHEMA_XFORM)
            continue;
        abc_matrix_multiply(matrix, object->matrix, matrix);
        if (object->ignore_parent)
            return;
    }
}

/* The box around the latest samples of all geometry, in world space. */
static AbcBounds world_bounds(const AbcWriter *writer) {
    AbcBounds all = abc_bounds_empty();
    for (uint32_t i = 0; i < writer->object_count; ++i) {
        if (!writer->objects[i].has_bounds)
            continue;
        double matrix[16];
        world_matrix(writer, i, matrix);
        AbcBounds box = abc_matrix_transform_bounds(matrix, &writer->objects[i].bounds);
        for (int axis = 0; axis < 3; ++axis) {
            all.min[axis] = fmin(all.min[axis], box.min[axis]);
            all.max[axis] = fmax(all.max[axis], box.max[axis]);
        }
    }
    return all;
}

AbcStatus abc_writer_archive_bounds_sample(AbcWriter *writer, AbcError *error) {
    if (writer->archive_bounds == NO_PROPERTY)
        return abc_fail(error, ABC_ERR_STATE,
                        "The archive keeps no bounds: add them by abc_writer_add_archive_bounds.");
    AbcStatus status = abc_writer_begin(writer, error);
    if (status)
        return status;
    AbcBounds all = world_bounds(writer);
    SampleMark mark = abcw_sample_mark(writer, ABC_ROOT);
    return abcw_sample_done(writer, &mark, put_bounds(writer, writer->archive_bounds, &all, error));
}
