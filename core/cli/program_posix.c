/* What the command keeps the libraries in its process from, on Linux. A process of someone else, as Blender, is left as
   it is. Not under sanitizers: they must start first, and take signals themselves. */
#if defined(__linux__)
#define _GNU_SOURCE /* environments and exec */

#include "os.h"

#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#if defined(__has_feature)
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

#if !HAS_SANITIZER
/* -------------------------------------------------------------------------------- memory

   OpenBLAS, which the core computes with, starts a thread for every processor when it is loaded, and each of them takes
   BLAS_THREAD_BYTES of addresses. A thread that does not get them asks again for ever, and the end of the program waits
   for it. The core uses one thread of OpenBLAS only. So where addresses are too short for all (`ulimit -v`), the
   command starts itself again with OpenBLAS held to one thread; the core then asks for the memory of that one
   (core/linear/blas_guard.h), and says so if there is none. */

/* A buffer of 128 MB, a stack of 8 MB, and the system's own share. */
static const size_t BLAS_THREAD_BYTES = (size_t)160 << 20;
static char blas_setting[] = "OPENBLAS_NUM_THREADS=1";

/* Whether `entry` of an environment sets the name of `setting`; both are "NAME=value". */
static bool sets_same(const char *entry, const char *setting) {
    while (*entry == *setting && *setting != '=')
        ++entry, ++setting;
    return *entry == '=' && *setting == '=';
}

/* Starts this program again with `setting` in its environment. Returns if it is there, or if the system does not let
   it: then all is as before. */
static void restart_with(char *setting, char **arguments, char **environment) {
    static char *larger[4096];
    size_t count = 0;
    for (; environment[count]; ++count) {
        if (count + 2 >= sizeof larger / sizeof *larger || sets_same(environment[count], setting))
            return;
        larger[count] = environment[count];
    }
    larger[count] = setting;
    /* by the name it was started by, which is also what lists of processes show */
    const char *program = (const char *)getauxval(AT_EXECFN);
    if (program)
        execve(program, arguments, larger);
}

/* Runs before any library has started: it may use system calls, but neither malloc nor the environment. */
static void before_libraries(int argument_count, char **arguments, char **environment) {
    (void)argument_count;
    if (!os_address_space_has(os_processor_count() * BLAS_THREAD_BYTES))
        restart_with(blas_setting, arguments, environment);
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int, char **, char **) = before_libraries;

/* -------------------------------------------------------------------------------- signals

   METIS takes SIGTERM for itself while it orders a matrix, and loses a request to terminate that comes then. So the
   libraries get these functions for those of the C library: they leave alone what ends a program, and set all else. */

typedef void (*Handler)(int);

static Handler set_handler(int number, Handler handler, int flags) {
    if (number == SIGINT || number == SIGTERM)
        return SIG_DFL;
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

__attribute__((visibility("default"))) Handler signal(int number, Handler handler) {
    return set_handler(number, handler, SA_RESTART);
}

/* What `signal` is in a library that was compiled for plain C. */
__attribute__((visibility("default"))) Handler __sysv_signal(int number, Handler handler) {
    return set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}
#endif
#endif
