/* Layer 2, writing: the index of the archive, written once, and its patched part. See writer.h. */
#include "writer.h"

#include <stdlib.h>

/* Versions recorded in the archive: of the format inside Ogawa, and of the equivalent Alembic library. */
enum { FILE_VERSION = 0, LIBRARY_VERSION = 10805 };

/* A number that is patched must not cross a boundary of this many bytes: a write may be interrupted there. */
enum { SECTOR_SIZE = 512 };

/* Bytes of tables that are written at a time. */
enum { PIECE_SIZE = 1 << 20 };

/* Blobs of headers: one per object (its children) and one per compound (its properties). An object's own
   properties are in its top compound, which has no header. */
typedef struct IndexPlan {
    AbcWriter *writer;
    ByteBuffer bytes; /* what is not written yet */
    uint64_t base;    /* position of its first byte */
    AbcStatus status; /* of what was written */
    AbcError *error;
    MetadataTable metadata;
    uint64_t *children_blob;  /* [object_count] links to data */
    uint64_t *top_blob;       /* [object_count] */
    uint64_t *compound_blob;  /* [property_count] */
    uint64_t *property_group; /* [property_count] positions of groups */
    uint64_t *top_group;      /* [object_count] */
    uint64_t *object_group;   /* [object_count] */
    /* linked lists of children, by ascending number; NONE at their ends */
    uint32_t *first_property; /* [object_count] in the top compound */
    uint32_t *first_child;    /* [object_count] */
    uint32_t *next_object;    /* [object_count] */
    uint32_t *first_inside;   /* [property_count] in a compound */
    uint32_t *next_property;  /* [property_count] */
} IndexPlan;

#define NONE UINT32_MAX

static void make_lists(IndexPlan *plan) {
    const AbcWriter *writer = plan->writer;
    for (size_t i = 0; i < writer->object_count; ++i)
        plan->first_property[i] = plan->first_child[i] = plan->next_object[i] = NONE;
    for (size_t i = 0; i < writer->property_count; ++i)
        plan->first_inside[i] = plan->next_property[i] = NONE;
    for (uint32_t i = (uint32_t)writer->object_count; i-- > 1;) {
        uint32_t *first = &plan->first_child[writer->objects[i].parent];
        plan->next_object[i] = *first;
        *first = i;
    }
    for (uint32_t i = (uint32_t)writer->property_count; i-- > 0;) {
        const WriterProperty *p = &writer->properties[i];
        uint32_t *first = p->parent == NO_PROPERTY ? &plan->first_property[p->object] : &plan->first_inside[p->parent];
        plan->next_property[i] = *first;
        *first = i;
    }
}

static uint64_t here(const IndexPlan *plan) {
    return plan->base + plan->bytes.size;
}

/* Writes what there is. The patched part is kept in memory for that long only. */
static void flush(IndexPlan *plan) {
    uint64_t position;
    if (plan->bytes.failed)
        plan->status = ABC_ERR_MEMORY;
    if (plan->status == ABC_OK)
        plan->status = ogawa_append(&plan->writer->sink, plan->bytes.data, plan->bytes.size, &position, plan->error);
    plan->base += plan->bytes.size;
    plan->bytes.size = 0;
}

static void pad(IndexPlan *plan, size_t size) {
    uint8_t *zeros = abc_buffer_extend(&plan->bytes, size);
    if (zeros)
        memset(zeros, 0, size);
}

static void align(IndexPlan *plan) {
    pad(plan, (size_t)(ogawa_align(here(plan)) - here(plan)));
}

/* The padding before a blob so that none of its patched numbers crosses a boundary. `patched` holds their offsets in
   the blob, as u32. */
static size_t shift_for(uint64_t position, const ByteBuffer *patched) {
    for (size_t shift = 0; shift < SECTOR_SIZE; ++shift) {
        bool fits = true;
        for (size_t i = 0; fits && i < patched->size; i += 4) {
            uint64_t first = position + shift + 8 + get_u32(patched->data + i);
            fits = first / SECTOR_SIZE == (first + 3) / SECTOR_SIZE;
        }
        if (fits)
            return shift;
    }
    return 0;
}

