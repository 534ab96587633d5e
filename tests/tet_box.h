/* A box of tets made by the tests themselves, six to a cell, so that they do not depend on what they test. */
#ifndef JN_TESTS_TET_BOX_H
#define JN_TESTS_TET_BOX_H

#include "jounce.h"

#include <stdlib.h>

typedef struct TetBox {
    uint32_t vertex_count, tet_count;
    double *positions;
    uint32_t *tets;
} TetBox;

/* nx * ny * nz cells of edge `cell`, a corner at the origin. Vertex (i, j, k) is number i + (nx + 1) (j + (ny + 1) k).
 */
static inline TetBox tet_box_make(uint32_t nx, uint32_t ny, uint32_t nz, double cell) {
    /* the six ways from corner (0,0,0) to (1,1,1) along the edges */
    static const uint32_t paths[6][2] = {{1, 3}, {2, 3}, {1, 5}, {4, 5}, {2, 6}, {4, 6}};
    static const int turned[6] = {0, 1, 1, 0, 0, 1};
    TetBox box = {(nx + 1) * (ny + 1) * (nz + 1), 6 * nx * ny * nz, NULL, NULL};
    box.positions = malloc((size_t)box.vertex_count * 3 * sizeof(double));
    box.tets = malloc((size_t)box.tet_count * 4 * sizeof(uint32_t));
    for (uint32_t v = 0; v < box.vertex_count; ++v) {
        box.positions[3 * v] = cell * (v % (nx + 1));
        box.positions[3 * v + 1] = cell * (v / (nx + 1) % (ny + 1));
        box.positions[3 * v + 2] = cell * (v / ((nx + 1) * (ny + 1)));
    }
    uint32_t *tet = box.tets;
    for (uint32_t k = 0; k < nz; ++k)
        for (uint32_t j = 0; j < ny; ++j)
            for (uint32_t i = 0; i < nx; ++i)
                for (int p = 0; p < 6; ++p, tet += 4) {
                    uint32_t steps[4] = {0, paths[p][0], paths[p][1], 7};
                    for (int a = 0; a < 4; ++a)
                        tet[a] = i + (steps[a] & 1) +
                                 (nx + 1) * (j + (steps[a] >> 1 & 1) + (ny + 1) * (k + (steps[a] >> 2)));
                    if (turned[p]) {
                        uint32_t swapped = tet[1];
                        tet[1] = tet[2];
                        tet[2] = swapped;
                    }
                }
    return box;
}

static inline JnTets tet_box_view(const TetBox *box) {
    return (JnTets){box->vertex_count, box->tet_count, box->positions, box->tets};
}

static inline void tet_box_free(TetBox *box) {
    free(box->positions);
    free(box->tets);
}

#endif
