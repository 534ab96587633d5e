#include "geometry/array.h"

#include <stdint.h>
#include <stdlib.h>

void *array_new(size_t count, size_t item_size) {
    return calloc(count ? count : 1, item_size);
}

void *array_grow(void *items, size_t *capacity, size_t needed, size_t item_size) {
    if (needed <= *capacity)
        return items;
    size_t limit = SIZE_MAX / 2 / item_size;
    if (needed > limit)
        return NULL;
    size_t grown = *capacity < 16 ? 16 : *capacity > limit / 2 ? limit : *capacity * 2;
    if (grown < needed)
        grown = needed;
    void *moved = realloc(items, grown * item_size);
    if (moved)
        *capacity = grown;
    return moved;
}
