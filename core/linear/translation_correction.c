#include "linear/translation_correction.h"

#include "base/disjoint_sets.h"
#include "base/math3.h"
#include "linear/connected.h"

#include <stdlib.h>
#include <string.h>

enum { SUMS = 9 + 3 };

bool translation_correction_build(const BlockMatrix *matrix, const FreeUnknowns *unknowns,
                                  TranslationCorrection *translations) {
    size_t n = (size_t)matrix->vertex_count + 1;
    uint32_t *of_vertex = malloc(n * sizeof *of_vertex);
    *translations = (TranslationCorrection){.parts = malloc(n * sizeof(uint32_t))};
    if (of_vertex && translations->parts) {
        translations->part_count = connected_parts(matrix, of_vertex);
        translations->groups = malloc(((size_t)translations->part_count + 1) * sizeof(uint32_t));
        translations->sums = malloc(((size_t)translations->part_count + 1) * SUMS * sizeof(double));
        for (uint32_t i = 0; i < unknowns->count; ++i)
            translations->parts[i] = of_vertex[unknowns->vertices[i]];
    }
    free(of_vertex);
    if (!translations->groups || !translations->sums)
        translation_correction_free(translations);
    return translations->sums != NULL;
}

void translation_correction_free(TranslationCorrection *translations) {
    free(translations->parts);
    free(translations->groups);
    free(translations->sums);
    memset(translations, 0, sizeof *translations);
}

/* Merges parts that pairs couple into one group. */
static void find_groups(TranslationCorrection *translations, const FreeUnknowns *unknowns, const PairBlocks *pairs) {
    uint32_t *groups = translations->groups;
    disjoint_sets_init(groups, translations->part_count);
    for (size_t k = 0; pairs && k < pairs->count; ++k) {
        uint32_t row = unknowns->of_vertex[pairs->blocks[k].row], column = unknowns->of_vertex[pairs->blocks[k].column];
        if (row != NOT_FREE && column != NOT_FREE)
            disjoint_sets_join(groups, translations->parts[row], translations->parts[column]);
    }
    for (uint32_t part = 0; part < translations->part_count; ++part)
        groups[part] = disjoint_sets_root(groups, part);
}

/* The sums of the group that a free vertex is in. */
static double *sums_of(TranslationCorrection *translations, size_t free_vertex) {
    return translations->sums + (size_t)translations->groups[translations->parts[free_vertex]] * SUMS;
}

static void add_pairs(TranslationCorrection *translations, const FreeUnknowns *unknowns, const PairBlocks *pairs) {
    for (size_t k = 0; pairs && k < pairs->count; ++k) {
        uint32_t row = unknowns->of_vertex[pairs->blocks[k].row], column = unknowns->of_vertex[pairs->blocks[k].column];
        if (row == NOT_FREE || column == NOT_FREE)
            continue;
        double *stiffness = sums_of(translations, row);
        const double *block = pairs->blocks[k].block;
        for (int i = 0; i < 9; ++i)
            stiffness[i] += block[i] + (row == column ? 0 : block[3 * (i % 3) + i / 3]);
    }
}

void translation_correction_set_matrix(TranslationCorrection *translations, const FreeUnknowns *unknowns,
                                       const BlockMatrix *matrix, const PairBlocks *pairs) {
    find_groups(translations, unknowns, pairs);
    memset(translations->sums, 0, (size_t)translations->part_count * SUMS * sizeof(double));
    for (size_t i = 0; i < unknowns->count; ++i) {
        double *stiffness = sums_of(translations, i), below[9] = {0};
        const double *diagonal = matrix->values + 9 * (size_t)unknowns->blocks[unknowns->block_starts[i]];
        for (uint32_t k = unknowns->block_starts[i] + 1; k < unknowns->block_starts[i + 1]; ++k) {
            const double *block = matrix->values + 9 * (size_t)unknowns->blocks[k];
            for (int n = 0; n < 9; ++n)
                below[n] += block[n];
        }
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                stiffness[3 * row + column] +=
                    diagonal[3 * row + column] + (below[3 * row + column] + below[3 * column + row]);
    }
    add_pairs(translations, unknowns, pairs);
    for (uint32_t part = 0; part < translations->part_count; ++part) {
        double *stiffness = translations->sums + (size_t)part * SUMS, inverse[9] = {0};
        mat3_inverse(stiffness, inverse); /* singular: the group is not translated */
        memcpy(stiffness, inverse, sizeof inverse);
    }
}

void translation_correction_apply(TranslationCorrection *translations, const FreeUnknowns *unknowns, const double *r,
                                  double *x) {
    for (uint32_t part = 0; part < translations->part_count; ++part)
        memset(translations->sums + (size_t)part * SUMS + 9, 0, 3 * sizeof(double));
    for (size_t i = 0; i < unknowns->count; ++i)
        for (size_t c = 0; c < 3; ++c)
            sums_of(translations, i)[9 + c] += r[3 * i + c];
    for (uint32_t part = 0; part < translations->part_count; ++part) {
        double *inverse = translations->sums + (size_t)part * SUMS, *force = inverse + 9, translation[3];
        mat3_mul_vec(inverse, force, translation);
        memcpy(force, translation, sizeof translation);
    }
    for (size_t i = 0; i < unknowns->count; ++i)
        for (size_t c = 0; c < 3; ++c)
            x[3 * i + c] += sums_of(translations, i)[9 + c];
}
