/* Layer 2, reading: the tree of objects, instances included. See reader.h. */
#include "abc_digest.h"
#include "reader.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t path_key(const char *path) {
    return abc_digest_of(path, strlen(path)).words[0];
}

uint32_t abc_reader_find(const AbcReader *reader, const char *path) {
    uint64_t key = path_key(path);
    size_t cursor = SIZE_MAX;
    for (uint32_t i; (i = abc_index_next(&reader->paths, key, &cursor)) != UINT32_MAX;)
        if (strcmp(reader->objects[i].path, path) == 0)
            return i;
    return ABC_NO_OBJECT;
}

AbcStatus abc_reader_object(const AbcReader *reader, uint32_t object, AbcObjectInfo *info) {
    if (object >= reader->object_count)
        return ABC_ERR_NOT_FOUND;
    const ReaderObject *o = &reader->objects[object];
    *info = (AbcObjectInfo){o->name, o->path, o->schema_name, o->schema, o->parent, o->instance_source};
    return ABC_OK;
}

void abcr_free_objects(AbcReader *reader) {
    for (size_t i = 0; i < reader->object_count; ++i) {
        ReaderObject *object = &reader->objects[i];
        free(object->path);
        free(object->metadata);
        free(object->schema_name);
        abcr_free_compound(object->top);
    }
    free(reader->objects);
    abc_index_free(&reader->paths);
    reader->objects = NULL;
    reader->object_count = 0;
}

static AbcSchema schema_of(const char *name) {
    static const struct {
        const char *prefix;
        AbcSchema schema;
    } schemas[] = {{"AbcGeom_Xform_", ABC_SCHEMA_XFORM},   {"AbcGeom_PolyMesh_", ABC_SCHEMA_POLYMESH},
                   {"AbcGeom_SubD_", ABC_SCHEMA_SUBD},     {"AbcGeom_Curve_", ABC_SCHEMA_CURVES},
                   {"AbcGeom_Points_", ABC_SCHEMA_POINTS}, {"AbcGeom_FaceSet_", ABC_SCHEMA_FACESET},
                   {"AbcGeom_Camera_", ABC_SCHEMA_CAMERA}};
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; ++i)
        if (strncmp(name, schemas[i].prefix, strlen(schemas[i].prefix)) == 0)
            return schemas[i].schema;
    return ABC_SCHEMA_NONE;
}

/* Appends an object; its path is that of its parent and its name. */
static AbcStatus add_object(AbcReader *reader, uint32_t parent, const ObjectHeader *header, OgawaGroup group,
                            AbcError *error) {
    ReaderObject *objects =
        abc_array_grow(reader->objects, &reader->object_capacity, reader->object_count, sizeof *reader->objects);
    if (!objects || reader->object_count >= UINT32_MAX - 1)
        return abc_fail_memory(error, "the objects of the archive");
    reader->objects = objects;
    bool at_top = parent == ABC_NO_OBJECT || parent == ABC_ROOT;
    const char *above = at_top ? "" : reader->objects[parent].path;
    size_t above_size = strlen(above), size = above_size + 1 + header->name_size;
    if (size > LARGEST_PATH)
        return abc_fail(error, ABC_ERR_UNSUPPORTED,
                        "An object below \"%.100s\" has a path of %zu bytes; %d are handled.", above, size,
                        LARGEST_PATH);
    size_t schema_size = 0;
    const char *schema = abc_metadata_find(header->metadata, header->metadata_size, "schema", &schema_size);
    ReaderObject *object = &reader->objects[reader->object_count];
    *object = (ReaderObject){.parent = parent, .instance_source = ABC_NO_OBJECT, .group = group};
    object->path = malloc(size + 1);
    object->metadata = abc_text_copy_length(header->metadata, header->metadata_size);
    object->schema_name = abc_text_copy_length(schema ? schema : "", schema_size);
    ++reader->object_count;
    if (!object->path || !object->metadata || !object->schema_name)
        return abc_fail_memory(error, "the objects of the archive");
    memcpy(object->path, above, above_size);
    object->path[above_size] = '/';
    memcpy(object->path + above_size + 1, header->name, header->name_size);
    object->path[size] = '\0';
    object->name = object->path + above_size + 1;
    object->schema = schema_of(object->schema_name);
    object->instance_root = abc_metadata_equals(header->metadata, header->metadata_size, "isInstance", "1");
    if (!abc_index_add(&reader->paths, path_key(object->path), (uint32_t)(reader->object_count - 1)))
        return abc_fail_memory(error, "the objects of the archive");
    return ABC_OK;
}

