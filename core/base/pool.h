/* A thread pool. Idle threads sleep: on a busy machine, spinning costs more than the work itself. */
#ifndef JN_BASE_POOL_H
#define JN_BASE_POOL_H

#include <stdint.h>

typedef struct Pool Pool;

/* A pool that works on up to thread_count threads, the caller's included. NULL, which pool_run accepts, if thread_count
   is at most 1 or no thread can be started: the caller then does all the work. */
Pool *pool_create(uint32_t thread_count);

/* Calls body(context, i) for every i below count and returns when all are done. The calls may run in any order at the
   same time: for a result that does not depend on threads they must write to different data. One run at a time. */
void pool_run(Pool *pool, uint32_t count, void (*body)(void *context, uint32_t index), void *context);

void pool_destroy(Pool *pool); /* may be NULL */

#endif
