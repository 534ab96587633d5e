/* Where the bones of a body have the vertices that they hold. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/status.h"

#include <string.h>

JnStatus bones_begin_frame(const JnBake *bake, const Body *body, BodyMotion *motion, const JnBodyInput *input,
                           JnMessage *message) {
    for (uint32_t b = 0; b < body->bone_count; ++b) {
        double *to = motion->bones_to + 12 * (size_t)b;
        const double *from = motion->bones_from + 12 * (size_t)b;
        memcpy(to, from, 12 * sizeof *to);
        if (!input || !input->bones)
            continue;
        memcpy(to, input->bones + 12 * (size_t)b, 12 * sizeof *to);
        for (int i = 0; i < 3; ++i)
            to[4 * i + 3] *= bake->settings.metres_per_unit;
        if (!affine_can_blend(from, to))
            return status_fail(message, JN_ERR_ARGUMENT,
                               "bones[%u] of '%s' is mirrored by its motion: give its scale a positive sign", b,
                               body->name);
    }
    return JN_OK;
}

void bone_between(const Body *body, uint32_t bone, const double from[12], const double to[12], double fraction,
                  double motion[12]) {
    const double *centre = body->bone_centres + 3 * (size_t)bone;
    double a[12], b[12], turned[3];
    if (fraction == 0 || fraction == 1) {
        memcpy(motion, fraction == 0 ? from : to, 12 * sizeof *motion);
        return;
    }
    /* blended in coordinates about the centre */
    memcpy(a, from, sizeof a);
    memcpy(b, to, sizeof b);
    for (int i = 0; i < 3; ++i) {
        a[4 * i + 3] = vec3_dot(from + 4 * i, centre) + from[4 * i + 3];
        b[4 * i + 3] = vec3_dot(to + 4 * i, centre) + to[4 * i + 3];
    }
    affine_blend(a, b, fraction, motion);
    for (int i = 0; i < 3; ++i)
        turned[i] = vec3_dot(motion + 4 * i, centre);
    for (int i = 0; i < 3; ++i)
        motion[4 * i + 3] -= turned[i];
}

void bones_place(const Body *body, const BodyMotion *motion, double fraction, double *vertices) {
    uint32_t bone = UINT32_MAX;
    double now[12];
    for (uint32_t h = 0; h < body->hold_count; ++h) {
        const BoneHold *hold = &body->holds[h];
        double *x = vertices + 3 * (size_t)hold->vertex, moved[3];
        if (hold->bone != bone)
            bone_between(body, hold->bone, motion->bones_from + 12 * (size_t)hold->bone,
                         motion->bones_to + 12 * (size_t)hold->bone, fraction, now);
        bone = hold->bone;
        if (h == 0 || body->holds[h - 1].vertex != hold->vertex)
            x[0] = x[1] = x[2] = 0;
        affine_apply(now, body->mesh.positions + 3 * (size_t)hold->vertex, moved);
        for (int i = 0; i < 3; ++i)
            x[i] += hold->share * moved[i];
    }
}

void bones_move_rest(const Body *body, const BodyMotion *motion, double fraction, double *points, double *vertices) {
    size_t bytes = (size_t)body->mesh.vertex_count * 3 * sizeof *vertices;
    double rigid[12];
    memcpy(vertices, body->mesh.positions, bytes);
    bones_place(body, motion, fraction, vertices);
    rigid_fit_weighted(body->mesh.positions, vertices, body->held, body->mesh.vertex_count, rigid);
    memcpy(vertices, body->mesh.positions, bytes);
    rigid_carry_points(rigid, body->mesh.vertex_count, vertices);
    embedding_apply(&body->embedding, vertices, points);
    bones_place(body, motion, fraction, vertices);
}
