/* A plane: the half-space behind its normal is solid. */
#include "contact/collider.h"

#include "base/math3.h"
#include "base/status.h"

#include <stdlib.h>

COLLIDER_SOLID(plane);

typedef struct Plane {
    double point[3], normal[3]; /* of length 1 */
} Plane;

JnStatus plane_create(const JnCollider *desc, double metres_per_unit, const char *place, void **shape,
                      JnMessage *message) {
    double length = vec3_length(desc->normal);
    *shape = NULL;
    if (!vec3_finite(desc->point))
        return status_fail(message, JN_ERR_ARGUMENT, "%s.point is (%g, %g, %g): give three finite numbers", place,
                           desc->point[0], desc->point[1], desc->point[2]);
    if (!(length > 0) || !isfinite(length))
        return status_fail(message, JN_ERR_ARGUMENT,
                           "%s.normal is (%g, %g, %g): give the direction away from the solid side, not zero", place,
                           desc->normal[0], desc->normal[1], desc->normal[2]);
    Plane *plane = malloc(sizeof *plane);
    if (!plane)
        return status_no_memory(message, "a plane");
    for (int i = 0; i < 3; ++i) {
        plane->point[i] = metres_per_unit * desc->point[i];
        plane->normal[i] = desc->normal[i] / length;
    }
    *shape = plane;
    return JN_OK;
}

void plane_destroy(void *shape) {
    free(shape);
}

void *plane_create_placed(const void *shape) {
    (void)shape;
    return malloc(sizeof(Plane));
}

void plane_destroy_placed(void *placed) {
    free(placed);
}

void plane_place(const void *shape, const ColliderMotion *motion, ColliderPlacement *placement) {
    (void)motion;
    const Plane *plane = shape;
    Plane *placed = placement->placed;
    double linear[9], cofactor[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            linear[3 * i + j] = placement->transform[4 * i + j];
    /* normals transform by the cofactor matrix, for any scale; a mirrored plane keeps its free side */
    mat3_cofactor(linear, cofactor);
    mat3_mul_vec(cofactor, plane->normal, placed->normal);
    double length = vec3_length(placed->normal), sign = mat3_det(linear) < 0 ? -1 : 1;
    for (int i = 0; i < 3; ++i)
        placed->normal[i] = length > 0 ? sign * placed->normal[i] / length : plane->normal[i];
    affine_apply(placement->transform, plane->point, placed->point);
}

double plane_distance(const void *shape, const ColliderPlacement *placement, const double x[3], double normal[3]) {
    (void)shape;
    const Plane *placed = placement->placed;
    double offset[3];
    vec3_sub(x, placed->point, offset);
    for (int i = 0; i < 3; ++i)
        normal[i] = placed->normal[i];
    return vec3_dot(offset, placed->normal);
}
