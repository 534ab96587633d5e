/* Far from the solution the safe stiffness is used. Close to it, where that converges slowly because some elements were
   projected, the raw one is used, which is positive definite near a minimum. A matrix is kept for as long as it
   contracts well (the chord method): a solve costs a tenth of a factorization, and its result is an estimate of the
   distance to the solution, in metres. */
#include "integrate/newton_internal.h"

#include "base/math3.h"
#include "base/status.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

const NewtonLimits newton_usual_limits = {1e-8, 1e-8, 60, 60};
static const NewtonLimits short_limits = {1e-8, 1e-8, 60, 25};
/* Steps longer than this fraction of an edge are long. */
static const double LONG_STEP = 0.05;

/* After steps longer than this fraction of an edge, a matrix is not kept if stiff parts may have turned. */
static const double TURNED_STEP = 3e-3;

/* Each step with an old matrix must be shorter than the previous one by this factor, or a new matrix is made. If a new
   one gives the same step (the matrix omits the derivative of stiffness damping with respect to x, so that no matrix
   contracts better), the factor may rise to the second number. */
static const double CONTRACTION = 0.2, CONTRACTION_MOST = 0.9;
static const double SAME_STEP = 0.2;
/* Full steps with new matrices that contract less than this are slow: the raw stiffness is tried next. */
static const double SLOW = 0.4;
/* Part of what is out of balance by which contact may be off after a direction: the next one mends it, with what has
   changed besides. */
static const double CONTACT_PART = 0.1;
enum { SHIFTS_MOST = 12, RAW_PAUSE = 4 };

JnStatus newton_create(const View *view, Newton **out, JnMessage *message) {
    Newton *newton = calloc(1, sizeof *newton);
    *out = NULL;
    if (!newton)
        return status_no_memory(message, "Newton's method");
    double **vectors[] = {&newton->here.x,    &newton->here.rest_force,  &newton->here.residual,
                          &newton->trial.x,   &newton->trial.rest_force, &newton->trial.residual,
                          &newton->direction, &newton->mass_direction,   &newton->velocity,
                          &newton->scratch,   &newton->diagonal,         &newton->linear,
                          &newton->way,       &newton->here.held,        &newton->trial.held};
    newton->n = (size_t)view->system->vertex_count * 3;
    newton->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], newton->n);
    JnStatus status = newton->memory ? anderson_create(newton->n, &newton->anderson, message)
                                     : status_no_memory(message, "Newton's method");
    if (status == JN_OK)
        status = contact_rounds_create(view, &newton->rounds, message);
    if (status == JN_OK)
        *out = newton;
    else
        newton_destroy(newton);
    return status;
}

void newton_keep_matrix(Newton *newton) {
    newton->keeps_matrix = true;
}

void newton_destroy(Newton *newton) {
    if (!newton)
        return;
    anderson_free(&newton->anderson);
    contact_rounds_destroy(newton->rounds);
    free(newton->memory);
    free(newton);
}

/* The largest component; NaN if any is. */
static double largest(const double *a, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; ++i) {
        if (isnan(a[i]))
            return NAN;
        most = fmax(most, fabs(a[i]));
    }
    return most;
}

/* ------------------------------------------------------------------------------------------------ the matrix */

/* Mean length of the edges of the mesh: the scale for small steps. */
static double mean_edge(const BlockMatrix *matrix, const double *x) {
    double sum = 0, count = 0;
    for (size_t column = 0; column < matrix->vertex_count; ++column)
        for (size_t k = matrix->column_starts[column] + 1; k < matrix->column_starts[column + 1]; ++k) {
            double edge[3];
            vec3_sub(x + 3 * (size_t)matrix->rows[k], x + 3 * column, edge);
            sum += vec3_length(edge);
            ++count;
        }
    return count > 0 ? sum / count : 0;
}

