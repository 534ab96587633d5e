#include "integrate/exponential_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Derivatives along the velocity are differences over the time in which nothing moves by more than this part of the
   size of everything. */
static const double MOVE_PART = 1e-5;
/* The shift of the rational Krylov space, in steps. */
static const double SHIFT = 0.5;

static JnStatus apply_stiffness(void *self, const double *x, double *y, JnMessage *message) {
    const ExponentialFlow *flow = self;
    jacobian_multiply(flow->stiffness, x, y);
    return system_check_cancelled(flow->view->system, message);
}

static JnStatus apply_damping(void *self, const double *x, double *y, JnMessage *message) {
    (void)message;
    jacobian_multiply(((const ExponentialFlow *)self)->damping, x, y);
    return JN_OK;
}

static JnStatus apply_mass(void *self, const double *x, double *y, JnMessage *message) {
    (void)message;
    system_multiply_mass(((const ExponentialFlow *)self)->view->system, x, y);
    return JN_OK;
}

static JnStatus apply_inverse_mass(void *self, const double *x, double *y, JnMessage *message) {
    ExponentialFlow *flow = self;
    memcpy(y, x, flow->count * sizeof *y);
    return view_divide_by_mass(flow->view, y, message);
}

static JnStatus apply_shifted_inverse(void *self, const double *x, double *y, JnMessage *message) {
    return jacobian_solve(((ExponentialFlow *)self)->view->jacobian, x, y, message);
}

static bool is_zero(const BlockMatrix *matrix) {
    for (size_t i = 0; i < (size_t)matrix->block_count * 9; ++i)
        if (matrix->values[i] != 0)
            return false;
    return true;
}

