/* Animated characters: how their own travel acts, cuts, frames before the first one, and what is seen of the
   simulation. */
#include "baking.h"
#include "harness.h"

#include "bake/bake_internal.h"
#include "base/math3.h"

enum { FRAMES = 24 };
static const double SIZE = 0.4; /* m, of the beam */

/* Where the rig has the beam at a frame: a motion of its rest shape, rows of a 3x4 matrix. */
typedef void (*Rig)(double frame, double motion[12]);

static void stand(double frame, double motion[12]) {
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    (void)frame;
    memcpy(motion, identity, sizeof identity);
}
/* Starts to run, and comes to a halt. */
static void run(double frame, double motion[12]) {
    stand(frame, motion);
    motion[3] = 0.03 * (frame - 1);
    motion[11] = 0.5 * (1 - cos(0.2 * (frame - 1)));
}
/* Turns about the vertical, off its own centre. */
static void turn(double frame, double motion[12]) {
    double angle = 0.06 * (frame - 1);
    const double turned[12] = {cos(angle), 0, sin(angle), 0.3, 0, 1, 0, 0, -sin(angle), 0, cos(angle), 0.1};
    memcpy(motion, turned, sizeof turned);
}
/* Runs evenly, and is elsewhere from frame 12 on. */
static void even(double frame, double motion[12]) {
    stand(frame, motion);
    motion[3] = 0.05 * (frame - 1);
}
static const double JUMP[3] = {2, 1.5, -3};
static void jump(double frame, double motion[12]) {
    even(frame, motion);
    for (int i = 0; i < 3; ++i)
        motion[4 * i + 3] += frame > 11 ? JUMP[i] : 0;
}
/* A step aside that is too short to be seen as a cut. */
static void step_aside(double frame, double motion[12]) {
    even(frame, motion);
    motion[11] += frame > 11 ? 0.1 : 0;
}
/* Faces the other way from frame 12 on. */
static void face_about(double frame, double motion[12]) {
    static const double about[12] = {-1, 0, 0, 3, 0, 1, 0, 0, 0, 0, -1, 0};
    stand(frame, motion);
    if (frame > 11)
        memcpy(motion, about, sizeof about);
}

typedef struct Character {
    OneBody scene;
    JnBake *bake;
    double *targets;
    uint32_t samples;
} Character;

/* A beam that hangs from its end at x = 0, which the rig moves. */
static JnStatus open_character(Character *character, const char *method, JnMessage *message) {
    OneBody *scene = &character->scene;
    one_body_init(scene, tet_box_make(8, 2, 2, SIZE / 8));
    one_body_pin(scene);
    scene->body.material.young_modulus = 1e5;
    scene->body.material.stiffness_damping = 0.003;
    scene->desc.integrator = method;
    scene->desc.frame_count = FRAMES;
    scene->desc.gravity[1] = -9.81;
    character->samples = 1;
    character->bake = NULL;
    character->targets = malloc(8 * scene->box.vertex_count * 3 * sizeof(double));
    (void)message;
    return JN_OK;
}

static JnStatus push_frame(Character *character, Rig rig, uint32_t cut_frame, JnMessage *message) {
    JnFrameInput input;
    JnBodyInput body;
    const OneBody *scene = &character->scene;
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    input.frame = jn_bake_next_frame(character->bake);
    body.sample_count = input.frame > scene->desc.first_frame ? character->samples : 1;
    for (uint32_t s = 0; s < body.sample_count; ++s) {
        double motion[12];
        rig(input.frame - 1 + (s + 1.0) / body.sample_count, motion);
        for (uint32_t v = 0; v < scene->box.vertex_count; ++v)
            affine_apply(motion, scene->box.positions + 3 * (size_t)v,
                         character->targets + 3 * (size_t)(s * scene->box.vertex_count + v));
    }
    body.targets = character->targets;
    body.cut = input.frame == cut_frame;
    input.bodies = &body;
    input.body_count = 1;
    return jn_bake_advance(character->bake, &input, message);
}

static JnStatus bake_character(Character *character, Rig rig, uint32_t frames, uint32_t cut_frame, JnMessage *message) {
    JnStatus status = jn_bake_begin(&character->scene.desc, &character->bake, message);
    for (uint32_t f = 0; status == JN_OK && f < frames; ++f)
        status = push_frame(character, rig, cut_frame, message);
    if (status != JN_OK)
        printf("%s\n", message->text);
    return status;
}

