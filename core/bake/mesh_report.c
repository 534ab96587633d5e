/* What the mesher found in the surface of a body, as a report and as marks on its vertices. */
#include "bake/bake_internal.h"

#include "base/status.h"
#include "base/struct_size.h"

#include <string.h>

static JnStatus find_body(const JnBake *bake, uint32_t body_index, const Body **body, JnMessage *message) {
    if (!bake)
        return status_fail(message, JN_ERR_ARGUMENT, "bake is NULL: begin one by jn_bake_begin");
    if (body_index >= bake->model.body_count)
        return status_fail(message, JN_ERR_ARGUMENT, "body_index is %u, but the bake has %u bodies", body_index,
                           bake->model.body_count);
    *body = &bake->model.bodies[body_index];
    return status_clear(message);
}

JnStatus jn_bake_mesh_report(const JnBake *bake, uint32_t body_index, JnMeshReport *report, JnMessage *message) {
    const Body *body = NULL;
    JnStatus status = find_body(bake, body_index, &body, message);
    if (status == JN_OK)
        status = struct_size_check(report, report ? report->struct_size : 0, sizeof *report, "JnMeshReport", message);
    if (status == JN_OK)
        body_report(body, bake->settings.metres_per_unit, report);
    return status;
}

JnStatus jn_bake_mesh_marks(const JnBake *bake, uint32_t body_index, uint32_t *marks, uint32_t vertex_count,
                            JnMessage *message) {
    const Body *body = NULL;
    JnStatus status = find_body(bake, body_index, &body, message);
    if (status != JN_OK)
        return status;
    if (!marks || vertex_count != body->point_count)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "marks has room for %u vertices, but the surface of body_index %u has %u",
                           marks ? vertex_count : 0, body_index, body->point_count);
    if (body->report_marks)
        memcpy(marks, body->report_marks, vertex_count * sizeof *marks);
    else
        memset(marks, 0, vertex_count * sizeof *marks);
    return JN_OK;
}
