/* The equations at one x, the incremental potential, and the search along a direction. */
#include "integrate/newton_internal.h"

#include <float.h>
#include <string.h>

/* The part of the decrease promised by the slope that a step must bring. */
static const double ARMIJO = 1e-4;
enum { CUTS_MOST = 30 };

/* ------------------------------------------------------------------------------------------------ at one x */

/* Whether any force depends on velocity: asked by a velocity that is neither rigid nor zero anywhere. `position` and
   the force at rest are those of point. */
static bool find_damped(Newton *newton, System *system, const Point *point) {
    uint64_t random = 1;
    for (size_t i = 0; i < newton->n; ++i) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        newton->velocity[i] = 1 + (double)(random >> 40);
    }
    system_force(system, newton->position, newton->velocity, newton->scratch);
    return memcmp(newton->scratch, point->rest_force, newton->n * sizeof(double)) != 0;
}

/* residual = -f(p, w) */
static void use_velocity(Newton *newton, System *system, const NewtonProblem *problem, Point *point) {
    double *force = newton->scratch, square = 0;
    for (size_t i = 0; i < newton->n; ++i)
        newton->velocity[i] = problem->velocity_scale * (point->x[i] - problem->velocity_origin[i]);
    system_force(system, newton->position, newton->velocity, force);
    for (size_t i = 0; i < newton->n; ++i) {
        square += (force[i] - point->rest_force[i]) * (force[i] - point->rest_force[i]);
        point->residual[i] = -force[i];
    }
    point->magnitude += sqrt(square);
}

void newton_position(const Newton *newton, const NewtonProblem *problem, const double *x, double *position) {
    double c = problem->position_weight;
    const double *origin = problem->position_origin;
    for (size_t i = 0; i < newton->n; ++i)
        position[i] = c == 1 ? x[i] : origin[i] + c * (x[i] - origin[i]);
}

/* scratch = a M (x - y) */
static const double *inertia_force(Newton *newton, const System *system, const NewtonProblem *problem,
                                   const double *x) {
    if (problem->mass == 0) {
        memset(newton->scratch, 0, newton->n * sizeof(double));
        return newton->scratch;
    }
    for (size_t i = 0; i < newton->n; ++i)
        newton->velocity[i] = problem->mass * (x[i] - problem->inertia_target[i]);
    system_multiply_mass(system, newton->velocity, newton->scratch);
    return newton->scratch;
}

/* Everything at point->x. false: something is not finite. */
static bool evaluate(Newton *newton, System *system, const NewtonProblem *problem, Point *point) {
    size_t n = newton->n;
    double *r = point->residual, *scratch = newton->scratch;
    newton_position(newton, problem, point->x, newton->position);
    SystemBalance balance = system_force_balance(system, newton->position, NULL, point->rest_force, scratch);
    point->energy = balance.energy;
    point->magnitude = balance.magnitude;
    for (size_t i = 0; i < n; ++i)
        r[i] = -point->rest_force[i];
    if (newton->damped)
        use_velocity(newton, system, problem, point);
    const double *inertia = inertia_force(newton, system, problem, point->x), *extra = problem->extra_force;
    for (size_t i = 0; i < n; ++i)
        r[i] = system->fixed[i / 3] ? 0 : r[i] + inertia[i] - (extra ? extra[i] : 0);
    point->magnitude += vector_length(inertia, n) + (extra ? vector_length(extra, n) : 0);
    point->length = vector_length(r, n);
    return isfinite(point->energy) && isfinite(point->length) && isfinite(point->magnitude);
}

/* ------------------------------------------------------------------------------------------------ line search */

/* The incremental potential along the direction, less that at `here`. */
typedef struct Line {
    double slope;        /* of all of it, at its start */
    double inertia;      /* of inertia and extra force only, */
    double inertia_bend; /* and their second derivative */
    double damping;      /* (f(p, 0) - f(p, w)) . direction at its start */
    double rounding;     /* J: differences below it are noise */
} Line;

/* (f(p, 0) - f(p, w)) . direction */
static double damping_along(const Newton *newton, const NewtonProblem *problem, const Point *point,
                            const double *inertia_force) {
    double sum = 0;
    for (size_t i = 0; i < newton->n; ++i) {
        double g = problem->extra_force ? problem->extra_force[i] : 0;
        sum += newton->direction[i] * (point->residual[i] + point->rest_force[i] + g - inertia_force[i]);
    }
    return sum;
}

