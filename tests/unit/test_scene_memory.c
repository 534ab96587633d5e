/* Every allocation of loading a scene and of making the schema fails once: a clean status, no leak, no crash.
   The linker sends malloc, calloc and realloc of the core through the wrappers of failing_memory.h, and cJSON is told
   to use them. */
#include "failing_memory.h"
#include "harness.h"
#include "jounce.h"

#include <cjson/cJSON.h>

static void hook_json(void) {
    cJSON_Hooks hooks = {__wrap_malloc, free};
    cJSON_InitHooks(&hooks);
}

TEST(scene_load_with_any_allocation_failing_says_out_of_memory) {
    const char *path = JN_TEST_SOURCE "/sample_scenes/shaken_beam/scene.json";
    JnMessage message;
    JnScene *scene;
    hook_json();
    failing = allocations = 0;
    CHECK(jn_scene_load(path, &scene, &message) == JN_OK);
    jn_scene_free(scene);
    long count = allocations;
    CHECK(count > 100);
    for (long n = 1; n <= count; ++n) {
        allocations = 0;
        failing = n;
        JnStatus status = jn_scene_load(path, &scene, &message);
        failing = 0;
        CHECK(status == JN_ERR_MEMORY && scene == NULL);
        CHECK_STR_HAS(message.text, "out of memory");
    }
}

TEST(scene_schema_with_any_allocation_failing_is_empty) {
    hook_json();
    failing = allocations = 0;
    size_t length = jn_scene_schema(NULL, 0);
    long count = allocations;
    CHECK(length > 0 && count > 1000);
    for (long n = 1; n <= count; n += 7) {
        char text[4] = "xxx";
        allocations = 0;
        failing = n;
        size_t cut = jn_scene_schema(text, sizeof text);
        failing = 0;
        CHECK(cut == 0 && text[0] == '\0');
    }
}
