#include "contact/collider.h"

#include "base/math3.h"

#include <string.h>

/* The kinds: a new one is a file and a line here. */
#define KINDS(KIND) KIND(plane, "Plane", "An endless floor, wall or slope through a point, solid behind its normal")

#define DECLARE(kind, label, summary) COLLIDER_KIND(kind);
#define LINE(kind, label, summary) {{#kind, label, summary}, kind##_create, kind##_place, kind##_distance},

KINDS(DECLARE)
static const ColliderKind kinds[] = {KINDS(LINE)};

const Table collider_table = {
    "colliders", "collider", kinds, sizeof kinds[0], sizeof kinds / sizeof kinds[0], "sphere capsule box mesh"};

JnStatus collider_create(const JnCollider *desc, double metres_per_unit, const char *place, Collider *collider,
                         JnMessage *message) {
    memset(collider, 0, sizeof *collider);
    const void *kind;
    JnStatus status = table_find(&collider_table, desc->kind, place, &kind, message);
    if (status != JN_OK)
        return status;
    collider->kind = kind;
    collider->friction = desc->friction;
    status = collider->kind->create(desc, metres_per_unit, place, collider, message);
    const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    if (status == JN_OK)
        collider_move(collider, identity, identity, identity, 0);
    return status;
}

void collider_move(Collider *collider, const double transform[12], const double before[12], const double after[12],
                   double seconds) {
    double inverse[12];
    memcpy(collider->transform, transform, sizeof collider->transform);
    memset(collider->velocity_map, 0, sizeof collider->velocity_map);
    /* velocity at x: (after - before) applied to the collider's own point inverse(x), per second */
    if (seconds > 0 && affine_inverse(transform, inverse))
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 4; ++j) {
                double sum = j == 3 ? (after[4 * i + 3] - before[4 * i + 3]) : 0;
                for (int k = 0; k < 3; ++k)
                    sum += (after[4 * i + k] - before[4 * i + k]) * inverse[4 * k + j];
                collider->velocity_map[4 * i + j] = sum / seconds;
            }
    collider->kind->place(collider);
}

double collider_distance(const Collider *collider, const double x[3], double normal[3]) {
    return collider->kind->distance(collider, x, normal);
}

void collider_velocity(const Collider *collider, const double x[3], double velocity[3]) {
    affine_apply(collider->velocity_map, x, velocity);
}
