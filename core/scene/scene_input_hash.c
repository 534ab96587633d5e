/* JnBakeDesc.input_tag of a scene: a hash of the inputs of all its frames. */
#include "base/hash.h"
#include "scene/scene.h"
#include "scene/scene_animation.h"
#include "scene/scene_bones.h"

static bool moves(const JnScene *scene) {
    bool any = scene->gravity_key_count > 0;
    for (uint32_t b = 0; b < scene->desc.body_count; ++b)
        any |= scene_animation_any(&scene->bodies[b].animation) || scene->bodies[b].force_count > 0 ||
               scene->bodies[b].key_count > 0 || scene->bodies[b].matrices.count > 0 ||
               scene_bones_move(&scene->bodies[b]);
    for (uint32_t c = 0; c < scene->desc.collider_count; ++c)
        any |= scene_animation_any(&scene->colliders[c].animation);
    for (uint32_t f = 0; f < scene->desc.field_count; ++f)
        any |= scene->fields[f].key_count > 0;
    return any;
}

static void mix_body(uint64_t *tag, const JnBodyInput *input, const SceneBody *body) {
    size_t points = (size_t)body->point_count * 3 * sizeof(double);
    if (input->bones)
        hash_mix(tag, input->bones, 12 * (size_t)body->bone_count * sizeof(double));
    if (input->targets)
        hash_mix(tag, input->targets, points * input->sample_count);
    if (input->forces)
        hash_mix(tag, input->forces, points);
    if (input->has_transform)
        hash_mix(tag, input->transform, sizeof input->transform);
    const double keys[] = {
        input->has_stiffness ? input->stiffness : -1, input->has_goal_strength ? input->goal_strength : -1,
        input->has_pin_strength ? input->pin_strength : -1, input->has_simulation ? input->simulation : -1, input->cut};
    hash_mix(tag, keys, sizeof keys);
}

static void mix_frame(uint64_t *tag, const JnScene *scene, const JnFrameInput *input) {
    if (input->has_gravity)
        hash_mix(tag, input->gravity, sizeof input->gravity);
    for (uint32_t b = 0; b < input->body_count; ++b)
        mix_body(tag, &input->bodies[b], &scene->bodies[b]);
    for (uint32_t f = 0; f < input->field_count; ++f) {
        const JnFieldInput *field = &input->fields[f];
        hash_mix(tag, field->transform, sizeof field->transform);
        hash_mix(tag, (const double[]){field->strength, field->damping}, 2 * sizeof(double));
    }
    for (uint32_t c = 0; c < input->collider_count; ++c) {
        if (input->colliders[c].has_transform)
            hash_mix(tag, input->colliders[c].transform, sizeof input->colliders[c].transform);
        if (input->colliders[c].positions)
            hash_mix(tag, input->colliders[c].positions,
                     (size_t)scene->collider_descs[c].surface.vertex_count * 3 * sizeof(double));
    }
}

JnStatus scene_hash_inputs(JnScene *scene, JnMessage *message) {
    scene->desc.input_tag = 0;
    if (!moves(scene))
        return JN_OK;
    uint64_t tag = HASH_START;
    for (uint32_t f = 0; f < scene->desc.frame_count; ++f) {
        JnFrameInput input;
        jn_frame_input_init(&input, sizeof input);
        JnStatus status = jn_scene_frame(scene, scene->desc.first_frame + f, &input, sizeof input, message);
        if (status != JN_OK)
            return status;
        mix_frame(&tag, scene, &input);
    }
    scene->desc.input_tag = tag;
    return JN_OK;
}
