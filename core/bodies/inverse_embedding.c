/* Two least-squares extensions over the tets, each factored once, when first needed:

     positions   min |W q - x|^2 + small sum over inner faces of the jump of the deformation gradient across the face,
                 which is zero for every affine motion, solved for the displacement from rest less the best-fitting
                 rigid motion of the points;
     weights     a harmonic function that takes, where points are, their mean weight; its matrix has no positive entry
                 off the diagonal, so the result stays within the painted range. */
#include "bodies/inverse_embedding.h"

#include "bodies/fibre_sections.h"

#include "base/math3.h"
#include "base/rigid.h"
#include "base/status.h"
#include "elastic/tet_elements.h"
#include "linear/scalar_system.h"

#include <stdlib.h>
#include <string.h>

/* weight of smoothness relative to fitting the points */
static const double POSITION_SMOOTHNESS = 1e-3;
static const double WEIGHT_SMOOTHNESS = 0.08;
/* regularization towards the rigid motion, for what neither points nor smoothness determine (the thickness of a flat
   sheet) */
static const double REST_PULL = 1e-12;

struct InverseEmbedding {
    uint32_t vertex_count, point_count;
    Sections *sections;        /* if points are the means of four vertices each, else NULL */
    uint32_t *vertex_of_point; /* points that are vertices, else NULL: then the rest below */
    Embedding embedding;
    const TetMesh *mesh; /* borrowed */
    double *rest;        /* [vertex_count * 3] */
    double *rest_points; /* [point_count * 3] */
    double *presence;    /* [vertex_count] sum of the points' squared weights there */
    ScalarSystem *position_system, *weight_system;
};

typedef struct Face {
    uint32_t corners[3]; /* ascending */
    uint32_t tet, opposite;
} Face;

static int compare_faces(const void *a, const void *b) {
    const Face *x = a, *y = b;
    for (int i = 0; i < 3; ++i)
        if (x->corners[i] != y->corners[i])
            return x->corners[i] < y->corners[i] ? -1 : 1;
    return (x->tet > y->tet) - (x->tet < y->tet);
}

static void swap_if_greater(uint32_t *a, uint32_t *b) {
    if (*a > *b) {
        uint32_t t = *a;
        *a = *b;
        *b = t;
    }
}

/* All faces of all tets, equal ones next to each other. The caller frees them. NULL without memory. */
static Face *list_faces(const TetMesh *mesh) {
    Face *faces = malloc(((size_t)mesh->tet_count * 4 + 1) * sizeof *faces);
    if (!faces)
        return NULL;
    for (uint32_t t = 0; t < mesh->tet_count; ++t) {
        const uint32_t *tet = mesh->tet_vertices + 4 * (size_t)t;
        for (uint32_t a = 0; a < 4; ++a) {
            Face *face = &faces[4 * (size_t)t + a];
            *face = (Face){{tet[(a + 1) % 4], tet[(a + 2) % 4], tet[(a + 3) % 4]}, t, tet[a]};
            swap_if_greater(&face->corners[0], &face->corners[1]);
            swap_if_greater(&face->corners[1], &face->corners[2]);
            swap_if_greater(&face->corners[0], &face->corners[1]);
        }
    }
    qsort(faces, (size_t)mesh->tet_count * 4, sizeof *faces, compare_faces);
    return faces;
}

/* Adds the squared jump of the gradient across the face of tets s and t. */
static void add_gradient_jump(const TetMesh *mesh, const Face *s, const Face *t, ScalarSystem *system) {
    double gs[4][3], gt[4][3], volume_s, volume_t, jump[5][3];
    uint32_t nodes[5] = {s->corners[0], s->corners[1], s->corners[2], s->opposite, t->opposite};
    if (!tet_gradients(mesh->positions, mesh->tet_vertices + 4 * (size_t)s->tet, gs, &volume_s) ||
        !tet_gradients(mesh->positions, mesh->tet_vertices + 4 * (size_t)t->tet, gt, &volume_t))
        return;
    memset(jump, 0, sizeof jump);
    for (int k = 0; k < 5; ++k)
        for (int a = 0; a < 4; ++a)
            for (int j = 0; j < 3; ++j) {
                if (mesh->tet_vertices[4 * (size_t)s->tet + (size_t)a] == nodes[k])
                    jump[k][j] += gs[a][j];
                if (mesh->tet_vertices[4 * (size_t)t->tet + (size_t)a] == nodes[k])
                    jump[k][j] -= gt[a][j];
            }
    /* times a squared length, so that the weight does not depend on scale */
    double scale = POSITION_SMOOTHNESS * pow(0.5 * (volume_s + volume_t), 2.0 / 3.0);
    for (int k = 0; k < 5; ++k)
        for (int l = 0; l <= k; ++l)
            scalar_system_add(system, nodes[k], nodes[l], scale * vec3_dot(jump[k], jump[l]));
}

