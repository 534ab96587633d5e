/* alembic_io: reads and writes Alembic archives (Ogawa container) in C17, with no dependency but libc.

   Conventions of this header
   - Every call that can fail returns an AbcStatus: ABC_OK is 0, errors are negative. Where an AbcError * is
     given (may be NULL), an error fills it with one sentence that names the thing, the place, the remedy.
   - Nothing is printed, nothing exits, there is no global state. One writer or reader belongs to one thread
     at a time; different ones are independent.
   - Text is UTF-8 and ends with a zero byte. Pointers in descriptions and samples are read during the call
     only.
   - The caller owns every output buffer and passes its capacity in elements; a buffer that is too small gives
     ABC_ERR_ARGUMENT and is not written.
   - Objects are identified by number: 0 (ABC_ROOT) is the top of the archive, the others are numbered in the order in
     which they were added (writer) or found, parents first (reader).
   - Lengths are in the unit of the scene, time is in seconds, velocity is length per second. Nothing is scaled, and no
     axis is swapped: Alembic files are by convention Y up, and Z-up hosts rotate on import.
   - A matrix is 16 doubles for row vectors, x' = x M: the translation is in elements 12, 13, 14.
   - Faces in the file wind clockwise seen from outside, as Alembic specifies. With counter_clockwise set, the writer
     takes and the reader gives counter-clockwise faces: the corners of each face in reverse order, per-corner data
     too. */
#ifndef ALEMBIC_IO_H
#define ALEMBIC_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status and errors */

typedef enum AbcStatus {
    ABC_OK = 0,
    ABC_ERR_ARGUMENT = -1,    /* the caller's data are inconsistent; nothing was changed */
    ABC_ERR_MEMORY = -2,      /* an allocation failed; nothing was changed */
    ABC_ERR_IO = -3,          /* the operating system refused; system_error holds errno */
    ABC_ERR_NOT_ALEMBIC = -4, /* the file is not an Ogawa archive (HDF5 archives are named as such) */
    ABC_ERR_CORRUPT = -5,     /* the file contradicts itself; offset says where */
    ABC_ERR_UNSUPPORTED = -6, /* valid, but not supported */
    ABC_ERR_NOT_FOUND = -7,   /* no such object, property or sample */
    ABC_ERR_STATE = -8        /* a call out of order, such as adding an object after abc_writer_begin */
} AbcStatus;

/* The value of AbcError.offset if the error has no place in a file. */
#define ABC_NO_OFFSET UINT64_MAX

typedef struct AbcError {
    AbcStatus status;
    int system_error; /* errno of a failed system call, else 0 */
    uint64_t offset;  /* byte of the file, else ABC_NO_OFFSET */
    char text[512];   /* one sentence, cut if longer */
} AbcError;

/* A short fixed name, "corrupt file" for example. Never NULL. */
const char *abc_status_name(AbcStatus status);

/* ---- shared types */

#define ABC_ROOT 0u
#define ABC_NO_OBJECT UINT32_MAX

typedef enum AbcSchema {
    ABC_SCHEMA_NONE = 0, /* the root, a plain group, or a schema not known here: see schema_name */
    ABC_SCHEMA_XFORM,
    ABC_SCHEMA_POLYMESH,
    ABC_SCHEMA_SUBD,
    ABC_SCHEMA_CURVES,
    ABC_SCHEMA_POINTS,
    ABC_SCHEMA_FACESET,
    ABC_SCHEMA_CAMERA
} AbcSchema;

/* What an element of a property is stored as: the numbers of the file format. */
typedef enum AbcPod {
    ABC_BOOL = 0,
    ABC_UINT8 = 1,
    ABC_INT8 = 2,
    ABC_UINT16 = 3,
    ABC_INT16 = 4,
    ABC_UINT32 = 5,
    ABC_INT32 = 6,
    ABC_UINT64 = 7,
    ABC_INT64 = 8,
    ABC_FLOAT16 = 9,
    ABC_FLOAT32 = 10,
    ABC_FLOAT64 = 11,
    ABC_STRING = 12,
    ABC_WSTRING = 13
} AbcPod;

