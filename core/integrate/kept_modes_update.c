/* Carrying the kept modes from one step to the next. */
#include "integrate/kept_modes.h"

#include "base/status.h"
#include "base/vectors.h"
#include "linear/dense_eigen.h"
#include "linear/vector_blocks.h"
#include "linear/vertex_rotations.h"

#include <stdlib.h>
#include <string.h>

/* What is left of a mode couples it to the complement, whose implicit rule takes energy from it, in proportion to by
   which part its value is too high. Where that part, times the mode's part of the energy of all, is more than the first
   number, it is improved; at most so many in an update, those that lose most. A mode that hardly moves counts as if it
   had the second part. */
static const double NEEDED = 3e-3, LEAST_ENERGY = 0.05;
enum { BLOCK_MOST = 4 };
/* The least value of a mode, as part of the largest, that its error is compared with. */
static const double LEAST_VALUE = 1e-3;
/* Modes are lost if a value is too high by more than this part of the largest. */
static const double LOST = 0.25;
/* The part of 1/h^2 + value by which a value may be too high: with more the mode is none of this step's, but coupled to
   all others. */
static const double COUPLED = 0.1;
/* Modes with more phase than this in a step are not resolved by it. */
static const double RESOLVED = 1;
/* The least stiffness of a vertex, as part of the largest. */
static const double SLACK = 1e-6;
/* Updates before a search may be repeated at first, doubled each time it comes to that again, at most the second. */
enum { WAIT_FIRST = 16, WAIT_MOST = 1024 };

/* ------------------------------------------------------------------------------------------------ products */

static void multiply_mass(KeptModes *modes, const View *view, uint32_t k) {
    system_multiply_mass(view->system, modes->vectors + k * modes->n, modes->mass_vectors + k * modes->n);
    view_clear_fixed(view, modes->mass_vectors + k * modes->n);
}

/* The product of a matrix with vector k and so many others, at the same place in `products`. */
static void multiply_block(KeptModes *modes, const BlockMatrix *matrix, double *products, uint32_t k, uint32_t count) {
    block_matrix_multiply_many(matrix, modes->vectors + k * modes->n, count, modes->products, products + k * modes->n);
}

/* M u, K u, D u of the vectors from `first` to `end`. */
static void multiply(KeptModes *modes, const View *view, const KeptUpdate *update, uint32_t first, uint32_t end) {
    const JacobianScales *scales = update->matrix;
    const BlockMatrix *step = &view->jacobian->linear->matrix;
    const bool damped = modes->state.damped, own_stiffness = !scales || damped;
    size_t n = modes->n;
    multiply_block(modes, own_stiffness ? &modes->stiffness->linear->matrix : step, modes->stiff_vectors, first,
                   end - first);
    if (damped)
        multiply_block(modes, scales ? step : &modes->damping->linear->matrix, modes->damp_vectors, first, end - first);
    for (uint32_t k = first; k < end; ++k) {
        double *mass = modes->mass_vectors + k * n, *stiff = modes->stiff_vectors + k * n,
               *damp = modes->damp_vectors + k * n;
        multiply_mass(modes, view, k);
        for (size_t i = 0; !own_stiffness && i < n; ++i)
            stiff[i] = (stiff[i] - scales->mass * mass[i]) / scales->stiffness;
        for (size_t i = 0; damped && scales && i < n; ++i)
            damp[i] = scales->damping > 0
                          ? (damp[i] - scales->mass * mass[i] - scales->stiffness * stiff[i]) / scales->damping
                          : 0;
        if (!damped)
            memset(damp, 0, n * sizeof *damp);
        view_clear_fixed(view, stiff);
        view_clear_fixed(view, damp);
    }
}

static bool any_nonzero(const BlockMatrix *matrix) {
    for (size_t k = 0; k < (size_t)matrix->block_count * 9; ++k)
        if (matrix->values[k] != 0)
            return true;
    return false;
}

/* Air and fields may slow at any time. */
static bool may_be_slowed(const View *view) {
    for (uint32_t k = 0; k < view->system->term_count; ++k) {
        TermRole role = view->system->terms[k].operations->role;
        if (role == TERM_AIR || role == TERM_FIELDS)
            return true;
    }
    return false;
}

/* The matrices that the products need. searching: K of modes->stiffness is needed in any case, and it is found out
   whether anything is damped. */
