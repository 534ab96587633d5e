/* The one place where work is shared among threads. */
#ifndef JN_BASE_PARALLEL_H
#define JN_BASE_PARALLEL_H

#include <stdint.h>

/* Calls body(context, i) for every i below count, on up to thread_count threads, and returns when all are done. The calls
   may run in any order at the same time: for a result that does not depend on threads they must touch different data. */
void parallel_for(uint32_t thread_count, uint32_t count, void (*body)(void *context, uint32_t index), void *context);

/* While a library that opens OpenMP teams of its own is called from this thread, hold those teams to one thread: Debian's
   CHOLMOD asks for four whatever it is told, which costs a factor of four on two cores. Only the calling thread is
   affected. Returns what parallel_release must be given. */
int parallel_hold(void);
void parallel_release(int held);

#endif
