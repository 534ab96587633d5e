/* What is asked of OpenBLAS beside its arithmetic: memory that it will not wait for, and which kernels it runs. */
#ifndef JN_LINEAR_BLAS_GUARD_H
#define JN_LINEAR_BLAS_GUARD_H

#include "jounce.h"

#include <stddef.h>

/* Makes sure that OpenBLAS has the buffer it computes in, before it is first called. Left to itself, it asks the system
   for that buffer again and again until it gets it: where addresses are limited (`ulimit -v`) it never returns.
   OpenBLAS keeps the buffer, so a call after the first costs nothing. Threads that compute at the same time each need
   one; this sees to the first. JN_ERR_MEMORY if there is no room. */
JnStatus blas_guard_reserve(JnMessage *message);

/* Library, version and the kernels that it has chosen for this processor: "OpenBLAS 0.3.21 Haswell". Other kernels sum
   in another order, and round otherwise. Always terminated; without commas. */
void blas_guard_kernels(char *text, size_t capacity);

#endif
