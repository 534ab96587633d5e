/* What fast regions cost: a bar that hangs from one end, the other end painted fast, against the same bar with large
   steps for all and with small steps for all.

     bench_regions [frames]     20 by default
     bench_regions frames case way    one alone, to profile: the case by its place in the table, from 0; the way 0
                                      for large steps, 1 for small ones, 2 for regions

   Times are the processor's in milliseconds for one large time step, the mean of all but the first frame, and in
   brackets relative to large steps for all. "small" is all its small steps together. */
#include "baking.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

typedef struct Case {
    const char *name, *law, *method;
    uint32_t cells[3];
    double young_modulus;
    uint32_t layers[2]; /* painted fast at the end, and, if not 0, in the middle */
    double ratios[2];
    const char *contact; /* its method: the fast end falls 5 cm on a slope with friction; NULL: there is none */
} Case;

static const Case cases[] = {
    {"10,100 vertices, 1,100 fast", "linear", "si", {100, 9, 9}, 2e6, {11, 0}, {10, 0}, NULL},
    {"4,875 vertices, two regions", "linear", "si", {194, 4, 4}, 2e6, {20, 20}, {15, 8}, NULL},
    {"4,032 vertices, border of 36", "stable_neohooke", "si", {111, 5, 5}, 2e6, {11, 0}, {10, 0}, NULL},
    {"4,032 vertices, border of 36", "corotational", "si", {111, 5, 5}, 2e6, {11, 0}, {10, 0}, NULL},
    {"4,032 vertices, border of 36", "stable_neohooke", "be", {111, 5, 5}, 2e6, {11, 0}, {10, 0}, NULL},
    {"10,100 vertices, 1,100 fast", "stable_neohooke", "be", {100, 9, 9}, 2e6, {11, 0}, {10, 0}, NULL},
    {"10,100 vertices, 1,100 fast", "linear", "si", {100, 9, 9}, 2e7, {11, 0}, {10, 0}, "penalty"},
    {"4,032 vertices, border of 36", "stable_neohooke", "si", {111, 5, 5}, 2e7, {11, 0}, {10, 0}, "penalty"},
    {"4,032 vertices, border of 36", "stable_neohooke", "si", {111, 5, 5}, 2e7, {11, 0}, {10, 0}, "barrier"},
    {"29,449 vertices, 490 fast", "stable_neohooke", "si", {600, 6, 6}, 2e7, {10, 0}, {10, 0}, "penalty"},
};

typedef enum Way { LARGE, SMALL, REGIONS } Way;

/* Milliseconds of a large step; negative: it failed. */
static double run(const Case *c, Way way, uint32_t frames) {
    enum { STEPS = 4 };
    OneBody scene;
    JnRegion regions[3];
    JnBake *bake = NULL;
    JnMessage message = {0};
    one_body_init(&scene, tet_box_make(c->cells[0], c->cells[1], c->cells[2], 0.02));
    one_body_pin(&scene);
    uint32_t ratio = (uint32_t)c->ratios[0];
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = frames;
    scene.desc.steps_per_frame = way == SMALL ? STEPS * ratio : STEPS;
    scene.desc.integrator = c->method;
    scene.body.material.law = c->law;
    scene.body.material.young_modulus = c->young_modulus;
    scene.body.regions = regions;
    scene.body.region_count = way != REGIONS ? 1 : c->layers[1] ? 3 : 2;
    regions[0] = scene.pin;
    if (c->contact) {
        scene.desc.collider_count = 1;
        scene.desc.contact.method = c->contact;
        scene.collider.point[0] = 0.02 * c->cells[0];
        scene.collider.point[1] = -0.05;
        scene.collider.normal[0] = -0.3; /* so that the rest hangs over it */
        scene.collider.normal[1] = 1;
        scene.collider.friction = 0.3;
    }
    float *weights[2];
    for (int k = 0; k < 2; ++k) {
        weights[k] = calloc(scene.box.vertex_count, sizeof(float));
        jn_region_init(&regions[k + 1], sizeof regions[k + 1]);
        regions[k + 1].effect = "fast";
        regions[k + 1].value = c->ratios[k];
        regions[k + 1].weights = weights[k];
        regions[k + 1].weight_count = scene.box.vertex_count;
        uint32_t end = k ? c->cells[0] / 2 : c->cells[0] + 1;
        for (uint32_t v = 0; v < scene.box.vertex_count; ++v) {
            uint32_t layer = v % (c->cells[0] + 1);
            weights[k][v] = layer < end && layer + c->layers[k] >= end;
        }
    }
    JnStatus status = jn_bake_begin(&scene.desc, &bake, &message);
    if (status == JN_OK)
        status = advance_frames(bake, 2, &message);
    double since = processor_ms();
    if (status == JN_OK)
        status = advance_frames(bake, frames - 2, &message);
    since = processor_ms() - since;
    JnStatistics statistics = {.struct_size = sizeof statistics};
    jn_bake_statistics(bake, &statistics, NULL);
    if (status != JN_OK)
        fprintf(stderr, "%s\n", message.text);
    else if (statistics.cut_steps)
        fprintf(stderr, "%u steps were cut\n", statistics.cut_steps);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    free(weights[0]);
    free(weights[1]);
    return status == JN_OK ? since / ((frames - 2) * STEPS) : -1;
}

int main(int argc, char **argv) {
    uint32_t frames = argc > 1 ? (uint32_t)atoi(argv[1]) : 20;
    if (argc > 3) {
        double ms = run(&cases[atoi(argv[2])], (Way)atoi(argv[3]), frames);
        printf("%.2f ms a step\n", ms);
        return ms < 0;
    }
    printf("%-30s %-16s %-3s %10s %10s %18s %18s\n", "bar", "law", "", "ratios", "large", "small", "fast regions");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const Case *c = &cases[k];
        char ratios[32];
        double large = run(c, LARGE, frames), small = run(c, SMALL, frames), fast = run(c, REGIONS, frames);
        snprintf(ratios, sizeof ratios, c->ratios[1] > 0 ? "%g, %g" : "%g", c->ratios[0], c->ratios[1]);
        printf("%-30s %-16s %-3s %10s %10.1f %9.1f (%5.2f) %9.1f (%5.2f)\n", c->name, c->law, c->method, ratios, large,
               small, small / large, fast, fast / large);
        fflush(stdout);
    }
    return 0;
}
