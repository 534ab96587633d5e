/* Numbers found by a key: an open-addressing table that grows. See reader.h. */
#include "reader.h"

#include <stdlib.h>

/* Spreads keys that are close together (positions in a file). */
static size_t first_slot(const NumberIndex *index, uint64_t key) {
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (index->slot_count - 1);
}

static void put(NumberIndex *index, uint64_t key, uint32_t stored) {
    size_t slot = first_slot(index, key);
    while (index->numbers[slot])
        slot = (slot + 1) & (index->slot_count - 1);
    index->keys[slot] = key;
    index->numbers[slot] = stored;
}

bool abc_index_add(NumberIndex *index, uint64_t key, uint32_t number) {
    if (2 * (index->used + 1) > index->slot_count) {
        NumberIndex grown = {.slot_count = index->slot_count ? 2 * index->slot_count : 64, .used = index->used};
        grown.keys = calloc(grown.slot_count, sizeof *grown.keys);
        grown.numbers = calloc(grown.slot_count, sizeof *grown.numbers);
        if (!grown.keys || !grown.numbers) {
            abc_index_free(&grown);
            return false;
        }
        for (size_t i = 0; i < index->slot_count; ++i)
            if (index->numbers[i])
                put(&grown, index->keys[i], index->numbers[i]);
        abc_index_free(index);
        *index = grown;
    }
    put(index, key, number + 1);
    ++index->used;
    return true;
}

uint32_t abc_index_next(const NumberIndex *index, uint64_t key, size_t *cursor) {
    if (index->slot_count == 0)
        return UINT32_MAX;
    size_t slot = *cursor == SIZE_MAX ? first_slot(index, key) : (*cursor + 1) & (index->slot_count - 1);
    for (; index->numbers[slot]; slot = (slot + 1) & (index->slot_count - 1))
        if (index->keys[slot] == key) {
            *cursor = slot;
            return index->numbers[slot] - 1;
        }
    return UINT32_MAX;
}

void abc_index_free(NumberIndex *index) {
    free(index->keys);
    free(index->numbers);
    *index = (NumberIndex){0};
}
