/* What "auto" chooses: a method that exists, in every circumstance, with steps that keep what can be seen. */
#include "harness.h"

#include "integrate/auto_rules.h"
#include "integrate/method_damping.h"

static const double TWO_PI = 6.283185307179586;

/* The fraction of a swing of this frequency that is left after a second of what is chosen for it. */
static double kept_after_a_second(const AutoFacts *facts) {
    AutoChoice choice;
    auto_choose(facts, &choice);
    const MethodOptions options = {
        .variant = choice.method->variant, .spectral_radius = 0.8, .mode_count = choice.mode_count};
    MethodDamping found;
    double h = 1 / (facts->fps * choice.steps_per_frame), omega = TWO_PI * facts->wobble;
    JnStatus status = method_damping(choice.method, &options, h, omega, &found, NULL);
    return status == JN_OK ? exp(-0.5 * found.damping * omega) : NAN;
}

TEST(auto_keeps_what_can_be_seen_of_a_wobble) {
    const double rates[] = {24, 30, 60};
    for (size_t r = 0; r < 3; ++r)
        for (double frequency = 0.25; frequency < rates[r] / 2; frequency *= 1.3) {
            const AutoFacts facts = {.fps = rates[r], .wobble = frequency};
            double kept_of_a_swing = pow(kept_after_a_second(&facts), 1 / frequency);
            CHECK(kept_of_a_swing > 0.998);
        }
    /* si at 4 steps a frame keeps 44 % of the one and 1 % of the other */
    CHECK(kept_after_a_second(&(AutoFacts){.fps = 24, .wobble = 2}) > 0.995);
    CHECK(kept_after_a_second(&(AutoFacts){.fps = 24, .wobble = 5}) > 0.99);
}

TEST(auto_knows_a_method_with_a_sentence_in_every_circumstance) {
    const double wobbles[] = {0, 1e-9, 0.5, 5, 20, 24, 100, 1e9};
    for (size_t w = 0; w < sizeof wobbles / sizeof wobbles[0]; ++w)
        for (int contact = 0; contact < 2; ++contact)
            for (int kind = 0; kind < 128; ++kind) {
                AutoChoice choice;
                bool fast_regions = kind & 4;
                auto_choose(&(AutoFacts){.fps = 24,
                                         .body_count = kind & 8 ? 2 : 1,
                                         .wobble = wobbles[w],
                                         .unseen = kind & 16,
                                         .slack = kind & 32,
                                         .fibres = kind & 64,
                                         .only_fibres = (kind & 72) == 64,
                                         .contact = contact,
                                         .held = kind & 1,
                                         .fast_regions = fast_regions,
                                         .damping = kind & 2 ? 0.5 : 0,
                                         .wound_up = contact ? 1 : 0},
                            &choice);
                CHECK(!fast_regions || strcmp(choice.method->entry.name, "si") == 0);
                const void *found = NULL;
                CHECK(choice.method &&
                      table_find(&integrator_table, choice.method->entry.name, "test", &found, NULL) == JN_OK);
                CHECK(found == choice.method);
                CHECK(choice.steps_per_frame >= 2 && choice.steps_per_frame <= 16);
                CHECK(choice.reason[0] && strlen(choice.reason) + 1 < sizeof choice.reason);
            }
}

TEST(auto_takes_more_steps_for_what_touches_and_for_faster_wobbles) {
    AutoChoice calm, touching, fast;
    auto_choose(&(AutoFacts){.fps = 24, .wobble = 0.7}, &calm);
    auto_choose(&(AutoFacts){.fps = 24, .wobble = 0.7, .contact = true}, &touching);
    auto_choose(&(AutoFacts){.fps = 24, .wobble = 10}, &fast);
    CHECK(touching.steps_per_frame > calm.steps_per_frame);
    CHECK(fast.steps_per_frame > calm.steps_per_frame);
}

