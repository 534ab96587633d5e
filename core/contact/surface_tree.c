#include "contact/surface_tree.h"

#include "base/math3.h"

#include <float.h>
#include <string.h>

static PrimitiveMotion motion_of(const double *start, const double *end) {
    return (PrimitiveMotion){start, end, 0, NULL};
}

JnStatus surface_tree_create(const uint32_t *triangles, uint32_t triangle_count, const double *positions,
                             SurfaceTree *surface, JnMessage *message) {
    PrimitiveMotion motion = motion_of(positions, positions);
    *surface = (SurfaceTree){.start = positions, .end = positions};
    JnStatus status = primitive_tree_create(triangles, triangle_count, 3, NULL, &motion, &surface->tree, message);
    if (status != JN_OK)
        surface_tree_free(surface);
    return status;
}

void surface_tree_move(SurfaceTree *surface, const double *start, const double *end, Pool *pool) {
    PrimitiveMotion motion = motion_of(start, end);
    surface->start = start;
    surface->end = end;
    primitive_tree_move(&surface->tree, &motion, pool);
}

void surface_tree_free(SurfaceTree *surface) {
    primitive_tree_free(&surface->tree);
    *surface = (SurfaceTree){.start = NULL};
}

/* The corners of a triangle after the point, as pair_distance has them. */
static void gather(const SurfaceTree *surface, uint32_t triangle, const double *positions, double x[12]) {
    const uint32_t *vertices = &surface->tree.vertices[3 * (size_t)triangle];
    for (uint32_t c = 0; c < 3; ++c)
        memcpy(&x[3 + 3 * c], &positions[3 * (size_t)vertices[c]], 3 * sizeof *x);
}

typedef struct NearestSearch {
    const SurfaceTree *surface;
    const double *positions;
    double x[12]; /* the point, and the triangle last looked at */
    bool found;
    uint32_t triangle;
    PairDistance best;
    const double *taken; /* [taken_count * 3] directions that do not count */
    uint32_t taken_count;
} NearestSearch;

/* The cosine of the angle within which directions are the same. */
static const double SAME_DIRECTION = 0.9;
/* A point is within a triangle if all of its weights are above this. */
static const double WITHIN = 1e-6;

static bool is_other(const NearestSearch *search, const PairDistance *distance) {
    double length = sqrt(distance->squared);
    bool other = length > 0;
    for (int a = 0; a < 3; ++a)
        other = other && -distance->weights[1 + a] > WITHIN;
    for (uint32_t t = 0; t < search->taken_count; ++t)
        other = other && vec3_dot(&search->taken[3 * (size_t)t], distance->offset) < SAME_DIRECTION * length;
    return other;
}

static double visit_nearest(void *context, uint32_t slot, double bound) {
    NearestSearch *search = context;
    uint32_t triangle = search->surface->tree.order[slot];
    PairDistance distance;
    gather(search->surface, triangle, search->positions, search->x);
    pair_distance(PAIR_POINT_TRIANGLE, search->x, &distance);
    if (search->taken_count > 0 && !is_other(search, &distance))
        return search->found ? search->best.squared * (1 + 1e-12) : bound;
    bool nearer = search->found ? distance.squared < search->best.squared : distance.squared <= bound;
    bool tie = search->found && distance.squared == search->best.squared && triangle < search->triangle;
    if (nearer || tie) {
        search->found = true;
        search->triangle = triangle;
        search->best = distance;
    }
    /* room for boxes that round differently, so that equally near triangles are all seen */
    return search->found ? search->best.squared * (1 + 1e-12) : bound;
}

/* The direction in which a point on the surface is pushed. */
static void triangle_normal(const double x[12], double normal[3]) {
    double ab[3], ac[3];
    vec3_sub(&x[6], &x[3], ab);
    vec3_sub(&x[9], &x[3], ac);
    vec3_cross(ab, ac, normal);
    double length = vec3_length(normal);
    for (int a = 0; a < 3; ++a)
        normal[a] = length > DBL_MIN ? normal[a] / length : a == 2;
}

/* x: the point and the triangle. */
static void fill_point(const double x[12], uint32_t triangle, const PairDistance *distance, SurfacePoint *nearest) {
    nearest->triangle = triangle;
    nearest->distance = sqrt(distance->squared);
    if (nearest->distance > 0)
        for (int a = 0; a < 3; ++a)
            nearest->normal[a] = distance->offset[a] / nearest->distance;
    else
        triangle_normal(x, nearest->normal);
    for (int a = 0; a < 3; ++a) {
        nearest->position[a] = x[a] - distance->offset[a];
        nearest->weights[a] = -distance->weights[1 + a];
    }
}

bool surface_tree_nearest_other(const SurfaceTree *surface, const double *positions, const double point[3],
                                double radius, const double *taken, uint32_t count, SurfacePoint *nearest) {
    NearestSearch search = {.surface = surface, .positions = positions, .taken = taken, .taken_count = count};
    memcpy(search.x, point, 3 * sizeof *point);
    bvh_visit_near(&surface->tree.bvh, point, radius * radius, visit_nearest, &search);
    if (!search.found)
        return false;
    gather(surface, search.triangle, positions, search.x);
    fill_point(search.x, search.triangle, &search.best, nearest);
    return true;
}

bool surface_tree_nearest(const SurfaceTree *surface, const double *positions, const double point[3], double radius,
                          SurfacePoint *nearest) {
    return surface_tree_nearest_other(surface, positions, point, radius, NULL, 0, nearest);
}

