/* Barycentric coordinates in the containing tet, or in the nearest one, where they extrapolate. */
#include "geometry/embedding.h"
#include "geometry/array.h"
#include "geometry/bvh.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Two tets count as equally near if their squared distances agree to this fraction; then the one that extrapolates less
   is taken. */
#define SAME_DISTANCE 1e-9
/* Where the lowest weight is below the first, tets are compared up to the square root of the second times as far away
   as the nearest. */
#define FAR_OUT (-1.0)
#define CALMER 2.25

/* The search for one point. */
typedef struct Search {
    const TetMesh *mesh;
    uint32_t first; /* tet of the search tree */
    const double *point;
    double distance_squared; /* of the best tet so far */
    double lowest_weight;    /* of the best tet so far */
    uint32_t tet;
    double weights[4];
} Search;

/* Barycentric coordinates of `point`; they sum to 1 by construction. Returns the lowest. */
static double tet_weights(const double *const corners[4], const double *point, double weights[4]) {
    double ap[3], ab[3], ac[3], ad[3];
    vec3_sub(point, corners[0], ap);
    vec3_sub(corners[1], corners[0], ab);
    vec3_sub(corners[2], corners[0], ac);
    vec3_sub(corners[3], corners[0], ad);
    double det = vec3_det(ab, ac, ad);
    weights[1] = vec3_det(ap, ac, ad) / det;
    weights[2] = vec3_det(ab, ap, ad) / det;
    weights[3] = vec3_det(ab, ac, ap) / det;
    weights[0] = 1 - weights[1] - weights[2] - weights[3];
    return fmin(fmin(weights[0], weights[1]), fmin(weights[2], weights[3]));
}

/* The nearest point of a tet lies on a face that the point is beyond, that is, whose opposite weight is
   negative. */
static double tet_distance_squared(const double *const corners[4], const double *point, const double weights[4]) {
    double nearest = INFINITY;
    for (int i = 0; i < 4; ++i)
        if (weights[i] < 0)
            nearest = fmin(nearest, triangle_distance_squared(point, corners[(i + 1) % 4], corners[(i + 2) % 4],
                                                              corners[(i + 3) % 4], NULL));
    return nearest;
}

static double visit_tet(void *context, uint32_t item, double bound) {
    Search *search = context;
    uint32_t tet = search->first + item;
    const double *corners[4];
    for (size_t i = 0; i < 4; ++i)
        corners[i] = &search->mesh->positions[3 * (size_t)search->mesh->tet_vertices[4 * (size_t)tet + i]];
    double weights[4];
    double lowest = tet_weights(corners, search->point, weights);
    bool inside = lowest >= 0;
    double distance = inside ? 0 : tet_distance_squared(corners, search->point, weights);

    // nearer wins; among equally near tets the one that extrapolates least
    double slack = SAME_DISTANCE * search->distance_squared;
    bool first = search->tet == UINT32_MAX;
    bool nearer = distance < search->distance_squared - slack;
    bool as_near = distance <= search->distance_squared + slack && lowest > search->lowest_weight;
    if (first || inside || nearer || as_near) {
        search->tet = tet;
        search->lowest_weight = lowest;
        memcpy(search->weights, weights, sizeof weights);
    }
    if (first || distance < search->distance_squared)
        search->distance_squared = distance;
    return inside ? -1 : fmin(bound, search->distance_squared * (1 + SAME_DISTANCE));
}

/* Takes the tet that extrapolates least of all within the bound. */
static double visit_calmer(void *context, uint32_t item, double bound) {
    Search *search = context;
    uint32_t tet = search->first + item;
    const double *corners[4];
    for (size_t i = 0; i < 4; ++i)
        corners[i] = &search->mesh->positions[3 * (size_t)search->mesh->tet_vertices[4 * (size_t)tet + i]];
    double weights[4];
    double lowest = tet_weights(corners, search->point, weights);
    if (lowest > search->lowest_weight && tet_distance_squared(corners, search->point, weights) <= bound) {
        search->tet = tet;
        search->lowest_weight = lowest;
        memcpy(search->weights, weights, sizeof weights);
    }
    return bound;
}