static JnStatus assemble(KeptModes *modes, View *view, const KeptUpdate *update, bool searching, JnMessage *message) {
    static const JacobianScales stiffness = {.stiffness = 1, .contacts = CONTACTS_GIVEN},
                                damping = {.damping = 1, .contacts = CONTACTS_GIVEN};
    StiffnessKind kind = update->matrix ? view->jacobian->kind : view->stiffness;
    JnStatus status = JN_OK;
    if (searching || (!update->matrix && modes->state.damped))
        status = jacobian_assemble(modes->damping, update->q, NULL, &damping, kind, NULL, message);
    if (status == JN_OK && searching)
        modes->state.damped = may_be_slowed(view) || any_nonzero(&modes->damping->linear->matrix);
    if (status == JN_OK && (searching || !update->matrix || modes->state.damped))
        status = jacobian_assemble(modes->stiffness, update->q, NULL, &stiffness, kind, NULL, message);
    return status;
}

/* ------------------------------------------------------------------------------------------------ Rayleigh and Ritz */

/* Orders pairs, [count][count] vectors in the metric `gram`, so that those that are nearest to the first `keep` vectors
   come first, by ascending values. */
static void choose_nearest(double *pairs, double *values, const double *gram, uint32_t count, uint32_t keep) {
    for (uint32_t dropped = count; dropped > keep; --dropped) {
        uint32_t worst = 0;
        double least = INFINITY;
        for (uint32_t k = 0; k < dropped; ++k) {
            double along = 0;
            for (uint32_t a = 0; a < keep; ++a)
                for (uint32_t b = 0; b < count; ++b)
                    along += pairs[k * count + a] * gram[a * count + b] * pairs[k * count + b];
            if (along < least) {
                least = along;
                worst = k;
            }
        }
        for (uint32_t k = worst; k + 1 < dropped; ++k) {
            memcpy(pairs + k * count, pairs + (k + 1) * count, count * sizeof *pairs);
            values[k] = values[k + 1];
        }
    }
}

/* Of what the first `count` vectors span, the `keep` modes. */
static JnStatus ritz(KeptModes *modes, const View *view, uint32_t count, uint32_t keep, JnMessage *message) {
    size_t n = modes->n, square = (size_t)count * count;
    double *a = malloc((3 * square + count + 1) * sizeof *a);
    if (!a)
        return status_no_memory(message, "the kept modes");
    double *gram = a + square, *kept_gram = gram + square, *values = kept_gram + square;
    JnStatus status = vector_blocks_multiply(n, modes->vectors, count, modes->stiff_vectors, count, a, message);
    if (status == JN_OK)
        status = vector_blocks_multiply(n, modes->vectors, count, modes->mass_vectors, count, gram, message);
    if (status == JN_OK) {
        memcpy(kept_gram, gram, square * sizeof *gram);
        status = dense_eigen(count, a, gram, values, message);
    }
    if (status == JN_OK && count > keep && !modes->state.lowest)
        choose_nearest(a, values, kept_gram, count, keep);
    for (uint32_t k = 0; status == JN_OK && k < keep; ++k)
        modes->values[k] = values[k];
    double *blocks[] = {modes->vectors, modes->stiff_vectors, modes->damp_vectors};
    size_t block_count = modes->state.damped ? 3 : 2;
    for (size_t b = 0; status == JN_OK && b < block_count; ++b)
        status = vector_blocks_combine(n, blocks[b], count, a, keep, message);
    for (uint32_t k = 0; status == JN_OK && k < keep; ++k)
        multiply_mass(modes, view, k);
    free(a);
    return status;
}

/* None but rigid motions. */
static void keep_none(KeptModes *modes) {
    modes->state.count = modes->state.rigid;
    modes->state.guards = 0;
}

/* As `ritz`, and keeps none but rigid motions, or none at all, where the vectors have become dependent, as those of a
   body that has collapsed. */
static JnStatus ritz_or_drop(KeptModes *modes, const View *view, uint32_t count, uint32_t keep, JnMessage *message) {
    JnMessage why;
    JnStatus status = ritz(modes, view, count, keep, &why);
    if (status == JN_ERR_DIVERGED) {
        keep_none(modes);
        status = ritz(modes, view, modes->state.rigid, modes->state.rigid, &why);
    }
    if (status == JN_ERR_DIVERGED) {
        modes->state.rigid = modes->state.count = 0;
        status = JN_OK;
    }
    if (status != JN_OK && message)
        *message = why;
    return status;
}