static JnStatus build_position_system(InverseEmbedding *follow, JnMessage *message) {
    const TetMesh *mesh = follow->mesh;
    Face *faces = list_faces(mesh);
    if (!faces)
        return status_no_memory(message, "the pins");
    size_t face_count = (size_t)mesh->tet_count * 4, points = follow->point_count;
    JnStatus status = scalar_system_create(mesh->vertex_count, face_count * 15 + points * 10 + mesh->vertex_count,
                                           &follow->position_system, message);
    if (status == JN_OK) {
        for (uint32_t v = 0; v < mesh->vertex_count; ++v)
            scalar_system_add(follow->position_system, v, v, REST_PULL);
        for (size_t p = 0; p < points; ++p)
            for (size_t a = 0; a < 4; ++a)
                for (size_t b = 0; b <= a; ++b)
                    scalar_system_add(follow->position_system, follow->embedding.vertices[4 * p + a],
                                      follow->embedding.vertices[4 * p + b],
                                      follow->embedding.weights[4 * p + a] * follow->embedding.weights[4 * p + b]);
        for (size_t f = 0; f + 1 < face_count; ++f)
            if (memcmp(faces[f].corners, faces[f + 1].corners, sizeof faces[f].corners) == 0)
                add_gradient_jump(mesh, &faces[f], &faces[f + 1], follow->position_system);
        status = scalar_system_factor(follow->position_system, message);
    }
    free(faces);
    return status;
}

/* The length of the mean tet: the cube root of its volume. */
static double usual_length(const TetMesh *mesh) {
    double total = 0, g[4][3], volume;
    for (size_t t = 0; t < mesh->tet_count; ++t)
        if (tet_gradients(mesh->positions, mesh->tet_vertices + 4 * t, g, &volume))
            total += volume;
    return total > 0 ? cbrt(total / mesh->tet_count) : 1;
}

static JnStatus build_weight_system(InverseEmbedding *follow, JnMessage *message) {
    const TetMesh *mesh = follow->mesh;
    JnStatus status = scalar_system_create(mesh->vertex_count, (size_t)mesh->tet_count * 18 + 2 * mesh->vertex_count,
                                           &follow->weight_system, message);
    if (status != JN_OK)
        return status;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
        scalar_system_add(follow->weight_system, v, v, follow->presence[v] + REST_PULL);
    double usual = usual_length(mesh), g[4][3], volume;
    for (size_t t = 0; t < mesh->tet_count; ++t) {
        const uint32_t *tet = mesh->tet_vertices + 4 * t;
        if (!tet_gradients(mesh->positions, tet, g, &volume))
            continue;
        /* the gradient squared: a ramp on the surface is one inside, also where small cells meet large ones */
        for (size_t a = 0; a < 4; ++a)
            for (size_t b = 0; b <= a; ++b)
                scalar_system_add(follow->weight_system, tet[a], tet[b],
                                  WEIGHT_SMOOTHNESS * volume * vec3_dot(g[a], g[b]) / usual);
    }
    return scalar_system_factor(follow->weight_system, message);
}

/* The embedded case: copies the embedding and sets up both systems. */
static JnStatus create_embedded(InverseEmbedding *follow, const TetMesh *mesh, const Embedding *embedding,
                                JnMessage *message) {
    size_t rows = (size_t)embedding->point_count * 4, n = (size_t)mesh->vertex_count * 3;
    follow->embedding.point_count = embedding->point_count;
    follow->embedding.vertices = malloc((rows + 1) * sizeof(uint32_t));
    follow->embedding.weights = malloc((rows + 1) * sizeof(double));
    follow->rest = malloc((n + 1) * sizeof(double));
    follow->rest_points = malloc(((size_t)embedding->point_count * 3 + 1) * sizeof(double));
    follow->presence = calloc((size_t)mesh->vertex_count + 1, sizeof(double));
    if (!follow->embedding.vertices || !follow->embedding.weights || !follow->rest || !follow->rest_points ||
        !follow->presence)
        return status_no_memory(message, "the pins");
    memcpy(follow->embedding.vertices, embedding->vertices, rows * sizeof(uint32_t));
    memcpy(follow->embedding.weights, embedding->weights, rows * sizeof(double));
    memcpy(follow->rest, mesh->positions, n * sizeof(double));
    embedding_apply(embedding, follow->rest, follow->rest_points);
    for (size_t k = 0; k < rows; ++k)
        follow->presence[embedding->vertices[k]] += embedding->weights[k] * embedding->weights[k];
    follow->mesh = mesh;
    return JN_OK;
}

