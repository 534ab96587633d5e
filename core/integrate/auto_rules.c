#include "integrate/auto_rules.h"

#include <math.h>
#include <stdio.h>

/* The rules come from error-work diagrams of the sample scenes, made by `jounce compare --truth` with one thread. Error
   in % of the motion / milliseconds of processor time per frame, over 24 frames, at 4 and at 8 time steps a frame; *:
   nothing that is cheaper is as near to the truth. soft_beam had 1 and 2 steps at 100 frames a second; pudding and
   teddy had coarser meshes and 12 frames, brush a coarser one.

                     si                         ssdirk                     str_sbdf2
     hanging_beam    8.6 / 8.6*   4.3 / 13*     0.39 / 13*   0.07 / 25*    0.16 / 17*   0.05 / 34*
     shaken_beam     40 / 4.3*    23 / 7.3*     26 / 7.0*    9.5 / 14*     14 / 12*     4.0 / 21*
     slope           81 / 2.1*    70 / 3.7*     12 / 5.5*    1.9 / 9.6*    14 / 6.6     3.1 / 12
     soft_beam       2.8 / 1.2*   1.5 / 2.0     0.05 / 1.9*  0.01 / 3.4*   0.05 / 3.3   0.01 / 6.4
     jelly_drop      17 / 52*     13 / 85       1.2 / 71     0.52 / 111*   0.60 / 68*   0.36 / 130*
     pudding         21 / 43*     20 / 80*      3.8 / 219*   3.7 / 385*    3.8 / 239*   3.4 / 411*
     flag            56 / 21*     60 / 39       55 / 58*     56 / 53       60 / 40      52 / 78*
     teddy           7.2 / 93*    3.4 / 135*    5.2 / 138    2.4 / 225*    2.9 / 158*   4.9 / 242
     brush           0.02 / 29*   0.02 / 41*    0.09 / 461   0.03 / 556    0.09 / 470   0.03 / 527

   So ssdirk is on the lower envelope in most scenes where something wobbles that can be seen; str_sbdf2, which factors
   twice a step, in fewer. Free motion is within 1 % at 4 steps a frame; what is driven or touches needs 8. Whether pins
   will move is not known when a bake begins, so what is held counts as driven, and is the same in a host and in a job
   folder; what stands still then has 8 steps, which are on the envelope too (hanging_beam). In slope the
   error depends on how a step meets the landing, so it is the mean over eight drops, each 4 mm higher, that counts,
   with its standard error, at 4, 8, 9, 12 and 16 steps: si 66, 57, 54, 50 and 44 % (3), ssdirk 25 (7), 13 (4), 8
   (4), 7.1 (1.3) and 5.3 (1.0), str_sbdf2 and sdirk within 2 % of ssdirk at 1.2 and 3 to 5 times its cost. In flag only
   methods that solve each step fully come near the truth: sdirk 15 % at twenty times the cost. So what is slack gets
   the cheapest, si at 4 steps. Over 12 frames si has 45 / 23* and 42 / 39*, and ssdirk 41 / 58 and 39 / 48*. Bristles
   that swing 70 times a second stand still between frames: si follows them, the others cut their steps.

   Where damping is strong, methods with one Newton step have order 1. A bar of 0.55 Hz that drops, held at one end, at
   2 and 4 steps, by its damping ratio:

             ssdirk                     sdirk                        midpoint
     0.03    7.0 / 0.8*   2.8 / 1.7*    0.07 / 5.0   0.02 / 7.9      0.14 / 2.7*   0.03 / 4.5*
     0.1     15 / 0.8*    8.8 / 1.7     0.11 / 4.9   0.03 / 8.1      0.22 / 2.7*   0.06 / 4.7*
     0.3     22 / 0.8     15 / 1.7      0.33 / 4.4   0.09 / 7.6      0.59 / 2.4*   0.18 / 4.3*
   teddy, whose ratio is 0.16, has 0.5 / 339* with sdirk and 0.8 / 276* with midpoint at 4 steps. midpoint is cheaper,
   and does not damp what rings; sdirk is taken.

   What starts wound up is too much for one Newton step, and safeguards only limit what comes of it. A cuboid that lets
   go (sample_scenes/untwisting_cuboid, 24 cells, 4 steps at 24 frames a second, 24 frames), by its turns and the sizes
   a frame that the stored energy would move it by; steps that ssdirk adds by cuts, and the fastest vertex, m/s:

     turns       1      1.5    2      3 (49 cells)
     sizes       0.17   0.26   0.34   0.49
     ssdirk      0, 7   0, 11  3, 22  2567, 290, and 17 % more energy than at the start
     sdirk       0, 8                 0, 23

   What is stiff swings more often than is seen, but turns and bounces. Error in % / ms a frame of small ones:

                                        si, 4 steps   ssdirk, 4     sdirk, 2
     a hinged bar of wood swings down   98 / 0.4      96 / 0.9      0.6 / 16
     a block of wood tips over          75 / 0.4      57 / 1.0      4.6 / 6.6
     a spinning one is thrown           26 / 0.4      26 / 0.7      0.15 / 20
     a rubber ball bounces              46 / 1.9      23 / 2.9      11 / 10

   A stiff body beside a soft one must not decide for it: a belly with a wooden button had 3.2 % by si, where 0.2 % cost
   as much. Chunky flesh that is held hardly turns, and ssdirk is as near as sdirk there: belly 0.25 / 5.1 with ssdirk
   and 0.28 / 19 with sdirk, at 4 steps; a firm bar, as damped, 14 with ssdirk at 8 and 3.0 with sdirk at 4. Fibres are
   solved fully by ssdirk too: hair without contact has 1.0 with ssdirk at 2 steps, at 2.3 times the cost of si, which
   has 5 at 4; 36 hairs that touch each other take it 38 times as long as si.

   Methods that keep modes, with as many as move visibly, are not on the envelope in any of these scenes: siere and
   ssdirkere at 8 steps have 1.7 / 27 and 1.6 / 41 in hanging_beam, 15 / 16 and 18 / 24 in shaken_beam, 1.2 / 4.1 and
   0.9 / 5.3 in soft_beam (2 steps), 13 / 329 and 1.2 / 240 in jelly_drop. With guards
   carried along, soft_beam has 0.42 / 12 and 0.03 / 14, where ssdirk has 0.01 / 3.6. */

