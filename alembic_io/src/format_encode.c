/* Layer 2: encoding of headers. See format.h. */
#include "format.h"

#include <stdlib.h>

/* Bits of the first word of a property header. */
enum {
    INFO_FOUR_BYTE_NUMBERS = 2 << 2,
    INFO_HAS_TIME_SAMPLING = 0x100,
    INFO_HAS_CHANGES = 0x200,
    INFO_HOMOGENEOUS = 0x400,
    INFO_CONSTANT = 0x800
};

/* Metadata that is written in full has this number. */
enum { METADATA_INLINE = 255 };

uint32_t abc_format_pod_size(AbcPod pod) {
    static const uint8_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    return (unsigned)pod < sizeof sizes ? sizes[pod] : 0;
}

void abc_metadata_table_start(MetadataTable *table) {
    memset(table, 0, sizeof *table);
    table->count = 1;
}

void abc_metadata_table_free(MetadataTable *table) {
    for (uint32_t i = 0; i < table->count; ++i)
        free(table->texts[i]);
    abc_metadata_table_start(table);
}

/* The number of a text, which is added if it is new, or METADATA_INLINE. */
static uint32_t metadata_number(MetadataTable *table, const char *text, size_t size) {
    if (size == 0)
        return 0;
    if (size > 255)
        return METADATA_INLINE;
    for (uint32_t i = 1; i < table->count; ++i)
        if (table->sizes[i] == size && memcmp(table->texts[i], text, size) == 0)
            return i;
    if (table->count == METADATA_INLINE)
        return METADATA_INLINE;
    char *copy = abc_text_copy_length(text, size);
    if (!copy) {
        table->failed = true;
        return METADATA_INLINE;
    }
    table->texts[table->count] = copy;
    table->sizes[table->count] = size;
    return table->count++;
}

void abc_format_put_metadata_table(ByteBuffer *to, const MetadataTable *table) {
    for (uint32_t i = 1; i < table->count; ++i) {
        abc_buffer_u8(to, (uint8_t)table->sizes[i]);
        abc_buffer_bytes(to, table->texts[i], table->sizes[i]);
    }
}

void abc_format_put_property(ByteBuffer *to, PropertyHeader *header, MetadataTable *table) {
    uint32_t metadata = metadata_number(table, header->metadata, header->metadata_size);
    uint32_t info = INFO_FOUR_BYTE_NUMBERS | metadata << 20 | (uint32_t)header->kind;
    bool has_changes = false;
    if (header->kind != PROPERTY_COMPOUND) {
        has_changes =
            !header->constant && (header->first_changed != 1 || header->last_changed + 1 != header->sample_count);
        info |= (uint32_t)header->pod << 4 | header->extent << 12;
        info |= header->time_sampling ? INFO_HAS_TIME_SAMPLING : 0u;
        info |= header->homogeneous ? INFO_HOMOGENEOUS : 0u;
        info |= header->constant ? INFO_CONSTANT : 0u;
        info |= has_changes ? INFO_HAS_CHANGES : 0u;
    }
    abc_buffer_u32(to, info);
    if (header->kind != PROPERTY_COMPOUND) {
        header->count_offset = to->size;
        abc_buffer_u32(to, header->sample_count);
        if (has_changes) {
            abc_buffer_u32(to, header->first_changed);
            abc_buffer_u32(to, header->last_changed);
        }
        if (header->time_sampling)
            abc_buffer_u32(to, header->time_sampling);
    }
    abc_buffer_u32(to, (uint32_t)header->name_size);
    abc_buffer_bytes(to, header->name, header->name_size);
    if (metadata == METADATA_INLINE) {
        abc_buffer_u32(to, (uint32_t)header->metadata_size);
        abc_buffer_bytes(to, header->metadata, header->metadata_size);
    }
}

void abc_format_put_object(ByteBuffer *to, const ObjectHeader *header, MetadataTable *table) {
    uint32_t metadata = metadata_number(table, header->metadata, header->metadata_size);
    abc_buffer_u32(to, (uint32_t)header->name_size);
    abc_buffer_bytes(to, header->name, header->name_size);
    abc_buffer_u8(to, (uint8_t)metadata);
    if (metadata == METADATA_INLINE) {
        abc_buffer_u32(to, (uint32_t)header->metadata_size);
        abc_buffer_bytes(to, header->metadata, header->metadata_size);
    }
}

void abc_format_put_time_sampling(ByteBuffer *to, const AbcTimeSampling *sampling, uint32_t sample_count,
                                  size_t *count_offset) {
    *count_offset = to->size;
    abc_buffer_u32(to, sample_count);
    abc_buffer_f64(to, sampling->kind == ABC_ACYCLIC ? FORMAT_ACYCLIC : sampling->cycle_seconds);
    abc_buffer_u32(to, sampling->time_count);
    for (uint32_t i = 0; i < sampling->time_count; ++i)
        abc_buffer_f64(to, sampling->times[i]);
}
