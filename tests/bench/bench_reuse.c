/* What a time step of a jiggling body costs with every matrix factored and with factors reused, step by step in turn,
   and how far the two motions drift apart. A bar pinned at one end is let go under gravity: stable neo-Hookean, E = 1e5
   Pa, nu = 0.4, 1000 kg/m3, without damping, on one thread, nothing written.

     bench_reuse [folder] [largest vertex count] [steps]     writes reuse.json there; 13,000 and 100 by default

   Times are the processor's in milliseconds. Machines are shared and noisy, so steps that did the same work (as many
   factorizations and iterations) are taken at the quickest of them, and the mean is over these. The floor is a
   factorization and a solve at their quickest. */
#include "baking.h"

#include "bake/bake_internal.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { MOST_STEPS = 1000 };

static double processor_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

typedef struct Run {
    OneBody scene;
    JnBake *bake;
    SolverReport report;
    uint64_t work[MOST_STEPS][2]; /* factorizations, iterations */
    double ms[MOST_STEPS];
} Run;

static int open_run(Run *run, const uint32_t cells[3], double fps, uint32_t steps, uint32_t reuse, JnMessage *message) {
    OneBody *scene = &run->scene;
    one_body_init(scene, tet_box_make(cells[0], cells[1], cells[2], 0.02));
    one_body_pin(scene);
    scene->body.material.young_modulus = 1e5;
    scene->body.material.poisson_ratio = 0.4;
    scene->body.material.density = 1000;
    scene->body.material.stiffness_damping = scene->body.material.mass_damping = 0;
    scene->desc.gravity[1] = -9.81;
    scene->desc.fps = fps;
    scene->desc.steps_per_frame = 1;
    scene->desc.frame_count = steps + 1;
    scene->desc.integrator = "si";
    scene->desc.reuse_factor = reuse;
    run->report = (SolverReport){.factor_count = 0};
    return jn_bake_begin(&scene->desc, &run->bake, message) == JN_OK && advance(run->bake, message) == JN_OK;
}

static int search_step(Run *run, uint32_t step, JnMessage *message) {
    double since = processor_ms();
    if (advance(run->bake, message) != JN_OK)
        return 0;
    run->ms[step] = processor_ms() - since;
    SolverReport before = run->report;
    solver_report(run->bake->motion.view->jacobian->linear->solver, &run->report);
    run->work[step][0] = run->report.factor_count - before.factor_count;
    run->work[step][1] = run->report.iteration_count - before.iteration_count;
    return 1;
}

/* The mean over the steps, each at the quickest that did the same work. */
static double quiet_mean(const Run *run, uint32_t steps) {
    double sum = 0;
    for (uint32_t s = 0; s < steps; ++s) {
        double quickest = run->ms[s];
        for (uint32_t t = 0; t < steps; ++t)
            if (run->work[t][0] == run->work[s][0] && run->work[t][1] == run->work[s][1])
                quickest = fmin(quickest, run->ms[t]);
        sum += quickest;
    }
    return sum / steps;
}

static double mean(const Run *run, uint32_t steps) {
    double sum = 0;
    for (uint32_t s = 0; s < steps; ++s)
        sum += run->ms[s] / steps;
    return sum;
}

/* An assembly, a factorization and a solve, each at its quickest, where the run has come to. */
static void measure_parts(Run *run, double *assembly, double *factor, double *solve, JnMessage *message) {
    Jacobian *jacobian = run->bake->motion.view->jacobian;
    bool positive_definite;
    double *x = calloc(3 * (size_t)run->bake->model.vertex_count, sizeof *x), h = 1 / run->scene.desc.fps;
    *assembly = *factor = *solve = INFINITY;
    for (int i = 0; i < 8; ++i) {
        double begun = processor_ms();
        jacobian_assemble(jacobian, run->bake->motion.state.q, NULL, &(JacobianScales){1, h, h * h, CONTACTS_HERE},
                          STIFFNESS_SAFE, x, message);
        double start = processor_ms();
        *assembly = fmin(*assembly, start - begun);
        solver_factor(jacobian->linear->solver, &jacobian->linear->matrix, NULL, &positive_definite, message);
        double factored = processor_ms();
        solver_solve(jacobian->linear->solver, x, x, 1, message);
        *factor = fmin(*factor, factored - start);
        *solve = fmin(*solve, processor_ms() - factored);
    }
    free(x);
}

