/* What keeping modes costs: SIERE with 5 and with 20 modes, as a multiple of semi-implicit Euler, over 100 frames of a
   ball that hangs by its top and of a bar that jiggles, and the exponential Rosenbrock-Euler method over a few frames.
   The methods take turns, frame by frame, so that noise meets them alike; the search for the first modes is part of the
   time.

     bench_hybrid [vertex count] [frames] [scene] [E ...]      10,000 vertices or a few more, 100 frames, all scenes by
                                                               default; bar, ball, either with _factored, ball_stiff

   The ball is that of Chen, Sheen, Ascher, Pai 2020, section 4.3.1, at several stiffnesses: 20 g, steps of 5 ms. In the
   scenes called `factored` every step has its own factor, as in that paper; else factors are reused, of which a body
   that has come to rest has the most. `ball_stiff` is the same ball, factored, without the exponential method, which
   takes hours where it is stiff. With `si` all motion soon ends, and then there is little to solve. So there is a
   second `si`, which takes each of its steps from where `siere` with 5 modes is: what it costs for the same motion. */
#include "baking.h"

#include "bake/bake_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct Runner {
    const char *method;
    uint32_t modes;
    uint32_t most_frames; /* 0: all */
    bool follows;         /* takes each step from the state of FOLLOWED */
} Runner;
enum { FOLLOWED = 2 };
static const Runner runners[] = {{.method = "si"},
                                 {.method = "si", .follows = true},
                                 {.method = "siere", .modes = 5},
                                 {.method = "siere", .modes = 20},
                                 {.method = "ere", .most_frames = 2}};
enum { RUNNERS = sizeof runners / sizeof runners[0] };

