/* Hybrid methods on bodies: order of accuracy, energy with modes that are not those of the step, free bodies, buckled
   ones, springs, and what the papers show with them. */
#include "harness.h"
#include "small_system.h"

#include "baking.h"
#include "bake/bake_internal.h"
#include "base/math3.h"
#include "integrate/kept_modes.h"
#include "random.h"

enum { NUMBERS = 60, BEAM_NUMBERS = 11 * 3 * 3 * 3 };

static const Integrator *method_called(const char *name) {
    const void *found = NULL;
    table_find(&integrator_table, name, "test", &found, NULL);
    return found;
}

/* ------------------------------------------------------------------------------------------------ order */

static double distance(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static void check_orders(const SmallBar *bar, bool damped) {
    static const char *const names[] = {"siere",     "beere",        "sbdf2ere",  "bdf2ere",
                                        "ssdirkere", "str_sbdf2ere", "tr_bdf2ere"};
    double truth[NUMBERS], q[NUMBERS], v[NUMBERS], errors[2];
    SmallSystem small;
    CHECK(small_system_bar(&small, bar));
    CHECK(small_system_open(&small, STIFFNESS_RAW, NULL) == JN_OK);
    small.mode_count = 5;
    small.precision = 1e-9;
    CHECK(small_system_run(&small, method_called("rk4"), 0.3, 4000, truth, v));
    for (size_t m = 0; m < sizeof names / sizeof *names; ++m) {
        const Integrator *method = method_called(names[m]);
        for (int k = 0; k < 2; ++k) {
            CHECK(small_system_run(&small, method, 0.3, 150 << k, q, v));
            errors[k] = distance(q, truth, NUMBERS);
        }
        double order = log2(errors[0] / errors[1]);
        printf("%-14s errors %.3e %.3e, order %.2f\n", names[m], errors[0], errors[1], order);
        CHECK(fabs(order - (damped ? 1 : method->order)) < 0.25);
    }
    small_system_free(&small);
}

SLOW_TEST(hybrid_methods_have_their_order_with_moving_pins_and_drag) {
    check_orders(&(SmallBar){.swing = 0.05, .mass_damping = 1}, false);
}

/* A bar that sinks, and the modes change: carried from step to step they lead to the same motion as the exact ones of
   every step, nearly. */
TEST(carried_modes_move_as_exact_ones_do) {
    static const char *const names[] = {"siere", "ssdirkere", "tr_bdf2ere"};
    for (size_t m = 0; m < sizeof names / sizeof *names; ++m) {
        double rest[NUMBERS], q[2][NUMBERS], v[NUMBERS];
        for (int carried = 0; carried < 2; ++carried) {
            SmallSystem small;
            CHECK(small_system_bar(&small, &(SmallBar){0}));
            CHECK(small_system_open(&small, STIFFNESS_RAW, NULL) == JN_OK);
            small.mode_count = 5;
            small.precision = carried ? 1e3 : 1e-12; /* found anew never, or in every step */
            memcpy(rest, small.rest, sizeof rest);
            CHECK(small_system_run(&small, method_called(names[m]), 0.3, 30, q[carried], v));
            small_system_free(&small);
        }
        double off = distance(q[0], q[1], NUMBERS) / distance(q[0], rest, NUMBERS);
        printf("%-10s with carried modes is off by %.2g of the motion\n", names[m], off);
        CHECK(off < 3e-3);
    }
}

/* Where a beam of damped flesh, held at both ends and let go, is after a third of a second. */
static bool sag(const char *method, uint32_t steps, double q[BEAM_NUMBERS]) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(10, 2, 2, 0.1));
    one_body_pin(&scene);
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        scene.pin_weights[v] = fabs(scene.box.positions[3 * v] - 0.5) > 0.49;
    scene.body.material.young_modulus = 1e4;
    scene.body.material.stiffness_damping = 0.02;
    scene.desc.integrator = method;
    scene.desc.kept_modes = 6;
    scene.desc.gravity[1] = -9.81;
    scene.desc.steps_per_frame = steps;
    scene.desc.frame_count = 9;
    JnStatus status = jn_bake_begin(&scene.desc, &bake, &message);
    if (status == JN_OK)
        status = advance_frames(bake, 9, &message);
    if (status == JN_OK)
        memcpy(q, bake->motion.state.q, BEAM_NUMBERS * sizeof *q);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return status == JN_OK;
}

