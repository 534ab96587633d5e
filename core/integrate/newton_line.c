/* The equations at one x, the incremental potential, and the line search. */
#include "integrate/newton_internal.h"

#include "base/status.h"

#include <float.h>
#include <string.h>

/* The fraction of the decrease predicted by the slope that a step must achieve (Armijo). */
static const double ARMIJO = 1e-4;
enum { CUTS_MOST = 30 };

/* ------------------------------------------------------------------------------------------------ at one x */

/* Whether any force depends on velocity: tested with a velocity that is neither rigid nor zero anywhere. */
static JnStatus find_damped(Newton *newton, View *view, const Point *point, JnMessage *message) {
    uint64_t random = 1;
    for (size_t i = 0; i < newton->n; ++i) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        newton->velocity[i] = 1 + (double)(random >> 40);
    }
    JnStatus status = view_force(view, ALL_TERM_ROLES, point->x, newton->velocity, newton->scratch, message);
    newton->damped = memcmp(newton->scratch, point->rest_force, newton->n * sizeof(double)) != 0;
    return status;
}

/* residual = -f(x, w) */
static JnStatus use_velocity(Newton *newton, View *view, const NewtonProblem *problem, Point *point,
                             JnMessage *message) {
    double *force = newton->scratch, square = 0;
    for (size_t i = 0; i < newton->n; ++i)
        newton->velocity[i] = problem->velocity_scale * (point->x[i] - problem->velocity_origin[i]);
    JnStatus status = view_force(view, ALL_TERM_ROLES, point->x, newton->velocity, force, message);
    for (size_t i = 0; i < newton->n; ++i) {
        square += (force[i] - point->rest_force[i]) * (force[i] - point->rest_force[i]);
        point->residual[i] = -force[i];
    }
    point->magnitude += sqrt(square);
    return status;
}

/* scratch = a M (x - y) */
static const double *inertia_force(Newton *newton, const View *view, const NewtonProblem *problem, const double *x) {
    if (problem->mass == 0) {
        memset(newton->scratch, 0, newton->n * sizeof(double));
        return newton->scratch;
    }
    for (size_t i = 0; i < newton->n; ++i)
        newton->velocity[i] = problem->mass * (x[i] - problem->inertia_target[i]);
    system_multiply_mass(view->system, newton->velocity, newton->scratch);
    return newton->scratch;
}

/* Energy and forces at point->x; residual = -f(x, w). */
static JnStatus evaluate_forces(Newton *newton, View *view, const NewtonProblem *problem, Point *point,
                                JnMessage *message) {
    ForceBalance balance;
    JnStatus status = view_force_balance(view, point->x, NULL, point->rest_force, newton->scratch, &balance, message);
    point->energy = balance.energy;
    point->magnitude = balance.magnitude;
    for (size_t i = 0; i < newton->n; ++i)
        point->residual[i] = -point->rest_force[i];
    return status == JN_OK && newton->damped ? use_velocity(newton, view, problem, point, message) : status;
}

/* Takes the modes out of the equations, and adds what holds them: all but contact, which acts on them as on others. */
static JnStatus hold_modes(Newton *newton, View *view, const NewtonProblem *problem, Point *point, JnMessage *message) {
    double *all = newton->scratch, *contact = newton->velocity;
    JnStatus status = view_contact(view, point->x, NULL, contact, message);
    for (size_t i = 0; i < newton->n; ++i)
        all[i] = view_is_free(view, i / 3) ? point->residual[i] + contact[i] : 0;
    modal_split_hold(problem->split, point->x, all, point->held);
    for (size_t i = 0; i < newton->n; ++i)
        point->residual[i] += point->held[i];
    return status;
}

/* Evaluates everything at point->x. *finite false: a value is not finite, or a term is undefined there. */
static JnStatus evaluate(Newton *newton, View *view, const NewtonProblem *problem, Point *point, bool *finite,
                         JnMessage *message) {
    size_t n = newton->n;
    double *r = point->residual;
    status_clear(&newton->undefined);
    JnStatus status = evaluate_forces(newton, view, problem, point, &newton->undefined);
    *finite = false;
    point->length = point->magnitude = status == JN_OK ? point->magnitude : 0;
    if (status == JN_ERR_DIVERGED)
        return JN_OK;
    if (status != JN_OK) {
        if (message)
            *message = newton->undefined;
        return status;
    }
    const double *inertia = inertia_force(newton, view, problem, point->x), *extra = problem->extra_force;
    for (size_t i = 0; i < n; ++i)
        r[i] = view_is_free(view, i / 3) ? r[i] + inertia[i] - (extra ? extra[i] : 0) : 0;
    point->magnitude += vector_length(inertia, n) + (extra ? vector_length(extra, n) : 0);
    if (problem->split)
        status = hold_modes(newton, view, problem, point, message);
    if (status != JN_OK)
        return status;
    point->length = vector_length(r, n);
    *finite = isfinite(point->energy) && isfinite(point->length) && isfinite(point->magnitude);
    return JN_OK;
}

