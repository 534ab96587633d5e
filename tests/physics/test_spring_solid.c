/* Solids of springs and girders against statics. */
#include "baking.h"
#include "harness.h"

#include "bake/bake_internal.h"
#include "elastic/tet_elements.h"

/* Frames until it stands still: heavy damping. */
static JnStatus settle(JnBakeDesc *desc, JnBody *body, JnBake **bake, JnMessage *message) {
    body->material.stiffness_damping = 0.05;
    body->material.mass_damping = 20;
    desc->frame_count = 97;
    JnStatus status = jn_bake_begin(desc, bake, message);
    return status == JN_OK ? advance_frames(*bake, 97, message) : status;
}

static double fastest(const JnBake *bake) {
    double speed = 0;
    for (uint32_t i = 0; i < 3 * bake->model.vertex_count; ++i)
        speed = fmax(speed, fabs(bake->motion.state.v[i]));
    return speed;
}

TEST(spring_solid_stretches_about_as_its_modulus_says_at_every_resolution) {
    /* a bar hangs along x from its end: rho g L^2 / (2 E); the tets of a grid are not isotropic, so near it only */
    double stretches[2];
    for (uint32_t fine = 0; fine < 2; ++fine) {
        OneBody scene;
        JnBake *bake;
        JnMessage message;
        uint32_t n = fine ? 4 : 2;
        one_body_init(&scene, tet_box_make(4 * n, n, n, 0.2 / n));
        one_body_pin(&scene);
        scene.body.kind = "spring_solid";
        scene.body.material.young_modulus = 2e5;
        scene.desc.gravity[0] = 9.81;
        CHECK(settle(&scene.desc, &scene.body, &bake, &message) == JN_OK);
        CHECK(fastest(bake) < 1e-5 && bake->model.tet_count == 0 && bake->model.spring_count > 100);
        double moved = 0, mass = 0;
        for (uint32_t v = 0; v < bake->model.vertex_count; ++v) {
            moved = fmax(moved, bake->motion.state.q[3 * v] - 0.8);
            mass += bake->model.system.masses[v];
        }
        CHECK_NEAR(mass, 1000 * 0.8 * 0.2 * 0.2, 1e-9);
        stretches[fine] = moved / (1000 * 9.81 * 0.8 * 0.8 / (2 * 2e5));
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
    printf("stretch %.3f and %.3f of theory\n", stretches[0], stretches[1]);
    CHECK(stretches[1] > 0.75 && stretches[1] < 1.25);
    CHECK_NEAR(stretches[0], stretches[1], 0.1);
}

TEST(spring_solid_with_strong_diagonals_does_not_collapse) {
    /* as the bunnies of Michels, Luan, Tokman 2017, section 4.1: soft edges, diagonals a million times as stiff;
       pressed flat at the start */
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(3, 3, 3, 0.1));
    scene.body.kind = "spring_solid";
    scene.body.springs.structural = 1e2;
    scene.body.springs.shear = 1e8;
    scene.body.material.stiffness_damping = 0.001;
    double *pressed = malloc(3 * scene.box.vertex_count * sizeof *pressed);
    for (uint32_t i = 0; i < 3 * scene.box.vertex_count; ++i)
        pressed[i] = scene.box.positions[i] * (i % 3 == 1 ? 0.8 : 1);
    scene.body.start_positions = pressed;
    scene.desc.frame_count = 49;
    scene.desc.steps_per_frame = 8;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 49, &message) == JN_OK);
    double volume = 0;
    for (uint32_t t = 0; t < scene.box.tet_count; ++t)
        volume += tet_volume(bake->motion.state.q, bake->model.bodies[0].mesh.tet_vertices + 4 * (size_t)t);
    CHECK_NEAR(volume, 0.027, 0.01 * 0.027);
    free(pressed);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(girders_carry_a_load_as_a_truss_does) {
    /* two bars from the ceiling at 45 degrees to a joint: F / (2 sin 45) in each, which lengthens it by that L / (E A);
       the joint sinks by this over sin 45: F L / (E A) */
    static const double positions[9] = {-1, 0, 0, 0, -1, 0, 1, 0, 0};
    static const uint32_t sizes[1] = {3}, corners[3] = {0, 1, 2};
    static const float pinned[3] = {1, 0, 1};
    const double E = 2e9, t = 0.01, F = 500, L = sqrt(2);
    JnBakeDesc desc;
    JnBody body;
    JnRegion pin;
    JnBake *bake;
    JnMessage message;
    jn_bake_desc_init(&desc, sizeof desc);
    jn_body_init(&body, sizeof body);
    jn_region_init(&pin, sizeof pin);
    pin.weights = pinned, pin.weight_count = 3;
    body.kind = "girders";
    body.curves = (JnCurves){3, 1, 3, 0, positions, sizes, corners};
    body.regions = &pin, body.region_count = 1;
    body.material.young_modulus = E;
    body.springs.thickness = t;
    /* the load is the joint's weight: half of each bar */
    double mass_per_length = 7.8, weight = 9.81 * mass_per_length * L;
    body.springs.mass_per_length = mass_per_length;
    desc.bodies = &body, desc.body_count = 1;
    desc.thread_count = 1;
    desc.gravity[1] = -9.81 * F / weight;
    CHECK(settle(&desc, &body, &bake, &message) == JN_OK);
    CHECK(fastest(bake) < 1e-7);
    double sunk = -1 - bake->motion.state.q[4], theory = F * L / (E * t * t);
    CHECK_NEAR(bake->model.system.masses[1], mass_per_length * L, 1e-12);
    CHECK_NEAR(sunk / theory, 1, 0.005); /* and a little for the angle that changes */
    CHECK_NEAR(bake->motion.state.q[3], 0, 1e-12);
    uint32_t count;
    double *now = read_positions(bake, &count);
    CHECK(count == 3 && now[1] == 0);
    free(now);
    jn_bake_end(bake, NULL);
}

