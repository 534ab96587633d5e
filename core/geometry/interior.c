#include "geometry/interior.h"
#include "geometry/array.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64, MOST_CROSSINGS = 16, HALVINGS = 9, MOST_NEAR = 256 };

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
    interior->thickest = 0;
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
            interior->thickest = fmax(interior->thickest, radii[i]);
            for (size_t a = 0; a < 3; ++a) {
                const double *p = &corners[9 * i + a];
                boxes[6 * i + a] = fmin(p[0], fmin(p[3], p[6]));
                boxes[6 * i + 3 + a] = fmax(p[0], fmax(p[3], p[6]));
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
    bvh_visit_near(&interior->thick, point, interior->thickest * interior->thickest, visit_thick, &search);
    return search.found;
}

bool interior_contains(const Interior *interior, const double point[3]) {
    return in_thickened(interior, point) || winding_is_inside(winding_number(&interior->winding, point));
}

/* The crossings of a segment with the surface, in order. */
typedef struct Crossings {
    const Winding *winding;
    const double *start, *way;
    int count;
    double parts[MOST_CROSSINGS];
    int turns[MOST_CROSSINGS]; /* what the winding number gains there */
} Crossings;

static void visit_crossing(void *context, uint32_t triangle) {
    Crossings *crossings = context;
    const Winding *winding = crossings->winding;
    const double *p[3];
    for (size_t i = 0; i < 3; ++i)
        p[i] = &winding->positions[3 * (size_t)winding->triangles[3 * (size_t)triangle + i]];
    double at, normal[3];
    if (!triangle_crosses_line(crossings->start, crossings->way, p[0], p[1], p[2], &at) || !(at >= 0 && at <= 1))
        return;
    if (crossings->count++ >= MOST_CROSSINGS)
        return;
    triangle_normal(p[0], p[1], p[2], normal);
    int place = crossings->count - 1;
    for (; place > 0 && crossings->parts[place - 1] > at; --place) {
        crossings->parts[place] = crossings->parts[place - 1];
        crossings->turns[place] = crossings->turns[place - 1];
    }
    crossings->parts[place] = at;
    crossings->turns[place] = vec3_dot(normal, crossings->way) < 0 ? 1 : -1;
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
    double bound = near->reach + interior->thickest;
    if (interior->thick.node_count)
        bvh_visit_near(&interior->thick, near->middle, bound * bound, visit_thick_near, near);
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
static int first_outside(const Crossings *crossings, ThickNear *near) {
    if (crossings->count > MOST_CROSSINGS)
        return -1;
    for (int i = 0; i < crossings->count; ++i) {
        double after = i + 1 < crossings->count ? crossings->parts[i + 1] : 1, point[3];
        point_at(crossings->start, crossings->way, 0.5 * (crossings->parts[i] + after), point);
        if (!in_thick_near(near, point) && !winding_is_inside(winding_number(crossings->winding, point)))
            return i;
    }
    return -1;
}

bool interior_has_gap(const Interior *interior, const double start[3], const double way[3]) {
    Crossings crossings = {.winding = &interior->winding, .start = start, .way = way};
    bvh_visit_segment(&interior->winding.bvh, start, way, visit_crossing, &crossings);
    if (crossings.count < 2)
        return false;
    ThickNear near;
    find_thick(interior, start, way, &near);
    int first = first_outside(&crossings, &near);
    if (first < 0 || first + 1 == crossings.count)
        return false;
    return (crossings.parts[first + 1] - crossings.parts[first]) * vec3_length(way) > interior->least_gap;
}

double interior_leave(const Interior *interior, const double start[3], const double way[3]) {
    Crossings crossings = {.winding = &interior->winding, .start = start, .way = way};
    bvh_visit_segment(&interior->winding.bvh, start, way, visit_crossing, &crossings);
    ThickNear near;
    find_thick(interior, start, way, &near);
    bool thick = near.count > 0;
    if (crossings.count == 1 && !thick)
        return crossings.parts[0];
    // a surface without holes nearby is left at a crossing: the one after which the outside begins
    double low = 0, high = 1;
    int first = first_outside(&crossings, &near);
    if (first >= 0) {
        double after = first + 1 < crossings.count ? crossings.parts[first + 1] : 1;
        low = crossings.parts[first];
        high = 0.5 * (low + after);
        if (!thick)
            return low;
    }
    // through a hole, or out of a thickened part: halve. Without a hole, the surface itself ends where the stretch
    // begins.
    bool hole =
        !thick || (first < 0 && (crossings.count > 0 || winding_is_inside(winding_number(&interior->winding, start))));
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
    Crossings crossings = {.winding = &interior->winding, .start = start, .way = way};
    bvh_visit_segment(&interior->winding.bvh, start, way, visit_crossing, &crossings);
    int count = crossings.count < MOST_CROSSINGS ? crossings.count : MOST_CROSSINGS;
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

typedef struct Asking {
    const Interior *interior;
    const double *points;
    uint32_t count;
    uint8_t *inside;
} Asking;

static void ask_chunk(void *context, uint32_t chunk) {
    const Asking *asking = context;
    for (uint32_t i = chunk * CHUNK; i < asking->count && i < (chunk + 1) * CHUNK; ++i)
        asking->inside[i] = interior_contains(asking->interior, &asking->points[3 * (size_t)i]);
}

void interior_contains_all(const Interior *interior, Pool *pool, const double *points, uint32_t count,
                           uint8_t *inside) {
    Asking asking = {interior, points, count, inside};
    pool_run(pool, (count + CHUNK - 1) / CHUNK, ask_chunk, &asking);
}

static void add_chunk(void *context, uint32_t chunk) {
    const Asking *asking = context;
    for (uint32_t i = chunk * CHUNK; i < asking->count && i < (chunk + 1) * CHUNK; ++i)
        asking->inside[i] = asking->inside[i] || in_thickened(asking->interior, &asking->points[3 * (size_t)i]);
}

void interior_add_thickened(const Interior *interior, Pool *pool, const double *points, uint32_t count,
                            uint8_t *inside) {
    Asking asking = {interior, points, count, inside};
    if (interior->thick.node_count)
        pool_run(pool, (count + CHUNK - 1) / CHUNK, add_chunk, &asking);
}

void interior_free(Interior *interior) {
    winding_free(&interior->winding);
    forget_thick(interior);
    *interior = (Interior){0};
}
