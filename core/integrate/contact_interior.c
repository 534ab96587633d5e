#include "integrate/contact_rounds_internal.h"

#include <string.h>

enum { ROUNDS_MOST = 40 };
/* It has converged when the products are this part of those at the start, and the last round was nearly a whole one. */
static const double SMALL_PART = 1e-6, NEARLY_WHOLE = 0.9;

/* The part of the products that the next round aims at: the less, the better the last one went. */
static double aim(double part) {
    return part > NEARLY_WHOLE ? 0.05 : part > 0.5 ? 0.2 : 0.5;
}

static JnStatus one_round(ContactRounds *rounds, View *view, const LinearStep *step, double *z, InteriorMove *move,
                          JnMessage *message) {
    JnStatus status = system_check_cancelled(view->system, message);
    ++view->system->contact_rounds;
    if (status == JN_OK)
        status = jacobian_renew_contacts(view->jacobian, z, message);
    if (status == JN_OK)
        status = view_linear_contact(view, z, rounds->force, message);
    if (status == JN_OK)
        status = contact_find_direction(rounds, view, step, z, true, NULL, NULL, message);
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < rounds->count; ++i)
        rounds->trial[i] = z[i] + rounds->direction[i];
    move->part = 1;
    move->products = 0;
    move->count = 0;
    view_interior(view, rounds->trial, INTERIOR_BOUND, move);
    view_interior(view, rounds->trial, INTERIOR_MOVE, move);
    for (size_t i = 0; i < rounds->count; ++i)
        z[i] += move->part * rounds->direction[i];
    return JN_OK;
}

JnStatus contact_solve_interior(ContactRounds *rounds, View *view, const LinearStep *step, double *z,
                                JnMessage *message) {
    InteriorMove move = {.stiffnesses = rounds->stiffnesses,
                         .rate = view->has_reach ? view->reach.velocity_scale / view->reach.position_scale : 0};
    JnStatus status = JN_OK;
    view_interior(view, z, INTERIOR_MEASURE, &move);
    double mean = move.count ? move.products / move.count : 0, small = SMALL_PART * mean;
    bool done = !(mean > 0);
    move.centre = mean;
    view_interior(view, z, INTERIOR_BEGIN, &move);
    for (int round = 0; status == JN_OK && !done && round < ROUNDS_MOST; ++round) {
        status = one_round(rounds, view, step, z, &move, message);
        mean = move.count ? move.products / move.count : 0;
        done = mean <= small && move.part > NEARLY_WHOLE;
        move.centre = aim(move.part) * mean;
        view_interior(view, z, INTERIOR_CENTRE, &move);
    }
    view_interior(view, z, INTERIOR_END, &move);
    return status;
}
