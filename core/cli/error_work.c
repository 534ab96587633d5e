#include "error_work.h"

#include "os.h"
#include "picture/plot.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Errors for which the cheapest run is named, as fractions of the motion. */
static const double LEVELS[] = {0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 3e-4, 1e-4, 1e-5, 1e-6};
enum { LEVEL_COUNT = sizeof LEVELS / sizeof LEVELS[0] };

/* The two reference runs must agree to this fraction of the motion. */
static const double AGREEMENT = 0.1;

/* -------------------------------------------------------------------------------- numbers */

static double own_error_share(const Comparison *comparison) {
    return comparison->truth.own_error / comparison->truth.motion;
}

bool truth_is_known(const Comparison *comparison) {
    return comparison->truth.motion > 0 && own_error_share(comparison) <= AGREEMENT;
}

double run_error_share(const Comparison *comparison, const CompareRun *run) {
    if (run->status != JN_OK || !isfinite(run->error))
        return NAN;
    return fmax(run->error, comparison->truth.own_error) / comparison->truth.motion;
}

bool run_error_is_known(const Comparison *comparison, const CompareRun *run) {
    return run->error > comparison->truth.own_error;
}

double run_cost(const CompareRun *run) {
    return run->status == JN_OK && run->history.count > 1 ? run->processor_seconds / (double)(run->history.count - 1)
                                                          : NAN;
}

bool run_is_cheapest(const Comparison *comparison, const CompareRun *run) {
    double error = run_error_share(comparison, run), cost = run_cost(run);
    if (!isfinite(error) || !isfinite(cost))
        return false;
    for (size_t r = 0; r < comparison->run_count; ++r) {
        const CompareRun *other = &comparison->runs[r];
        double other_error = run_error_share(comparison, other), other_cost = run_cost(other);
        if (other != run && other_error <= error && other_cost <= cost &&
            (other_error < error || other_cost < cost || other < run))
            return false;
    }
    return true;
}

/* The cheapest run with an error of at most `level`; NULL: none has. */
static const CompareRun *cheapest_at(const Comparison *comparison, double level) {
    const CompareRun *found = NULL;
    for (size_t r = 0; r < comparison->run_count; ++r) {
        const CompareRun *run = &comparison->runs[r];
        if (run_error_share(comparison, run) <= level && (!found || run_cost(run) < run_cost(found)))
            found = run;
    }
    return found;
}

/* -------------------------------------------------------------------------------- words */

static void print_run(const Comparison *comparison, const CompareRun *run) {
    double frames = (double)run->history.count - 1, share = run_error_share(comparison, run);
    if (run->status != JN_OK || !isfinite(share)) {
        printf("  %-24s %10s\n", run->label, run->status == JN_ERR_CANCELLED ? "stopped" : "failed");
        return;
    }
    char cost[SAY_CAPACITY], error[SAY_CAPACITY];
    snprintf(error, sizeof error, "%s%.3g %%", run_error_is_known(comparison, run) ? "" : "< ", 100 * share);
    printf("%s %-24s %10s %11.3g %10s %9.1f %9.1f %9.1f %9.1f\n", run_is_cheapest(comparison, run) ? "*" : " ",
           run->label, error, run->error, say_duration(run_cost(run), cost, sizeof cost),
           run->statistics.steps_done / frames, run->statistics.factor_count / frames,
           run->statistics.newton_iterations / frames, run->statistics.iteration_count / frames);
}

static void print_levels(const Comparison *comparison) {
    const CompareRun *before = NULL;
    puts("\nThe cheapest for an error of at most");
    for (int level = 0; level < LEVEL_COUNT; ++level) {
        const CompareRun *run = cheapest_at(comparison, LEVELS[level]);
        char cost[SAY_CAPACITY];
        if (run)
            printf("  %8.3g %%   %-24s %10s a frame%s\n", 100 * LEVELS[level], run->label,
                   say_duration(run_cost(run), cost, sizeof cost), run == before ? ", as above" : "");
        before = run;
    }
}

void error_work_print(const Comparison *comparison) {
    const TruthReport *truth = &comparison->truth;
    if (!(truth->motion > 0)) {
        printf("\nNothing moves in %s, so there is no error to measure.\n", comparison->scene_path);
        return;
    }
    printf("\nThe truth is %s%s; %s differs from it by %.3g %% of the motion, %.3g units.\n",
           truth->runs[TRUTH_KEPT].label, truth->extrapolated ? ", extrapolated" : "", truth->runs[TRUTH_CHECK].label,
           100 * own_error_share(comparison), truth->own_error);
    printf("\n  %-24s %10s %11s %10s %9s %9s %9s %9s\n", "", "error", "units", "a frame", "steps", "factors", "Newton",
           "CG");
    for (size_t r = 0; r < comparison->run_count; ++r)
        print_run(comparison, &comparison->runs[r]);
    for (size_t r = 0; r < comparison->run_count; ++r)
        if (comparison->runs[r].choice[0])
            printf("\n%s.\n", comparison->runs[r].choice);
    if (truth_is_known(comparison))
        print_levels(comparison);
    else
        printf(
            "\nThe two runs with tiny steps differ by more than %g %% of the motion, so the cheapest methods are not "
            "named: give more --truth-steps, or fewer --frames; motion that hits things may never repeat itself.\n",
            100 * AGREEMENT);
    puts("\nError: root mean square distance of the rendered points from the truth over all frames, as part of how far "
         "they move. <: no larger than the truth's own. *: nothing that is cheaper is as near. a frame: processor time "
         "of all threads; then time steps, factorizations, Newton and conjugate-gradient iterations per frame.");
}

