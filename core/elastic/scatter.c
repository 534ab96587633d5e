#include "elastic/scatter.h"

#include "base/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { UNTOUCHED = -1, SHARED = -2 };

/* owners[target]: the only part that adds to it, or SHARED. */
static void find_owners(uint32_t part_count, const size_t *part_starts, const uint32_t *entries, int32_t *owners,
                        uint32_t target_count) {
    for (uint32_t t = 0; t < target_count; ++t)
        owners[t] = UNTOUCHED;
    for (uint32_t p = 0; p < part_count; ++p)
        for (size_t k = part_starts[p]; k < part_starts[p + 1]; ++k) {
            int32_t *owner = &owners[entries[k]];
            *owner = *owner == UNTOUCHED || *owner == (int32_t)p ? (int32_t)p : SHARED;
        }
}

/* Numbers the slots, first come first served; newest[target] is the target's latest slot. Returns how many there are;
   if slot_targets is not NULL, records them and redirects the entries. */
static uint32_t number_slots(uint32_t part_count, const size_t *part_starts, uint32_t *entries, const int32_t *owners,
                             uint32_t target_count, uint32_t *newest, uint32_t *slot_targets) {
    uint32_t count = 0;
    for (uint32_t t = 0; t < target_count; ++t)
        newest[t] = UINT32_MAX;
    for (uint32_t p = 0; p < part_count; ++p) {
        uint32_t first_of_part = count;
        for (size_t k = part_starts[p]; k < part_starts[p + 1]; ++k) {
            uint32_t target = entries[k];
            if (owners[target] != SHARED)
                continue;
            if (newest[target] == UINT32_MAX || newest[target] < first_of_part) {
                if (slot_targets)
                    slot_targets[count] = target;
                newest[target] = count++;
            }
            if (slot_targets)
                entries[k] = target_count + newest[target];
        }
    }
    return count;
}

JnStatus scatter_build(uint32_t target_count, uint32_t width, uint32_t part_count, const size_t *part_starts,
                       uint32_t *entries, Scatter *scatter, JnMessage *message) {
    memset(scatter, 0, sizeof *scatter);
    scatter->target_count = target_count;
    scatter->width = width;
    int32_t *owners = malloc(((size_t)target_count + 1) * sizeof *owners);
    uint32_t *newest = malloc(((size_t)target_count + 1) * sizeof *newest);
    bool ok = owners && newest;
    if (ok) {
        find_owners(part_count, part_starts, entries, owners, target_count);
        scatter->slot_count = number_slots(part_count, part_starts, entries, owners, target_count, newest, NULL);
        scatter->slot_targets = malloc(((size_t)scatter->slot_count + 1) * sizeof(uint32_t));
        scatter->slots = calloc((size_t)scatter->slot_count * width + 1, sizeof(double));
        ok = scatter->slot_targets && scatter->slots && scatter->slot_count <= UINT32_MAX - target_count;
    }
    if (ok)
        number_slots(part_count, part_starts, entries, owners, target_count, newest, scatter->slot_targets);
    else
        scatter_free(scatter);
    free(owners);
    free(newest);
    return ok ? JN_OK : status_no_memory(message, "the assembly");
}

void scatter_clear(Scatter *scatter) {
    memset(scatter->slots, 0, (size_t)scatter->slot_count * scatter->width * sizeof *scatter->slots);
}

void scatter_reduce(const Scatter *scatter, double *targets) {
    const double *slot = scatter->slots;
    for (uint32_t s = 0; s < scatter->slot_count; ++s) {
        double *target = targets + (size_t)scatter->slot_targets[s] * scatter->width;
        for (uint32_t i = 0; i < scatter->width; ++i)
            target[i] += *slot++;
    }
}

void scatter_free(Scatter *scatter) {
    free(scatter->slot_targets);
    free(scatter->slots);
    memset(scatter, 0, sizeof *scatter);
}

/* ------------------------------------------------------------------------------------------------ curve order */

typedef struct CurveKey {
    uint64_t key;
    uint32_t tet;
} CurveKey;

static int compare_keys(const void *a, const void *b) {
    const CurveKey *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->tet > y->tet) - (x->tet < y->tet);
}

/* Spreads the lowest 20 bits of `x` to every third bit of the result. */
static uint64_t spread_bits(uint64_t x) {
    uint64_t spread = 0;
    for (int bit = 0; bit < 20; ++bit)
        spread |= (x >> bit & 1) << (3 * bit);
    return spread;
}

JnStatus scatter_curve_order(const double *positions, uint32_t vertex_count, const uint32_t *tet_vertices,
                             uint32_t tet_count, uint32_t *order, JnMessage *message) {
    CurveKey *keys = malloc(((size_t)tet_count + 1) * sizeof *keys);
    if (!keys)
        return status_no_memory(message, "the order of the elements");
    double low[3] = {INFINITY, INFINITY, INFINITY}, extent = 0;
    for (size_t i = 0; i < 3 * (size_t)vertex_count; ++i)
        low[i % 3] = fmin(low[i % 3], positions[i]);
    for (size_t i = 0; i < 3 * (size_t)vertex_count; ++i)
        extent = fmax(extent, positions[i] - low[i % 3]);
    double scale = extent > 0 ? 1048575.0 / extent : 0;
    for (size_t t = 0; t < tet_count; ++t) {
        uint64_t key = 0;
        for (size_t i = 0; i < 3; ++i) {
            double centre = 0;
            for (size_t a = 0; a < 4; ++a)
                centre += 0.25 * positions[3 * (size_t)tet_vertices[4 * t + a] + i];
            key |= spread_bits((uint64_t)fmax(0, (centre - low[i]) * scale)) << i;
        }
        keys[t] = (CurveKey){key, (uint32_t)t};
    }
    qsort(keys, tet_count, sizeof *keys, compare_keys);
    for (uint32_t t = 0; t < tet_count; ++t)
        order[t] = keys[t].tet;
    free(keys);
    return JN_OK;
}
