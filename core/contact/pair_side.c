#include "contact/pair_side.h"

#include "base/math3.h"

/* Adds the outer normal of a triangle, of length 1. */
static void add_normal(const Skin *skin, uint32_t triangle, double side, const double *positions, double sum[3]) {
    const uint32_t *corners = &skin->triangles[3 * (size_t)triangle];
    double ab[3], ac[3], cross[3];
    vec3_sub(&positions[3 * (size_t)corners[1]], &positions[3 * (size_t)corners[0]], ab);
    vec3_sub(&positions[3 * (size_t)corners[2]], &positions[3 * (size_t)corners[0]], ac);
    vec3_cross(ab, ac, cross);
    double length = vec3_length(cross);
    for (int i = 0; length > 0 && i < 3; ++i)
        sum[i] += side * cross[i] / length;
}

/* Cosine of the angle from the outer normal beyond which a direction leads neither out nor in. */
static const double STRAIGHT = 0.3;

static int side_of_direction(const double outer[3], const double direction[3]) {
    double length = vec3_length(outer), along = vec3_dot(outer, direction);
    return !(length > 0) || fabs(along) < STRAIGHT * length ? 0 : along > 0 ? 1 : -1;
}

int pair_side(const Skin *skin, PairKind kind, const uint32_t pair[2], const uint32_t vertices[4],
              const PairDistance *apart, const double normal[3], const double *sides, const double *positions) {
    const double down[3] = {-normal[0], -normal[1], -normal[2]};
    bool inside = apart->region == (1u << pair_point_count(kind)) - 1;
    int found[2] = {0, 0};
    for (int s = 0; inside && s < 2; ++s) {
        double outer[3] = {0, 0, 0}, side = sides[skin->groups[vertices[s == 0 ? 0 : pair_first_count(kind)]]];
        if (side == 0 || (kind == PAIR_POINT_TRIANGLE && s == 0))
            continue;
        if (kind == PAIR_POINT_TRIANGLE)
            add_normal(skin, pair[1], side, positions, outer);
        else
            for (uint32_t k = skin->opposite_starts[pair[s]]; k < skin->opposite_starts[pair[s] + 1]; ++k)
                add_normal(skin, skin->opposite_triangles[k], side, positions, outer);
        found[s] = side_of_direction(outer, s == 0 ? down : normal);
    }
    return found[0] == 0 ? found[1] : found[1] == 0 || found[0] == found[1] ? found[0] : 0;
}

bool pair_flush_normal(const Skin *skin, const uint32_t pair[2], const uint32_t vertices[4], const double *sides,
                       const double *positions, double normal[3]) {
    double side = sides[skin->groups[vertices[1]]], own = sides[skin->groups[vertices[0]]], around[3] = {0, 0, 0};
    normal[0] = normal[1] = normal[2] = 0;
    if (side == 0)
        return false;
    add_normal(skin, pair[1], side, positions, normal);
    for (uint32_t n = skin->neighbour_starts[vertices[0]]; own != 0 && n < skin->neighbour_starts[vertices[0] + 1];
         ++n) {
        uint32_t edge = skin_edge(skin, vertices[0], skin->neighbours[n]);
        for (uint32_t k = skin->opposite_starts[edge]; k < skin->opposite_starts[edge + 1]; ++k)
            add_normal(skin, skin->opposite_triangles[k], own, positions, around);
    }
    return vec3_length(normal) > 0 && (own == 0 || side_of_direction(around, normal) < 0);
}
