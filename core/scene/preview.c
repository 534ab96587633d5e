/* What goes into a bake, as meshes to be drawn: bodies in their animated pose, what is simulated of them, colliders. */
#include "scene/scene.h"

#include "base/math3.h"
#include "base/status.h"
#include "base/struct_size.h"
#include "bodies/body_kind.h"
#include "contact/collider.h"
#include "geometry/mesh.h"
#include "settings/validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct JnPreview {
    JnScene *scene; /* borrowed */
    uint32_t body_count, collider_count;
    Body *bodies; /* as the bake builds them */
    Collider *colliders;
    ColliderPlacement *placements;
};

/* -------------------------------------------------------------------------------- create, free */

static JnStatus build(JnPreview *preview, JnMessage *message) {
    const JnBakeDesc *desc = &preview->scene->desc;
    char place[PLACE_CAPACITY];
    preview->bodies = calloc((size_t)desc->body_count + 1, sizeof *preview->bodies);
    preview->colliders = calloc((size_t)desc->collider_count + 1, sizeof *preview->colliders);
    if (!preview->bodies || !preview->colliders)
        return status_no_memory(message, "the preview of a scene");
    JnStatus status = JN_OK;
    for (; status == JN_OK && preview->body_count < desc->body_count; ++preview->body_count) {
        snprintf(place, sizeof place, "bodies[%u]", preview->body_count);
        status = body_build(&desc->bodies[preview->body_count], desc->metres_per_unit, desc->thread_count, place,
                            &preview->bodies[preview->body_count], message);
    }
    for (; status == JN_OK && preview->collider_count < desc->collider_count; ++preview->collider_count) {
        snprintf(place, sizeof place, "colliders[%u]", preview->collider_count);
        status = collider_create(&desc->colliders[preview->collider_count], desc->metres_per_unit, place,
                                 &preview->colliders[preview->collider_count], message);
    }
    if (status == JN_OK)
        status = collider_placements_create(preview->colliders, preview->collider_count, &preview->placements, message);
    return status;
}

JnStatus jn_preview_create(JnScene *scene, JnPreview **preview, JnMessage *message) {
    if (!preview)
        return status_fail(message, JN_ERR_ARGUMENT, "preview is NULL: give a place for the result");
    *preview = NULL;
    if (!scene)
        return status_fail(message, JN_ERR_ARGUMENT, "scene is NULL: load one by jn_scene_load");
    status_clear(message);
    JnStatus status = validate_desc(&scene->desc, message);
    if (status != JN_OK)
        return status;
    JnPreview *made = calloc(1, sizeof *made);
    if (!made)
        return status_no_memory(message, "the preview of a scene");
    made->scene = scene;
    status = build(made, message);
    if (status == JN_OK)
        *preview = made;
    else
        jn_preview_free(made);
    return status;
}

void jn_preview_free(JnPreview *preview) {
    if (!preview)
        return;
    collider_placements_destroy(preview->colliders, preview->collider_count, preview->placements);
    for (uint32_t b = 0; b < preview->body_count; ++b)
        body_free(&preview->bodies[b]);
    for (uint32_t c = 0; c < preview->collider_count; ++c)
        collider_free(&preview->colliders[c]);
    free(preview->bodies);
    free(preview->colliders);
    free(preview);
}

/* -------------------------------------------------------------------------------- arguments */

static JnStatus check_call(const JnPreview *preview, uint32_t index, bool is_body, JnMesh **mesh, JnMessage *message) {
    if (!mesh)
        return status_fail(message, JN_ERR_ARGUMENT, "mesh is NULL: give a place for the result");
    *mesh = NULL;
    if (!preview)
        return status_fail(message, JN_ERR_ARGUMENT, "preview is NULL: make one by jn_preview_create");
    uint32_t count = is_body ? preview->body_count : preview->collider_count;
    if (index >= count)
        return status_fail(message, JN_ERR_ARGUMENT, "%s_index is %u, but the scene has %u",
                           is_body ? "body" : "collider", index, count);
    status_clear(message);
    return JN_OK;
}

static JnStatus begin_mesh(uint32_t vertex_count, JnMesh **mesh, JnMessage *message) {
    *mesh = calloc(1, sizeof **mesh);
    return *mesh ? mesh_set_vertex_count(*mesh, vertex_count, message) : status_no_memory(message, "a mesh");
}

