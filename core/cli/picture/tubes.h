/* Curves as thin tubes of polygons, so that they can be drawn like meshes. */
#ifndef JN_CLI_PICTURE_TUBES_H
#define JN_CLI_PICTURE_TUBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TUBE_SIDES = 4 };

/* Curves of curve_counts [curve_count] points each, which sum to point_count, positions [point_count * 3], become tubes
   whose width is a small fraction of the extent of all curves: tube_positions [point_count * TUBE_SIDES * 3] and quads
   [tube_quads() * 4]. */
void tubes_make(const double *positions, const int32_t *curve_counts, size_t curve_count, double *tube_positions,
                int32_t *quads);

size_t tube_quads(size_t point_count, size_t curve_count);

#endif
