/* The stiffness of the barrier: it grows where contact is pressed hard, fades when it is not, and is undone with the
   frame that it grew in. */
#include "baking.h"
#include "harness.h"

#include "bake/bake_internal.h"
#include "contact/contact_internal.h"

static ContactLag *contact_lag(JnBake *bake) {
    const System *system = &bake->model.system;
    for (uint32_t k = 0; k < system->term_count; ++k)
        if (system->terms[k].operations->role == TERM_CONTACT)
            return bake->motion.view->lags[k];
    return NULL;
}

/* A block on the floor before the barrier. */
static JnBake *open_block(OneBody *scene) {
    JnBake *bake = NULL;
    one_body_init(scene, tet_box_make(3, 2, 3, 0.1));
    scene->body.material.young_modulus = 1e6;
    scene->desc.gravity[1] = -9.81;
    scene->desc.frame_count = 100;
    scene->desc.steps_per_frame = 2;
    scene->desc.contact.method = "barrier";
    scene->desc.contact.stiffness = 4e7; /* the weight presses it to a part of its reach */
    scene->desc.collider_count = 1;
    scene->collider.normal[1] = 1;
    return jn_bake_begin(&scene->desc, &bake, NULL) == JN_OK ? bake : NULL;
}

/* Frames in which everything weighs `g` instead. */
static JnStatus press(JnBake *bake, double g, int frames) {
    JnStatus status = JN_OK;
    for (int frame = 0; status == JN_OK && frame < frames; ++frame) {
        JnFrameInput input;
        jn_frame_input_init(&input, sizeof input);
        input.frame = jn_bake_next_frame(bake);
        input.has_gravity = 1;
        input.gravity[1] = -g;
        status = jn_bake_advance(bake, &input, NULL);
    }
    return status;
}

/* The lowest vertex, m. */
static double lowest(const JnBake *bake) {
    double least = INFINITY;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        least = fmin(least, bake->motion.state.q[3 * v + 1]);
    return least;
}

TEST(barrier_is_stiffer_only_while_it_is_pressed_hard) {
    OneBody scene;
    JnBake *bake = open_block(&scene);
    CHECK(bake);
    CHECK(press(bake, 9.81, 12) == JN_OK);
    double before = lowest(bake);
    CHECK(contact_lag(bake)->stiffening == 1);
    CHECK(press(bake, 9.81 * 100, 12) == JN_OK);
    CHECK(contact_lag(bake)->stiffening > 1 && lowest(bake) > 0);
    CHECK(press(bake, 9.81, 24) == JN_OK);
    CHECK(contact_lag(bake)->stiffening == 1);
    CHECK_NEAR(lowest(bake), before, 0.02 * before);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(barrier_raised_in_a_frame_that_is_undone_is_as_before) {
    OneBody scene;
    JnBake *bake = open_block(&scene);
    MemoryArchive frame = {.bytes = NULL}, part = {.bytes = NULL};
    CHECK(bake && press(bake, 9.81, 3) == JN_OK);
    ContactLag *lag = contact_lag(bake);
    double raised = lag->raised;
    CHECK(frame_archive(bake, memory_archive_save(&frame)) && step_archive(bake, memory_archive_save(&part)));
    lag->raised = 10;
    /* the next try of a step is stiffer, that of a whole frame is not */
    CHECK(step_archive(bake, memory_archive_load(&part)) && lag->raised == 10);
    CHECK(frame_archive(bake, memory_archive_load(&frame)) && lag->raised == raised);
    memory_archive_free(&frame);
    memory_archive_free(&part);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(barrier_that_is_given_far_too_soft_is_never_crossed) {
    static const char *const kinds[] = {"plane", "box"}, *const integrators[] = {"si", "be", "ssdirk"};
    for (int k = 0; k < 6; ++k) {
        OneBody scene;
        JnBake *bake = NULL;
        double least = INFINITY;
        one_body_init(&scene, tet_box_make(1, 1, 1, 0.1));
        scene.desc.gravity[1] = -9.81;
        scene.desc.frame_count = 100;
        scene.desc.steps_per_frame = 4;
        scene.desc.contact.method = "barrier";
        scene.desc.contact.stiffness = 1e-3;
        scene.desc.collider_count = 1;
        scene.desc.integrator = integrators[k / 2];
        scene.collider.kind = kinds[k % 2];
        scene.collider.normal[1] = 1;
        for (int i = 0; i < 3; ++i)
            scene.collider.size[i] = i == 1 ? 0.02 : 1;
        scene.collider.point[1] = k % 2 ? -0.01 : 0;
        scene.body.transform[7] = 0.05;
        CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
        for (int frame = 0; frame < 12; ++frame) {
            CHECK(advance(bake, NULL) == JN_OK);
            least = fmin(least, lowest(bake));
        }
        printf("%s on a %s: not below %.3g mm\n", integrators[k / 2], kinds[k % 2], 1e3 * least);
        CHECK(least > 0 && lowest(bake) < 0.05);
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
}
