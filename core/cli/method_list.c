#include "method_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char METHOD_AUTO[] = "auto";

static void add(MethodList *list, const char *name, uint32_t mode_count) {
    for (size_t i = 0; i < list->count; ++i)
        if (list->names[i] == name && list->mode_counts[i] == mode_count)
            return;
    if (list->count == METHOD_CAPACITY)
        return;
    list->names[list->count] = name;
    list->mode_counts[list->count++] = mode_count;
}

static void add_all(MethodList *list) {
    for (uint32_t i = 0; i < jn_table_size(JN_TABLE_INTEGRATORS); ++i)
        add(list, jn_table_entry(JN_TABLE_INTEGRATORS, i)->name, 0);
}

/* The name in the table equal to the word, NULL if there is none. */
static const char *find_name(const char *word) {
    for (uint32_t i = 0; i < jn_table_size(JN_TABLE_INTEGRATORS); ++i)
        if (strcmp(jn_table_entry(JN_TABLE_INTEGRATORS, i)->name, word) == 0)
            return jn_table_entry(JN_TABLE_INTEGRATORS, i)->name;
    return NULL;
}

/* A whole number of at least 1. */
static bool read_mode_count(const char *text, uint32_t *count) {
    char *end = NULL;
    long number = text[0] >= '1' && text[0] <= '9' ? strtol(text, &end, 10) : 0;
    *count = number > 0 && number < INT32_MAX ? (uint32_t)number : 0;
    return *count > 0 && !*end;
}

static ExitCode fail_unknown(const Arguments *arguments, const char *option, const char *word) {
    const char *words[HINT_WORD_CAPACITY];
    size_t count = hint_words(HINT_METHODS, words, HINT_WORD_CAPACITY);
    const char *near = nearest_word(word, words, count < HINT_WORD_CAPACITY ? count : HINT_WORD_CAPACITY);
    if (near)
        return fail(arguments, EXIT_USAGE, "--%s: there is no integrator '%s'; did you mean '%s'?", option, word, near);
    return fail(arguments, EXIT_USAGE, "--%s: there is no integrator '%s'; `jounce list integrators` has them", option,
                word);
}

ExitCode method_list_read(const Arguments *arguments, const char *option, const char *text, bool with_modes,
                          MethodList *list) {
    list->count = 0;
    for (;;) {
        char word[64];
        size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), text);
        uint32_t mode_count = 0;
        char *colon = with_modes ? strchr(word, ':') : NULL;
        if (colon && !read_mode_count(colon + 1, &mode_count))
            return fail(arguments, EXIT_USAGE,
                        "--%s: '%s' should name an integrator and how many modes it keeps, as in siere:5", option,
                        word);
        if (colon)
            *colon = '\0';
        const char *name = find_name(word);
        if (name)
            add(list, name, mode_count);
        else if (strcmp(word, "all") == 0)
            add_all(list);
        else
            return fail_unknown(arguments, option, word);
        if (!text[length])
            return EXIT_DONE;
        text += length + 1;
    }
}

void method_list_drop_auto(MethodList *list) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i)
        if (strcmp(list->names[i], METHOD_AUTO) != 0) {
            list->names[kept] = list->names[i];
            list->mode_counts[kept++] = list->mode_counts[i];
        }
    list->count = kept;
}
