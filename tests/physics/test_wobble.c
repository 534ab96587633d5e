/* Stiffness given as the wobble that a body shall have; and what gravity does to a body, found before the bake. */
#include "baking.h"
#include "harness.h"

/* A clamped bar of 0.8 x 0.2 x 0.2 m. */
static void open_bar(OneBody *scene) {
    one_body_init(scene, tet_box_make(8, 2, 2, 0.1));
    one_body_pin(scene);
    scene->body.material.young_modulus = 1e5;
    scene->body.material.poisson_ratio = 0.3;
}

static JnDamping damping_of(OneBody *scene, JnMessage *message) {
    JnBake *bake = NULL;
    JnDamping damping = {.struct_size = sizeof damping, .frequency = NAN, .young_modulus = NAN};
    if (jn_bake_begin(&scene->desc, &bake, message) == JN_OK)
        jn_bake_damping(bake, 0, &damping, message);
    jn_bake_end(bake, NULL);
    return damping;
}

TEST(body_wobbles_as_often_as_was_asked_for) {
    JnMessage message;
    OneBody scene;
    open_bar(&scene);
    JnDamping as_given = damping_of(&scene, &message);
    CHECK(as_given.young_modulus == 1e5 && as_given.frequency > 0);
    static const double wanted[] = {0.5, 3, 40};
    for (int i = 0; i < 3; ++i) {
        scene.body.material.wobble_frequency = wanted[i];
        JnDamping damping = damping_of(&scene, &message);
        CHECK_NEAR(damping.frequency, wanted[i], 1e-6 * wanted[i]);
        /* by theory the modulus grows with the square of the frequency */
        double ratio = wanted[i] / as_given.frequency;
        CHECK_NEAR(damping.young_modulus, 1e5 * ratio * ratio, 1e-6 * damping.young_modulus);
    }
    one_body_free(&scene);
}

TEST(wobble_and_settling_time_may_both_be_asked_for) {
    JnMessage message;
    OneBody scene;
    open_bar(&scene);
    scene.body.material.wobble_frequency = 3;
    scene.body.material.settle_seconds = 2;
    JnDamping damping = damping_of(&scene, &message);
    CHECK_NEAR(damping.frequency, 3, 1e-5);
    CHECK_NEAR(damping.material_ratio, log(100) / (2 * acos(-1) * 3 * 2), 1e-6);
    one_body_free(&scene);
}

TEST(wobble_with_goals_is_found_above_theirs_and_refused_below) {
    JnMessage message;
    OneBody scene;
    open_bar(&scene);
    JnRegion regions[2] = {scene.pin, scene.pin};
    float *all = malloc(scene.box.vertex_count * sizeof *all);
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        all[v] = 1 - scene.pin_weights[v];
    regions[1].effect = "goal";
    regions[1].weights = all;
    regions[1].value = 400; /* alone: 20 rad/s, 3.183 Hz */
    scene.body.regions = regions;
    scene.body.region_count = 2;
    scene.body.material.wobble_frequency = 4;
    JnDamping damping = damping_of(&scene, &message);
    CHECK_NEAR(damping.frequency, 4, 4e-3);
    scene.body.material.wobble_frequency = 2;
    damping = damping_of(&scene, &message);
    CHECK(isnan(damping.frequency) && message.status == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "wobble_frequency is 2 Hz, but goals and springs alone make 'body' wobble at 3.18 Hz");
    free(all);
    one_body_free(&scene);
}

TEST(wobble_that_no_stiffness_gives_is_refused) {
    JnMessage message;
    OneBody scene;
    open_bar(&scene);
    scene.body.material.wobble_frequency = 1e5;
    damping_of(&scene, &message);
    CHECK(message.status == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "no stiffness from 1 to 1e+13 Pa lets 'body' wobble so");
    scene.body.material.wobble_frequency = -1;
    damping_of(&scene, &message);
    CHECK_STR_HAS(message.text, "wobble_frequency is -1");
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        scene.pin_weights[v] = 1;
    scene.body.material.wobble_frequency = 2;
    damping_of(&scene, &message);
    CHECK_STR_HAS(message.text, "has no vertex that is free to vibrate: give young_modulus instead");
    one_body_free(&scene);
}

/* Where every vertex is after `frames` frames. */
static double *bake_frames(OneBody *scene, uint32_t frames, JnMessage *message) {
    JnBake *bake = NULL;
    double *positions = calloc((size_t)scene->box.vertex_count * 3, sizeof *positions);
    scene->desc.gravity[1] = -9.81;
    scene->desc.frame_count = frames;
    JnStatus status = jn_bake_begin(&scene->desc, &bake, message);
    for (uint32_t f = 0; f < frames && status == JN_OK; ++f) {
        JnFrameInput input;
        jn_frame_input_init(&input, sizeof input);
        input.frame = 1 + f;
        status = jn_bake_advance(bake, &input, message);
    }
    uint32_t count;
    if (status == JN_OK)
        status = jn_bake_positions(bake, 0, positions, (size_t)scene->box.vertex_count * 3, &count, message);
    jn_bake_end(bake, NULL);
    return positions;
}

TEST(wobble_bakes_as_the_modulus_that_is_reported_for_it) {
    JnMessage message;
    OneBody scene;
    open_bar(&scene);
    scene.body.material.wobble_frequency = 2;
    double modulus = damping_of(&scene, &message).young_modulus;
    double *asked = bake_frames(&scene, 5, &message);
    scene.body.material.wobble_frequency = NAN;
    scene.body.material.young_modulus = modulus;
    double *given = bake_frames(&scene, 5, &message);
    CHECK(memcmp(asked, given, (size_t)scene.box.vertex_count * 3 * sizeof *asked) == 0);
    size_t tip = 3 * (size_t)scene.box.vertex_count - 2;
    CHECK(asked[tip] < scene.box.positions[tip] - 1e-3);
    free(asked);
    free(given);
    one_body_free(&scene);
}

