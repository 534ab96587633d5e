/* Layer 2: how Alembic keeps properties, objects and times inside Ogawa data. Encoding and decoding only.

   Root group:     [version, library version, top object, metadata, time samplings, indexed metadata]
   Object group:   [properties (a compound), child objects..., headers of the children and 32 bytes of
   digests] Compound group: [properties..., headers of the properties] Scalar group:   [sample...] Array
   group: [sample, dimensions, sample, dimensions...] A sample is 16 bytes of digest and the values.
   Dimensions are empty for arrays of numbers in one dimension.

   Samples that repeat the first one are not stored: sample i of a property is entry number
     0                            if i < first_changed, or nothing ever changed
     last_changed - first_changed + 1   if i >= last_changed
     i - first_changed + 1        else. */
#ifndef FORMAT_H
#define FORMAT_H

#include "abc_bytes.h"
#include "abc_error.h"
#include "ogawa_read.h"

/* Time per cycle that denotes acyclic sampling: the largest double / 32. */
#define FORMAT_ACYCLIC (1.7976931348623157e308 / 32.0)

/* Numbers of the children of the root group. */
enum { ROOT_VERSION, ROOT_LIBRARY, ROOT_TOP, ROOT_METADATA, ROOT_TIMES, ROOT_INDEXED_METADATA, ROOT_CHILD_COUNT };

/* The digests after the headers of child objects. */
enum { FORMAT_OBJECT_DIGESTS_SIZE = 32 };

typedef enum PropertyKind { PROPERTY_COMPOUND = 0, PROPERTY_SCALAR = 1, PROPERTY_ARRAY = 2 } PropertyKind;

typedef struct PropertyHeader {
    PropertyKind kind;
    const char *name;
    size_t name_size;
    const char *metadata; /* not zero-terminated when decoded */
    size_t metadata_size;
    bool metadata_inline; /* out: written in the header, not in the table */
    AbcPod pod;
    uint32_t extent;
    bool homogeneous; /* all samples have the same size */
    bool constant;    /* no sample differs from the first */
    uint32_t sample_count, first_changed, last_changed;
    uint32_t time_sampling;
    size_t count_offset;    /* out: offset of sample_count in the blob */
    bool four_byte_numbers; /* out: sample_count has 4 bytes */
} PropertyHeader;

typedef struct ObjectHeader {
    const char *name;
    size_t name_size;
    const char *metadata;
    size_t metadata_size;
} ObjectHeader;

/* Short metadata that many headers share: number 0 is empty. */
typedef struct MetadataTable {
    char *texts[255];
    size_t sizes[255];
    uint32_t count; /* texts in use, number 0 included */
    bool failed;    /* an allocation failed while texts were added */
} MetadataTable;

/* Bytes of one pod; 0 for text and for unknown types. */
uint32_t abc_format_pod_size(AbcPod pod);

/* Number of the entry that holds a sample; sample < sample_count. */
uint32_t abc_format_entry_of_sample(const PropertyHeader *header, uint32_t sample);

/* --- encoding */

void abc_metadata_table_start(MetadataTable *table);
void abc_metadata_table_free(MetadataTable *table);
void abc_format_put_metadata_table(ByteBuffer *to, const MetadataTable *table);

/* All numbers are stored in 4 bytes, so that counts of any size can be patched in place. */
void abc_format_put_property(ByteBuffer *to, PropertyHeader *header, MetadataTable *table);
void abc_format_put_object(ByteBuffer *to, const ObjectHeader *header, MetadataTable *table);
/* *count_offset receives the offset of the number of samples in the buffer. */
void abc_format_put_time_sampling(ByteBuffer *to, const AbcTimeSampling *sampling, uint32_t sample_count,
                                  size_t *count_offset);

/* --- decoding: a cursor over a loaded blob */

typedef struct FormatCursor {
    const uint8_t *bytes;
    size_t size, offset;
    uint64_t position; /* of the blob in the file, for messages */
} FormatCursor;

/* The next header; names and metadata point into the blob or the table. ABC_ERR_CORRUPT with the byte. */
AbcStatus abc_format_get_property(FormatCursor *from, const MetadataTable *table, PropertyHeader *header,
                                  AbcError *error);
AbcStatus abc_format_get_object(FormatCursor *from, const MetadataTable *table, ObjectHeader *header, AbcError *error);
/* times points to new memory, which the caller frees. sample_count: largest number of samples that use
   it. */
AbcStatus abc_format_get_time_sampling(FormatCursor *from, AbcTimeSampling *sampling, double **times,
                                       uint32_t *sample_count, AbcError *error);
AbcStatus abc_format_get_metadata_table(FormatCursor *from, MetadataTable *table, AbcError *error);

/* --- metadata, "key=value;key=value" */

/* The value of a key inside the text, not zero-terminated; NULL if absent. */
const char *abc_metadata_find(const char *metadata, size_t size, const char *key, size_t *value_size);
bool abc_metadata_equals(const char *metadata, size_t size, const char *key, const char *value);

#endif
