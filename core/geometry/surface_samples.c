#include "geometry/surface_samples.h"
#include "geometry/array.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "geometry/wall_crossings.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SAMPLES (1u << 21)
/* Two walls face each other if the cosine of their normals is at most this: less than 37 degrees between them. */
#define FACING (-0.8)
/* In reaches: how far from the surface its two sides are asked for. */
#define ASIDE 1e-4
enum { CHUNK = 64, MOST_HALVINGS = 28 };

typedef struct Measuring {
    const Interior *interior;
    SurfaceSample *samples;
    uint32_t count;
    double reach;
} Measuring;

/* The pieces of one triangle: halved across its longest edge until none is longer than the spacing. Counts them, and
   stores them if `samples` is not NULL. */
static uint64_t cut_triangle(const double corners[9], uint32_t triangle, double spacing, int depth,
                             SurfaceSample *samples) {
    int longest = 0;
    double squared = 0;
    for (int i = 0; i < 3; ++i) {
        double edge = vec3_distance_squared(&corners[3 * i], &corners[3 * ((i + 1) % 3)]);
        if (edge > squared)
            squared = edge, longest = i;
    }
    if (squared <= spacing * spacing || depth == MOST_HALVINGS) {
        if (!samples)
            return 1;
        *samples = (SurfaceSample){.triangle = triangle, .thickness = INFINITY, .gap = INFINITY};
        memcpy(samples->corners, corners, sizeof samples->corners);
        triangle_normal(corners, corners + 3, corners + 6, samples->normal);
        double length = vec3_length(samples->normal);
        for (int a = 0; a < 3; ++a) {
            samples->point[a] = (corners[a] + corners[3 + a] + corners[6 + a]) / 3;
            samples->normal[a] /= length;
        }
        return 1;
    }
    double first[9], second[9];
    memcpy(first, corners, sizeof first);
    memcpy(second, corners, sizeof second);
    int next = (longest + 1) % 3;
    for (int a = 0; a < 3; ++a)
        first[3 * next + a] = second[3 * longest + a] = 0.5 * (corners[3 * longest + a] + corners[3 * next + a]);
    uint64_t count = cut_triangle(first, triangle, spacing, depth + 1, samples);
    return count + cut_triangle(second, triangle, spacing, depth + 1, samples ? samples + count : NULL);
}

/* At least so many pieces: none is larger than the regular triangle of that side. */
static double least_pieces(const double corners[9], double spacing) {
    double normal[3];
    triangle_normal(corners, corners + 3, corners + 6, normal);
    return 0.5 * vec3_length(normal) / (0.4330127 * spacing * spacing);
}

/* Whether a wall faces the sample. */
static bool faces(const Winding *winding, uint32_t wall, const SurfaceSample *sample) {
    const double *p[3];
    double normal[3];
    for (size_t i = 0; i < 3; ++i)
        p[i] = &winding->positions[3 * (size_t)winding->triangles[3 * (size_t)wall + i]];
    triangle_normal(p[0], p[1], p[2], normal);
    return vec3_dot(normal, sample->normal) <= FACING * vec3_length(normal);
}

/* The distance from the sample along its normal (backwards: direction -1) to the first wall behind which the other side
   begins; INFINITY if there is none within reach. `number`: the winding number beside the sample in this direction. */
static double free_way(const Measuring *work, const SurfaceSample *sample, double direction, double number) {
    const Winding *winding = &work->interior->winding;
    WallCrossings walls;
    double start[3], way[3];
    for (int a = 0; a < 3; ++a) {
        way[a] = direction * work->reach * sample->normal[a];
        start[a] = sample->point[a] + ASIDE * way[a];
        way[a] *= 1 - ASIDE;
    }
    wall_crossings_find(winding, start, way, &walls);
    bool counted = !walls.doubtful && winding_is_calm(number);
    for (int i = 0; i < walls.count && i < WALL_CROSSINGS_MOST; ++i) {
        if (!faces(winding, walls.walls[i], sample))
            continue;
        // just behind the wall: what lies farther off is another matter
        double beyond[3], at = walls.parts[i] + ASIDE, sum = round(number);
        for (int k = 0; k < walls.count && counted && walls.parts[k] <= at; ++k)
            sum += walls.turns[k];
        for (int a = 0; a < 3; ++a)
            beyond[a] = start[a] + at * way[a];
        bool inside = counted && (sum == 0 || sum == 1) ? sum == 1 : winding_is_inside(winding_number(winding, beyond));
        if (inside == (direction > 0))
            return (ASIDE + walls.parts[i] * (1 - ASIDE)) * work->reach;
    }
    return INFINITY;
}

