/* How deep a surface reaches into a closed one: a judge of caches that has nothing of the solver's code. Every triangle
   is tried against all faces of the solid; its corners need not be the deepest of it, as where an edge cuts into it. */
#ifndef JN_TESTS_SOLID_DEPTH_H
#define JN_TESTS_SOLID_DEPTH_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SOLID_DEPTH_ERROR 1e-5 /* of solid_deepest, in units of length */

typedef struct Solid {
    uint32_t triangle_count;
    double *corners; /* [triangle_count * 9], anticlockwise seen from outside */
} Solid;

/* Cuts the faces of a closed surface into triangles. 0: out of memory. */
static inline int solid_make(Solid *solid, const double *positions, const uint32_t *face_sizes,
                             const uint32_t *face_vertices, uint32_t face_count, uint32_t corner_count) {
    solid->triangle_count = 0;
    solid->corners = malloc(((size_t)corner_count * 9 + 1) * sizeof *solid->corners);
    if (!solid->corners)
        return 0;
    for (uint32_t f = 0; f < face_count; face_vertices += face_sizes[f++])
        for (uint32_t i = 2; i < face_sizes[f]; ++i) {
            const uint32_t corners[3] = {face_vertices[0], face_vertices[i - 1], face_vertices[i]};
            double *triangle = &solid->corners[9 * solid->triangle_count++];
            for (int k = 0; k < 3; ++k)
                memcpy(&triangle[3 * k], &positions[3 * corners[k]], 3 * sizeof *triangle);
        }
    return 1;
}

static inline void solid_free(Solid *solid) {
    free(solid->corners);
}

static inline double solid_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void solid_cross(const double a[3], const double b[3], double result[3]) {
    for (int i = 0; i < 3; ++i)
        result[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* The triangle's corners and what it adds to the sums, as seen from the origin: the square of its distance, and the
   solid angle that it covers, halved. */
static inline double solid_triangle_square(double corners[3][3]) {
    double edges[3][3], normal[3], nearest = INFINITY;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            edges[k][i] = corners[(k + 1) % 3][i] - corners[k][i];
    solid_cross(edges[0], edges[1], normal);
    int above = 1;
    for (int k = 0; k < 3; ++k) {
        double along = -solid_dot(corners[k], edges[k]) / solid_dot(edges[k], edges[k]), point[3], side[3];
        along = fmin(fmax(along, 0), 1);
        for (int i = 0; i < 3; ++i)
            point[i] = corners[k][i] + along * edges[k][i];
        nearest = fmin(nearest, solid_dot(point, point));
        solid_cross(corners[k], edges[k], side);
        above &= solid_dot(side, normal) >= 0;
    }
    double height = solid_dot(corners[0], normal);
    return above ? height * height / solid_dot(normal, normal) : nearest;
}

static inline double solid_half_angle(double corners[3][3]) {
    double lengths[3], normal[3];
    for (int k = 0; k < 3; ++k)
        lengths[k] = sqrt(solid_dot(corners[k], corners[k]));
    solid_cross(corners[1], corners[2], normal);
    return atan2(solid_dot(corners[0], normal),
                 lengths[0] * lengths[1] * lengths[2] + solid_dot(corners[0], corners[1]) * lengths[2] +
                     solid_dot(corners[1], corners[2]) * lengths[0] + solid_dot(corners[2], corners[0]) * lengths[1]);
}

/* How far inside a point is: its distance from the surface, negative outside. */
static inline double solid_depth(const Solid *solid, const double point[3]) {
    double square = INFINITY, half_angle = 0, corners[3][3];
    for (uint32_t t = 0; t < solid->triangle_count; ++t) {
        for (uint32_t k = 0; k < 9; ++k)
            corners[k / 3][k % 3] = solid->corners[9 * t + k] - point[k % 3];
        square = fmin(square, solid_triangle_square(corners));
        half_angle += solid_half_angle(corners);
    }
    return half_angle > 3 ? sqrt(square) : -sqrt(square); /* all around a point inside: 2 pi */
}

/* The depth of the deepest point of a triangle, if it is above `known`, else `known`. Cuts the triangle in two until no
   point of a part can be deeper than what was found: depth changes no faster than position. */
static inline double solid_deepest(const Solid *solid, const double triangle[9], double known) {
    double centre[3], radius = 0, longest = -1;
    int cut = 0;
    for (int i = 0; i < 3; ++i)
        centre[i] = (triangle[i] + triangle[3 + i] + triangle[6 + i]) / 3;
    for (int k = 0; k < 3; ++k) {
        double out[3], edge[3];
        for (int i = 0; i < 3; ++i) {
            out[i] = triangle[3 * k + i] - centre[i];
            edge[i] = triangle[3 * ((k + 1) % 3) + i] - triangle[3 * k + i];
        }
        radius = fmax(radius, sqrt(solid_dot(out, out)));
        if (solid_dot(edge, edge) > longest) {
            longest = solid_dot(edge, edge);
            cut = k;
        }
    }
    double depth = solid_depth(solid, centre);
    known = fmax(known, depth);
    if (depth + radius <= known + SOLID_DEPTH_ERROR)
        return known;
    for (int part = 0; part < 2; ++part) {
        double half[9];
        memcpy(half, triangle, sizeof half);
        double *moved = &half[3 * (part ? cut : (cut + 1) % 3)];
        for (int i = 0; i < 3; ++i)
            moved[i] = (triangle[3 * cut + i] + triangle[3 * ((cut + 1) % 3) + i]) / 2;
        known = solid_deepest(solid, half, known);
    }
    return known;
}

#endif