static void close_character(Character *character) {
    jn_bake_end(character->bake, NULL);
    one_body_free(&character->scene);
    free(character->targets);
}

/* The largest distance between vertices of `moved` and those of `still`, carried along by the rig, m. */
static double largest_difference(const Character *still, const Character *moved, Rig rig, double frame) {
    double largest = 0, motion[12], x[3], apart[3];
    rig(frame, motion);
    for (size_t v = 0; v < still->bake->model.vertex_count; ++v) {
        affine_apply(motion, still->bake->motion.state.q + 3 * v, x);
        vec3_sub(moved->bake->motion.state.q + 3 * v, x, apart);
        largest = fmax(largest, vec3_length(apart));
    }
    return largest;
}

/* How far the tip is from where a rigid beam would have it, m. */
static double tip_lag(const Character *character, Rig rig, double frame) {
    double largest = 0, motion[12], x[3], apart[3];
    rig(frame, motion);
    for (size_t v = 0; v < character->bake->model.vertex_count; ++v) {
        affine_apply(motion, character->scene.box.positions + 3 * v, x);
        vec3_sub(character->bake->motion.state.q + 3 * v, x, apart);
        largest = fmax(largest, vec3_length(apart));
    }
    return largest;
}

TEST(without_influence_a_running_rig_moves_the_body_as_one_that_stands_still) {
    static const char *const methods[] = {"si",    "sbdf2",   "ssdirk",   "be",     "bdf2",
                                          "sdirk", "tr_bdf2", "midpoint", "newmark"};
    JnMessage message;
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        Character still, moved;
        CHECK(open_character(&still, methods[m], &message) == JN_OK);
        CHECK(open_character(&moved, methods[m], &message) == JN_OK);
        /* both are carried, so that histories restart in both */
        still.scene.body.travel_influence = moved.scene.body.travel_influence = 0;
        CHECK(bake_character(&still, stand, 13, 0, &message) == JN_OK);
        CHECK(bake_character(&moved, run, 13, 0, &message) == JN_OK);
        CHECK(tip_lag(&still, stand, 13) > 0.005);
        double difference = largest_difference(&still, &moved, run, 13);
        if (!(difference < 1e-7))
            printf("  %s: %g m\n", methods[m], difference);
        CHECK(difference < 1e-7);
        close_character(&still);
        close_character(&moved);
    }
}

TEST(influence_of_travel_goes_smoothly_from_none_to_all) {
    JnMessage message;
    double lags[5], plain = 0;
    for (int i = 0; i <= 5; ++i) {
        Character character;
        CHECK(open_character(&character, "si", &message) == JN_OK);
        memset(character.scene.desc.gravity, 0, sizeof character.scene.desc.gravity);
        if (i < 5)
            character.scene.body.travel_influence = 0.25 * i;
        CHECK(bake_character(&character, run, 10, 0, &message) == JN_OK);
        *(i < 5 ? &lags[i] : &plain) = tip_lag(&character, run, 10);
        close_character(&character);
    }
    CHECK(lags[0] < 1e-7);
    for (int i = 1; i < 5; ++i)
        CHECK_NEAR(lags[i] / lags[4], 0.25 * i, 0.05);
    CHECK(lags[4] == plain);
}

TEST(without_influence_a_turning_rig_throws_nothing_outwards) {
    JnMessage message;
    Character still, moved, thrown;
    CHECK(open_character(&still, "si", &message) == JN_OK);
    CHECK(open_character(&moved, "si", &message) == JN_OK);
    CHECK(open_character(&thrown, "si", &message) == JN_OK);
    moved.scene.body.travel_influence = 0;
    moved.samples = thrown.samples = 8;
    CHECK(bake_character(&still, stand, 13, 0, &message) == JN_OK);
    CHECK(bake_character(&moved, turn, 13, 0, &message) == JN_OK);
    CHECK(bake_character(&thrown, turn, 13, 0, &message) == JN_OK);
    /* the targets go along chords of their circles */
    CHECK(largest_difference(&still, &moved, turn, 13) < 1e-4 * SIZE);
    CHECK(largest_difference(&still, &thrown, turn, 13) > 1e-2 * SIZE);
    close_character(&still);
    close_character(&moved);
    close_character(&thrown);
}

