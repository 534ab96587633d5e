/* jounce: the command line. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* `jounce --version` and `jounce --help` work as everywhere. */
static const char *command_name(const char *word) {
    if (strcmp(word, "--version") == 0)
        return "version";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return "help";
    return word;
}

static ExitCode fail_unknown_command(const char *word) {
    const char *names[HINT_WORD_CAPACITY];
    size_t count = hint_words(HINT_COMMANDS, names, HINT_WORD_CAPACITY);
    const char *near = nearest_word(word, names, count);
    if (near)
        fprintf(stderr, "jounce: there is no command '%s'; did you mean `jounce %s`?\n", word, near);
    else
        fprintf(stderr, "jounce: there is no command '%s'; `jounce help` has the list\n", word);
    return EXIT_USAGE;
}

int main(int argc, char **argv) {
    if (jn_api_version() != JN_API_VERSION) {
        fprintf(stderr, "jounce: the library beside this command is of another version (API %d, not %d)\n",
                (int)jn_api_version(), JN_API_VERSION);
        return EXIT_FILE;
    }
    if (argc < 2) {
        print_overview();
        return EXIT_USAGE;
    }
    const Command *command = command_find(command_name(argv[1]));
    if (!command)
        return fail_unknown_command(argv[1]);
    Arguments arguments;
    bool help = false;
    if (!arguments_parse(&arguments, command, argc, argv, &help))
        return EXIT_USAGE;
    if (help) {
        print_command_help(command);
        return EXIT_DONE;
    }
    ExitCode code = command->run(&arguments);
    // check that the output was written: a full disk behind `>` is an error
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE)
        return fail_file(&arguments, "write to", "standard output");
    return code;
}
