#include "contact/piercings.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/array.h"
#include "geometry/triangle.h"

#include <stdlib.h>
#include <string.h>

typedef struct Search {
    const Skin *skin;
    const double *positions;
    Piercings *piercings;
    uint32_t edge;
} Search;

static void find_box(const double *positions, const uint32_t *vertices, uint32_t count, double box[6]) {
    for (size_t i = 0; i < 3; ++i) {
        box[i] = INFINITY;
        box[3 + i] = -INFINITY;
        for (uint32_t k = 0; k < count; ++k) {
            double x = positions[3 * (size_t)vertices[k] + i];
            box[i] = fmin(box[i], x);
            box[3 + i] = fmax(box[3 + i], x);
        }
    }
}

/* Six times the volume of a tet. */
static double volume(const double *a, const double *b, const double *c, const double *d) {
    double rows[9];
    vec3_sub(b, a, rows);
    vec3_sub(c, a, rows + 3);
    vec3_sub(d, a, rows + 6);
    return mat3_det(rows);
}

/* What is nearer to a triangle than this part of its size lies on it. */
static const double ON_SURFACE = 1e-9;

static bool pierces(const double *p, const double *q, const double *a, const double *b, const double *c) {
    double below = volume(a, b, c, p), above = volume(a, b, c, q), ab[3], ac[3], across[3];
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_cross(ab, ac, across);
    double least = ON_SURFACE * fmax(vec3_length(ab), vec3_length(ac)) * vec3_length(across);
    if (!(below * above < 0) || !(fmin(fabs(below), fabs(above)) > least))
        return false;
    double first = volume(p, q, a, b), second = volume(p, q, b, c), third = volume(p, q, c, a);
    return (first > 0 && second > 0 && third > 0) || (first < 0 && second < 0 && third < 0);
}

static void mark(Piercings *piercings, uint32_t vertex, uint32_t object) {
    uint32_t *partner = &piercings->partners[vertex];
    *partner = *partner == 0 || *partner == 1 + object ? 1 + object : PIERCINGS_SEVERAL;
}

static void visit(void *context, uint32_t triangle) {
    Search *search = context;
    const Skin *skin = search->skin;
    const uint32_t *edge = &skin->edges[2 * (size_t)search->edge], *corners = &skin->triangles[3 * (size_t)triangle];
    uint32_t objects[2] = {skin->groups[edge[0]], skin->groups[corners[0]]};
    bool collider = edge[0] >= skin->body_vertex_count || corners[0] >= skin->body_vertex_count;
    if (!skin->touching[(size_t)objects[0] * skin->desc.group_count + objects[1]] || (collider && skin->colliders_hold))
        return;
    const double *x[5];
    for (int k = 0; k < 5; ++k)
        x[k] = &search->positions[3 * (size_t)(k < 2 ? edge[k] : corners[k - 2])];
    for (int c = 0; c < 3; ++c)
        if (corners[c] == edge[0] || corners[c] == edge[1])
            return;
    if (!pierces(x[0], x[1], x[2], x[3], x[4]))
        return;
    Piercings *piercings = search->piercings;
    if (piercings->count++ == 0) {
        memcpy(piercings->objects, objects, sizeof objects);
        for (int i = 0; i < 3; ++i)
            piercings->place[i] = 0.5 * (x[0][i] + x[1][i]);
    }
    for (int k = 0; k < 5; ++k)
        mark(piercings, k < 2 ? edge[k] : corners[k - 2], objects[k < 2 ? 1 : 0]);
}

/* ------------------------------------------------------------------------------------------------ one inside another
 */

/* Whether x is inside of a closed object. */
static bool is_inside(const Skin *skin, const double *positions, uint32_t object, const double *x) {
    double sum = 0;
    for (size_t t = skin->triangle_starts[object]; t < skin->triangle_starts[object + 1]; ++t) {
        const uint32_t *corners = &skin->triangles[3 * t];
        sum += triangle_solid_angle(x, &positions[3 * (size_t)corners[0]], &positions[3 * (size_t)corners[1]],
                                    &positions[3 * (size_t)corners[2]]);
    }
    return fabs(sum) > 6.283185307179586;
}

/* Counts objects that are inside of others as a whole, so that no edge shows it. */
static void find_swallowed(const Skin *skin, const double *positions, Piercings *piercings) {
    uint32_t objects = skin->desc.group_count, previous = CONTACT_NOBODY;
    for (uint32_t p = 0; p < skin->desc.point_count; ++p) {
        uint32_t vertex = skin->points[p], inner = skin->groups[vertex];
        if (inner == previous || vertex >= skin->body_vertex_count)
            continue;
        previous = inner;
        const double *x = &positions[3 * (size_t)vertex];
        for (uint32_t outer = 0; outer < objects; ++outer) {
            bool swallows = outer != inner && skin->closed[outer] && skin->touching[(size_t)inner * objects + outer] &&
                            is_inside(skin, positions, outer, x);
            if (swallows && piercings->count++ == 0) {
                piercings->objects[0] = inner;
                piercings->objects[1] = outer;
                memcpy(piercings->place, x, sizeof piercings->place);
            }
        }
    }
}

JnStatus piercings_find(const Skin *skin, const double *positions, Piercings *piercings, JnMessage *message) {
    uint32_t count = skin->desc.triangle_count;
    JnStatus status = JN_OK;
    piercings->count = 0;
    if (count == 0)
        return JN_OK;
    if (!piercings->partners)
        piercings->partners = array_new(skin->vertex_count, sizeof *piercings->partners);
    if (!piercings->boxes)
        piercings->boxes = array_new(6 * (size_t)count, sizeof *piercings->boxes);
    if (!piercings->partners || !piercings->boxes)
        return status_no_memory(message, "what overlaps");
    memset(piercings->partners, 0, skin->vertex_count * sizeof *piercings->partners);
    for (size_t t = 0; t < count; ++t)
        find_box(positions, &skin->triangles[3 * t], 3, &piercings->boxes[6 * t]);
    if (piercings->bvh.nodes)
        bvh_rebuild(piercings->boxes, count, &piercings->bvh);
    else
        status = bvh_build(piercings->boxes, count, &piercings->bvh, message);
    for (uint32_t e = 0; status == JN_OK && e < skin->desc.edge_count; ++e) {
        Search search = {skin, positions, piercings, e};
        double box[6];
        find_box(positions, &skin->edges[2 * (size_t)e], 2, box);
        bvh_visit_box(&piercings->bvh, box, visit, &search);
    }
    if (status == JN_OK && piercings->count == 0)
        find_swallowed(skin, positions, piercings);
    return status;
}

bool piercings_hold(const Piercings *piercings, const uint32_t *vertices, uint32_t first, uint32_t count,
                    const uint32_t objects[2]) {
    for (uint32_t k = 0; piercings->count > 0 && k < count; ++k) {
        uint32_t partner = piercings->partners[vertices[k]];
        if (partner == PIERCINGS_SEVERAL || partner == 1 + objects[k < first ? 1 : 0])
            return true;
    }
    return false;
}

void piercings_clear(Piercings *piercings) {
    piercings->count = 0;
}

void piercings_free(Piercings *piercings) {
    free(piercings->partners);
    free(piercings->boxes);
    bvh_free(&piercings->bvh);
    *piercings = (Piercings){0};
}
