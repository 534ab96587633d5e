/* docs/scene.md and docs/scene.schema.json say what the settings table says. When they do not, the test
   leaves the right file in its output folder, to be copied to docs/. */
#include "elastic/force_field.h"
#include "settings/region_effects.h"
#include "scene/scene_check.h"
#include "harness.h"

enum { TEXT_BYTES = 1 << 20 };

static char *read_text(const char *path) {
    char *text = calloc(TEXT_BYTES, 1);
    FILE *file = fopen(path, "rb");
    if (file) {
        size_t length = fread(text, 1, TEXT_BYTES - 1, file);
        text[length] = '\0';
        fclose(file);
    }
    return text;
}

/* Compares the text with docs/<name>; writes it to the output folder if they differ. Returns 1 if they are
 * the same. */
static int same_as_docs(const char *text, const char *name) {
    char path[1000];
    snprintf(path, sizeof path, "%s/docs/%s", JN_TEST_SOURCE, name);
    char *docs = read_text(path);
    int same = strcmp(docs, text) == 0;
    free(docs);
    if (!same) {
        snprintf(path, sizeof path, "%s/%s", JN_TEST_OUTPUT, name);
        FILE *file = fopen(path, "wb");
        if (file) {
            fputs(text, file);
            fclose(file);
        }
        printf("docs/%s is out of date: copy %s over it\n", name, path);
    }
    return same;
}

/* The default of a setting as the docs show it. */
static void default_text(const SettingDetail *detail, char *text, size_t capacity) {
    const JnSetting *setting = &detail->setting;
    double value = setting->default_value;
    if (!setting->built)
        snprintf(text, capacity, "*not yet built*");
    else if (detail->required)
        snprintf(text, capacity, "**needed**");
    else if (setting->type == JN_SETTING_NAME && detail->default_text)
        snprintf(text, capacity, "`%s`", detail->default_text);
    else if (detail->default_text)
        snprintf(text, capacity, "%s", detail->default_text);
    else if (isnan(value))
        snprintf(text, capacity, " ");
    else if (setting->type == JN_SETTING_BOOLEAN)
        snprintf(text, capacity, "%s", value != 0 ? "true" : "false");
    else if (setting->type == JN_SETTING_VECTOR)
        snprintf(text, capacity, "[%g, %g, %g]", value, value, value);
    else
        snprintf(text, capacity, "%g", value);
}

static void print_scope(FILE *out, const char *scope) {
    fprintf(out, "| key | value | default | what it does |\n|---|---|---|---|\n");
    const SettingDetail *detail;
    for (uint32_t i = 0; (detail = setting_detail(i)) != NULL; ++i) {
        const JnSetting *setting = &detail->setting;
        if (strcmp(setting->scope, scope) != 0)
            continue;
        char expected[400], fallback[100], link[100] = "";
        const char *inner = detail->inner ? detail->inner : setting->type == JN_SETTING_NAME ? NULL : setting->choices;
        scene_check_expected(detail, expected, sizeof expected);
        default_text(detail, fallback, sizeof fallback);
        if (inner)
            snprintf(link, sizeof link, ", [%s](#%s)", inner, inner);
        fprintf(out, "| `%s` | %s%s | %s | %s: %s |\n", setting->key, expected, link, fallback, setting->label,
                setting->summary);
    }
}

static void print_table(FILE *out, const char *name) {
    if (strcmp(name, "presets") == 0) {
        fprintf(out, "| preset | Pa | Poisson's ratio | kg/m3 | damping s | what it is "
                     "|\n|---|---|---|---|---|---|\n");
        for (uint32_t i = 0; i < jn_preset_count(); ++i) {
            const JnPreset *preset = jn_preset(i);
            fprintf(out, "| `%s` | %g | %g | %g | %g | %s |\n", preset->name, preset->young_modulus,
                    preset->poisson_ratio, preset->density, preset->stiffness_damping, preset->summary);
        }
        return;
    }
    const Table *table = strcmp(name, "fields") == 0 ? &field_table : &region_effect_table;
    fprintf(out, "| %s | what it does |\n|---|---|\n", table == &field_table ? "kind" : "effect");
    for (uint32_t i = 0; i < table->count; ++i)
        fprintf(out, "| `%s` | %s |\n", table_at(table, i)->name, table_at(table, i)->summary);
}

/* Copies `docs` with the part between each "<!-- settings: x -->" or "<!-- table: x -->" and "<!-- end -->"
   made anew. Counts the settings parts. */
static int renew(const char *docs, FILE *out) {
    int parts = 0;
    for (const char *line = docs; *line;) {
        size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        char name[40];
        fwrite(line, 1, length, out);
        int is_scope = sscanf(line, "<!-- settings: %39s -->", name) == 1;
        int is_table = sscanf(line, "<!-- table: %39s -->", name) == 1;
        line += length;
        if (!is_scope && !is_table)
            continue;
        if (is_scope)
            print_scope(out, name);
        else
            print_table(out, name);
        parts += is_scope;
        const char *end = strstr(line, "<!-- end -->");
        line = end ? end : line + strlen(line);
    }
    return parts;
}

TEST(scene_docs_have_a_true_table_for_every_object) {
    char *docs = read_text(JN_TEST_SOURCE "/docs/scene.md"), *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    int parts = renew(docs, out), scopes = 0;
    fclose(out);
    int same = same_as_docs(text, "scene.md"), all_there = 1;
    for (const SettingScope *scope; (scope = setting_scope((uint32_t)scopes)) != NULL; ++scopes) {
        char marker[80];
        snprintf(marker, sizeof marker, "<!-- settings: %s -->", scope->name);
        all_there &= strstr(docs, marker) != NULL;
    }
    free(docs);
    free(text);
    CHECK(all_there && parts == scopes);
    CHECK(same);
}

TEST(scene_schema_in_docs_is_the_one_of_the_library) {
    size_t length = jn_scene_schema(NULL, 0);
    CHECK(length > 10000);
    char *text = malloc(length + 2);
    CHECK(text && jn_scene_schema(text, length + 1) == length && strlen(text) == length);
    memcpy(text + length, "\n", 2);
    int same = same_as_docs(text, "scene.schema.json");
    free(text);
    CHECK(same);
}

TEST(scene_schema_is_cut_at_the_capacity) {
    char text[11];
    memset(text, 'x', sizeof text);
    CHECK(jn_scene_schema(text, 10) > 10000);
    CHECK(strlen(text) == 9 && text[10] == 'x' && text[0] == '{');
}
