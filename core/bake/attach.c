/* Bodies that are attached to others: which of their vertices, to which points of the other body's rest shape, and
   which body carries one along that has no animation of its own. */
#include "bake/attach.h"

#include "alembic_io.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static Body *find_body(JnBake *bake, const char *name) {
    char written[NAME_CAPACITY];
    abc_make_name(written, sizeof written, name);
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        if (strcmp(bake->model.bodies[b].name, written) == 0)
            return &bake->model.bodies[b];
    return NULL; /* the desc was checked */
}

/* Room for the attachments of one more map. */
static bool reserve(Attachments *attachments, size_t more) {
    size_t count = attachments->count + more;
    Attachment *list = realloc(attachments->list, (count + 1) * sizeof *list);
    if (list)
        attachments->list = list;
    uint32_t *vertices = realloc(attachments->vertices, (count * ATTACHMENT_VERTICES + 1) * sizeof *vertices);
    if (vertices)
        attachments->vertices = vertices;
    return list && vertices;
}

static JnStatus attach(const JnBake *bake, const Body *body, const Body *other, const double *rates,
                       Attachments *attachments, JnMessage *message) {
    Embedding places = {.point_count = 0};
    if (other->mesh.tet_count == 0)
        return status_fail(
            message, JN_ERR_NOT_BUILT,
            "'%s' is attached to '%s', which has no tets: attaching to what is no solid is not yet built", body->name,
            other->name);
    JnStatus status = embedding_build(&other->mesh, body->mesh.positions, body->mesh.vertex_count, &places, message);
    if (status == JN_OK && !reserve(attachments, body->mesh.vertex_count))
        status = status_no_memory(message, "the attachments");
    for (uint32_t v = 0; status == JN_OK && v < body->mesh.vertex_count; ++v) {
        if (rates[v] <= 0)
            continue;
        Attachment *attachment = &attachments->list[attachments->count];
        uint32_t *vertices = attachments->vertices + ATTACHMENT_VERTICES * (size_t)attachments->count++;
        attachment->vertices[0] = body->first_vertex + v;
        attachment->weights[0] = 1;
        for (size_t a = 0; a < 4; ++a) {
            attachment->vertices[1 + a] = other->first_vertex + places.vertices[4 * (size_t)v + a];
            attachment->weights[1 + a] = -places.weights[4 * (size_t)v + a];
        }
        attachment->stiffness = rates[v] * bake->model.system.masses[body->first_vertex + v];
        memcpy(vertices, attachment->vertices, sizeof attachment->vertices);
    }
    embedding_free(&places);
    return status;
}

JnStatus attachments_list(JnBake *bake, Attachments *attachments, JnMessage *message) {
    memset(attachments, 0, sizeof *attachments);
    JnStatus status = JN_OK;
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        Body *body = &bake->model.bodies[b];
        body->carrier = b;
        for (const AttachMap *map = body->attached; status == JN_OK && map; map = map->next) {
            const Body *other = find_body(bake, map->to);
            status = attach(bake, body, other, map->rates, attachments, message);
            if (!body->has_targets)
                body->carrier = (uint32_t)(other - bake->model.bodies);
        }
    }
    /* along chains of them; a ring has no carrier */
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        uint32_t at = b;
        for (uint32_t i = 0; i < bake->model.body_count && bake->model.bodies[at].carrier != at; ++i)
            at = bake->model.bodies[at].carrier;
        bake->model.bodies[b].carrier = bake->model.bodies[at].carrier == at ? at : b;
    }
    if (status != JN_OK)
        attachments_free(attachments);
    return status;
}

void attachments_free(Attachments *attachments) {
    free(attachments->list);
    free(attachments->vertices);
    memset(attachments, 0, sizeof *attachments);
}
