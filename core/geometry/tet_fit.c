#include "geometry/tet_fit.h"
#include "geometry/array.h"
#include "geometry/tet_carry.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* In edges of a boundary triangle: a surface farther away is another one, or has been lost. */
#define FAR 1.0
/* A surface that faces less like the boundary than this is another one. */
#define LIKE 0.3
enum { CHUNK = 32, SPOTS = 3 };

JnStatus fit_target_build(const SurfaceSample *samples, uint32_t sample_count, FitTarget *target, JnMessage *message) {
    *target = (FitTarget){.samples = samples};
    double *boxes = array_new(6 * (size_t)sample_count, sizeof *boxes);
    target->chosen = array_new(sample_count, sizeof *target->chosen);
    JnStatus status = boxes && target->chosen ? JN_OK : status_no_memory(message, "the fit to the surface");
    for (uint32_t i = 0; status == JN_OK && i < sample_count; ++i) {
        if (samples[i].kind != SAMPLE_SKIN)
            continue;
        double *box = &boxes[6 * (size_t)target->count];
        target->chosen[target->count++] = i;
        for (int a = 0; a < 3; ++a) {
            const double *c = &samples[i].corners[a];
            box[a] = fmin(c[0], fmin(c[3], c[6]));
            box[3 + a] = fmax(c[0], fmax(c[3], c[6]));
        }
    }
    if (status == JN_OK)
        status = bvh_build(boxes, target->count, &target->bvh, message);
    free(boxes);
    if (status != JN_OK)
        fit_target_free(target);
    return status;
}

void fit_target_free(FitTarget *target) {
    bvh_free(&target->bvh);
    free(target->chosen);
    *target = (FitTarget){0};
}

typedef struct Fitting {
    const FitTarget *target;
    const double *positions;
    const uint32_t *triangles; /* of the boundary */
    uint32_t count;
    double *shortfalls; /* [count] mean distance of the surface beyond each */
} Fitting;

typedef struct Nearest {
    const FitTarget *target;
    const double *point, *normal;
    double squared;
    double place[3];
    uint32_t item; /* that is nearest; UINT32_MAX: none yet */
} Nearest;

static double visit_sample(void *context, uint32_t item, double bound) {
    Nearest *search = context;
    const SurfaceSample *sample = &search->target->samples[search->target->chosen[item]];
    if (vec3_dot(sample->normal, search->normal) < LIKE)
        return bound;
    // the plane of the sample is no farther than the sample
    double way[3], place[3];
    vec3_sub(search->point, sample->corners, way);
    double across = vec3_dot(way, sample->normal);
    if (across * across >= search->squared)
        return bound;
    double squared =
        triangle_distance_squared(search->point, sample->corners, sample->corners + 3, sample->corners + 6, place);
    if (squared >= search->squared)
        return bound;
    search->squared = squared;
    search->item = item;
    memcpy(search->place, place, sizeof place);
    return fmin(bound, squared);
}

/* The mean distance of the surface beyond a triangle. *item: a sample that may be near, UINT32_MAX if none is known;
   then one that is. */
static double shortfall(const Fitting *work, uint32_t triangle, uint32_t *item) {
    static const double spots[SPOTS][3] = {{4, 1, 1}, {1, 4, 1}, {1, 1, 4}};
    const double *p[3];
    double normal[3], edge = 0, sum = 0;
    for (size_t i = 0; i < 3; ++i)
        p[i] = &work->positions[3 * (size_t)work->triangles[3 * (size_t)triangle + i]];
    triangle_normal(p[0], p[1], p[2], normal);
    double length = vec3_length(normal);
    if (!(length > 0))
        return 0;
    for (int i = 0; i < 3; ++i) {
        normal[i] /= length;
        edge = fmax(edge, vec3_distance_squared(p[i], p[(i + 1) % 3]));
    }
    for (int s = 0; s < SPOTS; ++s) {
        double point[3], limit = FAR * FAR * edge;
        for (int a = 0; a < 3; ++a)
            point[a] = (spots[s][0] * p[0][a] + spots[s][1] * p[1][a] + spots[s][2] * p[2][a]) / 6;
        Nearest search = {work->target, point, normal, limit, {point[0], point[1], point[2]}, UINT32_MAX};
        // what is nearest to one spot is near to the next, which leaves less to search
        if (*item != UINT32_MAX)
            visit_sample(&search, *item, limit);
        bvh_visit_near(&work->target->bvh, point, search.squared, visit_sample, &search);
        *item = search.item != UINT32_MAX ? search.item : *item;
        double way[3];
        vec3_sub(search.place, point, way);
        sum += vec3_dot(way, normal);
    }
    return sum / SPOTS;
}

