/* os.h for Linux, macOS and other POSIX systems. */
#if defined(__linux__)
#define _GNU_SOURCE /* sched_getaffinity */
#elif defined(__APPLE__)
#define _DARWIN_C_SOURCE /* TIOCGWINSZ */
#endif

#include "os.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* -------------------------------------------------------------------------------- machine */

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double os_clock_seconds(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double os_processor_seconds(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint32_t os_processor_count(void) {
    long count = 0;
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        count = CPU_COUNT(&allowed);
#endif
    if (count < 1)
        count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (uint32_t)count;
}

#if defined(__linux__)
/* ru_maxrss also counts the process that started this one; VmHWM does not. */
static uint64_t peak_of_own_image(void) {
    unsigned long long kilobytes = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && kilobytes == 0 && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %llu", &kilobytes) != 1)
            kilobytes = 0;
    if (status)
        fclose(status);
    return (uint64_t)kilobytes * 1024;
}
#endif

uint64_t os_peak_memory_bytes(void) {
    struct rusage usage;
#if defined(__linux__)
    uint64_t own = peak_of_own_image();
    if (own > 0)
        return own;
#endif
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
#if defined(__APPLE__)
    return (uint64_t)usage.ru_maxrss;
#else
    return (uint64_t)usage.ru_maxrss * 1024;
#endif
}

bool os_address_space_has(size_t size) {
    void *piece = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return piece != MAP_FAILED && munmap(piece, size) == 0;
}

void *os_memory_in_large_pages(size_t size) {
    char *memory = malloc(size);
#ifdef MADV_HUGEPAGE
    /* whole pages within it; failure of the advice is harmless */
    size_t page = (size_t)sysconf(_SC_PAGESIZE), skipped = memory ? (page - (uintptr_t)memory % page) % page : 0;
    if (memory && size > skipped + page)
        madvise(memory + skipped, (size - skipped) / page * page, MADV_HUGEPAGE);
#endif
    return memory;
}

/* -------------------------------------------------------------------------------- files */

/* In errno: something that is no plain file, a number that the system does not use. */
enum { NOT_A_PLAIN_FILE = 0x10000 };

static bool is_plain_file(const struct stat *about) {
    if (!S_ISREG(about->st_mode))
        errno = S_ISDIR(about->st_mode) ? EISDIR : NOT_A_PLAIN_FILE;
    return S_ISREG(about->st_mode);
}

FILE *os_file_open(const char *path, const char *mode) {
    struct stat about;
    if (mode[0] == 'r' && (stat(path, &about) != 0 || !is_plain_file(&about)))
        return NULL;
    return fopen(path, mode);
}

bool os_file_sync(FILE *file) {
    return fflush(file) == 0 && fsync(fileno(file)) == 0;
}

bool os_file_truncate(FILE *file, uint64_t size) {
    if (fflush(file) != 0 || ftruncate(fileno(file), (off_t)size) != 0)
        return false;
    return fseeko(file, (off_t)size, SEEK_SET) == 0;
}

bool os_file_replace(const char *from, const char *to) {
    return rename(from, to) == 0;
}

bool os_file_remove(const char *path) {
    return unlink(path) == 0 || errno == ENOENT;
}

bool os_file_size(const char *path, uint64_t *size) {
    struct stat about;
    if (stat(path, &about) != 0 || !is_plain_file(&about))
        return false;
    if (size)
        *size = (uint64_t)about.st_size;
    return true;
}

/* strerror_r has two variants: the GNU one returns the message, the POSIX one a number. */
static const char *chosen_words(const char *words, char *text, size_t capacity) {
    if (words != text)
        snprintf(text, capacity, "%s", words);
    return text;
}

bool os_path_is_special(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* Where the link at `path` leads; relative links start in its folder. NULL: not a link, or no memory. */
static char *read_link(const char *path) {
    char target[4096];
    ssize_t length = readlink(path, target, sizeof target);
    if (length < 0 || (size_t)length == sizeof target)
        return NULL;
    const char *slash = strrchr(path, '/');
    size_t folder = slash && target[0] != '/' ? (size_t)(slash - path) + 1 : 0;
    char *followed = malloc(folder + (size_t)length + 1);
    if (followed) {
        memcpy(followed, path, folder);
        memcpy(followed + folder, target, (size_t)length);
        followed[folder + (size_t)length] = '\0';
    }
    return followed;
}

char *os_path_follow(const char *path) {
    enum { LONGEST_CHAIN = 40 };
    struct stat about;
    int links = 0;
    char *followed = malloc(strlen(path) + 1);
    if (followed)
        strcpy(followed, path);
    for (; followed && lstat(followed, &about) == 0 && S_ISLNK(about.st_mode); ++links) {
        char *next = links < LONGEST_CHAIN ? read_link(followed) : NULL;
        free(followed);
        followed = next;
    }
    if (!followed)
        errno = links > LONGEST_CHAIN ? ELOOP : ENOMEM;
    return followed;
}

bool os_path_is_same(const char *first, const char *second) {
    struct stat one, other;
    return stat(first, &one) == 0 && stat(second, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool os_file_is_protected(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0)
        return false;
    return (about.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0 || access(path, W_OK) != 0;
}

bool os_folder_make(const char *path) {
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return true;
    int reason = errno;
    bool is_there = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    errno = reason;
    return is_there;
}

const char *os_error_text(char *text, size_t capacity) {
    int number = errno;
    text[0] = '\0';
    if (number == NOT_A_PLAIN_FILE)
        return chosen_words("it is a pipe, a socket or a device, but a plain file is needed", text, capacity);
#if defined(__GLIBC__)
    return chosen_words(strerror_r(number, text, capacity), text, capacity);
#else
    return chosen_words(strerror_r(number, text, capacity) == 0 ? text : "unknown error", text, capacity);
#endif
}

/* -------------------------------------------------------------------------------- terminal */

bool os_is_terminal(FILE *stream) {
    return isatty(fileno(stream)) == 1;
}

uint32_t os_terminal_width(FILE *stream) {
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

/* -------------------------------------------------------------------------------- interrupts */

static const int interrupt_signals[] = {SIGINT, SIGTERM};
enum { INTERRUPT_SIGNAL_COUNT = sizeof interrupt_signals / sizeof interrupt_signals[0] };

/* The handler may run on any thread of the process. It increments handlers_running before it reads the callback, so
   that set_callback can wait until the old one is not in use. */
static _Atomic(void (*)(void *)) interrupt_callback;
static _Atomic(void *) interrupt_context;
static atomic_uint interrupt_count;
static atomic_uint handlers_running;
static struct sigaction previous_actions[INTERRUPT_SIGNAL_COUNT];
static bool interrupts_caught;

static _Atomic double first_interrupt; /* by os_clock_seconds; what counts is the first since the count was 0 */

/* Ends the process by that signal, once the handler returns and the signal is no longer blocked. */
static void end_by(int signal_number) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
    raise(signal_number);
}

static void handle_interrupt(int signal_number) {
    atomic_fetch_add(&handlers_running, 1);
    if (atomic_fetch_add(&interrupt_count, 1) == 0)
        atomic_store(&first_interrupt, os_clock_seconds());
    else if (os_clock_seconds() - atomic_load(&first_interrupt) > OS_INTERRUPT_SECONDS)
        end_by(signal_number);
    void (*callback)(void *) = atomic_load(&interrupt_callback);
    if (callback)
        callback(atomic_load(&interrupt_context));
    atomic_fetch_sub(&handlers_running, 1);
}

static void set_callback(void (*callback)(void *), void *context) {
    atomic_store(&interrupt_callback, NULL);
    while (atomic_load(&handlers_running) > 0)
        sched_yield();
    atomic_store(&interrupt_context, context);
    atomic_store(&interrupt_callback, callback);
}

bool os_interrupt_catch(void (*callback)(void *context), void *context) {
    set_callback(callback, context);
    if (interrupts_caught)
        return true;
    // SA_RESTART: a write to the cache in progress continues instead of failing
    struct sigaction action = {.sa_handler = handle_interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < INTERRUPT_SIGNAL_COUNT; ++i)
        sigaddset(&action.sa_mask, interrupt_signals[i]);
    atomic_store(&interrupt_count, 0);
    interrupts_caught = true;
    for (int i = 0; i < INTERRUPT_SIGNAL_COUNT; ++i) {
        interrupts_caught &= sigaction(interrupt_signals[i], &action, &previous_actions[i]) == 0;
        // a signal ignored by the parent (nohup, a shell's background job) stays ignored
        if (previous_actions[i].sa_handler == SIG_IGN)
            sigaction(interrupt_signals[i], &previous_actions[i], NULL);
    }
    return interrupts_caught;
}

uint32_t os_interrupt_count(void) {
    return atomic_load(&interrupt_count);
}

void os_interrupt_release(void) {
    if (!interrupts_caught)
        return;
    for (int i = 0; i < INTERRUPT_SIGNAL_COUNT; ++i)
        sigaction(interrupt_signals[i], &previous_actions[i], NULL);
    interrupts_caught = false;
    set_callback(NULL, NULL);
    atomic_store(&interrupt_count, 0);
}

struct OsSignals {
    struct sigaction terminate, abort;
};

OsSignals *os_signals_keep(void) {
    OsSignals *kept = malloc(sizeof *kept);
    if (kept) {
        sigaction(SIGTERM, NULL, &kept->terminate);
        sigaction(SIGABRT, NULL, &kept->abort);
    }
    return kept;
}

void os_signals_put_back(OsSignals *kept) {
    if (!kept)
        return;
    sigaction(SIGTERM, &kept->terminate, NULL);
    sigaction(SIGABRT, &kept->abort, NULL);
    free(kept);
}
