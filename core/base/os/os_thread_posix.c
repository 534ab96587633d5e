#include "os.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct OsThread {
    pthread_t thread;
    void (*run)(void *context);
    void *context;
};

struct OsMonitor {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

static void *enter(void *argument) {
    OsThread *thread = argument;
    thread->run(thread->context);
    return NULL;
}

OsThread *os_thread_start(void (*run)(void *context), void *context) {
    OsThread *thread = malloc(sizeof *thread);
    if (!thread)
        return NULL;
    thread->run = run;
    thread->context = context;
    if (pthread_create(&thread->thread, NULL, enter, thread) != 0) {
        free(thread);
        return NULL;
    }
    return thread;
}

void os_thread_join(OsThread *thread) {
    pthread_join(thread->thread, NULL);
    free(thread);
}

static pthread_mutex_t process_mutex = PTHREAD_MUTEX_INITIALIZER;

void os_process_lock(void) {
    pthread_mutex_lock(&process_mutex);
}

void os_process_unlock(void) {
    pthread_mutex_unlock(&process_mutex);
}

static pthread_mutex_t library_mutex = PTHREAD_MUTEX_INITIALIZER;

void os_library_lock(void) {
    pthread_mutex_lock(&library_mutex);
}

void os_library_unlock(void) {
    pthread_mutex_unlock(&library_mutex);
}

OsMonitor *os_monitor_create(void) {
    OsMonitor *monitor = malloc(sizeof *monitor);
    if (!monitor)
        return NULL;
    if (pthread_mutex_init(&monitor->mutex, NULL) != 0) {
        free(monitor);
        return NULL;
    }
    if (pthread_cond_init(&monitor->condition, NULL) != 0) {
        pthread_mutex_destroy(&monitor->mutex);
        free(monitor);
        return NULL;
    }
    return monitor;
}

void os_monitor_destroy(OsMonitor *monitor) {
    pthread_cond_destroy(&monitor->condition);
    pthread_mutex_destroy(&monitor->mutex);
    free(monitor);
}

void os_monitor_lock(OsMonitor *monitor) {
    pthread_mutex_lock(&monitor->mutex);
}

void os_monitor_unlock(OsMonitor *monitor) {
    pthread_mutex_unlock(&monitor->mutex);
}

void os_monitor_wait(OsMonitor *monitor) {
    pthread_cond_wait(&monitor->condition, &monitor->mutex);
}

void os_monitor_wait_seconds(OsMonitor *monitor, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    double end = (double)until.tv_nsec * 1e-9 + seconds;
    time_t whole = (time_t)end;
    until.tv_sec += whole;
    until.tv_nsec = (long)((end - (double)whole) * 1e9);
    pthread_cond_timedwait(&monitor->condition, &monitor->mutex, &until);
}

void os_monitor_wake_all(OsMonitor *monitor) {
    pthread_cond_broadcast(&monitor->condition);
}
