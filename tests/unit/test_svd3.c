/* The singular value decomposition and the polar rotation on easy and on hard matrices. */
#include "harness.h"
#include "random.h"

#include "base/math3.h"
#include "base/polar3.h"
#include "base/svd3.h"

#include <float.h>

/* Largest entry of A'A - I. */
static double defect(const double a[9]) {
    double largest = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double product = a[i] * a[j] + a[3 + i] * a[3 + j] + a[6 + i] * a[6 + j];
            largest = fmax(largest, fabs(product - (i == j)));
        }
    return largest;
}

/* out = U diag(s) V'. */
static void compose(const double U[9], const double s[3], const double V[9], double out[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = 0;
            for (int k = 0; k < 3; ++k)
                out[3 * i + j] += U[3 * i + k] * s[k] * V[3 * j + k];
        }
}

/* A rotation by the angles a, b, c about x, y and z. */
static void make_rotation(double a, double b, double c, double out[9]) {
    double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b), cc = cos(c), sc = sin(c);
    const double R[9] = {cb * cc,
                         sa * sb * cc - ca * sc,
                         ca * sb * cc + sa * sc,
                         cb * sc,
                         sa * sb * sc + ca * cc,
                         ca * sb * sc - sa * cc,
                         -sb,
                         sa * cb,
                         ca * cb};
    memcpy(out, R, sizeof R);
}

/* 1 if the decomposition of F keeps every promise of the headers; otherwise says which it breaks. */
static int is_right(const double F[9]) {
    double U[9], s[3], V[9], again[9], R[9], size = 0, error = 0, polar_error = 0;
    svd3(F, U, s, V);
    polar3(F, R);
    compose(U, s, V, again);
    for (int i = 0; i < 9; ++i) {
        size = fmax(size, fabs(F[i]));
        error = fmax(error, fabs(again[i] - F[i]));
    }
    const double ones[3] = {1, 1, 1};
    compose(U, ones, V, again);
    for (int i = 0; i < 9; ++i)
        polar_error = fmax(polar_error, fabs(again[i] - R[i]));
    int right = defect(U) < 1e-14 && defect(V) < 1e-14 && mat3_det(U) > 0 && mat3_det(V) > 0 && s[0] >= s[1] &&
                s[1] >= fabs(s[2]) && error <= 1e-13 * size && polar_error < 1e-14;
    if (!right)
        printf("s = %g %g %g of a matrix of size %g; U off by %g, V by %g, product by %g, R by %g\n", s[0], s[1], s[2],
               size, defect(U), defect(V), error, polar_error);
    return right;
}

/* Stretches that are hard: repeated, nearly so, zero, tiny, negative, far apart. */
static const double hard[][3] = {
    {1, 1, 1},           {2, 1, 1},          {2, 2, 1},           {1, 1, 1 - 1e-9},    {1 + 1e-12, 1, 1 - 1e-12},
    {1, 1, -1},          {2, 1, -1},         {1, 0.5, -0.25},     {1, 1, 0},           {1, 0.5, 0},
    {1, 0, 0},           {0, 0, 0},          {1, 1e-8, 1e-8},     {1, 1e-8, -1e-8},    {1, 1e-16, 1e-17},
    {1, 1e-16, -1e-16},  {1, 1e-40, 1e-90},  {1e9, 1, 1e-9},      {1e12, 1e12, 1e-12}, {1e-20, 1e-20, -1e-20},
    {1e-160, 1e-170, 0}, {1e160, 1e150, -1}, {1e-300, 1e-300, 0}, {1e300, 1e300, 1},   {1, 1e-120, 1e-130},
};
enum { HARD = sizeof hard / sizeof hard[0] };

TEST(svd3_of_hard_stretches_in_any_frame_is_right) {
    uint64_t seed = 1;
    for (int h = 0; h < HARD; ++h)
        for (int trial = 0; trial < 50; ++trial) {
            double U[9], V[9], F[9], s[3], found_u[9], found_v[9];
            double turn = trial == 0 ? 0 : trial < 5 ? 1e-9 : 4;
            make_rotation(turn * random_signed(&seed), turn * random_signed(&seed), turn * random_signed(&seed), U);
            make_rotation(turn * random_signed(&seed), turn * random_signed(&seed), turn * random_signed(&seed), V);
            compose(U, hard[h], V, F);
            CHECK(is_right(F));
            svd3(F, found_u, s, found_v);
            for (int k = 0; k < 3; ++k)
                CHECK_NEAR(s[k], hard[h][k], 1e-14 * hard[h][0]);
        }
}

