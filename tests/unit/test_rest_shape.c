/* The rest shape of an element that follows an animated pose, alone and in the elements' force. */
#include "harness.h"
#include "random.h"
#include "tet_box.h"

#include "base/math3.h"
#include "terms.h"

#include "elastic/rest_shape.h"
#include "elastic/tet_elements.h"

static const double bent[9] = {0.9, -0.5, 0.1, 0.6, 1.1, -0.2, 0.1, 0.3, 1.2};

/* G = F C^-1, what is left of the pose F over the rest shape that follows it. */
static void left_over(const double F[9], const RestChange *change, double G[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            G[3 * i + j] = F[3 * i] * change->inverse[j] + F[3 * i + 1] * change->inverse[3 + j] +
                           F[3 * i + 2] * change->inverse[6 + j];
}

TEST(rest_shape_that_follows_fully_leaves_a_rotation) {
    RestChange change;
    double G[9];
    rest_shape_follow(bent, 1, false, &change);
    left_over(bent, &change, G);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            CHECK_NEAR(vec3_dot(G + 3 * i, G + 3 * j), i == j, 1e-12);
    CHECK_NEAR(mat3_det(G), 1, 1e-12);
    CHECK_NEAR(change.volume, mat3_det(bent), 1e-12);
    CHECK(!change.limited && fabs(G[1]) > 0.1);
    /* and nothing at all for a law that feels rotation */
    rest_shape_follow(bent, 1, true, &change);
    left_over(bent, &change, G);
    for (int i = 0; i < 9; ++i)
        CHECK_NEAR(G[i], i % 4 == 0, 1e-12);
}

TEST(rest_shape_that_does_not_follow_stays) {
    RestChange change;
    for (int turns = 0; turns < 2; ++turns) {
        rest_shape_follow(bent, 0, turns, &change);
        for (int i = 0; i < 9; ++i)
            CHECK_NEAR(change.inverse[i], i % 4 == 0, 1e-12);
        CHECK_NEAR(change.volume, 1, 1e-12);
    }
}

TEST(rest_shape_of_crushed_inverted_and_drawn_out_poses_is_limited) {
    const double poses[][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 0},
                               {1, 0, 0, 0, 1, 0, 0, 0, -1},
                               {0, 0, 0, 0, 0, 0, 0, 0, 0},
                               {1e9, 0, 0, 0, 1, 0, 0, 0, 1e-9},
                               {-1, 0, 0, 0, -1, 0, 0, 0, -1}};
    for (size_t k = 0; k < sizeof poses / sizeof poses[0]; ++k)
        for (int turns = 0; turns < 2; ++turns) {
            RestChange change;
            rest_shape_follow(poses[k], 0.8, turns, &change);
            CHECK(change.limited && change.volume > 1e-3 && change.volume < 1e3);
            for (int i = 0; i < 9; ++i)
                CHECK(fabs(change.inverse[i]) <= 10);
        }
}

typedef struct Fixture {
    TetBox box;
    BlockMatrix matrix;
    ForceTerm term;
    double q[81], pose[81];
} Fixture;

/* amount: how much all tets follow; below 0: each its own. */
static int open_fixture(Fixture *f, const char *law, double amount) {
    JnMessage message;
    uint64_t seed = 5;
    const void *found;
    f->box = tet_box_make(2, 2, 2, 0.1);
    const VertexGroups tets = {f->box.tet_count, 4, NULL, f->box.tets};
    if (table_find(&material_table, law, "here", &found, &message) != JN_OK ||
        block_matrix_build(27, &tets, 1, &f->matrix, &message) != JN_OK)
        return 0;
    const Material *laws[48];
    double young[48], poisson[48], damping[48] = {0}, damping_mass[27] = {0}, follows[48];
    uint32_t groups[48];
    for (uint32_t t = 0; t < 48; ++t) {
        laws[t] = found;
        young[t] = 1e5, poisson[t] = 0.3;
        follows[t] = amount < 0 ? 0.25 * (t % 5) : amount;
        groups[t] = t % 2;
    }
    TetElementsDesc desc = {.vertex_count = 27,
                            .tet_count = 48,
                            .rest_positions = f->box.positions,
                            .tet_vertices = f->box.tets,
                            .laws = laws,
                            .young_modulus = young,
                            .poisson_ratio = poisson,
                            .stiffness_damping = damping,
                            .damping_mass = damping_mass,
                            .groups = groups,
                            .group_count = 2,
                            .rest_follows = follows};
    for (int i = 0; i < 81; ++i) {
        f->q[i] = f->box.positions[i] + 0.02 * random_signed(&seed);
        f->pose[i] = f->box.positions[i] + 0.02 * random_signed(&seed);
    }
    return tet_elements_create(&desc, &f->matrix, &f->term, &message) == JN_OK;
}