/* left = products - value M u, of mode k, and its size. */
static double find_left(const KeptModes *modes, uint32_t k, const double *products, double value, double *left) {
    const double *product = products + k * modes->n, *mass = modes->mass_vectors + k * modes->n;
    double sum = 0;
    for (size_t v = 0; v < modes->n / 3; ++v) {
        double square = 0;
        for (size_t i = 3 * v; i < 3 * v + 3; ++i) {
            left[i] = product[i] - value * mass[i];
            square += left[i] * left[i];
        }
        sum += modes->diagonal[v] > 0 ? square / modes->diagonal[v] : 0;
    }
    return sqrt(sum);
}

/* The mean of each diagonal block of K, at least a small part of the largest, for springs that are slack; 0 where the
   vertex is not free. */
static void find_diagonal(KeptModes *modes, const View *view, const KeptUpdate *update) {
    const bool own = !update->matrix || modes->state.damped;
    const BlockMatrix *matrix = own ? &modes->stiffness->linear->matrix : &view->jacobian->linear->matrix;
    double largest = 0;
    for (size_t v = 0; v < view->system->vertex_count; ++v) {
        size_t at = matrix->column_starts[v];
        const double *block = matrix->values + 9 * at;
        double mean = (block[0] + block[4] + block[8]) / 3;
        double mass = view->system->mass_blocks ? view->system->mass_blocks[at] : view->system->masses[v];
        modes->diagonal[v] = !view_is_free(view, v) ? 0
                             : own                  ? mean
                                                    : (mean - update->matrix->mass * mass) / update->matrix->stiffness;
        largest = fmax(largest, modes->diagonal[v]);
    }
    for (size_t v = 0; v < view->system->vertex_count; ++v)
        if (view_is_free(view, v))
            modes->diagonal[v] = fmax(modes->diagonal[v], SLACK * largest);
}

static double largest_value(const KeptModes *modes) {
    double value = 0;
    for (uint32_t k = 0; k < modes->state.count; ++k)
        value = fmax(value, fabs(modes->values[k]));
    return value;
}

/* All residuals. Returns by how much the worst value is too high, as part of the largest. */
static double find_residuals(KeptModes *modes, const View *view, const KeptUpdate *update) {
    double worst = 0, value = largest_value(modes);
    find_diagonal(modes, view, update);
    for (uint32_t k = 0; k < modes->state.count; ++k) {
        modes->residuals[k] = find_left(modes, k, modes->stiff_vectors, modes->values[k], modes->scratch);
        modes->dampings[k] = modes->damp_residuals[k] = 0;
        if (modes->state.damped) {
            double damping =
                vector_dot_by_fours(modes->vectors + k * modes->n, modes->damp_vectors + k * modes->n, modes->n);
            modes->dampings[k] = fmax(damping, 0);
            modes->damp_residuals[k] = find_left(modes, k, modes->damp_vectors, damping, modes->scratch);
        }
        worst = fmax(worst, modes->residuals[k] * modes->residuals[k]);
    }
    return value > 0 ? worst / value : 0;
}

/* ------------------------------------------------------------------------------------------------ the update */

static uint32_t carried(const KeptModes *modes) {
    return modes->state.count + modes->state.guards;
}

/* Rotates the modes with the vertices, if stiffness turns with them; rigid motions are written anew. */
static JnStatus rotate(KeptModes *modes, const View *view, const double *q, double h, JnMessage *message) {
    const uint32_t rigid = modes->state.rigid, free_before = modes->state.free;
    bool turns = system_stiffness_turns(view->system);
    if (turns)
        vertex_rotations_find(&view->system->pattern, &modes->unknowns, modes->positions, q, modes->rotation_scratch,
                              modes->rotations);
    JnStatus status = kept_modes_write_rigid(modes, view, q, h, message);
    if (status == JN_OK && modes->state.rigid != rigid)
        keep_none(modes); /* a chain is no longer straight, or goals have come or gone: search, */
    if (modes->state.free != free_before)
        modes->state.waiting = 0; /* of these at once */
    for (uint32_t k = modes->state.rigid; status == JN_OK && turns && k < carried(modes); ++k) {
        double *u = modes->vectors + k * modes->n;
        free_unknowns_gather(&modes->unknowns, u, modes->scratch);
        vertex_rotations_apply(modes->rotations, modes->unknowns.count, modes->scratch, modes->scratch);
        free_unknowns_scatter(&modes->unknowns, modes->scratch, u);
    }
    return status;
}

