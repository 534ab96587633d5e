/* Checks of a desc, before anything is built from it. Limits come from the settings table. */
#include "settings/validate.h"

#include "alembic_io.h"
#include "base/status.h"
#include "bodies/body_kind.h"
#include "bodies/material_damping.h"
#include "contact/contact.h"
#include "geometry/curves.h"
#include "geometry/surface.h"
#include "integrate/integrator.h"
#include "region/regional.h"
#include "settings/checks.h"

#include <string.h>

static JnStatus check_region(const JnRegion *region, uint32_t point_count, const char *place, JnMessage *message) {
    TRY(check_fields(DESC_REGION, region, place, message));
    if (region->weight_count != point_count)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "%s has %u weights, but the body has %u points: give one weight per point", place,
                           region->weight_count, point_count);
    TRY(check_pointer(region->weights, region->weight_count, place, "weights", message));
    for (uint32_t p = 0; p < point_count; ++p)
        if (!(region->weights[p] >= 0 && region->weights[p] <= 1))
            return status_fail(message, JN_ERR_ARGUMENT, "%s.weights[%u] is %g: weights go from 0 to 1", place, p,
                               (double)region->weights[p]);
    bool attaches = strcmp(region->effect, "attach") == 0;
    if (attaches != (region->to != NULL))
        return status_fail(message, JN_ERR_ARGUMENT,
                           attaches ? "%s.to is NULL: name the body to attach to"
                                    : "%s.to is given, but only the effect attach has another body: remove it",
                           place);
    if (attaches || strcmp(region->effect, "pin") == 0)
        return JN_OK;
    TRY(check_number(region->value, "region", "value", place, message));
    if (strcmp(region->effect, "rest_follows") == 0 || strcmp(region->effect, "simulation") == 0)
        return check_field(region->value, "body", "rest_follows_animation", place, "value", message);
    if (strcmp(region->effect, "fast") == 0 && !fast_ratio_is_valid(region->value))
        return status_fail(message, JN_ERR_ARGUMENT,
                           "%s.value is %g: a fast region takes a whole number of small time steps, 1 to %d", place,
                           region->value, FAST_RATIO_MOST);
    bool is_factor = strcmp(region->effect, "stiffness") == 0 || strcmp(region->effect, "density") == 0;
    if (is_factor && !(region->value > 0))
        return status_fail(message, JN_ERR_ARGUMENT, "%s.value is %g: a %s factor must be above 0", place,
                           region->value, region->effect);
    return JN_OK;
}

static JnStatus check_bone(const JnBone *bone, const char *place, JnMessage *message) {
    TRY(check_fields(DESC_BONE, bone, place, message));
    TRY(check_transform(bone->transform, place, "transform", message));
    bool has_surface = bone->surface.vertex_count || bone->surface.face_count;
    if (has_surface)
        return surface_check(&bone->surface, place_member(place, "surface").text, message);
    if (!(bone->radius > 0))
        return status_fail(message, JN_ERR_ARGUMENT,
                           "%s '%.80s' is a capsule with the radius %g: give one above 0, or a surface", place,
                           bone->name ? bone->name : "", bone->radius);
    return JN_OK;
}

/* Warping completes what linear elasticity leaves out, and needs its tets. */
static JnStatus check_warp(const JnBody *body, const char *place, JnMessage *message) {
    const void *law, *kind;
    TRY(table_find(&material_table, body->material.law, place, &law, message));
    TRY(table_find(&body_kind_table, body->kind, place, &kind, message));
    if (!((const BodyKind *)kind)->has_elements)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "%s.warp is on, but bodies of the kind %s have no tets of a material that it could warp: "
                           "switch it off",
                           place, body->kind);
    if (((const Material *)law)->traits & MATERIAL_ROTATES)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "%s.warp is on, but the law %s rotates as it is: switch it off, or choose the law linear",
                           place, body->material.law);
    return JN_OK;
}

