#include "system/jacobian.h"

#include "base/os/os.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

StiffnessTreatment view_treatment(const View *view) {
    return (StiffnessTreatment){view->stiffness, view->stiffness == STIFFNESS_RAW};
}

/* ------------------------------------------------------------------------------------------------ begin, end */

/* With `linear`, or with a new one if that is NULL. */
static JnStatus create(View *view, LinearSystem *linear, Jacobian **out, JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count + 1;
    Jacobian *jacobian = calloc(1, sizeof *jacobian);
    *out = NULL;
    if (!jacobian)
        return status_no_memory(message, "a matrix");
    *jacobian = (Jacobian){.view = view,
                           .linear = linear,
                           .borrows = linear != NULL,
                           .turns = system_stiffness_turns(view->system),
                           .q = malloc(3 * n * sizeof(double)),
                           .v = malloc(3 * n * sizeof(double)),
                           .coupling = malloc(3 * n * sizeof(double)),
                           .marks = malloc(n)};
    JnStatus status = jacobian->q && jacobian->v && jacobian->coupling && jacobian->marks
                          ? JN_OK
                          : status_no_memory(message, "a matrix");
    if (status == JN_OK && !linear)
        status = linear_system_create(&view->system->pattern, &jacobian->linear, message);
    if (status == JN_OK)
        *out = jacobian;
    else
        jacobian_destroy(jacobian);
    return status;
}

JnStatus jacobian_create(View *view, Jacobian **jacobian, JnMessage *message) {
    return create(view, NULL, jacobian, message);
}

void jacobian_destroy(Jacobian *jacobian) {
    if (!jacobian)
        return;
    if (!jacobian->borrows)
        linear_system_destroy(jacobian->linear);
    free(jacobian->q);
    free(jacobian->v);
    free(jacobian->coupling);
    free(jacobian->marks);
    free(jacobian);
}

JnStatus view_make_jacobian(View *view, bool reuse, JnMessage *message) {
    jacobian_destroy(view->jacobian);
    JnStatus status = create(view, NULL, &view->jacobian, message);
    return status == JN_OK ? linear_system_make_solver(view->jacobian->linear, view->roles, reuse, message) : status;
}

static bool solve_for_the_same(const View *view, const View *other) {
    for (uint32_t v = 0; v < view->system->vertex_count; ++v)
        if (view_is_free(view, v) != view_is_free(other, v))
            return false;
    return true;
}

JnStatus view_share_jacobian(View *view, Jacobian *lender, JnMessage *message) {
    if (!solve_for_the_same(view, lender->view))
        return view_make_jacobian(view, lender->linear->reuse, message);
    jacobian_destroy(view->jacobian);
    return create(view, lender->linear, &view->jacobian, message);
}

/* ------------------------------------------------------------------------------------------------ the matrix */

JnStatus jacobian_assemble(Jacobian *jacobian, const double *q, const double *v, const JacobianScales *scales,
                           StiffnessKind kind, double *force, JnMessage *message) {
    System *system = jacobian->view->system;
    LinearSystem *linear = jacobian->linear;
    double since = os_clock_seconds();
    if (force)
        memset(force, 0, (size_t)system->vertex_count * 3 * sizeof *force);
    system_write_mass(system, scales->mass, &linear->matrix);
    linear->writer = jacobian;
    jacobian->projected = 0;
    system->times.assembly += os_clock_seconds() - since;
    bool given = scales->contacts == CONTACTS_GIVEN;
    linear->pairs.count = given ? linear->contact_count : 0;
    JnStatus status = view_evaluate(jacobian->view, given ? ALL_BUT_CONTACT : ALL_TERM_ROLES,
                                    (Evaluation){.q = q,
                                                 .v = v,
                                                 .force = force,
                                                 .matrix = &linear->matrix,
                                                 .pairs = &linear->pairs,
                                                 .stiffness_scale = scales->stiffness,
                                                 .damping_scale = scales->damping,
                                                 .stiffness = kind,
                                                 .projected = &jacobian->projected},
                                    message);
    linear->contact_count = given ? linear->contact_count : linear->pairs.count;
    return status;
}

