/* A loaded scene: what jn_scene_desc returns, and what jn_scene_frame computes each frame from. */
#ifndef JN_SCENE_SCENE_H
#define JN_SCENE_SCENE_H

#include "scene/scene_pose.h"
#include "geometry/embedding.h"

#include <stdbool.h>

enum { SCENE_PLACE_BYTES = 160, SCENE_GROUPS_MOST = 64 };

/* A painted map of a body. */
typedef struct WeightMap {
    const char *name;
    float *values; /* [point_count], 0 to 1 */
    double sum;
} WeightMap;

typedef struct SceneForce {
    const WeightMap *map;
    double force[3]; /* N, all points together */
    double from, to; /* frames, inclusive */
} SceneForce;

/* Numbers of a body at one frame; NaN: not keyed there. */
enum { BODY_KEY_STIFFNESS, BODY_KEY_GOAL, BODY_KEY_PIN, BODY_KEY_SIMULATION, BODY_KEY_CHANNELS };
typedef struct BodyKey {
    double frame;
    double values[BODY_KEY_CHANNELS];
} BodyKey;

/* Given motion: keys, or the positions in a file or in numbered files, or none. */
typedef struct SceneAnimation {
    uint32_t key_count;
    Pose *keys;               /* [key_count] sorted by time */
    struct SceneCache *cache; /* owned; NULL: none */
    const char *cache_key;    /* in the scene: "cache" or "files" */
} SceneAnimation;

/* A file of matrices. */
typedef struct SceneMatrices {
    uint32_t count; /* 0: none */
    double *lines;  /* [count * 13] the frame and the rows of a 3x4 matrix, by frames */
} SceneMatrices;

typedef struct SceneBone {
    char place[40]; /* "bodies[0].bones[1]" */
    JnMesh *mesh;   /* owned; NULL: a capsule */
    JnMeshView view;
    SceneAnimation animation;
    bool cache_places; /* the transforms of animation.cache place it */
    SceneMatrices matrices;
    double *positions, *described; /* [vertex_count * 3] at a frame, and where it is described; NULL: it is not animated
                                      as a mesh */
    double placement[12];          /* of the latter */
    double from_rest[12];          /* from where the desc has it to where it is described */
} SceneBone;

typedef struct SceneBody {
    const cJSON *json;
    char place[24];        /* "bodies[0]" */
    JnMesh *mesh, *render; /* owned; render may be NULL */
    JnMeshView mesh_view, render_view;
    Embedding carrier; /* of the points in the tets, built when a field needs it */
    uint32_t point_count;
    const double *points;                /* [point_count * 3] rest shape, object space */
    const double *posed;                 /* [point_count * 3] what the keys move: the start pose, or `points` */
    double to_scene[12], from_scene[12]; /* between object and scene space */
    uint32_t map_count, force_count, key_count, cut_count, bone_count;
    SceneBone *bones;     /* [bone_count] */
    double *bone_motions; /* [bone_count * 12] at a frame */
    double *cuts;         /* [cut_count] frames to which the animation jumps */
    BodyKey *keys;        /* [key_count] sorted by time */
    WeightMap *maps;
    SceneForce *forces;
    SceneAnimation animation;
    bool cache_places;       /* the transforms of animation.cache place the body */
    SceneMatrices matrices;  /* they place the body, if there are any */
    uint32_t sample_count;   /* sub-frame samples of keys, at least 1 */
    double *targets;         /* [sample_count * point_count * 3]; NULL without animation */
    double *force_per_point; /* [point_count * 3]; NULL without forces */
} SceneBody;

typedef struct SceneCollider {
    char place[24]; /* "colliders[0]" */
    JnMesh *mesh;   /* owned; may be NULL */
    JnMeshView view;
    SceneAnimation animation;
    bool cache_places; /* the transforms of animation.cache place it */
    double *positions; /* [vertex_count * 3] at a frame; NULL: it does not deform */
} SceneCollider;

/* A field of force at one frame. */
typedef struct FieldKey {
    double frame, strength, damping, transform[12];
} FieldKey;

typedef struct SceneField {
    uint32_t key_count;
    FieldKey *keys; /* [key_count] sorted by time */
} SceneField;

/* A file that the scene reads. */
typedef struct SceneInput {
    const char *path;
    struct SceneInput *next;
} SceneInput;