/* What a value of a geometry parameter is assigned to. */
typedef enum AbcScope {
    ABC_SCOPE_CONSTANT = 0, /* the whole object */
    ABC_SCOPE_UNIFORM,      /* a face */
    ABC_SCOPE_VARYING,      /* a vertex, linearly interpolated */
    ABC_SCOPE_VERTEX,       /* a vertex */
    ABC_SCOPE_FACEVARYING,  /* a corner of a face */
    ABC_SCOPE_UNKNOWN
} AbcScope;

/* When samples happen. Sample i is at
     uniform, cyclic: times[i % time_count] + (i / time_count) * cycle_seconds   (uniform: time_count is 1)
     acyclic:         times[i], i < time_count
   The times increase; those of a cyclic sampling span less than one cycle. */
typedef enum AbcSampling { ABC_UNIFORM = 0, ABC_CYCLIC, ABC_ACYCLIC } AbcSampling;

typedef struct AbcTimeSampling {
    AbcSampling kind;
    double cycle_seconds; /* seconds a cycle; 1 / fps for one sample a frame; ignored if acyclic */
    uint32_t time_count;  /* 1 or more; 1 if uniform */
    const double *times;  /* [time_count] seconds */
} AbcTimeSampling;

/* Corners of a box; empty if min > max in some axis. */
typedef struct AbcBounds {
    double min[3], max[3];
} AbcBounds;

/* Triples (x, y, z) in one of two precisions; exactly one pointer is set, or none where that is allowed. The
   file holds float32; float64 is rounded to nearest while it is written, without a copy of the array. */
typedef struct AbcVec3Array {
    const float *f32;  /* [3 * count] or NULL */
    const double *f64; /* [3 * count] or NULL */
} AbcVec3Array;

/* ---- writer

   Life of a writer: create; add time samplings, objects and their constant data; begin; then for every frame
   the samples of all objects and one commit; close.

   Until begin, everything goes to a file beside `path` that replaces `path` in begin: an older cache stays intact until
   then. From begin on, even after kill -9 at any instant, the file at `path` is a complete archive for every Alembic
   reader and holds all samples committed so far. This holds after a failed call, too: a failed sample adds nothing, a
   failed commit commits nothing, and both may be retried. */

typedef struct AbcWriter AbcWriter;

typedef enum AbcDurability {
    /* a commit has reached the operating system: it survives the end of the process, even by kill -9 */
    ABC_SURVIVE_PROCESS = 0,
    /* samples are flushed to the disk before they are counted: after a power failure the archive is complete, and at
       most the last commit is missing */
    ABC_SURVIVE_POWER_LOSS
} AbcDurability;

typedef struct AbcWriterDesc {
    const char *application; /* who writes, "Jounce 0.1"; NULL: "alembic_io" */
    const char *description; /* user text, NULL: none */
    const char *date;        /* text such as "2026-01-31 12:00"; NULL: none, so that equal bakes are equal files */
    double fps;              /* frames a second, recorded for hosts; 0: not recorded */
    AbcDurability durability;
} AbcWriterDesc;

/* No names, no date, no fps, ABC_SURVIVE_PROCESS. */
AbcWriterDesc abc_writer_desc_default(void);

/* Starts an archive that will appear at `path` (UTF-8). Errors: ABC_ERR_IO, ABC_ERR_MEMORY, ABC_ERR_ARGUMENT
   (a text holds ';' or '=', which Alembic's metadata cannot carry). *writer is NULL after an error. The file is
   locked until close or the end of the process: a second writer gets ABC_ERR_IO, readers notice nothing. */
AbcStatus abc_writer_create(AbcWriter **writer, const char *path, const AbcWriterDesc *desc, AbcError *error);

/* Opens an archive that abc_writer_create made, after begin, to add samples. Samples at times of keep_before - 1e-6 s
   and later are dropped (INFINITY keeps all), and their bytes are cut from the end of the file. Continued with the same
   samples, the file equals one that was written without interruption, byte for byte. (With more samples than were
   reserved, only in content.) Objects keep their numbers; abc_writer_sample_count gives the number of samples of each.
   Errors: ABC_ERR_UNSUPPORTED for archives of other writers, and those of abc_reader_open. */
AbcStatus abc_writer_reopen(AbcWriter **writer, const char *path, double keep_before, AbcDurability durability,
                            AbcError *error);

/* Whether a writer has the archive at `path` open, here or in another program. */
bool abc_is_being_written(const char *path);

