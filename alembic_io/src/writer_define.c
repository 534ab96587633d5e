/* Layer 2, writing: definition of objects and properties. See writer.h. */
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>

WriterMark abcw_mark(const AbcWriter *writer) {
    return (WriterMark){writer->object_count, writer->property_count};
}

void abcw_undo(AbcWriter *writer, WriterMark mark) {
    while (writer->object_count > mark.object_count) {
        WriterObject *object = &writer->objects[--writer->object_count];
        free(object->name);
        free(object->path);
        free(object->metadata);
    }
    while (writer->property_count > mark.property_count) {
        WriterProperty *property = &writer->properties[--writer->property_count];
        free(property->name);
        free(property->metadata);
    }
}

AbcStatus abcw_check_definition(const AbcWriter *writer, uint32_t object, AbcError *error) {
    if (writer->begun)
        return abc_fail(error, ABC_ERR_STATE, "Objects and their constant data are added before abc_writer_begin.");
    if (object >= writer->object_count)
        return abc_fail(error, ABC_ERR_ARGUMENT, "There is no object number %u in this archive.", object);
    return ABC_OK;
}

WriterObject *abcw_new_object(AbcWriter *writer) {
    WriterObject *objects =
        abc_array_grow(writer->objects, &writer->object_capacity, writer->object_count, sizeof *objects);
    if (!objects)
        return NULL;
    writer->objects = objects;
    WriterObject *object = &objects[writer->object_count++];
    *object = (WriterObject){.parent = ABC_NO_OBJECT};
    for (int role = 0; role < ROLE_COUNT; ++role)
        object->property[role] = NO_PROPERTY;
    for (int i = 0; i < 4; ++i)
        object->matrix[5 * i] = 1;
    return object;
}

WriterProperty *abcw_new_property(AbcWriter *writer) {
    WriterProperty *properties =
        abc_array_grow(writer->properties, &writer->property_capacity, writer->property_count, sizeof *properties);
    if (!properties)
        return NULL;
    writer->properties = properties;
    WriterProperty *property = &properties[writer->property_count++];
    *property = (WriterProperty){0};
    return property;
}

AbcStatus abcw_new_sampling(AbcWriter *writer, const AbcTimeSampling *sampling, AbcError *error) {
    WriterTimeSampling *samplings =
        abc_array_grow(writer->samplings, &writer->sampling_capacity, writer->sampling_count, sizeof *samplings);
    double *times = malloc(sampling->time_count * sizeof *times);
    writer->samplings = samplings ? samplings : writer->samplings;
    if (!samplings || !times) {
        free(times);
        return abc_fail_memory(error, "a time sampling");
    }
    memcpy(times, sampling->times, sampling->time_count * sizeof *times);
    WriterTimeSampling *added = &samplings[writer->sampling_count++];
    *added = (WriterTimeSampling){.sampling = *sampling, .times = times};
    added->sampling.times = times;
    return ABC_OK;
}

AbcStatus abcw_check_name(const char *name, const char *what, AbcError *error) {
    if (!name || !*name)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The %s has no name.", what);
    for (const char *c = name; *c; ++c)
        if ((unsigned char)*c < 32 || strchr("/;=", *c))
            return abc_fail(error, ABC_ERR_ARGUMENT,
                            "The name \"%s\" of the %s holds '/', ';', '=' or a control character: make it with "
                            "abc_make_name.",
                            name, what);
    return ABC_OK;
}

AbcStatus abcw_add_object(AbcWriter *writer, uint32_t parent, const char *name, const char *metadata, AbcSchema schema,
                          uint32_t *number, AbcError *error) {
    AbcStatus status = abcw_check_definition(writer, parent, error);
    if (status == ABC_OK)
        status = abcw_check_name(name, "object", error);
    if (status)
        return status;
    for (size_t i = 0; i < writer->object_count; ++i)
        if (writer->objects[i].parent == parent && strcmp(writer->objects[i].name, name) == 0)
            return abc_fail(error, ABC_ERR_ARGUMENT, "There already is an object \"%s\": give another name.",
                            writer->objects[i].path);
    WriterMark mark = abcw_mark(writer);
    WriterObject *object = abcw_new_object(writer);
    if (!object)
        return abc_fail_memory(error, "an object");
    const char *above = writer->objects[parent].path;
    size_t above_size = parent == ABC_ROOT ? 0 : strlen(above), name_size = strlen(name);
    object->path = malloc(above_size + name_size + 2);
    object->name = abc_text_copy(name);
    object->metadata = abc_text_copy(metadata);
    object->schema = schema;
    object->parent = parent;
    if (!object->path || !object->name || !object->metadata) {
        abcw_undo(writer, mark);
        return abc_fail_memory(error, "an object");
    }
    memcpy(object->path, above, above_size);
    object->path[above_size] = '/';
    memcpy(object->path + above_size + 1, name, name_size + 1);
    *number = (uint32_t)(writer->object_count - 1);
    return ABC_OK;
}

