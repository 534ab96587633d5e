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
/* Where the lowest weight is below this, tets around are tried, in so many steps. */
#define FAR_OUT (-1.0)
enum { MOST_STEPS = 8 };

/* The search for one point. */
typedef struct Search {
    const TetMesh *mesh;
    uint32_t first; /* tet of the search tree */
    const double *point;
    double distance_squared; /* of the best tet so far */
    double lowest_weight;    /* of the best tet so far */
    uint32_t tet;
    uint32_t around; /* the tet whose neighbours are tried */
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

/* The weights of the searched point in a tet, the lowest of which is returned, and its corners. */
static double weigh(const Search *search, uint32_t tet, const double *corners[4], double weights[4]) {
    for (size_t i = 0; i < 4; ++i)
        corners[i] = &search->mesh->positions[3 * (size_t)search->mesh->tet_vertices[4 * (size_t)tet + i]];
    return tet_weights(corners, search->point, weights);
}

static void take(Search *search, uint32_t tet, double lowest) {
    search->tet = tet;
    search->lowest_weight = lowest;
}

static double visit_tet(void *context, uint32_t item, double bound) {
    Search *search = context;
    uint32_t tet = search->first + item;
    const double *corners[4];
    double weights[4], lowest = weigh(search, tet, corners, weights);
    bool inside = lowest >= 0;
    double distance = inside ? 0 : tet_distance_squared(corners, search->point, weights);

    // nearer wins; among equally near tets the one that extrapolates least
    double slack = SAME_DISTANCE * search->distance_squared;
    bool first = search->tet == UINT32_MAX;
    bool nearer = distance < search->distance_squared - slack;
    bool as_near = distance <= search->distance_squared + slack && lowest > search->lowest_weight;
    if (first || inside || nearer || as_near)
        take(search, tet, lowest);
    if (first || distance < search->distance_squared)
        search->distance_squared = distance;
    return inside ? -1 : fmin(bound, search->distance_squared * (1 + SAME_DISTANCE));
}

static bool share_vertex(const uint32_t *a, const uint32_t *b) {
    for (int i = 0; i < 16; ++i)
        if (a[i / 4] == b[i % 4])
            return true;
    return false;
}

/* Takes the tet that extrapolates least of those around one. */
static double visit_calmer(void *context, uint32_t item, double bound) {
    Search *search = context;
    const uint32_t *tets = search->mesh->tet_vertices;
    uint32_t tet = search->first + item;
    const double *corners[4];
    double weights[4], lowest = weigh(search, tet, corners, weights);
    if (lowest > search->lowest_weight && share_vertex(&tets[4 * (size_t)tet], &tets[4 * (size_t)search->around]))
        take(search, tet, lowest);
    return bound;
}

/* Goes on from a tet that is small against the distance of the point to its neighbours, while that is calmer. They hang
   together, so that the point stays with its side of a gap. */
static void calm(const Bvh *bvh, Search *search) {
    for (int step = 0; step < MOST_STEPS; ++step) {
        const double *corners[4];
        double weights[4], longest = 0;
        search->around = search->tet;
        search->lowest_weight = weigh(search, search->tet, corners, weights);
        if (search->lowest_weight >= FAR_OUT)
            return;
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < a; ++b)
                longest = fmax(longest, vec3_distance_squared(corners[a], corners[b]));
        double reach = sqrt(tet_distance_squared(corners, search->point, weights)) + sqrt(longest);
        bvh_visit_near(bvh, search->point, reach * reach, visit_calmer, search);
        if (search->tet == search->around)
            return;
    }
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

/* The search for the tet nearest to a point. */
static Search search_from(const TetMesh *mesh, const Bvh *bvh, uint32_t first, const double *point) {
    Search search = {.mesh = mesh,
                     .first = first,
                     .point = point,
                     .tet = UINT32_MAX,
                     .distance_squared = INFINITY,
                     .lowest_weight = -INFINITY};
    bvh_visit_near(bvh, point, INFINITY, visit_tet, &search);
    return search;
}

/* At a corner that the tets have cut off, the anchor lies outside too. A tet deeper inside carries the point, if
   there is one; the nearest may be that of the other side of a gap. */
static void search_deeper(const Bvh *bvh, const double point[3], Search *search) {
    static const double depths[] = {3, 6};
    for (int i = 0; i < 2; ++i) {
        double deep[3];
        for (int a = 0; a < 3; ++a)
            deep[a] = point[a] + depths[i] * (search->point[a] - point[a]);
        Search further = {.mesh = search->mesh,
                          .first = search->first,
                          .point = deep,
                          .tet = UINT32_MAX,
                          .distance_squared = INFINITY,
                          .lowest_weight = -INFINITY};
        bvh_visit_near(bvh, deep, 0, visit_tet, &further);
        if (further.distance_squared > 0)
            continue;
        take(search, further.tet, further.lowest_weight);
        return;
    }
}

/* Embeds the points of one part, or all if `parts` is NULL, in the tets first .. first + bvh's count). */
static JnStatus embed_points(const TetMesh *mesh, const Bvh *bvh, uint32_t first, const double *points,
                             const EmbeddingParts *parts, uint32_t group, Embedding *embedding, JnMessage *message) {
    for (uint32_t p = 0; p < embedding->point_count; ++p) {
        const double *point = &points[3 * (size_t)p], *corners[4];
        if (parts && parts->groups[p] != group)
            continue;
        if (!vec3_finite(point))
            return status_fail(message, JN_ERR_ARGUMENT,
                               "point %u at (%g, %g, %g) cannot be embedded: it must have finite coordinates", p,
                               point[0], point[1], point[2]);
        Search search = search_from(mesh, bvh, first, parts ? &parts->anchors[3 * (size_t)p] : point);
        if (parts && search.distance_squared > 0)
            search_deeper(bvh, point, &search);
        search.point = point;
        calm(bvh, &search);
        if (parts && search.lowest_weight < FAR_OUT) {
            /* rather the nearest tet, on whichever side of a gap, than one that throws the point about */
            Search nearest = search_from(mesh, bvh, first, point);
            calm(bvh, &nearest);
            search = nearest.lowest_weight > search.lowest_weight ? nearest : search;
        }
        weigh(&search, search.tet, corners, &embedding->weights[4 * (size_t)p]);
        memcpy(&embedding->vertices[4 * (size_t)p], &mesh->tet_vertices[4 * (size_t)search.tet],
               4 * sizeof *embedding->vertices);
    }
    return JN_OK;
}

/* Embeds the points of `group` in the tets of a range. */
static JnStatus embed_group(const TetMesh *mesh, const double *boxes, uint32_t first, uint32_t count,
                            const double *points, const EmbeddingParts *parts, uint32_t group, Embedding *embedding,
                            JnMessage *message) {
    Bvh bvh;
    JnStatus status = bvh_build(&boxes[6 * (size_t)first], count, &bvh, message);
    if (status == JN_OK)
        status = embed_points(mesh, &bvh, first, points, parts, group, embedding, message);
    bvh_free(&bvh);
    return status;
}

/* In parts, or all in all tets if `parts` is NULL. */
static JnStatus build(const TetMesh *mesh, const EmbeddingParts *parts, const double *points, uint32_t point_count,
                      Embedding *embedding, JnMessage *message) {
    *embedding = (Embedding){0};
    if (mesh->tet_count == 0)
        return status_fail(message, JN_ERR_MESH, "the points have no tets to be embedded in: the tet mesh is empty");
    double *boxes = tet_boxes(mesh);
    JnStatus status = boxes ? allocate(point_count, embedding, message)
                            : status_no_memory(message, "the embedding of the render mesh");
    bool any = !parts;
    for (uint32_t p = 0; parts && p < point_count; ++p)
        any = any || parts->groups[p] == EMBEDDING_ANY;
    for (uint32_t g = 0; parts && status == JN_OK && g < parts->count; ++g)
        status = embed_group(mesh, boxes, parts->first_tets[g], parts->first_tets[g + 1] - parts->first_tets[g], points,
                             parts, g, embedding, message);
    if (any && status == JN_OK)
        status = embed_group(mesh, boxes, 0, mesh->tet_count, points, parts, EMBEDDING_ANY, embedding, message);
    free(boxes);
    if (status != JN_OK)
        embedding_free(embedding);
    return status;
}

JnStatus embedding_build(const TetMesh *mesh, const double *points, uint32_t point_count, Embedding *embedding,
                         JnMessage *message) {
    return build(mesh, NULL, points, point_count, embedding, message);
}

JnStatus embedding_build_in_parts(const TetMesh *mesh, const EmbeddingParts *parts, const double *points,
                                  uint32_t point_count, Embedding *embedding, JnMessage *message) {
    return build(mesh, parts, points, point_count, embedding, message);
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
