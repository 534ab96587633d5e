/* One-sided Jacobi (Hestenes 1958; Demmel and Veselic 1992, "Jacobi's method is more accurate than QR"): rotations V
   make the columns of F orthogonal; their lengths are then the singular values and their directions U. The criterion is
   relative to the lengths of the two columns, so that directions of tiny singular values are accurate as well. */
#include "base/svd3.h"

#include "base/math3.h"

enum { SWEEPS = 16 };                   /* four to six suffice; the limit is for input that is not finite */
static const double ORTHOGONAL = 1e-15; /* cosine below which two columns count as orthogonal */
static const double NOTHING = 1e-200;   /* squared length below which a column has no direction */

/* Works on the transposes, whose rows are the columns: b of F V, v of V. Makes rows p and q of b orthogonal. Returns
   false if they already were. */
static bool orthogonalize(double b[9], double v[9], int p, int q) {
    double *bp = b + 3 * p, *bq = b + 3 * q, *vp = v + 3 * p, *vq = v + 3 * q;
    double pp = vec3_dot(bp, bp), qq = vec3_dot(bq, bq), pq = vec3_dot(bp, bq);
    if (!(pq * pq > ORTHOGONAL * ORTHOGONAL * pp * qq))
        return false;
    double zeta = (qq - pp) / (2 * pq);
    double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t), s = c * t;
    for (int i = 0; i < 3; ++i) {
        double x = bp[i], y = bq[i];
        bp[i] = c * x - s * y;
        bq[i] = s * x + c * y;
        x = vp[i], y = vq[i];
        vp[i] = c * x - s * y;
        vq[i] = s * x + c * y;
    }
    return true;
}

/* Exchanges two rows of both, one of them negated, so that V stays a rotation. */
static void exchange(double b[9], double v[9], int p, int q) {
    for (int i = 0; i < 3; ++i) {
        double x = b[3 * p + i], y = v[3 * p + i];
        b[3 * p + i] = b[3 * q + i], b[3 * q + i] = -x;
        v[3 * p + i] = v[3 * q + i], v[3 * q + i] = -y;
    }
}

/* Longest row first. */
static void sort(double b[9], double v[9]) {
    double squares[3];
    for (int k = 0; k < 3; ++k)
        squares[k] = vec3_dot(b + 3 * k, b + 3 * k);
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int n = 0; n < 3; ++n) {
        int p = pairs[n][0], q = pairs[n][1];
        if (squares[p] < squares[q]) {
            double kept = squares[p];
            squares[p] = squares[q], squares[q] = kept;
            exchange(b, v, p, q);
        }
    }
}

static void scale_to_unit(double a[3]) {
    double length = vec3_length(a);
    for (int i = 0; i < 3; ++i)
        a[i] /= length;
}

/* The rows of `u` become the directions of the sorted orthogonal rows of b, completed to a rotation where these have
   none. */
static void find_directions(const double b[9], double u[9]) {
    if (vec3_dot(b, b) < NOTHING) {
        for (int i = 0; i < 9; ++i)
            u[i] = i % 4 == 0;
        return;
    }
    for (int i = 0; i < 3; ++i)
        u[i] = b[i];
    scale_to_unit(u);

    /* the second, orthogonalized against the first, because of rounding; if it is 0, any direction orthogonal to the
       first */
    double rest[3] = {b[3], b[4], b[5]};
    if (vec3_dot(rest, rest) < NOTHING) {
        int smallest = fabs(u[0]) < fabs(u[1]) ? 0 : 1;
        smallest = fabs(u[2]) < fabs(u[smallest]) ? 2 : smallest;
        rest[0] = rest[1] = rest[2] = 0;
        rest[smallest] = 1;
    }
    double along = vec3_dot(rest, u);
    for (int i = 0; i < 3; ++i)
        u[3 + i] = rest[i] - along * u[i];
    scale_to_unit(u + 3);
    vec3_cross(u, u + 3, u + 6);
}

static void transpose(const double a[9], double out[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = a[3 * j + i];
}

void svd3(const double F[9], double U[9], double s[3], double V[9]) {
    /* scale to approximately 1, by a power of two, so that no square overflows or underflows */
    double largest = 0, b[9], u[9], v[9];
    int exponent = 0;
    for (int i = 0; i < 9; ++i)
        largest = fmax(largest, fabs(F[i]));
    if (!(largest > 1e-10 && largest < 1e10) && isfinite(largest))
        frexp(largest, &exponent);
    transpose(F, b);
    for (int i = 0; exponent != 0 && i < 9; ++i)
        b[i] = ldexp(b[i], -exponent);

    for (int i = 0; i < 9; ++i)
        v[i] = i % 4 == 0;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        bool turned = orthogonalize(b, v, 0, 1);
        turned |= orthogonalize(b, v, 0, 2);
        turned |= orthogonalize(b, v, 1, 2);
        if (!turned)
            break;
    }
    sort(b, v);
    find_directions(b, u);
    for (int k = 0; k < 3; ++k) {
        double square = vec3_dot(b + 3 * k, b + 3 * k);
        s[k] = square < NOTHING ? 0 : ldexp(sqrt(square), exponent);
    }
    s[2] = copysign(s[2], vec3_dot(u + 6, b + 6));
    transpose(u, U);
    transpose(v, V);
}
