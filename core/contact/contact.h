/* The contact contract: a method makes one force term from the points and the colliders. One file per method, one line
   in the list of contact.c. */
#ifndef JN_CONTACT_CONTACT_H
#define JN_CONTACT_CONTACT_H

#include "contact/collider.h"
#include "elastic/point_set.h"

/* What a method works with; borrowed for the term's life. Moment.colliders holds the positions of the colliders. */
typedef struct ContactDesc {
    const PointSet *points;
    const Collider *colliders;
    uint32_t collider_count;
    double thickness;       /* m */
    double stiffness;       /* N/m3 */
    double smoothing_speed; /* m/s */
} ContactDesc;

typedef struct ContactReport {
    uint32_t contact_count;     /* points in contact at the start of the last step */
    double deepest_penetration; /* m beyond a collider's surface, so far */
} ContactReport;

typedef struct ContactMethod {
    JnTableEntry entry;
    JnStatus (*create)(const ContactDesc *desc, ForceTerm *term, JnMessage *message);
    /* lag: of the view that is asked about. */
    void (*report)(const void *lag, ContactReport *report);
} ContactMethod;

/* Declares the functions of a method, for its file and for the table. */
#define CONTACT_METHOD(method)                                                                                         \
    JnStatus method##_create(const ContactDesc *desc, ForceTerm *term, JnMessage *message);                            \
    void method##_report(const void *lag, ContactReport *report)

extern const Table contact_table; /* items: ContactMethod */

#endif
