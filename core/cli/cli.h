/* The `jounce` command: shared by its subcommands. A command is one file, cmd_<name>.c, and one line in the table of
   commands.c; parsing, help, docs/command-line.md and shell completion are all made from that table. */
#ifndef JN_CLI_H
#define JN_CLI_H

#include "jounce.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -------------------------------------------------------------------------------- exit codes */

typedef int ExitCode;
enum {
    EXIT_DONE = 0,
    EXIT_INPUT = 1,
    EXIT_USAGE = 2,
    EXIT_CANCELLED = 3,
    EXIT_FILE = 4,
    EXIT_DIVERGED = 5,
    EXIT_MEMORY = 6,
    EXIT_CODE_COUNT = 7
};

/* One sentence for help and docs. */
const char *exit_code_meaning(ExitCode code);
ExitCode exit_code_of_status(JnStatus status);

/* -------------------------------------------------------------------------------- the tables */

typedef enum OptionKind {
    OPTION_FLAG,    /* no value */
    OPTION_TEXT,    /* any text */
    OPTION_COUNT,   /* a whole number, at least 1 */
    OPTION_NUMBER,  /* one finite number */
    OPTION_NUMBERS, /* finite numbers separated by commas */
    OPTION_TRIPLE,  /* exactly three of them */
    OPTION_CHOICE,  /* one of the words of `hint` */
} OptionKind;

/* What a shell may offer for a value or an argument. */
typedef enum Hint {
    HINT_NONE,
    HINT_SCENE,    /* .json files */
    HINT_CACHE,    /* .abc files */
    HINT_PICTURE,  /* .png and .mp4 files */
    HINT_SHOWN,    /* .abc and .json files */
    HINT_PLOT,     /* .svg and .png files */
    HINT_TABLE,    /* .csv and .json files */
    HINT_MESH,     /* mesh files */
    HINT_TOPICS,   /* what `jounce list` knows */
    HINT_SHAPES,   /* names in JN_TABLE_SHAPES */
    HINT_METHODS,  /* names in JN_TABLE_INTEGRATORS, and "all" */
    HINT_COMMANDS, /* names of commands */
    HINT_SHELLS,   /* bash, zsh, fish */
} Hint;

typedef struct Option {
    const char *name; /* "frames", given as --frames */
    char letter;      /* 'o' for -o, 0: none */
    OptionKind kind;
    Hint hint;
    const char *value;   /* how help names the value: "N"; NULL for a flag */
    const char *summary; /* one sentence */
} Option;

typedef struct Arguments Arguments;

typedef struct Command {
    const char *name;
    const char *summary;     /* one sentence, for the list of commands */
    const char *positionals; /* as shown in usage: "scene.json", "[topic]", "" */
    Hint hint;               /* of the positionals */
    uint32_t positional_minimum, positional_maximum;
    const Option *options; /* ends with a NULL name */
    const char *notes;     /* a paragraph below the options in help; NULL: none */
    const char *examples;  /* lines of a shell below that; NULL: none */
    ExitCode (*run)(const Arguments *arguments);
} Command;

extern const Command commands[]; /* ends with a NULL name */

/* NULL if there is none. */
const Command *command_find(const char *name);

/* The words of a hint, at most `capacity`; returns their number. 0 for kinds of files. */
size_t hint_words(Hint hint, const char **words, size_t capacity);
/* The endings of a file hint, ".obj", ends with NULL; NULL for other hints. */
const char *const *hint_endings(Hint hint);

/* -------------------------------------------------------------------------------- parsing */

enum { POSITIONAL_CAPACITY = 4, OPTION_CAPACITY = 16, HINT_WORD_CAPACITY = 64 };

struct Arguments {
    const Command *command;
    int argument_count;     /* the whole command line, for messages that repeat it */
    char **argument_values; /* [argument_count] */
    const char *positionals[POSITIONAL_CAPACITY];
    uint32_t positional_count;
    const char *values[OPTION_CAPACITY]; /* per option of the command: its text, "" for a flag, NULL: not given */
};

