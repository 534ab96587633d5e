/* Errors: a status and one sentence. See abc_error.h. */
#include "abc_error.h"
#include "abc_os.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *abc_status_name(AbcStatus status) {
    switch (status) {
    case ABC_OK:
        return "ok";
    case ABC_ERR_ARGUMENT:
        return "bad argument";
    case ABC_ERR_MEMORY:
        return "out of memory";
    case ABC_ERR_IO:
        return "input or output failed";
    case ABC_ERR_NOT_ALEMBIC:
        return "not an Alembic file";
    case ABC_ERR_CORRUPT:
        return "corrupt file";
    case ABC_ERR_UNSUPPORTED:
        return "unsupported";
    case ABC_ERR_NOT_FOUND:
        return "not found";
    case ABC_ERR_STATE:
        return "call out of order";
    }
    return "unknown status";
}

static void fill(AbcError *error, AbcStatus status, int system_error, uint64_t offset) {
    error->status = status;
    error->system_error = system_error;
    error->offset = offset;
    error->text[0] = '\0';
}

AbcStatus abc_fail(AbcError *error, AbcStatus status, const char *format, ...) {
    if (error) {
        fill(error, status, 0, ABC_NO_OFFSET);
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

AbcStatus abc_fail_at(AbcError *error, uint64_t offset, const char *format, ...) {
    if (error) {
        fill(error, ABC_ERR_CORRUPT, 0, offset);
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        size_t used = strlen(error->text);
        snprintf(error->text + used, sizeof error->text - used, " (byte %" PRIu64 ")", offset);
    }
    return ABC_ERR_CORRUPT;
}

AbcStatus abc_fail_io(AbcError *error, int system_error, const char *what, const char *path) {
    if (error) {
        fill(error, ABC_ERR_IO, system_error, ABC_NO_OFFSET);
        snprintf(error->text, sizeof error->text, "%s \"%s\": %s", what, path,
                 system_error == OS_NOT_A_FILE ? "it is a pipe, a socket or a device, but a plain file is needed"
                                               : strerror(system_error));
    }
    return ABC_ERR_IO;
}

AbcStatus abc_fail_busy(AbcError *error, const char *path) {
    return abc_fail(error, ABC_ERR_IO,
                    "\"%.300s\" is being written by another program: wait until it is done, or write to another file.",
                    path);
}

AbcStatus abc_fail_memory(AbcError *error, const char *what) {
    return abc_fail(error, ABC_ERR_MEMORY, "Not enough memory for %s.", what);
}