/* Adds a time sampling and gives its number. Number 0 exists from the start: samples at 0, 1, 2, ... seconds, the
   convention for constant data. An equal one is not added twice. */
AbcStatus abc_writer_add_time_sampling(AbcWriter *writer, const AbcTimeSampling *sampling, uint32_t *number,
                                       AbcError *error);

/* Makes a valid object name from any text: '/', ';', '=' and control characters become '_', an empty text "unnamed".
   Writes at most capacity bytes, the zero included, and never half of a UTF-8 character. */
void abc_make_name(char *name, size_t capacity, const char *text);

/* How an object is sampled. sample_capacity 0: the object is constant and all data are given when it is added. Else
   room for that many samples is reserved; more are allowed, at the cost of one moved table per doubling. */
typedef struct AbcAnimation {
    uint32_t time_sampling;   /* number of a time sampling */
    uint32_t sample_capacity; /* number of samples that will be written */
} AbcAnimation;

/* --- transforms */

typedef struct AbcTrs {
    double translate[3];
    double rotate_degrees[3]; /* about X, then Y, then Z */
    double scale[3];
} AbcTrs;

typedef struct AbcXformDesc {
    const char *name;       /* without '/', ';', '='; unique among its siblings */
    AbcAnimation animation; /* constant by default */
    bool trs;               /* stored as translate, rotate, scale, else as a matrix */
    bool ignore_parent;     /* the transforms above do not apply */
    double matrix[16];      /* value of a constant matrix; default identity */
    AbcTrs trs_value;       /* value of a constant trs; default identity */
} AbcXformDesc;

AbcXformDesc abc_xform_desc_default(void);
AbcStatus abc_writer_add_xform(AbcWriter *writer, uint32_t parent, const AbcXformDesc *desc, uint32_t *object,
                               AbcError *error);

/* --- meshes */

/* Texture coordinates or normals of a mesh: `width` floats a value (2 for uv, 3 for normals). With indices,
   corner or vertex i has value indices[i]; without, value i. */
typedef struct AbcGeomValues {
    const float *values;
    size_t value_count;
    const uint32_t *indices; /* NULL: not indexed */
    size_t index_count;
    AbcScope scope;   /* ABC_SCOPE_FACEVARYING or ABC_SCOPE_VERTEX */
    const char *name; /* name of the uv set in the host, NULL: none; unused for normals */
} AbcGeomValues;

/* Subdivision data; counts may be 0. */
typedef struct AbcSubdData {
    const char *scheme; /* NULL: "catmull-clark" */
    const int32_t *crease_indices;
    size_t crease_index_count;
    const int32_t *crease_lengths;
    const float *crease_sharpnesses;
    size_t crease_count;
    const int32_t *corner_indices;
    const float *corner_sharpnesses;
    size_t corner_count;
    const int32_t *holes;
    size_t hole_count;
    int32_t interpolate_boundary, face_varying_interpolate_boundary, face_varying_propagate_corners;
} AbcSubdData;

typedef struct AbcMeshDesc {
    const char *name;
    AbcAnimation animation;
    bool subd;              /* SubD, else PolyMesh */
    bool counter_clockwise; /* the faces given here are counter-clockwise; see the head of this file */
    size_t vertex_count;
    size_t face_count;
    size_t index_count;
    const int32_t *face_counts;  /* [face_count] corners of each face; their sum is index_count */
    const int32_t *face_indices; /* [index_count] vertex of each corner, 0 .. vertex_count - 1 */
    AbcVec3Array positions;      /* [vertex_count] of a constant mesh; ignored if animated */
    bool velocities;             /* samples carry velocities */
    bool normals;                /* samples carry vertex normals */
    const AbcGeomValues *uvs;    /* constant uv, NULL: none */
    /* constant normals, NULL: none; not together with `normals`; not for SubD */
    const AbcGeomValues *constant_normals;
    const AbcSubdData *subd_data; /* NULL: none; only with subd */
} AbcMeshDesc;

AbcMeshDesc abc_mesh_desc_default(void);
/* Also ABC_ERR_ARGUMENT for face counts or indices that do not fit; the message names the face. */
AbcStatus abc_writer_add_mesh(AbcWriter *writer, uint32_t parent, const AbcMeshDesc *desc, uint32_t *object,
                              AbcError *error);

