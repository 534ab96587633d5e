/* `bodies[].bones[]`: rigid parts inside a body. */
#ifndef JN_SCENE_SCENE_BONES_H
#define JN_SCENE_SCENE_BONES_H

#include "scene/scene.h"

/* Reads the bones of a body whose own placement is known. */
JnStatus scene_bones_read(JnScene *scene, SceneBody *body, JnBody *desc, JnMessage *message);

/* Whether any of them is animated. */
bool scene_bones_move(const SceneBody *body);

/* Sets their motions at `frame`. */
JnStatus scene_bones_at(const JnScene *scene, SceneBody *body, double frame, JnBodyInput *input, JnMessage *message);

void scene_bones_free(SceneBody *body);

#endif