static JnStatus end_mesh(JnStatus status, JnMesh **mesh) {
    if (status != JN_OK) {
        jn_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}

/* -------------------------------------------------------------------------------- reports */

JnStatus jn_preview_report(const JnPreview *preview, uint32_t body_index, JnMeshReport *report, JnMessage *message) {
    JnMesh *none;
    JnStatus status = check_call(preview, body_index, true, &none, message);
    if (status == JN_OK)
        status = struct_size_check(report, report ? report->struct_size : 0, sizeof *report, "JnMeshReport", message);
    if (status != JN_OK)
        return status;
    body_report(&preview->bodies[body_index], preview->scene->desc.metres_per_unit, report);
    return JN_OK;
}

/* -------------------------------------------------------------------------------- bodies */

static JnStatus add_maps(const SceneBody *scene_body, const Body *body, JnMesh *mesh, JnMessage *message) {
    JnStatus status = JN_OK;
    for (uint32_t m = 0; status == JN_OK && m < scene_body->map_count; ++m) {
        const WeightMap *map = &scene_body->maps[m];
        double *values = NULL;
        status = mesh_add_field(mesh, map->name, strlen(map->name), 1, &values, message);
        for (uint32_t v = 0; status == JN_OK && v < body->cached_count; ++v)
            values[v] = (double)map->values[body_cached_point(body, v)];
    }
    return status;
}

JnStatus jn_preview_body(JnPreview *preview, uint32_t body_index, double frame, JnMesh **mesh, JnMessage *message) {
    JnFrameInput input;
    JnStatus status = check_call(preview, body_index, true, mesh, message);
    if (status == JN_OK)
        status = jn_scene_frame(preview->scene, frame, &input, sizeof input, message);
    if (status != JN_OK)
        return status;
    const Body *body = &preview->bodies[body_index];
    const JnBody *desc = &preview->scene->desc.bodies[body_index];
    const JnBodyInput *motion = &input.bodies[body_index];
    const double *transform = motion->has_transform ? motion->transform : desc->transform;
    const double *points = desc->start_positions ? desc->start_positions : body_points(desc);
    if (motion->targets)
        points = motion->targets + (size_t)(motion->sample_count - 1) * body->point_count * 3;
    status = body_cached_mesh(body, points, transform, mesh, message);
    if (status == JN_OK)
        status = add_maps(&preview->scene->bodies[body_index], body, *mesh, message);
    return end_mesh(status, mesh);
}

/* -------------------------------------------------------------------------------- what is simulated */

/* The vertices, m, that follow the cached positions, scene units: *vertices [vertex_count * 3] is the caller's. */
static JnStatus follow_positions(const JnPreview *preview, uint32_t body_index, const double *positions,
                                 double **vertices, JnMessage *message) {
    const Body *body = &preview->bodies[body_index];
    const JnBakeDesc *desc = &preview->scene->desc;
    double *points = malloc(((size_t)body->point_count * 3 + 1) * sizeof *points);
    *vertices = malloc(((size_t)body->mesh.vertex_count * 3 + 1) * sizeof **vertices);
    JnStatus status = points && *vertices ? JN_OK : status_no_memory(message, "a simulation mesh");
    if (status == JN_OK) {
        const JnBody *body_desc = &desc->bodies[body_index];
        body_place_points(body_points(body_desc), body->point_count, body_desc->transform, desc->metres_per_unit,
                          points);
        for (uint32_t v = 0; v < body->cached_count; ++v)
            for (size_t i = 0; i < 3; ++i)
                points[3 * (size_t)body_cached_point(body, v) + i] =
                    desc->metres_per_unit * positions[3 * (size_t)v + i];
        status = inverse_embedding_positions(body->inverse_embedding, points, *vertices, message);
    }
    free(points);
    return status;
}

static JnStatus add_boundary(const Body *body, JnMesh *mesh, JnMessage *message) {
    const JnTets tets = {body->mesh.vertex_count, body->mesh.tet_count, body->mesh.positions, body->mesh.tet_vertices};
    uint32_t *triangles = NULL, count = 0;
    JnStatus status = tetmesh_boundary(&tets, &triangles, &count, message);
    if (status == JN_OK)
        status = mesh_set_face_counts(mesh, count, 3 * count, message);
    for (uint32_t f = 0; status == JN_OK && f < count; ++f)
        mesh->face_sizes[f] = 3;
    if (status == JN_OK)
        memcpy(mesh->face_vertices, triangles, (size_t)count * 3 * sizeof *triangles);
    free(triangles);
    return status;
}

static JnStatus add_springs(const Body *body, JnMesh *mesh, JnMessage *message) {
    uint32_t count = 0;
    for (uint32_t s = 0; s < body->spring_count; ++s)
        count += body->springs[s].stencil == SPRING_VERTICES;
    JnStatus status = mesh_set_curve_counts(mesh, count, 2 * count, message);
    count = 0;
    for (uint32_t s = 0; status == JN_OK && s < body->spring_count; ++s) {
        if (body->springs[s].stencil != SPRING_VERTICES)
            continue;
        mesh->curve_sizes[count] = 2;
        memcpy(mesh->curve_vertices + 2 * (size_t)count, body->springs[s].vertices, 2 * sizeof(uint32_t));
        count += 1;
    }
    return status;
}

JnStatus jn_preview_simulated(JnPreview *preview, uint32_t body_index, const double *positions, uint32_t vertex_count,
                              JnMesh **mesh, JnMessage *message) {
    JnStatus status = check_call(preview, body_index, true, mesh, message);
    if (status != JN_OK)
        return status;
    const Body *body = &preview->bodies[body_index];
    if (positions && vertex_count != body->cached_count)
        return status_fail(message, JN_ERR_ARGUMENT, "vertex_count is %u, but the cache of body '%s' has %u vertices",
                           vertex_count, body->name, body->cached_count);
    for (size_t i = 0; positions && i < 3 * (size_t)vertex_count; ++i)
        if (!isfinite(positions[i]))
            return status_fail(message, JN_ERR_ARGUMENT, "positions of vertex %zu of body '%s' are not finite", i / 3,
                               body->name);
    double *followed = NULL;
    if (positions)
        status = follow_positions(preview, body_index, positions, &followed, message);
    if (status == JN_OK)
        status = begin_mesh(body->mesh.vertex_count, mesh, message);
    const double *vertices = followed ? followed : body->mesh.positions;
    for (size_t i = 0; status == JN_OK && i < 3 * (size_t)body->mesh.vertex_count; ++i)
        (*mesh)->positions[i] = vertices[i] / preview->scene->desc.metres_per_unit;
    if (status == JN_OK)
        status = body->mesh.tet_count ? add_boundary(body, *mesh, message) : add_springs(body, *mesh, message);
    free(followed);
    return end_mesh(status, mesh);
}

/* -------------------------------------------------------------------------------- colliders */

JnStatus jn_preview_collider(JnPreview *preview, uint32_t collider_index, double frame, const double *centre,
                             double radius, JnMesh **mesh, JnMessage *message) {
    JnFrameInput input;
    JnStatus status = check_call(preview, collider_index, false, mesh, message);
    if (status == JN_OK && (!centre || !vec3_finite(centre) || !(radius >= 1e-9 && radius <= 1e9)))
        status = status_fail(message, JN_ERR_ARGUMENT,
                             "radius is %g, but must be from 1e-9 to 1e9, and centre three finite numbers", radius);
    if (status == JN_OK)
        status = jn_scene_frame(preview->scene, frame, &input, sizeof input, message);
    if (status != JN_OK)
        return status;
    const JnColliderInput *motion = &input.colliders[collider_index];
    double metres = preview->scene->desc.metres_per_unit, middle[3];
    double transform[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    if (motion->has_transform)
        memcpy(transform, motion->transform, sizeof transform);
    for (int i = 0; i < 3; ++i) {
        transform[4 * i + 3] *= metres;
        middle[i] = metres * centre[i];
    }
    ColliderPlacement *placement = &preview->placements[collider_index];
    const Collider *collider = &preview->colliders[collider_index];
    double *positions = NULL;
    if (motion->positions) {
        size_t count = (size_t)collider->kind->vertex_count(collider->shape) * 3;
        positions = malloc((count + 1) * sizeof *positions);
        if (!positions)
            return status_no_memory(message, "the surface of a collider");
        for (size_t i = 0; i < count; ++i)
            positions[i] = metres * motion->positions[i];
    }
    collider_move(collider,
                  &(ColliderMotion){
                      .now = transform, .before = transform, .after = transform, .from = positions, .to = positions},
                  placement);
    free(positions);
    status = collider_outline(collider, placement, middle, metres * radius, mesh, message);
    for (size_t i = 0; status == JN_OK && i < 3 * (size_t)(*mesh)->vertex_count; ++i)
        (*mesh)->positions[i] /= metres;
    return status;
}
