#include "integrate/modal_split.h"

#include "base/status.h"
#include "base/vectors.h"

#include <stdlib.h>
#include <string.h>

/* One solve between projections is the implicit rule with less stiffness in the complement, by h^2 r'K^-1 r of itself,
   r what is left of K u - value M u. An implicit rule with at least half the stiffness is stable; this much less is let
   be. Else iterations bring the solution to the second part of the right-hand side, or roughly to the third. */
static const double LET_BE = 0.1, ENOUGH = 1e-8, ROUGHLY = 1e-6;
/* The least answer of a mode to a constant force, as part of what it would be by backward Euler: after whole periods
   there is none. */
static const double LEAST_ANSWER = 1e-2;
enum { ITERATIONS_MOST = 60 };

/* ------------------------------------------------------------------------------------------------ begin, end */

JnStatus modal_split_create(View *view, const MethodOptions *options, ModalSplit **out, JnMessage *message) {
    KeptModes *modes;
    *out = NULL;
    JnStatus status = kept_modes_create(view, options, &modes, message);
    if (status != JN_OK || !modes)
        return status;
    ModalSplit *split = calloc(1, sizeof *split);
    if (split) {
        double **vectors[] = {&split->work[0], &split->work[1], &split->work[2],
                              &split->work[3], &split->work[4], &split->work[5]};
        split->modes = modes;
        split->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], modes->n);
    } else {
        kept_modes_destroy(modes);
    }
    if (!split || !split->memory) {
        modal_split_destroy(split);
        return status_no_memory(message, "the kept modes");
    }
    *out = split;
    return JN_OK;
}

void modal_split_destroy(ModalSplit *split) {
    if (!split)
        return;
    kept_modes_destroy(split->modes);
    free(split->start_velocity);
    free(split->motion);
    free(split->memory);
    free(split);
}

/* Makes room for all modes. */
static JnStatus reserve(ModalSplit *split, JnMessage *message) {
    uint32_t count = split->modes->used.count;
    double ***arrays =
        (double **[]){&split->start_velocity, &split->start_force, &split->force_rate, &split->moved, &split->velocity,
                      &split->target,         &split->stiffness,   &split->m,          &split->place};
    enum { ARRAYS = 9 };
    if (count <= split->capacity)
        return JN_OK;
    free(split->start_velocity);
    free(split->motion);
    split->start_velocity = NULL;
    split->capacity = 0;
    split->motion = calloc(count, sizeof *split->motion);
    double *memory = vectors_make(arrays, ARRAYS, count);
    if (!split->motion || !memory)
        return status_no_memory(message, "the kept modes");
    split->capacity = count;
    return JN_OK;
}

bool modal_split_archive(ModalSplit *split, Archive *archive) {
    return !split || kept_modes_archive(split->modes, archive);
}

/* ------------------------------------------------------------------------------------------------ on the modes */

JnStatus modal_split_update(ModalSplit *split, View *view, const KeptUpdate *update, JnMessage *message) {
    JnStatus status = kept_modes_update(split->modes, view, update, message);
    modal_split_use(split, update->matrix ? update->matrix : &update->fallback);
    return status == JN_OK ? reserve(split, message) : status;
}

void modal_split_use(ModalSplit *split, const JacobianScales *scales) {
    split->scales = *scales;
}

/* On mode k, at the start's velocities v. The closed form has the mode's own damping, and damping by what else moves is
   a force of the start; if none is to act on the modes, all of it is taken back. */
static double modal_force(const ModeSet *modes, uint32_t k, const ModalForce *force, const double *v) {
    size_t n = modes->n;
    const double *damp = modes->damp_vectors + k * n;
    double along = vector_dot_by_fours(modes->vectors + k * n, force->force, n);
    if (!modes->damped)
        return along;
    if (force->velocity)
        along += vector_dot_by_fours(damp, force->velocity, n);
    return modes->damp_all ? along - vector_dot_by_fours(damp, v, n) +
                                 modes->dampings[k] * vector_dot_by_fours(modes->mass_vectors + k * n, v, n)
                           : along;
}

void modal_split_start(ModalSplit *split, const double *v, const ModalForce *start, const ModalForce *later,
                       double time) {
    const ModeSet *modes = &split->modes->used;
    mode_set_coordinates(modes, v, split->start_velocity);
    for (uint32_t k = 0; k < modes->count; ++k) {
        double then = modal_force(modes, k, later, v);
        split->start_force[k] = start ? modal_force(modes, k, start, v) : then;
        split->force_rate[k] = (then - split->start_force[k]) / time;
    }
}

