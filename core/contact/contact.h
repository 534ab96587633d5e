/* The contact contract: a method is a law of the normal force, and what it promises. One file per law, one line per
   method in the list of contact.c. */
#ifndef JN_CONTACT_CONTACT_H
#define JN_CONTACT_CONTACT_H

#include "contact/collider.h"
#include "elastic/point_set.h"

typedef struct ContactMethod ContactMethod;

/* How the points of one body touch, all in one row. */
typedef struct ContactBody {
    uint32_t first_point, point_count;
    bool collides;          /* with other bodies that do; with colliders always */
    bool self_contact;      /* its parts touch each other */
    double friction;        /* NaN: that of what it touches */
    double thickness;       /* m: contact with it begins at this distance; NaN: at ContactDesc.thickness */
    uint64_t ignore_groups; /* it does not touch what has one of these bits too */
} ContactBody;

/* What contact works with; borrowed for the term's life. Moment.colliders holds the positions of the colliders. */
typedef struct ContactDesc {
    const ContactMethod *method;
    const PointSet *points;
    const double *rest_points; /* [point_count * 3] m, the modelled shapes */
    const double *masses;      /* [vertex_count] kg */
    const ContactBody *bodies; /* [body_count] of all points */
    uint32_t body_count;
    const Collider *colliders;
    uint32_t collider_count;
    double thickness;       /* m */
    double stiffness;       /* N/m3 */
    double usual_stiffness; /* N/m3, of the bodies; a barrier that is softer and was crossed becomes as stiff */
    double smoothing_speed; /* m/s */
} ContactDesc;

/* Objects are numbered: bodies first, then colliders. */
#define CONTACT_NOBODY UINT32_MAX

typedef struct ContactReport {
    uint32_t pair_count;                    /* points and pairs that may touch in the last step */
    uint32_t contact_count;                 /* of them, those that push */
    uint32_t sticking_count, sliding_count; /* of those, with friction: slower and faster than the smoothing speed */
    uint32_t overlap_count;      /* edges that pierce a triangle, points behind a surface, which are tolerated */
    double smallest_distance;    /* m, between what pushes, negative if one is inside of the other; INFINITY: nothing */
    double deepest_penetration;  /* m beyond a surface, so far */
    double overlap_place[3];     /* m, of one of the overlaps; NaN if there is none */
    uint32_t overlap_objects[2]; /* whose it is */
    double depth;                /* m: the deepest inside a collider at the end of the last step, 0 if there is none, */
    uint32_t point, collider;    /* and whose it is */
} ContactReport;

/* Points that are deeper than this part of a body's size when a step begins were put there. They are pushed out at this
   many body sizes a second at most, not thrown; what is less deep rises more slowly. */
extern const double CONTACT_DEEP_PART, CONTACT_RISE_SPEED;

/* The normal force of one contact at one distance. */
typedef struct NormalForce {
    double energy; /* J */
    double force;  /* N, at least 0: minus the energy's derivative by distance */
    double slope;  /* N/m, at least 0: its second derivative */
} NormalForce;

/* How the force depends on the distance. */
typedef struct ContactCurve ContactCurve;

/* Part of the bodies' size: surfaces keep this distance even if a thickness of 0 is wanted. */
#define CONTACT_LEAST_THICKNESS 1e-5

/* The law of one contact. */
typedef struct ContactLaw {
    const ContactCurve *curve;
    double stiffness; /* N/m */
    double thickness; /* m: the distance at which contact begins */
    double reach;     /* m, at most the thickness: what a barrier acts over */
} ContactLaw;

struct ContactCurve {
    NormalForce (*normal)(const ContactLaw *law, double distance);
    /* The distance at which it pushes with a force above 0, and by how much that distance shrinks per force, m/N. */
    double (*distance)(const ContactLaw *law, double force, double *shrinks);
    /* The largest slope that it can come to in a step. */
    double (*stiffest)(const ContactLaw *law);
};

extern const ContactCurve penalty_curve; /* in proportion to the depth */
extern const ContactCurve barrier_curve; /* rises steeply before what touches comes together */

/* Points before a collider have signed distances, and may sink in. What meets of the bodies' surfaces has none: there
   the force is always that of the barrier. */
struct ContactMethod {
    JnTableEntry entry;
    const ContactCurve *collider_curve;
    bool never_crosses; /* steps in which something would be crossed are cut, and colliders meet bodies as bodies do */
};

extern const Table contact_table; /* items: ContactMethod */

/* The force of contact between the points, the colliders and each other, by the desc's method, with friction. */
JnStatus contact_create(const ContactDesc *desc, ForceTerm *term, JnMessage *message);
/* self: the term's; lag: of the view that is asked about. */
void contact_report(const void *self, const void *lag, ContactReport *report);

#endif