/* Modes that are carried from step to step are not exactly those of the pose; what is damped between them and the
   others counts all the same, or errors would not vanish with the step. */
TEST(hybrid_methods_converge_with_carried_modes_and_stiffness_damping) {
    static const char *const names[] = {"siere", "ssdirkere"};
    double truth[BEAM_NUMBERS], q[BEAM_NUMBERS], errors[3];
    CHECK(sag("tr_bdf2", 64, truth));
    for (size_t m = 0; m < sizeof names / sizeof *names; ++m) {
        for (int k = 0; k < 3; ++k) {
            CHECK(sag(names[m], 4u << k, q));
            errors[k] = distance(q, truth, BEAM_NUMBERS);
        }
        printf("%-14s errors %.3e %.3e %.3e\n", names[m], errors[0], errors[1], errors[2]);
        CHECK(errors[1] < 0.7 * errors[0] && errors[2] < 0.7 * errors[1]);
    }
}

/* The damping matrix changes with the pose, which one linearization at the step's start does not see. */
SLOW_TEST(hybrid_methods_have_order_one_with_stiffness_damping) {
    check_orders(&(SmallBar){.stiffness_damping = 0.01}, true);
}

/* ------------------------------------------------------------------------------------------------ energy */

enum { LINKS = 9, CHAIN_NUMBERS = 3 * LINKS };

/* Masses on a line, each tied to the next and some to the ground, by springs that pull in all three directions: a
   linear system. */
typedef struct Chain {
    double links[LINKS], ground[LINKS]; /* N/m */
    double rest[CHAIN_NUMBERS];
} Chain;

static void add_spring(Evaluation *e, const double *rest, uint32_t a, uint32_t b, bool to_ground, double stiffness) {
    for (uint32_t i = 0; i < 3; ++i) {
        double x = e->q[3 * a + i] - rest[3 * a + i] - (to_ground ? 0 : e->q[3 * b + i] - rest[3 * b + i]);
        if (e->energy)
            *e->energy += 0.5 * stiffness * x * x;
        if (e->force)
            e->force[3 * a + i] -= stiffness * x;
        if (e->force && !to_ground)
            e->force[3 * b + i] += stiffness * x;
    }
    if (!e->matrix)
        return;
    double k = e->stiffness_scale * stiffness, block[9] = {k, 0, 0, 0, k, 0, 0, 0, k}, minus[9];
    for (int i = 0; i < 9; ++i)
        minus[i] = -block[i];
    block_matrix_add(e->matrix, a, a, block);
    if (to_ground)
        return;
    block_matrix_add(e->matrix, b, b, block);
    block_matrix_add(e->matrix, b, a, minus);
}

static JnStatus evaluate_chain(void *self, const void *lag, Evaluation *e, JnMessage *message) {
    (void)lag, (void)message;
    const Chain *chain = self;
    for (uint32_t k = 0; k < LINKS; ++k) {
        if (k + 1 < LINKS)
            add_spring(e, chain->rest, k, k + 1, false, chain->links[k]);
        add_spring(e, chain->rest, k, k, true, chain->ground[k]);
    }
    return JN_OK;
}

static void keep_chain(void *self) {
    (void)self;
}

static const TermOperations chain_operations = {
    .name = "chain", .role = TERM_ELASTIC, .has_potential = true, .evaluate = evaluate_chain, .destroy = keep_chain};

