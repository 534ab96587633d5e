/* jounce info: what is in a cache, of this program or another. */
#include "alembic_io.h"
#include "cli.h"
#include "user_properties.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A mesh, curves or points of the cache. */
typedef struct Shape {
    AbcObjectInfo object;
    AbcMeshInfo mesh;
    AbcMeshSizes sizes; /* of the first sample */
    double first_time, last_time;
    double samples_per_second; /* 0: constant or irregular */
} Shape;

static const char *schema_word(AbcSchema schema) {
    switch (schema) {
    case ABC_SCHEMA_POLYMESH:
        return "mesh";
    case ABC_SCHEMA_SUBD:
        return "subdivision";
    case ABC_SCHEMA_CURVES:
        return "curves";
    case ABC_SCHEMA_POINTS:
        return "points";
    default:
        return "other";
    }
}

/* -------------------------------------------------------------------------------- reading */

static ExitCode exit_code_of_abc(AbcStatus status) {
    return status == ABC_ERR_IO ? EXIT_FILE : status == ABC_ERR_MEMORY ? EXIT_MEMORY : EXIT_INPUT;
}

/* False if the object is of another kind; *status then distinguishes a damaged object from one without a shape. */
static bool read_shape(AbcReader *reader, uint32_t object, Shape *shape, AbcStatus *status, AbcError *error) {
    *shape = (Shape){0};
    *status = abc_reader_object(reader, object, &shape->object);
    if (*status != ABC_OK)
        return false;
    *status = abc_reader_mesh_info(reader, object, &shape->mesh, error);
    if (*status == ABC_ERR_NOT_FOUND) {
        *status = ABC_OK;
        return false;
    }
    if (*status == ABC_OK && shape->mesh.sample_count > 0)
        *status = abc_reader_mesh_sizes(reader, object, 0, &shape->sizes, error);
    AbcTimeSampling sampling;
    if (*status != ABC_OK || shape->mesh.sample_count == 0 ||
        abc_reader_time_sampling(reader, shape->mesh.time_sampling, &sampling) != ABC_OK)
        return *status == ABC_OK;
    shape->first_time = abc_sample_time(&sampling, 0);
    shape->last_time = abc_sample_time(&sampling, shape->mesh.sample_count - 1);
    if (shape->mesh.sample_count > 1 && sampling.kind != ABC_ACYCLIC && sampling.cycle_seconds > 0)
        shape->samples_per_second = sampling.time_count / sampling.cycle_seconds;
    return true;
}

/* Grows *bounds by the positions of all samples, read one by one; stored bounds may be missing or wrong. */
static AbcStatus add_bounds(AbcReader *reader, uint32_t object, const Shape *shape, AbcBounds *bounds,
                            AbcError *error) {
    AbcStatus status = ABC_OK;
    float *positions = NULL;
    for (uint32_t sample = 0; sample < shape->mesh.sample_count && status == ABC_OK; ++sample) {
        AbcMeshSizes sizes;
        status = abc_reader_mesh_sizes(reader, object, sample, &sizes, error);
        if (status != ABC_OK || sizes.vertex_count == 0)
            continue;
        size_t value_count = 3 * sizes.vertex_count;
        float *larger = realloc(positions, value_count * sizeof *positions);
        if (!larger) {
            status = ABC_ERR_MEMORY;
            break;
        }
        positions = larger;
        status = abc_reader_mesh_positions(reader, object, sample, positions, value_count, error);
        for (size_t i = 0; i < value_count && status == ABC_OK; ++i) {
            bounds->min[i % 3] = fmin(bounds->min[i % 3], (double)positions[i]);
            bounds->max[i % 3] = fmax(bounds->max[i % 3], (double)positions[i]);
        }
    }
    free(positions);
    return status;
}

/* -------------------------------------------------------------------------------- JSON */

static void add_text(cJSON *object, const char *key, const char *text) {
    if (text && text[0])
        cJSON_AddStringToObject(object, key, text);
}

static cJSON *archive_json(const char *path, const AbcArchiveInfo *archive) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "cache", path);
    cJSON_AddNumberToObject(object, "bytes", (double)archive->byte_count);
    add_text(object, "application", archive->application);
    add_text(object, "description", archive->description);
    add_text(object, "date", archive->date);
    if (archive->fps > 0)
        cJSON_AddNumberToObject(object, "fps", archive->fps);
    cJSON_AddNumberToObject(object, "first_time", archive->first_time);
    cJSON_AddNumberToObject(object, "last_time", archive->last_time);
    if (archive->fps > 0) {
        cJSON_AddNumberToObject(object, "first_frame", archive->first_time * archive->fps);
        cJSON_AddNumberToObject(object, "last_frame", archive->last_time * archive->fps);
    }
    cJSON_AddArrayToObject(object, "objects");
    return object;
}

