/* The wobbles of the bodies of a bake that can be seen. */
#ifndef JN_BAKE_SUGGEST_WOBBLES_H
#define JN_BAKE_SUGGEST_WOBBLES_H

#include "bake/bake_internal.h"
#include "region/wobble.h"

typedef struct SeenWobbles { /* owns all that the wobbles borrow but the system's */
    Wobbles wobbles;         /* sorted */
    WobbleElement *elements;
    uint32_t mode_count; /* the slowest so many elastic modes have all of them */
} SeenWobbles;

/* The caller frees *seen by the next, also after a failure. */
JnStatus seen_wobbles_find(JnBake *bake, double fps, SeenWobbles *seen, JnMessage *message);
void seen_wobbles_free(SeenWobbles *seen);

#endif
