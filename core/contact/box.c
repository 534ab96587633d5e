/* A box: a block with edges along the axes, before its transform. Boxes may be thin: as with meshes, what holds a point
   is chosen for a whole step, by the way that it would take, and remembered for as long as the point is behind it. */
#include "contact/collider.h"

#include "base/math3.h"
#include "contact/collider_shape.h"
#include "geometry/mesh.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

COLLIDER_SOLID(box);
COLLIDER_SKIN(box);
COLLIDER_FIND(box);

/* Axes of length 1 are rows. */
typedef struct Box {
    double center[3], half[3], axes[3][3];
    bool hollow;
} Box;

/* Where it is at the end of a step and at its start. */
typedef struct BoxPlaced {
    Box end, start;
} BoxPlaced;

JnStatus box_create(const JnCollider *desc, double metres_per_unit, const char *place, void **shape,
                    JnMessage *message) {
    Box box = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .hollow = desc->hollow != 0};
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
    return malloc(sizeof(BoxPlaced));
}

void box_destroy_placed(void *placed) {
    free(placed);
}

static void place_box(const Box *box, const double m[12], Box *placed) {
    double scale = shape_scale(m);
    placed->hollow = box->hollow;
    affine_apply(m, box->center, placed->center);
    for (int a = 0; a < 3; ++a) {
        placed->half[a] = scale * box->half[a];
        for (int i = 0; i < 3; ++i)
            placed->axes[a][i] = m[4 * i + a] / scale;
    }
}

void box_place(const void *shape, const ColliderMotion *motion, ColliderPlacement *placement) {
    BoxPlaced *placed = placement->placed;
    place_box(shape, motion->now, &placed->end);
    place_box(shape, motion->before, &placed->start);
}

/* x along the axes, from the centre. */
static void find_along(const Box *box, const double x[3], double along[3]) {
    double offset[3];
    vec3_sub(x, box->center, offset);
    for (int a = 0; a < 3; ++a)
        along[a] = vec3_dot(offset, box->axes[a]);
}

