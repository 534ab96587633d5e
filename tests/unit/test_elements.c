/* The assembled elastic force and matrix: derivatives, invariance, threads. */
#include "harness.h"
#include "random.h"
#include "spin_power.h"
#include "tet_box.h"

#include "terms.h"

#include "elastic/tet_elements.h"

typedef struct Fixture {
    TetBox box;
    BlockMatrix matrix;
    ForceTerm term;
    double *q;
} Fixture;

/* A small box of `law`, bent out of its rest shape by `amount`. */
static int open_fixture_of(Fixture *f, const Material *law, uint32_t cells, double stiffness_damping, double amount) {
    JnMessage message;
    uint64_t seed = 11;
    f->box = tet_box_make(cells, 2, 2, 0.1);
    TetBox *box = &f->box;
    if (block_matrix_build(box->vertex_count, &(VertexGroups){box->tet_count, 4, NULL, box->tets}, 1, &f->matrix,
                           &message) != JN_OK)
        return 0;
    const Material **laws = malloc(box->tet_count * sizeof *laws);
    double *young = malloc(box->tet_count * sizeof *young), *poisson = malloc(box->tet_count * sizeof *poisson);
    double *damping = malloc(box->tet_count * sizeof *damping);
    double *damping_mass = calloc(box->vertex_count, sizeof *damping_mass);
    for (uint32_t t = 0; t < box->tet_count; ++t) {
        laws[t] = law;
        young[t] = 1e5 * (1 + t % 3); /* varies from tet to tet */
        poisson[t] = 0.4;
        damping[t] = stiffness_damping;
    }
    TetElementsDesc desc = {.vertex_count = box->vertex_count,
                            .tet_count = box->tet_count,
                            .rest_positions = box->positions,
                            .tet_vertices = box->tets,
                            .laws = laws,
                            .young_modulus = young,
                            .poisson_ratio = poisson,
                            .stiffness_damping = damping,
                            .damping_mass = damping_mass};
    JnStatus status = tet_elements_create(&desc, &f->matrix, &f->term, &message);
    free(laws), free(young), free(poisson), free(damping), free(damping_mass);
    f->q = malloc(3 * box->vertex_count * sizeof(double));
    for (uint32_t i = 0; i < 3 * box->vertex_count; ++i)
        f->q[i] = box->positions[i] + amount * random_signed(&seed);
    return status == JN_OK;
}

/* The same of the first law. */
static int open_fixture(Fixture *f, uint32_t cells, double stiffness_damping, double amount) {
    return open_fixture_of(f, (const Material *)table_at(&material_table, 0), cells, stiffness_damping, amount);
}

static void close_fixture(Fixture *f) {
    term_destroy(&f->term);
    block_matrix_free(&f->matrix);
    tet_box_free(&f->box);
    free(f->q);
}

static double energy_at(Fixture *f, const double *q) {
    double energy = 0;
    Evaluation e = {.q = q, .energy = &energy};
    term_evaluate(&f->term, &e);
    return energy;
}

static void force_at(Fixture *f, const double *q, const double *v, double *force) {
    memset(force, 0, 3 * f->box.vertex_count * sizeof *force);
    Evaluation e = {.q = q, .v = v, .force = force, .stiffness = STIFFNESS_RAW};
    term_evaluate(&f->term, &e);
}

TEST(elements_force_is_minus_derivative_of_energy) {
    Fixture f;
    CHECK(open_fixture(&f, 2, 0, 0.02));
    uint32_t n = 3 * f.box.vertex_count;
    double force[600], largest = 0, e = 1e-7;
    CHECK(n <= 600);
    force_at(&f, f.q, NULL, force);
    for (uint32_t i = 0; i < n; ++i) {
        double kept = f.q[i];
        f.q[i] = kept + e;
        double above = energy_at(&f, f.q);
        f.q[i] = kept - e;
        double below = energy_at(&f, f.q);
        f.q[i] = kept;
        CHECK_NEAR(-(above - below) / (2 * e), force[i], 1e-5 * 1e5 * 0.01);
        largest = fmax(largest, fabs(force[i]));
    }
    CHECK(largest > 10);
    close_fixture(&f);
}

