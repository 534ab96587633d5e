#include "bake/start_view.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

JnStatus start_view_create(JnBake *bake, StaysPut stays_put, uint32_t term_roles, Jacobian *lender, View **out,
                           JnMessage *message) {
    const View *steps = bake->motion.view;
    uint8_t *roles = malloc((size_t)bake->model.vertex_count + 1);
    *out = NULL;
    if (!roles)
        return status_no_memory(message, "the start pose");
    memcpy(roles, steps->roles, bake->model.vertex_count);
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        for (uint32_t k = 0; k < body->mesh.vertex_count; ++k)
            if (roles[body->first_vertex + k] == VERTEX_FREE && stays_put(bake, b, k))
                roles[body->first_vertex + k] = VERTEX_ELSEWHERE;
    }
    ViewDesc desc = {.system = steps->system, .roles = roles, .term_roles = term_roles, .stiffness = steps->stiffness};
    View *view = NULL;
    JnStatus status = view_create(&desc, &view, message);
    free(roles);
    if (status == JN_OK)
        status = view_share_jacobian(view, lender, message);
    if (status != JN_OK) {
        view_destroy(view);
        return status;
    }
    view_set_time(view, bake->motion.state.time, bake->motion.state.time);
    *out = view;
    return JN_OK;
}
