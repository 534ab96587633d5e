#include "integrate/kept_modes.h"

#include "base/math3.h"
#include "base/status.h"
#include "base/vectors.h"
#include "linear/connected.h"
#include "linear/vertex_rotations.h"

#include <stdlib.h>
#include <string.h>

/* The rigid motions of more pieces than this are left to the implicit rule, which keeps their momentum. */
enum { FREE_PIECES_MOST = 10 };
/* The square of the phase, in a step, of a swing on goals and fields so soft that they do not count. */
static const double HARDLY_HELD = 1e-6;
/* Of a vector, relative to it: below this, nothing is left of it. */
static const double NOTHING = 1e-6;

/* ------------------------------------------------------------------------------------------------ begin, end */

static JnStatus find_pieces(KeptModes *modes, const View *view, JnMessage *message) {
    uint32_t vertex_count = view->system->vertex_count;
    modes->pieces = malloc(((size_t)vertex_count + 1) * sizeof *modes->pieces);
    if (!modes->pieces)
        return status_no_memory(message, "the kept modes");
    modes->piece_count = connected_parts(&view->system->pattern, modes->pieces);
    modes->pinned = calloc((size_t)modes->piece_count + 1, 1);
    modes->held = calloc((size_t)modes->piece_count + 1, 1);
    modes->balance = calloc((size_t)modes->piece_count + 1, sizeof(double));
    if (!modes->pinned || !modes->held || !modes->balance)
        return status_no_memory(message, "the kept modes");
    for (uint32_t v = 0; v < vertex_count; ++v)
        modes->pinned[modes->pieces[v]] |= !view_is_free(view, v);
    return JN_OK;
}

JnStatus kept_modes_create(View *view, const MethodOptions *options, KeptModes **out, JnMessage *message) {
    const BlockMatrix *pattern = &view->system->pattern;
    size_t n = (size_t)view->system->vertex_count * 3;
    *out = NULL;
    if (options->mode_count == 0)
        return JN_OK;
    KeptModes *modes = calloc(1, sizeof *modes);
    if (!modes)
        return status_no_memory(message, "the kept modes");
    modes->n = n;
    modes->asked = options->mode_count;
    modes->damp_all = !options->damp_complement;
    modes->precision = options->mode_tolerance;
    modes->positions = calloc(n + 1, sizeof(double));
    modes->reference = calloc(n + 1, sizeof(double));
    modes->scratch = calloc(n + 1, sizeof(double));
    modes->diagonal = calloc(n + 1, sizeof(double));
    modes->products = calloc(2 * BLOCK_PRODUCTS * n + 1, sizeof(double));
    modes->rotations = malloc((3 * n + 1) * sizeof(double));
    modes->rotation_scratch = malloc((vertex_rotations_scratch(pattern) + 1) * sizeof(double));
    JnStatus status = modes->positions && modes->reference && modes->scratch && modes->diagonal && modes->products &&
                              modes->rotations && modes->rotation_scratch &&
                              free_unknowns_build(pattern, view->roles, &modes->unknowns)
                          ? find_pieces(modes, view, message)
                          : status_no_memory(message, "the kept modes");
    if (status == JN_OK)
        status = jacobian_create(view, &modes->stiffness, message);
    if (status == JN_OK)
        status = jacobian_create(view, &modes->damping, message);
    if (status == JN_OK)
        *out = modes;
    else
        kept_modes_destroy(modes);
    return status;
}

void kept_modes_destroy(KeptModes *modes) {
    if (!modes)
        return;
    void *arrays[] = {modes->vectors,   modes->mass_vectors,     modes->stiff_vectors, modes->damp_vectors,
                      modes->values,    modes->dampings,         modes->residuals,     modes->damp_residuals,
                      modes->positions, modes->scratch,          modes->rotations,     modes->pieces,
                      modes->held,      modes->rotation_scratch, modes->diagonal,      modes->products,
                      modes->losses,    modes->reference,        modes->pinned,        modes->balance};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    free_unknowns_free(&modes->unknowns);
    jacobian_destroy(modes->stiffness);
    jacobian_destroy(modes->damping);
    free(modes);
}

