/* The contact contract: a method is a law of the normal force. One file per method, one line in the list of
   contact.c. */
#ifndef JN_CONTACT_CONTACT_H
#define JN_CONTACT_CONTACT_H

#include "contact/collider.h"
#include "elastic/point_set.h"

typedef struct ContactMethod ContactMethod;

/* What contact works with; borrowed for the term's life. Moment.colliders holds the positions of the colliders. */
typedef struct ContactDesc {
    const ContactMethod *method;
    const PointSet *points;
    const double *masses; /* [vertex_count] kg */
    const Collider *colliders;
    uint32_t collider_count;
    double thickness;       /* m */
    double stiffness;       /* N/m3 */
    double smoothing_speed; /* m/s */
} ContactDesc;

typedef struct ContactReport {
    uint32_t contact_count;     /* points in contact in the last step */
    double deepest_penetration; /* m beyond a collider's surface, so far */
    double depth;               /* m: the deepest at the start of the last step, 0 if there is none, */
    uint32_t point, collider;   /* and whose it is */
} ContactReport;

/* Points that are deeper than this part of a body's size when a step begins were put there. They are pushed out at this
   many body sizes a second at most, not thrown. */
extern const double CONTACT_DEEP_PART, CONTACT_RISE_SPEED;

/* The normal force of one contact at one distance. */
typedef struct NormalForce {
    double energy; /* J */
    double force;  /* N, at least 0: minus the energy's derivative by distance */
    double slope;  /* N/m, at least 0: its second derivative */
} NormalForce;

struct ContactMethod {
    JnTableEntry entry;
    /* At a distance (m) from the surface; area: of the point, m2. */
    NormalForce (*normal)(const ContactDesc *desc, double area, double distance);
    /* The largest slope that it can come to in a step. */
    double (*stiffest)(const ContactDesc *desc, double area);
};

/* Declares the functions of a method, for its file and for the table. */
#define CONTACT_METHOD(method)                                                                                         \
    NormalForce method##_normal(const ContactDesc *desc, double area, double distance);                                \
    double method##_stiffest(const ContactDesc *desc, double area)

extern const Table contact_table; /* items: ContactMethod */

/* The force of contact between the points and the colliders, by the desc's method, with friction. */
JnStatus contact_create(const ContactDesc *desc, ForceTerm *term, JnMessage *message);
/* lag: of the view that is asked about. */
void contact_report(const void *lag, ContactReport *report);

#endif
