/* The consistent mass in a bake: what rigid motion, free fall and drag make of it. */
#include "baking.h"
#include "harness.h"
#include "views.h"
#include "random.h"

#include "base/math3.h"
#include "bake/bake_internal.h"

static int begin(OneBody *scene, TetBox box, JnBake **bake, JnMessage *message) {
    one_body_init(scene, box);
    scene->desc.consistent_mass = 1;
    scene->desc.frame_count = 49;
    return jn_bake_begin(&scene->desc, bake, message) == JN_OK;
}

/* Off the lattice, so that no two tets are alike. */
static TetBox uneven_box(void) {
    TetBox box = tet_box_make(4, 3, 2, 0.1);
    uint64_t seed = 9;
    for (uint32_t i = 0; i < 3 * box.vertex_count; ++i)
        box.positions[i] += 0.02 * random_signed(&seed);
    return box;
}

TEST(consistent_mass_of_rigid_motion_has_the_exact_kinetic_energy) {
    /* of a whole box, whatever its tets: m v^2 / 2, and m (b^2 + c^2) w^2 / 6 about the first corner's x axis */
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    TetBox box = tet_box_make(4, 3, 2, 0.1);
    uint64_t seed = 9;
    for (uint32_t v = 0; v < box.vertex_count; ++v)
        for (uint32_t i = 0; i < 3; ++i) {
            double *x = &box.positions[3 * v + i], far = 0.1 * (4 - i);
            *x += *x > 0.01 && *x < far - 0.01 ? 0.02 * random_signed(&seed) : 0;
        }
    CHECK(begin(&scene, box, &bake, &message));
    size_t n = 3 * (size_t)bake->model.vertex_count;
    double *v = malloc(n * sizeof *v), mass = 1000 * 0.4 * 0.3 * 0.2, w = 3;
    for (size_t i = 0; i < n; ++i)
        v[i] = 1.5 - (double)(i % 3);
    CHECK_NEAR(system_kinetic_energy(&bake->model.system, v), 0.5 * mass * (2.25 + 0.25 + 0.25), 1e-10);
    for (size_t i = 0; i < n; i += 3)
        v[i] = 0, v[i + 1] = -w * box.positions[i + 2], v[i + 2] = w * box.positions[i + 1];
    CHECK_NEAR(system_kinetic_energy(&bake->model.system, v), mass * (0.09 + 0.04) * w * w / 6, 1e-10);
    /* lumped mass has that of translation only */
    double lumped = 0;
    for (size_t k = 0; k < bake->model.vertex_count; ++k)
        lumped += 0.5 * bake->model.system.masses[k] * vec3_dot(v + 3 * k, v + 3 * k);
    CHECK(lumped > 1.01 * mass * (0.09 + 0.04) * w * w / 6);
    free(v);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(consistent_mass_rows_sum_to_what_gravity_acts_on) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    CHECK(begin(&scene, uneven_box(), &bake, &message));
    size_t n = 3 * (size_t)bake->model.vertex_count;
    double *ones = malloc(2 * n * sizeof *ones), *product = ones + n;
    for (size_t i = 0; i < n; ++i)
        ones[i] = 1;
    system_multiply_mass(&bake->model.system, ones, product);
    for (size_t i = 0; i < n; ++i)
        CHECK_NEAR(product[i], bake->model.system.masses[i / 3], 1e-14);
    free(ones);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(consistent_mass_in_free_fall_equals_the_discrete_truth) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, uneven_box());
    scene.desc.consistent_mass = 1;
    scene.desc.gravity[1] = -9.81;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 24, &message) == JN_OK);
    double h = 1.0 / 96, steps = 92, fallen = -9.81 * h * h * steps * (steps + 1) / 2;
    for (size_t i = 0; i < 3 * (size_t)bake->model.vertex_count; ++i)
        CHECK_NEAR(bake->motion.state.q[i], scene.box.positions[i] + (i % 3 == 1) * fallen, 1e-9);
    CHECK(fallen < -4);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* Of all vertices, by M v. */
