/* What a file says of itself: whether it is a cache of ours, of which bake, and how much of it is there. */
#include "bake/bake_internal.h"

#include "alembic_io.h"
#include "base/os/os.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* The receipt is as receipt_make prints it: no spaces, and quotes in names are escaped, so that a key is found as it
   stands. */
static uint32_t frame_number(const char *receipt, const char *key) {
    const char *frames = strstr(receipt, "\"frames\":{"), *found = frames ? strstr(frames, key) : NULL;
    double number = found ? strtod(found + strlen(key), NULL) : 0;
    return number >= 1 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* Samples that all meshes have. */
static AbcStatus least_sample_count(AbcReader *reader, uint32_t *least) {
    AbcArchiveInfo archive;
    AbcStatus status = ABC_OK;
    *least = UINT32_MAX;
    abc_reader_archive_info(reader, &archive);
    for (uint32_t object = 0; status != ABC_ERR_MEMORY && object < archive.object_count; ++object) {
        AbcMeshInfo info;
        status = abc_reader_mesh_info(reader, object, &info, NULL);
        if (status == ABC_OK && info.sample_count < *least)
            *least = info.sample_count;
    }
    return status == ABC_ERR_MEMORY || *least == UINT32_MAX ? status : ABC_OK;
}

static AbcStatus read_facts(AbcReader *reader, CacheFacts *facts) {
    static const char HASH[] = "\"input_hash\":\"";
    size_t size = 0;
    AbcStatus status = abc_reader_user_string(reader, ABC_ROOT, "jounce_receipt", NULL, 0, &size, NULL);
    if (size == 0)
        return status;
    char *receipt = calloc(size + 1, 1);
    if (!receipt)
        return ABC_ERR_MEMORY;
    status = abc_reader_user_string(reader, ABC_ROOT, "jounce_receipt", receipt, size, &size, NULL);
    const char *hash = status == ABC_OK ? strstr(receipt, HASH) : NULL;
    uint32_t frame_count = frame_number(receipt, "\"count\":"), samples = 0;
    uint32_t per_frame = frame_number(receipt, "\"samples_per_frame\":");
    if (hash && frame_count && per_frame) {
        facts->owner = CACHE_OURS;
        facts->input_hash = strtoull(hash + sizeof HASH - 1, NULL, 16);
        status = least_sample_count(reader, &samples);
    }
    if (status == ABC_OK && samples > 0) {
        facts->frames_done = 1 + (samples - 1) / per_frame;
        facts->complete = facts->frames_done >= frame_count;
    }
    free(receipt);
    return status;
}

JnStatus cache_facts(const char *path, CacheFacts *facts, JnMessage *message) {
    *facts = (CacheFacts){.owner = CACHE_ABSENT};
    AbcReader *reader;
    if (!os_file_size(path, NULL) && !os_path_is_special(path))
        return JN_OK;
    facts->owner = CACHE_FOREIGN;
    AbcStatus status = abc_reader_open(&reader, path, NULL, NULL);
    if (status == ABC_OK) {
        status = read_facts(reader, facts);
        abc_reader_close(reader);
    }
    return status == ABC_ERR_MEMORY ? status_no_memory(message, "a look at the cache that is there") : JN_OK;
}
