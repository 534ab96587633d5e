#include "geometry/bvh.h"
#include "geometry/embedding.h"
#include "harness.h"
#include "unit/test_geometry_helpers.h"

/* A ball of diameter 2 as a TetMesh that borrows its arrays. */
typedef struct BallFixture {
    JnMesh *mesh;
    JnMeshView view;
    TetMesh tets;
} BallFixture;

static bool make_ball(uint32_t cells, BallFixture *ball) {
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, "ball");
    shape.size[0] = shape.size[1] = shape.size[2] = 2;
    shape.cells[0] = cells;
    shape.layer_count = 0;
    *ball = (BallFixture){.view = {.struct_size = sizeof ball->view}};
    if (jn_shape_make(&shape, &ball->mesh, NULL) != JN_OK || jn_mesh_view(ball->mesh, &ball->view, NULL) != JN_OK)
        return false;
    ball->tets = (TetMesh){.vertex_count = ball->view.tets.vertex_count,
                           .tet_count = ball->view.tets.tet_count,
                           .positions = (double *)ball->view.tets.positions,
                           .tet_vertices = (uint32_t *)ball->view.tets.tet_vertices};
    return true;
}

/* Points in a cube of half side `reach`, the first third exactly on vertices, edges and faces of tets. */
static double *make_points(const TetMesh *mesh, uint32_t count, double reach) {
    double *points = malloc(3 * (size_t)count * sizeof *points);
    uint64_t state = 7;
    for (uint32_t p = 0; p < count; ++p) {
        const uint32_t *tet = &mesh->tet_vertices[4 * (size_t)(random_unit(&state) * mesh->tet_count)];
        for (size_t a = 0; a < 3; ++a) {
            points[3 * (size_t)p + a] = reach * (2 * random_unit(&state) - 1);
            if (p < count / 3) {
                double sum = 0;
                for (uint32_t i = 0; i <= p % 3; ++i)
                    sum += mesh->positions[3 * (size_t)tet[i] + a];
                points[3 * (size_t)p + a] = sum / (p % 3 + 1);
            }
        }
    }
    return points;
}

TEST(embedding_of_points_inside_and_outside_reproduces_them) {
    BallFixture ball;
    CHECK(make_ball(8, &ball));
    enum { COUNT = 3000 };
    double *points = make_points(&ball.tets, COUNT, 1.5), *back = malloc(3 * COUNT * sizeof *back);
    Embedding embedding;
    CHECK(embedding_build(&ball.tets, points, COUNT, &embedding, NULL) == JN_OK);
    embedding_apply(&embedding, ball.tets.positions, back);
    double error = 0, sum_error = 0;
    for (size_t i = 0; i < 3 * COUNT; ++i)
        error = fmax(error, fabs(back[i] - points[i]));
    for (size_t p = 0; p < COUNT; ++p) {
        const double *w = &embedding.weights[4 * p];
        sum_error = fmax(sum_error, fabs(w[0] + w[1] + w[2] + w[3] - 1));
    }
    CHECK_NEAR(error, 0, 1e-12);
    CHECK_NEAR(sum_error, 0, 1e-14);
    embedding_free(&embedding);
    free(points);
    free(back);
    jn_mesh_free(ball.mesh);
}

TEST(embedding_of_points_inside_has_no_negative_weight) {
    BallFixture ball;
    CHECK(make_ball(8, &ball));
    enum { COUNT = 3000 };
    // a cube that fits into the ball of chords
    double *points = make_points(&ball.tets, COUNT, 0.5);
    Embedding embedding;
    CHECK(embedding_build(&ball.tets, points, COUNT, &embedding, NULL) == JN_OK);
    double lowest = INFINITY;
    for (size_t i = 0; i < 4 * COUNT; ++i)
        lowest = fmin(lowest, embedding.weights[i]);
    CHECK(lowest > -1e-12);
    embedding_free(&embedding);
    free(points);
    jn_mesh_free(ball.mesh);
}

TEST(embedding_of_point_outside_uses_a_nearest_tet) {
    BallFixture ball;
    CHECK(make_ball(6, &ball));
    uint64_t state = 3;
    for (int trial = 0; trial < 300; ++trial) {
        // a point beyond a face of the boundary, along its normal: that face's tet is the nearest
        uint32_t face = (uint32_t)(random_unit(&state) * ball.view.surface.face_count);
        const uint32_t *corners = &ball.view.surface.face_vertices[3 * (size_t)face];
        double point[3];
        for (size_t a = 0; a < 3; ++a)
            point[a] =
                1.2 / 3 *
                (ball.tets.positions[3 * (size_t)corners[0] + a] + ball.tets.positions[3 * (size_t)corners[1] + a] +
                 ball.tets.positions[3 * (size_t)corners[2] + a]);
        Embedding embedding;
        CHECK(embedding_build(&ball.tets, point, 1, &embedding, NULL) == JN_OK);
        int found = 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 4; ++j)
                found += embedding.vertices[j] == corners[i];
        CHECK(found == 3);
        embedding_free(&embedding);
    }
    jn_mesh_free(ball.mesh);
}

