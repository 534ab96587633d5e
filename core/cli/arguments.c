/* The command line, read by the tables of commands.c. */
#include "cli.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------- near words */

static size_t smallest(size_t a, size_t b, size_t c) {
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Levenshtein's distance by one row of the table, for words of less than 64 letters. */
static size_t edit_distance(const char *a, const char *b) {
    size_t row[64], b_length = strlen(b);
    if (strlen(a) >= 64 || b_length >= 64)
        return SIZE_MAX;
    for (size_t j = 0; j <= b_length; ++j)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; ++j) {
            size_t above = row[j];
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_length];
}

const char *nearest_word(const char *word, const char *const *candidates, size_t count) {
    const char *nearest = NULL;
    size_t nearest_distance = SIZE_MAX;
    for (size_t i = 0; i < count; ++i) {
        size_t distance = edit_distance(word, candidates[i]);
        // a prefix, "int" for "integrators", counts as near, like a typing error
        if (word[0] && strncmp(word, candidates[i], strlen(word)) == 0)
            distance = 1;
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = candidates[i];
        }
    }
    return nearest && nearest_distance <= 1 + strlen(word) / 3 ? nearest : NULL;
}

/* -------------------------------------------------------------------------------- kinds of values */

/* Reads "1,2.5,-3": how many numbers, 0 if the text is anything else. Writes at most `capacity` of them. */
static size_t read_numbers(const char *text, double *numbers, size_t capacity) {
    for (size_t count = 0;;) {
        char *end;
        double number = strtod(text, &end);
        if (end == text || !isfinite(number) || (*end && *end != ','))
            return 0;
        if (count < capacity)
            numbers[count] = number;
        ++count;
        if (!*end)
            return count;
        text = end + 1;
    }
}

static bool is_count(const char *text) {
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    return end != text && !*end && errno == 0 && number >= 1 && number <= UINT32_MAX;
}

static bool check_choice(const Arguments *arguments, const Option *option, const char *text) {
    const char *words[HINT_WORD_CAPACITY];
    size_t count = hint_words(option->hint, words, HINT_WORD_CAPACITY);
    for (size_t i = 0; i < count && i < HINT_WORD_CAPACITY; ++i)
        if (strcmp(words[i], text) == 0)
            return true;
    const char *near = nearest_word(text, words, count);
    fail(arguments, EXIT_USAGE, "--%s: there is no '%s'%s%s%s", option->name, text, near ? "; did you mean '" : "",
         near ? near : "", near ? "'?" : "");
    return false;
}

/* Whether the text is valid for the option's kind; prints an error if not. */
static bool check_value(const Arguments *arguments, const Option *option, const char *text) {
    const char *wanted = NULL;
    switch (option->kind) {
    case OPTION_COUNT:
        wanted = is_count(text) ? NULL : "a whole number of at least 1";
        break;
    case OPTION_NUMBER:
        wanted = read_numbers(text, NULL, 0) == 1 ? NULL : "a number";
        break;
    case OPTION_NUMBERS:
        wanted = read_numbers(text, NULL, 0) >= 1 ? NULL : "numbers with commas between them, such as 1,12,24";
        break;
    case OPTION_TRIPLE:
        wanted = read_numbers(text, NULL, 0) == 3 ? NULL : "three numbers with commas between them, such as 1,0.5,0.5";
        break;
    case OPTION_CHOICE:
        return check_choice(arguments, option, text);
    case OPTION_TEXT:
        wanted = text[0] ? NULL : "a text that is not empty";
        break;
    case OPTION_FLAG:
        break;
    }
    if (wanted)
        fail(arguments, EXIT_USAGE, "--%s takes %s, not '%s'", option->name, wanted, text);
    return !wanted;
}

/* -------------------------------------------------------------------------------- parsing */

