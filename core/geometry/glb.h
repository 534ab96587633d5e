/* glTF binary files, .glb: a tree of nodes, one of which has the mesh, perhaps with a skin, and animations of the
   nodes.

     glb.c            the container, its JSON, and accessors to its numbers
     glb_nodes.c      the tree: transforms of the nodes, as modelled or at a time of the first animation
     glb_mesh.c       the mesh: its parts, and its positions with the nodes as they are
     read_glb.c       the mesh as a surface
     motion_glb.c     the mesh as an animation

   https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html */
#ifndef JN_GEOMETRY_GLB_H
#define JN_GEOMETRY_GLB_H

#include "base/status.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* A list of the JSON by number. */
typedef struct GlbList {
    const cJSON **items; /* [count], objects */
    uint32_t count;
} GlbList;

typedef struct Glb {            /* owns its JSON and lists */
    const char *name;           /* for messages; the caller's */
    size_t size;                /* of the file */
    const unsigned char *bytes; /* [byte_count] the binary part; the caller's */
    size_t byte_count;
    cJSON *json;
    GlbList nodes, accessors, views;
} Glb;

/* Numbers of the binary part: `count` items of `width` numbers each. */
typedef struct GlbNumbers {
    const unsigned char *first; /* NULL if count is 0 */
    size_t stride, number_size;
    uint32_t count, width;
    int type; /* componentType */
    bool normalized;
} GlbNumbers;

/* Reads the container and its JSON; `bytes` must outlive it. On failure *glb is all zero. */
JnStatus glb_open(Glb *glb, const char *name, const unsigned char *bytes, size_t size, JnMessage *message);
void glb_close(Glb *glb); /* leaves it all zero */

/* JN_ERR_FORMAT with "name: " before the message. */
JnStatus glb_fail(const Glb *glb, JnMessage *message, const char *format, ...) STATUS_PRINTF;

/* The whole number of `key` in an object; `missing` if it has none. JN_ERR_FORMAT if it is something else, below 0 or
   not below `limit`. */
enum { GLB_NONE = -1 };
JnStatus glb_index(const Glb *glb, const cJSON *object, const char *key, double limit, int64_t missing, int64_t *index,
                   JnMessage *message);

/* The objects of the list `key` in `object`; the caller frees list->items, also on failure. */
JnStatus glb_list_make(const Glb *glb, const cJSON *object, const char *key, GlbList *list, JnMessage *message);

/* `count` finite numbers of the list `key`, false if there is no such list. */
bool glb_list(const cJSON *object, const char *key, size_t count, double *numbers);

/* The accessor, all of whose numbers lie in the file. width: numbers of an item, 0: any. */
JnStatus glb_numbers(const Glb *glb, int64_t accessor, uint32_t width, GlbNumbers *numbers, JnMessage *message);
/* One of its numbers. It may be not finite. */
double glb_number(const GlbNumbers *numbers, size_t item, size_t component);

/* -------------------------------------------------------------------------------- nodes */

typedef struct GlbTransform {
    double translation[3], rotation[4], scale[3]; /* rotation: x y z w */
    double matrix[12];                            /* first three rows; if has_matrix, in place of the others */
    bool has_matrix;
} GlbTransform;

typedef enum GlbPath { GLB_TRANSLATION, GLB_ROTATION, GLB_SCALE } GlbPath;
typedef enum GlbWay { GLB_LINEAR, GLB_STEP, GLB_CUBIC } GlbWay;

typedef struct GlbChannel {
    uint32_t node;
    GlbPath path;
    GlbWay way;
    GlbNumbers times, values;
} GlbChannel;

typedef struct GlbNodes { /* owns its arrays */
    uint32_t count, channel_count;
    GlbTransform *modelled; /* [count] */
    uint32_t *parents;      /* [count] UINT32_MAX: none */
    uint32_t *order;        /* [count] parents before children */
    double *world;          /* [count * 12] of glb_nodes_place */
    GlbChannel *channels;   /* [channel_count] of the first animation */
    double first_time;      /* of its channels, s; 0 without */
} GlbNodes;

JnStatus glb_nodes_read(const Glb *glb, GlbNodes *nodes, JnMessage *message);
void glb_nodes_free(GlbNodes *nodes); /* leaves it all zero */
/* Sets the transforms to the world as modelled, or at `time` of the animation if that is not NaN. */
JnStatus glb_nodes_place(const Glb *glb, GlbNodes *nodes, double time, JnMessage *message);

/* -------------------------------------------------------------------------------- mesh */

/* A part of the mesh; parts may share their vertices. */
typedef struct GlbPart {
    uint32_t first_vertex;
    GlbNumbers positions, corners, uvs, joints, weights; /* count 0: none; without corners the vertices in order */
    const cJSON *attributes;
    bool repeats; /* its vertices are those of an earlier part */
} GlbPart;

typedef struct GlbMesh { /* owns its arrays */
    uint32_t node;       /* that has it */
    uint32_t part_count, vertex_count, corner_count, joint_count;
    GlbPart *parts;
    uint32_t *joints;       /* [joint_count] nodes of the skin; 0: no skin */
    double *inverse_binds;  /* [joint_count * 12] */
    double *joint_matrices; /* [joint_count * 12] scratch */
} GlbMesh;

/* The mesh of the node called `object`, or the only one if that is NULL. */
JnStatus glb_mesh_read(const Glb *glb, const char *object, GlbMesh *mesh, JnMessage *message);
void glb_mesh_free(GlbMesh *mesh); /* leaves it all zero */
/* Its vertices in the world with the nodes as they are placed, out [vertex_count * 3]. */
JnStatus glb_mesh_positions(const Glb *glb, GlbMesh *mesh, const GlbNodes *nodes, double *out, JnMessage *message);

#endif
