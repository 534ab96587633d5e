/* Layer 2, writing: reopens an archive of this library to add samples, after dropping some. See alembic_io.h.

   The writer's tables are rebuilt from the file. The order of the steps keeps the archive valid at every instant: the
   counts are lowered first, then the links of dropped samples are cleared, then the end of the file is cut off. */
#include "bounds_scan.h"
#include "writer_reopen.h"

#include <math.h>
#include <stdlib.h>

static void keep_until(Reopening *r, uint64_t end) {
    if (end > r->end)
        r->end = end;
}

static void keep_group(Reopening *r, OgawaGroup group) {
    keep_until(r, group.position + 8 + 8 * group.child_count);
}

static AbcStatus copy_samplings(Reopening *r, AbcError *error) {
    for (size_t i = 0; i < r->reader->sampling_count; ++i) {
        const ReaderTimeSampling *from = &r->reader->samplings[i];
        AbcStatus status = abcw_new_sampling(r->writer, &from->sampling, error);
        if (status)
            return status;
        r->writer->samplings[i].count_position = from->count_position;
    }
    return ABC_OK;
}

/* The writer puts the groups of objects from the last to the first: the later the group, the smaller
   the number. */
static int by_falling_position(const void *a, const void *b) {
    uint64_t left = ((const OgawaGroup *)a)->position, right = ((const OgawaGroup *)b)->position;
    return left < right ? 1 : left > right ? -1 : 0;
}

static AbcStatus number_objects(Reopening *r, AbcError *error) {
    size_t count = r->reader->object_count;
    OgawaGroup *groups = malloc(count * sizeof *groups);
    r->object_in_reader = malloc(count * sizeof *r->object_in_reader);
    if (!groups || !r->object_in_reader) {
        free(groups);
        return abc_fail_memory(error, "the objects of the archive");
    }
    /* child_count temporarily holds the number in the reader */
    for (size_t i = 0; i < count; ++i)
        groups[i] = (OgawaGroup){r->reader->objects[i].group.position, i};
    qsort(groups, count, sizeof *groups, by_falling_position);
    for (size_t i = 0; i < count; ++i)
        r->object_in_reader[i] = (uint32_t)groups[i].child_count;
    free(groups);
    if (r->object_in_reader[ABC_ROOT] != ABC_ROOT)
        return abc_fail(error, ABC_ERR_CORRUPT, "The objects of the archive are not in the order of its writer.");
    return ABC_OK;
}

static AbcStatus copy_objects(Reopening *r, AbcError *error) {
    AbcStatus status = number_objects(r, error);
    size_t count = r->reader->object_count;
    uint32_t *in_writer = malloc(count * sizeof *in_writer);
    if (status == ABC_OK && !in_writer)
        status = abc_fail_memory(error, "the objects of the archive");
    for (uint32_t i = 0; status == ABC_OK && i < count; ++i)
        in_writer[r->object_in_reader[i]] = i;
    for (size_t i = 0; status == ABC_OK && i < count; ++i) {
        const ReaderObject *from = &r->reader->objects[r->object_in_reader[i]];
        WriterObject *to = abcw_new_object(r->writer);
        if (to) {
            to->name = abc_text_copy(from->name);
            to->path = abc_text_copy(from->path);
            to->metadata = abc_text_copy(from->metadata);
        }
        if (!to || !to->name || !to->path || !to->metadata)
            status = abc_fail_memory(error, "the objects of the archive");
        else if (from->digests_position == 0)
            status = abc_fail(error, ABC_ERR_CORRUPT, "The object \"%.200s\" has no digests.", from->path);
        else {
            to->schema = from->schema;
            to->parent = from->parent == ABC_NO_OBJECT ? ABC_NO_OBJECT : in_writer[from->parent];
            to->vertex_count = VERTEX_COUNT_UNKNOWN;
            to->bounds = abc_bounds_empty();
            to->digests_position = from->digests_position;
            keep_group(r, from->group);
            keep_until(r, from->digests_position + FORMAT_OBJECT_DIGESTS_SIZE);
        }
    }
    free(in_writer);
    return status;
}

