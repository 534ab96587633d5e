/* Every law against its stress worked out by hand: stretched along x by l and across by m, F = diag(l, m, m), and in
   simple shear, F = I + g e_x e_y'. L and M are Lame's lambda and mu. */
#include "harness.h"
#include "material_states.h"

typedef struct Hand {
    const char *law;
    double (*along)(double L, double M, double l, double m);  /* P_xx of diag(l, m, m) */
    double (*across)(double L, double M, double l, double m); /* P_yy = P_zz */
    double (*shear)(double L, double M, double g);            /* P_xy */
} Hand;

static double linear_along(double L, double M, double l, double m) {
    return 2 * M * (l - 1) + L * (l + 2 * m - 3);
}
static double linear_across(double L, double M, double l, double m) {
    return 2 * M * (m - 1) + L * (l + 2 * m - 3);
}
static double linear_shear(double L, double M, double g) {
    (void)L;
    return M * g;
}

/* Simple shear turns by -atan(g/2), and its two stretches in the plane add up to sqrt(4 + g^2). */
static double sine_of_shear(double g) {
    return g / sqrt(4 + g * g);
}
static double corotational_shear(double L, double M, double g) {
    return 2 * M * (g - sine_of_shear(g)) + L * (sqrt(4 + g * g) - 2) * sine_of_shear(g);
}

static double fixed_along(double L, double M, double l, double m) {
    return 2 * M * (l - 1) + L * (l * m * m - 1) * m * m;
}
static double fixed_across(double L, double M, double l, double m) {
    return 2 * M * (m - 1) + L * (l * m * m - 1) * l * m;
}
static double fixed_shear(double L, double M, double g) {
    (void)L;
    return 2 * M * (g - sine_of_shear(g));
}

/* Young's modulus is M (3 L + 2 M) / (L + M); the law has no other number. */
static double arap_along(double L, double M, double l, double m) {
    (void)m;
    return M * (3 * L + 2 * M) / (L + M) * (l - 1);
}
static double arap_across(double L, double M, double l, double m) {
    (void)l;
    return M * (3 * L + 2 * M) / (L + M) * (m - 1);
}
static double arap_shear(double L, double M, double g) {
    return M * (3 * L + 2 * M) / (L + M) * (g - sine_of_shear(g));
}

static double stvk_along(double L, double M, double l, double m) {
    return l * (M * (l * l - 1) + L / 2 * (l * l + 2 * m * m - 3));
}
static double stvk_across(double L, double M, double l, double m) {
    return m * (M * (m * m - 1) + L / 2 * (l * l + 2 * m * m - 3));
}
static double stvk_shear(double L, double M, double g) {
    return M * g + (M + L / 2) * g * g * g;
}

static double neohooke_along(double L, double M, double l, double m) {
    return M * (l - 1 / l) + L * log(l * m * m) / l;
}
static double neohooke_across(double L, double M, double l, double m) {
    return M * (m - 1 / m) + L * log(l * m * m) / m;
}

static double stable_pressure(double L, double M, double l, double m) {
    return (L + 5 * M / 6) * (l * m * m - 1) - M;
}
static double stable_along(double L, double M, double l, double m) {
    double I = l * l + 2 * m * m;
    return 4 * M / 3 * l * I / (I + 1) + stable_pressure(L, M, l, m) * m * m;
}
static double stable_across(double L, double M, double l, double m) {
    double I = l * l + 2 * m * m;
    return 4 * M / 3 * m * I / (I + 1) + stable_pressure(L, M, l, m) * l * m;
}
static double stable_shear(double L, double M, double g) {
    (void)L;
    return 4 * M / 3 * g * (3 + g * g) / (4 + g * g);
}

