/* Bones inside a body hold and move what they cover. */
#include "baking.h"
#include "closed_block.h"
#include "harness.h"

#include "bake/bake_internal.h"
#include "base/math3.h"

static const double LENGTH = 0.8, WIDTH = 0.2;

typedef struct Boned {
    OneBody scene;
    JnBone bones[2];
    double motions[24];
    JnBake *bake;
} Boned;

/* A bar along x with bones along its axis: the first in its first half, the second in the other. */
static void open_boned(Boned *boned, uint32_t bone_count) {
    one_body_init(&boned->scene, tet_box_make(16, 4, 4, LENGTH / 16));
    boned->scene.body.bones = boned->bones;
    boned->scene.body.bone_count = bone_count;
    boned->scene.body.material.young_modulus = 5e4;
    boned->scene.body.material.stiffness_damping = 0.01;
    boned->scene.desc.frame_count = 12;
    boned->bake = NULL;
    for (uint32_t b = 0; b < 2; ++b) {
        JnBone *bone = &boned->bones[b];
        jn_bone_init(bone, sizeof *bone);
        bone->radius = 0.06;
        bone->point[0] = b ? 0.5 * LENGTH + 0.1 : 0.1;
        bone->end[0] = b ? LENGTH - 0.1 : 0.5 * LENGTH - 0.1;
        for (int i = 1; i < 3; ++i)
            bone->point[i] = bone->end[i] = 0.5 * WIDTH;
        for (int i = 0; i < 12; ++i)
            boned->motions[12 * b + (uint32_t)i] = i % 5 == 0;
    }
}

static JnStatus push_bones(Boned *boned, JnMessage *message) {
    JnFrameInput input;
    JnBodyInput body;
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    input.frame = jn_bake_next_frame(boned->bake);
    body.bones = boned->motions;
    input.bodies = &body;
    input.body_count = 1;
    return jn_bake_advance(boned->bake, &input, message);
}

static void close_boned(Boned *boned) {
    jn_bake_end(boned->bake, NULL);
    one_body_free(&boned->scene);
}

/* A turn about z through the middle of the bar, and a shift. */
static void turn_about_middle(double angle, double shift, double motion[12]) {
    const double c = cos(angle), s = sin(angle), x = 0.5 * LENGTH, y = 0.5 * WIDTH;
    const double turned[12] = {c, -s, 0, x - c * x + s * y + shift, s, c, 0, y - s * x - c * y, 0, 0, 1, 0};
    memcpy(motion, turned, sizeof turned);
}

static double distance_to_axis(const JnBone *bone, const double x[3]) {
    double along = fmin(fmax(x[0], bone->point[0]), bone->end[0]), apart[3] = {x[0] - along, 0, 0};
    for (int i = 1; i < 3; ++i)
        apart[i] = x[i] - bone->point[i];
    return vec3_length(apart);
}

TEST(bones_hold_exactly_what_is_inside_them_and_take_it_along) {
    JnMessage message;
    Boned boned;
    uint32_t held = 0;
    open_boned(&boned, 2);
    CHECK(jn_bake_begin(&boned.scene.desc, &boned.bake, &message) == JN_OK);
    for (int frame = 0; frame < 6; ++frame) {
        turn_about_middle(0.05 * frame, 0.01 * frame, boned.motions + 12);
        CHECK(push_bones(&boned, &message) == JN_OK);
    }
    for (size_t v = 0; v < boned.scene.box.vertex_count; ++v) {
        const double *rest = boned.scene.box.positions + 3 * v, *q = boned.bake->motion.state.q + 3 * v;
        double expected[3];
        int bone = distance_to_axis(&boned.bones[0], rest) <= 0.06   ? 0
                   : distance_to_axis(&boned.bones[1], rest) <= 0.06 ? 1
                                                                     : -1;
        CHECK(view_is_free(boned.bake->motion.view, v) == (bone < 0));
        if (bone < 0)
            continue;
        ++held;
        affine_apply(boned.motions + 12 * bone, rest, expected);
        for (int i = 0; i < 3; ++i)
            CHECK_NEAR(q[i], expected[i], 1e-12);
    }
    CHECK(held > 20);
    close_boned(&boned);
}

TEST(mesh_as_bone_holds_what_is_inside_its_surface) {
    JnMessage message;
    Boned boned;
    ClosedBlock block;
    open_boned(&boned, 1);
    boned.bones[0].surface = closed_block(0.27, 0.13, 0.13, &block);
    for (int i = 0; i < 3; ++i)
        boned.bones[0].transform[4 * i + 3] = i == 0 ? 0.3 : 0.5 * WIDTH;
    CHECK(jn_bake_begin(&boned.scene.desc, &boned.bake, &message) == JN_OK);
    for (size_t v = 0; v < boned.scene.box.vertex_count; ++v) {
        const double *x = boned.scene.box.positions + 3 * v;
        double outside =
            fmax(fabs(x[0] - 0.3) - 0.135, fmax(fabs(x[1] - 0.5 * WIDTH) - 0.065, fabs(x[2] - 0.5 * WIDTH) - 0.065));
        bool held = !view_is_free(boned.bake->motion.view, v);
        CHECK(held || outside > 0);
        /* its corners may hold the tets that they are in */
        CHECK(!held || outside < LENGTH / 16);
    }
    close_boned(&boned);
}

