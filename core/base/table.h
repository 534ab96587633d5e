/* The named methods of a stage: an array of structs that begin with a JnTableEntry, one line each. */
#ifndef JN_BASE_TABLE_H
#define JN_BASE_TABLE_H

#include "jounce.h"

/* A stage's table, as jn_table_entry and the finders see it. */
typedef struct Table {
    const char *name;  /* "materials" */
    const char *what;  /* "material", for messages */
    const void *items; /* first struct; each begins with a JnTableEntry */
    size_t item_size;
    uint32_t count;
    const char *planned; /* names reserved for later versions, separated by spaces: refused as not yet built, not as
                            unknown; NULL: none */
} Table;

/* The entry at `index`, NULL if out of range. */
const JnTableEntry *table_at(const Table *table, uint32_t index);

/* Finds `name` and stores the item. Unknown: JN_ERR_UNKNOWN_NAME, or JN_ERR_NOT_BUILT for a name that is planned; the
   message gives `place`, the name and the known names. `name` may be NULL (an error). */
JnStatus table_find(const Table *table, const char *name, const char *place, const void **item, JnMessage *message);

/* The candidate nearest to `name` by edit distance, NULL if none is near. For "did you mean". */
const char *table_nearest(const char *name, const char *const *candidates, size_t count);

#endif
