#include "linear/gmres.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = GMRES_VECTORS_MOST };
/* Of a column's size: with less of it left, the matrix is singular to what the products are good for. */
static const double DEPENDENT = 1e-8;

typedef struct Space {
    size_t n;
    double *vectors;                 /* [(MOST + 1) * n] orthonormal; those after the last one are not set */
    double h[MOST + 1][MOST];        /* A projected to them, made upper triangular by the turns */
    double cosine[MOST], sine[MOST]; /* of the turns */
    double rest[MOST + 1];           /* the turned right-hand side; its last entry is the residual */
} Space;

/* vectors[k + 1] = the part of A vectors[k] that is orthogonal to the others; fills column k of h. */
static JnStatus extend(Space *space, const Operator *a, int k, JnMessage *message) {
    size_t n = space->n;
    double *next = space->vectors + (size_t)(k + 1) * n;
    JnStatus status = a->apply(a->self, space->vectors + (size_t)k * n, next, message);
    if (status != JN_OK)
        return status;
    for (int i = 0; i <= k; ++i)
        space->h[i][k] = 0;
    for (int pass = 0; pass < 2; ++pass) /* the second one removes what rounding left */
        for (int i = 0; i <= k; ++i) {
            const double *vector = space->vectors + (size_t)i * n;
            double part = vector_dot(vector, next, n);
            space->h[i][k] += part;
            for (size_t j = 0; j < n; ++j)
                next[j] -= part * vector[j];
        }
    double length = vector_length(next, n);
    space->h[k + 1][k] = length;
    for (size_t j = 0; j < n && length > 0; ++j)
        next[j] /= length;
    return JN_OK;
}

/* Turns column k by the turns before, and by a new one that makes its entry below the diagonal 0. False: the column
   depends on those before, and the matrix is singular in the space. */
static bool turn(Space *space, int k) {
    double size = fabs(space->h[k + 1][k]);
    for (int i = 0; i <= k; ++i)
        size = fmax(size, fabs(space->h[i][k]));
    for (int i = 0; i < k; ++i) {
        double above = space->h[i][k], below = space->h[i + 1][k];
        space->h[i][k] = space->cosine[i] * above + space->sine[i] * below;
        space->h[i + 1][k] = space->cosine[i] * below - space->sine[i] * above;
    }
    double above = space->h[k][k], below = space->h[k + 1][k], length = hypot(above, below);
    if (!(length > DEPENDENT * size))
        return false;
    space->cosine[k] = above / length;
    space->sine[k] = below / length;
    space->h[k][k] = length;
    space->rest[k + 1] = -space->sine[k] * space->rest[k];
    space->rest[k] *= space->cosine[k];
    return true;
}

/* x = the combination of the first `count` vectors that leaves the least residual. */
static void combine(const Space *space, int count, double *x) {
    double y[MOST];
    for (int i = count - 1; i >= 0; --i) {
        y[i] = space->rest[i];
        for (int j = i + 1; j < count; ++j)
            y[i] -= space->h[i][j] * y[j];
        y[i] /= space->h[i][i];
    }
    memset(x, 0, space->n * sizeof *x);
    for (int i = 0; i < count; ++i)
        for (size_t j = 0; j < space->n; ++j)
            x[j] += y[i] * space->vectors[(size_t)i * space->n + j];
}

JnStatus gmres(const Operator *a, const double *b, double tolerance, double *x, double *residual, JnMessage *message) {
    size_t n = a->n;
    double length = vector_length(b, n);
    memset(x, 0, n * sizeof *x);
    *residual = 0;
    if (!(length > 0))
        return JN_OK;
    Space space = {.n = n, .vectors = malloc((MOST + 1) * n * sizeof(double)), .rest = {length}};
    if (!space.vectors)
        return status_no_memory(message, "the vectors of GMRES");
    for (size_t j = 0; j < n; ++j)
        space.vectors[j] = b[j] / length;
    JnStatus status = JN_OK;
    int count = 0;
    bool ended = false;
    while (status == JN_OK && !ended && count < MOST && fabs(space.rest[count]) > tolerance * length) {
        status = extend(&space, a, count, message);
        ended = status != JN_OK || !turn(&space, count);
        count += !ended;
    }
    if (status == JN_OK)
        combine(&space, count, x);
    *residual = fabs(space.rest[count]) / length;
    free(space.vectors);
    return status;
}
