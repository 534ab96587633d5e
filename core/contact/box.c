/* A box: a block with edges along the axes, before its transform. */
#include "contact/collider.h"

#include "base/math3.h"
#include "contact/collider_shape.h"

#include <stdlib.h>

COLLIDER_SOLID(box);

/* Axes of length 1 are rows. */
typedef struct Box {
    double center[3], half[3], axes[3][3];
} Box;

JnStatus box_create(const JnCollider *desc, double metres_per_unit, const char *place, void **shape,
                    JnMessage *message) {
    Box box = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    JnStatus status = shape_check_point(desc->point, place, "point", message);
    static const char *const sides[3] = {"size[0]", "size[1]", "size[2]"};
    for (int i = 0; i < 3; ++i) {
        box.center[i] = metres_per_unit * desc->point[i];
        box.half[i] = 0.5 * metres_per_unit * desc->size[i];
        if (status == JN_OK)
            status = shape_check_length(desc->size[i], place, sides[i], message);
    }
    return shape_keep(status, &box, sizeof box, shape, message);
}

void box_destroy(void *shape) {
    free(shape);
}

void *box_create_placed(const void *shape) {
    (void)shape;
    return malloc(sizeof(Box));
}

void box_destroy_placed(void *placed) {
    free(placed);
}

void box_place(const void *shape, const ColliderMotion *motion, ColliderPlacement *placement) {
    (void)motion;
    const Box *box = shape;
    Box *placed = placement->placed;
    const double *m = placement->transform;
    double scale = shape_scale(m);
    affine_apply(m, box->center, placed->center);
    for (int a = 0; a < 3; ++a) {
        placed->half[a] = scale * box->half[a];
        for (int i = 0; i < 3; ++i)
            placed->axes[a][i] = m[4 * i + a] / scale;
    }
}

double box_distance(const void *shape, const ColliderPlacement *placement, const double x[3], double normal[3]) {
    (void)shape;
    const Box *box = placement->placed;
    double offset[3], along[3], beyond[3], distance = 0;
    int nearest = 0; /* the axis of the face that is nearest from inside */
    vec3_sub(x, box->center, offset);
    for (int a = 0; a < 3; ++a) {
        along[a] = vec3_dot(offset, box->axes[a]);
        beyond[a] = fabs(along[a]) - box->half[a];
        distance += beyond[a] > 0 ? beyond[a] * beyond[a] : 0;
        nearest = beyond[a] > beyond[nearest] ? a : nearest;
    }
    distance = distance > 0 ? sqrt(distance) : beyond[nearest];
    for (int i = 0; i < 3; ++i) {
        normal[i] = 0;
        for (int a = 0; a < 3; ++a) {
            double part = distance > 0 ? fmax(0, beyond[a]) / distance : a == nearest;
            normal[i] += (along[a] < 0 ? -part : part) * box->axes[a][i];
        }
    }
    return distance;
}
