#include "geometry/surface_samples.h"
#include "geometry/array.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SAMPLES (1u << 21)
/* Two walls face each other if the cosine of their normals is at most this: less than 37 degrees between them. */
#define FACING (-0.8)
/* In reaches: how far from the surface its two sides are asked for. */
#define ASIDE 1e-4
/* Walls behind each other that are looked through. */
enum { MOST_HITS = 8, CHUNK = 64, MOST_HALVINGS = 28 };

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

/* Walls along a line, the nearest first. */
typedef struct Line {
    const Winding *winding;
    const double *start, *normal;
    double along[3];
    uint32_t own;
    int count;
    double hits[MOST_HITS];
} Line;

static void visit_line(void *context, uint32_t triangle) {
    Line *line = context;
    if (triangle == line->own)
        return;
    const double *p[3];
    for (size_t i = 0; i < 3; ++i)
        p[i] = &line->winding->positions[3 * (size_t)line->winding->triangles[3 * (size_t)triangle + i]];
    double at, normal[3];
    if (!triangle_crosses_line(line->start, line->along, p[0], p[1], p[2], &at) || at <= ASIDE || at > 1)
        return;
    triangle_normal(p[0], p[1], p[2], normal);
    if (vec3_dot(normal, line->normal) > FACING * vec3_length(normal))
        return;
    int place = line->count < MOST_HITS ? line->count++ : MOST_HITS;
    while (place > 0 && line->hits[place - 1] > at) {
        if (place < MOST_HITS)
            line->hits[place] = line->hits[place - 1];
        --place;
    }
    if (place < MOST_HITS)
        line->hits[place] = at;
}

/* The distance from the sample along its normal (backwards: direction -1) to the first wall behind which the other side
   begins; INFINITY if there is none within reach. */
static double free_way(const Measuring *work, const SurfaceSample *sample, double direction) {
    Line line = {
        .winding = &work->interior->winding, .start = sample->point, .normal = sample->normal, .own = sample->triangle};
    double beyond[3];
    for (int a = 0; a < 3; ++a)
        line.along[a] = direction * work->reach * sample->normal[a];
    bvh_visit_segment(&work->interior->winding.bvh, sample->point, line.along, visit_line, &line);
    for (int i = 0; i < line.count; ++i) {
        for (int a = 0; a < 3; ++a)
            beyond[a] = sample->point[a] + (line.hits[i] + ASIDE) * line.along[a];
        bool inside = winding_is_inside(winding_number(&work->interior->winding, beyond));
        if (inside == (direction > 0))
            return line.hits[i] * work->reach;
    }
    return INFINITY;
}

static void measure(const Measuring *work, SurfaceSample *sample) {
    bool inside[2];
    for (int side = 0; side < 2; ++side) {
        double point[3];
        for (int a = 0; a < 3; ++a)
            point[a] = sample->point[a] + (side ? ASIDE : -ASIDE) * work->reach * sample->normal[a];
        inside[side] = winding_is_inside(winding_number(&work->interior->winding, point));
    }
    sample->kind = inside[0] != inside[1] ? SAMPLE_SKIN : inside[0] ? SAMPLE_INTERNAL : SAMPLE_SHEET;
    if (sample->kind != SAMPLE_SKIN)
        return;
    for (int a = 0; inside[1] && a < 3; ++a)
        sample->normal[a] = -sample->normal[a];
    sample->thickness = free_way(work, sample, -1);
    sample->gap = free_way(work, sample, 1);
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
