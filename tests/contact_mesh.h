/* Surfaces for the tests and benches of contact: sheets of triangles over a grid, all in one array of vertices. */
#ifndef JN_TESTS_CONTACT_MESH_H
#define JN_TESTS_CONTACT_MESH_H

#include "contact/broad_phase.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct ContactMesh {
    uint32_t vertex_count, edge_count, triangle_count;
    double *positions;                             /* [vertex_count * 3] */
    uint32_t *points, *edges, *triangles, *groups; /* a group for each sheet */
} ContactMesh;

static inline void contact_mesh_free(ContactMesh *mesh) {
    free(mesh->positions);
    free(mesh->points);
    free(mesh->edges);
    free(mesh->triangles);
    free(mesh->groups);
    memset(mesh, 0, sizeof *mesh);
}

/* `sheets` squares of side 1 and 2 side^2 triangles each, with waves, `apart` above each other. 0: out of memory. */
static inline int contact_mesh_sheets(uint32_t sheets, uint32_t side, double apart, ContactMesh *mesh) {
    uint32_t row = side + 1, vertices = row * row, edges = 2 * side * row + side * side;
    memset(mesh, 0, sizeof *mesh);
    mesh->positions = malloc(3 * sizeof(double) * sheets * vertices);
    mesh->points = malloc(sizeof(uint32_t) * sheets * vertices);
    mesh->groups = malloc(sizeof(uint32_t) * sheets * vertices);
    mesh->edges = malloc(2 * sizeof(uint32_t) * sheets * edges);
    mesh->triangles = malloc(6 * sizeof(uint32_t) * sheets * side * side);
    if (!mesh->positions || !mesh->points || !mesh->groups || !mesh->edges || !mesh->triangles) {
        contact_mesh_free(mesh);
        return 0;
    }
    for (uint32_t s = 0; s < sheets; ++s)
        for (uint32_t j = 0; j < row; ++j)
            for (uint32_t i = 0; i < row; ++i) {
                uint32_t v = mesh->vertex_count++;
                double x = (double)i / side, y = (double)j / side;
                mesh->positions[3 * v] = x;
                mesh->positions[3 * v + 1] = y;
                mesh->positions[3 * v + 2] = apart * s + 0.05 * sin(9 * x + 3 * y) * cos(7 * y);
                mesh->points[v] = v;
                mesh->groups[v] = s;
                uint32_t ends[3] = {v + 1, v + row, v + row + 1};
                int there[3] = {i < side, j < side, i < side && j < side};
                for (int k = 0; k < 3; ++k)
                    if (there[k]) {
                        mesh->edges[2 * mesh->edge_count] = v;
                        mesh->edges[2 * mesh->edge_count++ + 1] = ends[k];
                    }
                if (there[2]) {
                    uint32_t two[6] = {v, v + 1, v + row + 1, v, v + row + 1, v + row};
                    memcpy(&mesh->triangles[3 * mesh->triangle_count], two, sizeof two);
                    mesh->triangle_count += 2;
                }
            }
    return 1;
}

static inline BroadPhaseDesc contact_mesh_desc(const ContactMesh *mesh, uint32_t kinds) {
    return (BroadPhaseDesc){.points = mesh->points,
                            .point_count = mesh->vertex_count,
                            .edges = mesh->edges,
                            .edge_count = mesh->edge_count,
                            .triangles = mesh->triangles,
                            .triangle_count = mesh->triangle_count,
                            .kinds = kinds};
}

#endif
