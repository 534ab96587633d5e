#include "geometry/tetmesh.h"
#include "geometry/array.h"
#include "geometry/index_sort.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A tet is flat if its volume is at most this fraction of the cube of its longest edge. */
#define FLAT_VOLUME 1e-14

/* The faces of a tet a b c d with det(b-a, c-a, d-a) > 0, facing outwards; face i lies opposite corner i. */
static const uint8_t face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static JnStatus check_positions(const JnTets *tets, const char *place, JnMessage *message) {
    for (uint32_t v = 0; v < tets->vertex_count; ++v) {
        const double *p = &tets->positions[3 * (size_t)v];
        if (!vec3_in_reach(p))
            return status_fail(
                message, JN_ERR_MESH,
                "%s: vertex %u is at (%g, %g, %g): every coordinate must be a finite number within %g of 0", place, v,
                p[0], p[1], p[2], VEC3_FARTHEST);
    }
    return JN_OK;
}

static JnStatus check_tet(const JnTets *tets, uint32_t tet, const char *place, JnMessage *message) {
    const uint32_t *corners = &tets->tet_vertices[4 * (size_t)tet];
    const double *p[4];
    for (int i = 0; i < 4; ++i) {
        if (corners[i] >= tets->vertex_count)
            return status_fail(message, JN_ERR_MESH, "%s: tet %u names vertex %u, but there are %u vertices", place,
                               tet, corners[i], tets->vertex_count);
        p[i] = &tets->positions[3 * (size_t)corners[i]];
    }

    // compare the volume with the longest edge, so that the verdict does not depend on the scene's units
    double longest = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j)
            longest = fmax(longest, vec3_distance_squared(p[i], p[j]));
    double volume = vec3_tet_det(p[0], p[1], p[2], p[3]) / 6;
    double smallest = FLAT_VOLUME * longest * sqrt(longest);
    if (volume > smallest)
        return JN_OK;
    return status_fail(message, JN_ERR_MESH,
                       "%s: tet %u (vertices %u %u %u %u, near (%g, %g, %g)) is %s, volume %g: %s", place, tet,
                       corners[0], corners[1], corners[2], corners[3], p[0][0], p[0][1], p[0][2],
                       volume < -smallest ? "inverted" : "flat", volume,
                       volume < -smallest ? "swap two of its vertices" : "remove it or mesh the body again");
}

/* The vertices of face `face` = 4 tet + corner, facing outwards. */
static void face_vertices(const JnTets *tets, size_t face, uint32_t vertices[3]) {
    for (int i = 0; i < 3; ++i)
        vertices[i] = tets->tet_vertices[4 * (face / 4) + face_corners[face % 4][i]];
}

/* Every vertex must move with some tet: one that does not would hang in the air without mass. */
static JnStatus check_used(const JnTets *tets, const char *place, JnMessage *message) {
    bool *used = array_new(tets->vertex_count, sizeof *used);
    if (!used)
        return status_no_memory(message, "checking the tets");
    for (size_t i = 0; i < 4 * (size_t)tets->tet_count; ++i)
        used[tets->tet_vertices[i]] = true;
    uint32_t unused = 0;
    while (unused < tets->vertex_count && used[unused])
        ++unused;
    free(used);
    if (unused < tets->vertex_count)
        return status_fail(message, JN_ERR_MESH, "%s: vertex %u belongs to no tet: remove it", place, unused);
    return JN_OK;
}

/* Two tets that lie on the same side of a face: the same tet twice, or two that overlap. */
static JnStatus fail_overlap(const JnTets *tets, size_t first, size_t second, const char *place, JnMessage *message) {
    const uint32_t *a = &tets->tet_vertices[4 * first], *b = &tets->tet_vertices[4 * second];
    int shared = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            shared += a[i] == b[j];
    if (shared == 4)
        return status_fail(message, JN_ERR_MESH,
                           "%s: tet %zu (vertices %u %u %u %u) is listed again as tet %zu: remove one of the two",
                           place, first, a[0], a[1], a[2], a[3], second);
    return status_fail(message, JN_ERR_MESH,
                       "%s: tets %zu (vertices %u %u %u %u) and %zu (vertices %u %u %u %u) lie on the same side of the "
                       "face that they share, so they overlap: remove one of them or mesh the body again",
                       place, first, a[0], a[1], a[2], a[3], second, b[0], b[1], b[2], b[3]);
}

/* No two tets on one side of a face. Tets that share a face otherwise see it from its two sides, as triples of vertices
   that run in opposite directions. */
