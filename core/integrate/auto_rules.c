#include "integrate/auto_rules.h"

#include <math.h>
#include <stdio.h>

/* The rules come from error-work diagrams of the sample scenes, made by `jounce compare --truth` with one thread. Error
   in % of the motion / milliseconds of processor time per frame, at 4 and at 8 time steps a frame; *: nothing that is
   cheaper is as near to the truth. soft_beam had 25 frames a second, the last five coarser meshes.

                     si                         ssdirk                     str_sbdf2
     hanging_beam    4.6 / 7.7    2.1 / 12      0.25 / 12*   0.05 / 23*    0.11 / 16*   0.03 / 31*
     shaken_beam     44 / 3.9*    21 / 6.7*     29 / 6.7*    9.6 / 15*     15 / 8.5*    3.8 / 18*
     slope           80 / 2.7*    69 / 4.7      11 / 8.1*    2.4 / 14*     13 / 9.4     2.6 / 15
     soft_beam       2.8 / 4.7    1.4 / 7.7     0.04 / 7.4*  0.01 / 14*    0.04 / 14    0.01 / 27
     jelly_drop      7.7 / 3.5*   4.5 / 6.0     0.64 / 6.7*  0.21 / 11*    0.48 / 8.7   0.18 / 15*
     pudding         13 / 33*     9.8 / 58      3.4 / 101*   3.1 / 191*    3.7 / 105    3.2 / 197
     flag            42 / 3.9*    36 / 8.3*     37 / 5.2*    27 / 11*      32 / 8.4*    22 / 16*
     teddy           3.1 / 29     1.3 / 51      1.5 / 44     0.60 / 81     0.81 / 51    0.32 / 91
     brush           0.02 / 29*   0.02 / 41*    0.09 / 461   0.03 / 556    0.09 / 470   0.03 / 527

   So ssdirk is on the lower envelope in most scenes where something wobbles that can be seen; str_sbdf2, which factors
   twice a step, in fewer. Free motion is within 1 % at 4 steps a frame; what is driven, touches or is slack as cloth
   needs 8. In slope the error depends on how a step meets the landing: 6.3, 2.1, 10 and 1.8 % at 7, 8, 9 and 16 steps.
   teddy is strongly damped, where methods with one Newton step have order 1: sdirk and midpoint are on the envelope.
   Bristles that swing 70 times a second stand still between frames: si follows them, the others cut their steps.
   Methods that keep modes, with as many as move visibly, are not on the envelope in the three scenes measured: siere
   and ssdirkere at 4 steps have 1.9 / 19 and 1.9 / 23 in hanging_beam, 1.4 / 11 and 0.26 / 14 in soft_beam, and 79 / 11
   and 9.5 / 11 in slope. */

typedef enum Circumstance { SWINGS_UNSEEN, MAY_TOUCH, IS_ANIMATED, IS_SLACK, ANYTHING } Circumstance;

typedef struct AutoRule {
    Circumstance when;
    const char *method;
    uint32_t mode_count;
    uint32_t least_steps, most_steps; /* per frame */
    const char *reason;
} AutoRule;

/* The first that applies counts. */
static const AutoRule rules[] = {
    {SWINGS_UNSEEN, "si", 0, 4, 4, "it swings more than once a frame, so that no wobble is seen"},
    {MAY_TOUCH, "ssdirk", 0, 8, 16, "things may touch"},
    {IS_ANIMATED, "ssdirk", 0, 8, 16, "it is animated"},
    {IS_SLACK, "ssdirk", 0, 8, 16, "it is slack, without a wobble of its own"},
    {ANYTHING, "ssdirk", 0, 4, 16, "nothing touches and nothing is animated"},
};

/* The slowest wobble of every body has time steps of at most this h omega, within most_steps: a swing is then 16 steps
   and keeps 99.8 % of its height with ssdirk. */
static const double LONGEST_STEP = 0.4;

static bool applies(Circumstance circumstance, const AutoFacts *facts) {
    switch (circumstance) {
    case SWINGS_UNSEEN:
        return facts->wobble > facts->fps;
    case MAY_TOUCH:
        return facts->contact;
    case IS_ANIMATED:
        return facts->animated;
    case IS_SLACK:
        return facts->wobble == 0;
    default:
        return true;
    }
}

void auto_choose(const AutoFacts *facts, AutoChoice *choice) {
    const AutoRule *rule = rules;
    const void *method = NULL;
    while (!applies(rule->when, facts))
        ++rule;
    table_find(&integrator_table, rule->method, "rules of auto", &method, NULL);
    double needed = ceil(2 * acos(-1) * facts->wobble / (LONGEST_STEP * facts->fps));
    *choice = (AutoChoice){.method = method,
                           .mode_count = rule->mode_count,
                           .steps_per_frame = (uint32_t)fmax(rule->least_steps, fmin(needed, rule->most_steps))};
    if (facts->wobble > 0)
        snprintf(choice->reason, sizeof choice->reason, "%s; its slowest wobble has %.3g Hz", rule->reason,
                 facts->wobble);
    else
        snprintf(choice->reason, sizeof choice->reason, "%s", rule->reason);
}