/* The processor's time of this process, s: what others do on the machine does not count. */
static double seconds_now(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Moves the vertices of a cube of edge 2 r to a ball, and pins its top. */
static void make_ball(OneBody *scene, uint32_t cells, double radius) {
    one_body_init(scene, tet_box_make(cells, cells, cells, 2 * radius / cells));
    TetBox *box = &scene->box;
    for (uint32_t v = 0; v < box->vertex_count; ++v) {
        double *p = box->positions + 3 * (size_t)v, largest = 0, length = 0;
        for (int i = 0; i < 3; ++i) {
            p[i] -= radius;
            largest = fmax(largest, fabs(p[i]));
            length += p[i] * p[i];
        }
        double scale = length > 0 ? largest / sqrt(length) : 0;
        for (int i = 0; i < 3; ++i)
            p[i] *= scale;
    }
    one_body_pin(scene);
    for (uint32_t v = 0; v < box->vertex_count; ++v)
        scene->pin_weights[v] = box->positions[3 * (size_t)v + 1] > 0.9 * radius;
    scene->desc.gravity[1] = -20 * 9.81;
    scene->desc.fps = 200;
    scene->body.material.poisson_ratio = 0.45;
}

static void make_bar(OneBody *scene, uint32_t across) {
    one_body_init(scene, tet_box_make(5 * across, across, across, 0.5 / (5 * across)));
    one_body_pin(scene);
    scene->desc.gravity[1] = -9.81;
    scene->desc.fps = 96;
}

typedef struct Setup {
    const char *name;
    bool ball, factored, exponential;
    uint32_t vertices, frames;
    double young;
} Setup;

/* How many frames a runner takes part in; what is slow is measured in the scenes of the paper alone. */
static uint32_t frames_of(int runner, const Setup *setup) {
    uint32_t most = runners[runner].most_frames;
    return most == 0 ? setup->frames : !setup->exponential ? 0 : most < setup->frames ? most : setup->frames;
}

static bool begin(const Setup *setup, int runner, OneBody *scene, JnBake **bake, JnMessage *message) {
    uint32_t cells = 1;
    while ((cells + 1) * (cells + 1) * (setup->ball ? cells + 1 : 5 * cells + 1) < setup->vertices)
        ++cells;
    if (setup->ball)
        make_ball(scene, cells, 0.1);
    else
        make_bar(scene, cells);
    scene->body.material.young_modulus = setup->young;
    scene->desc.frame_count = setup->frames + 1;
    scene->desc.steps_per_frame = 1;
    scene->desc.reuse_factor = !setup->factored;
    scene->desc.integrator = runners[runner].method;
    scene->desc.kept_modes = runners[runner].modes;
    return jn_bake_begin(&scene->desc, bake, message) == JN_OK && advance_frames(*bake, 1, message) == JN_OK;
}

/* Gives a bake the positions and velocities of another one. */
static void follow(JnBake *bake, const JnBake *followed) {
    size_t bytes = (size_t)bake->model.system.vertex_count * 3 * sizeof(double);
    memcpy(bake->motion.state.q, followed->motion.state.q, bytes);
    memcpy(bake->motion.state.v, followed->motion.state.v, bytes);
}

static void measure(const Setup *setup) {
    OneBody scenes[RUNNERS];
    JnBake *bakes[RUNNERS] = {NULL};
    double seconds[RUNNERS] = {0}, floor[2] = {0, 0};
    JnMessage message = {0};
    for (int r = 0; r < RUNNERS; ++r)
        if (frames_of(r, setup) > 0 && !begin(setup, r, &scenes[r], &bakes[r], &message))
            printf("%s\n", message.text);
    for (uint32_t frame = 0; frame < setup->frames; ++frame)
        for (int r = 0; r < RUNNERS; ++r) {
            if (runners[r].follows)
                follow(bakes[r], bakes[FOLLOWED]);
            double since = seconds_now();
            if (frame < frames_of(r, setup) && advance_frames(bakes[r], 1, &message) != JN_OK)
                printf("%s\n", message.text);
            seconds[r] += seconds_now() - since;
        }
    for (int r = 0; r < RUNNERS; ++r) {
        if (frames_of(r, setup) == 0)
            continue;
        JnStatistics statistics = {.struct_size = sizeof statistics};
        jn_bake_statistics(bakes[r], &statistics, NULL);
        const System *system = &bakes[r]->model.system;
        double step = seconds[r] / frames_of(r, setup);
        if (r < 2)
            floor[r] = step;
        printf("%-13s %8u %8.0e %-8s %5u %9.1f %7.2f %7.2f %8u %8u %8u %8u %8u %5u\n", setup->name,
               statistics.vertex_count, setup->young, runners[r].follows ? "si, same" : runners[r].method,
               runners[r].modes, 1e3 * step, step / floor[0], r > 0 ? step / floor[1] : NAN, statistics.factor_count,
               statistics.iteration_count, (unsigned)system->mode_searches, (unsigned)system->mode_improvements,
               (unsigned)system->mode_corrections, statistics.cut_steps);
        jn_bake_end(bakes[r], NULL);
        one_body_free(&scenes[r]);
    }
    fflush(stdout);
}

int main(int argc, char **argv) {
    static const double stiffnesses[] = {1e6, 1e5, 1e7, 1e8, 1e9, 1e10};
    Setup setups[] = {{.name = "bar"},
                      {.name = "bar_factored", .factored = true, .exponential = true},
                      {.name = "ball", .ball = true},
                      {.name = "ball_factored", .ball = true, .factored = true, .exponential = true},
                      {.name = "ball_stiff", .ball = true, .factored = true}};
    printf("%-13s %8s %8s %-8s %5s %9s %7s %7s %8s %8s %8s %8s %8s %5s\n", "scene", "vertices", "E", "method", "modes",
           "ms/step", "x si", "x same", "factors", "iterate", "searches", "improve", "correct", "cuts");
    for (size_t k = 0; k < sizeof setups / sizeof setups[0]; ++k) {
        Setup *setup = &setups[k];
        setup->vertices = argc > 1 ? (uint32_t)atoi(argv[1]) : 10000;
        setup->frames = argc > 2 ? (uint32_t)atoi(argv[2]) : 100;
        size_t count = setup->ball ? sizeof stiffnesses / sizeof stiffnesses[0] : 1;
        if (argc > 3 && strcmp(argv[3], setup->name) != 0)
            continue;
        for (size_t i = 0; i < (argc > 4 ? (size_t)argc - 4 : count); ++i) {
            setup->young = argc > 4 ? atof(argv[4 + i]) : stiffnesses[i];
            measure(setup);
        }
    }
    return 0;
}
