/* All that the next frame depends on, in a file beside the cache, so that a bake that stopped continues bit for bit.

   The file: a header, then the bytes of each part in the order of for_each_part, then a checksum. It belongs to the
   machine and version that wrote it, and is replaced in one step, so that a crash of the program leaves the one before.
   It is not forced to the disk: neither is the cache, and waiting for the disk would cost more than many a frame. */
#include "bake/bake_internal.h"

#include "base/hash.h"
#include "base/os/os.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Header {
    char magic[8];
    uint64_t input_hash;
    uint64_t body_size;    /* of the parts */
    uint64_t history_size; /* of the integrator's own history, which follows them; then comes the linear solver's */
    uint32_t frames_done, steps_done, damped_steps, reserved;
    Cutting cutting;
    double surplus_energy;
} Header;

static const char MAGIC[8] = {'j', 'n', 'c', 'h', 'e', 'c', 'k', '5'};

/* Calls visit for each piece of memory that makes up the state after a finished frame. */
static bool for_each_part(JnBake *bake, bool (*visit)(void *context, void *data, size_t size), void *context) {
    size_t n = (size_t)bake->vertex_count * 3 * sizeof(double);
    bool ok = visit(context, bake->state.q, n) && visit(context, bake->state.v, n) &&
              visit(context, bake->gravity_from, sizeof bake->gravity_from);
    for (uint32_t c = 0; ok && c < bake->collider_count; ++c)
        ok = visit(context, bake->collider_from[c], sizeof bake->collider_from[c]);
    for (uint32_t b = 0; ok && b < bake->body_count; ++b) {
        Body *body = &bake->bodies[b];
        size_t points = (size_t)body->point_count * 3 * sizeof(double);
        ok = visit(context, body->transform_from, sizeof body->transform_from) &&
             visit(context, &body->keys_from, sizeof body->keys_from) && visit(context, body->local_from, points) &&
             visit(context, body->forces_from, points) &&
             (!body->kept_rest ||
              visit(context, body->kept_rest, (size_t)body->mesh.vertex_count * 3 * sizeof(double))) &&
             visit(context, bake->written[b], (size_t)body->cached_count * 3 * sizeof(double));
    }
    return ok;
}

static bool add_size(void *context, void *data, size_t size) {
    (void)data;
    *(uint64_t *)context += size;
    return true;
}

typedef struct Stream {
    Archive archive; /* of the linear solver */
    FILE *file;
    uint64_t checksum;
} Stream;

/* As hash_mix, word by word, because the linear solver's part is large. */
static void mix_words(uint64_t *checksum, const void *data, size_t size) {
    const char *bytes = data;
    uint64_t word;
    for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        *checksum = (*checksum ^ word) * UINT64_C(0x100000001b3);
    }
    hash_mix(checksum, bytes, size);
}

static bool write_part(void *context, void *data, size_t size) {
    Stream *stream = context;
    mix_words(&stream->checksum, data, size);
    return size == 0 || fwrite(data, size, 1, stream->file) == 1;
}

static bool read_part(void *context, void *data, size_t size) {
    Stream *stream = context;
    if (size > 0 && fread(data, size, 1, stream->file) != 1)
        return false;
    mix_words(&stream->checksum, data, size);
    return true;
}

static bool write_piece(Archive *archive, void *data, size_t size) {
    return write_part((Stream *)archive, data, size);
}

static bool read_piece(Archive *archive, void *data, size_t size) {
    return read_part((Stream *)archive, data, size);
}

static bool write_history(JnBake *bake, Stream *stream, size_t size) {
    void *bytes = malloc(size + 1);
    if (!bytes)
        return false;
    Remembered remembered = bake->integrator->remembered(bake->integrator_self);
    remembered_save(&remembered, bytes);
    bool ok = write_part(stream, bytes, size);
    free(bytes);
    return ok;
}

/* No file is trusted with a size that it does not have. */
static bool read_history(JnBake *bake, Stream *stream, uint64_t size) {
    uint64_t file_size;
    if (!os_file_size(bake->checkpoint_path, &file_size) || size > file_size)
        return false;
    Remembered remembered = bake->integrator->remembered(bake->integrator_self);
    void *bytes = malloc((size_t)size + 1);
    bool ok = bytes && read_part(stream, bytes, (size_t)size) &&
              remembered_load(&remembered, bytes, (size_t)size, NULL) == JN_OK;
    free(bytes);
    return ok;
}

