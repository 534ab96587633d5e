/* Layer 2, reading: opening an archive. See reader.h. */
#include "reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

AbcReaderDesc abc_reader_desc_default(void) {
    return (AbcReaderDesc){0};
}

/* A copy of the value of a key of the archive's metadata, "" if absent. */
static char *metadata_copy(const char *metadata, const char *key) {
    size_t size = 0;
    const char *value = abc_metadata_find(metadata, strlen(metadata), key, &size);
    return abc_text_copy_length(value ? value : "", size);
}

static AbcStatus load_metadata(AbcReader *reader, OgawaGroup root, AbcError *error) {
    OgawaData data;
    uint8_t *bytes;
    AbcStatus status = ogawa_child_data(&reader->source, root, ROOT_METADATA, &data, "metadata of the archive", error);
    if (status == ABC_OK)
        status = ogawa_load(&reader->source, data, &bytes, "metadata of the archive", error);
    if (status)
        return status;
    reader->metadata = (char *)bytes;
    reader->application = metadata_copy(reader->metadata, "_ai_Application");
    reader->description = metadata_copy(reader->metadata, "_ai_Description");
    reader->date = metadata_copy(reader->metadata, "_ai_DateWritten");
    char *fps = metadata_copy(reader->metadata, "_ai_DCC_FPS");
    if (!reader->application || !reader->description || !reader->date || !fps) {
        free(fps);
        return abc_fail_memory(error, "the metadata of the archive");
    }
    reader->fps = strtod(fps, NULL);
    if (!isfinite(reader->fps) || reader->fps < 0)
        reader->fps = 0;
    free(fps);
    return ABC_OK;
}

static AbcStatus load_times(AbcReader *reader, OgawaGroup root, AbcError *error) {
    OgawaData data;
    uint8_t *bytes;
    AbcStatus status = ogawa_child_data(&reader->source, root, ROOT_TIMES, &data, "list of time samplings", error);
    if (status == ABC_OK)
        status = ogawa_load(&reader->source, data, &bytes, "list of time samplings", error);
    if (status)
        return status;
    FormatCursor cursor = {bytes, (size_t)data.size, 0, data.position};
    while (status == ABC_OK && cursor.offset < cursor.size) {
        ReaderTimeSampling *samplings =
            abc_array_grow(reader->samplings, &reader->sampling_capacity, reader->sampling_count, sizeof *samplings);
        if (!samplings) {
            status = abc_fail_memory(error, "the time samplings");
            break;
        }
        reader->samplings = samplings;
        ReaderTimeSampling *next = &reader->samplings[reader->sampling_count];
        next->count_position = data.position + cursor.offset;
        status = abc_format_get_time_sampling(&cursor, &next->sampling, &next->times, &next->sample_count, error);
        reader->sampling_count += status == ABC_OK;
    }
    free(bytes);
    return status;
}

static AbcStatus load_metadata_table(AbcReader *reader, OgawaGroup root, AbcError *error) {
    OgawaData data;
    uint8_t *bytes;
    AbcStatus status = ogawa_child_data(&reader->source, root, ROOT_INDEXED_METADATA, &data, "indexed metadata", error);
    if (status == ABC_OK)
        status = ogawa_load(&reader->source, data, &bytes, "indexed metadata", error);
    if (status)
        return status;
    status = abc_format_get_metadata_table(&(FormatCursor){bytes, (size_t)data.size, 0, data.position},
                                           &reader->metadata_table, error);
    free(bytes);
    return status;
}

/* The two version numbers at the start of the root group. */
static AbcStatus load_versions(AbcReader *reader, OgawaGroup root, AbcError *error) {
    int32_t versions[2];
    for (int i = 0; i < 2; ++i) {
        OgawaData data;
        uint8_t bytes[4];
        AbcStatus status = ogawa_child_data(&reader->source, root, (uint64_t)i, &data, "version of the archive", error);
        if (status)
            return status;
        if (data.size != sizeof bytes)
            return abc_fail_at(error, data.position, "The version of the archive has %" PRIu64 " bytes instead of 4.",
                               data.size);
        status = ogawa_read(&reader->source, data.position, bytes, sizeof bytes, "version of the archive", error);
        if (status)
            return status;
        versions[i] = (int32_t)get_u32(bytes);
    }
    if (versions[ROOT_VERSION] != 0 || versions[ROOT_LIBRARY] < 9999)
        return abc_fail(error, ABC_ERR_UNSUPPORTED,
                        "The archive has version %" PRId32 " of the format, written by Alembic %" PRId32
                        "; version 0 by Alembic 9999 or later is known.",
                        versions[ROOT_VERSION], versions[ROOT_LIBRARY]);
    reader->library_version = versions[ROOT_LIBRARY];
    return ABC_OK;
}