/* The boxes of all tets [tet_count * 6]; NULL if out of memory. */
static double *tet_boxes(const TetMesh *mesh) {
    double *boxes = array_new(6 * (size_t)mesh->tet_count, sizeof *boxes);
    for (uint32_t t = 0; boxes && t < mesh->tet_count; ++t) {
        double *box = &boxes[6 * (size_t)t];
        for (size_t i = 0; i < 4; ++i) {
            const double *p = &mesh->positions[3 * (size_t)mesh->tet_vertices[4 * (size_t)t + i]];
            for (int a = 0; a < 3; ++a) {
                box[a] = i ? fmin(box[a], p[a]) : p[a];
                box[3 + a] = i ? fmax(box[3 + a], p[a]) : p[a];
            }
        }
    }
    return boxes;
}

static JnStatus allocate(uint32_t point_count, Embedding *embedding, JnMessage *message) {
    *embedding = (Embedding){.point_count = point_count};
    embedding->vertices = array_new(4 * (size_t)point_count, sizeof *embedding->vertices);
    embedding->weights = array_new(4 * (size_t)point_count, sizeof *embedding->weights);
    if (embedding->vertices && embedding->weights)
        return JN_OK;
    embedding_free(embedding);
    return status_no_memory(message, "the embedding of the render mesh");
}

/* Embeds the points of one group, or all if `groups` is NULL, in the tets first .. first + bvh's count). */
static JnStatus embed_points(const TetMesh *mesh, const Bvh *bvh, uint32_t first, const double *points,
                             const uint32_t *groups, uint32_t group, Embedding *embedding, JnMessage *message) {
    for (uint32_t p = 0; p < embedding->point_count; ++p) {
        if (groups && groups[p] != group)
            continue;
        Search search = {.mesh = mesh,
                         .first = first,
                         .point = &points[3 * (size_t)p],
                         .tet = UINT32_MAX,
                         .distance_squared = INFINITY,
                         .lowest_weight = -INFINITY};
        if (!vec3_finite(search.point))
            return status_fail(message, JN_ERR_ARGUMENT,
                               "point %u at (%g, %g, %g) cannot be embedded: it must have finite coordinates", p,
                               search.point[0], search.point[1], search.point[2]);
        bvh_visit_near(bvh, search.point, INFINITY, visit_tet, &search);
        // far from a small tet, a larger one not much farther away carries the point more calmly
        if (search.lowest_weight < FAR_OUT)
            bvh_visit_near(bvh, search.point, CALMER * search.distance_squared, visit_calmer, &search);
        memcpy(&embedding->vertices[4 * (size_t)p], &mesh->tet_vertices[4 * (size_t)search.tet],
               4 * sizeof *embedding->vertices);
        memcpy(&embedding->weights[4 * (size_t)p], search.weights, sizeof search.weights);
    }
    return JN_OK;
}

/* Embeds the points of `group` in the tets of a range. */
static JnStatus embed_group(const TetMesh *mesh, const double *boxes, uint32_t first, uint32_t count,
                            const double *points, const uint32_t *groups, uint32_t group, Embedding *embedding,
                            JnMessage *message) {
    Bvh bvh;
    JnStatus status = bvh_build(&boxes[6 * (size_t)first], count, &bvh, message);
    if (status == JN_OK)
        status = embed_points(mesh, &bvh, first, points, groups, group, embedding, message);
    bvh_free(&bvh);
    return status;
}