/* A mesh that the kind does not read is an error, not silently ignored. */
static JnStatus check_taken(const BodyKind *kind, uint32_t given, const JnBody *body, const char *place,
                            JnMessage *message) {
    static const char *const words[] = {"surface", "tets", "curves"};
    char takes[64] = "";
    for (uint32_t i = 0; i < 3; ++i)
        if (kind->takes >> i & 1) {
            strcat(takes, takes[0] ? " or " : "");
            strcat(takes, words[i]);
        }
    if (!(given & kind->takes))
        return status_fail(message, JN_ERR_MESH, "%s '%.80s' is of the kind %s, but has no %s: give it a mesh%s", place,
                           body->name, kind->entry.name, takes, given ? " of that type, or another kind" : "");
    for (uint32_t i = 0; i < 3; ++i)
        if (given & ~kind->takes & 1u << i)
            return status_fail(message, JN_ERR_MESH, "%s '%.80s' is of the kind %s, which does not use the %s given",
                               place, body->name, kind->entry.name, words[i]);
    return JN_OK;
}

static JnStatus check_body_mesh(const JnBody *body, const char *place, JnMessage *message) {
    bool has_surface = body->surface.vertex_count || body->surface.face_count;
    bool has_tets = body->tets.vertex_count || body->tets.tet_count;
    bool has_curves = body->curves.vertex_count || body->curves.curve_count;
    uint32_t given = (has_surface ? TAKES_SURFACE : 0) | (has_tets ? TAKES_TETS : 0) | (has_curves ? TAKES_CURVES : 0);
    const void *item;
    TRY(table_find(&body_kind_table, body->kind, place_member(place, "kind").text, &item, message));
    const BodyKind *kind = item;
    TRY(check_taken(kind, given, body, place, message));
    if (body->keep_shape && !kind->has_elements)
        return status_fail(message, JN_ERR_NOT_BUILT,
                           "%s.keep_shape is not yet built for bodies of the kind %s: switch it off", place,
                           kind->entry.name);
    if (has_surface)
        TRY(surface_check(&body->surface, place_member(place, "surface").text, message));
    if (has_tets)
        TRY(tetmesh_check(&body->tets, place_member(place, "tets").text, message));
    if (has_curves)
        TRY(curves_check(&body->curves, place_member(place, "curves").text, message));
    return kind->check(body, place, message);
}

static JnStatus check_body(const JnBody *body, const char *place, JnMessage *message) {
    Place material = place_member(place, "material");
    TRY(check_fields(DESC_BODY, body, place, message));
    if (!body->name || !body->name[0])
        return status_fail(message, JN_ERR_ARGUMENT, "%s.name is empty: it names the object in the cache", place);
    TRY(check_body_mesh(body, place, message));
    TRY(check_transform(body->transform, place, "transform", message));
    TRY(check_fields(DESC_MATERIAL, &body->material, material.text, message));
    TRY(damping_check_forms(&body->material, body->material.stiffness_damping != 0, JN_ERR_ARGUMENT, material.text,
                            message));
    if (body->material.warp)
        TRY(check_warp(body, material.text, message));
    TRY(check_fields(DESC_SPRINGS, &body->springs, place_member(place, "springs").text, message));
    uint32_t point_count = body_point_count(body);
    TRY(check_pointer(body->regions, body->region_count, place, "regions", message));
    Place regions = place_member(place, "regions");
    for (uint32_t r = 0; r < body->region_count; ++r)
        TRY(check_region(&body->regions[r], point_count, place_element(regions.text, r).text, message));
    TRY(check_pointer(body->bones, body->bone_count, place, "bones", message));
    Place bones = place_member(place, "bones");
    for (uint32_t b = 0; b < body->bone_count; ++b)
        TRY(check_bone(&body->bones[b], place_element(bones.text, b).text, message));
    TRY(check_point_array(body->start_positions, point_count, place, "start_positions", message));
    return check_point_array(body->start_velocities, point_count, place, "start_velocities", message);
}