/* The diagonal, and from it the effect of rounding of the positions on the residual. */
static void read_diagonal(Newton *newton, const View *view) {
    const BlockMatrix *matrix = &view->jacobian->linear->matrix;
    double square = 0, sum = 0;
    for (size_t v = 0; v < view->system->vertex_count; ++v) {
        const double *block = matrix->values + 9 * (size_t)matrix->column_starts[v];
        newton->diagonal[v] = (block[0] + block[4] + block[8]) / 3;
        square += !view_is_free(view, v) ? 0 : newton->diagonal[v] * newton->diagonal[v];
        sum += fabs(newton->diagonal[v]);
    }
    newton->stored = sum * newton->edge * newton->edge;
    newton->rounding = 4 * DBL_EPSILON * newton->far * sqrt(square);
}

/* The next of the growing multiples of M that are added to a matrix that is not positive definite. */
static void raise_shift(Newton *newton, const View *view) {
    double mass = 0, stiffness = 0;
    for (size_t v = 0; v < view->system->vertex_count; ++v)
        if (view_is_free(view, v)) {
            mass += view->system->masses[v];
            stiffness += fabs(newton->diagonal[v]);
        }
    newton->shift_least = mass > 0 ? 1e-6 * stiffness / mass : 0;
    newton->shift = fmax(10 * newton->shift, newton->shift_least);
}

/* Factors a M + s D + K at `here`, with M added until it is positive definite: with an indefinite matrix the direction
   might not be one of descent. */
static JnStatus factor(Newton *newton, View *view, const NewtonProblem *problem, NewtonReport *report,
                       JnMessage *message) {
    JnStatus status = JN_ERR_DIVERGED;
    for (int attempt = 0; status == JN_ERR_DIVERGED && attempt <= SHIFTS_MOST; ++attempt) {
        if (attempt > 0)
            raise_shift(newton, view);
        JacobianScales scales = {problem->mass + newton->shift, problem->velocity_scale, 1, CONTACTS_GIVEN};
        StiffnessTreatment treatment = {.first = newton->raw ? STIFFNESS_RAW : STIFFNESS_SAFE};
        if (problem->split)
            modal_split_use(problem->split, &scales);
        status = jacobian_give_contacts(view->jacobian, newton->here.x, message);
        if (status == JN_OK)
            status = jacobian_factor(view->jacobian, newton->here.x, NULL, &scales, treatment, NULL, message);
        ++report->factorizations;
        if (newton->raw && view->jacobian->kind != STIFFNESS_RAW) {
            newton->raw = false;
            newton->raw_pause = RAW_PAUSE;
        }
        read_diagonal(newton, view);
    }
    newton->fresh = newton->has_matrix = true;
    return status;
}

/* ------------------------------------------------------------------------------------------------ the iteration */

static void fill_report(const Newton *newton, const View *view, NewtonReport *report) {
    const Point *here = &newton->here;
    double worst = -1;
    report->residual = here->magnitude > 0 ? here->length / here->magnitude : 0;
    for (uint32_t v = 0; v < view->system->vertex_count; ++v) {
        double at = vec3_length(here->residual + 3 * (size_t)v) / fmax(fabs(newton->diagonal[v]), DBL_MIN);
        if (view_is_free(view, v) && at > worst) {
            worst = at;
            report->worst_vertex = v;
        }
    }
}

static JnStatus fail(const Newton *newton, const NewtonReport *report, JnMessage *message) {
    const double *at = newton->here.x + 3 * (size_t)report->worst_vertex;
    return status_fail(message, JN_ERR_DIVERGED,
                       "the implicit equations did not converge in %u iterations: forces are out of balance by %.2g of "
                       "their size, most at (%.3g, %.3g, %.3g) m: use more steps_per_frame",
                       report->iterations, report->residual, at[0], at[1], at[2]);
}

