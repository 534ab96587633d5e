/* The integrator contract: one file per family, one line per method in the list of integrator.c. */
#ifndef JN_INTEGRATE_INTEGRATOR_H
#define JN_INTEGRATE_INTEGRATOR_H

#include "base/table.h"
#include "system/jacobian.h"

typedef struct State { /* borrowed arrays */
    double *q;         /* [vertex_count * 3] m */
    double *v;         /* [vertex_count * 3] m/s */
    double time;       /* s */
} State;

typedef struct StepReport {
    double h;                   /* s, the step that was taken: at most the one requested */
    double error;               /* estimate of the step's local error, m; NaN: the method has none */
    double residual;            /* of the step's last nonlinear solve, relative; NaN: it solves none */
    uint32_t newton_iterations; /* of all its nonlinear solves */
} StepReport;

typedef enum RestartReason { RESTART_CUT_STEP, RESTART_JUMP } RestartReason; /* why a history is no longer valid */

/* Parameters of a method. */
typedef struct MethodOptions {
    int variant;            /* which of its family's methods, as in its line of the table */
    double spectral_radius; /* generalized alpha: spectral radius at infinite frequency, 0 to 1 */
    uint32_t mode_count;    /* hybrid methods: the number of lowest modes that move in closed form; 0: none,
                               KEPT_AUTOMATIC (kept_modes.h): as many as move visibly */
    bool damp_complement;   /* hybrid methods: damping acts on all but these modes */
    double tolerance;       /* exponential methods: of the matrix functions, relative to the step; 0: their own */
    double mode_tolerance;  /* hybrid methods: by how much eigenvalues of modes that are carried along may be too high,
                               as part of the largest, before all are found anew; 0: as much as the motion bears */
    double error_tolerance; /* methods that control their error: of a step, relative to `length`; 0: their own */
    double length;          /* m, the size of the smallest body; 0: not known */
    bool guarded;           /* a step that is too long for the method fails, so that the caller can cut it */
    const uint32_t *ratios; /* methods with fast regions (region/regional.h): [vertex_count] small steps in a step of
                               each vertex; 0 and 1: it takes large ones. Read by `prepare` alone */
} MethodOptions;

typedef struct Integrator {
    JnTableEntry entry;
    int order;     /* of accuracy */
    int variant;   /* for MethodOptions */
    bool undamped; /* the highest frequencies are not damped, or hardly: where it fails, integrator_stand_in may replace
                      it */
    /* Makes the method's own memory. *self is NULL after a failure. */
    JnStatus (*prepare)(View *view, const MethodOptions *options, void **self, JnMessage *message);
    /* Advances *state by at most h. After a failure *state is undefined: the caller keeps a copy. The caller also
       checks that the result is finite and plausible. */
    JnStatus (*step)(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message);
    void (*restart)(void *self, RestartReason reason);
    /* The history that the next step depends on in addition to *state, for undo and a bit-exact resume. false: the
       archive ended. */
    bool (*archive)(void *self, Archive *archive);
    void (*destroy)(void *self);
    bool controls_error; /* its steps are as short as error_tolerance asks for */
    /* What solvers of its own keep from step to step, as solver_archive says; NULL: it has none. */
    bool (*archive_solvers)(void *self, Archive *archive);
} Integrator;

/* Declares the functions of a family of methods, for its file and for the table. A multistep family has a history, a
   one-step family has none; an adaptive one controls its error too. */
#define ONE_STEP_FAMILY(family)                                                                                        \
    JnStatus family##_prepare(View *view, const MethodOptions *options, void **self, JnMessage *message);              \
    JnStatus family##_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message);    \
    void family##_destroy(void *self)
#define MULTISTEP_FAMILY(family)                                                                                       \
    ONE_STEP_FAMILY(family);                                                                                           \
    void family##_restart(void *self, RestartReason reason);                                                           \
    bool family##_archive(void *self, Archive *archive)
#define ADAPTIVE_FAMILY(family) MULTISTEP_FAMILY(family)

extern const Table integrator_table; /* items: Integrator */

/* What may be asked for: integrator_auto, which stands for one of the methods and is no method itself, then those of
   integrator_table. */
extern const Table integrator_choices;
extern const Integrator *const integrator_auto;

/* An L-stable one-step method whose steps never gain energy: frequencies too high for the time step are damped out
   within one step. */
extern const Integrator *const integrator_stand_in;

#endif
