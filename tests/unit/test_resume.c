/* A bake that stops and goes on ends in the same file, byte for byte, as one that never stopped. */
#include "baking.h"
#include "closed_block.h"
#include "harness.h"
#include "whole_and_parts.h"

#include "alembic_io.h"

/* 1: the body keeps its shape and settles before the first frame. */
static uint32_t kept;

/* 1: the body is linear and seen warped, and its rest shape follows the animation. */
static uint32_t warped;

/* 1: the floor is a mesh that moves and deforms. */
static uint32_t on_mesh;
static ClosedBlock block;

/* 1: the body is not pinned, and is set down on the floor. */
static uint32_t free_body;

/* A box pinned at x = 0 whose pins are shaken, above a floor, with two cache samples a frame. */
static void open_shaken(OneBody *scene, const char *path) {
    one_body_init(scene, tet_box_make(6, 3, 3, 0.1));
    if (!free_body)
        one_body_pin(scene);
    scene->desc.gravity[1] = -9.81;
    scene->desc.frame_count = 12;
    scene->desc.samples_per_frame = 2;
    scene->desc.collider_count = 1;
    scene->collider.point[1] = free_body ? 0 : -0.15;
    scene->collider.normal[1] = 1;
    if (on_mesh) {
        scene->collider.kind = "mesh";
        scene->collider.surface = closed_block(2, 0.2, 2, &block);
        scene->collider.transform[7] = -0.25;
    }
    scene->desc.output_path = path;
    scene->body.keep_shape = scene->body.settle = kept;
    if (warped) {
        scene->body.material.law = "linear";
        scene->body.material.warp = 1;
        scene->body.rest_follows_animation = 1;
        scene->desc.write_velocities = 1;
    }
}

/* Pushes frames up to, not including, number `end`. */
static JnStatus push_frames(JnBake *bake, double end, JnMessage *message) {
    JnStatus status = JN_OK;
    while (status == JN_OK && jn_bake_next_frame(bake) < end) {
        JnFrameInput input;
        JnBodyInput body;
        jn_frame_input_init(&input, sizeof input);
        jn_body_input_init(&body, sizeof body);
        input.frame = jn_bake_next_frame(bake);
        double lift = 0.05 * sin(input.frame);
        const double moved[12] = {1, 0, 0, 0, 0, 1, 0, lift, 0, 0, 1, 0};
        memcpy(body.transform, moved, sizeof moved);
        body.has_transform = !free_body;
        input.bodies = &body;
        input.body_count = 1;
        /* gravity changes once; after a resume it must still be known */
        input.has_gravity = input.frame == 3;
        input.gravity[1] = -5;
        JnColliderInput collider;
        ClosedBlock bent = block;
        jn_collider_input_init(&collider, sizeof collider);
        collider.has_transform = on_mesh && input.frame != 7;
        collider.transform[7] = 0.02 * sin(1.5 * input.frame);
        for (uint32_t v = 0; v < BLOCK_VERTICES; ++v)
            bent.positions[3 * v + 1] += 0.02 * bent.positions[3 * v] * sin(input.frame);
        collider.positions = on_mesh && input.frame > 2 && input.frame != 7 ? bent.positions : NULL;
        input.colliders = &collider;
        input.collider_count = on_mesh;
        status = jn_bake_advance(bake, &input, message);
    }
    return status;
}

/* Opens the shaken box with its cache at parts_path, and bakes the frames before `end`. */
static JnStatus bake_part(OneBody *scene, double end, JnMessage *message) {
    JnBake *bake;
    open_shaken(scene, parts_path);
    JnStatus status = jn_bake_begin(&scene->desc, &bake, message);
    if (status == JN_OK)
        status = push_frames(bake, end, message);
    JnStatus ended = jn_bake_end(bake, NULL);
    return status == JN_OK ? ended : status;
}

/* Friction that sticks would take thousands of explicit steps a frame. */
static void choose_method(OneBody *scene, const char *method, double error_tolerance) {
    scene->desc.integrator = method;
    scene->desc.error_tolerance = error_tolerance;
    if (strcmp(method, "rk4") == 0)
        scene->collider.friction = 0;
}

/* Bakes the shaken box once without a stop, and once with stops after frames 1, 5 and 9, the second time by cancel. */
static void bake_whole_and_in_parts(const char *method, double error_tolerance) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    open_shaken(&scene, whole_path);
    choose_method(&scene, method, error_tolerance);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(push_frames(bake, 13, &message) == JN_OK);
    JnStatistics statistics = {.struct_size = sizeof statistics};
    CHECK(jn_bake_statistics(bake, &statistics, &message) == JN_OK);
    /* what a resume must not forget is in use */
    CHECK(on_mesh || strcmp(method, "si") != 0 || statistics.reused_count > 2);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    one_body_free(&scene);

    const double stops[] = {2, 6, 10, 13};
    open_shaken(&scene, parts_path);
    choose_method(&scene, method, error_tolerance);
    for (int part = 0; part < 4; ++part) {
        scene.desc.resume = part > 0;
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
        CHECK(jn_bake_next_frame(bake) == (part ? stops[part - 1] : 1));
        CHECK(push_frames(bake, stops[part], &message) == JN_OK);
        if (part == 1) {
            jn_bake_cancel(bake);
            CHECK(push_frames(bake, 13, &message) == JN_ERR_CANCELLED);
        }
        CHECK(jn_bake_end(bake, &message) == JN_OK);
    }
    one_body_free(&scene);
    CHECK(whole_equals_parts());
}