static JnStatus check_overlap(const JnTets *tets, const char *place, JnMessage *message) {
    size_t face_count = 4 * (size_t)tets->tet_count;
    uint32_t *keys = array_new(3 * face_count, sizeof *keys), *order = NULL;
    for (size_t f = 0; keys && f < face_count; ++f) {
        uint32_t v[3];
        face_vertices(tets, f, v);
        uint32_t lowest = v[0] < v[1] ? (v[0] < v[2] ? 0 : 2) : (v[1] < v[2] ? 1 : 2);
        for (uint32_t i = 0; i < 3; ++i)
            keys[3 * f + i] = v[(lowest + i) % 3];
    }
    if (keys)
        order = index_sort_tuples(keys, face_count, 3, tets->vertex_count);
    JnStatus status = order ? JN_OK : status_no_memory(message, "checking the tets");
    for (size_t i = 1; status == JN_OK && i < face_count; ++i)
        if (memcmp(&keys[3 * (size_t)order[i - 1]], &keys[3 * (size_t)order[i]], 3 * sizeof *keys) == 0)
            status = fail_overlap(tets, order[i - 1] / 4, order[i] / 4, place, message);
    free(keys);
    free(order);
    return status;
}

JnStatus tetmesh_check(const JnTets *tets, const char *place, JnMessage *message) {
    if (!tets || tets->vertex_count == 0 || tets->tet_count == 0)
        return status_fail(message, JN_ERR_MESH, "%s: the mesh is empty (%u vertices, %u tets)", place,
                           tets ? tets->vertex_count : 0, tets ? tets->tet_count : 0);
    if (!tets->positions || !tets->tet_vertices)
        return status_fail(message, JN_ERR_ARGUMENT, "%s: %s is NULL, but vertex_count is %u and tet_count %u", place,
                           tets->positions ? "tet_vertices" : "positions", tets->vertex_count, tets->tet_count);
    if (tets->tet_count > UINT32_MAX / 4)
        return status_fail(message, JN_ERR_ARGUMENT, "%s: %u tets are more than the %u that can be counted", place,
                           tets->tet_count, UINT32_MAX / 4);
    JnStatus status = check_positions(tets, place, message);
    for (uint32_t t = 0; status == JN_OK && t < tets->tet_count; ++t)
        status = check_tet(tets, t, place, message);
    if (status != JN_OK)
        return status;

    status = check_used(tets, place, message);
    return status == JN_OK ? check_overlap(tets, place, message) : status;
}

JnStatus tetmesh_copy(const JnTets *tets, TetMesh *mesh, JnMessage *message) {
    *mesh = (TetMesh){.vertex_count = tets->vertex_count, .tet_count = tets->tet_count};
    mesh->positions = array_new(3 * (size_t)tets->vertex_count, sizeof *mesh->positions);
    mesh->tet_vertices = array_new(4 * (size_t)tets->tet_count, sizeof *mesh->tet_vertices);
    if (!mesh->positions || !mesh->tet_vertices) {
        tetmesh_free(mesh);
        return status_no_memory(message, "a copy of the tets");
    }
    if (tets->vertex_count)
        memcpy(mesh->positions, tets->positions, 3 * (size_t)tets->vertex_count * sizeof *mesh->positions);
    if (tets->tet_count)
        memcpy(mesh->tet_vertices, tets->tet_vertices, 4 * (size_t)tets->tet_count * sizeof *mesh->tet_vertices);
    return JN_OK;
}

void tetmesh_free(TetMesh *mesh) {
    free(mesh->positions);
    free(mesh->tet_vertices);
    free(mesh->density_factors);
    free(mesh->stiffness_factors);
    *mesh = (TetMesh){0};
}

/* Marks the faces that no other tet has; returns their number. `keys` [face_count * 3] are the faces' sorted
   vertices, `order` sorts them. */
static uint32_t mark_single_faces(const uint32_t *keys, const uint32_t *order, size_t face_count, bool *single) {
    uint32_t count = 0;
    for (size_t first = 0, end; first < face_count; first = end) {
        for (end = first + 1; end < face_count; ++end)
            if (memcmp(&keys[3 * (size_t)order[first]], &keys[3 * (size_t)order[end]], 3 * sizeof *keys) != 0)
                break;
        if (end - first == 1) {
            single[order[first]] = true;
            ++count;
        }
    }
    return count;
}

JnStatus tetmesh_boundary(const JnTets *tets, uint32_t **triangles, uint32_t *triangle_count, JnMessage *message) {
    *triangles = NULL;
    *triangle_count = 0;
    size_t face_count = 4 * (size_t)tets->tet_count;
    uint32_t *keys = array_new(3 * face_count, sizeof *keys);
    bool *single = array_new(face_count, sizeof *single);
    uint32_t *order = NULL;

    // faces with the same three vertices are adjacent once sorted
    if (keys) {
        for (size_t f = 0; f < face_count; ++f) {
            face_vertices(tets, f, &keys[3 * f]);
            index_sort_three(&keys[3 * f]);
        }
        order = index_sort_tuples(keys, face_count, 3, tets->vertex_count);
    }

    // keep the faces of one tet only, in the order of the tets
    if (order && single) {
        uint32_t count = mark_single_faces(keys, order, face_count, single), filled = 0;
        *triangles = array_new(3 * (size_t)count, sizeof **triangles);
        for (size_t f = 0; *triangles && f < face_count; ++f)
            if (single[f])
                face_vertices(tets, f, &(*triangles)[3 * (size_t)filled++]);
        *triangle_count = *triangles ? count : 0;
    }
    free(keys);
    free(single);
    free(order);
    return *triangles ? JN_OK : status_no_memory(message, "the boundary of the tets");
}
