/* Checks the inputs of a frame before they are used. */
#include "bake/bake_internal.h"

#include "base/status.h"
#include "settings/checks.h"

#include <math.h>

static JnStatus check_body_input(const JnBodyInput *input, const Body *body, const char *place, JnMessage *message) {
    TRY(check_struct(input->struct_size, sizeof *input, place, "JnBodyInput", message));
    if (input->has_transform)
        TRY(check_transform(input->transform, place, "transform", message));
    if (input->targets && (input->sample_count == 0 || input->sample_count > 1000))
        return status_fail(message, JN_ERR_ARGUMENT, "%s.sample_count is %u: give 1 to 1000 target samples", place,
                           input->sample_count);
    if (input->has_stiffness)
        TRY(check_number(input->stiffness, "body_key", "stiffness", place, message));
    if (input->has_goal_strength)
        TRY(check_field(input->goal_strength, "body_key", "goal", place, "goal_strength", message));
    if (input->has_pin_strength)
        TRY(check_field(input->pin_strength, "body_key", "pin", place, "pin_strength", message));
    if (input->has_pin_strength && !body->has_releasable_pins)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "%s.pin_strength: the pins of '%s' are not releasable: set releasable_pins in its JnBody",
                           place, body->name);
    if (input->has_simulation)
        TRY(check_field(input->simulation, "body_key", "simulation", place, "simulation", message));
    for (size_t s = 0; input->targets && s < input->sample_count; ++s)
        TRY(check_point_array(input->targets + s * body->point_count * 3, body->point_count, place, "targets",
                              message));
    for (uint32_t b = 0; input->bones && b < body->bone_count; ++b)
        TRY(check_transform(input->bones + 12 * (size_t)b, place, place_element("bones", b).text, message));
    return check_point_array(input->forces, body->point_count, place, "forces", message);
}

static JnStatus check_collider_input(const JnColliderInput *input, const Collider *collider, const char *place,
                                     JnMessage *message) {
    TRY(check_struct(input->struct_size, sizeof *input, place, "JnColliderInput", message));
    if (input->has_transform) {
        TRY(check_transform(input->transform, place, "transform", message));
        TRY(collider_check_transform(collider->kind, input->transform, place, message));
    }
    if (!input->positions)
        return JN_OK;
    if (!collider->kind->deforms)
        return status_fail(message, JN_ERR_NOT_BUILT,
                           "%s.positions: colliders of the kind %s do not deform: move it by its transform", place,
                           collider->kind->entry.name);
    return check_point_array(input->positions, collider->kind->vertex_count(collider->shape), place, "positions",
                             message);
}

static JnStatus check_field_input(const JnFieldInput *input, const char *place, JnMessage *message) {
    TRY(check_struct(input->struct_size, sizeof *input, place, "JnFieldInput", message));
    if (input->has_transform)
        TRY(check_transform(input->transform, place, "transform", message));
    if (input->has_strength)
        TRY(check_number(input->strength, "field", "strength", place, message));
    return input->has_damping ? check_number(input->damping, "field", "damping", place, message) : JN_OK;
}

JnStatus validate_frame_input(const JnBake *bake, const JnFrameInput *input, JnMessage *message) {
    if (!input)
        return status_fail(message, JN_ERR_ARGUMENT, "input is NULL: fill a JnFrameInput by jn_frame_input_init");
    TRY(check_struct(input->struct_size, sizeof *input, "input", "JnFrameInput", message));
    if (bake->motion.frames_done >= bake->settings.frame_count)
        return status_fail(message, JN_ERR_ORDER, "input.frame is %g, but all %u frames are finished: end the bake",
                           input->frame, bake->settings.frame_count);
    if (!(fabs(input->frame - jn_bake_next_frame(bake)) < 1e-6))
        return status_fail(message, JN_ERR_ORDER, "input.frame is %g, but the next frame is %g: give frames in order",
                           input->frame, jn_bake_next_frame(bake));
    if ((input->body_count && input->body_count != bake->model.body_count) ||
        (input->collider_count && input->collider_count != bake->model.collider_count))
        return status_fail(message, JN_ERR_ARGUMENT,
                           "input has %u bodies and %u colliders, the bake %u and %u: give all of them or none",
                           input->body_count, input->collider_count, bake->model.body_count,
                           bake->model.collider_count);
    if (input->field_count && input->field_count != bake->model.field_count)
        return status_fail(message, JN_ERR_ARGUMENT, "input has %u fields, the bake %u: give all of them or none",
                           input->field_count, bake->model.field_count);
    TRY(check_pointer(input->fields, input->field_count, "input", "fields", message));
    for (uint32_t f = 0; f < input->field_count; ++f)
        TRY(check_field_input(&input->fields[f], place_element("input.fields", f).text, message));
    TRY(check_pointer(input->bodies, input->body_count, "input", "bodies", message));
    TRY(check_pointer(input->colliders, input->collider_count, "input", "colliders", message));
    if (input->has_gravity)
        for (uint32_t i = 0; i < 3; ++i)
            TRY(check_field(input->gravity[i], "world", "gravity", "input", place_element("gravity", i).text, message));
    for (uint32_t b = 0; b < input->body_count; ++b)
        TRY(check_body_input(&input->bodies[b], &bake->model.bodies[b], place_element("input.bodies", b).text,
                             message));
    for (uint32_t c = 0; c < input->collider_count; ++c)
        TRY(check_collider_input(&input->colliders[c], &bake->model.colliders[c],
                                 place_element("input.colliders", c).text, message));
    return JN_OK;
}