static Line start_line(Newton *newton, System *system, const NewtonProblem *problem) {
    const Point *here = &newton->here;
    const double *d = newton->direction, *inertia = inertia_force(newton, system, problem, here->x);
    size_t n = newton->n;
    Line line = {.slope = vector_dot(here->residual, d, n), .inertia = vector_dot(inertia, d, n)};
    if (problem->extra_force)
        line.inertia -= vector_dot(problem->extra_force, d, n);
    line.damping = damping_along(newton, problem, here, inertia);
    system_multiply_mass(system, d, newton->mass_direction);
    line.inertia_bend = problem->mass * vector_dot(d, newton->mass_direction, n);
    line.rounding =
        4 * DBL_EPSILON * (fabs(here->energy) + here->magnitude * vector_length(here->x, n) + newton->stored);
    return line;
}

/* The sum of squares of the residual, each for its stiffness: what must fall where there is no potential. */
static double residual_merit(const Newton *newton, const Point *point) {
    double sum = 0;
    for (size_t i = 0; i < newton->n; ++i)
        sum += point->residual[i] * point->residual[i] / fmax(fabs(newton->diagonal[i / 3]), DBL_MIN);
    return sum;
}

/* By how much the merit at `trial` is above that at `here`, a step of t along the line; and what the slope promised. */
static double rise(Newton *newton, System *system, const NewtonProblem *problem, const Line *line, double t,
                   double *promised) {
    if (!system_has_potential(system)) {
        double before = residual_merit(newton, &newton->here);
        *promised = -2 * t * before;
        return residual_merit(newton, &newton->trial) - before;
    }
    double rise = t * line->inertia + 0.5 * t * t * line->inertia_bend +
                  (newton->trial.energy - newton->here.energy) / problem->position_weight;
    if (newton->damped)
        rise += 0.5 * t *
                (line->damping + damping_along(newton, problem, &newton->trial,
                                               inertia_force(newton, system, problem, newton->trial.x)));
    *promised = t * line->slope;
    return rise;
}

static void swap_points(Newton *newton) {
    Point left = newton->here;
    newton->here = newton->trial;
    newton->trial = left;
}

bool newton_search_line(Newton *newton, System *system, const NewtonProblem *problem, NewtonReport *report,
                        double *taken) {
    Line line = start_line(newton, system, problem);
    double t = 1; /* contact that bounds the step will start with less */
    if (!(line.slope < 0))
        return false;
    for (int cut = 0; cut <= CUTS_MOST; ++cut) {
        for (size_t i = 0; i < newton->n; ++i)
            newton->trial.x[i] = newton->here.x[i] + t * newton->direction[i];
        double shrink = 0.25;
        if (evaluate(newton, system, problem, &newton->trial)) {
            double promised, rose = rise(newton, system, problem, &line, t, &promised);
            /* energies that differ by noise only are told apart by their slope */
            if (rose <= ARMIJO * promised ||
                (rose <= line.rounding &&
                 fabs(vector_dot(newton->trial.residual, newton->direction, newton->n)) <= fabs(line.slope))) {
                swap_points(newton);
                *taken = t;
                return true;
            }
            /* the lowest point of the parabola through what is known */
            shrink = fmin(fmax(-0.5 * promised / (rose - promised), 0.1), 0.5);
        }
        ++report->cuts;
        t *= shrink;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------ the start */

/* trial.x = problem->before, with pinned vertices where they are to be. */
static void try_before(Newton *newton, const System *system, const NewtonProblem *problem) {
    for (size_t i = 0; i < newton->n; ++i)
        newton->trial.x[i] = system->fixed[i / 3] ? newton->here.x[i] : problem->before[i];
}

/* Goes to where the step began, if the forces at `here` more than stop the flight from there and the merit is lower. */
static void choose_start(Newton *newton, System *system, const NewtonProblem *problem) {
    double promised;
    try_before(newton, system, problem);
    for (size_t i = 0; i < newton->n; ++i)
        newton->direction[i] = newton->trial.x[i] - newton->here.x[i];
    Line back = start_line(newton, system, problem);
    if (back.slope < -back.inertia_bend && evaluate(newton, system, problem, &newton->trial) &&
        rise(newton, system, problem, &back, 1, &promised) < 0)
        swap_points(newton);
}

bool newton_evaluate_start(Newton *newton, System *system, const NewtonProblem *problem) {
    newton->damped = false;
    bool finite = evaluate(newton, system, problem, &newton->here), flies = finite;
    if (!finite && problem->before) {
        try_before(newton, system, problem);
        swap_points(newton);
        finite = evaluate(newton, system, problem, &newton->here);
    }
    if (finite && problem->velocity_scale != 0) {
        newton->damped = find_damped(newton, system, &newton->here);
        finite = !newton->damped || evaluate(newton, system, problem, &newton->here);
    }
    if (finite && flies && problem->before)
        choose_start(newton, system, problem);
    return finite;
}
