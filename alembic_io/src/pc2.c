/* Point caches, "POINTCACHE2": a head of 32 bytes (magic, version 1, vertices, start, rate, samples), then
   for every sample the positions as float32. See alembic_io.h. */
#include "abc_bytes.h"
#include "abc_error.h"
#include "abc_os.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { HEAD_SIZE = 32, COUNT_OFFSET = 28, CHUNK_SIZE = 16384 };

struct AbcPc2Writer {
    OsFile file;
    char *path;
    uint32_t vertex_count, sample_count;
    float chunk[3 * CHUNK_SIZE];
};

static void pc2_free(AbcPc2Writer *writer) {
    abc_os_close(&writer->file);
    free(writer->path);
    free(writer);
}

AbcStatus abc_pc2_create(AbcPc2Writer **out, const char *path, uint32_t vertex_count, float start_frame,
                         float sample_rate, AbcError *error) {
    *out = NULL;
    if (!path || !isfinite(start_frame) || !(sample_rate > 0) || !isfinite(sample_rate))
        return abc_fail(error, ABC_ERR_ARGUMENT,
                        "A point cache needs a path, a start frame and a positive sample rate.");
    AbcPc2Writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return abc_fail_memory(error, "the point cache");
    writer->file.handle = OS_NO_FILE;
    writer->path = abc_text_copy(path);
    if (!writer->path) {
        pc2_free(writer);
        return abc_fail_memory(error, "the point cache");
    }
    writer->vertex_count = vertex_count;
    uint8_t head[HEAD_SIZE] = "POINTCACHE2";
    uint32_t bits[2];
    memcpy(&bits[0], &start_frame, 4);
    memcpy(&bits[1], &sample_rate, 4);
    put_u32(head + 12, 1);
    put_u32(head + 16, vertex_count);
    put_u32(head + 20, bits[0]);
    put_u32(head + 24, bits[1]);
    int failed = abc_os_create(&writer->file, path);
    if (!failed)
        failed = abc_os_write_at(writer->file, 0, head, sizeof head);
    if (failed) {
        pc2_free(writer);
        return abc_fail_io(error, failed, "Cannot create", path);
    }
    *out = writer;
    return ABC_OK;
}

AbcStatus abc_pc2_sample(AbcPc2Writer *writer, AbcVec3Array positions, AbcError *error) {
    if (writer->vertex_count > 0 && !positions.f32 == !positions.f64)
        return abc_fail(error, ABC_ERR_ARGUMENT, "Positions must be given once, as float32 or as float64.");
    uint64_t end = HEAD_SIZE + 12 * (uint64_t)writer->vertex_count * writer->sample_count;
    uint8_t count[4];
    int failed = 0;
    for (uint32_t start = 0, part; !failed && start < writer->vertex_count; start += part) {
        part = writer->vertex_count - start < CHUNK_SIZE ? writer->vertex_count - start : CHUNK_SIZE;
        for (size_t i = 0; i < 3 * (size_t)part; ++i) {
            size_t from = 3 * (size_t)start + i;
            writer->chunk[i] = positions.f32 ? positions.f32[from] : (float)positions.f64[from];
            if (!isfinite(writer->chunk[i]))
                return abc_fail(error, ABC_ERR_ARGUMENT,
                                "The position of vertex %zu is not a finite number of float32.", from / 3);
        }
        if (!bytes_are_native()) {
            uint8_t *bytes = (uint8_t *)writer->chunk;
            for (size_t i = 0; i < 3 * (size_t)part; ++i) {
                uint32_t bits;
                memcpy(&bits, bytes + 4 * i, 4);
                put_u32(bytes + 4 * i, bits);
            }
        }
        failed = abc_os_write_at(writer->file, end + 12 * (uint64_t)start, writer->chunk, 12 * (size_t)part);
    }
    put_u32(count, writer->sample_count + 1);
    if (!failed)
        failed = abc_os_write_at(writer->file, COUNT_OFFSET, count, sizeof count);
    if (failed)
        return abc_fail_io(error, failed, "Cannot write to", writer->path);
    ++writer->sample_count;
    return ABC_OK;
}

AbcStatus abc_pc2_close(AbcPc2Writer *writer, AbcError *error) {
    if (!writer)
        return ABC_OK;
    int failed = abc_os_flush(writer->file);
    if (failed)
        abc_fail_io(error, failed, "Cannot flush", writer->path);
    pc2_free(writer);
    return failed ? ABC_ERR_IO : ABC_OK;
}