/* Roughly the solutions for what is left of some modes, behind all vectors; M-orthonormal, and *added of them are not
   0. */
static JnStatus add_corrections(KeptModes *modes, View *view, const KeptUpdate *update, const uint32_t *chosen,
                                uint32_t count, uint32_t *added, JnMessage *message) {
    const uint32_t first = carried(modes);
    const size_t n = modes->n;
    double *block = modes->vectors + first * n;
    JnStatus status = JN_OK;
    *added = 0;
    if (!update->matrix) {
        jacobian_drop_contacts(view->jacobian);
        status =
            jacobian_factor(view->jacobian, update->q, NULL, &update->fallback, view_treatment(view), NULL, message);
    }
    for (uint32_t k = 0; status == JN_OK && k < count; ++k) {
        find_left(modes, chosen[k], modes->stiff_vectors, modes->values[chosen[k]], block + k * n);
        view_clear_fixed(view, block + k * n);
    }
    Solver *solver = jacobian_solver(view->jacobian);
    if (status == JN_OK && solver && solver_has_factor(solver))
        status = solver_precondition(solver, block, block, count, message);
    else
        for (uint32_t k = 0; status == JN_OK && k < count; ++k) {
            bool rough;
            status = jacobian_solve_near(view->jacobian, block + k * n, NULL, NULL, block + k * n, &rough, message);
        }
    for (uint32_t k = 0; status == JN_OK && k < count; ++k) {
        if (*added < k)
            memcpy(block + *added * n, block + k * n, n * sizeof *block);
        *added += kept_modes_orthonormalize(modes, view, first + *added) > 0;
    }
    return status;
}

/* weights = the part of each mode in the kinetic energy of all; 1 where none is known. */
static void weigh(const KeptModes *modes, const double *v, double *weights) {
    double sum = 0;
    for (uint32_t k = modes->state.rigid; k < modes->state.count; ++k) {
        double velocity = v ? vector_dot_by_fours(modes->mass_vectors + k * modes->n, v, modes->n) : 0;
        weights[k] = velocity * velocity;
        sum += weights[k];
    }
    for (uint32_t k = modes->state.rigid; k < modes->state.count; ++k)
        weights[k] = sum > 0 ? fmax(weights[k] / sum, LEAST_ENERGY) : 1;
}

/* The modes that lose most of the energy, of those that lose too much: their number, at most BLOCK_MOST. */
static uint32_t choose_worst(const KeptModes *modes, const double *v, uint32_t chosen[BLOCK_MOST]) {
    const double least = LEAST_VALUE * largest_value(modes);
    double *losses = modes->losses;
    uint32_t count = 0;
    weigh(modes, v, losses);
    for (uint32_t k = modes->state.rigid; k < modes->state.count; ++k) {
        losses[k] *= modes->residuals[k] * modes->residuals[k] / fmax(fabs(modes->values[k]), least);
        if (!(losses[k] > NEEDED))
            continue;
        uint32_t at = count < BLOCK_MOST ? count++ : BLOCK_MOST;
        for (; at > 0 && losses[chosen[at - 1]] < losses[k]; --at)
            if (at < BLOCK_MOST)
                chosen[at] = chosen[at - 1];
        if (at < BLOCK_MOST)
            chosen[at] = k;
    }
    return count;
}

/* Whether to wait for the next update: the step does without a factor (sweeps.h), and may be the only one that does. */
static bool put_off(KeptModes *modes, const View *view, const KeptUpdate *update) {
    const Solver *solver = jacobian_solver(view->jacobian);
    modes->state.put_off = update->matrix && solver && !solver_has_factor(solver) && !modes->state.put_off;
    return modes->state.put_off;
}

/* Adds the solutions for what is left of the worst modes to the span, if there is too much left of any. */
static JnStatus improve(KeptModes *modes, View *view, const KeptUpdate *update, JnMessage *message) {
    const uint32_t count = carried(modes);
    uint32_t chosen[BLOCK_MOST], chosen_count = choose_worst(modes, update->v, chosen), added = 0;
    if (chosen_count == 0 || put_off(modes, view, update))
        return JN_OK;
    JnStatus status = kept_modes_reserve(modes, count + chosen_count, message);
    if (status == JN_OK)
        status = add_corrections(modes, view, update, chosen, chosen_count, &added, message);
    ++view->system->mode_improvements;
    if (status != JN_OK || added == 0)
        return status;
    multiply(modes, view, update, count, count + added);
    return ritz_or_drop(modes, view, count + added, count, message);
}