static void fit_chunk(void *context, uint32_t chunk) {
    const Fitting *work = context;
    uint32_t item = UINT32_MAX;
    for (uint32_t t = chunk * CHUNK; t < work->count && t < (chunk + 1) * CHUNK; ++t)
        work->shortfalls[t] = shortfall(work, t, &item);
}

/* Sums over the triangles at each vertex: the normal, and the missing volume over the area. moves: [vertex_count * 3].
 */
static bool collect_moves(const Fitting *work, uint32_t vertex_count, double *moves) {
    double *missing = array_new(2 * (size_t)vertex_count, sizeof *missing);
    if (!missing)
        return false;
    for (size_t t = 0; t < work->count; ++t) {
        const uint32_t *v = &work->triangles[3 * t];
        double normal[3];
        triangle_normal(&work->positions[3 * (size_t)v[0]], &work->positions[3 * (size_t)v[1]],
                        &work->positions[3 * (size_t)v[2]], normal);
        double area = vec3_length(normal);
        for (int i = 0; i < 3; ++i) {
            missing[2 * (size_t)v[i]] += area * work->shortfalls[t];
            missing[2 * (size_t)v[i] + 1] += area;
            for (size_t a = 0; a < 3; ++a)
                moves[3 * (size_t)v[i] + a] += normal[a];
        }
    }
    for (size_t v = 0; v < vertex_count; ++v) {
        double length = vec3_length(&moves[3 * v]);
        double way = length > 0 ? missing[2 * v] / missing[2 * v + 1] / length : 0;
        for (size_t a = 0; a < 3; ++a)
            moves[3 * v + a] *= way;
    }
    free(missing);
    return true;
}

/* The volume between the boundary and the surface, where the boundary lies outside of it. */
static double excess_volume(const Fitting *work) {
    double sum = 0;
    for (size_t t = 0; t < work->count; ++t) {
        const uint32_t *v = &work->triangles[3 * t];
        double normal[3];
        triangle_normal(&work->positions[3 * (size_t)v[0]], &work->positions[3 * (size_t)v[1]],
                        &work->positions[3 * (size_t)v[2]], normal);
        sum -= 0.5 * vec3_length(normal) * work->shortfalls[t];
    }
    return sum;
}

JnStatus tet_fit(TetMesh *mesh, const uint8_t *on_surface, const FitTarget *target, double least, Pool *pool,
                 double *excess, JnMessage *message) {
    JnTets view = {mesh->vertex_count, mesh->tet_count, mesh->positions, mesh->tet_vertices};
    uint32_t *triangles = NULL;
    Fitting work = {.target = target, .positions = mesh->positions};
    double *moves = array_new(3 * (size_t)mesh->vertex_count, sizeof *moves);
    JnStatus status = tetmesh_boundary(&view, &triangles, &work.count, message);
    if (status == JN_OK) {
        work.triangles = triangles;
        work.shortfalls = array_new(work.count, sizeof *work.shortfalls);
        if (work.shortfalls)
            pool_run(pool, (work.count + CHUNK - 1) / CHUNK, fit_chunk, &work);
        if (!moves || !work.shortfalls || !collect_moves(&work, mesh->vertex_count, moves))
            status = status_no_memory(message, "the fit to the surface");
    }
    if (status == JN_OK) {
        *excess = excess_volume(&work);
        status = tet_carry(mesh, on_surface, moves, least, pool, message);
    }
    free(triangles);
    free(moves);
    free(work.shortfalls);
    return status;
}