JnStatus inverse_embedding_create(const TetMesh *mesh, const Embedding *embedding, const uint32_t *vertex_of_point,
                                  InverseEmbedding **out, JnMessage *message) {
    *out = NULL;
    InverseEmbedding *follow = calloc(1, sizeof *follow);
    if (!follow)
        return status_no_memory(message, "the pins");
    follow->vertex_count = mesh->vertex_count;
    follow->point_count = embedding->point_count;
    JnStatus status;
    if (vertex_of_point) {
        follow->vertex_of_point = malloc(((size_t)embedding->point_count + 1) * sizeof(uint32_t));
        status = follow->vertex_of_point ? JN_OK : status_no_memory(message, "the pins");
        if (status == JN_OK)
            memcpy(follow->vertex_of_point, vertex_of_point, (size_t)embedding->point_count * sizeof(uint32_t));
    } else {
        status = create_embedded(follow, mesh, embedding, message);
    }
    if (status != JN_OK)
        inverse_embedding_destroy(follow);
    else
        *out = follow;
    return status;
}

JnStatus inverse_embedding_create_sections(const TetMesh *mesh, const uint32_t *neighbours, InverseEmbedding **out,
                                           JnMessage *message) {
    *out = NULL;
    InverseEmbedding *follow = calloc(1, sizeof *follow);
    if (!follow)
        return status_no_memory(message, "the pins");
    follow->vertex_count = mesh->vertex_count;
    follow->point_count = mesh->vertex_count / 4;
    follow->sections = sections_create(mesh->positions, neighbours, follow->point_count);
    if (!follow->sections) {
        inverse_embedding_destroy(follow);
        return status_no_memory(message, "the pins");
    }
    *out = follow;
    return JN_OK;
}

JnStatus inverse_embedding_weights(InverseEmbedding *follow, const float *weights, double *vertex_weights,
                                   JnMessage *message) {
    if (follow->sections) {
        for (uint32_t v = 0; v < follow->vertex_count; ++v)
            vertex_weights[v] = (double)weights[v / 4];
        return JN_OK;
    }
    if (follow->vertex_of_point) {
        for (uint32_t p = 0; p < follow->point_count; ++p)
            vertex_weights[follow->vertex_of_point[p]] = (double)weights[p];
        return JN_OK;
    }
    JnStatus status = follow->weight_system ? JN_OK : build_weight_system(follow, message);
    if (status != JN_OK)
        return status;

    /* the mean over the points around a vertex, weighted by their embedding weights */
    memset(vertex_weights, 0, (size_t)follow->vertex_count * sizeof *vertex_weights);
    for (size_t k = 0; k < (size_t)follow->point_count * 4; ++k) {
        double share = follow->embedding.weights[k] * follow->embedding.weights[k];
        vertex_weights[follow->embedding.vertices[k]] += share * (double)weights[k / 4];
    }
    status = scalar_system_solve(follow->weight_system, vertex_weights, 1, message);
    for (uint32_t v = 0; v < follow->vertex_count; ++v)
        vertex_weights[v] = fmin(1, fmax(0, vertex_weights[v]));
    return status;
}

JnStatus inverse_embedding_positions(InverseEmbedding *follow, const double *points, double *positions,
                                     JnMessage *message) {
    if (follow->sections) {
        sections_place(follow->sections, points, positions);
        return JN_OK;
    }
    if (follow->vertex_of_point) {
        for (uint32_t p = 0; p < follow->point_count; ++p)
            memcpy(positions + 3 * (size_t)follow->vertex_of_point[p], points + 3 * (size_t)p, 3 * sizeof *points);
        return JN_OK;
    }
    JnStatus status = follow->position_system ? JN_OK : build_position_system(follow, message);
    if (status != JN_OK)
        return status;

    /* the rigid motion of the points, and the remaining displacement */
    double motion[12], moved[3];
    rigid_fit(follow->rest_points, points, follow->point_count, motion);
    memset(positions, 0, (size_t)follow->vertex_count * 3 * sizeof *positions);
    for (size_t p = 0; p < follow->point_count; ++p) {
        affine_apply(motion, follow->rest_points + 3 * p, moved);
        for (size_t k = 4 * p; k < 4 * p + 4; ++k)
            for (size_t i = 0; i < 3; ++i)
                positions[3 * (size_t)follow->embedding.vertices[k] + i] +=
                    follow->embedding.weights[k] * (points[3 * p + i] - moved[i]);
    }
    status = scalar_system_solve(follow->position_system, positions, 3, message);
    for (size_t v = 0; v < follow->vertex_count; ++v) {
        affine_apply(motion, follow->rest + 3 * v, moved);
        for (size_t i = 0; i < 3; ++i)
            positions[3 * v + i] += moved[i];
    }
    return status;
}

void inverse_embedding_destroy(InverseEmbedding *follow) {
    if (!follow)
        return;
    sections_destroy(follow->sections);
    free(follow->vertex_of_point);
    embedding_free(&follow->embedding);
    free(follow->rest);
    free(follow->rest_points);
    free(follow->presence);
    scalar_system_destroy(follow->position_system);
    scalar_system_destroy(follow->weight_system);
    free(follow);
}
