/* Contact and friction of a stiff block against the motion of a rigid one, in every method. */
#include "baking.h"
#include "harness.h"
#include "touching_methods.h"

#include "bake/bake_internal.h"

static const double G = 9.81;

/* The methods that friction is judged in; NULL: not this one. */
static uint32_t method_count(void) {
    return integrator_table.count;
}

static const Integrator *method_at(uint32_t m) {
    const Integrator *method = (const Integrator *)integrator_table.items + m;
    return contact_is_judged_in(method->entry.name) ? method : NULL;
}

static bool is_first_order(const Integrator *method) {
    return method->order == 1;
}

/* A block 30 cm wide and 20 cm high on a plane that is inclined by `angle` about z. */
typedef struct Block {
    OneBody scene;
    JnBake *bake;
    double down[3]; /* the direction down the slope */
    double up[3];   /* away from it */
    double mass;
} Block;

static bool block_open_of(Block *block, const char *method, uint32_t steps_per_frame, double angle, double mu,
                          double young_modulus, double stiffness_damping) {
    OneBody *scene = &block->scene;
    double c = cos(angle), s = sin(angle);
    const double turn[12] = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0}, down[3] = {-c, -s, 0}, up[3] = {-s, c, 0};
    one_body_init(scene, tet_box_make(3, 2, 3, 0.1));
    memcpy(scene->body.transform, turn, sizeof turn);
    memcpy(block->down, down, sizeof down);
    memcpy(block->up, up, sizeof up);
    scene->body.material.young_modulus = young_modulus;
    scene->body.material.stiffness_damping = stiffness_damping;
    scene->desc.gravity[1] = -G;
    scene->desc.frame_count = 1000;
    scene->desc.steps_per_frame = steps_per_frame;
    scene->desc.integrator = method;
    scene->desc.collider_count = 1;
    memcpy(scene->collider.normal, up, sizeof up);
    scene->collider.friction = mu;
    JnMessage message;
    if (jn_bake_begin(&scene->desc, &block->bake, &message) != JN_OK || advance(block->bake, &message) != JN_OK)
        return false;
    block->mass = 0;
    for (uint32_t v = 0; v < block->bake->model.vertex_count; ++v)
        block->mass += block->bake->model.system.masses[v];
    return true;
}

static bool block_open(Block *block, const char *method, uint32_t steps_per_frame, double angle, double mu) {
    return block_open_of(block, method, steps_per_frame, angle, mu, 1e8, 0.002);
}

/* The same of jelly, without damping. */
static bool block_open_soft(Block *block, const char *method, uint32_t steps_per_frame, double angle, double mu) {
    return block_open_of(block, method, steps_per_frame, angle, mu, 1e5, 0);
}

static void block_close(Block *block) {
    jn_bake_end(block->bake, NULL);
    one_body_free(&block->scene);
}

/* Moves the block by `distance` away from the plane, and gives it a speed down the slope. */
static void block_move(Block *block, double distance, double speed) {
    State *state = &block->bake->motion.state;
    for (uint32_t v = 0; v < block->bake->model.vertex_count; ++v)
        for (int i = 0; i < 3; ++i) {
            state->q[3 * v + (size_t)i] += distance * block->up[i];
            state->v[3 * v + (size_t)i] += speed * block->down[i];
        }
}

/* To where it lies with its weight on the plane, and a gap above that. */
static void block_lay(Block *block, double angle, double gap, double speed) {
    const Settings *settings = &block->bake->settings;
    double depth = block->mass * G * cos(angle) / (settings->contact_stiffness * 0.09);
    block_move(block, settings->contact_thickness - depth + gap, speed);
}

/* The mean of positions or velocities along a direction, by mass. */
static double block_mean(const Block *block, const double *values, const double along[3]) {
    double sum = 0;
    for (uint32_t v = 0; v < block->bake->model.vertex_count; ++v)
        for (int i = 0; i < 3; ++i)
            sum += block->bake->model.system.masses[v] * values[3 * v + (size_t)i] * along[i];
    return sum / block->mass;
}

/* How far a block that is let go on a slope slides in one second, as part of what a rigid one does. */
static double slid_part(const char *method, uint32_t steps_per_frame, double mu, double steepness) {
    Block block;
    double angle = atan(mu * steepness), part = NAN;
    if (block_open(&block, method, steps_per_frame, angle, mu)) {
        block_lay(&block, angle, 0, 0);
        double start = block_mean(&block, block.bake->motion.state.q, block.down);
        if (advance_frames(block.bake, 24, NULL) == JN_OK)
            part = (block_mean(&block, block.bake->motion.state.q, block.down) - start) /
                   (0.5 * G * (sin(angle) - mu * cos(angle)));
    }
    block_close(&block);
    return part;
}

