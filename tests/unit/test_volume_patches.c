/* The shared volume of tets: derivatives, definiteness, invariance, Hooke's law, threads. */
#include "harness.h"
#include "random.h"
#include "spin_power.h"
#include "tet_box.h"

#include "terms.h"

#include "elastic/tet_elements.h"
#include "elastic/volume_patches.h"

enum { MOST = 600 }; /* unknowns of the small boxes */
#define YOUNG 1e5

typedef struct Fixture {
    TetBox box;
    TetPatches patches;
    BlockMatrix matrix;
    ForceTerm term, elements;
    double *q;
} Fixture;

static const Material *find_law(const char *name) {
    const void *law = NULL;
    return table_find(&material_table, name, "law", &law, NULL) == JN_OK ? law : NULL;
}

/* A box of nx * 2 * 2 irregular cells, and how it is bent out of its rest shape. */
static int open_fixture(Fixture *f, const char *law_name, uint32_t nx, double poisson_ratio, double damping_time,
                        double amount) {
    JnMessage message;
    uint64_t seed = 7;
    f->box = tet_box_make(nx, 2, 2, 0.1);
    TetBox *box = &f->box;
    size_t tets = box->tet_count;
    for (uint32_t i = 0; i < 3 * box->vertex_count; ++i)
        box->positions[i] += 0.01 * random_signed(&seed);
    const Material **laws = malloc(tets * sizeof *laws), *law = find_law(law_name);
    double *young = malloc(tets * sizeof *young), *poisson = malloc(tets * sizeof *poisson);
    double *soft_young = malloc(tets * sizeof *young), *soft_poisson = malloc(tets * sizeof *poisson);
    double *follows = malloc(tets * sizeof *follows);
    double *damping = malloc(tets * sizeof *damping), *damping_mass = calloc(box->vertex_count, sizeof *damping_mass);
    int32_t *groups = calloc(tets, sizeof *groups);
    for (size_t t = 0; t < tets; ++t) {
        laws[t] = law;
        soft_young[t] = young[t] = YOUNG;
        soft_poisson[t] = poisson[t] = poisson_ratio;
        damping[t] = damping_time;
        follows[t] = 1;
        volume_patches_soften(&soft_young[t], &soft_poisson[t]);
    }
    JnTets mesh = tet_box_view(box);
    size_t *starts;
    uint32_t *vertices;
    JnStatus status = law ? tet_patches_build(&mesh, groups, &f->patches, &message) : JN_ERR_UNKNOWN_NAME;
    if (status == JN_OK)
        status = volume_patches_vertices(&f->patches, box->tets, &starts, &vertices, &message);
    if (status != JN_OK)
        return 0;
    VertexGroups coupled[] = {vertex_groups_of_tets(box->tets, box->tet_count),
                              {f->patches.patch_count, 0, starts, vertices}};
    status = block_matrix_build(box->vertex_count, coupled, 2, &f->matrix, &message);
    TetElementsDesc elements = {.vertex_count = box->vertex_count,
                                .tet_count = box->tet_count,
                                .rest_positions = box->positions,
                                .tet_vertices = box->tets,
                                .laws = laws,
                                .young_modulus = soft_young,
                                .poisson_ratio = soft_poisson,
                                .stiffness_damping = damping,
                                .damping_mass = damping_mass,
                                .rest_follows = follows};
    if (status == JN_OK)
        status = tet_elements_create(&elements, &f->matrix, &f->elements, &message);
    VolumePatchesDesc desc = {.vertex_count = box->vertex_count,
                              .tet_count = box->tet_count,
                              .rest_positions = box->positions,
                              .tet_vertices = box->tets,
                              .laws = laws,
                              .young_modulus = young,
                              .poisson_ratio = poisson,
                              .stiffness_damping = damping,
                              .patches = &f->patches,
                              .elements = &f->elements};
    if (status == JN_OK)
        status = volume_patches_create(&desc, &f->matrix, &f->term, &message);
    free(starts), free(vertices), free(groups), free(laws), free(young), free(poisson), free(soft_young);
    free(soft_poisson), free(damping), free(damping_mass), free(follows);
    f->q = malloc(3 * box->vertex_count * sizeof(double));
    for (uint32_t i = 0; i < 3 * box->vertex_count; ++i)
        f->q[i] = box->positions[i] + amount * random_signed(&seed);
    return status == JN_OK && f->patches.patch_count > 1;
}

