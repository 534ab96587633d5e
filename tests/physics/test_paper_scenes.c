/* What the papers show of the implicit methods, on their scenes or on small twins of them. */
#include "harness.h"
#include "whole_and_parts.h"

#include "bake/bake_internal.h"

#include <stdio.h>

/* A sample scene with another method. */
typedef struct Variant {
    const char *scene; /* folder in sample_scenes */
    const char *method;
    uint32_t frames;
    bool safeguards;
    bool small;       /* a body of the same kind and material, of a tenth of the vertices or less */
    const char *path; /* of a cache, or NULL: none is written */
    uint32_t stop;    /* frames after which the bake is ended and resumed; 0: never */
} Variant;

typedef struct Outcome {
    JnStatus status;
    JnMessage message;
    uint32_t frames_done, cuts, damped;
    uint32_t first_damped; /* the frame in which a step was first left to the stand-in; 0: none */
    double start, lowest,
        end;       /* total energy, J, at the first frame; potential energy at its lowest; total at the end */
    double stored; /* J: elastic energy at the first frame */
    bool finite;   /* of the last frame kept */
} Outcome;

/* The small twin of a scene's body: a cuboid twisted as much for its length, a rope of two turns. */
static void choose_small_shape(const char *scene, JnShape *shape) {
    bool rope = strcmp(scene, "uncoiling_rope") == 0;
    const double sizes[2][3] = {{1, 0.25, 0.25}, {0.25, 0.08, 0.05}};
    const uint32_t cells[2][3] = {{12, 2, 2}, {2, 16, 1}};
    jn_shape_init(shape, sizeof *shape, rope ? "coil" : "cuboid");
    memcpy(shape->size, sizes[rope], sizeof shape->size);
    memcpy(shape->cells, cells[rope], sizeof shape->cells);
    shape->turns = 2;
}

/* Replaces the scene's only body. *mesh must outlive the desc. */
static JnStatus make_small(const char *scene, JnBakeDesc *desc, JnBody *body, JnMesh **mesh, JnMessage *message) {
    JnShape shape;
    JnMeshView view = {.struct_size = sizeof view};
    static float weights[300];
    choose_small_shape(scene, &shape);
    JnStatus status = jn_shape_make(&shape, mesh, message);
    if (status == JN_OK)
        status = jn_mesh_view(*mesh, &view, message);
    if (status != JN_OK)
        return status;
    if (view.tets.vertex_count > sizeof weights / sizeof weights[0])
        return JN_ERR_ARGUMENT;
    static JnRegion pin;
    *body = desc->bodies[0];
    body->tets = view.tets;
    jn_region_init(&pin, sizeof pin);
    pin.effect = "pin";
    pin.weights = weights;
    pin.weight_count = view.tets.vertex_count;
    body->regions = &pin;
    body->region_count = 1;
    for (uint32_t f = 0; f < view.field_count; ++f) {
        if (strcmp(view.fields[f].name, "pose") == 0)
            body->start_positions = view.fields[f].values;
        for (uint32_t v = 0; strcmp(view.fields[f].name, "start") == 0 && v < view.tets.vertex_count; ++v)
            weights[v] = (float)view.fields[f].values[v];
    }
    desc->bodies = body;
    return JN_OK;
}

static Outcome run(const Variant *variant) {
    Outcome outcome = {.finite = true};
    char path[600];
    JnScene *scene = NULL;
    JnBakeDesc desc;
    JnBake *bake = NULL;
    snprintf(path, sizeof path, "%s/sample_scenes/%s/scene.json", JN_TEST_SOURCE, variant->scene);
    outcome.status = jn_scene_load(path, &scene, &outcome.message);
    if (outcome.status == JN_OK)
        outcome.status = jn_scene_desc(scene, &desc, sizeof desc, &outcome.message);
    JnMesh *mesh = NULL;
    JnBody small;
    if (outcome.status == JN_OK && variant->small)
        outcome.status = make_small(variant->scene, &desc, &small, &mesh, &outcome.message);
    if (outcome.status == JN_OK) {
        desc.output_path = variant->path;
        desc.integrator = variant->method;
        desc.safeguards = variant->safeguards;
        desc.frame_count = variant->frames;
        outcome.status = jn_bake_begin(&desc, &bake, &outcome.message);
    }
    JnFrameInput input;
    for (uint32_t f = 0; outcome.status == JN_OK && f < variant->frames; ++f) {
        if (f > 0 && f == variant->stop) {
            desc.resume = 1;
            outcome.status = jn_bake_end(bake, &outcome.message);
            bake = NULL;
            if (outcome.status == JN_OK)
                outcome.status = jn_bake_begin(&desc, &bake, &outcome.message);
            if (outcome.status != JN_OK)
                break;
        }
        JnMotion motion = {.struct_size = sizeof motion};
        outcome.status = jn_scene_frame(scene, jn_bake_next_frame(bake), &input, sizeof input, &outcome.message);
        if (outcome.status == JN_OK)
            outcome.status = jn_bake_advance(bake, &input, &outcome.message);
        if (outcome.status == JN_OK)
            outcome.status = jn_bake_motion(bake, &motion, &outcome.message);
        if (outcome.status != JN_OK)
            break;
        ++outcome.frames_done;
        outcome.end = motion.total_energy;
        if (f == 0) {
            outcome.start = motion.total_energy;
            outcome.stored = motion.elastic_energy;
        }
        outcome.damped = motion.damped_steps;
        if (outcome.first_damped == 0 && outcome.damped > 0)
            outcome.first_damped = f;
        outcome.lowest = fmin(f == 0 ? INFINITY : outcome.lowest, motion.total_energy - motion.kinetic_energy);
    }
    for (size_t i = 0; bake && i < (size_t)bake->model.vertex_count * 3; ++i)
        outcome.finite &= isfinite(bake->motion.state.q[i]) && isfinite(bake->motion.state.v[i]);
    outcome.cuts = bake ? bake->counts.cut_steps : 0;
    jn_bake_end(bake, NULL);
    jn_mesh_free(mesh);
    jn_scene_free(scene);
    printf("%s by %s%s: %u frames, %u cuts, %u damped, energy %.4g to %.4g J %s\n", variant->scene, variant->method,
           variant->safeguards ? "" : " without safeguards", outcome.frames_done, outcome.cuts, outcome.damped,
           outcome.start, outcome.end, outcome.status == JN_OK ? "" : outcome.message.text);
    return outcome;
}

