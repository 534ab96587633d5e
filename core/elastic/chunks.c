#include "elastic/chunks.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 96, MASK_COLOURS = 64 };

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

/* Every third bit of the result is a bit of `x`, of which 20 count. */
static uint64_t spread_bits(uint64_t x) {
    uint64_t spread = 0;
    for (int bit = 0; bit < 20; ++bit)
        spread |= (x >> bit & 1) << (3 * bit);
    return spread;
}

/* Sorts the tets along a Morton curve through their centres. */
static void sort_along_curve(const double *positions, uint32_t vertex_count, const uint32_t *tets,
                             uint32_t tet_count, CurveKey *keys) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, extent = 0;
    for (uint32_t v = 0; v < vertex_count; ++v)
        for (int i = 0; i < 3; ++i)
            low[i] = fmin(low[i], positions[3 * (size_t)v + (size_t)i]);
    for (uint32_t v = 0; v < vertex_count; ++v)
        for (int i = 0; i < 3; ++i)
            extent = fmax(extent, positions[3 * (size_t)v + (size_t)i] - low[i]);
    double scale = extent > 0 ? 1048575.0 / extent : 0;
    for (uint32_t t = 0; t < tet_count; ++t) {
        uint64_t key = 0;
        for (int i = 0; i < 3; ++i) {
            double centre = 0;
            for (int a = 0; a < 4; ++a)
                centre += 0.25 * positions[3 * (size_t)tets[4 * (size_t)t + (size_t)a] + (size_t)i];
            key |= spread_bits((uint64_t)fmax(0, (centre - low[i]) * scale)) << i;
        }
        keys[t] = (CurveKey){key, t};
    }
    qsort(keys, tet_count, sizeof *keys, compare_keys);
}

/* Gives each chunk the lowest colour that no chunk before it with a shared vertex has. A chunk that finds none of the 64
   gets a colour of its own. used: [vertex_count] zeroed. Returns the number of colours. */
static uint32_t colour_chunks(const CurveKey *keys, uint32_t tet_count, const uint32_t *tets, uint64_t *used,
                              uint32_t *colours, uint32_t chunk_count) {
    uint32_t extra = 0, highest = 0;
    for (uint32_t c = 0; c < chunk_count; ++c) {
        uint32_t begin = c * CHUNK_SIZE, end = begin + CHUNK_SIZE < tet_count ? begin + CHUNK_SIZE : tet_count;
        uint64_t taken = 0;
        for (uint32_t k = begin; k < end; ++k)
            for (int a = 0; a < 4; ++a)
                taken |= used[tets[4 * (size_t)keys[k].tet + (size_t)a]];
        uint32_t colour = 0;
        while (colour < MASK_COLOURS && (taken >> colour & 1))
            ++colour;
        colours[c] = colour < MASK_COLOURS ? colour : MASK_COLOURS + extra++;
        highest = colours[c] > highest ? colours[c] : highest;
        if (colour == MASK_COLOURS)
            continue;
        for (uint32_t k = begin; k < end; ++k)
            for (int a = 0; a < 4; ++a)
                used[tets[4 * (size_t)keys[k].tet + (size_t)a]] |= (uint64_t)1 << colour;
    }
    return highest + 1;
}

/* Lays the chunks out colour after colour. */
static void arrange(Chunks *chunks, const CurveKey *keys, uint32_t tet_count, const uint32_t *colours) {
    uint32_t placed = 0, filled = 0;
    for (uint32_t colour = 0; colour < chunks->colour_count; ++colour) {
        chunks->colour_starts[colour] = placed;
        for (uint32_t c = 0; c < chunks->chunk_count; ++c) {
            if (colours[c] != colour)
                continue;
            chunks->chunk_starts[placed++] = filled;
            for (uint32_t k = c * CHUNK_SIZE; k < (c + 1) * CHUNK_SIZE && k < tet_count; ++k)
                chunks->order[filled++] = keys[k].tet;
        }
    }
    chunks->chunk_starts[placed] = filled;
    chunks->colour_starts[chunks->colour_count] = placed;
}

JnStatus chunks_build(const double *positions, uint32_t vertex_count, const uint32_t *tet_vertices,
                      uint32_t tet_count, Chunks *chunks, JnMessage *message) {
    JnStatus status = JN_OK;
    memset(chunks, 0, sizeof *chunks);
    uint32_t chunk_count = tet_count / CHUNK_SIZE + (tet_count % CHUNK_SIZE != 0);
    CurveKey *keys = malloc(((size_t)tet_count + 1) * sizeof *keys);
    uint64_t *used = calloc((size_t)vertex_count + 1, sizeof *used);
    uint32_t *colours = malloc(((size_t)chunk_count + 1) * sizeof *colours);
    chunks->order = malloc(((size_t)tet_count + 1) * sizeof *chunks->order);
    chunks->chunk_starts = malloc(((size_t)chunk_count + 1) * sizeof *chunks->chunk_starts);
    if (!keys || !used || !colours || !chunks->order || !chunks->chunk_starts)
        goto no_memory;

    sort_along_curve(positions, vertex_count, tet_vertices, tet_count, keys);
    chunks->chunk_count = chunk_count;
    chunks->colour_count =
        chunk_count ? colour_chunks(keys, tet_count, tet_vertices, used, colours, chunk_count) : 0;
    chunks->colour_starts = malloc(((size_t)chunks->colour_count + 1) * sizeof *chunks->colour_starts);
    if (!chunks->colour_starts)
        goto no_memory;
    arrange(chunks, keys, tet_count, colours);
    goto done;

no_memory:
    status = status_no_memory(message, "the order of the elements");
    chunks_free(chunks);
done:
    free(keys);
    free(used);
    free(colours);
    return status;
}

void chunks_free(Chunks *chunks) {
    free(chunks->order);
    free(chunks->chunk_starts);
    free(chunks->colour_starts);
    memset(chunks, 0, sizeof *chunks);
}
