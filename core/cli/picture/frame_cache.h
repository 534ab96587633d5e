/* The meshes of a cache at one time. */
#ifndef JN_CLI_PICTURE_FRAME_CACHE_H
#define JN_CLI_PICTURE_FRAME_CACHE_H

#include "alembic_io.h"
#include "frame_mesh.h"

/* Who knows what is painted on the bodies of the cache. */
typedef struct FramePaint {
    /* Weights [vertex_count] of the body of this name, which live until the next call; NULL: it is not painted. */
    const float *(*find)(void *context, const char *body_name, size_t vertex_count);
    void *context;
} FramePaint;

/* Adds all visible meshes, and curves as thin tubes, at `time` (seconds). The reader must give counter-clockwise faces.
   paint: NULL: nothing is painted. After an error the caller frees what was added. */
AbcStatus frame_cache_read(AbcReader *reader, double time, const FramePaint *paint, FrameMesh *mesh, AbcError *error);

/* The vertices of the body of this name at `time` in the cache's space: *positions [vertex_count * 3], which the caller
   frees; NULL: there is none, or it is hidden. */
AbcStatus frame_cache_positions(AbcReader *reader, const char *body_name, double time, double **positions,
                                size_t *vertex_count, AbcError *error);

#endif