/* -------------------------------------------------------------------------------- files */

void error_work_add_json(cJSON *object, const Comparison *comparison, const CompareRun *run) {
    json_add_finite(object, "error", run->status == JN_OK ? run->error : NAN);
    json_add_finite(object, "error_share", run_error_share(comparison, run));
    cJSON_AddBoolToObject(object, "error_is_known", run_error_is_known(comparison, run));
    cJSON_AddNumberToObject(object, "processor_seconds", run->processor_seconds);
    cJSON_AddNumberToObject(object, "steps", run->statistics.steps_done);
    cJSON_AddNumberToObject(object, "iterations", run->statistics.iteration_count);
}

cJSON *truth_json(const Comparison *comparison) {
    const TruthReport *truth = &comparison->truth;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "method", truth->runs[TRUTH_KEPT].name);
    cJSON_AddNumberToObject(object, "steps_per_frame", truth->runs[TRUTH_KEPT].steps_per_frame);
    cJSON_AddBoolToObject(object, "extrapolated", truth->extrapolated);
    cJSON_AddStringToObject(object, "check_method", truth->runs[TRUTH_CHECK].name);
    cJSON_AddNumberToObject(object, "check_steps_per_frame", truth->runs[TRUTH_CHECK].steps_per_frame);
    json_add_finite(object, "motion", truth->motion);
    json_add_finite(object, "own_error", truth->own_error);
    json_add_finite(object, "own_error_share", own_error_share(comparison));
    cJSON_AddBoolToObject(object, "is_known", truth_is_known(comparison));
    cJSON *list = cJSON_AddArrayToObject(object, "cheapest");
    for (int level = 0; truth_is_known(comparison) && level < LEVEL_COUNT; ++level) {
        const CompareRun *run = cheapest_at(comparison, LEVELS[level]);
        cJSON *item = run ? cJSON_CreateObject() : NULL;
        cJSON_AddItemToArray(list, item);
        if (!item)
            continue;
        cJSON_AddNumberToObject(item, "error_share", LEVELS[level]);
        cJSON_AddStringToObject(item, "method", run->name);
        cJSON_AddNumberToObject(item, "steps_per_frame", run->steps_per_frame);
    }
    return object;
}

/* An empty field where there is no number. */
static void print_number(FILE *file, double number) {
    if (isfinite(number))
        fprintf(file, ",%.17g", number);
    else
        fputc(',', file);
}

bool error_work_write_csv(const Comparison *comparison, const char *path) {
    FILE *file = os_file_open(path, "wb");
    if (!file)
        return false;
    fputs("method,steps_per_frame,status,error,error_share,error_is_known,cheapest,processor_seconds_per_frame,steps,"
          "factorizations,newton_iterations,iterations,cut_steps\n",
          file);
    for (size_t r = 0; r < comparison->run_count; ++r) {
        const CompareRun *run = &comparison->runs[r];
        fprintf(file, "%s,%u,%s", run->name, run->steps_per_frame, jn_status_name(run->status));
        print_number(file, run->status == JN_OK ? run->error : NAN);
        print_number(file, run_error_share(comparison, run));
        fprintf(file, ",%d,%d", run_error_is_known(comparison, run),
                truth_is_known(comparison) && run_is_cheapest(comparison, run));
        print_number(file, run_cost(run));
        fprintf(file, ",%u,%u,%u,%u,%u\n", run->statistics.steps_done, run->statistics.factor_count,
                run->statistics.newton_iterations, run->statistics.iteration_count, run->statistics.cut_steps);
    }
    bool written = !ferror(file);
    return fclose(file) == 0 && written;
}

/* The runs of one method that have a point in the diagram follow each other: one line each. */
bool error_work_write_plot(const Comparison *comparison, const char *path) {
    size_t count = comparison->run_count, series_count = 0, used = 0;
    double *numbers = malloc((2 * count + 4) * sizeof *numbers), *costs = numbers, *errors = numbers + count + 2;
    PlotSeries *series = malloc((count + 1) * sizeof *series);
    double least = INFINITY, most = 0;
    bool written = false;
    errno = ENOMEM;
    for (size_t r = 0; numbers && series && r < count; ++r) {
        const CompareRun *run = &comparison->runs[r];
        double error = 100 * run_error_share(comparison, run), cost = run_cost(run);
        if (!isfinite(error) || !(cost > 0))
            continue;
        if (series_count == 0 || strcmp(series[series_count - 1].name, run->name) != 0)
            series[series_count++] = (PlotSeries){run->name, costs + used, errors + used, 0, false, true};
        ++series[series_count - 1].count;
        costs[used] = cost;
        errors[used++] = error;
        least = fmin(least, cost);
        most = fmax(most, cost);
    }
    if (numbers && series) {
        if (used > 0 && comparison->truth.own_error > 0) {
            costs[used] = least;
            costs[used + 1] = most;
            errors[used] = errors[used + 1] = 100 * own_error_share(comparison);
            series[series_count++] =
                (PlotSeries){"the truth's own error", costs + used, errors + used, 2, false, false};
        }
        const Plot plot = {"Error against cost, more steps to the right",
                           {"processor time per frame", "s", true, NAN, NAN},
                           {"error in % of the motion", "", true, NAN, NAN},
                           series,
                           series_count};
        written = plot_write(&plot, path);
    }
    free(numbers);
    free(series);
    return written;
}