typedef enum Circumstance {
    HAS_FAST_REGIONS,
    IS_DRIVEN,
    IS_FIBRES_IN_CONTACT,
    IS_STIFF_FIBRES,
    IS_FIBRES,
    IS_WOUND_UP,
    IS_STIFF,
    IS_DAMPED_AND_DRIVEN,
    IS_DAMPED,
    MAY_TOUCH,
    IS_SLACK,
    IS_HELD,
    ANYTHING
} Circumstance;

typedef struct AutoRule {
    Circumstance when;
    const char *method;
    uint32_t mode_count;
    uint32_t least_steps, most_steps; /* per frame */
    const char *reason;
} AutoRule;

/* The first that applies counts. */
static const AutoRule rules[] = {
    {HAS_FAST_REGIONS, "si", 0, 4, 16, "parts are painted fast"},
    {IS_DRIVEN, "si", 0, 1, 1, "nothing is free to move"},
    {IS_FIBRES_IN_CONTACT, "si", 0, 4, 4, "fibres may touch"},
    {IS_STIFF_FIBRES, "si", 0, 4, 4, "its fibres swing more than once a frame, so that no wobble is seen"},
    {IS_FIBRES, "ssdirk", 0, 2, 8, "it is of fibres"},
    {IS_WOUND_UP, "sdirk", 0, 4, 16, "it starts wound up"},
    {IS_STIFF, "sdirk", 0, 2, 2, "it swings more than once a frame, so that only turns and bounces are seen"},
    {IS_DAMPED_AND_DRIVEN, "sdirk", 0, 4, 16, "it is strongly damped, and touches or is held"},
    {IS_DAMPED, "sdirk", 0, 2, 16, "it is strongly damped"},
    {MAY_TOUCH, "ssdirk", 0, 8, 16, "things may touch"},
    {IS_SLACK, "si", 0, 4, 4, "it is slack, without a wobble of its own"},
    {IS_HELD, "ssdirk", 0, 8, 16, "it is held, and moves with what holds it"},
    {ANYTHING, "ssdirk", 0, 4, 16, "it is free and touches nothing"},
};

/* The slowest wobble of every body has time steps of at most this h omega, within most_steps: a swing is then 16 steps
   and keeps 99.8 % of its height with ssdirk and with sdirk. */
static const double LONGEST_STEP = 0.4;

/* Part of the critical damping: from here on a swing keeps three quarters of its height or less. */
static const double STRONG_DAMPING = 0.05;

/* Sizes in 1/24 s. */
static const double VIOLENT = 0.3;

static bool applies(Circumstance circumstance, const AutoFacts *facts) {
    switch (circumstance) {
    case HAS_FAST_REGIONS:
        return facts->fast_regions;
    case IS_DRIVEN:
        return facts->driven;
    case IS_FIBRES_IN_CONTACT:
        return facts->fibres && facts->contact;
    case IS_STIFF_FIBRES:
        return facts->only_fibres && facts->wobble == 0 && facts->unseen;
    case IS_FIBRES:
        return facts->only_fibres;
    case IS_STIFF:
        return facts->wobble == 0 && facts->unseen && !facts->slack;
    case IS_WOUND_UP:
        return facts->wound_up > VIOLENT;
    case IS_DAMPED_AND_DRIVEN:
        return facts->damping > STRONG_DAMPING && (facts->contact || facts->held);
    case IS_DAMPED:
        return facts->damping > STRONG_DAMPING;
    case MAY_TOUCH:
        return facts->contact;
    case IS_SLACK:
        return facts->wobble == 0;
    case IS_HELD:
        return facts->held;
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
        snprintf(choice->reason, sizeof choice->reason, "%s; %s %.3g Hz", rule->reason,
                 facts->body_count > 1 ? "the quickest among the slowest wobbles of its bodies has"
                                       : "its slowest wobble has",
                 facts->wobble);
    else
        snprintf(choice->reason, sizeof choice->reason, "%s", rule->reason);
}