JnStatus kept_modes_reserve(KeptModes *modes, uint32_t count, JnMessage *message) {
    if (count <= modes->capacity)
        return JN_OK;
    double **blocks[] = {&modes->vectors, &modes->mass_vectors, &modes->stiff_vectors, &modes->damp_vectors};
    double **numbers[] = {&modes->values, &modes->dampings, &modes->residuals, &modes->damp_residuals, &modes->losses};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k) {
        double *larger = realloc(*blocks[k], ((size_t)count * modes->n + 1) * sizeof(double));
        if (!larger)
            return status_no_memory(message, "the kept modes");
        *blocks[k] = larger;
    }
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
        double *larger = realloc(*numbers[k], ((size_t)count + 1) * sizeof(double));
        if (!larger)
            return status_no_memory(message, "the kept modes");
        *numbers[k] = larger;
    }
    modes->capacity = count;
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ projections */

/* The vectors from k on, as many as COLUMNS_TOGETHER; returns how many of them there are, and the last is repeated for
   those that are not. */
static uint32_t take_four(const ModeSet *modes, const double *vectors, uint32_t k,
                          const double *four[COLUMNS_TOGETHER]) {
    uint32_t count = modes->count - k < COLUMNS_TOGETHER ? modes->count - k : COLUMNS_TOGETHER;
    for (uint32_t l = 0; l < COLUMNS_TOGETHER; ++l)
        four[l] = vectors + (k + (l < count ? l : count - 1)) * modes->n;
    return count;
}

/* x -= the sum of `columns` times the products of x with `rows`, four of each. */
static void project_out(const ModeSet *modes, const double *rows, const double *columns, double *x) {
    for (uint32_t k = 0; k < modes->count; k += COLUMNS_TOGETHER) {
        const double *four[COLUMNS_TOGETHER];
        double along[COLUMNS_TOGETHER];
        uint32_t count = take_four(modes, rows, k, four);
        vector_dot_four(modes->n, four, x, along);
        for (uint32_t l = 0; l < COLUMNS_TOGETHER; ++l)
            along[l] = l < count ? -along[l] : 0;
        take_four(modes, columns, k, four);
        vector_add_four(modes->n, four, along, x);
    }
}

void mode_set_coordinates(const ModeSet *modes, const double *x, double *m) {
    mode_set_multiply(modes, modes->mass_vectors, x, m);
}

void mode_set_multiply(const ModeSet *modes, const double *vectors, const double *x, double *m) {
    for (uint32_t k = 0; k < modes->count; k += COLUMNS_TOGETHER) {
        const double *four[COLUMNS_TOGETHER];
        double products[COLUMNS_TOGETHER];
        uint32_t count = take_four(modes, vectors, k, four);
        vector_dot_four(modes->n, four, x, products);
        memcpy(m + k, products, count * sizeof *m);
    }
}

void mode_set_add(const ModeSet *modes, const double *m, double *x) {
    mode_set_add_products(modes, modes->vectors, m, x);
}

void mode_set_add_products(const ModeSet *modes, const double *vectors, const double *m, double *x) {
    for (uint32_t k = 0; k < modes->count; k += COLUMNS_TOGETHER) {
        const double *four[COLUMNS_TOGETHER];
        double weights[COLUMNS_TOGETHER] = {0};
        memcpy(weights, m + k, take_four(modes, vectors, k, four) * sizeof *m);
        vector_add_four(modes->n, four, weights, x);
    }
}

void mode_set_project_force(const ModeSet *modes, double *force) {
    project_out(modes, modes->vectors, modes->mass_vectors, force);
}

void mode_set_project_motion(const ModeSet *modes, double *x) {
    project_out(modes, modes->mass_vectors, modes->vectors, x);
}

double kept_modes_orthonormalize(KeptModes *modes, const View *view, uint32_t k) {
    size_t n = modes->n;
    double *u = modes->vectors + k * n, before = 0, after = 0;
    for (int pass = 0; pass < 3; ++pass) { /* the second because of rounding, the third to measure */
        system_multiply_mass(view->system, u, modes->scratch);
        after = vector_dot_by_fours(u, modes->scratch, n);
        before = pass == 0 ? after : before;
        for (uint32_t l = 0; pass < 2 && l < k; ++l) {
            const double *other = modes->vectors + l * n;
            double along = vector_dot_by_fours(other, modes->scratch, n);
            for (size_t i = 0; i < n; ++i)
                u[i] -= along * other[i];
        }
    }
    bool left = before > 0 && after > NOTHING * NOTHING * before;
    double scale = left ? 1 / sqrt(after) : 0;
    for (size_t i = 0; i < n; ++i)
        u[i] *= scale;
    return left ? sqrt(after / before) : 0;
}

