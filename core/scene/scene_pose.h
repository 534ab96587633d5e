/* Transforms of a scene file: the placement of a body, and keys that move it. */
#ifndef JN_SCENE_SCENE_POSE_H
#define JN_SCENE_SCENE_POSE_H

#include "jounce.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* x -> about + translate + R S (x - about), R rotating about x, then y, then z. */
typedef struct Pose {
    double frame; /* of a key */
    double translate[3];
    double rotate[3]; /* degrees */
    double about[3];
    double scale[3];
} Pose;

/* Reads a `transform` or `pose_key` object; `scope` says which. `place` opens the message. */
JnStatus pose_read(const cJSON *object, const char *scope, const char *place, Pose *pose, JnMessage *message);

/* The first three rows of the 4x4 matrix. */
void pose_matrix(const Pose *pose, double matrix[12]);

/* False if the pose is exactly the identity. */
bool pose_moves(const Pose *pose);

/* The pose at `frame`: each number interpolated linearly between adjacent keys, constant before the first and after the
   last. Keys [count] are sorted by time, count at least 1. */
Pose pose_at(const Pose *keys, uint32_t count, double frame);

#endif
