/* What keeping modes costs: SIERE with 5 and with 20 modes, as a multiple of semi-implicit Euler, over 100 frames of a
   ball that hangs by its top and of a bar that jiggles. The methods take turns, frame by frame, so that noise meets
   them alike; the search for the first modes is part of the time.

     bench_hybrid [vertex count] [frames]      10,000 vertices and 100 frames by default

   The ball is that of Chen, Sheen, Ascher, Pai 2020, section 4.3.1, at several stiffnesses: 20 g, steps of 5 ms. */
#include "baking.h"

#include "bake/bake_internal.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { RUNNERS = 3 };
static const uint32_t kept[RUNNERS] = {0, 5, 20};

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

static void measure(const char *name, bool ball, uint32_t vertices, double young, uint32_t frames) {
    OneBody scenes[RUNNERS];
    JnBake *bakes[RUNNERS] = {NULL};
    double seconds[RUNNERS] = {0};
    JnMessage message = {0};
    uint32_t cells = 1;
    while (ball ? (cells + 2) * (cells + 2) * (cells + 2) <= vertices
                : (cells + 2) * (cells + 2) * (5 * cells + 6) <= vertices)
        ++cells;
    for (int r = 0; r < RUNNERS; ++r) {
        if (ball)
            make_ball(&scenes[r], cells, 0.1);
        else
            make_bar(&scenes[r], cells);
        scenes[r].body.material.young_modulus = young;
        scenes[r].desc.frame_count = frames + 1;
        scenes[r].desc.steps_per_frame = 1;
        scenes[r].desc.integrator = kept[r] > 0 ? "siere" : "si";
        scenes[r].desc.kept_modes = kept[r];
        if (jn_bake_begin(&scenes[r].desc, &bakes[r], &message) != JN_OK ||
            advance_frames(bakes[r], 1, &message) != JN_OK)
            printf("%s\n", message.text);
    }
    for (uint32_t frame = 0; frame < frames; ++frame)
        for (int r = 0; r < RUNNERS; ++r) {
            double since = seconds_now();
            if (advance_frames(bakes[r], 1, &message) != JN_OK)
                printf("%s\n", message.text);
            seconds[r] += seconds_now() - since;
        }
    for (int r = 0; r < RUNNERS; ++r) {
        JnStatistics statistics = {.struct_size = sizeof statistics};
        jn_bake_statistics(bakes[r], &statistics, NULL);
        const System *system = &bakes[r]->model.system;
        printf("%-6s %7u %8.0e %5u %9.1f %6.2f %8u %8u %8u %8u %8u %8u\n", name, statistics.vertex_count, young,
               kept[r], 1e3 * seconds[r] / frames, seconds[r] / seconds[0], statistics.factor_count,
               statistics.iteration_count, (unsigned)system->mode_searches, (unsigned)system->mode_improvements,
               (unsigned)system->mode_corrections, statistics.cut_steps);
        jn_bake_end(bakes[r], NULL);
        one_body_free(&scenes[r]);
    }
    fflush(stdout);
}

int main(int argc, char **argv) {
    uint32_t vertices = argc > 1 ? (uint32_t)atoi(argv[1]) : 10000, frames = argc > 2 ? (uint32_t)atoi(argv[2]) : 100;
    printf("%-6s %7s %8s %5s %9s %6s %8s %8s %8s %8s %8s %8s\n", "scene", "vertices", "E", "modes", "ms/step", "x si",
           "factors", "iterate", "searches", "improve", "correct", "cuts");
    measure("bar", false, vertices, 1e6, frames);
    static const double stiffnesses[] = {1e6, 1e5, 1e7, 1e8, 1e10};
    for (size_t k = 0; k < sizeof stiffnesses / sizeof stiffnesses[0]; ++k)
        measure("ball", true, vertices, stiffnesses[k], frames);
    return 0;
}
