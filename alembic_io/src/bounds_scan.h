/* The bounds of many points, and whether all of them are finite, in one pass that costs little compared with the
   writing. */
#ifndef BOUNDS_SCAN_H
#define BOUNDS_SCAN_H

#include "abc_digest.h"
#include "alembic_io.h"

AbcBounds abc_bounds_empty(void);
bool abc_bounds_are_empty(const AbcBounds *bounds);

/* Smallest and largest of 12 lanes: four triples at a time. `bad` sums up x - x, which is not 0 where x
   is not finite. */
typedef struct BoundsScan {
    float low[12], high[12], bad[12];
} BoundsScan;

void abc_bounds_scan_start(BoundsScan *scan);
/* xyz[3 * triple_count] */
void abc_bounds_scan_add(BoundsScan *scan, const float *xyz, size_t triple_count);
/* The same, and adds their bytes to a digest, in one pass: the digest keeps the integer units busy, the bounds the
   vector units, so that both take the time of one. Where the byte order of memory is that of the file. */
void abc_bounds_scan_digest(BoundsScan *scan, DigestState *digest, const float *xyz, size_t triple_count);
bool abc_bounds_scan_is_finite(const BoundsScan *scan);
/* Rounds to the nearest float32; beyond its range to infinity. */
void abc_round_to_floats(float *to, const double *from, size_t count);
/* Bounds of all points so far; empty if there are none. */
AbcBounds abc_bounds_scan_result(const BoundsScan *scan);

#endif