void modal_split_advance(ModalSplit *split, double time) {
    const ModeSet *modes = &split->modes->used;
    for (uint32_t k = 0; k < modes->count; ++k) {
        double v = split->start_velocity[k], f = split->start_force[k] + 0.5 * time * split->force_rate[k];
        Oscillation motion = oscillator_advance(modes->values[k], modes->damp_all ? modes->dampings[k] : 0, time);
        split->moved[k] = motion.position * v + motion.displacement * f;
        split->velocity[k] = motion.velocity * v + motion.position * f;
        motion.displacement = fmax(motion.displacement, LEAST_ANSWER / (1 / (time * time) + fmax(modes->values[k], 0)));
        split->motion[k] = motion;
    }
}

void modal_split_place(ModalSplit *split, const double *value, double *z) {
    const ModeSet *modes = &split->modes->used;
    mode_set_coordinates(modes, z, split->m);
    for (uint32_t k = 0; k < modes->count; ++k)
        split->m[k] = value[k] - split->m[k];
    mode_set_add(modes, split->m, z);
}

void modal_split_answer(ModalSplit *split, const double *z, double strength) {
    const ModeSet *modes = &split->modes->used;
    mode_set_coordinates(modes, z, split->m);
    for (uint32_t k = 0; k < modes->count; ++k) {
        double force = split->stiffness[k] * (split->m[k] - split->target[k]) / strength;
        split->velocity[k] += split->motion[k].position * force;
    }
}

void modal_split_add_damping(const ModalSplit *split, const double *m, double *b) {
    const ModeSet *modes = &split->modes->used;
    if (modes->damped)
        mode_set_add_products(modes, modes->damp_vectors, m, b);
}

/* ------------------------------------------------------------------------------------------------ both parts */

/* y += M U (stiffness m); m is overwritten. */
static void add_modal_force(const ModalSplit *split, double *m, double *y) {
    const ModeSet *modes = &split->modes->used;
    for (uint32_t k = 0; k < modes->count; ++k)
        m[k] *= split->stiffness[k];
    mode_set_add_products(modes, modes->mass_vectors, m, y);
}

void modal_split_hold(ModalSplit *split, const double *z, const double *force, double *held) {
    const ModeSet *modes = &split->modes->used;
    memset(held, 0, modes->n * sizeof *held);
    mode_set_coordinates(modes, z, split->m);
    mode_set_multiply(modes, modes->vectors, force, split->place);
    for (uint32_t k = 0; k < modes->count; ++k)
        split->m[k] += -split->target[k] - split->place[k] / split->stiffness[k];
    add_modal_force(split, split->m, held);
}

void modal_split_left(ModalSplit *split, const View *view, const double *b, const double *origin, const double *z,
                      double *left) {
    const ModeSet *modes = &split->modes->used;
    double *way = split->work[0];
    for (size_t i = 0; i < modes->n; ++i)
        way[i] = origin ? z[i] - origin[i] : z[i];
    block_matrix_multiply(&view->jacobian->linear->matrix, way, left);
    for (size_t i = 0; i < modes->n; ++i)
        left[i] = b[i] - left[i];
    view_clear_fixed(view, left);
    mode_set_project_force(modes, left);
    mode_set_coordinates(modes, z, split->m);
    for (uint32_t k = 0; k < modes->count; ++k)
        split->m[k] = split->target[k] - split->m[k];
    add_modal_force(split, split->m, left);
}

void modal_split_multiply(ModalSplit *split, const View *view, const double *x, double *y) {
    const ModeSet *modes = &split->modes->used;
    double *rest = split->work[0];
    memcpy(rest, x, modes->n * sizeof *rest);
    view_clear_fixed(view, rest);
    mode_set_coordinates(modes, rest, split->m);
    mode_set_project_motion(modes, rest);
    block_matrix_multiply(&view->jacobian->linear->matrix, rest, y);
    view_clear_fixed(view, y);
    mode_set_project_force(modes, y);
    add_modal_force(split, split->m, y);
}

/* ------------------------------------------------------------------------------------------------ solves */

/* x = nearly the solution for b: without contacts that of both parts apart, exact where the modes are; else that of the
   step's matrix. */
