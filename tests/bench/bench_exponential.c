/* What the linear part of an exponential step costs as a body becomes stiffer, with polynomial and with rational Krylov
   spaces, and what a step of ere costs as a multiple of semi-implicit Euler's (Chen, Sheen, Ascher and Pai 2020, figure
   2). A bar that is pinned at one end and swings under gravity, steps of 1/100 s.

     bench_exponential [vertex count]      1,500 vertices by default
     bench_exponential scene.json          the spaces alone, for the last step of the scene's first frames */
#include "baking.h"

#include "bake/bake_internal.h"
#include "integrate/exponential_flow.h"

#include <stdio.h>
#include <time.h>

enum { FRAMES = 10, STEPS = 3 };
static const double BAR_STEP = 0.01; /* s */

static double seconds_now(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static JnBake *open_bar(OneBody *scene, const char *method, double young, uint32_t across) {
    JnBake *bake = NULL;
    JnMessage message;
    one_body_init(scene, tet_box_make(5 * across, across, across, 0.1 / across));
    one_body_pin(scene);
    scene->body.material.young_modulus = young;
    scene->desc.gravity[1] = -9.81;
    scene->desc.frame_count = 2 * FRAMES + STEPS;
    scene->desc.fps = 100;
    scene->desc.steps_per_frame = 1;
    scene->desc.reuse_factor = false;
    scene->desc.integrator = method;
    if (jn_bake_begin(&scene->desc, &bake, &message) != JN_OK || advance_frames(bake, FRAMES, &message) != JN_OK)
        printf("%s: %s\n", method, message.text);
    return bake;
}

/* Vectors and processor time of one linear step from where the bake is. */
static void measure_space(JnBake *bake, KrylovKind kind, double h, double tolerance, PhiReport *report,
                          double *seconds) {
    ExponentialFlow *flow = NULL;
    View *view = bake->motion.view;
    size_t n = (size_t)bake->model.vertex_count * 3;
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), since = seconds_now();
    static const double parts[] = {1};
    JnMessage message = {0};
    view_set_time(view, bake->motion.state.time, bake->motion.state.time + h);
    JnStatus status =
        view_begin_step(view, &(StepStart){bake->motion.state.q, bake->motion.state.v, h, false}, &message);
    if (status == JN_OK)
        status = exponential_flow_create(view, kind, &flow, &message);
    if (status == JN_OK)
        status = exponential_flow_linearize(flow, &bake->motion.state, h, &message);
    if (status == JN_OK)
        status = exponential_flow_advance(flow, parts, 1, tolerance, &x, &y, report, &message);
    *seconds = seconds_now() - since;
    if (status != JN_OK)
        printf("(%s) ", message.text);
    exponential_flow_destroy(flow);
    free(x);
    free(y);
}

static double step_seconds(const char *method, double young, uint32_t across) {
    OneBody scene;
    JnBake *bake = open_bar(&scene, method, young, across);
    double since = seconds_now();
    advance_frames(bake, STEPS, NULL);
    double seconds = (seconds_now() - since) / STEPS;
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return seconds;
}

/* Vectors and parts of the step, for a relative error. */
static double print_space(JnBake *bake, KrylovKind kind, double h, double tolerance) {
    PhiReport report = {0};
    double seconds = 0;
    measure_space(bake, kind, h, tolerance, &report, &seconds);
    printf(" %5u/%-3u", report.vectors, report.parts);
    return seconds;
}

/* For steps of the scene's length and longer ones. */
static int print_spaces_of_scene(const char *path) {
    JnScene *scene = NULL;
    JnBakeDesc desc;
    JnBake *bake = NULL;
    JnMessage message = {0};
    JnStatus status = jn_scene_load(path, &scene, &message);
    if (status == JN_OK)
        status = jn_scene_desc(scene, &desc, sizeof desc, &message);
    if (status == JN_OK) {
        desc.output_path = NULL;
        desc.integrator = "sdirk";
        status = jn_bake_begin(&desc, &bake, &message);
    }
    if (status == JN_OK)
        status = advance_frames(bake, FRAMES, &message);
    printf("%10s %9s %9s %9s %9s\n", "h, s", "poly 1e-4", "poly 1e-8", "rat. 1e-2", "rat. 1e-4");
    for (int k = 0; status == JN_OK && k < 3; ++k) {
        double h = (1 << k) / (desc.fps * desc.steps_per_frame);
        printf("%10.4g", h);
        print_space(bake, KRYLOV_POLYNOMIAL, h, 1e-4);
        print_space(bake, KRYLOV_POLYNOMIAL, h, 1e-8);
        print_space(bake, KRYLOV_RATIONAL, h, 1e-2);
        print_space(bake, KRYLOV_RATIONAL, h, 1e-4);
        printf("\n");
        fflush(stdout);
    }
    if (status != JN_OK)
        printf("%s: %s\n", path, message.text);
    jn_bake_end(bake, NULL);
    jn_scene_free(scene);
    return status == JN_OK ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc > 1 && strstr(argv[1], ".json"))
        return print_spaces_of_scene(argv[1]);
    uint32_t vertices = argc > 1 ? (uint32_t)atoi(argv[1]) : 1500, across = 1;
    while ((across + 1) * (across + 1) * (5 * across + 1) < vertices)
        ++across;
    printf("%u vertices; vectors / parts of the step, of polynomial and rational Krylov spaces, for a relative error; "
           "ms\n",
           (across + 1) * (across + 1) * (5 * across + 1));
    printf("%7s %9s %9s %9s %9s %7s %8s %8s\n", "E, Pa", "poly 1e-4", "poly 1e-8", "rat. 1e-2", "both 1e-8", "ms",
           "ere/si", "epirk/si");
    for (double young = 1e5; young < 2e10; young *= 10) {
        OneBody scene;
        JnBake *bake = open_bar(&scene, "si", young, across);
        printf("%7.0e", young);
        print_space(bake, KRYLOV_POLYNOMIAL, BAR_STEP, 1e-4);
        print_space(bake, KRYLOV_POLYNOMIAL, BAR_STEP, 1e-8);
        print_space(bake, KRYLOV_RATIONAL, BAR_STEP, 1e-2);
        double seconds = print_space(bake, KRYLOV_BY_COUNTS, BAR_STEP, 1e-8);
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
        double si = step_seconds("si", young, across);
        printf(" %7.1f %8.2f %8.2f\n", 1e3 * seconds, step_seconds("ere", young, across) / si,
               step_seconds("epirk4s3", young, across) / si);
        fflush(stdout);
    }
    return 0;
}
