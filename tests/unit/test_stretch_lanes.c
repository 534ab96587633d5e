/* The stretches and the stiffness of four elements at once, against svd3 and the law's 9x9 stiffness. */
#include "harness.h"
#include "stiffness_reference.h"

#include "base/svd3.h"
#include "elastic/lane_kernels.h"

/* Four matrices and their decomposition. */
typedef struct Four {
    Lanes F[9], U[9], s[3], V[9];
    LaneMask right;
} Four;

static void decompose(const StretchKernels *kernels, Four *four) {
    kernels->decompose(four->F, four->U, four->s, four->V, &four->right);
}

static void set_lane(Lanes *lanes, int count, int l, const double *values) {
    for (int n = 0; n < count; ++n)
        lanes[n][l] = values[n];
}

/* Whether lane l is right: rotations, stretches as svd3 has them, and the product F, to 1e-14 of the largest. */
static int is_right(const Four *four, int l) {
    double F[9], U[9], V[9], s[3], defect = 0, size = 0;
    for (int n = 0; n < 9; ++n) {
        F[n] = four->F[n][l];
        size = fmax(size, fabs(F[n]));
    }
    svd3(F, U, s, V);
    for (int k = 0; k < 3; ++k)
        defect = fmax(defect, fabs(four->s[k][l] - s[k]) / size);
    for (int n = 0; n < 9; ++n) {
        U[n] = four->U[n][l];
        V[n] = four->V[n][l];
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double product = 0;
            for (int k = 0; k < 3; ++k)
                product += U[3 * i + k] * four->s[k][l] * V[3 * j + k];
            defect = fmax(defect, fabs(product - F[3 * i + j]) / size);
            defect = fmax(defect, fabs(vec3_dot(U + 3 * i, U + 3 * j) - (i == j)));
            defect = fmax(defect, fabs(vec3_dot(V + 3 * i, V + 3 * j) - (i == j)));
        }
    if (!(defect < 1e-14) || !(mat3_det(U) > 0) || !(mat3_det(V) > 0))
        printf("lane %d is off by %g\n", l, defect);
    return defect < 1e-14 && mat3_det(U) > 0 && mat3_det(V) > 0;
}

TEST(stretches_of_four_are_those_of_svd3) {
    uint64_t seed = 43;
    int right = 0, inverted = 0;
    for (int trial = 0; trial < 10 * TRIALS; ++trial) {
        Four four;
        for (int l = 0; l < LANES; ++l) {
            double F[9];
            random_state(trial + l, &seed, F);
            set_lane(four.F, 9, l, F);
        }
        decompose(lane_kernels_best().stretches, &four);
        for (int l = 0; l < LANES; ++l) {
            right += four.right[l] != 0;
            inverted += four.s[2][l] < 0;
            CHECK(!four.right[l] || is_right(&four, l));
        }
    }
    CHECK(right == LANES * 10 * TRIALS && inverted > TRIALS);
}

TEST(stretches_that_are_hard_are_right_or_left_to_svd3) {
    const double huge[9] = {1e200, 0, 0, 0, 1e200, 0, 0, 0, 1e200}, tiny[9] = {1e-200, 0, 0, 0, 1e-200, 0, 0, 0, 0};
    const double bad[9] = {1, 0, NAN, 0, 1, 0, 0, 0, 1}, endless[9] = {1, 0, INFINITY, 0, 1, 0, 0, 0, 1};
    const double *wrong[] = {
        huge, tiny, bad, endless, degenerate_states[0], degenerate_states[1], degenerate_states[2]};
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; ++w) {
        Four four;
        for (int l = 0; l < LANES; ++l)
            set_lane(four.F, 9, l, l == 1 ? wrong[w] : smooth_states[1 + l]);
        decompose(lane_kernels_best().stretches, &four);
        CHECK(!four.right[1]);
        /* its neighbours do not notice */
        CHECK(four.right[0] && four.right[2] && four.right[3]);
        CHECK(is_right(&four, 0) && is_right(&four, 2) && is_right(&four, 3));
    }
    for (int d = 0; d < SMOOTH_STATES + 3; ++d) {
        Four four;
        for (int l = 0; l < LANES; ++l)
            set_lane(four.F, 9, l, d < SMOOTH_STATES ? smooth_states[d] : degenerate_states[d - SMOOTH_STATES + 3]);
        decompose(lane_kernels_best().stretches, &four);
        CHECK(four.right[0] && is_right(&four, 0) && is_right(&four, 3));
    }
}

