/* Settling before the first frame, and the rest shape that sags into the modelled one. */
#include "baking.h"
#include "harness.h"

#include "bake/bake_internal.h"

/* A ball: a box of tets, bulged. */
static TetBox ball_make(uint32_t cells, double radius) {
    TetBox box = tet_box_make(cells, cells, cells, 2.0 / cells);
    for (uint32_t v = 0; v < box.vertex_count; ++v) {
        double *x = box.positions + 3 * v, most = 0, length = 0;
        for (int i = 0; i < 3; ++i) {
            x[i] -= 1;
            most = fmax(most, fabs(x[i]));
            length += x[i] * x[i];
        }
        length = sqrt(length);
        for (int i = 0; i < 3; ++i)
            x[i] *= length > 0 ? radius * most / length : 0;
    }
    return box;
}

/* Pins what lies above a height. */
static void pin_above(OneBody *scene, double height) {
    one_body_pin(scene);
    for (uint32_t v = 0; v < scene->box.vertex_count; ++v)
        scene->pin_weights[v] = scene->box.positions[3 * v + 1] > height;
}

typedef struct Stay {
    double sag;   /* m: how far any vertex is below its place in the model in the first frame */
    double moved; /* m: the most that any vertex moves in the 24 frames after that */
} Stay;

/* The first frame and 24 more. */
static JnStatus stay(OneBody *scene, Stay *result, JnMessage *message) {
    JnBake *bake;
    *result = (Stay){-INFINITY, NAN};
    scene->desc.frame_count = 25;
    scene->desc.gravity[1] = -9.81;
    JnStatus status = jn_bake_begin(&scene->desc, &bake, message);
    if (status == JN_OK)
        status = advance(bake, message);
    if (status == JN_OK) {
        size_t n = 3 * (size_t)bake->model.vertex_count;
        double *first = malloc(n * sizeof *first);
        memcpy(first, bake->motion.state.q, n * sizeof *first);
        for (size_t i = 1; i < n; i += 3)
            result->sag = fmax(result->sag, fabs(scene->box.positions[i] - first[i]));
        result->moved = 0;
        for (int frame = 1; status == JN_OK && frame < 25; ++frame) {
            status = advance(bake, message);
            for (size_t i = 0; i < n; ++i)
                result->moved = fmax(result->moved, fabs(bake->motion.state.q[i] - first[i]));
        }
        free(first);
    }
    jn_bake_end(bake, NULL);
    return status;
}

TEST(settle_flesh_ball_pinned_at_the_top_hangs_still) {
    OneBody scene;
    JnMessage message;
    Stay result;
    one_body_init(&scene, ball_make(4, 0.15));
    pin_above(&scene, 0.12);
    scene.body.material.young_modulus = 2e4;
    scene.body.settle = 1;
    CHECK(stay(&scene, &result, &message) == JN_OK);
    CHECK(result.sag > 0.01 && result.moved < 1e-7);
    /* without it the ball drops */
    scene.body.settle = 0;
    CHECK(stay(&scene, &result, &message) == JN_OK);
    CHECK(result.sag == 0 && result.moved > 0.01);
    one_body_free(&scene);
}

TEST(settle_soft_beam_hangs_down_and_stays) {
    OneBody scene;
    JnMessage message;
    Stay result;
    one_body_init(&scene, tet_box_make(12, 2, 2, 0.05));
    one_body_pin(&scene);
    scene.body.material.young_modulus = 8e3;
    scene.body.settle = 1;
    CHECK(stay(&scene, &result, &message) == JN_OK);
    CHECK(result.sag > 0.6 && result.moved < 1e-7); /* more than its length: it hangs, and is stretched */
    one_body_free(&scene);
}

