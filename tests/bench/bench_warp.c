/* What warping a sample costs, as a part of one time step of the same body: a bar of the law linear, pinned at one end,
   swings under gravity, by semi-implicit Euler on one thread, nothing written.

     bench_warp [largest vertex count] [steps]     13,000 and 60 by default

   Times are the processor's in milliseconds, medians over the steps: a step, the warp of positions, and that of
   positions with velocities, each also as a part of the step; factors and iterations of conjugate gradients are of all
   steps. */
#include "baking.h"

#include "bake/bake_internal.h"

#include <stdio.h>
#include <time.h>

enum { MOST_STEPS = 1000 };

static double processor_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

static double median(double *values, uint32_t count) {
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

static JnStatus measure(const uint32_t cells[3], double fps, double young_modulus, uint32_t steps, JnMessage *message) {
    static double step_ms[MOST_STEPS], warp_ms[2][MOST_STEPS];
    OneBody scene;
    JnBake *bake;
    one_body_init(&scene, tet_box_make(cells[0], cells[1], cells[2], 0.02));
    one_body_pin(&scene);
    scene.body.material.law = "linear";
    scene.body.material.young_modulus = young_modulus;
    scene.body.material.warp = 1;
    scene.desc.gravity[1] = -9.81;
    scene.desc.fps = fps;
    scene.desc.steps_per_frame = 1;
    scene.desc.frame_count = steps + 2;
    scene.desc.integrator = "si";
    JnStatus status = jn_bake_begin(&scene.desc, &bake, message);
    if (status == JN_OK)
        status = advance_frames(bake, 2, message);
    for (uint32_t s = 0; status == JN_OK && s < steps; ++s) {
        Warped *warped = bake->warped;
        bake->warped = NULL; /* what is timed is the step alone */
        double begun = processor_ms();
        status = advance(bake, message);
        step_ms[s] = processor_ms() - begun;
        bake->warped = warped;
        for (int k = 0; status == JN_OK && k < 2; ++k) {
            begun = processor_ms();
            status = warped_update(bake, k == 1, message);
            warp_ms[k][s] = processor_ms() - begun;
        }
    }
    if (status == JN_OK) {
        SolverReport report;
        solver_report(bake->motion.view->jacobian->linear->solver, &report);
        double step = median(step_ms, steps), warp = median(warp_ms[0], steps), both = median(warp_ms[1], steps);
        printf("%8u %8u %5.0f %7.0e | %7.2f %4u %5u | %7.2f %6.3f | %7.2f %6.3f\n", bake->model.vertex_count,
               bake->model.tet_count, fps, young_modulus, step, (unsigned)report.factor_count,
               (unsigned)report.iteration_count, warp, warp / step, both, both / step);
        fflush(stdout);
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return status;
}

int main(int argc, char **argv) {
    static const uint32_t sizes[][3] = {{44, 9, 9}, {40, 15, 15}, {104, 9, 9}};
    unsigned long largest = argc > 1 ? strtoul(argv[1], NULL, 10) : 13000,
                  steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 60;
    JnMessage message;
    if (steps == 0 || steps > MOST_STEPS) {
        fprintf(stderr, "give 1 to %d steps\n", MOST_STEPS);
        return 1;
    }
    printf("%8s %8s %5s %7s | %7s %4s %5s | %7s %6s | %7s %6s\n", "vertices", "tets", "1/h", "E", "step", "fact",
           "iter", "warp", "part", "with v", "part");
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
        for (int k = 0; k < 4; ++k) {
            const uint32_t *cells = sizes[s];
            if ((unsigned long)(cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1) > largest)
                continue;
            if (measure(cells, k % 2 ? 96 : 24, k < 2 ? 1e5 : 1e6, (uint32_t)steps, &message) != JN_OK) {
                fprintf(stderr, "%s\n", message.text);
                return 1;
            }
        }
    return 0;
}
