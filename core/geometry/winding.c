#include "geometry/winding.h"
#include "geometry/array.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdlib.h>

/* A part of the surface is far if its distance is more than this many times its radius. */
#define FAR 1.7
#define PI 3.14159265358979323846
enum { STACK_SIZE = 72, CHUNK = 64 };

/* What a node of the tree looks like from far away: sum over its triangles of area, area normal, and area normal times
   the offset of the triangle's centre. */
struct WindingPart {
    double center[3]; /* mean of the triangles' centres, by area */
    double reach_squared;
    double normal[3];
    double spread[6]; /* xx, yy, zz, then twice the mean of yz and zy, of zx and xz, of xy and yx: all that counts */
    double area;
    uint32_t first, count; /* as of the tree's node */
    uint32_t right;
};

static const double *corner(const Winding *winding, uint32_t triangle, int i) {
    return &winding->positions[3 * (size_t)winding->triangles[3 * (size_t)triangle + (size_t)i]];
}

static void triangle_part(const Winding *winding, uint32_t triangle, WindingPart *part) {
    const double *a = corner(winding, triangle, 0), *b = corner(winding, triangle, 1),
                 *c = corner(winding, triangle, 2);
    *part = (WindingPart){0};
    triangle_normal(a, b, c, part->normal);
    for (int i = 0; i < 3; ++i) {
        part->normal[i] *= 0.5;
        part->center[i] = (a[i] + b[i] + c[i]) / 3;
    }
    part->area = vec3_length(part->normal);
}

/* Adds `other` to `part`, both about their own centres, about the centre of `part`. */
static void add_part(const WindingPart *other, WindingPart *part) {
    double offset[3];
    vec3_sub(other->center, part->center, offset);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        part->spread[i] += other->spread[i] + other->normal[i] * offset[i];
        part->spread[3 + i] += other->spread[3 + i] + other->normal[j] * offset[k] + other->normal[k] * offset[j];
    }
    for (int i = 0; i < 3; ++i)
        part->normal[i] += other->normal[i];
}

/* The common centre of `count` parts. */
static void join_centers(const WindingPart *parts, int count, const BvhNode *node, WindingPart *joined) {
    *joined = (WindingPart){0};
    for (int k = 0; k < count; ++k) {
        joined->area += parts[k].area;
        for (int i = 0; i < 3; ++i)
            joined->center[i] += parts[k].area * parts[k].center[i];
    }
    for (int i = 0; i < 3; ++i)
        joined->center[i] =
            joined->area > 0 ? joined->center[i] / joined->area : 0.5 * (node->lower[i] + node->upper[i]);
}

static void fill_node(Winding *winding, uint32_t index) {
    const BvhNode *node = &winding->bvh.nodes[index];
    WindingPart *part = &winding->parts[index], inner[BVH_LEAF_SIZE];
    int count = 0;
    if (node->count == 0) {
        inner[count++] = winding->parts[index + 1];
        inner[count++] = winding->parts[node->right];
    }
    for (uint32_t i = 0; i < node->count; ++i)
        triangle_part(winding, winding->bvh.items[node->first + i], &inner[count++]);
    join_centers(inner, count, node, part);
    part->first = node->first;
    part->count = node->count;
    part->right = node->right;
    for (int k = 0; k < count; ++k)
        add_part(&inner[k], part);
    for (int i = 0; i < 3; ++i) {
        double reach = fmax(node->upper[i] - part->center[i], part->center[i] - node->lower[i]);
        part->reach_squared += reach * reach;
    }
}

JnStatus winding_build(const double *positions, const uint32_t *triangles, uint32_t triangle_count, Winding *winding,
                       JnMessage *message) {
    *winding = (Winding){.positions = positions, .triangles = triangles, .triangle_count = triangle_count};
    double *boxes = triangle_boxes(positions, triangles, triangle_count);
    if (!boxes)
        return status_no_memory(message, "the winding number of a surface");
    JnStatus status = bvh_build(boxes, triangle_count, &winding->bvh, message);
    free(boxes);
    if (status == JN_OK) {
        winding->parts = array_new(winding->bvh.node_count, sizeof *winding->parts);
        if (!winding->parts)
            status = status_no_memory(message, "the winding number of a surface");
    }
    // children come after their parents
    for (uint32_t index = winding->bvh.node_count; status == JN_OK && index-- > 0;)
        fill_node(winding, index);
    if (status != JN_OK)
        winding_free(winding);
    return status;
}

