/* Where edges of the skin pierce triangles, or one object is inside of another: what overlaps already, at the start of
   a bake or because the animation forces it. It is tolerated: its vertices are let be until they are free again. What
   sinks into colliders that hold points softly does not count. */
#ifndef JN_CONTACT_PIERCINGS_H
#define JN_CONTACT_PIERCINGS_H

#include "contact/skin.h"
#include "geometry/bvh.h"

#define PIERCINGS_SEVERAL UINT32_MAX

typedef struct Piercings { /* all zero: none; owns its arrays */
    uint32_t count;        /* edges and triangles, by pairs; if there are none, objects inside of others */
    uint32_t objects[2];   /* of the first, */
    double place[3];       /* m, and where it is */
    uint32_t *partners;    /* [skin vertices] of an edge or triangle that takes part: 1 + the object that it overlaps,
                              PIERCINGS_SEVERAL, or 0: it takes no part */
    Bvh bvh;
    double *boxes; /* [triangles * 6] */
} Piercings;

/* Finds all at these positions, [skin vertices * 3]. On failure there are none. */
JnStatus piercings_find(const Skin *skin, const double *positions, Piercings *piercings, JnMessage *message);
/* There are none. */
void piercings_clear(Piercings *piercings);
void piercings_free(Piercings *piercings); /* leaves it all zero */

/* Whether one of a pair's vertices overlaps the other side's object; the first `first` vertices are of objects[0], the
   others of objects[1]. */
bool piercings_hold(const Piercings *piercings, const uint32_t *vertices, uint32_t first, uint32_t count,
                    const uint32_t objects[2]);

#endif