/* Appends a data block and returns its link; *start receives the position of its first byte. */
static uint64_t put_data(IndexPlan *plan, const ByteBuffer *data, uint64_t *start) {
    if (data->failed)
        plan->bytes.failed = true;
    if (data->size == 0 || data->failed)
        return OGAWA_EMPTY_DATA;
    uint64_t position = here(plan);
    abc_buffer_u64(&plan->bytes, data->size);
    abc_buffer_bytes(&plan->bytes, data->data, data->size);
    if (start)
        *start = position + 8;
    return position | OGAWA_DATA_BIT;
}

static PropertyHeader header_of(const WriterProperty *p) {
    return (PropertyHeader){.kind = p->kind,
                            .name = p->name,
                            .name_size = strlen(p->name),
                            .metadata = p->metadata,
                            .metadata_size = strlen(p->metadata),
                            .pod = p->pod,
                            .extent = p->extent,
                            .homogeneous = p->homogeneous,
                            .constant = p->mode != MODE_ANIMATED,
                            .sample_count = p->committed,
                            .first_changed = 1,
                            .last_changed = p->committed - 1,
                            .time_sampling = p->time_sampling};
}

/* The headers of a list of properties. */
static uint64_t put_property_headers(IndexPlan *plan, uint32_t first) {
    WriterProperty *properties = plan->writer->properties;
    ByteBuffer blob = {0}, patched = {0};
    for (uint32_t i = first; i != NONE; i = plan->next_property[i]) {
        WriterProperty *p = &properties[i];
        PropertyHeader header = header_of(p);
        abc_format_put_property(&blob, &header, &plan->metadata);
        p->count_position = header.count_offset;
        if (p->kind != PROPERTY_COMPOUND && p->mode != MODE_CONSTANT)
            abc_buffer_u32(&patched, (uint32_t)header.count_offset);
    }
    plan->bytes.failed |= patched.failed;
    pad(plan, shift_for(here(plan), &patched));
    uint64_t start = 0, link = put_data(plan, &blob, &start);
    for (uint32_t i = first; i != NONE; i = plan->next_property[i])
        properties[i].count_position += start;
    abc_buffer_free(&blob);
    abc_buffer_free(&patched);
    return link;
}

static uint64_t put_child_headers(IndexPlan *plan, uint32_t object) {
    AbcWriter *writer = plan->writer;
    ByteBuffer blob = {0};
    for (uint32_t i = plan->first_child[object]; i != NONE; i = plan->next_object[i]) {
        const WriterObject *child = &writer->objects[i];
        ObjectHeader header = {child->name, strlen(child->name), child->metadata, strlen(child->metadata)};
        abc_format_put_object(&blob, &header, &plan->metadata);
    }
    size_t digests = blob.size;
    uint8_t *room = abc_buffer_extend(&blob, FORMAT_OBJECT_DIGESTS_SIZE);
    if (room)
        memset(room, 0, FORMAT_OBJECT_DIGESTS_SIZE);
    uint64_t start = 0, link = put_data(plan, &blob, &start);
    writer->objects[object].digests_position = start + digests;
    abc_buffer_free(&blob);
    return link;
}

static uint64_t put_time_samplings(IndexPlan *plan) {
    AbcWriter *writer = plan->writer;
    ByteBuffer blob = {0};
    for (size_t i = 0; i < writer->sampling_count; ++i) {
        size_t offset;
        abc_format_put_time_sampling(&blob, &writer->samplings[i].sampling, 0, &offset);
        writer->samplings[i].count_position = offset;
    }
    uint64_t start = 0, link = put_data(plan, &blob, &start);
    for (size_t i = 0; i < writer->sampling_count; ++i)
        writer->samplings[i].count_position += start;
    abc_buffer_free(&blob);
    return link;
}

