/* The public API with wrong input: a status, a sentence that names the field and the value, no crash. */
#include "baking.h"
#include "harness.h"

#include <float.h>

/* A correct scene: a box pinned at x = 0 above a floor. `change` spoils it; begin must answer `status` and say `words`.
 */
typedef struct Wrong {
    void (*change)(OneBody *scene, JnRegion *regions);
    JnStatus status;
    const char *words[3];
} Wrong;

static float weights[2][27];

static void open_scene(OneBody *scene, JnRegion regions[2]) {
    one_body_init(scene, tet_box_make(2, 2, 2, 0.1));
    for (int r = 0; r < 2; ++r) {
        jn_region_init(&regions[r], sizeof regions[r]);
        regions[r].name = r ? "tail" : "root";
        regions[r].effect = r ? "goal" : "pin";
        regions[r].weights = weights[r];
        regions[r].weight_count = 27;
        for (int v = 0; v < 27; ++v)
            weights[r][v] = (v % 3 == 0) == (r == 0);
    }
    scene->body.regions = regions;
    scene->body.region_count = 2;
    scene->desc.collider_count = 1;
    scene->collider.normal[1] = 1;
}

static void null_bodies(OneBody *s, JnRegion *r) {
    (void)r;
    s->desc.bodies = NULL;
}
static void no_bodies(OneBody *s, JnRegion *r) {
    (void)r;
    s->desc.body_count = 0;
}
static void old_desc(OneBody *s, JnRegion *r) {
    (void)r;
    s->desc.struct_size -= 8;
}
static void old_body(OneBody *s, JnRegion *r) {
    (void)r;
    s->body.struct_size = 0;
}
static void nan_fps(OneBody *s, JnRegion *r) {
    (void)r;
    s->desc.fps = NAN;
}
static void zero_frames(OneBody *s, JnRegion *r) {
    (void)r;
    s->desc.frame_count = 0;
}
static void odd_samples(OneBody *s, JnRegion *r) {
    (void)r;
    s->desc.samples_per_frame = 3;
}
static void negative_density(OneBody *s, JnRegion *r) {
    (void)r;
    s->body.material.density = -5;
}
static void nan_stiffness(OneBody *s, JnRegion *r) {
    (void)r;
    s->body.material.young_modulus = NAN;
}
static void half_poisson(OneBody *s, JnRegion *r) {
    (void)r;
    s->body.material.poisson_ratio = 0.5;
}
static void unknown_law(OneBody *s, JnRegion *r) {
    (void)r;
    s->body.material.law = "stable_neohook";
}
static void null_law(OneBody *s, JnRegion *r) {
    (void)r;
    s->body.material.law = NULL;
}
static void warped_rotating_law(OneBody *s, JnRegion *r) {
    (void)r;
    s->body.material.warp = 1;
}
static void warped_springs(OneBody *s, JnRegion *r) {
    (void)r;
    s->body.kind = "spring_solid";
    s->body.material.law = "linear";
    s->body.material.warp = 1;
}
static void later_integrator(OneBody *s, JnRegion *r) {
    (void)r;
    s->desc.integrator = "async_be";
}
static void unknown_integrator(OneBody *s, JnRegion *r) {
    (void)r;
    s->desc.integrator = "rk45";
}
static void unknown_contact(OneBody *s, JnRegion *r) {
    (void)r;
    s->desc.contact.method = "barier";
}
static void zero_normal(OneBody *s, JnRegion *r) {
    (void)r;
    s->collider.normal[1] = 0;
}
static void nan_friction(OneBody *s, JnRegion *r) {
    (void)r;
    s->collider.friction = NAN;
}
static void unknown_collider(OneBody *s, JnRegion *r) {
    (void)r;
    s->collider.kind = "capsul";
}
static void zero_radius(OneBody *s, JnRegion *r) {
    (void)r;
    s->collider.kind = "capsule";
    s->collider.radius = 0;
}
static void nan_end(OneBody *s, JnRegion *r) {
    (void)r;
    s->collider.kind = "capsule";
    s->collider.end[1] = NAN;
}
static void flat_box(OneBody *s, JnRegion *r) {
    (void)r;
    s->collider.kind = "box";
    s->collider.size[2] = 0;
}
static void stretched_sphere(OneBody *s, JnRegion *r) {
    (void)r;
    s->collider.kind = "sphere";
    s->collider.transform[5] = 2;
}
static void hollow_plane(OneBody *s, JnRegion *r) {
    (void)r;
    s->collider.hollow = 1;
}
static void empty_mesh(OneBody *s, JnRegion *r) {
    (void)r;
    s->collider.kind = "mesh";
}
static void negative_thickness(OneBody *s, JnRegion *r) {
    (void)r;
    s->collider.thickness = -1;
}
static void flattened_collider(OneBody *s, JnRegion *r) {
    (void)r;
    s->collider.transform[5] = 0;
}
static void nan_vertex(OneBody *s, JnRegion *r) {
    (void)r;
    s->box.positions[3 * 5 + 1] = NAN;
}
static void index_out_of_range(OneBody *s, JnRegion *r) {
    (void)r;
    s->box.tets[4 * 7 + 2] = 27;
}
static void inverted_tet(OneBody *s, JnRegion *r) {
    (void)r;
    uint32_t swapped = s->box.tets[4 * 3];
    s->box.tets[4 * 3] = s->box.tets[4 * 3 + 1];
    s->box.tets[4 * 3 + 1] = swapped;
}
static void no_mesh(OneBody *s, JnRegion *r) {
    (void)r;
    s->body.tets = (JnTets){0};
}
static void flat_transform(OneBody *s, JnRegion *r) {
    (void)r;
    s->body.transform[5] = 0;
}
static void short_weights(OneBody *s, JnRegion *r) {
    (void)s;
    r[1].weight_count = 26;
}
static void null_weights(OneBody *s, JnRegion *r) {
    (void)s;
    r[0].weights = NULL;
}
static void heavy_weight(OneBody *s, JnRegion *r) {
    (void)s, (void)r;
    weights[1][4] = 1.5f;
}
static void nan_weight(OneBody *s, JnRegion *r) {
    (void)s, (void)r;
    weights[0][9] = NAN;
}
static void broken_ratio(OneBody *s, JnRegion *r) {
    (void)s;
    r[1].effect = "fast", r[1].value = 2.5;
}
static void large_ratio(OneBody *s, JnRegion *r) {
    (void)s;
    r[1].effect = "fast", r[1].value = 151;
}
static void zero_factor(OneBody *s, JnRegion *r) {
    (void)s;
    r[1].effect = "stiffness", r[1].value = 0;
}
static void empty_name(OneBody *s, JnRegion *r) {
    (void)r;
    s->body.name = "";
}
static void seven_releasable_pins(OneBody *s, JnRegion *r) {
    (void)r;
    s->body.releasable_pins = 7;
}
static void wrong_up(OneBody *s, JnRegion *r) {
    (void)r;
    s->desc.up_axis = 0;
}
static void resume_nothing(OneBody *s, JnRegion *r) {
    (void)r;
    s->desc.resume = 1;
}
static void unwritable(OneBody *s, JnRegion *r) {
    (void)r;
    s->desc.output_path = "no/such/folder/x.abc";
}

