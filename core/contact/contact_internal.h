/* Shared by the files of the contact term: contact_term.c, collider_touches.c for points before colliders, meetings.c
   for what meets of the skin. */
#ifndef JN_CONTACT_CONTACT_INTERNAL_H
#define JN_CONTACT_CONTACT_INTERNAL_H

#include "contact/skin.h"
#include "contact/touch.h"

typedef struct Contact {
    ContactDesc desc;
    uint32_t surface_count; /* of the colliders: those that find planes */
    Skin *skin;             /* NULL: nothing meets */
} Contact;

/* What a surface holds a point with in a step. */
typedef struct Hold {
    uint32_t count;
    ColliderPlane planes[COLLIDER_PLANES];
} Hold;

typedef struct Meetings Meetings;

typedef struct TouchList {
    Touch *items;
    uint32_t count;
    size_t capacity;
} TouchList;

typedef struct ContactLag {
    TouchList before;  /* points before colliders, */
    uint32_t foreseen; /* of which so many were found as the step began, in the order of points */
    TouchList meeting; /* what meets of the skin */
    uint8_t *is_near;  /* [point_count] may touch soon */
    /* points before colliders */
    size_t hold_count;          /* point_count * surface_count */
    Hold *holds;                /* [hold_count] of this step */
    ColliderMemory *memories;   /* [hold_count] from step to step */
    size_t allowed_count;       /* point_count * collider_count */
    double *allowed;            /* [allowed_count] m: depths that the bake began with, as left so far */
    uint8_t *behind;            /* [allowed_count] 1: the point was behind the barrier where the step began */
    bool has_begun;             /* a step */
    ContactReport now;          /* of the last step */
    double deepest_penetration; /* so far */
    double stiffening;          /* factor on the stiffness, for the barrier: at least 1, from step to step */
    double raised;              /* the same for the next try of a step that crossed something; 0: it is as given */
    Meetings *meetings;         /* NULL: nothing meets */
} ContactLag;

/* A new touch in one of the lag's lists, all zero but for what every touch has; NULL: out of memory. */
Touch *contact_add_touch(const Contact *contact, const ContactLag *lag, TouchList *list, uint32_t first,
                         uint32_t second, double area, double thickness);

/* Of a point before a collider, as it is now. */
void contact_note_depth(const Contact *contact, ContactLag *lag, const Touch *touch, double distance);

/* How far what approaches may come in a step, m. */
double contact_reach_in_step(const StepScope *scope, double h, double closing_speed);

/* Adds the touches of points with colliders, as the step begins. */
JnStatus collider_touches_find(const Contact *contact, ContactLag *lag, const StepScope *scope, const StepStart *start,
                               JnMessage *message);

/* Adds those that would be behind a collider at q, and are not held yet. *more: whether there are any. */
JnStatus collider_touches_look_again(const Contact *contact, ContactLag *lag, const StepScope *scope, const double *q,
                                     bool *more, JnMessage *message);

/* Of what meets. On failure *meetings is NULL. */
JnStatus meetings_create(const Contact *contact, Meetings **meetings, JnMessage *message);
void meetings_destroy(Meetings *meetings); /* may be NULL */
/* Adds the touches of what may meet in the step that begins. */
JnStatus meetings_find(const Contact *contact, ContactLag *lag, const StepScope *scope, const StepStart *start,
                       JnMessage *message);
/* Adds touches for what would cross on the straight way from the step's start to q, and is not yet held there. *more:
   whether there are any. */
JnStatus meetings_look_again(const Contact *contact, ContactLag *lag, const StepScope *scope, const double *q,
                             bool *more, JnMessage *message);
/* Whether nothing crosses on that way; else *time is the part of it that is free, and the next steps look for what has
   crossed. */
JnStatus meetings_check_way(const Contact *contact, ContactLag *lag, const StepScope *scope, const double *q,
                            double *time, JnMessage *message);
/* Remembers what pushes at q, where the step has ended. */
JnStatus meetings_remember(const Contact *contact, ContactLag *lag, const StepScope *scope, const double *q,
                           JnMessage *message);
/* What persists from step to step. */
bool meetings_archive(Meetings *meetings, Archive *archive);

#endif
