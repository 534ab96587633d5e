#include "contact/collider.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/mesh.h"

#include <stdlib.h>
#include <string.h>

/* The kinds: to add one, add a file and a line here. */
#define KINDS(KIND) KIND(plane, "Plane", "An endless floor, wall or slope through a point, solid behind its normal")

#define DECLARE(kind, label, summary) COLLIDER_KIND(kind);
#define LINE(kind, label, summary)                                                                                     \
    {.entry = {#kind, label, summary},                                                                                 \
     .create = kind##_create,                                                                                          \
     .destroy = kind##_destroy,                                                                                        \
     .create_placed = kind##_create_placed,                                                                            \
     .destroy_placed = kind##_destroy_placed,                                                                          \
     .place = kind##_place,                                                                                            \
     .distance = kind##_distance,                                                                                      \
     .outline = kind##_outline},

KINDS(DECLARE)
static const ColliderKind kinds[] = {KINDS(LINE)};

const Table collider_table = {
    "colliders", "collider", kinds, sizeof kinds[0], sizeof kinds / sizeof kinds[0], "sphere capsule box mesh"};

JnStatus collider_create(const JnCollider *desc, double metres_per_unit, const char *place, Collider *collider,
                         JnMessage *message) {
    *collider = (Collider){.kind = NULL};
    const void *kind;
    JnStatus status = table_find(&collider_table, desc->kind, place, &kind, message);
    if (status != JN_OK)
        return status;
    void *shape;
    status = ((const ColliderKind *)kind)->create(desc, metres_per_unit, place, &shape, message);
    if (status == JN_OK)
        *collider = (Collider){kind, desc->friction, shape};
    return status;
}

void collider_free(Collider *collider) {
    if (collider->kind)
        collider->kind->destroy(collider->shape);
    *collider = (Collider){.kind = NULL};
}

JnStatus collider_placements_create(const Collider *colliders, uint32_t count, ColliderPlacement **placements,
                                    JnMessage *message) {
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    ColliderPlacement *made = calloc((size_t)count + 1, sizeof *made);
    bool ok = made != NULL;
    for (uint32_t c = 0; ok && c < count; ++c) {
        made[c].placed = colliders[c].kind->create_placed(colliders[c].shape);
        ok = made[c].placed != NULL;
        if (ok)
            collider_move(&colliders[c], &(ColliderMotion){identity, identity, identity, 0, NULL, NULL, NULL},
                          &made[c]);
    }
    *placements = made;
    if (ok)
        return JN_OK;
    collider_placements_destroy(colliders, count, made);
    *placements = NULL;
    return status_no_memory(message, "colliders");
}

void collider_placements_destroy(const Collider *colliders, uint32_t count, ColliderPlacement *placements) {
    for (uint32_t c = 0; placements && c < count; ++c)
        colliders[c].kind->destroy_placed(placements[c].placed);
    free(placements);
}

void collider_move(const Collider *collider, const ColliderMotion *motion, ColliderPlacement *placement) {
    const double *before = motion->before, *after = motion->after;
    double inverse[12];
    memcpy(placement->transform, motion->transform, sizeof placement->transform);
    memset(placement->velocity_map, 0, sizeof placement->velocity_map);
    /* velocity at x: (after - before) applied to the collider's own point inverse(x), per second */
    if (motion->seconds > 0 && affine_inverse(motion->transform, inverse))
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 4; ++j) {
                double sum = j == 3 ? (after[4 * i + 3] - before[4 * i + 3]) : 0;
                for (int k = 0; k < 3; ++k)
                    sum += (after[4 * i + k] - before[4 * i + k]) * inverse[4 * k + j];
                placement->velocity_map[4 * i + j] = sum / motion->seconds;
            }
    collider->kind->place(collider->shape, motion, placement);
}

double collider_distance(const Collider *collider, const ColliderPlacement *placement, const double x[3],
                         double normal[3]) {
    return collider->kind->distance(collider->shape, placement, x, normal);
}

void collider_velocity(const Collider *collider, const ColliderPlacement *placement, const double x[3],
                       double velocity[3]) {
    if (collider->kind->velocity)
        collider->kind->velocity(collider->shape, placement, x, velocity);
    else
        affine_apply(placement->velocity_map, x, velocity);
}

JnStatus collider_outline(const Collider *collider, const ColliderPlacement *placement, const double centre[3],
                          double radius, JnMesh **mesh, JnMessage *message) {
    *mesh = calloc(1, sizeof **mesh);
    if (!*mesh)
        return status_no_memory(message, "the surface of a collider");
    JnStatus status = collider->kind->outline(collider->shape, placement, centre, radius, *mesh, message);
    if (status != JN_OK) {
        jn_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}
