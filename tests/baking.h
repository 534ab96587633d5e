/* Bakes without a cache, for tests: a desc with one body, frames pushed in order, the mean position and any vertex. */
#ifndef JN_TESTS_BAKING_H
#define JN_TESTS_BAKING_H

#include "tet_box.h"

#include <math.h>
#include <string.h>

typedef struct OneBody {
    JnBakeDesc desc;
    JnBody body;
    JnCollider collider;
    TetBox box;
    JnRegion pin;
    JnBone bone;
    JnField field;
    float *pin_weights;
} OneBody;

/* A box of tets in a scene without gravity and colliders. The struct must not move afterwards. */
static inline void one_body_init(OneBody *scene, TetBox box) {
    jn_bake_desc_init(&scene->desc, sizeof scene->desc);
    scene->desc.integrator = "si"; /* the simplest rule, whose discrete motion is known by hand */
    scene->desc.steps_per_frame = JN_USUAL_STEPS;
    jn_body_init(&scene->body, sizeof scene->body);
    jn_collider_init(&scene->collider, sizeof scene->collider);
    scene->box = box;
    scene->pin_weights = NULL;
    scene->body.tets = tet_box_view(&scene->box);
    scene->desc.bodies = &scene->body;
    scene->desc.body_count = 1;
    scene->desc.colliders = &scene->collider;
    memset(scene->desc.gravity, 0, sizeof scene->desc.gravity);
    scene->desc.thread_count = 1;
}

/* Pins the vertices at x = 0. */
static inline void one_body_pin(OneBody *scene) {
    scene->pin_weights = calloc(scene->box.vertex_count, sizeof *scene->pin_weights);
    for (uint32_t v = 0; v < scene->box.vertex_count; ++v)
        scene->pin_weights[v] = scene->box.positions[3 * v] == 0;
    jn_region_init(&scene->pin, sizeof scene->pin);
    scene->pin.effect = "pin";
    scene->pin.weights = scene->pin_weights;
    scene->pin.weight_count = scene->box.vertex_count;
    scene->body.regions = &scene->pin;
    scene->body.region_count = 1;
}

static inline void one_body_free(OneBody *scene) {
    tet_box_free(&scene->box);
    free(scene->pin_weights);
}

/* The cached vertices are the boundary's; these boxes number them so that cached vertex i is at rest[i]. */
static inline double *read_positions(JnBake *bake, uint32_t *count) {
    jn_bake_positions(bake, 0, NULL, 0, count, NULL);
    double *positions = malloc(((size_t)*count * 3 + 1) * sizeof *positions);
    if (jn_bake_positions(bake, 0, positions, (size_t)*count * 3, count, NULL) != JN_OK)
        memset(positions, 0, (size_t)*count * 3 * sizeof *positions);
    return positions;
}

static inline JnStatus advance(JnBake *bake, JnMessage *message) {
    JnFrameInput input;
    jn_frame_input_init(&input, sizeof input);
    input.frame = jn_bake_next_frame(bake);
    return jn_bake_advance(bake, &input, message);
}

/* Pushes `count` frames without inputs. */
static inline JnStatus advance_frames(JnBake *bake, uint32_t count, JnMessage *message) {
    JnStatus status = JN_OK;
    for (uint32_t f = 0; status == JN_OK && f < count; ++f)
        status = advance(bake, message);
    return status;
}

/* Pushes `count` frames in which the one body's object moves up and down. */
static inline JnStatus advance_shaken(JnBake *bake, uint32_t count, JnMessage *message) {
    JnStatus status = JN_OK;
    for (uint32_t f = 0; status == JN_OK && f < count; ++f) {
        JnFrameInput input;
        JnBodyInput body;
        jn_frame_input_init(&input, sizeof input);
        jn_body_input_init(&body, sizeof body);
        input.frame = jn_bake_next_frame(bake);
        const double moved[12] = {1, 0, 0, 0, 0, 1, 0, 0.05 * sin(input.frame), 0, 0, 1, 0};
        memcpy(body.transform, moved, sizeof moved);
        body.has_transform = 1;
        input.bodies = &body;
        input.body_count = 1;
        status = jn_bake_advance(bake, &input, message);
    }
    return status;
}

static inline void mean_position(JnBake *bake, double mean[3]) {
    uint32_t count;
    double *positions = read_positions(bake, &count);
    mean[0] = mean[1] = mean[2] = 0;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t c = 0; c < 3; ++c)
            mean[c] += positions[3 * i + c] / count;
    free(positions);
}

#endif
