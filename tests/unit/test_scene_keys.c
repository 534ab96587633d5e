/* Every key of the settings table is read by the scene, not only checked and documented. The linker sends each look for
   a key through the wrapper. */
#include "scene_fixture.h"

#include <cjson/cJSON.h>

enum { KEYS_MOST = 256, KEY_BYTES = 64 };
static char looked_for[KEYS_MOST][KEY_BYTES];
static uint32_t looked_count;

cJSON *__real_cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *key);
cJSON *__wrap_cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *key);

static bool was_looked_for(const char *key) {
    for (uint32_t i = 0; i < looked_count; ++i)
        if (strcmp(looked_for[i], key) == 0)
            return true;
    return false;
}

cJSON *__wrap_cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *key) {
    if (!was_looked_for(key) && looked_count < KEYS_MOST)
        snprintf(looked_for[looked_count++], KEY_BYTES, "%s", key);
    return __real_cJSON_GetObjectItemCaseSensitive(object, key);
}

/* Marks of the file that say nothing about the motion, and the maps, whose one key is looked at by its name. */
static bool is_exempt(const JnSetting *setting) {
    static const char *const marks[] = {"jounce", "$schema", "note"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; ++i)
        if (strcmp(setting->key, marks[i]) == 0)
            return true;
    return strcmp(setting->scope, "weights") == 0;
}

TEST(scene_reads_every_key_of_the_settings_table) {
    JnScene *scene = NULL;
    CHECK(jn_scene_load(JN_TEST_SOURCE "/tests/fuzz/corpus_scene/every_key.json", &scene, &fixture_message) == JN_OK);
    jn_scene_free(scene);
    fixture_status(BEAM_SCENE("", ", \"animation\": {\"files\": \"no_####.obj\"}"));
    fixture_status(BEAM_SCENE("", ", \"animation\": {\"cache\": {\"file\": \"no.abc\"}}"));
    fixture_status(BEAM_SCENE("", ", \"animation\": {\"cache\": {\"file\": \"no_####.obj\"}}"));
    fixture_status(BEAM_SCENE("", ", \"start\": {\"pose\": {\"file\": \"no.obj\"}}"));
    fixture_status(BEAM_SCENE("", ", \"bones\": [{\"name\": \"b\", \"matrices\": \"no.txt\"}]"));
    fixture_status(BEAM_SCENE("", ", \"matrices\": \"no.txt\""));
    uint32_t unread = 0;
    for (uint32_t i = 0; i < jn_setting_count(); ++i) {
        const JnSetting *setting = jn_setting(i);
        if (!setting->built || is_exempt(setting) || was_looked_for(setting->key))
            continue;
        printf("nothing reads %s.%s\n", setting->scope, setting->key);
        ++unread;
    }
    CHECK(looked_count < KEYS_MOST && unread == 0);
}
