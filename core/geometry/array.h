/* Arrays whose sizes come from input: integer overflow and lack of memory give NULL, never a short array. */
#ifndef JN_GEOMETRY_ARRAY_H
#define JN_GEOMETRY_ARRAY_H

#include <stddef.h>

/* A zeroed array of at least one item, or NULL. The caller frees it. */
void *array_new(size_t count, size_t item_size);

/* Makes room in `items` (NULL at first) for `needed` items, at least doubling, so that appending is linear overall.
   Returns the new address of the items; NULL if out of memory, and then nothing has changed. */
void *array_grow(void *items, size_t *capacity, size_t needed, size_t item_size);

#endif
