/* Layer 2: checked decoding of headers. See format.h. */
#include "format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { METADATA_INLINE = 255 };

static uint64_t place(const FormatCursor *from) {
    return from->position + from->offset;
}

static AbcStatus need(const FormatCursor *from, uint64_t size, const char *what, AbcError *error) {
    if (size > from->size - from->offset)
        return abc_fail_at(error, place(from), "The headers end inside of the %s: %" PRIu64 " bytes are needed.", what,
                           size);
    return ABC_OK;
}

/* A number of 1, 2 or 4 bytes: width_code 0, 1, 2. */
static AbcStatus get_number(FormatCursor *from, uint32_t width_code, uint32_t *value, const char *what,
                            AbcError *error) {
    if (width_code > 2)
        return abc_fail_at(error, place(from), "The header has an unknown width of numbers at the %s.", what);
    uint32_t width = 1u << width_code;
    AbcStatus status = need(from, width, what, error);
    if (status)
        return status;
    const uint8_t *bytes = from->bytes + from->offset;
    *value = width == 1 ? bytes[0] : width == 2 ? get_u16(bytes) : get_u32(bytes);
    from->offset += width;
    return ABC_OK;
}

static AbcStatus get_text(FormatCursor *from, size_t size, const char **text, const char *what, AbcError *error) {
    AbcStatus status = need(from, size, what, error);
    if (status)
        return status;
    *text = (const char *)from->bytes + from->offset;
    if (memchr(*text, 0, size))
        return abc_fail_at(error, place(from), "The %s holds a zero byte.", what);
    from->offset += size;
    return ABC_OK;
}

/* A name: not empty, no slash. */
static AbcStatus get_name(FormatCursor *from, uint32_t size, const char **name, const char *what, AbcError *error) {
    uint64_t start = place(from);
    AbcStatus status = get_text(from, size, name, what, error);
    if (status)
        return status;
    if (size == 0 || memchr(*name, '/', size))
        return abc_fail_at(error, start, "The %s is empty or holds a slash.", what);
    return ABC_OK;
}

/* The metadata with a number, or the text that follows. */
static AbcStatus get_metadata(FormatCursor *from, const MetadataTable *table, uint32_t number, uint32_t width_code,
                              const char **text, size_t *size, AbcError *error) {
    *text = "";
    *size = 0;
    if (number == METADATA_INLINE) {
        uint32_t length;
        AbcStatus status = get_number(from, width_code, &length, "size of metadata", error);
        *size = status ? 0 : length;
        return status ? status : get_text(from, length, text, "metadata", error);
    }
    if (number >= table->count)
        return abc_fail_at(error, place(from),
                           "The header names metadata number %" PRIu32 ", but there are %" PRIu32 ".", number,
                           table->count);
    if (number > 0) {
        *text = table->texts[number];
        *size = table->sizes[number];
    }
    return ABC_OK;
}

/* Number of samples, which of them changed, time sampling. */
static AbcStatus get_sampling(FormatCursor *from, uint32_t info, uint32_t width, PropertyHeader *header,
                              AbcError *error) {
    header->count_offset = from->offset;
    AbcStatus status = get_number(from, width, &header->sample_count, "number of samples", error);
    uint32_t count = header->sample_count;
    if (status == ABC_OK && info & 0x200) {
        status = get_number(from, width, &header->first_changed, "first changed sample", error);
        if (status == ABC_OK)
            status = get_number(from, width, &header->last_changed, "last changed sample", error);
        if (status == ABC_OK && (header->first_changed > header->last_changed || header->last_changed > count))
            return abc_fail_at(error, place(from),
                               "The changed samples %" PRIu32 " to %" PRIu32 " do not fit %" PRIu32 " samples.",
                               header->first_changed, header->last_changed, count);
    } else if (info & 0x800) {
        header->first_changed = header->last_changed = 0;
    } else {
        header->first_changed = 1;
        header->last_changed = count ? count - 1 : 0;
    }
    header->constant = header->first_changed == 0 && header->last_changed == 0;
    header->time_sampling = 0;
    if (status == ABC_OK && info & 0x100)
        status = get_number(from, width, &header->time_sampling, "number of the time sampling", error);
    return status;
}

AbcStatus abc_format_get_property(FormatCursor *from, const MetadataTable *table, PropertyHeader *header,
                                  AbcError *error) {
    *header = (PropertyHeader){0};
    uint32_t info, name_size, width;
    uint64_t start = place(from);
    AbcStatus status = get_number(from, 2, &info, "header of a property", error);
    if (status)
        return status;
    width = info >> 2 & 3;
    header->four_byte_numbers = width == 2;
    header->kind = (info & 3) == 0 ? PROPERTY_COMPOUND : (info & 3) == 1 ? PROPERTY_SCALAR : PROPERTY_ARRAY;
    if (header->kind != PROPERTY_COMPOUND) {
        uint32_t pod = info >> 4 & 15;
        header->extent = info >> 12 & 255;
        if (pod > ABC_WSTRING || header->extent == 0)
            return abc_fail_at(error, start, "The property has the unknown type %" PRIu32 " of extent %" PRIu32 ".",
                               pod, header->extent);
        header->pod = (AbcPod)pod;
        header->homogeneous = (info & 0x400) != 0;
        status = get_sampling(from, info, width, header, error);
        if (status)
            return status;
    }
    status = get_number(from, width, &name_size, "size of a property's name", error);
    if (status == ABC_OK)
        status = get_name(from, name_size, &header->name, "name of a property", error);
    if (status)
        return status;
    header->name_size = name_size;
    header->metadata_inline = (info >> 20 & 255) == METADATA_INLINE;
    return get_metadata(from, table, info >> 20 & 255, width, &header->metadata, &header->metadata_size, error);
}

