/* The damping of every implemented method against its formula, and the relations that the papers' figures show. */
#include "harness.h"

#include "integrate/method_damping.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static const double RADIUS = 0.8; /* of generalized alpha */

static double measured(const char *name, double z) {
    const void *found;
    MethodDamping damping = {0};
    if (table_find(&integrator_table, name, "test", &found, NULL) != JN_OK)
        return NAN;
    const Integrator *method = found;
    MethodOptions options = {.variant = method->variant, .spectral_radius = RADIUS};
    /* only the product h omega counts: try it at some other scale than 1 */
    JnStatus status = method_damping(method, &options, 0.02, z / 0.02, &damping, NULL);
    return status == JN_OK ? damping.damping : NAN;
}

static double from_radius(double radius, double z) {
    return -2 * log(radius) / z;
}

/* ------------------------------------------------------------------------------- spectral radii by their formulas */

static double euler(double z) {
    return 1 / sqrt(1 + z * z);
}

/* (3 - 2 x) s^2 - 4 s + 1 = 0 at x = i z */
static double bdf2(double z) {
    double complex a = 3 - 2 * I * z, root = csqrt(4 - a);
    return fmax(cabs((2 + root) / a), cabs((2 - root) / a));
}

static double two_stage(double z, double first, double weight, double last) {
    double complex x = I * z, middle = (1 + first * x) / (1 - first * x);
    return cabs((1 + weight * (middle - 1)) / (1 - last * x));
}

static double tr_bdf2(double z) {
    return two_stage(z, 0.25, 4.0 / 3, 1.0 / 3);
}

static double sdirk(double z) {
    double gamma = 2 - sqrt(2), beta = sqrt(2) / 4;
    return two_stage(z, gamma / 2, 2 * beta / gamma, gamma / 2);
}

static double conservative(double z) {
    (void)z;
    return 1;
}

/* The largest root of det(A - s B) for (q, h v, h^2 a) of generalized alpha, by Durand and Kerner's iteration. */
static double generalized_alpha(double z) {
    double am = (2 * RADIUS - 1) / (RADIUS + 1), af = RADIUS / (RADIUS + 1), g = 0.5 - am + af,
           b = 0.25 * (1 - am + af) * (1 - am + af), w = z * z;
    /* with q1 = q0 + v0 + (1/2 - b) a0 + b a1, v1 = v0 + (1 - g) a0 + g a1 put into
       (1 - am) a1 + am a0 + w ((1 - af) q1 + af q0) = 0, as a1 = p q0 + r v0 + t a0 */
    double d = 1 - am + w * (1 - af) * b;
    double p = -w / d, r = -w * (1 - af) / d, t = -(am + w * (1 - af) * (0.5 - b)) / d;
    double m[3][3] = {{1 + b * p, 1 + b * r, 0.5 - b + b * t}, {g * p, 1 + g * r, 1 - g + g * t}, {p, r, t}};
    double trace = m[0][0] + m[1][1] + m[2][2];
    double minors = m[0][0] * m[1][1] - m[0][1] * m[1][0] + m[0][0] * m[2][2] - m[0][2] * m[2][0] + m[1][1] * m[2][2] -
                    m[1][2] * m[2][1];
    double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    double complex s[3] = {1, 0.4 + 0.9 * I, -0.65 + 0.72 * I};
    for (int k = 0; k < 500; ++k)
        for (int i = 0; i < 3; ++i) {
            double complex x = s[i];
            s[i] -= (((x - trace) * x + minors) * x - det) / ((x - s[(i + 1) % 3]) * (x - s[(i + 2) % 3]));
        }
    return fmax(cabs(s[0]), fmax(cabs(s[1]), cabs(s[2])));
}

static const struct {
    const char *name;
    double (*radius)(double z);
} formulas[] = {
    {"si", euler},
    {"be", euler},
    {"bdf2", bdf2},
    {"sbdf2", bdf2},
    {"tr_bdf2", tr_bdf2},
    {"str_sbdf2", tr_bdf2},
    {"sdirk", sdirk},
    {"ssdirk", sdirk},
    {"trapezoidal", conservative},
    {"midpoint", conservative},
    {"newmark", conservative},
    {"generalized_alpha", generalized_alpha},
    {"ere", conservative},
    {"exprb42", conservative},
    {"epirk4s3", conservative},
    {"epirk_adaptive", conservative},
    {"gautschi", conservative},
};

TEST(damping_of_every_implicit_and_exponential_method_equals_its_formula) {
    static const double at[] = {0.01, 0.1, 0.5, 1, 2, 5, 20, 100};
    for (size_t f = 0; f < sizeof formulas / sizeof formulas[0]; ++f)
        for (size_t k = 0; k < sizeof at / sizeof at[0]; ++k)
            CHECK_NEAR(measured(formulas[f].name, at[k]), from_radius(formulas[f].radius(at[k]), at[k]), 1e-8);
}

/* Chen, Sheen, Ascher, Pai 2020, Figure 18: BE's curve has the shape of BDF2's at about twice its height.
   Ascher, Larionov, Sheen, Pai 2021, Figure 3: the two DIRK methods are close together, TR-BDF2 a little below; BDF2
   damps much more around h omega = 1, and less far out. */
TEST(damping_curves_lie_as_in_the_papers) {
    for (double z = 0.25; z < 1.8; z += 0.25) {
        CHECK(measured("be", z) > 1.5 * measured("bdf2", z));
        CHECK(measured("bdf2", z) > 2 * measured("sdirk", z));
        CHECK(measured("sdirk", z) > measured("tr_bdf2", z));
    }
    CHECK_NEAR(measured("tr_bdf2", 1), measured("sdirk", 1), 0.2 * measured("sdirk", 1));
    CHECK(measured("bdf2", 100) < measured("sdirk", 100));
}

/* Runge-Kutta 4 cuts its step before it would grow. */
TEST(runge_kutta_is_stable_at_any_step) {
    for (double z = 0.1; z < 300; z *= 1.5)
        CHECK(measured("rk4", z) >= -1e-12);
}
