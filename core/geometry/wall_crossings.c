#include "geometry/wall_crossings.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"

#include <math.h>

/* How far from a whole number that of a place counts as calm. */
#define CALM 0.15
/* Of the segment: crossings nearer to each other may be one, on an edge. */
#define ONE_PLACE 1e-9

static void visit_wall(void *context, uint32_t triangle) {
    WallCrossings *crossings = context;
    const Winding *winding = crossings->winding;
    const double *p[3];
    for (size_t i = 0; i < 3; ++i)
        p[i] = &winding->positions[3 * (size_t)winding->triangles[3 * (size_t)triangle + i]];
    double at, normal[3];
    if (!triangle_crosses_line(crossings->start, crossings->way, p[0], p[1], p[2], &at) || !(at >= 0 && at <= 1))
        return;
    if (crossings->count++ >= WALL_CROSSINGS_MOST)
        return;
    triangle_normal(p[0], p[1], p[2], normal);
    int place = crossings->count - 1;
    for (; place > 0 && crossings->parts[place - 1] > at; --place) {
        crossings->parts[place] = crossings->parts[place - 1];
        crossings->turns[place] = crossings->turns[place - 1];
        crossings->walls[place] = crossings->walls[place - 1];
    }
    crossings->parts[place] = at;
    crossings->turns[place] = vec3_dot(normal, crossings->way) < 0 ? 1 : -1;
    crossings->walls[place] = triangle;
}

void wall_crossings_find(const Winding *winding, const double start[3], const double way[3], WallCrossings *crossings) {
    crossings->winding = winding;
    crossings->start = start;
    crossings->way = way;
    crossings->count = 0;
    bvh_visit_segment(&winding->bvh, start, way, visit_wall, crossings);
    crossings->doubtful = crossings->count > WALL_CROSSINGS_MOST;
    for (int i = 1; i < crossings->count && !crossings->doubtful; ++i)
        crossings->doubtful = crossings->parts[i] - crossings->parts[i - 1] < ONE_PLACE;
}

bool winding_is_calm(double number) {
    return fabs(number - round(number)) < CALM;
}

bool wall_crossings_agree(const WallCrossings *crossings, double at_start, double at_end) {
    if (crossings->doubtful || !winding_is_calm(at_start) || !winding_is_calm(at_end))
        return false;
    double sum = round(at_start);
    for (int i = 0; i < crossings->count; ++i)
        sum += crossings->turns[i];
    return sum == round(at_end);
}

bool wall_crossings_inside(const WallCrossings *crossings, double at_start, bool counted, int passed) {
    double number = round(at_start), point[3];
    for (int i = 0; i < passed; ++i)
        number += crossings->turns[i];
    if (counted && (number == 0 || number == 1))
        return number == 1;
    double before = passed ? crossings->parts[passed - 1] : 0;
    double after = passed < crossings->count ? crossings->parts[passed] : 1;
    for (int a = 0; a < 3; ++a)
        point[a] = crossings->start[a] + 0.5 * (before + after) * crossings->way[a];
    return winding_is_inside(winding_number(crossings->winding, point));
}
