#include "integrate/guess.h"

#include "base/vectors.h"

#include <math.h>
#include <string.h>

/* A direction of which less than this part, of its square, is left without those before it adds rounding only. */
static const double NOTHING = 1e-10;

/* Makes the directions A-orthogonal one after the other, `product` being A times a direction, and adds to x the part
   along each that lowers the error most; r is what is left of the right-hand side. */
static void add_direction(double *const *directions, double *products, uint32_t k, size_t n, double *r, double *x,
                          double squares[GUESS_MOST]) {
    double *d = directions[k], *product = products + k * n;
    double before = vector_dot_by_fours(d, product, n);
    for (uint32_t l = 0; l < k; ++l) {
        const double *other = directions[l], *other_product = products + l * n;
        double along = squares[l] > 0 ? vector_dot_by_fours(d, other_product, n) / squares[l] : 0;
        for (size_t i = 0; i < n; ++i) {
            d[i] -= along * other[i];
            product[i] -= along * other_product[i];
        }
    }
    squares[k] = vector_dot_by_fours(d, product, n);
    if (!(squares[k] > NOTHING * before) || !isfinite(squares[k])) {
        squares[k] = 0;
        return;
    }
    double step = vector_dot_by_fours(d, r, n) / squares[k];
    for (size_t i = 0; i < n; ++i) {
        x[i] += step * d[i];
        r[i] -= step * product[i];
    }
}

void guess_find(const View *view, const GuessProblem *problem, const GuessSpan *span, double *x) {
    size_t n = (size_t)view->system->vertex_count * 3;
    double squares[GUESS_MOST], *const *directions = span->directions, *products = span->products;
    double *r = products + span->count * n;
    memset(x, 0, n * sizeof *x);
    if (problem->modes)
        mode_set_add(problem->modes, problem->targets, x);
    for (size_t i = 0; problem->known && i < n; ++i)
        if (!view_is_free(view, i / 3))
            x[i] = problem->known[i];
    jacobian_multiply(view->jacobian, x, r);
    for (size_t i = 0; i < n; ++i)
        r[i] = view_is_free(view, i / 3) ? problem->b[i] - r[i] : 0;
    for (uint32_t k = 0; k < span->count; ++k) {
        view_clear_fixed(view, directions[k]);
        if (problem->modes)
            mode_set_project_motion(problem->modes, directions[k]);
        jacobian_multiply(view->jacobian, directions[k], products + k * n);
        view_clear_fixed(view, products + k * n);
        add_direction(directions, products, k, n, r, x, squares);
    }
}