/* Opens the group of a child. A group that was already visited would make the tree a graph, possibly with cycles. */
static AbcStatus open_child(AbcReader *reader, OgawaGroup group, uint64_t index, NumberIndex *seen, OgawaGroup *child,
                            AbcError *error) {
    AbcStatus status = ogawa_child_group(&reader->source, group, index, child, "child object", error);
    if (status || child->position == 0)
        return status;
    size_t cursor = SIZE_MAX;
    if (abc_index_next(seen, child->position, &cursor) != UINT32_MAX)
        return abc_fail_at(error, ogawa_link_position(group, index),
                           "Two objects have the same group at byte %" PRIu64 ": the objects are not a tree.",
                           child->position);
    return abc_index_add(seen, child->position, 0) ? ABC_OK : abc_fail_memory(error, "the objects of the archive");
}

/* Appends the children of an object. */
static AbcStatus load_children(AbcReader *reader, uint32_t number, NumberIndex *seen, AbcError *error) {
    OgawaGroup group = reader->objects[number].group;
    uint64_t link;
    if (group.child_count == 0)
        return ABC_OK;
    /* the headers are the last child; without them there are no children */
    AbcStatus status =
        ogawa_child(&reader->source, group, group.child_count - 1, &link, "list of child objects", error);
    if (status || !(link & OGAWA_DATA_BIT))
        return status;
    OgawaData data;
    uint8_t *bytes;
    status = ogawa_data_at(&reader->source, link, ogawa_link_position(group, group.child_count - 1), &data,
                           "list of child objects", error);
    if (status || data.size < FORMAT_OBJECT_DIGESTS_SIZE)
        return status;
    reader->objects[number].digests_position = data.position + data.size - FORMAT_OBJECT_DIGESTS_SIZE;
    status = ogawa_load(&reader->source, data, &bytes, "list of child objects", error);
    if (status)
        return status;
    FormatCursor cursor = {bytes, (size_t)data.size - FORMAT_OBJECT_DIGESTS_SIZE, 0, data.position};
    reader->objects[number].child_first = (uint32_t)reader->object_count;
    /* child 0 holds the properties */
    for (uint64_t index = 1; status == ABC_OK && cursor.offset < cursor.size; ++index) {
        ObjectHeader header;
        OgawaGroup child;
        status = abc_format_get_object(&cursor, &reader->metadata_table, &header, error);
        if (status == ABC_OK)
            status = open_child(reader, group, index, seen, &child, error);
        if (status == ABC_OK)
            status = add_object(reader, number, &header, child, error);
    }
    reader->objects[number].child_end = (uint32_t)reader->object_count;
    free(bytes);
    return status;
}

/* An instance that does not show its source yet. */
static bool waits(const ReaderObject *object) {
    return (object->instance_root || object->instance_source != ABC_NO_OBJECT) && !object->filled;
}

/* The object that an instance names as its source; ABC_NO_OBJECT if it does not exist, or not yet. */
static AbcStatus find_source(AbcReader *reader, uint32_t number, uint32_t *source, AbcError *error) {
    char path[LARGEST_PATH + 1];
    AbcStatus status = abc_reader_property_text(reader, number, ".instanceSource", 0, path, sizeof path, error);
    if (status)
        return status;
    *source = abc_reader_find(reader, path);
    if (*source != ABC_NO_OBJECT && waits(&reader->objects[*source]))
        *source = ABC_NO_OBJECT;
    for (uint32_t above = number; *source != ABC_NO_OBJECT && above != ABC_NO_OBJECT;
         above = reader->objects[above].parent)
        if (above == *source)
            return abc_fail(error, ABC_ERR_CORRUPT, "The instance \"%.200s\" contains itself.",
                            reader->objects[number].path);
    return ABC_OK;
}

