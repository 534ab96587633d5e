#include "contact/mesh_collider.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/array.h"
#include "geometry/mesh.h"
#include "geometry/surface.h"
#include "geometry/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ life */

void mesh_destroy(void *shape) {
    Mesh *mesh = shape;
    if (!mesh)
        return;
    free(mesh->positions);
    free(mesh->triangles);
    free(mesh);
}

static double volume(const Mesh *mesh) {
    double sum = 0;
    const double *origin = mesh->positions;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        double edges[9];
        for (size_t c = 0; c < 3; ++c)
            vec3_sub(&mesh->positions[3 * (size_t)mesh->triangles[3 * t + c]], origin, &edges[3 * c]);
        sum += mat3_det(edges);
    }
    return sum;
}

static JnStatus find_sides(Mesh *mesh, JnMessage *message) {
    uint32_t *representative = topology_weld(mesh->positions, mesh->vertex_count);
    if (!representative)
        return status_no_memory(message, "a mesh to collide with");
    TopologyEdges edges;
    JnStatus status =
        topology_edges(mesh->triangles, mesh->triangle_count, representative, mesh->vertex_count, &edges, message);
    free(representative);
    if (status != JN_OK)
        return status;
    mesh->is_closed = edges.open_count == 0 && edges.odd_count == 0 && edges.oriented;
    mesh->is_inside_out = mesh->is_closed && volume(mesh) < 0;
    return JN_OK;
}

JnStatus mesh_create(const JnCollider *desc, double metres_per_unit, const char *place, void **shape,
                     JnMessage *message) {
    *shape = NULL;
    const JnSurface *surface = &desc->surface;
    if (surface->face_count == 0)
        return status_fail(message, JN_ERR_MESH, "%s is a mesh without faces: give it a surface", place);
    char inner[128];
    snprintf(inner, sizeof inner, "%.100s.surface", place);
    JnStatus status = surface_check(surface, inner, message);
    if (status != JN_OK)
        return status;
    Mesh *mesh = calloc(1, sizeof *mesh);
    if (mesh)
        mesh->positions = array_new((size_t)surface->vertex_count * 3, sizeof *mesh->positions);
    status = mesh && mesh->positions ? surface_triangulate(surface, &mesh->triangles, &mesh->triangle_count, message)
                                     : status_no_memory(message, "a mesh to collide with");
    if (status == JN_OK) {
        mesh->vertex_count = surface->vertex_count;
        for (size_t i = 0; i < (size_t)mesh->vertex_count * 3; ++i)
            mesh->positions[i] = metres_per_unit * surface->positions[i];
        status = find_sides(mesh, message);
    }
    if (status == JN_OK)
        *shape = mesh;
    else
        mesh_destroy(mesh);
    return status;
}

void mesh_destroy_placed(void *p) {
    MeshPlaced *placed = p;
    if (!placed)
        return;
    surface_tree_free(&placed->tree);
    free(placed->start);
    free(placed->end);
    free(placed->velocities);
    free(placed);
}

void *mesh_create_placed(const void *shape) {
    const Mesh *mesh = shape;
    size_t count = (size_t)mesh->vertex_count * 3;
    MeshPlaced *placed = calloc(1, sizeof *placed);
    if (placed) {
        placed->start = array_new(count, sizeof(double));
        placed->end = array_new(count, sizeof(double));
        placed->velocities = array_new(count, sizeof(double));
    }
    JnMessage message;
    if (placed && placed->start && placed->end && placed->velocities &&
        surface_tree_create(mesh->triangles, mesh->triangle_count, mesh->positions, &placed->tree, &message) == JN_OK)
        return placed;
    mesh_destroy_placed(placed);
    return NULL;
}

uint32_t mesh_vertex_count(const void *shape) {
    return ((const Mesh *)shape)->vertex_count;
}

/* ------------------------------------------------------------------------------------------------ motion */