static const Wrong wrongs[] = {
    {null_bodies, JN_ERR_ARGUMENT, {"bodies", "NULL"}},
    {no_bodies, JN_ERR_ARGUMENT, {"body_count", "0"}},
    {old_desc, JN_ERR_STRUCT_SIZE, {"desc.struct_size", "JnBakeDesc"}},
    {old_body, JN_ERR_STRUCT_SIZE, {"bodies[0].struct_size", "JnBody"}},
    {nan_fps, JN_ERR_ARGUMENT, {"fps", "nan"}},
    {zero_frames, JN_ERR_ARGUMENT, {"desc.frame_count is 0"}},
    {odd_samples, JN_ERR_ARGUMENT, {"samples_per_frame is 3", "steps_per_frame 4"}},
    {negative_density, JN_ERR_ARGUMENT, {"bodies[0].material.density", "-5", "kg/m3"}},
    {nan_stiffness, JN_ERR_ARGUMENT, {"bodies[0].material.young_modulus", "nan"}},
    {half_poisson, JN_ERR_ARGUMENT, {"poisson_ratio is 0.5"}},
    {unknown_law, JN_ERR_UNKNOWN_NAME, {"bodies[0].material.law", "stable_neohook", "did you mean 'stable_neohooke'"}},
    {warped_rotating_law, JN_ERR_ARGUMENT, {"bodies[0].material.warp", "stable_neohooke", "choose the law linear"}},
    {warped_springs, JN_ERR_ARGUMENT, {"bodies[0].material.warp", "spring_solid", "switch it off"}},
    {null_law, JN_ERR_ARGUMENT, {"bodies[0].material.law", "NULL"}},
    {later_integrator, JN_ERR_NOT_BUILT, {"desc.integrator", "'async_be'", "not yet built"}},
    {unknown_integrator, JN_ERR_UNKNOWN_NAME, {"desc.integrator", "'rk45'", "si"}},
    {unknown_contact, JN_ERR_UNKNOWN_NAME, {"desc.contact.method", "did you mean 'barrier'"}},
    {zero_normal, JN_ERR_ARGUMENT, {"colliders[0].normal", "(0, 0, 0)"}},
    {nan_friction, JN_ERR_ARGUMENT, {"colliders[0].friction", "nan"}},
    {unknown_collider, JN_ERR_UNKNOWN_NAME, {"colliders[0]", "'capsule'"}},
    {zero_radius, JN_ERR_ARGUMENT, {"colliders[0].radius", "is 0"}},
    {nan_end, JN_ERR_ARGUMENT, {"colliders[0].end", "nan"}},
    {flat_box, JN_ERR_ARGUMENT, {"colliders[0].size[2]", "is 0"}},
    {stretched_sphere, JN_ERR_ARGUMENT, {"colliders[0].transform", "sphere"}},
    {hollow_plane, JN_ERR_ARGUMENT, {"colliders[0].hollow", "plane"}},
    {empty_mesh, JN_ERR_MESH, {"colliders[0]", "without faces"}},
    {negative_thickness, JN_ERR_ARGUMENT, {"colliders[0].thickness", "-1"}},
    {flattened_collider, JN_ERR_ARGUMENT, {"colliders[0].transform", ""}},
    {nan_vertex, JN_ERR_MESH, {"bodies[0].tets", "5", "nan"}},
    {index_out_of_range, JN_ERR_MESH, {"bodies[0].tets", "7", "27"}},
    {inverted_tet, JN_ERR_MESH, {"bodies[0].tets", "3"}},
    {no_mesh, JN_ERR_MESH, {"bodies[0]", "no surface or tets"}},
    {flat_transform, JN_ERR_ARGUMENT, {"bodies[0].transform", "scale"}},
    {short_weights, JN_ERR_ARGUMENT, {"bodies[0].regions[1]", "26", "27"}},
    {null_weights, JN_ERR_ARGUMENT, {"bodies[0].regions[0].weights", "NULL"}},
    {heavy_weight, JN_ERR_ARGUMENT, {"bodies[0].regions[1].weights[4]", "1.5"}},
    {nan_weight, JN_ERR_ARGUMENT, {"bodies[0].regions[0].weights[9]", "nan"}},
    {broken_ratio, JN_ERR_ARGUMENT, {"bodies[0].regions[1].value is 2.5", "a whole number", "1 to 150"}},
    {large_ratio, JN_ERR_ARGUMENT, {"bodies[0].regions[1].value is 151", "1 to 150"}},
    {zero_factor, JN_ERR_ARGUMENT, {"bodies[0].regions[1].value", "0"}},
    {empty_name, JN_ERR_ARGUMENT, {"bodies[0].name"}},
    {seven_releasable_pins, JN_ERR_ARGUMENT, {"bodies[0].releasable_pins is 7: give 0 or 1"}},
    {wrong_up, JN_ERR_ARGUMENT, {"up_axis is 0"}},
    {resume_nothing, JN_ERR_ARGUMENT, {"resume", "output_path"}},
    {unwritable, JN_ERR_FILE, {"no/such/folder", "No such file or directory"}},
};

