#include "integrate/integrator.h"

#include "base/status.h"
#include "integrate/methods.h"

/* The methods, the fastest first: to add one, add a line here, and a file for a new family. name, kind of family,
   family, variant, order, undamped, label, summary */
#define METHODS(METHOD)                                                                                                \
    METHOD(si, MULTISTEP, si, SI_PLAIN, 1, false, "Semi-implicit Euler",                                               \
           "One linear solve a step: the fastest, stable, damps quick wobbles; more steps per frame damp less")        \
    METHOD(siere, MULTISTEP, si, SI_SIERE, 1, false, "Semi-implicit Euler, modes kept",                                \
           "As semi-implicit Euler, and keeps the slowest wobbles undamped: lively stiff bodies at little more cost")  \
    METHOD(sbdf2, MULTISTEP, bdf2, BDF_SBDF2, 2, false, "Semi-implicit BDF2",                                          \
           "As fast as semi-implicit Euler, with less than half its damping; restarts at every new contact")           \
    METHOD(sbdf2ere, MULTISTEP, bdf2, BDF_SBDF2ERE, 2, false, "Semi-implicit BDF2, modes kept",                        \
           "As semi-implicit BDF2, and keeps the slowest wobbles undamped; restarts at every new contact")             \
    METHOD(ssdirk, ONE_STEP, dirk, DIRK_SSDIRK, 2, false, "Semi-implicit SDIRK",                                       \
           "Lively at little more cost than semi-implicit Euler: two stages that share one factorization")             \
    METHOD(ssdirkere, MULTISTEP, dirk, DIRK_SSDIRKERE, 2, false, "Semi-implicit SDIRK, modes kept",                    \
           "As semi-implicit SDIRK, and keeps the slowest wobbles undamped: the liveliest of the fast methods")        \
    METHOD(str_sbdf2, ONE_STEP, dirk, DIRK_STR_SBDF2, 2, false, "Semi-implicit TR-BDF2",                               \
           "Lively: two linear solves a step, each with its own factorization")                                        \
    METHOD(str_sbdf2ere, MULTISTEP, dirk, DIRK_STR_SBDF2ERE, 2, false, "Semi-implicit TR-BDF2, modes kept",            \
           "As semi-implicit TR-BDF2, and keeps the slowest wobbles undamped, with two sets of them a step")           \
    METHOD(be, ONE_STEP, be, BE_PLAIN, 1, false, "Backward Euler",                                                     \
           "Solves each step fully: robust where the fastest fails, damps as much; for hard impacts and big steps")    \
    METHOD(beere, MULTISTEP, be, BE_BEERE, 1, false, "Backward Euler, modes kept",                                     \
           "As backward Euler, and keeps the slowest wobbles undamped: robust and lively for stiff bodies")            \
    METHOD(bdf2, MULTISTEP, bdf2, BDF_BDF2, 2, false, "BDF2",                                                          \
           "Solves each step fully; damps about half as much as backward Euler")                                       \
    METHOD(bdf2ere, MULTISTEP, bdf2, BDF_BDF2ERE, 2, false, "BDF2, modes kept",                                        \
           "As BDF2, and keeps the slowest wobbles undamped")                                                          \
    METHOD(sdirk, ONE_STEP, dirk, DIRK_SDIRK, 2, false, "SDIRK",                                                       \
           "Solves two stages a step fully: lively and robust, a good choice for soft bodies")                         \
    METHOD(tr_bdf2, ONE_STEP, dirk, DIRK_TR_BDF2, 2, false, "TR-BDF2",                                                 \
           "Solves two stages a step fully: the least damping among the robust methods")                               \
    METHOD(tr_bdf2ere, MULTISTEP, dirk, DIRK_TR_BDF2ERE, 2, false, "TR-BDF2, modes kept",                              \
           "As TR-BDF2, and keeps the slowest wobbles undamped: the liveliest of the robust methods")                  \
    METHOD(trapezoidal, ONE_STEP, midpoint, MIDPOINT_TRAPEZOIDAL, 2, true, "Trapezoidal rule",                         \
           "No numerical damping; stiff or touching bodies may ring")                                                  \
    METHOD(midpoint, ONE_STEP, midpoint, MIDPOINT_IMPLICIT, 2, true, "Implicit midpoint",                              \
           "No numerical damping, keeps momentum and nearly all energy; stiff bodies may ring")                        \
    METHOD(newmark, MULTISTEP, newmark, NEWMARK_AVERAGE, 2, true, "Newmark",                                           \
           "Average acceleration, as engineering programs use it: no numerical damping")                               \
    METHOD(generalized_alpha, MULTISTEP, newmark, NEWMARK_GENERALIZED_ALPHA, 2, true, "Generalized alpha",             \
           "A setting says how much of the fastest wobbles is left after a step; the slow ones stay lively")           \
    METHOD(rk4, ONE_STEP, rk4, 0, 4, false, "Runge-Kutta 4",                                                           \
           "Explicit, with as many small steps as stability needs: slow, a reference to compare others with")          \
    METHOD(ere, MULTISTEP, exponential, EXPONENTIAL_ERE, 2, true, "Exponential Rosenbrock-Euler",                      \
           "Every wobble keeps its pitch and its height; slow for stiff bodies; fast spins need short steps")          \
    METHOD(exprb42, MULTISTEP, exponential, EXPONENTIAL_EXPRB42, 4, true, "Exponential Rosenbrock 4",                  \
           "As exponential Rosenbrock-Euler, and far more accurate where the motion bends")                            \
    METHOD(epirk4s3, MULTISTEP, exponential, EXPONENTIAL_EPIRK4S3, 4, true, "Exponential EPIRK4s3",                    \
           "As exponential Rosenbrock-Euler, of fourth order also where the body is stiff")                            \
    METHOD(epirk_adaptive, ADAPTIVE, exponential, EXPONENTIAL_EPIRK_ADAPTIVE, 4, true, "EPIRK4s3, adaptive steps",     \
           "Chooses its own steps, as long as the error allows: a precise reference for soft bodies")                  \
    METHOD(gautschi, MULTISTEP, gautschi, 0, 2, true, "Gautschi",                                                      \
           "Exact for the stiffness of the first pose: for comparison, and for bodies that hardly turn")