SLOW_TEST(block_let_go_on_a_slope_slides_as_a_rigid_one_in_every_method) {
    for (uint32_t m = 0; m < method_count(); ++m) {
        const Integrator *method = method_at(m);
        if (!method)
            continue;
        double coarse = slid_part(method->entry.name, 1, 0.5, 1.1), fine = slid_part(method->entry.name, 4, 0.5, 1.1);
        printf("%-20s slides %.4f of the rigid distance at 1 step a frame, %.4f at 4\n", method->entry.name, coarse,
               fine);
        CHECK_NEAR(coarse, 1, 0.05);
        CHECK_NEAR(fine, 1, 0.02);
        /* backward Euler's own error is 1/n in n steps */
        if (is_first_order(method))
            CHECK_NEAR(fine, 1 + 1.0 / 96, 2e-3);
    }
}

TEST(blocks_of_any_friction_slide_as_rigid_ones) {
    for (double mu = 0.1; mu < 1.05; mu += 0.3)
        for (int k = 0; k < 2; ++k) {
            CHECK_NEAR(slid_part("si", 4, mu, 1.05 + 0.95 * k), 1, 0.02);
            CHECK_NEAR(slid_part("ssdirk", 4, mu, 1.05 + 0.95 * k), 1, 0.02);
        }
}

/* A firm block shears and rocks as it is let go, and then holds. */
TEST(block_that_rocked_holds_near_the_critical_angle_in_every_method) {
    const double mu = 0.5, angle = atan(0.95 * mu);
    for (uint32_t m = 0; m < method_count(); ++m) {
        const Integrator *method = method_at(m);
        Block block;
        if (!method)
            continue;
        CHECK(block_open_of(&block, method->entry.name, 4, angle, mu, 4e6, 0.002));
        CHECK(advance_frames(block.bake, 12, NULL) == JN_OK);
        double start = block_mean(&block, block.bake->motion.state.q, block.down);
        CHECK(advance_frames(block.bake, 12, NULL) == JN_OK);
        double moved = block_mean(&block, block.bake->motion.state.q, block.down) - start;
        printf("%-20s moves %.3f mm\n", method->entry.name, 1e3 * moved);
        CHECK_NEAR(moved, 0, 3e-4);
        block_close(&block);
    }
}

LONG_TEST(block_holds_for_ten_seconds_within_a_millimetre) {
    static const char *const methods[] = {"si", "ssdirk", "trapezoidal"};
    for (int m = 0; m < 3; ++m)
        for (double mu = 0.1; mu < 1.05; mu += 0.3) {
            Block block;
            double angle = atan(0.95 * mu);
            CHECK(block_open(&block, methods[m], 1, angle, mu));
            block_lay(&block, angle, 0, 0);
            double start = block_mean(&block, block.bake->motion.state.q, block.down);
            CHECK(advance_frames(block.bake, 240, NULL) == JN_OK);
            double crept = block_mean(&block, block.bake->motion.state.q, block.down) - start;
            printf("%-12s mu %.1f creeps %.3g mm in 10 s\n", methods[m], mu, 1e3 * crept);
            CHECK(crept > -1e-4 && crept < 1e-3);
            block_close(&block);
        }
}

/* A block that is thrown flat over the floor at 1 m/s: how far it comes, m, and the largest quotient of the impulses of
   friction and of the floor so far, at any frame. */
static double thrown_distance(const char *method, uint32_t steps_per_frame, double mu, double *largest) {
    Block block;
    double distance = NAN, normal = 0, friction = 0;
    *largest = 0;
    if (block_open(&block, method, steps_per_frame, 0, mu)) {
        const double *q = block.bake->motion.state.q, *v = block.bake->motion.state.v;
        block_lay(&block, 0, 2e-4, 1);
        double start = block_mean(&block, q, block.down), speed = 1, rise = 0;
        for (int frame = 0; frame < 24; ++frame) {
            if (advance(block.bake, NULL) != JN_OK)
                break;
            normal += block_mean(&block, v, block.up) - rise + G / 24;
            friction += speed - block_mean(&block, v, block.down);
            rise = block_mean(&block, v, block.up);
            speed = block_mean(&block, v, block.down);
            *largest = fmax(*largest, friction / fmax(normal, 1e-3));
        }
        distance = block_mean(&block, q, block.down) - start;
    }
    block_close(&block);
    return distance;
}

