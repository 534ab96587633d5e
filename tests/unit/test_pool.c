/* The thread pool. */
#include "harness.h"

#include "base/pool.h"

static void square(void *context, uint32_t index) {
    ((uint64_t *)context)[index] += (uint64_t)index * index;
}

TEST(pool_runs_every_call_exactly_once_many_times_over) {
    enum { CALLS = 1000, RUNS = 200 };
    static uint64_t results[CALLS];
    for (uint32_t threads = 0; threads <= 4; ++threads) {
        memset(results, 0, sizeof results);
        Pool *pool = pool_create(threads);
        CHECK((pool == NULL) == (threads <= 1));
        for (int run = 0; run < RUNS; ++run)
            pool_run(pool, run % 10 == 0 ? CALLS : 7, square, results);
        pool_destroy(pool);
        for (uint64_t i = 0; i < CALLS; ++i)
            CHECK(results[i] == i * i * (i < 7 ? RUNS : RUNS / 10));
    }
}

TEST(pool_with_nothing_to_do_returns) {
    Pool *pool = pool_create(3);
    pool_run(pool, 0, square, NULL);
    pool_run(NULL, 0, square, NULL);
    pool_destroy(pool);
    pool_destroy(NULL);
}
