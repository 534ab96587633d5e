/* The bounds of many points, and whether all of them are finite, in one pass that costs little next to
   the writing. */
#ifndef BOUNDS_SCAN_H
#define BOUNDS_SCAN_H

#include "alembic_io.h"

/* Smallest and largest of 12 lanes: four triples at a time. `bad` sums up x - x, which is not 0 where x
   is not finite. */
typedef struct BoundsScan {
    float low[12], high[12], bad[12];
} BoundsScan;

void abc_bounds_scan_start(BoundsScan *scan);
/* xyz[3 * triple_count] */
void abc_bounds_scan_add(BoundsScan *scan, const float *xyz, size_t triple_count);
bool abc_bounds_scan_is_finite(const BoundsScan *scan);
/* Bounds of all points so far; empty if there are none. */
AbcBounds abc_bounds_scan_result(const BoundsScan *scan);

#endif
