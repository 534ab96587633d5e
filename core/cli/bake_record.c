#include "bake_record.h"

#include "energy_plot.h"
#include "picture/plot.h"

#include <errno.h>
#include <stdio.h>

static bool is_wanted(const BakeRecord *record) {
    return record->history_path || record->plot_path;
}

ExitCode record_init(BakeRecord *record, const Arguments *arguments) {
    *record = (BakeRecord){.arguments = arguments,
                           .history_path = option_text(arguments, "history"),
                           .plot_path = option_text(arguments, "plot")};
    if (record->history_path && !history_path_is_known(record->history_path))
        return fail(arguments, EXIT_USAGE, "--history writes .csv and .json files, not '%s'", record->history_path);
    if (record->plot_path && !plot_path_is_known(record->plot_path))
        return fail(arguments, EXIT_USAGE, "--plot writes .svg and .png files, not '%s'", record->plot_path);
    return EXIT_DONE;
}

ExitCode record_check(const BakeRecord *record, const JnScene *scene) {
    ExitCode code = EXIT_DONE;
    if (record->history_path)
        code = check_output(record->arguments, record->history_path, scene);
    if (code == EXIT_DONE && record->plot_path)
        code = check_output(record->arguments, record->plot_path, scene);
    if (code == EXIT_DONE && record->history_path && !history_may_replace(record->history_path))
        code = fail(record->arguments, EXIT_FILE,
                    "%s is there and is no history of a bake, so it is left alone: remove it, or name another file",
                    record->history_path);
    return code;
}

ExitCode record_begin(BakeRecord *record, double first_frame, uint32_t kept_count, uint32_t frame_count) {
    if (!is_wanted(record))
        return EXIT_DONE;
    if (record->history_path && !history_read(&record->history, record->history_path, first_frame, kept_count))
        return fail(record->arguments, EXIT_MEMORY, "out of memory for the history");
    if (record->history.count < kept_count)
        fprintf(stderr, "Of the %u frames baked before, %zu are in the history: the others were baked without one.\n",
                kept_count, record->history.count);
    // a bake that has nothing to do does not change the file
    if (kept_count == frame_count || history_open(&record->history, record->history_path))
        return EXIT_DONE;
    ExitCode code = fail_file(record->arguments, "write", record->history_path);
    history_close(&record->history);
    return code;
}

void record_frame(BakeRecord *record, JnBake *bake) {
    if (is_wanted(record) && !record->failure && !history_add(&record->history, bake))
        record->failure = errno ? errno : EIO;
}

ExitCode record_end(BakeRecord *record) {
    ExitCode code = EXIT_DONE;
    if (!is_wanted(record))
        return EXIT_DONE;
    if (record->plot_path && record->history.count > 0 &&
        !energy_plot_bake(&record->history, "Energy over time", record->plot_path))
        code = fail_file(record->arguments, "write", record->plot_path);
    bool closed = history_close(&record->history);
    if (record->failure)
        errno = record->failure;
    if (record->failure || !closed)
        code = fail_file(record->arguments, "write", record->history_path ? record->history_path : record->plot_path);
    return code;
}
