/* Contact in a small step of a fast region (fast_region.h): with A = M + h D + h^2 K inside,

       A v = b + c(v),

   c the impulse of contact at the step's end for v. The vertices that may touch are few. What an impulse on one of them
   does to all is found once for each A; then, with v* the solution without contact and w what v is where it may touch,

       w = w* + G c(w),   v = v* + A^-1 c,

   a small dense problem, which Newton's method with a line search solves to rounding, as contact_rounds.h does: for
   given normal forces of friction it is the minimum of a convex function, and these are renewed until they stay. */
#ifndef JN_REGION_FAST_CONTACT_H
#define JN_REGION_FAST_CONTACT_H

#include "region/fast_region.h"
#include "system/view.h"

typedef struct FastContact FastContact;

/* At most so many vertices inside may touch at once. */
enum { FAST_CONTACT_MOST = 256 };

/* Both are borrowed; view: of what is inside. On failure *contact is NULL. */
JnStatus fast_contact_create(FastRegion *region, View *view, FastContact **contact, JnMessage *message);
void fast_contact_destroy(FastContact *contact); /* may be NULL */

/* What may touch until the next step of the view begins. */
typedef enum FastTouching {
    FAST_TOUCHES_NOTHING,
    FAST_TOUCHES_HERE,  /* colliders, or itself */
    FAST_TOUCHES_OTHERS /* what is solved elsewhere, or more than can be solved for here */
} FastTouching;
FastTouching fast_contact_look(FastContact *contact);
/* Vertices inside that may touch, as looked at last. */
uint32_t fast_contact_count(const FastContact *contact);

typedef struct FastContactSolve {
    double *velocities; /* [vector] of the region: inside, v* and then v; outside, those of the step */
    double *impulse;    /* [vector] on entry c as it may be, or 0; then c, on the border too */
    double off;         /* the part of it by which c may be off */
    bool held;          /* the normal forces of friction stay as they are */
} FastContactSolve;

/* After fast_contact_look, with the view's reach that of the small step. *solved false: no solution was found. */
JnStatus fast_contact_solve(FastContact *contact, const FastContactSolve *solve, bool *solved, JnMessage *message);

#endif
