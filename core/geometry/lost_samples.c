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

typedef struct VertexSearch {
    const TetMesh *mesh;
    const double *point;
    bool found;
} VertexSearch;

static double visit_vertex(void *context, uint32_t vertex, double bound) {
    VertexSearch *search = context;
    search->found = vec3_distance_squared(&search->mesh->positions[3 * (size_t)vertex], search->point) <= bound;
    return search->found ? -1 : bound;
}

JnStatus lost_samples_count(const SurfaceSample *samples, uint32_t sample_count, const Octree *octree,
                            const TetMesh *mesh, uint8_t *times_lost, uint32_t *lost, JnMessage *message) {
    *lost = 0;
    Bvh bvh = {0};
    double *boxes = array_new(6 * (size_t)mesh->vertex_count, sizeof *boxes);
    for (size_t v = 0; boxes && v < mesh->vertex_count; ++v) {
        memcpy(&boxes[6 * v], &mesh->positions[3 * v], 3 * sizeof *boxes);
        memcpy(&boxes[6 * v + 3], &mesh->positions[3 * v], 3 * sizeof *boxes);
    }
    JnStatus status = boxes ? bvh_build(boxes, mesh->vertex_count, &bvh, message)
                            : status_no_memory(message, "the cover of the surface");
    for (uint32_t i = 0; status == JN_OK && i < sample_count; ++i) {
        if (samples[i].kind == SAMPLE_INTERNAL)
            continue;
        double reach = COVERED * octree_size_at(octree, samples[i].point);
        VertexSearch search = {mesh, samples[i].point, false};
        bvh_visit_near(&bvh, samples[i].point, reach * reach, visit_vertex, &search);
        times_lost[i] += !search.found;
        *lost += !search.found;
    }
    free(boxes);
    bvh_free(&bvh);
    return status;
}
