/* Help on the terminal and the tables of docs/command-line.md, made from the table of commands. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static void print_exit_codes(void) {
    puts("\nExit codes");
    for (int code = 0; code < EXIT_CODE_COUNT; ++code)
        printf("  %d  %s\n", code, exit_code_meaning(code));
}

void print_overview(void) {
    printf("jounce %s: bakes jiggle and secondary motion to Alembic.\n\n", jn_version());
    puts("Usage: jounce <command> [options]\n\nCommands");
    for (const Command *command = commands; command->name; ++command)
        printf("  %-11s %s\n", command->name, command->summary);
    puts("\n`jounce help <command>` explains one of them.");
    print_exit_codes();
}

/* "-o, --output FILE" */
static void option_usage(const Option *option, char *text, size_t capacity) {
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(text, capacity, "%s--%s%s%s", letter, option->name, option->value ? " " : "",
             option->value ? option->value : "");
}

/* Prints the sentence in lines of at most `width` letters, the second and later ones indented by `indent`. */
static void print_wrapped(const char *sentence, int indent, int width) {
    for (int column = 0; *sentence;) {
        int length = (int)strcspn(sentence, " ");
        if (column > 0 && column + 1 + length > width) {
            printf("\n%*s", indent, "");
            column = 0;
        }
        column += printf("%s%.*s", column > 0 ? " " : "", length, sentence);
        sentence += length;
        sentence += *sentence == ' ';
    }
    putchar('\n');
}

static void print_usage(const Command *command) {
    printf("jounce %s%s%s [options]", command->name, command->positionals[0] ? " " : "", command->positionals);
}

void print_command_help(const Command *command) {
    printf("%s\n\nUsage: ", command->summary);
    print_usage(command);
    puts("\n\nOptions");
    for (const Option *option = command->options; option->name; ++option) {
        char usage[64];
        option_usage(option, usage, sizeof usage);
        printf("  %s%-*s ", option->letter ? "" : "    ", option->letter ? 22 : 18, usage);
        print_wrapped(option->summary, 25, 85);
    }
    if (command->notes) {
        putchar('\n');
        print_wrapped(command->notes, 0, 108);
    }
    if (command->examples) {
        fputs("\nExamples\n  ", stdout);
        for (const char *letter = command->examples; *letter; ++letter)
            printf("%c%s", *letter, *letter == '\n' ? "  " : "");
        putchar('\n');
    }
    print_exit_codes();
}

void print_markdown(void) {
    puts("| command | what it does |\n|---|---|");
    for (const Command *command = commands; command->name; ++command)
        printf("| [`%s`](#jounce-%s) | %s |\n", command->name, command->name, command->summary);
    for (const Command *command = commands; command->name; ++command) {
        printf("\n### jounce %s\n\n%s\n\n```text\n", command->name, command->summary);
        print_usage(command);
        puts("\n```\n\n| option | meaning |\n|---|---|");
        for (const Option *option = command->options; option->name; ++option) {
            char usage[64];
            option_usage(option, usage, sizeof usage);
            printf("| `%s` | %s |\n", usage, option->summary);
        }
        if (command->notes)
            printf("\n%s\n", command->notes);
        if (command->examples)
            printf("\n```sh\n%s\n```\n", command->examples);
    }
    puts("\n### Exit codes\n\n| code | meaning |\n|---|---|");
    for (int code = 0; code < EXIT_CODE_COUNT; ++code)
        printf("| %d | %s |\n", code, exit_code_meaning(code));
}
