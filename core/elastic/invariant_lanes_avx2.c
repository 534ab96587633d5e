/* invariant_lanes.c once more, for processors with AVX2, where the compiler can be told to make use of it. */
#ifdef __AVX2__
#define INVARIANT_KERNELS invariant_kernels_avx2
#include "elastic/invariant_lanes.c"
const InvariantKernels *const invariant_kernels_wide = &invariant_kernels_avx2;
#else
#include "elastic/invariant_lanes.h"

#include <stddef.h>

const InvariantKernels *const invariant_kernels_wide = NULL;
#endif