TEST(settle_on_the_floor_with_friction_rests) {
    OneBody scene;
    JnMessage message;
    Stay result;
    for (int ball = 0; ball < 2; ++ball) {
        one_body_init(&scene, ball ? ball_make(4, 0.15) : tet_box_make(3, 3, 3, 0.1));
        scene.body.material.young_modulus = 2e4;
        scene.body.settle = 1;
        scene.desc.collider_count = 1;
        scene.collider.friction = 0.5;
        scene.collider.point[1] = ball ? -0.3 : 0; /* the ball falls onto it */
        CHECK(stay(&scene, &result, &message) == JN_OK);
        CHECK(result.sag > (ball ? 0.15 : 0.01) && result.moved < 1e-7);
        one_body_free(&scene);
    }
}

TEST(settle_stands_where_goals_hold_it) {
    OneBody scene;
    JnMessage message;
    Stay result;
    one_body_init(&scene, tet_box_make(3, 3, 3, 0.1));
    one_body_pin(&scene);
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        scene.pin_weights[v] = 1;
    scene.pin.effect = "goal";
    scene.pin.value = 400;
    scene.body.settle = 1;
    CHECK(stay(&scene, &result, &message) == JN_OK);
    CHECK_NEAR(result.sag, 9.81 / 400, 1e-8);
    CHECK(result.moved < 1e-7);
    one_body_free(&scene);
}

TEST(settle_without_anything_that_holds_is_refused) {
    OneBody scene;
    JnMessage message;
    Stay result;
    one_body_init(&scene, tet_box_make(2, 2, 2, 0.1));
    scene.body.settle = 1;
    CHECK(stay(&scene, &result, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "'body' cannot settle, because nothing holds it");
    /* a wall holds nothing */
    scene.desc.collider_count = 1;
    scene.collider.normal[0] = 1;
    scene.collider.normal[1] = 0;
    scene.collider.point[0] = -1;
    CHECK(stay(&scene, &result, &message) == JN_ERR_DIVERGED);
    CHECK_STR_HAS(message.text, "'body' keeps falling or sliding");
    one_body_free(&scene);
}

TEST(settle_moves_only_the_bodies_that_ask_for_it) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(4, 2, 2, 0.1));
    one_body_pin(&scene);
    JnBody bodies[2] = {scene.body, scene.body};
    bodies[0].name = "still";
    bodies[1].name = "settled";
    bodies[1].settle = 1;
    scene.desc.bodies = bodies;
    scene.desc.body_count = 2;
    scene.desc.gravity[1] = -9.81;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance(bake, &message) == JN_OK);
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double moved = 0;
    for (size_t i = 0; i < n; ++i) {
        CHECK(bake->motion.state.q[i] == scene.box.positions[i]);
        moved = fmax(moved, fabs(bake->motion.state.q[n + i] - scene.box.positions[i]));
    }
    CHECK(moved > 0.01);
    /* the still one is free again afterwards */
    CHECK(advance(bake, &message) == JN_OK);
    for (moved = 0; n-- > 0;)
        moved = fmax(moved, fabs(bake->motion.state.q[n] - scene.box.positions[n]));
    CHECK(moved > 0.001);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(keep_shape_looks_as_modelled_and_stays) {
    for (int ball = 0; ball < 2; ++ball) {
        OneBody scene;
        JnMessage message;
        Stay result;
        one_body_init(&scene, ball ? ball_make(4, 0.15) : tet_box_make(12, 2, 2, 0.05));
        if (ball)
            pin_above(&scene, 0.12);
        else
            one_body_pin(&scene);
        scene.body.material.young_modulus = ball ? 5e3 : 2.5e5;
        scene.body.material.poisson_ratio = ball ? 0.47 : 0.4; /* above 0.4 patches of tets share their volume */
        scene.body.keep_shape = 1;
        CHECK(stay(&scene, &result, &message) == JN_OK);
        CHECK(result.sag == 0 && result.moved < 1e-5 * (ball ? 0.3 : 0.6));
        /* settling finds nothing to do */
        scene.body.settle = 1;
        CHECK(stay(&scene, &result, &message) == JN_OK);
        CHECK(result.sag < 1e-5 && result.moved < 1e-5);
        scene.body.keep_shape = 0;
        CHECK(stay(&scene, &result, &message) == JN_OK);
        CHECK(result.sag > 0.05);
        one_body_free(&scene);
    }
}

