/* What the parts of meetings share: the state of all of them, and one pair of the skin that may meet in a step. */
#ifndef JN_CONTACT_MEETING_H
#define JN_CONTACT_MEETING_H

#include "contact/contact_internal.h"
#include "contact/pair_memory.h"
#include "contact/pair_side.h"
#include "contact/piercings.h"

struct Meetings {
    BroadPhase *broad;    /* made with the first search */
    size_t count;         /* skin vertices * 3 */
    double *start;        /* m, [count]: where the step begins, */
    double *end;          /* and where it was last thought to end */
    double *actual;       /* where it would end now */
    double *velocities;   /* m/s, [count], of colliders */
    double *radii;        /* m, [skin vertices]: what is foreseen may be off by half of `look` and this */
    double *sides;        /* [objects] of skin_side */
    double *object_radii; /* m, [objects] of round colliders, else 0 */
    double *gaps;         /* m, [skin vertices]: to what is nearest to its triangles and edges where the step begins */
    double look;          /* m */
    double widest;        /* m, the largest thickness */
    uint32_t sorted;      /* of the lag's meeting touches, those that are sorted */
    bool has_postponed;   /* crossings that were not held, since others come before them */
    Piercings piercings;  /* where the step begins */
    uint64_t watch;       /* 1: something may have crossed, so that the next step looks for piercings */
    PairMemory memory;    /* of pairs that were pushed apart where the last step ended */
};

enum { MEETING_KIND_COUNT = 2 };
extern const PairKind MEETING_KINDS[MEETING_KIND_COUNT]; /* ascending */

/* What has sunk deeper into another than this many thicknesses is not pushed back any more. */
#define MEETING_DEEPEST 10.0
/* A plane that is turned by less than this, as cosine, is the same. */
#define MEETING_SAME_PLANE 0.99

/* A pair and its way from where the step begins to where it may end. */
typedef struct Meeting {
    PairKind kind;
    uint32_t pair[2], vertices[4], objects[2];
    double thickness;
    double radius; /* m, of a round collider: a part of the thickness */
    double start[12], end[12];
} Meeting;

/* false: the two are not to be held apart, since they are one place in the rest shape, or since the body's points are
   enough to hold it before a round collider. `end`: [skin vertices * 3]. */
bool meeting_load(const Contact *contact, const Meetings *meetings, PairKind kind, const uint32_t pair[2],
                  const double *end, Meeting *meeting);

/* At a part of the way. */
void meeting_at(const Meeting *meeting, double time, double x[12]);

/* What surfaces that meet keep between them, even if nothing is wanted. */
double meeting_least_thickness(const Contact *contact);

/* Whether the pair is in the subset: by all vertices in which its points are embedded, those of colliders having none.
   So views of complementary subsets share out all pairs. */
bool meeting_is_in_subset(const Contact *contact, const StepScope *scope, const Meeting *meeting);
bool meeting_has_collider(const Skin *skin, const Meeting *meeting);

/* Whether a collider takes part before which the points of bodies are held softly, so that it is no news if something
   else of a body has sunk in. */
bool meeting_may_sink(const Skin *skin, const Meeting *meeting);

/* Whether the two overlapped where the step began. */
bool meeting_overlaps(const Meetings *meetings, const Meeting *meeting);

/* Whether the nearest points are apart, and then in which direction. */
bool meeting_direction(const PairDistance *apart, double normal[3]);

/* Adds a touch that holds the pair as it is at x. */
JnStatus meeting_add(const Contact *contact, ContactLag *lag, const Meeting *meeting, const double x[12],
                     const PairDistance *apart, const double normal[3], JnMessage *message);

/* The plane between the nearest points as they are at x: a touch's place, what holds it, and where it begins. */
void meeting_set_plane(const Contact *contact, const Meetings *meetings, const Meeting *meeting,
                       const PairDistance *apart, const double normal[3], Touch *touch);

/* The pairs that may meet on the way from `start` to `end`. */
JnStatus meetings_search(const Contact *contact, Meetings *meetings, const StepScope *scope, JnMessage *message);

#endif