JnStatus embedding_build_grouped(const TetMesh *mesh, const uint32_t *first_tets, uint32_t group_count,
                                 const double *points, const uint32_t *groups, uint32_t point_count,
                                 Embedding *embedding, JnMessage *message) {
    *embedding = (Embedding){0};
    if (mesh->tet_count == 0)
        return status_fail(message, JN_ERR_MESH, "the points have no tets to be embedded in: the tet mesh is empty");
    double *boxes = tet_boxes(mesh);
    JnStatus status = boxes ? allocate(point_count, embedding, message)
                            : status_no_memory(message, "the embedding of the render mesh");
    bool any = !groups;
    for (uint32_t p = 0; groups && p < point_count; ++p)
        any = any || groups[p] == EMBEDDING_ANY;
    for (uint32_t g = 0; groups && status == JN_OK && g < group_count; ++g)
        status = embed_group(mesh, boxes, first_tets[g], first_tets[g + 1] - first_tets[g], points, groups, g,
                             embedding, message);
    if (any && status == JN_OK)
        status = embed_group(mesh, boxes, 0, mesh->tet_count, points, groups, EMBEDDING_ANY, embedding, message);
    free(boxes);
    if (status != JN_OK)
        embedding_free(embedding);
    return status;
}

JnStatus embedding_build(const TetMesh *mesh, const double *points, uint32_t point_count, Embedding *embedding,
                         JnMessage *message) {
    return embedding_build_grouped(mesh, NULL, 0, points, NULL, point_count, embedding, message);
}

JnStatus embedding_identity(const TetMesh *mesh, const uint32_t *vertex_of_point, uint32_t point_count,
                            Embedding *embedding, JnMessage *message) {
    *embedding = (Embedding){0};
    // for each vertex a corner of a tet, 4 tet + place: a row has four vertices of one tet
    size_t *corner_of_vertex = array_new(mesh->vertex_count, sizeof *corner_of_vertex);
    if (!corner_of_vertex)
        return status_no_memory(message, "the embedding of the render mesh");
    for (size_t c = 4 * (size_t)mesh->tet_count; c-- > 0;)
        corner_of_vertex[mesh->tet_vertices[c]] = c;
    JnStatus status = allocate(point_count, embedding, message);
    for (uint32_t p = 0; status == JN_OK && p < point_count; ++p) {
        uint32_t vertex = vertex_of_point[p];
        size_t corner = vertex < mesh->vertex_count ? corner_of_vertex[vertex] : SIZE_MAX;
        if (corner == SIZE_MAX || mesh->tet_vertices[corner] != vertex) {
            embedding_free(embedding);
            status =
                status_fail(message, JN_ERR_ARGUMENT, "point %u is vertex %u, which no tet of the mesh has", p, vertex);
            break;
        }
        memcpy(&embedding->vertices[4 * (size_t)p], &mesh->tet_vertices[corner / 4 * 4],
               4 * sizeof *embedding->vertices);
        embedding->weights[4 * (size_t)p + corner % 4] = 1;
    }
    free(corner_of_vertex);
    return status;
}

JnStatus embedding_of_vertices(uint32_t vertex_count, Embedding *embedding, JnMessage *message) {
    JnStatus status = allocate(vertex_count, embedding, message);
    for (size_t v = 0; status == JN_OK && v < vertex_count; ++v) {
        for (size_t i = 4 * v; i < 4 * v + 4; ++i)
            embedding->vertices[i] = (uint32_t)v;
        embedding->weights[4 * v] = 1;
    }
    return status;
}

void embedding_apply(const Embedding *embedding, const double *q, double *x) {
    for (size_t p = 0; p < embedding->point_count; ++p) {
        const uint32_t *v = &embedding->vertices[4 * p];
        const double *w = &embedding->weights[4 * p];
        for (size_t a = 0; a < 3; ++a)
            x[3 * p + a] = w[0] * q[3 * (size_t)v[0] + a] + w[1] * q[3 * (size_t)v[1] + a] +
                           w[2] * q[3 * (size_t)v[2] + a] + w[3] * q[3 * (size_t)v[3] + a];
    }
}

void embedding_apply_transpose(const Embedding *embedding, const double *g, double *f) {
    for (size_t p = 0; p < embedding->point_count; ++p)
        for (size_t i = 0; i < 4; ++i) {
            double *out = &f[3 * (size_t)embedding->vertices[4 * p + i]];
            double w = embedding->weights[4 * p + i];
            for (size_t a = 0; a < 3; ++a)
                out[a] += w * g[3 * p + a];
        }
}

void embedding_free(Embedding *embedding) {
    free(embedding->vertices);
    free(embedding->weights);
    *embedding = (Embedding){0};
}