/* Prepares the solver for the pairs that terms may have in this step. */
static JnStatus expect_pairs(Jacobian *jacobian, JnMessage *message) {
    return view_mark_coupled(jacobian->view, jacobian->marks)
               ? linear_system_expect_pairs(jacobian->linear, jacobian->marks, message)
               : JN_OK;
}

/* Gives the matrix to the solver. */
static JnStatus give_to_solver(Jacobian *jacobian, LinearGift gift, bool *positive_definite, JnMessage *message) {
    /* the inertia of a matrix that may stay indefinite must be known exactly, and without mass it is too
       ill-conditioned for iterations */
    if (jacobian->treatment.keep_indefinite || jacobian->scales.mass == 0)
        gift = GIFT_FACTOR_EXACTLY;
    const double *positions = jacobian->turns ? jacobian->q : NULL;
    return linear_system_give(jacobian->linear, gift, positions, positive_definite, message);
}

/* Where steps are solved fully, projection changes the way to the solution but not the solution, and is not counted. */
static void count_projection(const Jacobian *jacobian, bool positive_definite) {
    System *system = jacobian->view->system;
    bool damps = positive_definite && jacobian->projected > 0 && !jacobian->factored;
    if (damps)
        system->projected_elements += jacobian->projected;
    system->projected_count += jacobian->kind != STIFFNESS_PROJECTED && (damps || !positive_definite);
}

/* A matrix turns out not to be positive definite after it was counted. */
static void count_replacement(const Jacobian *jacobian) {
    System *system = jacobian->view->system;
    if (jacobian->projected > 0 && !jacobian->factored)
        system->projected_elements -= jacobian->projected;
    else
        ++system->projected_count;
}

/* Assembles the matrix in use with stiffness of `kind` and gives it to the solver. */
static JnStatus try_kind(Jacobian *jacobian, StiffnessKind kind, double *force, bool *positive_definite,
                         JnMessage *message) {
    System *system = jacobian->view->system;
    JnStatus status = jacobian_assemble(jacobian, jacobian->q, jacobian->has_velocity ? jacobian->v : NULL,
                                        &jacobian->scales, kind, force, message);
    if (status != JN_OK)
        return status;
    jacobian->kind = kind;
    double since = os_clock_seconds();
    status = expect_pairs(jacobian, message);
    if (status == JN_OK)
        status =
            give_to_solver(jacobian, jacobian->factored ? GIFT_FACTOR : GIFT_MAY_REUSE, positive_definite, message);
    system->times.factor += os_clock_seconds() - since;
    if (status == JN_OK)
        count_projection(jacobian, *positive_definite);
    return status;
}

static JnStatus fail_indefinite(const Jacobian *jacobian, JnMessage *message) {
    return status_fail(
        message, JN_ERR_DIVERGED, "the system's matrix is %s, so the motion has diverged: use more steps_per_frame",
        jacobian->treatment.keep_indefinite ? "singular" : "not positive definite even after projection");
}

/* Factors the matrix, which may be indefinite. */
static JnStatus factor_indefinite(Jacobian *jacobian, bool *regular, JnMessage *message) {
    double since = os_clock_seconds();
    JnStatus status = linear_system_factor_indefinite(jacobian->linear, regular, message);
    jacobian->view->system->times.factor += os_clock_seconds() - since;
    jacobian->indefinite = true;
    return status;
}

/* The matrix in use has been found to be not positive definite. */
static JnStatus treat_indefinite(Jacobian *jacobian, double *force, JnMessage *message) {
    bool usable = false;
    JnStatus status = JN_OK;
    if (jacobian->treatment.keep_indefinite)
        status = factor_indefinite(jacobian, &usable, message);
    else if (jacobian->kind != STIFFNESS_PROJECTED)
        status = try_kind(jacobian, STIFFNESS_PROJECTED, force, &usable, message);
    return status == JN_OK && !usable ? fail_indefinite(jacobian, message) : status;
}

