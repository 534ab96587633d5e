/* Fuzzes the lower layers of alembic_io: the container, and the decoding of headers.
   The input is taken as an Ogawa file whose groups are walked, and its bytes also as every kind of header. */
#include "format.h"

#include <stdint.h>
#include <stdlib.h>

/* Steps of a walk: a file may be a graph with more ways through it than anyone can go. */
enum { BUDGET = 2000, DEEPEST = 16 };

static void walk(const OgawaSource *source, OgawaGroup group, int depth, int *budget) {
    AbcError error;
    for (uint64_t i = 0; i < group.child_count && (*budget)-- > 0; ++i) {
        uint64_t link;
        if (ogawa_child(source, group, i, &link, "child", &error))
            return;
        if (link & OGAWA_DATA_BIT) {
            OgawaData data;
            uint8_t *bytes;
            if (ogawa_data_at(source, link, 0, &data, "data", &error) == ABC_OK &&
                ogawa_load(source, data, &bytes, "data", &error) == ABC_OK)
                free(bytes);
        } else {
            OgawaGroup child;
            if (depth < DEEPEST && ogawa_group_at(source, link, 0, &child, "group", &error) == ABC_OK)
                walk(source, child, depth + 1, budget);
        }
    }
}

static void decode(const uint8_t *bytes, size_t size) {
    AbcError error;
    MetadataTable table;
    FormatCursor cursor = {bytes, size, 0, 0};
    AbcStatus status = abc_format_get_metadata_table(&cursor, &table, &error);
    (void)status;
    PropertyHeader property;
    cursor.offset = 0;
    while (cursor.offset < size && abc_format_get_property(&cursor, &table, &property, &error) == ABC_OK)
        for (uint32_t i = 0; i < property.sample_count && i < 8; ++i)
            if (abc_format_entry_of_sample(&property, i) > property.sample_count)
                abort();
    ObjectHeader object;
    cursor.offset = 0;
    while (cursor.offset < size && abc_format_get_object(&cursor, &table, &object, &error) == ABC_OK)
        continue;
    AbcTimeSampling sampling;
    double *times;
    uint32_t sample_count;
    cursor.offset = 0;
    while (cursor.offset < size &&
           abc_format_get_time_sampling(&cursor, &sampling, &times, &sample_count, &error) == ABC_OK) {
        uint32_t lower, upper;
        double weight;
        abc_sample_bracket(&sampling, sample_count % 1000 + 1, 0.5, &lower, &upper, &weight);
        free(times);
    }
    abc_metadata_table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    AbcError error;
    OgawaSource source;
    OgawaGroup root;
    int budget = BUDGET;
    if (ogawa_open_memory(&source, bytes, size, &error) == ABC_OK) {
        if (ogawa_root(&source, &root, &error) == ABC_OK)
            walk(&source, root, 0, &budget);
        ogawa_close(&source);
    }
    decode(bytes, size);
    return 0;
}
