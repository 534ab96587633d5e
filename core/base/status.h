/* Errors: a status and one sentence that names the thing, the place and the remedy. */
#ifndef JN_BASE_STATUS_H
#define JN_BASE_STATUS_H

#include "jounce.h"

#if defined(__GNUC__)
#define STATUS_PRINTF __attribute__((format(printf, 3, 4)))
#else
#define STATUS_PRINTF
#endif

/* Writes the formatted sentence to *message (may be NULL) and returns `status`, so that callers can write
   `return status_fail(message, JN_ERR_FILE, ...)`. A longer sentence is cut at the end of the buffer. */
JnStatus status_fail(JnMessage *message, JnStatus status, const char *format, ...) STATUS_PRINTF;

/* The sentence for a failed allocation of `what`. */
JnStatus status_no_memory(JnMessage *message, const char *what);

/* Clears *message (may be NULL): status JN_OK, empty text. Returns JN_OK. */
JnStatus status_clear(JnMessage *message);

#endif
