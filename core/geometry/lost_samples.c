#include "geometry/lost_samples.h"
#include "geometry/array.h"
#include "geometry/bvh.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* In cells: tets of the lattice around a point have vertices nearer than this. */
#define COVERED 1.0

typedef struct PointSearch {
    const double *points, *point;
    bool found;
} PointSearch;

static double visit_point(void *context, uint32_t item, double bound) {
    PointSearch *search = context;
    search->found = vec3_distance_squared(&search->points[3 * (size_t)item], search->point) <= bound;
    return search->found ? -1 : bound;
}

static JnStatus build_tree(const double *points, uint32_t count, Bvh *bvh, JnMessage *message) {
    double *boxes = array_new(6 * (size_t)count, sizeof *boxes);
    *bvh = (Bvh){0};
    for (size_t v = 0; boxes && v < count; ++v) {
        memcpy(&boxes[6 * v], &points[3 * v], 3 * sizeof *boxes);
        memcpy(&boxes[6 * v + 3], &points[3 * v], 3 * sizeof *boxes);
    }
    JnStatus status =
        boxes ? bvh_build(boxes, count, bvh, message) : status_no_memory(message, "the cover of the surface");
    free(boxes);
    return status;
}

/* Whether one of the points is within a cell of the sample. */
static bool near_points(const Bvh *bvh, const double *points, const SurfaceSample *sample, double cell) {
    PointSearch search = {points, sample->point, false};
    bvh_visit_near(bvh, sample->point, COVERED * COVERED * cell * cell, visit_point, &search);
    return search.found;
}

JnStatus lost_samples_count(const SurfaceSample *samples, uint32_t sample_count, const Octree *octree,
                            const TetMesh *mesh, uint8_t *times_lost, uint32_t *lost, JnMessage *message) {
    Bvh bvh;
    JnStatus status = build_tree(mesh->positions, mesh->vertex_count, &bvh, message);
    *lost = 0;
    for (uint32_t i = 0; status == JN_OK && i < sample_count; ++i)
        if (samples[i].kind != SAMPLE_INTERNAL &&
            !near_points(&bvh, mesh->positions, &samples[i], octree_size_at(octree, samples[i].point))) {
            ++times_lost[i];
            ++*lost;
        }
    bvh_free(&bvh);
    return status;
}

JnStatus lost_samples_add_hinges(const SurfaceSample *samples, uint32_t sample_count, const Octree *octree,
                                 const double *hinges, uint32_t hinge_count, double thin, uint8_t *times_lost,
                                 uint32_t *lost, JnMessage *message) {
    if (hinge_count == 0)
        return JN_OK;
    Bvh bvh;
    JnStatus status = build_tree(hinges, hinge_count, &bvh, message);
    for (uint32_t i = 0; status == JN_OK && i < sample_count; ++i) {
        double cell = octree_size_at(octree, samples[i].point);
        if (samples[i].kind == SAMPLE_SKIN && samples[i].thickness < thin * cell &&
            near_points(&bvh, hinges, &samples[i], cell)) {
            ++times_lost[i];
            ++*lost;
        }
    }
    bvh_free(&bvh);
    return status;
}
