/* Layer 2, writing: creating and closing a writer, objects and properties. See writer.h. */
#include "writer.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

AbcWriterDesc abc_writer_desc_default(void) {
    return (AbcWriterDesc){0};
}

AbcStatus abcw_alloc(AbcWriter **writer, AbcError *error) {
    *writer = calloc(1, sizeof **writer);
    if (!*writer)
        return abc_fail_memory(error, "the writer");
    (*writer)->sink.file.handle = OS_NO_FILE;
    (*writer)->archive_bounds = NO_PROPERTY;
    (*writer)->chunk = malloc(3 * VEC3_CHUNK * sizeof *(*writer)->chunk);
    if (!(*writer)->chunk) {
        abcw_free(*writer);
        *writer = NULL;
        return abc_fail_memory(error, "the writer");
    }
    return ABC_OK;
}

void abcw_free(AbcWriter *writer) {
    abcw_undo(writer, (WriterMark){0});
    for (size_t i = 0; i < writer->sampling_count; ++i)
        free(writer->samplings[i].times);
    ogawa_sink_close(&writer->sink, NULL);
    free(writer->objects);
    free(writer->properties);
    free(writer->samplings);
    free(writer->final_path);
    free(writer->metadata);
    free(writer->patch);
    free(writer->patch_next);
    free(writer->chunk);
    free(writer);
}

/* Appends "key=value"; values with ';' or '=' cannot be stored. */
static AbcStatus put_metadata(ByteBuffer *text, const char *key, const char *value, AbcError *error) {
    if (!value)
        return ABC_OK;
    if (strpbrk(value, ";="))
        return abc_fail(error, ABC_ERR_ARGUMENT, "The archive's %s \"%s\" holds ';' or '=': leave them out.", key + 4,
                        value);
    if (text->size)
        abc_buffer_u8(text, ';');
    abc_buffer_bytes(text, key, strlen(key));
    abc_buffer_u8(text, '=');
    abc_buffer_bytes(text, value, strlen(value));
    return ABC_OK;
}

static AbcStatus archive_metadata(const AbcWriterDesc *desc, char **metadata, AbcError *error) {
    ByteBuffer text = {0};
    char fps[32];
    snprintf(fps, sizeof fps, "%.17g", desc->fps);
    if (!isfinite(desc->fps) || desc->fps < 0)
        return abc_fail(error, ABC_ERR_ARGUMENT, "%s frames per second is not possible: give the scene's frame rate.",
                        fps);
    AbcStatus status = put_metadata(&text, "_ai_AlembicVersion", "Alembic 1.8.5 (alembic_io)", error);
    if (status == ABC_OK)
        status = put_metadata(&text, "_ai_Application", desc->application ? desc->application : "alembic_io", error);
    if (status == ABC_OK && desc->fps > 0)
        status = put_metadata(&text, "_ai_DCC_FPS", fps, error);
    if (status == ABC_OK)
        status = put_metadata(&text, "_ai_DateWritten", desc->date, error);
    if (status == ABC_OK)
        status = put_metadata(&text, "_ai_Description", desc->description, error);
    if (status == ABC_OK)
        status = put_metadata(&text, LAYOUT_KEY, LAYOUT_VALUE, error);
    abc_buffer_u8(&text, 0);
    if (status == ABC_OK && text.failed)
        status = abc_fail_memory(error, "the metadata of the archive");
    if (status)
        abc_buffer_free(&text);
    *metadata = (char *)text.data;
    return status;
}

/* The identity sampling and the top object, which every archive has. */
static AbcStatus add_root(AbcWriter *writer, AbcError *error) {
    const double zero = 0;
    uint32_t number;
    AbcStatus status =
        abc_writer_add_time_sampling(writer, &(AbcTimeSampling){ABC_UNIFORM, 1.0, 1, &zero}, &number, error);
    if (status)
        return status;
    WriterObject *root = abcw_new_object(writer);
    if (root) {
        root->name = abc_text_copy("ABC");
        root->path = abc_text_copy("/");
        root->metadata = abc_text_copy("");
    }
    if (!root || !root->name || !root->path || !root->metadata)
        return abc_fail_memory(error, "the top object");
    return ABC_OK;
}

AbcStatus abc_writer_create(AbcWriter **out, const char *path, const AbcWriterDesc *desc, AbcError *error) {
    *out = NULL;
    const AbcWriterDesc defaults = abc_writer_desc_default();
    if (!path || !*path)
        return abc_fail(error, ABC_ERR_ARGUMENT, "No path was given for the archive.");
    AbcWriter *writer;
    AbcStatus status = abcw_alloc(&writer, error);
    if (status)
        return status;
    writer->durability = desc ? desc->durability : defaults.durability;
    size_t length = strlen(path);
    char *draft = malloc(length + sizeof ".part");
    writer->final_path = abc_text_copy(path);
    if (draft && writer->final_path) {
        memcpy(draft, path, length);
        memcpy(draft + length, ".part", sizeof ".part");
        status = archive_metadata(desc ? desc : &defaults, &writer->metadata, error);
        if (status == ABC_OK)
            status = add_root(writer, error);
        if (status == ABC_OK)
            status = ogawa_sink_create(&writer->sink, draft, error);
    } else {
        status = abc_fail_memory(error, "the path of the archive");
    }
    free(draft);
    if (status) {
        abcw_free(writer);
        return status;
    }
    *out = writer;
    return ABC_OK;
}

bool abc_is_being_written(const char *path) {
    return abc_os_is_locked(path);
}