static void add_shape_json(cJSON *list, const Shape *shape, const AbcBounds *bounds) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(list, object);
    cJSON_AddStringToObject(object, "path", shape->object.path);
    cJSON_AddStringToObject(object, "kind", schema_word(shape->object.schema));
    cJSON_AddNumberToObject(object, "vertices", (double)shape->sizes.vertex_count);
    cJSON_AddNumberToObject(object, "faces", (double)shape->sizes.face_count);
    cJSON_AddNumberToObject(object, "samples", shape->mesh.sample_count);
    cJSON_AddNumberToObject(object, "first_time", shape->first_time);
    cJSON_AddNumberToObject(object, "last_time", shape->last_time);
    if (shape->samples_per_second > 0)
        cJSON_AddNumberToObject(object, "samples_per_second", shape->samples_per_second);
    cJSON_AddBoolToObject(object, "velocities", shape->mesh.has_velocities);
    cJSON_AddBoolToObject(object, "uvs", shape->mesh.has_uvs);
    cJSON_AddBoolToObject(object, "normals", shape->mesh.has_normals);
    cJSON_AddBoolToObject(object, "constant_topology", shape->mesh.constant_topology);
    if (bounds->min[0] <= bounds->max[0]) {
        cJSON_AddItemToObject(object, "bounds_min", cJSON_CreateDoubleArray(bounds->min, 3));
        cJSON_AddItemToObject(object, "bounds_max", cJSON_CreateDoubleArray(bounds->max, 3));
    }
}

/* -------------------------------------------------------------------------------- text */

static void print_archive(const char *path, const AbcArchiveInfo *archive) {
    char text[SAY_CAPACITY];
    printf("%s, %s\n", path, say_bytes((double)archive->byte_count, text, sizeof text));
    if (archive->application[0])
        printf("  written by    %s%s%s\n", archive->application, archive->date[0] ? ", " : "", archive->date);
    if (archive->description[0])
        printf("  description   %s\n", archive->description);
    printf("  time          %.6g to %.6g s", archive->first_time, archive->last_time);
    if (archive->fps > 0)
        printf(", frames %.6g to %.6g at %.6g frames/s", archive->first_time * archive->fps,
               archive->last_time * archive->fps, archive->fps);
    putchar('\n');
}

static void print_shape(const Shape *shape, const AbcBounds *bounds) {
    char vertices[SAY_CAPACITY], faces[SAY_CAPACITY];
    bool curves = shape->object.schema == ABC_SCHEMA_CURVES, points = shape->object.schema == ABC_SCHEMA_POINTS;
    printf("\n%s (%s)\n  vertices      %s", shape->object.path, schema_word(shape->object.schema),
           say_count(shape->sizes.vertex_count, vertices, sizeof vertices));
    if (!points)
        printf(", %s %s", say_count(shape->sizes.face_count, faces, sizeof faces), curves ? "curves" : "faces");
    printf("%s\n  samples       %u", shape->mesh.constant_topology ? "" : " in the first sample; they change",
           shape->mesh.sample_count);
    if (shape->mesh.sample_count > 1)
        printf(", %.6g to %.6g s", shape->first_time, shape->last_time);
    if (shape->samples_per_second > 0)
        printf(", %.6g a second", shape->samples_per_second);
    const AbcMeshInfo *mesh = &shape->mesh;
    bool nothing = !mesh->has_velocities && !mesh->has_uvs && !mesh->has_normals;
    printf("\n  carries       positions%s%s%s%s\n", mesh->has_velocities ? ", velocities" : "",
           mesh->has_uvs ? ", uvs" : "", mesh->has_normals ? ", normals" : "", nothing ? " only" : "");
    if (bounds->min[0] <= bounds->max[0])
        printf("  bounds        %.4g %.4g %.4g  to  %.4g %.4g %.4g, in its own space\n", bounds->min[0], bounds->min[1],
               bounds->min[2], bounds->max[0], bounds->max[1], bounds->max[2]);
}

/* -------------------------------------------------------------------------------- the command */

ExitCode run_info(const Arguments *arguments) {
    const char *path = arguments->positionals[0];
    AbcReader *reader = NULL;
    AbcError error = {0};
    AbcStatus status = abc_reader_open(&reader, path, NULL, &error);
    if (status != ABC_OK)
        return fail(arguments, exit_code_of_abc(status), "%s", error.text);
    AbcArchiveInfo archive;
    abc_reader_archive_info(reader, &archive);
    cJSON *json = option_given(arguments, "json") ? archive_json(path, &archive) : NULL;
    if (!json)
        print_archive(path, &archive);
    for (uint32_t object = 0; object < archive.object_count && status == ABC_OK; ++object) {
        Shape shape;
        AbcBounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        if (!read_shape(reader, object, &shape, &status, &error))
            continue;
        status = add_bounds(reader, object, &shape, &bounds, &error);
        if (status == ABC_OK && json)
            add_shape_json(cJSON_GetObjectItem(json, "objects"), &shape, &bounds);
        else if (status == ABC_OK)
            print_shape(&shape, &bounds);
    }
    ExitCode code = EXIT_DONE;
    if (status != ABC_OK) {
        code = fail(arguments, exit_code_of_abc(status), "%s", error.text);
        cJSON_Delete(json);
    } else if (json) {
        user_properties_add(reader, json);
        print_json(json);
    } else {
        user_properties_print(reader);
    }
    abc_reader_close(reader);
    return code;
}
