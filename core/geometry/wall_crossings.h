/* Where a segment crosses the triangles of a surface, and the winding number between: it changes by one at each
   crossing, so that it can be counted where the surface acts as a closed one, which is much faster than to sum it. */
#ifndef JN_GEOMETRY_WALL_CROSSINGS_H
#define JN_GEOMETRY_WALL_CROSSINGS_H

#include "geometry/winding.h"

enum { WALL_CROSSINGS_MOST = 24 };

typedef struct WallCrossings { /* borrows start and way */
    const Winding *winding;
    const double *start, *way;
    int count;                           /* more than the most: those that came last are left out */
    double parts[WALL_CROSSINGS_MOST];   /* of the way, in order */
    int turns[WALL_CROSSINGS_MOST];      /* what the winding number gains there */
    uint32_t walls[WALL_CROSSINGS_MOST]; /* triangles */
    bool doubtful;                       /* some coincide, as on an edge that two triangles share */
} WallCrossings;

/* Those of the segment from `start` to `start + way`. */
void wall_crossings_find(const Winding *winding, const double start[3], const double way[3], WallCrossings *crossings);

/* Whether the number is that of a closed surface: nearly whole. */
bool winding_is_calm(double number);

/* Whether a number at the start and one at the end agree with what the crossings count. */
bool wall_crossings_agree(const WallCrossings *crossings, double at_start, double at_end);

/* Whether the segment is inside of the surface after its first `passed` crossings; `counted`: by counting from the
   number `at_start`, where that is sure; else by the winding number in the middle of the stretch there. */
bool wall_crossings_inside(const WallCrossings *crossings, double at_start, bool counted, int passed);

#endif