static void close_fixture(Fixture *f) {
    term_destroy(&f->term);
    block_matrix_free(&f->matrix);
    tet_box_free(&f->box);
}

static double energy_at(Fixture *f, const double *q) {
    double energy = 0;
    Evaluation e = {.q = q, .energy = &energy};
    term_evaluate(&f->term, &e);
    return energy;
}

TEST(elements_force_derives_from_energy_over_a_moved_rest_shape_and_a_stiffness_factor) {
    static const char *const laws[] = {"stable_neohooke", "linear"};
    for (int k = 0; k < 2; ++k) {
        Fixture f;
        CHECK(open_fixture(&f, laws[k], -1));
        double force[81] = {0}, e = 1e-7, largest = 0, before = energy_at(&f, f.q);
        term_set_moment(&f.term, (const double[]){1, 3}, f.pose);
        CHECK(f.term.operations->limited_rest_count(f.term.self) == 0);
        CHECK(fabs(energy_at(&f, f.q) - before) > 0.1 * before);
        Evaluation evaluation = {.q = f.q, .force = force};
        term_evaluate(&f.term, &evaluation);
        for (int i = 0; i < 81; ++i) {
            double kept = f.q[i];
            f.q[i] = kept + e;
            double above = energy_at(&f, f.q);
            f.q[i] = kept - e;
            double below = energy_at(&f, f.q);
            f.q[i] = kept;
            CHECK_NEAR(-(above - below) / (2 * e), force[i], 0.02);
            largest = fmax(largest, fabs(force[i]));
        }
        CHECK(largest > 10);
        /* and back: nothing is lost on the way */
        term_set_moment(&f.term, (const double[]){1, 1}, f.box.positions);
        CHECK_NEAR(energy_at(&f, f.q), before, 1e-9 * before);
        close_fixture(&f);
    }
}

TEST(stiffness_factor_of_a_group_scales_its_energy_only) {
    Fixture f;
    CHECK(open_fixture(&f, "stable_neohooke", -1));
    double both = energy_at(&f, f.q);
    term_set_moment(&f.term, (const double[]){2, 1}, f.box.positions);
    double first = energy_at(&f, f.q) - both;
    term_set_moment(&f.term, (const double[]){1, 2}, f.box.positions);
    double second = energy_at(&f, f.q) - both;
    CHECK(first > 0.1 * both && second > 0.1 * both);
    CHECK_NEAR(first + second, both, 1e-9 * both);
    close_fixture(&f);
}

TEST(rest_shape_of_twice_the_size_holds_eight_times_the_energy) {
    Fixture f;
    CHECK(open_fixture(&f, "stable_neohooke", 1));
    double q[81], small, large;
    for (int i = 0; i < 81; ++i)
        q[i] = (i % 3 == 0 ? 1.1 : 1) * f.box.positions[i];
    small = energy_at(&f, q);
    for (int i = 0; i < 81; ++i) {
        f.pose[i] = 2 * f.box.positions[i];
        q[i] *= 2;
    }
    term_set_moment(&f.term, (const double[]){1, 1}, f.pose);
    large = energy_at(&f, q);
    CHECK(small > 1e-3);
    CHECK_NEAR(large / small, 8, 1e-9);
    close_fixture(&f);
}