JnStatus newton_add_contact(Newton *newton, View *view, double sign, JnMessage *message) {
    Point *here = &newton->here;
    double energy;
    JnStatus status = view_contact(view, here->x, &energy, newton->scratch, message);
    here->energy += sign * energy;
    for (size_t i = 0; i < newton->n; ++i) {
        here->rest_force[i] += sign * newton->scratch[i];
        here->residual[i] -= view_is_free(view, i / 3) ? sign * newton->scratch[i] : 0;
    }
    here->length = vector_length(here->residual, newton->n);
    return status;
}

/* ------------------------------------------------------------------------------------------------ line search */

/* The incremental potential along the direction, less that at `here`. */
typedef struct Line {
    double slope;        /* of the potential at the start */
    double inertia;      /* of inertia and extra force only, */
    double inertia_bend; /* and their second derivative */
    double damping;      /* (f(x, 0) - f(x, w)) . direction at its start */
    double rounding;     /* J: differences below it are noise */
} Line;

/* (f(x, 0) - f(x, w)) . d */
static double damping_along(const Newton *newton, const NewtonProblem *problem, const Point *point,
                            const double *inertia_force, const double *d) {
    double sum = 0;
    for (size_t i = 0; i < newton->n; ++i) {
        double g = problem->extra_force ? problem->extra_force[i] : 0;
        sum += d[i] * (point->residual[i] - point->held[i] + point->rest_force[i] + g - inertia_force[i]);
    }
    return sum;
}

static Line start_line(Newton *newton, View *view, const NewtonProblem *problem, const double *d) {
    const Point *here = &newton->here;
    const double *inertia = inertia_force(newton, view, problem, here->x);
    size_t n = newton->n;
    Line line = {.slope = vector_dot(here->residual, d, n), .inertia = vector_dot(inertia, d, n)};
    if (problem->extra_force)
        line.inertia -= vector_dot(problem->extra_force, d, n);
    line.inertia += vector_dot(here->held, d, n);
    line.damping = damping_along(newton, problem, here, inertia, d);
    system_multiply_mass(view->system, d, newton->mass_direction);
    line.inertia_bend = problem->mass * vector_dot(d, newton->mass_direction, n);
    line.rounding =
        4 * DBL_EPSILON * (fabs(here->energy) + here->magnitude * vector_length(here->x, n) + newton->stored);
    return line;
}

/* The sum of squares of the residual, each relative to its stiffness: the merit function where there is no
   potential. */
static double residual_merit(const Newton *newton, const Point *point) {
    double sum = 0;
    for (size_t i = 0; i < newton->n; ++i)
        sum += point->residual[i] * point->residual[i] / fmax(fabs(newton->diagonal[i / 3]), DBL_MIN);
    return sum;
}

/* The merit at `trial`, a step of t along the line of direction d, less that at `here`; and the change predicted by the
   slope. */
static double rise(Newton *newton, View *view, const NewtonProblem *problem, const Line *line, const double *d,
                   double t, double *promised) {
    if (!view_has_potential(view)) {
        double before = residual_merit(newton, &newton->here);
        *promised = -2 * t * before;
        return residual_merit(newton, &newton->trial) - before;
    }
    double rise = t * line->inertia + 0.5 * t * t * line->inertia_bend + (newton->trial.energy - newton->here.energy);
    if (newton->damped)
        rise += 0.5 * t *
                (line->damping + damping_along(newton, problem, &newton->trial,
                                               inertia_force(newton, view, problem, newton->trial.x), d));
    *promised = t * line->slope;
    return rise;
}

static void swap_points(Newton *newton) {
    Point left = newton->here;
    newton->here = newton->trial;
    newton->trial = left;
}