static int open_chain(SmallSystem *small, Chain *chain, uint64_t *random) {
    uint32_t ends[2 * (LINKS - 1)];
    if (!small_system_allocate(small, LINKS))
        return 0;
    for (uint32_t k = 0; k < LINKS; ++k) {
        small->system.masses[k] = exp(1.5 * random_signed(random));
        small->rest[3 * k] = chain->rest[3 * k] = k;
    }
    for (uint32_t k = 0; k + 1 < LINKS; ++k) {
        ends[2 * k] = k;
        ends[2 * k + 1] = k + 1;
    }
    VertexGroups groups = {LINKS - 1, 2, NULL, ends};
    return block_matrix_build(LINKS, &groups, 1, &small->system.pattern, NULL) == JN_OK &&
           small_system_add(small, (ForceTerm){&chain_operations, chain});
}

static void choose_springs(Chain *chain, uint64_t *random, double contact) {
    for (uint32_t k = 0; k < LINKS; ++k) {
        chain->links[k] = exp(5 + 4 * random_signed(random));
        chain->ground[k] = 0.01 + (random_signed(random) > 0.3 ? contact * (1 + random_signed(random)) : 0);
    }
}

static double chain_energy(const SmallSystem *small, const State *state) {
    double energy = 0;
    view_stored_energy(small->view, ALL_TERM_ROLES, state->q, &energy, NULL);
    return energy + system_kinetic_energy(&small->system, state->v);
}

/* The vectors that a method carries: the last numbers of what it saves, behind how many they are and where they were
   found. NULL: none. */
static char *saved_vectors(const MemoryArchive *memory, uint32_t *count) {
    const size_t row = CHAIN_NUMBERS * sizeof(double);
    for (*count = 1; (*count + 1) * row + sizeof(KeptState) <= memory->size; ++*count) {
        char *vectors = memory->bytes + memory->size - *count * row;
        KeptState state;
        memcpy(&state, vectors - row - sizeof state, sizeof state);
        if (state.count > 0 && state.count + state.guards == *count && state.found == 1)
            return vectors;
    }
    return NULL;
}

/* Makes random vectors of all that the method carries, the modes and those behind them. */
static int scramble_modes(const Integrator *method, void *self, uint64_t *random) {
    MemoryArchive memory = {0};
    uint32_t count = 0;
    int ok = method->archive(self, memory_archive_save(&memory));
    char *vectors = ok ? saved_vectors(&memory, &count) : NULL;
    for (uint32_t i = 0; vectors && i < count * CHAIN_NUMBERS; ++i) {
        double number = random_signed(random);
        memcpy(vectors + i * sizeof number, &number, sizeof number);
    }
    ok = vectors && method->archive(self, memory_archive_load(&memory));
    memory_archive_free(&memory);
    return ok;
}

/* Steps of a method that starts with the modes of one chain, on another one: they are stale, and contact is in the
   matrix; or any vectors at all. Returns the largest growth of energy in a step, as part of it. Most chains must be
   solved by iterations, because modes and complement are coupled. */
static double largest_growth(const char *name, uint32_t chains, bool scrambled, uint64_t *random) {
    double most = 0;
    uint32_t coupled = 0;
    const Integrator *method = method_called(name);
    for (uint32_t c = 0; c < chains; ++c) {
        Chain chain = {{0}, {0}, {0}};
        SmallSystem small;
        double q[CHAIN_NUMBERS], v[CHAIN_NUMBERS], h = exp(-3 + 2.5 * random_signed(random));
        State state = {q, v, 0};
        StepReport report;
        void *self = NULL;
        uint32_t kept = 1 + c % 4;
        choose_springs(&chain, random, 0);
        if (!open_chain(&small, &chain, random))
            return INFINITY;
        for (uint32_t i = 0; i < CHAIN_NUMBERS; ++i) {
            q[i] = small.rest[i] + 1e-3 * random_signed(random);
            v[i] = 1e-2 * random_signed(random);
        }
        int ok = method->prepare(small.view, &(MethodOptions){.variant = method->variant, .mode_count = kept}, &self,
                                 NULL) == JN_OK &&
                 method->step(self, small.view, &state, h, &report, NULL) == JN_OK;
        choose_springs(&chain, random, c % 2 ? 1e5 : 0);
        ok = ok && (!scrambled || scramble_modes(method, self, random));
        for (int step = 0; ok && step < 5; ++step) {
            double before = chain_energy(&small, &state);
            ok = method->step(self, small.view, &state, h, &report, NULL) == JN_OK;
            most = fmax(most, chain_energy(&small, &state) / before - 1);
        }
        coupled += small.system.mode_corrections > 0;
        method->destroy(self);
        small_system_free(&small);
        if (!ok)
            return INFINITY;
    }
    return 2 * coupled > chains ? most : INFINITY;
}