/* The evaluation point of the matrix in use. */
static void set_place(Jacobian *jacobian, const double *q, const double *v) {
    size_t bytes = (size_t)jacobian->view->system->vertex_count * 3 * sizeof(double);
    memcpy(jacobian->q, q, bytes);
    jacobian->has_velocity = v != NULL;
    if (v)
        memcpy(jacobian->v, v, bytes);
}

/* The first usable matrix of those that the treatment allows. */
static JnStatus make_matrix(Jacobian *jacobian, const double *q, const double *v, const JacobianScales *scales,
                            StiffnessTreatment treatment, bool factored, double *force, JnMessage *message) {
    bool positive_definite;
    set_place(jacobian, q, v);
    jacobian->scales = *scales;
    jacobian->treatment = treatment;
    jacobian->factored = factored;
    jacobian->indefinite = false;
    JnStatus status = try_kind(jacobian, treatment.first, force, &positive_definite, message);
    return status == JN_OK && !positive_definite ? treat_indefinite(jacobian, force, message) : status;
}

JnStatus jacobian_factor(Jacobian *jacobian, const double *q, const double *v, const JacobianScales *scales,
                         StiffnessTreatment treatment, double *force, JnMessage *message) {
    return make_matrix(jacobian, q, v, scales, treatment, true, force, message);
}

JnStatus jacobian_update(Jacobian *jacobian, const double *q, const double *v, const JacobianScales *scales,
                         StiffnessTreatment treatment, double *force, JnMessage *message) {
    return make_matrix(jacobian, q, v, scales, treatment, false, force, message);
}

JnStatus jacobian_give_contacts(Jacobian *jacobian, const double *z, JnMessage *message) {
    LinearSystem *linear = jacobian->linear;
    pair_blocks_clear(&linear->pairs);
    JnStatus status = view_evaluate(
        jacobian->view, TERM_ROLE_BIT(TERM_CONTACT),
        (Evaluation){
            .q = z, .matrix = &linear->matrix, .pairs = &linear->pairs, .stiffness_scale = 1, .linear_contact = true},
        message);
    linear->contact_count = linear->pairs.count;
    return status;
}

/* The pairs of the matrix in use that are no contacts, behind those. */
static JnStatus add_other_pairs(Jacobian *jacobian, JnMessage *message) {
    return view_evaluate(jacobian->view, TERM_ROLE_BIT(TERM_BORDERS),
                         (Evaluation){.q = jacobian->q,
                                      .matrix = &jacobian->linear->matrix,
                                      .pairs = &jacobian->linear->pairs,
                                      .stiffness_scale = jacobian->scales.stiffness,
                                      .damping_scale = jacobian->scales.damping},
                         message);
}

JnStatus jacobian_renew_contacts(Jacobian *jacobian, const double *z, JnMessage *message) {
    bool positive_definite = false;
    JnStatus status = jacobian_give_contacts(jacobian, z, message);
    if (status == JN_OK)
        status = add_other_pairs(jacobian, message);
    if (status != JN_OK)
        return status;
    double since = os_clock_seconds();
    jacobian->indefinite = false;
    status = expect_pairs(jacobian, message);
    if (status == JN_OK)
        status = give_to_solver(jacobian, GIFT_NEW_PAIRS, &positive_definite, message);
    jacobian->view->system->times.factor += os_clock_seconds() - since;
    return status == JN_OK && !positive_definite ? treat_indefinite(jacobian, NULL, message) : status;
}

void jacobian_add_contact_product(const Jacobian *jacobian, const double *z, double *b) {
    const PairBlocks contacts = {jacobian->linear->pairs.blocks, jacobian->linear->contact_count, 0};
    pair_blocks_multiply(&contacts, z, b);
}

