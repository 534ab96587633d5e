/* One scene baked by several methods: the runs of `jounce compare`, and their report. */
#ifndef JN_CLI_COMPARE_RUN_H
#define JN_CLI_COMPARE_RUN_H

#include "cli.h"
#include "history.h"

enum { RUN_LABEL_CAPACITY = 64 };

typedef struct CompareRun {
    char label[RUN_LABEL_CAPACITY]; /* its name, or "si, 4 steps" if it says its steps */
    char name[RUN_LABEL_CAPACITY];  /* "si", or "siere:5" where the number of modes was given */
    const char *method;
    uint32_t mode_count; /* how many modes it is to keep; 0: as many as the scene says */
    uint32_t steps_per_frame;
    bool says_steps;   /* where runs differ in them */
    JnStatus status;   /* JN_ERR_CANCELLED also for runs that were not begun */
    JnMessage message; /* why it ended before its last frame */
    double failed_frame;
    double seconds;           /* from the first frame to the last, without set-up and output */
    double processor_seconds; /* in the same time, of all threads */
    double error;             /* distance from the truth as truth_distance gives it; NaN: not measured */
    JnStatistics statistics;
    char choice[sizeof((JnEstimate *)0)->choice]; /* what auto has chosen, and why; "" for other methods */
    History history;
} CompareRun;

/* In the order in which they run. */
enum { TRUTH_COARSE, TRUTH_KEPT, TRUTH_CHECK, TRUTH_RUNS };

/* What runs are measured against: a run with tiny time steps, and how well another one agrees with it. */
typedef struct TruthReport {
    CompareRun runs[TRUTH_RUNS]; /* one with half the steps of that which is kept; that; one of another method with
                                    fewer of them */
    bool extrapolated;           /* the truth is where the first two runs lead as the steps go to 0, else the second */
    double motion;               /* scene units: how far its points move, root mean square */
    double own_error;            /* scene units: how far the check is apart, of which most is its own error */
} TruthReport;

typedef struct Comparison {
    const char *scene_path;
    bool has_truth;
    TruthReport truth;
    uint32_t frame_count;
    CompareRun *runs; /* [run_count] */
    size_t run_count;
} Comparison;

/* Nominal time steps from the first frame to the last one done. */
double run_step_count(const CompareRun *run);

/* J that the run has lost of its total energy; NaN: no frame. *share: relative to the available energy, that at the
   start above the lowest potential energy that any run has found. */
double run_energy_lost(const Comparison *comparison, const CompareRun *run, double *share);

void comparison_print(const Comparison *comparison);
struct cJSON *run_json(const Comparison *comparison, const CompareRun *run);

/* Writes plots and tables into the folder, which must exist. False: errno says why, and *path which file. The caller
   frees it. */
bool comparison_write(const Comparison *comparison, const char *folder, char **path);

#endif