static AbcStatus load_archive(AbcReader *reader, AbcError *error) {
    OgawaGroup root, top;
    AbcStatus status = ogawa_root(&reader->source, &root, error);
    if (status == ABC_OK && root.child_count < ROOT_CHILD_COUNT)
        status = abc_fail_at(error, root.position, "The root group has %" PRIu64 " children; an archive has %d.",
                             root.child_count, ROOT_CHILD_COUNT);
    if (status == ABC_OK)
        status = load_versions(reader, root, error);
    if (status == ABC_OK)
        status = load_metadata(reader, root, error);
    if (status == ABC_OK)
        status = load_times(reader, root, error);
    if (status == ABC_OK)
        status = load_metadata_table(reader, root, error);
    if (status == ABC_OK)
        status = ogawa_child_group(&reader->source, root, ROOT_TOP, &top, "top object", error);
    return status ? status : abcr_load_objects(reader, top, error);
}

/* Takes ownership of an opened source. */
static AbcStatus finish_open(AbcReader **out, OgawaSource source, const AbcReaderDesc *desc, bool instances,
                             AbcError *error) {
    AbcReader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        ogawa_close(&source);
        return abc_fail_memory(error, "the reader");
    }
    reader->source = source;
    reader->counter_clockwise = desc && desc->counter_clockwise;
    abc_metadata_table_start(&reader->metadata_table);
    AbcStatus status = load_archive(reader, error);
    if (status == ABC_OK && instances)
        status = abcr_load_instances(reader, error);
    if (status) {
        abc_reader_close(reader);
        return status;
    }
    *out = reader;
    return ABC_OK;
}

AbcStatus abc_reader_open(AbcReader **out, const char *path, const AbcReaderDesc *desc, AbcError *error) {
    *out = NULL;
    OgawaSource source;
    AbcStatus status = ogawa_open_file(&source, path, desc && desc->memory_map, error);
    return status ? status : finish_open(out, source, desc, true, error);
}

AbcStatus abcr_open_plain(AbcReader **out, const char *path, AbcError *error) {
    *out = NULL;
    OgawaSource source;
    AbcStatus status = ogawa_open_file(&source, path, false, error);
    return status ? status : finish_open(out, source, NULL, false, error);
}

AbcStatus abc_reader_open_memory(AbcReader **out, const void *bytes, size_t byte_count, const AbcReaderDesc *desc,
                                 AbcError *error) {
    *out = NULL;
    OgawaSource source;
    AbcStatus status = ogawa_open_memory(&source, bytes, byte_count, error);
    return status ? status : finish_open(out, source, desc, true, error);
}

void abc_reader_close(AbcReader *reader) {
    if (!reader)
        return;
    abcr_free_objects(reader);
    for (size_t i = 0; i < reader->sampling_count; ++i)
        free(reader->samplings[i].times);
    free(reader->samplings);
    abc_metadata_table_free(&reader->metadata_table);
    free(reader->metadata);
    free(reader->application);
    free(reader->description);
    free(reader->date);
    ogawa_close(&reader->source);
    free(reader);
}

void abc_reader_archive_info(const AbcReader *reader, AbcArchiveInfo *info) {
    *info = (AbcArchiveInfo){.application = reader->application,
                             .description = reader->description,
                             .date = reader->date,
                             .metadata = reader->metadata,
                             .fps = reader->fps,
                             .library_version = reader->library_version,
                             .object_count = (uint32_t)reader->object_count,
                             .time_sampling_count = (uint32_t)reader->sampling_count,
                             .byte_count = reader->source.size};
    bool any = false;
    for (size_t i = 0; i < reader->sampling_count; ++i) {
        const ReaderTimeSampling *s = &reader->samplings[i];
        if (s->sample_count < 2)
            continue;
        double first = abc_sample_time(&s->sampling, 0), last = abc_sample_time(&s->sampling, s->sample_count - 1);
        info->first_time = any ? fmin(info->first_time, first) : first;
        info->last_time = any ? fmax(info->last_time, last) : last;
        any = true;
    }
}

AbcStatus abc_reader_time_sampling(const AbcReader *reader, uint32_t number, AbcTimeSampling *sampling) {
    if (number >= reader->sampling_count)
        return ABC_ERR_NOT_FOUND;
    *sampling = reader->samplings[number].sampling;
    return ABC_OK;
}
