#include "contact/collider.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/mesh.h"

#include <stdlib.h>
#include <string.h>

/* The kinds: to add one, add a file and a line here. */
#define KINDS(PLANE, ROUND, BLOCK, SURFACE)                                                                            \
    PLANE(plane, "Plane", "An endless floor, wall or slope through a point, solid behind its normal")                  \
    ROUND(sphere, "Sphere", "A ball, or with hollow the inside of one")                                                \
    ROUND(capsule, "Capsule", "A round rod between two points: an arm, a finger, a rail")                              \
    BLOCK(box, "Box", "A block or a thin board, or with hollow the inside of one")                                     \
    SURFACE(mesh, "Mesh", "Any surface: closed ones are solid, open ones are walls with two sides; it may deform")

#define LINE(kind)                                                                                                     \
    .create = kind##_create, .destroy = kind##_destroy, .create_placed = kind##_create_placed,                         \
    .destroy_placed = kind##_destroy_placed, .place = kind##_place, .outline = kind##_outline
#define SOLID(kind) LINE(kind), .distance = kind##_distance
#define SKIN(kind) .skin_size = kind##_skin_size, .skin = kind##_skin
#define DECLARE_SOLID(kind, label, summary) COLLIDER_SOLID(kind);
#define DECLARE_ROUND(kind, label, summary) COLLIDER_ROUND(kind);
#define DECLARE_BLOCK(kind, label, summary)                                                                            \
    COLLIDER_SOLID(kind);                                                                                              \
    COLLIDER_SKIN(kind);                                                                                               \
    COLLIDER_FIND(kind);
#define DECLARE_SURFACE(kind, label, summary) COLLIDER_SURFACE(kind);
#define PLANE_LINE(kind, label, summary) {.entry = {#kind, label, summary}, SOLID(kind)},
#define ROUND_LINE(kind, label, summary)                                                                               \
    {.entry = {#kind, label, summary},                                                                                 \
     .keeps_shape = true,                                                                                              \
     .may_hollow = true,                                                                                               \
     SOLID(kind),                                                                                                      \
     SKIN(kind),                                                                                                       \
     .skin_radius = kind##_skin_radius},
#define BLOCK_LINE(kind, label, summary)                                                                               \
    {.entry = {#kind, label, summary},                                                                                 \
     .keeps_shape = true,                                                                                              \
     .may_hollow = true,                                                                                               \
     SOLID(kind),                                                                                                      \
     SKIN(kind),                                                                                                       \
     .find = kind##_find},
#define SURFACE_LINE(kind, label, summary)                                                                             \
    {.entry = {#kind, label, summary},                                                                                 \
     .deforms = true,                                                                                                  \
     LINE(kind),                                                                                                       \
     SKIN(kind),                                                                                                       \
     .find = kind##_find,                                                                                              \
     .vertex_count = kind##_vertex_count,                                                                              \
     .fastest = kind##_fastest},

KINDS(DECLARE_SOLID, DECLARE_ROUND, DECLARE_BLOCK, DECLARE_SURFACE)
static const ColliderKind kinds[] = {KINDS(PLANE_LINE, ROUND_LINE, BLOCK_LINE, SURFACE_LINE)};

const Table collider_table = {"colliders", "collider", kinds, sizeof kinds[0], sizeof kinds / sizeof kinds[0], NULL};

/* How much the axes of a uniform scale may differ by rounding. */
static const double SCALE_ROUNDING = 1e-6;

JnStatus collider_check_transform(const ColliderKind *kind, const double m[12], const char *place, JnMessage *message) {
    double most = 0, off = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            double product = m[i] * m[j] + m[4 + i] * m[4 + j] + m[8 + i] * m[8 + j];
            most = fmax(most, fabs(product));
            off = fmax(off, fabs(product - (i == j ? m[0] * m[0] + m[4] * m[4] + m[8] * m[8] : 0)));
        }
    if (!kind->keeps_shape || off <= SCALE_ROUNDING * most)
        return JN_OK;
    return status_fail(
        message, JN_ERR_ARGUMENT,
        "%s.transform scales the axes of a %s differently: scale them alike, change its size, or give it "
        "as a mesh",
        place, kind->entry.name);
}

JnStatus collider_create(const JnCollider *desc, double metres_per_unit, const char *place, Collider *collider,
                         JnMessage *message) {
    *collider = (Collider){.kind = NULL};
    const void *kind;
    JnStatus status = table_find(&collider_table, desc->kind, place, &kind, message);
    if (status != JN_OK)
        return status;
    const ColliderKind *found = kind;
    status = collider_check_transform(found, desc->transform, place, message);
    if (status != JN_OK)
        return status;
    if (desc->hollow && !found->may_hollow)
        return status_fail(message, JN_ERR_ARGUMENT, "%s.hollow: a %s has no inside to keep bodies in: switch it off",
                           place, found->entry.name);
    void *shape;
    status = found->create(desc, metres_per_unit, place, &shape, message);
    if (status != JN_OK)
        return status;
    *collider = (Collider){.kind = found,
                           .friction = desc->friction,
                           .thickness = metres_per_unit * desc->thickness,
                           .hollow = desc->hollow != 0,
                           .ignore_groups = desc->ignore_groups,
                           .shape = shape};
    memcpy(collider->transform, desc->transform, sizeof collider->transform);
    for (int i = 0; i < 3; ++i)
        collider->transform[4 * i + 3] *= metres_per_unit;
    return JN_OK;
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
            collider_move(&colliders[c], &(ColliderMotion){.now = identity, .before = identity, .after = identity},
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

static void compose(const double outer[12], const double inner[12], double out[12]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) {
            double sum = j == 3 ? outer[4 * i + 3] : 0;
            for (int k = 0; k < 3; ++k)
                sum += outer[4 * i + k] * inner[4 * k + j];
            out[4 * i + j] = sum;
        }
}

void collider_move(const Collider *collider, const ColliderMotion *motion, ColliderPlacement *placement) {
    double before[12], after[12], inverse[12];
    compose(motion->now, collider->transform, placement->transform);
    compose(motion->before, collider->transform, before);
    compose(motion->after, collider->transform, after);
    memset(placement->velocity_map, 0, sizeof placement->velocity_map);
    /* velocity at x: (after - before) applied to the collider's own point inverse(x), per second */
    if (motion->seconds > 0 && affine_inverse(placement->transform, inverse))
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 4; ++j) {
                double sum = j == 3 ? (after[4 * i + 3] - before[4 * i + 3]) : 0;
                for (int k = 0; k < 3; ++k)
                    sum += (after[4 * i + k] - before[4 * i + k]) * inverse[4 * k + j];
                placement->velocity_map[4 * i + j] = sum / motion->seconds;
            }
    ColliderMotion placed = *motion;
    placed.now = placement->transform;
    placed.before = before;
    placed.after = after;
    collider->kind->place(collider->shape, &placed, placement);
}

double collider_distance(const Collider *collider, const ColliderPlacement *placement, const double x[3],
                         double normal[3]) {
    double distance = collider->kind->distance(collider->shape, placement, x, normal);
    for (int i = 0; i < 3 && collider->hollow; ++i)
        normal[i] = -normal[i];
    return collider->hollow ? -distance : distance;
}

void collider_velocity(const ColliderPlacement *placement, const double x[3], double velocity[3]) {
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