void surface_tree_nearest_of(const SurfaceTree *surface, uint32_t triangle, double time, const double point[3],
                             SurfacePoint *nearest) {
    double x[12], end[12];
    PairDistance distance;
    memcpy(x, point, 3 * sizeof *point);
    gather(surface, triangle, surface->start, x);
    gather(surface, triangle, surface->end, end);
    for (int i = 3; i < 12; ++i)
        x[i] += time * (end[i] - x[i]);
    pair_distance(PAIR_POINT_TRIANGLE, x, &distance);
    fill_point(x, triangle, &distance, nearest);
}

void surface_tree_normal(const SurfaceTree *surface, const double *positions, uint32_t triangle, double normal[3]) {
    double x[12] = {0};
    gather(surface, triangle, positions, x);
    triangle_normal(x, normal);
}

typedef struct BehindSearch {
    const SurfaceTree *surface;
    const double *positions;
    double x[12];
    const double *foot;       /* the nearest point */
    double squared, rounding; /* m2, m: distances that are equal */
    double sum[3];
} BehindSearch;

/* The angle that a triangle fills around its point with these weights, rad. */
static double angle_at(const double x[12], const double weights[3]) {
    const double pi = 3.14159265358979323846;
    int corners = 0, corner = 0;
    for (int a = 0; a < 3; ++a)
        if (weights[a] > WITHIN) {
            ++corners;
            corner = a;
        }
    if (corners != 1)
        return corners == 3 ? 2 * pi : pi;
    double u[3], v[3], cross[3];
    vec3_sub(&x[3 + 3 * ((corner + 1) % 3)], &x[3 + 3 * corner], u);
    vec3_sub(&x[3 + 3 * ((corner + 2) % 3)], &x[3 + 3 * corner], v);
    vec3_cross(u, v, cross);
    return atan2(vec3_length(cross), vec3_dot(u, v));
}

static double visit_behind(void *context, uint32_t slot, double bound) {
    BehindSearch *search = context;
    PairDistance distance;
    SurfacePoint point;
    double normal[3], off[3], ab[3], ac[3];
    uint32_t triangle = search->surface->tree.order[slot];
    gather(search->surface, triangle, search->positions, search->x);
    pair_distance(PAIR_POINT_TRIANGLE, search->x, &distance);
    if (distance.squared > search->squared)
        return bound;
    fill_point(search->x, triangle, &distance, &point);
    vec3_sub(point.position, search->foot, off);
    if (vec3_length(off) > search->rounding)
        return bound;
    vec3_sub(&search->x[6], &search->x[3], ab);
    vec3_sub(&search->x[9], &search->x[3], ac);
    vec3_cross(ab, ac, normal);
    double length = vec3_length(normal), angle = angle_at(search->x, point.weights);
    for (int a = 0; a < 3 && length > DBL_MIN; ++a)
        search->sum[a] += angle * normal[a] / length;
    return bound;
}

bool surface_tree_is_behind(const SurfaceTree *surface, const double *positions, const double point[3],
                            const SurfacePoint *nearest) {
    double size = fmax(fabs(point[0]), fmax(fabs(point[1]), fabs(point[2]))), offset[3];
    double rounding = 1e-7 * nearest->distance + 64 * DBL_EPSILON * size, radius = nearest->distance + rounding;
    BehindSearch search = {.surface = surface,
                           .positions = positions,
                           .foot = nearest->position,
                           .squared = radius * radius,
                           .rounding = rounding};
    memcpy(search.x, point, 3 * sizeof *point);
    bvh_visit_near(&surface->tree.bvh, point, search.squared, visit_behind, &search);
    vec3_sub(point, nearest->position, offset);
    return vec3_dot(offset, search.sum) < 0;
}

typedef struct AdvanceSearch {
    const SurfaceTree *surface;
    const PairAdvance *how;
    double x0[12], x1[12]; /* the point, and the triangle last looked at */
    double box[6];         /* around the way of the point */
    SurfaceAdvance *advance;
} AdvanceSearch;

/* All triangles near the whole way are looked at, also when an earlier one has been found: so the result does not
   depend on the order in which the tree has them. */
static void visit_advance(void *context, uint32_t slot) {
    AdvanceSearch *search = context;
    SurfaceAdvance *best = search->advance;
    const double *box = &search->surface->tree.boxes[6 * (size_t)slot];
    uint32_t triangle = search->surface->tree.order[slot];
    for (int a = 0; a < 3; ++a)
        if (box[a] > search->box[3 + a] || search->box[a] > box[3 + a])
            return;
    double time;
    gather(search->surface, triangle, search->surface->start, search->x0);
    gather(search->surface, triangle, search->surface->end, search->x1);
    PairAdvanceEnd end = pair_advance(PAIR_POINT_TRIANGLE, search->x0, search->x1, search->how, &time);
    bool earlier = best->end == PAIR_ADVANCE_FREE || time < best->time;
    bool tie = time == best->time && triangle < best->triangle;
    if (end != PAIR_ADVANCE_FREE && (earlier || tie))
        *best = (SurfaceAdvance){time, end, triangle};
}

void surface_tree_advance(const SurfaceTree *surface, const double from[3], const double to[3], const PairAdvance *how,
                          SurfaceAdvance *advance) {
    AdvanceSearch search = {.surface = surface, .how = how, .advance = advance};
    *advance = (SurfaceAdvance){1, PAIR_ADVANCE_FREE, 0};
    memcpy(search.x0, from, 3 * sizeof *from);
    memcpy(search.x1, to, 3 * sizeof *to);
    for (int a = 0; a < 3; ++a) {
        double margin = how->thickness + 8 * DBL_EPSILON * (fabs(from[a]) + fabs(to[a]) + how->thickness);
        search.box[a] = fmin(from[a], to[a]) - margin;
        search.box[3 + a] = fmax(from[a], to[a]) + margin;
    }
    bvh_visit_box(&surface->tree.bvh, search.box, visit_advance, &search);
}