/* Number of samples before the time from which all are dropped: times increase, so it is found by bisection. */
static uint32_t kept_count(const Reopening *r, const WriterProperty *p, uint32_t count) {
    const AbcTimeSampling *sampling = &r->writer->samplings[p->time_sampling].sampling;
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (abc_sample_time(sampling, middle) < r->keep_before - 1e-6)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Registers a stored sample that is kept: its digest, its position, its bytes. */
static AbcStatus keep_sample(Reopening *r, WriterProperty *p, OgawaGroup group, uint64_t entry, uint64_t *link,
                             AbcError *error) {
    const OgawaSource *source = &r->reader->source;
    OgawaSink *sink = &r->writer->sink;
    OgawaData data;
    uint8_t bytes[16];
    Digest digest = abc_digest_of("", 0);
    AbcStatus status = ogawa_child(source, group, entry, link, "sample", error);
    if (status == ABC_OK)
        status = ogawa_data_at(source, *link, ogawa_link_position(group, entry), &data, "sample", error);
    if (status)
        return status;
    if (data.size >= 16) {
        status = ogawa_read(source, data.position, bytes, sizeof bytes, "sample", error);
        if (status)
            return status;
        digest = (Digest){{get_u64(bytes), get_u64(bytes + 8)}};
        uint64_t size = data.size - 16;
        if (abc_sample_map_find(&sink->samples, digest, size) == 0)
            sink->payload += size;
        if (!abc_sample_map_add(&sink->samples, (StoredSample){digest, size, data.position - 8}))
            return abc_fail_memory(error, "the table of samples");
        abc_sample_map_keep(&sink->samples);
        keep_until(r, ogawa_align(data.position + data.size));
    }
    p->digest = p->pending_digest = abc_digest_chain(p->digest, digest);
    return ABC_OK;
}

static AbcStatus keep_samples(Reopening *r, WriterProperty *p, OgawaGroup group, uint32_t sample_count,
                              AbcError *error) {
    uint64_t links = p->kind == PROPERTY_ARRAY ? 2 : 1, link;
    p->table = group.position;
    p->digest = p->pending_digest = abcw_header_digest(p);
    if (p->mode != MODE_ANIMATED) {
        p->committed = p->mode == MODE_REPEATED ? kept_count(r, p, sample_count) : sample_count;
        return keep_sample(r, p, group, 0, &p->constant_link, error);
    }
    p->capacity = (uint32_t)(group.child_count / links);
    if (p->capacity < sample_count)
        return abc_fail_at(error, group.position, "The table of \"%.100s\" is shorter than its number of samples.",
                           p->name);
    p->committed = kept_count(r, p, sample_count);
    /* a crash may have left links after the last committed one */
    p->linked = p->capacity;
    AbcStatus status = ABC_OK;
    for (uint32_t i = 0; status == ABC_OK && i < p->committed; ++i)
        status = keep_sample(r, p, group, links * i, &link, error);
    return status;
}

/* Appends a property of the file to the writer's; its samples are kept if they are early enough. */
static AbcStatus copy_property(Reopening *r, ReaderProperty *from, uint64_t headers_position, uint32_t object,
                               uint32_t parent, AbcError *error) {
    const PropertyHeader *h = &from->header;
    OgawaGroup group;
    WriterProperty *p = abcw_new_property(r->writer);
    if (p) {
        p->name = abc_text_copy(h->name);
        p->metadata = abc_text_copy(h->metadata);
    }
    if (!p || !p->name || !p->metadata)
        return abc_fail_memory(error, "the properties of the archive");
    if (!h->four_byte_numbers || (uint64_t)r->writer->property_count > r->reader->source.size / 8)
        return abc_fail(error, ABC_ERR_CORRUPT, "The property \"%.100s\" is not as its writer makes them.", h->name);
    p->object = object;
    p->parent = parent;
    p->kind = h->kind;
    p->pod = h->pod;
    p->extent = h->extent;
    p->homogeneous = h->homogeneous;
    p->time_sampling = h->time_sampling;
    p->table_link = from->link_place;
    p->count_position = headers_position + h->count_offset;
    AbcStatus status = ogawa_group_at(&r->reader->source, from->link, from->link_place, &group, "property", error);
    if (status)
        return status;
    keep_group(r, group);
    p->mode = !h->constant                                            ? MODE_ANIMATED
              : strcmp(h->name, ".inherits") == 0 && h->time_sampling ? MODE_REPEATED
                                                                      : MODE_CONSTANT;
    if (p->kind == PROPERTY_COMPOUND) {
        p->digest = p->pending_digest = abcw_header_digest(p);
        return ABC_OK;
    }
    return keep_samples(r, p, group, h->sample_count, error);
}

static AbcStatus copy_compound(Reopening *r, ReaderCompound *compound, uint32_t object, uint32_t parent, int depth,
                               AbcError *error) {
    if (depth > DEEPEST_PROPERTY)
        return abc_fail(error, ABC_ERR_CORRUPT, "Properties nest more than %d deep.", DEEPEST_PROPERTY);
    AbcStatus status = ABC_OK;
    for (uint32_t i = 0; status == ABC_OK && i < compound->count; ++i) {
        ReaderProperty *property = &compound->properties[i];
        ReaderCompound *inside;
        uint32_t number = (uint32_t)r->writer->property_count;
        status = copy_property(r, property, compound->headers_position, object, parent, error);
        if (status || property->header.kind != PROPERTY_COMPOUND)
            continue;
        status = abcr_inside(r->reader, property, &inside, error);
        if (status == ABC_OK)
            status = copy_compound(r, inside, object, number, depth + 1, error);
    }
    return status;
}

/* The part of the file between the first and the last number that commits change. */
static AbcStatus load_patch(Reopening *r, AbcError *error) {
    AbcWriter *w = r->writer;
    uint64_t first = UINT64_MAX, end = 0;
    for (size_t i = 0; i < w->object_count; ++i) {
        first = w->objects[i].digests_position < first ? w->objects[i].digests_position : first;
        uint64_t last = w->objects[i].digests_position + FORMAT_OBJECT_DIGESTS_SIZE;
        end = last > end ? last : end;
    }
    for (size_t i = 0; i < w->sampling_count + w->property_count; ++i) {
        bool sampling = i < w->sampling_count;
        if (!sampling && w->properties[i - w->sampling_count].kind == PROPERTY_COMPOUND)
            continue;
        uint64_t position =
            sampling ? w->samplings[i].count_position : w->properties[i - w->sampling_count].count_position;
        first = position < first ? position : first;
        end = position + 4 > end ? position + 4 : end;
    }
    keep_until(r, end);
    w->patch_position = first;
    w->patch_size = (size_t)(end - first);
    w->patch = malloc(w->patch_size);
    w->patch_next = malloc(w->patch_size);
    if (!w->patch || !w->patch_next)
        return abc_fail_memory(error, "the index of the archive");
    return ogawa_read(&r->reader->source, first, w->patch, w->patch_size, "index of the archive", error);
}

/* Everything that the root group names stays. */
static AbcStatus keep_root(Reopening *r, AbcError *error) {
    OgawaGroup root;
    AbcStatus status = ogawa_root(&r->reader->source, &root, error);
    if (status)
        return status;
    keep_group(r, root);
    for (uint64_t i = 0; status == ABC_OK && i < ROOT_CHILD_COUNT; ++i) {
        OgawaData data;
        if (i == ROOT_TOP)
            continue;
        status = ogawa_child_data(&r->reader->source, root, i, &data, "root group", error);
        keep_until(r, data.position + data.size);
    }
    return status;
}

static AbcStatus rebuild(Reopening *r, AbcError *error) {
    AbcWriter *w = r->writer;
    AbcStatus status = copy_samplings(r, error);
    if (status == ABC_OK)
        status = copy_objects(r, error);
    for (uint32_t i = 0; status == ABC_OK && i < w->object_count; ++i) {
        ReaderCompound *top;
        status = abcr_top(r->reader, r->object_in_reader[i], &top, error);
        if (status == ABC_OK)
            status = copy_compound(r, top, i, NO_PROPERTY, 0, error);
    }
    for (uint32_t i = 0; status == ABC_OK && i < w->property_count; ++i)
        status = abcw_assign_role(w, i, error);
    for (uint32_t i = 0; status == ABC_OK && i < w->object_count; ++i) {
        status = abcw_restore_object(r, i, error);
    }
    if (status == ABC_OK)
        status = keep_root(r, error);
    return status ? status : load_patch(r, error);
}

AbcStatus abc_writer_reopen(AbcWriter **out, const char *path, double keep_before, AbcDurability durability,
                            AbcError *error) {
    *out = NULL;
    Reopening r = {.keep_before = keep_before};
    AbcStatus status = abcr_open_plain(&r.reader, path, error);
    if (status)
        return status;
    if (!abc_metadata_equals(r.reader->metadata, strlen(r.reader->metadata), LAYOUT_KEY, LAYOUT_VALUE))
        status = abc_fail(error, ABC_ERR_UNSUPPORTED,
                          "\"%.300s\" was not written by alembic_io: samples cannot be added to it.", path);
    if (status == ABC_OK)
        status = abcw_alloc(&r.writer, error);
    if (status == ABC_OK)
        status = ogawa_sink_update(&r.writer->sink, path, error);
    if (status == ABC_OK)
        status = rebuild(&r, error);
    if (status == ABC_OK) {
        AbcWriter *w = r.writer;
        w->durability = durability;
        w->begun = true;
        w->committed_payload = w->sink.payload;
        w->committed_samples = w->sink.samples.count;
        w->committed_end = ogawa_align(r.end);
        status = abcw_write_patch(w, error);
        if (status == ABC_OK && durability == ABC_SURVIVE_POWER_LOSS)
            status = ogawa_flush(&w->sink, error);
        if (status == ABC_OK)
            status = abcw_clear_links(w, error);
        if (status == ABC_OK)
            status = ogawa_truncate(&w->sink, w->committed_end, error);
    }
    abc_reader_close(r.reader);
    free(r.object_in_reader);
    if (status && r.writer)
        abcw_free(r.writer);
    else
        *out = r.writer;
    return status;
}
