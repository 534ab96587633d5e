/* The pairs of vertices of a surface that the springs of a textile join. */
#ifndef JN_GEOMETRY_CLOTH_PAIRS_H
#define JN_GEOMETRY_CLOTH_PAIRS_H

#include "jounce.h"

typedef enum ClothPairKind {
    PAIR_EDGE,     /* a side of a face */
    PAIR_DIAGONAL, /* corners two apart in a face of four or more */
    PAIR_FOLD      /* over an edge between two faces: the neighbours of its ends on either side, in line on a grid */
} ClothPairKind;

typedef struct ClothPair {
    uint32_t ends[2]; /* ascending */
    ClothPairKind kind;
    double area; /* in square units of the positions. Edges: the area associated with them, so that springs of stiffness
                    E t area / length^2 make a sheet of modulus E and thickness t out of squares or equilateral
                    triangles. Diagonals: the area of the face, twice that of a face of four. 0 for folds */
} ClothPair;

/* Every pair of vertices once, by the first kind in the list above that joins it, in the order of their vertices. Where
   more than two faces share an edge, each is linked with the next. The surface has passed surface_check. Refuses a face
   that names a vertex twice in succession, and a face that is listed twice. The caller frees *pairs. `place` opens
   messages. */
JnStatus cloth_pairs_find(const JnSurface *surface, const char *place, ClothPair **pairs, uint32_t *pair_count,
                          JnMessage *message);

#endif
