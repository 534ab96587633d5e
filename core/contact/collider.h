/* The collider contract: what bodies run into. One kind a file, one line in the list of collider.c. */
#ifndef JN_CONTACT_COLLIDER_H
#define JN_CONTACT_COLLIDER_H

#include "base/table.h"

typedef struct ColliderKind ColliderKind;

/* A collider in the scene, in metres, at the present time. */
typedef struct Collider {
    const ColliderKind *kind;
    double friction;
    double point[3], normal[3]; /* plane: as described, before the transform */
    double transform[12];       /* at the present time */
    double velocity_map[12];    /* from a place x to the velocity there, m/s: the collider's motion in this step */
    double placed_point[3], placed_normal[3]; /* plane: at the present time, normal of length 1 */
} Collider;

struct ColliderKind {
    JnTableEntry entry;
    /* Checks what this kind reads of the desc, and copies it in metres. `place`: "colliders[0]". */
    JnStatus (*create)(const JnCollider *desc, double metres_per_unit, const char *place, Collider *collider,
                       JnMessage *message);
    /* The transform has changed. */
    void (*place)(Collider *collider);
    /* Signed distance of x to the surface, m, positive on the free side; unit normal there, towards the free side. */
    double (*distance)(const Collider *collider, const double x[3], double normal[3]);
};

/* Declares the functions of a kind, for its file and for the table. */
#define COLLIDER_KIND(kind)                                                                                            \
    JnStatus kind##_create(const JnCollider *desc, double metres_per_unit, const char *place, Collider *collider,      \
                           JnMessage *message);                                                                        \
    void kind##_place(Collider *collider);                                                                             \
    double kind##_distance(const Collider *collider, const double x[3], double normal[3])

extern const Table collider_table; /* items: ColliderKind */

JnStatus collider_create(const JnCollider *desc, double metres_per_unit, const char *place, Collider *collider,
                         JnMessage *message);

/* Moves the collider to `transform` (metres). Its velocity is that of the motion from `before` to `after` in `seconds`;
   seconds 0: at rest. */
void collider_move(Collider *collider, const double transform[12], const double before[12], const double after[12],
                   double seconds);

double collider_distance(const Collider *collider, const double x[3], double normal[3]);
void collider_velocity(const Collider *collider, const double x[3], double velocity[3]);

#endif