AbcStatus abc_writer_close(AbcWriter *writer, AbcError *error) {
    if (!writer)
        return ABC_OK;
    AbcStatus status = abc_writer_begin(writer, error);
    if (status) {
        abc_writer_abandon(writer);
        return status;
    }
    /* truncate the file after the last commit */
    abc_writer_drop_uncommitted(writer);
    status = abcw_clear_links(writer, error);
    if (status == ABC_OK)
        status = ogawa_truncate(&writer->sink, writer->committed_end, error);
    if (status == ABC_OK)
        status = ogawa_flush(&writer->sink, error);
    AbcStatus closed = ogawa_sink_close(&writer->sink, status ? NULL : error);
    abcw_free(writer);
    return status ? status : closed;
}

void abc_writer_abandon(AbcWriter *writer) {
    if (!writer)
        return;
    if (!writer->begun && writer->sink.path) {
        abc_os_close(&writer->sink.file);
        abc_os_delete(writer->sink.path);
    }
    abcw_free(writer);
}

AbcStatus abc_writer_begin(AbcWriter *writer, AbcError *error) {
    if (writer->begun)
        return ABC_OK;
    bool durable = writer->durability == ABC_SURVIVE_POWER_LOSS;
    AbcStatus status = abcw_write_index(writer, error);
    if (status == ABC_OK && durable)
        status = ogawa_flush(&writer->sink, error);
    if (status)
        return status;
    int failed = abc_os_replace(writer->sink.path, writer->final_path, durable);
    if (failed)
        return abc_fail_io(error, failed, "Cannot put the archive at", writer->final_path);
    free(writer->sink.path);
    writer->sink.path = writer->final_path;
    writer->final_path = NULL;
    writer->begun = true;
    writer->committed_end = writer->sink.end;
    writer->committed_payload = writer->sink.payload;
    writer->committed_samples = writer->sink.samples.count;
    abc_sample_map_keep(&writer->sink.samples);
    return ABC_OK;
}

static bool same_sampling(const AbcTimeSampling *a, const AbcTimeSampling *b) {
    return a->kind == b->kind && a->time_count == b->time_count &&
           (a->kind == ABC_ACYCLIC || a->cycle_seconds == b->cycle_seconds) &&
           memcmp(a->times, b->times, a->time_count * sizeof *a->times) == 0;
}

static AbcStatus check_sampling(const AbcTimeSampling *s, AbcError *error) {
    if (s->time_count == 0 || !s->times || (s->kind == ABC_UNIFORM && s->time_count != 1))
        return abc_fail(error, ABC_ERR_ARGUMENT, "A uniform time sampling has one time, others one or more; %u given.",
                        s->time_count);
    for (uint32_t i = 0; i < s->time_count; ++i)
        if (!isfinite(s->times[i]) || (i > 0 && !(s->times[i] > s->times[i - 1])))
            return abc_fail(error, ABC_ERR_ARGUMENT, "Time number %u of a time sampling is %g: times must increase.", i,
                            s->times[i]);
    if (s->kind != ABC_ACYCLIC &&
        !(isfinite(s->cycle_seconds) && s->cycle_seconds > s->times[s->time_count - 1] - s->times[0]))
        return abc_fail(error, ABC_ERR_ARGUMENT, "A cycle of %g seconds does not hold its %u times.", s->cycle_seconds,
                        s->time_count);
    return ABC_OK;
}

AbcStatus abc_writer_add_time_sampling(AbcWriter *writer, const AbcTimeSampling *sampling, uint32_t *number,
                                       AbcError *error) {
    AbcStatus status = check_sampling(sampling, error);
    if (status)
        return status;
    for (size_t i = 0; i < writer->sampling_count; ++i)
        if (same_sampling(sampling, &writer->samplings[i].sampling)) {
            *number = (uint32_t)i;
            return ABC_OK;
        }
    if (writer->begun)
        return abc_fail(error, ABC_ERR_STATE, "Time samplings are added before abc_writer_begin.");
    AbcStatus added = abcw_new_sampling(writer, sampling, error);
    if (added == ABC_OK)
        *number = (uint32_t)(writer->sampling_count - 1);
    return added;
}

void abc_make_name(char *name, size_t capacity, const char *text) {
    if (capacity == 0)
        return;
    if (!text || !*text)
        text = "unnamed";
    size_t length = strlen(text);
    if (length > capacity - 1) {
        length = capacity - 1;
        /* step back to the first byte of the character that was cut */
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            --length;
    }
    for (size_t i = 0; i < length; ++i) {
        unsigned char c = (unsigned char)text[i];
        name[i] = c < 32 || c == 127 || strchr("/;=", c) ? '_' : (char)c;
    }
    name[length] = '\0';
}

uint32_t abc_writer_find(const AbcWriter *writer, const char *path) {
    for (size_t i = 0; i < writer->object_count; ++i)
        if (strcmp(writer->objects[i].path, path) == 0)
            return (uint32_t)i;
    return ABC_NO_OBJECT;
}

uint32_t abc_writer_sample_count(const AbcWriter *writer, uint32_t object) {
    if (object >= writer->object_count)
        return 0;
    const WriterObject *o = &writer->objects[object];
    PropertyRole role = o->schema == ABC_SCHEMA_XFORM ? ROLE_XFORM_VALUES : ROLE_POSITIONS;
    return o->animated ? writer->properties[o->property[role]].committed : 1;
}

void abc_writer_sizes(const AbcWriter *writer, uint64_t *file_bytes, uint64_t *index_bytes) {
    *file_bytes = writer->sink.end;
    *index_bytes = writer->sink.end - writer->sink.payload;
}
