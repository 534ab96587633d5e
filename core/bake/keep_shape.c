/* Finds the rest shape X that sags into the start pose x: f(x; X) = 0, with x given and X unknown. Moving X by D
   changes the forces about as moving x by -F D does, with F the deformation gradient from X to x. So

       K u = f(x; X),   F^-1 u    (K of the elements, F averaged around each vertex)

   precondition Newton's method for X, whose matrix df/dX, which is not symmetric, is applied as a difference of forces.
   u is an estimate of the remaining sag, and what the line search makes smaller: forces themselves grow on the way,
   where something stiff is turned. Pinned vertices, releasable ones included, are not moved in X: the pins balance
   their forces. Contact is left to the bake: what stands on a floor as modelled is pressed by nothing yet. Loads grow
   from 0 to their full size in as many parts as necessary. Masses stay those of the modelled shape. */
#include "bake/start_view.h"

#include "base/math3.h"
#include "base/status.h"
#include "base/vectors.h"
#include "elastic/tet_elements.h"
#include "linear/gmres.h"

#include <stdlib.h>
#include <string.h>

/* Convergence tolerance on the remaining sag, relative to the body's size. */
static const double CLOSE_ENOUGH = 1e-7;
/* A part of a load that changes too much is halved, down to this. */
static const double SMALLEST_PART = 1.0 / 256;
/* By this part of the body's size X is moved to find how the force changes. */
static const double DIFFERENCE = 1e-6;
/* On Newton's equation: so much of the sag may be left by a step. */
static const double STEP_TOLERANCE = 0.03;
/* A body that would sag by this many of its sizes is not soft but loose. */
static const double LOOSE = 1e4;
enum { ITERATIONS_MOST = 20, CUTS_MOST = 8 };

typedef struct Search {
    JnBake *bake;
    View *whole;                  /* all terms but contact: the force on the start pose */
    View *elastic;                /* the terms that depend on the rest shape: its stiffness */
    double *rest, *trial, *good;  /* [vertex_count * 3] X, the trial, the last one in equilibrium with its loads */
    double *force, *sag, *step;   /* [vertex_count * 3] */
    double *base, *back;          /* [vertex_count * 3] the force at X, and about the step that it asks for */
    double *zero;                 /* [vertex_count * 3] */
    double *deformation, *volume; /* [vertex_count * 9], [vertex_count]: F summed by volume around each vertex */
    double sag_length, deviation; /* m: |sag|, and the largest of a vertex */
    uint32_t worst_vertex;        /* where that is */
} Search;

/* Releasable pins are springs, which exert force only once displaced: the search treats them as fixed. Softer pins hold
   nothing in the pose that they pull to, as goals. */
static bool is_releasable_pin(const JnBake *bake, uint32_t body_index, uint32_t vertex) {
    return body_pin_is_firm(&bake->model.bodies[body_index], vertex) &&
           bake->motion.bodies[body_index].keys_to.pin_strength > 0;
}

static bool is_held(const JnBake *bake, uint32_t body_index, uint32_t vertex) {
    return !bake->model.bodies[body_index].keep_shape || is_releasable_pin(bake, body_index, vertex);
}

JnStatus keep_shape_apply(JnBake *bake, JnMessage *message) {
    bool any = false;
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        any |= bake->motion.bodies[b].kept_rest != NULL;
    if (!any)
        return JN_OK;
    double *rest = malloc(((size_t)bake->model.vertex_count * 3 + 1) * sizeof *rest);
    if (!rest)
        return status_no_memory(message, "the rest shape");
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        const double *kept = bake->motion.bodies[b].kept_rest;
        memcpy(rest + 3 * (size_t)body->first_vertex, kept ? kept : body->mesh.positions,
               (size_t)body->mesh.vertex_count * 3 * sizeof *rest);
    }
    bool ok = system_set_rest(&bake->model.system, rest);
    free(rest);
    return ok ? JN_OK : status_fail(message, JN_ERR_FORMAT, "the kept rest shape has inverted tets: bake again");
}

/* ------------------------------------------------------------------------------------------------ one shape */

/* Sets the rest shape to X and computes the force on the start pose. *possible false: X has inverted tets, or the force
   is not finite. */
static JnStatus evaluate(Search *search, const double *rest, bool *possible, JnMessage *message) {
    JnBake *bake = search->bake;
    *possible = system_set_rest(&bake->model.system, rest);
    if (!*possible)
        return JN_OK;
    JnStatus status = view_force(search->whole, ALL_TERM_ROLES, bake->motion.state.q, NULL, search->force, message);
    double square = 0;
    for (size_t i = 0; i < (size_t)bake->model.vertex_count * 3; ++i) {
        if (!view_is_free(search->whole, i / 3))
            search->force[i] = 0;
        square += search->force[i] * search->force[i];
    }
    *possible = isfinite(square);
    return status;
}