/* The direction to where the equations are solved with all forces but contact linear, and contact as it is. */
static JnStatus find_direction_in_contact(Newton *newton, View *view, const NewtonProblem *problem,
                                          JnMessage *message) {
    Point *here = &newton->here;
    double *z = newton->trial.x, *b = newton->linear, *known = newton->velocity;
    double out_of_balance = here->magnitude > 0 ? here->length / here->magnitude : 0;
    JnStatus status = newton_add_contact(newton, view, -1, message);
    for (size_t i = 0; i < newton->n; ++i) {
        b[i] = -here->residual[i];
        z[i] = here->x[i];
        known[i] = view_is_free(view, i / 3) ? 0 : here->x[i];
    }
    const LinearStep step = {.b = b,
                             .known = known,
                             .good_guess = true,
                             .origin = here->x,
                             .precision = CONTACT_PART * out_of_balance,
                             .split = problem->split};
    if (status == JN_OK)
        status = contact_rounds_solve(newton->rounds, view, &step, z, message);
    for (size_t i = 0; i < newton->n; ++i)
        newton->direction[i] = z[i] - here->x[i];
    /* friction has other normal forces now */
    return status == JN_OK ? newton_add_contact(newton, view, 1, message) : status;
}

/* direction = -matrix^-1 residual */
static JnStatus find_direction(Newton *newton, View *view, const NewtonProblem *problem, JnMessage *message) {
    if (view_may_touch(view))
        return find_direction_in_contact(newton, view, problem, message);
    const double *residual = newton->here.residual;
    JnStatus status = problem->split
                          ? modal_split_solve(problem->split, view, residual, NULL, newton->direction, message)
                          : jacobian_solve(view->jacobian, residual, newton->direction, message);
    for (size_t i = 0; i < newton->n; ++i)
        newton->direction[i] = -newton->direction[i];
    return status;
}

static bool has_converged(const Newton *newton, const NewtonLimits *limits, double step) {
    const Point *here = &newton->here;
    return here->length <= newton->rounding ||
           (here->length <= limits->residual * here->magnitude && step <= limits->step * newton->edge);
}

/* Whether the new matrix gives approximately the step of the old one, which is in mass_direction. */
static bool gives_the_same_step(Newton *newton) {
    double *old = newton->mass_direction;
    for (size_t i = 0; i < newton->n; ++i)
        old[i] -= newton->direction[i];
    return vector_length(old, newton->n) <= SAME_STEP * vector_length(newton->direction, newton->n);
}

/* direction = the accelerated one, if that is also a descent direction. */
static void accelerate(Newton *newton) {
    double *accelerated = newton->mass_direction;
    anderson_step(&newton->anderson, newton->here.x, newton->direction, accelerated);
    if (vector_dot(newton->here.residual, accelerated, newton->n) < 0)
        memcpy(newton->direction, accelerated, newton->n * sizeof(double));
}

