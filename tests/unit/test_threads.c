/* Bakes and threads: one bake on several, two bakes at once, cancel from another. What comes out is, bit for bit, what
   one thread makes. The thread sanitizer watches these tests too. */
#include "baking.h"
#include "harness.h"
#include "read_file.h"

#include "base/os/os.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES = 6 };

/* A beam, held at one end, that falls on a floor. The struct must not move afterwards. */
static void open_beam(OneBody *scene, uint32_t cells, uint32_t thread_count) {
    one_body_init(scene, tet_box_make(cells, 4, 4, 0.05));
    one_body_pin(scene);
    scene->desc.gravity[1] = -9.81;
    scene->desc.frame_count = FRAMES;
    scene->desc.thread_count = thread_count;
    scene->desc.collider_count = 1;
    scene->collider.point[1] = -0.05;
    scene->collider.normal[1] = 1;
}

typedef struct Motion {
    JnStatus status;
    uint32_t frame_count; /* that were finished */
    uint32_t point_count;
    double *positions; /* x y z of the points, frame after frame: [FRAMES][point_count] */
} Motion;

/* Bakes up to FRAMES frames of an open scene. finished: told the number of frames after each; may be NULL. */
static Motion bake_motion(JnBake *bake, _Atomic uint32_t *finished) {
    Motion motion = {.status = JN_OK};
    while (motion.status == JN_OK && motion.frame_count < FRAMES) {
        motion.status = advance(bake, NULL);
        if (motion.status != JN_OK)
            break;
        double *points = read_positions(bake, &motion.point_count);
        size_t frame_size = 3 * (size_t)motion.point_count;
        if (!motion.positions)
            motion.positions = calloc(FRAMES * frame_size, sizeof *points);
        memcpy(motion.positions + motion.frame_count * frame_size, points, frame_size * sizeof *points);
        free(points);
        ++motion.frame_count;
        if (finished)
            *finished = motion.frame_count;
    }
    return motion;
}

static Motion bake_beam(uint32_t cells, uint32_t thread_count, const char *integrator) {
    OneBody scene;
    JnBake *bake;
    open_beam(&scene, cells, thread_count);
    scene.desc.integrator = integrator;
    Motion motion = {.status = jn_bake_begin(&scene.desc, &bake, NULL)};
    if (motion.status == JN_OK)
        motion = bake_motion(bake, NULL);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return motion;
}

/* Whether the frames that `some` has are those of `all`. */
static int begins_as(const Motion *some, const Motion *all) {
    size_t size = 3 * sizeof(double) * some->frame_count * some->point_count;
    return some->frame_count == 0 ||
           (some->point_count == all->point_count && memcmp(some->positions, all->positions, size) == 0);
}

/* -------------------------------------------------------------------------------- one bake on several threads */

TEST(bake_on_any_number_of_threads_gives_the_bits_of_one) {
    static const char *const integrators[] = {"si", "be", "bdf2", "ssdirk", "epirk4s3"};
    for (int k = 0; k < 4; ++k) {
        Motion one = bake_beam(12, 1, integrators[k]);
        CHECK(one.status == JN_OK && one.frame_count == FRAMES);
        CHECK(one.positions[3 * one.point_count - 2] != one.positions[FRAMES * 3 * one.point_count - 2]);
        for (uint32_t threads = 2; threads <= 5; ++threads) {
            Motion many = bake_beam(12, threads, integrators[k]);
            CHECK(many.status == JN_OK && many.frame_count == FRAMES && begins_as(&many, &one));
            free(many.positions);
        }
        free(one.positions);
    }
}

/* -------------------------------------------------------------------------------- two bakes at once */

typedef struct CacheJob {
    uint32_t cells;
    char path[600];
    JnStatus status;
} CacheJob;

static void bake_cache(void *context) {
    CacheJob *job = context;
    OneBody scene;
    JnBake *bake;
    open_beam(&scene, job->cells, 2);
    scene.desc.output_path = job->path;
    job->status = jn_bake_begin(&scene.desc, &bake, NULL);
    if (job->status == JN_OK)
        job->status = advance_frames(bake, FRAMES, NULL);
    JnStatus ended = jn_bake_end(bake, NULL);
    job->status = job->status == JN_OK ? ended : job->status;
    one_body_free(&scene);
}

static CacheJob cache_job(uint32_t cells, const char *when) {
    CacheJob job = {.cells = cells};
    snprintf(job.path, sizeof job.path, "%s/threads_%s_%u.abc", JN_TEST_OUTPUT, when, cells);
    return job;
}

static int same_files(const char *first_path, const char *second_path) {
    size_t sizes[2] = {0, 0};
    char *first = read_file(first_path, &sizes[0]), *second = read_file(second_path, &sizes[1]);
    int same = first && second && sizes[0] > 1000 && sizes[0] == sizes[1] && memcmp(first, second, sizes[0]) == 0;
    free(first);
    free(second);
    return same;
}

TEST(bakes_on_two_threads_at_once_write_the_caches_that_each_writes_alone) {
    CacheJob alone[2] = {cache_job(8, "alone"), cache_job(11, "alone")};
    CacheJob together[2] = {cache_job(8, "together"), cache_job(11, "together")};
    for (int k = 0; k < 2; ++k)
        bake_cache(&alone[k]);
    OsThread *threads[2] = {os_thread_start(bake_cache, &together[0]), os_thread_start(bake_cache, &together[1])};
    CHECK(threads[0] && threads[1]);
    os_thread_join(threads[0]);
    os_thread_join(threads[1]);
    for (int k = 0; k < 2; ++k) {
        CHECK(alone[k].status == JN_OK && together[k].status == JN_OK);
        CHECK(same_files(alone[k].path, together[k].path));
        remove(alone[k].path);
        remove(together[k].path);
    }
}

/* -------------------------------------------------------------------------------- cancel from another thread */

typedef struct CancelJob {
    JnBake *bake;
    _Atomic uint32_t finished; /* frames */
    _Atomic int over;
    Motion motion;
} CancelJob;

static void bake_until_cancelled(void *context) {
    CancelJob *job = context;
    job->motion = bake_motion(job->bake, &job->finished);
    job->over = 1;
}

TEST(cancel_from_another_thread_keeps_the_frames_before_it) {
    const struct timespec pause = {.tv_nsec = 100000};
    Motion whole = bake_beam(20, 1, "si");
    CHECK(whole.status == JN_OK);
    for (uint32_t wanted = 0; wanted < FRAMES; ++wanted) {
        OneBody scene;
        CancelJob job = {.finished = 0};
        open_beam(&scene, 20, 3);
        CHECK(jn_bake_begin(&scene.desc, &job.bake, NULL) == JN_OK);
        OsThread *thread = os_thread_start(bake_until_cancelled, &job);
        CHECK(thread);
        while (job.finished < wanted && !job.over)
            nanosleep(&pause, NULL);
        jn_bake_cancel(job.bake);
        os_thread_join(thread);
        /* a cancel that comes late finds the bake complete */
        uint32_t done = job.motion.frame_count;
        CHECK(done >= wanted && job.motion.status == (done == FRAMES ? JN_OK : JN_ERR_CANCELLED));
        CHECK(begins_as(&job.motion, &whole));
        CHECK(jn_bake_next_frame(job.bake) == 1 + done);
        jn_bake_end(job.bake, NULL);
        free(job.motion.positions);
        one_body_free(&scene);
    }
    free(whole.positions);
}
