/* Allocations that fail on demand. For programs linked with --wrap=malloc, --wrap=calloc, --wrap=realloc: those of the
   code under test go through these wrappers. One program may include this once. */
#ifndef JN_TESTS_FAILING_MEMORY_H
#define JN_TESTS_FAILING_MEMORY_H

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);

static long allocations, failing; /* how many there were; the one that fails, counted from 1, or 0: none */

static int fails(void) {
    return ++allocations == failing;
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *pointer, size_t size) {
    return fails() ? NULL : __real_realloc(pointer, size);
}

#endif
