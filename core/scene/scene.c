/* Loading and freeing a scene: everything except its bodies and colliders. */
#include "scene/scene.h"

#include "scene/scene_animation.h"
#include "scene/scene_check.h"
#include "scene/scene_text.h"
#include "scene/scene_value.h"
#include "base/os/os.h"
#include "base/status.h"
#include "base/struct_size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct SceneBlock {
    struct SceneBlock *next;
    max_align_t data[];
} SceneBlock;

void *scene_alloc(JnScene *scene, size_t count, size_t size) {
    if (size && count > (SIZE_MAX - sizeof(SceneBlock)) / size)
        return NULL;
    SceneBlock *block = calloc(1, sizeof *block + count * size);
    if (!block)
        return NULL;
    block->next = scene->blocks;
    scene->blocks = block;
    return block->data;
}

static bool is_absolute(const char *path) {
    bool drive = ((path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z')) && path[1] == ':';
    return path[0] == '/' || path[0] == '\\' || drive;
}

char *scene_path(JnScene *scene, const char *relative) {
    const char *folder = is_absolute(relative) ? "" : scene->folder;
    size_t bytes = strlen(folder) + strlen(relative) + 1;
    char *path = scene_alloc(scene, bytes, 1);
    if (path)
        snprintf(path, bytes, "%s%s", folder, relative);
    return path;
}

JnStatus scene_fail_in(const char *place, JnStatus status, JnMessage *message) {
    if (message) {
        char text[JN_MESSAGE_CAPACITY];
        memcpy(text, message->text, sizeof text);
        status_fail(message, status, "%.200s: %s", place, text);
    }
    return status;
}

JnStatus scene_keys_read(JnScene *scene, const cJSON *list, const char *scope, const char *place, Pose **keys,
                         uint32_t *count, JnMessage *message) {
    *count = (uint32_t)cJSON_GetArraySize(list);
    *keys = scene_alloc(scene, *count, sizeof **keys);
    if (!*keys)
        return status_no_memory(message, "the keys of an animation");
    uint32_t i = 0;
    for (const cJSON *item = list->child; item; item = item->next, ++i) {
        char key_place[SCENE_PLACE_BYTES];
        snprintf(key_place, sizeof key_place, "%s.keys[%u]", place, i);
        Pose *key = &(*keys)[i];
        JnStatus status = JN_OK;
        if (strcmp(scope, "gravity_key") == 0) {
            key->frame = value_number(item, scope, "frame");
            value_vector(item, scope, "value", key->translate);
        } else {
            status = pose_read(item, scope, key_place, key, message);
        }
        if (status != JN_OK)
            return status;
        if (i > 0 && !(key->frame > key[-1].frame))
            return status_fail(message, JN_ERR_SCENE, "%s.frame is %g, but must be later than the key before it, at %g",
                               key_place, key->frame, key[-1].frame);
    }
    return JN_OK;
}

static JnStatus read_world(JnScene *scene, const cJSON *world, JnMessage *message) {
    JnBakeDesc *desc = &scene->desc;
    if (desc->air_density == 0 && (desc->wind[0] != 0 || desc->wind[1] != 0 || desc->wind[2] != 0))
        return status_fail(message, JN_ERR_SCENE,
                           "world.wind has no effect without air: set world.air_density, 1.2 (kg/m3) for air");

    const cJSON *gravity = value_get(world, "gravity");
    if (!gravity) {
        desc->gravity[1] = 0;
        desc->gravity[desc->up_axis == JN_UP_Z ? 2 : 1] = -setting_default("world", "gravity");
        return JN_OK;
    }
    if (cJSON_IsArray(gravity))
        return JN_OK;
    JnStatus status = scene_keys_read(scene, value_get(gravity, "keys"), "gravity_key", "world.gravity",
                                      &scene->gravity_keys, &scene->gravity_key_count, message);
    if (status != JN_OK)
        return status;
    Pose first = pose_at(scene->gravity_keys, scene->gravity_key_count, desc->first_frame);
    memcpy(desc->gravity, first.translate, sizeof desc->gravity);
    return JN_OK;
}

static JnStatus read_colliders(JnScene *scene, const cJSON *list, JnMessage *message) {
    uint32_t count = list ? (uint32_t)cJSON_GetArraySize(list) : 0, i = 0;
    scene->collider_descs = scene_alloc(scene, count, sizeof *scene->collider_descs);
    scene->colliders = scene_alloc(scene, count, sizeof *scene->colliders);
    scene->collider_inputs = scene_alloc(scene, count, sizeof *scene->collider_inputs);
    if (!scene->collider_descs || !scene->colliders || !scene->collider_inputs)
        return status_no_memory(message, "the colliders");
    scene->desc.colliders = scene->collider_descs;
    scene->desc.collider_count = count;
    JnStatus status = JN_OK;
    for (const cJSON *item = list ? list->child : NULL; item && status == JN_OK; item = item->next, ++i)
        status = scene_collider_read(scene, item, i, message);
    return status;
}

static JnStatus read_fields(JnScene *scene, const cJSON *list, JnMessage *message) {
    uint32_t count = list ? (uint32_t)cJSON_GetArraySize(list) : 0, i = 0;
    scene->field_descs = scene_alloc(scene, count, sizeof *scene->field_descs);
    scene->fields = scene_alloc(scene, count, sizeof *scene->fields);
    scene->field_inputs = scene_alloc(scene, count, sizeof *scene->field_inputs);
    if (!scene->field_descs || !scene->fields || !scene->field_inputs)
        return status_no_memory(message, "the fields of force");
    scene->desc.fields = scene->field_descs;
    scene->desc.field_count = count;
    JnStatus status = JN_OK;
    for (const cJSON *item = list ? list->child : NULL; item && status == JN_OK; item = item->next, ++i)
        status = scene_field_read(scene, item, i, message);
    return status;
}

static JnStatus read_bodies(JnScene *scene, const cJSON *list, JnMessage *message) {
    uint32_t count = (uint32_t)cJSON_GetArraySize(list), i = 0;
    scene->bodies = scene_alloc(scene, count, sizeof *scene->bodies);
    scene->body_descs = scene_alloc(scene, count, sizeof *scene->body_descs);
    scene->body_inputs = scene_alloc(scene, count, sizeof *scene->body_inputs);
    if (!scene->bodies || !scene->body_descs || !scene->body_inputs)
        return status_no_memory(message, "the bodies");
    scene->desc.bodies = scene->body_descs;
    scene->desc.body_count = count;
    JnStatus status = JN_OK;
    for (const cJSON *item = list->child; item && status == JN_OK; item = item->next, ++i)
        status = scene_body_read(scene, item, i, message);
    return status;
}

/* output.path, or the scene's own path with its ending replaced */
static JnStatus read_output(JnScene *scene, const cJSON *output, const char *path, JnMessage *message) {
    const char *given = value_text(output, "path");
    const char *name = path + strlen(scene->folder);
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot != name ? (size_t)(dot - path) : strlen(path);
    char *out = given ? scene_path(scene, given) : scene_alloc(scene, stem + sizeof ".abc", 1);
    if (!out)
        return status_no_memory(message, "the output path");
    if (!given) {
        memcpy(out, path, stem);
        memcpy(out + stem, ".abc", sizeof ".abc");
    }
    scene->desc.output_path = out;
    return JN_OK;
}

/* The folder of `path`, with its last slash. */
static char *folder_of(JnScene *scene, const char *path) {
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] != '/' && path[length - 1] != '\\')
        --length;
    char *folder = scene_alloc(scene, length + 1, 1);
    if (folder)
        memcpy(folder, path, length);
    return folder;
}

