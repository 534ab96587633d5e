#include "elastic/stiffness_form.h"

#include "base/symmetric.h"

void stiffness_raw(const Material *law, const double *c, const double F[9], StiffnessForm *out) {
    out->by_stretches = law->principal;
    if (law->principal)
        principal_form(law->principal, c, F, &out->stretches);
    else
        law->stiffness(c, F, out->entries);
}

bool stiffness_project(StiffnessForm *stiffness) {
    return stiffness->by_stretches ? principal_project(&stiffness->stretches) : material_project(stiffness->entries);
}

bool stiffness_is_above(const StiffnessForm *stiffness, double allowed) {
    if (stiffness->by_stretches)
        return principal_is_above(&stiffness->stretches, allowed);
    double shifted[81];
    for (int i = 0; i < 81; ++i)
        shifted[i] = stiffness->entries[i] + (i % 10 == 0 ? allowed : 0);
    return symmetric_is_semidefinite(shifted, 9, 0);
}

void stiffness_apply(const StiffnessForm *stiffness, const double dF[9], double dP[9]) {
    if (stiffness->by_stretches) {
        principal_apply(&stiffness->stretches, dF, dP);
        return;
    }
    for (int a = 0; a < 9; ++a) {
        dP[a] = 0;
        for (int b = 0; b < 9; ++b)
            dP[a] += stiffness->entries[9 * a + b] * dF[b];
    }
}

/* scale g_a . dPdF . g_b from half: [9][3], dPdF . g_b. */
static void contract_row(const double *ga, const double half[27], double scale, double block[9]) {
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            block[3 * i + k] =
                scale * (ga[0] * half[9 * i + k] + ga[1] * half[9 * i + 3 + k] + ga[2] * half[9 * i + 6 + k]);
}

void stiffness_blocks(const StiffnessForm *stiffness, const double gradients[9], double scale,
                      double blocks[STIFFNESS_BLOCKS][9]) {
    static const int of_column[3][3] = {{0, 3, 4}, {-1, 1, 5}, {-1, -1, 2}};
    if (stiffness->by_stretches) {
        principal_blocks(&stiffness->stretches, gradients, scale, blocks);
        return;
    }
    double half[27];
    for (int b = 0; b < 3; ++b) {
        const double *gb = gradients + 3 * b;
        for (int row = 0; row < 9; ++row)
            for (int k = 0; k < 3; ++k)
                half[3 * row + k] = vec3_dot(stiffness->entries + 9 * row + 3 * k, gb);
        for (int a = b; a < 3; ++a)
            contract_row(gradients + 3 * a, half, scale, blocks[of_column[b][a]]);
    }
}