TEST(siere_and_beere_never_gain_energy_with_stale_or_random_modes_on_a_thousand_chains) {
    uint64_t random = 7;
    CHECK(largest_growth("siere", 400, false, &random) < 1e-9);
    CHECK(largest_growth("siere", 400, true, &random) < 1e-9);
    CHECK(largest_growth("beere", 100, false, &random) < 1e-9);
    CHECK(largest_growth("beere", 100, true, &random) < 1e-9);
}

/* ------------------------------------------------------------------------------------------------ bodies */

static JnBake *open_bar(OneBody *scene, const char *method, uint32_t kept, double young, bool pinned) {
    JnBake *bake = NULL;
    one_body_init(scene, tet_box_make(6, 2, 2, 0.05));
    if (pinned)
        one_body_pin(scene);
    scene->desc.frame_count = 200;
    scene->desc.fps = 100;
    scene->desc.steps_per_frame = 1;
    scene->desc.integrator = method;
    scene->desc.kept_modes = kept;
    scene->body.material.young_modulus = young;
    jn_bake_begin(&scene->desc, &bake, NULL);
    return bake;
}

static double total_energy(JnBake *bake) {
    JnMotion motion = {.struct_size = sizeof motion};
    return jn_bake_motion(bake, &motion, NULL) == JN_OK ? motion.total_energy : NAN;
}

/* A free body keeps its six rigid motions, a pinned one none; the cube has equal modes, of which all are kept. */
TEST(kept_modes_of_a_free_body_have_its_rigid_motions_and_whole_clusters) {
    for (int pinned = 0; pinned < 2; ++pinned) {
        OneBody scene;
        KeptModes *modes;
        one_body_init(&scene, tet_box_make(2, 2, 2, 0.05));
        if (pinned)
            one_body_pin(&scene);
        JnBake *bake;
        CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance_frames(bake, 1, NULL) == JN_OK);
        View *view = bake->motion.view;
        const double *q = bake->motion.state.q;
        view_set_time(view, 0, 0.01);
        CHECK(view_begin_step(view, &(StepStart){q, bake->motion.state.v, 0.01, false}, NULL) == JN_OK);
        CHECK(kept_modes_create(view, &(MethodOptions){.mode_count = 1}, &modes, NULL) == JN_OK);
        CHECK(kept_modes_update(modes, view, &(KeptUpdate){.q = q, .h = 0.01}, NULL) == JN_OK);
        CHECK(modes->state.rigid == (pinned ? 0 : 6));
        CHECK(modes->used.count >= (pinned ? 1u : 7u));
        for (uint32_t k = 0; k < modes->state.rigid; ++k)
            CHECK_NEAR(modes->values[k], 0, 1e-9 * modes->values[modes->state.count - 1]);
        for (uint32_t k = 0; k < modes->state.count; ++k)
            CHECK(modes->residuals[k] * modes->residuals[k] < 1e-12 * modes->values[modes->state.count - 1]);
        kept_modes_destroy(modes);
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
}

/* A beam of 11 x 3 x 3 vertices, held at one end or at both, of a linear law: its modes stay. */
static void make_beam(OneBody *scene, bool both_ends) {
    one_body_init(scene, tet_box_make(10, 2, 2, 0.1));
    one_body_pin(scene);
    for (uint32_t v = 0; v < scene->box.vertex_count; ++v)
        scene->pin_weights[v] = scene->box.positions[3 * v] < 0.01 || (both_ends && scene->box.positions[3 * v] > 0.99);
    scene->body.material.law = "linear";
    scene->body.material.young_modulus = 8e5;
    scene->desc.gravity[1] = -9.81;
    scene->desc.steps_per_frame = 4;
    scene->desc.frame_count = 13;
}

