/* Layer 2, reading: properties and where their samples are. See reader.h. */
#include "reader.h"

#include <inttypes.h>
#include <stdlib.h>

void abcr_free_compound(ReaderCompound *compound) {
    if (!compound)
        return;
    for (uint32_t i = 0; i < compound->count; ++i)
        abcr_free_compound(compound->properties[i].inside);
    free(compound->properties);
    free(compound->texts);
    free(compound);
}

/* Copies a text to *to, zero-terminated, and advances *to. */
static const char *keep_text(char **to, const char *text, size_t size) {
    char *kept = *to;
    memcpy(kept, text, size);
    kept[size] = '\0';
    *to += size + 1;
    return kept;
}

/* One property of the headers: its texts are kept, its group is found. */
static AbcStatus load_property(AbcReader *reader, FormatCursor *cursor, OgawaGroup group, ReaderCompound *compound,
                               char **texts, AbcError *error) {
    ReaderProperty *property = &compound->properties[compound->count];
    *property = (ReaderProperty){0};
    PropertyHeader *header = &property->header;
    AbcStatus status = abc_format_get_property(cursor, &reader->metadata_table, header, error);
    if (status)
        return status;
    if (header->kind != PROPERTY_COMPOUND && header->time_sampling >= reader->sampling_count)
        return abc_fail_at(error, cursor->position + header->count_offset,
                           "The property \"%.*s\" names time sampling %" PRIu32 ", but there are %zu.",
                           (int)(header->name_size < 100 ? header->name_size : 100), header->name,
                           header->time_sampling, reader->sampling_count);
    header->name = keep_text(texts, header->name, header->name_size);
    /* metadata of the table end with zero already and live as long */
    if (header->metadata_inline)
        header->metadata = keep_text(texts, header->metadata, header->metadata_size);
    property->link_place = ogawa_link_position(group, compound->count);
    status = ogawa_child(&reader->source, group, compound->count, &property->link, "property", error);
    compound->count += status == ABC_OK;
    return status;
}

static AbcStatus load_headers(AbcReader *reader, OgawaGroup group, ReaderCompound *compound, AbcError *error) {
    OgawaData data;
    uint8_t *bytes;
    uint64_t last = group.child_count - 1, link;
    /* the headers are the last child; without them there are no properties */
    AbcStatus status = ogawa_child(&reader->source, group, last, &link, "list of properties", error);
    if (status || !(link & OGAWA_DATA_BIT))
        return status;
    status = ogawa_data_at(&reader->source, link, ogawa_link_position(group, last), &data, "list of properties", error);
    if (status || data.size == 0)
        return status;
    status = ogawa_load(&reader->source, data, &bytes, "list of properties", error);
    if (status)
        return status;
    /* the texts fit: a header takes more bytes than the zeros that end its texts here */
    compound->headers_position = data.position;
    compound->texts = malloc((size_t)data.size + 1);
    if (!compound->texts)
        status = abc_fail_memory(error, "the properties of an object");
    FormatCursor cursor = {bytes, (size_t)data.size, 0, data.position};
    char *texts = compound->texts;
    size_t capacity = 0;
    while (status == ABC_OK && cursor.offset < cursor.size) {
        ReaderProperty *properties =
            abc_array_grow(compound->properties, &capacity, compound->count, sizeof *properties);
        if (!properties) {
            status = abc_fail_memory(error, "the properties of an object");
            break;
        }
        compound->properties = properties;
        if (compound->count == last)
            status = abc_fail_at(error, cursor.position + cursor.offset,
                                 "There are headers for more than the %" PRIu64 " properties of the group.", last);
        else
            status = load_property(reader, &cursor, group, compound, &texts, error);
    }
    free(bytes);
    return status;
}

static AbcStatus load_compound(AbcReader *reader, OgawaGroup group, ReaderCompound **out, AbcError *error) {
    ReaderCompound *compound = calloc(1, sizeof *compound);
    if (!compound)
        return abc_fail_memory(error, "the properties of an object");
    AbcStatus status = group.child_count ? load_headers(reader, group, compound, error) : ABC_OK;
    if (status)
        abcr_free_compound(compound);
    else
        *out = compound;
    return status;
}

AbcStatus abcr_top(AbcReader *reader, uint32_t number, ReaderCompound **compound, AbcError *error) {
    if (number >= reader->object_count)
        return abc_fail(error, ABC_ERR_NOT_FOUND, "There is no object number %" PRIu32 " in the archive.", number);
    ReaderObject *object = &reader->objects[number];
    AbcStatus status = ABC_OK;
    if (!object->top) {
        OgawaGroup group = {0};
        if (object->group.child_count > 0)
            status = ogawa_child_group(&reader->source, object->group, 0, &group, "compound of an object", error);
        if (status == ABC_OK)
            status = load_compound(reader, group, &object->top, error);
    }
    *compound = object->top;
    return status;
}