static void close_fixture(Fixture *f) {
    term_destroy(&f->term);
    term_destroy(&f->elements);
    block_matrix_free(&f->matrix);
    tet_patches_free(&f->patches);
    tet_box_free(&f->box);
    free(f->q);
}

static double energy_at(const ForceTerm *term, const double *q) {
    double energy = 0;
    Evaluation e = {.q = q, .energy = &energy};
    term_evaluate(term, &e);
    return energy;
}

static void force_at(const Fixture *f, const double *q, const double *v, double *force) {
    memset(force, 0, 3 * f->box.vertex_count * sizeof *force);
    Evaluation e = {.q = q, .v = v, .force = force, .stiffness = STIFFNESS_RAW};
    term_evaluate(&f->term, &e);
}

static void assemble(Fixture *f, StiffnessKind kind, double stiffness_scale, double damping_scale) {
    block_matrix_set_zero(&f->matrix);
    Evaluation e = {.q = f->q,
                    .matrix = &f->matrix,
                    .stiffness = kind,
                    .stiffness_scale = stiffness_scale,
                    .damping_scale = damping_scale};
    term_evaluate(&f->term, &e);
}

static void check_derivatives(const char *law, double amount) {
    Fixture f;
    CHECK(open_fixture(&f, law, 2, 0.49, 0.01, amount));
    uint32_t n = 3 * f.box.vertex_count;
    double force[MOST], above[MOST], below[MOST], x[MOST], y[MOST], e = 1e-6, largest = 0, stiffest = 0;
    CHECK(n <= MOST);
    force_at(&f, f.q, NULL, force);
    assemble(&f, STIFFNESS_RAW, 1, 0);
    for (uint32_t i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(force[i]));
        stiffest = fmax(stiffest, fabs(f.matrix.values[9 * f.matrix.column_starts[i / 3] + 4 * (i % 3)]));
    }
    CHECK(largest > 100 && stiffest > 1000);
    for (uint32_t i = 0; i < n; ++i) {
        double kept = f.q[i];
        f.q[i] = kept + e;
        double energy = energy_at(&f.term, f.q);
        force_at(&f, f.q, NULL, above);
        f.q[i] = kept - e;
        energy -= energy_at(&f.term, f.q);
        force_at(&f, f.q, NULL, below);
        f.q[i] = kept;
        CHECK_NEAR(-energy / (2 * e), force[i], 1e-6 * largest);
        memset(x, 0, sizeof x);
        x[i] = 1;
        block_matrix_multiply(&f.matrix, x, y);
        for (uint32_t k = 0; k < n; ++k)
            CHECK_NEAR((below[k] - above[k]) / (2 * e), y[k], 1e-6 * stiffest);
    }

    /* stiffness damping: the force of a velocity is -0.01 K v, and so is the damping matrix */
    double v[MOST], moving[MOST];
    uint64_t seed = 2;
    for (uint32_t i = 0; i < n; ++i)
        v[i] = random_signed(&seed);
    force_at(&f, f.q, v, moving);
    block_matrix_multiply(&f.matrix, v, y);
    assemble(&f, STIFFNESS_RAW, 0, 1);
    block_matrix_multiply(&f.matrix, v, x);
    for (uint32_t i = 0; i < n; ++i) {
        CHECK_NEAR(force[i] - moving[i], 0.01 * y[i], 1e-10 * stiffest);
        CHECK_NEAR(x[i], 0.01 * y[i], 1e-10 * stiffest);
    }
    close_fixture(&f);
}

