/* Layer 2, reading: values of samples, and the public calls for any property. See reader.h. */
#include "reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Bytes that are converted at a time: whole pods of every size. */
enum { CONVERT_SIZE = 8192 };

static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31;
    double fraction = (bits & 1023) / 1024.0;
    double value = exponent == 0    ? ldexp(fraction, -14)
                   : exponent == 31 ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                                    : ldexp(1 + fraction, exponent - 15);
    return bits & 0x8000 ? -value : value;
}

static double pod_value(AbcPod pod, const uint8_t *b) {
    switch (pod) {
    case ABC_BOOL:
        return b[0] != 0;
    case ABC_UINT8:
        return b[0];
    case ABC_INT8:
        return (int8_t)b[0];
    case ABC_UINT16:
        return get_u16(b);
    case ABC_INT16:
        return (int16_t)get_u16(b);
    case ABC_UINT32:
        return get_u32(b);
    case ABC_INT32:
        return (int32_t)get_u32(b);
    case ABC_UINT64:
        return (double)get_u64(b);
    case ABC_INT64:
        return (double)(int64_t)get_u64(b);
    case ABC_FLOAT16:
        return half_value(get_u16(b));
    case ABC_FLOAT32:
        return (double)get_f32(b);
    case ABC_FLOAT64:
        return get_f64(b);
    case ABC_STRING:
    case ABC_WSTRING:
        break;
    }
    return 0;
}

/* Reads pods piece by piece into one of two arrays; the other is NULL. */
static AbcStatus convert(AbcReader *reader, const ReaderProperty *property, OgawaData values, size_t first,
                         double *doubles, float *floats, size_t count, AbcError *error) {
    uint8_t bytes[CONVERT_SIZE];
    uint32_t width = abc_format_pod_size(property->header.pod);
    if (width == 0)
        return abc_fail(error, ABC_ERR_UNSUPPORTED, "The property \"%.100s\" holds text, not numbers.",
                        property->header.name);
    for (size_t done = 0; done < count;) {
        size_t part = count - done < CONVERT_SIZE / width ? count - done : CONVERT_SIZE / width;
        AbcStatus status = ogawa_read(&reader->source, values.position + (first + done) * width, bytes, part * width,
                                      property->header.name, error);
        if (status)
            return status;
        for (size_t i = 0; i < part; ++i) {
            double value = pod_value(property->header.pod, bytes + i * width);
            if (doubles)
                doubles[done + i] = value;
            else
                floats[done + i] = (float)value;
        }
        done += part;
    }
    return ABC_OK;
}

AbcStatus abcr_floats(AbcReader *reader, const ReaderProperty *property, OgawaData values, size_t first, float *to,
                      size_t count, AbcError *error) {
    if (property->header.pod == ABC_FLOAT32 && bytes_are_native())
        return ogawa_read(&reader->source, values.position + 4 * first, to, 4 * count, property->header.name, error);
    return convert(reader, property, values, first, NULL, to, count, error);
}

AbcStatus abcr_doubles(AbcReader *reader, const ReaderProperty *property, OgawaData values, size_t first, double *to,
                       size_t count, AbcError *error) {
    if (property->header.pod == ABC_FLOAT64 && bytes_are_native())
        return ogawa_read(&reader->source, values.position + 8 * first, to, 8 * count, property->header.name, error);
    return convert(reader, property, values, first, to, NULL, count, error);
}

AbcStatus abcr_int32s(AbcReader *reader, const ReaderProperty *property, OgawaData values, int32_t *to, size_t count,
                      AbcError *error) {
    if (property->header.pod == ABC_INT32 && bytes_are_native())
        return ogawa_read(&reader->source, values.position, to, 4 * count, property->header.name, error);
    double part[256];
    for (size_t done = 0; done < count;) {
        size_t size = count - done < 256 ? count - done : 256;
        AbcStatus status = abcr_doubles(reader, property, values, done, part, size, error);
        if (status)
            return status;
        for (size_t i = 0; i < size; ++i) {
            if (!(part[i] >= INT32_MIN && part[i] <= INT32_MAX))
                return abc_fail_at(error, values.position, "Value %zu of \"%.100s\" does not fit 32 bits.", done + i,
                                   property->header.name);
            to[done + i] = (int32_t)part[i];
        }
        done += size;
    }
    return ABC_OK;
}

static AbcScope scope_of(const PropertyHeader *header) {
    static const char *const names[] = {"con", "uni", "var", "vtx", "fvr"};
    size_t size;
    const char *scope = abc_metadata_find(header->metadata, header->metadata_size, "geoScope", &size);
    if (!scope || size == 0)
        return ABC_SCOPE_CONSTANT;
    for (int i = 0; i < 5; ++i)
        if (size == 3 && memcmp(scope, names[i], 3) == 0)
            return (AbcScope)i;
    return ABC_SCOPE_UNKNOWN;
}

static void property_info(const ReaderProperty *property, AbcPropertyInfo *info) {
    const PropertyHeader *header = &property->header;
    *info = (AbcPropertyInfo){.name = header->name,
                              .metadata = header->metadata,
                              .compound = header->kind == PROPERTY_COMPOUND,
                              .scalar = header->kind == PROPERTY_SCALAR,
                              .pod = header->pod,
                              .extent = header->extent,
                              .sample_count = header->sample_count,
                              .time_sampling = header->time_sampling,
                              .constant = header->constant,
                              .scope = scope_of(header)};
}

