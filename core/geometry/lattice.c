#include "geometry/lattice.h"
#include "geometry/array.h"
#include "geometry/cube_split.h"
#include "geometry/surface.h"
#include "geometry/topology.h"
#include "geometry/vec3.h"
#include "geometry/voxels.h"
#include "base/status.h"

#include <stdlib.h>

/* 21 million tets: more than current machines can simulate. */
#define MOST_CELLS (1u << 22)
/* A surface encloses no volume if its volume is below this fraction of its area times its length. */
#define NO_VOLUME 1e-12
#define UNUSED UINT32_MAX

/* Refuses a surface with edges that do not close. */
static JnStatus check_closed(const JnSurface *surface, const uint32_t *triangles, uint32_t triangle_count,
                             bool *oriented, JnMessage *message) {
    uint32_t *representative = topology_weld(surface->positions, surface->vertex_count);
    if (!representative)
        return status_no_memory(message, "the edges of a surface");
    TopologyEdges edges;
    JnStatus status = topology_edges(triangles, triangle_count, representative, surface->vertex_count, &edges, message);
    free(representative);
    if (status != JN_OK)
        return status;
    *oriented = edges.oriented;
    const double *a = &surface->positions[3 * (size_t)edges.first_open[0]];
    const double *b = &surface->positions[3 * (size_t)edges.first_open[1]];
    if (edges.open_count)
        return status_fail(message, JN_ERR_MESH,
                           "the surface is open: %u of its edges have a face on one side only, one of them from "
                           "(%g, %g, %g) to (%g, %g, %g): fill the holes, or weld the vertices along the gap",
                           edges.open_count, a[0], a[1], a[2], b[0], b[1], b[2]);
    if (edges.odd_count)
        return status_fail(message, JN_ERR_MESH,
                           "the surface does not close: an odd number of faces meets at %u of its edges, one of them "
                           "from (%g, %g, %g) to (%g, %g, %g): remove the inner or doubled faces there",
                           edges.odd_count, a[0], a[1], a[2], b[0], b[1], b[2]);
    return JN_OK;
}

/* Whether the triangles enclose a volume by their orientation; the voxels may find more. */
static bool encloses_volume(const JnSurface *surface, const uint32_t *triangles, uint32_t triangle_count,
                            double length) {
    const double *origin = &surface->positions[3 * (size_t)triangles[0]];
    double volume = 0, area = 0;
    for (size_t t = 0; t < triangle_count; ++t) {
        double p[3][3], ab[3], ac[3], normal[3];
        for (size_t i = 0; i < 3; ++i)
            vec3_sub(&surface->positions[3 * (size_t)triangles[3 * t + i]], origin, p[i]);
        vec3_sub(p[1], p[0], ab);
        vec3_sub(p[2], p[0], ac);
        vec3_cross(ab, ac, normal);
        volume += vec3_det(p[0], p[1], p[2]) / 6;
        area += 0.5 * sqrt(vec3_dot(normal, normal));
    }
    return fabs(volume) > NO_VOLUME * area * length;
}

/* Flags the cells of the body: the grid, or a status that says why there is none. */
static JnStatus find_cells(const JnSurface *surface, double resolution, Voxels *voxels, JnMessage *message) {
    uint32_t *triangles, triangle_count;
    *voxels = (Voxels){0};
    JnStatus status = surface_triangulate(surface, &triangles, &triangle_count, message);
    if (status != JN_OK)
        return status;
    bool oriented = false;
    double inside_length = 0;
    status = check_closed(surface, triangles, triangle_count, &oriented, message);
    if (status == JN_OK)
        status = voxels_init(surface->positions, triangles, triangle_count, resolution, voxels, message);
    if (status == JN_OK)
        status = voxels_mark_inside(voxels, surface->positions, triangles, triangle_count, oriented, &inside_length,
                                    message);
    if (status == JN_OK) {
        voxels_mark_touched(voxels, surface->positions, triangles, triangle_count);
        double length = voxels->cell * resolution;
        if (!(inside_length > NO_VOLUME * length) && !encloses_volume(surface, triangles, triangle_count, length)) {
            const double *p = &surface->positions[3 * (size_t)triangles[0]];
            status =
                status_fail(message, JN_ERR_MESH,
                            "the surface (at (%g, %g, %g)) encloses no volume: its faces lie on each other; give it "
                            "thickness, or remove doubled faces",
                            p[0], p[1], p[2]);
        }
    }
    free(triangles);
    return status;
}

static bool kept(const Voxels *voxels, int64_t x, int64_t y, int64_t z) {
    if (x < 0 || y < 0 || z < 0 || x >= voxels->counts[0] || y >= voxels->counts[1] || z >= voxels->counts[2])
        return false;
    return voxels->flags[((size_t)z * voxels->counts[1] + (size_t)y) * voxels->counts[0] + (size_t)x] != 0;
}

