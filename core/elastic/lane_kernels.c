#include "elastic/lane_kernels.h"

static bool has_wide(void) {
#ifdef __x86_64__
    return invariant_kernels_wide && stretch_kernels_wide && __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

LaneKernels lane_kernels_plain(void) {
    return (LaneKernels){&invariant_kernels_plain, &stretch_kernels_plain};
}

LaneKernels lane_kernels_best(void) {
    return has_wide() ? (LaneKernels){invariant_kernels_wide, stretch_kernels_wide} : lane_kernels_plain();
}
