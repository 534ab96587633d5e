/* Layer 3, writing: faces, texture coordinates, normals and subdivision data of meshes. */
#include "schema_write.h"

#include <stdlib.h>

AbcMeshDesc abc_mesh_desc_default(void) {
    return (AbcMeshDesc){0};
}

static AbcStatus check_faces(const AbcMeshDesc *desc, AbcError *error) {
    const char *name = desc->name;
    if ((desc->face_count && !desc->face_counts) || (desc->index_count && !desc->face_indices))
        return abc_fail(error, ABC_ERR_ARGUMENT, "The mesh \"%s\" has no faces given.", name);
    if (desc->index_count > INT32_MAX)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The mesh \"%s\" has too many corners.", name);
    size_t corner = 0;
    for (size_t face = 0; face < desc->face_count; ++face) {
        int32_t count = desc->face_counts[face];
        if (count < 0 || (size_t)count > desc->index_count - corner)
            return abc_fail(error, ABC_ERR_ARGUMENT, "Face %zu of the mesh \"%s\" has %d corners, more than are left.",
                            face, name, count);
        for (int32_t k = 0; k < count; ++k, ++corner)
            if (desc->face_indices[corner] < 0 || (size_t)desc->face_indices[corner] >= desc->vertex_count)
                return abc_fail(error, ABC_ERR_ARGUMENT, "Face %zu of the mesh \"%s\" uses vertex %d of %zu.", face,
                                name, desc->face_indices[corner], desc->vertex_count);
    }
    if (corner != desc->index_count)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The faces of the mesh \"%s\" have %zu corners, but %zu indices.",
                        name, corner, desc->index_count);
    return ABC_OK;
}

static AbcStatus check_values(const AbcMeshDesc *desc, const AbcGeomValues *v, const char *what, AbcError *error) {
    if (!v)
        return ABC_OK;
    size_t users = v->indices ? v->index_count : v->value_count;
    size_t wanted = v->scope == ABC_SCOPE_FACEVARYING ? desc->index_count : desc->vertex_count;
    if (v->scope != ABC_SCOPE_FACEVARYING && v->scope != ABC_SCOPE_VERTEX)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The %s of \"%s\" belong to corners or to vertices only.", what,
                        desc->name);
    if (!v->values || users != wanted)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The mesh \"%s\" needs %zu %s; %zu are given.", desc->name, wanted,
                        what, v->values ? users : 0);
    for (size_t i = 0; v->indices && i < v->index_count; ++i)
        if (v->indices[i] >= v->value_count)
            return abc_fail(error, ABC_ERR_ARGUMENT, "Index %zu of the %s of \"%s\" is %u of %zu.", i, what, desc->name,
                            v->indices[i], v->value_count);
    return ABC_OK;
}

/* Copies per-corner elements with the corners of every face in reverse order. NULL after a failed
   allocation. */
static void *reverse_corners(const AbcMeshDesc *desc, const void *corners, size_t width) {
    uint8_t *reversed = malloc(desc->index_count * width + 1);
    const uint8_t *from = corners;
    size_t start = 0;
    for (size_t face = 0; reversed && face < desc->face_count; ++face) {
        size_t count = (size_t)desc->face_counts[face];
        for (size_t k = 0; k < count; ++k)
            memcpy(reversed + (start + k) * width, from + (start + count - 1 - k) * width, width);
        start += count;
    }
    return reversed;
}

/* A constant array with an element for each corner, in the file's winding. */
static AbcStatus add_corners(AbcWriter *writer, uint32_t number, uint32_t compound, const char *name,
                             const char *metadata, AbcPod pod, uint32_t extent, const AbcMeshDesc *desc,
                             const void *corners, AbcError *error) {
    void *reversed = NULL;
    if (desc->counter_clockwise) {
        reversed = reverse_corners(desc, corners, extent * abc_format_pod_size(pod));
        if (!reversed)
            return abc_fail_memory(error, "the corners of a mesh");
    }
    AbcStatus status = abcw_add_constant(writer, number, compound, name, metadata, PROPERTY_ARRAY, pod, extent,
                                         reversed ? reversed : corners, desc->index_count, error);
    free(reversed);
    return status;
}

