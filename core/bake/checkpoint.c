/* All that the next frame depends on, in a file beside the cache, so that an interrupted bake can be resumed
   bit-exactly.

   The file: a header, then the pieces of frame_archive, then a checksum. It belongs to the machine and version that
   wrote it, and is replaced atomically, so that the previous one survives a crash of the program. It is not flushed to
   the disk, nor is the cache: waiting for the disk could take longer than a frame. */
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
    uint64_t frames_done;           /* as in the pieces: to be read without them */
    char kernels[KERNELS_CAPACITY]; /* zeros after its end */
} Header;

static const char MAGIC[8] = {'j', 'n', 'c', 'h', 'e', 'c', 'k', '8'};

/* 64-bit FNV-1a word by word, because the linear solver's part is large; the same however the bytes are cut. */
typedef struct Checksum {
    uint64_t value;
    unsigned char rest[8]; /* the bytes of a word that is not full yet */
    size_t rest_count;
} Checksum;

static void checksum_add(Checksum *checksum, const void *data, size_t size) {
    const unsigned char *bytes = data;
    while (size > 0) {
        size_t room = sizeof checksum->rest - checksum->rest_count, count = size < room ? size : room;
        memcpy(checksum->rest + checksum->rest_count, bytes, count);
        checksum->rest_count += count;
        bytes += count;
        size -= count;
        if (checksum->rest_count < sizeof checksum->rest)
            return;
        uint64_t word;
        memcpy(&word, checksum->rest, sizeof word);
        checksum->value = (checksum->value ^ word) * UINT64_C(0x100000001b3);
        checksum->rest_count = 0;
    }
}

static uint64_t checksum_end(Checksum checksum) {
    hash_mix(&checksum.value, checksum.rest, checksum.rest_count);
    return checksum.value;
}

typedef struct FileArchive {
    Archive archive;
    FILE *file;
    Checksum checksum; /* of what was written */
} FileArchive;

static bool write_piece(Archive *archive, void *data, size_t size) {
    FileArchive *file = (FileArchive *)archive;
    checksum_add(&file->checksum, data, size);
    return size == 0 || fwrite(data, size, 1, file->file) == 1;
}

static bool read_piece(Archive *archive, void *data, size_t size) {
    FileArchive *file = (FileArchive *)archive;
    return size == 0 || fread(data, size, 1, file->file) == 1;
}

static Header make_header(const JnBake *bake) {
    Header header = {.input_hash = bake->model.input_hash, .frames_done = bake->motion.frames_done};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    snprintf(header.kernels, sizeof header.kernels, "%s", bake->output.kernels);
    return header;
}

/* Writes all of it to an open file, which it closes. */
static bool write_file(JnBake *bake, FILE *opened) {
    Header header = make_header(bake);
    FileArchive file = {{.loading = false, .piece = write_piece}, opened, {.value = HASH_START}};
    bool ok = archive_piece(&file.archive, &header, sizeof header) && frame_archive(bake, &file.archive);
    uint64_t checksum = checksum_end(file.checksum);
    ok = ok && fwrite(&checksum, sizeof checksum, 1, opened) == 1;
    return fclose(opened) == 0 && ok;
}

JnStatus checkpoint_save(JnBake *bake, JnMessage *message) {
    size_t length = strlen(bake->output.checkpoint_path) + 5;
    char *temporary = malloc(length), reason[200];
    if (!temporary)
        return status_no_memory(message, "the checkpoint");
    snprintf(temporary, length, "%s.tmp", bake->output.checkpoint_path);
    FILE *opened = os_file_open(temporary, "wb");
    JnStatus status = JN_OK;
    if (!opened || !write_file(bake, opened) || !os_file_replace(temporary, bake->output.checkpoint_path)) {
        status = status_fail(message, JN_ERR_FILE, "cannot write the checkpoint %s: %s", bake->output.checkpoint_path,
                             os_error_text(reason, sizeof reason));
        os_file_remove(temporary);
    }
    free(temporary);
    return status;
}

/* Whether the file is what was written: nothing of it is used before. Leaves it at its start. */
static bool is_whole(FILE *opened, uint64_t size) {
    char block[1 << 14];
    Checksum checksum = {.value = HASH_START};
    uint64_t expected, left = size - sizeof expected;
    if (size < sizeof(Header) + sizeof expected)
        return false;
    while (left > 0) {
        size_t count = left < sizeof block ? (size_t)left : sizeof block;
        if (fread(block, count, 1, opened) != 1)
            return false;
        checksum_add(&checksum, block, count);
        left -= count;
    }
    bool whole = fread(&expected, sizeof expected, 1, opened) == 1 && expected == checksum_end(checksum);
    rewind(opened);
    return whole;
}

/* Reads all of it from an open file. After a failure the bake's motion is undefined. */
static JnStatus read_file(JnBake *bake, FILE *opened, uint64_t size, JnMessage *message) {
    const char *path = bake->output.checkpoint_path;
    Header header, expected = make_header(bake);
    FileArchive file = {{.loading = true, .piece = read_piece}, opened, {.value = 0}};
    if (!archive_piece(&file.archive, &header, sizeof header) || memcmp(header.magic, MAGIC, sizeof MAGIC) != 0)
        return status_fail(message, JN_ERR_FORMAT, "%s is not a checkpoint of this version: bake without resume", path);
    if (header.input_hash != expected.input_hash)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "%s belongs to other inputs or settings than these, so its frames cannot be continued: "
                           "bake without resume",
                           path);
    rewind(opened);
    if (!is_whole(opened, size) || !archive_piece(&file.archive, &header, sizeof header) ||
        !frame_archive(bake, &file.archive) || bake->motion.frames_done == 0 ||
        bake->motion.frames_done > bake->settings.frame_count || bake->motion.cutting.level > SUBSTEP_LEVELS ||
        !memchr(header.kernels, '\0', sizeof header.kernels))
        return status_fail(message, JN_ERR_FORMAT, "%s is damaged: bake without resume", path);
    kernels_resume(bake, header.kernels);
    return keep_shape_apply(bake, message);
}

bool checkpoint_is_there(const JnBake *bake, uint32_t frames_done) {
    FILE *opened = os_file_open(bake->output.checkpoint_path, "rb");
    if (!opened)
        return false;
    Header header;
    bool is_ours = fread(&header, sizeof header, 1, opened) == 1 && memcmp(header.magic, MAGIC, sizeof MAGIC) == 0;
    bool is_stale = is_ours && (header.input_hash != bake->model.input_hash || header.frames_done > frames_done);
    fclose(opened);
    return !is_stale;
}

JnStatus checkpoint_load(JnBake *bake, JnMessage *message) {
    char reason[200];
    FILE *opened = os_file_open(bake->output.checkpoint_path, "rb");
    if (!opened)
        return status_fail(message, JN_ERR_FILE, "cannot open %s: %s", bake->output.checkpoint_path,
                           os_error_text(reason, sizeof reason));
    uint64_t size = 0;
    JnStatus status = os_file_size(bake->output.checkpoint_path, &size)
                          ? read_file(bake, opened, size, message)
                          : status_fail(message, JN_ERR_FILE, "cannot read %s: %s", bake->output.checkpoint_path,
                                        os_error_text(reason, sizeof reason));
    fclose(opened);
    return status;
}

void checkpoint_remove(const JnBake *bake) {
    os_file_remove(bake->output.checkpoint_path);
}
