/* The integrator contract: one family a file, one line in the list of integrator.c. */
#ifndef JN_INTEGRATE_INTEGRATOR_H
#define JN_INTEGRATE_INTEGRATOR_H

#include "base/table.h"
#include "integrate/system.h"

typedef struct State { /* borrowed arrays */
    double *q;         /* [vertex_count * 3] m */
    double *v;         /* [vertex_count * 3] m/s */
    double time;       /* s */
} State;

typedef struct StepReport {
    double h;     /* s, the step that was taken: at most the one asked for */
    double error; /* estimate of the step's local error, m; NaN: the method has none */
} StepReport;

typedef enum RestartReason { /* why the history of a multistep method is no longer good */
                             RESTART_BEGIN,
                             RESTART_CUT_STEP,
                             RESTART_JUMP
} RestartReason;

typedef struct Integrator {
    JnTableEntry entry;
    /* Makes the method's own memory. *self is NULL after a failure. */
    JnStatus (*prepare)(System *system, void **self, JnMessage *message);
    /* Advances *state by at most h. After a failure *state may be anything: the caller keeps a copy, and looks whether
       what came out is still a motion. */
    JnStatus (*step)(void *self, System *system, State *state, double h, StepReport *report, JnMessage *message);
    void (*restart)(void *self, RestartReason reason);
    /* All that the next step depends on beside *state: its size now, which may change from step to step, and the bytes,
       for a bit-exact resume. load refuses bytes that are not its own. */
    size_t (*saved_size)(const void *self);
    void (*save)(const void *self, void *bytes);
    JnStatus (*load)(void *self, const void *bytes, size_t size, JnMessage *message);
    void (*destroy)(void *self);
} Integrator;

/* Declares the functions of a method, for its file and for the table. */
#define INTEGRATOR_METHOD(method)                                                                                      \
    JnStatus method##_prepare(System *system, void **self, JnMessage *message);                                        \
    JnStatus method##_step(void *self, System *system, State *state, double h, StepReport *report,                     \
                           JnMessage *message);                                                                        \
    void method##_restart(void *self, RestartReason reason);                                                           \
    size_t method##_saved_size(const void *self);                                                                      \
    void method##_save(const void *self, void *bytes);                                                                 \
    JnStatus method##_load(void *self, const void *bytes, size_t size, JnMessage *message);                            \
    void method##_destroy(void *self)

extern const Table integrator_table; /* items: Integrator */

#endif
