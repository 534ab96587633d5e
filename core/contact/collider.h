/* The collider contract: obstacles that bodies collide with. One file per kind, one line in the list of collider.c. */
#ifndef JN_CONTACT_COLLIDER_H
#define JN_CONTACT_COLLIDER_H

#include "base/table.h"

#include <stdbool.h>

typedef struct ColliderKind ColliderKind;

/* A collider as it was described, in metres: the same for all times. */
typedef struct Collider {
    const ColliderKind *kind;
    double friction;
    void *shape; /* the kind's own, owned */
} Collider;

/* How a collider moves on its way to a time. Borrowed arrays, in metres. */
typedef struct ColliderMotion {
    const double *transform;      /* [12] at the time */
    const double *before, *after; /* [12] its velocity is that of the motion from one to the other */
    double seconds;               /* in this time; 0: at rest */
    const double *positions;      /* [vertex_count * 3] of one that deforms, at the time, before the transform; NULL: as
                                     described */
    const double *positions_before, *positions_after; /* as before, after; NULL with `positions` */
} ColliderMotion;

/* Where a collider is at one time, in the scene, in metres. */
typedef struct ColliderPlacement {
    double transform[12];
    double velocity_map[12]; /* from a position x to the velocity there in this step if it moves rigidly, m/s */
    void *placed;            /* the kind's own, owned: positions that deform, what is derived from them */
} ColliderPlacement;

struct ColliderKind {
    JnTableEntry entry;
    bool deforms; /* reads the positions of a ColliderMotion; else it is never given any */
    /* Checks what this kind reads of the desc, and copies it in metres. `place`: "colliders[0]". */
    JnStatus (*create)(const JnCollider *desc, double metres_per_unit, const char *place, void **shape,
                       JnMessage *message);
    void (*destroy)(void *shape); /* may be NULL */
    /* Allocates what `place` derives; NULL if out of memory. */
    void *(*create_placed)(const void *shape);
    void (*destroy_placed)(void *placed); /* may be NULL */
    /* Derives `placed` from the motion; transform and velocity_map are set already. */
    void (*place)(const void *shape, const ColliderMotion *motion, ColliderPlacement *placement);
    /* Signed distance of x to the surface, m, positive on the free side; unit normal there, towards the free side. */
    double (*distance)(const void *shape, const ColliderPlacement *placement, const double x[3], double normal[3]);
    /* Velocity of the surface nearest to x, m/s. NULL: by velocity_map, as all that does not deform. */
    void (*velocity)(const void *shape, const ColliderPlacement *placement, const double x[3], double velocity[3]);
    /* Fills an empty mesh with the surface where it is placed, m, to be drawn: polygons that are counter-clockwise seen
       from the free side. What is endless is cut to `radius` around the point nearest to `centre`. */
    JnStatus (*outline)(const void *shape, const ColliderPlacement *placement, const double centre[3], double radius,
                        JnMesh *mesh, JnMessage *message);
};

/* Declares the functions of a kind, for its file and for the table. */
#define COLLIDER_KIND(kind)                                                                                            \
    JnStatus kind##_create(const JnCollider *desc, double metres_per_unit, const char *place, void **shape,            \
                           JnMessage *message);                                                                        \
    void kind##_destroy(void *shape);                                                                                  \
    void *kind##_create_placed(const void *shape);                                                                     \
    void kind##_destroy_placed(void *placed);                                                                          \
    void kind##_place(const void *shape, const ColliderMotion *motion, ColliderPlacement *placement);                  \
    double kind##_distance(const void *shape, const ColliderPlacement *placement, const double x[3],                   \
                           double normal[3]);                                                                          \
    JnStatus kind##_outline(const void *shape, const ColliderPlacement *placement, const double centre[3],             \
                            double radius, JnMesh *mesh, JnMessage *message)

extern const Table collider_table; /* items: ColliderKind */

/* On failure *collider is all zero. */
JnStatus collider_create(const JnCollider *desc, double metres_per_unit, const char *place, Collider *collider,
                         JnMessage *message);
void collider_free(Collider *collider); /* leaves it all zero; may be all zero */

/* Placements of `count` colliders, as described and at rest. On failure *placements is NULL. */
JnStatus collider_placements_create(const Collider *colliders, uint32_t count, ColliderPlacement **placements,
                                    JnMessage *message);
void collider_placements_destroy(const Collider *colliders, uint32_t count, ColliderPlacement *placements);

/* Moves the collider. */
void collider_move(const Collider *collider, const ColliderMotion *motion, ColliderPlacement *placement);

double collider_distance(const Collider *collider, const ColliderPlacement *placement, const double x[3],
                         double normal[3]);
void collider_velocity(const Collider *collider, const ColliderPlacement *placement, const double x[3],
                       double velocity[3]);

/* The surface where it is placed, m, as ColliderKind.outline; free it by jn_mesh_free. On failure *mesh is NULL. */
JnStatus collider_outline(const Collider *collider, const ColliderPlacement *placement, const double centre[3],
                          double radius, JnMesh **mesh, JnMessage *message);

#endif
