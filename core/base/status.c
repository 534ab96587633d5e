#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

JnStatus status_fail(JnMessage *message, JnStatus status, const char *format, ...) {
    if (message) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message->text, sizeof message->text, format, arguments);
        va_end(arguments);
        message->status = status;
    }
    return status;
}

JnStatus status_no_memory(JnMessage *message, const char *what) {
    return status_fail(message, JN_ERR_MEMORY,
                       "out of memory for %s: use a coarser simulation mesh or a machine with more memory", what);
}

JnStatus status_clear(JnMessage *message) {
    if (message) {
        message->status = JN_OK;
        message->text[0] = '\0';
    }
    return JN_OK;
}