/* Estimates the sag of the start pose, and how large it is. */
static JnStatus find_sag(Search *search, JnMessage *message) {
    JnBake *bake = search->bake;
    Jacobian *stiffness = search->elastic->jacobian;
    JnStatus status = jacobian_factor(stiffness, bake->motion.state.q, NULL, &(JacobianScales){.stiffness = 1},
                                      view_treatment(search->elastic), NULL, message);
    if (status == JN_OK)
        status = jacobian_solve(stiffness, search->force, search->sag, message);
    search->deviation = 0;
    search->sag_length = status == JN_OK ? vector_length(search->sag, (size_t)bake->model.vertex_count * 3) : 0;
    for (uint32_t v = 0; status == JN_OK && v < bake->model.vertex_count; ++v) {
        double length = vec3_length(search->sag + 3 * (size_t)v);
        if (!(length <= search->deviation)) {
            search->deviation = length;
            search->worst_vertex = v;
        }
    }
    return status;
}

/* deformation[v] = the mean of F around v, by volume. */
static void find_deformation(Search *search) {
    JnBake *bake = search->bake;
    memset(search->deformation, 0, (size_t)bake->model.vertex_count * 9 * sizeof(double));
    memset(search->volume, 0, (size_t)bake->model.vertex_count * sizeof(double));
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        const double *rest = search->rest + 3 * (size_t)body->first_vertex;
        const double *pose = bake->motion.state.q + 3 * (size_t)body->first_vertex;
        for (size_t t = 0; body->keep_shape && t < body->mesh.tet_count; ++t) {
            const uint32_t *corners = body->mesh.tet_vertices + 4 * t;
            double g[4][3], volume, F[9] = {0};
            if (!tet_gradients(rest, corners, g, &volume))
                continue;
            for (size_t a = 0; a < 4; ++a)
                for (size_t i = 0; i < 3; ++i)
                    for (size_t j = 0; j < 3; ++j)
                        F[3 * i + j] += pose[3 * (size_t)corners[a] + i] * g[a][j];
            for (int a = 0; a < 4; ++a) {
                size_t v = body->first_vertex + corners[a];
                search->volume[v] += volume;
                for (size_t i = 0; i < 9; ++i)
                    search->deformation[9 * v + i] += volume * F[i];
            }
        }
    }
}