Digest abcw_header_digest(const WriterProperty *p) {
    DigestState state;
    const uint8_t type[] = {(uint8_t)p->kind, (uint8_t)p->pod, (uint8_t)p->extent};
    abc_digest_start(&state);
    abc_digest_add(&state, p->name, strlen(p->name) + 1);
    abc_digest_add(&state, p->metadata, strlen(p->metadata) + 1);
    abc_digest_add(&state, type, sizeof type);
    return abc_digest_finish(&state);
}

AbcStatus abcw_add_property(AbcWriter *writer, uint32_t object, uint32_t parent, const char *name, const char *metadata,
                            WriterProperty description, uint32_t *number, AbcError *error) {
    AbcStatus status = abcw_check_name(name, "property", error);
    if (status)
        return status;
    WriterMark mark = abcw_mark(writer);
    WriterProperty *property = abcw_new_property(writer);
    if (!property)
        return abc_fail_memory(error, "a property");
    *property = description;
    property->object = object;
    property->parent = parent;
    property->name = abc_text_copy(name);
    property->metadata = abc_text_copy(metadata);
    if (!property->name || !property->metadata) {
        abcw_undo(writer, mark);
        return abc_fail_memory(error, "a property");
    }
    property->digest = property->pending_digest = abcw_header_digest(property);
    *number = (uint32_t)(writer->property_count - 1);
    return ABC_OK;
}

AbcStatus abcw_check_unique(const AbcWriter *writer, uint32_t object, uint32_t parent, const char *name,
                            AbcError *error) {
    for (size_t i = 0; i < writer->property_count; ++i) {
        const WriterProperty *other = &writer->properties[i];
        if (other->object == object && other->parent == parent && strcmp(other->name, name) == 0)
            return abc_fail(error, ABC_ERR_ARGUMENT, "The object \"%s\" already has a property \"%s\".",
                            writer->objects[object].path, name);
    }
    return ABC_OK;
}

AbcStatus abcw_add_compound(AbcWriter *writer, uint32_t object, uint32_t parent, const char *name, const char *metadata,
                            uint32_t *number, AbcError *error) {
    return abcw_add_property(writer, object, parent, name, metadata, (WriterProperty){.kind = PROPERTY_COMPOUND},
                             number, error);
}

AbcStatus abcw_add_constant(AbcWriter *writer, uint32_t object, uint32_t parent, const char *name, const char *metadata,
                            PropertyKind kind, AbcPod pod, uint32_t extent, const void *values, size_t element_count,
                            AbcError *error) {
    uint32_t number;
    AbcStatus status = abcw_add_property(
        writer, object, parent, name, metadata,
        (WriterProperty){.kind = kind, .pod = pod, .extent = extent, .homogeneous = true, .mode = MODE_CONSTANT},
        &number, error);
    return status ? status : abcw_put_pods(writer, number, values, element_count * extent, error);
}

AbcStatus abcw_check_animation(const AbcWriter *writer, AbcAnimation animation, const char *name, AbcError *error) {
    if (animation.time_sampling >= writer->sampling_count)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The object \"%s\" names time sampling %u, but there are %zu.", name,
                        animation.time_sampling, writer->sampling_count);
    const AbcTimeSampling *sampling = &writer->samplings[animation.time_sampling].sampling;
    if (sampling->kind == ABC_ACYCLIC && animation.sample_capacity > sampling->time_count)
        return abc_fail(error, ABC_ERR_ARGUMENT,
                        "The object \"%s\" has %u samples, but its acyclic time sampling "
                        "has %u times.",
                        name, animation.sample_capacity, sampling->time_count);
    return ABC_OK;
}