/* That what a body is attached to is there. */
static JnStatus check_attached(const JnBakeDesc *desc, uint32_t body, JnMessage *message) {
    for (uint32_t r = 0; r < desc->bodies[body].region_count; ++r) {
        const char *to = desc->bodies[body].regions[r].to;
        bool found = !to;
        for (uint32_t b = 0; b < desc->body_count && !found; ++b)
            found = b != body && strcmp(desc->bodies[b].name, to) == 0;
        if (!found)
            return status_fail(message, JN_ERR_ARGUMENT,
                               "bodies[%u].regions[%u].to is '%.80s', but no other body has that name", body, r, to);
    }
    return JN_OK;
}

static JnStatus check_bodies(const JnBakeDesc *desc, JnMessage *message) {
    if (desc->body_count == 0)
        return status_fail(message, JN_ERR_ARGUMENT, "desc.body_count is 0: give at least one body");
    TRY(check_pointer(desc->bodies, desc->body_count, "desc", "bodies", message));
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        TRY(check_body(&desc->bodies[b], place_element("bodies", b).text, message));
        /* as written to the cache, where some characters are not allowed */
        char name[NAME_CAPACITY], other[NAME_CAPACITY];
        abc_make_name(name, sizeof name, desc->bodies[b].name);
        for (uint32_t a = 0; a < b; ++a) {
            abc_make_name(other, sizeof other, desc->bodies[a].name);
            if (strcmp(name, other) == 0)
                return status_fail(
                    message, JN_ERR_ARGUMENT,
                    "bodies[%u] and bodies[%u] are both called '%.80s' in the cache: give each its own name", a, b,
                    name);
        }
    }
    for (uint32_t b = 0; b < desc->body_count; ++b)
        TRY(check_attached(desc, b, message));
    return JN_OK;
}

static JnStatus check_colliders(const JnBakeDesc *desc, JnMessage *message) {
    TRY(check_pointer(desc->colliders, desc->collider_count, "desc", "colliders", message));
    for (uint32_t c = 0; c < desc->collider_count; ++c) {
        const JnCollider *collider = &desc->colliders[c];
        Place place = place_element("colliders", c);
        Collider built;
        TRY(check_fields(DESC_COLLIDER, collider, place.text, message));
        TRY(check_transform(collider->transform, place.text, "transform", message));
        TRY(collider_create(collider, 1, place.text, &built, message));
        collider_free(&built);
    }
    return JN_OK;
}

static JnStatus check_fields_of_force(const JnBakeDesc *desc, JnMessage *message) {
    TRY(check_pointer(desc->fields, desc->field_count, "desc", "fields", message));
    for (uint32_t f = 0; f < desc->field_count; ++f) {
        const JnField *field = &desc->fields[f];
        Place place = place_element("fields", f);
        TRY(check_fields(DESC_FIELD, field, place.text, message));
        TRY(check_transform(field->transform, place.text, "transform", message));
    }
    return JN_OK;
}

static JnStatus check_samples(const JnBakeDesc *desc, JnMessage *message) {
    /* 0: one that fits is chosen */
    if (desc->steps_per_frame % desc->samples_per_frame != 0)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "desc.samples_per_frame is %u, which does not divide steps_per_frame %u: a cache sample "
                           "must fall on a time step",
                           desc->samples_per_frame, desc->steps_per_frame);
    if ((uint64_t)desc->frame_count * desc->samples_per_frame > INT32_MAX)
        return status_fail(message, JN_ERR_ARGUMENT, "%u frames of %u samples are more than a cache can hold",
                           desc->frame_count, desc->samples_per_frame);
    return JN_OK;
}

JnStatus validate_desc(const JnBakeDesc *desc, JnMessage *message) {
    if (!desc)
        return status_fail(message, JN_ERR_ARGUMENT, "desc is NULL: fill a JnBakeDesc by jn_bake_desc_init");
    TRY(check_fields(DESC_BAKE, desc, "desc", message));
    TRY(check_samples(desc, message));
    TRY(check_fields(DESC_CONTACT, &desc->contact, "desc.contact", message));
    if (desc->resume && !desc->output_path)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "desc.resume is set without output_path: name the cache to resume");
    TRY(check_bodies(desc, message));
    TRY(check_colliders(desc, message));
    return check_fields_of_force(desc, message);
}
