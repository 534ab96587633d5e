/* Whether stiffness damping drives: what it does to a body that it should leave alone. */
#ifndef JN_TESTS_SPIN_POWER_H
#define JN_TESTS_SPIN_POWER_H

#include "tet_box.h"

#include "terms.h"

#include "elastic/force_term.h"

#include <stdlib.h>
#include <string.h>

/* The power of stiffness damping on a body that is squeezed to `size` and spins, W. q: [vertex_count * 3] scratch. */
static inline double spin_power(const ForceTerm *term, const TetBox *box, double *q, StiffnessKind kind, double size) {
    uint32_t n = 3 * box->vertex_count;
    double *v = calloc(2 * n, sizeof *v), *force = v + n, power = 0;
    for (uint32_t i = 0; i < n; ++i)
        q[i] = size * box->positions[i];
    for (uint32_t i = 0; i < n; i += 3)
        v[i] = -q[i + 1], v[i + 1] = q[i];
    for (int moving = 0; moving < 2; ++moving) {
        memset(force, 0, n * sizeof *force);
        Evaluation e = {.q = q, .v = moving ? v : NULL, .force = force, .stiffness = kind};
        term_evaluate(term, &e);
        for (uint32_t i = 0; i < n; ++i)
            power += (moving ? 1 : -1) * force[i] * v[i];
    }
    free(v);
    return power;
}

#endif
