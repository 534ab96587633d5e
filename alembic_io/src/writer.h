/* Layer 2, writing: the tree of objects and properties of an archive being written.

   The file from front to back:
     head of the container
     constant samples, written as they are added
     the index, written in one piece by abc_writer_begin:
       patched part: time samplings and all headers, with the numbers of samples and the digests
       groups, and a table of links with room for all samples of every animated property
     samples of the frames, appended
   A commit orders its writes so that every state in between is a valid archive: samples at the end of the
   file, their links in the tables, then the counts in the patched part. */
#ifndef WRITER_H
#define WRITER_H

#include "format.h"
#include "ogawa_write.h"

#define NO_PROPERTY UINT32_MAX
#define VERTEX_COUNT_UNKNOWN SIZE_MAX

/* Metadata that marks archives with reserved tables, which can be reopened. */
#define LAYOUT_KEY "_alembic_io_layout"
#define LAYOUT_VALUE "1"

/* Vertices that are written at a time: large writes cost the system a quarter less than those of 200 KB. And vertices
   that are processed at a time: they stay in the cache between the digest and the bounds. */
enum { VEC3_CHUNK = 1 << 17, VEC3_PIECE = 1024 };

typedef enum PropertyMode {
    MODE_CONSTANT, /* one sample */
    MODE_REPEATED, /* one stored sample that is repeated for every sample of its object */
    MODE_ANIMATED  /* a table of samples */
} PropertyMode;

typedef struct WriterProperty {
    char *name, *metadata;
    PropertyKind kind;
    AbcPod pod;
    uint32_t extent;
    bool homogeneous;
    PropertyMode mode;
    uint32_t object;
    uint32_t parent; /* the compound that holds it, NO_PROPERTY for the top of the object */
    uint32_t time_sampling;
    uint32_t capacity;       /* samples in the table */
    uint64_t constant_link;  /* of a constant or repeated property */
    Digest digest;           /* of the header and all committed samples */
    Digest pending_digest;   /* with those not yet committed */
    uint32_t committed;      /* number of samples */
    uint32_t pending;        /* samples since the last commit */
    uint32_t linked;         /* entries of the table that were ever written, including those of dropped samples */
    uint64_t table;          /* position of the group */
    uint64_t table_link;     /* where that position is written */
    uint64_t count_position; /* where the number of samples is written */
} WriterProperty;

/* Properties that samples or later additions need to find again. */
typedef enum PropertyRole {
    ROLE_POSITIONS,
    ROLE_VELOCITIES,
    ROLE_NORMALS,
    ROLE_BOUNDS,
    ROLE_IDS,
    ROLE_XFORM_VALUES,
    ROLE_INHERITS,
    ROLE_SAMPLED_COUNT, /* the roles above have samples, those below are compounds */
    ROLE_SCHEMA = ROLE_SAMPLED_COUNT,
    ROLE_USER,
    ROLE_PARAMS,
    ROLE_COUNT
} PropertyRole;

typedef struct WriterObject {
    char *name, *path, *metadata;
    AbcSchema schema;
    uint32_t parent;
    bool animated, trs, ignore_parent, has_bounds;
    size_t vertex_count; /* VERTEX_COUNT_UNKNOWN: the next sample decides */
    size_t face_count, index_count;
    uint32_t property[ROLE_COUNT]; /* numbers, NO_PROPERTY if absent */
    double matrix[16];             /* of the latest sample */
    AbcBounds bounds;              /* of the latest sample */
    Digest sum;                    /* of the digests of its properties */
    uint64_t digests_position;
} WriterObject;

typedef struct WriterTimeSampling {
    AbcTimeSampling sampling;
    double *times; /* owned */
    uint64_t count_position;
} WriterTimeSampling;

struct AbcWriter {
    OgawaSink sink;
    char *final_path; /* NULL once the archive is at its final path */
    char *metadata;
    AbcDurability durability;
    bool begun;
    WriterObject *objects;
    WriterProperty *properties;
    WriterTimeSampling *samplings;
    size_t object_count, object_capacity, property_count, property_capacity, sampling_count, sampling_capacity;
    uint32_t archive_bounds; /* property, NO_PROPERTY if not wanted */
    /* the patched part of the index as in the file, and a buffer for the next one */
    uint8_t *patch, *patch_next;
    size_t patch_size;
    uint64_t patch_position;
    /* the state to restore when uncommitted samples are dropped */
    uint64_t committed_end, committed_payload;
    size_t committed_samples;
    float *chunk; /* [3 * VEC3_CHUNK] */
};

/* --- definition (writer.c, writer_define.c) */