static Header make_header(JnBake *bake) {
    Remembered remembered = bake->integrator->remembered(bake->integrator_self);
    Header header = {.input_hash = bake->input_hash,
                     .history_size = remembered_size(&remembered),
                     .frames_done = bake->frames_done,
                     .steps_done = bake->steps_done,
                     .damped_steps = bake->damped_steps,
                     .cutting = bake->cutting,
                     .surplus_energy = bake->energy.surplus};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    for_each_part(bake, add_size, &header.body_size);
    return header;
}

JnStatus checkpoint_save(JnBake *bake, JnMessage *message) {
    size_t length = strlen(bake->checkpoint_path) + 5;
    char *temporary = malloc(length), reason[200];
    if (!temporary)
        return status_no_memory(message, "the checkpoint");
    snprintf(temporary, length, "%s.tmp", bake->checkpoint_path);
    Header header = make_header(bake);
    Stream stream = {{false, write_piece}, os_file_open(temporary, "wb"), HASH_START};
    bool ok = stream.file && write_part(&stream, &header, sizeof header) && for_each_part(bake, write_part, &stream) &&
              write_history(bake, &stream, header.history_size) &&
              solver_archive(bake->system.solver, &stream.archive) &&
              fwrite(&stream.checksum, sizeof stream.checksum, 1, stream.file) == 1;
    if (stream.file)
        ok = fclose(stream.file) == 0 && ok;
    ok = ok && os_file_replace(temporary, bake->checkpoint_path);
    JnStatus status = JN_OK;
    if (!ok)
        status = status_fail(message, JN_ERR_FILE, "cannot write the checkpoint %s: %s", bake->checkpoint_path,
                             os_error_text(reason, sizeof reason));
    if (!ok)
        os_file_remove(temporary);
    free(temporary);
    return status;
}

JnStatus checkpoint_load(JnBake *bake, JnMessage *message) {
    char reason[200];
    Header header, expected = make_header(bake);
    Stream stream = {{true, read_piece}, os_file_open(bake->checkpoint_path, "rb"), HASH_START};
    if (!stream.file)
        return status_fail(message, JN_ERR_FILE, "nothing to resume: %s cannot be opened (%s). Bake without resume",
                           bake->checkpoint_path, os_error_text(reason, sizeof reason));
    JnStatus status = JN_OK;
    if (!read_part(&stream, &header, sizeof header) || memcmp(header.magic, MAGIC, sizeof MAGIC) != 0)
        status = status_fail(message, JN_ERR_FORMAT, "%s is not a checkpoint of this version: bake without resume",
                             bake->checkpoint_path);
    else if (header.input_hash != expected.input_hash || header.body_size != expected.body_size ||
             header.frames_done == 0 || header.frames_done > bake->settings.frame_count ||
             header.cutting.level > SUBSTEP_LEVELS)
        status = status_fail(message, JN_ERR_ARGUMENT,
                             "%s belongs to other inputs or settings than these, so its frames cannot be continued: "
                             "bake without resume",
                             bake->checkpoint_path);
    uint64_t checksum = 0;
    if (status == JN_OK &&
        (!for_each_part(bake, read_part, &stream) || !read_history(bake, &stream, header.history_size) ||
         !solver_archive(bake->system.solver, &stream.archive) ||
         fread(&checksum, sizeof checksum, 1, stream.file) != 1 || checksum != stream.checksum))
        status = status_fail(message, JN_ERR_FORMAT, "%s is damaged: bake without resume", bake->checkpoint_path);
    fclose(stream.file);
    if (status == JN_OK)
        status = keep_shape_apply(bake, message);
    if (status != JN_OK)
        return status;
    bake->frames_done = header.frames_done;
    bake->steps_done = header.steps_done;
    bake->damped_steps = header.damped_steps;
    bake->cutting = header.cutting;
    bake->energy.surplus = header.surplus_energy;
    bake->state.time = inputs_frame_time(bake, bake->frames_done - 1);
    return JN_OK;
}

void checkpoint_remove(const JnBake *bake) {
    os_file_remove(bake->checkpoint_path);
}
