/* stretch_lanes.c compiled a second time, for processors with AVX2, if the compiler supports it. */
#ifdef __AVX2__
#define STRETCH_KERNELS stretch_kernels_avx2
#include "elastic/stretch_lanes.c"
const StretchKernels *const stretch_kernels_wide = &stretch_kernels_avx2;
#else
#include "elastic/stretch_lanes.h"

#include <stddef.h>

const StretchKernels *const stretch_kernels_wide = NULL;
#endif
