/* Contact as it is described to a bake, and as the bake reports it. */
#include "baking.h"
#include "harness.h"

#include "bake/bake_internal.h"

TEST(bodies_and_colliders_keep_what_is_said_of_contact_in_metres) {
    OneBody scene;
    JnBake *bake;
    one_body_init(&scene, tet_box_make(1, 1, 1, 10));
    scene.desc.metres_per_unit = 0.01;
    scene.desc.collider_count = 1;
    scene.body.collides = 0;
    scene.body.self_contact = 1;
    scene.body.friction = 0.25;
    scene.body.contact_thickness = 2;
    scene.body.ignore_groups = UINT64_C(1) << 63;
    scene.collider.ignore_groups = 6;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    const Body *body = &bake->model.bodies[0];
    CHECK(!body->collides && body->self_contact && body->friction == 0.25);
    CHECK(body->contact_thickness == 0.02 && body->ignore_groups == UINT64_C(1) << 63);
    CHECK(bake->model.colliders[0].ignore_groups == 6);
    jn_bake_end(bake, NULL);

    /* and what is left to the core */
    jn_body_init(&scene.body, sizeof scene.body);
    scene.body.tets = tet_box_view(&scene.box);
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    body = &bake->model.bodies[0];
    CHECK(body->collides && !body->self_contact && isnan(body->friction) && isnan(body->contact_thickness));
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* A block, 0.2 m on each side, whose lowest points are `height` above a floor called "ground". */
static void make_block(OneBody *scene, double height, uint32_t strict) {
    one_body_init(scene, tet_box_make(2, 2, 2, 0.1));
    scene->desc.metres_per_unit = 0.1;
    scene->body.name = "block";
    for (int i = 0; i < 3; ++i)
        scene->body.transform[5 * i] = 10;
    scene->body.transform[3] = 30;
    scene->body.transform[7] = 10 * height;
    scene->body.material.young_modulus = 1e5;
    scene->desc.gravity[1] = -9.81;
    scene->desc.collider_count = 1;
    scene->desc.contact.strict = strict;
    scene->collider.name = "ground";
}

/* A bake in which it is free to fall; NULL: it did not begin. */
static JnBake *open_block(OneBody *scene, double height, uint32_t strict) {
    JnBake *bake;
    make_block(scene, height, strict);
    jn_bake_begin(&scene->desc, &bake, NULL);
    return bake;
}

/* As jn_bake_contact; the struct_size is 0 if that fails. */
static JnContactFrame contact_of(const JnBake *bake) {
    JnContactFrame frame = {.struct_size = sizeof frame};
    return jn_bake_contact(bake, &frame, NULL) == JN_OK ? frame : (JnContactFrame){.struct_size = 0};
}

TEST(contact_frame_of_a_block_in_the_air_is_empty) {
    OneBody scene;
    JnBake *bake = open_block(&scene, 5, 0);
    CHECK(bake && advance_frames(bake, 2, NULL) == JN_OK);
    JnContactFrame frame = contact_of(bake);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    CHECK(frame.struct_size == sizeof frame && frame.contact_count == 0 && frame.overlap_count == 0);
    CHECK(frame.sticking_count == 0 && frame.sliding_count == 0 && frame.round_count == 0);
    CHECK(frame.deepest_penetration == 0 && isinf(frame.smallest_distance));
    CHECK(isnan(frame.overlap_place[0]) && isnan(frame.overlap_depth));
    CHECK(!frame.overlap_first && !frame.overlap_second);
}

TEST(contact_frame_of_a_block_at_rest_counts_its_points_and_rounds) {
    OneBody scene;
    JnBake *bake = open_block(&scene, 0, 0);
    CHECK(bake && advance_frames(bake, 20, NULL) == JN_OK);
    JnContactFrame frame = contact_of(bake);
    JnStatistics statistics = {.struct_size = sizeof statistics};
    jn_bake_statistics(bake, &statistics, NULL);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    CHECK(frame.contact_count > 0 && frame.contact_count <= 9 && frame.contact_count == statistics.contact_count);
    CHECK(frame.pair_count >= frame.contact_count);
    CHECK(frame.sticking_count + frame.sliding_count == frame.contact_count && isfinite(frame.smallest_distance));
    CHECK(frame.round_count >= scene.desc.steps_per_frame && frame.round_count < 60 * scene.desc.steps_per_frame);
    CHECK(frame.deepest_penetration <= statistics.deepest_penetration && frame.deepest_penetration < 1e-3);
    CHECK(frame.seconds >= 0 && frame.seconds <= statistics.contact_seconds);
    CHECK(frame.overlap_count == 0 && !frame.overlap_first);
}

TEST(contact_frame_tells_where_and_between_whom_the_deepest_overlap_is) {
    OneBody scene;
    JnBake *bake = open_block(&scene, -0.05, 0);
    CHECK(bake && advance(bake, NULL) == JN_OK);
    JnContactFrame frame = contact_of(bake);
    CHECK(frame.overlap_count > 0 && fabs(frame.deepest_penetration - 0.05) < 1e-12);
    CHECK(strcmp(frame.overlap_first, "block") == 0 && strcmp(frame.overlap_second, "ground") == 0);
    CHECK(fabs(frame.overlap_place[1] + 0.5) < 1e-9); /* scene units */
    CHECK(frame.overlap_depth == frame.deepest_penetration);
    CHECK(frame.overlap_place[0] > 29.9 && frame.overlap_place[0] < 32.1);

    /* it is pushed out, and the report ends */
    double depth = frame.deepest_penetration;
    for (int i = 0; i < 40 && frame.overlap_count > 0; ++i) {
        CHECK(advance(bake, NULL) == JN_OK);
        frame = contact_of(bake);
        CHECK(frame.deepest_penetration <= depth + 1e-4);
        depth = frame.deepest_penetration;
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    CHECK(frame.overlap_count == 0 && !frame.overlap_second && isnan(frame.overlap_place[2]));
}

TEST(strict_contact_refuses_the_start_pose_that_overlaps) {
    OneBody scene;
    JnMessage message;
    JnBake *bake = open_block(&scene, -0.05, 1);
    CHECK(bake && advance(bake, &message) == JN_ERR_OVERLAP);
    CHECK(strcmp(jn_status_name(message.status), "JN_ERR_OVERLAP") == 0);
    CHECK_STR_HAS(message.text, "'block' and 'ground' overlap in frame 1 by 0.05 m");
    CHECK_STR_HAS(message.text, "contact.strict is on: move them apart");
    CHECK(jn_bake_next_frame(bake) == 1 && contact_of(bake).struct_size == 0);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* Bakes a block that is pinned at one side, on a floor that rises into it in frame 3. Returns the status of that
   frame; JN_ERR_ORDER: something else was wrong. */
static JnStatus raise_the_floor(uint32_t strict, JnMessage *message) {
    OneBody scene;
    JnFrameInput input;
    JnColliderInput floor;
    JnBake *bake;
    make_block(&scene, 0, strict);
    one_body_pin(&scene);
    JnStatus status = jn_bake_begin(&scene.desc, &bake, message);
    if (status == JN_OK)
        status = advance_frames(bake, 2, message);
    bool right = status == JN_OK;
    jn_frame_input_init(&input, sizeof input);
    jn_collider_input_init(&floor, sizeof floor);
    floor.has_transform = 1;
    floor.transform[7] = 0.5;
    input.frame = 3;
    input.colliders = &floor;
    input.collider_count = 1;
    status = jn_bake_advance(bake, &input, message);
    double next = jn_bake_next_frame(bake);
    right &= strict ? next == 3 && contact_of(bake).overlap_count == 0 : next == 4 && contact_of(bake).overlap_count;
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return right ? status : JN_ERR_ORDER;
}

TEST(strict_contact_refuses_a_frame_in_which_the_animation_forces_an_overlap) {
    JnMessage message;
    CHECK(raise_the_floor(0, &message) == JN_OK);
    CHECK(raise_the_floor(1, &message) == JN_ERR_OVERLAP);
    CHECK_STR_HAS(message.text, "overlap in frame 3");
}

TEST(contact_frame_refuses_wrong_arguments) {
    OneBody scene;
    JnMessage message;
    JnContactFrame frame = {.struct_size = sizeof frame};
    JnBake *bake = open_block(&scene, 5, 0);
    CHECK(jn_bake_contact(NULL, &frame, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_bake_contact(bake, NULL, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_bake_contact(bake, &frame, &message) == JN_ERR_ORDER);
    CHECK_STR_HAS(message.text, "advance first");
    frame.struct_size -= 4;
    CHECK(advance(bake, NULL) == JN_OK && jn_bake_contact(bake, &frame, &message) == JN_ERR_STRUCT_SIZE);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}