/* The shape at a fraction of the motion, by a transform. */
static void place_vertex(const Mesh *mesh, const ColliderMotion *motion, const double transform[12], double fraction,
                         size_t vertex, double out[3]) {
    if (motion->from) {
        const double *from = &motion->from[3 * vertex], *to = &motion->to[3 * vertex];
        for (int i = 0; i < 3; ++i)
            out[i] = fraction == 1 ? to[i] : from[i] + fraction * (to[i] - from[i]);
    } else {
        memcpy(out, &mesh->positions[3 * vertex], 3 * sizeof *out);
    }
    affine_apply(transform, out, out);
}

static bool same_transform(const double a[12], const double b[12]) {
    return memcmp(a, b, 12 * sizeof *a) == 0;
}

void mesh_place(const void *shape, const ColliderMotion *motion, ColliderPlacement *placement) {
    const Mesh *mesh = shape;
    MeshPlaced *placed = placement->placed;
    double linear[9];
    bool rests =
        !motion->from && same_transform(motion->now, motion->before) && same_transform(motion->now, motion->after);
    if (rests && placed->rests && same_transform(motion->now, placed->resting_at))
        return;
    placed->rests = rests;
    memcpy(placed->resting_at, motion->now, sizeof placed->resting_at);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            linear[3 * i + j] = motion->now[4 * i + j];
    placed->is_mirrored = mat3_det(linear) < 0;
    placed->fastest = 0;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        double after[3], *start = &placed->start[3 * v], *velocity = &placed->velocities[3 * v];
        place_vertex(mesh, motion, motion->now, motion->fraction, v, &placed->end[3 * v]);
        place_vertex(mesh, motion, motion->before, motion->fraction_before, v, start);
        place_vertex(mesh, motion, motion->after, motion->fraction_after, v, after);
        for (int i = 0; i < 3; ++i)
            velocity[i] = motion->seconds > 0 ? (after[i] - start[i]) / motion->seconds : 0;
        placed->fastest = fmax(placed->fastest, vec3_length(velocity));
    }
    surface_tree_move(&placed->tree, placed->start, placed->end, NULL);
}

uint32_t mesh_skin_size(const void *shape, const uint32_t **triangles, uint32_t *triangle_count) {
    const Mesh *mesh = shape;
    *triangles = mesh->triangles;
    *triangle_count = mesh->triangle_count;
    return mesh->vertex_count;
}

void mesh_skin(const ColliderPlacement *placement, const void *shape, double *start, double *end, double *velocities) {
    const MeshPlaced *placed = placement->placed;
    size_t bytes = (size_t)((const Mesh *)shape)->vertex_count * 3 * sizeof(double);
    memcpy(start, placed->start, bytes);
    memcpy(end, placed->end, bytes);
    memcpy(velocities, placed->velocities, bytes);
}

double mesh_fastest(const ColliderPlacement *placement) {
    return ((const MeshPlaced *)placement->placed)->fastest;
}

JnStatus mesh_outline(const void *shape, const ColliderPlacement *placement, const double centre[3], double radius,
                      JnMesh *mesh, JnMessage *message) {
    (void)centre, (void)radius;
    const Mesh *own = shape;
    const MeshPlaced *placed = placement->placed;
    JnStatus status = mesh_set_vertex_count(mesh, own->vertex_count, message);
    if (status == JN_OK)
        status = mesh_set_face_counts(mesh, own->triangle_count, 3 * own->triangle_count, message);
    if (status != JN_OK)
        return status;
    memcpy(mesh->positions, placed->end, (size_t)own->vertex_count * 3 * sizeof *mesh->positions);
    memcpy(mesh->face_vertices, own->triangles, (size_t)own->triangle_count * 3 * sizeof *mesh->face_vertices);
    for (uint32_t f = 0; f < own->triangle_count; ++f)
        mesh->face_sizes[f] = 3;
    return JN_OK;
}