/* Four elements of one law. */
typedef struct Elements {
    StretchLanes stiffness;
    Lanes gradients[9], edges[9];
    double F[LANES][9], g[LANES][9], c[MATERIAL_COEFFICIENTS];
} Elements;

static void make_elements(const Material *law, int trial, uint64_t *seed, Elements *elements) {
    law->coefficients(YOUNG, 0.4, elements->c);
    for (int l = 0; l < LANES; ++l) {
        PrincipalForm form;
        random_state(trial + l, seed, elements->F[l]);
        random_gradients(seed, elements->g[l]);
        principal_form(law->principal, elements->c, elements->F[l], &form);
        set_lane(elements->gradients, 9, l, elements->g[l]);
        set_lane(elements->stiffness.U, 9, l, form.U);
        set_lane(elements->stiffness.V, 9, l, form.V);
        set_lane(elements->stiffness.scaling, 9, l, form.K.scaling);
        set_lane(elements->stiffness.flip, 3, l, form.K.flip);
        set_lane(elements->stiffness.twist, 3, l, form.K.twist);
        for (int n = 0; n < 9; ++n)
            elements->edges[n][l] = random_signed(seed);
    }
}

TEST(stretches_force_and_blocks_equal_those_of_the_9x9_stiffness) {
    uint64_t seed = 47;
    const StretchKernels *kernels = lane_kernels_best().stretches;
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (int trial = 0; law_at(m)->principal && trial < TRIALS; ++trial) {
            Elements four;
            Lanes forces[9], blocks[10][9];
            make_elements(law_at(m), trial, &seed, &four);
            kernels->force_change(&four.stiffness, four.gradients, four.edges, forces);
            kernels->blocks(&four.stiffness, four.gradients, blocks);
            for (int l = 0; l < LANES; ++l) {
                const double *g = four.g[l];
                double dPdF[81], dF[9] = {0}, dP[9] = {0};
                law_at(m)->stiffness(four.c, four.F[l], dPdF);
                double tolerance = 1e-12 * largest_of(dPdF, 81) * largest_of(g, 9) * largest_of(g, 9);
                for (int i = 0; i < 9; ++i)
                    for (int a = 0; a < 3; ++a)
                        dF[i] += four.edges[3 * a + i / 3][l] * g[3 * a + i % 3];
                for (int i = 0; i < 81; ++i)
                    dP[i / 9] += dPdF[i] * dF[i % 9];
                CHECK(largest_of(dP, 9) > 0.1 * YOUNG);
                for (int a = 0; a < 3; ++a)
                    for (int i = 0; i < 3; ++i)
                        CHECK_NEAR(forces[3 * a + i][l], vec3_dot(dP + 3 * i, g + 3 * a), tolerance);
                for (int p = 0; p < 10; ++p) {
                    double block[9];
                    reference_block(dPdF, g, block_row[p], block_column[p], 1, block);
                    for (int n = 0; n < 9; ++n)
                        CHECK_NEAR(blocks[p][n][l], block[n], tolerance);
                }
            }
        }
}

TEST(stretches_are_the_same_to_the_bit_with_wide_registers) {
    if (lane_kernels_best().stretches == &stretch_kernels_plain)
        SKIP("this processor or compiler has no wide registers");
    uint64_t seed = 53;
    for (int trial = 0; trial < TRIALS; ++trial) {
        const StretchKernels *kernels[2] = {&stretch_kernels_plain, lane_kernels_best().stretches};
        Elements elements;
        Four four[2];
        Lanes forces[2][9], blocks[2][10][9];
        make_elements(law_at(0), trial, &seed, &elements);
        for (int k = 0; k < 2; ++k) {
            for (int l = 0; l < LANES; ++l)
                set_lane(four[k].F, 9, l, elements.F[l]);
            decompose(kernels[k], &four[k]);
            kernels[k]->force_change(&elements.stiffness, elements.gradients, elements.edges, forces[k]);
            kernels[k]->blocks(&elements.stiffness, elements.gradients, blocks[k]);
        }
        CHECK(memcmp(&four[0], &four[1], sizeof four[0]) == 0);
        CHECK(memcmp(forces[0], forces[1], sizeof forces[0]) == 0);
        CHECK(memcmp(blocks[0], blocks[1], sizeof blocks[0]) == 0);
        CHECK(fabs(blocks[0][3][1][2]) > 0);
    }
}
