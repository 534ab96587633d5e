/* What the papers show of the implicit methods, on their scenes or on small twins of them. */
#include "harness.h"

#include "bake/bake_internal.h"

#include <stdio.h>

/* A sample scene with another method. */
typedef struct Variant {
    const char *scene; /* folder in sample_scenes */
    const char *method;
    uint32_t frames;
    bool safeguards;
    bool small; /* another cuboid, of a tenth of the vertices */
} Variant;

typedef struct Outcome {
    JnStatus status;
    JnMessage message;
    uint32_t frames_done, cuts;
    double start, lowest,
        end;     /* total energy, J, at the first frame; potential energy at its lowest; total at the end */
    bool finite; /* of the last frame kept */
} Outcome;

/* Replaces the scene's only body by a small cuboid, twisted as much for its length. *mesh must outlive the desc. */
static JnStatus make_small(JnBakeDesc *desc, JnBody *body, JnMesh **mesh, JnMessage *message) {
    JnShape shape;
    JnMeshView view = {.struct_size = sizeof view};
    jn_shape_init(&shape, "cuboid");
    shape.size[0] = 1;
    shape.size[1] = shape.size[2] = 0.25;
    shape.cells[0] = 12;
    shape.cells[1] = shape.cells[2] = 2;
    shape.turns = 2;
    JnStatus status = jn_shape_make(&shape, mesh, message);
    if (status == JN_OK)
        status = jn_mesh_view(*mesh, &view, message);
    if (status != JN_OK)
        return status;
    static float weights[13 * 3 * 3];
    static JnRegion pin;
    *body = desc->bodies[0];
    body->tets = view.tets;
    jn_region_init(&pin);
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
        outcome.status = jn_scene_desc(scene, &desc, &outcome.message);
    JnMesh *mesh = NULL;
    JnBody small;
    if (outcome.status == JN_OK && variant->small)
        outcome.status = make_small(&desc, &small, &mesh, &outcome.message);
    if (outcome.status == JN_OK) {
        desc.output_path = NULL;
        desc.integrator = variant->method;
        desc.safeguards = variant->safeguards;
        desc.frame_count = variant->frames;
        outcome.status = jn_bake_begin(&desc, &bake, &outcome.message);
    }
    JnFrameInput input;
    for (uint32_t f = 0; outcome.status == JN_OK && f < variant->frames; ++f) {
        JnMotion motion = {.struct_size = sizeof motion};
        outcome.status = jn_scene_frame(scene, jn_bake_next_frame(bake), &input, &outcome.message);
        if (outcome.status == JN_OK)
            outcome.status = jn_bake_advance(bake, &input, &outcome.message);
        if (outcome.status == JN_OK)
            outcome.status = jn_bake_motion(bake, &motion, &outcome.message);
        if (outcome.status != JN_OK)
            break;
        ++outcome.frames_done;
        outcome.end = motion.total_energy;
        if (f == 0)
            outcome.start = motion.total_energy;
        outcome.lowest = fmin(f == 0 ? INFINITY : outcome.lowest, motion.total_energy - motion.kinetic_energy);
    }
    for (size_t i = 0; bake && i < (size_t)bake->vertex_count * 3; ++i)
        outcome.finite &= isfinite(bake->state.q[i]) && isfinite(bake->state.v[i]);
    outcome.cuts = bake ? bake->cut_steps : 0;
    jn_bake_end(bake, NULL);
    jn_mesh_free(mesh);
    jn_scene_free(scene);
    printf("%s by %s%s: %u frames, %u cuts, energy %.4g to %.4g J %s\n", variant->scene, variant->method,
           variant->safeguards ? "" : " without safeguards", outcome.frames_done, outcome.cuts, outcome.start,
           outcome.end, outcome.status == JN_OK ? "" : outcome.message.text);
    return outcome;
}

/* The part of the energy that could move that is gone after a second. */
static double beam_loss(const char *method) {
    Outcome outcome = run(&(Variant){"soft_beam", method, 101, true, false});
    return outcome.status == JN_OK ? (outcome.start - outcome.end) / (outcome.start - outcome.lowest) : NAN;
}

/* Figure 6 of paper 001: BE dissipates quickly, the energies of TR-BDF2 and SDIRK do not decay by much. */
TEST(soft_beam_loses_energy_in_the_order_of_the_paper) {
    double be = beam_loss("be"), tr_bdf2 = beam_loss("tr_bdf2"), sdirk = beam_loss("sdirk");
    CHECK(be > 0.15);
    CHECK(tr_bdf2 >= 0 && tr_bdf2 < 0.005);
    CHECK(sdirk >= 0 && sdirk < 0.005);
}

/* Section 4.2 of paper 000: one Newton step a time step is not enough here. What diverges never gets beyond the frame
   in which it shows. */
TEST(untwisting_cuboid_diverges_by_si_without_safeguards_and_is_caught) {
    Outcome outcome = run(&(Variant){"untwisting_cuboid", "si", 60, false, false});
    CHECK(outcome.status == JN_ERR_DIVERGED);
    CHECK(outcome.frames_done > 0 && outcome.frames_done < 60);
    CHECK(outcome.finite);
    CHECK(outcome.end < 1.3 * outcome.start); /* no frame that is kept has gone wrong */
    CHECK_STR_HAS(outcome.message.text, "steps_per_frame");
}

/* Backward Euler, whose Newton iteration is globalised, needs no safeguards. */
TEST(untwisting_cuboid_holds_by_be_without_safeguards) {
    Outcome be = run(&(Variant){"untwisting_cuboid", "be", 40, false, false});
    CHECK(be.status == JN_OK && be.finite && be.end < be.start);
}

TEST(untwisting_cuboid_holds_by_si_and_be_with_safeguards) {
    Outcome si = run(&(Variant){"untwisting_cuboid", "si", 60, true, false});
    Outcome be = run(&(Variant){"untwisting_cuboid", "be", 60, true, false});
    CHECK(si.status == JN_OK && si.finite && si.end < si.start);
    CHECK(be.status == JN_OK && be.finite && be.end < be.start);
}

TEST(untwisting_cuboid_holds_in_every_method_with_safeguards) {
    for (uint32_t m = 0; m < jn_table_size(JN_TABLE_INTEGRATORS); ++m) {
        const char *method = jn_table_entry(JN_TABLE_INTEGRATORS, m)->name;
        Outcome outcome = run(&(Variant){"untwisting_cuboid", method, 31, true, true});
        CHECK(outcome.status == JN_OK && outcome.finite);
        CHECK(outcome.end < 1.3 * outcome.start);
    }
}
