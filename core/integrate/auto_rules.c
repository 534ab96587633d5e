#include "integrate/auto_rules.h"

#include <math.h>
#include <stdio.h>

/* The rules come from error-work diagrams of the sample scenes, made by `jounce compare --truth`. Error in % of the
   motion / processor time per frame, at 4 and at 8 time steps a frame, and with * what no other method reaches for
   less:

                       si                        ssdirk                     str_sbdf2
     hanging_beam      4.6 / 7.7,  2.1 / 12      0.25 / 12*, 0.05 / 23*     0.11 / 16*, 0.03 / 31*
     soft_beam, 25 fps 2.8 / 4.7,  1.4 / 7.7     0.04 / 7.4*, 0.01 / 14*    0.04 / 14,  0.01 / 27
     shaken_beam       44 / 3.9*,  21 / 6.7*     29 / 6.7*,  9.6 / 15*      15 / 8.5*,  3.8 / 18*
     slope             80 / 2.7*,  69 / 4.7      11 / 8.1*,  2.4 / 14*      13 / 9.4,   2.6 / 15

   So ssdirk is on the lower envelope in all of them; str_sbdf2, which factors twice a step, only where the motion is
   wild. Free motion is within 1 % at 4 steps a frame; what is driven or touches needs 8 for some 10 %. */

typedef enum Circumstance { MAY_TOUCH, IS_ANIMATED, ANYTHING } Circumstance;

typedef struct AutoRule {
    Circumstance when;
    const char *method;
    uint32_t mode_count;
    uint32_t least_steps; /* per frame */
    const char *reason;
} AutoRule;

/* The first that applies counts. */
static const AutoRule rules[] = {
    {MAY_TOUCH, "ssdirk", 0, 8, "things may touch"},
    {IS_ANIMATED, "ssdirk", 0, 8, "it is animated"},
    {ANYTHING, "ssdirk", 0, 4, "nothing touches, nothing is animated"},
};

/* Time steps are short enough for every body's slowest wobble, as far as this number of them: a swing has at least 2 pi
   over this many, so that it loses less than 1 % of its height to ssdirk. */
static const double LONGEST_STEP = 0.4; /* h omega */
enum { MOST_STEPS = 16 };

static bool applies(Circumstance circumstance, const AutoFacts *facts) {
    return circumstance == ANYTHING || (circumstance == MAY_TOUCH && facts->contact) ||
           (circumstance == IS_ANIMATED && facts->animated);
}

void auto_choose(const AutoFacts *facts, AutoChoice *choice) {
    const AutoRule *rule = rules;
    const void *method = NULL;
    while (!applies(rule->when, facts))
        ++rule;
    table_find(&integrator_table, rule->method, "rules of auto", &method, NULL);
    double needed = ceil(2 * acos(-1) * facts->wobble / (LONGEST_STEP * facts->fps));
    bool is_fast = needed > rule->least_steps;
    *choice = (AutoChoice){.method = method,
                           .mode_count = rule->mode_count,
                           .steps_per_frame = is_fast ? (uint32_t)fmin(needed, MOST_STEPS) : rule->least_steps};
    if (facts->wobble > 0)
        snprintf(choice->reason, sizeof choice->reason, "%s, and the slowest wobble of %.3g Hz %s", rule->reason,
                 facts->wobble,
                 needed > MOST_STEPS ? "is too fast to be followed"
                 : is_fast           ? "is fast"
                                     : "is well within reach");
    else
        snprintf(choice->reason, sizeof choice->reason, "%s, and no wobble limits the time step", rule->reason);
}
