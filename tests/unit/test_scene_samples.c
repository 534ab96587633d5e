/* The sample scenes: each loads, moves where it says so, and passes the checks of a bake. */
#include "jounce.h"
#include "harness.h"

static const char *const samples[] = {"hanging_beam", "jelly_drop", "shaken_beam", "slope",       "pudding",
                                      "flag",         "brush",      "teddy",       "rattling_jaw"};

TEST(scene_samples_load_and_give_all_frames) {
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; ++i) {
        char path[1000];
        JnMessage message;
        JnScene *scene;
        JnBakeDesc desc;
        JnFrameInput input;
        snprintf(path, sizeof path, "%s/sample_scenes/%s/scene.json", JN_TEST_SOURCE, samples[i]);
        if (jn_scene_load(path, &scene, &message) != JN_OK)
            printf("%s\n", message.text);
        CHECK(scene);
        CHECK(jn_scene_desc(scene, &desc, sizeof desc, &message) == JN_OK && desc.body_count > 0);
        for (uint32_t f = 0; f < desc.frame_count; ++f)
            CHECK(jn_scene_frame(scene, desc.first_frame + f, &input, sizeof input, &message) == JN_OK);
        jn_scene_free(scene);
    }
}

TEST(scene_samples_start_to_bake) {
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; ++i) {
        char path[1000];
        JnMessage message;
        JnScene *scene;
        JnBakeDesc desc;
        JnFrameInput input;
        JnBake *bake;
        snprintf(path, sizeof path, "%s/sample_scenes/%s/scene.json", JN_TEST_SOURCE, samples[i]);
        CHECK(jn_scene_load(path, &scene, &message) == JN_OK);
        jn_scene_desc(scene, &desc, sizeof desc, NULL);
        desc.output_path = NULL;
        desc.thread_count = 1;
        if (jn_bake_begin(&desc, &bake, &message) != JN_OK)
            printf("%s\n", message.text);
        CHECK(bake);
        for (uint32_t f = 0; f < 2; ++f) {
            jn_scene_frame(scene, desc.first_frame + f, &input, sizeof input, &message);
            CHECK(jn_bake_advance(bake, &input, &message) == JN_OK);
        }
        jn_bake_end(bake, NULL);
        jn_scene_free(scene);
    }
}