static void momentum(const JnBake *bake, double *product, double linear[3]) {
    linear[0] = linear[1] = linear[2] = 0;
    system_multiply_mass(&bake->model.system, bake->motion.state.v, product);
    for (size_t i = 0; i < 3 * (size_t)bake->model.vertex_count; ++i)
        linear[i % 3] += product[i];
}

/* The momentum of a wobbling free body after `frames`, as a part of what it was at first; the largest change of the
   components across. */
static int momentum_left(double mass_damping, uint32_t frames, double *left, double *across) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    uint64_t seed = 4;
    one_body_init(&scene, uneven_box());
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *velocities = malloc(2 * n * sizeof *velocities), before[3], after[3];
    for (size_t i = 0; i < n; ++i)
        velocities[i] = 0.3 * random_signed(&seed) + (i % 3 == 0);
    scene.body.start_velocities = velocities;
    scene.body.material.mass_damping = mass_damping;
    scene.desc.consistent_mass = 1;
    int ok = jn_bake_begin(&scene.desc, &bake, &message) == JN_OK && advance_frames(bake, 1, &message) == JN_OK;
    if (ok) {
        momentum(bake, velocities + n, before);
        ok = advance_frames(bake, frames, &message) == JN_OK;
        momentum(bake, velocities + n, after);
        *left = after[0] / before[0];
        *across = fmax(fabs(after[1] - *left * before[1]), fabs(after[2] - *left * before[2]));
    }
    jn_bake_end(bake, NULL);
    free(velocities);
    one_body_free(&scene);
    return ok;
}

TEST(consistent_mass_keeps_momentum_and_drag_takes_it_as_it_should) {
    double left, across;
    CHECK(momentum_left(0, 12, &left, &across));
    CHECK_NEAR(left, 1, 1e-10);
    CHECK_NEAR(across, 0, 1e-9);
    /* D = b M: backward Euler divides the momentum by 1 + h b in every one of the 48 steps */
    CHECK(momentum_left(2, 12, &left, &across));
    CHECK_NEAR(left, pow(1 + 2.0 / 96, -48), 1e-10);
    CHECK_NEAR(across, 0, 1e-9);
}

/* One short step of a squeezed body right after its raw matrix was indefinite: M dv / h must be the force. */
static void check_step_after_an_indefinite_matrix(const char *integrator) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    StepReport report;
    one_body_init(&scene, uneven_box());
    scene.desc.consistent_mass = 1;
    scene.desc.safeguards = 0;
    scene.desc.integrator = integrator;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 1, &message) == JN_OK);
    View *view = bake->motion.view;
    Jacobian *jacobian = view->jacobian;
    size_t n = 3 * (size_t)bake->model.vertex_count;
    double *force = malloc(3 * n * sizeof *force), *rate = force + n, *product = force + 2 * n, h = 1e-7, largest = 0;
    for (size_t i = 0; i < n; ++i)
        bake->motion.state.q[i] *= 0.7;
    CHECK(view->stiffness == STIFFNESS_RAW);
    CHECK(jacobian_factor(jacobian, bake->motion.state.q, NULL, &(JacobianScales){.mass = 1, .stiffness = 1},
                          view_treatment(view), NULL, &message) == JN_OK);
    CHECK(jacobian->indefinite);
    forces_of(view, bake->motion.state.q, bake->motion.state.v, force);
    memcpy(rate, bake->motion.state.v, n * sizeof *rate);
    CHECK(bake->model.integrator->step(bake->motion.integrator_self, view, &bake->motion.state, h, &report, &message) ==
          JN_OK);
    for (size_t i = 0; i < n; ++i) {
        rate[i] = (bake->motion.state.v[i] - rate[i]) / h;
        largest = fmax(largest, fabs(force[i]));
    }
    system_multiply_mass(view->system, rate, product);
    for (size_t i = 0; i < n; ++i)
        CHECK_NEAR(product[i], force[i], 1e-5 * largest);
    free(force);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(consistent_mass_divides_the_force_after_an_indefinite_matrix) {
    check_step_after_an_indefinite_matrix("rk4");
    check_step_after_an_indefinite_matrix("newmark");
}