/* Texture coordinates or normals: a plain array, or a compound of values and indices. */
static AbcStatus add_values(AbcWriter *writer, uint32_t number, const char *name, const char *interpretation,
                            uint32_t width, const AbcMeshDesc *desc, const AbcGeomValues *v, AbcError *error) {
    if (!v)
        return ABC_OK;
    char metadata[512];
    uint32_t compound = writer->objects[number].property[ROLE_SCHEMA];
    bool corners = v->scope == ABC_SCOPE_FACEVARYING;
    AbcStatus status =
        abc_geom_param_metadata(metadata, sizeof metadata, v->scope, interpretation, width, v->name, error);
    if (status)
        return status;
    if (!v->indices && corners)
        return add_corners(writer, number, compound, name, metadata, ABC_FLOAT32, width, desc, v->values, error);
    if (!v->indices)
        return abcw_add_constant(writer, number, compound, name, metadata, PROPERTY_ARRAY, ABC_FLOAT32, width,
                                 v->values, v->value_count, error);
    uint32_t indexed;
    status = abcw_add_compound(writer, number, compound, name, metadata, &indexed, error);
    if (status == ABC_OK)
        status = abcw_add_constant(writer, number, indexed, ".vals", metadata, PROPERTY_ARRAY, ABC_FLOAT32, width,
                                   v->values, v->value_count, error);
    if (status)
        return status;
    return corners ? add_corners(writer, number, indexed, ".indices", "", ABC_UINT32, 1, desc, v->indices, error)
                   : abcw_add_constant(writer, number, indexed, ".indices", "", PROPERTY_ARRAY, ABC_UINT32, 1,
                                       v->indices, v->index_count, error);
}

static AbcStatus check_subd(const AbcMeshDesc *desc, AbcError *error) {
    const AbcSubdData *s = desc->subd_data;
    if (!s)
        return ABC_OK;
    if (!desc->subd)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The mesh \"%s\" has subdivision data but is not a SubD.", desc->name);
    size_t sum = 0;
    for (size_t i = 0; i < s->crease_count; ++i) {
        if (s->crease_lengths[i] < 2)
            return abc_fail(error, ABC_ERR_ARGUMENT, "Crease %zu of \"%s\" has %d vertices.", i, desc->name,
                            s->crease_lengths[i]);
        sum += (size_t)s->crease_lengths[i];
    }
    if (sum != s->crease_index_count)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The creases of \"%s\" have %zu vertices, but %zu indices.",
                        desc->name, sum, s->crease_index_count);
    for (size_t i = 0; i < s->crease_index_count + s->corner_count; ++i) {
        bool crease = i < s->crease_index_count;
        int32_t vertex = crease ? s->crease_indices[i] : s->corner_indices[i - s->crease_index_count];
        if (vertex < 0 || (size_t)vertex >= desc->vertex_count)
            return abc_fail(error, ABC_ERR_ARGUMENT, "A %s of \"%s\" uses vertex %d of %zu.",
                            crease ? "crease" : "corner", desc->name, vertex, desc->vertex_count);
    }
    for (size_t i = 0; i < s->hole_count; ++i)
        if (s->holes[i] < 0 || (size_t)s->holes[i] >= desc->face_count)
            return abc_fail(error, ABC_ERR_ARGUMENT, "Hole %zu of \"%s\" is face %d of %zu.", i, desc->name,
                            s->holes[i], desc->face_count);
    return ABC_OK;
}

