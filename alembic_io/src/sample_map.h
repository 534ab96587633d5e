/* Which samples the file already holds, by digest and size: equal samples are stored once.

   The map takes the same memory however many samples there are: each has one place, by its digest, and gives way there
   to a sample that lies later in the file. So a sample that came long ago may be stored again. What the map holds
   depends only on what the file holds, never on the order of the calls: an archive that is reopened goes on as if it
   had not been closed. */
#ifndef SAMPLE_MAP_H
#define SAMPLE_MAP_H

#include "abc_digest.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct StoredSample {
    Digest digest;
    uint64_t size;     /* bytes after the digest */
    uint64_t position; /* of the data block; 0: none */
} StoredSample;

enum { SAMPLE_MAP_PLACES = 1 << 16 };

typedef struct SampleMap {
    StoredSample *places; /* [SAMPLE_MAP_PLACES], NULL: none yet */
    size_t count;         /* of the calls of add that stand */
    /* what gave way since the last keep, in the order of the calls: of call number count - change_count + i */
    StoredSample *changes; /* [change_count] as it was before */
    uint32_t *changed;     /* [change_count] its place */
    size_t change_count, change_capacity, changed_capacity;
} SampleMap;

/* Position of an equal sample, or 0. */
uint64_t abc_sample_map_find(const SampleMap *map, Digest digest, uint64_t size);

/* False after a failed allocation: the sample is not added. */
bool abc_sample_map_add(SampleMap *map, StoredSample sample);

/* Undoes all but the first `count` calls of add, at most those since the last keep. */
void abc_sample_map_shrink(SampleMap *map, size_t count);

/* Whatever was added stays: forgets how to undo it. */
void abc_sample_map_keep(SampleMap *map);

void abc_sample_map_free(SampleMap *map);

#endif