/* What is stiff turns and bounces; one Newton step a stage loses its spin. It has no say beside what wobbles. */
TEST(auto_solves_fully_what_is_stiff_unless_something_else_wobbles) {
    AutoChoice stiff, soft, both;
    auto_choose(&(AutoFacts){.fps = 24, .body_count = 1, .unseen = true, .contact = true}, &stiff);
    auto_choose(&(AutoFacts){.fps = 24, .body_count = 1, .wobble = 3, .held = true}, &soft);
    auto_choose(&(AutoFacts){.fps = 24, .body_count = 2, .wobble = 3, .unseen = true, .held = true}, &both);
    CHECK(strcmp(stiff.method->entry.name, "sdirk") == 0 && stiff.steps_per_frame == 2);
    CHECK(both.method == soft.method && both.steps_per_frame == soft.steps_per_frame);
}

/* ssdirk solves each step of fibres fully, at ten times the cost of si, and where they touch far more. */
TEST(auto_takes_fewer_steps_for_fibres_and_si_where_they_touch_or_stand_still) {
    AutoChoice hair, touching, bristles;
    auto_choose(&(AutoFacts){.fps = 24, .wobble = 1, .fibres = true, .only_fibres = true, .held = true}, &hair);
    auto_choose(&(AutoFacts){.fps = 24, .wobble = 1, .fibres = true, .only_fibres = true, .contact = true}, &touching);
    auto_choose(&(AutoFacts){.fps = 24, .unseen = true, .fibres = true, .only_fibres = true, .held = true}, &bristles);
    CHECK(strcmp(hair.method->entry.name, "ssdirk") == 0 && hair.steps_per_frame == 2);
    CHECK(strcmp(touching.method->entry.name, "si") == 0 && strcmp(bristles.method->entry.name, "si") == 0);
}

/* One Newton step is too little for what starts with much energy; what stores a little is as at rest. */
TEST(auto_solves_fully_for_what_starts_wound_up) {
    AutoChoice calm, wound_up;
    auto_choose(&(AutoFacts){.fps = 24, .wobble = 0.4, .wound_up = 0.2}, &calm);
    auto_choose(&(AutoFacts){.fps = 24, .wobble = 0.4, .wound_up = 0.4}, &wound_up);
    CHECK(strcmp(calm.method->entry.name, "ssdirk") == 0);
    CHECK(strcmp(wound_up.method->entry.name, "sdirk") == 0 && wound_up.steps_per_frame == 4);
}

/* No fast method follows cloth, so the cheapest is taken, unless it touches. */
TEST(auto_takes_the_cheapest_for_what_is_slack) {
    AutoChoice slack, held, touching;
    auto_choose(&(AutoFacts){.fps = 24}, &slack);
    auto_choose(&(AutoFacts){.fps = 24, .held = true}, &held);
    auto_choose(&(AutoFacts){.fps = 24, .held = true, .contact = true}, &touching);
    CHECK(strcmp(slack.method->entry.name, "si") == 0 && slack.steps_per_frame == 4);
    CHECK(held.method == slack.method && held.steps_per_frame == 4);
    CHECK(strcmp(touching.method->entry.name, "ssdirk") == 0);
}

/* Whether pins will move is not known before the bake. */
TEST(auto_takes_more_steps_for_what_is_held_than_for_what_is_free) {
    AutoChoice is_free, held;
    auto_choose(&(AutoFacts){.fps = 24, .wobble = 2}, &is_free);
    auto_choose(&(AutoFacts){.fps = 24, .wobble = 2, .held = true}, &held);
    CHECK(held.method == is_free.method && is_free.steps_per_frame == 4 && held.steps_per_frame == 8);
}

/* Methods with one Newton step a stage have order 1 where damping is strong. */
TEST(auto_solves_fully_what_is_strongly_damped) {
    AutoChoice lively, calm, touching;
    auto_choose(&(AutoFacts){.fps = 24, .wobble = 2, .damping = 0.02}, &lively);
    auto_choose(&(AutoFacts){.fps = 24, .wobble = 0.7, .damping = 0.2}, &calm);
    auto_choose(&(AutoFacts){.fps = 24, .wobble = 0.7, .damping = 0.2, .contact = true}, &touching);
    CHECK(strcmp(lively.method->entry.name, "ssdirk") == 0);
    CHECK(strcmp(calm.method->entry.name, "sdirk") == 0 && calm.steps_per_frame == 2);
    CHECK(strcmp(touching.method->entry.name, "sdirk") == 0 && touching.steps_per_frame == 4);
}
