/* What the papers' figures show of methods that keep modes, on the scenes of tests/bench/figures. */
#include "harness.h"

#include "bake/bake_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES_MOST = 501 };

typedef struct Variant {
    const char *scene; /* in tests/bench/figures */
    const char *method;
    uint32_t kept_modes; /* 0: as the scene has it */
    uint32_t frames;
    bool damp_kept_modes;
} Variant;

typedef struct Course {
    JnStatus status;
    JnMessage message;
    uint32_t frames_done;
    double total[FRAMES_MOST], elastic[FRAMES_MOST]; /* J */
} Course;

static void follow(JnScene *scene, const JnBakeDesc *desc, Course *course) {
    JnBake *bake = NULL;
    JnFrameInput input;
    course->status = jn_bake_begin(desc, &bake, &course->message);
    for (uint32_t f = 0; course->status == JN_OK && f < desc->frame_count; ++f) {
        JnMotion motion = {.struct_size = sizeof motion};
        course->status = jn_scene_frame(scene, jn_bake_next_frame(bake), &input, sizeof input, &course->message);
        if (course->status == JN_OK)
            course->status = jn_bake_advance(bake, &input, &course->message);
        if (course->status == JN_OK)
            course->status = jn_bake_motion(bake, &motion, &course->message);
        if (course->status != JN_OK)
            break;
        course->total[f] = motion.total_energy;
        course->elastic[f] = motion.elastic_energy;
        course->frames_done = f + 1;
    }
    jn_bake_end(bake, NULL);
}

/* The course lives until the next run. */
static const Course *run(const Variant *variant) {
    static Course course;
    char path[600];
    JnScene *scene = NULL;
    JnBakeDesc desc;
    course = (Course){.status = JN_OK};
    snprintf(path, sizeof path, "%s/tests/bench/figures/%s.json", JN_TEST_SOURCE, variant->scene);
    course.status = jn_scene_load(path, &scene, &course.message);
    if (course.status == JN_OK)
        course.status = jn_scene_desc(scene, &desc, sizeof desc, &course.message);
    if (course.status == JN_OK) {
        desc.output_path = NULL;
        desc.integrator = variant->method;
        desc.kept_modes = variant->kept_modes ? variant->kept_modes : desc.kept_modes;
        desc.damp_kept_modes = variant->damp_kept_modes;
        desc.frame_count = variant->frames;
        follow(scene, &desc, &course);
    }
    jn_scene_free(scene);
    printf("%s by %s, %u modes: %u frames %s\n", variant->scene, variant->method, variant->kept_modes,
           course.frames_done, course.message.text);
    return &course;
}

/* How far the elastic energy goes up and down in some frames, J. */
static double swing(const Course *course, uint32_t from, uint32_t to) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t f = from; f < to; ++f) {
        low = fmin(low, course->elastic[f]);
        high = fmax(high, course->elastic[f]);
    }
    return high - low;
}

/* Chen, Sheen, Ascher, Pai 2020, Figure 9. What is lost is relative to what SI loses, which comes to rest. */
TEST(hanging_ball_keeps_with_modes_the_energy_that_si_loses) {
    double lost[2];
    const char *const methods[] = {"si", "siere"};
    for (int m = 0; m < 2; ++m) {
        const Course *course = run(&(Variant){"hanging_ball", methods[m], 5, 81, true});
        CHECK(course->status == JN_OK);
        lost[m] = course->total[0] - course->total[80];
        printf("lost %.4g J, swings by %.4g J at last\n", lost[m], swing(course, 61, 81));
    }
    CHECK(lost[1] > 0 && lost[1] < 0.2 * lost[0]);
}

/* The same paper, Figure 7: SI diverges, SIERE does not, with 5, 6 and 10 modes; and the more there are, the more
   energy is left. */
TEST(untwisting_cuboid_holds_with_kept_modes_where_si_diverges) {
    const Course *si = run(&(Variant){"cuboid", "si", 0, 61, true});
    CHECK(si->status == JN_ERR_DIVERGED && si->frames_done < 10);
    const uint32_t modes[] = {5, 6, 10};
    for (int m = 0; m < 3; ++m) {
        const Course *course = run(&(Variant){"cuboid", "siere", modes[m], 61, true});
        CHECK(course->status == JN_OK);
        for (uint32_t f = 1; f < course->frames_done; ++f)
            CHECK(course->total[f] < 1.05 * course->total[0]);
    }
}

/* The same paper, Figure 12: what SI has brought to rest after 150 frames still swings after 500, as high as at first,
   where the damping of the material acts on the other modes alone. */
TEST(soft_layer_swings_on_where_si_has_stopped_it) {
    const Course *si = run(&(Variant){"soft_layer", "si", 0, 201, true});
    CHECK(si->status == JN_OK);
    double pushed = swing(si, 50, 100), after = swing(si, 150, 200);
    printf("si swings by %.4g J, then %.4g J\n", pushed, after);
    CHECK(after < 0.005 * pushed);
    const Course *siere = run(&(Variant){"soft_layer", "siere", 6, 501, false});
    CHECK(siere->status == JN_OK);
    double first = swing(siere, 150, 250), last = swing(siere, 401, 501);
    printf("siere swings by %.4g J, at last by %.4g J\n", first, last);
    CHECK(last > 0.1 * pushed);
    CHECK(last > 0.85 * first && last < 1.05 * first);
}

/* Damping of the material, and nothing else, stops the kept modes where it acts on them: the slowest has 4.094 Hz and
   6.43 % of critical damping (`jounce modes`), and a body that sags stores energy in proportion to its swing. */
TEST(soft_layer_stops_as_its_material_says_where_that_damps_all_modes) {
    const Course *siere = run(&(Variant){"soft_layer", "siere", 6, 251, true});
    CHECK(siere->status == JN_OK);
    double early = swing(siere, 90, 130), late = swing(siere, 190, 230), w = 2 * acos(-1) * 4.094;
    double expected = exp(-0.0643 * w * 100 / 125);
    printf("left after 100 frames: %.4g, expected of the slowest mode: %.4g\n", late / early, expected);
    CHECK(late > 0.8 * expected * early && late < 1.2 * expected * early);
}