struct JnScene {
    struct SceneBlock *blocks; /* all memory that lives as long as the scene */
    cJSON *json;               /* names in the desc point into it */
    char *folder;              /* of the scene file, with its last slash; "" for the current one */
    SceneInput *inputs;        /* the files that are read; those of an animation with # are in it only */
    JnBakeDesc desc;
    uint32_t gravity_key_count;
    Pose *gravity_keys; /* a key's gravity is its translate */
    SceneBody *bodies;  /* [desc.body_count] */
    JnBody *body_descs;
    JnCollider *collider_descs; /* [desc.collider_count] */
    SceneCollider *colliders;   /* [desc.collider_count] */
    JnField *field_descs;       /* [desc.field_count], as the next two */
    SceneField *fields;
    JnFieldInput *field_inputs;
    JnBodyInput *body_inputs;
    JnColliderInput *collider_inputs;
    uint32_t group_count;
    const char *groups[SCENE_GROUPS_MOST]; /* [group_count] names of ignore_groups, each at the number of its bit */
};

/* Loads a scene from text[length], which must be the terminator. `path` is the path of the scene file: its folder is
   where meshes are looked for. */
JnStatus scene_load_text(const char *text, size_t length, const char *path, JnScene **scene, JnMessage *message);

/* Sets desc.input_tag from the inputs of all frames. */
JnStatus scene_hash_inputs(JnScene *scene, JnMessage *message);

/* Zeroed memory that lives as long as the scene; NULL if out of memory. */
void *scene_alloc(JnScene *scene, size_t count, size_t size);

/* A path from the scene's folder, in the scene's memory; NULL if out of memory. */
char *scene_path(JnScene *scene, const char *relative);
/* The same for a file that the scene reads: jn_scene_reads knows it from then on. */
char *scene_input_path(JnScene *scene, const char *relative);

/* Puts "place: " before the message and returns `status`. */
JnStatus scene_fail_in(const char *place, JnStatus status, JnMessage *message);

/* Reads the keys of a list of `scope` objects (pose_key, gravity_key), sorted by time. */
JnStatus scene_keys_read(JnScene *scene, const cJSON *list, const char *scope, const char *place, Pose **keys,
                         uint32_t *count, JnMessage *message);

/* Everything of bodies[index]; desc.frames must be set. */
JnStatus scene_body_read(JnScene *scene, const cJSON *json, uint32_t index, JnMessage *message);
void scene_body_free(SceneBody *body);
/* What of it is about its animation and its start; all else has been read. */
JnStatus scene_motion_read(JnScene *scene, SceneBody *body, JnBody *desc, JnMessage *message);

/* Everything of colliders[index], and its motion at a frame. */
JnStatus scene_collider_read(JnScene *scene, const cJSON *json, uint32_t index, JnMessage *message);
JnStatus scene_collider_input(const JnScene *scene, uint32_t index, double frame, JnColliderInput *input,
                              JnMessage *message);
void scene_collider_free(SceneCollider *collider);

/* Reads the file `name` of `matrices`, a key of the object at the place `owner`. */
JnStatus scene_matrices_read(JnScene *scene, const char *name, const char *owner, SceneMatrices *matrices,
                             JnMessage *message);
/* Between two frames blended, before the first and after the last constant; count above 0. */
void scene_matrix_at(const SceneMatrices *matrices, double frame, double matrix[12]);

/* Everything of fields[index], and what it is at a frame. */
JnStatus scene_field_read(JnScene *scene, const cJSON *json, uint32_t index, JnMessage *message);
void scene_field_input(const JnScene *scene, uint32_t index, double frame, JnFieldInput *input);

/* The bits of the names that an object, body or collider, has in its ignore_groups. */
JnStatus scene_groups_read(JnScene *scene, const cJSON *object, const char *place, uint64_t *bits, JnMessage *message);

/* Reads or makes the mesh that `value` (a path, or an object of a shape) describes. */
JnStatus scene_mesh_open(JnScene *scene, const cJSON *value, const char *place, JnMesh **mesh, JnMeshView *view,
                         JnMessage *message);

/* Reads the positions of a mesh file with `point_count` vertices into out [point_count * 3]. */
JnStatus scene_positions_read(const char *path, uint32_t point_count, const char *place, double *out,
                              JnMessage *message);

#endif
