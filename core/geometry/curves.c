#include "geometry/curves.h"

#include "base/math3.h"
#include "base/status.h"

JnStatus curves_check(const JnCurves *curves, const char *place, JnMessage *message) {
    if (curves->vertex_count == 0 || curves->curve_count == 0)
        return status_fail(message, JN_ERR_MESH, "%s: there are no curves (%u vertices, %u curves)", place,
                           curves->vertex_count, curves->curve_count);
    const char *missing = !curves->positions        ? "positions"
                          : !curves->curve_sizes    ? "curve_sizes"
                          : !curves->curve_vertices ? "curve_vertices"
                                                    : NULL;
    if (missing)
        return status_fail(message, JN_ERR_ARGUMENT, "%s: %s is NULL, but vertex_count is %u and curve_count %u", place,
                           missing, curves->vertex_count, curves->curve_count);
    for (size_t v = 0; v < curves->vertex_count; ++v) {
        const double *p = curves->positions + 3 * v;
        if (!vec3_in_reach(p))
            return status_fail(
                message, JN_ERR_MESH,
                "%s: vertex %zu is at (%g, %g, %g): every coordinate must be a finite number within %g of 0", place, v,
                p[0], p[1], p[2], VEC3_FARTHEST);
    }
    uint64_t corner_count = 0;
    for (uint32_t c = 0; c < curves->curve_count; ++c) {
        if (curves->curve_sizes[c] < 2)
            return status_fail(message, JN_ERR_MESH, "%s: curve %u has %u corners: a curve has at least 2", place, c,
                               curves->curve_sizes[c]);
        corner_count += curves->curve_sizes[c];
    }
    if (corner_count != curves->corner_count)
        return status_fail(message, JN_ERR_ARGUMENT, "%s: curve_sizes add up to %llu corners, but corner_count is %u",
                           place, (unsigned long long)corner_count, curves->corner_count);
    for (uint32_t k = 0; k < curves->corner_count; ++k)
        if (curves->curve_vertices[k] >= curves->vertex_count)
            return status_fail(message, JN_ERR_MESH, "%s: a curve names vertex %u, but there are %u vertices", place,
                               curves->curve_vertices[k], curves->vertex_count);
    return JN_OK;
}