/* The table of one property. Tables are as long as there will be samples: they go out piece by piece. */
static uint64_t put_table(IndexPlan *plan, WriterProperty *p) {
    uint64_t links = p->kind == PROPERTY_ARRAY ? 2 : 1;
    uint64_t count = p->mode == MODE_ANIMATED ? links * p->capacity : links;
    p->table = here(plan);
    abc_buffer_u64(&plan->bytes, count);
    for (uint64_t i = 0; i < count && plan->status == ABC_OK; ++i) {
        abc_buffer_u64(&plan->bytes, p->mode == MODE_ANIMATED || i > 0 ? OGAWA_EMPTY_DATA : p->constant_link);
        if (plan->bytes.size >= PIECE_SIZE)
            flush(plan);
    }
    return p->table;
}

/* The group of a compound: a list of properties and their headers. */
static uint64_t put_compound(IndexPlan *plan, uint32_t first, uint64_t headers) {
    uint64_t count = 1, position = here(plan);
    for (uint32_t i = first; i != NONE; i = plan->next_property[i])
        ++count;
    if (count == 1)
        return OGAWA_EMPTY_GROUP;
    abc_buffer_u64(&plan->bytes, count);
    for (uint32_t i = first; i != NONE; i = plan->next_property[i]) {
        plan->writer->properties[i].table_link = here(plan);
        abc_buffer_u64(&plan->bytes, plan->property_group[i]);
    }
    abc_buffer_u64(&plan->bytes, headers);
    return position;
}

static uint64_t put_object(IndexPlan *plan, uint32_t object) {
    uint64_t count = 2, position = here(plan);
    for (uint32_t i = plan->first_child[object]; i != NONE; i = plan->next_object[i])
        ++count;
    abc_buffer_u64(&plan->bytes, count);
    abc_buffer_u64(&plan->bytes, plan->top_group[object]);
    for (uint32_t i = plan->first_child[object]; i != NONE; i = plan->next_object[i])
        abc_buffer_u64(&plan->bytes, plan->object_group[i]);
    abc_buffer_u64(&plan->bytes, plan->children_blob[object]);
    return position;
}

/* The part that commits change: times, then all headers. Returns the link to the times. */
static uint64_t put_patched_part(IndexPlan *plan) {
    AbcWriter *writer = plan->writer;
    writer->patch_position = here(plan);
    uint64_t times = put_time_samplings(plan);
    align(plan);
    for (uint32_t i = 0; i < writer->object_count; ++i) {
        plan->children_blob[i] = put_child_headers(plan, i);
        plan->top_blob[i] = put_property_headers(plan, plan->first_property[i]);
    }
    for (uint32_t i = 0; i < writer->property_count; ++i)
        if (writer->properties[i].kind == PROPERTY_COMPOUND)
            plan->compound_blob[i] = put_property_headers(plan, plan->first_inside[i]);
    writer->patch_size = (size_t)(here(plan) - writer->patch_position);
    return times;
}

/* Groups from the leaves up: children always have larger numbers than their parents. */
static void put_groups(IndexPlan *plan) {
    AbcWriter *writer = plan->writer;
    align(plan);
    for (uint32_t i = (uint32_t)writer->property_count; i-- > 0;) {
        WriterProperty *p = &writer->properties[i];
        plan->property_group[i] = p->kind == PROPERTY_COMPOUND
                                      ? put_compound(plan, plan->first_inside[i], plan->compound_blob[i])
                                      : put_table(plan, p);
    }
    for (uint32_t i = (uint32_t)writer->object_count; i-- > 0;) {
        plan->top_group[i] = put_compound(plan, plan->first_property[i], plan->top_blob[i]);
        plan->object_group[i] = put_object(plan, i);
    }
}

static uint64_t put_text(IndexPlan *plan, const void *text, size_t size) {
    ByteBuffer data = {0};
    abc_buffer_bytes(&data, text, size);
    uint64_t link = put_data(plan, &data, NULL);
    abc_buffer_free(&data);
    return link;
}