TEST(elements_matrix_is_minus_derivative_of_force) {
    Fixture f;
    CHECK(open_fixture(&f, 2, 0.01, 0.02));
    uint32_t n = 3 * f.box.vertex_count;
    double above[600], below[600], x[600], y[600], e = 1e-7;
    block_matrix_set_zero(&f.matrix);
    Evaluation evaluation = {.q = f.q, .matrix = &f.matrix, .stiffness_scale = 1, .stiffness = STIFFNESS_RAW};
    term_evaluate(&f.term, &evaluation);
    for (uint32_t i = 0; i < n; ++i) {
        double kept = f.q[i], largest = 0;
        f.q[i] = kept + e;
        force_at(&f, f.q, NULL, above);
        f.q[i] = kept - e;
        force_at(&f, f.q, NULL, below);
        f.q[i] = kept;
        memset(x, 0, sizeof x);
        x[i] = 1;
        block_matrix_multiply(&f.matrix, x, y);
        for (uint32_t k = 0; k < n; ++k) {
            CHECK_NEAR(-(above[k] - below[k]) / (2 * e), y[k], 0.1);
            largest = fmax(largest, fabs(y[k]));
        }
        CHECK(largest > 1000);
    }

    /* stiffness damping: the force of a velocity is -0.01 K v, and so is the damping matrix */
    double v[600], still[600], moving[600];
    uint64_t seed = 2;
    for (uint32_t i = 0; i < n; ++i)
        v[i] = random_signed(&seed);
    force_at(&f, f.q, NULL, still);
    force_at(&f, f.q, v, moving);
    block_matrix_multiply(&f.matrix, v, y);
    for (uint32_t i = 0; i < n; ++i)
        CHECK_NEAR(still[i] - moving[i], 0.01 * y[i], 1e-8 * 1e5);
    block_matrix_set_zero(&f.matrix);
    evaluation.stiffness_scale = 0;
    evaluation.damping_scale = 1;
    term_evaluate(&f.term, &evaluation);
    block_matrix_multiply(&f.matrix, v, x);
    for (uint32_t i = 0; i < n; ++i)
        CHECK_NEAR(x[i], 0.01 * y[i], 1e-8 * 1e5);
    close_fixture(&f);
}

TEST(elements_damping_of_a_squeezed_body_does_not_drive) {
    /* a turn of the forces that a squeezed body pushes with is negative stiffness */
    const double sizes[] = {0.998, 0.99, 0.98, 0.95, 0.8};
    Fixture f;
    CHECK(open_fixture(&f, 3, 0.01, 0));
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        double driven = spin_power(&f.term, &f.box, f.q, STIFFNESS_RAW, sizes[s]);
        CHECK(driven > 1e-3);
        CHECK(spin_power(&f.term, &f.box, f.q, STIFFNESS_SAFE, sizes[s]) < 1e-6 * driven);
    }
    close_fixture(&f);
}

TEST(elements_rigid_motion_gives_no_force) {
    Fixture f;
    CHECK(open_fixture(&f, 4, 0, 0));
    double force[600];
    const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    for (uint32_t v = 0; v < f.box.vertex_count; ++v)
        for (int i = 0; i < 3; ++i) {
            f.q[3 * v + (uint32_t)i] = 5 - i;
            for (int j = 0; j < 3; ++j)
                f.q[3 * v + (uint32_t)i] += turn[3 * i + j] * f.box.positions[3 * v + (uint32_t)j];
        }
    CHECK(3 * f.box.vertex_count <= 600);
    force_at(&f, f.q, NULL, force);
    for (uint32_t i = 0; i < 3 * f.box.vertex_count; ++i)
        CHECK_NEAR(force[i], 0, 1e-8);
    CHECK_NEAR(energy_at(&f, f.q), 0, 1e-8);
    /* the same box, bent, does push */
    f.q[0] += 0.03;
    force_at(&f, f.q, NULL, force);
    CHECK(fabs(force[0]) + fabs(force[1]) + fabs(force[2]) > 1);
    close_fixture(&f);
}