/* The state to restore when a definition is undone. */
typedef struct WriterMark {
    size_t object_count, property_count;
} WriterMark;

WriterMark abcw_mark(const AbcWriter *writer);
void abcw_undo(AbcWriter *writer, WriterMark mark);

/* ABC_ERR_STATE if begun, ABC_ERR_ARGUMENT for an unknown object. */
AbcStatus abcw_check_definition(const AbcWriter *writer, uint32_t object, AbcError *error);

/* Names are parts of paths and of metadata: ABC_ERR_ARGUMENT if empty, NULL, or with invalid characters. */
AbcStatus abcw_check_name(const char *name, const char *what, AbcError *error);

AbcStatus abcw_add_object(AbcWriter *writer, uint32_t parent, const char *name, const char *metadata, AbcSchema schema,
                          uint32_t *object, AbcError *error);

/* ABC_ERR_ARGUMENT if the object has a property of this name there: for names that the caller chose. */
AbcStatus abcw_check_unique(const AbcWriter *writer, uint32_t object, uint32_t parent, const char *name,
                            AbcError *error);

/* The fields of `property` from kind to capacity are taken, texts are copied. */
AbcStatus abcw_add_property(AbcWriter *writer, uint32_t object, uint32_t parent, const char *name, const char *metadata,
                            WriterProperty property, uint32_t *number, AbcError *error);

AbcStatus abcw_add_compound(AbcWriter *writer, uint32_t object, uint32_t parent, const char *name, const char *metadata,
                            uint32_t *number, AbcError *error);

/* A constant property and its sample: element_count * extent pods at `values`. */
AbcStatus abcw_add_constant(AbcWriter *writer, uint32_t object, uint32_t parent, const char *name, const char *metadata,
                            PropertyKind kind, AbcPod pod, uint32_t extent, const void *values, size_t element_count,
                            AbcError *error);

/* Checks an animation of a description. */
AbcStatus abcw_check_animation(const AbcWriter *writer, AbcAnimation animation, const char *name, AbcError *error);

/* Frees everything, without writing to the file. */
void abcw_free(AbcWriter *writer);
AbcStatus abcw_alloc(AbcWriter **writer, AbcError *error);
WriterObject *abcw_new_object(AbcWriter *writer);
WriterProperty *abcw_new_property(AbcWriter *writer);
AbcStatus abcw_new_sampling(AbcWriter *writer, const AbcTimeSampling *sampling, AbcError *error);

/* --- samples (writer_sample.c) */

/* Writes pods as the next sample of a property (or its constant). */
AbcStatus abcw_put_pods(AbcWriter *writer, uint32_t property, const void *values, size_t pod_count, AbcError *error);

/* Writes triples as the next sample of a property (or its constant) and gives their bounds (NULL: not
   wanted). `what` names them in messages. */
AbcStatus abcw_put_vec3(AbcWriter *writer, uint32_t property, AbcVec3Array values, size_t count, AbcBounds *bounds,
                        const char *what, AbcError *error);

/* Changes the value of a constant property, even after abc_writer_begin. No samples may be pending then. */
AbcStatus abcw_replace_constant(AbcWriter *writer, uint32_t property, const void *values, size_t pod_count,
                                AbcError *error);

/* Counts one more sample of a repeated property. */
void abcw_repeat(AbcWriter *writer, uint32_t property);

/* Clears the links of dropped samples, so that the file equals one that never had them. */
AbcStatus abcw_clear_links(AbcWriter *writer, AbcError *error);

/* The state to restore when a sample is undone. */
typedef struct SampleMark {
    uint64_t end, payload;
    size_t samples;
    uint32_t object;
    uint32_t pending[ROLE_SAMPLED_COUNT];
    Digest pending_digest[ROLE_SAMPLED_COUNT];
} SampleMark;

SampleMark abcw_sample_mark(const AbcWriter *writer, uint32_t object);
/* Undoes the sample unless status is ABC_OK; returns status. */
AbcStatus abcw_sample_done(AbcWriter *writer, const SampleMark *mark, AbcStatus status);

/* The digest that a property starts from: its header. */
Digest abcw_header_digest(const WriterProperty *property);

/* --- index (writer_index.c, writer_patch.c) */

/* Writes the index; the archive is complete afterwards. */
AbcStatus abcw_write_index(AbcWriter *writer, AbcError *error);

/* Fills counts and digests, those of pending samples included, into an image of the patched part. */
void abcw_fill_patch(AbcWriter *writer, uint8_t *patch);

/* Writes the changed bytes of the patched part, counting pending samples. */
AbcStatus abcw_write_patch(AbcWriter *writer, AbcError *error);

#endif