TEST(embedding_transpose_is_adjoint) {
    BallFixture ball;
    CHECK(make_ball(4, &ball));
    enum { COUNT = 100 };
    double *points = make_points(&ball.tets, COUNT, 1.2), g[3 * COUNT], x[3 * COUNT];
    size_t n = 3 * (size_t)ball.tets.vertex_count;
    double *q = malloc(n * sizeof *q), *f = calloc(n, sizeof *f);
    uint64_t state = 5;
    for (size_t i = 0; i < n; ++i)
        q[i] = random_unit(&state) - 0.5;
    for (size_t i = 0; i < 3 * COUNT; ++i)
        g[i] = random_unit(&state) - 0.5;
    Embedding embedding;
    CHECK(embedding_build(&ball.tets, points, COUNT, &embedding, NULL) == JN_OK);
    embedding_apply(&embedding, q, x);
    embedding_apply_transpose(&embedding, g, f);
    double left = 0, right = 0;
    for (size_t i = 0; i < 3 * COUNT; ++i)
        left += g[i] * x[i];
    for (size_t i = 0; i < n; ++i)
        right += f[i] * q[i];
    CHECK(fabs(left) > 1e-3);
    CHECK_NEAR(left, right, 1e-12);
    embedding_free(&embedding);
    free(points);
    free(q);
    free(f);
    jn_mesh_free(ball.mesh);
}

TEST(embedding_identity_names_one_tet_and_weight_one) {
    BallFixture ball;
    CHECK(make_ball(4, &ball));
    uint32_t count = ball.tets.vertex_count, *vertices = malloc(count * sizeof *vertices);
    for (uint32_t v = 0; v < count; ++v)
        vertices[v] = count - 1 - v;
    Embedding embedding;
    CHECK(embedding_identity(&ball.tets, vertices, count, &embedding, NULL) == JN_OK);
    double *x = malloc(3 * (size_t)count * sizeof *x);
    embedding_apply(&embedding, ball.tets.positions, x);
    for (size_t p = 0; p < count; ++p) {
        CHECK(memcmp(&x[3 * p], &ball.tets.positions[3 * (size_t)vertices[p]], 3 * sizeof *x) == 0);
        const uint32_t *row = &embedding.vertices[4 * p];
        CHECK(row[0] != row[1] && row[0] != row[2] && row[0] != row[3] && row[1] != row[2] && row[2] != row[3]);
    }
    embedding_free(&embedding);
    JnMessage message;
    vertices[3] = count;
    CHECK(embedding_identity(&ball.tets, vertices, count, &embedding, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "point 3");
    CHECK(embedding.vertices == NULL);
    free(x);
    free(vertices);
    jn_mesh_free(ball.mesh);
}

TEST(embedding_in_no_tets_or_of_nan_is_refused) {
    BallFixture ball;
    CHECK(make_ball(2, &ball));
    TetMesh none = {0};
    Embedding embedding;
    const double points[6] = {0, 0, 0, NAN, 0, 0};
    JnMessage message;
    CHECK(embedding_build(&none, points, 1, &embedding, &message) == JN_ERR_MESH);
    CHECK(embedding_build(&ball.tets, points, 2, &embedding, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "point 1");
    CHECK(embedding.vertices == NULL && embedding.weights == NULL);
    jn_mesh_free(ball.mesh);
}

/* Remembers the nearest of the items, which are points. */
typedef struct Nearest {
    const double *boxes, *point;
    double distance;
    uint32_t item, visits;
} Nearest;

static double visit_point(void *context, uint32_t item, double bound) {
    Nearest *nearest = context;
    double sum = 0;
    for (size_t a = 0; a < 3; ++a)
        sum += pow(nearest->boxes[6 * (size_t)item + a] - nearest->point[a], 2);
    ++nearest->visits;
    if (sum < nearest->distance) {
        nearest->distance = sum;
        nearest->item = item;
    }
    return fmin(bound, nearest->distance);
}

TEST(bvh_nearest_agrees_with_trying_all_and_visits_few) {
    enum { COUNT = 4000 };
    double *boxes = malloc(6 * COUNT * sizeof *boxes);
    uint64_t state = 11;
    for (size_t i = 0; i < COUNT; ++i)
        for (size_t a = 0; a < 3; ++a) // every fourth coordinate on a coarse grid: many equal ones
            boxes[6 * i + a] = boxes[6 * i + 3 + a] = i % 4 ? random_unit(&state) : floor(8 * random_unit(&state)) / 8;
    Bvh bvh;
    CHECK(bvh_build(boxes, COUNT, &bvh, NULL) == JN_OK);
    uint32_t visits = 0;
    for (int trial = 0; trial < 500; ++trial) {
        const double point[3] = {random_unit(&state), random_unit(&state), 2 * random_unit(&state)};
        Nearest all = {boxes, point, INFINITY, 0, 0}, tree = all;
        for (uint32_t i = 0; i < COUNT; ++i)
            visit_point(&all, i, INFINITY);
        bvh_visit_near(&bvh, point, INFINITY, visit_point, &tree);
        CHECK(tree.distance == all.distance);
        visits += tree.visits;
    }
    CHECK(visits < 500 * 100);
    bvh_free(&bvh);
    free(boxes);
}