TEST(volume_derivatives_agree_with_differences) {
    check_derivatives("stable_neohooke", 0.02);
    check_derivatives("stable_neohooke", 0.08); /* some tets are inside out */
}

TEST(volume_derivatives_of_the_linear_law_agree_with_differences) {
    check_derivatives("linear", 0.02);
}

/* The smallest of v'Kv / v'v over many vectors, with some power iterations towards the lowest. */
static double lowest_found(const Fixture *f) {
    uint32_t n = 3 * f->box.vertex_count;
    double v[MOST], y[MOST], lowest = INFINITY, bound = 0;
    for (uint32_t c = 0; c < f->matrix.vertex_count; ++c)
        for (uint32_t k = f->matrix.column_starts[c]; k < f->matrix.column_starts[c + 1]; ++k)
            for (int i = 0; i < 9; ++i)
                bound += f->matrix.values[9 * k + (uint32_t)i] * f->matrix.values[9 * k + (uint32_t)i];
    bound = sqrt(2 * bound);
    uint64_t seed = 3;
    for (uint32_t i = 0; i < n; ++i)
        v[i] = random_signed(&seed);
    for (int step = 0; step < 3000; ++step) {
        double square = 0, product = 0;
        block_matrix_multiply(&f->matrix, v, y);
        for (uint32_t i = 0; i < n; ++i)
            square += v[i] * v[i], product += v[i] * y[i];
        lowest = fmin(lowest, product / square);
        for (uint32_t i = 0; i < n; ++i)
            v[i] = (v[i] - y[i] / bound) / sqrt(square);
    }
    return lowest;
}

TEST(volume_projected_stiffness_is_semidefinite) {
    Fixture f;
    CHECK(open_fixture(&f, "stable_neohooke", 2, 0.49, 0, 0.04));
    for (uint32_t i = 0; i < 3 * f.box.vertex_count; ++i)
        f.q[i] *= 0.8; /* squeezed */
    assemble(&f, STIFFNESS_RAW, 1, 0);
    double raw = lowest_found(&f);
    assemble(&f, STIFFNESS_PROJECTED, 1, 0);
    double projected = lowest_found(&f);
    CHECK(raw < -1000);
    CHECK(projected > -1e-7 * fabs(raw));
    close_fixture(&f);
}

TEST(volume_safe_stiffness_is_raw_under_little_pressure_and_projected_under_much) {
    double values[3];
    const double sizes[2] = {0.98, 0.9}; /* pressures below and above twice Young's modulus */
    for (int s = 0; s < 2; ++s) {
        for (int kind = STIFFNESS_SAFE; kind <= STIFFNESS_RAW; ++kind) {
            Fixture f;
            CHECK(open_fixture(&f, "stable_neohooke", 2, 0.49, 0, 0));
            for (uint32_t i = 0; i < 3 * f.box.vertex_count; ++i)
                f.q[i] *= sizes[s];
            assemble(&f, (StiffnessKind)kind, 1, 0);
            values[kind] = 0;
            for (uint32_t i = 0; i < 9 * f.matrix.block_count; ++i)
                values[kind] += i % 7 * f.matrix.values[i];
            close_fixture(&f);
        }
        CHECK(values[STIFFNESS_RAW] != values[STIFFNESS_PROJECTED]);
        CHECK(values[STIFFNESS_SAFE] == values[s == 0 ? STIFFNESS_RAW : STIFFNESS_PROJECTED]);
    }
}

