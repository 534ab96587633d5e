/* The groups of objects that ignore each other: a bit for each name, in the order in which they are read. */
#include "scene/scene.h"

#include "base/status.h"
#include "scene/scene_value.h"

#include <string.h>

/* The number of the name's bit; SCENE_GROUPS_MOST if there is none left. */
static uint32_t find_group(JnScene *scene, const char *name) {
    uint32_t group = 0;
    while (group < scene->group_count && strcmp(scene->groups[group], name) != 0)
        ++group;
    if (group == scene->group_count && group < SCENE_GROUPS_MOST)
        scene->groups[scene->group_count++] = name;
    return group;
}

JnStatus scene_groups_read(JnScene *scene, const cJSON *object, const char *place, uint64_t *bits, JnMessage *message) {
    const cJSON *list = value_get(object, "ignore_groups");
    *bits = 0;
    for (const cJSON *item = list ? list->child : NULL; item; item = item->next) {
        uint32_t group = find_group(scene, item->valuestring);
        if (group == SCENE_GROUPS_MOST)
            return status_fail(
                message, JN_ERR_SCENE,
                "%s.ignore_groups: '%.80s' is one group too many, a scene may have %d: let objects share "
                "a group",
                place, item->valuestring, SCENE_GROUPS_MOST);
        *bits |= UINT64_C(1) << group;
    }
    return JN_OK;
}