LONG_TEST(thrown_block_lands_and_slides_as_coulomb_says_in_every_method) {
    const double mu = 0.5, expected = 1 / (2 * mu * G);
    for (uint32_t m = 0; m < method_count(); ++m) {
        const Integrator *method = method_at(m);
        double quotient, fine_quotient;
        if (!method)
            continue;
        double coarse = thrown_distance(method->entry.name, 1, mu, &quotient);
        double fine = thrown_distance(method->entry.name, 4, mu, &fine_quotient);
        printf("%-20s stops after %.1f and %.1f mm, %.1f expected; impulses %.3f, %.3f\n", method->entry.name,
               1e3 * coarse, 1e3 * fine, 1e3 * expected, quotient, fine_quotient);
        CHECK(quotient <= 1.02 * mu && fine_quotient <= 1.02 * mu);
        CHECK_NEAR(fine, expected, 0.055 * expected);
        /* methods of first order lose half a step of the way */
        CHECK_NEAR(coarse, expected - (is_first_order(method) ? 0.5 / 24 : 0), 0.05 * expected);
    }
}

/* A soft block dropped from half a metre: the largest energy at any frame over that of the first, and how high it
   rises after it touched, m. */
static double drop(const char *method, uint32_t steps_per_frame, double *risen) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    double first = 0, most = 0, lowest = 1, height = 0;
    one_body_init(&scene, tet_box_make(3, 3, 3, 0.1));
    scene.body.material.young_modulus = 1e5;
    scene.body.transform[7] = 0.5;
    scene.desc.gravity[1] = -G;
    scene.desc.frame_count = 40;
    scene.desc.steps_per_frame = steps_per_frame;
    scene.desc.integrator = method;
    scene.desc.collider_count = 1;
    scene.collider.normal[1] = 1;
    *risen = 0;
    JnStatus status = jn_bake_begin(&scene.desc, &bake, &message);
    if (status == JN_OK)
        status = advance(bake, &message);
    for (int frame = 0; status == JN_OK && frame < 36; ++frame) {
        JnMotion motion = {.struct_size = sizeof motion};
        double mean[3];
        status = advance(bake, &message);
        if (status == JN_OK)
            status = jn_bake_motion(bake, &motion, &message);
        mean_position(bake, mean);
        height = mean[1];
        lowest = fmin(lowest, height);
        if (height > lowest + 0.01)
            *risen = fmax(*risen, height + 0.5 - 0.15);
        double energy = motion.total_energy;
        first = frame == 0 ? energy : first;
        most = fmax(most, energy);
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return status == JN_OK ? most / first : NAN;
}

LONG_TEST(no_method_leaves_a_contact_with_more_energy_than_it_came_with) {
    double true_rise;
    drop("sdirk", 64, &true_rise);
    for (uint32_t m = 0; m < method_count(); ++m) {
        const Integrator *method = method_at(m);
        double coarse_rise, fine_rise;
        if (!method)
            continue;
        double coarse = drop(method->entry.name, 1, &coarse_rise), fine = drop(method->entry.name, 4, &fine_rise);
        printf("%-20s energy at most %.4f and %.4f of the first; rises %.3f and %.3f m, %.3f in tiny steps\n",
               method->entry.name, coarse, fine, coarse_rise, fine_rise, true_rise);
        CHECK(coarse <= 1.01 && fine <= 1.01);
        CHECK(coarse_rise < 1.01 * true_rise && fine_rise < 1.01 * true_rise);
        if (!is_first_order(method))
            CHECK(fine_rise > 0.6 * true_rise);
    }
}

/* A soft block that lies on a slope and is given a speed down it: the largest gain of energy, from any frame to a later
   one, as part of all that it loses. */
static double energy_gain(const char *method, uint32_t steps_per_frame, double angle, double speed) {
    Block block;
    double first = NAN, least = INFINITY, gain = 0;
    JnStatus status = JN_ERR_ORDER;
    if (block_open_soft(&block, method, steps_per_frame, angle, 0.5)) {
        block_move(&block, 0, speed);
        status = JN_OK;
        for (int frame = 0; status == JN_OK && frame < 48; ++frame) {
            JnMotion motion = {.struct_size = sizeof motion};
            status = advance(block.bake, NULL);
            jn_bake_motion(block.bake, &motion, NULL);
            first = frame == 0 ? motion.total_energy : first;
            gain = fmax(gain, motion.total_energy - least);
            least = fmin(least, motion.total_energy);
        }
    }
    block_close(&block);
    return status == JN_OK ? gain / (first - least) : NAN;
}