TEST(volume_damping_of_a_squeezed_body_does_not_drive) {
    /* a turn of the forces that a squeezed body pushes with is negative stiffness */
    const double sizes[] = {0.998, 0.99, 0.98, 0.95, 0.8};
    Fixture f;
    CHECK(open_fixture(&f, "stable_neohooke", 2, 0.49, 0.01, 0));
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        double driven = spin_power(&f.term, &f.box, f.q, STIFFNESS_RAW, sizes[s]);
        CHECK(driven > 1e-3);
        CHECK(spin_power(&f.term, &f.box, f.q, STIFFNESS_SAFE, sizes[s]) < 1e-6 * driven);
    }
    close_fixture(&f);
}

TEST(volume_rigid_motion_gives_no_force) {
    Fixture f;
    CHECK(open_fixture(&f, "stable_neohooke", 4, 0.49, 0, 0));
    double force[MOST];
    const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    CHECK(3 * f.box.vertex_count <= MOST);
    for (uint32_t v = 0; v < f.box.vertex_count; ++v)
        for (uint32_t i = 0; i < 3; ++i) {
            f.q[3 * v + i] = 5 - i;
            for (uint32_t j = 0; j < 3; ++j)
                f.q[3 * v + i] += turn[3 * i + j] * f.box.positions[3 * v + j];
        }
    force_at(&f, f.q, NULL, force);
    for (uint32_t i = 0; i < 3 * f.box.vertex_count; ++i)
        CHECK_NEAR(force[i], 0, 1e-7);
    CHECK_NEAR(energy_at(&f.term, f.q), 0, 1e-8);
    close_fixture(&f);
}

TEST(volume_forces_have_no_sum_and_no_torque) {
    Fixture f;
    CHECK(open_fixture(&f, "stable_neohooke", 4, 0.49, 0, 0.03));
    double force[MOST], sum[3] = {0, 0, 0}, torque[3] = {0, 0, 0}, largest = 0;
    force_at(&f, f.q, NULL, force);
    for (uint32_t v = 0; v < f.box.vertex_count; ++v)
        for (uint32_t i = 0; i < 3; ++i) {
            uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
            sum[i] += force[3 * v + i];
            torque[i] += f.q[3 * v + j] * force[3 * v + k] - f.q[3 * v + k] * force[3 * v + j];
            largest = fmax(largest, fabs(force[3 * v + i]));
        }
    CHECK(largest > 100);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(sum[i], 0, 1e-12 * largest * f.box.vertex_count);
        CHECK_NEAR(torque[i], 0, 1e-12 * largest * f.box.vertex_count);
    }
    close_fixture(&f);
}

/* Tets and patches together under x -> diag(1 + a, 1 + b, 1 + b) x, as energy per volume. */
static double strained_energy(const char *law, double poisson_ratio, double a, double b) {
    Fixture f;
    if (!open_fixture(&f, law, 2, poisson_ratio, 0, 0))
        return NAN;
    double volume = 0;
    for (uint32_t t = 0; t < f.box.tet_count; ++t)
        volume += tet_volume(f.box.positions, f.box.tets + 4 * t);
    for (uint32_t i = 0; i < 3 * f.box.vertex_count; ++i)
        f.q[i] *= 1 + (i % 3 == 0 ? a : b);
    double energy = energy_at(&f.term, f.q) + energy_at(&f.elements, f.q);
    close_fixture(&f);
    return energy / volume;
}

TEST(volume_uniform_strain_has_the_moduli_of_the_material) {
    const double ratios[] = {0.41, 0.43, 0.45, 0.49, 0.499}, e = 1e-5;
    for (uint32_t m = 0; m < material_table.count; ++m) {
        const Material *law = (const Material *)table_at(&material_table, m);
        if (!volume_patches_needed(law, 0.49))
            continue;
        for (int k = 0; k < 5; ++k) {
            double nu = ratios[k], bulk = YOUNG / (3 * (1 - 2 * nu)), shear = YOUNG / (2 * (1 + nu));
            CHECK_NEAR(strained_energy(law->entry.name, nu, -e, -e) / (4.5 * bulk * e * e), 1, 1e-3);
            /* pulled along x and free to the sides: E; at constant volume: shear only */
            CHECK_NEAR(strained_energy(law->entry.name, nu, e, -nu * e) / (0.5 * YOUNG * e * e), 1, 1e-3);
            CHECK_NEAR(strained_energy(law->entry.name, nu, e, -0.5 * e) / (1.5 * shear * e * e), 1, 1e-3);
        }
    }
    const Material *arap = find_law("arap"), *usual = find_law("stable_neohooke");
    CHECK(arap && usual);
    CHECK(!volume_patches_needed(arap, 0.49));
    CHECK(!volume_patches_needed(usual, 0.4) && volume_patches_needed(usual, 0.41));
}

