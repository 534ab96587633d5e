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

enum { SITES_MOST = 20000 };
static const void *sites[SITES_MOST]; /* who asked for the allocations, from 1 on */

static int fails(const void *site) {
    ++allocations;
    if (allocations < SITES_MOST)
        sites[allocations] = site;
    return allocations == failing;
}

void *__wrap_malloc(size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *pointer, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __real_realloc(pointer, size);
}

#endif