TEST(elements_sum_of_forces_is_zero) {
    Fixture f;
    CHECK(open_fixture(&f, 4, 0, 0.03));
    double force[600], sum[3] = {0, 0, 0}, torque[3] = {0, 0, 0};
    force_at(&f, f.q, NULL, force);
    for (uint32_t v = 0; v < f.box.vertex_count; ++v)
        for (uint32_t i = 0; i < 3; ++i) {
            uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
            sum[i] += force[3 * v + i];
            torque[i] += f.q[3 * v + j] * force[3 * v + k] - f.q[3 * v + k] * force[3 * v + j];
        }
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(sum[i], 0, 1e-9);
        CHECK_NEAR(torque[i], 0, 1e-9);
    }
    CHECK(fabs(force[0]) > 1);
    close_fixture(&f);
}

TEST(elements_uniform_stretch_has_uniform_stress) {
    /* patch test: under an affine motion the inner vertices feel no force, however the tets lie */
    TetBox box = tet_box_make(2, 2, 2, 0.1);
    BlockMatrix matrix;
    JnMessage message;
    ForceTerm term;
    const Material *laws[48];
    double young[48], poisson[48], damping[48] = {0}, damping_mass[27] = {0}, q[81], force[81];
    for (int t = 0; t < 48; ++t) {
        laws[t] = (const Material *)table_at(&material_table, 0);
        young[t] = 1e5, poisson[t] = 0.3;
    }
    CHECK(block_matrix_build(27, &(VertexGroups){48, 4, NULL, box.tets}, 1, &matrix, &message) == JN_OK);
    TetElementsDesc desc = {.vertex_count = 27,
                            .tet_count = 48,
                            .rest_positions = box.positions,
                            .tet_vertices = box.tets,
                            .laws = laws,
                            .young_modulus = young,
                            .poisson_ratio = poisson,
                            .stiffness_damping = damping,
                            .damping_mass = damping_mass};
    CHECK(tet_elements_create(&desc, &matrix, &term, &message) == JN_OK);
    for (int v = 0; v < 27; ++v) {
        q[3 * v] = 1.3 * box.positions[3 * v] + 0.2 * box.positions[3 * v + 1];
        q[3 * v + 1] = box.positions[3 * v + 1];
        q[3 * v + 2] = 0.9 * box.positions[3 * v + 2];
    }
    memset(force, 0, sizeof force);
    Evaluation e = {.q = q, .force = force};
    term_evaluate(&term, &e);
    for (int i = 0; i < 3; ++i)
        CHECK_NEAR(force[3 * 13 + i], 0, 1e-9); /* the middle vertex */
    CHECK(fabs(force[0]) > 1);
    term_destroy(&term);
    block_matrix_free(&matrix);
    tet_box_free(&box);
}

TEST(elements_result_is_the_same_for_every_thread_count) {
    /* slightly and badly deformed, so that elements are taken raw and projected */
    for (int bad = 0; bad < 2; ++bad) {
        Fixture f;
        CHECK(open_fixture(&f, 60, 0.01, bad ? 0.06 : 0.01));
        size_t values = (size_t)f.matrix.block_count * 9, n = 3 * (size_t)f.box.vertex_count;
        double *first = malloc(values * sizeof *first), *forces = calloc(3 * n, sizeof *forces), energies[3] = {0};
        for (uint32_t run = 0; run < 3; ++run) {
            Pool *pool = run ? pool_create(run + 1) : NULL;
            CHECK(run == 0 || pool);
            block_matrix_set_zero(&f.matrix);
            Evaluation e = {.q = f.q,
                            .v = f.q,
                            .energy = &energies[run],
                            .force = forces + run * n,
                            .matrix = &f.matrix,
                            .stiffness_scale = 1,
                            .damping_scale = 10,
                            .pool = pool};
            term_evaluate(&f.term, &e);
            if (run == 0)
                memcpy(first, f.matrix.values, values * sizeof *first);
            CHECK(memcmp(first, f.matrix.values, values * sizeof *first) == 0);
            CHECK(memcmp(forces, forces + run * n, n * sizeof *forces) == 0);
            CHECK(energies[0] == energies[run] && energies[0] > 1);
            if (pool)
                pool_destroy(pool);
        }
        free(first);
        free(forces);
        close_fixture(&f);
    }
}

