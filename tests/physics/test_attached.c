/* Bodies that are attached to each other: what is held, what it weighs, how both are carried. */
#include "baking.h"
#include "harness.h"

#include "bake/bake_internal.h"
#include "base/math3.h"
#include "elastic/attachments.h"
#include "random.h"

static const double SIDE = 0.2; /* m, of the head; the hat is half as high */

/* A hat that stands on a head. */
typedef struct Hatted {
    JnBakeDesc desc;
    JnBody bodies[2];
    TetBox boxes[2];
    JnRegion hold, brim;
    float *held, *brimmed;
    double *targets;
    JnBake *bake;
} Hatted;

enum { HEAD, HAT };

static void open_hatted(Hatted *hatted, double hold) {
    memset(hatted, 0, sizeof *hatted);
    jn_bake_desc_init(&hatted->desc, sizeof hatted->desc);
    hatted->boxes[HEAD] = tet_box_make(4, 4, 4, SIDE / 4);
    hatted->boxes[HAT] = tet_box_make(4, 2, 4, SIDE / 4);
    hatted->held = calloc(hatted->boxes[HEAD].vertex_count, sizeof(float));
    hatted->brimmed = calloc(hatted->boxes[HAT].vertex_count, sizeof(float));
    hatted->targets = malloc(3 * (size_t)hatted->boxes[HEAD].vertex_count * sizeof(double));
    for (int b = 0; b < 2; ++b) {
        JnBody *body = &hatted->bodies[b];
        jn_body_init(body, sizeof *body);
        body->name = b == HEAD ? "head" : "hat";
        body->tets = tet_box_view(&hatted->boxes[b]);
        body->material.young_modulus = 1e6;
        body->collides = 0;
        body->region_count = 1;
    }
    hatted->bodies[HAT].transform[7] = SIDE;
    hatted->bodies[HEAD].regions = &hatted->hold;
    hatted->bodies[HAT].regions = &hatted->brim;
    jn_region_init(&hatted->hold, sizeof hatted->hold);
    jn_region_init(&hatted->brim, sizeof hatted->brim);
    hatted->hold.weights = hatted->held;
    hatted->hold.weight_count = hatted->boxes[HEAD].vertex_count;
    hatted->brim.weights = hatted->brimmed;
    hatted->brim.weight_count = hatted->boxes[HAT].vertex_count;
    hatted->brim.effect = "attach";
    hatted->brim.to = "head";
    for (uint32_t v = 0; v < hatted->boxes[HEAD].vertex_count; ++v)
        hatted->held[v] = (float)hold;
    for (uint32_t v = 0; v < hatted->boxes[HAT].vertex_count; ++v)
        hatted->brimmed[v] = hatted->boxes[HAT].positions[3 * v + 1] == 0;
    hatted->desc.bodies = hatted->bodies;
    hatted->desc.body_count = 2;
    hatted->desc.thread_count = 1;
    hatted->desc.frame_count = 24;
}

static void close_hatted(Hatted *hatted) {
    jn_bake_end(hatted->bake, NULL);
    for (int b = 0; b < 2; ++b)
        tet_box_free(&hatted->boxes[b]);
    free(hatted->held);
    free(hatted->brimmed);
    free(hatted->targets);
}

/* A frame in which the head is animated to `motion`, rows of a 3x4 matrix. */
static JnStatus push_head(Hatted *hatted, const double motion[12], JnMessage *message) {
    JnFrameInput input;
    JnBodyInput bodies[2];
    jn_frame_input_init(&input, sizeof input);
    for (int b = 0; b < 2; ++b)
        jn_body_input_init(&bodies[b], sizeof bodies[b]);
    for (size_t v = 0; v < hatted->boxes[HEAD].vertex_count; ++v)
        affine_apply(motion, hatted->boxes[HEAD].positions + 3 * v, hatted->targets + 3 * v);
    bodies[HEAD].targets = hatted->targets;
    input.frame = jn_bake_next_frame(hatted->bake);
    input.bodies = bodies;
    input.body_count = 2;
    return jn_bake_advance(hatted->bake, &input, message);
}

/* The farthest that the hat's brim is from where the head carries it, m. */
static double slip(const Hatted *hatted) {
    const double *q = hatted->bake->motion.state.q;
    double largest = 0;
    for (size_t v = 0; v < hatted->boxes[HAT].vertex_count; ++v) {
        const double *rest = hatted->boxes[HAT].positions + 3 * v;
        for (size_t u = 0; hatted->brimmed[v] > 0 && u < hatted->boxes[HEAD].vertex_count; ++u) {
            const double *below = hatted->boxes[HEAD].positions + 3 * u;
            double apart[3];
            if (fabs(below[0] - rest[0]) + fabs(below[1] - SIDE) + fabs(below[2] - rest[2]) > 1e-9)
                continue;
            vec3_sub(q + 3 * (hatted->boxes[HEAD].vertex_count + v), q + 3 * u, apart);
            largest = fmax(largest, vec3_length(apart));
        }
    }
    return largest;
}

TEST(attached_body_stays_on_the_one_that_moves_it) {
    JnMessage message;
    Hatted hatted;
    double fastest = 0;
    open_hatted(&hatted, 1);
    CHECK(jn_bake_begin(&hatted.desc, &hatted.bake, &message) == JN_OK);
    for (int frame = 0; frame < 12; ++frame) {
        double angle = 0.4 * sin(0.5 * frame);
        const double motion[12] = {cos(angle), -sin(angle), 0, 3 + 0.1 * frame, sin(angle), cos(angle), 0, 0,
                                   0,          0,           1, 0.02 * frame};
        CHECK(push_head(&hatted, motion, &message) == JN_OK);
        CHECK(slip(&hatted) < 1e-4 * SIDE);
        for (size_t i = 0; i < 3 * (size_t)hatted.bake->model.vertex_count; ++i)
            fastest = fmax(fastest, fabs(hatted.bake->motion.state.v[i]));
    }
    CHECK(fastest > 1 && fastest < 10);
    close_hatted(&hatted);
}

