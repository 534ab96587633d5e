/* libFuzzer target for scene files: whatever the bytes are, loading gives a status and a message, and a loaded
   scene gives its frames. */
#include "scene/scene.h"
#include "scene/scene_text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether a generated shape asks for so many cells that only time would be lost. */
static int is_large(const cJSON *json) {
    const cJSON *body, *cell;
    cJSON_ArrayForEach(body, cJSON_GetObjectItemCaseSensitive(json, "bodies")) {
        const cJSON *mesh = cJSON_GetObjectItemCaseSensitive(body, "mesh");
        double cells = 1;
        cJSON_ArrayForEach(cell, cJSON_GetObjectItemCaseSensitive(mesh, "cells")) {
            cells *= cell->valuedouble;
        }
        if (!(cells < 1000))
            return 1;
    }
    return 0;
}

static void load(const char *text, size_t size) {
    JnScene *scene;
    JnMessage message;
    JnFrameInput input;
    JnStatus status = scene_load_text(text, size, "fuzz/scene.json", &scene, &message);
    if ((status == JN_OK) != (scene != NULL) || (status == JN_OK) != (message.text[0] == '\0'))
        abort();
    if (scene) {
        jn_scene_frame(scene, -3.25, &input, sizeof input, &message);
        jn_scene_frame(scene, 12, &input, sizeof input, NULL);
    }
    jn_scene_free(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cJSON *json;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    int large = scene_text_parse(text, size, &json, NULL) == JN_OK && is_large(json);
    cJSON_Delete(json);
    if (!large)
        load(text, size);
    free(text);
    return 0;
}