LONG_TEST(no_method_gains_energy_while_it_sticks_or_slides) {
    for (uint32_t m = 0; m < method_count(); ++m) {
        const Integrator *method = method_at(m);
        if (!method)
            continue;
        const char *name = method->entry.name;
        double resting = energy_gain(name, 4, 0, 0), sticking = energy_gain(name, 4, 0.3, 0);
        double sliding = energy_gain(name, 4, 0, 1), coarse = energy_gain(name, 1, 0.3, 0);
        printf("%-20s gains %.4f at rest, %.4f on a slope, %.4f sliding; %.4f on a slope at 1 step a frame\n", name,
               resting, sticking, sliding, coarse);
        CHECK(resting <= 0.01 && sticking <= 0.01 && sliding <= 0.01 && coarse <= 0.01);
    }
}

TEST(block_at_rest_is_quiet_in_every_method) {
    for (uint32_t m = 0; m < method_count(); ++m) {
        const Integrator *method = method_at(m);
        Block block;
        if (!method)
            continue;
        CHECK(block_open(&block, method->entry.name, 1, 0, 0.5));
        block_lay(&block, 0, 0, 0);
        CHECK(advance_frames(block.bake, 48, NULL) == JN_OK);
        double fastest = 0;
        for (uint32_t i = 0; i < 3 * block.bake->model.vertex_count; ++i)
            fastest = fmax(fastest, fabs(block.bake->motion.state.v[i]));
        printf("%-20s %.2g m/s after two seconds\n", method->entry.name, fastest);
        CHECK(fastest < 2e-3);
        block_close(&block);
    }
}

/* How far a light block slides that is thrown at 1.5 m/s over the floor, 2 m beside one that is `denser` times as
   dense; 0: alone. */
static double light_block_distance(const char *method, double denser) {
    OneBody scene;
    JnBody bodies[2];
    JnBake *bake;
    double distance = NAN, velocity[3] = {1.5, 0, 0};
    one_body_init(&scene, tet_box_make(3, 2, 3, 0.1));
    scene.body.material.young_modulus = 1e6;
    scene.body.material.density = 10;
    scene.desc.integrator = method;
    scene.desc.gravity[1] = -G;
    scene.desc.frame_count = 30;
    scene.desc.steps_per_frame = 2;
    scene.desc.collider_count = 1;
    scene.collider.normal[1] = 1;
    scene.collider.friction = 0.5;
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *velocities = malloc(n * sizeof *velocities);
    for (size_t i = 0; i < n; ++i)
        velocities[i] = velocity[i % 3];
    scene.body.start_velocities = velocities;
    bodies[0] = bodies[1] = scene.body;
    bodies[1].name = "heavy";
    bodies[1].transform[11] = 2;
    bodies[1].material.density *= denser > 0 ? denser : 1;
    scene.desc.bodies = bodies;
    scene.desc.body_count = denser > 0 ? 2 : 1;
    if (jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance_frames(bake, 24, NULL) == JN_OK)
        distance = bake->motion.state.q[0] - scene.box.positions[0];
    jn_bake_end(bake, NULL);
    free(velocities);
    one_body_free(&scene);
    return distance;
}

TEST(light_block_slides_beside_a_heavy_one_as_alone) {
    static const char *const methods[] = {"si", "ssdirk", "be"};
    for (int m = 0; m < 3; ++m) {
        double alone = light_block_distance(methods[m], 0);
        CHECK(alone > 0.1);
        CHECK_NEAR(light_block_distance(methods[m], 1000), alone, 0.03 * alone);
    }
}

TEST(block_that_lands_fast_is_stopped_at_the_surface) {
    static const char *const methods[] = {"si", "ssdirk"};
    for (int m = 0; m < 2; ++m) {
        Block block;
        CHECK(block_open(&block, methods[m], 64, 0, 0.5));
        block_move(&block, 0.2, 0);
        for (uint32_t v = 0; v < block.bake->model.vertex_count; ++v)
            block.bake->motion.state.v[3 * v + 1] = -6;
        CHECK(advance_frames(block.bake, 4, NULL) == JN_OK);
        JnStatistics statistics = {.struct_size = sizeof statistics};
        CHECK(jn_bake_statistics(block.bake, &statistics, NULL) == JN_OK);
        printf("%s sinks %.2g mm\n", methods[m], 1e3 * statistics.deepest_penetration);
        CHECK(statistics.deepest_penetration < 0.02);
        block_close(&block);
    }
}
