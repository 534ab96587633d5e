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
} NearestSearch;

static double visit_nearest(void *context, uint32_t slot, double bound) {
    NearestSearch *search = context;
    uint32_t triangle = search->surface->tree.order[slot];
    PairDistance distance;
    gather(search->surface, triangle, search->positions, search->x);
    pair_distance(PAIR_POINT_TRIANGLE, search->x, &distance);
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

bool surface_tree_nearest(const SurfaceTree *surface, const double *positions, const double point[3], double radius,
                          SurfacePoint *nearest) {
    NearestSearch search = {.surface = surface, .positions = positions};
    memcpy(search.x, point, 3 * sizeof *point);
    bvh_visit_near(&surface->tree.bvh, point, radius * radius, visit_nearest, &search);
    if (!search.found)
        return false;
    nearest->triangle = search.triangle;
    nearest->distance = sqrt(search.best.squared);
    gather(surface, search.triangle, positions, search.x);
    if (nearest->distance > 0)
        for (int a = 0; a < 3; ++a)
            nearest->normal[a] = search.best.offset[a] / nearest->distance;
    else
        triangle_normal(search.x, nearest->normal);
    for (int a = 0; a < 3; ++a) {
        nearest->position[a] = point[a] - search.best.offset[a];
        nearest->weights[a] = -search.best.weights[1 + a];
    }
    return true;
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
