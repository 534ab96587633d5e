#include "integrate/integrator.h"

#include "base/status.h"

/* The methods, the fastest first: a new one is a line here, and a file if it is of a new family.
   name, kind of family, family, variant, order, label, summary */
#define METHODS(METHOD)                                                                                                \
    METHOD(si, ONE_STEP, si, 0, 1, "Semi-implicit Euler",                                                              \
           "One linear solve a step: the fastest, stable, damps quick wobbles; more steps a frame damp less")          \
    METHOD(be, ONE_STEP, be, 0, 1, "Backward Euler",                                                                   \
           "Solves each step to the end: holds where the fastest fails, damps as much; for hard hits and big steps")

#define DECLARE(method, kind, family, variant, order, label, summary) kind##_FAMILY(family);
METHODS(DECLARE)

/* A one-step method keeps nothing from step to step. */
static void restart_nothing(void *self, RestartReason reason) {
    (void)self, (void)reason;
}

static size_t save_nothing_size(const void *self) {
    (void)self;
    return 0;
}

static void save_nothing(const void *self, void *bytes) {
    (void)self, (void)bytes;
}

static JnStatus load_nothing(void *self, const void *bytes, size_t size, JnMessage *message) {
    (void)self, (void)bytes;
    return size == 0 ? JN_OK
                     : status_fail(message, JN_ERR_FORMAT,
                                   "a one-step method keeps no history, but %zu bytes were given", size);
}

#define ONE_STEP_FUNCTIONS(family) restart_nothing, save_nothing_size, save_nothing, load_nothing
#define LINE(method, kind, family, variant, order, label, summary)                                                     \
    {{#method, label, summary}, order,           variant, family##_prepare, family##_step,                             \
     kind##_FUNCTIONS(family),  family##_destroy},

static const Integrator methods[] = {METHODS(LINE)};

const Table integrator_table = {
    "integrators",
    "integrator",
    methods,
    sizeof methods[0],
    sizeof methods / sizeof methods[0],
    "bdf2 sbdf2 tr_bdf2 str_sbdf2 sdirk ssdirk trapezoidal midpoint newmark generalized_alpha rk4 ere siere beere "
    "bdf2ere sbdf2ere str_sbdf2ere tr_bdf2ere epirk4s3 async_be auto"};