typedef struct Squeezed {
    double q[3 * 20];
    bool before, within; /* whether a matrix was indefinite before the first frame, and up to the second */
} Squeezed;

/* A squeezed beam after a frame without safeguards, alone or beside a soft column that keeps its shape. */
static JnStatus squeezed_beam(bool alone, Squeezed *result, JnMessage *message) {
    OneBody column, beam;
    JnBake *bake;
    one_body_init(&beam, tet_box_make(4, 1, 1, 0.1));
    one_body_pin(&beam);
    size_t n = 3 * (size_t)beam.box.vertex_count;
    double *pose = malloc(n * sizeof *pose);
    for (size_t i = 0; i < n; ++i)
        pose[i] = beam.box.positions[i] * (i % 3 == 0 ? 0.8 : 1);
    beam.body.start_positions = pose;
    /* the column would buckle if its goals did not hold it: the search meets indefinite matrices */
    one_body_init(&column, tet_box_make(1, 8, 1, 0.1));
    one_body_pin(&column);
    JnRegion regions[2] = {column.pin, column.pin};
    float *goal_weights = malloc(column.box.vertex_count * sizeof *goal_weights);
    for (uint32_t v = 0; v < column.box.vertex_count; ++v) {
        column.pin_weights[v] = column.box.positions[3 * v + 1] == 0;
        goal_weights[v] = 1 - column.pin_weights[v];
    }
    regions[1].effect = "goal";
    regions[1].weights = goal_weights;
    regions[1].value = 1000;
    column.body.regions = regions;
    column.body.region_count = 2;
    column.body.name = "column";
    column.body.keep_shape = 1;
    column.body.material.young_modulus = 8e4;
    JnBody bodies[2] = {column.body, beam.body};
    beam.desc.bodies = bodies + alone;
    beam.desc.body_count = alone ? 1 : 2;
    beam.desc.gravity[1] = -9.81;
    beam.desc.steps_per_frame = 2;
    beam.desc.safeguards = 0;
    JnStatus status = jn_bake_begin(&beam.desc, &bake, message);
    if (status == JN_OK)
        status = advance(bake, message);
    if (status == JN_OK) {
        result->before = bake->model.system.projected_count > 0;
        status = advance(bake, message);
    }
    if (status == JN_OK) {
        result->within = bake->motion.view->jacobian->linear->indefinite_solver != NULL;
        memcpy(result->q, bake->motion.state.q + (alone ? 0 : 3 * (size_t)column.box.vertex_count), sizeof result->q);
    }
    jn_bake_end(bake, NULL);
    free(pose);
    free(goal_weights);
    one_body_free(&column);
    one_body_free(&beam);
    return status;
}

/* Held at a side, its lower side exactly on the floor, or in it by a hair: contact pushes it out by its thickness, 1e-3
   of its size. */
TEST(keep_shape_where_the_body_stands_on_the_floor) {
    for (int deep = 0; deep < 2; ++deep) {
        OneBody scene;
        Stay result;
        JnMessage message;
        one_body_init(&scene, tet_box_make(4, 4, 4, 0.05));
        one_body_pin(&scene);
        for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
            scene.pin_weights[v] = scene.box.positions[3 * v] < 0.01;
        scene.body.keep_shape = 1;
        scene.collider.point[1] = deep ? 1e-4 : 0;
        scene.desc.collider_count = 1;
        JnStatus status = stay(&scene, &result, &message);
        printf("moves by %.3g mm\n", 1e3 * result.moved);
        one_body_free(&scene);
        CHECK(status == JN_OK);
        CHECK(result.sag < 1e-12);
        CHECK(result.moved < 1.5 * (1e-3 * 0.35 + scene.collider.point[1])); /* it swings over that */
    }
}

TEST(keep_shape_without_safeguards_lets_the_others_go_afterwards) {
    Squeezed alone, beside;
    JnMessage message;
    CHECK(squeezed_beam(true, &alone, &message) == JN_OK);
    CHECK(squeezed_beam(false, &beside, &message) == JN_OK);
    CHECK(beside.before && beside.within && alone.within);
    for (int i = 0; i < 3 * 20; ++i)
        CHECK_NEAR(beside.q[i], alone.q[i], 1e-9);
}

