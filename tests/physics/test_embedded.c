/* Surfaces carried by tets that are made: pins, animation, object space, painted maps. */
#include "harness.h"
#include "tet_box.h"

#include "bake/bake_internal.h"
#include "base/math3.h"

/* A closed box of quads, cells along x, 1 x 1 across, from -0.5 to 0.5 in y and z. */
enum { CELLS = 8, RINGS = CELLS + 1, VERTICES = 4 * RINGS, FACES = 4 * CELLS + 2 };

typedef struct Tube {
    double positions[3 * VERTICES];
    uint32_t sizes[FACES], corners[4 * FACES];
    float head[VERTICES];
    JnBakeDesc desc;
    JnBody body;
    JnRegion region;
} Tube;

static void open_tube(Tube *tube) {
    static const double square[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
    uint32_t face = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        tube->positions[3 * v] = 0.5 * (v / 4);
        tube->positions[3 * v + 1] = square[v % 4][0];
        tube->positions[3 * v + 2] = square[v % 4][1];
        tube->head[v] = v / 4 < 3;
    }
    for (uint32_t c = 0; c < CELLS; ++c)
        for (uint32_t s = 0; s < 4; ++s, ++face) {
            const uint32_t quad[4] = {4 * c + s, 4 * c + (s + 1) % 4, 4 * c + 4 + (s + 1) % 4, 4 * c + 4 + s};
            memcpy(tube->corners + 4 * face, (uint32_t[4]){quad[0], quad[3], quad[2], quad[1]}, 16);
        }
    memcpy(tube->corners + 4 * face++, (uint32_t[4]){0, 1, 2, 3}, 16);
    memcpy(tube->corners + 4 * face++, (uint32_t[4]){4 * CELLS + 3, 4 * CELLS + 2, 4 * CELLS + 1, 4 * CELLS}, 16);
    for (uint32_t f = 0; f < FACES; ++f)
        tube->sizes[f] = 4;
    jn_bake_desc_init(&tube->desc, sizeof tube->desc);
    jn_body_init(&tube->body, sizeof tube->body);
    jn_region_init(&tube->region, sizeof tube->region);
    tube->body.surface = (JnSurface){VERTICES, FACES, 4 * FACES, 0, tube->positions, tube->sizes, tube->corners, NULL};
    tube->body.resolution = 12;
    tube->region.effect = "pin";
    tube->region.weights = tube->head;
    tube->region.weight_count = VERTICES;
    tube->body.regions = &tube->region;
    tube->body.region_count = 1;
    tube->desc.bodies = &tube->body;
    tube->desc.body_count = 1;
    memset(tube->desc.gravity, 0, sizeof tube->desc.gravity);
    tube->desc.frame_count = 7;
    tube->desc.thread_count = 1;
}

/* A turn about the y axis through the origin and a shift. */
static void make_transform(double angle, double shift, double transform[12]) {
    const double turn[12] = {cos(angle), 0,      sin(angle),  shift, 0,          1,
                             0,          -shift, -sin(angle), 0,     cos(angle), 0.5 * shift};
    memcpy(transform, turn, sizeof turn);
}

static JnStatus push(JnBake *bake, const double *transform, const double *targets, JnMessage *message) {
    JnFrameInput input;
    JnBodyInput body;
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    if (transform) {
        memcpy(body.transform, transform, sizeof body.transform);
        body.has_transform = 1;
    }
    body.targets = targets;
    input.bodies = &body;
    input.body_count = 1;
    input.frame = jn_bake_next_frame(bake);
    return jn_bake_advance(bake, &input, message);
}

TEST(follow_reproduces_affine_motions_of_the_surface) {
    Tube tube;
    JnBake *bake;
    JnMessage message;
    open_tube(&tube);
    CHECK(jn_bake_begin(&tube.desc, &bake, &message) == JN_OK);
    Body *body = &bake->model.bodies[0];
    const double affine[12] = {0.3, -0.9, 0.1, 2, 1.1, 0.2, 0, -1, 0.2, 0, 1.4, 0.3};
    double points[3 * VERTICES], *vertices = malloc(3 * (size_t)body->mesh.vertex_count * sizeof(double));
    for (uint32_t p = 0; p < VERTICES; ++p)
        affine_apply(affine, tube.positions + 3 * p, points + 3 * p);
    CHECK(inverse_embedding_positions(body->inverse_embedding, points, vertices, &message) == JN_OK);
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v) {
        double expected[3];
        affine_apply(affine, body->mesh.positions + 3 * (size_t)v, expected);
        for (uint32_t i = 0; i < 3; ++i)
            CHECK_NEAR(vertices[3 * v + i], expected[i], 1e-7);
    }
    free(vertices);
    jn_bake_end(bake, NULL);
}

