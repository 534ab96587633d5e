/* invariant_lanes.c compiled a second time, for processors with AVX2, if the compiler supports it. */
#ifdef __AVX2__
#define INVARIANT_KERNELS invariant_kernels_avx2
#include "elastic/invariant_lanes.c"
const InvariantKernels *const invariant_kernels_wide = &invariant_kernels_avx2;
#else
#include "elastic/invariant_lanes.h"

#include <stddef.h>

const InvariantKernels *const invariant_kernels_wide = NULL;
#endif
