/* What files of tets get wrong: the number of the first vertex, and the order of a tet's corners. */
#include "geometry/mesh.h"
#include "geometry/vec3.h"

/* det(b-a, c-a, d-a) < 0, of the tet at `corners` whose vertices are numbered from `base`. */
static bool is_inverted(const JnMesh *mesh, const uint32_t *corners, uint32_t base) {
    const double *p[4];
    for (size_t i = 0; i < 4; ++i)
        p[i] = &mesh->positions[3 * (size_t)(corners[i] - base)];
    return vec3_tet_det(p[0], p[1], p[2], p[3]) < 0;
}

static uint32_t count_inverted(const JnMesh *mesh, uint32_t base) {
    uint32_t count = 0;
    for (size_t t = 0; t < mesh->tet_count; ++t)
        count += is_inverted(mesh, &mesh->tet_vertices[4 * t], base);
    return count;
}

JnStatus mesh_rebase_tets(JnMesh *mesh, int64_t vertex_base, const char *place, JnMessage *message) {
    if (mesh->tet_count == 0)
        return JN_OK;
    uint32_t lowest = UINT32_MAX, highest = 0;
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i) {
        uint32_t number = mesh->tet_vertices[i];
        lowest = number < lowest ? number : lowest;
        highest = number > highest ? number : highest;
    }
    const int64_t candidates[3] = {vertex_base, 0, 1};
    int64_t base = 0;
    bool fits = false;
    for (int i = 0; i < 3; ++i) {
        int64_t candidate = candidates[i];
        if (lowest < candidate || highest >= candidate + (int64_t)mesh->vertex_count)
            continue;
        base = fits ? base : candidate;
        fits = true;
        uint32_t inverted = count_inverted(mesh, (uint32_t)candidate);
        if (inverted == 0 || inverted == mesh->tet_count) {
            base = candidate;
            break;
        }
    }
    if (!fits)
        return status_fail(message, JN_ERR_FORMAT,
                           "%s: tets name vertices %u to %u, but there are %u, numbered from %lld", place, lowest,
                           highest, mesh->vertex_count, (long long)vertex_base);
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i)
        mesh->tet_vertices[i] -= (uint32_t)base;
    return JN_OK;
}

void mesh_orient_tets(JnMesh *mesh) {
    for (size_t t = 0; t < mesh->tet_count; ++t) {
        uint32_t *v = &mesh->tet_vertices[4 * t], third = v[2];
        if (!is_inverted(mesh, v, 0))
            continue;
        v[2] = v[3];
        v[3] = third;
        ++mesh->reversed_tet_count;
    }
}