TEST(attached_body_weighs_on_the_one_that_holds_it) {
    JnMessage message;
    Hatted hatted;
    const double stand[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    open_hatted(&hatted, 0.5);
    hatted.bodies[HEAD].settle = hatted.bodies[HAT].settle = 1;
    hatted.bodies[HEAD].material.young_modulus = hatted.bodies[HAT].material.young_modulus = 1e8;
    CHECK(jn_bake_begin(&hatted.desc, &hatted.bake, &message) == JN_OK);
    CHECK(push_head(&hatted, stand, &message) == JN_OK);
    /* a pin of 0.5 yields by a tenth of the size for the head's own weight, and the hat has half of it */
    for (size_t v = 0; v < hatted.boxes[HEAD].vertex_count; ++v)
        CHECK_NEAR(hatted.bake->motion.state.q[3 * v + 1] - hatted.boxes[HEAD].positions[3 * v + 1], -0.15 * SIDE,
                   1e-3 * SIDE);
    close_hatted(&hatted);
}

TEST(attached_body_starts_and_jumps_with_the_one_that_carries_it) {
    JnMessage message;
    Hatted hatted;
    double before = 0, after = 0;
    open_hatted(&hatted, 1);
    CHECK(jn_bake_begin(&hatted.desc, &hatted.bake, &message) == JN_OK);
    const double far[12] = {0, 0, 1, 50, 0, 1, 0, 2, -1, 0, 0, 7}, farther[12] = {1, 0, 0, -90, 0, 1, 0, 2, 0, 0, 1, 7};
    CHECK(push_head(&hatted, far, &message) == JN_OK);
    CHECK(slip(&hatted) < 1e-9);
    CHECK(push_head(&hatted, far, &message) == JN_OK);
    for (size_t i = 0; i < 3 * (size_t)hatted.bake->model.vertex_count; ++i)
        before = fmax(before, fabs(hatted.bake->motion.state.v[i]));
    CHECK(push_head(&hatted, farther, &message) == JN_OK);
    CHECK(slip(&hatted) < 1e-4 * SIDE);
    for (size_t i = 0; i < 3 * (size_t)hatted.bake->model.vertex_count; ++i)
        after = fmax(after, fabs(hatted.bake->motion.state.v[i]));
    CHECK(before < 0.5 && after < 0.5);
    close_hatted(&hatted);
}

TEST(attachments_keep_momentum_and_are_what_their_energy_says) {
    enum { VERTICES = 7 };
    const Attachment list[] = {{{0, 2, 3, 4, 5}, {1, -0.4, -0.3, -0.5, 0.2}, 30},
                               {{6, 5, 1, 2, 3}, {1, -0.25, -0.25, -0.25, -0.25}, 7}};
    const VertexGroups coupled[] = {{2, ATTACHMENT_VERTICES, NULL, (const uint32_t[]){0, 2, 3, 4, 5, 6, 5, 1, 2, 3}}};
    double q[3 * VERTICES], force[3 * VERTICES] = {0}, sum[3] = {0}, torque[3] = {0}, energy = 0;
    uint64_t random = 5;
    ForceTerm term;
    BlockMatrix matrix;
    CHECK(attachments_create(list, 2, &term, NULL) == JN_OK);
    CHECK(block_matrix_build(VERTICES, coupled, 1, &matrix, NULL) == JN_OK);
    for (int i = 0; i < 3 * VERTICES; ++i)
        q[i] = random_signed(&random);
    Evaluation e = {.q = q, .energy = &energy, .force = force, .matrix = &matrix, .stiffness_scale = 1};
    CHECK(term.operations->evaluate(term.self, NULL, &e, NULL) == JN_OK);
    for (size_t v = 0; v < VERTICES; ++v) {
        double turning[3];
        vec3_cross(q + 3 * v, force + 3 * v, turning);
        for (size_t i = 0; i < 3; ++i)
            sum[i] += force[3 * v + i], torque[i] += turning[i];
    }
    CHECK(vec3_length(sum) < 1e-12 && vec3_length(torque) < 1e-12);
    /* linear springs: the energy is -f q / 2 and the force -K q, if the origin is where they rest */
    double product[3 * VERTICES], work = 0;
    block_matrix_multiply(&matrix, q, product);
    for (int i = 0; i < 3 * VERTICES; ++i) {
        CHECK_NEAR(product[i], -force[i], 1e-12);
        work -= 0.5 * force[i] * q[i];
    }
    CHECK_NEAR(energy, work, 1e-12);
    CHECK(energy > 1);
    block_matrix_free(&matrix);
    term.operations->destroy(term.self);
}

TEST(attaching_to_nothing_is_refused_by_name) {
    JnMessage message;
    Hatted hatted;
    open_hatted(&hatted, 1);
    hatted.brim.to = "hat";
    CHECK(jn_bake_begin(&hatted.desc, &hatted.bake, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "bodies[1].regions[0].to is 'hat', but no other body");
    hatted.brim.to = NULL;
    CHECK(jn_bake_begin(&hatted.desc, &hatted.bake, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "name the body to attach to");
    hatted.brim.to = "head";
    hatted.brim.effect = "pin";
    CHECK(jn_bake_begin(&hatted.desc, &hatted.bake, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "only the effect attach");
    close_hatted(&hatted);
}
