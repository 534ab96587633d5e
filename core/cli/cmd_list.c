/* jounce list: the core's tables, which the menus of the plug-ins are made of too. */
#include "cli.h"
#include "list_topics.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The topics: the core's tables by their numbers, then these two. */
enum { TOPIC_PRESETS = JN_TABLE_COUNT, TOPIC_SETTINGS, TOPIC_COUNT };

static const char *topic_name(int topic) {
    return topic == TOPIC_PRESETS ? "presets" : topic == TOPIC_SETTINGS ? "settings" : jn_table_name(topic);
}

size_t topic_words(const char **words, size_t capacity) {
    for (int topic = 0; topic < TOPIC_COUNT && (size_t)topic < capacity; ++topic)
        words[topic] = topic_name(topic);
    return TOPIC_COUNT;
}

/* The topic of that name, or of a name with this prefix: "contact", "regions". TOPIC_COUNT if there is none. */
static int topic_find(const char *word) {
    size_t length = strlen(word);
    size_t stem = length > 3 && word[length - 1] == 's' ? length - 1 : length;
    int found = TOPIC_COUNT;
    for (int topic = 0; topic < TOPIC_COUNT; ++topic) {
        if (strcmp(topic_name(topic), word) == 0)
            return topic;
        if (stem >= 3 && strncmp(topic_name(topic), word, stem) == 0)
            found = topic;
    }
    return found;
}

/* -------------------------------------------------------------------------------- JSON */

static void add_entry(cJSON *object, const char *name, const char *label, const char *summary) {
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddStringToObject(object, "label", label);
    cJSON_AddStringToObject(object, "summary", summary);
}

static cJSON *new_item(cJSON *list) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(list, object);
    return object;
}

static void add_preset(cJSON *list, const JnPreset *preset) {
    cJSON *object = new_item(list);
    add_entry(object, preset->name, preset->label, preset->summary);
    cJSON_AddStringToObject(object, "law", preset->law);
    cJSON_AddNumberToObject(object, "young_modulus", preset->young_modulus);
    cJSON_AddNumberToObject(object, "poisson_ratio", preset->poisson_ratio);
    cJSON_AddNumberToObject(object, "density", preset->density);
    cJSON_AddNumberToObject(object, "stiffness_damping", preset->stiffness_damping);
    cJSON_AddNumberToObject(object, "mass_damping", preset->mass_damping);
}

static const char *setting_type_name(JnSettingType type) {
    static const char *const names[] = {
        [JN_SETTING_NUMBER] = "number", [JN_SETTING_INTEGER] = "integer", [JN_SETTING_BOOLEAN] = "boolean",
        [JN_SETTING_TEXT] = "text",     [JN_SETTING_NAME] = "name",       [JN_SETTING_VECTOR] = "vector",
        [JN_SETTING_OBJECT] = "object", [JN_SETTING_LIST] = "list",       [JN_SETTING_ANY] = "any",
    };
    return type >= 0 && type <= JN_SETTING_ANY ? names[type] : "unknown";
}

/* Numbers that do not exist (no limit, no default) are left out: JSON has no infinity. */
static void add_number(cJSON *object, const char *key, double number) {
    if (isfinite(number))
        cJSON_AddNumberToObject(object, key, number);
}

static void add_setting(cJSON *list, const JnSetting *setting) {
    cJSON *object = new_item(list);
    cJSON_AddStringToObject(object, "scope", setting->scope);
    cJSON_AddStringToObject(object, "key", setting->key);
    cJSON_AddStringToObject(object, "label", setting->label);
    cJSON_AddStringToObject(object, "summary", setting->summary);
    cJSON_AddStringToObject(object, "type", setting_type_name(setting->type));
    cJSON_AddStringToObject(object, "unit", setting->unit);
    if (setting->choices)
        cJSON_AddStringToObject(object, "choices", setting->choices);
    cJSON_AddBoolToObject(object, "built", setting->built);
    add_number(object, "minimum", setting->minimum);
    add_number(object, "maximum", setting->maximum);
    add_number(object, "default", setting->default_value);
}

static void add_topic(cJSON *object, int topic) {
    cJSON *list = cJSON_AddArrayToObject(object, topic_name(topic));
    if (topic == TOPIC_PRESETS) {
        for (uint32_t i = 0; i < jn_preset_count(); ++i)
            add_preset(list, jn_preset(i));
    } else if (topic == TOPIC_SETTINGS) {
        for (uint32_t i = 0; i < jn_setting_count(); ++i)
            add_setting(list, jn_setting(i));
    } else {
        for (uint32_t i = 0; i < jn_table_size(topic); ++i) {
            const JnTableEntry *entry = jn_table_entry(topic, i);
            add_entry(new_item(list), entry->name, entry->label, entry->summary);
        }
    }
}

/* -------------------------------------------------------------------------------- text */

static void print_presets(void) {
    char stiffness[SAY_CAPACITY];
    printf("  %-14s %14s %8s %6s\n", "", "stiffness, Pa", "Poisson", "kg/m3");
    for (uint32_t i = 0; i < jn_preset_count(); ++i) {
        const JnPreset *preset = jn_preset(i);
        say_count((uint64_t)preset->young_modulus, stiffness, sizeof stiffness);
        printf("  %-14s %14s %8.3g %6.4g  %s\n", preset->name, stiffness, preset->poisson_ratio, preset->density,
               preset->summary);
    }
}

static void print_settings(void) {
    const char *scope = "";
    for (uint32_t i = 0; i < jn_setting_count(); ++i) {
        const JnSetting *setting = jn_setting(i);
        if (strcmp(scope, setting->scope) != 0)
            printf("  %s\n", setting->scope);
        scope = setting->scope;
        char value[64] = "";
        if (isfinite(setting->default_value))
            snprintf(value, sizeof value, "%g %s", setting->default_value, setting->unit);
        printf("    %-20s %-8s %-14s %s%s\n", setting->key, setting_type_name(setting->type), value, setting->summary,
               setting->built ? "" : " (not yet built)");
    }
}

static void print_table(JnTable table) {
    for (uint32_t i = 0; i < jn_table_size(table); ++i) {
        const JnTableEntry *entry = jn_table_entry(table, i);
        printf("  %-18s %s: %s\n", entry->name, entry->label, entry->summary);
    }
}

static void print_topic(int topic) {
    printf("%s\n", topic_name(topic));
    if (topic == TOPIC_PRESETS)
        print_presets();
    else if (topic == TOPIC_SETTINGS)
        print_settings();
    else
        print_table(topic);
}

ExitCode run_list(const Arguments *arguments) {
    int first = 0, last = TOPIC_COUNT - 1;
    if (arguments->positional_count > 0) {
        const char *word = arguments->positionals[0], *names[TOPIC_COUNT];
        first = last = topic_find(word);
        if (first == TOPIC_COUNT) {
            const char *near = nearest_word(word, names, topic_words(names, TOPIC_COUNT));
            return near ? fail(arguments, EXIT_USAGE, "there is no list '%s'; did you mean '%s'?", word, near)
                        : fail(arguments, EXIT_USAGE, "there is no list '%s'; `jounce list` prints all of them", word);
        }
    }
    cJSON *object = option_given(arguments, "json") ? cJSON_CreateObject() : NULL;
    for (int topic = first; topic <= last; ++topic) {
        if (object)
            add_topic(object, topic);
        else
            print_topic(topic);
        if (!object && topic < last)
            putchar('\n');
    }
    if (object)
        print_json(object);
    return EXIT_DONE;
}