/* y = F^-1 sag: about by how much X is to be moved back so that it does not sag. */
static void pull_back(const Search *search, double *y) {
    for (size_t v = 0; v < search->bake->model.vertex_count; ++v) {
        double F[9], inverse[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (size_t i = 0; i < 9; ++i)
            F[i] = search->volume[v] > 0 ? search->deformation[9 * v + i] / search->volume[v] : i % 4 == 0;
        mat3_inverse(F, inverse);
        mat3_mul_vec(inverse, search->sag + 3 * v, y + 3 * v);
    }
}

/* y = F^-1 K^-1 (df/dX x), of which the last factor is a difference of two forces. */
static JnStatus apply(void *self, const double *x, double *y, JnMessage *message) {
    Search *search = self;
    if (search->bake->cancelled)
        return status_fail(message, JN_ERR_CANCELLED, "cancelled before the shape to keep was found");
    size_t n = (size_t)search->bake->model.vertex_count * 3;
    double largest = 0;
    for (size_t i = 0; i < n; ++i)
        largest = fmax(largest, fabs(x[i]));
    double length = largest > 0 ? DIFFERENCE * search->bake->model.points.bounding_size / largest : 1;
    for (size_t i = 0; i < n; ++i)
        search->trial[i] = search->rest[i] + length * x[i];
    bool possible;
    JnStatus status = evaluate(search, search->trial, &possible, message);
    if (status == JN_OK && !possible)
        status = status_fail(message, JN_ERR_DIVERGED, "the rest shape that is looked for has flat tets");
    for (size_t i = 0; status == JN_OK && i < n; ++i)
        search->force[i] = (search->force[i] - search->base[i]) / length;
    if (status == JN_OK)
        status = jacobian_solve(search->elastic->jacobian, search->force, search->sag, message);
    if (status == JN_OK)
        pull_back(search, y);
    return status;
}

/* step: Newton's, from the force and the sag at X. */
static JnStatus find_step(Search *search, JnMessage *message) {
    size_t n = (size_t)search->bake->model.vertex_count * 3;
    find_deformation(search);
    memcpy(search->base, search->force, n * sizeof(double));
    pull_back(search, search->back);
    for (size_t i = 0; i < n; ++i)
        search->back[i] = -search->back[i];
    double left; /* more than the tolerance: the line search judges the step */
    return gmres(&(Operator){n, apply, search}, search->back, STEP_TOLERANCE, search->step, &left, message);
}

/* Moves X along the step, shortened until no tets invert and the sag, by the stiffness at X, is less than before. If no
   such step is found, *moved is false. */
static JnStatus search_step(Search *search, bool *moved, JnMessage *message) {
    size_t n = (size_t)search->bake->model.vertex_count * 3;
    JnStatus status = JN_OK;
    double t = 1;
    *moved = false;
    for (int cut = 0; status == JN_OK && !*moved && cut < CUTS_MOST; ++cut, t *= 0.5) {
        bool possible;
        for (size_t i = 0; i < n; ++i)
            search->trial[i] = search->rest[i] + t * search->step[i];
        status = evaluate(search, search->trial, &possible, message);
        if (status == JN_OK && possible) {
            status = jacobian_solve(search->elastic->jacobian, search->force, search->sag, message);
            *moved = vector_length(search->sag, n) < (1 - t / 4) * search->sag_length;
        }
    }
    if (status == JN_OK && *moved)
        memcpy(search->rest, search->trial, n * sizeof(double));
    return status;
}

/* ------------------------------------------------------------------------------------------------ all of the load */

/* Finds X for a part of the load. JN_OK and *found false: no convergence with this part. */
static JnStatus solve_part(Search *search, double part, bool *found, JnMessage *message) {
    double size = search->bake->model.points.bounding_size;
    *found = false;
    view_set_load_part(search->whole, part);
    bool possible;
    JnStatus status = evaluate(search, search->rest, &possible, message);
    for (int iteration = 0; status == JN_OK && possible && iteration < ITERATIONS_MOST; ++iteration) {
        status = find_sag(search, message);
        if (status == JN_OK && search->deviation <= CLOSE_ENOUGH * size) {
            *found = true;
            return JN_OK;
        }
        if (status == JN_OK)
            status = find_step(search, message);
        if (status == JN_OK)
            status = search_step(search, &possible, message);
    }
    return status == JN_ERR_DIVERGED ? JN_OK : status;
}

/* Reports how far the body would sag from the last shape in equilibrium with its part of the load. */
static JnStatus fail(Search *search, double borne, JnMessage *message) {
    const JnBake *bake = search->bake;
    const double size = bake->model.points.bounding_size;
    view_set_load_part(search->whole, 1);
    bool possible;
    JnStatus status = evaluate(search, search->good, &possible, message);
    if (status == JN_OK && possible)
        status = find_sag(search, message);
    if (status != JN_OK && status != JN_ERR_DIVERGED)
        return status;
    if (status == JN_ERR_DIVERGED || !(search->deviation > 0 && search->deviation < LOOSE * size))
        return status_fail(
            message, JN_ERR_DIVERGED,
            "'%s' cannot keep its shape: a part of it hangs by an edge or a corner alone, so that nothing "
            "carries its weight: pin that part, let it follow by a goal, or switch keep_shape off",
            bake_body_of_vertex(bake, search->worst_vertex)->name);
    return status_fail(message, JN_ERR_DIVERGED,
                       "'%s' is too soft to keep its shape: no rest shape was found that carries more than %.3g %% of "
                       "its weight; with all of it, it would sag by about %.2g m: make it stiffer or lighter, pin more "
                       "of it, or switch keep_shape off",
                       bake_body_of_vertex(bake, search->worst_vertex)->name, 100 * borne, search->deviation);
}

static JnStatus solve_all(Search *search, JnMessage *message) {
    size_t bytes = (size_t)search->bake->model.vertex_count * 3 * sizeof(double);
    double borne = 0, part = 1;
    JnStatus status = JN_OK;
    memcpy(search->good, search->rest, bytes);
    while (status == JN_OK && borne < 1) {
        bool found;
        status = solve_part(search, fmin(borne + part, 1), &found, message);
        if (status == JN_OK && found) {
            borne = fmin(borne + part, 1);
            memcpy(search->good, search->rest, bytes);
        } else if (status == JN_OK) {
            memcpy(search->rest, search->good, bytes);
            part *= 0.5;
            if (part < SMALLEST_PART)
                status = fail(search, borne, message);
        }
    }
    view_set_load_part(search->whole, 1);
    return status;
}

/* ------------------------------------------------------------------------------------------------ begin, end */

static JnStatus check_pins(const JnBake *bake, JnMessage *message) {
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        bool pinned = !body->keep_shape, let_go = false;
        for (uint32_t v = 0; !pinned && v < body->mesh.vertex_count; ++v) {
            pinned = body->pinned_vertices[v] || is_releasable_pin(bake, b, v);
            let_go |= body_pin_is_firm(body, v);
        }
        if (!pinned)
            return status_fail(message, JN_ERR_ARGUMENT,
                               "'%s' cannot keep its shape under gravity, because %s or switch keep_shape off",
                               body->name,
                               let_go ? "its pins are released in the first frame: give them a strength above 0 there"
                                      : "it has no pinned points to hang from: pin a part of it");
    }
    return JN_OK;
}

