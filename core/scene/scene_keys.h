/* `bodies[].keys[]`: numbers of a body that change over time. */
#ifndef JN_SCENE_SCENE_KEYS_H
#define JN_SCENE_SCENE_KEYS_H

#include "scene/scene.h"

/* Reads the keys of a body; what they need of the desc (pins that may let go) is set there. */
JnStatus scene_body_keys_read(JnScene *scene, SceneBody *body, JnBody *desc, JnMessage *message);

/* Sets what is keyed to its value at `frame`: between the keys around it that have it, held before the first and after
   the last. */
void scene_body_keys_at(const SceneBody *body, double frame, JnBodyInput *input);

#endif