static double largest_size(const double *x, size_t count) {
    double largest = 0;
    for (size_t i = 0; i < count; ++i)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* The difference of two numbers; 0 where it is rounding. */
static double true_difference(double a, double b) {
    double difference = a - b;
    return fabs(difference) > 16 * DBL_EPSILON * fmax(fabs(a), fabs(b)) ? difference : 0;
}

/* D of the pose that would be reached with the start's velocities after a while, s. */
static JnStatus assemble_damping_after(ExponentialFlow *flow, double after, Jacobian *matrix, JnMessage *message) {
    const JacobianScales damping = {.damping = 1, .contacts = CONTACTS_GIVEN};
    for (size_t i = 0; i < flow->count; ++i)
        flow->x[i] = flow->q[i] + after * flow->v[i];
    return jacobian_assemble(matrix, flow->x, NULL, &damping, flow->view->stiffness, NULL, message);
}

/* Adds to K what the damping force changes by if the positions do: d(D v) along x is that of D along v, times x. Uses
   flow->damping for it. */
static JnStatus add_damping_change(ExponentialFlow *flow, JnMessage *message) {
    double fastest = largest_size(flow->v, flow->count), size = flow->extent;
    double *values = flow->stiffness->linear->matrix.values;
    const double *ahead = flow->damping->linear->matrix.values, *behind = flow->beside->linear->matrix.values;
    if (!(fastest > 0) || !(size > 0))
        return JN_OK;
    double step = MOVE_PART * size / fastest;
    JnStatus status = assemble_damping_after(flow, step, flow->damping, message);
    if (status == JN_OK)
        status = assemble_damping_after(flow, -step, flow->beside, message);
    for (size_t i = 0; status == JN_OK && i < (size_t)flow->stiffness->linear->matrix.block_count * 9; ++i)
        values[i] += true_difference(ahead[i], behind[i]) / (2 * step);
    return status;
}

/* An upper bound of the highest frequency in the lumped mass, 1/s: by the sums of magnitudes in rows of M^-1 K. */
static double frequency_bound(ExponentialFlow *flow) {
    const BlockMatrix *matrix = &flow->stiffness->linear->matrix;
    const double *masses = flow->view->system->masses;
    double largest = 0;
    memset(flow->x, 0, flow->count * sizeof(double));
    for (size_t column = 0; column < matrix->vertex_count; ++column)
        for (size_t k = matrix->column_starts[column]; k < matrix->column_starts[column + 1]; ++k)
            for (size_t i = 0; i < 9; ++i) {
                size_t row = matrix->rows[k];
                double size = fabs(matrix->values[9 * k + i]);
                flow->x[3 * row + i / 3] += size;
                if (row != column)
                    flow->x[3 * column + i % 3] += size;
            }
    for (size_t i = 0; i < flow->count; ++i)
        if (view_is_free(flow->view, i / 3))
            largest = fmax(largest, flow->x[i] / masses[i / 3]);
    /* a consistent mass is at least a fifth of the lumped one */
    return sqrt(largest * (flow->view->system->mass_blocks ? 5 : 1));
}

/* Operations of the spaces, as PhiProblem has them. Returns whether a rational one is worth a try: whether the factor
   and a full space take less than half of what a polynomial one takes, whose size grows with the highest frequency. */
static bool count_operations(ExponentialFlow *flow) {
    const double vectors_least = 12, orthogonalization = 8;
    double unknowns = (double)flow->count;
    SolverReport solver;
    solver_report(flow->view->jacobian->linear->solver, &solver);
    double product = 36.0 * flow->stiffness->linear->matrix.block_count * (flow->damped ? 2 : 1);
    /* a solve passes twice over the factor, at four bytes a number, and iterates twice */
    double solve = 3 * (solver.factor_bytes + product);
    double space = orthogonalization * SPACE_MOST / 2 * unknowns;
    flow->polynomial_vectors = flow->h * frequency_bound(flow) + vectors_least;
    flow->polynomial_cost = product + space;
    flow->rational_cost = product + solve + space;
    return solver.factor_flops + SPACE_MOST * flow->rational_cost <
           0.5 * flow->polynomial_vectors * flow->polynomial_cost;
}

JnStatus exponential_flow_assemble(ExponentialFlow *flow, const double *q, bool at_start, JnMessage *message) {
    const JacobianScales stiffness = {.stiffness = 1, .contacts = CONTACTS_GIVEN},
                         damping = {.damping = 1, .contacts = CONTACTS_GIVEN};
    View *view = flow->view;
    JnStatus status = jacobian_assemble(flow->stiffness, q, NULL, &stiffness, STIFFNESS_RAW, NULL, message);
    if (status == JN_OK && at_start)
        status = add_damping_change(flow, message);
    if (status == JN_OK)
        status = jacobian_assemble(flow->damping, q, NULL, &damping, view->stiffness, NULL, message);
    if (status != JN_OK)
        return status;
    flow->damped = !is_zero(&flow->damping->linear->matrix);
    double shift = SHIFT * flow->h;
    bool cheaper = count_operations(flow),
         rational = flow->kind == KRYLOV_BY_COUNTS ? cheaper : flow->kind == KRYLOV_RATIONAL;
    if (flow->kind == KRYLOV_RATIONAL)
        flow->polynomial_cost = 0;
    if (status == JN_OK && rational) {
        const JacobianScales shifted = {1, shift, shift * shift, CONTACTS_GIVEN};
        status = jacobian_give_contacts(view->jacobian, q, message);
        if (status == JN_OK)
            status = jacobian_factor(view->jacobian, q, NULL, &shifted, view_treatment(view), NULL, message);
    }
    flow->matrices = (MotionMatrices){.n = flow->count,
                                      .stiffness = {flow->count, apply_stiffness, flow},
                                      .damping = {flow->count, flow->damped ? apply_damping : NULL, flow},
                                      .mass = {flow->count, apply_mass, flow},
                                      .inverse_mass = {flow->count, apply_inverse_mass, flow},
                                      .shifted_inverse = {flow->count, rational ? apply_shifted_inverse : NULL, flow},
                                      .shift = shift};
    return status;
}
