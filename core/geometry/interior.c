#include "geometry/interior.h"
#include "geometry/array.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "geometry/wall_crossings.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64, HALVINGS = 9, MOST_NEAR = 256 };

JnStatus interior_build(const double *positions, const uint32_t *triangles, uint32_t triangle_count, Interior *interior,
                        JnMessage *message) {
    *interior = (Interior){0};
    return winding_build(positions, triangles, triangle_count, &interior->winding, message);
}

static void forget_thick(Interior *interior) {
    bvh_free(&interior->thick);
    free(interior->corners);
    free(interior->radii);
    interior->corners = interior->radii = NULL;
}

JnStatus interior_thicken(Interior *interior, const double *corners, const double *radii, uint32_t count,
                          JnMessage *message) {
    forget_thick(interior);
    if (count == 0)
        return JN_OK;
    double *boxes = array_new(6 * (size_t)count, sizeof *boxes);
    interior->corners = array_new(9 * (size_t)count, sizeof *interior->corners);
    interior->radii = array_new(count, sizeof *interior->radii);
    JnStatus status = JN_OK;
    if (!boxes || !interior->corners || !interior->radii) {
        status = status_no_memory(message, "the inside of a surface");
    } else {
        memcpy(interior->corners, corners, 9 * (size_t)count * sizeof *corners);
        memcpy(interior->radii, radii, count * sizeof *radii);
        for (size_t i = 0; i < count; ++i) {
            for (size_t a = 0; a < 3; ++a) {
                const double *p = &corners[9 * i + a];
                boxes[6 * i + a] = fmin(p[0], fmin(p[3], p[6])) - radii[i];
                boxes[6 * i + 3 + a] = fmax(p[0], fmax(p[3], p[6])) + radii[i];
            }
        }
        status = bvh_build(boxes, count, &interior->thick, message);
    }
    free(boxes);
    if (status != JN_OK)
        forget_thick(interior);
    return status;
}

typedef struct ThickSearch {
    const Interior *interior;
    const double *point;
    bool found;
} ThickSearch;

static double visit_thick(void *context, uint32_t item, double bound) {
    ThickSearch *search = context;
    const double *corners = &search->interior->corners[9 * (size_t)item], radius = search->interior->radii[item];
    double distance = triangle_distance_squared(search->point, corners, corners + 3, corners + 6, NULL);
    search->found = distance < radius * radius;
    return search->found ? -1 : bound;
}

static bool in_thickened(const Interior *interior, const double point[3]) {
    if (interior->thick.node_count == 0)
        return false;
    ThickSearch search = {interior, point, false};
    bvh_visit_near(&interior->thick, point, 0, visit_thick, &search);
    return search.found;
}

/* The thickened pieces that may reach to a segment. If there are more than it has room for, all are asked. */
typedef struct ThickNear {
    const Interior *interior;
    double middle[3], reach; /* of the segment */
    uint32_t count, items[MOST_NEAR];
} ThickNear;

static double visit_thick_near(void *context, uint32_t item, double bound) {
    ThickNear *near = context;
    const double *corners = &near->interior->corners[9 * (size_t)item];
    double distance = triangle_distance_squared(near->middle, corners, corners + 3, corners + 6, NULL);
    double reach = near->reach + near->interior->radii[item];
    if (distance >= reach * reach)
        return bound;
    if (near->count < MOST_NEAR)
        near->items[near->count] = item;
    return ++near->count > MOST_NEAR ? -1 : bound;
}

static void find_thick(const Interior *interior, const double start[3], const double way[3], ThickNear *near) {
    near->interior = interior;
    near->count = 0;
    near->reach = 0.5 * vec3_length(way);
    for (int a = 0; a < 3; ++a)
        near->middle[a] = start[a] + 0.5 * way[a];
    if (interior->thick.node_count)
        bvh_visit_near(&interior->thick, near->middle, near->reach * near->reach, visit_thick_near, near);
}

/* in_thickened, for a point of the segment. */
static bool in_thick_near(ThickNear *near, const double point[3]) {
    if (near->count > MOST_NEAR)
        return in_thickened(near->interior, point);
    for (uint32_t i = 0; i < near->count; ++i) {
        uint32_t item = near->items[i];
        const double *corners = &near->interior->corners[9 * (size_t)item], radius = near->interior->radii[item];
        if (triangle_distance_squared(point, corners, corners + 3, corners + 6, NULL) >= radius * radius)
            continue;
        // what contains this point is likely to contain the next
        near->items[i] = near->items[0];
        near->items[0] = item;
        return true;
    }
    return false;
}

