#include "contact/pair_cone.h"

#include "base/math3.h"

/* What rises by less than the first part of its length is level; an edge stands out if what is beside it falls by more
   than the second. */
static const double LEVEL = 1e-2, STANDS_OUT = 0.02;

/* How steeply the way from one vertex to another rises: from -1 to 1. */
static double rise(const double *positions, uint32_t from, uint32_t to, const double up[3]) {
    double way[3];
    vec3_sub(&positions[3 * (size_t)to], &positions[3 * (size_t)from], way);
    double length = vec3_length(way);
    return length > 0 ? vec3_dot(way, up) / length : 0;
}

/* The steepest rise beside an edge, or around a vertex; -1 where there is nothing. */
static double rise_beside(const Skin *skin, uint32_t edge, const double *positions, const double up[3]) {
    double steepest = -1;
    for (uint32_t k = skin->opposite_starts[edge]; k < skin->opposite_starts[edge + 1]; ++k)
        steepest = fmax(steepest, rise(positions, skin->edges[2 * (size_t)edge], skin->opposites[k], up));
    return steepest;
}

/* Whether a surface ends at an edge, seen from `up`: it falls off there, or nothing goes on. */
static bool is_rim(const Skin *skin, uint32_t edge, const double *positions, const double up[3]) {
    uint32_t begin = skin->opposite_starts[edge], end = skin->opposite_starts[edge + 1];
    bool rim = end - begin == 1;
    for (uint32_t k = begin; k < end; ++k)
        rim |= rise(positions, skin->edges[2 * (size_t)edge], skin->opposites[k], up) < -STANDS_OUT;
    return rim;
}

static double rise_around(const Skin *skin, uint32_t vertex, const double *positions, const double up[3]) {
    double steepest = -1;
    for (uint32_t k = skin->neighbour_starts[vertex]; k < skin->neighbour_starts[vertex + 1]; ++k)
        steepest = fmax(steepest, rise(positions, vertex, skin->neighbours[k], up));
    return steepest;
}

static bool point_holds(const Skin *skin, uint32_t triangle, const uint32_t vertices[4], const PairDistance *apart,
                        const double normal[3], const double *positions) {
    uint32_t corners[3], count = 0;
    for (uint32_t c = 1; c < 4; ++c)
        if (apart->region >> c & 1)
            corners[count++] = vertices[c];
    if (count == 3)
        return true;
    /* beside a triangle, a point of a flat surface is not what is nearest: its surface is */
    const double down[3] = {-normal[0], -normal[1], -normal[2]};
    if (rise_around(skin, vertices[0], positions, down) > STANDS_OUT)
        return false;
    if (count == 1)
        return skin->first_triangles[corners[0]] == triangle &&
               rise_around(skin, corners[0], positions, normal) <= LEVEL;
    uint32_t edge = skin_edge(skin, corners[0], corners[1]);
    return edge != CONTACT_NOBODY && skin->edge_triangles[edge] == triangle &&
           rise_beside(skin, edge, positions, normal) <= LEVEL;
}

static uint32_t first_edge(const Skin *skin, uint32_t vertex) {
    uint32_t first = CONTACT_NOBODY;
    for (uint32_t k = skin->neighbour_starts[vertex]; k < skin->neighbour_starts[vertex + 1]; ++k) {
        uint32_t edge = skin_edge(skin, vertex, skin->neighbours[k]);
        first = edge < first ? edge : first;
    }
    return first;
}

/* One side of a pair of edges: how steeply what is around its nearest point rises. *first: no edge comes before this
   one that has the same nearest point. */
static double rise_of_side(const Skin *skin, uint32_t edge, uint32_t region, const double *positions,
                           const double up[3], bool *first) {
    const uint32_t *ends = &skin->edges[2 * (size_t)edge];
    if (region == 3)
        return rise_beside(skin, edge, positions, up);
    uint32_t vertex = ends[region == 1 ? 0 : 1];
    *first &= first_edge(skin, vertex) == edge;
    return rise_around(skin, vertex, positions, up);
}