TEST(cut_is_seen_and_carries_the_body_over_as_it_moves) {
    JnMessage message;
    Character smooth, cut, torn;
    CHECK(open_character(&smooth, "si", &message) == JN_OK);
    CHECK(open_character(&cut, "si", &message) == JN_OK);
    CHECK(open_character(&torn, "si", &message) == JN_OK);
    torn.scene.body.cut_distance = 0;
    CHECK(bake_character(&smooth, even, 14, 0, &message) == JN_OK);
    CHECK(bake_character(&cut, jump, 14, 0, &message) == JN_OK);
    CHECK(bake_character(&torn, jump, 14, 0, &message) == JN_OK);
    const double shift[12] = {1, 0, 0, JUMP[0], 0, 1, 0, JUMP[1], 0, 0, 1, JUMP[2]};
    double largest = 0;
    for (size_t v = 0; v < smooth.bake->model.vertex_count; ++v) {
        double x[3], apart[3];
        affine_apply(shift, smooth.bake->motion.state.q + 3 * v, x);
        vec3_sub(cut.bake->motion.state.q + 3 * v, x, apart);
        largest = fmax(largest, vec3_length(apart));
    }
    CHECK(largest < 1e-7);
    CHECK(tip_lag(&cut, jump, 14) < 0.5 * SIZE);
    CHECK(tip_lag(&torn, jump, 14) > SIZE);
    close_character(&smooth);
    close_character(&cut);
    close_character(&torn);
}

/* The lower side of a rod that the rig moves as well, below the beam: it props the beam up. */
static JnStatus bake_propped(Character *character, Rig rig, bool deforms, uint32_t frames, JnMessage *message) {
    static const double corners[] = {0.3, -0.06, -1, 0.5, -0.06, -1, 0.5, -0.06, 1, 0.3, -0.06, 1};
    static const uint32_t sizes[] = {4}, faces[] = {0, 3, 2, 1};
    OneBody *scene = &character->scene;
    JnCollider prop;
    jn_collider_init(&prop, sizeof prop);
    prop.kind = "mesh";
    prop.surface = (JnSurface){4, 1, 4, 0, corners, sizes, faces, NULL};
    scene->desc.colliders = &prop;
    scene->desc.collider_count = 1;
    JnStatus status = jn_bake_begin(&scene->desc, &character->bake, message);
    for (uint32_t f = 0; status == JN_OK && f < frames; ++f) {
        JnFrameInput input;
        JnBodyInput body;
        JnColliderInput collider;
        double motion[12], positions[12];
        jn_frame_input_init(&input, sizeof input);
        jn_body_input_init(&body, sizeof body);
        jn_collider_input_init(&collider, sizeof collider);
        input.frame = jn_bake_next_frame(character->bake);
        rig(input.frame, motion);
        for (size_t v = 0; v < scene->box.vertex_count; ++v)
            affine_apply(motion, scene->box.positions + 3 * v, character->targets + 3 * v);
        for (size_t v = 0; v < 4; ++v)
            affine_apply(motion, corners + 3 * v, positions + 3 * v);
        memcpy(collider.transform, motion, sizeof motion);
        collider.has_transform = !deforms;
        collider.positions = deforms ? positions : NULL;
        body.targets = character->targets;
        body.sample_count = 1;
        input.bodies = &body;
        input.body_count = input.collider_count = 1;
        input.colliders = &collider;
        status = jn_bake_advance(character->bake, &input, message);
    }
    if (status != JN_OK)
        printf("%s\n", message->text);
    return status;
}

TEST(collider_that_jumps_along_with_a_body_is_carried_over_with_it) {
    JnMessage message;
    for (int deforms = 0; deforms < 2; ++deforms) {
        Character still, cut, unpropped;
        CHECK(open_character(&still, "sdirk", &message) == JN_OK);
        CHECK(open_character(&cut, "sdirk", &message) == JN_OK);
        CHECK(open_character(&unpropped, "sdirk", &message) == JN_OK);
        CHECK(bake_propped(&still, stand, deforms, 14, &message) == JN_OK);
        CHECK(bake_propped(&cut, face_about, deforms, 14, &message) == JN_OK);
        CHECK(bake_character(&unpropped, stand, 14, 0, &message) == JN_OK);
        CHECK(largest_difference(&still, &unpropped, stand, 14) > 0.005);
        /* the rounds of contact agree to a thousandth of its force */
        CHECK(largest_difference(&still, &cut, face_about, 14) < 1e-5);
        close_character(&still);
        close_character(&cut);
        close_character(&unpropped);
    }
}