/* The root group, with the small data that only it needs. Returns its position. */
static uint64_t put_root(IndexPlan *plan, uint64_t times) {
    uint8_t version[4], library[4];
    put_u32(version, FILE_VERSION);
    put_u32(library, LIBRARY_VERSION);
    ByteBuffer table = {0};
    abc_format_put_metadata_table(&table, &plan->metadata);
    uint64_t links[ROOT_CHILD_COUNT];
    links[ROOT_VERSION] = put_text(plan, version, sizeof version);
    links[ROOT_LIBRARY] = put_text(plan, library, sizeof library);
    links[ROOT_TOP] = plan->object_group[ABC_ROOT];
    links[ROOT_METADATA] = put_text(plan, plan->writer->metadata, strlen(plan->writer->metadata));
    links[ROOT_TIMES] = times;
    links[ROOT_INDEXED_METADATA] = put_data(plan, &table, NULL);
    abc_buffer_free(&table);
    align(plan);
    uint64_t position = here(plan);
    abc_buffer_u64(&plan->bytes, ROOT_CHILD_COUNT);
    for (int i = 0; i < ROOT_CHILD_COUNT; ++i)
        abc_buffer_u64(&plan->bytes, links[i]);
    return position;
}

/* Keeps a copy of the patched part, which is all that the plan holds so far, with its numbers filled in. */
static void keep_patch(IndexPlan *plan) {
    AbcWriter *writer = plan->writer;
    size_t offset = (size_t)(writer->patch_position - plan->base);
    writer->patch = malloc(writer->patch_size);
    writer->patch_next = malloc(writer->patch_size);
    if (!writer->patch || !writer->patch_next || plan->bytes.failed) {
        plan->status = ABC_ERR_MEMORY;
        return;
    }
    abcw_fill_patch(writer, plan->bytes.data + offset);
    memcpy(writer->patch, plan->bytes.data + offset, writer->patch_size);
}

/* Memory for all lists of the plan; the caller frees links and lists. */
static bool plan_start(IndexPlan *plan, uint64_t **links, uint32_t **lists) {
    size_t objects = plan->writer->object_count, properties = plan->writer->property_count;
    *links = calloc(4 * objects + 2 * properties, sizeof **links);
    *lists = calloc(3 * objects + 2 * properties, sizeof **lists);
    if (!*links || !*lists)
        return false;
    plan->children_blob = *links;
    plan->top_blob = *links + objects;
    plan->top_group = *links + 2 * objects;
    plan->object_group = *links + 3 * objects;
    plan->compound_blob = *links + 4 * objects;
    plan->property_group = plan->compound_blob + properties;
    plan->first_property = *lists;
    plan->first_child = *lists + objects;
    plan->next_object = *lists + 2 * objects;
    plan->first_inside = *lists + 3 * objects;
    plan->next_property = plan->first_inside + properties;
    abc_metadata_table_start(&plan->metadata);
    make_lists(plan);
    return true;
}

AbcStatus abcw_write_index(AbcWriter *writer, AbcError *error) {
    const uint64_t start = writer->sink.end;
    IndexPlan plan = {.writer = writer, .base = start, .error = error};
    uint64_t *links;
    uint32_t *lists;
    free(writer->patch);
    free(writer->patch_next);
    writer->patch = writer->patch_next = NULL;
    if (plan_start(&plan, &links, &lists)) {
        uint64_t times = put_patched_part(&plan);
        keep_patch(&plan);
        put_groups(&plan);
        uint8_t root[8];
        put_u64(root, put_root(&plan, times));
        if (plan.metadata.failed)
            plan.status = ABC_ERR_MEMORY;
        flush(&plan);
        /* the link to the root comes last */
        if (plan.status == ABC_OK)
            plan.status = ogawa_write_at(&writer->sink, 8, root, sizeof root, error);
        abc_metadata_table_free(&plan.metadata);
    } else {
        plan.status = ABC_ERR_MEMORY;
    }
    if (plan.status == ABC_ERR_MEMORY)
        abc_fail_memory(error, "the index of the archive");
    if (plan.status)
        writer->sink.end = start;
    abc_buffer_free(&plan.bytes);
    free(links);
    free(lists);
    return plan.status;
}