TEST(chain_of_girders_hangs_as_a_catenary) {
    /* twenty hinged bars between two pins, nearly inextensible: equal bars of equal weight lie on a catenary to
     * O(1/n^2) */
    enum { BARS = 20 };
    double positions[3 * (BARS + 1)];
    uint32_t sizes[1] = {BARS + 1}, corners[BARS + 1];
    float pinned[BARS + 1] = {0};
    JnBakeDesc desc;
    JnBody body;
    JnRegion pin;
    JnBake *bake;
    JnMessage message;
    for (uint32_t i = 0; i <= BARS; ++i) {
        /* a V to begin with: 1.5 m of chain over a span of 1 m */
        double x = (double)i / BARS, across = fabs(x - 0.5);
        positions[3 * i] = x;
        positions[3 * i + 1] = (across - 0.5) * 2 * sqrt(0.75 * 0.75 - 0.25);
        positions[3 * i + 2] = 0;
        corners[i] = i;
    }
    pinned[0] = pinned[BARS] = 1;
    jn_bake_desc_init(&desc, sizeof desc);
    jn_body_init(&body, sizeof body);
    jn_region_init(&pin, sizeof pin);
    pin.weights = pinned, pin.weight_count = BARS + 1;
    body.kind = "girders";
    body.curves = (JnCurves){BARS + 1, 1, BARS + 1, 0, positions, sizes, corners};
    body.regions = &pin, body.region_count = 1;
    body.springs.structural = 1e6;
    desc.bodies = &body, desc.body_count = 1;
    desc.thread_count = 1;
    CHECK(settle(&desc, &body, &bake, &message) == JN_OK);
    CHECK(fastest(bake) < 1e-4);
    /* y = c cosh(x / c): 2 c sinh(1 / (2 c)) = 1.5 */
    double c = 0.3;
    for (int k = 0; k < 60; ++k)
        c -= (2 * c * sinh(0.5 / c) - 1.5) / (2 * sinh(0.5 / c) - cosh(0.5 / c) / c);
    double sag = c * (cosh(0.5 / c) - 1);
    CHECK(sag > 0.4);
    CHECK_NEAR(-bake->motion.state.q[3 * (BARS / 2) + 1], sag, 0.005 * sag);
    jn_bake_end(bake, NULL);
}
