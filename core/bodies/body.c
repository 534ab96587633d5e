/* Builds one body of the desc independently of the others: simulated mesh, motion, painted maps. */
#include "bodies/body_kind.h"
#include "bodies/material_damping.h"

#include "alembic_io.h"
#include "base/math3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

void body_place_points(const double *points, uint32_t count, const double transform[12], double metres_per_unit,
                       double *out) {
    for (size_t p = 0; p < count; ++p) {
        affine_apply(transform, points + 3 * p, out + 3 * p);
        for (size_t i = 3 * p; i < 3 * p + 3; ++i)
            out[i] *= metres_per_unit;
    }
}

/* Of the simulated vertices; for fibres, whose sections have an artificial width, of the points: the mean of each four
   vertices. */
static double find_bounding_size(const Body *body) {
    const TetMesh *mesh = &body->mesh;
    size_t step = body->section_neighbours ? 4 : 1;
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        double low = INFINITY, high = -INFINITY;
        for (size_t v = 0; v < mesh->vertex_count; v += step) {
            double x = 0;
            for (size_t k = v; k < v + step; ++k)
                x += mesh->positions[3 * k + (size_t)i] / (double)step;
            low = fmin(low, x);
            high = fmax(high, x);
        }
        size = fmax(size, high - low);
    }
    return size;
}

/* The longest side of the bounding box of the points at rest, m. */
static JnStatus find_point_extent(Body *body, JnMessage *message) {
    double *points = malloc(((size_t)body->point_count * 3 + 1) * sizeof *points);
    if (!points)
        return status_no_memory(message, "the body's points");
    embedding_apply(&body->embedding, body->mesh.positions, points);
    for (size_t i = 0; i < 3; ++i) {
        double low = INFINITY, high = -INFINITY;
        for (size_t p = 0; p < body->point_count; ++p) {
            low = fmin(low, points[3 * p + i]);
            high = fmax(high, points[3 * p + i]);
        }
        body->point_extent = fmax(body->point_extent, high - low);
    }
    free(points);
    return JN_OK;
}

/* A copy of count doubles; NULL stays NULL. */
static bool copy_doubles(const double *source, size_t count, double **copy) {
    *copy = NULL;
    if (!source)
        return true;
    *copy = malloc((count + 1) * sizeof(double));
    if (*copy)
        memcpy(*copy, source, count * sizeof(double));
    return *copy != NULL;
}

static JnStatus keep_start(const JnBody *desc, Body *body, JnMessage *message) {
    size_t n = (size_t)body->point_count * 3;
    memcpy(body->rest_transform, desc->transform, sizeof body->rest_transform);
    bool copied = copy_doubles(desc->start_positions, n, &body->start_positions);
    copied &= copy_doubles(desc->start_velocities, n, &body->start_velocities);
    return copied ? JN_OK : status_no_memory(message, "the body's start");
}

JnStatus body_build(const JnBody *desc, double metres_per_unit, uint32_t thread_count, const char *place, Body *body,
                    JnMessage *message) {
    memset(body, 0, sizeof *body);
    body->thread_count = thread_count;
    const void *law = NULL, *kind = NULL;
    abc_make_name(body->name, sizeof body->name, desc->name);
    JnStatus status = table_find(&material_table, desc->material.law, place, &law, message);
    body->material = desc->material;
    body->material.law = NULL;
    body->settle = desc->settle;
    body->keep_shape = desc->keep_shape;
    body->collides = desc->collides;
    body->self_contact = desc->self_contact;
    body->friction = desc->friction;
    body->contact_thickness = metres_per_unit * desc->contact_thickness;
    body->ignore_groups = desc->ignore_groups;
    body->travel_influence = desc->travel_influence;
    if (damping_is_converted(&desc->material))
        body->material.stiffness_damping = 1; /* until damping_convert */
    body->law = law;
    if (status == JN_OK)
        status = table_find(&body_kind_table, desc->kind, place, &kind, message);
    body->kind = kind;
    if (status == JN_OK)
        status = body->kind->build(desc, metres_per_unit, place, body, message);
    body->point_count = body->embedding.point_count;
    if (status == JN_OK)
        status = keep_start(desc, body, message);
    if (status == JN_OK)
        status = body->section_neighbours
                     ? inverse_embedding_create_sections(&body->mesh, body->section_neighbours,
                                                         &body->inverse_embedding, message)
                     : inverse_embedding_create(&body->mesh, &body->embedding, body->vertex_of_point,
                                                &body->inverse_embedding, message);
    if (status == JN_OK)
        status = find_point_extent(body, message);
    if (status == JN_OK) {
        body->cut_distance = desc->cut_distance * body->point_extent;
        body->bounding_size = find_bounding_size(body);
        status = body_apply_regions(desc, place, body, message);
    }
    if (status == JN_OK && desc->bone_count)
        status = body_add_bones(desc, metres_per_unit, place, body, message);
    if (status == JN_OK && desc->releasable_pins)
        body_make_pins_releasable(body);
    if (status == JN_OK)
        body_paint_springs(body);
    if (status != JN_OK)
        body_free(body);
    return status;
}