/* Numbers the used grid points of layer z onwards from *vertex_count in `numbers` [(ny + 1) * (nx + 1)],
   UNUSED elsewhere; stores their positions if `positions` is not NULL. */
static void number_layer(const Voxels *voxels, int64_t z, uint32_t *numbers, uint32_t *vertex_count,
                         double *positions) {
    for (int64_t y = 0; y <= voxels->counts[1]; ++y)
        for (int64_t x = 0; x <= voxels->counts[0]; ++x) {
            bool used = false;
            for (int c = 0; c < 8 && !used; ++c)
                used = kept(voxels, x - (c & 1), y - (c >> 1 & 1), z - (c >> 2));
            uint32_t *number = &numbers[(size_t)y * (voxels->counts[0] + 1) + (size_t)x];
            *number = used ? (*vertex_count)++ : UNUSED;
            if (!used || !positions)
                continue;
            double *p = &positions[3 * (size_t)*number];
            p[0] = voxels->origin[0] + voxels->cell * (double)x;
            p[1] = voxels->origin[1] + voxels->cell * (double)y;
            p[2] = voxels->origin[2] + voxels->cell * (double)z;
        }
}

/* Splits the cells between two numbered layers of grid points. */
static void split_layer(const Voxels *voxels, int64_t z, uint32_t *const layers[2], TetMesh *mesh) {
    uint32_t row = voxels->counts[0] + 1;
    for (uint32_t y = 0; y < voxels->counts[1]; ++y)
        for (uint32_t x = 0; x < voxels->counts[0]; ++x) {
            if (!kept(voxels, x, y, z))
                continue;
            uint32_t corners[8];
            for (uint32_t c = 0; c < 8; ++c)
                corners[c] = layers[c >> 2][(size_t)(y + (c >> 1 & 1)) * row + x + (c & 1)];
            cube_split(corners, x + y + (uint32_t)z, &mesh->tet_vertices[4 * (size_t)mesh->tet_count]);
            mesh->tet_count += CUBE_TETS;
        }
}

/* Turns the flagged cells into tets, layer by layer. */
static JnStatus fill_cells(const Voxels *voxels, TetMesh *mesh, JnMessage *message) {
    size_t layer_size = (size_t)(voxels->counts[0] + 1) * (voxels->counts[1] + 1);
    size_t cell_count = 0, cube_count = (size_t)voxels->counts[0] * voxels->counts[1] * voxels->counts[2];
    for (size_t i = 0; i < cube_count; ++i)
        cell_count += voxels->flags[i] != 0;
    if (cell_count > MOST_CELLS)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "the resolution needs %zu cells, at most %u are possible: lower the resolution", cell_count,
                           MOST_CELLS);
    uint32_t *layers[2] = {array_new(layer_size, sizeof **layers), array_new(layer_size, sizeof **layers)};
    mesh->tet_vertices = array_new(4 * CUBE_TETS * cell_count, sizeof *mesh->tet_vertices);

    // count the grid points in use, then number them again together with the cells
    uint32_t vertex_count = 0;
    for (int64_t z = 0; layers[0] && z <= voxels->counts[2]; ++z)
        number_layer(voxels, z, layers[0], &vertex_count, NULL);
    mesh->positions = array_new(3 * (size_t)vertex_count, sizeof *mesh->positions);
    bool ready = layers[0] && layers[1] && mesh->tet_vertices && mesh->positions;
    if (ready)
        number_layer(voxels, 0, layers[0], &mesh->vertex_count, mesh->positions);
    for (int64_t z = 0; ready && z < voxels->counts[2]; ++z) {
        uint32_t *pair[2] = {layers[z & 1], layers[~z & 1]};
        number_layer(voxels, z + 1, pair[1], &mesh->vertex_count, mesh->positions);
        split_layer(voxels, z, pair, mesh);
    }
    free(layers[0]);
    free(layers[1]);
    return ready ? JN_OK : status_no_memory(message, "the cells of the simulation mesh");
}

JnStatus lattice_build(const JnSurface *surface, double resolution, TetMesh *mesh, Embedding *embedding,
                       JnMessage *message) {
    *mesh = (TetMesh){0};
    *embedding = (Embedding){0};
    Voxels voxels;
    JnStatus status = find_cells(surface, resolution, &voxels, message);
    if (status == JN_OK)
        status = fill_cells(&voxels, mesh, message);
    voxels_free(&voxels);
    if (status == JN_OK)
        status = embedding_build(mesh, surface->positions, surface->vertex_count, embedding, message);
    if (status != JN_OK)
        tetmesh_free(mesh);
    return status;
}
