/* Every law of the material table: derivatives by finite differences, invariance, the small-strain limit, inversion. */
#include "harness.h"
#include "material_states.h"

static double largest_of(const double *values, int count) {
    double largest = 0;
    for (int i = 0; i < count; ++i)
        largest = fmax(largest, fabs(values[i]));
    return largest;
}

TEST(material_rest_has_no_energy_and_no_stress) {
    for (uint32_t m = 0; m < material_table.count; ++m) {
        double c[MATERIAL_COEFFICIENTS], P[9];
        law_at(m)->coefficients(YOUNG, POISSON, c);
        CHECK_NEAR(law_at(m)->energy(c, smooth_states[0]), 0, 1e-10 * YOUNG);
        law_at(m)->stress(c, smooth_states[0], P);
        for (int i = 0; i < 9; ++i)
            CHECK_NEAR(P[i], 0, 1e-10 * YOUNG);
        /* and is not zero everywhere */
        CHECK(law_at(m)->energy(c, smooth_states[1]) > 1e-3 * YOUNG);
    }
}

TEST(material_stress_is_derivative_of_energy) {
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (int d = 0; d < SMOOTH_STATES; ++d) {
            double c[MATERIAL_COEFFICIENTS], P[9], F[9], e = 1e-6;
            law_at(m)->coefficients(YOUNG, POISSON, c);
            law_at(m)->stress(c, smooth_states[d], P);
            double scale = YOUNG + largest_of(P, 9);
            for (int i = 0; i < 9; ++i) {
                memcpy(F, smooth_states[d], sizeof F);
                F[i] += e;
                double above = law_at(m)->energy(c, F);
                F[i] -= 2 * e;
                CHECK_NEAR((above - law_at(m)->energy(c, F)) / (2 * e), P[i], 1e-8 * scale);
            }
        }
}

TEST(material_stiffness_is_symmetric_derivative_of_stress) {
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (int d = 0; d < SMOOTH_STATES; ++d) {
            double c[MATERIAL_COEFFICIENTS], above[9], below[9], F[9], dPdF[81], e = 1e-6;
            law_at(m)->coefficients(YOUNG, POISSON, c);
            law_at(m)->stiffness(c, smooth_states[d], dPdF);
            double largest = largest_of(dPdF, 81);
            CHECK(largest > 0.1 * YOUNG);
            for (int i = 0; i < 9; ++i) {
                memcpy(F, smooth_states[d], sizeof F);
                F[i] += e;
                law_at(m)->stress(c, F, above);
                F[i] -= 2 * e;
                law_at(m)->stress(c, F, below);
                for (int k = 0; k < 9; ++k) {
                    CHECK_NEAR((above[k] - below[k]) / (2 * e), dPdF[9 * k + i], 1e-7 * largest);
                    CHECK_NEAR(dPdF[9 * k + i], dPdF[9 * i + k], 1e-14 * largest);
                }
            }
        }
}

