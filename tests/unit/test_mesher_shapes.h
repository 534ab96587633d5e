/* Triangle surfaces made for tests of the mesher: cubes, boxes and balls that can be joined, turned and spoilt. */
#ifndef JN_TEST_MESHER_SHAPES_H
#define JN_TEST_MESHER_SHAPES_H

#include "jounce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Shape { /* owns its arrays, which `surface` borrows */
    JnSurface surface;
    double *positions;
    uint32_t *corners, *sizes;
} Shape;

static inline void shape_refer(Shape *shape, uint32_t vertex_count, uint32_t triangle_count) {
    shape->sizes = realloc(shape->sizes, (triangle_count + 1) * sizeof *shape->sizes);
    for (uint32_t t = 0; t < triangle_count; ++t)
        shape->sizes[t] = 3;
    shape->surface = (JnSurface){.vertex_count = vertex_count,
                                 .face_count = triangle_count,
                                 .corner_count = 3 * triangle_count,
                                 .positions = shape->positions,
                                 .face_sizes = shape->sizes,
                                 .face_vertices = shape->corners};
}

static inline void shape_free(Shape *shape) {
    free(shape->positions);
    free(shape->corners);
    free(shape->sizes);
    *shape = (Shape){0};
}

/* From the origin to (x, y, z), each face two triangles. */
static inline Shape box_shape(double x, double y, double z) {
    static const uint32_t quads[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    Shape shape = {.positions = malloc(24 * sizeof(double)), .corners = malloc(36 * sizeof(uint32_t))};
    for (uint32_t v = 0; v < 8; ++v) {
        shape.positions[3 * v] = v & 1 ? x : 0;
        shape.positions[3 * v + 1] = v & 2 ? y : 0;
        shape.positions[3 * v + 2] = v & 4 ? z : 0;
    }
    for (uint32_t f = 0; f < 6; ++f) {
        const uint32_t *q = &quads[4 * f];
        const uint32_t two[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
        memcpy(&shape.corners[6 * f], two, sizeof two);
    }
    shape_refer(&shape, 8, 12);
    return shape;
}

static inline Shape cube_shape(double side) {
    return box_shape(side, side, side);
}

/* A ball about the origin of rings of quadrangles; poles are single vertices. */
static inline Shape ball_shape(double diameter, uint32_t rings) {
    uint32_t around = 2 * rings, vertex_count = (rings - 1) * around + 2;
    Shape shape = {.positions = malloc(3 * vertex_count * sizeof(double)),
                   .corners = malloc(6 * around * (rings - 1) * sizeof(uint32_t))};
    double *p = shape.positions;
    for (uint32_t r = 1; r < rings; ++r)
        for (uint32_t a = 0; a < around; ++a, p += 3) {
            double polar = 3.14159265358979323846 * r / rings, turn = 6.28318530717958647692 * a / around;
            p[0] = 0.5 * diameter * sin(polar) * cos(turn);
            p[1] = 0.5 * diameter * cos(polar);
            p[2] = -0.5 * diameter * sin(polar) * sin(turn);
        }
    p[0] = p[2] = p[3] = p[5] = 0, p[1] = 0.5 * diameter, p[4] = -0.5 * diameter;
    uint32_t *c = shape.corners, top = vertex_count - 2, count = 0;
    for (uint32_t r = 0; r < rings; ++r)
        for (uint32_t a = 0; a < around; ++a) {
            uint32_t b = (a + 1) % around;
            uint32_t above[2] = {(r - 1) * around + a, (r - 1) * around + b},
                     below[2] = {r * around + a, r * around + b};
            if (r == 0)
                c[0] = top, c[1] = below[0], c[2] = below[1], c += 3, ++count;
            else if (r == rings - 1)
                c[0] = above[0], c[1] = top + 1, c[2] = above[1], c += 3, ++count;
            else {
                c[0] = above[0], c[1] = below[0], c[2] = below[1], c[3] = above[0], c[4] = below[1], c[5] = above[1];
                c += 6, count += 2;
            }
        }
    shape_refer(&shape, vertex_count, count);
    return shape;
}

static inline void shape_move(Shape *shape, double x, double y, double z) {
    for (uint32_t v = 0; v < shape->surface.vertex_count; ++v) {
        shape->positions[3 * v] += x;
        shape->positions[3 * v + 1] += y;
        shape->positions[3 * v + 2] += z;
    }
}

/* Turns a point about the axis (1, 1, 1). */
static inline void point_lean(double *point, double angle) {
    double c = cos(angle), s = sin(angle) / sqrt(3), sum = (1 - c) * (point[0] + point[1] + point[2]) / 3;
    double x = point[0], y = point[1], z = point[2];
    point[0] = c * x + s * (z - y) + sum;
    point[1] = c * y + s * (x - z) + sum;
    point[2] = c * z + s * (y - x) + sum;
}

static inline void shape_lean(Shape *shape, double angle) {
    for (uint32_t v = 0; v < shape->surface.vertex_count; ++v)
        point_lean(&shape->positions[3 * v], angle);
}

static inline void shape_turn(Shape *shape) {
    for (uint32_t t = 0; t < shape->surface.face_count; ++t) {
        uint32_t *c = &shape->corners[3 * t], swap = c[1];
        c[1] = c[2];
        c[2] = swap;
    }
}

/* Room for more triangles at the end, to be filled by the caller. */
static inline uint32_t *shape_add_triangles(Shape *shape, uint32_t count) {
    uint32_t before = shape->surface.face_count;
    shape->corners = realloc(shape->corners, 3 * (before + count) * sizeof *shape->corners);
    shape_refer(shape, shape->surface.vertex_count, before + count);
    return &shape->corners[3 * before];
}

static inline void shape_add_vertex(Shape *shape, double x, double y, double z) {
    uint32_t count = shape->surface.vertex_count;
    shape->positions = realloc(shape->positions, 3 * (count + 1) * sizeof *shape->positions);
    shape->positions[3 * count] = x;
    shape->positions[3 * count + 1] = y;
    shape->positions[3 * count + 2] = z;
    shape_refer(shape, count + 1, shape->surface.face_count);
}

/* Adds the triangles of `other`, which is freed. */
static inline void shape_join(Shape *shape, Shape *other) {
    uint32_t vertices = shape->surface.vertex_count, triangles = shape->surface.face_count;
    uint32_t more = other->surface.vertex_count, faces = other->surface.face_count;
    shape->positions = realloc(shape->positions, 3 * (vertices + more) * sizeof *shape->positions);
    shape->corners = realloc(shape->corners, 3 * (triangles + faces) * sizeof *shape->corners);
    memcpy(&shape->positions[3 * vertices], other->positions, 3 * more * sizeof *shape->positions);
    for (uint32_t c = 0; c < 3 * faces; ++c)
        shape->corners[3 * triangles + c] = vertices + other->corners[c];
    shape_refer(shape, vertices + more, triangles + faces);
    shape_free(other);
}

/* Gives every triangle vertices of its own, moved apart by up to `off`. */
static inline void shape_unweld(Shape *shape, double off) {
    uint32_t count = shape->surface.corner_count;
    double *positions = malloc(3 * count * sizeof *positions);
    for (uint32_t c = 0; c < count; ++c)
        for (uint32_t a = 0; a < 3; ++a) {
            positions[3 * c + a] = shape->positions[3 * shape->corners[c] + a] + off * ((c * 7 + a) % 3);
            shape->corners[c] = a == 2 ? c : shape->corners[c];
        }
    free(shape->positions);
    shape->positions = positions;
    shape_refer(shape, count, count / 3);
}

#endif