/* Names some faces of a mesh (for example a material slot): a child object of the mesh. */
AbcStatus abc_writer_add_face_set(AbcWriter *writer, uint32_t mesh, const char *name, const int32_t *faces,
                                  size_t face_count, uint32_t *object, AbcError *error);

/* --- curves and points */

typedef struct AbcCurvesDesc {
    const char *name;
    AbcAnimation animation;
    size_t curve_count;
    const int32_t *vertex_counts; /* [curve_count] */
    size_t vertex_count;          /* their sum */
    bool cubic;                   /* cubic B-spline, else linear */
    bool periodic;
    AbcVec3Array positions; /* [vertex_count] of constant curves; ignored if animated */
    bool velocities;
    const float *widths; /* [vertex_count] diameters, NULL: none */
} AbcCurvesDesc;

AbcCurvesDesc abc_curves_desc_default(void);
AbcStatus abc_writer_add_curves(AbcWriter *writer, uint32_t parent, const AbcCurvesDesc *desc, uint32_t *object,
                                AbcError *error);

typedef struct AbcPointsDesc {
    const char *name;
    AbcAnimation animation; /* samples may differ in their number of points */
    size_t point_count;     /* of constant points; ignored if animated */
    AbcVec3Array positions;
    const uint64_t *ids; /* [point_count]; NULL: 0, 1, 2, ... */
    bool velocities;
} AbcPointsDesc;

AbcPointsDesc abc_points_desc_default(void);
AbcStatus abc_writer_add_points(AbcWriter *writer, uint32_t parent, const AbcPointsDesc *desc, uint32_t *object,
                                AbcError *error);

/* --- instances, parameters, user properties: constant data of an object, before begin */

/* An instance of the whole tree under `source`. */
AbcStatus abc_writer_add_instance(AbcWriter *writer, uint32_t parent, const char *name, uint32_t source,
                                  uint32_t *object, AbcError *error);

/* A named array of floats on a mesh, curves or points: for example painted weights. value_count values of `width`
   floats (1 to 4: 2 and 3 are stored as vectors, 4 as colour with alpha); its size must match the scope. */
AbcStatus abc_writer_add_geom_param(AbcWriter *writer, uint32_t object, const char *name, AbcScope scope,
                                    const float *values, size_t value_count, uint32_t width, AbcError *error);

/* User properties of an object, or of the archive if object is ABC_ROOT: for example a receipt in JSON. */
AbcStatus abc_writer_add_user_string(AbcWriter *writer, uint32_t object, const char *name, const char *value,
                                     AbcError *error);
AbcStatus abc_writer_add_user_double(AbcWriter *writer, uint32_t object, const char *name, double value,
                                     AbcError *error);

/* Changes the value of a user string, at any time until close: for example the receipt of a resumed bake. Atomic, like
   a commit; the bytes of the old value stay in the file. ABC_ERR_NOT_FOUND if there is none. */
AbcStatus abc_writer_replace_user_string(AbcWriter *writer, uint32_t object, const char *name, const char *value,
                                         AbcError *error);

/* Visibility that every host understands: -1 inherited, 0 hidden, 1 shown. Constant. */
AbcStatus abc_writer_add_visibility(AbcWriter *writer, uint32_t object, int8_t visibility, AbcError *error);

/* Keeps the bounds of all meshes, curves and points (in world space) on the archive. Their times are those of
   `animation`: abc_writer_archive_bounds_sample writes one sample for each. */
AbcStatus abc_writer_add_archive_bounds(AbcWriter *writer, const AbcAnimation *animation, AbcError *error);

/* Reserves the tables and puts the archive at `path`. After this only samples, commit and close are allowed. */
AbcStatus abc_writer_begin(AbcWriter *writer, AbcError *error);

/* --- samples: written immediately, counted by the next commit */

AbcStatus abc_writer_xform_sample(AbcWriter *writer, uint32_t object, const double matrix[16], AbcError *error);
AbcStatus abc_writer_xform_trs_sample(AbcWriter *writer, uint32_t object, const AbcTrs *trs, AbcError *error);

typedef struct AbcMeshSample {
    size_t vertex_count;     /* as in the description; any number for points */
    AbcVec3Array positions;  /* [vertex_count] */
    AbcVec3Array velocities; /* [vertex_count] where the description says so, else none */
    AbcVec3Array normals;    /* [vertex_count] where the description says so, else none */
    const uint64_t *ids;     /* points only: [vertex_count]; NULL: 0, 1, 2, ... */
    const AbcBounds *bounds; /* NULL: computed from the positions */
} AbcMeshSample;

