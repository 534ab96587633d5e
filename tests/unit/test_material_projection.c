/* The projected stiffness of every law: closed form against Jacobi's method on the raw matrix. */
#include "harness.h"
#include "material_states.h"
#include "random.h"

#include "elastic/stiffness_form.h"

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

TEST(projection_by_jacobi_leaves_semidefinite_and_removes_negative) {
    double c[MATERIAL_COEFFICIENTS], raw[81], projected[81];
    const Material *law = law_at(0);
    law->coefficients(YOUNG, 0.49, c);
    law->stiffness(c, smooth_states[0], raw);
    memcpy(projected, raw, sizeof raw);
    CHECK(material_project(projected) == 0);
    CHECK(memcmp(raw, projected, sizeof raw) == 0);

    /* strongly compressed: the raw stiffness has a negative direction */
    law->stiffness(c, smooth_states[2], raw);
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

/* dPdF of the law's projected stiffness, column by column. */
static void projected_stiffness(const Material *law, const double *c, const double F[9], double dPdF[81]) {
    StiffnessForm form;
    stiffness_raw(law, c, F, &form);
    stiffness_project(&form);
    for (int b = 0; b < 9; ++b) {
        double dF[9] = {0}, dP[9];
        dF[b] = 1;
        stiffness_apply(&form, dF, dP);
        for (int a = 0; a < 9; ++a)
            dPdF[9 * a + b] = dP[a];
    }
}

/* Compares the law's projected stiffness at F with Jacobi's: 0 wrong, 1 the same, 2 the same and equal to the raw one.
 */
static int compare(const Material *law, double poisson_ratio, const double F[9]) {
    double c[MATERIAL_COEFFICIENTS], judge[81], projected[81], largest = 0, difference = 0;
    law->coefficients(YOUNG, poisson_ratio, c);
    law->stiffness(c, F, judge);
    for (int i = 0; i < 81; ++i)
        largest = fmax(largest, fabs(judge[i]));
    int changed = material_project(judge);
    projected_stiffness(law, c, F, projected);
    for (int i = 0; i < 81; ++i)
        difference = fmax(difference, fabs(projected[i] - judge[i]));
    if (!(difference <= 1e-10 * largest) || !(smallest_curvature(projected) >= -1e-10 * largest)) {
        printf("%s: off by %g of %g, curvature %g, at %g %g %g, %g %g %g, %g %g %g\n", law->entry.name, difference,
               largest, smallest_curvature(projected), F[0], F[1], F[2], F[3], F[4], F[5], F[6], F[7], F[8]);
        return 0;
    }
    return changed ? 1 : 2;
}

TEST(projection_in_closed_form_equals_jacobi_in_every_state) {
    for (uint32_t m = 0; m < material_table.count; ++m) {
        for (int d = 0; d < SMOOTH_STATES; ++d)
            CHECK(compare(law_at(m), 0.45, smooth_states[d]));
        for (int d = 0; d < DEGENERATE_STATES; ++d)
            CHECK(compare(law_at(m), 0.45, degenerate_states[d]));
    }
}

TEST(projection_in_closed_form_equals_jacobi_at_random) {
    for (uint32_t m = 0; m < material_table.count; ++m) {
        uint64_t seed = 3;
        int kept = 0, changed = 0;
        for (int trial = 0; trial < 300; ++trial) {
            /* slightly stretched, or badly crushed */
            double F[9], stretch = trial % 2 ? 1.1 : 0.6, amount = trial % 2 ? 0.05 : 0.8;
            for (int i = 0; i < 9; ++i)
                F[i] = (i % 4 == 0 ? stretch : 0) + amount * random_signed(&seed);
            int result = compare(law_at(m), 0.3, F);
            CHECK(result != 0);
            kept += result == 2;
            changed += result == 1;
        }
        /* both kinds were met; a law without principal stretches has its own ways */
        CHECK(!law_at(m)->principal || (kept > 10 && changed > 10));
    }
}
