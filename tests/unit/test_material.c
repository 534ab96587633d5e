/* Every law of the material table: derivatives by finite differences, invariance, the small-strain limit. */
#include "harness.h"
#include "random.h"

#include "base/math3.h"
#include "elastic/material.h"

static const double YOUNG = 2e5, POISSON = 0.35;

/* Deformations at which laws are checked. */
static const double deformations[][9] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},                    /* rest */
    {1.6, 0.1, 0, 0, 0.9, 0.2, -0.1, 0, 1.1},       /* stretched and sheared */
    {0.3, 0, 0.1, 0, 0.5, 0, 0.05, 0, 0.4},         /* compressed */
    {0, -1.2, 0, 1.1, 0, 0, 0, 0, 0.9},             /* rotated */
    {-0.8, 0.1, 0, 0, 1.1, 0, 0.2, 0, 1.2},         /* inverted */
    {1e-3, 0, 0, 0, 1, 0, 0, 0, 1},                 /* nearly flat */
};
enum { DEFORMATIONS = sizeof deformations / sizeof deformations[0] };

static const Material *law_at(uint32_t index) {
    return (const Material *)table_at(&material_table, index);
}

TEST(material_rest_has_no_energy_and_no_stress) {
    for (uint32_t m = 0; m < material_table.count; ++m) {
        double c[MATERIAL_COEFFICIENTS], P[9];
        law_at(m)->coefficients(YOUNG, POISSON, c);
        CHECK_NEAR(law_at(m)->energy(c, deformations[0]), 0, 1e-10 * YOUNG);
        law_at(m)->stress(c, deformations[0], P);
        for (int i = 0; i < 9; ++i)
            CHECK_NEAR(P[i], 0, 1e-10 * YOUNG);
        /* and is not zero everywhere */
        CHECK(law_at(m)->energy(c, deformations[1]) > 1e-3 * YOUNG);
    }
}

TEST(material_stress_is_derivative_of_energy) {
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (int d = 0; d < DEFORMATIONS; ++d) {
            double c[MATERIAL_COEFFICIENTS], P[9], F[9], e = 1e-6;
            law_at(m)->coefficients(YOUNG, POISSON, c);
            law_at(m)->stress(c, deformations[d], P);
            for (int i = 0; i < 9; ++i) {
                memcpy(F, deformations[d], sizeof F);
                F[i] += e;
                double above = law_at(m)->energy(c, F);
                F[i] -= 2 * e;
                CHECK_NEAR((above - law_at(m)->energy(c, F)) / (2 * e), P[i], 1e-6 * YOUNG);
            }
        }
}

TEST(material_stiffness_is_symmetric_derivative_of_stress) {
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (int d = 0; d < DEFORMATIONS; ++d) {
            double c[MATERIAL_COEFFICIENTS], above[9], below[9], F[9], dPdF[81], largest = 0, e = 1e-6;
            law_at(m)->coefficients(YOUNG, POISSON, c);
            law_at(m)->stiffness(c, deformations[d], dPdF);
            for (int i = 0; i < 9; ++i) {
                memcpy(F, deformations[d], sizeof F);
                F[i] += e;
                law_at(m)->stress(c, F, above);
                F[i] -= 2 * e;
                law_at(m)->stress(c, F, below);
                for (int k = 0; k < 9; ++k) {
                    CHECK_NEAR((above[k] - below[k]) / (2 * e), dPdF[9 * k + i], 1e-5 * YOUNG);
                    CHECK_NEAR(dPdF[9 * k + i], dPdF[9 * i + k], 1e-9 * YOUNG);
                    largest = fmax(largest, fabs(dPdF[9 * k + i]));
                }
            }
            CHECK(largest > 0.1 * YOUNG);
        }
}

TEST(material_rotated_deformation_has_equal_energy) {
    const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (int d = 0; d < DEFORMATIONS; ++d) {
            double c[MATERIAL_COEFFICIENTS], RF[9] = {0};
            law_at(m)->coefficients(YOUNG, POISSON, c);
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    for (int k = 0; k < 3; ++k)
                        RF[3 * i + j] += turn[3 * i + k] * deformations[d][3 * k + j];
            CHECK_NEAR(law_at(m)->energy(c, RF), law_at(m)->energy(c, deformations[d]), 1e-9 * YOUNG);
        }
}

TEST(material_small_strain_agrees_with_hooke) {
    double lambda, mu;
    material_lame(YOUNG, POISSON, &lambda, &mu);
    for (uint32_t m = 0; m < material_table.count; ++m) {
        double c[MATERIAL_COEFFICIENTS], P[9], e = 1e-5, F[9] = {1 + e, 2 * e, 0, 2 * e, 1 - e, e, 0, e, 1 + 3 * e};
        law_at(m)->coefficients(YOUNG, POISSON, c);
        law_at(m)->stress(c, F, P);
        double trace = F[0] + F[4] + F[8] - 3;
        for (int i = 0; i < 9; ++i) {
            double strain = F[i] - (i % 4 == 0), hooke = 2 * mu * strain + (i % 4 == 0 ? lambda * trace : 0);
            CHECK_NEAR(P[i], hooke, 1e-3 * e * YOUNG);
        }
    }
}

/* Smallest v'Av over many directions: a bound from above on the smallest eigenvalue. */
static double smallest_curvature(const double a[81]) {
    uint64_t seed = 7;
    double smallest = INFINITY;
    for (int trial = 0; trial < 2000; ++trial) {
        double v[9], norm = 0, product = 0;
        for (int i = 0; i < 9; ++i) {
            v[i] = random_signed(&seed);
            norm += v[i] * v[i];
        }
        for (int i = 0; i < 9; ++i)
            for (int j = 0; j < 9; ++j)
                product += v[i] * a[9 * i + j] * v[j];
        smallest = fmin(smallest, product / norm);
    }
    return smallest;
}

TEST(material_projection_leaves_semidefinite_and_removes_negative) {
    double c[MATERIAL_COEFFICIENTS], raw[81], projected[81];
    const Material *law = law_at(0);
    law->coefficients(YOUNG, 0.49, c);
    law->stiffness(c, deformations[0], raw);
    memcpy(projected, raw, sizeof raw);
    CHECK(material_project(projected) == 0);
    CHECK(memcmp(raw, projected, sizeof raw) == 0);

    /* strongly compressed: the raw stiffness has a negative direction */
    law->stiffness(c, deformations[2], raw);
    CHECK(smallest_curvature(raw) < -1e-3 * YOUNG);
    memcpy(projected, raw, sizeof raw);
    CHECK(material_project(projected) == 1);
    CHECK(smallest_curvature(projected) > -1e-9 * YOUNG);
    /* projecting again changes nothing to speak of */
    memcpy(raw, projected, sizeof raw);
    material_project(projected);
    for (int i = 0; i < 81; ++i)
        CHECK_NEAR(projected[i], raw[i], 1e-6 * YOUNG);
}
