/* Factors in single precision: near the exact ones, given up where they do not serve, and no momentum lost by them. */
#include "baking.h"
#include "harness.h"
#include "random.h"

#include "linear/cholesky.h"
#include "linear/connected.h"
#include "linear/solver.h"

/* Two boxes that do not touch, of more than one kind of supernode. */
enum { CELLS = 5, BOX = (CELLS + 1) * (CELLS + 1) * (CELLS + 1), VERTICES = 2 * BOX, UNKNOWNS = 3 * VERTICES };

typedef struct Boxes {
    uint32_t *tets;
    BlockMatrix matrix;
    uint8_t fixed[VERTICES];
    double b[UNKNOWNS], x[UNKNOWNS], y[UNKNOWNS];
} Boxes;

/* Random springs along the edges and mass 1: positive definite. The first box is `contrast` times as stiff. */
static bool boxes_open(Boxes *boxes, double contrast) {
    uint64_t seed = 5;
    JnMessage message;
    TetBox box = tet_box_make(CELLS, CELLS, CELLS, 1);
    size_t tet_numbers = 4 * (size_t)box.tet_count;
    memset(boxes, 0, sizeof *boxes);
    boxes->tets = malloc(2 * tet_numbers * sizeof(uint32_t));
    for (size_t k = 0; k < 2 * tet_numbers; ++k)
        boxes->tets[k] = box.tets[k % tet_numbers] + (k < tet_numbers ? 0 : BOX);
    tet_box_free(&box);
    VertexGroups groups = vertex_groups_of_tets(boxes->tets, (uint32_t)(2 * tet_numbers / 4));
    if (block_matrix_build(VERTICES, &groups, 1, &boxes->matrix, &message) != JN_OK)
        return false;
    block_matrix_set_zero(&boxes->matrix);
    for (uint32_t column = 0; column < VERTICES; ++column)
        for (uint32_t k = boxes->matrix.column_starts[column] + 1; k < boxes->matrix.column_starts[column + 1]; ++k) {
            double along[3], block[9], opposite[9], stiffness = column < BOX ? contrast : 1;
            for (int i = 0; i < 3; ++i)
                along[i] = random_signed(&seed);
            for (int i = 0; i < 9; ++i) {
                block[i] = 10 * stiffness * along[i / 3] * along[i % 3];
                opposite[i] = -block[i];
            }
            uint32_t row = boxes->matrix.rows[k];
            block_matrix_add(&boxes->matrix, row, column, opposite);
            block_matrix_add(&boxes->matrix, row, row, block);
            block_matrix_add(&boxes->matrix, column, column, block);
        }
    for (uint32_t v = 0; v < VERTICES; ++v)
        for (size_t i = 0; i < 3; ++i)
            boxes->matrix.values[9 * (size_t)boxes->matrix.column_starts[v] + 4 * i] += 1;
    for (int i = 0; i < UNKNOWNS; ++i)
        boxes->b[i] = random_signed(&seed);
    return true;
}

/* Springs of this stiffness in the first box that resist motion along (1, 1, 1) alone, so that every vertex can still
   move in two directions as softly as before. */
static void boxes_stiffen(Boxes *boxes, double stiffness) {
    double block[9], opposite[9];
    for (int i = 0; i < 9; ++i) {
        block[i] = stiffness;
        opposite[i] = -stiffness;
    }
    for (uint32_t column = 0; column < BOX; ++column)
        for (uint32_t k = boxes->matrix.column_starts[column] + 1; k < boxes->matrix.column_starts[column + 1]; ++k) {
            uint32_t row = boxes->matrix.rows[k];
            block_matrix_add(&boxes->matrix, row, column, opposite);
            block_matrix_add(&boxes->matrix, row, row, block);
            block_matrix_add(&boxes->matrix, column, column, block);
        }
}

static void boxes_close(Boxes *boxes) {
    block_matrix_free(&boxes->matrix);
    free(boxes->tets);
}

/* |A x - b| / |b|, weighed by each unknown's own stiffness; *whole: the largest such sum over a box, against the sum of
 * |b|. */
static double residual(Boxes *boxes, double *whole) {
    double error = 0, size = 0, sums[2][3] = {{0}}, total = 0;
    block_matrix_multiply(&boxes->matrix, boxes->x, boxes->y);
    for (int i = 0; i < UNKNOWNS; ++i) {
        double r = boxes->y[i] - boxes->b[i];
        double own = boxes->matrix.values[9 * (size_t)boxes->matrix.column_starts[i / 3] + 4 * (size_t)(i % 3)];
        error += r * r / own;
        size += boxes->b[i] * boxes->b[i] / own;
        total += fabs(boxes->b[i]);
        sums[i / 3 >= BOX][i % 3] += r;
    }
    *whole = 0;
    for (int i = 0; i < 6; ++i)
        *whole = fmax(*whole, fabs(sums[i / 3][i % 3]) / total);
    return sqrt(error / size);
}