static JnStatus search(KeptModes *modes, View *view, const KeptUpdate *update, JnMessage *message) {
    JnStatus status = assemble(modes, view, update, true, message);
    modes->state.waited = modes->state.waited > 0 ? 2 * modes->state.waited : WAIT_FIRST;
    modes->state.waited = modes->state.waited < WAIT_MOST ? modes->state.waited : WAIT_MOST;
    modes->state.waiting = modes->state.waited;
    if (status == JN_OK)
        status = kept_modes_search(modes, view, update, message);
    if (status != JN_OK || modes->state.count == 0)
        return status;
    multiply(modes, view, update, 0, carried(modes));
    return ritz_or_drop(modes, view, carried(modes), carried(modes), message);
}

static JnStatus carry(KeptModes *modes, View *view, const KeptUpdate *update, JnMessage *message) {
    JnStatus status = rotate(modes, view, update->q, update->h, message);
    if (status == JN_OK)
        status = assemble(modes, view, update, false, message);
    if (status == JN_OK && modes->state.count > 0) {
        multiply(modes, view, update, 0, carried(modes));
        status = ritz_or_drop(modes, view, carried(modes), carried(modes), message);
    }
    if (status == JN_OK && modes->state.count > modes->state.rigid) {
        find_residuals(modes, view, update);
        status = improve(modes, view, update, message);
    }
    modes->state.waiting -= modes->state.waiting > 0;
    return status;
}

/* Whether a step of h cannot take vector k, which is no rigid motion, for a mode. */
static bool is_coupled(const KeptModes *modes, uint32_t k, double h) {
    double too_high = modes->residuals[k] * modes->residuals[k];
    return too_high > COUPLED * (1 / (h * h) + fmax(modes->values[k], 0));
}

/* What touches stops rigid motions, and excites modes that are faster than the step: the implicit rule takes both. It
   also takes what buckles faster than the step: the closed form would let that grow by a large factor along a straight
   line, although the body bends out of the way at once. And it takes what is no mode any more, and all above: that
   would gain no energy, but throw vertices of a body that unwinds within a few steps far away. */
static void choose_used(KeptModes *modes, const View *view, const KeptUpdate *update) {
    uint32_t first = 0, end = modes->state.count;
    double resolved = RESOLVED / update->h, fastest = update->touching ? resolved : 0;
    while (first < end && modes->values[first] < -resolved * resolved)
        ++first;
    /* where the raw stiffness is asked for, its matrix may be indefinite, and the implicit rule is no better */
    for (uint32_t k = end; k > first && k > modes->state.rigid && view->stiffness != STIFFNESS_RAW; --k)
        end = is_coupled(modes, k - 1, update->h) ? k - 1 : end;
    if (view_may_touch(view)) {
        first = first > modes->state.rigid ? first : modes->state.rigid;
        while (end > first && (fastest == 0 || modes->values[end - 1] > fastest * fastest))
            --end;
    }
    modes->used = (ModeSet){.n = modes->n,
                            .count = end - first,
                            .damped = modes->state.damped,
                            .damp_all = modes->damp_all,
                            .vectors = modes->vectors + first * modes->n,
                            .mass_vectors = modes->mass_vectors + first * modes->n,
                            .stiff_vectors = modes->stiff_vectors + first * modes->n,
                            .damp_vectors = modes->damp_vectors + first * modes->n,
                            .values = modes->values + first,
                            .dampings = modes->dampings + first,
                            .residuals = modes->residuals + first,
                            .damp_residuals = modes->damp_residuals + first};
}

JnStatus kept_modes_update(KeptModes *modes, View *view, const KeptUpdate *update, JnMessage *message) {
    bool searching = !modes->state.found;
    double too_high = 0;
    JnStatus status = searching ? search(modes, view, update, message) : carry(modes, view, update, message);
    if (status == JN_OK)
        too_high = find_residuals(modes, view, update);
    bool lost = too_high > LOST || modes->state.count == modes->state.rigid;
    bool imprecise = modes->precision > 0 && too_high > modes->precision;
    if (status == JN_OK && !searching && (imprecise || (lost && modes->state.waiting == 0))) {
        status = search(modes, view, update, message);
        if (status == JN_OK)
            find_residuals(modes, view, update);
    }
    memcpy(modes->positions, update->q, modes->n * sizeof(double));
    choose_used(modes, view, update);
    return status;
}