TEST(follow_keeps_painted_weights_in_range_and_smooth) {
    Tube tube;
    JnBake *bake;
    JnMessage message;
    open_tube(&tube);
    CHECK(jn_bake_begin(&tube.desc, &bake, &message) == JN_OK);
    Body *body = &bake->model.bodies[0];
    double *weights = malloc(body->mesh.vertex_count * sizeof(double)), lowest = 1, highest = 0;
    CHECK(inverse_embedding_weights(body->inverse_embedding, tube.head, weights, &message) == JN_OK);
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v) {
        double x = body->mesh.positions[3 * v];
        CHECK(weights[v] >= 0 && weights[v] <= 1);
        lowest = fmin(lowest, weights[v]);
        highest = fmax(highest, weights[v]);
        /* well inside the painted end and well outside of it, deep in the solid too */
        CHECK(x > 0.5 || weights[v] > 0.8);
        CHECK(x < 2 || weights[v] < 0.2);
    }
    CHECK(lowest < 0.05 && highest > 0.95);
    free(weights);
    jn_bake_end(bake, NULL);
}

TEST(pinned_points_follow_a_moving_object_exactly_in_its_own_space) {
    Tube tube;
    JnBake *bake;
    JnMessage message;
    double positions[3 * VERTICES], moved = 0;
    uint32_t count;
    open_tube(&tube);
    CHECK(jn_bake_begin(&tube.desc, &bake, &message) == JN_OK);
    for (int frame = 0; frame < 7; ++frame) {
        double transform[12];
        make_transform(0.15 * frame, 0.2 * frame, transform);
        CHECK(push(bake, transform, NULL, &message) == JN_OK);
        CHECK(jn_bake_positions(bake, 0, positions, 3 * VERTICES, &count, &message) == JN_OK);
        CHECK(count == VERTICES);
        for (uint32_t i = 0; i < 3 * VERTICES; ++i) {
            /* in the object's space its pinned end does not move at all */
            if (tube.head[i / 3] > 0)
                CHECK_NEAR(positions[i], tube.positions[i], 1e-12);
            else
                moved = fmax(moved, fabs(positions[i] - tube.positions[i]));
        }
        /* the first frame is the start pose, undeformed */
        if (frame == 0)
            CHECK(moved < 1e-7);
    }
    CHECK(moved > 0.05);
    jn_bake_end(bake, NULL);
}

TEST(pins_follow_animated_points_between_frames) {
    Tube tube;
    JnBake *bake;
    JnMessage message;
    open_tube(&tube);
    tube.desc.samples_per_frame = tube.desc.steps_per_frame = 4;
    CHECK(jn_bake_begin(&tube.desc, &bake, &message) == JN_OK);
    double targets[2][3 * VERTICES], x[3];
    CHECK(push(bake, NULL, tube.positions, &message) == JN_OK);
    /* two samples in the frame: up by 0.3 at its middle, back to 0.1 at its end */
    for (uint32_t i = 0; i < 3 * VERTICES; ++i) {
        targets[0][i] = tube.positions[i] + (i % 3 == 1 ? 0.3 : 0);
        targets[1][i] = tube.positions[i] + (i % 3 == 1 ? 0.1 : 0);
    }
    JnFrameInput input;
    JnBodyInput body;
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    body.targets = targets[0];
    body.sample_count = 2;
    input.bodies = &body;
    input.body_count = 1;
    input.frame = 2;
    CHECK(inputs_begin_frame(bake, &input, &message) == JN_OK);
    const double fractions[5] = {0, 0.25, 0.5, 0.75, 1}, lifts[5] = {0, 0.15, 0.3, 0.2, 0.1};
    for (int k = 0; k < 5; ++k) {
        inputs_point_target(bake, 0, 0, fractions[k], x);
        CHECK_NEAR(x[1], tube.positions[1] + lifts[k], 1e-12);
    }
    CHECK(jn_bake_advance(bake, &input, &message) == JN_OK);
    jn_bake_end(bake, NULL);
}

