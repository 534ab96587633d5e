#include "region/fast_contact_internal.h"

#include "base/status.h"
#include "integrate/slope_search.h"
#include "linear/cholmod_guard.h"

#include <math.h>
#include <string.h>

/* LAPACK, with Fortran calling conventions. */
extern void dgetrf_(const int *rows, const int *columns, double *a, const int *stride, int *pivots, int *info);
extern void dgetrs_(const char *form, const int *n, const int *right_hand_sides, const double *a, const int *stride,
                    const int *pivots, double *b, const int *b_stride, int *info, size_t form_length);

/* The impulse is found when it differs from that of the law by what is wanted, at least the first part of its size, or
   the third of the momentum there; or by less than the second and no less than before. Normal forces of friction stay
   when they change by as much. */
static const double PRECISE_PART = 1e-12, ROUNDING_PART = 1e-9, MOMENTUM_PART = 1e-14;
/* They are worth renewing when impulses are off by at most this part. What is not nearer than the last number when they
   have been renewed most often is no solution. */
static const double RENEWAL_PART = 1e-3, FRICTION_FAILED = 3e-3;
/* Linear equations are solved to the first part; with old factors, while each correction leaves at most the second part
   of what was left, and the third at the end. */
static const double LINEAR_PART = 1e-9, SLOW = 0.3, NEAR = 1e-2;
enum { CORRECTIONS_MOST = 8 };
enum { ROUNDS_MOST = 60, RENEWALS_MOST = 20, BOLD_ROUNDS = 5 };

/* ------------------------------------------------------------------------------------------------ contact at w */

/* One part of -dc/dw: its rows are those of vertex `row` of what touches. */
typedef struct Block {
    int row, column;
    double values[9];
} Block;

/* The k-th of the pairs, as it is or transposed. false: it is not between vertices inside. */
static bool block_of(const FastContact *contact, size_t k, bool transposed, Block *block) {
    const PairBlock *pair = &contact->pairs.blocks[k];
    block->row = contact->locals[transposed ? pair->column : pair->row];
    block->column = contact->locals[transposed ? pair->row : pair->column];
    for (int i = 0; i < 9; ++i)
        block->values[i] = pair->block[transposed ? 3 * (i % 3) + i / 3 : i];
    return block->row != NOWHERE && block->column != NOWHERE && !(transposed && pair->row == pair->column);
}

/* y += C x. */
static void add_contact_product(const FastContact *contact, const double *x, double *y) {
    Block block;
    for (size_t k = 0; k < 2 * contact->pairs.count; ++k)
        if (block_of(contact, k / 2, k % 2, &block))
            for (int i = 0; i < 9; ++i)
                y[3 * block.row + i / 3] += block.values[i] * x[3 * block.column + i % 3];
}

/* ------------------------------------------------------------------------------------------------ Newton */

/* Numbers what is active; numbers: [inside_count] their places among these, or NOWHERE. Returns whether these are the
   same as before. */
static bool list_active(FastContact *contact, int *numbers) {
    Block block;
    uint32_t count = 0;
    bool same = true;
    for (uint32_t k = 0; k < contact->inside_count; ++k)
        numbers[k] = NOWHERE;
    for (size_t k = 0; k < 2 * contact->pairs.count; ++k)
        if (block_of(contact, k / 2, k % 2, &block))
            numbers[block.row] = 0;
    for (uint32_t k = 0; k < contact->inside_count; ++k)
        if (numbers[k] != NOWHERE) {
            same &= count < contact->active_count && contact->factored_vertices[count] == contact->touching[k];
            numbers[k] = (int)count;
            contact->factored_vertices[count] = contact->touching[k];
            contact->active[count++] = k;
        }
    same &= count == contact->active_count;
    contact->active_count = count;
    return same;
}

