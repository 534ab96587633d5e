#include "history.h"

#include "os.h"
#include "path_ending.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------- columns */

typedef struct Column {
    const char *name;
    size_t offset; /* in HistoryRow */
    bool is_count; /* uint32_t, else double */
} Column;

#define NUMBER(name, field)                                                                                            \
    { name, offsetof(HistoryRow, field), false }
#define COUNT(name, field)                                                                                             \
    { name, offsetof(HistoryRow, field), true }

static const Column columns[] = {
    NUMBER("frame", motion.frame),
    NUMBER("time", motion.time),
    NUMBER("kinetic_energy", motion.kinetic_energy),
    NUMBER("elastic_energy", motion.elastic_energy),
    NUMBER("gravity_energy", motion.gravity_energy),
    NUMBER("force_energy", motion.force_energy),
    NUMBER("goal_energy", motion.goal_energy),
    NUMBER("contact_energy", motion.contact_energy),
    NUMBER("total_energy", motion.total_energy),
    NUMBER("momentum_x", motion.momentum[0]),
    NUMBER("momentum_y", motion.momentum[1]),
    NUMBER("momentum_z", motion.momentum[2]),
    NUMBER("angular_momentum_x", motion.angular_momentum[0]),
    NUMBER("angular_momentum_y", motion.angular_momentum[1]),
    NUMBER("angular_momentum_z", motion.angular_momentum[2]),
    NUMBER("largest_speed", motion.largest_speed),
    COUNT("steps", motion.steps_done),
    COUNT("extra_steps", motion.extra_steps),
    COUNT("damped_steps", motion.damped_steps),
    NUMBER("residual", motion.residual),
    COUNT("contact_pairs", contact.pair_count),
    COUNT("contacts", contact.contact_count),
    COUNT("sticking", contact.sticking_count),
    COUNT("sliding", contact.sliding_count),
    COUNT("contact_rounds", contact.round_count),
    NUMBER("smallest_distance", contact.smallest_distance),
    NUMBER("deepest_penetration", contact.deepest_penetration),
    COUNT("overlaps", contact.overlap_count),
    NUMBER("overlap_x", contact.overlap_place[0]),
    NUMBER("overlap_y", contact.overlap_place[1]),
    NUMBER("overlap_z", contact.overlap_place[2]),
};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0], LINE_CAPACITY = 4096 };

static double column_get(const HistoryRow *row, const Column *column) {
    const char *field = (const char *)row + column->offset;
    return column->is_count ? *(const uint32_t *)(const void *)field : *(const double *)(const void *)field;
}

static void column_set(HistoryRow *row, const Column *column, double value) {
    char *field = (char *)row + column->offset;
    if (!column->is_count)
        *(double *)(void *)field = value;
    else
        *(uint32_t *)(void *)field = value >= 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* -------------------------------------------------------------------------------- rows as text */

void history_print_header(FILE *file) {
    for (size_t i = 0; i < COLUMN_COUNT; ++i)
        fprintf(file, "%s%s", i ? "," : "", columns[i].name);
    fputc('\n', file);
}

/* 17 digits represent every number exactly. */
void history_print_row(FILE *file, const HistoryRow *row) {
    for (size_t i = 0; i < COLUMN_COUNT; ++i) {
        double value = column_get(row, &columns[i]);
        fputs(i ? "," : "", file);
        if (isfinite(value))
            fprintf(file, "%.17g", value);
    }
    fputc('\n', file);
}

void history_print_row_json(FILE *file, const HistoryRow *row) {
    for (size_t i = 0; i < COLUMN_COUNT; ++i) {
        double value = column_get(row, &columns[i]);
        fprintf(file, "%s\"%s\": ", i ? ", " : "{", columns[i].name);
        if (isfinite(value))
            fprintf(file, "%.17g", value);
        else
            fputs("null", file);
    }
    fputc('}', file);
}

static bool read_row_csv(const char *line, HistoryRow *row) {
    for (size_t i = 0; i < COLUMN_COUNT; ++i) {
        char *end;
        double value = strtod(line, &end);
        column_set(row, &columns[i], end == line ? NAN : value);
        if (*end != (i + 1 < COLUMN_COUNT ? ',' : '\n'))
            return false;
        line = end + 1;
    }
    return true;
}

static bool read_row_json(const char *line, HistoryRow *row) {
    cJSON *object = cJSON_ParseWithLength(line, strcspn(line, "\n"));
    bool complete = object != NULL;
    for (size_t i = 0; complete && i < COLUMN_COUNT; ++i) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, columns[i].name);
        complete = cJSON_IsNumber(value) || cJSON_IsNull(value);
        column_set(row, &columns[i], cJSON_IsNumber(value) ? value->valuedouble : NAN);
    }
    cJSON_Delete(object);
    return complete;
}

