/* Layer 1, writing: append blocks, patch links. See ogawa_write.h. */
#include "ogawa_write.h"

#include "abc_bytes.h"

#include <stdlib.h>

static AbcStatus sink_prepare(OgawaSink *sink, const char *path, AbcError *error) {
    *sink = (OgawaSink){.file = {OS_NO_FILE}};
    sink->path = abc_text_copy(path);
    sink->staging = malloc(SAMPLE_HEAD_SIZE + OGAWA_STAGING_SIZE);
    if (!sink->path || !sink->staging) {
        ogawa_sink_close(sink, NULL);
        return abc_fail_memory(error, "the buffers of the writer");
    }
    return ABC_OK;
}

AbcStatus ogawa_sink_create(OgawaSink *sink, const char *path, AbcError *error) {
    AbcStatus status = sink_prepare(sink, path, error);
    if (status)
        return status;
    int failed = abc_os_create(&sink->file, path);
    if (failed) {
        ogawa_sink_close(sink, NULL);
        return failed == OS_BUSY ? abc_fail_busy(error, path) : abc_fail_io(error, failed, "Cannot create", path);
    }
    const uint8_t head[OGAWA_HEAD_SIZE] = {'O', 'g', 'a', 'w', 'a', 0xff, 0, 1};
    uint64_t position;
    status = ogawa_append(sink, head, sizeof head, &position, error);
    if (status)
        ogawa_sink_close(sink, NULL);
    return status;
}

AbcStatus ogawa_sink_update(OgawaSink *sink, const char *path, AbcError *error) {
    AbcStatus status = sink_prepare(sink, path, error);
    if (status)
        return status;
    int failed = abc_os_open_update(&sink->file, path);
    if (!failed)
        failed = abc_os_size(sink->file, &sink->end);
    if (failed) {
        ogawa_sink_close(sink, NULL);
        return failed == OS_BUSY ? abc_fail_busy(error, path)
                                 : abc_fail_io(error, failed, "Cannot open for writing", path);
    }
    return ABC_OK;
}

AbcStatus ogawa_sink_close(OgawaSink *sink, AbcError *error) {
    int failed = abc_os_close(&sink->file);
    AbcStatus status = failed ? abc_fail_io(error, failed, "Cannot close", sink->path) : ABC_OK;
    abc_sample_map_free(&sink->samples);
    free(sink->staging);
    free(sink->path);
    *sink = (OgawaSink){.file = {OS_NO_FILE}};
    return status;
}

AbcStatus ogawa_write_at(OgawaSink *sink, uint64_t position, const void *bytes, size_t size, AbcError *error) {
    int failed = abc_os_write_at(sink->file, position, bytes, size);
    if (failed)
        return abc_fail_io(error, failed, "Cannot write to", sink->path);
    return ABC_OK;
}

AbcStatus ogawa_append(OgawaSink *sink, const void *bytes, size_t size, uint64_t *position, AbcError *error) {
    AbcStatus status = ogawa_write_at(sink, sink->end, bytes, size, error);
    if (status)
        return status;
    *position = sink->end;
    sink->end += size;
    return ABC_OK;
}

AbcStatus ogawa_flush(OgawaSink *sink, AbcError *error) {
    int failed = abc_os_flush(sink->file);
    return failed ? abc_fail_io(error, failed, "Cannot flush", sink->path) : ABC_OK;
}

AbcStatus ogawa_truncate(OgawaSink *sink, uint64_t size, AbcError *error) {
    int failed = abc_os_truncate(sink->file, size);
    if (failed)
        return abc_fail_io(error, failed, "Cannot shorten", sink->path);
    sink->end = size;
    return ABC_OK;
}

void ogawa_sample_start(OgawaSink *sink) {
    sink->staged = 0;
    sink->sample_size = 0;
    abc_digest_start(&sink->digest);
}

/* Writes the next bytes of the sample that begins at `end`. */
static AbcStatus write_values(OgawaSink *sink, const void *bytes, size_t size, AbcError *error) {
    uint64_t position = sink->end + SAMPLE_HEAD_SIZE + sink->sample_size;
    sink->sample_size += size;
    return ogawa_write_at(sink, position, bytes, size, error);
}

AbcStatus ogawa_sample_add(OgawaSink *sink, const void *bytes, size_t size, AbcError *error) {
    abc_digest_add(&sink->digest, bytes, size);
    return ogawa_sample_write(sink, bytes, size, error);
}

AbcStatus ogawa_sample_write(OgawaSink *sink, const void *bytes, size_t size, AbcError *error) {
    /* collect less than a full buffer, write more directly */
    if (size < OGAWA_STAGING_SIZE - sink->staged) {
        if (size)
            memcpy(sink->staging + SAMPLE_HEAD_SIZE + sink->staged, bytes, size);
        sink->staged += size;
        return ABC_OK;
    }
    AbcStatus status = write_values(sink, sink->staging + SAMPLE_HEAD_SIZE, sink->staged, error);
    sink->staged = 0;
    return status ? status : write_values(sink, bytes, size, error);
}

bool ogawa_sample_skip(OgawaSink *sink, uint64_t size) {
    if (abc_sample_map_find(&sink->samples, abc_digest_finish(&sink->digest), size) == 0)
        return false;
    sink->sample_size = size;
    return true;
}

AbcStatus ogawa_sample_finish(OgawaSink *sink, uint64_t *link, Digest *digest, AbcError *error) {
    uint64_t size = sink->sample_size + sink->staged;
    *digest = abc_digest_finish(&sink->digest);
    if (size == 0) {
        *link = OGAWA_EMPTY_DATA;
        return ABC_OK;
    }
    uint64_t known = abc_sample_map_find(&sink->samples, *digest, size);
    if (known) {
        *link = known | OGAWA_DATA_BIT;
        return ABC_OK;
    }
    put_u64(sink->staging, size + 16);
    put_u64(sink->staging + 8, digest->words[0]);
    put_u64(sink->staging + 16, digest->words[1]);
    /* write a short sample with its header; of a long one the header and the rest */
    AbcStatus status;
    if (sink->sample_size == 0) {
        status = ogawa_write_at(sink, sink->end, sink->staging, SAMPLE_HEAD_SIZE + sink->staged, error);
    } else {
        status = ogawa_write_at(sink, sink->end, sink->staging, SAMPLE_HEAD_SIZE, error);
        if (status == ABC_OK)
            status = write_values(sink, sink->staging + SAMPLE_HEAD_SIZE, sink->staged, error);
    }
    if (status)
        return status;
    if (!abc_sample_map_add(&sink->samples, (StoredSample){*digest, size, sink->end}))
        return abc_fail_memory(error, "the table of samples");
    *link = sink->end | OGAWA_DATA_BIT;
    sink->end = ogawa_align(sink->end + SAMPLE_HEAD_SIZE + size);
    sink->payload += size;
    return ABC_OK;
}

uint64_t ogawa_align(uint64_t position) {
    return (position + 7) & ~(uint64_t)7;
}