/* matrix = the factors of 1 + C G between what is active. */
static bool factor(FastContact *contact, const int *numbers) {
    size_t n = fast_contact_unknowns(contact);
    int size = 3 * (int)contact->active_count, info = 0;
    Block block;
    if (size == 0)
        return true;
    memset(contact->matrix, 0, (size_t)size * (size_t)size * sizeof(double));
    for (int c = 0; c < size; ++c)
        contact->matrix[(size_t)c * ((size_t)size + 1)] = 1;
    for (size_t k = 0; k < 2 * contact->pairs.count; ++k)
        if (block_of(contact, k / 2, k % 2, &block))
            for (int c = 0; c < size; ++c) {
                const double *column =
                    contact->compliance + (3 * (size_t)contact->active[c / 3] + (size_t)c % 3) * n + 3 * block.column;
                double *to = contact->matrix + (size_t)c * (size_t)size + 3 * numbers[block.row];
                for (int i = 0; i < 3; ++i)
                    to[i] += block.values[3 * i] * column[0] + block.values[3 * i + 1] * column[1] +
                             block.values[3 * i + 2] * column[2];
            }
    CholmodHold hold = cholmod_guard_hold();
    dgetrf_(&size, &size, contact->matrix, &size, contact->pivots, &info);
    cholmod_guard_release(hold);
    return info == 0;
}

/* change += the factors' solution for what is left of off - (1 + C G) change; way = G change. Returns the part that was
   left before. Where nothing is active the solution is exact. */
static double correct_change(FastContact *contact) {
    size_t n = fast_contact_unknowns(contact);
    int size = 3 * (int)contact->active_count, one = 1, info = 0;
    double *right = contact->trial, *left = contact->law, square = 0, whole = 0;
    memset(contact->way, 0, n * sizeof(double));
    memset(left, 0, n * sizeof(double));
    fast_contact_respond(contact, contact->change, contact->way);
    add_contact_product(contact, contact->way, left);
    for (size_t i = 0; i < n; ++i) {
        left[i] = contact->off[i] - contact->change[i] - left[i];
        square += left[i] * left[i];
        whole += contact->off[i] * contact->off[i];
    }
    for (int i = 0; i < size; ++i)
        right[i] = left[3 * (size_t)contact->active[i / 3] + (size_t)i % 3];
    if (size > 0) {
        CholmodHold hold = cholmod_guard_hold();
        dgetrs_("N", &size, &one, contact->matrix, &size, contact->pivots, right, &size, &info, 1);
        cholmod_guard_release(hold);
    }
    for (int i = 0; i < size; ++i)
        contact->change[3 * (size_t)contact->active[i / 3] + (size_t)i % 3] += right[i];
    return square > 0 ? sqrt(square / whole) : 0;
}

/* Solves (1 + C G) change = off, where only the rows of what is active differ from those of 1, and way = G change: with
   the factors of an earlier C between the same vertices, while these bring it near enough. */
static bool find_change(FastContact *contact) {
    size_t n = fast_contact_unknowns(contact);
    int numbers[FAST_CONTACT_MOST];
    bool same = list_active(contact, numbers) && contact->factored;
    for (int attempt = same ? 0 : 1; attempt < 2; ++attempt) {
        double left = 1;
        if (attempt == 1 && !(contact->factored = factor(contact, numbers)))
            return false;
        memcpy(contact->change, contact->off, n * sizeof(double));
        for (uint32_t a = 0; a < contact->active_count; ++a)
            memset(contact->change + 3 * (size_t)contact->active[a], 0, 3 * sizeof(double));
        for (int k = 0; left > LINEAR_PART && k < CORRECTIONS_MOST; ++k) {
            double before = left;
            left = correct_change(contact);
            if (attempt == 0 && k > 1 && !(left < SLOW * before)) {
                left = INFINITY;
                break;
            }
        }
        if (attempt == 1 || left < NEAR)
            break;
    }
    memset(contact->way, 0, n * sizeof(double));
    fast_contact_respond(contact, contact->change, contact->way);
    return true;
}

/* trial = w + t way, contact there by its law, and the slope of the potential along the way: a SlopeAt. */
static JnStatus slope_at(void *owner, double t, double *slope, JnMessage *message) {
    FastContact *contact = owner;
    size_t n = fast_contact_unknowns(contact);
    for (size_t i = 0; i < n; ++i)
        contact->trial[i] = contact->w[i] + t * contact->way[i];
    JnStatus status = fast_contact_evaluate(contact, contact->trial, false, contact->law, message);
    *slope = 0;
    for (size_t i = 0; i < n; ++i)
        *slope += contact->way[i] * (contact->lambda[i] + t * contact->change[i] - contact->law[i]);
    return status;
}