TEST(scene_in_centimetres_moves_as_in_metres) {
    double results[2][3 * VERTICES];
    for (int run = 0; run < 2; ++run) {
        Tube tube;
        JnBake *bake;
        JnMessage message;
        uint32_t count;
        double scale = run == 0 ? 1 : 100;
        open_tube(&tube);
        for (uint32_t i = 0; i < 3 * VERTICES; ++i)
            tube.positions[i] *= scale;
        tube.desc.metres_per_unit = 1 / scale;
        tube.desc.gravity[1] = -9.81;
        CHECK(jn_bake_begin(&tube.desc, &bake, &message) == JN_OK);
        for (int frame = 0; frame < 7; ++frame)
            CHECK(push(bake, NULL, NULL, &message) == JN_OK);
        CHECK(jn_bake_positions(bake, 0, results[run], 3 * VERTICES, &count, &message) == JN_OK);
        jn_bake_end(bake, NULL);
        double moved = 0;
        for (uint32_t i = 0; i < 3 * VERTICES; ++i) {
            moved = fmax(moved, fabs(results[run][i] - tube.positions[i]) / scale);
            results[run][i] /= scale;
        }
        CHECK(moved > 0.01);
    }
    for (uint32_t i = 0; i < 3 * VERTICES; ++i)
        CHECK_NEAR(results[0][i], results[1][i], 1e-6);
}

TEST(painted_stiffness_bends_less) {
    double sag[2];
    for (int run = 0; run < 2; ++run) {
        Tube tube;
        JnBake *bake;
        JnMessage message;
        uint32_t count;
        double positions[3 * VERTICES];
        float all[VERTICES];
        JnRegion regions[2];
        open_tube(&tube);
        for (int v = 0; v < VERTICES; ++v)
            all[v] = 1;
        regions[0] = tube.region;
        jn_region_init(&regions[1], sizeof regions[1]);
        regions[1].effect = "stiffness";
        regions[1].value = run == 0 ? 1 : 10;
        regions[1].weights = all;
        regions[1].weight_count = VERTICES;
        tube.body.regions = regions;
        tube.body.region_count = 2;
        tube.body.material.mass_damping = 6;
        tube.body.material.young_modulus = 1e6;
        tube.desc.gravity[1] = -9.81;
        tube.desc.frame_count = 60;
        tube.desc.steps_per_frame = 1;
        CHECK(jn_bake_begin(&tube.desc, &bake, &message) == JN_OK);
        for (int frame = 0; frame < 60; ++frame)
            CHECK(push(bake, NULL, NULL, &message) == JN_OK);
        CHECK(jn_bake_positions(bake, 0, positions, 3 * VERTICES, &count, &message) == JN_OK);
        sag[run] = tube.positions[3 * (VERTICES - 1) + 1] - positions[3 * (VERTICES - 1) + 1];
        jn_bake_end(bake, NULL);
    }
    /* ten times as stiff: a tenth of the sag, up to what large bending changes */
    CHECK(sag[0] > 0.05);
    CHECK(sag[1] > 0.05 * sag[0] && sag[1] < 0.2 * sag[0]);
}

