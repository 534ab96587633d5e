/* A ball. */
#include "contact/collider.h"

#include "base/math3.h"
#include "contact/collider_shape.h"

#include <stdlib.h>
#include <string.h>

COLLIDER_SOLID(sphere);

typedef struct Sphere {
    double center[3], radius;
} Sphere;

JnStatus sphere_create(const JnCollider *desc, double metres_per_unit, const char *place, void **shape,
                       JnMessage *message) {
    Sphere sphere = {.radius = metres_per_unit * desc->radius};
    for (int i = 0; i < 3; ++i)
        sphere.center[i] = metres_per_unit * desc->point[i];
    JnStatus status = shape_check_point(desc->point, place, "point", message);
    if (status == JN_OK)
        status = shape_check_length(desc->radius, place, "radius", message);
    return shape_keep(status, &sphere, sizeof sphere, shape, message);
}

void sphere_destroy(void *shape) {
    free(shape);
}

void *sphere_create_placed(const void *shape) {
    (void)shape;
    return malloc(sizeof(Sphere));
}

void sphere_destroy_placed(void *placed) {
    free(placed);
}

void sphere_place(const void *shape, const ColliderMotion *motion, ColliderPlacement *placement) {
    (void)motion;
    const Sphere *sphere = shape;
    Sphere *placed = placement->placed;
    affine_apply(placement->transform, sphere->center, placed->center);
    placed->radius = sphere->radius * shape_scale(placement->transform);
}

double sphere_distance(const void *shape, const ColliderPlacement *placement, const double x[3], double normal[3]) {
    (void)shape;
    const Sphere *sphere = placement->placed;
    return shape_round_distance(sphere->center, sphere->radius, x, normal);
}

JnStatus sphere_outline(const void *shape, const ColliderPlacement *placement, const double centre[3], double radius,
                        JnMesh *mesh, JnMessage *message) {
    (void)shape, (void)centre, (void)radius;
    const Sphere *sphere = placement->placed;
    double ends[2][3];
    memcpy(ends[0], sphere->center, sizeof ends[0]);
    memcpy(ends[1], sphere->center, sizeof ends[1]);
    return shape_round_outline(ends, sphere->radius, mesh, message);
}