/* Of the rounds with what is held now. */
typedef struct Progress {
    double off, before; /* how far the impulse is from that of the law, as part of it; the same a round before */
    double change;      /* of the normal forces of friction */
    double wanted;      /* parts by which both may be off */
    int bold;           /* rounds that may still take whole ways */
    int renewals;
    bool stuck; /* the linear equations have no solution */
} Progress;

static JnStatus take_round(FastContact *contact, Progress *progress, JnMessage *message) {
    size_t n = fast_contact_unknowns(contact);
    double taken = 1, off = 0, all = 0;
    JnStatus status = fast_contact_evaluate(contact, contact->w, true, contact->off, message);
    for (size_t i = 0; i < n; ++i)
        contact->off[i] -= contact->lambda[i];
    if (status == JN_OK && !find_change(contact)) {
        progress->stuck = true;
        return JN_OK;
    }
    double slope;
    bool search = progress->bold-- <= 0;
    if (status == JN_OK)
        status = search ? slope_search(slope_at, contact, &taken, message) : JN_OK;
    if (status == JN_OK)
        status = slope_at(contact, taken, &slope, message);
    for (size_t i = 0; i < n; ++i) {
        const FastRegion *region = contact->region;
        double mass = region->masses[contact->touching[i / 3]], momentum = mass * contact->trial[i];
        contact->lambda[i] += taken * contact->change[i];
        contact->w[i] = contact->trial[i];
        off += pow((contact->law[i] - contact->lambda[i]) / mass, 2);
        all += pow(contact->law[i] / mass, 2) + pow(MOMENTUM_PART / PRECISE_PART * momentum / mass, 2);
    }
    progress->before = progress->off;
    progress->off = off > 0 ? sqrt(off / all) : 0;
    return status;
}

static bool is_precise(const Progress *progress) {
    return progress->off <= progress->wanted ||
           (progress->off <= ROUNDING_PART && progress->off > 0.5 * progress->before);
}

/* Normal forces of friction where the impulse is near. Those of what goes on to stick are left as they are by
   view_renew_friction, for nobody sees the difference; here, when all else is found, they are renewed too, and *settled
   says that a round will show whether that has changed anything. */
static void renew_friction(FastContact *contact, bool precise, Progress *progress, bool *settled) {
    *settled = false;
    if (progress->off > RENEWAL_PART || progress->renewals == RENEWALS_MOST)
        return;
    view_renew_friction(contact->view, contact->z, precise ? -1 : progress->wanted, &progress->change);
    *settled = precise && progress->change <= progress->wanted;
    if (*settled || progress->change > progress->wanted) {
        ++progress->renewals;
        progress->bold = BOLD_ROUNDS;
    }
}

JnStatus fast_contact_solve_rounds(FastContact *contact, const FastContactSolve *solve, bool *solved,
                                   JnMessage *message) {
    Progress progress = {.off = 1,
                         .before = 1,
                         .change = solve->held ? 0 : 1,
                         .wanted = fmax(PRECISE_PART, solve->off),
                         .bold = BOLD_ROUNDS};
    JnStatus status = JN_OK;
    bool settled = solve->held;
    *solved = false;
    for (int round = 0; status == JN_OK && !*solved && !progress.stuck && round < ROUNDS_MOST; ++round) {
        ++contact->view->system->contact_rounds;
        status = take_round(contact, &progress, message);
        bool precise = is_precise(&progress), tired = progress.renewals == RENEWALS_MOST;
        *solved =
            status == JN_OK && precise && !progress.stuck && (settled || (tired && progress.change <= FRICTION_FAILED));
        if (status != JN_OK || *solved)
            break;
        if (!solve->held)
            renew_friction(contact, precise, &progress, &settled);
        view_move_friction(contact->view, contact->z, progress.bold > 0 ? contact->impedances : NULL);
    }
    return status;
}