/* Reads argv[2..] by the command's table and checks every value by its kind. On failure prints what is wrong
   and what was probably meant, and returns false. `--help` is not an error: *help is set. */
bool arguments_parse(Arguments *arguments, const Command *command, int argc, char **argv, bool *help);

/* Values by option name; the name must be in the command's table. */
bool option_given(const Arguments *arguments, const char *name);
const char *option_text(const Arguments *arguments, const char *name); /* NULL: not given */
uint32_t option_count(const Arguments *arguments, const char *name, uint32_t fallback);
double option_number(const Arguments *arguments, const char *name, double fallback);
/* Reads at most `capacity` numbers; returns the number given, which may be larger. 0: not given. */
size_t option_numbers(const Arguments *arguments, const char *name, double *numbers, size_t capacity);

/* The candidate nearest to `word` by edit distance, NULL if none is near. */
const char *nearest_word(const char *word, const char *const *candidates, size_t count);

/* -------------------------------------------------------------------------------- messages */

#if defined(__GNUC__)
#define CLI_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define CLI_PRINTF(format_index, first)
#endif

/* Prints "jounce <command>: <sentence>" on stderr and, with --json, {"error": ...} on stdout. Returns `code`. */
ExitCode fail(const Arguments *arguments, ExitCode code, const char *format, ...) CLI_PRINTF(3, 4);
/* The same for a message of the core. */
ExitCode fail_message(const Arguments *arguments, const JnMessage *message);
/* The same for a file that the system refused: "cannot <verb> <path>: <reason in errno>". */
ExitCode fail_file(const Arguments *arguments, const char *verb, const char *path);

/* EXIT_DONE if a file may be written at `path`: it is not write-protected, and the command does not read it, neither as
   an argument nor as a file of `scene` (NULL: none). Else says why not. */
ExitCode check_output(const Arguments *arguments, const char *path, const JnScene *scene);

/* Numbers formatted for people, written to `text` [capacity], which is returned. */
const char *say_count(uint64_t count, char *text, size_t capacity);    /* 12,345 */
const char *say_bytes(double bytes, char *text, size_t capacity);      /* 4.2 MB */
const char *say_duration(double seconds, char *text, size_t capacity); /* 850 ms, 12.3 s, 4 min 05 s, 3 h 12 min */
enum { SAY_CAPACITY = 32 };
/* A name that is too long is cut between two characters of UTF-8. */
void copy_name(const char *name, char *copy, size_t capacity);

/* "scene.json" with the ending ".abc" is "scene.abc". The caller frees it; NULL: out of memory. */
char *path_with_ending(const char *path, const char *ending);

/* Prints the object as one line on stdout and deletes it. */
struct cJSON;
void print_json(struct cJSON *object);
/* null for a number that JSON cannot represent. */
void json_add_finite(struct cJSON *object, const char *key, double number);

/* The painted region of its body that moves most in the mode; NULL: none, or it has no name. */
const char *mode_region(const JnBakeDesc *desc, const JnMode *mode);

/* -------------------------------------------------------------------------------- help, docs */

void print_overview(void);
void print_command_help(const Command *command);
/* The tables of docs/command-line.md. */
void print_markdown(void);

/* -------------------------------------------------------------------------------- the commands */

ExitCode run_bake(const Arguments *arguments);
ExitCode run_check(const Arguments *arguments);
ExitCode run_modes(const Arguments *arguments);
ExitCode run_regions(const Arguments *arguments);
ExitCode run_compare(const Arguments *arguments);
ExitCode run_damping(const Arguments *arguments);
ExitCode run_info(const Arguments *arguments);
ExitCode run_show(const Arguments *arguments);
ExitCode run_mesh(const Arguments *arguments);
ExitCode run_list(const Arguments *arguments);
ExitCode run_schema(const Arguments *arguments);
ExitCode run_completion(const Arguments *arguments);
ExitCode run_version(const Arguments *arguments);
ExitCode run_help(const Arguments *arguments);

#endif
