/* What the papers' figures show of methods that keep modes, on the scenes of tests/bench/figures. */
#include "harness.h"

#include "bake/bake_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MOST = 501 };

typedef struct Variant {
    const char *scene; /* in tests/bench/figures */
    const char *method;
    uint32_t kept_modes; /* 0: as the scene has it */
    uint32_t frames;
    bool damp_kept_modes;
    double turns; /* of the cuboid, with safeguards; 0: as the scene has it, without */
} Variant;

typedef struct Course {
    JnStatus status;
    JnMessage message;
    uint32_t frames_done;
    double largest_speed;                            /* m/s */
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
        course->largest_speed = fmax(course->largest_speed, motion.largest_speed);
        course->frames_done = f + 1;
    }
    jn_bake_end(bake, NULL);
}

/* Starts the scene's only body wound up about the first axis. The caller frees the pose. */
static double *twist(JnBody *body, double turns) {
    const double *rest = body->tets.positions, length = rest[3 * (body->tets.vertex_count - 1)] - rest[0];
    double *pose = malloc((size_t)body->tets.vertex_count * 3 * sizeof *pose);
    for (size_t v = 0; pose && v < body->tets.vertex_count; ++v) {
        const double *p = rest + 3 * v, angle = 2 * acos(-1) * turns * (p[0] - rest[0]) / length;
        pose[3 * v] = p[0];
        pose[3 * v + 1] = cos(angle) * p[1] - sin(angle) * p[2];
        pose[3 * v + 2] = sin(angle) * p[1] + cos(angle) * p[2];
    }
    body->start_positions = pose;
    return pose;
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
        JnBody body = desc.bodies[0];
        double *pose = variant->turns > 0 ? twist(&body, variant->turns) : NULL;
        desc.bodies = pose ? &body : desc.bodies;
        desc.safeguards |= pose != NULL;
        follow(scene, &desc, &course);
        free(pose);
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
        const Course *course = run(&(Variant){"hanging_ball", methods[m], 5, 81, true, 0});
        CHECK(course->status == JN_OK);
        lost[m] = course->total[0] - course->total[80];
        printf("lost %.4g J, swings by %.4g J at last\n", lost[m], swing(course, 61, 81));
    }
    CHECK(lost[1] > 0 && lost[1] < 0.2 * lost[0]);
}

/* The same paper, Figure 7: SI diverges, SIERE does not, with 5, 6 and 10 modes; and the more there are, the more
   energy is left. */
TEST(untwisting_cuboid_holds_with_kept_modes_where_si_diverges) {
    const Course *si = run(&(Variant){"cuboid", "si", 0, 61, true, 0});
    CHECK(si->status == JN_ERR_DIVERGED && si->frames_done < 10);
    const uint32_t modes[] = {5, 6, 10};
    for (int m = 0; m < 3; ++m) {
        const Course *course = run(&(Variant){"cuboid", "siere", modes[m], 61, true, 0});
        CHECK(course->status == JN_OK);
        for (uint32_t f = 1; f < course->frames_done; ++f)
            CHECK(course->total[f] < 1.05 * course->total[0]);
    }
}

/* A body that is wound up further, which only safeguards get through: no vertex is thrown away, whatever the number of
   modes. They change so fast that those carried along are soon none. With backward Euler the fastest vertex has 24.5
   m/s, with SI 14.8. */
TEST(untwisting_cuboid_throws_no_vertex_whatever_the_number_of_modes) {
    const uint32_t modes[] = {1, 5, 6, 10, 20};
    for (int m = 0; m < 5; ++m) {
        const Course *course = run(&(Variant){"cuboid", "siere", modes[m], 17, true, 4});
        printf("at most %.3g m/s\n", course->largest_speed);
        CHECK(course->status == JN_OK);
        CHECK(course->largest_speed > 10 && course->largest_speed < 24.5);
    }
}

/* Whether auto solves the cuboid fully at 24 frames a second, because it is wound up. */
static void check_auto(double turns, bool wound_up) {
    JnScene *scene = NULL;
    JnBakeDesc desc;
    JnBake *bake = NULL;
    char path[600];
    snprintf(path, sizeof path, "%s/tests/bench/figures/cuboid.json", JN_TEST_SOURCE);
    CHECK(jn_scene_load(path, &scene, NULL) == JN_OK && jn_scene_desc(scene, &desc, sizeof desc, NULL) == JN_OK);
    JnBody body = desc.bodies[0];
    double *pose = twist(&body, turns);
    desc.bodies = &body;
    desc.output_path = NULL;
    desc.integrator = "auto";
    desc.fps = 24;
    CHECK(pose && jn_bake_begin(&desc, &bake, NULL) == JN_OK);
    printf("%g turns: %s\n", turns, jn_bake_choice(bake));
    CHECK((strstr(jn_bake_choice(bake), "takes sdirk") && strstr(jn_bake_choice(bake), "wound up")) == wound_up);
    jn_bake_end(bake, NULL);
    free(pose);
    jn_scene_free(scene);
}

TEST(untwisting_cuboid_is_solved_fully_by_auto_where_it_is_wound_up_far) {
    check_auto(0, false);
    check_auto(1, false);
    check_auto(3, true);
}

/* The same paper, Figure 12: what SI has brought to rest after 150 frames still swings after 500, as high as at first,
   where the damping of the material acts on the other modes alone. */
TEST(soft_layer_swings_on_where_si_has_stopped_it) {
    const Course *si = run(&(Variant){"soft_layer", "si", 0, 201, true, 0});
    CHECK(si->status == JN_OK);
    double pushed = swing(si, 50, 100), after = swing(si, 150, 200);
    printf("si swings by %.4g J, then %.4g J\n", pushed, after);
    CHECK(after < 0.005 * pushed);
    const Course *siere = run(&(Variant){"soft_layer", "siere", 6, 501, false, 0});
    CHECK(siere->status == JN_OK);
    double first = swing(siere, 150, 250), last = swing(siere, 401, 501);
    printf("siere swings by %.4g J, at last by %.4g J\n", first, last);
    CHECK(last > 0.1 * pushed);
    CHECK(last > 0.85 * first && last < 1.05 * first);
}

/* Damping of the material, and nothing else, stops the kept modes where it acts on them: the slowest has 4.094 Hz and
   6.43 % of critical damping (`jounce modes`), and a body that sags stores energy in proportion to its swing. */
TEST(soft_layer_stops_as_its_material_says_where_that_damps_all_modes) {
    const Course *siere = run(&(Variant){"soft_layer", "siere", 6, 251, true, 0});
    CHECK(siere->status == JN_OK);
    double early = swing(siere, 90, 130), late = swing(siere, 190, 230), w = 2 * acos(-1) * 4.094;
    double expected = exp(-0.0643 * w * 100 / 125);
    printf("left after 100 frames: %.4g, expected of the slowest mode: %.4g\n", late / early, expected);
    CHECK(late > 0.8 * expected * early && late < 1.2 * expected * early);
}
