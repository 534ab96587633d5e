#include "scene/scene_pose.h"

#include "scene/scene_value.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

JnStatus pose_read(const cJSON *object, const char *scope, const char *place, Pose *pose, JnMessage *message) {
    *pose = (Pose){0};
    value_vector(object, scope, "translate", pose->translate);
    value_vector(object, scope, "rotate", pose->rotate);
    value_vector(object, scope, "scale", pose->scale);
    if (strcmp(scope, "pose_key") == 0) {
        value_vector(object, scope, "about", pose->about);
        pose->frame = value_number(object, scope, "frame");
    }
    for (int i = 0; i < 3; ++i)
        if (fabs(pose->scale[i]) < 1e-9)
            return status_fail(message, JN_ERR_SCENE,
                               "%s.scale is %g in one axis, which flattens the shape: it may not be 0", place,
                               pose->scale[i]);
    return JN_OK;
}

void pose_matrix(const Pose *pose, double matrix[12]) {
    const double radians = acos(-1.0) / 180;
    double c[3], s[3];
    for (int i = 0; i < 3; ++i) {
        c[i] = cos(pose->rotate[i] * radians);
        s[i] = sin(pose->rotate[i] * radians);
    }
    /* R = Rz Ry Rx */
    const double r[3][3] = {
        {c[1] * c[2], s[0] * s[1] * c[2] - c[0] * s[2], c[0] * s[1] * c[2] + s[0] * s[2]},
        {c[1] * s[2], s[0] * s[1] * s[2] + c[0] * c[2], c[0] * s[1] * s[2] - s[0] * c[2]},
        {-s[1], s[0] * c[1], c[0] * c[1]},
    };
    for (int i = 0; i < 3; ++i) {
        matrix[4 * i + 3] = pose->translate[i] + pose->about[i];
        for (int j = 0; j < 3; ++j) {
            matrix[4 * i + j] = r[i][j] * pose->scale[j];
            matrix[4 * i + 3] -= matrix[4 * i + j] * pose->about[j];
        }
    }
}

bool pose_moves(const Pose *pose) {
    for (int i = 0; i < 3; ++i)
        if (pose->translate[i] != 0 || pose->rotate[i] != 0 || pose->scale[i] != 1)
            return true;
    return false;
}

Pose pose_at(const Pose *keys, uint32_t count, double frame) {
    uint32_t next = 0;
    while (next < count && keys[next].frame <= frame)
        ++next;
    if (next == 0)
        return keys[0];
    if (next == count)
        return keys[count - 1];
    const Pose *a = &keys[next - 1], *b = &keys[next];
    double t = (frame - a->frame) / (b->frame - a->frame);
    Pose pose = {.frame = frame};
    for (int i = 0; i < 3; ++i) {
        pose.translate[i] = (1 - t) * a->translate[i] + t * b->translate[i];
        pose.rotate[i] = (1 - t) * a->rotate[i] + t * b->rotate[i];
        pose.about[i] = (1 - t) * a->about[i] + t * b->about[i];
        pose.scale[i] = (1 - t) * a->scale[i] + t * b->scale[i];
    }
    return pose;
}