/* The largest difference between the forces and matrices of two terms of the same mesh, as a part of the largest
   entries. */
static double compare_terms(Fixture *a, Fixture *b, Evaluation e) {
    Fixture *fixtures[2] = {a, b};
    uint32_t n = 3 * a->box.vertex_count;
    size_t values = 9 * (size_t)a->matrix.block_count;
    double *forces = calloc(2 * n, sizeof *forces), force = 0, entry = 0, force_apart = 0, entries_apart = 0;
    for (int k = 0; k < 2; ++k) {
        block_matrix_set_zero(&fixtures[k]->matrix);
        e.q = a->q;
        e.force = forces + (uint32_t)k * n;
        e.matrix = &fixtures[k]->matrix;
        term_evaluate(&fixtures[k]->term, &e);
    }
    for (uint32_t i = 0; i < n; ++i) {
        force = fmax(force, fabs(forces[i]));
        force_apart = fmax(force_apart, fabs(forces[i] - forces[n + i]));
    }
    for (size_t i = 0; i < values; ++i) {
        entry = fmax(entry, fabs(a->matrix.values[i]));
        entries_apart = fmax(entries_apart, fabs(a->matrix.values[i] - b->matrix.values[i]));
    }
    free(forces);
    return fmax(force_apart / force, entries_apart / entry);
}

TEST(elements_four_at_once_are_the_same_as_one_by_one) {
    /* to so badly that many turn inside out; each part has five or six tets, so that some are left over */
    const double amounts[] = {0, 0.002, 0.02, 0.06};
    for (uint32_t m = 0; m < material_table.count; ++m) {
        const Material *law = (const Material *)table_at(&material_table, m);
        Material alone = *law; /* with what any law must have, and no more */
        alone.invariants = NULL;
        alone.principal = NULL;
        for (int k = 0; law->principal && k < 4; ++k) {
            Fixture four, one;
            CHECK(open_fixture_of(&four, law, 7, 0.01, amounts[k]));
            CHECK(open_fixture_of(&one, &alone, 7, 0.01, amounts[k]));
            double *v = malloc(3 * four.box.vertex_count * sizeof *v);
            uint64_t seed = 3;
            for (uint32_t i = 0; i < 3 * four.box.vertex_count; ++i)
                v[i] = random_signed(&seed);
            for (StiffnessKind kind = STIFFNESS_SAFE; kind <= STIFFNESS_RAW; ++kind)
                for (int damped = 0; damped < 4; ++damped) {
                    Evaluation e = {.v = damped & 1 ? v : NULL,
                                    .stiffness_scale = 1,
                                    .damping_scale = damped & 2 ? 20 : 0,
                                    .stiffness = kind};
                    /* at rest there is no force to compare */
                    if (k > 0 || damped & 1)
                        CHECK(compare_terms(&four, &one, e) < 1e-11);
                }
            term_set_moment(&four.term, (const double[]){3}, NULL);
            four.term.operations->scale_damping(four.term.self, 0, 0.5);
            Evaluation e = {.v = v, .stiffness_scale = 1, .damping_scale = 20};
            CHECK(compare_terms(&four, &one, e) > 0.1);
            term_set_moment(&one.term, (const double[]){3}, NULL);
            one.term.operations->scale_damping(one.term.self, 0, 0.5);
            CHECK(compare_terms(&four, &one, e) < 1e-11);
            free(v);
            close_fixture(&four);
            close_fixture(&one);
        }
    }
}
