#include "harness.h"
#include "linear/gmres.h"

#include <math.h>
#include <stdlib.h>

enum { N = 40 };

typedef struct Matrix {
    double entries[N][N];
    int products, products_allowed;
} Matrix;

static JnStatus multiply(void *self, const double *x, double *y, JnMessage *message) {
    (void)message;
    Matrix *matrix = self;
    if (++matrix->products > matrix->products_allowed)
        return JN_ERR_CANCELLED;
    for (int i = 0; i < N; ++i) {
        y[i] = 0;
        for (int j = 0; j < N; ++j)
            y[i] += matrix->entries[i][j] * x[j];
    }
    return JN_OK;
}

/* The identity and a rotation of every pair of unknowns by `turn`: unsymmetric, with complex eigenvalues. */
static Matrix turning_matrix(double turn) {
    Matrix matrix = {.products_allowed = 1000};
    for (int i = 0; i < N; ++i) {
        matrix.entries[i][i] = 1 + 0.1 * i / N;
        matrix.entries[i][i ^ 1] = i % 2 ? -turn : turn;
    }
    return matrix;
}

static double true_residual(Matrix *matrix, const double *b, const double *x) {
    double y[N], square = 0, length = 0;
    multiply(matrix, x, y, NULL);
    for (int i = 0; i < N; ++i) {
        square += (b[i] - y[i]) * (b[i] - y[i]);
        length += b[i] * b[i];
    }
    return sqrt(square / length);
}

static void set_right_side(double b[N]) {
    for (int i = 0; i < N; ++i)
        b[i] = sin(1.0 + 3 * i);
}

TEST(gmres_solves_an_unsymmetric_system_and_says_what_is_left) {
    double b[N], x[N], residual;
    set_right_side(b);
    Matrix matrix = turning_matrix(0.8);
    for (double tolerance = 1e-2; tolerance > 1e-13; tolerance *= 1e-3) {
        matrix.products = 0;
        CHECK(gmres(&(Operator){N, multiply, &matrix}, b, tolerance, x, &residual, NULL) == JN_OK);
        CHECK(residual <= tolerance && matrix.products < GMRES_VECTORS_MOST);
        CHECK_NEAR(true_residual(&matrix, b, x), residual, 1e-14);
    }
}

TEST(gmres_gives_the_best_of_the_vectors_that_it_may_take) {
    Matrix matrix = {.products_allowed = 1000};
    for (int i = 0; i < N; ++i) /* each product finds one more unknown: only all of them are enough */
        matrix.entries[(i + 1) % N][i] = 1;
    double b[N] = {1}, x[N], residual;
    CHECK(gmres(&(Operator){N, multiply, &matrix}, b, 1e-6, x, &residual, NULL) == JN_OK);
    CHECK(matrix.products == GMRES_VECTORS_MOST);
    CHECK_NEAR(residual, 1, 1e-14);
}

TEST(gmres_ends_where_a_singular_matrix_has_no_more_to_give) {
    Matrix matrix = {.products_allowed = 1000};
    matrix.entries[0][0] = 1;
    double b[N] = {3, 4}, x[N], residual;
    CHECK(gmres(&(Operator){N, multiply, &matrix}, b, 1e-9, x, &residual, NULL) == JN_OK);
    CHECK(matrix.products == 2);
    CHECK_NEAR(x[0], 3, 1e-14);
    CHECK_NEAR(residual, 0.8, 1e-14);
    CHECK_NEAR(true_residual(&matrix, b, x), 0.8, 1e-14);
}

TEST(gmres_of_nothing_is_nothing_and_a_failing_product_ends_it) {
    Matrix matrix = turning_matrix(0.5);
    double b[N] = {0}, x[N], residual;
    CHECK(gmres(&(Operator){N, multiply, &matrix}, b, 1e-9, x, &residual, NULL) == JN_OK);
    CHECK(matrix.products == 0 && residual == 0 && x[0] == 0 && x[N - 1] == 0);
    set_right_side(b);
    matrix.products_allowed = 3;
    CHECK(gmres(&(Operator){N, multiply, &matrix}, b, 1e-9, x, &residual, NULL) == JN_ERR_CANCELLED);
}
