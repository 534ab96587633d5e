/* Which samples the file already holds, by digest and size: equal samples are stored once. */
#ifndef SAMPLE_MAP_H
#define SAMPLE_MAP_H

#include "abc_digest.h"

#include <stdbool.h>

typedef struct StoredSample {
    Digest digest;
    uint64_t size;     /* bytes after the digest */
    uint64_t position; /* of the data block */
} StoredSample;

/* Samples in the order in which they were stored, and an open-addressing table over them. */
typedef struct SampleMap {
    StoredSample *samples;
    size_t count, capacity;
    uint32_t *slots;   /* number of a sample + 1, 0: free */
    size_t slot_count; /* power of 2 */
} SampleMap;

/* Position of an equal sample, or 0. */
uint64_t abc_sample_map_find(const SampleMap *map, Digest digest, uint64_t size);

/* False after a failed allocation: the sample is not added. */
bool abc_sample_map_add(SampleMap *map, StoredSample sample);

/* Removes all but the first `count` samples. */
void abc_sample_map_shrink(SampleMap *map, size_t count);

void abc_sample_map_free(SampleMap *map);

#endif
