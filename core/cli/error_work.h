/* Error against cost: how far each run of a comparison is from the truth, what it cost, and which runs are the cheapest
   for what they reach. */
#ifndef JN_CLI_ERROR_WORK_H
#define JN_CLI_ERROR_WORK_H

#include "compare_run.h"

/* Error of a run as a fraction of how far the points move; never below the truth's own. NaN: the run has none. */
double run_error_share(const Comparison *comparison, const CompareRun *run);

/* Whether the run's error is larger than the truth's own, so that it means something. */
bool run_error_is_known(const Comparison *comparison, const CompareRun *run);

/* Processor seconds per frame; NaN: the run has none. */
double run_cost(const CompareRun *run);

/* Whether no other run costs less and is as near to the truth: the run is on the lower envelope. */
bool run_is_cheapest(const Comparison *comparison, const CompareRun *run);

/* Whether the two reference runs agree well enough for errors to be told. */
bool truth_is_known(const Comparison *comparison);

/* The table, and the cheapest run for each level of error, in words. */
void error_work_print(const Comparison *comparison);

/* Adds what was measured of a run. */
void error_work_add_json(struct cJSON *object, const Comparison *comparison, const CompareRun *run);
/* The truth, and the cheapest run for each level of error. */
struct cJSON *truth_json(const Comparison *comparison);

/* False: errno says why. */
bool error_work_write_csv(const Comparison *comparison, const char *path);
bool error_work_write_plot(const Comparison *comparison, const char *path);

#endif
