/* A capsule: all that is nearer than a radius to the segment between two points. */
#include "contact/collider.h"

#include "base/math3.h"
#include "contact/collider_shape.h"

#include <stdlib.h>
#include <string.h>

COLLIDER_ROUND(capsule);

typedef struct Capsule {
    double ends[2][3], radius;
} Capsule;

JnStatus capsule_create(const JnCollider *desc, double metres_per_unit, const char *place, void **shape,
                        JnMessage *message) {
    Capsule capsule = {.radius = metres_per_unit * desc->radius};
    for (int i = 0; i < 3; ++i) {
        capsule.ends[0][i] = metres_per_unit * desc->point[i];
        capsule.ends[1][i] = metres_per_unit * desc->end[i];
    }
    JnStatus status = shape_check_point(desc->point, place, "point", message);
    if (status == JN_OK)
        status = shape_check_point(desc->end, place, "end", message);
    if (status == JN_OK)
        status = shape_check_length(desc->radius, place, "radius", message);
    return shape_keep(status, &capsule, sizeof capsule, shape, message);
}

void capsule_destroy(void *shape) {
    free(shape);
}

/* Where it is at the end of a step and at its start. */
typedef struct CapsulePlaced {
    Capsule end;
    double start[2][3];
} CapsulePlaced;

void *capsule_create_placed(const void *shape) {
    (void)shape;
    return malloc(sizeof(CapsulePlaced));
}

void capsule_destroy_placed(void *placed) {
    free(placed);
}

void capsule_place(const void *shape, const ColliderMotion *motion, ColliderPlacement *placement) {
    const Capsule *capsule = shape;
    CapsulePlaced *placed = placement->placed;
    for (int k = 0; k < 2; ++k) {
        affine_apply(placement->transform, capsule->ends[k], placed->end.ends[k]);
        affine_apply(motion->before, capsule->ends[k], placed->start[k]);
    }
    placed->end.radius = capsule->radius * shape_scale(placement->transform);
}

double capsule_distance(const void *shape, const ColliderPlacement *placement, const double x[3], double normal[3]) {
    (void)shape;
    const Capsule *capsule = &((const CapsulePlaced *)placement->placed)->end;
    double axis[3], from[3], nearest[3];
    vec3_sub(capsule->ends[1], capsule->ends[0], axis);
    vec3_sub(x, capsule->ends[0], from);
    double length = vec3_dot(axis, axis);
    double along = length > 0 ? fmin(1, fmax(0, vec3_dot(from, axis) / length)) : 0;
    for (int i = 0; i < 3; ++i)
        nearest[i] = capsule->ends[0][i] + along * axis[i];
    double distance = shape_round_distance(nearest, capsule->radius, x, normal);
    /* on the axis every direction across it leads out equally fast */
    if (distance == -capsule->radius && length > 0 && along > 0 && along < 1)
        shape_direction_across(axis, normal);
    return distance;
}

JnStatus capsule_outline(const void *shape, const ColliderPlacement *placement, const double centre[3], double radius,
                         JnMesh *mesh, JnMessage *message) {
    (void)shape, (void)centre, (void)radius;
    const Capsule *capsule = &((const CapsulePlaced *)placement->placed)->end;
    return shape_round_outline(capsule->ends, capsule->radius, mesh, message);
}

uint32_t capsule_skin_size(const void *shape, const uint32_t **triangles, uint32_t *triangle_count) {
    (void)shape;
    *triangles = NULL;
    *triangle_count = 0;
    return 2;
}

void capsule_skin(const ColliderPlacement *placement, const void *shape, double *start, double *end,
                  double *velocities) {
    (void)shape;
    const CapsulePlaced *placed = placement->placed;
    memcpy(start, placed->start, sizeof placed->start);
    memcpy(end, placed->end.ends, sizeof placed->end.ends);
    for (size_t k = 0; k < 2; ++k)
        affine_apply(placement->velocity_map, &end[3 * k], &velocities[3 * k]);
}

double capsule_skin_radius(const ColliderPlacement *placement) {
    return ((const CapsulePlaced *)placement->placed)->end.radius;
}