AbcStatus abcr_inside(AbcReader *reader, ReaderProperty *property, ReaderCompound **compound, AbcError *error) {
    AbcStatus status = ABC_OK;
    if (!property->inside) {
        OgawaGroup group;
        status =
            ogawa_group_at(&reader->source, property->link, property->link_place, &group, "compound property", error);
        if (status == ABC_OK)
            status = load_compound(reader, group, &property->inside, error);
    }
    *compound = property->inside;
    return status;
}

static ReaderProperty *find_in(const ReaderCompound *compound, const char *name, size_t size) {
    for (uint32_t i = 0; i < compound->count; ++i) {
        const PropertyHeader *header = &compound->properties[i].header;
        if (header->name_size == size && memcmp(header->name, name, size) == 0)
            return &compound->properties[i];
    }
    return NULL;
}

AbcStatus abcr_find_optional(AbcReader *reader, uint32_t object, const char *path, ReaderProperty **property,
                             AbcError *error) {
    ReaderCompound *compound;
    *property = NULL;
    AbcStatus status = abcr_top(reader, object, &compound, error);
    for (int depth = 0; status == ABC_OK; ++depth) {
        size_t size = strcspn(path, "/");
        ReaderProperty *found = find_in(compound, path, size);
        path += size;
        if (!found || *path == '\0') {
            *property = found;
            return ABC_OK;
        }
        if (found->header.kind != PROPERTY_COMPOUND)
            return ABC_OK;
        if (depth == DEEPEST_PROPERTY)
            return abc_fail(error, ABC_ERR_UNSUPPORTED, "Properties nest more than %d deep.", DEEPEST_PROPERTY);
        ++path;
        status = abcr_inside(reader, found, &compound, error);
    }
    return status;
}

AbcStatus abcr_find(AbcReader *reader, uint32_t object, const char *path, ReaderProperty **property, AbcError *error) {
    AbcStatus status = abcr_find_optional(reader, object, path, property, error);
    if (status == ABC_OK && !*property)
        return abc_fail(error, ABC_ERR_NOT_FOUND, "The object \"%.200s\" has no property \"%.100s\".",
                        reader->objects[object].path, path);
    return status;
}

AbcStatus abcr_sample(AbcReader *reader, const ReaderProperty *property, uint32_t sample, OgawaData *values,
                      AbcError *error) {
    const PropertyHeader *header = &property->header;
    *values = (OgawaData){0};
    if (header->kind == PROPERTY_COMPOUND)
        return abc_fail(error, ABC_ERR_NOT_FOUND, "The property \"%.100s\" is a compound: it has no samples.",
                        header->name);
    if (sample >= header->sample_count)
        return abc_fail(error, ABC_ERR_NOT_FOUND,
                        "The property \"%.100s\" has %" PRIu32 " samples, no number %" PRIu32 ".", header->name,
                        header->sample_count, sample);
    OgawaGroup group;
    OgawaData data;
    AbcStatus status =
        ogawa_group_at(&reader->source, property->link, property->link_place, &group, "table of samples", error);
    if (status)
        return status;
    uint64_t entry = abc_format_entry_of_sample(header, sample);
    entry *= header->kind == PROPERTY_ARRAY ? 2 : 1;
    status = ogawa_child_data(&reader->source, group, entry, &data, "sample of a property", error);
    if (status)
        return status;
    if (data.size > 0 && data.size < 16)
        return abc_fail_at(error, data.position, "A sample of \"%.100s\" is shorter than its digest.", header->name);
    if (data.size > 0)
        *values = (OgawaData){data.position + 16, data.size - 16};
    uint64_t element = (uint64_t)abc_format_pod_size(header->pod) * header->extent;
    if (element == 0)
        return ABC_OK;
    if (values->size % element || (header->kind == PROPERTY_SCALAR && values->size != element))
        return abc_fail_at(error, data.position,
                           "A sample of \"%.100s\" has %" PRIu64 " bytes, which does not fit its elements of %" PRIu64
                           ".",
                           header->name, values->size, element);
    return ABC_OK;
}

size_t abcr_pod_count(const ReaderProperty *property, OgawaData values) {
    uint32_t size = abc_format_pod_size(property->header.pod);
    return size ? (size_t)(values.size / size) : 0;
}

void abcr_bracket(const AbcReader *reader, const ReaderProperty *property, double time, uint32_t *lower,
                  uint32_t *upper, double *weight) {
    const PropertyHeader *header = &property->header;
    abc_sample_bracket(&reader->samplings[header->time_sampling].sampling, header->sample_count, time, lower, upper,
                       weight);
}
