#include "base/table.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const JnTableEntry *table_at(const Table *table, uint32_t index) {
    if (index >= table->count)
        return NULL;
    return (const JnTableEntry *)((const char *)table->items + (size_t)index * table->item_size);
}

/* Whether `name` is one of the words of `planned`. */
static int is_planned(const char *planned, const char *name) {
    size_t length = strlen(name);
    const char *word = planned;
    while (word && *word && length > 0) {
        size_t word_length = strcspn(word, " ");
        if (word_length == length && strncmp(word, name, length) == 0)
            return 1;
        word += word_length + strspn(word + word_length, " ");
    }
    return 0;
}

/* "si, be, bdf2", cut at the end of the buffer. */
static void list_names(const Table *table, char *text, size_t capacity) {
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < table->count && length < capacity; ++i) {
        int written = snprintf(text + length, capacity - length, "%s%s", i ? ", " : "", table_at(table, i)->name);
        length += written > 0 ? (size_t)written : 0;
    }
}

JnStatus table_find(const Table *table, const char *name, const char *place, const void **item, JnMessage *message) {
    char names[400];
    list_names(table, names, sizeof names);
    if (!name)
        return status_fail(message, JN_ERR_ARGUMENT, "%s is NULL: give one of %s", place, names);
    const char *candidates[64];
    for (uint32_t i = 0; i < table->count; ++i) {
        const JnTableEntry *entry = table_at(table, i);
        if (strcmp(entry->name, name) == 0) {
            *item = entry;
            return JN_OK;
        }
        if (i < 64)
            candidates[i] = entry->name;
    }
    if (is_planned(table->planned, name))
        return status_fail(message, JN_ERR_NOT_BUILT, "%s: the %s '%s' is not yet built: choose one of %s", place,
                           table->what, name, names);
    const char *near = table_nearest(name, candidates, table->count < 64 ? table->count : 64);
    if (near)
        return status_fail(message, JN_ERR_UNKNOWN_NAME, "%s: there is no %s '%.100s'; did you mean '%s'? There are %s",
                           place, table->what, name, near, names);
    return status_fail(message, JN_ERR_UNKNOWN_NAME, "%s: there is no %s '%.100s': choose one of %s", place,
                       table->what, name, names);
}

/* Levenshtein distance of strings of at most 63 bytes; longer ones count as far. */
static size_t edit_distance(const char *a, const char *b) {
    size_t length_a = strlen(a), length_b = strlen(b), row[64];
    if (length_a > 63 || length_b > 63)
        return 64;
    for (size_t j = 0; j <= length_b; ++j)
        row[j] = j;
    for (size_t i = 1; i <= length_a; ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length_b; ++j) {
            size_t replace = diagonal + (a[i - 1] != b[j - 1]);
            size_t insert = row[j - 1] + 1, delete = row[j] + 1;
            diagonal = row[j];
            row[j] = replace < insert ? replace : insert;
            row[j] = row[j] < delete ? row[j] : delete;
        }
    }
    return row[length_b];
}

const char *table_nearest(const char *name, const char *const *candidates, size_t count) {
    const char *nearest = NULL;
    size_t limit = strlen(name) / 2 + 1, best = limit + 1;
    for (size_t i = 0; i < count; ++i) {
        size_t distance = edit_distance(name, candidates[i]);
        /* a name is near if it is a prefix of the requested one or the reverse, whatever its length */
        size_t shorter = strlen(name) < strlen(candidates[i]) ? strlen(name) : strlen(candidates[i]);
        if (shorter >= 3 && strncmp(name, candidates[i], shorter) == 0 && distance > 1)
            distance = 1;
        if (distance < best) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}