/* a = 0.4 M, b = 0.1 M. */
static double mooney_pressure(double L, double M, double l, double m) {
    return (L + 0.8 * M) * (l * m * m - 1) - 1.2 * M;
}
static double mooney_along(double L, double M, double l, double m) {
    return 0.8 * M * l + 0.4 * M * l * m * m + mooney_pressure(L, M, l, m) * m * m;
}
static double mooney_across(double L, double M, double l, double m) {
    return 0.8 * M * m + 0.2 * M * m * (l * l + m * m) + mooney_pressure(L, M, l, m) * l * m;
}

static const Hand hands[] = {
    {"linear", linear_along, linear_across, linear_shear},
    {"corotational", linear_along, linear_across, corotational_shear},
    {"fixed_corotational", fixed_along, fixed_across, fixed_shear},
    {"arap", arap_along, arap_across, arap_shear},
    {"stvk", stvk_along, stvk_across, stvk_shear},
    {"neohooke", neohooke_along, neohooke_across, linear_shear},
    {"stable_neohooke", stable_along, stable_across, stable_shear},
    {"mooney_rivlin", mooney_along, mooney_across, linear_shear},
};
enum { HANDS = sizeof hands / sizeof hands[0] };

TEST(response_of_every_law_is_worked_out_by_hand) {
    CHECK(HANDS == material_table.count);
    for (uint32_t m = 0; m < material_table.count; ++m) {
        int found = 0;
        for (int h = 0; h < HANDS; ++h)
            found += strcmp(hands[h].law, law_at(m)->entry.name) == 0;
        CHECK(found == 1);
    }
}

TEST(response_to_uniaxial_stretch_equals_the_law_by_hand) {
    static const double stretches[][2] = {{1.5, 1}, {1.5, 0.8}, {0.7, 1}, {0.6, 1.2}, {2, 2}, {1.001, 0.9997}};
    double L, M;
    material_lame(YOUNG, POISSON, &L, &M);
    for (int h = 0; h < HANDS; ++h)
        for (size_t n = 0; n < sizeof stretches / sizeof stretches[0]; ++n) {
            double l = stretches[n][0], m = stretches[n][1], c[MATERIAL_COEFFICIENTS], P[9];
            const void *law;
            CHECK(table_find(&material_table, hands[h].law, "", &law, NULL) == JN_OK);
            ((const Material *)law)->coefficients(YOUNG, POISSON, c);
            ((const Material *)law)->stress(c, (const double[9]){l, 0, 0, 0, m, 0, 0, 0, m}, P);
            CHECK(fabs(P[0]) > 1e-4 * YOUNG);
            CHECK_NEAR(P[0], hands[h].along(L, M, l, m), 1e-10 * YOUNG);
            CHECK_NEAR(P[4], hands[h].across(L, M, l, m), 1e-10 * YOUNG);
            CHECK_NEAR(P[8], P[4], 1e-10 * YOUNG);
            CHECK_NEAR(fabs(P[1]) + fabs(P[2]) + fabs(P[3]) + fabs(P[5]) + fabs(P[6]) + fabs(P[7]), 0, 1e-10 * YOUNG);
        }
}

TEST(response_to_simple_shear_equals_the_law_by_hand) {
    static const double shears[] = {1e-3, 0.3, 1, -2};
    double L, M;
    material_lame(YOUNG, POISSON, &L, &M);
    for (int h = 0; h < HANDS; ++h)
        for (size_t n = 0; n < sizeof shears / sizeof shears[0]; ++n) {
            double g = shears[n], c[MATERIAL_COEFFICIENTS], P[9];
            const void *law;
            CHECK(table_find(&material_table, hands[h].law, "", &law, NULL) == JN_OK);
            ((const Material *)law)->coefficients(YOUNG, POISSON, c);
            ((const Material *)law)->stress(c, (const double[9]){1, g, 0, 0, 1, 0, 0, 0, 1}, P);
            CHECK(fabs(P[1]) > 0.1 * fabs(g) * YOUNG);
            CHECK_NEAR(P[1], hands[h].shear(L, M, g), 1e-10 * YOUNG);
        }
}