/* The part of the energy that could move that is gone after a second. */
static double beam_loss(const char *method) {
    Outcome outcome = run(&(Variant){"soft_beam", method, 101, true, false, NULL, 0});
    return outcome.status == JN_OK ? (outcome.start - outcome.end) / (outcome.start - outcome.lowest) : NAN;
}

/* Ascher, Larionov, Sheen, Pai 2021, Figure 6: BE loses energy quickly, TR-BDF2 and SDIRK hardly any. */
LONG_TEST(soft_beam_loses_energy_in_the_order_of_the_paper) {
    double be = beam_loss("be"), tr_bdf2 = beam_loss("tr_bdf2"), sdirk = beam_loss("sdirk");
    CHECK(be > 0.15);
    CHECK(tr_bdf2 >= 0 && tr_bdf2 < 0.005);
    CHECK(sdirk >= 0 && sdirk < 0.005);
}

/* Chen, Sheen, Ascher, Pai 2020, section 4.2: one Newton step a time step is not enough here. What diverges never gets
   beyond the frame in which it shows. */
TEST(untwisting_cuboid_diverges_by_si_without_safeguards_and_is_caught) {
    Outcome outcome = run(&(Variant){"untwisting_cuboid", "si", 60, false, false, NULL, 0});
    CHECK(outcome.status == JN_ERR_DIVERGED);
    CHECK(outcome.frames_done > 0 && outcome.frames_done < 60);
    CHECK(outcome.finite);
    CHECK(outcome.end < 1.3 * outcome.start); /* no frame that is kept has gone wrong */
    CHECK_STR_HAS(outcome.message.text, "steps_per_frame");
}

/* Backward Euler, whose Newton iteration is globalised, needs no safeguards. */
TEST(untwisting_cuboid_holds_by_be_without_safeguards) {
    Outcome be = run(&(Variant){"untwisting_cuboid", "be", 40, false, false, NULL, 0});
    CHECK(be.status == JN_OK && be.finite && be.end < be.start);
}

SLOW_TEST(untwisting_cuboid_holds_by_si_and_be_with_safeguards) {
    Outcome si = run(&(Variant){"untwisting_cuboid", "si", 60, true, false, NULL, 0});
    Outcome be = run(&(Variant){"untwisting_cuboid", "be", 60, true, false, NULL, 0});
    CHECK(si.status == JN_OK && si.finite && si.end < si.start);
    CHECK(be.status == JN_OK && be.finite && be.end < be.start);
}

/* Every method gets through, and none makes more energy than the check of it allows. */
static void check_every_method(const char *scene, uint32_t frames) {
    for (uint32_t m = 0; m < jn_table_size(JN_TABLE_INTEGRATORS); ++m) {
        const char *method = jn_table_entry(JN_TABLE_INTEGRATORS, m)->name;
        Outcome outcome = run(&(Variant){scene, method, frames, true, true, NULL, 0});
        CHECK(outcome.status == JN_OK && outcome.finite);
        CHECK(outcome.end < outcome.start + 0.3 * outcome.stored);
        CHECK(outcome.cuts < 60); /* it does not hang on by cutting every step to pieces */
    }
}

LONG_TEST(untwisting_cuboid_holds_in_every_method_with_safeguards) {
    check_every_method("untwisting_cuboid", 31);
}

LONG_TEST(uncoiling_rope_holds_in_every_method_with_safeguards) {
    check_every_method("uncoiling_rope", 31);
}

/* What the parts of a step and the integrator that stands in depend on is in the checkpoint. */
TEST(uncoiling_rope_resumed_where_steps_are_cut_and_damped_is_the_same) {
    Variant whole = {"uncoiling_rope", "trapezoidal", 16, true, true, whole_path, 0}, parts = whole;
    Outcome outcome = run(&whole);
    CHECK(outcome.status == JN_OK && outcome.damped > 0 && outcome.first_damped > 1 && outcome.first_damped < 15);
    parts.path = parts_path;
    for (parts.stop = outcome.first_damped; parts.stop <= outcome.first_damped + 2; ++parts.stop) {
        Outcome resumed = run(&parts);
        CHECK(resumed.status == JN_OK && resumed.damped == outcome.damped);
        CHECK(whole_equals_parts());
    }
}