/* Modes at the pose of a bake; the caller destroys them. */
static KeptModes *modes_of(JnBake *bake, uint32_t count, double h) {
    KeptModes *modes = NULL;
    View *view = bake->motion.view;
    const double *q = bake->motion.state.q;
    view_set_time(view, 0, h);
    if (view_begin_step(view, &(StepStart){q, bake->motion.state.v, h, false}, NULL) != JN_OK ||
        kept_modes_create(view, &(MethodOptions){.mode_count = count}, &modes, NULL) != JN_OK ||
        kept_modes_update(modes, view, &(KeptUpdate){.q = q, .h = h}, NULL) != JN_OK) {
        kept_modes_destroy(modes);
        return NULL;
    }
    return modes;
}

/* The modes of the linear law are the same in every pose: what siere keeps moves as in the exact motion, which ere has,
   however far the rest is from it. */
TEST(kept_modes_of_a_law_that_does_not_turn_move_exactly) {
    enum { KEPT = 5 };
    static const char *const methods[2] = {"ere", "siere"};
    double q[2][BEAM_NUMBERS], rest[BEAM_NUMBERS], off = 0, whole = 0;
    KeptModes *modes = NULL;
    OneBody scenes[2];
    JnBake *bakes[2];
    for (int m = 0; m < 2; ++m) {
        make_beam(&scenes[m], true);
        scenes[m].desc.integrator = methods[m];
        scenes[m].desc.kept_modes = KEPT;
        CHECK(jn_bake_begin(&scenes[m].desc, &bakes[m], NULL) == JN_OK && advance_frames(bakes[m], 1, NULL) == JN_OK);
        memcpy(rest, bakes[m]->motion.state.q, sizeof rest);
        CHECK(advance_frames(bakes[m], 12, NULL) == JN_OK);
        memcpy(q[m], bakes[m]->motion.state.q, sizeof q[m]);
    }
    CHECK((modes = modes_of(bakes[1], KEPT, 0.01)) != NULL);
    for (uint32_t k = 0; k < KEPT; ++k) {
        double difference = 0, way = 0;
        for (size_t i = 0; i < BEAM_NUMBERS; ++i) {
            difference += modes->mass_vectors[k * modes->n + i] * (q[1][i] - q[0][i]);
            way += modes->mass_vectors[k * modes->n + i] * (q[0][i] - rest[i]);
        }
        off += difference * difference;
        whole += way * way;
    }
    printf("off by %.2g of the motion, all of the body by %.2g\n", sqrt(off / whole),
           distance(q[0], q[1], BEAM_NUMBERS) / distance(q[0], rest, BEAM_NUMBERS));
    CHECK(off < 1e-18 * whole);
    kept_modes_destroy(modes);
    for (int m = 0; m < 2; ++m) {
        jn_bake_end(bakes[m], NULL);
        one_body_free(&scenes[m]);
    }
}

/* Automatically, all modes that gravity, in whatever direction, deflects by more than 0.3 % of the first are kept, and
   not many others. */
TEST(kept_modes_are_automatically_those_that_move_visibly) {
    for (int both_ends = 0; both_ends < 2; ++both_ends) {
        OneBody scene;
        JnBake *bake;
        double h = 1.0 / 400, largest = 0, deflections[16];
        uint32_t last = 0;
        make_beam(&scene, both_ends);
        CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance_frames(bake, 1, NULL) == JN_OK);
        KeptModes *all = modes_of(bake, 16, h), *chosen = modes_of(bake, KEPT_AUTOMATIC, h);
        CHECK(all && chosen);
        for (uint32_t k = 0; k < 16; ++k) {
            double along[3] = {0, 0, 0};
            for (size_t i = 0; i < all->n; ++i)
                along[i % 3] += all->mass_vectors[k * all->n + i];
            deflections[k] = vec3_length(along) / all->values[k];
            largest = fmax(largest, deflections[k]);
            if (h * sqrt(all->values[k]) < 1.5 && deflections[k] > 0.003 * largest)
                last = k + 1;
        }
        printf("%u of 16 modes, the last visible one %u\n", chosen->state.count, last);
        CHECK(last > 4 && chosen->state.count >= last && chosen->state.count <= last + 2);
        kept_modes_destroy(all);
        kept_modes_destroy(chosen);
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
}