TEST(volume_follows_the_stiffness_of_its_group) {
    Fixture f;
    CHECK(open_fixture(&f, "stable_neohooke", 2, 0.49, 0, 0.01));
    double force[MOST], harder[MOST];
    term_set_moment(&f.term, (const double[]){1}, f.box.positions);
    double energy = energy_at(&f.term, f.q);
    force_at(&f, f.q, NULL, force);
    term_set_moment(&f.term, (const double[]){3}, f.box.positions);
    CHECK(energy > 1e-3);
    CHECK_NEAR(energy_at(&f.term, f.q) / energy, 3, 1e-12);
    force_at(&f, f.q, NULL, harder);
    for (uint32_t i = 0; i < 3 * f.box.vertex_count; ++i)
        CHECK_NEAR(harder[i], 3 * force[i], 1e-12 * fabs(force[i]));
    close_fixture(&f);
}

TEST(volume_follows_the_rest_shape_of_the_tets) {
    static const char *const laws[] = {"stable_neohooke", "linear"};
    for (int k = 0; k < 2; ++k) {
        Fixture f;
        CHECK(open_fixture(&f, laws[k], 2, 0.49, 0, 0.01));
        double energy = energy_at(&f.term, f.q);
        CHECK(energy > 1e-3);
        term_set_moment(&f.term, (const double[]){1}, f.q);
        CHECK(f.elements.operations->limited_rest_count(f.elements.self) == 0);
        CHECK_NEAR(energy_at(&f.term, f.q), 0, 1e-12 * energy);
        CHECK_NEAR(energy_at(&f.elements, f.q), 0, 1e-12 * energy);
        /* and back */
        term_set_moment(&f.term, (const double[]){1}, f.box.positions);
        CHECK_NEAR(energy_at(&f.term, f.q) / energy, 1, 1e-9);
        close_fixture(&f);
    }
}

TEST(volume_result_is_the_same_for_every_thread_count) {
    Fixture f;
    CHECK(open_fixture(&f, "stable_neohooke", 60, 0.49, 0, 0.01));
    size_t values = (size_t)f.matrix.block_count * 9, n = 3 * (size_t)f.box.vertex_count;
    double *first = malloc(values * sizeof *first), *forces = calloc(2 * n, sizeof *forces), energies[2] = {0, 0};
    Pool *pools[2] = {NULL, pool_create(3)};
    CHECK(pools[1] != NULL);
    for (uint32_t run = 0; run < 2; ++run) {
        block_matrix_set_zero(&f.matrix);
        Evaluation e = {.q = f.q,
                        .energy = &energies[run],
                        .force = forces + run * n,
                        .matrix = &f.matrix,
                        .stiffness_scale = 1,
                        .pool = pools[run]};
        term_evaluate(&f.term, &e);
        if (run == 0)
            memcpy(first, f.matrix.values, values * sizeof *first);
    }
    CHECK(memcmp(first, f.matrix.values, values * sizeof *first) == 0);
    CHECK(memcmp(forces, forces + n, n * sizeof *forces) == 0);
    CHECK(energies[0] == energies[1] && energies[0] > 1);
    pool_destroy(pools[1]);
    free(first);
    free(forces);
    close_fixture(&f);
}
