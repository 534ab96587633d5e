#include "contact/pair_memory.h"

#include "geometry/array.h"

#include <stdlib.h>
#include <string.h>

void pair_memory_clear(PairMemory *memory) {
    memory->count = 0;
}

bool pair_memory_add(PairMemory *memory, PairKind kind, const uint32_t pair[2], const double side[3]) {
    RememberedPair *items = array_grow(memory->items, &memory->capacity, memory->count + 1, sizeof *items);
    if (!items)
        return false;
    memory->items = items;
    items[memory->count++] = (RememberedPair){(uint32_t)kind, {pair[0], pair[1]}, 0, {side[0], side[1], side[2]}};
    return true;
}

static int compare(const void *a, const void *b) {
    const RememberedPair *x = a, *y = b;
    return pair_order((PairKind)x->kind, x->pair, (PairKind)y->kind, y->pair);
}

void pair_memory_sort(PairMemory *memory) {
    if (memory->count > 1)
        qsort(memory->items, memory->count, sizeof *memory->items, compare);
}

const double *pair_memory_find(const PairMemory *memory, PairKind kind, const uint32_t pair[2]) {
    const RememberedPair key = {.kind = (uint32_t)kind, .pair = {pair[0], pair[1]}};
    const RememberedPair *found =
        memory->count ? bsearch(&key, memory->items, memory->count, sizeof key, compare) : NULL;
    return found ? found->side : NULL;
}

bool pair_memory_archive(PairMemory *memory, Archive *archive) {
    uint64_t count = memory->count;
    if (!archive_piece(archive, &count, sizeof count))
        return false;
    if (archive->loading && count > memory->capacity) {
        RememberedPair *items =
            count < SIZE_MAX / sizeof *items ? realloc(memory->items, (size_t)count * sizeof *items) : NULL;
        if (!items)
            return false;
        memory->items = items;
        memory->capacity = (size_t)count;
    }
    if (count > 0 && !archive_piece(archive, memory->items, (size_t)count * sizeof *memory->items))
        return false;
    memory->count = (size_t)count;
    return true;
}

void pair_memory_free(PairMemory *memory) {
    free(memory->items);
    *memory = (PairMemory){0};
}
