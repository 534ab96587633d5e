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

/* All meshes of a preview; each is freed. */
static JnStatus draw_preview(JnScene *scene, JnMessage *message) {
    const double centre[3] = {0, 0, 0};
    JnPreview *preview = NULL;
    JnMesh *meshes[3] = {NULL, NULL, NULL};
    JnStatus status = jn_preview_create(scene, &preview, message);
    if (status == JN_OK)
        status = jn_preview_body(preview, 0, 1, &meshes[0], message);
    if (status == JN_OK) {
        JnMeshView view = {.struct_size = sizeof view};
        jn_mesh_view(meshes[0], &view, NULL);
        status =
            jn_preview_simulated(preview, 0, view.surface.positions, view.surface.vertex_count, &meshes[1], message);
    }
    if (status == JN_OK)
        status = jn_preview_collider(preview, 0, 1, centre, 1, &meshes[2], message);
    for (int i = 0; i < 3; ++i)
        jn_mesh_free(meshes[i]);
    jn_preview_free(preview);
    return status;
}

TEST(preview_with_any_allocation_failing_says_out_of_memory) {
    JnMessage message;
    JnScene *scene;
    failing = 0;
    CHECK(jn_scene_load(JN_TEST_SOURCE "/sample_scenes/slope/scene.json", &scene, &message) == JN_OK);
    allocations = 0;
    CHECK(draw_preview(scene, &message) == JN_OK);
    long count = allocations;
    CHECK(count > 20);
    for (long n = 1; n <= count; ++n) {
        allocations = 0;
        failing = n;
        JnStatus status = draw_preview(scene, &message);
        failing = 0;
        CHECK(status == JN_ERR_MEMORY);
        CHECK_STR_HAS(message.text, "out of memory");
    }
    jn_scene_free(scene);
}