TEST(begin_with_wrong_input_names_the_field_and_the_value) {
    for (size_t w = 0; w < sizeof wrongs / sizeof wrongs[0]; ++w) {
        OneBody scene;
        JnRegion regions[2];
        JnBake *bake = (JnBake *)&scene;
        JnMessage message = {0};
        open_scene(&scene, regions);
        wrongs[w].change(&scene, regions);
        JnStatus status = jn_bake_begin(&scene.desc, &bake, &message);
        if (status != wrongs[w].status)
            printf("case %zu: %s: %s\n", w, jn_status_name(status), message.text);
        CHECK(status == wrongs[w].status);
        CHECK(bake == NULL && message.status == status);
        for (int i = 0; i < 3 && wrongs[w].words[i]; ++i)
            CHECK_STR_HAS(message.text, wrongs[w].words[i]);
        /* and without a message buffer */
        CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == status);
        one_body_free(&scene);
    }
}

TEST(begin_with_correct_input_succeeds) {
    OneBody scene;
    JnRegion regions[2];
    JnBake *bake;
    JnMessage message;
    open_scene(&scene, regions);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(message.status == JN_OK && message.text[0] == '\0');
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    one_body_free(&scene);
}

TEST(null_arguments_are_answered) {
    JnMessage message;
    JnBake *bake;
    JnEstimate estimate = {.struct_size = sizeof estimate};
    JnStatistics statistics = {.struct_size = sizeof statistics};
    CHECK(jn_bake_begin(NULL, &bake, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_bake_begin(NULL, NULL, NULL) == JN_ERR_ARGUMENT);
    CHECK(jn_bake_advance(NULL, NULL, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_bake_positions(NULL, 0, NULL, 0, NULL, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_bake_statistics(NULL, &statistics, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_bake_frame_progress(NULL, NULL, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_bake_estimate(NULL, &estimate, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_bake_estimate(NULL, NULL, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_scene_estimate(NULL, NULL, &estimate, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_bake_end(NULL, &message) == JN_OK);
    CHECK(isnan(jn_bake_next_frame(NULL)));
    jn_bake_cancel(NULL);
    CHECK(jn_table_entry(99, 0) == NULL && jn_table_entry(JN_TABLE_MATERIALS, 99) == NULL);
    CHECK(jn_table_name(-1) == NULL && jn_table_size(-1) == 0);
    CHECK_STR_HAS(jn_status_name(JN_ERR_MESH), "JN_ERR_MESH");
    CHECK_STR_HAS(jn_status_name(5), "unknown");
    CHECK_STR_HAS(jn_status_name(INT32_MIN), "unknown");
}

TEST(advance_with_wrong_input_is_refused_and_the_bake_goes_on) {
    OneBody scene;
    JnRegion regions[2];
    JnBake *bake;
    JnMessage message;
    JnFrameInput input;
    JnBodyInput body;
    static double targets[81];
    open_scene(&scene, regions);
    scene.desc.frame_count = 3;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_advance(bake, NULL, &message) == JN_ERR_ARGUMENT);
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    input.frame = 5;
    CHECK(jn_bake_advance(bake, &input, &message) == JN_ERR_ORDER);
    CHECK_STR_HAS(message.text, "5");
    input.frame = 1;
    input.body_count = 2;
    CHECK(jn_bake_advance(bake, &input, &message) == JN_ERR_ARGUMENT);
    input.body_count = 1;
    CHECK(jn_bake_advance(bake, &input, &message) == JN_ERR_ARGUMENT);
    input.bodies = &body;
    memcpy(targets, scene.box.positions, sizeof targets);
    body.targets = targets;
    targets[80] = INFINITY;
    CHECK(jn_bake_advance(bake, &input, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "point 26");
    targets[80] = scene.box.positions[80];
    body.struct_size = 4;
    CHECK(jn_bake_advance(bake, &input, &message) == JN_ERR_STRUCT_SIZE);
    jn_body_input_init(&body, sizeof body);
    CHECK(jn_bake_advance(bake, &input, &message) == JN_OK);
    CHECK(advance_frames(bake, 2, &message) == JN_OK);
    CHECK(advance(bake, &message) == JN_ERR_ORDER);
    CHECK_STR_HAS(message.text, "all 3 frames are finished");
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(cancel_keeps_the_last_good_frame) {
    OneBody scene;
    JnRegion regions[2];
    JnBake *bake;
    JnMessage message;
    double before[3], after[3];
    open_scene(&scene, regions);
    scene.desc.gravity[1] = -9.81;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 4, &message) == JN_OK);
    mean_position(bake, before);
    jn_bake_cancel(bake);
    CHECK(advance(bake, &message) == JN_ERR_CANCELLED);
    CHECK(jn_bake_next_frame(bake) == 5);
    mean_position(bake, after);
    for (int i = 0; i < 3; ++i)
        CHECK(before[i] == after[i]);
    CHECK(fabs(before[1] - 0.1) > 1e-6);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(estimate_tells_sizes_and_costs) {
    OneBody scene;
    JnRegion regions[2];
    JnMessage message;
    JnEstimate estimate = {.struct_size = sizeof estimate};
    open_scene(&scene, regions);
    CHECK(jn_bake_estimate(&scene.desc, &estimate, &message) == JN_OK);
    CHECK(estimate.vertex_count == 27 && estimate.tet_count == 48 && estimate.point_count == 26);
    CHECK(estimate.unknown_count == 54);
    CHECK(estimate.seconds_per_frame > 0 && estimate.total_seconds > estimate.seconds_per_frame);
    CHECK(estimate.memory_bytes > 1e5 && estimate.cache_bytes > 12 * 26 * 2);
    estimate.struct_size = 1;
    CHECK(jn_bake_estimate(&scene.desc, &estimate, &message) == JN_ERR_STRUCT_SIZE);
    one_body_free(&scene);
}

TEST(bodies_with_one_name_in_the_cache_are_refused) {
    OneBody scene;
    JnRegion regions[2];
    JnBody bodies[2];
    JnBake *bake;
    JnMessage message;
    open_scene(&scene, regions);
    bodies[0] = bodies[1] = scene.body;
    bodies[0].name = "left/ear";
    bodies[1].name = "left;ear";
    scene.desc.bodies = bodies;
    scene.desc.body_count = 2;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "bodies[0] and bodies[1]");
    bodies[1].name = "right;ear";
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    one_body_free(&scene);
}
