/* A plane: all that is behind its normal is solid. */
#include "contact/collider.h"

#include "base/math3.h"
#include "base/status.h"

COLLIDER_KIND(plane);

JnStatus plane_create(const JnCollider *desc, double metres_per_unit, const char *place, Collider *collider,
                      JnMessage *message) {
    double length = vec3_length(desc->normal);
    if (!vec3_finite(desc->point))
        return status_fail(message, JN_ERR_ARGUMENT, "%s.point is (%g, %g, %g): give three finite numbers", place,
                           desc->point[0], desc->point[1], desc->point[2]);
    if (!(length > 0) || !isfinite(length))
        return status_fail(message, JN_ERR_ARGUMENT,
                           "%s.normal is (%g, %g, %g): give the direction away from the solid side, not zero", place,
                           desc->normal[0], desc->normal[1], desc->normal[2]);
    for (int i = 0; i < 3; ++i) {
        collider->point[i] = metres_per_unit * desc->point[i];
        collider->normal[i] = desc->normal[i] / length;
    }
    return JN_OK;
}

void plane_place(Collider *collider) {
    double linear[9], cofactor[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            linear[3 * i + j] = collider->transform[4 * i + j];
    /* normals follow the cofactor matrix, whatever the scale; a mirrored plane keeps its free side */
    mat3_cofactor(linear, cofactor);
    mat3_mul_vec(cofactor, collider->normal, collider->placed_normal);
    double length = vec3_length(collider->placed_normal), sign = mat3_det(linear) < 0 ? -1 : 1;
    for (int i = 0; i < 3; ++i)
        collider->placed_normal[i] = length > 0 ? sign * collider->placed_normal[i] / length : collider->normal[i];
    affine_apply(collider->transform, collider->point, collider->placed_point);
}

double plane_distance(const Collider *collider, const double x[3], double normal[3]) {
    double offset[3];
    vec3_sub(x, collider->placed_point, offset);
    for (int i = 0; i < 3; ++i)
        normal[i] = collider->placed_normal[i];
    return vec3_dot(offset, collider->placed_normal);
}