double box_distance(const void *shape, const ColliderPlacement *placement, const double x[3], double normal[3]) {
    (void)shape;
    const Box *box = &((const BoxPlaced *)placement->placed)->end;
    double along[3], beyond[3], distance = 0;
    int nearest = 0; /* the axis of the face that is nearest from inside */
    find_along(box, x, along);
    for (int a = 0; a < 3; ++a) {
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

/* The plane of a face: the one at the positive end of axis face / 2, or for an odd number at the other end. */
static void face_plane(const ColliderPlacement *placement, uint32_t face, ColliderPlane *plane) {
    const Box *box = &((const BoxPlaced *)placement->placed)->end;
    uint32_t axis = face / 2;
    double sign = face % 2 ? -1 : 1;
    for (int i = 0; i < 3; ++i) {
        plane->point[i] = box->center[i] + sign * box->half[axis] * box->axes[axis][i];
        plane->normal[i] = (box->hollow ? -sign : sign) * box->axes[axis][i];
    }
}

/* From inside, the nearer face of each axis. */
static uint32_t hold_inside(const ColliderPlacement *placement, const ColliderWay *way, ColliderPlane *planes) {
    double along[3];
    find_along(&((const BoxPlaced *)placement->placed)->end, way->end, along);
    for (uint32_t a = 0; a < 3; ++a)
        face_plane(placement, 2 * a + (along[a] < 0), &planes[a]);
    return 3;
}

/* The face that is nearest from inside; 6: the point is not inside. */
static uint32_t nearest_face(const Box *box, const double along[3]) {
    uint32_t nearest = 0;
    for (uint32_t a = 0; a < 3; ++a) {
        if (fabs(along[a]) >= box->half[a])
            return 6;
        nearest = fabs(along[a]) - box->half[a] > fabs(along[nearest]) - box->half[nearest] ? a : nearest;
    }
    return 2 * nearest + (along[nearest] < 0);
}

/* Whether the point is behind a face that held it: not beside the box, and not nearer to a face beside that one. */
static bool is_behind(const Box *box, uint32_t face, const double along[3]) {
    uint32_t nearest = nearest_face(box, along);
    for (uint32_t a = 0; a < 3; ++a)
        if (a != face / 2 && fabs(along[a]) >= box->half[a])
            return false;
    return (nearest == 6 || nearest / 2 == face / 2) &&
           (face % 2 ? -along[face / 2] : along[face / 2]) < box->half[face / 2];
}

/* The face through which the way from one place to another comes into the box; 6: none, also if it begins inside. */
static uint32_t entered_face(const Box *box, const double from[3], const double to[3]) {
    double enter = 0, leave = 1;
    uint32_t face = 6;
    for (uint32_t a = 0; a < 3; ++a) {
        double step = to[a] - from[a];
        if (step == 0 && fabs(from[a]) > box->half[a])
            return 6;
        if (step == 0)
            continue;
        double side = step > 0 ? -box->half[a] : box->half[a], first = (side - from[a]) / step;
        leave = fmin(leave, (-side - from[a]) / step);
        if (first > enter) {
            enter = first;
            face = 2 * a + (step > 0);
        }
    }
    return enter <= leave ? face : 6;
}

uint32_t box_find(const void *shape, const ColliderPlacement *placement, const ColliderWay *way, ColliderMemory *memory,
                  ColliderPlane planes[COLLIDER_PLANES]) {
    const BoxPlaced *placed = placement->placed;
    double start[3], end[3], normal[3];
    uint32_t count = 1, face = memory->held_by ? memory->held_by - 1 : 6;
    find_along(&placed->start, way->start, start);
    find_along(&placed->end, way->end, end);
    if (face < 6 && !is_behind(&placed->start, face, start))
        face = 6;
    if (face == 6)
        face = nearest_face(&placed->start, start);
    if (face == 6)
        face = entered_face(&placed->end, start, end);
    memory->held_by = face < 6 ? face + 1 : 0;
    if (placed->end.hollow) {
        count = hold_inside(placement, way, planes);
        memory->held_by = 0;
    } else if (face < 6) {
        face_plane(placement, face, &planes[0]);
    } else {
        double distance = box_distance(shape, placement, way->end, normal);
        if (distance > way->look)
            return 0;
        for (int i = 0; i < 3; ++i) {
            planes[0].point[i] = way->end[i] - distance * normal[i];
            planes[0].normal[i] = normal[i];
        }
        for (uint32_t f = 0; f < 6; ++f) /* a point before a face may yet come through it */
            if (vec3_dot(normal, placed->end.axes[f / 2]) * (f % 2 ? -1 : 1) > 0.5)
                memory->held_by = f + 1;
    }
    for (uint32_t k = 0; k < count; ++k)
        affine_apply(placement->velocity_map, planes[k].point, planes[k].velocity);
    return count;
}

/* Corner c is on the upper side of axis a if bit a is set. */
static void find_corners(const Box *box, double *corners) {
    for (size_t c = 0; c < 8; ++c)
        for (size_t i = 0; i < 3; ++i) {
            corners[3 * c + i] = box->center[i];
            for (size_t a = 0; a < 3; ++a)
                corners[3 * c + i] += (c >> a & 1 ? 1 : -1) * box->half[a] * box->axes[a][i];
        }
}

uint32_t box_skin_size(const void *shape, const uint32_t **triangles, uint32_t *triangle_count) {
    (void)shape;
    static const uint32_t sides[12 * 3] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    *triangles = sides;
    *triangle_count = 12;
    return 8;
}

void box_skin(const ColliderPlacement *placement, const void *shape, double *start, double *end, double *velocities) {
    (void)shape;
    const BoxPlaced *placed = placement->placed;
    find_corners(&placed->start, start);
    find_corners(&placed->end, end);
    for (size_t c = 0; c < 8; ++c)
        affine_apply(placement->velocity_map, &end[3 * c], &velocities[3 * c]);
}

JnStatus box_outline(const void *shape, const ColliderPlacement *placement, const double centre[3], double radius,
                     JnMesh *mesh, JnMessage *message) {
    (void)shape, (void)centre, (void)radius;
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const Box *box = &((const BoxPlaced *)placement->placed)->end;
    JnStatus status = mesh_set_vertex_count(mesh, 8, message);
    if (status == JN_OK)
        status = mesh_set_face_counts(mesh, 6, 24, message);
    if (status != JN_OK)
        return status;
    find_corners(box, mesh->positions);
    for (size_t f = 0; f < 6; ++f) {
        mesh->face_sizes[f] = 4;
        memcpy(mesh->face_vertices + 4 * f, faces[f], sizeof faces[f]);
    }
    return JN_OK;
}