/* The ball of Chen, Sheen, Ascher, Pai 2020, figure 9, as a bar: what hangs and sways keeps its energy by SIERE, where
   semi-implicit Euler loses it. The energy that is lost is that of the motion, from the highest to the lowest place. */
TEST(hanging_body_keeps_with_siere_the_energy_that_si_loses) {
    double left[2];
    static const char *const names[] = {"si", "siere"};
    for (int k = 0; k < 2; ++k) {
        OneBody scene;
        JnBake *bake = open_bar(&scene, names[k], 5, 1e6, true);
        CHECK(bake);
        jn_bake_end(bake, NULL);
        scene.desc.gravity[0] = 20;
        scene.desc.gravity[1] = -10;
        CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
        CHECK(advance_frames(bake, 1, NULL) == JN_OK);
        double first = total_energy(bake), lowest = first;
        CHECK(advance_frames(bake, 150, NULL) == JN_OK);
        JnMotion motion = {.struct_size = sizeof motion};
        CHECK(jn_bake_motion(bake, &motion, NULL) == JN_OK);
        lowest = total_energy(bake);
        left[k] = first - lowest;
        printf("%-6s loses %.4g J in 1.5 s, %.4g J kinetic\n", names[k], left[k], motion.kinetic_energy);
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
    CHECK(left[1] < 0.2 * left[0]);
}

/* A mode that buckles by a large factor within a step would carry the body far along a straight line: such modes are
   left to the implicit rule, those that buckle slower are kept. */
TEST(modes_that_buckle_faster_than_the_step_are_not_used) {
    SmallSystem small;
    KeptModes *modes;
    double q[NUMBERS], v[NUMBERS] = {0};
    CHECK(small_system_bar(&small, &(SmallBar){0}));
    CHECK(small_system_open(&small, STIFFNESS_RAW, NULL) == JN_OK);
    for (size_t i = 0; i < NUMBERS; ++i)
        q[i] = small.rest[i] * (i % 3 == 0 ? 0.6 : 1);
    CHECK(kept_modes_create(small.view, &(MethodOptions){.mode_count = 6}, &modes, NULL) == JN_OK);
    for (int fast = 0; fast < 2; ++fast) {
        double h = fast ? 0.1 : 0.001;
        view_set_time(small.view, 0, h);
        CHECK(view_begin_step(small.view, &(StepStart){q, v, h, false}, NULL) == JN_OK);
        CHECK(kept_modes_update(modes, small.view, &(KeptUpdate){.q = q, .h = h}, NULL) == JN_OK);
        uint32_t all = modes->state.count, used = modes->used.count, buckling = 0;
        for (uint32_t k = 0; k < all; ++k)
            buckling += modes->values[k] < -1 / (h * h);
        printf("h = %g: %u modes, %u used, the lowest value %.4g\n", h, all, used, modes->values[0]);
        CHECK(modes->values[0] < -100 && all == 6 && used == all - buckling && (buckling > 0) == fast);
        CHECK(used == 0 || modes->used.values[0] >= -1 / (h * h));
    }
    kept_modes_destroy(modes);
    small_system_free(&small);
}

/* As gravity stretches a block, its modes change, and the modes that are carried along couple to the complement, which
   damps them. Those that move are improved first: of many kept modes as of a few. */
TEST(modes_that_move_stay_precise_among_many_that_do_not) {
    static const uint32_t counts[] = {5, 20};
    double lost[2];
    for (int k = 0; k < 2; ++k) {
        OneBody scene;
        JnBake *bake;
        one_body_init(&scene, tet_box_make(8, 8, 8, 0.2 / 8));
        one_body_pin(&scene);
        scene.body.material.young_modulus = 1e6;
        scene.body.material.poisson_ratio = 0.45;
        scene.desc.gravity[0] = 20 * 9.81;
        scene.desc.fps = 200;
        scene.desc.steps_per_frame = 1;
        scene.desc.frame_count = 101;
        scene.desc.integrator = "siere";
        scene.desc.kept_modes = counts[k];
        CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance_frames(bake, 1, NULL) == JN_OK);
        double first = total_energy(bake);
        CHECK(advance_frames(bake, 100, NULL) == JN_OK);
        lost[k] = first - total_energy(bake);
        printf("%2u modes lose %.4g J in 0.5 s\n", counts[k], lost[k]);
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
    CHECK(lost[1] < 1.1 * lost[0]);
}

/* Let go, a body that gravity stretches by a few per cent swings down and up again; at the top there is hardly any
   energy in it, and the little that a step of half a swing is off is no reason to cut it. */
TEST(hanging_body_is_not_cut_at_the_top_of_its_swing) {
    static const double youngs[] = {7e5, 1e6, 1.4e6, 2e6, 2.8e6, 4e6};
    for (size_t k = 0; k < sizeof youngs / sizeof *youngs; ++k) {
        JnStatistics statistics = {.struct_size = sizeof statistics};
        OneBody scene;
        JnBake *bake = open_bar(&scene, "siere", 20, youngs[k], true);
        CHECK(bake);
        jn_bake_end(bake, NULL);
        scene.desc.gravity[0] = 100;
        CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
        CHECK(advance_frames(bake, 21, NULL) == JN_OK);
        CHECK(jn_bake_statistics(bake, &statistics, NULL) == JN_OK);
        printf("%g Pa: %u cut\n", youngs[k], statistics.cut_steps);
        CHECK(statistics.cut_steps == 0);
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
}

/* A bar that is pressed together beyond buckling: its slowest modes have negative eigenvalues. */
TEST(buckled_bar_is_stable_with_kept_modes) {
    static const char *const names[] = {"siere", "ssdirkere", "beere"};
    for (int k = 0; k < 3; ++k) {
        OneBody scene;
        JnBake *bake = open_bar(&scene, names[k], 5, 1e5, true);
        CHECK(bake);
        jn_bake_end(bake, NULL);
        scene.desc.gravity[0] = -60;
        CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
        for (int frame = 0; frame < 120; ++frame)
            CHECK(advance_frames(bake, 1, NULL) == JN_OK);
        CHECK(isfinite(total_energy(bake)));
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
}

/* Chen, Sheen, Ascher, Pai 2020, figure 12, on a soft layer: with damping on all but the kept modes it goes on, with
   damping on all of them it stops. */
TEST(damping_on_the_complement_alone_leaves_the_kept_modes_going) {
    double kinetic[2] = {0, 0};
    for (uint32_t damped = 0; damped < 2; ++damped) {
        OneBody scene;
        JnBake *bake = open_bar(&scene, "siere", 6, 1e5, true);
        CHECK(bake);
        jn_bake_end(bake, NULL);
        scene.desc.gravity[1] = -9.81;
        scene.desc.damp_kept_modes = damped;
        scene.body.material.stiffness_damping = 0.02;
        CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
        CHECK(advance_frames(bake, 130, NULL) == JN_OK);
        for (int frame = 0; frame < 60; ++frame) {
            CHECK(advance_frames(bake, 1, NULL) == JN_OK);
            JnMotion motion = {.struct_size = sizeof motion};
            CHECK(jn_bake_motion(bake, &motion, NULL) == JN_OK);
            kinetic[damped] = fmax(kinetic[damped], motion.kinetic_energy);
        }
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
    printf("kinetic energy after 1.3 s: %.3g J, with damping on all %.3g J\n", kinetic[0], kinetic[1]);
    CHECK(kinetic[0] > 50 * kinetic[1]);
}