TEST(connected_parts_are_numbered_by_their_first_vertices) {
    static Boxes boxes;
    uint32_t parts[VERTICES];
    CHECK(boxes_open(&boxes, 1));
    CHECK(connected_parts(&boxes.matrix, parts) == 2);
    for (uint32_t v = 0; v < VERTICES; ++v)
        CHECK(parts[v] == v / BOX);
    boxes_close(&boxes);
}

TEST(single_factor_is_the_exact_one_rounded) {
    static Boxes boxes;
    FreeUnknowns unknowns;
    Cholesky *cholesky;
    JnMessage message;
    bool positive_definite, done;
    CHECK(boxes_open(&boxes, 1));
    for (uint32_t v = 0; v < VERTICES; v += 31)
        boxes.fixed[v] = 1;
    CHECK(free_unknowns_build(&boxes.matrix, boxes.fixed, &unknowns));
    CHECK(cholesky_create(&boxes.matrix, &unknowns, NULL, &cholesky, &message) == JN_OK);
    double *values = malloc(cholesky_value_count(cholesky) * sizeof *values), z[2][UNKNOWNS], largest = 0,
           apart[2] = {0};
    cholesky_gather_values(cholesky, &boxes.matrix, values);
    CHECK(cholesky_factor_single(cholesky, values, &done, &message) == JN_OK && done);
    CHECK(cholesky_precondition(cholesky, boxes.b, z[0]));
    CHECK(cholesky_factor(cholesky, values, &positive_definite, &message) == JN_OK && positive_definite);
    CHECK(cholesky_precondition(cholesky, boxes.b, z[1]));
    double *rhs = cholesky_right_hand_sides(cholesky, 1);
    memcpy(rhs, boxes.b, (size_t)unknowns.count * 3 * sizeof(double));
    const double *exact = cholesky_solve(cholesky);
    for (uint32_t i = 0; i < 3 * unknowns.count; ++i) {
        largest = fmax(largest, fabs(exact[i]));
        for (int k = 0; k < 2; ++k)
            apart[k] = fmax(apart[k], fabs(z[k][i] - exact[i]));
    }
    for (int k = 0; k < 2; ++k)
        CHECK(apart[k] > 0 && apart[k] < 1e-5 * largest);
    /* what is not positive definite is found out, and does not stay */
    for (size_t k = 0; k < cholesky_value_count(cholesky); ++k)
        values[k] = -values[k];
    CHECK(cholesky_factor_single(cholesky, values, &done, &message) == JN_OK && !done);
    cholesky_gather_values(cholesky, &boxes.matrix, values);
    CHECK(cholesky_factor_single(cholesky, values, &done, &message) == JN_OK && done);
    CHECK(cholesky_precondition(cholesky, boxes.b, z[1]) &&
          memcmp(z[0], z[1], 3 * unknowns.count * sizeof(double)) == 0);
    cholesky_destroy(cholesky);
    free_unknowns_free(&unknowns);
    free(values);
    boxes_close(&boxes);
}

TEST(solver_gives_single_precision_up_where_it_does_not_serve) {
    static Boxes boxes;
    double whole;
    JnMessage message;
    SolverReport report;
    for (int stiff = 0; stiff < 2; ++stiff) {
        Solver *solver;
        bool positive_definite;
        CHECK(boxes_open(&boxes, 1));
        /* in single precision, what is left of the hundreds of soft directions is noise of either sign, far larger than
           their own stiffness: on any machine and in any order of the sums, some pivot is not positive */
        if (stiff)
            boxes_stiffen(&boxes, 1e9);
        CHECK(solver_create(&(SolverDesc){.pattern = &boxes.matrix}, &solver, &message) == JN_OK);
        for (int k = 0; k < 5; ++k) {
            CHECK(solver_factor_mixed(solver, &boxes.matrix, NULL, NULL, &positive_definite, &message) == JN_OK &&
                  positive_definite);
            CHECK(solver_solve(solver, boxes.b, boxes.x, 1, &message) == JN_OK);
            CHECK(residual(&boxes, &whole) < 10 * SOLVER_TOLERANCE);
        }
        solver_report(solver, &report);
        /* the first and third are tried in single precision and then factored again; the others are not tried */
        CHECK(report.factor_count == (stiff ? 7 : 5));
        CHECK(stiff || (report.iteration_count >= 5 && report.iteration_count <= 15));
        solver_destroy(solver);
        boxes_close(&boxes);
    }
}

TEST(solver_iterations_lose_no_net_force_of_a_body) {
    static Boxes boxes;
    double whole;
    Solver *solver;
    JnMessage message;
    bool positive_definite;
    CHECK(boxes_open(&boxes, 3));
    CHECK(solver_create(&(SolverDesc){.pattern = &boxes.matrix}, &solver, &message) == JN_OK);
    CHECK(solver_factor_mixed(solver, &boxes.matrix, NULL, NULL, &positive_definite, &message) == JN_OK &&
          positive_definite);
    CHECK(solver_solve(solver, boxes.b, boxes.x, 1, &message) == JN_OK);
    CHECK(residual(&boxes, &whole) > 1e-13); /* iterated, not exact */
    CHECK(whole < 1e-16);
    solver_destroy(solver);
    boxes_close(&boxes);
}
