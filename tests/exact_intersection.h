/* Crossings of edges and triangles of a mesh, decided exactly: a judge of what the solver writes that has nothing of
   its code. All signs of determinants are those of the given doubles: plain arithmetic where its error bound allows,
   else sums of doubles without rounding (Shewchuk 1997, adaptive precision floating-point arithmetic). Exact unless
   products of three coordinates underflow or overflow. */
#ifndef JN_TESTS_EXACT_INTERSECTION_H
#define JN_TESTS_EXACT_INTERSECTION_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A sum of doubles that do not overlap, smallest first; the longest is that of a determinant of three rows. */
typedef struct Exact {
    int count;
    double terms[192];
} Exact;

static inline void exact_add(Exact *sum, double value) {
    int kept = 0;
    for (int i = 0; i < sum->count; ++i) {
        double total = value + sum->terms[i], part = total - value;
        double lost = (value - (total - part)) + (sum->terms[i] - part);
        if (lost != 0)
            sum->terms[kept++] = lost;
        value = total;
    }
    if (value != 0)
        sum->terms[kept++] = value;
    sum->count = kept;
}

static inline Exact exact_difference(double a, double b) {
    Exact result = {0};
    exact_add(&result, a);
    exact_add(&result, -b);
    return result;
}

static inline void exact_add_product(Exact *sum, const Exact *a, const Exact *b, double sign) {
    for (int i = 0; i < a->count; ++i)
        for (int j = 0; j < b->count; ++j) {
            double product = a->terms[i] * b->terms[j], lost = fma(a->terms[i], b->terms[j], -product);
            exact_add(sum, sign * lost);
            exact_add(sum, sign * product);
        }
}

static inline int exact_sign(const Exact *value) {
    double largest = value->count ? value->terms[value->count - 1] : 0;
    return (largest > 0) - (largest < 0);
}

/* The sign of (b - a) x (c - a) in the plane of the axes other than `axis`. */
static inline int exact_turn(int axis, const double *a, const double *b, const double *c) {
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    Exact bu = exact_difference(b[u], a[u]), bv = exact_difference(b[v], a[v]);
    Exact cu = exact_difference(c[u], a[u]), cv = exact_difference(c[v], a[v]), sum = {0};
    exact_add_product(&sum, &bu, &cv, 1);
    exact_add_product(&sum, &bv, &cu, -1);
    return exact_sign(&sum);
}

/* The sign of det(b - a, c - a, d - a). */
static inline int exact_side(const double *a, const double *b, const double *c, const double *d) {
    double m[3][3], det = 0, size = 0;
    for (int i = 0; i < 3; ++i) {
        m[0][i] = b[i] - a[i];
        m[1][i] = c[i] - a[i];
        m[2][i] = d[i] - a[i];
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        det += m[0][i] * (m[1][j] * m[2][k] - m[1][k] * m[2][j]);
        size += fabs(m[0][i]) * (fabs(m[1][j] * m[2][k]) + fabs(m[1][k] * m[2][j]));
    }
    if (fabs(det) > 1e-14 * size)
        return (det > 0) - (det < 0);

    Exact sum = {0};
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Exact bi = exact_difference(b[i], a[i]), cj = exact_difference(c[j], a[j]), dk = exact_difference(d[k], a[k]);
        Exact ck = exact_difference(c[k], a[k]), dj = exact_difference(d[j], a[j]), minor = {0};
        exact_add_product(&minor, &cj, &dk, 1);
        exact_add_product(&minor, &ck, &dj, -1);
        exact_add_product(&sum, &bi, &minor, 1);
    }
    return exact_sign(&sum);
}

static inline int exact_ranges_meet(double a, double b, double c, double d) {
    return fmin(a, b) <= fmax(c, d) && fmin(c, d) <= fmax(a, b);
}

/* Whether two segments of one plane, which is not seen edge-on along `axis`, have a point in common. */
static inline int exact_segments_meet_along(int axis, const double *p, const double *q, const double *a,
                                            const double *b) {
    int pa = exact_turn(axis, p, q, a), pb = exact_turn(axis, p, q, b);
    int ap = exact_turn(axis, a, b, p), aq = exact_turn(axis, a, b, q);
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    if (!pa && !pb && !ap && !aq)
        return exact_ranges_meet(p[u], q[u], a[u], b[u]) && exact_ranges_meet(p[v], q[v], a[v], b[v]);
    return pa * pb <= 0 && ap * aq <= 0;
}