/* out = A B. */
static void multiply(const double a[9], const double b[9], double out[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

TEST(material_rotation_before_or_after_leaves_energy_and_turns_stress) {
    const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    int fixed_frame = 0;
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (int d = 0; d < SMOOTH_STATES; ++d) {
            double c[MATERIAL_COEFFICIENTS], RF[9], FR[9], P[9], RP[9], turned[9];
            law_at(m)->coefficients(YOUNG, POISSON, c);
            multiply(turn, smooth_states[d], RF);
            multiply(smooth_states[d], turn, FR);
            double energy = law_at(m)->energy(c, smooth_states[d]);
            if (!(law_at(m)->traits & MATERIAL_ROTATES)) {
                /* a law that takes rotation for strain says so */
                fixed_frame += fabs(law_at(m)->energy(c, RF) - energy) > 0.1 * YOUNG;
                continue;
            }
            CHECK_NEAR(law_at(m)->energy(c, RF), energy, 1e-12 * (YOUNG + energy));
            CHECK_NEAR(law_at(m)->energy(c, FR), energy, 1e-12 * (YOUNG + energy));
            law_at(m)->stress(c, smooth_states[d], P);
            law_at(m)->stress(c, RF, turned);
            multiply(turn, P, RP);
            for (int i = 0; i < 9; ++i)
                CHECK_NEAR(turned[i], RP[i], 1e-12 * (YOUNG + largest_of(P, 9)));
        }
    CHECK(fixed_frame > 0);
}

TEST(material_small_strain_agrees_with_hooke) {
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (double ratio = 0; ratio < 0.5; ratio += 0.49) {
            double c[MATERIAL_COEFFICIENTS], P[9], e = 1e-6, F[9] = {1 + e, 2 * e, 0, 2 * e, 1 - e, e, 0, e, 1 + 3 * e};
            double lambda, mu, trace = F[0] + F[4] + F[8] - 3;
            material_lame(YOUNG, law_at(m)->traits & MATERIAL_POISSON ? ratio : 0, &lambda, &mu);
            law_at(m)->coefficients(YOUNG, ratio, c);
            law_at(m)->stress(c, F, P);
            for (int i = 0; i < 9; ++i) {
                double strain = F[i] - (i % 4 == 0), hooke = 2 * mu * strain + (i % 4 == 0 ? lambda * trace : 0);
                CHECK_NEAR(P[i], hooke, 1e-4 * e * (lambda + YOUNG));
            }
        }
}

TEST(material_inside_out_is_pushed_back_where_the_law_says_so) {
    int stays = 0;
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (double x = -0.9; x < 0.01; x += 0.3) {
            /* pressed through flat along x: to push back, the energy falls towards larger x */
            double c[MATERIAL_COEFFICIENTS], P[9], F[9] = {x, 0, 0, 0, 1, 0, 0, 0, 1.1};
            law_at(m)->coefficients(YOUNG, POISSON, c);
            law_at(m)->stress(c, F, P);
            if (law_at(m)->traits & MATERIAL_RECOVERS)
                CHECK(P[0] < -0.1 * YOUNG);
            else
                stays += P[0] > 0;
        }
    CHECK(stays > 0);
}

TEST(material_degenerate_states_are_finite) {
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (int d = 0; d < DEGENERATE_STATES; ++d) {
            double c[MATERIAL_COEFFICIENTS], P[9], dPdF[81], sum = 0;
            law_at(m)->coefficients(YOUNG, POISSON, c);
            law_at(m)->stress(c, degenerate_states[d], P);
            law_at(m)->stiffness(c, degenerate_states[d], dPdF);
            for (int i = 0; i < 81; ++i)
                sum += dPdF[i] + P[i % 9];
            CHECK(isfinite(law_at(m)->energy(c, degenerate_states[d])) && isfinite(sum));
            CHECK(largest_of(dPdF, 81) < 1e7 * YOUNG);
        }
}

/* The neo-Hookean law is a logarithm above J = 0.1 and a polynomial below: nothing jumps in between. */
TEST(material_neohooke_goes_on_smoothly_below_its_logarithm) {
    const void *found;
    CHECK(table_find(&material_table, "neohooke", "", &found, NULL) == JN_OK);
    const Material *law = found;
    double c[MATERIAL_COEFFICIENTS], lambda, mu, stress[2][9], stiffness[2][81], energy[2], e = 1e-9;
    material_lame(YOUNG, POISSON, &lambda, &mu);
    law->coefficients(YOUNG, POISSON, c);
    for (int side = 0; side < 2; ++side) {
        double F[9] = {0.5, 0.1, 0, 0, 0.4, 0, 0, 0, 0.5 + (side ? e : -e)};
        energy[side] = law->energy(c, F);
        law->stress(c, F, stress[side]);
        law->stiffness(c, F, stiffness[side]);
    }
    CHECK_NEAR(energy[0], energy[1], 1e-6 * YOUNG);
    for (int i = 0; i < 9; ++i)
        CHECK_NEAR(stress[0][i], stress[1][i], 1e-6 * YOUNG);
    for (int i = 0; i < 81; ++i)
        CHECK_NEAR(stiffness[0][i], stiffness[1][i], 1e-5 * YOUNG);

    /* the logarithm itself above, its second-order expansion about J = 0.1 below */
    const double J0 = 0.1, L = log(J0);
    double above[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.2}, below[9] = {1, 0, 0, 0, 1, 0, 0, 0, -0.3}, d = -0.4;
    double exact = mu / 2 * (0.04 - 1) - mu * log(0.2) + lambda / 2 * log(0.2) * log(0.2);
    CHECK_NEAR(law->energy(c, above), exact, 1e-12 * YOUNG);
    double expansion = mu / 2 * (0.09 - 1) - mu * L + lambda / 2 * L * L + d * (lambda * L - mu) / J0 +
                       d * d / 2 * (mu + lambda * (1 - L)) / (J0 * J0);
    CHECK_NEAR(law->energy(c, below), expansion, 1e-10 * YOUNG);
}
