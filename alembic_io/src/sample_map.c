/* Which samples the file already holds. See sample_map.h. */
#include "sample_map.h"

#include "abc_bytes.h"

#include <stdlib.h>

static uint32_t place_of(Digest digest, uint64_t size) {
    return (uint32_t)(digest.words[0] ^ size) & (SAMPLE_MAP_PLACES - 1);
}

uint64_t abc_sample_map_find(const SampleMap *map, Digest digest, uint64_t size) {
    if (!map->places)
        return 0;
    const StoredSample *sample = &map->places[place_of(digest, size)];
    bool equal = sample->size == size && sample->digest.words[0] == digest.words[0] &&
                 sample->digest.words[1] == digest.words[1];
    return equal ? sample->position : 0;
}

/* Room for one more change, and for all places. */
static bool make_room(SampleMap *map) {
    if (!map->places)
        map->places = calloc(SAMPLE_MAP_PLACES, sizeof *map->places);
    StoredSample *changes = abc_array_grow(map->changes, &map->change_capacity, map->change_count, sizeof *changes);
    if (changes)
        map->changes = changes;
    uint32_t *changed = abc_array_grow(map->changed, &map->changed_capacity, map->change_count, sizeof *changed);
    if (changed)
        map->changed = changed;
    return map->places && changes && changed;
}

bool abc_sample_map_add(SampleMap *map, StoredSample sample) {
    if (!make_room(map))
        return false;
    uint32_t place = place_of(sample.digest, sample.size);
    map->changed[map->change_count] = place;
    map->changes[map->change_count++] = map->places[place];
    ++map->count;
    if (sample.position > map->places[place].position)
        map->places[place] = sample;
    return true;
}

void abc_sample_map_shrink(SampleMap *map, size_t count) {
    for (; map->count > count && map->change_count > 0; --map->count) {
        --map->change_count;
        map->places[map->changed[map->change_count]] = map->changes[map->change_count];
    }
}

void abc_sample_map_keep(SampleMap *map) {
    map->change_count = 0;
}

void abc_sample_map_free(SampleMap *map) {
    free(map->places);
    free(map->changes);
    free(map->changed);
    *map = (SampleMap){0};
}
