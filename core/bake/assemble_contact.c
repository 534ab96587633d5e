/* What may touch, how thick it is, and how hard it presses where the artist does not say. */
#include "bake/assemble_internal.h"

#include "base/math3.h"
#include "base/status.h"

#include <stdlib.h>

/* Part of the bodies' size: the thickness if none is given. */
static const double USUAL_THICKNESS = 1e-3;

/* Default contact parameters: a body sinks by about a thousandth of its size under its own weight, and the thickness
   compensates for that, so that it rests on the artist's floor. A thinner one is stiffer, so that it
   presses as hard before surfaces cross. */
static void choose_contact(JnBake *bake, const JnBakeDesc *desc) {
    Settings *settings = &bake->settings;
    double size = bake->model.points.bounding_size, stiffness = 0;
    double gravity = fmax(vec3_length(desc->gravity), 9.81);
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const JnMaterial *material = &bake->model.bodies[b].material;
        stiffness = fmax(stiffness, 1000 * material->density * gravity);
        if (bake->model.bodies[b].element_count) /* thin bodies bend before they are compressed */
            stiffness = fmax(stiffness, 1000 * material->young_modulus / size);
    }
    double thickness =
        isnan(desc->contact.thickness) ? USUAL_THICKNESS * size : desc->contact.thickness * desc->metres_per_unit;
    double thinner = fmax(1, USUAL_THICKNESS * size / fmax(thickness, CONTACT_LEAST_THICKNESS * size));
    settings->contact_thickness = thickness;
    settings->usual_stiffness = thinner * stiffness;
    settings->contact_stiffness = isnan(desc->contact.stiffness) ? settings->usual_stiffness : desc->contact.stiffness;
    settings->smoothing_speed = desc->contact.smoothing_speed;
}

/* Nothing could be as near as that. */
static JnStatus check_thickness(const JnBake *bake, const char *place, const char *name, double thickness,
                                JnMessage *message) {
    double size = bake->model.points.bounding_size;
    if (!(thickness > size))
        return JN_OK;
    return status_fail(message, JN_ERR_ARGUMENT,
                       "%s%s%s is %g m, more than the size of the bodies, %.3g m: give less, such as %.2g m", place,
                       name, *name ? "'" : "", thickness, size, USUAL_THICKNESS * size);
}

static JnStatus check_thicknesses(const JnBake *bake, JnMessage *message) {
    JnStatus status = check_thickness(bake, "contact.thickness", "", bake->settings.contact_thickness, message);
    for (uint32_t b = 0; status == JN_OK && b < bake->model.body_count; ++b)
        status = check_thickness(bake, "contact_thickness of '", bake->model.bodies[b].name,
                                 bake->model.bodies[b].contact_thickness, message);
    for (uint32_t c = 0; status == JN_OK && c < bake->model.collider_count; ++c)
        status = check_thickness(bake, "thickness of the collider '", bake->model.collider_names[c],
                                 bake->model.colliders[c].thickness, message);
    return status;
}

/* How each body touches. */
static JnStatus list_contact_bodies(JnBake *bake, JnMessage *message) {
    bake->model.contact_bodies = calloc((size_t)bake->model.body_count + 1, sizeof *bake->model.contact_bodies);
    if (!bake->model.contact_bodies)
        return status_no_memory(message, "contacts");
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        bake->model.contact_bodies[b] = (ContactBody){.first_point = body->first_point,
                                                      .point_count = body->point_count,
                                                      .collides = body->collides,
                                                      .self_contact = body->self_contact,
                                                      .friction = body->friction,
                                                      .thickness = body->contact_thickness,
                                                      .ignore_groups = body->ignore_groups};
    }
    return JN_OK;
}

/* Whether there is anything to touch. */
static bool wants_contact(const JnBake *bake) {
    uint32_t colliding = 0;
    bool self_contact = false;
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        colliding += bake->model.bodies[b].collides;
        self_contact |= bake->model.bodies[b].self_contact;
    }
    return bake->model.collider_count > 0 || colliding > 1 || self_contact;
}

JnStatus assemble_contact(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    choose_contact(bake, desc);
    System *system = &bake->model.system;
    if (!wants_contact(bake))
        return JN_OK;
    const void *method = NULL;
    JnStatus status = table_find(&contact_table, desc->contact.method, "desc.contact.method", &method, message);
    if (status == JN_OK)
        status = check_thicknesses(bake, message);
    if (status == JN_OK)
        status = list_contact_bodies(bake, message);
    if (status != JN_OK)
        return status;
    ContactDesc contact = {.method = method,
                           .points = &bake->model.points,
                           .rest_points = bake->model.rest_points,
                           .masses = system->masses,
                           .bodies = bake->model.contact_bodies,
                           .body_count = bake->model.body_count,
                           .colliders = bake->model.colliders,
                           .collider_count = bake->model.collider_count,
                           .thickness = bake->settings.contact_thickness,
                           .stiffness = bake->settings.contact_stiffness,
                           .usual_stiffness = bake->settings.usual_stiffness,
                           .smoothing_speed = bake->settings.smoothing_speed};
    bake->model.contact_method = method;
    bake->model.contact_term = system->term_count;
    return system_keep_term(system, contact_create(&contact, system_next_term(system), message), message);
}
