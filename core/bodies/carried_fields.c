/* Fields of a surface on the tets that fill it, as painted weights reach the tets of a bake. */
#include "bodies/inverse_embedding.h"
#include "geometry/array.h"
#include "geometry/mesh.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One field; painted [surface vertices] and inside [tet vertices]: for use. */
static JnStatus carry(InverseEmbedding *follow, const JnMeshField *field, uint32_t point_count, JnMesh *tets,
                      float *painted, double *inside, JnMessage *message) {
    double *values;
    uint32_t width = field->component_count;
    JnStatus status = mesh_add_field(tets, field->name, strlen(field->name), width, &values, message);
    for (uint32_t c = 0; status == JN_OK && c < width; ++c) {
        // weights are from 0 to 1
        double lowest = INFINITY, highest = -INFINITY;
        for (size_t p = 0; p < point_count; ++p) {
            lowest = fmin(lowest, field->values[p * width + c]);
            highest = fmax(highest, field->values[p * width + c]);
        }
        double range = highest > lowest ? highest - lowest : 1;
        for (size_t p = 0; p < point_count; ++p)
            painted[p] = (float)((field->values[p * width + c] - lowest) / range);
        status = inverse_embedding_weights(follow, painted, inside, message);
        for (size_t v = 0; status == JN_OK && v < tets->vertex_count; ++v)
            values[v * width + c] = lowest + range * inside[v];
    }
    return status;
}

JnStatus jn_mesh_carry_fields(const JnMesh *surface, JnMesh *tets, JnMessage *message) {
    status_clear(message);
    if (!surface || !tets)
        return status_fail(message, JN_ERR_ARGUMENT, "jn_mesh_carry_fields: %s is NULL", surface ? "tets" : "surface");
    if (surface->tet_count || !tets->tet_count)
        return status_fail(message, JN_ERR_ARGUMENT, "jn_mesh_carry_fields: fields go from a surface to tets");
    if (surface->field_count == 0)
        return JN_OK;
    TetMesh mesh = {.vertex_count = tets->vertex_count,
                    .tet_count = tets->tet_count,
                    .positions = tets->positions,
                    .tet_vertices = tets->tet_vertices};
    Embedding embedding = {0};
    InverseEmbedding *follow = NULL;
    float *painted = array_new(surface->vertex_count, sizeof *painted);
    double *inside = array_new(tets->vertex_count, sizeof *inside);
    JnStatus status = painted && inside
                          ? embedding_build(&mesh, surface->positions, surface->vertex_count, &embedding, message)
                          : status_no_memory(message, "the fields of a mesh");
    if (status == JN_OK)
        status = inverse_embedding_create(&mesh, &embedding, NULL, &follow, message);
    for (uint32_t f = 0; status == JN_OK && f < surface->field_count; ++f)
        status = carry(follow, &surface->fields[f], surface->vertex_count, tets, painted, inside, message);
    inverse_embedding_destroy(follow);
    embedding_free(&embedding);
    free(painted);
    free(inside);
    return status;
}