/* With d from the point to the part's centre: N . d / r^3 + sum M_ij (delta_ij / r^3 - 3 d_i d_j / r^5). */
static double far_angle(const WindingPart *part, const double d[3], double squared) {
    double inverse = 1 / squared;
    const double *m = part->spread;
    double mixed =
        d[0] * (m[0] * d[0] + m[5] * d[1]) + d[1] * (m[1] * d[1] + m[3] * d[2]) + d[2] * (m[2] * d[2] + m[4] * d[0]);
    return (vec3_dot(part->normal, d) + m[0] + m[1] + m[2] - 3 * mixed * inverse) * inverse * sqrt(inverse);
}

/* A sum of angles, each in (-pi, pi): as a direction and a number of turns, so that only one arc tangent is taken. */
typedef struct AngleSum {
    double x, y;
    double turns;
} AngleSum;

static void add_angle(AngleSum *sum, double sine, double cosine) {
    if (sine == 0)
        return;
    double x = sum->x * cosine - sum->y * sine, y = sum->x * sine + sum->y * cosine;
    double length = fabs(x) + fabs(y);
    if (!(length > 0))
        return;
    sum->turns += (sum->y >= 0 && sine > 0 && y < 0) - (sum->y < 0 && sine < 0 && y >= 0);
    sum->x = x / length;
    sum->y = y / length;
}

double winding_number(const Winding *winding, const double point[3]) {
    double angle = 0;
    AngleSum near = {.x = 1};
    uint32_t stack[STACK_SIZE] = {0};
    for (int top = winding->bvh.node_count ? 1 : 0; top > 0;) {
        uint32_t index = stack[--top];
        const WindingPart *part = &winding->parts[index];
        double d[3];
        vec3_sub(part->center, point, d);
        double squared = vec3_dot(d, d);
        if (squared > FAR * FAR * part->reach_squared) {
            angle += far_angle(part, d, squared);
            continue;
        }
        for (uint32_t i = 0; i < part->count; ++i) {
            uint32_t t = winding->bvh.items[part->first + i];
            double sine, cosine;
            triangle_half_angle(point, corner(winding, t, 0), corner(winding, t, 1), corner(winding, t, 2), &sine,
                                &cosine);
            add_angle(&near, sine, cosine);
        }
        if (part->count)
            continue;
        stack[top++] = part->right;
        stack[top++] = index + 1;
    }
    return (angle + 2 * atan2(near.y, near.x)) / (4 * PI) + near.turns;
}

typedef struct Asking {
    const Winding *winding;
    const double *points;
    uint32_t count;
    double *numbers;
} Asking;

static void ask_chunk(void *context, uint32_t chunk) {
    const Asking *asking = context;
    for (uint32_t i = chunk * CHUNK; i < asking->count && i < (chunk + 1) * CHUNK; ++i)
        asking->numbers[i] = winding_number(asking->winding, &asking->points[3 * (size_t)i]);
}

void winding_numbers(const Winding *winding, Pool *pool, const double *points, uint32_t count, double *numbers) {
    Asking asking = {winding, points, count, numbers};
    pool_run(pool, (count + CHUNK - 1) / CHUNK, ask_chunk, &asking);
}

double winding_number_exact(const double *positions, const uint32_t *triangles, uint32_t triangle_count,
                            const double point[3]) {
    double angle = 0;
    for (size_t t = 0; t < triangle_count; ++t)
        angle += triangle_solid_angle(point, &positions[3 * (size_t)triangles[3 * t]],
                                      &positions[3 * (size_t)triangles[3 * t + 1]],
                                      &positions[3 * (size_t)triangles[3 * t + 2]]);
    return angle / (4 * PI);
}

void winding_free(Winding *winding) {
    bvh_free(&winding->bvh);
    free(winding->parts);
    *winding = (Winding){0};
}
