/* Layer 2, writing: samples and commits. See writer.h. */
#include "bounds_scan.h"
#include "writer.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A table that is full grows to twice its size, and by this at least. */
enum { SMALLEST_GROWTH = 64 };

static uint64_t links_per_sample(const WriterProperty *property) {
    return property->kind == PROPERTY_ARRAY ? 2 : 1;
}

/* Moves a full table to the end of the file. The old one stays valid until the link to it is changed. */
static AbcStatus grow_table(AbcWriter *writer, WriterProperty *property, AbcError *error) {
    uint32_t capacity = property->capacity;
    if (capacity > UINT32_MAX / 4)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The property \"%s\" has too many samples.", property->name);
    capacity += capacity > SMALLEST_GROWTH ? capacity : SMALLEST_GROWTH;
    uint64_t old_count = property->capacity * links_per_sample(property);
    uint64_t count = capacity * links_per_sample(property);
    size_t size = 8 + 8 * (size_t)count;
    uint8_t *table = malloc(size);
    if (!table)
        return abc_fail_memory(error, "a larger table of samples");
    put_u64(table, count);
    for (uint64_t i = old_count; i < count; ++i)
        put_u64(table + 8 + 8 * i, OGAWA_EMPTY_DATA);
    AbcStatus status = ABC_OK;
    int failed = abc_os_read_at(writer->sink.file, property->table + 8, table + 8, 8 * (size_t)old_count);
    if (failed)
        status = abc_fail_io(error, failed == OS_END_OF_FILE ? EIO : failed, "Cannot read back", writer->sink.path);
    uint64_t position = 0;
    if (status == ABC_OK)
        status = ogawa_append(&writer->sink, table, size, &position, error);
    if (status == ABC_OK && writer->durability == ABC_SURVIVE_POWER_LOSS)
        status = ogawa_flush(&writer->sink, error);
    free(table);
    uint8_t link[8];
    put_u64(link, position);
    if (status == ABC_OK)
        status = ogawa_write_at(&writer->sink, property->table_link, link, sizeof link, error);
    if (status)
        return status;
    property->table = position;
    property->capacity = capacity;
    /* dropping samples must keep the table */
    writer->committed_end = writer->sink.end;
    return ABC_OK;
}

/* Makes a stored sample the next one of a property, or its constant. */
static AbcStatus link_sample(AbcWriter *writer, WriterProperty *property, uint64_t link, Digest digest,
                             AbcError *error) {
    if (property->mode == MODE_ANIMATED) {
        uint32_t sample = property->committed + property->pending;
        if (sample >= property->capacity) {
            AbcStatus status = grow_table(writer, property, error);
            if (status)
                return status;
        }
        uint8_t bytes[8];
        put_u64(bytes, link);
        uint64_t place = property->table + 8 + 8 * links_per_sample(property) * sample;
        AbcStatus status = ogawa_write_at(&writer->sink, place, bytes, sizeof bytes, error);
        if (status)
            return status;
        ++property->pending;
        property->linked = sample >= property->linked ? sample + 1 : property->linked;
        property->pending_digest = abc_digest_chain(property->pending_digest, digest);
    } else {
        property->constant_link = link;
        property->committed = property->mode == MODE_CONSTANT;
        property->digest = property->pending_digest = abc_digest_chain(property->digest, digest);
    }
    return ABC_OK;
}

static AbcStatus check_sample(const AbcWriter *writer, const WriterProperty *property, AbcError *error) {
    if (property->mode != MODE_ANIMATED)
        return ABC_OK;
    const AbcTimeSampling *sampling = &writer->samplings[property->time_sampling].sampling;
    uint32_t sample = property->committed + property->pending;
    if (sampling->kind == ABC_ACYCLIC && sample >= sampling->time_count)
        return abc_fail(error, ABC_ERR_ARGUMENT,
                        "Sample %" PRIu32 " of \"%s\" has no time: its acyclic time sampling ends before.", sample,
                        writer->objects[property->object].path);
    return ABC_OK;
}

AbcStatus abcw_put_pods(AbcWriter *writer, uint32_t number, const void *values, size_t pod_count, AbcError *error) {
    WriterProperty *property = &writer->properties[number];
    size_t width = property->pod == ABC_STRING ? 1 : abc_format_pod_size(property->pod);
    AbcStatus status = check_sample(writer, property, error);
    ogawa_sample_start(&writer->sink);
    if (bytes_are_native()) {
        if (status == ABC_OK)
            status = ogawa_sample_add(&writer->sink, values, pod_count * width, error);
    } else {
        const uint8_t *from = values;
        for (size_t start = 0, part; status == ABC_OK && start < pod_count; start += part) {
            part = pod_count - start < VEC3_CHUNK ? pod_count - start : VEC3_CHUNK;
            abc_bytes_reorder((uint8_t *)writer->chunk, from + start * width, part, width);
            status = ogawa_sample_add(&writer->sink, writer->chunk, part * width, error);
        }
    }
    uint64_t link;
    Digest digest;
    if (status == ABC_OK)
        status = ogawa_sample_finish(&writer->sink, &link, &digest, error);
    return status ? status : link_sample(writer, property, link, digest, error);
}

