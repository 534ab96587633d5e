/* jounce help, jounce version, jounce schema: commands that only print. */
#include "cli.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

ExitCode run_help(const Arguments *arguments) {
    if (option_given(arguments, "markdown")) {
        print_markdown();
        return EXIT_DONE;
    }
    if (arguments->positional_count == 0) {
        print_overview();
        return EXIT_DONE;
    }
    const char *name = arguments->positionals[0];
    const Command *command = command_find(name);
    if (command) {
        print_command_help(command);
        return EXIT_DONE;
    }
    const char *names[HINT_WORD_CAPACITY];
    size_t count = hint_words(HINT_COMMANDS, names, HINT_WORD_CAPACITY);
    const char *near = nearest_word(name, names, count);
    return fail(arguments, EXIT_USAGE, "there is no command '%s'%s%s%s", name, near ? "; did you mean '" : "",
                near ? near : "", near ? "'?" : "");
}

ExitCode run_version(const Arguments *arguments) {
    if (option_given(arguments, "json")) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "version", jn_version());
        cJSON_AddNumberToObject(object, "api_version", jn_api_version());
        print_json(object);
    } else {
        printf("jounce %s\n", jn_version());
    }
    return EXIT_DONE;
}

ExitCode run_schema(const Arguments *arguments) {
    size_t length = jn_scene_schema(NULL, 0);
    char *text = malloc(length + 1);
    if (!text)
        return fail(arguments, EXIT_MEMORY, "out of memory for the schema");
    jn_scene_schema(text, length + 1);
    puts(text);
    free(text);
    return EXIT_DONE;
}
