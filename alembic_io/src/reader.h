/* Layer 2, reading: objects, properties and samples of an archive. */
#ifndef READER_H
#define READER_H

#include "format.h"

/* Limits on the content of a file; real archives are far below. */
enum {
    LARGEST_PATH = 4096,            /* bytes of an object's path */
    DEEPEST_PROPERTY = 32,          /* compounds inside of compounds */
    DEEPEST_INSTANCE = 32,          /* depth of instances whose source is found through other instances */
    LARGEST_INSTANCED_COUNT = 65536 /* objects that exist only through instances */
};

typedef struct ReaderProperty {
    PropertyHeader header;         /* name and metadata end with zero and live as long as the reader */
    uint64_t link;                 /* of the group */
    uint64_t link_place;           /* where it was read */
    struct ReaderCompound *inside; /* of a compound, NULL until it is needed */
} ReaderProperty;

typedef struct ReaderCompound {
    ReaderProperty *properties;
    uint32_t count;
    char *texts;
    uint64_t headers_position; /* of the headers' bytes in the file */
} ReaderCompound;

typedef struct ReaderObject {
    char *path;
    const char *name; /* the end of path */
    char *metadata;
    char *schema_name;
    AbcSchema schema;
    uint32_t parent;
    uint32_t instance_source;
    bool instance_root;              /* names its source by path */
    bool filled;                     /* an instance that shows its source */
    uint32_t child_first, child_end; /* numbers of the children that the file holds */
    OgawaGroup group;
    uint64_t digests_position;
    ReaderCompound *top; /* NULL until it is needed */
} ReaderObject;

typedef struct ReaderTimeSampling {
    AbcTimeSampling sampling;
    double *times; /* owned */
    uint32_t sample_count;
    uint64_t count_position;
} ReaderTimeSampling;

/* Numbers found by a key; several may have the same key. */
typedef struct NumberIndex {
    uint64_t *keys;
    uint32_t *numbers; /* + 1; 0 is free */
    size_t slot_count, used;
} NumberIndex;

bool abc_index_add(NumberIndex *index, uint64_t key, uint32_t number);
/* The next number with this key; *cursor starts at SIZE_MAX. UINT32_MAX at the end. */
uint32_t abc_index_next(const NumberIndex *index, uint64_t key, size_t *cursor);
void abc_index_free(NumberIndex *index);

struct AbcReader {
    OgawaSource source;
    bool counter_clockwise;
    MetadataTable metadata_table;
    char *metadata;
    char *application, *description, *date;
    double fps;
    int32_t library_version;
    ReaderTimeSampling *samplings;
    size_t sampling_count, sampling_capacity;
    ReaderObject *objects;
    size_t object_count, object_capacity;
    NumberIndex paths;
};

/* Opens an archive without expanding instances. */
AbcStatus abcr_open_plain(AbcReader **reader, const char *path, AbcError *error);

/* Reads the tree below the top object's group. */
AbcStatus abcr_load_objects(AbcReader *reader, OgawaGroup top, AbcError *error);
/* Adds the objects of instances. */
AbcStatus abcr_load_instances(AbcReader *reader, AbcError *error);
void abcr_free_objects(AbcReader *reader);

/* --- properties (reader_property.c) */

void abcr_free_compound(ReaderCompound *compound);

/* The properties of an object, or inside of a compound. */
AbcStatus abcr_top(AbcReader *reader, uint32_t object, ReaderCompound **compound, AbcError *error);
AbcStatus abcr_inside(AbcReader *reader, ReaderProperty *property, ReaderCompound **compound, AbcError *error);

/* The property at a path such as ".geom/P". ABC_ERR_NOT_FOUND, with a message that names it. */
AbcStatus abcr_find(AbcReader *reader, uint32_t object, const char *path, ReaderProperty **property, AbcError *error);
/* The same, but *property is NULL if it does not exist. */
AbcStatus abcr_find_optional(AbcReader *reader, uint32_t object, const char *path, ReaderProperty **property,
                             AbcError *error);

/* Where the values of a sample are, without their digest. The size fits the type: whole elements, one
   of a scalar. */
AbcStatus abcr_sample(AbcReader *reader, const ReaderProperty *property, uint32_t sample, OgawaData *values,
                      AbcError *error);

/* Number of pods in the values of a sample of numbers. */
size_t abcr_pod_count(const ReaderProperty *property, OgawaData values);

/* --- values (reader_values.c): pods from `first` on, converted from whatever number type the property has */

AbcStatus abcr_floats(AbcReader *reader, const ReaderProperty *property, OgawaData values, size_t first, float *to,
                      size_t count, AbcError *error);
AbcStatus abcr_doubles(AbcReader *reader, const ReaderProperty *property, OgawaData values, size_t first, double *to,
                       size_t count, AbcError *error);
/* ABC_ERR_CORRUPT for values outside of int32. */
AbcStatus abcr_int32s(AbcReader *reader, const ReaderProperty *property, OgawaData values, int32_t *to, size_t count,
                      AbcError *error);

/* The fraction and samples of a property at a time. */
void abcr_bracket(const AbcReader *reader, const ReaderProperty *property, double time, uint32_t *lower,
                  uint32_t *upper, double *weight);

#endif
