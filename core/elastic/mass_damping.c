#include "elastic/mass_damping.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

typedef struct MassDamping {
    const BlockMatrix *pattern;
    double blocks[]; /* [pattern->block_count] kg/s: each block of D is this times the identity */
} MassDamping;

static void evaluate(void *self, const Evaluation *e) {
    const MassDamping *damping = self;
    const BlockMatrix *pattern = damping->pattern;
    for (size_t column = 0; column < pattern->vertex_count; ++column)
        for (size_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k) {
            size_t row = pattern->rows[k];
            for (size_t i = 0; e->matrix && i < 3; ++i)
                e->matrix->values[9 * k + 4 * i] += e->damping_scale * damping->blocks[k];
            for (size_t i = 0; e->force && e->v && i < 3; ++i) {
                e->force[3 * row + i] -= damping->blocks[k] * e->v[3 * column + i];
                if (row != column)
                    e->force[3 * column + i] -= damping->blocks[k] * e->v[3 * row + i];
            }
        }
}

JnStatus mass_damping_create(const BlockMatrix *pattern, const double *mass_blocks, const double *rates,
                             ForceTerm *term, JnMessage *message) {
    MassDamping *damping = malloc(sizeof *damping + pattern->block_count * sizeof damping->blocks[0]);
    if (!damping)
        return status_no_memory(message, "mass damping");
    damping->pattern = pattern;
    for (size_t column = 0; column < pattern->vertex_count; ++column)
        for (size_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k)
            damping->blocks[k] = mass_blocks[k] * sqrt(rates[column] * rates[pattern->rows[k]]);
    *term = (ForceTerm){"mass damping", true, damping, NULL, evaluate, NULL, free};
    return JN_OK;
}
