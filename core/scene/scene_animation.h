/* Given motion of bodies and colliders. */
#ifndef JN_SCENE_SCENE_ANIMATION_H
#define JN_SCENE_SCENE_ANIMATION_H

#include "scene/scene.h"

/* Reads an `animation` object (NULL: none). All of its files must exist. `owner` is its place in the scene:
   "bodies[0]". */
JnStatus scene_animation_read(JnScene *scene, const cJSON *json, const char *owner, SceneAnimation *animation,
                              JnMessage *message);

/* Whether there is any motion. */
bool scene_animation_any(const SceneAnimation *animation);

/* Animated positions of the body at `frame` in object space: out [point_count * 3]. */
JnStatus scene_animation_positions(SceneBody *body, double frame, double *out, JnMessage *message);

/* Positions at `frame` of a mesh that a cache animates: out [point_count * 3]. */
JnStatus scene_animation_mesh(SceneAnimation *animation, double frame, uint32_t point_count, const char *owner,
                              double *out, JnMessage *message);

/* Whether `path` leads to one of the numbered files of the animation. */
bool scene_animation_reads(const SceneAnimation *animation, const JnBakeDesc *desc, const char *path);

#endif