TEST(keep_shape_hangs_from_releasable_pins) {
    OneBody scene;
    JnMessage message;
    Stay result;
    one_body_init(&scene, tet_box_make(12, 2, 2, 0.05));
    one_body_pin(&scene);
    scene.body.material.young_modulus = 2.5e5;
    scene.body.keep_shape = scene.body.releasable_pins = 1;
    CHECK(stay(&scene, &result, &message) == JN_OK);
    CHECK(result.sag == 0 && result.moved < 3e-4); /* the springs that they are give way by micrometres, at a lever */
    scene.body.settle = 1;
    CHECK(stay(&scene, &result, &message) == JN_OK);
    CHECK(result.sag < 1e-4 && result.moved < 1e-7);
    one_body_free(&scene);
}

TEST(keep_shape_with_pins_that_are_let_go_at_first_says_so) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    JnFrameInput input;
    JnBodyInput body;
    one_body_init(&scene, tet_box_make(4, 1, 1, 0.05));
    one_body_pin(&scene);
    scene.body.keep_shape = scene.body.releasable_pins = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    input.frame = jn_bake_next_frame(bake);
    input.bodies = &body;
    input.body_count = 1;
    body.has_pin_strength = 1;
    body.pin_strength = 0;
    CHECK(jn_bake_advance(bake, &input, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "its pins are released in the first frame");
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(settle_and_keep_shape_look_for_cancel) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(4, 1, 1, 0.05));
    one_body_pin(&scene);
    scene.body.settle = scene.body.keep_shape = 1;
    scene.desc.gravity[1] = -9.81;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance(bake, &message) == JN_OK);
    jn_bake_cancel(bake);
    CHECK(keep_shapes(bake, &message) == JN_ERR_CANCELLED);
    CHECK_STR_HAS(message.text, "before the shape to keep was found");
    CHECK(settle_bodies(bake, &message) == JN_ERR_CANCELLED);
    CHECK_STR_HAS(message.text, "before the bodies had settled");
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(keep_shape_where_there_is_none_says_so) {
    OneBody scene;
    JnMessage message;
    Stay result;
    one_body_init(&scene, tet_box_make(8, 1, 1, 0.1));
    scene.body.keep_shape = 1;
    CHECK(stay(&scene, &result, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "no pinned points");
    one_body_pin(&scene);
    scene.body.material.young_modulus = 1e4;
    CHECK(stay(&scene, &result, &message) == JN_ERR_DIVERGED);
    CHECK_STR_HAS(message.text, "'body' is too soft to keep its shape");
    CHECK_STR_HAS(message.text, "stiffer");
    one_body_free(&scene);
}

/* Two tets that have only an edge in common; the second one reaches out sideways from the first, which is pinned. */
TEST(keep_shape_of_what_hangs_by_an_edge_says_so) {
    static const double positions[18] = {0, 0, 0, 0, 0, 1, -1, 0, 0, -1, 1, 0, 1, 0, 0, 1, 1, 0};
    static const uint32_t tets[8] = {0, 2, 1, 3, 0, 1, 4, 5};
    OneBody scene;
    JnMessage message;
    Stay result;
    TetBox box = {6, 2, malloc(sizeof positions), malloc(sizeof tets)};
    memcpy(box.positions, positions, sizeof positions);
    memcpy(box.tets, tets, sizeof tets);
    one_body_init(&scene, box);
    one_body_pin(&scene);
    for (uint32_t v = 0; v < 6; ++v)
        scene.pin_weights[v] = v < 4;
    scene.body.keep_shape = 1;
    CHECK(stay(&scene, &result, &message) == JN_ERR_DIVERGED);
    CHECK_STR_HAS(message.text, "'body' cannot keep its shape");
    CHECK_STR_HAS(message.text, "hangs by an edge or a corner");
    one_body_free(&scene);
}
