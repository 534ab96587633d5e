/* Layer 3, writing: shared by meshes, curves and points. */
#ifndef SCHEMA_WRITE_H
#define SCHEMA_WRITE_H

#include "writer.h"

#define METADATA_POSITIONS "geoScope=vtx;interpretation=point"
#define METADATA_VELOCITIES "interpretation=vector"
#define METADATA_BOUNDS "interpretation=box"

/* The positions of an object, constant or animated. */
typedef struct GeomDesc {
    const char *name;
    AbcSchema schema;
    AbcAnimation animation;
    size_t vertex_count;
    AbcVec3Array positions; /* of a constant object */
    bool fixed_size;        /* all samples have vertex_count vertices */
    bool velocities, normals;
} GeomDesc;

/* Adds the object, its ".geom", bounds, positions and the other properties of its samples. */
AbcStatus abc_geom_add(AbcWriter *writer, uint32_t parent, const GeomDesc *desc, uint32_t *number, AbcError *error);

/* The values of an object that is constant; does nothing for an animated one. */
AbcStatus abc_geom_put_constant(AbcWriter *writer, uint32_t number, const AbcMeshSample *sample, AbcError *error);

/* Metadata of a geometry parameter of `width` float32. `source` is the host's name for it, or NULL. */
AbcStatus abc_geom_param_metadata(char *text, size_t capacity, AbcScope scope, const char *interpretation,
                                  uint32_t width, const char *source, AbcError *error);

#endif
