#include "elastic/mass_damping.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

typedef struct MassDamping {
    const BlockMatrix *pattern;
    double blocks[]; /* [pattern->block_count] kg/s: each block of D is this times the identity */
} MassDamping;

static JnStatus evaluate(void *self, const void *lag, Evaluation *e, JnMessage *message) {
    (void)lag, (void)message;
    const MassDamping *damping = self;
    const BlockMatrix *pattern = damping->pattern;
    for (size_t column = 0; column < pattern->vertex_count; ++column)
        for (size_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k) {
            size_t row = pattern->rows[k];
            const uint32_t ends[2] = {(uint32_t)row, (uint32_t)column};
            if (!element_subset_has(&e->subset, ends, row == column ? 1 : 2))
                continue;
            for (size_t i = 0; e->matrix && i < 3; ++i)
                e->matrix->values[9 * k + 4 * i] += e->damping_scale * damping->blocks[k];
            for (size_t i = 0; e->force && e->v && i < 3; ++i) {
                e->force[3 * row + i] -= damping->blocks[k] * e->v[3 * column + i];
                if (row != column)
                    e->force[3 * column + i] -= damping->blocks[k] * e->v[3 * row + i];
            }
        }
    return JN_OK;
}

static const TermOperations operations = {
    .name = "mass damping", .role = TERM_ELASTIC, .has_potential = true, .evaluate = evaluate, .destroy = free};

JnStatus mass_damping_create(const BlockMatrix *pattern, const double *mass_blocks, const double *rates,
                             ForceTerm *term, JnMessage *message) {
    MassDamping *damping = malloc(sizeof *damping + pattern->block_count * sizeof damping->blocks[0]);
    if (!damping)
        return status_no_memory(message, "mass damping");
    damping->pattern = pattern;
    for (size_t column = 0; column < pattern->vertex_count; ++column)
        for (size_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k)
            damping->blocks[k] = mass_blocks[k] * sqrt(rates[column] * rates[pattern->rows[k]]);
    *term = (ForceTerm){&operations, damping};
    return JN_OK;
}
