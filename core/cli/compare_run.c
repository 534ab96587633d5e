#include "compare_run.h"

#include "energy_plot.h"
#include "error_work.h"
#include "os.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------- numbers */

double run_step_count(const CompareRun *run) {
    size_t frames = run->history.count;
    return frames > 1 ? (double)(frames - 1) * run->steps_per_frame : 0;
}

static double lowest_potential(const Comparison *comparison) {
    double lowest = INFINITY;
    for (size_t r = 0; r < comparison->run_count; ++r) {
        const CompareRun *run = &comparison->runs[r];
        // after divergence the energies mean nothing
        for (size_t i = 0; run->status != JN_ERR_DIVERGED && i < run->history.count; ++i)
            lowest = fmin(lowest, energy_value(&run->history, i, ENERGY_POTENTIAL));
    }
    return lowest;
}

double run_energy_lost(const Comparison *comparison, const CompareRun *run, double *share) {
    const History *history = &run->history;
    *share = NAN;
    if (history->count == 0)
        return NAN;
    double start = energy_value(history, 0, ENERGY_TOTAL);
    double lost = start - energy_value(history, history->count - 1, ENERGY_TOTAL);
    double available = start - lowest_potential(comparison);
    if (available > 0 && isfinite(available))
        *share = lost / available;
    return lost;
}

/* Seconds per step as a multiple of the first run's; NaN: not known. */
static double time_ratio(const Comparison *comparison, const CompareRun *run) {
    const CompareRun *first = &comparison->runs[0];
    double steps = run_step_count(run), first_steps = run_step_count(first);
    return steps > 0 && first_steps > 0 ? (run->seconds / steps) / (first->seconds / first_steps) : NAN;
}

/* -------------------------------------------------------------------------------- the table */

static void print_run(const Comparison *comparison, const CompareRun *run) {
    char step[SAY_CAPACITY] = "-", total[SAY_CAPACITY], ratio[SAY_CAPACITY] = "-";
    char factors[SAY_CAPACITY] = "-", newton[SAY_CAPACITY] = "-";
    double share, lost = run_energy_lost(comparison, run, &share), steps = run_step_count(run);
    if (steps > 0) {
        say_duration(run->seconds / steps, step, sizeof step);
        if (isfinite(time_ratio(comparison, run)))
            snprintf(ratio, sizeof ratio, "%.2f", time_ratio(comparison, run));
        if (run->statistics.factor_count > 0)
            snprintf(factors, sizeof factors, "%.2f", run->statistics.factor_count / steps);
        if (run->statistics.newton_iterations > 0)
            snprintf(newton, sizeof newton, "%.1f", run->statistics.newton_iterations / steps);
    }
    printf("  %-24s %10s %10s %7s %10s %9s %9u %6u", run->label, step, say_duration(run->seconds, total, sizeof total),
           ratio, factors, newton, run->statistics.cut_steps, run->statistics.damped_steps);
    if (run->status == JN_ERR_CANCELLED)
        printf("   stopped");
    else if (run->status != JN_OK)
        printf("   failed in frame %.6g", run->failed_frame);
    else if (isfinite(share))
        printf(" %10.4g J %6.1f %%", lost, 100 * share);
    else if (isfinite(lost))
        printf(" %10.4g J", lost);
    putchar('\n');
}

/* Whether there is anything to report: after a stop, some runs were never begun. */
static bool was_begun(const CompareRun *run) {
    return run->status != JN_ERR_CANCELLED || run->history.count > 0;
}

void comparison_print(const Comparison *comparison) {
    size_t left_out = 0;
    printf("\n  %-24s %10s %10s %7s %10s %9s %9s %6s %21s\n", "", "a step", "in all", "ratio", "factors/st",
           "Newton/st", "cut steps", "damped", "energy lost");
    for (size_t r = 0; r < comparison->run_count; ++r)
        if (was_begun(&comparison->runs[r]))
            print_run(comparison, &comparison->runs[r]);
    for (size_t r = 0; r < comparison->run_count; ++r) {
        const CompareRun *run = &comparison->runs[r];
        left_out += !was_begun(run);
        if (was_begun(run) && run->status == JN_ERR_CANCELLED)
            printf("  %s was stopped after %zu of %u frames.\n", run->label, run->history.count,
                   comparison->frame_count);
        else if (was_begun(run) && run->status != JN_OK)
            printf("  %s failed in frame %.6g: %s\n", run->label, run->failed_frame, run->message.text);
    }
    if (left_out > 0)
        printf("  %zu more %s not begun.\n", left_out, left_out == 1 ? "was" : "were");
    puts("\nThe ratio is to the first line, step by step; factorizations and Newton iterations are per step. Damped: "
         "steps, or parts of them, that a damped integrator took where an undamped one failed. Energy lost: in total, "
         "and as "
         "part of what could move.");
}

/* -------------------------------------------------------------------------------- files */

