#include "elastic/invariant_lanes.h"

static bool has_avx2(void) {
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

const InvariantKernels *invariant_kernels_best(void) {
    return invariant_kernels_wide && has_avx2() ? invariant_kernels_wide : &invariant_kernels_plain;
}