void jacobian_multiply_without_contacts(const Jacobian *jacobian, const double *x, double *y) {
    const LinearSystem *linear = jacobian->linear;
    size_t first = linear->contact_count, count = linear->pairs.count - first;
    block_matrix_multiply(&linear->matrix, x, y);
    if (count > 0)
        pair_blocks_multiply(&(PairBlocks){linear->pairs.blocks + first, count, 0}, x, y);
}

void jacobian_drop_contacts(Jacobian *jacobian) {
    pair_blocks_clear(&jacobian->linear->pairs);
    jacobian->linear->contact_count = 0;
}

bool jacobian_has_contacts(const Jacobian *jacobian) {
    return jacobian->linear->contact_count > 0;
}

void jacobian_keep(Jacobian *jacobian, const double *q, const double *v) {
    set_place(jacobian, q, v);
}

/* ------------------------------------------------------------------------------------------------ solves, products */

/* b - matrix known; b itself if nothing is known. */
static const double *right_hand_side(Jacobian *jacobian, const double *b, const double *known) {
    size_t n = (size_t)jacobian->view->system->vertex_count * 3;
    if (!known)
        return b;
    linear_system_multiply(jacobian->linear, known, jacobian->coupling);
    for (size_t i = 0; i < n; ++i)
        jacobian->coupling[i] = b[i] - jacobian->coupling[i];
    return jacobian->coupling;
}

/* One attempt with the current matrix. */
static JnStatus try_solve(Jacobian *jacobian, const double *b, const double *known, const double *guess, double *x,
                          bool *positive_definite, bool *rough, JnMessage *message) {
    double since = os_clock_seconds();
    const double *rhs = right_hand_side(jacobian, b, known);
    Solver *solver = jacobian->indefinite ? jacobian->linear->indefinite_solver : jacobian->linear->solver;
    JnStatus status = solver_solve_near(solver, rhs, guess, x, positive_definite, rough, message);
    jacobian->view->system->times.solve += os_clock_seconds() - since;
    return status;
}

JnStatus jacobian_solve_near(Jacobian *jacobian, const double *b, const double *known, const double *guess, double *x,
                             bool *rough, JnMessage *message) {
    bool positive_definite;
    if (jacobian->linear->writer != jacobian)
        return status_fail(message, JN_ERR_ORDER, "another view has used the matrix since: factor it anew");
    JnStatus status = try_solve(jacobian, b, known, guess, x, &positive_definite, rough, message);
    if (status != JN_OK || positive_definite)
        return status;
    if (!jacobian->treatment.keep_indefinite && jacobian->kind != STIFFNESS_PROJECTED) {
        count_replacement(jacobian);
        status = try_kind(jacobian, STIFFNESS_PROJECTED, NULL, &positive_definite, message);
        if (status == JN_OK && positive_definite)
            status = try_solve(jacobian, b, known, guess, x, &positive_definite, rough, message);
    }
    return status == JN_OK && !positive_definite ? fail_indefinite(jacobian, message) : status;
}

JnStatus jacobian_solve(Jacobian *jacobian, const double *b, double *x, JnMessage *message) {
    return jacobian_solve_near(jacobian, b, NULL, NULL, x, NULL, message);
}

Solver *jacobian_solver(const Jacobian *jacobian) {
    return jacobian->indefinite || jacobian->linear->writer != jacobian ? NULL : jacobian->linear->solver;
}

void jacobian_multiply(const Jacobian *jacobian, const double *x, double *y) {
    linear_system_multiply(jacobian->linear, x, y);
}

static JnStatus apply(void *self, const double *x, double *y, JnMessage *message) {
    (void)message;
    jacobian_multiply(self, x, y);
    return JN_OK;
}

Operator jacobian_operator(Jacobian *jacobian) {
    return (Operator){(size_t)jacobian->view->system->vertex_count * 3, apply, jacobian};
}

bool jacobian_archive(Jacobian *jacobian, Archive *archive) {
    return linear_system_archive(jacobian->linear, archive);
}