/* Names the first triple of a chunk that is not finite in float32. */
static AbcStatus fail_not_finite(const AbcWriter *writer, const WriterProperty *property, const float *xyz,
                                 size_t first, const char *what, AbcError *error) {
    size_t i = 0;
    while (isfinite(xyz[3 * i]) && isfinite(xyz[3 * i + 1]) && isfinite(xyz[3 * i + 2]))
        ++i;
    return abc_fail(error, ABC_ERR_ARGUMENT,
                    "The %s of vertex %zu of \"%s\" is not a finite number of float32: (%g, %g, %g).", what, first + i,
                    writer->objects[property->object].path, (double)xyz[3 * i], (double)xyz[3 * i + 1],
                    (double)xyz[3 * i + 2]);
}

/* The state of one call to abcw_put_vec3. */
typedef struct Vec3Stream {
    AbcWriter *writer;
    const WriterProperty *property;
    AbcVec3Array values;
    BoundsScan scan;
    const char *what;
} Vec3Stream;

/* Adds `count` triples from `first` on, as host floats at `xyz`, to the digest and the bounds. float64 is rounded into
   xyz, which is then writable. Piece by piece, so that each stays in the cache for all steps. */
static AbcStatus measure(Vec3Stream *s, const float *xyz, float *rounded, size_t first, size_t count, AbcError *error) {
    for (size_t start = 0, part; start < count; start += part) {
        part = count - start < VEC3_PIECE ? count - start : VEC3_PIECE;
        const float *piece = xyz + 3 * start;
        if (rounded)
            abc_round_to_floats(rounded + 3 * start, s->values.f64 + 3 * (first + start), 3 * part);
        if (bytes_are_native()) {
            abc_bounds_scan_digest(&s->scan, &s->writer->sink.digest, piece, part);
        } else {
            uint8_t reordered[12 * VEC3_PIECE];
            abc_bytes_reorder(reordered, (const uint8_t *)piece, 3 * part, 4);
            abc_digest_add(&s->writer->sink.digest, reordered, 12 * part);
            abc_bounds_scan_add(&s->scan, piece, part);
        }
        if (!abc_bounds_scan_is_finite(&s->scan))
            return fail_not_finite(s->writer, s->property, piece, first + start, s->what, error);
    }
    return ABC_OK;
}

static AbcStatus put_triples(Vec3Stream *s, size_t count, AbcError *error) {
    float *chunk = s->writer->chunk;
    for (size_t first = 0, part; first < count; first += part) {
        part = count - first < VEC3_CHUNK ? count - first : VEC3_CHUNK;
        const float *xyz = s->values.f32 ? s->values.f32 + 3 * first : chunk;
        AbcStatus status = measure(s, xyz, s->values.f64 ? chunk : NULL, first, part, error);
        if (status)
            return status;
        /* a mesh at rest is not written again */
        if (part == count && ogawa_sample_skip(&s->writer->sink, 12 * (uint64_t)count))
            return ABC_OK;
        if (!bytes_are_native()) {
            abc_bytes_reorder((uint8_t *)chunk, (const uint8_t *)xyz, 3 * part, 4);
            xyz = chunk;
        }
        status = ogawa_sample_write(&s->writer->sink, xyz, 12 * part, error);
        if (status)
            return status;
    }
    return ABC_OK;
}

AbcStatus abcw_put_vec3(AbcWriter *writer, uint32_t number, AbcVec3Array values, size_t count, AbcBounds *bounds,
                        const char *what, AbcError *error) {
    WriterProperty *property = &writer->properties[number];
    if (count > 0 && !values.f32 == !values.f64)
        return abc_fail(error, ABC_ERR_ARGUMENT, "The %s of \"%s\" must be given once, as float32 or as float64.", what,
                        writer->objects[property->object].path);
    AbcStatus status = check_sample(writer, property, error);
    if (status)
        return status;
    Vec3Stream stream = {.writer = writer, .property = property, .values = values, .what = what};
    abc_bounds_scan_start(&stream.scan);
    ogawa_sample_start(&writer->sink);
    status = put_triples(&stream, count, error);
    uint64_t link;
    Digest digest;
    if (status == ABC_OK)
        status = ogawa_sample_finish(&writer->sink, &link, &digest, error);
    if (status == ABC_OK)
        status = link_sample(writer, property, link, digest, error);
    if (status == ABC_OK && bounds)
        *bounds = abc_bounds_scan_result(&stream.scan);
    return status;
}