TEST(svd3_of_random_matrices_is_right_and_has_the_sign_of_the_determinant) {
    uint64_t seed = 2;
    int negative = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        double F[9], U[9], s[3], V[9];
        for (int i = 0; i < 9; ++i)
            F[i] = random_signed(&seed);
        CHECK(is_right(F));
        svd3(F, U, s, V);
        double det = mat3_det(F);
        CHECK_NEAR(s[0] * s[1] * s[2], det, 1e-14);
        CHECK(fabs(det) < 1e-14 || (det < 0) == (s[2] < 0));
        negative += det < 0;
    }
    CHECK(negative > 5000 && negative < 15000);
}

TEST(polar3_near_rest_and_far_from_it_is_the_rotation_of_svd3) {
    uint64_t seed = 6;
    for (int trial = 0; trial < 20000; ++trial) {
        double F[9], amount = (trial % 5 + 0.1) * 0.3;
        for (int i = 0; i < 9; ++i)
            F[i] = (i % 4 == 0) + amount * random_signed(&seed);
        double U[9], s[3], V[9], R[9], again[9];
        const double ones[3] = {1, 1, 1};
        svd3(F, U, s, V);
        polar3(F, R);
        compose(U, ones, V, again);
        CHECK(defect(R) < 1e-14 && mat3_det(R) > 0);
        /* R is as well determined as the two smallest stretches are far from cancelling */
        for (int i = 0; i < 9; ++i)
            CHECK_NEAR(R[i], again[i], 1e-14 * s[0] / (s[1] + s[2]));
    }
}

TEST(svd3_of_awkward_entries_is_right) {
    const double matrices[][9] = {
        {0, 0, 0, 0, 0, 0, 0, 0, 0},
        {0, 0, 0, 0, 0, 0, 0, 0, -3},
        {1, 1, 1, 1, 1, 1, 1, 1, 1},
        {1, 2, 3, 2, 4, 6, 3, 6, 9 + 1e-15},
        {0, 1, 0, 0, 0, 1, 1, 0, 0},
        {0, 1, 0, 1, 0, 0, 0, 0, 1},
        {-1, 0, 0, 0, -1, 0, 0, 0, -1},
        {1, 1e-9, 0, 1e-9, 1, 0, 0, 0, 1},
        {1, 1, 0, 0, 1e-17, 0, 0, 0, 1},
        {DBL_MIN, 0, 0, 0, DBL_TRUE_MIN, 0, 0, 0, 0},
        {1e-155, 1e-155, 0, 0, 1e-155, 1, 0, 0, 1e-100},
        {1e300, 1, 1e-300, 1, 1e300, 1, 1e-300, 1, 1e300},
    };
    for (size_t m = 0; m < sizeof matrices / sizeof matrices[0]; ++m)
        CHECK(is_right(matrices[m]));
}

TEST(svd3_keeps_directions_of_tiny_stretches_of_graded_matrices) {
    /* columns of very different length, as one-sided Jacobi allows: each stretch is right to its own size */
    const double F[9] = {1, 2e-10, 1e-20, 0, 1e-10, 3e-20, 0, 0, 2e-20};
    double U[9], s[3], V[9];
    svd3(F, U, s, V);
    CHECK(is_right(F));
    CHECK_NEAR(s[0], 1, 1e-15);
    CHECK_NEAR(s[1], 1e-10, 1e-24);
    CHECK_NEAR(s[2], 2e-20, 1e-34);
}

TEST(svd3_of_what_is_not_finite_returns) {
    for (int i = 0; i < 9; ++i) {
        double F[9] = {1, 0.1, 0, 0, 1, 0.2, 0.3, 0, 1}, U[9], s[3], V[9];
        F[i] = NAN;
        svd3(F, U, s, V);
        CHECK(!isfinite(s[0] + s[1] + s[2]));
        F[i] = INFINITY;
        svd3(F, U, s, V);
        CHECK(!isfinite(s[0] + s[1] + s[2]));
    }
}
