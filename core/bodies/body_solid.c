/* Solids: tets as given, or made from the surface by a mesher, each an element of the material's law. */
#include "bodies/body_kind.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/mesher.h"

#include <stdlib.h>
#include <string.h>

BODY_KIND(solid);

/* Tets as given, placed in the scene; a mirroring transform inverts every tet, so two corners are swapped. */
static JnStatus place_tets(const JnBody *desc, double metres_per_unit, Body *body, JnMessage *message) {
    JnStatus status = tetmesh_copy(&desc->tets, &body->mesh, message);
    if (status != JN_OK)
        return status;
    body_place_points(desc->tets.positions, desc->tets.vertex_count, desc->transform, metres_per_unit,
                      body->mesh.positions);
    double linear[9];
    for (int i = 0; i < 9; ++i)
        linear[i] = desc->transform[4 * (i / 3) + i % 3];
    for (size_t t = 0; mat3_det(linear) < 0 && t < body->mesh.tet_count; ++t) {
        uint32_t swapped = body->mesh.tet_vertices[4 * t];
        body->mesh.tet_vertices[4 * t] = body->mesh.tet_vertices[4 * t + 1];
        body->mesh.tet_vertices[4 * t + 1] = swapped;
    }
    return JN_OK;
}

/* Points embedded in given tets or in tets that the mesher makes. */
static JnStatus embed_surface(const JnBody *desc, double metres_per_unit, Body *body, JnMessage *message) {
    double *points = malloc(((size_t)desc->surface.vertex_count * 3 + 1) * sizeof *points);
    if (!points)
        return status_no_memory(message, "the surface");
    body_place_points(desc->surface.positions, desc->surface.vertex_count, desc->transform, metres_per_unit, points);
    JnStatus status;
    if (desc->tets.tet_count) {
        status = place_tets(desc, metres_per_unit, body, message);
        if (status == JN_OK)
            status = embedding_build(&body->mesh, points, desc->surface.vertex_count, &body->embedding, message);
    } else {
        const void *mesher = NULL;
        JnSurface placed = desc->surface;
        placed.positions = points;
        MesherOptions options = {.resolution = desc->resolution,
                                 .edge_length = metres_per_unit * desc->edge_length,
                                 .vertex_budget = desc->vertex_budget,
                                 .thread_count = body->thread_count,
                                 .keep_apart = desc->keep_pieces_apart != 0};
        status = table_find(&mesher_table, desc->mesher, "body.mesher", &mesher, message);
        if (status == JN_OK) {
            body->report = calloc(1, sizeof *body->report);
            body->report_marks = calloc((size_t)desc->surface.vertex_count + 1, sizeof *body->report_marks);
            if (!body->report || !body->report_marks)
                status = status_no_memory(message, "the report of the mesher");
        }
        if (status == JN_OK) {
            body->report->struct_size = sizeof *body->report;
            status = ((const Mesher *)mesher)
                         ->build(&placed, &options, &body->mesh, &body->embedding, body->report, body->report_marks,
                                 message);
        }
    }
    free(points);
    return status;
}

/* Points that are the vertices of the given tets. */
static JnStatus use_tets(const JnBody *desc, double metres_per_unit, Body *body, JnMessage *message) {
    JnStatus status = place_tets(desc, metres_per_unit, body, message);
    if (status != JN_OK)
        return status;
    body->vertex_of_point = malloc((size_t)desc->tets.vertex_count * sizeof(uint32_t));
    if (!body->vertex_of_point)
        return status_no_memory(message, "the body's points");
    for (uint32_t v = 0; v < desc->tets.vertex_count; ++v)
        body->vertex_of_point[v] = v;
    return embedding_identity(&body->mesh, body->vertex_of_point, desc->tets.vertex_count, &body->embedding, message);
}

JnStatus body_use_solid(const JnBody *desc, double metres_per_unit, Body *body, JnMessage *message) {
    bool has_surface = desc->surface.vertex_count > 0;
    JnStatus status = has_surface ? embed_surface(desc, metres_per_unit, body, message)
                                  : use_tets(desc, metres_per_unit, body, message);
    if (status != JN_OK)
        return status;
    return has_surface ? body_keep_surface(&desc->surface, body, message)
                       : body_keep_boundary(&desc->tets, body, message);
}

JnStatus solid_check(const JnBody *desc, const char *place, JnMessage *message) {
    (void)desc, (void)place, (void)message; /* tets and surface were checked; the mesher checks the rest */
    return JN_OK;
}

JnStatus solid_build(const JnBody *desc, double metres_per_unit, const char *place, Body *body, JnMessage *message) {
    (void)place;
    JnStatus status = body_use_solid(desc, metres_per_unit, body, message);
    body->element_count = body->mesh.tet_count;
    return status;
}