/* ------------------------------------------------------------------------------------------------ rigid motions */

static void write_piece(const KeptModes *modes, const double *centre, uint32_t piece, const double *q, int motion,
                        double *u) {
    double axis[3] = {motion % 3 == 0, motion % 3 == 1, motion % 3 == 2};
    memset(u, 0, modes->n * sizeof *u);
    for (size_t v = 0; v < modes->n / 3; ++v) {
        double offset[3];
        if (modes->pieces[v] != piece)
            continue;
        vec3_sub(q + 3 * v, centre, offset);
        if (motion < 3)
            memcpy(u + 3 * v, axis, sizeof axis);
        else
            vec3_cross(axis, offset, u + 3 * v);
    }
}

static void find_centre(const KeptModes *modes, const View *view, uint32_t piece, const double *q, double centre[3]) {
    double mass = 0;
    centre[0] = centre[1] = centre[2] = 0;
    for (size_t v = 0; v < modes->n / 3; ++v)
        if (modes->pieces[v] == piece) {
            mass += view->system->masses[v];
            for (size_t i = 0; i < 3; ++i)
                centre[i] += view->system->masses[v] * q[3 * v + i];
        }
    for (int i = 0; i < 3 && mass > 0; ++i)
        centre[i] /= mass;
}

/* held = whether pins hold a piece, or goals or fields do, which come and go, more than nearly not in a step of h.
   Returns how many are free. */
static uint32_t count_free(KeptModes *modes, const View *view, double h) {
    double *holding = modes->scratch;
    uint32_t free_pieces = 0;
    view_holding(view, holding);
    for (uint32_t p = 0; p < modes->piece_count; ++p)
        modes->balance[p] = 0;
    for (uint32_t v = 0; v < view->system->vertex_count; ++v)
        modes->balance[modes->pieces[v]] += h * h * holding[v] - HARDLY_HELD * view->system->masses[v];
    for (uint32_t p = 0; p < modes->piece_count; ++p) {
        modes->held[p] = modes->pinned[p] || modes->balance[p] > 0;
        free_pieces += !modes->held[p];
    }
    return free_pieces;
}

JnStatus kept_modes_write_rigid(KeptModes *modes, const View *view, const double *q, double h, JnMessage *message) {
    uint32_t free_pieces = count_free(modes, view, h), count = 0;
    memcpy(modes->reference, q, modes->n * sizeof *q);
    system_write_unturned(view->system, modes->reference);
    modes->state.free = free_pieces;
    modes->state.lowest = free_pieces <= FREE_PIECES_MOST;
    modes->state.rigid = 0;
    if (free_pieces == 0 || free_pieces > FREE_PIECES_MOST)
        return JN_OK;
    JnStatus status = kept_modes_reserve(modes, 6 * free_pieces, message);
    for (uint32_t p = 0; status == JN_OK && p < modes->piece_count; ++p) {
        double centre[3];
        if (modes->held[p])
            continue;
        find_centre(modes, view, p, modes->reference, centre);
        for (int motion = 0; motion < 6; ++motion) {
            write_piece(modes, centre, p, modes->reference, motion, modes->vectors + count * modes->n);
            /* a straight chain does not move when it turns about itself */
            count += kept_modes_orthonormalize(modes, view, count) > 0;
        }
    }
    modes->state.rigid = status == JN_OK ? count : 0;
    return status;
}

/* ------------------------------------------------------------------------------------------------ archive */

bool kept_modes_archive(KeptModes *modes, Archive *archive) {
    if (!archive_piece(archive, &modes->state, sizeof modes->state))
        return false;
    if (archive->loading && ((size_t)modes->state.count > modes->n || (size_t)modes->state.guards > modes->n ||
                             kept_modes_reserve(modes, modes->state.count + modes->state.guards, NULL) != JN_OK)) {
        modes->state = (KeptState){0};
        return false;
    }
    return archive_piece(archive, modes->positions, modes->n * sizeof(double)) &&
           (modes->state.count == 0 ||
            archive_piece(archive, modes->vectors,
                          (size_t)(modes->state.count + modes->state.guards) * modes->n * sizeof(double)));
}