TEST(resumed_bake_equals_an_uninterrupted_one_byte_for_byte) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    bake_whole_and_in_parts("si", 0);
    /* a complete bake leaves nothing to resume: started again, it has nothing to do */
    size_t size;
    CHECK(read_file(checkpoint_path, &size) == NULL);
    open_shaken(&scene, parts_path);
    scene.desc.resume = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_next_frame(bake) == 13);
    CHECK(push_frames(bake, 14, &message) == JN_ERR_ORDER);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    CHECK(whole_equals_parts());
    one_body_free(&scene);
}

TEST(resumed_bake_is_the_same_in_every_method) {
    for (uint32_t m = 0; m < jn_table_size(JN_TABLE_INTEGRATORS); ++m)
        bake_whole_and_in_parts(jn_table_entry(JN_TABLE_INTEGRATORS, m)->name, 0);
}

TEST(resumed_bake_is_the_same_with_adaptive_steps) {
    bake_whole_and_in_parts("si", 1e-3);
    bake_whole_and_in_parts("bdf2", 1e-4);
}

TEST(resumed_bake_on_a_mesh_that_moves_and_deforms_is_the_same) {
    on_mesh = 1;
    bake_whole_and_in_parts("si", 0);
    bake_whole_and_in_parts("ssdirk", 0);
    on_mesh = 0;
}

TEST(resumed_bake_of_a_body_at_rest_is_the_same) {
    free_body = 1;
    bake_whole_and_in_parts("si", 0);
    bake_whole_and_in_parts("be", 0);
    free_body = 0;
}

TEST(stopped_bake_leaves_a_cache_with_its_finished_frames) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    remove_whole_and_parts(); /* a bake is written beside a finished one */
    open_shaken(&scene, parts_path);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(push_frames(bake, 6, &message) == JN_OK);
    /* while the bake still runs */
    AbcReader *reader;
    AbcMeshInfo info;
    AbcError error;
    CHECK(abc_reader_open(&reader, parts_path, NULL, &error) == ABC_OK);
    uint32_t mesh = abc_reader_find(reader, "/body/bodyShape");
    CHECK(abc_reader_mesh_info(reader, mesh, &info, &error) == ABC_OK);
    CHECK(info.sample_count == 1 + 4 * 2);
    float positions[3 * 112];
    for (uint32_t s = 0; s < info.sample_count; ++s)
        CHECK(abc_reader_mesh_positions(reader, mesh, s, positions, 3 * 112, &error) == ABC_OK);
    /* the transform above the mesh places the object in the scene as the inputs moved it */
    double matrix[16];
    for (int frame = 1; frame <= 5; ++frame) {
        CHECK(abc_reader_world_matrix(reader, mesh, frame / 24.0, matrix, &error) == ABC_OK);
        CHECK_NEAR(matrix[13], 0.05 * sin(frame), 1e-12);
        CHECK(matrix[0] == 1 && matrix[5] == 1 && matrix[10] == 1 && matrix[12] == 0);
    }
    abc_reader_close(reader);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    one_body_free(&scene);
}

static void write_bytes(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    CHECK(fclose(file) == 0);
}

TEST(resume_with_a_frame_beyond_the_checkpoint_cuts_it_and_its_bounds) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    size_t size;
    open_shaken(&scene, whole_path);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(push_frames(bake, 13, &message) == JN_OK);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    one_body_free(&scene);
    CHECK(bake_part(&scene, 5, &message) == JN_OK);
    char *checkpoint = read_file(checkpoint_path, &size);
    CHECK(checkpoint != NULL);
    scene.desc.resume = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(push_frames(bake, 6, &message) == JN_OK);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    /* as after a crash between the cache and the checkpoint */
    write_bytes(checkpoint_path, checkpoint, size);
    free(checkpoint);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_next_frame(bake) == 5);
    CHECK(push_frames(bake, 13, &message) == JN_OK);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    one_body_free(&scene);
    CHECK(whole_equals_parts());
}

TEST(resume_with_a_checkpoint_of_an_older_bake_begins_at_the_first_frame) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    size_t size;
    CHECK(bake_part(&scene, 5, &message) == JN_OK);
    char *checkpoint = read_file(checkpoint_path, &size);
    CHECK(checkpoint != NULL);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    /* as after a crash between the new cache and the removal of the old checkpoint */
    write_bytes(checkpoint_path, checkpoint, size);
    free(checkpoint);
    scene.desc.resume = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_next_frame(bake) == 1);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    one_body_free(&scene);
}