TEST(cut_turns_the_body_and_its_velocities_with_the_animation) {
    JnMessage message;
    Character still, cut;
    CHECK(open_character(&still, "sdirk", &message) == JN_OK);
    CHECK(open_character(&cut, "sdirk", &message) == JN_OK);
    CHECK(bake_character(&still, stand, 14, 0, &message) == JN_OK);
    CHECK(bake_character(&cut, face_about, 14, 0, &message) == JN_OK);
    CHECK(tip_lag(&still, stand, 14) > 0.005);
    CHECK(largest_difference(&still, &cut, face_about, 14) < 1e-7);
    close_character(&still);
    close_character(&cut);
}

TEST(cut_that_is_given_holds_however_short_the_jump) {
    JnMessage message;
    const double shift[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.1};
    for (int given = 0; given < 2; ++given) {
        Character smooth, character;
        double largest = 0;
        CHECK(open_character(&smooth, "si", &message) == JN_OK);
        CHECK(open_character(&character, "si", &message) == JN_OK);
        CHECK(bake_character(&smooth, even, 12, 0, &message) == JN_OK);
        CHECK(bake_character(&character, step_aside, 12, given ? 12 : 0, &message) == JN_OK);
        for (size_t v = 0; v < smooth.bake->model.vertex_count; ++v) {
            double x[3], apart[3];
            affine_apply(shift, smooth.bake->motion.state.q + 3 * v, x);
            vec3_sub(character.bake->motion.state.q + 3 * v, x, apart);
            largest = fmax(largest, vec3_length(apart));
        }
        CHECK(given ? largest < 1e-7 : largest > 0.02);
        close_character(&smooth);
        close_character(&character);
    }
}

/* ------------------------------------------------------------------------------------------------ before the first */

/* A pose that the rest shape bends to, somewhere else in the scene. */
static void bent(const double *rest, uint32_t count, double *pose) {
    for (uint32_t v = 0; v < count; ++v) {
        double angle = 2 * rest[3 * v], radius = 0.5 + rest[3 * v + 1];
        pose[3 * v] = 20 + radius * sin(angle);
        pose[3 * v + 1] = 5 - 0.5 + radius * cos(angle);
        pose[3 * v + 2] = rest[3 * v + 2];
    }
}

static JnStatus push_bent(Character *character, JnMessage *message) {
    JnFrameInput input;
    JnBodyInput body;
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    bent(character->scene.box.positions, character->scene.box.vertex_count, character->targets);
    input.frame = jn_bake_next_frame(character->bake);
    body.targets = character->targets;
    input.bodies = &body;
    input.body_count = 1;
    return jn_bake_advance(character->bake, &input, message);
}

TEST(preroll_leads_from_the_rest_pose_to_the_first_frame_and_leaves_it_at_rest) {
    JnMessage message;
    Character character, settled;
    CHECK(open_character(&character, "si", &message) == JN_OK);
    CHECK(open_character(&settled, "si", &message) == JN_OK);
    character.scene.desc.preroll_count = 120;
    character.scene.desc.first_frame = 7;
    character.scene.body.material.mass_damping = settled.scene.body.material.mass_damping = 10;
    settled.scene.body.settle = 1;
    CHECK(jn_bake_begin(&character.scene.desc, &character.bake, &message) == JN_OK);
    CHECK(jn_bake_next_frame(character.bake) == 7);
    CHECK(push_bent(&character, &message) == JN_OK);
    CHECK(jn_bake_next_frame(character.bake) == 8);
    CHECK(jn_bake_begin(&settled.scene.desc, &settled.bake, &message) == JN_OK);
    CHECK(push_bent(&settled, &message) == JN_OK);
    CHECK(largest_difference(&settled, &character, stand, 7) < 1e-3 * SIZE);
    CHECK_NEAR(character.bake->motion.state.time, 7 / 24.0, 1e-12);
    for (size_t v = 0; v < character.bake->model.vertex_count; ++v) {
        CHECK(vec3_length(character.bake->motion.state.v + 3 * v) < 0.02);
        if (!view_is_free(character.bake->motion.view, v))
            for (size_t i = 3 * v; i < 3 * v + 3; ++i)
                CHECK_NEAR(character.bake->motion.state.q[i], character.targets[i], 1e-12);
    }
    /* and the bake goes on as from any first frame */
    CHECK(push_bent(&character, &message) == JN_OK);
    JnMotion motion = {.struct_size = sizeof motion};
    CHECK(jn_bake_motion(character.bake, &motion, &message) == JN_OK);
    CHECK(motion.extra_steps == 0 && motion.steps_done == character.scene.desc.steps_per_frame);
    close_character(&character);
    close_character(&settled);
}

