/* From the points of curves to the sections of four vertices round them: each keeps its place beside its point and
   turns with the curve. */
#ifndef JN_BODIES_FIBRE_SECTIONS_H
#define JN_BODIES_FIBRE_SECTIONS_H

#include "jounce.h"

typedef struct Sections Sections;

/* vertices: [point_count * 4 * 3] at rest, the four of point p from 4 p on, their mean being the point; neighbours:
   [point_count * 2] the points before and after along the curve, an end being its own. Copies. NULL without memory. */
Sections *sections_create(const double *vertices, const uint32_t *neighbours, uint32_t point_count);

/* positions [point_count * 4 * 3] for points [point_count * 3]: the rigid motion of all points turns the sections, and
   then each turns the short way onto its curve's new direction. Exact for rigid motions, but for a twist of points that
   all lie on one line, which nothing tells. */
void sections_place(const Sections *sections, const double *points, double *positions);

void sections_destroy(Sections *sections); /* may be NULL */

#endif