/* As above, where trial.x has left the line at t to follow what turns: along the straight way there. */
static double rise_of_turn(Newton *newton, View *view, const NewtonProblem *problem, double slope, double t,
                           double *promised) {
    for (size_t i = 0; i < newton->n; ++i)
        newton->way[i] = newton->trial.x[i] - newton->here.x[i];
    Line way = start_line(newton, view, problem, newton->way);
    double rose = rise(newton, view, problem, &way, newton->way, 1, promised);
    if (view_has_potential(view))
        *promised = t * slope;
    return rose;
}

JnStatus newton_search_line(Newton *newton, View *view, const NewtonProblem *problem, NewtonReport *report,
                            double *taken, JnMessage *message) {
    Line line = start_line(newton, view, problem, newton->direction);
    double t = 1;
    *taken = 0;
    if (!(line.slope < 0))
        return JN_OK;
    for (int cut = 0; cut <= CUTS_MOST; ++cut) {
        for (size_t i = 0; i < newton->n; ++i)
            newton->trial.x[i] = newton->here.x[i] + t * newton->direction[i];
        double shrink = 0.25;
        bool finite, turned = view_follow_turns(view, TURN_SEARCH, newton->here.x, newton->trial.x);
        JnStatus status = evaluate(newton, view, problem, &newton->trial, &finite, message);
        if (status != JN_OK)
            return status;
        if (finite) {
            double promised, rose = turned ? rise_of_turn(newton, view, problem, line.slope, t, &promised)
                                           : rise(newton, view, problem, &line, newton->direction, t, &promised);
            /* where energies differ only by rounding, compare slopes */
            if (rose <= ARMIJO * promised ||
                (rose <= line.rounding &&
                 fabs(vector_dot(newton->trial.residual, newton->direction, newton->n)) <= fabs(line.slope))) {
                swap_points(newton);
                *taken = t;
                return JN_OK;
            }
            /* the minimum of the parabola through the known values */
            shrink = fmin(fmax(-0.5 * promised / (rose - promised), 0.1), 0.5);
        }
        ++report->cuts;
        t *= shrink;
    }
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ the start */

/* trial.x = problem->before, with vertices that are not free at their final positions. */
static void try_before(Newton *newton, const View *view, const NewtonProblem *problem) {
    for (size_t i = 0; i < newton->n; ++i)
        newton->trial.x[i] = view_is_free(view, i / 3) ? problem->before[i] : newton->here.x[i];
    if (problem->split)
        modal_split_place(problem->split, problem->split->target, newton->trial.x);
}

/* Restarts from the positions at the start of the step, if the forces at `here` would reverse the motion from there and
   the merit is lower. */
static JnStatus choose_start(Newton *newton, View *view, const NewtonProblem *problem, JnMessage *message) {
    double promised;
    bool finite = false;
    try_before(newton, view, problem);
    for (size_t i = 0; i < newton->n; ++i)
        newton->direction[i] = newton->trial.x[i] - newton->here.x[i];
    Line back = start_line(newton, view, problem, newton->direction);
    if (!(back.slope < -back.inertia_bend))
        return JN_OK;
    JnStatus status = evaluate(newton, view, problem, &newton->trial, &finite, message);
    if (status == JN_OK && finite && rise(newton, view, problem, &back, newton->direction, 1, &promised) < 0)
        swap_points(newton);
    return status;
}

JnStatus newton_evaluate_start(Newton *newton, View *view, const NewtonProblem *problem, bool *finite,
                               JnMessage *message) {
    newton->damped = false;
    *finite = false;
    if (problem->before)
        view_follow_turns(view, TURN_GUESS, problem->before, newton->here.x);
    JnStatus status = evaluate(newton, view, problem, &newton->here, finite, message);
    bool flies = *finite;
    if (status == JN_OK && !*finite && problem->before) {
        try_before(newton, view, problem);
        swap_points(newton);
        status = evaluate(newton, view, problem, &newton->here, finite, message);
    }
    if (status == JN_OK && *finite && problem->velocity_scale != 0) {
        status = find_damped(newton, view, &newton->here, message);
        if (status == JN_OK && newton->damped)
            status = evaluate(newton, view, problem, &newton->here, finite, message);
    }
    if (status == JN_OK && *finite && flies && problem->before)
        status = choose_start(newton, view, problem, message);
    return status;
}
