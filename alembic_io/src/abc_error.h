/* Errors: a status and one sentence that names the thing, the place and the remedy. */
#ifndef ABC_ERROR_H
#define ABC_ERROR_H

#include "alembic_io.h"

#if defined(__MINGW32__)
#define ABC_PRINTF(format_index, first) __attribute__((format(gnu_printf, format_index, first)))
#elif defined(__GNUC__)
#define ABC_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define ABC_PRINTF(format_index, first)
#endif

/* Fills *error (may be NULL) and returns `status`, so that callers can write `return abc_fail(error,
   ...)`. */
AbcStatus abc_fail(AbcError *error, AbcStatus status, const char *format, ...) ABC_PRINTF(3, 4);

/* The same for a place in a file: " (byte N)" is appended. */
AbcStatus abc_fail_at(AbcError *error, uint64_t offset, const char *format, ...) ABC_PRINTF(3, 4);

/* A failed system call: "<what> <path>: <text of errno>". */
AbcStatus abc_fail_io(AbcError *error, int system_error, const char *what, const char *path);

/* A failed allocation of `what`. */
/* Another writer has the file at `path` open. */
AbcStatus abc_fail_busy(AbcError *error, const char *path);
AbcStatus abc_fail_memory(AbcError *error, const char *what);

#endif
