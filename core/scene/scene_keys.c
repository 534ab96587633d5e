#include "scene/scene_keys.h"

#include "scene/scene_value.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>

static const char *const channel_names[BODY_KEY_CHANNELS] = {"stiffness", "goal", "pin", "simulation"};

JnStatus scene_body_keys_read(JnScene *scene, SceneBody *body, JnBody *desc, JnMessage *message) {
    const cJSON *list = value_get(body->json, "keys");
    if (!list)
        return JN_OK;
    body->keys = scene_alloc(scene, (size_t)cJSON_GetArraySize(list), sizeof *body->keys);
    if (!body->keys)
        return status_no_memory(message, "the keys of a body");
    for (const cJSON *item = list->child; item; item = item->next) {
        BodyKey *key = &body->keys[body->key_count];
        char place[SCENE_PLACE_BYTES];
        snprintf(place, sizeof place, "%s.keys[%u]", body->place, body->key_count);
        key->frame = value_number(item, "body_key", "frame");
        bool any = false;
        for (int c = 0; c < BODY_KEY_CHANNELS; ++c) {
            key->values[c] = value_number(item, "body_key", channel_names[c]); /* NaN: not keyed here */
            any |= !isnan(key->values[c]);
        }
        if (!any)
            return status_fail(message, JN_ERR_SCENE, "%s has no value: give it stiffness, goal, pin or simulation",
                               place);
        if (body->key_count > 0 && !(key->frame > key[-1].frame))
            return status_fail(message, JN_ERR_SCENE, "%s.frame is %g, but must be later than the key before it, at %g",
                               place, key->frame, key[-1].frame);
        if (!isnan(key->values[BODY_KEY_PIN]))
            desc->releasable_pins = 1;
        ++body->key_count;
    }
    return JN_OK;
}

/* Returns whether the channel is keyed at all. */
static bool channel_at(const SceneBody *body, int channel, double frame, double *value) {
    const BodyKey *before = NULL, *after = NULL;
    for (uint32_t k = 0; k < body->key_count && !after; ++k) {
        if (isnan(body->keys[k].values[channel]))
            continue;
        *(body->keys[k].frame <= frame ? &before : &after) = &body->keys[k];
    }
    if (!before && !after)
        return false;
    double a = (before ? before : after)->values[channel], b = (after ? after : before)->values[channel];
    *value = a;
    if (before && after && a != b) {
        double t = (frame - before->frame) / (after->frame - before->frame);
        *value = channel == BODY_KEY_STIFFNESS ? a * pow(b / a, t) : a + t * (b - a);
    }
    return true;
}

void scene_body_keys_at(const SceneBody *body, double frame, JnBodyInput *input) {
    input->has_stiffness = channel_at(body, BODY_KEY_STIFFNESS, frame, &input->stiffness);
    input->has_goal_strength = channel_at(body, BODY_KEY_GOAL, frame, &input->goal_strength);
    input->has_pin_strength = channel_at(body, BODY_KEY_PIN, frame, &input->pin_strength);
    input->has_simulation = channel_at(body, BODY_KEY_SIMULATION, frame, &input->simulation);
}
