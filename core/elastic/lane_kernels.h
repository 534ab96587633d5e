/* Selects the fastest kernels for four elements at once on this processor. All choices give bit-identical results. */
#ifndef JN_ELASTIC_LANE_KERNELS_H
#define JN_ELASTIC_LANE_KERNELS_H

#include "elastic/invariant_lanes.h"
#include "elastic/stretch_lanes.h"

typedef struct LaneKernels {
    const InvariantKernels *invariants;
    const StretchKernels *stretches;
} LaneKernels;

LaneKernels lane_kernels_plain(void); /* for every processor */
LaneKernels lane_kernels_best(void);

#endif
