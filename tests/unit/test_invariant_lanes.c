/* Force and stiffness of four elements at once, from invariants, against the law's own stress and 9x9 stiffness. */
#include "harness.h"
#include "stiffness_reference.h"

#include "base/symmetric.h"
#include "elastic/lane_kernels.h"

/* Four elements of one law, and what the law says of each. */
typedef struct Four {
    InvariantLanes lanes;
    Lanes edges[9];
    double F[LANES][9], g[LANES][9], c[MATERIAL_COEFFICIENTS];
} Four;

static void make_four(const InvariantKernels *kernels, const Material *law, double poisson, int trial, uint64_t *seed,
                      Four *four) {
    law->coefficients(YOUNG, poisson, four->c);
    for (int l = 0; l < LANES; ++l) {
        double inverse[9];
        random_state(LANES * trial + l, seed, four->F[l]);
        random_gradients(seed, four->g[l]);
        mat3_inverse(four->g[l], inverse);
        /* edges whose deformation gradient is F: columns of F inverse */
        for (int a = 0; a < 3; ++a)
            for (int i = 0; i < 3; ++i) {
                double edge = 0;
                for (int j = 0; j < 3; ++j)
                    edge += four->F[l][3 * i + j] * inverse[3 * j + a];
                four->edges[3 * a + i][l] = edge;
                four->lanes.gradients[3 * a + i][l] = four->g[l][3 * a + i];
            }
    }
    kernels->deform(&four->lanes, four->edges);
    for (int l = 0; l < LANES; ++l) {
        InvariantSlopes slopes;
        law->invariants(four->c, four->lanes.I[l], four->lanes.J[l], &slopes);
        four->lanes.norm[l] = slopes.norm;
        four->lanes.norm_change[l] = slopes.norm_change;
        four->lanes.volume[l] = slopes.volume;
        four->lanes.volume_change[l] = slopes.volume_change;
    }
}

TEST(invariants_force_and_blocks_equal_those_of_the_9x9_stiffness) {
    uint64_t seed = 17;
    int laws = 0;
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (int trial = 0; law_at(m)->invariants && trial < TRIALS; ++trial) {
            const Material *law = law_at(m);
            const InvariantKernels *kernels = lane_kernels_best().invariants;
            Four four;
            Lanes scale = {0.3, 1.7, 1, 0.01}, forces[9], changes[9], blocks[10][9], dF[9];
            make_four(kernels, law, trial % 2 ? 0.3 : 0.49, trial, &seed, &four);
            for (int n = 0; n < 9; ++n)
                for (int l = 0; l < LANES; ++l)
                    dF[n][l] = random_signed(&seed);
            kernels->force(&four.lanes, &scale, forces);
            kernels->force_change(&four.lanes, dF, &scale, changes);
            kernels->blocks(&four.lanes, &scale, blocks);
            laws += trial == 0;
            for (int l = 0; l < LANES; ++l) {
                const double *g = four.g[l];
                double P[9], dPdF[81], change[9] = {0}, dP[9] = {0};
                law->stress(four.c, four.F[l], P);
                law->stiffness(four.c, four.F[l], dPdF);
                double stiffest = largest_of(dPdF, 81) * largest_of(g, 9);
                CHECK(stiffest > YOUNG);
                for (int i = 0; i < 9; ++i)
                    for (int a = 0; a < 3; ++a)
                        change[i] += dF[3 * a + i / 3][l] * g[3 * a + i % 3];
                for (int i = 0; i < 81; ++i)
                    dP[i / 9] += dPdF[i] * change[i % 9];
                for (int a = 0; a < 3; ++a)
                    for (int i = 0; i < 3; ++i) {
                        CHECK_NEAR(forces[3 * a + i][l], scale[l] * vec3_dot(P + 3 * i, g + 3 * a), 1e-13 * stiffest);
                        CHECK_NEAR(changes[3 * a + i][l], scale[l] * vec3_dot(dP + 3 * i, g + 3 * a),
                                   1e-12 * stiffest * largest_of(g, 9));
                    }
                for (int p = 0; p < 10; ++p) {
                    double block[9];
                    reference_block(dPdF, g, block_row[p], block_column[p], scale[l], block);
                    for (int n = 0; n < 9; ++n)
                        CHECK_NEAR(blocks[p][n][l], block[n], 1e-12 * stiffest * largest_of(g, 9));
                }
            }
        }
    CHECK(laws >= 2);
}

