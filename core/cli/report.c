/* The output of the command: errors, exit codes, numbers for people, JSON for programs. */
#include "cli.h"
#include "os.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *exit_code_meaning(ExitCode code) {
    static const char *const meanings[EXIT_CODE_COUNT] = {
        [EXIT_DONE] = "Done.",
        [EXIT_INPUT] = "The scene, mesh or cache is wrong; the message says what and where.",
        [EXIT_USAGE] = "The command line is wrong.",
        [EXIT_CANCELLED] = "Stopped by Ctrl-C or a request to terminate; the finished frames are kept.",
        [EXIT_FILE] = "A file cannot be opened, read or written.",
        [EXIT_DIVERGED] = "The simulation diverged; the finished frames are kept.",
        [EXIT_MEMORY] = "Out of memory.",
    };
    return meanings[code];
}

ExitCode exit_code_of_status(JnStatus status) {
    switch (status) {
    case JN_OK:
        return EXIT_DONE;
    case JN_ERR_FILE:
        return EXIT_FILE;
    case JN_ERR_MEMORY:
        return EXIT_MEMORY;
    case JN_ERR_DIVERGED:
        return EXIT_DIVERGED;
    case JN_ERR_CANCELLED:
        return EXIT_CANCELLED;
    default:
        return EXIT_INPUT;
    }
}

/* -------------------------------------------------------------------------------- errors */

static bool json_wanted(const Arguments *arguments) {
    for (const Option *option = arguments->command->options; option->name; ++option)
        if (strcmp(option->name, "json") == 0)
            return arguments->values[option - arguments->command->options] != NULL;
    return false;
}

static ExitCode print_error(const Arguments *arguments, ExitCode code, const char *status, const char *sentence) {
    fprintf(stderr, "jounce %s: %s\n", arguments->command->name, sentence);
    if (json_wanted(arguments)) {
        cJSON *object = cJSON_CreateObject(), *error = cJSON_AddObjectToObject(object, "error");
        if (status)
            cJSON_AddStringToObject(error, "status", status);
        cJSON_AddStringToObject(error, "message", sentence);
        cJSON_AddNumberToObject(error, "exit_code", code);
        print_json(object);
    }
    return code;
}

ExitCode fail(const Arguments *arguments, ExitCode code, const char *format, ...) {
    char sentence[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    return print_error(arguments, code, NULL, sentence);
}

ExitCode fail_message(const Arguments *arguments, const JnMessage *message) {
    return print_error(arguments, exit_code_of_status(message->status), jn_status_name(message->status), message->text);
}

ExitCode fail_file(const Arguments *arguments, const char *verb, const char *path) {
    char reason[128];
    os_error_text(reason, sizeof reason);
    return fail(arguments, EXIT_FILE, "cannot %s %s: %s", verb, path, reason);
}

ExitCode check_output(const Arguments *arguments, const char *path, const JnScene *scene) {
    bool is_read = jn_scene_reads(scene, path);
    for (uint32_t i = 0; i < arguments->positional_count; ++i)
        is_read = is_read || os_path_is_same(arguments->positionals[i], path);
    if (is_read)
        return fail(arguments, EXIT_FILE, "%s is what this command reads: name another file to write to", path);
    if (os_file_is_protected(path))
        return fail(arguments, EXIT_FILE, "%s is write-protected: allow writing to it, or name another file", path);
    return EXIT_DONE;
}

/* -------------------------------------------------------------------------------- numbers */

const char *say_count(uint64_t count, char *text, size_t capacity) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < capacity; ++i) {
        if (i > 0 && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

void copy_name(const char *name, char *copy, size_t capacity) {
    size_t length = strlen(name);
    if (length >= capacity)
        for (length = capacity - 1; length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80;)
            --length;
    memcpy(copy, name, length);
    copy[length] = '\0';
}

const char *say_bytes(double bytes, char *text, size_t capacity) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 999.5 && unit < 4; ++unit)
        bytes /= 1000;
    snprintf(text, capacity, "%.*f %s", unit > 0 && bytes < 99.95 ? 1 : 0, bytes, units[unit]);
    return text;
}

const char *say_duration(double seconds, char *text, size_t capacity) {
    if (!isfinite(seconds) || seconds < 0)
        snprintf(text, capacity, "unknown");
    else if (seconds < 0.9995)
        snprintf(text, capacity, "%.*f ms", seconds < 0.00995 ? 1 : 0, seconds * 1000);
    else if (seconds < 99.95)
        snprintf(text, capacity, "%.1f s", seconds);
    else if (seconds < 3599.5)
        snprintf(text, capacity, "%d min %02d s", (int)(seconds + 0.5) / 60, (int)(seconds + 0.5) % 60);
    else
        snprintf(text, capacity, "%.0f h %02d min", floor((seconds + 30) / 3600), (int)fmod((seconds + 30) / 60, 60));
    return text;
}

char *path_with_ending(const char *path, const char *ending) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot != name ? (size_t)(dot - path) : strlen(path);
    char *result = malloc(stem + strlen(ending) + 1);
    if (result) {
        memcpy(result, path, stem);
        strcpy(result + stem, ending);
    }
    return result;
}

void print_json(cJSON *object) {
    char *text = cJSON_PrintUnformatted(object);
    puts(text ? text : "{\"error\":{\"message\":\"out of memory\"}}");
    // flush, so that a reading program gets every line immediately
    fflush(stdout);
    cJSON_free(text);
    cJSON_Delete(object);
}

void json_add_finite(cJSON *object, const char *key, double number) {
    if (isfinite(number))
        cJSON_AddNumberToObject(object, key, number);
    else
        cJSON_AddNullToObject(object, key);
}

const char *mode_region(const JnBakeDesc *desc, const JnMode *mode) {
    const JnBody *body = &desc->bodies[mode->body_index];
    return mode->region_index < body->region_count ? body->regions[mode->region_index].name : NULL;
}
