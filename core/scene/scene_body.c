/* One body of a scene: mesh, placement, material, maps and their effects, motion, start. */
#include "scene/scene.h"

#include "bodies/body_kind.h"
#include "bodies/material_damping.h"
#include "scene/scene_animation.h"
#include "scene/scene_bones.h"
#include "scene/scene_cache.h"
#include "scene/scene_keys.h"
#include "scene/scene_value.h"
#include "scene/scene_weights.h"
#include "base/math3.h"
#include "base/status.h"
#include "region/regional.h"

#include <stdio.h>
#include <string.h>

enum { CELLS_MOST = 4000000 }; /* of a generated shape */

/* ------------------------------------------------------------------------------------------------ meshes */

static JnStatus make_shape(const cJSON *json, const char *place, JnMesh **mesh, JnMessage *message) {
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, value_text(json, "shape"));
    if (value_get(json, "size"))
        value_vector(json, "shape", "size", shape.size);
    if (value_get(json, "cells")) {
        double cells[3];
        value_numbers(value_get(json, "cells"), 3, cells);
        if (cells[0] * cells[1] * cells[2] > CELLS_MOST)
            return status_fail(message, JN_ERR_SCENE, "%s.cells needs %.0f cells, more than the %d allowed", place,
                               cells[0] * cells[1] * cells[2], CELLS_MOST);
        for (int i = 0; i < 3; ++i)
            shape.cells[i] = (uint32_t)cells[i];
    }
    if (value_get(json, "turns"))
        shape.turns = value_number(json, "shape", "turns");
    if (value_get(json, "layers"))
        shape.layer_count = (uint32_t)value_number(json, "shape", "layers");
    return jn_shape_make(&shape, mesh, message);
}

JnStatus scene_mesh_open(JnScene *scene, const cJSON *value, const char *place, JnMesh **mesh, JnMeshView *view,
                         JnMessage *message) {
    JnStatus status;
    if (cJSON_IsObject(value)) {
        status = make_shape(value, place, mesh, message);
    } else {
        const char *path = scene_input_path(scene, value->valuestring);
        status = path ? jn_mesh_read(path, mesh, message) : status_no_memory(message, "a path");
    }
    if (status == JN_OK) {
        view->struct_size = (uint32_t)sizeof *view;
        status = jn_mesh_view(*mesh, view, message);
    }
    return status == JN_OK ? JN_OK : scene_fail_in(place, status, message);
}