/* A sample of an animated mesh, curves or points. ABC_ERR_ARGUMENT for a position that is not finite: the message names
   the vertex. */
AbcStatus abc_writer_mesh_sample(AbcWriter *writer, uint32_t object, const AbcMeshSample *sample, AbcError *error);

/* A sample of the archive's bounds: around the latest samples of everything. Call it after those of each time.
   ABC_ERR_STATE if the archive keeps none. */
AbcStatus abc_writer_archive_bounds_sample(AbcWriter *writer, AbcError *error);

/* Counts all samples since the last commit: when it returns, they are in the file for every reader. Calls
   begin if that was not done. */
AbcStatus abc_writer_commit(AbcWriter *writer, AbcError *error);

/* Drops all samples since the last commit. */
void abc_writer_drop_uncommitted(AbcWriter *writer);

/* Number of committed samples of an object; 0 for an unknown one. A constant object has 1. */
uint32_t abc_writer_sample_count(const AbcWriter *writer, uint32_t object);

/* Number of the object at "/body/bodyShape", or ABC_NO_OBJECT. */
uint32_t abc_writer_find(const AbcWriter *writer, const char *path);

/* Bytes written so far: total, and those of tables and headers (everything except sample data). */
void abc_writer_sizes(const AbcWriter *writer, uint64_t *file_bytes, uint64_t *index_bytes);

/* Commits nothing; calls begin if that was not done, flushes to disk and frees the writer (NULL is allowed). The writer
   is freed even after an error, and the archive stays as of the last commit. */
AbcStatus abc_writer_close(AbcWriter *writer, AbcError *error);

/* Frees the writer without flushing; before begin it leaves no file. NULL is allowed. */
void abc_writer_abandon(AbcWriter *writer);

/* ---- reader

   Every length, offset and count in the file is checked before use. A file that contradicts itself gives
   ABC_ERR_CORRUPT with the byte: at open for the tree of objects, at the call for properties and samples. */

typedef struct AbcReader AbcReader;

typedef struct AbcReaderDesc {
    bool memory_map;        /* map the file, which no other process may truncate meanwhile; else read from it */
    bool counter_clockwise; /* give faces counter-clockwise; see the head of this file */
} AbcReaderDesc;

AbcReaderDesc abc_reader_desc_default(void);

/* Opens an archive; *reader is NULL after an error. desc may be NULL. Errors: ABC_ERR_IO,
   ABC_ERR_NOT_ALEMBIC, ABC_ERR_CORRUPT, ABC_ERR_UNSUPPORTED, ABC_ERR_MEMORY. */
AbcStatus abc_reader_open(AbcReader **reader, const char *path, const AbcReaderDesc *desc, AbcError *error);

/* The same from bytes in memory, which must stay valid until close. */
AbcStatus abc_reader_open_memory(AbcReader **reader, const void *bytes, size_t byte_count, const AbcReaderDesc *desc,
                                 AbcError *error);

/* NULL is allowed. */
void abc_reader_close(AbcReader *reader);

typedef struct AbcArchiveInfo {
    const char *application; /* "" if not recorded; all texts live as long as the reader */
    const char *description;
    const char *date;
    const char *metadata;    /* all of it, as "key=value;key=value" */
    double fps;              /* 0 if not recorded */
    int32_t library_version; /* 10805 for Alembic 1.8.5 */
    uint32_t object_count;   /* the root included */
    uint32_t time_sampling_count;
    uint64_t byte_count;          /* size of the file */
    double first_time, last_time; /* span of all animated samples, seconds; equal (0) if nothing moves */
} AbcArchiveInfo;

void abc_reader_archive_info(const AbcReader *reader, AbcArchiveInfo *info);

typedef struct AbcObjectInfo {
    const char *name;        /* "bodyShape"; texts live as long as the reader */
    const char *path;        /* "/body/bodyShape" */
    const char *schema_name; /* "AbcGeom_PolyMesh_v1", "" for none */
    AbcSchema schema;
    uint32_t parent; /* ABC_NO_OBJECT for the root */
    /* for an instance, the object of the file whose data it shows, else ABC_NO_OBJECT. Instances are expanded: all
       objects below the source appear below the instance too, under separate paths */
    uint32_t instance_source;
} AbcObjectInfo;