TEST(resume_with_other_settings_is_refused) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    CHECK(bake_part(&scene, 4, &message) == JN_OK);
    scene.desc.resume = 1;
    scene.body.material.young_modulus *= 2;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "other inputs or settings");
    scene.body.material.young_modulus /= 2;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    one_body_free(&scene);
}

SLOW_TEST(damaged_checkpoint_is_refused_at_every_length) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    CHECK(bake_part(&scene, 4, &message) == JN_OK);
    size_t size;
    char *bytes = read_file(checkpoint_path, &size);
    CHECK(bytes && size > 1000);
    scene.desc.resume = 1;
    for (size_t length = 0; length < size; length += length < 64 ? 1 : 97) {
        FILE *file = fopen(checkpoint_path, "wb");
        fwrite(bytes, 1, length, file);
        fclose(file);
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_FORMAT);
    }
    bytes[size / 2] ^= 1;
    FILE *file = fopen(checkpoint_path, "wb");
    fwrite(bytes, 1, size, file);
    fclose(file);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_FORMAT);
    CHECK_STR_HAS(message.text, "damaged");
    free(bytes);
    /* without one there is nothing to resume: it begins at the first frame */
    remove(checkpoint_path);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_next_frame(bake) == 1);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    one_body_free(&scene);
}

TEST(failed_begin_leaves_the_older_cache_and_its_checkpoint) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    CHECK(bake_part(&scene, 4, &message) == JN_OK);
    size_t sizes[2] = {0, 0}, checkpoint_size = 0;
    char *before = read_file(parts_path, &sizes[0]);
    scene.body.material.density = -1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_ARGUMENT);
    char *after = read_file(parts_path, &sizes[1]), *checkpoint = read_file(checkpoint_path, &checkpoint_size);
    CHECK(before && after && checkpoint && sizes[0] == sizes[1] && memcmp(before, after, sizes[0]) == 0);
    free(before);
    free(after);
    free(checkpoint);
    one_body_free(&scene);
}

TEST(output_path_that_is_a_folder_is_refused) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    open_shaken(&scene, JN_TEST_OUTPUT);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_FILE);
    CHECK_STR_HAS(message.text, "not a file");
    one_body_free(&scene);
}

TEST(resume_with_other_animation_is_refused) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    open_shaken(&scene, parts_path);
    scene.desc.input_tag = 7;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(push_frames(bake, 4, &message) == JN_OK);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    scene.desc.resume = 1;
    scene.desc.input_tag = 8;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_ARGUMENT);
    scene.desc.input_tag = 7;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    one_body_free(&scene);
}

TEST(mirrored_body_keeps_its_faces_outward_in_its_own_space) {
    double volumes[2];
    for (int run = 0; run < 2; ++run) {
        OneBody scene;
        JnBake *bake;
        JnMessage message;
        AbcReader *reader;
        AbcError error;
        AbcMeshSizes sizes;
        const AbcReaderDesc outward = {.counter_clockwise = true};
        open_shaken(&scene, whole_path);
        scene.body.transform[0] = run ? -1 : 1;
        scene.desc.frame_count = 1;
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
        CHECK(advance(bake, &message) == JN_OK);
        CHECK(jn_bake_end(bake, &message) == JN_OK);
        CHECK(abc_reader_open(&reader, whole_path, &outward, &error) == ABC_OK);
        uint32_t mesh = abc_reader_find(reader, "/body/bodyShape");
        CHECK(abc_reader_mesh_sizes(reader, mesh, 0, &sizes, &error) == ABC_OK);
        float x[3 * 112];
        int32_t counts[400], corners[1200];
        CHECK(abc_reader_mesh_positions(reader, mesh, 0, x, 3 * 112, &error) == ABC_OK);
        CHECK(abc_reader_mesh_topology(reader, mesh, 0, counts, 400, corners, 1200, &error) == ABC_OK);
        volumes[run] = 0;
        for (size_t f = 0; f < sizes.face_count; ++f) {
            const float *a = x + 3 * corners[3 * f], *b = x + 3 * corners[3 * f + 1], *c = x + 3 * corners[3 * f + 2];
            for (int i = 0; i < 3; ++i) {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                volumes[run] += (double)(a[i] * (b[j] * c[k] - b[k] * c[j])) / 6;
            }
        }
        abc_reader_close(reader);
        one_body_free(&scene);
    }
    CHECK_NEAR(volumes[0], 0.054, 1e-6);
    CHECK_NEAR(volumes[1], 0.054, 1e-6);
}

TEST(resumed_bake_with_a_kept_shape_equals_an_uninterrupted_one) {
    kept = 1;
    bake_whole_and_in_parts("si", 0);
    kept = 0;
}

TEST(resumed_bake_of_a_warped_body_equals_an_uninterrupted_one) {
    warped = 1;
    bake_whole_and_in_parts("si", 0);
    bake_whole_and_in_parts("ssdirk", 0);
    kept = 1;
    bake_whole_and_in_parts("si", 0);
    kept = warped = 0;
}
