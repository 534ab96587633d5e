/* Given motion of bodies and colliders. */
#ifndef JN_SCENE_SCENE_ANIMATION_H
#define JN_SCENE_SCENE_ANIMATION_H

#include "scene/scene.h"

/* Reads an `animation` object (NULL: none). Only bodies may be animated by files, all of which must exist. `owner` is
   its place in the scene: "bodies[0]". */
JnStatus scene_animation_read(JnScene *scene, const cJSON *json, const char *owner, bool is_body,
                              SceneAnimation *animation, JnMessage *message);

/* Whether there is any motion. */
bool scene_animation_any(const SceneAnimation *animation);

/* Animated positions of the body at `frame` in object space: out [point_count * 3]. */
JnStatus scene_animation_positions(SceneBody *body, double frame, double *out, JnMessage *message);

/* Whether `path` leads to one of the files with # of the animation. */
bool scene_animation_reads(const SceneAnimation *animation, const JnBakeDesc *desc, const char *path);

#endif
