/* A beam of every material law, pinned at one end and left to gravity, through the whole bake. */
#include "baking.h"
#include "harness.h"

#include "bake/bake_internal.h"
#include "elastic/material.h"
#include "elastic/tet_elements.h"

enum { FRAMES = 48 };

typedef struct Outcome {
    JnStatus status;
    double sag;    /* m, of the tip */
    double volume; /* as a ratio to the rest volume */
    bool finite;
} Outcome;

/* Lets the beam hang for 48 frames. */
static Outcome hang(const char *law, double young_modulus) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    Outcome outcome = {.finite = true};
    one_body_init(&scene, tet_box_make(10, 2, 2, 0.05));
    one_body_pin(&scene);
    scene.body.material.law = law;
    scene.body.material.young_modulus = young_modulus;
    scene.body.material.poisson_ratio = 0.3;
    scene.body.material.mass_damping = 5;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = FRAMES;
    outcome.status = jn_bake_begin(&scene.desc, &bake, &message);
    if (outcome.status == JN_OK)
        outcome.status = advance_frames(bake, FRAMES, &message);
    if (outcome.status != JN_OK) {
        printf("%s: %s\n", law, message.text);
    } else {
        const double *q = bake->motion.state.q, *rest = scene.box.positions;
        double volume = 0, rest_volume = 0;
        for (uint32_t v = 0; v < bake->model.vertex_count; ++v) {
            outcome.sag = fmax(outcome.sag, rest[3 * v + 1] - q[3 * v + 1]);
            outcome.finite &= isfinite(q[3 * v]) && isfinite(q[3 * v + 1]) && isfinite(q[3 * v + 2]);
        }
        for (uint32_t t = 0; t < scene.box.tet_count; ++t) {
            volume += tet_volume(q, scene.box.tets + 4 * t);
            rest_volume += tet_volume(rest, scene.box.tets + 4 * t);
        }
        outcome.volume = volume / rest_volume;
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return outcome;
}

TEST(stiff_beams_of_all_laws_sag_alike) {
    Outcome usual = hang(table_at(&material_table, 0)->name, 2e6);
    CHECK(usual.status == JN_OK && usual.finite && usual.sag > 0.01);
    for (uint32_t m = 1; m < material_table.count; ++m) {
        Outcome outcome = hang(table_at(&material_table, m)->name, 2e6);
        CHECK(outcome.status == JN_OK && outcome.finite);
        /* small strains: all are Hooke's law, but for the ratio that one of them does not have */
        const Material *law = (const Material *)table_at(&material_table, m);
        double factor = law->traits & MATERIAL_POISSON ? 1.05 : 1.25;
        CHECK(outcome.sag < factor * usual.sag && outcome.sag > usual.sag / factor);
        CHECK_NEAR(outcome.volume, 1, 0.02);
    }
}

TEST(soft_beams_of_all_laws_hang_down_and_keep_together) {
    Outcome usual = hang(table_at(&material_table, 0)->name, 1e5);
    CHECK(usual.status == JN_OK && usual.finite && usual.sag > 0.2);
    for (uint32_t m = 1; m < material_table.count; ++m) {
        Outcome outcome = hang(table_at(&material_table, m)->name, 1e5);
        CHECK(outcome.status == JN_OK && outcome.finite);
        const Material *law = (const Material *)table_at(&material_table, m);
        if (!(law->traits & MATERIAL_ROTATES)) {
            /* it takes the beam's rotation for strain, and swells */
            CHECK(outcome.volume > 1.5);
            continue;
        }
        CHECK(outcome.sag < 1.3 * usual.sag && outcome.sag > usual.sag / 1.3);
        CHECK_NEAR(outcome.volume, 1, 0.1);
    }
}
