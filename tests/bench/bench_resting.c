/* What lying on a floor costs: a cube of 12,167 vertices that is set down, beside the same cube hanging from its upper
   side, frame by frame in turn, with semi-implicit Euler or another METHOD at four steps a frame on one thread.

     bench_resting [FRAMES [METHOD]]

   Times are milliseconds of the processor per step, the mean over so many frames. Machines are shared and noisy: read
   the ratios. */
#include "baking.h"

#include "base/os/os.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 22, EACH = 10, STEPS = 4 };
static const double CELL = 0.01;

static JnBake *begin(OneBody *scene, const char *method, bool hangs) {
    JnBake *bake = NULL;
    JnMessage message;
    one_body_init(scene, tet_box_make(CELLS, CELLS, CELLS, CELL));
    if (hangs) {
        one_body_pin(scene);
        for (uint32_t v = 0; v < scene->box.vertex_count; ++v)
            scene->pin_weights[v] = scene->box.positions[3 * v + 1] > (CELLS - 0.5) * CELL;
    }
    scene->desc.integrator = method;
    scene->body.material.young_modulus = 1e5;
    scene->desc.collider_count = !hangs;
    scene->desc.gravity[1] = -9.81;
    scene->desc.steps_per_frame = STEPS;
    scene->desc.thread_count = 1;
    scene->desc.frame_count = 100000;
    if (jn_bake_begin(&scene->desc, &bake, &message) != JN_OK || advance_frames(bake, 1, &message) != JN_OK)
        printf("%s\n", message.text);
    return bake;
}

/* Processor seconds of the next frame. */
static double frame_seconds(JnBake *bake) {
    double since = os_processor_seconds();
    return advance_frames(bake, 1, NULL) == JN_OK ? os_processor_seconds() - since : NAN;
}

int main(int argc, char **argv) {
    int frames = argc > 1 ? atoi(argv[1]) : 40;
    const char *method = argc > 2 ? argv[2] : "si";
    OneBody scenes[2];
    JnBake *bakes[2];
    for (int hangs = 0; hangs < 2; ++hangs)
        bakes[hangs] = begin(&scenes[hangs], method, hangs);
    printf("frames    resting  hanging  ratio  contacts  rounds a step  m/s\n");
    for (int first = 0; first < frames; first += EACH) {
        double seconds[2] = {0, 0};
        uint32_t rounds = 0;
        JnContactFrame contact = {.struct_size = sizeof contact};
        JnMotion motion = {.struct_size = sizeof motion};
        for (int frame = 0; frame < EACH; ++frame) {
            for (int hangs = 0; hangs < 2; ++hangs)
                seconds[hangs] += frame_seconds(bakes[hangs]);
            jn_bake_contact(bakes[0], &contact, NULL);
            rounds += contact.round_count;
        }
        jn_bake_motion(bakes[0], &motion, NULL);
        double each = 1e3 / (EACH * STEPS);
        printf("%3d - %3d  %7.1f  %7.1f  %5.2f  %8u  %13.1f  %.2g\n", first + 1, first + EACH, each * seconds[0],
               each * seconds[1], seconds[0] / seconds[1], contact.contact_count, (double)rounds / (EACH * STEPS),
               motion.largest_speed);
        fflush(stdout);
    }
    for (int hangs = 0; hangs < 2; ++hangs) {
        jn_bake_end(bakes[hangs], NULL);
        one_body_free(&scenes[hangs]);
    }
    return 0;
}
