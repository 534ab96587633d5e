/* The force of all segments of fibres (rod_segment.h). */
#ifndef JN_ELASTIC_RODS_H
#define JN_ELASTIC_RODS_H

#include "elastic/rod_segment.h"

/* Copies the segments, whose vertices are the system's and whose groups are below group_count, in an order in which
   neighbours are close: those of a fibre one after the other, from root to tip. masses: [vertex_count] borrowed.
   `matrix` is the system's: its pattern must couple the vertices of every segment. Free the term by its destroy. */
JnStatus rods_create(const double *rest_positions, const double *masses, uint32_t vertex_count,
                     const RodSegment *segments, uint32_t segment_count, uint32_t group_count,
                     const BlockMatrix *matrix, ForceTerm *term, JnMessage *message);

#endif