/* ------------------------------------------------------------------------------------------------ sag */

static JnSag sag_of(OneBody *scene, JnMessage *message) {
    JnBake *bake = NULL;
    JnSag sag = {.struct_size = sizeof sag, .sag = -1};
    if (jn_bake_begin(&scene->desc, &bake, message) == JN_OK)
        jn_bake_sag(bake, 0, &sag, message);
    jn_bake_end(bake, NULL);
    return sag;
}

TEST(sag_of_a_bar_along_gravity_comes_to_that_of_theory_hanging_or_standing) {
    JnMessage message;
    for (int standing = 0; standing < 2; ++standing) {
        double errors[2];
        for (int fine = 0; fine < 2; ++fine) {
            OneBody scene;
            uint32_t cells = fine ? 4 : 2;
            one_body_init(&scene, tet_box_make(4 * cells, cells, cells, 0.2 / cells));
            one_body_pin(&scene);
            scene.body.material.young_modulus = 1e5;
            scene.body.material.poisson_ratio = 0;
            scene.desc.gravity[0] = standing ? -9.81 : 9.81;
            scene.body.region_count = standing ? 0 : 1;
            JnSag sag = sag_of(&scene, &message);
            /* rho g L^2 / 2 E, of a bar that is 0.8 m long */
            double theory = scene.body.material.density * 9.81 * 0.64 / (2 * 1e5);
            CHECK(sag.stands == (uint32_t)standing && sag.note[0] == '\0');
            CHECK_NEAR(sag.size, 0.8, 1e-12);
            errors[fine] = sag.sag / theory - 1;
            printf("%s: %.6g m, by theory %.6g m\n", standing ? "standing" : "hanging", sag.sag, theory);
            one_body_free(&scene);
        }
        /* the corners of the end carry more than their share of the mass, which matters less in a finer mesh */
        CHECK(errors[0] > 0 && errors[0] < 0.08 && errors[1] > 0 && errors[1] < 0.4 * errors[0]);
    }
}

TEST(tilted_block_stands_on_points_around_its_centre) {
    JnMessage message;
    double sags[2];
    for (int tilted = 0; tilted < 2; ++tilted) {
        OneBody scene;
        one_body_init(&scene, tet_box_make(6, 6, 6, 0.02));
        scene.body.material.young_modulus = 1e4;
        scene.desc.gravity[0] = tilted ? 9.81 * sin(0.15) : 0;
        scene.desc.gravity[1] = tilted ? -9.81 * cos(0.15) : -9.81;
        JnSag sag = sag_of(&scene, &message);
        CHECK(sag.stands);
        sags[tilted] = sag.sag;
        one_body_free(&scene);
    }
    /* on its lowest edge alone it would hang over */
    printf("%.4g m, tilted %.4g m\n", sags[0], sags[1]);
    CHECK(sags[1] > 0.5 * sags[0] && sags[1] < 2 * sags[0]);
}

TEST(slowest_wobble_is_estimated_closely_from_above) {
    JnMessage message;
    OneBody scene;
    open_bar(&scene);
    /* turned, so that no axis is one of the bar's */
    const double turned[12] = {0.48, -0.8, 0.36, 0, 0.64, 0.6, 0.48, 0, -0.6, 0, 0.8, 0};
    memcpy(scene.body.transform, turned, sizeof turned);
    scene.body.material.stiffness_damping = 0.01;
    JnDamping damping = damping_of(&scene, &message);
    JnSag sag = sag_of(&scene, &message);
    printf("%.5g Hz, of the mode %.5g Hz\n", sag.frequency, damping.frequency);
    CHECK(sag.frequency >= damping.frequency * (1 - 1e-9) && sag.frequency < 1.03 * damping.frequency);
    CHECK_NEAR(sag.settle_seconds, damping.settle_seconds, 0.06 * damping.settle_seconds);
    one_body_free(&scene);
}

TEST(size_density_and_stiffness_that_do_not_belong_together_are_noted) {
    JnMessage message;
    OneBody scene;
    open_bar(&scene);
    scene.desc.gravity[1] = -9.81;
    scene.body.material.young_modulus = 5e5;
    CHECK(sag_of(&scene, &message).note[0] == '\0');
    scene.desc.metres_per_unit = 10;
    JnSag sag = sag_of(&scene, &message);
    CHECK(sag.sag > sag.size);
    CHECK_STR_HAS(sag.note, "'body', 8 m long, sags by ");
    CHECK_STR_HAS(sag.note, "it is limp");
    CHECK_STR_HAS(sag.note, "units.metres_per_unit, 10 now");
    scene.desc.metres_per_unit = 1e-3;
    sag = sag_of(&scene, &message);
    CHECK_STR_HAS(sag.note, "too fast for 24 frames a second to show");
    /* with the stiffness that the note advises it is as the note says */
    scene.body.material.young_modulus *= pow(3 / sag.frequency, 2);
    CHECK_NEAR(sag_of(&scene, &message).frequency, 3, 1e-6);
    one_body_free(&scene);
}

TEST(sag_that_cannot_be_known_is_not_a_number) {
    JnMessage message;
    OneBody scene;
    open_bar(&scene);
    scene.body.region_count = 0; /* neither held nor pulled */
    JnSag sag = sag_of(&scene, &message);
    CHECK(isnan(sag.sag) && isnan(sag.frequency) && sag.note[0] == '\0' && message.status == JN_OK);
    sag.struct_size = 8;
    CHECK(jn_bake_sag(NULL, 0, &sag, &message) == JN_ERR_ARGUMENT);
    one_body_free(&scene);
}