/* Whether two segments in space have a point in common. */
static inline int exact_segments_meet(const double *p, const double *q, const double *a, const double *b) {
    if (exact_side(p, q, a, b) != 0)
        return 0;
    for (int axis = 0; axis < 3; ++axis)
        if (exact_turn(axis, p, q, a) || exact_turn(axis, p, q, b) || exact_turn(axis, a, b, p) ||
            exact_turn(axis, a, b, q))
            return exact_segments_meet_along(axis, p, q, a, b);
    for (int i = 0; i < 3; ++i) /* all on one line */
        if (!exact_ranges_meet(p[i], q[i], a[i], b[i]))
            return 0;
    return 1;
}

/* The same for a segment in the plane of a triangle; the triangle may be a line or a point. */
static inline int exact_coplanar_meet(const double *p, const double *q, const double *const t[3]) {
    for (int i = 0; i < 3; ++i)
        if (exact_segments_meet(p, q, t[i], t[(i + 1) % 3]))
            return 1;
    for (int axis = 0; axis < 3; ++axis) {
        int turn = exact_turn(axis, t[0], t[1], t[2]);
        if (turn != 0)
            return exact_turn(axis, t[0], t[1], p) == turn && exact_turn(axis, t[1], t[2], p) == turn &&
                   exact_turn(axis, t[2], t[0], p) == turn;
    }
    return 0;
}

