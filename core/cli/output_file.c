#include "output_file.h"

#include "os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void forget(OutputFile *output) {
    int reason = errno;
    free(output->path);
    free(output->unfinished);
    *output = (OutputFile){0};
    errno = reason;
}

bool output_file_name(OutputFile *output, const char *path) {
    static const char mark[] = ".unfinished";
    *output = (OutputFile){.path = os_path_follow(path)};
    if (!output->path)
        return false;
    const char *name = strrchr(output->path, '/'), *dot = strrchr(output->path, '.');
    name = name ? name + 1 : output->path;
    size_t length = strlen(output->path), stem = dot > name ? (size_t)(dot - output->path) : length;
    output->unfinished = malloc(length + sizeof mark);
    if (!output->unfinished) {
        forget(output);
        errno = ENOMEM;
        return false;
    }
    memcpy(output->unfinished, output->path, stem);
    memcpy(output->unfinished + stem, mark, sizeof mark - 1);
    strcpy(output->unfinished + stem + sizeof mark - 1, output->path + stem);
    return true;
}

bool output_file_open(OutputFile *output, const char *path) {
    if (!output_file_name(output, path))
        return false;
    // what is there and no plain file, a device say, cannot be replaced
    if (os_path_is_special(output->path)) {
        errno = EISDIR;
        forget(output);
        return false;
    }
    output->file = os_file_open(output->unfinished, "wb");
    if (!output->file)
        forget(output);
    return output->file != NULL;
}

bool output_file_close(OutputFile *output, bool complete) {
    if (!output->path)
        return true;
    int reason = errno;
    bool closed = true;
    if (output->file) {
        errno = 0;
        bool written = !complete || (fflush(output->file) == 0 && !ferror(output->file));
        closed = fclose(output->file) == 0 && written;
        reason = errno ? errno : reason;
    }
    bool placed = complete && closed;
    if (placed) {
        placed = os_file_replace(output->unfinished, output->path);
        reason = errno;
    }
    if (!placed)
        os_file_remove(output->unfinished);
    errno = reason ? reason : EIO;
    forget(output);
    return placed || !complete;
}
