/* Polylines: the bars of girders, the centrelines of fibres. */
#ifndef JN_GEOMETRY_CURVES_H
#define JN_GEOMETRY_CURVES_H

#include "jounce.h"

/* Refuses no curves at all, NULL arrays, a position that is not finite or beyond VEC3_FARTHEST, a curve of fewer than
   two corners, curve_sizes that do not add up to corner_count, an index out of range. `place` opens the message:
   "bodies[0].curves". JN_ERR_ARGUMENT or JN_ERR_MESH. */
JnStatus curves_check(const JnCurves *curves, const char *place, JnMessage *message);

#endif
