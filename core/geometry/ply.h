/* The parts of the .ply reader: one struct that they share, one file each for the head and for what follows it. */
#ifndef JN_GEOMETRY_PLY_H
#define JN_GEOMETRY_PLY_H

#include "geometry/mesh.h"

enum { PLY_MOST_ELEMENTS = 16, PLY_MOST_PROPERTIES = 256 };

typedef enum PlyRole {
    PLY_SKIPPED = -1,
    PLY_X,
    PLY_Y,
    PLY_Z,
    PLY_U,
    PLY_V,
    PLY_CORNERS,
    PLY_FIELD,
    PLY_ROLE_COUNT
} PlyRole;

typedef struct PlyScalar {
    const char *names[3]; /* the last is NULL */
    size_t size;
    double unit; /* what 1 is in a colour of this type: 255 in one byte */
    bool real, has_sign;
} PlyScalar;

typedef struct PlyProperty {
    const PlyScalar *count_scalar; /* of a list; NULL: a single value */
    const PlyScalar *scalar;
    PlyRole role;
    Word name;
    uint32_t field, component; /* PLY_FIELD: its place in Ply.fields */
    double unit;               /* PLY_FIELD: the number in the file whose value is 1 */
} PlyProperty;

typedef struct PlyElement {
    bool is_vertex, is_face;
    uint32_t count;
    uint32_t property_count;
    PlyProperty properties[PLY_MOST_PROPERTIES];
} PlyElement;

/* A field of the vertices: a property, or several that belong together. */
typedef struct PlyField {
    Word name;
    uint32_t component_count;
    double *values; /* the mesh's */
} PlyField;

typedef struct Ply {
    uint32_t element_count, field_count;
    PlyElement elements[PLY_MOST_ELEMENTS];
    PlyField fields[PLY_MOST_PROPERTIES];
    float *vertex_uvs; /* [vertex_count * 2], NULL: none */
} Ply;

/* Reads up to end_header. Every property of the vertices that is not a coordinate, a normal or a list becomes a field
   or a component of one: red green blue alpha those of MESH_COLOUR, name_x name_y name_z (or _r _g _b _a, or _0 _1 ..)
   those of "name". */
JnStatus ply_read_head(TextFile *file, Ply *ply, JnMessage *message);

bool ply_has_role(const PlyElement *element, PlyRole role);

#endif
