/* Painted maps of a body: from fields, files, numbers, boxes and ramps. */
#ifndef JN_SCENE_SCENE_WEIGHTS_H
#define JN_SCENE_SCENE_WEIGHTS_H

#include "scene/scene.h"

/* Reads every map of the body; its points must be known. */
JnStatus scene_weights_read(JnScene *scene, SceneBody *body, JnMessage *message);

/* The map called `name`; JN_ERR_SCENE if there is none or it paints no point. `place` opens the message. */
JnStatus scene_weights_find(const SceneBody *body, const char *name, const char *place, const WeightMap **map,
                            JnMessage *message);

/* A field of the body's meshes at its points, in the scene's memory: *values [point_count * component_count]. A field
   of the tets is interpolated to the render mesh by the embedding. */
JnStatus scene_field(JnScene *scene, SceneBody *body, const char *name, uint32_t component_count, const char *place,
                     double **values, JnMessage *message);

#endif
