/* A closed bar of triangles from the origin along x, fine enough to be painted, for tests. */
#ifndef JN_TESTS_BAR_SURFACE_H
#define JN_TESTS_BAR_SURFACE_H

#include "jounce.h"

#include <stdlib.h>
#include <string.h>

typedef struct BarSurface {
    double *positions;
    uint32_t *sizes, *corners;
    JnSurface surface;
} BarSurface;

/* The boundary of a beam shape, with its own vertices only. Returns 0 on failure. */
static inline int bar_surface_make(double length, double width, uint32_t cells_along, uint32_t cells_across,
                                   BarSurface *bar) {
    JnShape shape;
    JnMesh *mesh;
    JnMeshView view = {.struct_size = sizeof view};
    memset(bar, 0, sizeof *bar);
    jn_shape_init(&shape, sizeof shape, "beam");
    shape.size[0] = length, shape.size[1] = shape.size[2] = width;
    shape.cells[0] = cells_along, shape.cells[1] = shape.cells[2] = cells_across;
    if (jn_shape_make(&shape, &mesh, NULL) != JN_OK || jn_mesh_view(mesh, &view, NULL) != JN_OK)
        return 0;
    const JnSurface *from = &view.surface;
    uint32_t *number = malloc(from->vertex_count * sizeof *number), count = 0;
    bar->positions = malloc(from->vertex_count * 3 * sizeof(double));
    bar->sizes = malloc(from->face_count * sizeof(uint32_t));
    bar->corners = malloc(from->corner_count * sizeof(uint32_t));
    memset(number, 0xff, from->vertex_count * sizeof *number);
    for (uint32_t c = 0; c < from->corner_count; ++c) {
        uint32_t v = from->face_vertices[c];
        if (number[v] == UINT32_MAX) {
            number[v] = count++;
            memcpy(bar->positions + 3 * (size_t)number[v], from->positions + 3 * (size_t)v, 3 * sizeof(double));
        }
        bar->corners[c] = number[v];
    }
    memcpy(bar->sizes, from->face_sizes, from->face_count * sizeof(uint32_t));
    bar->surface = (JnSurface){.vertex_count = count,
                               .face_count = from->face_count,
                               .corner_count = from->corner_count,
                               .positions = bar->positions,
                               .face_sizes = bar->sizes,
                               .face_vertices = bar->corners};
    free(number);
    jn_mesh_free(mesh);
    return 1;
}

static inline void bar_surface_free(BarSurface *bar) {
    free(bar->positions);
    free(bar->sizes);
    free(bar->corners);
}

#endif
