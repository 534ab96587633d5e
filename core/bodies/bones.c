/* The vertices that the bones inside a body hold: those within the bone's volume, and all corners of a tet through
   which a bone passes without reaching one of them, so that a thin bone holds, however coarse the simulation mesh is.
 */
#include "bodies/body.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/surface.h"
#include "geometry/winding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From this strength on a bone prescribes what it holds. */
static const double FULL = 0.999;
/* A point is inside a closed surface if the surface covers more than half of the sphere around it. */
static const double INSIDE = 0.5;
enum { AXIS_SAMPLES = 64 };

/* A bone in the scene, m. */
typedef struct PlacedBone {
    uint32_t vertex_count, triangle_count; /* 0 triangles: a capsule */
    double *positions;                     /* [vertex_count * 3]; of a capsule, along its axis */
    uint32_t *triangles;
    Winding winding; /* of the triangles */
    double low[3], high[3];
    double radius; /* of a capsule, m */
} PlacedBone;

static void placed_bone_free(PlacedBone *bone) {
    winding_free(&bone->winding);
    free(bone->positions);
    free(bone->triangles);
}

/* The scale of a transform, as that of a volume. */
static double mean_scale(const double transform[12]) {
    double linear[9];
    for (int i = 0; i < 9; ++i)
        linear[i] = transform[4 * (i / 3) + i % 3];
    return cbrt(fabs(mat3_det(linear)));
}

static JnStatus place_bone(const JnBone *desc, double metres_per_unit, PlacedBone *bone, JnMessage *message) {
    bool is_mesh = desc->surface.vertex_count > 0;
    memset(bone, 0, sizeof *bone);
    bone->vertex_count = is_mesh ? desc->surface.vertex_count : AXIS_SAMPLES;
    bone->positions = malloc((size_t)bone->vertex_count * 3 * sizeof *bone->positions);
    if (!bone->positions)
        return status_no_memory(message, "the bones");
    bone->radius = is_mesh ? 0 : desc->radius * metres_per_unit * mean_scale(desc->transform);
    for (size_t v = 0; v < bone->vertex_count; ++v)
        for (size_t i = 0; i < 3; ++i) {
            double t = (double)v / (AXIS_SAMPLES - 1);
            bone->positions[3 * v + i] =
                is_mesh ? desc->surface.positions[3 * v + i] : (1 - t) * desc->point[i] + t * desc->end[i];
        }
    body_place_points(bone->positions, bone->vertex_count, desc->transform, metres_per_unit, bone->positions);
    for (int i = 0; i < 3; ++i)
        bone->low[i] = INFINITY, bone->high[i] = -INFINITY;
    for (size_t v = 0; v < bone->vertex_count; ++v)
        for (size_t i = 0; i < 3; ++i) {
            bone->low[i] = fmin(bone->low[i], bone->positions[3 * v + i] - bone->radius);
            bone->high[i] = fmax(bone->high[i], bone->positions[3 * v + i] + bone->radius);
        }
    if (!is_mesh)
        return JN_OK;
    JnStatus status = surface_triangulate(&desc->surface, &bone->triangles, &bone->triangle_count, message);
    if (status == JN_OK)
        status = winding_build(bone->positions, bone->triangles, bone->triangle_count, &bone->winding, message);
    return status;
}

static bool is_within(const PlacedBone *bone, const double x[3]) {
    for (int i = 0; i < 3; ++i)
        if (x[i] < bone->low[i] || x[i] > bone->high[i])
            return false;
    if (bone->triangle_count == 0) {
        const double *a = bone->positions, *b = bone->positions + 3 * (size_t)(bone->vertex_count - 1);
        double axis[3], arm[3];
        vec3_sub(b, a, axis);
        vec3_sub(x, a, arm);
        double length = vec3_dot(axis, axis), along = length > 0 ? vec3_dot(arm, axis) / length : 0;
        along = fmin(fmax(along, 0), 1);
        for (int i = 0; i < 3; ++i)
            arm[i] -= along * axis[i];
        return vec3_length(arm) <= bone->radius;
    }
    return fabs(winding_number(&bone->winding, x)) > INSIDE;
}

/* ------------------------------------------------------------------------------------------------ holds */