TEST(bone_thinner_than_the_mesh_holds_and_one_outside_is_refused) {
    JnMessage message;
    Boned boned;
    uint32_t held = 0;
    open_boned(&boned, 1);
    boned.bones[0].radius = 1e-4;
    for (int i = 1; i < 3; ++i)
        boned.bones[0].point[i] = boned.bones[0].end[i] = 0.5 * WIDTH + 0.02;
    CHECK(jn_bake_begin(&boned.scene.desc, &boned.bake, &message) == JN_OK);
    for (size_t v = 0; v < boned.scene.box.vertex_count; ++v)
        held += !view_is_free(boned.bake->motion.view, v);
    CHECK(held >= 8 && held < 40);
    jn_bake_end(boned.bake, NULL);
    boned.bones[0].transform[7] = 5;
    boned.bones[0].name = "femur";
    CHECK(jn_bake_begin(&boned.scene.desc, &boned.bake, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "bones[0] 'femur' covers nothing of the body");
    boned.bones[0].radius = 0;
    CHECK(jn_bake_begin(&boned.scene.desc, &boned.bake, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "radius 0");
    close_boned(&boned);
}

TEST(bone_of_half_strength_yields_as_a_pin_of_that_weight) {
    JnMessage message;
    Boned boned;
    open_boned(&boned, 1);
    boned.bones[0].end[0] = LENGTH;
    boned.bones[0].radius = 1; /* the whole body */
    boned.bones[0].strength = 0.5;
    boned.scene.body.settle = 1;
    boned.scene.desc.gravity[1] = -9.81;
    CHECK(jn_bake_begin(&boned.scene.desc, &boned.bake, &message) == JN_OK);
    CHECK(push_bones(&boned, &message) == JN_OK);
    for (size_t v = 0; v < boned.scene.box.vertex_count; ++v)
        CHECK_NEAR(boned.bake->motion.state.q[3 * v + 1], boned.scene.box.positions[3 * v + 1] - 0.1 * LENGTH,
                   1e-6 * LENGTH);
    close_boned(&boned);
}

TEST(body_without_animation_starts_where_its_bones_are_and_is_carried_with_them) {
    JnMessage message;
    Boned boned;
    double expected[3];
    open_boned(&boned, 2);
    boned.scene.body.travel_influence = 0;
    for (int b = 0; b < 2; ++b)
        turn_about_middle(1, 7, boned.motions + 12 * b);
    CHECK(jn_bake_begin(&boned.scene.desc, &boned.bake, &message) == JN_OK);
    for (int frame = 0; frame < 6; ++frame) {
        CHECK(push_bones(&boned, &message) == JN_OK);
        for (size_t v = 0; v < boned.scene.box.vertex_count; ++v) {
            affine_apply(boned.motions, boned.scene.box.positions + 3 * v, expected);
            for (size_t i = 0; i < 3; ++i)
                CHECK_NEAR(boned.bake->motion.state.q[3 * v + i], expected[i], 1e-9);
        }
        boned.motions[3] += 0.02 * (frame + 1);
        boned.motions[15] += 0.02 * (frame + 1);
    }
    close_boned(&boned);
}

TEST(preroll_bends_a_body_with_its_bones_from_rest_to_the_first_frame) {
    JnMessage message;
    Boned boned;
    double expected[3];
    open_boned(&boned, 2);
    boned.scene.desc.preroll_count = 20;
    turn_about_middle(0.2, 5, boned.motions);
    turn_about_middle(-0.4, 5, boned.motions + 12);
    CHECK(jn_bake_begin(&boned.scene.desc, &boned.bake, &message) == JN_OK);
    CHECK(push_bones(&boned, &message) == JN_OK);
    JnStatistics statistics = {.struct_size = sizeof statistics};
    CHECK(jn_bake_statistics(boned.bake, &statistics, &message) == JN_OK);
    CHECK(statistics.cut_steps == 0);
    for (uint32_t h = 0; h < boned.bake->model.bodies[0].hold_count; ++h) {
        const BoneHold *hold = &boned.bake->model.bodies[0].holds[h];
        affine_apply(boned.motions + 12 * hold->bone, boned.scene.box.positions + 3 * (size_t)hold->vertex, expected);
        for (size_t i = 0; i < 3; ++i)
            CHECK_NEAR(boned.bake->motion.state.q[3 * (size_t)hold->vertex + i], expected[i], 1e-12);
    }
    close_boned(&boned);
}
