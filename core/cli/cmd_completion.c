/* jounce completion: scripts for shells, made from the table of commands. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------------------------- bash and
   zsh

   Both shells run the same `case` statements, which set `choices` (what to offer) or `endings` (of files to
   offer). */

static void print_words(Hint hint) {
    const char *words[HINT_WORD_CAPACITY];
    size_t count = hint_words(hint, words, HINT_WORD_CAPACITY);
    for (size_t i = 0; i < count; ++i)
        printf("%s%s", i ? " " : "", words[i]);
}

/* choices="a b c" or endings="obj ply" */
static void print_hint(Hint hint) {
    const char *const *endings = hint_endings(hint);
    if (endings) {
        fputs("endings=\"", stdout);
        for (size_t i = 0; endings[i]; ++i)
            printf("%s%s", i ? " " : "", endings[i] + 1);
    } else {
        fputs("choices=\"", stdout);
        print_words(hint);
    }
    putchar('"');
}

/* The cases of values: "bake -o" | "bake --output") endings="abc" ;; */
static void print_value_cases(const Command *command) {
    for (const Option *option = command->options; option->name; ++option) {
        if (option->kind == OPTION_FLAG)
            continue;
        fputs("    ", stdout);
        if (option->letter)
            printf("\"%s -%c\" | ", command->name, option->letter);
        printf("\"%s --%s\") ", command->name, option->name);
        print_hint(option->hint);
        puts(" ;;");
    }
}

static void print_word_cases(const Command *command) {
    printf("        %s/-*) choices=\"", command->name);
    for (const Option *option = command->options; option->name; ++option)
        printf("%s--%s", option == command->options ? "" : " ", option->name);
    printf("\" ;;\n        %s/*) ", command->name);
    print_hint(command->hint);
    puts(" ;;");
}

static void print_cases(void) {
    puts("    local choices=\"\" endings=\"\" ending\n    case \"$command $previous\" in");
    for (const Command *command = commands; command->name; ++command)
        print_value_cases(command);
    puts("    *)\n        case \"$command/$current\" in");
    for (const Command *command = commands; command->name; ++command)
        print_word_cases(command);
    puts("        esac ;;\n    esac");
}

static void print_bash(void) {
    puts("# bash completion for jounce\n_jounce() {");
    puts("    local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"");
    puts("    local command=\"${COMP_WORDS[1]}\" IFS=$' \\t\\n'");
    puts("    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    fputs("        COMPREPLY=($(compgen -W \"", stdout);
    print_words(HINT_COMMANDS);
    puts("\" -- \"$current\"))\n        return\n    fi");
    print_cases();
    puts("    COMPREPLY=($(compgen -W \"$choices\" -- \"$current\"))\n    [ -n \"$endings\" ] || return 0");
    puts("    compopt -o filenames 2>/dev/null");
    puts("    for ending in $endings; do\n        local IFS=$'\\n'");
    puts("        COMPREPLY+=($(compgen -f -X \"!*.$ending\" -- \"$current\"))\n        IFS=$' \\t\\n'\n    "
         "done");
    puts("    local IFS=$'\\n'\n    COMPREPLY+=($(compgen -d -- \"$current\"))\n}\ncomplete -F _jounce "
         "jounce");
}

static void print_zsh(void) {
    puts("#compdef jounce\n_jounce() {");
    puts("    local current=\"$words[CURRENT]\" previous=\"$words[CURRENT-1]\" command=\"$words[2]\"");
    fputs("    if (( CURRENT == 2 )); then\n        compadd -- ", stdout);
    print_words(HINT_COMMANDS);
    puts("\n        return\n    fi");
    print_cases();
    puts("    if [[ -n \"$endings\" ]]; then\n        _files -g \"*.(${endings// /|})(-.)\"");
    puts("    else\n        compadd -- ${=choices}\n    fi\n}\ncompdef _jounce jounce");
}

/* -------------------------------------------------------------------------------- fish */

/* Prints between single quotes as fish reads them. */
static void print_fish_quoted(const char *text) {
    putchar('\'');
    for (; *text; ++text)
        printf("%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
    putchar('\'');
}

/* -f -a 'a b c' for words, -F for files, -f for neither */
static void print_fish_hint(Hint hint) {
    if (hint_endings(hint)) {
        fputs(" -F", stdout);
    } else {
        fputs(" -f -a '", stdout);
        print_words(hint);
        putchar('\'');
    }
}

static void print_fish_command(const Command *command) {
    fputs("complete -c jounce -f -n __fish_use_subcommand -a ", stdout);
    printf("%s -d ", command->name);
    print_fish_quoted(command->summary);
    printf("\ncomplete -c jounce -n '__fish_seen_subcommand_from %s'", command->name);
    print_fish_hint(command->hint);
    putchar('\n');
    for (const Option *option = command->options; option->name; ++option) {
        printf("complete -c jounce -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
        if (option->letter)
            printf(" -s %c", option->letter);
        if (option->kind != OPTION_FLAG) {
            fputs(" -r", stdout);
            print_fish_hint(option->hint);
        }
        fputs(" -d ", stdout);
        print_fish_quoted(option->summary);
        putchar('\n');
    }
}

ExitCode run_completion(const Arguments *arguments) {
    const char *shell = arguments->positionals[0];
    if (strcmp(shell, "bash") == 0) {
        print_bash();
    } else if (strcmp(shell, "zsh") == 0) {
        print_zsh();
    } else if (strcmp(shell, "fish") == 0) {
        puts("# fish completion for jounce");
        for (const Command *command = commands; command->name; ++command)
            print_fish_command(command);
    } else {
        return fail(arguments, EXIT_USAGE, "there is no completion for '%s'; there are bash, zsh and fish", shell);
    }
    return EXIT_DONE;
}
