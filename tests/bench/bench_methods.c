/* What a time step of each integrator costs, as a multiple of semi-implicit Euler's, on a bar of some 10,000 vertices
   that is pinned at one end and swings under gravity. All methods step in turn, so that noise meets them alike.

     bench_methods [folder] [vertex count]      writes methods.csv there; 10,000 vertices by default

   Once with a new factorization for every matrix, and once with old factors reused where counts say so. */
#include "baking.h"

#include "bake/bake_internal.h"

#include <stdio.h>
#include <time.h>

enum { FRAMES = 6, METHODS_MOST = 64 };

/* The processor's time of this process, s: what others do on the machine does not count. */
static double seconds_now(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct Runner {
    const char *method;
    OneBody scene;
    JnBake *bake; /* NULL: left out */
    double seconds[FRAMES];
} Runner;

static void open_runner(Runner *runner, const char *method, uint32_t across, uint32_t along, bool reuse) {
    runner->method = method;
    one_body_init(&runner->scene, tet_box_make(along, across, across, 0.5 / along));
    one_body_pin(&runner->scene);
    runner->scene.desc.gravity[1] = -9.81;
    runner->scene.desc.frame_count = FRAMES + 2;
    runner->scene.desc.fps = 100;
    runner->scene.desc.steps_per_frame = 1;
    runner->scene.desc.integrator = method;
    runner->scene.desc.reuse_factor = reuse;
    JnMessage message;
    if (jn_bake_begin(&runner->scene.desc, &runner->bake, &message) != JN_OK ||
        advance_frames(runner->bake, 2, &message) != JN_OK)
        printf("%s: %s\n", method, message.text);
}

static void measure(uint32_t across, uint32_t along, bool reuse, FILE *csv) {
    static Runner runners[METHODS_MOST];
    uint32_t count = 0;
    for (uint32_t m = 0; m < integrator_table.count && m < METHODS_MOST; ++m) {
        const char *name = table_at(&integrator_table, m)->name;
        if (strcmp(name, "rk4") != 0) /* hundreds of small steps: another measure */
            open_runner(&runners[count++], name, across, along, reuse);
    }
    for (int frame = 0; frame < FRAMES; ++frame)
        for (uint32_t r = 0; r < count; ++r) {
            double since = seconds_now();
            advance_frames(runners[r].bake, 1, NULL);
            runners[r].seconds[frame] = seconds_now() - since;
        }
    printf("\n%s, %u vertices\n%-20s %9s %9s %10s %10s\n", reuse ? "old factors reused" : "every matrix factored",
           runners[0].bake->model.vertex_count, "method", "ms", "x si", "Newton/st", "factors/st");
    double si = 0;
    for (uint32_t r = 0; r < count; ++r) {
        JnStatistics statistics = {.struct_size = sizeof statistics};
        jn_bake_statistics(runners[r].bake, &statistics, NULL);
        qsort(runners[r].seconds, FRAMES, sizeof(double), compare_doubles);
        double step = runners[r].seconds[FRAMES / 2];
        si = r == 0 ? step : si;
        double steps = statistics.steps_done > 0 ? statistics.steps_done : 1;
        printf("%-20s %9.1f %9.2f %10.1f %10.1f\n", runners[r].method, 1e3 * step, step / si,
               statistics.newton_iterations / steps, (double)statistics.factor_count / steps);
        if (csv)
            fprintf(csv, "%s,%d,%u,%.3f,%.3f,%.2f,%.2f\n", runners[r].method, reuse,
                    runners[r].bake->model.vertex_count, 1e3 * step, step / si, statistics.newton_iterations / steps,
                    (double)statistics.factor_count / steps);
        jn_bake_end(runners[r].bake, NULL);
        one_body_free(&runners[r].scene);
    }
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : ".";
    uint32_t vertices = argc > 2 ? (uint32_t)atoi(argv[2]) : 10000, across = 1;
    /* five times as long as thick */
    while ((across + 1) * (across + 1) * (5 * across + 1) < vertices)
        ++across;
    char path[600];
    snprintf(path, sizeof path, "%s/methods.csv", folder);
    FILE *csv = fopen(path, "w");
    if (csv)
        fprintf(csv, "method,reuse,vertices,milliseconds,ratio,newton_iterations,factorizations\n");
    measure(across, 5 * across, false, csv);
    measure(across, 5 * across, true, csv);
    if (csv)
        fclose(csv);
    return 0;
}