static JnStatus solve_nearly(ModalSplit *split, View *view, const double *b, const double *guess, double *x,
                             JnMessage *message) {
    const ModeSet *modes = &split->modes->used;
    double *rest = split->work[0];
    if (jacobian_has_contacts(view->jacobian))
        return jacobian_solve_near(view->jacobian, b, NULL, guess, x, NULL, message);
    memcpy(rest, b, modes->n * sizeof *rest);
    mode_set_multiply(modes, modes->vectors, b, split->m);
    for (uint32_t k = 0; k < modes->count; ++k)
        split->m[k] /= split->stiffness[k];
    mode_set_project_force(modes, rest);
    if (guess && x != guess)
        memcpy(x, guess, modes->n * sizeof *x);
    if (guess)
        mode_set_project_motion(modes, x);
    JnStatus status = jacobian_solve_near(view->jacobian, rest, NULL, guess ? x : NULL, x, NULL, message);
    mode_set_project_motion(modes, x);
    mode_set_add(modes, split->m, x);
    return status;
}

/* Whether one such solve is not enough. */
static bool must_iterate(const ModalSplit *split, const View *view) {
    const ModeSet *modes = &split->modes->used;
    double most = 0;
    for (uint32_t k = 0; k < modes->count; ++k) {
        double along = split->scales.mass + split->scales.damping * modes->dampings[k] +
                       split->scales.stiffness * modes->values[k];
        double across =
            split->scales.stiffness * modes->residuals[k] + split->scales.damping * modes->damp_residuals[k];
        most = fmax(most, across * across / (along * split->scales.stiffness));
    }
    return most > LET_BE || jacobian_has_contacts(view->jacobian);
}

/* Conjugate gradients from x, preconditioned by solve_nearly. */
static JnStatus iterate(ModalSplit *split, View *view, const double *b, double *x, JnMessage *message) {
    size_t n = split->modes->n;
    double *r = split->work[1], *p = split->work[2], *s = split->work[3], *product = split->work[4], before = 0;
    double enough = 0;
    modal_split_multiply(split, view, x, r);
    jacobian_add_contact_product(view->jacobian, x, r);
    for (size_t i = 0; i < n; ++i) {
        r[i] = view_is_free(view, i / 3) ? b[i] - r[i] : 0;
        enough += view_is_free(view, i / 3) ? b[i] * b[i] : 0;
    }
    enough = (split->roughly ? ROUGHLY : ENOUGH) * sqrt(enough);
    JnStatus status = JN_OK;
    for (int k = 0; status == JN_OK && k < ITERATIONS_MOST && vector_length(r, n) > enough; ++k) {
        ++view->system->mode_corrections;
        status = solve_nearly(split, view, r, NULL, s, message);
        double along = vector_dot_by_fours(r, s, n);
        for (size_t i = 0; i < n; ++i)
            p[i] = s[i] + (k > 0 ? along / before * p[i] : 0);
        before = along;
        modal_split_multiply(split, view, p, product);
        jacobian_add_contact_product(view->jacobian, p, product);
        view_clear_fixed(view, product);
        double bend = vector_dot_by_fours(p, product, n), step = bend > 0 ? along / bend : 0;
        for (size_t i = 0; i < n; ++i) {
            x[i] += step * p[i];
            r[i] -= step * product[i];
        }
        if (!(bend > 0))
            break;
    }
    return status;
}

JnStatus modal_split_solve(ModalSplit *split, View *view, const double *b, const double *guess, double *x,
                           JnMessage *message) {
    JnStatus status = solve_nearly(split, view, b, guess, x, message);
    return status == JN_OK && must_iterate(split, view) ? iterate(split, view, b, x, message) : status;
}

JnStatus modal_split_solve_from(ModalSplit *split, View *view, const double *b, const double *known,
                                const double *start, bool good_guess, double *z, JnMessage *message) {
    const ModeSet *modes = &split->modes->used;
    double *rhs = split->work[1], *left = split->work[5]; /* which `iterate` does not use */
    size_t n = modes->n;
    block_matrix_multiply(&view->jacobian->linear->matrix, start, left);
    for (size_t i = 0; i < n; ++i)
        rhs[i] = left[i] = view_is_free(view, i / 3) ? b[i] - left[i] : 0;
    mode_set_project_force(modes, left);
    for (size_t i = 0; i < n; ++i) {
        rhs[i] = b[i] - (rhs[i] - left[i]);
        z[i] -= start[i];
    }
    mode_set_project_motion(modes, z);
    for (size_t i = 0; i < n; ++i)
        z[i] += start[i];
    JnStatus status = jacobian_solve_near(view->jacobian, rhs, known, good_guess ? z : NULL, z, NULL, message);
    for (size_t i = 0; i < n; ++i)
        z[i] = view_is_free(view, i / 3) ? z[i] - start[i] : 0;
    mode_set_project_motion(modes, z);
    if (status == JN_OK && must_iterate(split, view))
        status = iterate(split, view, left, z, message);
    for (size_t i = 0; i < n; ++i)
        z[i] += start[i];
    return status;
}