void body_free(Body *body) {
    while (body->attached) {
        AttachMap *map = body->attached;
        body->attached = map->next;
        free(map->rates);
        free(map);
    }
    tetmesh_free(&body->mesh);
    embedding_free(&body->embedding);
    inverse_embedding_destroy(body->inverse_embedding);
    void *arrays[] = {body->vertex_of_point,
                      body->report,
                      body->report_marks,
                      body->cached_points,
                      body->face_sizes,
                      body->face_vertices,
                      body->uvs,
                      body->stiffness_factors,
                      body->density_factors,
                      body->damping_factors,
                      body->rest_follows,
                      body->goal_rates,
                      body->pin_rates,
                      body->pinned_vertices,
                      body->pinned_points,
                      body->fast_ratios,
                      body->simulation,
                      body->holds,
                      body->held,
                      body->bone_centres,
                      body->start_positions,
                      body->start_velocities,
                      body->springs,
                      body->rods,
                      body->spring_masses,
                      body->curve_sizes,
                      body->curve_areas,
                      body->section_neighbours,
                      body->curve_widths};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    memset(body, 0, sizeof *body);
}

JnStatus body_motion_create(const JnBody *desc, const Body *body, BodyMotion *motion, JnMessage *message) {
    size_t n = (size_t)body->point_count * 3;
    const double *rest = body_points(desc);
    *motion = (BodyMotion){.forces_from = calloc(n + 1, sizeof(double)), .forces_to = calloc(n + 1, sizeof(double))};
    bool ok = copy_doubles(rest, n, &motion->local_from);
    ok &= copy_doubles(rest, n, &motion->local_to);
    if (body->bone_count) {
        motion->bones_from = malloc(12 * (size_t)body->bone_count * sizeof(double));
        motion->bones_to = malloc(12 * (size_t)body->bone_count * sizeof(double));
        ok &= motion->bones_from && motion->bones_to;
        for (size_t i = 0; ok && i < 12 * (size_t)body->bone_count; ++i)
            motion->bones_from[i] = motion->bones_to[i] = i % 12 % 5 == 0;
    }
    if (body->keep_shape)
        ok &= copy_doubles(body->mesh.positions, (size_t)body->mesh.vertex_count * 3, &motion->kept_rest);
    if (!ok || !motion->forces_from || !motion->forces_to) {
        body_motion_free(motion);
        return status_no_memory(message, "the body's motion");
    }
    motion->keys_from = motion->keys_to = (BodyKeys){1, 1, 1, 1};
    memcpy(motion->transform_from, desc->transform, sizeof motion->transform_from);
    memcpy(motion->transform_to, desc->transform, sizeof motion->transform_to);
    return JN_OK;
}

void body_motion_free(BodyMotion *motion) {
    free(motion->local_from);
    free(motion->local_to);
    free(motion->forces_from);
    free(motion->forces_to);
    free(motion->kept_rest);
    free(motion->track.points);
    free(motion->track.vertices);
    free(motion->track.moves);
    free(motion->lead_from);
    free(motion->lead_to);
    free(motion->lead_forces);
    free(motion->lead_bones);
    free(motion->bones_from);
    free(motion->bones_to);
    memset(motion, 0, sizeof *motion);
}
