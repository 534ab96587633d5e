/* Some bodies are brought to rest before the first frame while the others stay where they are. */
#ifndef JN_BAKE_HOLD_H
#define JN_BAKE_HOLD_H

#include "bake/bake_internal.h"

typedef struct Hold { /* what the system had before; all NULL: nothing was changed */
    uint8_t *fixed;
    Solver *solver;
} Hold;

/* Pins every vertex of the bodies that are not chosen, until hold_release. */
JnStatus hold_others(JnBake *bake, bool (*chosen)(const Body *body), Hold *hold, JnMessage *message);
void hold_release(JnBake *bake, Hold *hold);

#endif
