/* Some vertices are brought to rest before the first frame while the others stay where they are. */
#ifndef JN_BAKE_HOLD_H
#define JN_BAKE_HOLD_H

#include "bake/bake_internal.h"

typedef struct Hold { /* what the system had before; all NULL: nothing was changed */
    uint8_t *fixed;
    Solver *solver, *indefinite_solver;
} Hold;

/* Pins every vertex (counted within its body) that `is_held` says, besides those that are pinned anyway, until
   hold_release. */
JnStatus hold_vertices(JnBake *bake, bool (*is_held)(const Body *body, uint32_t vertex), Hold *hold,
                       JnMessage *message);
void hold_release(JnBake *bake, Hold *hold);

#endif
