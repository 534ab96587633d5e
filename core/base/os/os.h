/* What depends on the operating system: clock, processors, memory, files, programs, terminal, interrupts, threads. One
   header for all systems, one source file for each (os_*posix.c: Linux and macOS).

   Conventions: paths are UTF-8; a function that returns bool is true on success, and on failure sets errno, which
   os_error_text converts to a message. */
#ifndef JN_BASE_OS_H
#define JN_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* -------------------------------------------------------------------------------- machine */

/* Seconds of a monotonic clock, accurate to a microsecond. */
double os_clock_seconds(void);

/* Seconds that the processors have worked for this process so far, all threads together: unlike a clock, hardly changed
   by what else the machine does. */
double os_processor_seconds(void);

/* Processors that this process may use, at least 1: limits set by taskset, a container or a batch system are
   respected. */
uint32_t os_processor_count(void);

/* The peak physical memory of this process so far; 0 if the system does not report it. */
uint64_t os_peak_memory_bytes(void);

/* Whether the system would give this process another `size` bytes in one piece just now. */
bool os_address_space_has(size_t size);

/* Memory for large arrays that are read sequentially: in huge pages if the system has them, which is a quarter faster
   to read. Free it by free; NULL if out of memory. */
void *os_memory_in_large_pages(size_t size);

/* -------------------------------------------------------------------------------- files */

/* fopen with a UTF-8 path. `mode` as for fopen; always give "b". NULL on failure. What is opened for reading must be a
   plain file: a folder, a pipe, a socket or a device is refused, because reading it may wait or go on for ever. */
FILE *os_file_open(const char *path, const char *mode);

/* Flushes everything written so far to the disk, so that it survives a crash of the machine. */
bool os_file_sync(FILE *file);

/* Cuts the file to `size` bytes and leaves the position there. The file must be open for writing. */
bool os_file_truncate(FILE *file, uint64_t size);

/* Moves `from` to `to` atomically: a reader of `to` sees either the complete old file or the complete new one. Both
   must be on one file system, so write the new file beside the old one: open path.tmp, write, os_file_sync, fclose,
   os_file_replace. */
bool os_file_replace(const char *from, const char *to);

/* Removes a file. A missing file is no error. */
bool os_file_remove(const char *path);

/* The size of the file at `path` in *size (may be NULL). Fails for anything but a plain file, so it can be used to test
   for existence. */
bool os_file_size(const char *path, uint64_t *size);

/* Whether something that is not a plain file (a folder, a device, a pipe) is at `path`. */
bool os_path_is_special(const char *path);

/* `path`, or where it leads if it is a symbolic link, also to a file that is not there yet. The caller frees it; NULL:
   ENOMEM, or ELOOP for links in a circle. */
char *os_path_follow(const char *path);

/* Whether both paths lead to one file that is there. */
bool os_path_is_same(const char *first, const char *second);

/* Whether the file at `path` is there and protected against writing: by its mode, also where the user could write all
 * the same, or by who the user is. */
bool os_file_is_protected(const char *path);

/* Makes the folder at `path`. An existing folder is no error. */
bool os_folder_make(const char *path);

/* The message for the current errno: "No such file or directory". `text` [capacity] is always terminated; returns
   it. */
const char *os_error_text(char *text, size_t capacity);

/* -------------------------------------------------------------------------------- programs */

typedef struct OsProgram OsProgram;

/* Starts the program words[0], which is looked for as a shell does; words end with NULL. What is written to *input it
   reads on standard input; what it prints on standard output is dropped. Until os_program_end a write to a program that
   has ended fails with EPIPE instead of ending this process. NULL on failure; ENOENT: there is no such program. */
OsProgram *os_program_start(const char *const *words, FILE **input);

/* Closes its input, waits until it has ended, and frees it. Whether all was read, and it ended with exit code 0. */
bool os_program_end(OsProgram *program);

/* -------------------------------------------------------------------------------- terminal */

/* Whether `stream` is a terminal rather than a file or a pipe. */
bool os_is_terminal(FILE *stream);

/* Columns of the terminal behind `stream`; 80 if there is none or it is unknown. */
uint32_t os_terminal_width(FILE *stream);

/* -------------------------------------------------------------------------------- interrupts */

/* From now on Ctrl-C and a request to terminate no longer end the process: each is counted, and calls
   `callback(context)` if that is not NULL. The callback runs inside a signal handler or on another thread: it may only
   set lock-free atomics (jn_bake_cancel is such a call). Signals that were ignored before stay ignored. A second call
   replaces the callback and keeps the count; interrupts before or during the change are only counted, so check
   os_interrupt_count afterwards. Call from one thread only.

   A second interrupt ends the process at once, as if none were caught, whatever it is doing. What follows the first
   within OS_INTERRUPT_SECONDS only counts: shells, `timeout` and batch systems send one request to the process and once
   more to its group. */
#define OS_INTERRUPT_SECONDS 0.25
bool os_interrupt_catch(void (*callback)(void *context), void *context);

/* The handlers of SIGTERM and SIGABRT, to be restored after a call of a library that changes them. */
typedef struct OsSignals OsSignals;
OsSignals *os_signals_keep(void);          /* NULL if out of memory: then nothing is restored */
void os_signals_put_back(OsSignals *kept); /* frees it; may be NULL */

/* The number of interrupts since the first os_interrupt_catch or the last os_interrupt_release. */
uint32_t os_interrupt_count(void);

/* Restores the previous handling of interrupts. On return, as after a second os_interrupt_catch, the former callback is
   not running and is not called again, so its context may be freed. */
void os_interrupt_release(void);

/* ------------------------------------------------------------------------------------------------ threads */

typedef struct OsThread OsThread;

/* Runs run(context) on a new thread. NULL on failure. Every thread must be joined. */
OsThread *os_thread_start(void (*run)(void *context), void *context);

/* Waits until the thread's function has returned, and frees the thread. */
void os_thread_join(OsThread *thread);

/* The lock of the process, for process-wide state of the libraries used. Hold it briefly. */
void os_process_lock(void);
void os_process_unlock(void);

/* A second lock, held for long, for a library that allows one caller at a time. Must not be acquired while the process
   lock is held. */
void os_library_lock(void);
void os_library_unlock(void);

/* A lock with one condition to wait for. */
typedef struct OsMonitor OsMonitor;

OsMonitor *os_monitor_create(void); /* NULL if out of memory */
void os_monitor_destroy(OsMonitor *monitor);
void os_monitor_lock(OsMonitor *monitor);
void os_monitor_unlock(OsMonitor *monitor);
/* With the lock held: releases it, sleeps until woken (spurious wake-ups are possible: check the condition), acquires
   it again. */
void os_monitor_wait(OsMonitor *monitor);
/* The same, but for at most so many seconds. */
void os_monitor_wait_seconds(OsMonitor *monitor, double seconds);
void os_monitor_wake_all(OsMonitor *monitor);

#endif