TEST(preroll_begins_in_the_rest_shape_where_the_first_frame_is) {
    JnMessage message;
    Character character;
    CHECK(open_character(&character, "si", &message) == JN_OK);
    character.scene.desc.preroll_count = 1000;
    memset(character.scene.desc.gravity, 0, sizeof character.scene.desc.gravity);
    CHECK(jn_bake_begin(&character.scene.desc, &character.bake, &message) == JN_OK);
    JnFrameInput input;
    JnBodyInput body;
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    bent(character.scene.box.positions, character.scene.box.vertex_count, character.targets);
    body.targets = character.targets;
    input.bodies = &body;
    input.body_count = 1;
    CHECK(inputs_begin_frame(character.bake, &input, &message) == JN_OK);
    const BodyMotion *motion = &character.bake->motion.bodies[0];
    const double *rest = character.scene.box.positions, *start = motion->lead_from;
    double mean[3] = {0, 0, 0};
    for (uint32_t v = 0; v < character.scene.box.vertex_count; ++v)
        for (uint32_t i = 0; i < 3; ++i)
            mean[i] += (start[3 * v + i] - character.targets[3 * v + i]) / character.scene.box.vertex_count;
    CHECK(vec3_length(mean) < 1e-9);
    for (uint32_t v = 1; v < character.scene.box.vertex_count; ++v) {
        double before[3], after[3];
        vec3_sub(rest + 3 * v, rest, before);
        vec3_sub(start + 3 * v, start, after);
        CHECK_NEAR(vec3_length(after), vec3_length(before), 1e-9);
    }
    close_character(&character);
}

/* ------------------------------------------------------------------------------------------------ what is seen */

static JnStatus push_seen(Character *character, double simulation, JnMessage *message) {
    JnFrameInput input;
    JnBodyInput body;
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    input.frame = jn_bake_next_frame(character->bake);
    body.has_simulation = 1;
    body.simulation = simulation;
    input.bodies = &body;
    input.body_count = 1;
    return jn_bake_advance(character->bake, &input, message);
}

TEST(simulation_and_animation_are_mixed_by_keys_and_by_paint) {
    JnMessage message;
    Character character;
    uint32_t count;
    double simulated = 0;
    CHECK(open_character(&character, "si", &message) == JN_OK);
    uint32_t vertices = character.scene.box.vertex_count;
    float *half = calloc(vertices, sizeof *half);
    JnRegion regions[2] = {character.scene.pin, character.scene.pin};
    regions[1].effect = "simulation";
    regions[1].value = 0;
    regions[1].weights = half;
    for (uint32_t v = 0; v < vertices; ++v)
        half[v] = character.scene.box.positions[3 * v + 2] > 0 ? 0.5f : 0;
    character.scene.body.regions = regions;
    character.scene.body.region_count = 2;
    CHECK(jn_bake_begin(&character.scene.desc, &character.bake, &message) == JN_OK);
    for (int frame = 0; frame < 8; ++frame) {
        double part = frame < 5 ? 1 : frame == 5 ? 0.25 : 0;
        CHECK(push_seen(&character, part, &message) == JN_OK);
        double *positions = read_positions(character.bake, &count);
        for (uint32_t i = 0, p = 0; i < vertices; ++i) {
            /* the cached vertices are those of the boundary, in order: compare by the body's own list */
            if (p >= count || character.bake->model.bodies[0].cached_points[p] != i)
                continue;
            double seen = part * (1 - 0.5 * (half[i] > 0));
            for (uint32_t c = 0; c < 3; ++c) {
                double rest = character.scene.box.positions[3 * i + c],
                       free = character.bake->motion.state.q[3 * i + c];
                CHECK_NEAR(positions[3 * p + c], rest + seen * (free - rest), 1e-12);
                simulated = fmax(simulated, fabs(free - rest));
            }
            ++p;
        }
        free(positions);
    }
    CHECK(simulated > 0.005);
    free(half);
    close_character(&character);
}
