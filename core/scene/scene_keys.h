/* `bodies[].keys[]`: numbers of a body that change over time. */
#ifndef JN_SCENE_SCENE_KEYS_H
#define JN_SCENE_SCENE_KEYS_H

#include "scene/scene.h"

/* Reads the keys of a body; sets releasable_pins in the desc if they need it. */
JnStatus scene_body_keys_read(JnScene *scene, SceneBody *body, JnBody *desc, JnMessage *message);

/* Sets each keyed number to its value at `frame`: interpolated between its adjacent keys, constant before the first and
   after the last. */
void scene_body_keys_at(const SceneBody *body, double frame, JnBodyInput *input);

#endif