/* Takes the path, which lives as long as the scene, among those that are read. */
static bool add_input(JnScene *scene, const char *path) {
    SceneInput *input = path ? scene_alloc(scene, 1, sizeof *input) : NULL;
    if (input) {
        *input = (SceneInput){path, scene->inputs};
        scene->inputs = input;
    }
    return input != NULL;
}

char *scene_input_path(JnScene *scene, const char *relative) {
    char *path = scene_path(scene, relative);
    return add_input(scene, path) ? path : NULL;
}

uint32_t jn_scene_reads(const JnScene *scene, const char *path) {
    if (!scene || !path)
        return 0;
    for (const SceneInput *input = scene->inputs; input; input = input->next)
        if (os_path_is_same(input->path, path))
            return 1;
    for (uint32_t b = 0; b < scene->desc.body_count; ++b)
        if (scene_animation_reads(&scene->bodies[b].animation, &scene->desc, path))
            return 1;
    for (uint32_t b = 0; b < scene->desc.body_count; ++b)
        for (uint32_t k = 0; k < scene->bodies[b].bone_count; ++k)
            if (scene_animation_reads(&scene->bodies[b].bones[k].animation, &scene->desc, path))
                return 1;
    for (uint32_t c = 0; c < scene->desc.collider_count; ++c)
        if (scene_animation_reads(&scene->colliders[c].animation, &scene->desc, path))
            return 1;
    return 0;
}