static double difference(const Run *a, const Run *b, double length) {
    double largest = 0;
    for (size_t i = 0; i < 3 * (size_t)a->bake->model.vertex_count; ++i)
        largest = fmax(largest, fabs(a->bake->motion.state.q[i] - b->bake->motion.state.q[i]));
    return largest / length;
}

static int measure(const uint32_t cells[3], double fps, uint32_t steps, FILE *json, int first, JnMessage *message) {
    static Run factored, reused;
    if (!open_run(&factored, cells, fps, steps, 0, message) || !open_run(&reused, cells, fps, steps, 1, message))
        return 0;
    for (uint32_t s = 0; s < steps; ++s)
        if (!search_step(&factored, s, message) || !search_step(&reused, s, message))
            return 0;
    double apart = difference(&factored, &reused, 0.02 * cells[0]), assembly, factor, solve;
    SolverReport report = reused.report;
    measure_parts(&factored, &assembly, &factor, &solve, message);
    double with = quiet_mean(&reused, steps), without = quiet_mean(&factored, steps), floor = factor + solve;
    printf("%5.0f %8u | %8.2f %8.2f %6.2f | %8.2f %8.2f %6.2f | %6.3f %6.3f | %6.3f | %5u %6u | %8.1e\n", fps,
           factored.bake->model.vertex_count, without, with, without / with, mean(&factored, steps),
           mean(&reused, steps), mean(&factored, steps) / mean(&reused, steps), without / floor, with / floor,
           assembly / factor, (unsigned)report.factor_count, (unsigned)report.iteration_count, apart);
    fprintf(
        json,
        "%s  {\"fps\": %g, \"vertices\": %u, \"steps\": %u, \"factored_ms\": %.4f, \"reused_ms\": %.4f, "
        "\"factored_mean_ms\": %.4f, \"reused_mean_ms\": %.4f, \"floor_factor_ms\": %.4f, \"floor_solve_ms\": %.4f, "
        "\"assembly_ms\": %.4f, \"factorizations\": %u, \"iterations\": %u, \"solver_bytes\": %.0f, "
        "\"difference\": %.3e}",
        first ? "" : ",\n", fps, factored.bake->model.vertex_count, steps, without, with, mean(&factored, steps),
        mean(&reused, steps), factor, solve, assembly, (unsigned)report.factor_count, (unsigned)report.iteration_count,
        report.bytes, apart);
    fflush(stdout);
    jn_bake_end(factored.bake, NULL);
    jn_bake_end(reused.bake, NULL);
    one_body_free(&factored.scene);
    one_body_free(&reused.scene);
    return 1;
}

int main(int argc, char **argv) {
    static const uint32_t sizes[][3] = {{9, 9, 9}, {44, 9, 9}, {99, 9, 9}, {40, 15, 15}, {124, 9, 9}};
    const char *folder = argc > 1 ? argv[1] : ".";
    unsigned long largest = argc > 2 ? strtoul(argv[2], NULL, 10) : 13000,
                  steps = argc > 3 ? strtoul(argv[3], NULL, 10) : 100;
    char path[1024];
    JnMessage message;
    snprintf(path, sizeof path, "%s/reuse.json", folder);
    FILE *json = fopen(path, "w");
    if (!json || steps == 0 || steps > MOST_STEPS) {
        fprintf(stderr, "cannot write %s, or not 1 to %d steps\n", path, MOST_STEPS);
        return 1;
    }
    fprintf(json, "[\n");
    printf("%5s %8s | %8s %8s %6s | %8s %8s %6s | %6s %6s | %6s | %5s %6s | %8s\n", "1/h", "vertices", "factored",
           "reused", "ratio", "mean f", "mean r", "ratio", "f/flr", "r/flr", "asm/f", "facts", "iters", "apart");
    int rows = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
        for (int rate = 0; rate < 2; ++rate) {
            const uint32_t *cells = sizes[s];
            if ((unsigned long)(cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1) > largest)
                continue;
            if (!measure(cells, rate ? 100 : 24, (uint32_t)steps, json, rows++ == 0, &message)) {
                fprintf(stderr, "%s\n", message.text);
                return 1;
            }
        }
    fprintf(json, "\n]\n");
    return fclose(json) != 0;
}