/* The winding numbers right behind and before the sample. */
static void beside(const Measuring *work, const SurfaceSample *sample, double numbers[2]) {
    const Winding *winding = &work->interior->winding;
    WallCrossings walls;
    double behind[3], before[3], way[3];
    for (int a = 0; a < 3; ++a) {
        behind[a] = sample->point[a] - ASIDE * work->reach * sample->normal[a];
        before[a] = sample->point[a] + ASIDE * work->reach * sample->normal[a];
        way[a] = before[a] - behind[a];
    }
    numbers[0] = numbers[1] = winding_number(winding, behind);
    wall_crossings_find(winding, behind, way, &walls);
    for (int i = 0; i < walls.count && !walls.doubtful; ++i)
        numbers[1] += walls.turns[i];
    // at least the sample's own wall is there
    if (walls.count == 0 || walls.doubtful || !winding_is_calm(numbers[0]))
        numbers[1] = winding_number(winding, before);
}

static void measure(const Measuring *work, SurfaceSample *sample) {
    double numbers[2];
    beside(work, sample, numbers);
    bool inside[2] = {winding_is_inside(numbers[0]), winding_is_inside(numbers[1])};
    sample->kind = inside[0] != inside[1] ? SAMPLE_SKIN : inside[0] ? SAMPLE_INTERNAL : SAMPLE_SHEET;
    if (sample->kind != SAMPLE_SKIN)
        return;
    for (int a = 0; inside[1] && a < 3; ++a)
        sample->normal[a] = -sample->normal[a];
    sample->thickness = free_way(work, sample, -1, numbers[inside[1]]);
    sample->gap = free_way(work, sample, 1, numbers[!inside[1]]);
}

static void measure_chunk(void *context, uint32_t chunk) {
    const Measuring *work = context;
    for (uint32_t i = chunk * CHUNK; i < work->count && i < (chunk + 1) * CHUNK; ++i)
        measure(work, &work->samples[i]);
}

JnStatus surface_samples_build(const Interior *interior, double spacing, double reach, Pool *pool,
                               SurfaceSample **samples, uint32_t *sample_count, JnMessage *message) {
    const Winding *winding = &interior->winding;
    *samples = NULL;
    *sample_count = 0;
    uint64_t total = 0;
    for (int fill = 0; fill < 2; ++fill) {
        for (uint32_t t = 0; t < winding->triangle_count; ++t) {
            double corners[9];
            for (size_t i = 0; i < 3; ++i)
                memcpy(&corners[3 * i], &winding->positions[3 * (size_t)winding->triangles[3 * (size_t)t + i]],
                       3 * sizeof *corners);
            if (fill)
                *sample_count += (uint32_t)cut_triangle(corners, t, spacing, 0, &(*samples)[*sample_count]);
            else if (least_pieces(corners, spacing) < MOST_SAMPLES)
                total += cut_triangle(corners, t, spacing, 0, NULL);
            else
                total = UINT64_MAX / 2;
            if (total > MOST_SAMPLES)
                return status_fail(message, JN_ERR_ARGUMENT,
                                   "the surface needs more than %u samples for cells of %g: lower the resolution",
                                   MOST_SAMPLES, spacing);
        }
        if (!fill && !(*samples = array_new((size_t)total, sizeof **samples)))
            return status_no_memory(message, "the samples of a surface");
    }
    Measuring work = {interior, *samples, *sample_count, reach};
    pool_run(pool, (*sample_count + CHUNK - 1) / CHUNK, measure_chunk, &work);
    return JN_OK;
}