#define DECLARE(method, kind, family, variant, order, undamped, label, summary) kind##_FAMILY(family);
METHODS(DECLARE)

/* A one-step method has no history. */
static void restart_nothing(void *self, RestartReason reason) {
    (void)self, (void)reason;
}

static bool archive_nothing(void *self, Archive *archive) {
    (void)self, (void)archive;
    return true;
}

#define ONE_STEP_FUNCTIONS(family) restart_nothing, archive_nothing
#define MULTISTEP_FUNCTIONS(family) family##_restart, family##_archive
#define ADAPTIVE_FUNCTIONS(family) MULTISTEP_FUNCTIONS(family)
enum { ONE_STEP_CONTROLS_ERROR, MULTISTEP_CONTROLS_ERROR = 0, ADAPTIVE_CONTROLS_ERROR = 1 };
#define LINE(method, kind, family, variant, order, undamped, label, summary)                                           \
    {{#method, label, summary},                                                                                        \
     order,                                                                                                            \
     variant,                                                                                                          \
     undamped,                                                                                                         \
     family##_prepare,                                                                                                 \
     family##_step,                                                                                                    \
     kind##_FUNCTIONS(family),                                                                                         \
     family##_destroy,                                                                                                 \
     kind##_CONTROLS_ERROR,                                                                                            \
     NULL},

#define PLANNED "async_be"

/* What an artist may choose: auto, then the methods. */
static const Integrator choices[] = {{.entry = {"auto", "Automatic",
                                                "Looks at the scene, takes the method and, unless they are given, the "
                                                "time steps per frame that fit, and says which "
                                                "and why"}},
                                     METHODS(LINE)};

#define NUMBER(method, kind, family, variant, order, undamped, label, summary) METHOD_##method,
enum { CHOICE_auto, METHODS(NUMBER) CHOICE_COUNT };

const Integrator *const integrator_auto = &choices[CHOICE_auto];
const Integrator *const integrator_stand_in = &choices[METHOD_be];

const Table integrator_choices = {"integrators", "integrator", choices, sizeof choices[0], CHOICE_COUNT, PLANNED};
const Table integrator_table = {"integrators", "integrator", choices + 1, sizeof choices[0], CHOICE_COUNT - 1, PLANNED};
