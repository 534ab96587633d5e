#include "integrate/integrator.h"

/* The methods: a new one is a file and a line here. */
#define METHODS(METHOD)                                                                                                \
    METHOD(si, "Semi-implicit Euler",                                                                                  \
           "One linear solve a step: the fastest, stable, damps quick wobbles; more steps a frame damp less")

#define DECLARE(method, label, summary) INTEGRATOR_METHOD(method);
#define LINE(method, label, summary)                                                                                   \
    {{#method, label, summary}, method##_prepare, method##_step, method##_restart,                                     \
     method##_saved_size,       method##_save,    method##_load, method##_destroy},

METHODS(DECLARE)
static const Integrator methods[] = {METHODS(LINE)};

const Table integrator_table = {
    "integrators",
    "integrator",
    methods,
    sizeof methods[0],
    sizeof methods / sizeof methods[0],
    "be bdf2 sbdf2 tr_bdf2 str_sbdf2 sdirk ssdirk trapezoidal midpoint newmark generalized_alpha rk4 ere siere beere "
    "bdf2ere sbdf2ere str_sbdf2ere tr_bdf2ere epirk4s3 async_be auto"};