/* Finds "--name", "--name=value" or "-x". NULL after saying what was probably meant. */
static const Option *find_option(const Arguments *arguments, const char *word) {
    const char *names[OPTION_CAPACITY];
    size_t count = 0;
    size_t length = strcspn(word, "=");
    for (const Option *option = arguments->command->options; option->name; ++option) {
        if (word[1] == '-' && strlen(option->name) == length - 2 && strncmp(option->name, word + 2, length - 2) == 0)
            return option;
        if (word[1] == option->letter && word[1] && !word[2])
            return option;
        names[count++] = option->name;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length - 2, word + 2);
    const char *near = word[1] == '-' ? nearest_word(name, names, count) : NULL;
    if (near)
        fail(arguments, EXIT_USAGE, "there is no option %.*s; did you mean --%s?", (int)length, word, near);
    else
        fail(arguments, EXIT_USAGE, "there is no option %.*s; `jounce help %s` has the list", (int)length, word,
             arguments->command->name);
    return NULL;
}

/* Reads the option at argv[*index] and its value, which may be the next argument. */
static bool read_option(Arguments *arguments, int *index) {
    const char *word = arguments->argument_values[*index];
    const Option *option = find_option(arguments, word);
    if (!option)
        return false;
    const char *value = word[1] == '-' ? strchr(word, '=') : NULL;
    if (option->kind == OPTION_FLAG && value) {
        fail(arguments, EXIT_USAGE, "--%s takes no value", option->name);
        return false;
    }
    if (option->kind == OPTION_FLAG)
        value = "";
    else if (value)
        value += 1;
    else if (*index + 1 < arguments->argument_count)
        value = arguments->argument_values[++*index];
    if (!value) {
        fail(arguments, EXIT_USAGE, "--%s needs a value: --%s %s", option->name, option->name, option->value);
        return false;
    }
    arguments->values[option - arguments->command->options] = value;
    return check_value(arguments, option, value);
}

static bool check_positionals(const Arguments *arguments) {
    const Command *command = arguments->command;
    if (arguments->positional_count >= command->positional_minimum)
        return true;
    fail(arguments, EXIT_USAGE, "%s is missing: jounce %s %s", command->positionals, command->name,
         command->positionals);
    return false;
}

bool arguments_parse(Arguments *arguments, const Command *command, int argc, char **argv, bool *help) {
    *arguments = (Arguments){.command = command, .argument_count = argc, .argument_values = argv};
    // --json applies to parsing errors too, wherever it is
    for (const Option *option = command->options; option->name; ++option)
        for (int i = 2; i < argc; ++i)
            if (strcmp(option->name, "json") == 0 && strcmp(argv[i], "--json") == 0)
                arguments->values[option - command->options] = "";
    bool options_ended = false;
    for (int i = 2; i < argc; ++i) {
        if (!options_ended && strcmp(argv[i], "--") == 0) {
            options_ended = true;
        } else if (!options_ended && argv[i][0] == '-' && argv[i][1]) {
            if (!read_option(arguments, &i))
                return false;
        } else if (arguments->positional_count < command->positional_maximum) {
            arguments->positionals[arguments->positional_count++] = argv[i];
        } else {
            fail(arguments, EXIT_USAGE, "'%s' is one argument too many: jounce %s %s", argv[i], command->name,
                 command->positionals);
            return false;
        }
    }
    *help = option_given(arguments, "help");
    return *help || check_positionals(arguments);
}

/* -------------------------------------------------------------------------------- values */

const char *option_text(const Arguments *arguments, const char *name) {
    const Option *option = arguments->command->options;
    while (option->name && strcmp(option->name, name) != 0)
        ++option;
    assert(option->name);
    return arguments->values[option - arguments->command->options];
}

bool option_given(const Arguments *arguments, const char *name) {
    return option_text(arguments, name) != NULL;
}

uint32_t option_count(const Arguments *arguments, const char *name, uint32_t fallback) {
    const char *text = option_text(arguments, name);
    return text ? (uint32_t)strtoll(text, NULL, 10) : fallback;
}

double option_number(const Arguments *arguments, const char *name, double fallback) {
    const char *text = option_text(arguments, name);
    return text ? strtod(text, NULL) : fallback;
}

size_t option_numbers(const Arguments *arguments, const char *name, double *numbers, size_t capacity) {
    const char *text = option_text(arguments, name);
    return text ? read_numbers(text, numbers, capacity) : 0;
}
