#include "elastic/material.h"

#include "base/symmetric.h"

enum {
    ROTATES = MATERIAL_ROTATES,
    POISSON = MATERIAL_POISSON,
    RECOVERS = MATERIAL_RECOVERS,
};

/* The laws: to add one, add a file and a line here. The first is the usual choice. */
#define LAWS(LAW)                                                                                                      \
    LAW(stable_neohooke, stable_neohooke_principal, stable_neohooke_invariants, ROTATES | POISSON | RECOVERS,          \
        "Stable neo-Hookean",                                                                                          \
        "Rubber-like flesh that survives being squashed flat or turned inside out; the usual choice")                  \
    LAW(neohooke, neohooke_principal, neohooke_invariants, ROTATES | POISSON | RECOVERS, "Neo-Hookean",                \
        "Rubber as in textbooks: resists more and more as it is squeezed flat")                                        \
    LAW(mooney_rivlin, mooney_rivlin_principal, NULL, ROTATES | POISSON | RECOVERS, "Mooney-Rivlin",                   \
        "Filled rubber and silicone: stiffens when pulled in two directions, as a balloon does")                       \
    LAW(corotational, corotational_principal, NULL, ROTATES | POISSON | RECOVERS, "Co-rotational",                     \
        "Even springiness that turns with the body; volume is kept under small strains only")                          \
    LAW(fixed_corotational, fixed_corotational_principal, NULL, ROTATES | POISSON | RECOVERS, "Fixed co-rotational",   \
        "As co-rotational, but keeps its volume under large strains as well")                                          \
    LAW(arap, arap_principal, NULL, ROTATES | RECOVERS, "As rigid as possible",                                        \
        "Springy without bulging: changes its volume, as foam does; Poisson's ratio is not used")                      \
    LAW(stvk, stvk_principal, NULL, ROTATES | POISSON, "St. Venant-Kirchhoff",                                         \
        "Stiffens when stretched and softens when pressed; may stay inside out once pressed flat")                     \
    LAW(linear, NULL, NULL, POISSON | RECOVERS, "Linear",                                                              \
        "Small motions only: swells when it turns; for comparison with textbooks")

#define DECLARE(law, principal, invariants, traits, label, summary) MATERIAL_LAW(law);
#define LINE(law, principal, invariants, traits, label, summary)                                                       \
    {{#law, label, summary}, traits,          law##_coefficients, law##_energy,                                        \
     law##_stress,           law##_stiffness, principal,          invariants},

LAWS(DECLARE)
static const Material laws[] = {LAWS(LINE)};

const Table material_table = {"materials", "material", laws, sizeof laws[0], sizeof laws / sizeof laws[0], NULL};

void material_lame(double young_modulus, double poisson_ratio, double *lambda, double *mu) {
    *lambda = young_modulus * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio));
    *mu = young_modulus / (2 * (1 + poisson_ratio));
}

int material_project(double dPdF[81]) {
    if (symmetric_is_semidefinite(dPdF, 9, SYMMETRIC_ROUNDING))
        return 0;
    symmetric_positive_part(dPdF, 9);
    return 1;
}