static AbcStatus add_subd(AbcWriter *writer, uint32_t number, const AbcMeshDesc *desc, AbcError *error) {
    const AbcSubdData none = {0}, *s = desc->subd_data ? desc->subd_data : &none;
    uint32_t compound = writer->objects[number].property[ROLE_SCHEMA];
    const char *scheme = s->scheme ? s->scheme : "catmull-clark";
    const struct {
        const char *name;
        PropertyKind kind;
        AbcPod pod;
        const void *values;
        size_t count;
    } properties[] = {
        {".scheme", PROPERTY_SCALAR, ABC_STRING, scheme, strlen(scheme) + 1},
        {".interpolateBoundary", PROPERTY_SCALAR, ABC_INT32, &s->interpolate_boundary, 1},
        {".faceVaryingInterpolateBoundary", PROPERTY_SCALAR, ABC_INT32, &s->face_varying_interpolate_boundary, 1},
        {".faceVaryingPropagateCorners", PROPERTY_SCALAR, ABC_INT32, &s->face_varying_propagate_corners, 1},
        {".creaseIndices", PROPERTY_ARRAY, ABC_INT32, s->crease_indices, s->crease_index_count},
        {".creaseLengths", PROPERTY_ARRAY, ABC_INT32, s->crease_lengths, s->crease_count},
        {".creaseSharpnesses", PROPERTY_ARRAY, ABC_FLOAT32, s->crease_sharpnesses, s->crease_count},
        {".cornerIndices", PROPERTY_ARRAY, ABC_INT32, s->corner_indices, s->corner_count},
        {".cornerSharpnesses", PROPERTY_ARRAY, ABC_FLOAT32, s->corner_sharpnesses, s->corner_count},
        {".holes", PROPERTY_ARRAY, ABC_INT32, s->holes, s->hole_count},
    };
    AbcStatus status = ABC_OK;
    for (size_t i = 0; status == ABC_OK && i < sizeof properties / sizeof *properties; ++i)
        if (properties[i].count)
            status = abcw_add_constant(writer, number, compound, properties[i].name, "", properties[i].kind,
                                       properties[i].pod, 1, properties[i].values, properties[i].count, error);
    return status;
}

static AbcStatus add_constant_data(AbcWriter *writer, uint32_t number, const AbcMeshDesc *desc, AbcError *error) {
    uint32_t compound = writer->objects[number].property[ROLE_SCHEMA];
    AbcStatus status = abc_geom_put_constant(
        writer, number, &(AbcMeshSample){.vertex_count = desc->vertex_count, .positions = desc->positions}, error);
    if (status == ABC_OK)
        status =
            add_corners(writer, number, compound, ".faceIndices", "", ABC_INT32, 1, desc, desc->face_indices, error);
    if (status == ABC_OK)
        status = abcw_add_constant(writer, number, compound, ".faceCounts", "", PROPERTY_ARRAY, ABC_INT32, 1,
                                   desc->face_counts, desc->face_count, error);
    if (status == ABC_OK)
        status = add_values(writer, number, "uv", "vector", 2, desc, desc->uvs, error);
    if (status == ABC_OK)
        status = add_values(writer, number, "N", "normal", 3, desc, desc->constant_normals, error);
    if (status == ABC_OK && desc->subd)
        status = add_subd(writer, number, desc, error);
    return status;
}

AbcStatus abc_writer_add_mesh(AbcWriter *writer, uint32_t parent, const AbcMeshDesc *desc, uint32_t *number,
                              AbcError *error) {
    AbcStatus status = abcw_check_name(desc->name, "mesh", error);
    if (status == ABC_OK)
        status = check_faces(desc, error);
    if (status == ABC_OK)
        status = check_values(desc, desc->uvs, "texture coordinates", error);
    if (status == ABC_OK)
        status = check_values(desc, desc->constant_normals, "normals", error);
    if (status == ABC_OK)
        status = check_subd(desc, error);
    if (status == ABC_OK && desc->normals && desc->constant_normals)
        status = abc_fail(error, ABC_ERR_ARGUMENT, "The mesh \"%s\" has constant normals and normals of samples.",
                          desc->name);
    if (status == ABC_OK && desc->subd && (desc->normals || desc->constant_normals))
        status = abc_fail(error, ABC_ERR_ARGUMENT, "The SubD \"%s\" cannot have normals: its surface has its own.",
                          desc->name);
    if (status)
        return status;
    WriterMark mark = abcw_mark(writer);
    const GeomDesc geom = {.name = desc->name,
                           .schema = desc->subd ? ABC_SCHEMA_SUBD : ABC_SCHEMA_POLYMESH,
                           .animation = desc->animation,
                           .vertex_count = desc->vertex_count,
                           .fixed_size = true,
                           .velocities = desc->velocities,
                           .normals = desc->normals};
    status = abc_geom_add(writer, parent, &geom, number, error);
    if (status == ABC_OK) {
        writer->objects[*number].face_count = desc->face_count;
        writer->objects[*number].index_count = desc->index_count;
        status = add_constant_data(writer, *number, desc, error);
    }
    if (status)
        abcw_undo(writer, mark);
    return status;
}
