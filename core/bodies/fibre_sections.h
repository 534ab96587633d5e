/* From the points of curves to the sections of four vertices round them: each keeps its position relative to its point
   and rotates with the curve. */
#ifndef JN_BODIES_FIBRE_SECTIONS_H
#define JN_BODIES_FIBRE_SECTIONS_H

#include "jounce.h"

typedef struct Sections Sections;

/* vertices: [point_count * 4 * 3] at rest, the four of point p from 4 p on, their mean being the point; neighbours:
   [point_count * 2] the points before and after along the curve, an end being its own. Copies. NULL if out of
   memory. */
Sections *sections_create(const double *vertices, const uint32_t *neighbours, uint32_t point_count);

/* positions [point_count * 4 * 3] for points [point_count * 3]: the sections follow the rigid motion of all points, and
   then each is rotated by the smallest rotation to its curve's new direction. Exact for rigid motions, except for the
   rotation of collinear points about their line, which is undetermined. */
void sections_place(const Sections *sections, const double *points, double *positions);

void sections_destroy(Sections *sections); /* may be NULL */

#endif