/* Whether a side must stand out. */
static bool must_stand_out(const Skin *skin, uint32_t vertex) {
    return skin->colliders_hold && vertex >= skin->body_vertex_count && !skin->round[skin->groups[vertex]];
}

bool pair_cone_holds(const Skin *skin, PairKind kind, const uint32_t pair[2], const uint32_t vertices[4],
                     const PairDistance *apart, const double normal[3], const double *positions) {
    const double down[3] = {-normal[0], -normal[1], -normal[2]};
    if (kind == PAIR_POINT_TRIANGLE)
        return (!must_stand_out(skin, vertices[0]) || rise_around(skin, vertices[0], positions, down) < -STANDS_OUT) &&
               point_holds(skin, pair[1], vertices, apart, normal, positions);
    uint32_t regions[2] = {apart->region & 3, apart->region >> 2 & 3};
    /* where one of them has triangles, a point of the other is held by these */
    for (int side = 0; side < 2; ++side)
        if (regions[side] != 3 && skin->edge_triangles[pair[1 - side]] != CONTACT_NOBODY)
            return false;
    bool first = true;
    double rises[2] = {rise_of_side(skin, pair[0], regions[0], positions, down, &first),
                       rise_of_side(skin, pair[1], regions[1], positions, normal, &first)};
    if (!first || fmax(rises[0], rises[1]) > LEVEL)
        return false;
    /* where two faces overlap, the corners of what they share are points of one, or crossings of their rims */
    if (apart->region == 15 && is_rim(skin, pair[0], positions, down) && is_rim(skin, pair[1], positions, normal))
        return true;
    for (int side = 0; side < 2; ++side)
        if (must_stand_out(skin, vertices[2 * side]) && !(rises[side] < -STANDS_OUT))
            return false;
    return fmin(rises[0], rises[1]) < -STANDS_OUT;
}

/* Whether two triangles, and no more, meet at an edge, in one plane. */
static bool is_flat_edge(const Skin *skin, uint32_t edge, const double *positions) {
    uint32_t begin = skin->opposite_starts[edge];
    if (skin->opposite_starts[edge + 1] - begin != 2)
        return false;
    const double *a = &positions[3 * (size_t)skin->edges[2 * (size_t)edge]];
    const double *b = &positions[3 * (size_t)skin->edges[2 * (size_t)edge + 1]];
    double along[3], beside[3], normal[3];
    vec3_sub(b, a, along);
    vec3_sub(&positions[3 * (size_t)skin->opposites[begin]], a, beside);
    vec3_cross(along, beside, normal);
    double length = vec3_length(normal);
    for (int i = 0; length > 0 && i < 3; ++i)
        normal[i] /= length;
    return length > 0 &&
           fabs(rise(positions, skin->edges[2 * (size_t)edge], skin->opposites[begin + 1], normal)) <= LEVEL;
}

static bool is_flat_around(const Skin *skin, uint32_t vertex, const double *positions) {
    bool flat = skin->neighbour_starts[vertex] < skin->neighbour_starts[vertex + 1];
    for (uint32_t k = skin->neighbour_starts[vertex]; flat && k < skin->neighbour_starts[vertex + 1]; ++k) {
        uint32_t edge = skin_edge(skin, vertex, skin->neighbours[k]);
        flat = edge != CONTACT_NOBODY && is_flat_edge(skin, edge, positions);
    }
    return flat;
}

bool pair_cone_is_flat(const Skin *skin, PairKind kind, const uint32_t pair[2], const uint32_t vertices[4],
                       const double *positions) {
    if (kind == PAIR_POINT_TRIANGLE)
        return vertices[0] >= skin->body_vertex_count && is_flat_around(skin, vertices[0], positions);
    return (vertices[0] >= skin->body_vertex_count && is_flat_edge(skin, pair[0], positions)) ||
           (vertices[2] >= skin->body_vertex_count && is_flat_edge(skin, pair[1], positions));
}