/* Keeps what is in the file now. */
static void mark_committed(AbcWriter *writer) {
    writer->committed_end = writer->sink.end;
    writer->committed_payload = writer->sink.payload;
    writer->committed_samples = writer->sink.samples.count;
    abc_sample_map_keep(&writer->sink.samples);
}

AbcStatus abcw_replace_constant(AbcWriter *writer, uint32_t number, const void *values, size_t pod_count,
                                AbcError *error) {
    WriterProperty *property = &writer->properties[number];
    const WriterProperty before = *property;
    property->digest = abcw_header_digest(property);
    AbcStatus status = abcw_put_pods(writer, number, values, pod_count, error);
    if (status == ABC_OK && writer->begun && writer->durability == ABC_SURVIVE_POWER_LOSS)
        status = ogawa_flush(&writer->sink, error);
    uint8_t link[8];
    put_u64(link, property->constant_link);
    if (status == ABC_OK && writer->begun)
        status = ogawa_write_at(&writer->sink, property->table + 8, link, sizeof link, error);
    if (status) {
        *property = before;
        return status;
    }
    if (!writer->begun)
        return ABC_OK;
    /* dropping samples must keep the new value */
    mark_committed(writer);
    return abcw_write_patch(writer, error);
}

void abcw_repeat(AbcWriter *writer, uint32_t property) {
    ++writer->properties[property].pending;
}

AbcStatus abcw_clear_links(AbcWriter *writer, AbcError *error) {
    enum { PART = 2048 };
    uint8_t empty[8 * PART];
    for (size_t k = 0; k < PART; ++k)
        put_u64(empty + 8 * k, OGAWA_EMPTY_DATA);
    for (size_t i = 0; i < writer->property_count; ++i) {
        WriterProperty *p = &writer->properties[i];
        uint64_t links = links_per_sample(p);
        for (uint64_t k = links * p->committed, end = links * p->linked, part; k < end; k += part) {
            part = end - k < PART ? end - k : PART;
            AbcStatus status = ogawa_write_at(&writer->sink, p->table + 8 + 8 * k, empty, (size_t)(8 * part), error);
            if (status)
                return status;
        }
        p->linked = p->linked < p->committed ? p->linked : p->committed;
    }
    return ABC_OK;
}

SampleMark abcw_sample_mark(const AbcWriter *writer, uint32_t object) {
    SampleMark mark = {writer->sink.end, writer->sink.payload, writer->sink.samples.count, object, {0}, {{{0}}}};
    for (int role = 0; role < ROLE_SAMPLED_COUNT; ++role) {
        uint32_t number = writer->objects[object].property[role];
        if (number == NO_PROPERTY)
            continue;
        mark.pending[role] = writer->properties[number].pending;
        mark.pending_digest[role] = writer->properties[number].pending_digest;
    }
    return mark;
}

/* Discards what was appended after `end`, except tables. */
static void retract(AbcWriter *writer, uint64_t end, uint64_t payload, size_t samples) {
    writer->sink.end = end > writer->committed_end ? end : writer->committed_end;
    writer->sink.payload = payload;
    abc_sample_map_shrink(&writer->sink.samples, samples);
}

AbcStatus abcw_sample_done(AbcWriter *writer, const SampleMark *mark, AbcStatus status) {
    if (status == ABC_OK)
        return ABC_OK;
    for (int role = 0; role < ROLE_SAMPLED_COUNT; ++role) {
        uint32_t number = writer->objects[mark->object].property[role];
        if (number == NO_PROPERTY)
            continue;
        writer->properties[number].pending = mark->pending[role];
        writer->properties[number].pending_digest = mark->pending_digest[role];
    }
    retract(writer, mark->end, mark->payload, mark->samples);
    return status;
}

void abc_writer_drop_uncommitted(AbcWriter *writer) {
    if (!writer->begun)
        return;
    for (size_t i = 0; i < writer->property_count; ++i) {
        writer->properties[i].pending = 0;
        writer->properties[i].pending_digest = writer->properties[i].digest;
    }
    retract(writer, writer->committed_end, writer->committed_payload, writer->committed_samples);
}

static bool anything_pending(const AbcWriter *writer) {
    for (size_t i = 0; i < writer->property_count; ++i)
        if (writer->properties[i].pending)
            return true;
    return false;
}

AbcStatus abc_writer_commit(AbcWriter *writer, AbcError *error) {
    AbcStatus status = abc_writer_begin(writer, error);
    if (status || !anything_pending(writer))
        return status;
    if (writer->durability == ABC_SURVIVE_POWER_LOSS)
        status = ogawa_flush(&writer->sink, error);
    if (status == ABC_OK)
        status = abcw_write_patch(writer, error);
    if (status)
        return status;
    for (size_t i = 0; i < writer->property_count; ++i) {
        WriterProperty *property = &writer->properties[i];
        property->committed += property->pending;
        property->digest = property->pending_digest;
        property->pending = 0;
    }
    mark_committed(writer);
    return ABC_OK;
}
