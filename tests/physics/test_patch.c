/* The patch test: a block of tets of all shapes whose boundary is moved by a linear displacement follows it inside,
   exactly, with the same stress everywhere. A time step so long that inertia is nothing is a Newton step of statics. */
#include "baking.h"
#include "harness.h"
#include "random.h"

#include "base/math3.h"
#include "bake/bake_internal.h"
#include "elastic/tet_elements.h"
#include "elastic/material.h"

enum { CELLS = 4, FRAMES = 8 };

/* A small strain with a turn of as small an angle: x -> x + G x. */
static const double G[9] = {3e-5, 2e-5, -1e-5, -1e-5, -2e-5, 2e-5, 1.5e-5, 1e-5, 2.5e-5};

/* Inner vertices pushed off the lattice, so that no two tets are alike; none turns over. */
static TetBox distorted_block(float *boundary) {
    TetBox box = tet_box_make(CELLS, CELLS, CELLS, 0.1);
    uint64_t seed = 11;
    for (uint32_t v = 0; v < box.vertex_count; ++v) {
        double *x = box.positions + 3 * v;
        boundary[v] = 0;
        for (int i = 0; i < 3; ++i)
            if (x[i] < 0.01 || x[i] > 0.1 * CELLS - 0.01)
                boundary[v] = 1;
        for (int i = 0; i < 3 && boundary[v] == 0; ++i)
            x[i] += 0.025 * random_signed(&seed);
    }
    return box;
}

static void displaced(const double *x, double out[3]) {
    mat3_mul_vec(G, x, out);
    for (int i = 0; i < 3; ++i)
        out[i] += x[i];
}

/* Hooke's stress of the symmetric part of G; a law without Poisson's ratio has it as if that were 0. */
static void hooke(const Material *law, double young_modulus, double poisson_ratio, double stress[9]) {
    double lambda, mu, trace = G[0] + G[4] + G[8];
    material_lame(young_modulus, law->traits & MATERIAL_POISSON ? poisson_ratio : 0, &lambda, &mu);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            stress[3 * i + j] = mu * (G[3 * i + j] + G[3 * j + i]) + (i == j) * lambda * trace;
}

/* The stress of tet t in the pose q. */
static void tet_stress(const TetBox *box, uint32_t t, const double *q, const Material *law, const double *c,
                       double P[9]) {
    double gradients[4][3], volume, F[9] = {0};
    tet_gradients(box->positions, box->tets + 4 * t, gradients, &volume);
    for (int a = 0; a < 4; ++a)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                F[3 * i + j] += q[3 * box->tets[4 * t + (uint32_t)a] + (uint32_t)i] * gradients[a][j];
    law->stress(c, F, P);
}

static void check_patch(const char *law_name, double poisson_ratio) {
    enum { VERTICES = (CELLS + 1) * (CELLS + 1) * (CELLS + 1) };
    static float boundary[VERTICES];
    static double targets[3 * VERTICES];
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    JnBodyInput moved;
    JnFrameInput input;
    one_body_init(&scene, distorted_block(boundary));
    jn_region_init(&scene.pin, sizeof scene.pin);
    scene.pin.weights = boundary;
    scene.pin.weight_count = VERTICES;
    scene.body.regions = &scene.pin;
    scene.body.region_count = 1;
    scene.body.material.law = law_name;
    scene.body.material.poisson_ratio = poisson_ratio;
    scene.desc.fps = 0.01;
    scene.desc.steps_per_frame = 1;
    scene.desc.frame_count = FRAMES;
    for (uint32_t v = 0; v < VERTICES; ++v)
        displaced(scene.box.positions + 3 * v, targets + 3 * v);
    jn_body_input_init(&moved, sizeof moved);
    moved.targets = targets;
    jn_frame_input_init(&input, sizeof input);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance(bake, &message) == JN_OK);
    for (int frame = 1; frame < FRAMES; ++frame) {
        input.bodies = &moved;
        input.body_count = 1;
        input.frame = jn_bake_next_frame(bake);
        CHECK(jn_bake_advance(bake, &input, &message) == JN_OK);
    }

    double farthest = 0;
    for (uint32_t i = 0; i < 3 * VERTICES; ++i) {
        farthest = fmax(farthest, fabs(targets[i] - scene.box.positions[i]));
        CHECK_NEAR(bake->motion.state.q[i], targets[i], 1e-13);
    }
    CHECK(farthest > 1e-5);
    const Material *law = bake->model.bodies[0].law;
    double c[MATERIAL_COEFFICIENTS], expected[9], P[9], young_modulus = bake->model.bodies[0].material.young_modulus;
    law->coefficients(young_modulus, poisson_ratio, c);
    hooke(law, young_modulus, poisson_ratio, expected);
    for (uint32_t t = 0; t < scene.box.tet_count; ++t) {
        tet_stress(&scene.box, t, bake->motion.state.q, law, c, P);
        /* laws that are not linear differ by the square of the strain */
        for (int i = 0; i < 9; ++i)
            CHECK_NEAR(P[i], expected[i], 10 * young_modulus / (1 - 2 * poisson_ratio) * 9e-10);
    }
    CHECK(fabs(expected[0]) > 1e-5 * young_modulus);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(patch_of_every_law_follows_a_linear_displacement) {
    for (uint32_t k = 0; k < material_table.count && !harness_failed; ++k)
        check_patch(((const JnTableEntry *)table_at(&material_table, k))->name, 0.3);
}

TEST(patch_of_every_law_follows_it_near_incompressibility_too) {
    for (uint32_t k = 0; k < material_table.count && !harness_failed; ++k)
        check_patch(((const JnTableEntry *)table_at(&material_table, k))->name, 0.49);
}
