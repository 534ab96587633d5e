/* Which samples the file already holds. See sample_map.h. */
#include "sample_map.h"

#include "abc_bytes.h"

#include <stdlib.h>

/* The slot of an equal sample, or the free one where it would go. The table is never full. */
static size_t find_slot(const SampleMap *map, Digest digest, uint64_t size) {
    size_t slot = (size_t)(digest.words[0] ^ size) & (map->slot_count - 1);
    while (map->slots[slot]) {
        const StoredSample *sample = &map->samples[map->slots[slot] - 1];
        if (sample->size == size && sample->digest.words[0] == digest.words[0] &&
            sample->digest.words[1] == digest.words[1])
            return slot;
        slot = (slot + 1) & (map->slot_count - 1);
    }
    return slot;
}

uint64_t abc_sample_map_find(const SampleMap *map, Digest digest, uint64_t size) {
    if (map->count == 0)
        return 0;
    size_t slot = find_slot(map, digest, size);
    return map->slots[slot] ? map->samples[map->slots[slot] - 1].position : 0;
}

static void fill_slots(SampleMap *map) {
    memset(map->slots, 0, map->slot_count * sizeof *map->slots);
    for (size_t i = 0; i < map->count; ++i)
        map->slots[find_slot(map, map->samples[i].digest, map->samples[i].size)] = (uint32_t)(i + 1);
}

bool abc_sample_map_add(SampleMap *map, StoredSample sample) {
    StoredSample *samples = abc_array_grow(map->samples, &map->capacity, map->count, sizeof *samples);
    if (!samples)
        return false;
    map->samples = samples;
    if (map->count >= UINT32_MAX / 2)
        return false;
    /* at most half full */
    if (2 * (map->count + 1) > map->slot_count) {
        size_t slot_count = map->slot_count ? 2 * map->slot_count : 64;
        uint32_t *slots = calloc(slot_count, sizeof *slots);
        if (!slots)
            return false;
        free(map->slots);
        map->slots = slots;
        map->slot_count = slot_count;
        fill_slots(map);
    }
    size_t slot = find_slot(map, sample.digest, sample.size);
    if (map->slots[slot])
        return true;
    map->samples[map->count] = sample;
    map->slots[slot] = (uint32_t)++map->count;
    return true;
}

void abc_sample_map_shrink(SampleMap *map, size_t count) {
    if (count >= map->count)
        return;
    map->count = count;
    fill_slots(map);
}

void abc_sample_map_free(SampleMap *map) {
    free(map->samples);
    free(map->slots);
    *map = (SampleMap){0};
}