static void point_at(const double start[3], const double way[3], double part, double point[3]) {
    for (int a = 0; a < 3; ++a)
        point[a] = start[a] + part * way[a];
}

/* The first stretch of the segment that is outside, by the middle of each stretch between two crossings: its number,
   which is that of the crossing before it. -1: none is. */
static int first_outside(const WallCrossings *crossings, const double numbers[2], ThickNear *near) {
    if (crossings->count > WALL_CROSSINGS_MOST)
        return -1;
    bool counted = wall_crossings_agree(crossings, numbers[0], numbers[1]);
    for (int i = 0; i < crossings->count; ++i) {
        double after = i + 1 < crossings->count ? crossings->parts[i + 1] : 1, point[3];
        point_at(crossings->start, crossings->way, 0.5 * (crossings->parts[i] + after), point);
        if (!in_thick_near(near, point) && !wall_crossings_inside(crossings, numbers[0], counted, i + 1))
            return i;
    }
    return -1;
}

bool interior_has_gap(const Interior *interior, const double start[3], const double way[3], const double numbers[2]) {
    WallCrossings crossings;
    wall_crossings_find(&interior->winding, start, way, &crossings);
    if (crossings.count < 2)
        return false;
    ThickNear near;
    find_thick(interior, start, way, &near);
    int first = first_outside(&crossings, numbers, &near);
    if (first < 0 || first + 1 == crossings.count)
        return false;
    return (crossings.parts[first + 1] - crossings.parts[first]) * vec3_length(way) > interior->least_gap;
}

double interior_leave(const Interior *interior, const double start[3], const double way[3], const double numbers[2]) {
    WallCrossings crossings;
    wall_crossings_find(&interior->winding, start, way, &crossings);
    ThickNear near;
    find_thick(interior, start, way, &near);
    bool thick = near.count > 0;
    if (crossings.count == 1 && !thick)
        return crossings.parts[0];
    // a surface without holes nearby is left at a crossing: the one after which the outside begins
    double low = 0, high = 1;
    int first = first_outside(&crossings, numbers, &near);
    if (first >= 0) {
        double after = first + 1 < crossings.count ? crossings.parts[first + 1] : 1;
        low = crossings.parts[first];
        high = 0.5 * (low + after);
        if (!thick)
            return low;
    }
    // through a hole, or out of a thickened part: halve. Without a hole, the surface itself ends where the stretch
    // begins.
    bool hole = !thick || (first < 0 && (crossings.count > 0 || winding_is_inside(numbers[0])));
    for (int i = 0; i < HALVINGS; ++i) {
        double middle = 0.5 * (low + high), point[3];
        point_at(start, way, middle, point);
        bool inside =
            in_thick_near(&near, point) || (hole && winding_is_inside(winding_number(&interior->winding, point)));
        *(inside ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

double interior_solid_part(const Interior *interior, const double start[3], const double way[3], bool first,
                           double *calm) {
    WallCrossings crossings;
    wall_crossings_find(&interior->winding, start, way, &crossings);
    int count = crossings.count < WALL_CROSSINGS_MOST ? crossings.count : WALL_CROSSINGS_MOST;
    if (first && count == 0)
        return 0;
    // the winding number changes by one at each crossing, and hardly between them on a short way
    double part = 0, number, point[3];
    point_at(start, way, 0.5 * (count ? crossings.parts[0] : 1), point);
    number = count || isnan(*calm) ? winding_number(&interior->winding, point) : *calm;
    if (count == 0)
        *calm = number;
    for (int i = 0; i <= (first ? 0 : count); ++i) {
        double from = i ? crossings.parts[i - 1] : 0, to = i < count ? crossings.parts[i] : 1;
        number += i ? crossings.turns[i - 1] : 0;
        if (winding_is_inside(number))
            part += to - from;
    }
    return part;
}

typedef struct Adding {
    const Interior *interior;
    const double *points;
    uint32_t count;
    uint8_t *inside;
} Adding;

static void add_chunk(void *context, uint32_t chunk) {
    const Adding *adding = context;
    for (uint32_t i = chunk * CHUNK; i < adding->count && i < (chunk + 1) * CHUNK; ++i)
        adding->inside[i] = adding->inside[i] || in_thickened(adding->interior, &adding->points[3 * (size_t)i]);
}

void interior_add_thickened(const Interior *interior, Pool *pool, const double *points, uint32_t count,
                            uint8_t *inside) {
    Adding adding = {interior, points, count, inside};
    if (interior->thick.node_count)
        pool_run(pool, (count + CHUNK - 1) / CHUNK, add_chunk, &adding);
}

void interior_free(Interior *interior) {
    winding_free(&interior->winding);
    forget_thick(interior);
    *interior = (Interior){0};
}