/* Marks the corners of tets in which the bone has a vertex, or a point of its axis, and holds none of them. */
static JnStatus hold_passages(const PlacedBone *bone, const Body *body, uint8_t *covered, JnMessage *message) {
    Embedding places = {.point_count = 0};
    if (body->mesh.tet_count == 0)
        return JN_OK;
    JnStatus status = embedding_build(&body->mesh, bone->positions, bone->vertex_count, &places, message);
    for (size_t p = 0; status == JN_OK && p < places.point_count; ++p) {
        const uint32_t *corners = places.vertices + 4 * p;
        const double *shares = places.weights + 4 * p;
        bool is_in_body = true, is_held = false;
        for (int a = 0; a < 4; ++a) {
            is_in_body &= shares[a] >= -1e-9;
            is_held |= covered[corners[a]] == 1;
        }
        for (int a = 0; is_in_body && !is_held && a < 4; ++a)
            covered[corners[a]] = 2;
    }
    embedding_free(&places);
    return status;
}

/* Which vertices the bone covers, not 0 in covered[vertex_count]. */
static JnStatus cover(const JnBone *desc, double metres_per_unit, const Body *body, double centre[3], uint8_t *covered,
                      JnMessage *message) {
    PlacedBone bone;
    JnStatus status = place_bone(desc, metres_per_unit, &bone, message);
    for (int i = 0; i < 3; ++i)
        centre[i] = 0.5 * (bone.low[i] + bone.high[i]);
    for (size_t v = 0; status == JN_OK && v < body->mesh.vertex_count; ++v)
        covered[v] = is_within(&bone, body->mesh.positions + 3 * v);
    if (status == JN_OK)
        status = hold_passages(&bone, body, covered, message);
    placed_bone_free(&bone);
    return status;
}

/* Fills the holds, by vertices, from covered[bone_count][vertex_count]. A vertex that several bones cover has equal
   shares of them. */
static JnStatus list_holds(const JnBody *desc, const uint8_t *covered, Body *body, JnMessage *message) {
    size_t vertices = body->mesh.vertex_count, count = 0;
    for (size_t i = 0; i < vertices * desc->bone_count; ++i)
        count += covered[i] != 0;
    body->holds = malloc((count + 1) * sizeof *body->holds);
    body->held = calloc(vertices + 1, sizeof *body->held);
    if (!body->holds || !body->held)
        return status_no_memory(message, "the bones");
    for (uint32_t v = 0; v < vertices; ++v) {
        uint32_t first = body->hold_count;
        double strength = 0;
        if (body->pinned_vertices[v]) /* by paint */
            continue;
        for (uint32_t b = 0; b < desc->bone_count; ++b)
            if (covered[b * vertices + v]) {
                body->holds[body->hold_count++] = (BoneHold){v, b, 0};
                strength = fmax(strength, desc->bones[b].strength);
            }
        for (uint32_t h = first; h < body->hold_count; ++h)
            body->holds[h].share = 1.0 / (body->hold_count - first);
        if (body->hold_count == first)
            continue;
        body->held[v] = 1;
        if (strength >= FULL)
            body->pinned_vertices[v] = 1;
        else
            body->pin_rates[v] += body_pin_rate(body, strength);
    }
    return JN_OK;
}

JnStatus body_add_bones(const JnBody *desc, double metres_per_unit, const char *place, Body *body, JnMessage *message) {
    size_t vertices = body->mesh.vertex_count;
    uint8_t *covered = calloc(vertices * desc->bone_count + 1, 1);
    body->bone_centres = calloc((size_t)desc->bone_count * 3, sizeof(double));
    JnStatus status = covered && body->bone_centres ? JN_OK : status_no_memory(message, "the bones");
    body->bone_count = desc->bone_count;
    for (uint32_t b = 0; status == JN_OK && b < desc->bone_count; ++b) {
        uint8_t *mine = covered + b * vertices;
        status = cover(&desc->bones[b], metres_per_unit, body, body->bone_centres + 3 * (size_t)b, mine, message);
        if (status == JN_OK && memchr(mine, 1, vertices) == NULL && memchr(mine, 2, vertices) == NULL)
            status =
                status_fail(message, JN_ERR_ARGUMENT,
                            "%s.bones[%u] '%.80s' covers nothing of the body '%s': place it inside the rest shape, "
                            "in the scene's space and units",
                            place, b, desc->bones[b].name ? desc->bones[b].name : "", body->name);
    }
    if (status == JN_OK)
        status = list_holds(desc, covered, body, message);
    body->has_targets = true;
    free(covered);
    return status;
}