/* -------------------------------------------------------------------------------- the file */

static const char json_head[] = "{\"jounce_history\": 1, \"frames\": [\n";
static const char json_tail[] = "\n]}\n";

bool history_path_is_known(const char *path) {
    return path_has_ending(path, ".csv") || path_has_ending(path, ".json");
}

bool history_may_replace(const char *path) {
    FILE *file = os_file_open(path, "rb");
    char line[LINE_CAPACITY] = "";
    bool is_empty = !file || !fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    const char *head = path_has_ending(path, ".json") ? json_head : "frame,time,";
    return is_empty || strncmp(line, head, strlen(head)) == 0;
}

static bool append(History *history, const HistoryRow *row) {
    if (history->count == history->capacity) {
        size_t capacity = 2 * history->capacity + 64;
        HistoryRow *grown = realloc(history->rows, capacity * sizeof *grown);
        if (!grown) {
            errno = ENOMEM;
            return false;
        }
        history->rows = grown;
        history->capacity = capacity;
    }
    history->rows[history->count++] = *row;
    return true;
}

bool history_read(History *history, const char *path, double first_frame, size_t frame_count) {
    FILE *file = os_file_open(path, "rb");
    bool json = path_has_ending(path, ".json"), enough = true;
    char line[LINE_CAPACITY];
    // the first line is the header; rows are used up to the first that does not continue the sequence
    while (file && enough && history->count < frame_count && fgets(line, sizeof line, file)) {
        HistoryRow row = {.motion = {.struct_size = sizeof row.motion}};
        if (json ? read_row_json(line, &row) : read_row_csv(line, &row)) {
            double before = history->count ? history->rows[history->count - 1].motion.frame : first_frame - 1;
            if (!(row.motion.frame > before && row.motion.frame < first_frame + (double)frame_count))
                break;
            enough = append(history, &row);
        } else if (history->count > 0) {
            break;
        }
    }
    if (file)
        fclose(file);
    return enough;
}

/* Appends row `index`; JSON is closed after it, and reopened for the next. */
static bool write_row(History *history, size_t index) {
    FILE *file = history->file;
    errno = 0;
    if (path_has_ending(history->path, ".json")) {
        bool placed = index == 0 || fseek(file, -(long)(sizeof json_tail - 1), SEEK_END) == 0;
        if (!placed)
            return false;
        fputs(index == 0 ? json_head : ",\n", file);
        history_print_row_json(file, &history->rows[index]);
        fputs(json_tail, file);
    } else {
        if (index == 0)
            history_print_header(file);
        history_print_row(file, &history->rows[index]);
    }
    bool written = fflush(file) == 0 && !ferror(file);
    if (!written && errno == 0)
        errno = EIO;
    return written;
}

bool history_open(History *history, const char *path) {
    history->path = path;
    if (!path)
        return true;
    history->file = os_file_open(path, "wb");
    bool written = history->file != NULL;
    for (size_t i = 0; written && i < history->count; ++i)
        written = write_row(history, i);
    return written;
}

bool history_add(History *history, JnBake *bake) {
    HistoryRow row = {.motion = {.struct_size = sizeof row.motion}, .contact = {.struct_size = sizeof row.contact}};
    if (jn_bake_motion(bake, &row.motion, NULL) != JN_OK || jn_bake_contact(bake, &row.contact, NULL) != JN_OK) {
        errno = ENOMEM;
        return false;
    }
    row.contact.overlap_first = row.contact.overlap_second = NULL;
    row.contact.seconds = 0;
    return append(history, &row) && (!history->file || write_row(history, history->count - 1));
}

bool history_close(History *history) {
    errno = 0;
    bool closed = !history->file || fclose(history->file) == 0;
    free(history->rows);
    *history = (History){0};
    return closed;
}