static JnStatus read_scene(JnScene *scene, const char *text, size_t length, const char *path, JnMessage *message) {
    jn_bake_desc_init(&scene->desc, sizeof scene->desc);
    scene->folder = folder_of(scene, path);
    const char *name = path + (scene->folder ? strlen(scene->folder) : 0);
    if (!scene->folder || !scene_input_path(scene, name))
        return status_no_memory(message, "the scene");
    JnStatus status = scene_text_parse(text, length, &scene->json, message);
    if (status == JN_OK)
        status = scene_check(scene->json, message);
    if (status != JN_OK)
        return status;
    const cJSON *root = scene->json;
    value_fields(root, "scene", DESC_BAKE, &scene->desc);
    value_fields(value_get(root, "contact"), "contact", DESC_CONTACT, &scene->desc.contact);
    if ((status = read_world(scene, value_get(root, "world"), message)) != JN_OK ||
        (status = read_colliders(scene, value_get(root, "colliders"), message)) != JN_OK ||
        (status = read_fields(scene, value_get(root, "fields"), message)) != JN_OK ||
        (status = read_bodies(scene, value_get(root, "bodies"), message)) != JN_OK)
        return status;
    status = read_output(scene, value_get(root, "output"), path, message);
    return status == JN_OK ? scene_hash_inputs(scene, message) : status;
}

JnStatus scene_load_text(const char *text, size_t length, const char *path, JnScene **scene, JnMessage *message) {
    JnMessage unwanted;
    message = message ? message : &unwanted;
    *scene = calloc(1, sizeof **scene);
    if (!*scene)
        return status_no_memory(message, "the scene");
    JnStatus status = read_scene(*scene, text, length, path, message);
    if (status == JN_OK)
        return status_clear(message);
    jn_scene_free(*scene);
    *scene = NULL;
    return scene_fail_in(path, status, message);
}

JnStatus jn_scene_load(const char *path, JnScene **scene, JnMessage *message) {
    if (!scene)
        return status_fail(message, JN_ERR_ARGUMENT, "scene is NULL: give the address of a JnScene pointer");
    *scene = NULL;
    if (!path)
        return status_fail(message, JN_ERR_ARGUMENT, "path is NULL: give the path of a scene file");
    char *text;
    size_t length;
    JnStatus status = scene_text_read(path, "scene file", &text, &length, message);
    if (status != JN_OK)
        return status;
    status = scene_load_text(text, length, path, scene, message);
    free(text);
    return status;
}

JnStatus jn_scene_desc(const JnScene *scene, JnBakeDesc *desc, size_t struct_size, JnMessage *message) {
    JnStatus status = struct_size_check(desc, struct_size, sizeof *desc, "JnBakeDesc", message);
    if (status != JN_OK)
        return status;
    if (!scene)
        return status_fail(message, JN_ERR_ARGUMENT, "scene is NULL: load one by jn_scene_load");
    *desc = scene->desc;
    return status_clear(message);
}

void jn_scene_free(JnScene *scene) {
    if (!scene)
        return;
    for (uint32_t i = 0; i < scene->desc.body_count; ++i)
        scene_body_free(&scene->bodies[i]);
    for (uint32_t i = 0; i < scene->desc.collider_count; ++i)
        scene_collider_free(&scene->colliders[i]);
    while (scene->blocks) {
        SceneBlock *block = scene->blocks;
        scene->blocks = block->next;
        free(block);
    }
    cJSON_Delete(scene->json);
    free(scene);
}
