/* A ball. */
#include "contact/collider.h"

#include "base/math3.h"
#include "contact/collider_shape.h"

#include <stdlib.h>
#include <string.h>

COLLIDER_ROUND(sphere);

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

/* Where it is at the end of a step and at its start. */
typedef struct SpherePlaced {
    Sphere end;
    double start[3];
} SpherePlaced;

void *sphere_create_placed(const void *shape) {
    (void)shape;
    return malloc(sizeof(SpherePlaced));
}

void sphere_destroy_placed(void *placed) {
    free(placed);
}

void sphere_place(const void *shape, const ColliderMotion *motion, ColliderPlacement *placement) {
    const Sphere *sphere = shape;
    SpherePlaced *placed = placement->placed;
    affine_apply(placement->transform, sphere->center, placed->end.center);
    affine_apply(motion->before, sphere->center, placed->start);
    placed->end.radius = sphere->radius * shape_scale(placement->transform);
}

double sphere_distance(const void *shape, const ColliderPlacement *placement, const double x[3], double normal[3]) {
    (void)shape;
    const Sphere *sphere = &((const SpherePlaced *)placement->placed)->end;
    return shape_round_distance(sphere->center, sphere->radius, x, normal);
}

JnStatus sphere_outline(const void *shape, const ColliderPlacement *placement, const double centre[3], double radius,
                        JnMesh *mesh, JnMessage *message) {
    (void)shape, (void)centre, (void)radius;
    const Sphere *sphere = &((const SpherePlaced *)placement->placed)->end;
    double ends[2][3];
    memcpy(ends[0], sphere->center, sizeof ends[0]);
    memcpy(ends[1], sphere->center, sizeof ends[1]);
    return shape_round_outline(ends, sphere->radius, mesh, message);
}

uint32_t sphere_skin_size(const void *shape, const uint32_t **triangles, uint32_t *triangle_count) {
    (void)shape;
    *triangles = NULL;
    *triangle_count = 0;
    return 1;
}

void sphere_skin(const ColliderPlacement *placement, const void *shape, double *start, double *end,
                 double *velocities) {
    (void)shape;
    const SpherePlaced *placed = placement->placed;
    memcpy(start, placed->start, sizeof placed->start);
    memcpy(end, placed->end.center, sizeof placed->end.center);
    affine_apply(placement->velocity_map, end, velocities);
}

double sphere_skin_radius(const ColliderPlacement *placement) {
    return ((const SpherePlaced *)placement->placed)->end.radius;
}