/* Makes `copy` show what `source` has: schema, properties, and copies of its children. Copies of instances are
   instances themselves, and are filled later. */
static AbcStatus fill_instance(AbcReader *reader, uint32_t copy, uint32_t source, size_t real_count, AbcError *error) {
    while (reader->objects[source].instance_source != ABC_NO_OBJECT)
        source = reader->objects[source].instance_source;
    char *metadata = abc_text_copy(reader->objects[source].metadata);
    char *schema_name = abc_text_copy(reader->objects[source].schema_name);
    ReaderObject *object = &reader->objects[copy];
    if (!metadata || !schema_name) {
        free(metadata);
        free(schema_name);
        return abc_fail_memory(error, "an instance");
    }
    free(object->metadata);
    free(object->schema_name);
    abcr_free_compound(object->top);
    object->metadata = metadata;
    object->schema_name = schema_name;
    object->schema = reader->objects[source].schema;
    object->group = reader->objects[source].group;
    object->instance_source = source;
    object->filled = true;
    object->top = NULL;
    for (uint32_t i = reader->objects[source].child_first; i < reader->objects[source].child_end; ++i) {
        if (reader->object_count - real_count >= LARGEST_INSTANCED_COUNT)
            return abc_fail(error, ABC_ERR_UNSUPPORTED, "The instances of the archive expand to more than %d objects.",
                            LARGEST_INSTANCED_COUNT);
        const ReaderObject *child = &reader->objects[i];
        const ObjectHeader header = {child->name, strlen(child->name), child->metadata, strlen(child->metadata)};
        AbcStatus status = add_object(reader, copy, &header, child->group, error);
        if (status)
            return status;
        reader->objects[reader->object_count - 1].instance_source = i;
    }
    return ABC_OK;
}

/* Fills an instance if its source already exists. */
static AbcStatus try_instance(AbcReader *reader, uint32_t number, size_t real_count, AbcError *error) {
    uint32_t source = reader->objects[number].instance_source;
    AbcStatus status = ABC_OK;
    if (reader->objects[number].instance_root)
        status = find_source(reader, number, &source, error);
    if (status == ABC_OK && source != ABC_NO_OBJECT)
        status = fill_instance(reader, number, source, real_count, error);
    return status;
}

/* Objects are appended meanwhile, and may be instances again. A source that is reached through an instance exists only
   after that one was filled: these are retried, as long as any could be filled. */
AbcStatus abcr_load_instances(AbcReader *reader, AbcError *error) {
    size_t real_count = reader->object_count;
    uint32_t waiting = ABC_NO_OBJECT;
    bool progress = true;
    for (int pass = 0; progress && pass < DEEPEST_INSTANCE; ++pass) {
        waiting = ABC_NO_OBJECT;
        progress = false;
        for (uint32_t i = 1; i < reader->object_count; ++i) {
            if (!waits(&reader->objects[i]))
                continue;
            AbcStatus status = try_instance(reader, i, real_count, error);
            if (status)
                return status;
            if (reader->objects[i].filled)
                progress = true;
            else
                waiting = i;
        }
    }
    if (waiting != ABC_NO_OBJECT)
        return abc_fail(error, ABC_ERR_CORRUPT,
                        "The instance \"%.200s\" has a source that is not in the archive, or is nested too deep.",
                        reader->objects[waiting].path);
    return ABC_OK;
}

AbcStatus abcr_load_objects(AbcReader *reader, OgawaGroup top, AbcError *error) {
    NumberIndex seen = {0};
    const ObjectHeader root = {"", 0, "", 0};
    AbcStatus status = add_object(reader, ABC_NO_OBJECT, &root, top, error);
    if (status == ABC_OK && !abc_index_add(&seen, top.position, 0))
        status = abc_fail_memory(error, "the objects of the archive");
    for (uint32_t i = 0; status == ABC_OK && i < reader->object_count; ++i)
        status = load_children(reader, i, &seen, error);
    abc_index_free(&seen);
    return status;
}