static JnStatus allocate(Search *search, JnMessage *message) {
    size_t n = (size_t)search->bake->model.vertex_count * 3 + 1;
    double **arrays[] = {&search->rest, &search->trial, &search->good, &search->force, &search->sag,
                         &search->step, &search->zero,  &search->base, &search->back};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        if (!(*arrays[i] = calloc(n, sizeof(double))))
            return status_no_memory(message, "the rest shape");
    search->deformation = calloc(3 * n, sizeof(double));
    search->volume = calloc(n, sizeof(double));
    if (!search->deformation || !search->volume)
        return status_no_memory(message, "the rest shape");
    return JN_OK;
}

static void search_free(Search *search) {
    double *arrays[] = {search->rest, search->trial, search->good, search->force,       search->sag,   search->step,
                        search->zero, search->base,  search->back, search->deformation, search->volume};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    view_destroy(search->elastic);
    view_destroy(search->whole);
}

static bool follows_pose(const Body *body) {
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        if (body->rest_follows[v] > 0)
            return true;
    return false;
}

/* Initial guess: the start pose itself, or the modelled shape where the rest shape follows the pose. */
static JnStatus begin(Search *search, JnMessage *message) {
    JnBake *bake = search->bake;
    memcpy(search->rest, bake->motion.state.q, (size_t)bake->model.vertex_count * 3 * sizeof(double));
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        if (!body->keep_shape || follows_pose(body))
            memcpy(search->rest + 3 * (size_t)body->first_vertex, body->mesh.positions,
                   (size_t)body->mesh.vertex_count * 3 * sizeof(double));
    }
    return view_begin_step(search->whole, &(StepStart){bake->motion.state.q, search->zero, 0, false}, message);
}

/* An unstable equilibrium would not be kept: check that the stiffness is positive definite. */
static JnStatus check_stable(Search *search, JnMessage *message) {
    Jacobian *stiffness = search->whole->jacobian;
    StiffnessTreatment raw = {STIFFNESS_RAW, view_treatment(search->whole).keep_indefinite};
    JnStatus status = jacobian_factor(stiffness, search->bake->motion.state.q, NULL, &(JacobianScales){.stiffness = 1},
                                      raw, NULL, message);
    if (status == JN_OK && (stiffness->kind != STIFFNESS_RAW || stiffness->indefinite))
        status = status_fail(message, JN_ERR_DIVERGED,
                             "the modelled shape balances under gravity, but would topple or buckle: make the body "
                             "stiffer, pin more of it, or switch keep_shape off");
    return status;
}

static void store(Search *search) {
    for (uint32_t b = 0; b < search->bake->model.body_count; ++b) {
        const Body *body = &search->bake->model.bodies[b];
        size_t n = (size_t)body->mesh.vertex_count * 3;
        if (body->keep_shape)
            memcpy(search->bake->motion.bodies[b].kept_rest, search->rest + 3 * (size_t)body->first_vertex,
                   n * sizeof(double));
    }
}

static JnStatus create_views(Search *search, JnMessage *message) {
    JnBake *bake = search->bake;
    JnStatus status =
        start_view_create(bake, is_held, ALL_BUT_CONTACT, bake->motion.view->jacobian, &search->whole, message);
    if (status == JN_OK)
        status = start_view_create(bake, is_held, TERM_ROLE_BIT(TERM_ELASTIC), search->whole->jacobian,
                                   &search->elastic, message);
    return status;
}

JnStatus keep_shapes(JnBake *bake, JnMessage *message) {
    bool any = false;
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        any |= bake->model.bodies[b].keep_shape;
    if (!any)
        return JN_OK;
    Search search = {.bake = bake};
    JnStatus status = check_pins(bake, message);
    if (status == JN_OK)
        status = allocate(&search, message);
    if (status == JN_OK)
        status = create_views(&search, message);
    if (status == JN_OK)
        status = begin(&search, message);
    if (status == JN_OK)
        status = solve_all(&search, message);
    if (status == JN_OK)
        status = check_stable(&search, message);
    if (status == JN_OK)
        store(&search);
    search_free(&search);
    /* after a failure the elements have the modelled shape again */
    JnStatus applied = keep_shape_apply(bake, status == JN_OK ? message : NULL);
    return status == JN_OK ? applied : status;
}