TEST(follow_turns_a_flat_surface_with_its_tets) {
    /* points in one plane inside a slab say nothing about its thickness: it must turn with them */
    TetMesh mesh;
    TetBox box = tet_box_make(4, 4, 2, 0.1);
    JnMessage message;
    Embedding embedding;
    InverseEmbedding *follow;
    JnTets tets = tet_box_view(&box);
    CHECK(tetmesh_copy(&tets, &mesh, &message) == JN_OK);
    double points[75], moved[75], *vertices = malloc(3 * (size_t)box.vertex_count * sizeof *vertices);
    for (int p = 0; p < 25; ++p) {
        points[3 * p] = 0.02 + 0.09 * (p % 5), points[3 * p + 1] = 0.02 + 0.09 * (p / 5), points[3 * p + 2] = 0.1;
        moved[3 * p] = 10 - points[3 * p + 2], moved[3 * p + 1] = points[3 * p + 1], moved[3 * p + 2] = points[3 * p];
    }
    CHECK(embedding_build(&mesh, points, 25, &embedding, &message) == JN_OK);
    CHECK(inverse_embedding_create(&mesh, &embedding, NULL, &follow, &message) == JN_OK);
    CHECK(inverse_embedding_positions(follow, moved, vertices, &message) == JN_OK);
    for (uint32_t v = 0; v < box.vertex_count; ++v) {
        const double *rest = box.positions + 3 * v;
        CHECK_NEAR(vertices[3 * v], 10 - rest[2], 1e-6);
        CHECK_NEAR(vertices[3 * v + 1], rest[1], 1e-6);
        CHECK_NEAR(vertices[3 * v + 2], rest[0], 1e-6);
    }
    inverse_embedding_destroy(follow);
    embedding_free(&embedding);
    tetmesh_free(&mesh);
    tet_box_free(&box);
    free(vertices);
}

TEST(object_that_turns_by_half_in_a_frame_keeps_its_size_between) {
    Tube tube;
    JnBake *bake;
    JnMessage message;
    open_tube(&tube);
    tube.desc.steps_per_frame = tube.desc.samples_per_frame = 4;
    CHECK(jn_bake_begin(&tube.desc, &bake, &message) == JN_OK);
    double transform[12], between[12];
    make_transform(0, 0, transform);
    CHECK(push(bake, transform, NULL, &message) == JN_OK);
    make_transform(3.0, 0, transform);
    CHECK(push(bake, transform, NULL, &message) == JN_OK);
    /* the interval from this frame to one turned back */
    JnFrameInput input;
    JnBodyInput body;
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    make_transform(0, 0, body.transform);
    body.has_transform = 1;
    input.bodies = &body;
    input.body_count = 1;
    input.frame = 3;
    CHECK(inputs_begin_frame(bake, &input, &message) == JN_OK);
    for (double fraction = 0; fraction <= 1; fraction += 0.25) {
        make_transform(3.0 * (1 - fraction), 0, transform);
        inputs_transform(&bake->motion.bodies[0], fraction, between);
        for (int i = 0; i < 12; ++i)
            CHECK_NEAR(between[i], transform[i], 1e-12);
    }
    /* mirrored from one frame to the next: there is no way between */
    body.transform[0] = -1;
    CHECK(inputs_begin_frame(bake, &input, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "mirrored");
    jn_bake_end(bake, NULL);
}

TEST(single_painted_points_hold_their_surroundings) {
    Tube tube;
    JnBake *bake;
    JnMessage message;
    uint32_t count;
    double positions[3 * VERTICES];
    open_tube(&tube);
    tube.head[VERTICES - 1] = 1; /* besides the pinned end, one corner of the other end */
    tube.body.material.young_modulus = 1e6;
    tube.desc.gravity[1] = -9.81;
    tube.desc.frame_count = 25;
    CHECK(jn_bake_begin(&tube.desc, &bake, &message) == JN_OK);
    const Body *body = &bake->model.bodies[0];
    int held = 0;
    for (int a = 0; a < 4; ++a)
        held += body->pinned_vertices[body->embedding.vertices[4 * (VERTICES - 1) + a]];
    CHECK(held > 0);
    for (int frame = 0; frame < 25; ++frame)
        CHECK(push(bake, NULL, NULL, &message) == JN_OK);
    CHECK(jn_bake_positions(bake, 0, positions, 3 * VERTICES, &count, &message) == JN_OK);
    CHECK_NEAR(positions[3 * (VERTICES - 1) + 1], tube.positions[3 * (VERTICES - 1) + 1], 1e-12);
    /* its neighbour a metre away sags, but does not fall */
    CHECK(positions[3 * (VERTICES - 2) + 1] > tube.positions[3 * (VERTICES - 2) + 1] - 0.3);
    jn_bake_end(bake, NULL);
}