static JnStatus read_meshes(JnScene *scene, SceneBody *body, JnBody *desc, JnMessage *message) {
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%s.mesh", body->place);
    JnStatus status =
        scene_mesh_open(scene, value_get(body->json, "mesh"), place, &body->mesh, &body->mesh_view, message);
    if (status != JN_OK)
        return status;
    const void *item;
    status = table_find(&body_kind_table, desc->kind, body->place, &item, message);
    if (status != JN_OK)
        return status;
    const BodyKind *kind = item;
    desc->tets = body->mesh_view.tets;
    if (desc->tets.tet_count == 0) {
        /* an .obj may hold faces and lines: what the kind does not read is ignored, unless there is nothing else */
        bool both = body->mesh_view.surface.face_count && body->mesh_view.curves.curve_count;
        if (!both || (kind->takes & TAKES_SURFACE))
            desc->surface = body->mesh_view.surface;
        if (!both || (kind->takes & TAKES_CURVES))
            desc->curves = body->mesh_view.curves;
    }

    /* the render mesh: its own file, the surface itself, or the tets */
    const cJSON *render = value_get(body->json, "surface");
    if (render) {
        snprintf(place, sizeof place, "%s.surface", body->place);
        if (desc->tets.tet_count == 0)
            return status_fail(message, JN_ERR_SCENE,
                               "%s: %s.mesh is a surface already: give tets as mesh, or remove one of the two", place,
                               body->place);
        status = scene_mesh_open(scene, render, place, &body->render, &body->render_view, message);
        if (status != JN_OK)
            return status;
        if (body->render_view.tets.tet_count > 0)
            return status_fail(message, JN_ERR_SCENE,
                               "%s is a tet mesh, but must be a surface (.obj, .ply, .stl, .abc, .glb)", place);
        desc->surface = body->render_view.surface;
    }
    body->points = body_points(desc);
    body->point_count = body_point_count(desc);
    body->posed = body->points;
    if (body->point_count == 0)
        return status_fail(message, JN_ERR_MESH, "%s.mesh has no vertices", body->place);
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ placement,
 * material */

/* The placement that an animation cache gives at the first frame, if it gives one. */
static JnStatus read_cache_placement(const JnScene *scene, SceneBody *body, JnBody *desc, JnMessage *message) {
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%s.animation.cache", body->place);
    JnStatus status = scene_cache_places(scene, body->animation.cache, place, &body->cache_places, message);
    if (status != JN_OK || !body->cache_places)
        return status;
    if (value_get(body->json, "transform"))
        return status_fail(message, JN_ERR_SCENE,
                           "%s.transform: the animation cache places the object itself: remove it", body->place);
    return scene_cache_placement(body->animation.cache, scene->desc.first_frame, place, desc->transform, message);
}

/* The motion of the body's own space; without a `transform` it places the rest shape too. */
static JnStatus read_matrices(JnScene *scene, SceneBody *body, JnBody *desc, JnMessage *message) {
    const char *name = value_text(body->json, "matrices");
    if (!name)
        return JN_OK;
    if (body->cache_places || body->animation.key_count > 0)
        return status_fail(
            message, JN_ERR_SCENE,
            "%s.matrices: the body's animation, by keys or by the transforms of a cache, moves it already: "
            "keep one of them",
            body->place);
    JnStatus status = scene_matrices_read(scene, name, body->place, &body->matrices, message);
    double frame =
        value_get(body->json, "rest_frame") ? value_number(body->json, "body", "rest_frame") : scene->desc.first_frame;
    if (status == JN_OK && !value_get(body->json, "transform"))
        scene_matrix_at(&body->matrices, frame, desc->transform);
    return status;
}

static JnStatus read_transform(JnScene *scene, SceneBody *body, JnBody *desc, JnMessage *message) {
    const cJSON *json = value_get(body->json, "transform");
    char place[SCENE_PLACE_BYTES];
    if (body->animation.cache) {
        JnStatus status = read_cache_placement(scene, body, desc, message);
        if (status != JN_OK)
            return status;
    }
    JnStatus moved = read_matrices(scene, body, desc, message);
    if (moved != JN_OK)
        return moved;
    snprintf(place, sizeof place, "%s.transform", body->place);
    if (cJSON_IsObject(json)) {
        Pose pose;
        JnStatus status = pose_read(json, "transform", place, &pose, message);
        if (status != JN_OK)
            return status;
        pose_matrix(&pose, desc->transform);
    }
    memcpy(body->to_scene, desc->transform, sizeof body->to_scene);
    if (!affine_inverse(body->to_scene, body->from_scene))
        return status_fail(message, JN_ERR_SCENE, "%s flattens the body: its 3x3 part has no inverse", place);
    return JN_OK;
}

static JnStatus read_material(const cJSON *json, const char *body_place, JnMaterial *material, JnMessage *message) {
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%s.material", body_place);
    /* the preset first, then single numbers over it */
    const char *preset_name = value_text(json, "preset");
    for (uint32_t i = 0; preset_name && i < jn_preset_count(); ++i) {
        const JnPreset *preset = jn_preset(i);
        if (strcmp(preset->name, preset_name) != 0)
            continue;
        material->law = preset->law;
        material->young_modulus = preset->young_modulus;
        material->poisson_ratio = preset->poisson_ratio;
        material->density = preset->density;
        material->stiffness_damping = preset->stiffness_damping;
        material->mass_damping = preset->mass_damping;
    }
    value_fields(json, "material", DESC_MATERIAL, material);
    if (value_get(json, "young_modulus") && value_get(json, "wobble_frequency"))
        return status_fail(message, JN_ERR_SCENE,
                           "%s gives its stiffness twice, by young_modulus and by wobble_frequency: keep one of them",
                           place);

    /* damping given in another form replaces the preset's */
    bool given = value_get(json, "stiffness_damping") != NULL;
    if (!given && damping_is_converted(material))
        material->stiffness_damping = 0;
    return damping_check_forms(material, given, JN_ERR_SCENE, place, message);
}

/* ------------------------------------------------------------------------------------------------ regions,
 * forces */

static JnStatus read_region(const SceneBody *body, const cJSON *json, const char *place, JnRegion *region,
                            JnMessage *message) {
    char weights_place[SCENE_PLACE_BYTES];
    snprintf(weights_place, sizeof weights_place, "%.140s.weights", place);
    const WeightMap *map;
    JnStatus status = scene_weights_find(body, value_text(json, "weights"), weights_place, &map, message);
    if (status != JN_OK)
        return status;
    jn_region_init(region, sizeof *region);
    value_fields(json, "region", DESC_REGION, region);
    region->weights = map->values;
    region->weight_count = body->point_count;
    bool is_pin = strcmp(region->effect, "pin") == 0, has_value = value_get(json, "value") != NULL;
    bool attaches = strcmp(region->effect, "attach") == 0;
    if ((is_pin || attaches) == has_value)
        return status_fail(message, JN_ERR_SCENE,
                           is_pin ? "%s.value: the effect pin takes no value: remove it; goal pulls softly"
                           : attaches
                               ? "%s.value: the effect attach takes no value: remove it; lower weights pull softly"
                               : "%s.value is missing: how strong is the effect?",
                           place);
    if (attaches != (region->to != NULL))
        return status_fail(message, JN_ERR_SCENE,
                           attaches ? "%s.to is missing: name the body to attach to"
                                    : "%s.to: only the effect attach has another body: remove it",
                           place);
    if (strcmp(region->effect, "rest_follows") == 0 && region->value > 1)
        return status_fail(message, JN_ERR_SCENE,
                           "%s.value is %g: the rest shape follows by 0 (not at all) to 1 (fully)", place,
                           region->value);
    if (strcmp(region->effect, "fast") == 0 && !fast_ratio_is_valid(region->value))
        return status_fail(message, JN_ERR_SCENE,
                           "%s.value is %g: a fast region takes a whole number of small time steps, 1 to %d", place,
                           region->value, FAST_RATIO_MOST);
    if (strcmp(region->effect, "simulation") == 0 && region->value > 1)
        return status_fail(message, JN_ERR_SCENE,
                           "%s.value is %g: what is seen goes from 0 (the animation) to 1 (the simulation)", place,
                           region->value);
    return JN_OK;
}

static JnStatus read_regions(JnScene *scene, const SceneBody *body, JnBody *desc, JnMessage *message) {
    const cJSON *list = value_get(body->json, "regions");
    uint32_t count = list ? (uint32_t)cJSON_GetArraySize(list) : 0, i = 0;
    JnRegion *regions = scene_alloc(scene, count, sizeof *regions);
    if (!regions)
        return status_no_memory(message, "the regions");
    desc->regions = regions;
    desc->region_count = count;
    JnStatus status = JN_OK;
    for (const cJSON *item = list ? list->child : NULL; item && status == JN_OK; item = item->next, ++i) {
        char place[SCENE_PLACE_BYTES];
        snprintf(place, sizeof place, "%s.regions[%u]", body->place, i);
        status = read_region(body, item, place, &regions[i], message);
    }
    return status;
}

static JnStatus read_forces(JnScene *scene, SceneBody *body, JnMessage *message) {
    const cJSON *list = value_get(body->json, "forces");
    uint32_t count = list ? (uint32_t)cJSON_GetArraySize(list) : 0;
    if (count == 0)
        return JN_OK;
    body->forces = scene_alloc(scene, count, sizeof *body->forces);
    body->force_per_point = scene_alloc(scene, (size_t)body->point_count * 3, sizeof *body->force_per_point);
    if (!body->forces || !body->force_per_point)
        return status_no_memory(message, "the forces");
    for (const cJSON *item = list->child; item; item = item->next) {
        SceneForce *force = &body->forces[body->force_count];
        char place[SCENE_PLACE_BYTES];
        snprintf(place, sizeof place, "%s.forces[%u].weights", body->place, body->force_count);
        JnStatus status = scene_weights_find(body, value_text(item, "weights"), place, &force->map, message);
        if (status != JN_OK)
            return status;
        value_vector(item, "force", "force", force->force);
        double last = scene->desc.first_frame + (double)scene->desc.frame_count - 1;
        force->from = value_get(item, "from") ? value_number(item, "force", "from") : scene->desc.first_frame;
        force->to = value_get(item, "to") ? value_number(item, "force", "to") : last;
        if (force->to < force->from)
            return status_fail(message, JN_ERR_SCENE, "%s.forces[%u].to is %g, before its from, %g", body->place,
                               body->force_count, force->to, force->from);
        ++body->force_count;
    }
    return JN_OK;
}

JnStatus scene_body_read(JnScene *scene, const cJSON *json, uint32_t index, JnMessage *message) {
    SceneBody *body = &scene->bodies[index];
    JnBody *desc = &scene->body_descs[index];
    body->json = json;
    snprintf(body->place, sizeof body->place, "bodies[%u]", index);
    jn_body_init(desc, sizeof *desc);
    value_fields(json, "body", DESC_BODY, desc);
    value_fields(value_get(json, "springs"), "springs", DESC_SPRINGS, &desc->springs);
    JnStatus status = scene_groups_read(scene, json, body->place, &desc->ignore_groups, message);
    if (status == JN_OK)
        status = read_material(value_get(json, "material"), body->place, &desc->material, message);
    if (status == JN_OK)
        status = read_meshes(scene, body, desc, message);
    if (status == JN_OK)
        status = scene_animation_read(scene, value_get(json, "animation"), body->place, &body->animation, message);
    if (status == JN_OK)
        status = read_transform(scene, body, desc, message);
    if (status == JN_OK)
        status = scene_weights_read(scene, body, message);
    if (status == JN_OK)
        status = read_regions(scene, body, desc, message);
    if (status == JN_OK)
        status = read_forces(scene, body, message);
    if (status == JN_OK)
        status = scene_body_keys_read(scene, body, desc, message);
    if (status == JN_OK)
        status = scene_bones_read(scene, body, desc, message);
    return status == JN_OK ? scene_motion_read(scene, body, desc, message) : status;
}

void scene_body_free(SceneBody *body) {
    jn_mesh_free(body->mesh);
    jn_mesh_free(body->render);
    embedding_free(&body->carrier);
    scene_cache_close(body->animation.cache);
    scene_bones_free(body);
}
