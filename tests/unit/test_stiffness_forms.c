/* The stiffness of one element in its quick form, against the law's 9x9 stiffness, for every law. */
#include "harness.h"
#include "stiffness_reference.h"

#include "elastic/stiffness_form.h"

TEST(forms_of_one_element_equal_its_9x9_stiffness) {
    uint64_t seed = 31;
    for (uint32_t m = 0; m < material_table.count; ++m)
        for (int trial = 0; trial < TRIALS; ++trial)
            for (int projected = 0; projected < 2; ++projected) {
                const Material *law = law_at(m);
                double c[MATERIAL_COEFFICIENTS], F[9], g[9], dF[9], dP[9], dPdF[81], blocks[STIFFNESS_BLOCKS][9];
                StiffnessForm form;
                law->coefficients(YOUNG, 0.4, c);
                random_state(trial, &seed, F);
                random_gradients(&seed, g);
                stiffness_raw(law, c, F, &form);
                law->stiffness(c, F, dPdF);
                if (projected) {
                    stiffness_project(&form);
                    material_project(dPdF);
                }
                double stiffest = largest_of(dPdF, 81), gradient = largest_of(g, 9);
                CHECK(stiffest > 0.1 * YOUNG);
                for (int i = 0; i < 9; ++i)
                    dF[i] = random_signed(&seed);
                stiffness_apply(&form, dF, dP);
                stiffness_blocks(&form, g, 0.7, blocks);
                for (int i = 0; i < 9; ++i) {
                    double sum = 0;
                    for (int n = 0; n < 9; ++n)
                        sum += dPdF[9 * i + n] * dF[n];
                    CHECK_NEAR(dP[i], sum, 1e-13 * stiffest * 9);
                }
                for (int p = 0; p < STIFFNESS_BLOCKS; ++p) {
                    double block[9];
                    reference_block(dPdF, g, block_row[p], block_column[p], 0.7, block);
                    for (int n = 0; n < 9; ++n)
                        CHECK_NEAR(blocks[p][n], block[n], 1e-13 * stiffest * 9 * gradient * gradient);
                }
            }
}

TEST(forms_of_one_element_are_judged_as_its_9x9_stiffness_is) {
    uint64_t seed = 41;
    for (uint32_t m = 0; m < material_table.count; ++m) {
        int harmless = 0, harmful = 0;
        for (int trial = 0; trial < 5 * TRIALS; ++trial) {
            const Material *law = law_at(m);
            double c[MATERIAL_COEFFICIENTS], F[9], dPdF[81], allowed = (trial % 3 ? 0.05 : 0.2) * YOUNG;
            StiffnessForm form;
            law->coefficients(YOUNG, 0.4, c);
            random_state(trial, &seed, F);
            stiffness_raw(law, c, F, &form);
            law->stiffness(c, F, dPdF);
            bool expected = is_above(dPdF, allowed);
            bool near = is_above(dPdF, allowed + 1e-9 * YOUNG) != is_above(dPdF, allowed - 1e-9 * YOUNG);
            CHECK(near || stiffness_is_above(&form, allowed) == expected);
            harmless += expected;
            harmful += !expected;
        }
        /* the linear law is never negative */
        CHECK(harmless > 100 && (harmful > 100 || !law_at(m)->principal));
    }
}
