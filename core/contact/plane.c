/* A plane: the half-space behind its normal is solid. */
#include "contact/collider.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/mesh.h"

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

/* The largest of 1, 2 and 5 times a power of ten that is not above x. */
static double round_down(double x) {
    double power = pow(10, floor(log10(x))), lead = x / power;
    return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

/* Squares with sides of a round length, which lie still while the centre moves. */
JnStatus plane_outline(const void *shape, const ColliderPlacement *placement, const double centre[3], double radius,
                       JnMesh *mesh, JnMessage *message) {
    (void)shape;
    const Plane *placed = placement->placed;
    const double *n = placed->normal;
    int least = fabs(n[0]) <= fabs(n[2]) ? 0 : 2;
    least = fabs(n[1]) < fabs(n[least]) ? 1 : least;
    double axes[2][3], offset[3], side = round_down(radius / 4), first[2];
    for (int i = 0; i < 3; ++i)
        axes[0][i] = (i == least) - n[least] * n[i];
    double length = vec3_length(axes[0]);
    for (int i = 0; i < 3; ++i)
        axes[0][i] /= length;
    vec3_cross(n, axes[0], axes[1]);
    vec3_sub(centre, placed->point, offset);
    for (int a = 0; a < 2; ++a)
        first[a] = side * floor((vec3_dot(offset, axes[a]) - radius) / side);
    uint32_t cells = (uint32_t)ceil(2 * radius / side) + 1, row = cells + 1;
    JnStatus status = mesh_set_vertex_count(mesh, row * row, message);
    if (status == JN_OK)
        status = mesh_set_face_counts(mesh, cells * cells, 4 * cells * cells, message);
    if (status != JN_OK)
        return status;
    for (uint32_t v = 0; v < row * row; ++v)
        for (int i = 0; i < 3; ++i)
            mesh->positions[3 * (size_t)v + (size_t)i] = placed->point[i] + (first[0] + side * (v % row)) * axes[0][i] +
                                                         (first[1] + side * (v / row)) * axes[1][i];
    for (uint32_t f = 0; f < cells * cells; ++f) {
        uint32_t corner = f / cells * row + f % cells;
        const uint32_t corners[4] = {corner, corner + 1, corner + 1 + row, corner + row};
        mesh->face_sizes[f] = 4;
        for (size_t i = 0; i < 4; ++i)
            mesh->face_vertices[4 * (size_t)f + i] = corners[i];
    }
    return JN_OK;
}
