/* What the quick forms of stiffness are compared with: blocks by their definition, at deformations of every kind. */
#ifndef JN_TESTS_STIFFNESS_REFERENCE_H
#define JN_TESTS_STIFFNESS_REFERENCE_H

#include "material_states.h"
#include "random.h"

#include "base/symmetric.h"

#include <math.h>

enum { TRIALS = 400 };

/* F number `trial`: at rest, slightly deformed, stretched, squeezed, sheared, inverted, crushed; all turned. */
static inline void random_state(int trial, uint64_t *seed, double F[9]) {
    static const double sizes[7][3] = {{1, 1, 1},       {1, 1, 1},    {1.6, 1.1, 1.3}, {0.7, 0.8, 0.95},
                                       {1.2, 0.9, 1.1}, {1, -0.6, 1}, {0.5, 0.6, 0.4}};
    static const double amounts[7] = {0, 0.02, 0.1, 0.02, 0.6, 0.2, 0.9};
    double shape[9], angle = 3 * random_signed(seed), c = cos(angle), s = sin(angle);
    for (int i = 0; i < 9; ++i)
        shape[i] = (i % 4 == 0 ? sizes[trial % 7][i / 4] : 0) + amounts[trial % 7] * random_signed(seed);
    for (int j = 0; j < 3; ++j) {
        F[j] = c * shape[j] - s * shape[3 + j];
        F[3 + j] = s * shape[j] + c * shape[3 + j];
        F[6 + j] = shape[6 + j];
    }
}

/* Shape gradients of a tet of no special shape. */
static inline void random_gradients(uint64_t *seed, double g[9]) {
    for (int i = 0; i < 9; ++i)
        g[i] = (i % 4 == 0 ? 10 : 0) + 4 * random_signed(seed);
}

/* The corner's gradient; the fourth is minus the sum of the others. */
static inline double gradient_at(const double g[9], int corner, int j) {
    return corner < 3 ? g[3 * corner + j] : -(g[j] + g[3 + j] + g[6 + j]);
}

/* scale g_a . dPdF . g_b, by its definition. */
static inline void reference_block(const double dPdF[81], const double g[9], int a, int b, double scale,
                                   double block[9]) {
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            block[3 * i + k] = 0;
            for (int j = 0; j < 3; ++j)
                for (int l = 0; l < 3; ++l)
                    block[3 * i + k] +=
                        scale * dPdF[9 * (3 * i + j) + 3 * k + l] * gradient_at(g, a, j) * gradient_at(g, b, l);
        }
}

/* Whether no eigenvalue is below -allowed, by the 9x9 factorization. */
static inline bool is_above(const double dPdF[81], double allowed) {
    double shifted[81];
    for (int i = 0; i < 81; ++i)
        shifted[i] = dPdF[i] + (i % 10 == 0 ? allowed : 0);
    return symmetric_is_semidefinite(shifted, 9, 0);
}

static inline double largest_of(const double *a, int count) {
    double largest = 0;
    for (int i = 0; i < count; ++i)
        largest = fmax(largest, fabs(a[i]));
    return largest;
}

/* Corners of the ten blocks of an element. */
static const int block_row[10] = {0, 1, 2, 1, 2, 2, 3, 3, 3, 3}, block_column[10] = {0, 1, 2, 0, 0, 1, 0, 1, 2, 3};

#endif
