/* What depends on the operating system: clock, processors, memory, files, terminal, interrupts, threads. One header
   for all systems, one source file for each (os_*posix.c: Linux and macOS).

   Conventions: paths are UTF-8; a function that returns bool is true on success, and on failure leaves the
   reason in errno, which os_error_text turns into words. */
#ifndef JN_BASE_OS_H
#define JN_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* -------------------------------------------------------------------------------- machine */

/* Seconds since some fixed moment; never goes back. Differences are good to a microsecond. */
double os_clock_seconds(void);

/* Processors that this process may use, at least 1: a limit set by taskset, a container or a batch system
 * counts. */
uint32_t os_processor_count(void);

/* The most physical memory that this process has held so far; 0 if the system does not say. */
uint64_t os_peak_memory_bytes(void);

/* Memory that is read from end to end, many megabytes of it: in large pages where the system has them, which reads a
   quarter faster. To be freed by free; NULL if there is none. */
void *os_memory_in_large_pages(size_t size);

/* -------------------------------------------------------------------------------- files */

/* fopen with a UTF-8 path. `mode` as for fopen; always give "b". NULL on failure. What is opened for reading must be a
   plain file: a folder, a pipe, a socket or a device is refused, because reading it may wait or go on for ever. */
FILE *os_file_open(const char *path, const char *mode);

/* Hands everything written so far to the disk, so that it survives a crash of the machine. */
bool os_file_sync(FILE *file);

/* Cuts the file to `size` bytes and leaves the position there. The file must be open for writing. */
bool os_file_truncate(FILE *file, uint64_t size);

/* Moves `from` to `to` in one step: whoever opens `to` sees the old file or the new one, whole. Both must be
   on one disk, so write the new file beside the old one: open path.tmp, write, os_file_sync, fclose,
   os_file_replace. */
bool os_file_replace(const char *from, const char *to);

/* Removes a file. A file that is not there counts as removed. */
bool os_file_remove(const char *path);

/* The size of the file at `path` in *size (may be NULL). Fails for what is not a plain file, so it serves as
 * "exists". */
bool os_file_size(const char *path, uint64_t *size);

/* Whether something that is not a plain file (a folder, a device, a pipe) is at `path`. */
bool os_path_is_special(const char *path);

/* Makes the folder at `path`. One that is there already counts as made. */
bool os_folder_make(const char *path);

/* The words for the current errno: "No such file or directory". `text` [capacity] is always terminated;
 * returns it. */
const char *os_error_text(char *text, size_t capacity);

/* -------------------------------------------------------------------------------- terminal */

/* Whether `stream` is a person's screen rather than a file or a pipe. */
bool os_is_terminal(FILE *stream);

/* Columns of the terminal behind `stream`; 80 if there is none or it does not say. */
uint32_t os_terminal_width(FILE *stream);

/* -------------------------------------------------------------------------------- interrupts */

/* From now on Ctrl-C and a request to terminate no longer end the process: each counts, and each calls
   `callback(context)` if that is not NULL. The callback runs inside a signal handler or on another thread: it
   may only set lock-free atomics (jn_bake_cancel is such a call). What was ignored before stays ignored. A
   second call replaces the callback and keeps the count; what came before or during the change only counts,
   so look at os_interrupt_count afterwards. For one thread to call. */
bool os_interrupt_catch(void (*callback)(void *context), void *context);

/* What the process does about SIGTERM and SIGABRT, to be put back after a library that changes it has run. */
typedef struct OsSignals OsSignals;
OsSignals *os_signals_keep(void);          /* NULL without memory: then nothing is put back */
void os_signals_put_back(OsSignals *kept); /* frees it; may be NULL */

/* How many interrupts came since the first os_interrupt_catch or the last os_interrupt_release. */
uint32_t os_interrupt_count(void);

/* Back to what interrupts did before. After it, as after a second os_interrupt_catch, the former callback is
   not running and not called again, so its context may be freed. */
void os_interrupt_release(void);

/* ------------------------------------------------------------------------------------------------ threads */

typedef struct OsThread OsThread;

/* Runs run(context) on a thread of its own. NULL if the system gives none. Every thread must be joined. */
OsThread *os_thread_start(void (*run)(void *context), void *context);

/* Waits until the thread's function has returned, and frees the thread. */
void os_thread_join(OsThread *thread);

/* The one lock of the process, for what libraries below us share in it. Held shortly. */
void os_process_lock(void);
void os_process_unlock(void);

/* Another one, held long, for a library that serves one caller at a time. Not taken while the process lock is held. */
void os_library_lock(void);
void os_library_unlock(void);

/* A lock with one condition to wait for. */
typedef struct OsMonitor OsMonitor;

OsMonitor *os_monitor_create(void); /* NULL without memory */
void os_monitor_destroy(OsMonitor *monitor);
void os_monitor_lock(OsMonitor *monitor);
void os_monitor_unlock(OsMonitor *monitor);
/* With the lock held: lets go of it, sleeps until woken (or for no reason: check what you wait for), takes it again. */
void os_monitor_wait(OsMonitor *monitor);
/* The same, but for at most so many seconds. */
void os_monitor_wait_seconds(OsMonitor *monitor, double seconds);
void os_monitor_wake_all(OsMonitor *monitor);

#endif
