/* Layer 2, writing: the numbers of samples and the digests in the index, updated by commits. See writer.h. */
#include "writer.h"

static uint8_t *patch_at(const AbcWriter *writer, uint8_t *patch, uint64_t position) {
    return patch + (position - writer->patch_position);
}

static void fill_counts(const AbcWriter *writer, uint8_t *patch) {
    for (size_t i = 0; i < writer->sampling_count; ++i)
        put_u32(patch_at(writer, patch, writer->samplings[i].count_position), 0);
    for (size_t i = 0; i < writer->property_count; ++i) {
        const WriterProperty *p = &writer->properties[i];
        if (p->kind == PROPERTY_COMPOUND)
            continue;
        uint32_t count = p->committed + p->pending;
        put_u32(patch_at(writer, patch, p->count_position), count);
        /* a time sampling counts the samples of the longest property that uses it; constants count as one */
        uint8_t *longest = patch_at(writer, patch, writer->samplings[p->time_sampling].count_position);
        uint32_t stored = p->mode == MODE_ANIMATED || count == 0 ? count : 1;
        if (get_u32(longest) < stored)
            put_u32(longest, stored);
    }
}

/* The digests of an object: of its properties (a sum, so that their order does not matter), and of its children (the
   digests of each and its name). Objects are processed from the last to the first: children before their parent. */
static void fill_digests(AbcWriter *writer, uint8_t *patch) {
    for (size_t i = 0; i < writer->object_count; ++i)
        writer->objects[i].sum = (Digest){{0, 0}};
    for (size_t i = 0; i < writer->property_count; ++i) {
        Digest *sum = &writer->objects[writer->properties[i].object].sum;
        sum->words[0] += writer->properties[i].pending_digest.words[0];
        sum->words[1] += writer->properties[i].pending_digest.words[1];
    }
    for (size_t i = writer->object_count; i-- > 0;) {
        const WriterObject *object = &writer->objects[i];
        uint8_t *digests = patch_at(writer, patch, object->digests_position);
        /* the second half holds the chained digests of the children */
        Digest children = {{get_u64(digests + 16), get_u64(digests + 24)}};
        Digest own = abc_digest_chain(abc_digest_of(object->metadata, strlen(object->metadata)), object->sum);
        put_u64(digests, own.words[0]);
        put_u64(digests + 8, own.words[1]);
        if (object->parent != ABC_NO_OBJECT) {
            Digest all =
                abc_digest_chain(abc_digest_chain(own, children), abc_digest_of(object->name, strlen(object->name)));
            uint8_t *above = patch_at(writer, patch, writer->objects[object->parent].digests_position) + 16;
            Digest chain = abc_digest_chain((Digest){{get_u64(above), get_u64(above + 8)}}, all);
            put_u64(above, chain.words[0]);
            put_u64(above + 8, chain.words[1]);
        }
    }
}

void abcw_fill_patch(AbcWriter *writer, uint8_t *patch) {
    for (size_t i = 0; i < writer->object_count; ++i)
        memset(patch_at(writer, patch, writer->objects[i].digests_position), 0, FORMAT_OBJECT_DIGESTS_SIZE);
    fill_counts(writer, patch);
    fill_digests(writer, patch);
}

AbcStatus abcw_write_patch(AbcWriter *writer, AbcError *error) {
    memcpy(writer->patch_next, writer->patch, writer->patch_size);
    abcw_fill_patch(writer, writer->patch_next);
    size_t first = 0, end = writer->patch_size;
    while (first < end && writer->patch[first] == writer->patch_next[first])
        ++first;
    while (end > first && writer->patch[end - 1] == writer->patch_next[end - 1])
        --end;
    if (first == end)
        return ABC_OK;
    AbcStatus status =
        ogawa_write_at(&writer->sink, writer->patch_position + first, writer->patch_next + first, end - first, error);
    if (status) {
        /* restore the old counts, as far as the disk allows */
        ogawa_write_at(&writer->sink, writer->patch_position + first, writer->patch + first, end - first, NULL);
        return status;
    }
    uint8_t *old = writer->patch;
    writer->patch = writer->patch_next;
    writer->patch_next = old;
    return ABC_OK;
}
