#include "base/pool.h"

#include "base/os/os.h"

#include <stdlib.h>

enum { MOST_WORKERS = 255 };

struct Pool {
    OsMonitor *monitor; /* guards everything below */
    OsThread *workers[MOST_WORKERS];
    uint32_t worker_count;
    void (*body)(void *context, uint32_t index);
    void *context;
    uint32_t count, next; /* of the run: calls in total, the next one to start */
    uint32_t finished;    /* calls that have returned */
    bool stopping;
};

/* Executes calls of the run until none is left. The monitor is held on entry and on return. */
static void work(Pool *pool) {
    while (pool->next < pool->count) {
        uint32_t index = pool->next++;
        os_monitor_unlock(pool->monitor);
        pool->body(pool->context, index);
        os_monitor_lock(pool->monitor);
        if (++pool->finished == pool->count)
            os_monitor_wake_all(pool->monitor);
    }
}

static void run_worker(void *context) {
    Pool *pool = context;
    os_monitor_lock(pool->monitor);
    while (!pool->stopping) {
        work(pool);
        if (!pool->stopping)
            os_monitor_wait(pool->monitor);
    }
    os_monitor_unlock(pool->monitor);
}

Pool *pool_create(uint32_t thread_count) {
    if (thread_count <= 1)
        return NULL;
    Pool *pool = calloc(1, sizeof *pool);
    if (pool)
        pool->monitor = os_monitor_create();
    if (!pool || !pool->monitor) {
        free(pool);
        return NULL;
    }
    while (pool->worker_count < thread_count - 1 && pool->worker_count < MOST_WORKERS) {
        OsThread *worker = os_thread_start(run_worker, pool);
        if (!worker)
            break;
        pool->workers[pool->worker_count++] = worker;
    }
    return pool;
}

void pool_run(Pool *pool, uint32_t count, void (*body)(void *context, uint32_t index), void *context) {
    if (!pool) {
        for (uint32_t i = 0; i < count; ++i)
            body(context, i);
        return;
    }
    os_monitor_lock(pool->monitor);
    pool->body = body;
    pool->context = context;
    pool->next = pool->finished = 0;
    pool->count = count;
    os_monitor_wake_all(pool->monitor);
    work(pool);
    while (pool->finished < count)
        os_monitor_wait(pool->monitor);
    pool->count = pool->next = 0;
    os_monitor_unlock(pool->monitor);
}

void pool_destroy(Pool *pool) {
    if (!pool)
        return;
    os_monitor_lock(pool->monitor);
    pool->stopping = true;
    os_monitor_wake_all(pool->monitor);
    os_monitor_unlock(pool->monitor);
    for (uint32_t w = 0; w < pool->worker_count; ++w)
        os_thread_join(pool->workers[w]);
    os_monitor_destroy(pool->monitor);
    free(pool);
}
