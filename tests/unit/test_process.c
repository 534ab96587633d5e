/* What a bake shares with its process: other bakes, which it does not disturb, and signal handlers, which it leaves
 * alone. */
#include "baking.h"
#include "harness.h"

#include "base/os/os.h"

#include <signal.h>

typedef struct Job {
    uint32_t cells;
    JnStatus status;
    double *positions;
    uint32_t count;
} Job;

static void run_job(void *context) {
    Job *job = context;
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(job->cells, 4, 4, 0.05));
    one_body_pin(&scene);
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 4;
    scene.desc.thread_count = 2;
    job->status = jn_bake_begin(&scene.desc, &bake, &message);
    if (job->status == JN_OK)
        job->status = advance_frames(bake, 4, &message);
    if (job->status == JN_OK)
        job->positions = read_positions(bake, &job->count);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(bakes_on_two_threads_at_once_do_not_disturb_each_other) {
    Job alone[2] = {{.cells = 14}, {.cells = 19}};
    for (int k = 0; k < 2; ++k) {
        run_job(&alone[k]);
        CHECK(alone[k].status == JN_OK);
    }
    for (int trial = 0; trial < 4; ++trial) {
        Job together[2] = {{.cells = 14}, {.cells = 19}};
        OsThread *threads[2];
        for (int k = 0; k < 2; ++k) {
            threads[k] = os_thread_start(run_job, &together[k]);
            CHECK(threads[k] != NULL);
        }
        for (int k = 0; k < 2; ++k)
            os_thread_join(threads[k]);
        for (int k = 0; k < 2; ++k) {
            CHECK(together[k].status == JN_OK && together[k].count == alone[k].count);
            CHECK(memcmp(together[k].positions, alone[k].positions, 3 * sizeof(double) * alone[k].count) == 0);
            free(together[k].positions);
        }
    }
    free(alone[0].positions);
    free(alone[1].positions);
}

static volatile sig_atomic_t handled;

static void count_signal(int number) {
    (void)number;
    ++handled;
}

TEST(host_keeps_its_signal_handlers_through_a_bake) {
    struct sigaction mine = {.sa_handler = count_signal}, after;
    sigemptyset(&mine.sa_mask);
    sigaction(SIGTERM, &mine, NULL);
    Job job = {.cells = 14};
    run_job(&job);
    CHECK(job.status == JN_OK);
    free(job.positions);
    sigaction(SIGTERM, NULL, &after);
    CHECK(after.sa_handler == count_signal && ((unsigned)after.sa_flags & (unsigned)SA_RESETHAND) == 0);
    raise(SIGTERM);
    raise(SIGTERM);
    CHECK(handled == 2);
    signal(SIGTERM, SIG_DFL);
}