AbcStatus abc_reader_property(AbcReader *reader, uint32_t object, const char *path, AbcPropertyInfo *info,
                              AbcError *error) {
    ReaderProperty *property;
    AbcStatus status = abcr_find(reader, object, path, &property, error);
    if (status == ABC_OK)
        property_info(property, info);
    return status;
}

AbcStatus abc_reader_property_at(AbcReader *reader, uint32_t object, const char *path, uint32_t index,
                                 AbcPropertyInfo *info, AbcError *error) {
    ReaderCompound *compound;
    AbcStatus status;
    if (*path) {
        ReaderProperty *property;
        status = abcr_find(reader, object, path, &property, error);
        if (status)
            return status;
        if (property->header.kind != PROPERTY_COMPOUND)
            return abc_fail(error, ABC_ERR_NOT_FOUND, "The property \"%.100s\" is no compound.", path);
        status = abcr_inside(reader, property, &compound, error);
    } else {
        status = abcr_top(reader, object, &compound, error);
    }
    if (status)
        return status;
    if (index >= compound->count)
        return abc_fail(error, ABC_ERR_NOT_FOUND, "\"%.100s\" has %" PRIu32 " properties.", path, compound->count);
    property_info(&compound->properties[index], info);
    return ABC_OK;
}

/* Finds a property and the values of one of its samples. */
static AbcStatus find_sample(AbcReader *reader, uint32_t object, const char *path, uint32_t sample,
                             ReaderProperty **property, OgawaData *values, AbcError *error) {
    AbcStatus status = abcr_find(reader, object, path, property, error);
    return status ? status : abcr_sample(reader, *property, sample, values, error);
}

AbcStatus abc_reader_property_size(AbcReader *reader, uint32_t object, const char *path, uint32_t sample, size_t *count,
                                   AbcError *error) {
    ReaderProperty *property;
    OgawaData values;
    AbcStatus status = find_sample(reader, object, path, sample, &property, &values, error);
    if (status)
        return status;
    *count = abc_format_pod_size(property->header.pod) ? abcr_pod_count(property, values) : (size_t)values.size;
    return ABC_OK;
}

AbcStatus abc_reader_property_doubles(AbcReader *reader, uint32_t object, const char *path, uint32_t sample, double *to,
                                      size_t capacity, AbcError *error) {
    ReaderProperty *property;
    OgawaData values;
    AbcStatus status = find_sample(reader, object, path, sample, &property, &values, error);
    if (status)
        return status;
    size_t count = abcr_pod_count(property, values);
    if (count > capacity)
        return abc_fail(error, ABC_ERR_ARGUMENT, "\"%.100s\" has %zu values; there is room for %zu.", path, count,
                        capacity);
    return abcr_doubles(reader, property, values, 0, to, count, error);
}

AbcStatus abc_reader_property_text(AbcReader *reader, uint32_t object, const char *path, uint32_t sample, char *text,
                                   size_t capacity, AbcError *error) {
    ReaderProperty *property;
    OgawaData values;
    AbcStatus status = find_sample(reader, object, path, sample, &property, &values, error);
    if (status)
        return status;
    if (property->header.pod != ABC_STRING)
        return abc_fail(error, ABC_ERR_UNSUPPORTED, "The property \"%.100s\" is no text.", path);
    if (values.size > capacity || capacity == 0)
        return abc_fail(error, ABC_ERR_ARGUMENT, "\"%.100s\" has %" PRIu64 " bytes; there is room for %zu.", path,
                        values.size, capacity);
    status = ogawa_read(&reader->source, values.position, text, (size_t)values.size, path, error);
    if (status)
        return status;
    /* an empty sample is the empty text */
    if (values.size == 0)
        text[0] = '\0';
    else if (text[values.size - 1] != '\0')
        return abc_fail_at(error, values.position, "The text of \"%.100s\" does not end with a zero byte.", path);
    return ABC_OK;
}

AbcStatus abc_reader_user_string(AbcReader *reader, uint32_t object, const char *name, char *text, size_t capacity,
                                 size_t *byte_count, AbcError *error) {
    if (object >= reader->object_count)
        return abc_fail(error, ABC_ERR_NOT_FOUND, "There is no object number %" PRIu32 " in the archive.", object);
    if (strlen(name) > 400 || strchr(name, '/'))
        return abc_fail(error, ABC_ERR_ARGUMENT, "\"%.100s\" cannot be the name of a user property.", name);
    AbcSchema schema = reader->objects[object].schema;
    const char *compound = schema == ABC_SCHEMA_NONE      ? ""
                           : schema == ABC_SCHEMA_XFORM   ? ".xform/"
                           : schema == ABC_SCHEMA_FACESET ? ".faceset/"
                                                          : ".geom/";
    char path[512];
    snprintf(path, sizeof path, "%s.userProperties/%s", compound, name);
    AbcStatus status = abc_reader_property_size(reader, object, path, 0, byte_count, error);
    if (status == ABC_OK && *byte_count == 0)
        *byte_count = 1;
    if (status || !text)
        return status;
    return abc_reader_property_text(reader, object, path, 0, text, capacity, error);
}