/* object < object_count, else ABC_ERR_NOT_FOUND. */
AbcStatus abc_reader_object(const AbcReader *reader, uint32_t object, AbcObjectInfo *info);

/* Number of the object with this path, or ABC_NO_OBJECT. */
uint32_t abc_reader_find(const AbcReader *reader, const char *path);

/* number < time_sampling_count, else ABC_ERR_NOT_FOUND; times belongs to the reader. */
AbcStatus abc_reader_time_sampling(const AbcReader *reader, uint32_t number, AbcTimeSampling *sampling);

/* Time of a sample, seconds. Past the end of an acyclic sampling: its last time. */
double abc_sample_time(const AbcTimeSampling *sampling, uint32_t sample);

/* The samples around a time: value = (1 - *weight) * sample *lower + *weight * sample *upper. Outside the range of
   samples, the first or last one is used. sample_count is 1 or more. Times within 1e-6 s of a sample count as that
   sample. */
void abc_sample_bracket(const AbcTimeSampling *sampling, uint32_t sample_count, double time, uint32_t *lower,
                        uint32_t *upper, double *weight);

/* --- meshes, curves and points */

typedef struct AbcMeshInfo {
    uint32_t sample_count; /* of the positions; 0: nothing was written yet */
    uint32_t time_sampling;
    bool constant_topology; /* faces (or curves) are the same in all samples */
    bool constant_points;   /* positions are the same in all samples */
    bool has_velocities, has_normals, has_uvs;
    bool cubic, periodic; /* curves */
} AbcMeshInfo;

typedef struct AbcMeshSizes {
    size_t vertex_count;
    size_t face_count;  /* curves: number of curves; points: 0 */
    size_t index_count; /* curves and points: 0 */
} AbcMeshSizes;

/* ABC_ERR_NOT_FOUND if the object is not a PolyMesh, SubD, Curves or Points. */
AbcStatus abc_reader_mesh_info(AbcReader *reader, uint32_t object, AbcMeshInfo *info, AbcError *error);
AbcStatus abc_reader_mesh_sizes(AbcReader *reader, uint32_t object, uint32_t sample, AbcMeshSizes *sizes,
                                AbcError *error);

/* Faces of a sample: face_counts[face_count], face_indices[index_count] (NULL for curves and points).
   Checked: the counts are not negative and sum up to index_count, and every index is below vertex_count. */
AbcStatus abc_reader_mesh_topology(AbcReader *reader, uint32_t object, uint32_t sample, int32_t *face_counts,
                                   size_t face_capacity, int32_t *face_indices, size_t index_capacity, AbcError *error);

/* xyz[3 * vertex_count], value_capacity floats in total. */
AbcStatus abc_reader_mesh_positions(AbcReader *reader, uint32_t object, uint32_t sample, float *xyz,
                                    size_t value_capacity, AbcError *error);

/* The same at a time, linearly between samples; where the number of vertices changes, the earlier sample is used.
   vertex_count receives the number of vertices. */
AbcStatus abc_reader_mesh_positions_at(AbcReader *reader, uint32_t object, double time, double *xyz,
                                       size_t value_capacity, size_t *vertex_count, AbcError *error);

/* ABC_ERR_NOT_FOUND if there are none. */
AbcStatus abc_reader_mesh_velocities(AbcReader *reader, uint32_t object, uint32_t sample, float *xyz,
                                     size_t value_capacity, AbcError *error);

/* Texture coordinates, one pair for each corner (index_count pairs) whatever the file's scope and indices
   are. ABC_ERR_NOT_FOUND if there are none. */
AbcStatus abc_reader_mesh_uvs(AbcReader *reader, uint32_t object, uint32_t sample, float *uv, size_t value_capacity,
                              AbcError *error);

/* Normals, one for each corner. ABC_ERR_NOT_FOUND if there are none. */
AbcStatus abc_reader_mesh_normals(AbcReader *reader, uint32_t object, uint32_t sample, float *xyz,
                                  size_t value_capacity, AbcError *error);

