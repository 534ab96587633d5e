/* Which file a bake writes, which one it may replace, and when.

   - At output_path may be nothing or a cache of ours, which its receipt shows. Anything else is refused, and so are a
     write-protected cache and one that another bake is writing. A symbolic link stands for the file it leads to.
   - A complete cache stays until the new one is complete: that one is written beside it, to name.unfinished.abc, and
     takes its place in one step. An unfinished cache is replaced at once.
   - The checkpoint is output_path.resume for both. So an unfinished bake that was moved to output_path by hand is
     resumed there.
   - A resume looks at name.unfinished.abc first. Where there is nothing to continue it begins at the first frame. It is
     refused where the cache is of another bake. */
#include "bake/bake_internal.h"

#include "base/os/os.h"
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char UNFINISHED[] = ".unfinished", CHECKPOINT[] = ".resume";

const char *output_written_path(const JnBake *bake) {
    return bake->output.beside ? bake->output.unfinished_path : bake->output.path;
}

/* All paths, from the one in the desc. */
static JnStatus name_files(BakeOutput *output, const char *output_path, JnMessage *message) {
    char reason[200];
    output->path = os_path_follow(output_path);
    if (!output->path && errno == ENOMEM)
        return status_no_memory(message, "the cache's path");
    if (!output->path)
        return status_fail(message, JN_ERR_FILE, "cannot follow the link %s: %s", output_path,
                           os_error_text(reason, sizeof reason));
    size_t length = strlen(output->path) + sizeof UNFINISHED;
    output->unfinished_path = malloc(length);
    output->checkpoint_path = malloc(length);
    if (!output->unfinished_path || !output->checkpoint_path)
        return status_no_memory(message, "the cache's path");
    const char *name = strrchr(output->path, '/'), *dot = strrchr(output->path, '.');
    name = name ? name + 1 : output->path;
    int stem = (int)(dot > name ? dot - output->path : (ptrdiff_t)strlen(output->path));
    snprintf(output->unfinished_path, length, "%.*s%s%s", stem, output->path, UNFINISHED, output->path + stem);
    snprintf(output->checkpoint_path, length, "%s%s", output->path, CHECKPOINT);
    return JN_OK;
}

/* That the file may be replaced by a cache. */
static JnStatus check_replaceable(const char *path, CacheOwner owner, JnMessage *message) {
    if (os_path_is_special(path))
        return status_fail(message, JN_ERR_FILE,
                           "%s is a folder or a device, not a file: name a file to write the cache to", path);
    if (owner == CACHE_FOREIGN)
        return status_fail(message, JN_ERR_FILE,
                           "%s is there and is no cache of Jounce, so it is left alone: remove it, or name another "
                           "file to write the cache to",
                           path);
    if (os_file_is_protected(path))
        return status_fail(message, JN_ERR_FILE,
                           "%s is write-protected: allow writing to it, or name another file to write the cache to",
                           path);
    return JN_OK;
}

static JnStatus begin_anew(JnBake *bake, const JnBakeDesc *desc, const CacheFacts *there, JnMessage *message) {
    bake->output.beside = there->complete;
    JnStatus status = cache_create(bake, desc, message);
    if (status != JN_OK)
        return status;
    /* what an older bake left must not outlive the cache that it belongs to */
    checkpoint_remove(bake);
    if (!bake->output.beside)
        os_file_remove(bake->output.unfinished_path);
    return JN_OK;
}

static JnStatus resume(JnBake *bake, const JnBakeDesc *desc, const CacheFacts *there, const CacheFacts *beside,
                       JnMessage *message) {
    uint64_t hash = bake->model.input_hash;
    bool has_draft = beside->owner != CACHE_ABSENT;
    const CacheFacts *facts = has_draft ? beside : there;
    if (facts->owner == CACHE_OURS && facts->input_hash != hash)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "%s holds %s of other inputs or settings than these, which cannot be continued: bake "
                           "without resume to replace it, or name another file",
                           has_draft ? bake->output.unfinished_path : bake->output.path,
                           facts->complete ? "the finished bake" : "frames");
    if (facts->owner == CACHE_ABSENT || !checkpoint_is_there(bake, facts->frames_done))
        return begin_anew(bake, desc, there, message);
    bake->output.beside = has_draft;
    JnStatus status = checkpoint_load(bake, message);
    return status == JN_OK ? cache_reopen(bake, desc, message) : status;
}

JnStatus output_open(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    BakeOutput *output = &bake->output;
    if (!desc->output_path)
        return JN_OK;
    CacheFacts there, beside;
    JnStatus status = name_files(output, desc->output_path, message);
    if (status == JN_OK)
        status = cache_facts(output->path, &there, message);
    if (status == JN_OK)
        status = cache_facts(output->unfinished_path, &beside, message);
    if (status != JN_OK)
        return status;
    uint64_t hash = bake->model.input_hash;
    if (desc->resume && there.complete && there.input_hash == hash && beside.input_hash != hash) {
        /* a job that is started again after it was done has nothing to do */
        bake->motion.frames_done = desc->frame_count;
        if (beside.owner == CACHE_ABSENT)
            checkpoint_remove(bake);
        return JN_OK;
    }
    status = check_replaceable(output->path, there.owner, message);
    if (status == JN_OK)
        status = check_replaceable(output->unfinished_path, beside.owner, message);
    if (status == JN_OK)
        status = desc->resume ? resume(bake, desc, &there, &beside, message) : begin_anew(bake, desc, &there, message);
    output->is_open = status == JN_OK && output->cache;
    return status;
}

/* The bake is complete: it takes its place, and there is nothing to resume. */
static JnStatus take_place(JnBake *bake, JnMessage *message) {
    const BakeOutput *output = &bake->output;
    char reason[200];
    if (output->beside && !os_file_replace(output->unfinished_path, output->path))
        return status_fail(message, JN_ERR_FILE, "the bake is complete in %s, but it cannot be moved to %s: %s",
                           output->unfinished_path, output->path, os_error_text(reason, sizeof reason));
    checkpoint_remove(bake);
    return JN_OK;
}

JnStatus output_close(JnBake *bake, JnMessage *message) {
    bool complete = bake->output.is_open && bake->motion.frames_done == bake->settings.frame_count;
    JnStatus status = cache_close(bake, message);
    return status == JN_OK && complete ? take_place(bake, message) : status;
}

void output_free(JnBake *bake) {
    free(bake->output.path);
    free(bake->output.unfinished_path);
    free(bake->output.checkpoint_path);
}
