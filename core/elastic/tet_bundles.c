/* Bundles of consecutive tets and the vertices of each, to pass over those that a subset has nothing of: tets are long,
   and their order is along a curve, so that a part of a body is in few bundles. */
#include "elastic/tet_elements_internal.h"

#include "base/status.h"

#include <stdlib.h>

JnStatus tet_bundles_build(TetElements *elements, JnMessage *message) {
    uint32_t tet_count = elements->part_starts[TET_PARTS], count = (tet_count + TET_BUNDLE - 1) / TET_BUNDLE;
    uint32_t *seen = calloc((size_t)elements->vertex_count + 1, sizeof *seen), used = 0;
    elements->bundle_starts = malloc(((size_t)count + 1) * sizeof *elements->bundle_starts);
    elements->bundle_vertices = malloc((4 * (size_t)tet_count + 1) * sizeof *elements->bundle_vertices);
    bool ok = seen && elements->bundle_starts && elements->bundle_vertices;
    for (uint32_t k = 0; ok && k < tet_count; ++k) {
        if (k % TET_BUNDLE == 0)
            elements->bundle_starts[k / TET_BUNDLE] = used;
        for (int a = 0; a < 4; ++a) {
            uint32_t vertex = elements->tets[k].vertices[a], bundle = k / TET_BUNDLE + 1;
            if (seen[vertex] != bundle)
                elements->bundle_vertices[used++] = vertex;
            seen[vertex] = bundle;
        }
    }
    if (ok)
        elements->bundle_starts[count] = used;
    free(seen);
    return ok ? JN_OK : status_no_memory(message, "the elements");
}

bool tet_bundle_is_idle(const TetElements *elements, uint32_t bundle, const ElementSubset *subset) {
    if (subset->rule == SUBSET_WHOLE || subset->rule == SUBSET_NONE)
        return false;
    for (uint32_t k = elements->bundle_starts[bundle]; k < elements->bundle_starts[bundle + 1]; ++k)
        if (subset->marked[elements->bundle_vertices[k]])
            return false;
    return true;
}