/* The parameter `name` of .arbGeomParams, painted weights or colours, `width` numbers for each corner whatever the
   file's scope and indices are. ABC_ERR_NOT_FOUND if there is none, ABC_ERR_UNSUPPORTED if its values have another
   width. */
AbcStatus abc_reader_mesh_param(AbcReader *reader, uint32_t object, const char *name, uint32_t width, uint32_t sample,
                                float *values, size_t value_capacity, AbcError *error);

/* Stored bounds of a sample. ABC_ERR_NOT_FOUND if there are none. */
AbcStatus abc_reader_mesh_bounds(AbcReader *reader, uint32_t object, uint32_t sample, AbcBounds *bounds,
                                 AbcError *error);

/* --- transforms and visibility */

/* The object's own transform at a time (matrices are interpolated by element, channels of other operations one by one,
   as Alembic hosts do); identity for an object that is not an Xform. */
AbcStatus abc_reader_local_matrix(AbcReader *reader, uint32_t object, double time, double matrix[16], AbcError *error);

/* From the object's space to world space: the product of all transforms above it, its own included. */
AbcStatus abc_reader_world_matrix(AbcReader *reader, uint32_t object, double time, double matrix[16], AbcError *error);

/* False if the object or something above it is hidden at this time. */
AbcStatus abc_reader_visible(AbcReader *reader, uint32_t object, double time, bool *visible, AbcError *error);

/* --- any property */

typedef struct AbcPropertyInfo {
    const char *name;     /* lives as long as the reader */
    const char *metadata; /* "key=value;key=value" */
    bool compound;        /* holds other properties; the fields below are 0 */
    bool scalar;          /* one element per sample, else an array of elements */
    AbcPod pod;
    uint32_t extent; /* pods per element: 3 for a point */
    uint32_t sample_count;
    uint32_t time_sampling;
    bool constant;
    AbcScope scope; /* of a geometry parameter */
} AbcPropertyInfo;

/* Finds a property by its path below the object, ".geom/P" or ".geom/.arbGeomParams/weight". */
AbcStatus abc_reader_property(AbcReader *reader, uint32_t object, const char *path, AbcPropertyInfo *info,
                              AbcError *error);

/* Property number `index` of the compound at `path` ("" for the top). ABC_ERR_NOT_FOUND past the end. */
AbcStatus abc_reader_property_at(AbcReader *reader, uint32_t object, const char *path, uint32_t index,
                                 AbcPropertyInfo *info, AbcError *error);

/* Size of a sample: number of pods (elements * extent) of numbers, bytes (zeros included) of text. */
AbcStatus abc_reader_property_size(AbcReader *reader, uint32_t object, const char *path, uint32_t sample, size_t *count,
                                   AbcError *error);

/* The sample as doubles, whatever number type it has. ABC_ERR_UNSUPPORTED for text. */
AbcStatus abc_reader_property_doubles(AbcReader *reader, uint32_t object, const char *path, uint32_t sample,
                                      double *values, size_t capacity, AbcError *error);

/* The sample of a text property as bytes, each text with its zero. ABC_ERR_UNSUPPORTED for numbers. */
AbcStatus abc_reader_property_text(AbcReader *reader, uint32_t object, const char *path, uint32_t sample, char *text,
                                   size_t capacity, AbcError *error);

/* A user string that abc_writer_add_user_string wrote. *byte_count receives its size, the zero included; text may be
   NULL to query it. */
AbcStatus abc_reader_user_string(AbcReader *reader, uint32_t object, const char *name, char *text, size_t capacity,
                                 size_t *byte_count, AbcError *error);

/* ---- PC2

   Point caches for hosts without Alembic: "POINTCACHE2", little endian, float32. The number of samples in the header is
   updated after every sample, so after a crash the file holds all finished samples. */

typedef struct AbcPc2Writer AbcPc2Writer;

/* start_frame and sample_rate (frames a sample, 1) are for the host. */
AbcStatus abc_pc2_create(AbcPc2Writer **writer, const char *path, uint32_t vertex_count, float start_frame,
                         float sample_rate, AbcError *error);
AbcStatus abc_pc2_sample(AbcPc2Writer *writer, AbcVec3Array positions, AbcError *error);
/* Flushes to disk and frees the writer (NULL is allowed), also after an error. */
AbcStatus abc_pc2_close(AbcPc2Writer *writer, AbcError *error);

#ifdef __cplusplus
}
#endif

#endif