static JnStatus iterate(Newton *newton, View *view, const NewtonProblem *problem, const NewtonLimits *limits,
                        NewtonReport *report, JnMessage *message) {
    double last_step = INFINITY, contraction = CONTRACTION, asked = 0;
    bool new_matrix = !newton->has_matrix, replaced = false, turns = view_has_turns(view);
    int shifts = 0;
    for (;;) {
        JnStatus status = new_matrix ? factor(newton, view, problem, report, message) : JN_OK;
        if (status == JN_OK)
            status = find_direction(newton, view, problem, message);
        if (status != JN_OK)
            return status;
        report->step = largest(newton->direction, newton->n);
        if (replaced && gives_the_same_step(newton))
            contraction = fmin(1.1 * asked, CONTRACTION_MOST);
        else if (new_matrix && (turns || !(report->step <= LONG_STEP * newton->edge)))
            anderson_restart(&newton->anderson); /* later, unless parts turn, a new matrix makes little difference */
        new_matrix = replaced = false;
        report->converged = has_converged(newton, limits, report->step);
        bool wanders = report->iterations >= limits->patience && !(report->step <= LONG_STEP * newton->edge);
        if (report->converged || wanders || report->iterations >= limits->iterations)
            return JN_OK;
        if (!newton->fresh && !(report->step <= contraction * last_step)) {
            memcpy(newton->mass_direction, newton->direction, newton->n * sizeof(double));
            asked = report->step / last_step;
            newton->raw_pause -= newton->raw_pause > 0;
            newton->raw |= asked > SLOW && newton->raw_pause == 0;
            new_matrix = replaced = true;
            continue;
        }

        double taken;
        ++report->iterations;
        accelerate(newton);
        status = newton_search_line(newton, view, problem, report, &taken, message);
        if (status != JN_OK)
            return status;
        if (taken > 0) {
            last_step = report->step;
            new_matrix = taken < 1 || (turns && report->step > TURNED_STEP * newton->edge);
            newton->fresh = false;
            newton->raw |= new_matrix && turns && report->step <= LONG_STEP * newton->edge && newton->raw_pause == 0;
            if (taken == 1)
                newton->shift = newton->shift > newton->shift_least ? 0.1 * newton->shift : 0;
        } else if (!newton->fresh) {
            new_matrix = true;
        } else {
            if (++shifts > SHIFTS_MOST)
                return JN_OK;
            raise_shift(newton, view);
            new_matrix = true;
        }
    }
}

const NewtonLimits *newton_step_limits(const View *view) {
    return view->stiffness == STIFFNESS_RAW ? &newton_usual_limits : &short_limits;
}

/* With what is held now. */
static JnStatus solve_held(Newton *newton, View *view, const NewtonProblem *problem, const NewtonLimits *limits,
                           double *x, NewtonReport *report, JnMessage *message) {
    *report = (NewtonReport){0};
    newton->shift = 0;
    newton->raw = false;
    newton->raw_pause = 0;
    newton->fresh = false;
    newton->has_matrix &= newton->keeps_matrix;
    newton->keeps_matrix = false;
    anderson_restart(&newton->anderson);
    if (!newton->has_matrix)
        memset(newton->diagonal, 0, newton->n * sizeof(double));
    memset(newton->here.held, 0, newton->n * sizeof(double));
    memset(newton->trial.held, 0, newton->n * sizeof(double));
    memcpy(newton->here.x, x, newton->n * sizeof(double));
    bool finite = false;
    JnStatus status = newton_evaluate_start(newton, view, problem, &finite, message);
    if (status != JN_OK)
        return status;
    newton->edge = mean_edge(&view->system->pattern, newton->here.x);
    newton->far = largest(newton->here.x, newton->n);
    if (!finite) {
        fill_report(newton, view, report);
        if (newton->undefined.status == JN_OK)
            return fail(newton, report, message);
        if (message)
            *message = newton->undefined;
        return JN_ERR_DIVERGED;
    }
    report->converged = newton->here.length == 0;
    if (!report->converged)
        status = iterate(newton, view, problem, limits, report, message);
    fill_report(newton, view, report);
    memcpy(x, newton->here.x, newton->n * sizeof(double));
    bool takes_nearest = view->takes_nearest && view_may_touch(view);
    if (status == JN_OK && !report->converged && !takes_nearest)
        status = fail(newton, report, message);
    return status;
}

JnStatus newton_solve(Newton *newton, View *view, const NewtonProblem *problem, const NewtonLimits *limits, double *x,
                      NewtonReport *report, JnMessage *message) {
    uint32_t iterations = 0;
    bool more = true;
    JnStatus status = JN_OK;
    for (int look = 0; status == JN_OK && more && look <= CONTACT_LOOKS_MOST; ++look) {
        status = solve_held(newton, view, problem, limits, x, report, message);
        iterations += report->iterations;
        if (status == JN_OK)
            status = view_look_again(view, x, &more, message);
    }
    report->iterations = iterations;
    return status;
}