TEST(invariants_tell_harmless_and_positive_stiffness_as_the_9x9_factorization_does) {
    uint64_t seed = 23;
    for (uint32_t m = 0; m < material_table.count; ++m) {
        int harmless_count = 0, harmful_count = 0, positive_count = 0, found_count = 0;
        for (int trial = 0; law_at(m)->invariants && trial < 10 * TRIALS; ++trial) {
            const InvariantKernels *kernels = lane_kernels_best().invariants;
            Four four;
            LaneMask harmless, positive;
            double allowed = (trial % 3 ? 0.05 : 0.01) * YOUNG;
            make_four(kernels, law_at(m), trial % 2 ? 0.3 : 0.45, trial, &seed, &four);
            kernels->judge_above(&four.lanes, &(Lanes){allowed, allowed, allowed, allowed}, &harmless);
            kernels->judge_positive(&four.lanes, &positive);
            for (int l = 0; l < LANES; ++l) {
                double dPdF[81];
                law_at(m)->stiffness(four.c, four.F[l], dPdF);
                /* none of these lies on the border */
                CHECK(is_above(dPdF, allowed * 1.0001) == is_above(dPdF, allowed * 0.9999));
                CHECK(is_above(dPdF, allowed) == (harmless[l] != 0));
                CHECK(!positive[l] || symmetric_is_semidefinite(dPdF, 9, SYMMETRIC_ROUNDING));
                harmless_count += harmless[l] != 0;
                harmful_count += harmless[l] == 0;
                if (symmetric_is_semidefinite(dPdF, 9, -0.01)) {
                    ++positive_count;
                    found_count += positive[l] != 0;
                }
            }
        }
        CHECK(!law_at(m)->invariants || (harmless_count > 1000 && harmful_count > 1000));
        CHECK(!law_at(m)->invariants || (positive_count > 500 && found_count == positive_count));
    }
}

TEST(invariants_of_any_law_tell_positive_stiffness) {
    /* slopes that no law of ours has, some of them negative */
    uint64_t seed = 37;
    int counts[2][2] = {{0}};
    for (int trial = 0; trial < 20 * TRIALS; ++trial) {
        const InvariantKernels *kernels = lane_kernels_best().invariants;
        Four four;
        LaneMask harmless, positive;
        const Lanes allowed = {0.05, 0.05, 0.05, 0.05};
        InvariantSlopes slopes[LANES];
        make_four(kernels, law_at(0), 0.3, trial, &seed, &four);
        for (int l = 0; l < LANES; ++l) {
            slopes[l] = (InvariantSlopes){1 + 0.2 * random_signed(&seed), 0.5 + 2 * random_signed(&seed),
                                          0.7 * random_signed(&seed), 0.5 + 2 * random_signed(&seed)};
            four.lanes.norm[l] = slopes[l].norm;
            four.lanes.norm_change[l] = slopes[l].norm_change;
            four.lanes.volume[l] = slopes[l].volume;
            four.lanes.volume_change[l] = slopes[l].volume_change;
        }
        kernels->judge_above(&four.lanes, &allowed, &harmless);
        kernels->judge_positive(&four.lanes, &positive);
        for (int l = 0; l < LANES; ++l) {
            double dPdF[81];
            invariant_stiffness(&slopes[l], four.F[l], dPdF);
            bool near = is_above(dPdF, 0.05 + 1e-6) != is_above(dPdF, 0.05 - 1e-6);
            CHECK(near || is_above(dPdF, 0.05) == (harmless[l] != 0));
            CHECK(!positive[l] || symmetric_is_semidefinite(dPdF, 9, SYMMETRIC_ROUNDING));
            CHECK(positive[l] || !symmetric_is_semidefinite(dPdF, 9, -0.01));
            ++counts[0][harmless[l] != 0];
            ++counts[1][positive[l] != 0];
        }
    }
    CHECK(counts[0][0] > 1000 && counts[0][1] > 1000 && counts[1][0] > 1000 && counts[1][1] > 1000);
}