cJSON *run_json(const Comparison *comparison, const CompareRun *run) {
    cJSON *object = cJSON_CreateObject();
    double share, lost = run_energy_lost(comparison, run, &share), steps = run_step_count(run);
    cJSON_AddStringToObject(object, "method", run->name);
    cJSON_AddNumberToObject(object, "steps_per_frame", run->steps_per_frame);
    if (run->choice[0])
        cJSON_AddStringToObject(object, "choice", run->choice);
    cJSON_AddStringToObject(object, "status", jn_status_name(run->status));
    if (run->status != JN_OK) {
        cJSON_AddStringToObject(object, "message", run->message.text);
        cJSON_AddNumberToObject(object, "failed_frame", run->failed_frame);
    }
    cJSON_AddNumberToObject(object, "frames", (double)run->history.count);
    cJSON_AddNumberToObject(object, "seconds", run->seconds);
    json_add_finite(object, "seconds_per_step", run->seconds / steps);
    json_add_finite(object, "time_ratio", time_ratio(comparison, run));
    cJSON_AddNumberToObject(object, "factorizations", run->statistics.factor_count);
    cJSON_AddNumberToObject(object, "newton_iterations", run->statistics.newton_iterations);
    cJSON_AddNumberToObject(object, "cut_steps", run->statistics.cut_steps);
    cJSON_AddNumberToObject(object, "damped_steps", run->statistics.damped_steps);
    json_add_finite(object, "energy_lost", lost);
    json_add_finite(object, "energy_lost_share", share);
    if (comparison->has_truth)
        error_work_add_json(object, comparison, run);
    return object;
}

/* The run's numbers, then its history, every number exactly. */
static bool write_run_json(FILE *file, const Comparison *comparison, const CompareRun *run) {
    cJSON *object = run_json(comparison, run);
    char *text = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    if (!text) {
        errno = ENOMEM;
        return false;
    }
    fprintf(file, "%.*s,\n\"history\": [", (int)strlen(text) - 1, text);
    cJSON_free(text);
    for (size_t i = 0; i < run->history.count; ++i) {
        fputs(i ? ",\n" : "\n", file);
        history_print_row_json(file, &run->history.rows[i]);
    }
    fputs("\n]}", file);
    return !ferror(file);
}

static bool write_truth_json(FILE *file, const Comparison *comparison) {
    cJSON *object = truth_json(comparison);
    char *text = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    errno = ENOMEM;
    if (text)
        fprintf(file, ",\n\"truth\": %s", text);
    cJSON_free(text);
    return text && !ferror(file);
}

static bool write_json(const Comparison *comparison, const char *path) {
    FILE *file = os_file_open(path, "wb");
    if (!file)
        return false;
    fputs("{\"runs\": [", file);
    bool written = true;
    for (size_t r = 0; written && r < comparison->run_count; ++r) {
        fputs(r ? ",\n" : "\n", file);
        written = write_run_json(file, comparison, &comparison->runs[r]);
    }
    fputs("\n]", file);
    written = written && (!comparison->has_truth || write_truth_json(file, comparison));
    written = fputs("}\n", file) >= 0 && written;
    return fclose(file) == 0 && written;
}

static bool write_csv(const Comparison *comparison, const char *path) {
    FILE *file = os_file_open(path, "wb");
    if (!file)
        return false;
    fputs("method,steps_per_frame,", file);
    history_print_header(file);
    for (size_t r = 0; r < comparison->run_count; ++r) {
        const CompareRun *run = &comparison->runs[r];
        for (size_t i = 0; i < run->history.count; ++i) {
            fprintf(file, "%s,%u,", run->name, run->steps_per_frame);
            history_print_row(file, &run->history.rows[i]);
        }
    }
    bool written = !ferror(file);
    return fclose(file) == 0 && written;
}

/* Only runs that have a line to draw. */
static bool write_plot(const Comparison *comparison, EnergyKind kind, const char *path) {
    EnergyCurve *curves = malloc((comparison->run_count + 1) * sizeof *curves);
    size_t count = 0;
    errno = ENOMEM;
    if (!curves)
        return false;
    for (size_t r = 0; r < comparison->run_count; ++r) {
        const CompareRun *run = &comparison->runs[r];
        if (run->history.count > 0)
            curves[count++] = (EnergyCurve){run->label, &run->history, run->status == JN_ERR_DIVERGED};
    }
    const char *title = kind == ENERGY_TOTAL ? "Total energy over time" : "Potential energy over time";
    bool written = energy_plot_compare(curves, count, kind, title, path);
    free(curves);
    return written;
}

static bool write_potential_plot(const Comparison *comparison, const char *path) {
    return write_plot(comparison, ENERGY_POTENTIAL, path);
}

static bool write_total_plot(const Comparison *comparison, const char *path) {
    return write_plot(comparison, ENERGY_TOTAL, path);
}

bool comparison_write(const Comparison *comparison, const char *folder, char **path) {
    static const struct {
        const char *name;
        bool (*write)(const Comparison *comparison, const char *path);
        bool needs_truth;
    } files[] = {{"potential_energy.svg", write_potential_plot, false},
                 {"potential_energy.png", write_potential_plot, false},
                 {"total_energy.svg", write_total_plot, false},
                 {"total_energy.png", write_total_plot, false},
                 {"compare.csv", write_csv, false},
                 {"compare.json", write_json, false},
                 {"error_work.svg", error_work_write_plot, true},
                 {"error_work.png", error_work_write_plot, true},
                 {"error_work.csv", error_work_write_csv, true}};
    size_t capacity = strlen(folder) + 64;
    *path = malloc(capacity);
    bool written = *path != NULL;
    for (size_t i = 0; written && i < sizeof files / sizeof files[0]; ++i) {
        if (files[i].needs_truth && !comparison->has_truth)
            continue;
        snprintf(*path, capacity, "%s/%s", folder, files[i].name);
        written = files[i].write(comparison, *path);
    }
    return written;
}
