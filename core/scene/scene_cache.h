/* Animated positions from files: an Alembic or point cache, or numbered mesh files. */
#ifndef JN_SCENE_SCENE_CACHE_H
#define JN_SCENE_SCENE_CACHE_H

#include "scene/scene.h"

typedef struct SceneCache SceneCache;

/* Opens the file or files that an animation's `cache` or `files` (a path or an object) names. Numbered files must all
   be there. JN_ERR_FILE, JN_ERR_FORMAT, JN_ERR_SCENE if there is no such mesh or the choice is ambiguous. On failure
   *cache is NULL. */
JnStatus scene_cache_open(JnScene *scene, const cJSON *json, const char *place, SceneCache **cache, JnMessage *message);
void scene_cache_close(SceneCache *cache); /* may be NULL */

/* Positions at `frame` in the object's space, out [point_count * 3]. */
JnStatus scene_cache_positions(SceneCache *cache, double frame, uint32_t point_count, const char *place, double *out,
                               JnMessage *message);

/* Whether the transforms above the mesh move it at any frame of the bake. */
JnStatus scene_cache_places(const JnScene *scene, SceneCache *cache, const char *place, bool *places,
                            JnMessage *message);

/* The transform of the object at `frame`, from the transforms above the mesh, first three rows. */
JnStatus scene_cache_placement(SceneCache *cache, double frame, const char *place, double matrix[12],
                               JnMessage *message);

/* Whether `path` leads to one of the numbered files that the bake of `desc` needs. */
bool scene_cache_reads(const SceneCache *cache, const JnBakeDesc *desc, const char *path);

#endif