/* Whether the segment p q and the triangle a b c have a point in common; touching counts. */
static inline int exact_segment_meets_triangle(const double *p, const double *q, const double *a, const double *b,
                                               const double *c) {
    const double *corners[3] = {a, b, c};
    for (int i = 0; i < 3; ++i) /* most pairs are apart along an axis */
        if (fmax(p[i], q[i]) < fmin(fmin(a[i], b[i]), c[i]) || fmin(p[i], q[i]) > fmax(fmax(a[i], b[i]), c[i]))
            return 0;
    int above = exact_side(a, b, c, p), below = exact_side(a, b, c, q);
    if (above * below > 0)
        return 0;
    if (above == 0 && below == 0)
        return exact_coplanar_meet(p, q, corners);
    int ab = exact_side(p, q, a, b), bc = exact_side(p, q, b, c), ca = exact_side(p, q, c, a);
    return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

/* Triangles by the cells of a grid that their boxes overlap. */
typedef struct ExactGrid {
    double lower[3], cell;
    int64_t sides[3];
    size_t *starts;      /* [cells + 1] */
    uint32_t *triangles; /* [starts[cells]] */
} ExactGrid;

static inline void exact_cells(const ExactGrid *grid, const double *positions, const uint32_t *vertices, int count,
                               int64_t low[3], int64_t high[3]) {
    for (int a = 0; a < 3; ++a) {
        double least = INFINITY, most = -INFINITY;
        for (int i = 0; i < count; ++i) {
            least = fmin(least, positions[3 * (size_t)vertices[i] + (size_t)a]);
            most = fmax(most, positions[3 * (size_t)vertices[i] + (size_t)a]);
        }
        double last = (double)(grid->sides[a] - 1);
        low[a] = (int64_t)fmin(fmax(floor((least - grid->lower[a]) / grid->cell), 0), last);
        high[a] = (int64_t)fmin(fmax(floor((most - grid->lower[a]) / grid->cell), 0), last);
    }
}

/* About as many cells as triangles. 0: out of memory. */
static inline int exact_grid_make(const double *positions, const uint32_t *triangles, uint32_t count, ExactGrid *grid) {
    double upper[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0;
    memset(grid, 0, sizeof *grid);
    for (int a = 0; a < 3; ++a) {
        grid->lower[a] = INFINITY;
        for (size_t i = 0; i < 3 * (size_t)count; ++i) {
            grid->lower[a] = fmin(grid->lower[a], positions[3 * (size_t)triangles[i] + (size_t)a]);
            upper[a] = fmax(upper[a], positions[3 * (size_t)triangles[i] + (size_t)a]);
        }
        longest = fmax(longest, upper[a] - grid->lower[a]);
    }
    grid->cell = longest > 0 && count > 0 ? longest / (1 + floor(sqrt(count / 4.0))) : 1;
    for (int a = 0; a < 3; ++a)
        grid->sides[a] = count > 0 ? 1 + (int64_t)((upper[a] - grid->lower[a]) / grid->cell) : 1;
    while ((double)grid->sides[0] * (double)grid->sides[1] * (double)grid->sides[2] > 8.0 * count + 64) {
        grid->cell *= 1.3;
        for (int a = 0; a < 3; ++a)
            grid->sides[a] = 1 + (int64_t)((upper[a] - grid->lower[a]) / grid->cell);
    }

    size_t cells = (size_t)(grid->sides[0] * grid->sides[1] * grid->sides[2]);
    grid->starts = calloc(cells + 2, sizeof *grid->starts);
    for (int pass = 0; grid->starts && pass < 2; ++pass) {
        for (uint32_t t = 0; t < count; ++t) {
            int64_t low[3], high[3];
            exact_cells(grid, positions, &triangles[3 * (size_t)t], 3, low, high);
            for (int64_t z = low[2]; z <= high[2]; ++z)
                for (int64_t y = low[1]; y <= high[1]; ++y)
                    for (int64_t x = low[0]; x <= high[0]; ++x) {
                        size_t cell = (size_t)(x + grid->sides[0] * (y + grid->sides[1] * z));
                        if (pass == 0)
                            ++grid->starts[cell + 2];
                        else
                            grid->triangles[grid->starts[cell + 1]++] = t;
                    }
        }
        if (pass == 0) {
            for (size_t c = 0; c < cells; ++c)
                grid->starts[c + 2] += grid->starts[c + 1];
            grid->triangles = malloc((grid->starts[cells + 1] + 1) * sizeof *grid->triangles);
            if (!grid->triangles)
                break;
        }
    }
    return grid->starts && grid->triangles;
}

static inline void exact_grid_free(ExactGrid *grid) {
    free(grid->starts);
    free(grid->triangles);
}

/* How many pairs of an edge and a triangle without a common vertex have a point in common; the first one found, edge
   and triangle, in `first` (may be NULL). -1: out of memory. Finite positions. */
static inline long exact_count_crossings(const double *positions, const uint32_t *edges, uint32_t edge_count,
                                         const uint32_t *triangles, uint32_t triangle_count, uint32_t first[2]) {
    ExactGrid grid;
    long crossings = 0;
    int made = exact_grid_make(positions, triangles, triangle_count, &grid);
    for (uint32_t e = 0; made && e < edge_count; ++e) {
        const uint32_t *ends = &edges[2 * (size_t)e];
        int64_t low[3], high[3], t_low[3], t_high[3];
        exact_cells(&grid, positions, ends, 2, low, high);
        for (int64_t z = low[2]; z <= high[2]; ++z)
            for (int64_t y = low[1]; y <= high[1]; ++y)
                for (int64_t x = low[0]; x <= high[0]; ++x) {
                    size_t cell = (size_t)(x + grid.sides[0] * (y + grid.sides[1] * z));
                    for (size_t k = grid.starts[cell]; k < grid.starts[cell + 1]; ++k) {
                        const uint32_t *t = &triangles[3 * (size_t)grid.triangles[k]];
                        int shared = 0;
                        for (int i = 0; i < 6; ++i)
                            shared |= ends[i % 2] == t[i / 2];
                        /* a pair is looked at in the first cell that both overlap */
                        exact_cells(&grid, positions, t, 3, t_low, t_high);
                        int64_t here[3] = {x, y, z};
                        for (int a = 0; a < 3; ++a)
                            shared |= here[a] != (low[a] > t_low[a] ? low[a] : t_low[a]);
                        if (shared ||
                            !exact_segment_meets_triangle(&positions[3 * (size_t)ends[0]],
                                                          &positions[3 * (size_t)ends[1]], &positions[3 * (size_t)t[0]],
                                                          &positions[3 * (size_t)t[1]], &positions[3 * (size_t)t[2]]))
                            continue;
                        if (crossings++ == 0 && first) {
                            first[0] = e;
                            first[1] = grid.triangles[k];
                        }
                    }
                }
    }
    exact_grid_free(&grid);
    return made ? crossings : -1;
}

#endif