AbcStatus abc_format_get_object(FormatCursor *from, const MetadataTable *table, ObjectHeader *header, AbcError *error) {
    *header = (ObjectHeader){0};
    uint32_t name_size, number;
    AbcStatus status = get_number(from, 2, &name_size, "size of an object's name", error);
    if (status == ABC_OK)
        status = get_name(from, name_size, &header->name, "name of an object", error);
    if (status == ABC_OK)
        status = get_number(from, 0, &number, "metadata of an object", error);
    if (status)
        return status;
    header->name_size = name_size;
    return get_metadata(from, table, number, 2, &header->metadata, &header->metadata_size, error);
}

/* Times are finite and increase; a cycle is longer than 0 and than the span of its times. */
static AbcStatus check_times(const AbcTimeSampling *sampling, uint64_t start, AbcError *error) {
    for (uint32_t i = 0; i < sampling->time_count; ++i)
        if (!isfinite(sampling->times[i]) || (i > 0 && sampling->times[i] < sampling->times[i - 1]))
            return abc_fail_at(error, start,
                               "Time number %" PRIu32 " of a time sampling is not finite or not increasing.", i);
    if (sampling->kind != ABC_ACYCLIC && !(sampling->cycle_seconds > 0 && isfinite(sampling->cycle_seconds)))
        return abc_fail_at(error, start, "A time sampling has a cycle of %g seconds.", sampling->cycle_seconds);
    return ABC_OK;
}

AbcStatus abc_format_get_time_sampling(FormatCursor *from, AbcTimeSampling *sampling, double **times,
                                       uint32_t *sample_count, AbcError *error) {
    *sampling = (AbcTimeSampling){0};
    *times = NULL;
    uint64_t start = place(from);
    AbcStatus status = need(from, 16, "time sampling", error);
    if (status)
        return status;
    const uint8_t *bytes = from->bytes + from->offset;
    *sample_count = get_u32(bytes);
    double cycle = get_f64(bytes + 4);
    uint32_t count = get_u32(bytes + 12);
    from->offset += 16;
    status = need(from, 8 * (uint64_t)count, "times of a time sampling", error);
    if (status)
        return status;
    if (count == 0)
        return abc_fail_at(error, start, "A time sampling has no times.");
    double *list = malloc(count * sizeof *list);
    if (!list)
        return abc_fail_memory(error, "the times of a time sampling");
    for (uint32_t i = 0; i < count; ++i)
        list[i] = get_f64(from->bytes + from->offset + 8 * (size_t)i);
    from->offset += 8 * (size_t)count;
    sampling->kind = cycle == FORMAT_ACYCLIC ? ABC_ACYCLIC : count == 1 ? ABC_UNIFORM : ABC_CYCLIC;
    sampling->cycle_seconds = sampling->kind == ABC_ACYCLIC ? 0 : cycle;
    sampling->time_count = count;
    sampling->times = list;
    status = check_times(sampling, start, error);
    if (status)
        free(list);
    else
        *times = list;
    return status;
}

AbcStatus abc_format_get_metadata_table(FormatCursor *from, MetadataTable *table, AbcError *error) {
    abc_metadata_table_start(table);
    while (from->offset < from->size) {
        const char *text;
        uint32_t size;
        if (table->count == METADATA_INLINE)
            return abc_fail_at(error, place(from), "The archive has more than 254 indexed metadata.");
        AbcStatus status = get_number(from, 0, &size, "size of indexed metadata", error);
        if (status == ABC_OK)
            status = get_text(from, size, &text, "indexed metadata", error);
        if (status)
            return status;
        char *copy = abc_text_copy_length(text, size);
        if (!copy)
            return abc_fail_memory(error, "the indexed metadata");
        table->texts[table->count] = copy;
        table->sizes[table->count++] = size;
    }
    return ABC_OK;
}

uint32_t abc_format_entry_of_sample(const PropertyHeader *header, uint32_t sample) {
    if (header->constant || sample < header->first_changed)
        return 0;
    uint32_t last = sample < header->last_changed ? sample : header->last_changed;
    return last - header->first_changed + 1;
}

const char *abc_metadata_find(const char *metadata, size_t size, const char *key, size_t *value_size) {
    size_t key_size = strlen(key);
    for (size_t start = 0; start < size;) {
        const char *semicolon = memchr(metadata + start, ';', size - start);
        size_t end = semicolon ? (size_t)(semicolon - metadata) : size;
        if (end - start > key_size && metadata[start + key_size] == '=' &&
            memcmp(metadata + start, key, key_size) == 0) {
            *value_size = end - start - key_size - 1;
            return metadata + start + key_size + 1;
        }
        start = end + 1;
    }
    return NULL;
}

bool abc_metadata_equals(const char *metadata, size_t size, const char *key, const char *value) {
    size_t value_size;
    const char *found = abc_metadata_find(metadata, size, key, &value_size);
    return found && value_size == strlen(value) && memcmp(found, value, value_size) == 0;
}
