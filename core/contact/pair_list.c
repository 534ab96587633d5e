/* A counting sort by the first number; those with the same first number, mostly a handful, are sorted in place. */
#include "contact/pair_list.h"

#include "geometry/array.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_A_CALL = 4096, SHORT_RUN = 24 };

bool pair_list_begin(PairList *list, uint32_t chunk_count) {
    size_t before = list->chunk_capacity;
    list->count = 0;
    PairChunk *chunks = array_grow(list->chunks, &list->chunk_capacity, chunk_count, sizeof *chunks);
    if (!chunks)
        return chunk_count == 0;
    list->chunks = chunks;
    memset(&chunks[before], 0, (list->chunk_capacity - before) * sizeof *chunks);
    for (uint32_t c = 0; c < chunk_count; ++c) {
        chunks[c].count = 0;
        chunks[c].out_of_memory = false;
    }
    return true;
}

void pair_chunk_add(PairChunk *chunk, uint32_t first, uint32_t second) {
    void *pairs = array_grow(chunk->pairs, &chunk->capacity, chunk->count + 1, sizeof *chunk->pairs);
    if (!pairs) {
        chunk->out_of_memory = true;
        return;
    }
    chunk->pairs = pairs;
    chunk->pairs[chunk->count][0] = first;
    chunk->pairs[chunk->count++][1] = second;
}

/* Lets the number at `top` of a heap of `count` sink to its place. */
static void sink(uint32_t (*pairs)[2], size_t top, size_t count) {
    uint32_t value = pairs[top][1];
    for (size_t child; (child = 2 * top + 1) < count; top = child) {
        if (child + 1 < count && pairs[child + 1][1] > pairs[child][1])
            ++child;
        if (pairs[child][1] <= value)
            break;
        pairs[top][1] = pairs[child][1];
    }
    pairs[top][1] = value;
}

/* Sorts the second numbers. */
static void sort_run(uint32_t (*pairs)[2], size_t count) {
    if (count <= SHORT_RUN) {
        for (size_t i = 1; i < count; ++i) {
            uint32_t value = pairs[i][1];
            size_t j = i;
            for (; j > 0 && pairs[j - 1][1] > value; --j)
                pairs[j][1] = pairs[j - 1][1];
            pairs[j][1] = value;
        }
        return;
    }
    for (size_t i = count / 2; i-- > 0;)
        sink(pairs, i, count);
    for (size_t left = count; left-- > 1;) {
        uint32_t largest = pairs[0][1];
        pairs[0][1] = pairs[left][1];
        pairs[left][1] = largest;
        sink(pairs, 0, left);
    }
}

typedef struct SortWork {
    const PairList *list;
    uint32_t bound;
} SortWork;

static void sort_some_runs(void *context, uint32_t index) {
    const SortWork *work = context;
    const size_t *ends = work->list->starts; /* by now */
    uint32_t begin = index * RUNS_A_CALL, left = work->bound - begin;
    uint32_t end = begin + (left < RUNS_A_CALL ? left : RUNS_A_CALL);
    for (uint32_t first = begin; first < end; ++first) {
        size_t start = first > 0 ? ends[first - 1] : 0;
        sort_run(&work->list->pairs[start], ends[first] - start);
    }
}

/* Room for what the chunks hold, and for the starts. */
static bool make_room(PairList *list, uint32_t chunk_count, uint32_t bound) {
    size_t total = 0;
    bool ok = true;
    for (uint32_t c = 0; c < chunk_count; ++c) {
        ok = ok && !list->chunks[c].out_of_memory;
        total += list->chunks[c].count;
    }
    void *pairs = array_grow(list->pairs, &list->capacity, total, sizeof *list->pairs);
    list->pairs = pairs ? pairs : list->pairs;
    void *starts = array_grow(list->starts, &list->start_capacity, (size_t)bound + 1, sizeof *list->starts);
    list->starts = starts ? starts : list->starts;
    if (!ok || (!pairs && total > 0) || !starts)
        return false;
    list->count = total;
    return true;
}

bool pair_list_end(PairList *list, uint32_t chunk_count, uint32_t bound, Pool *pool) {
    if (!make_room(list, chunk_count, bound))
        return false;
    if (list->count == 0)
        return true;
    size_t *starts = list->starts;
    memset(starts, 0, ((size_t)bound + 1) * sizeof *starts);
    for (uint32_t c = 0; c < chunk_count; ++c)
        for (size_t k = 0; k < list->chunks[c].count; ++k)
            ++starts[list->chunks[c].pairs[k][0] + 1];
    for (uint32_t first = 0; first < bound; ++first)
        starts[first + 1] += starts[first];
    /* starts[first] moves to the end of its run */
    for (uint32_t c = 0; c < chunk_count; ++c)
        for (size_t k = 0; k < list->chunks[c].count; ++k)
            memcpy(list->pairs[starts[list->chunks[c].pairs[k][0]]++], list->chunks[c].pairs[k], sizeof *list->pairs);
    SortWork work = {list, bound};
    pool_run(pool, (uint32_t)(((uint64_t)bound + RUNS_A_CALL - 1) / RUNS_A_CALL), sort_some_runs, &work);
    return true;
}

void pair_list_free(PairList *list) {
    for (size_t c = 0; c < list->chunk_capacity; ++c)
        free(list->chunks[c].pairs);
    free(list->chunks);
    free(list->pairs);
    free(list->starts);
    *list = (PairList){0};
}