TEST(invariants_are_the_same_to_the_bit_with_wide_registers) {
    if (lane_kernels_best().invariants == &invariant_kernels_plain)
        SKIP("this processor or compiler has no wide registers");
    uint64_t seeds[2] = {29, 29};
    Lanes velocities[9], scale = {0.3, 1.7, 1, 0.01}, allowed = scale * YOUNG;
    for (int n = 0; n < 9; ++n)
        for (int l = 0; l < LANES; ++l)
            velocities[n][l] = random_signed(&seeds[0]);
    seeds[0] = seeds[1];
    for (int trial = 0; trial < TRIALS; ++trial) {
        const InvariantKernels *kernels[2] = {&invariant_kernels_plain, lane_kernels_best().invariants};
        Four four[2];
        Lanes forces[2][18], blocks[2][10][9];
        LaneMask judged[2][2];
        for (int k = 0; k < 2; ++k) {
            make_four(kernels[k], law_at(0), 0.4, trial, &seeds[k], &four[k]);
            kernels[k]->force(&four[k].lanes, &scale, forces[k]);
            kernels[k]->force_change(&four[k].lanes, velocities, &scale, forces[k] + 9);
            kernels[k]->blocks(&four[k].lanes, &scale, blocks[k]);
            kernels[k]->judge_above(&four[k].lanes, &allowed, &judged[k][0]);
            kernels[k]->judge_positive(&four[k].lanes, &judged[k][1]);
        }
        CHECK(memcmp(&four[0].lanes, &four[1].lanes, sizeof four[0].lanes) == 0);
        CHECK(memcmp(forces[0], forces[1], sizeof forces[0]) == 0);
        CHECK(memcmp(blocks[0], blocks[1], sizeof blocks[0]) == 0);
        CHECK(memcmp(judged[0], judged[1], sizeof judged[0]) == 0);
        CHECK(fabs(blocks[0][3][1][2]) > 0);
    }
}

TEST(invariants_that_are_not_finite_are_neither_harmless_nor_positive) {
    const double bad[] = {NAN, INFINITY, 1e200, -1e120};
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (size_t b = 0; law_at(m)->invariants && b < sizeof bad / sizeof bad[0]; ++b) {
            Four four;
            uint64_t seed = 3;
            LaneMask harmless, positive;
            const Lanes allowed = {YOUNG, YOUNG, YOUNG, YOUNG};
            const InvariantKernels *kernels = lane_kernels_best().invariants;
            make_four(kernels, law_at(m), 0.3, 1, &seed, &four);
            kernels->judge_above(&four.lanes, &allowed, &harmless);
            LaneMask before = harmless;
            for (int n = 0; n < 9; ++n)
                four.edges[n][2] *= bad[b];
            kernels->deform(&four.lanes, four.edges);
            InvariantSlopes slopes;
            law_at(m)->invariants(four.c, four.lanes.I[2], four.lanes.J[2], &slopes);
            four.lanes.norm[2] = slopes.norm;
            four.lanes.norm_change[2] = slopes.norm_change;
            four.lanes.volume[2] = slopes.volume;
            four.lanes.volume_change[2] = slopes.volume_change;
            kernels->judge_above(&four.lanes, &allowed, &harmless);
            kernels->judge_positive(&four.lanes, &positive);
            CHECK(!harmless[2] && !positive[2]);
            /* and its neighbours do not notice */
            CHECK(harmless[0] == before[0] && harmless[1] == before[1] && harmless[3] == before[3]);
        }
}
