/* Scenes as text, for the tests of scene files. */
#ifndef JN_TESTS_SCENE_FIXTURE_H
#define JN_TESTS_SCENE_FIXTURE_H

#include "scene/scene.h"
#include "scene/scene_text.h"
#include "harness.h"

/* A beam of 4 x 1 x 1 units, 4 x 1 x 1 cells, along x, with more keys. `more` begins with a comma or is
 * empty. */
#define BEAM_BODY(more)                                                                                                \
    "{\"name\": \"beam\", \"mesh\": {\"shape\": \"beam\", \"size\": [4, 1, 1], \"cells\": [4, 1, 1]}" more "}"
#define BEAM_SCENE(scene_more, body_more) "{\"jounce\": 1, \"bodies\": [" BEAM_BODY(body_more) "]" scene_more "}"

static JnMessage fixture_message;

/* Loads a scene that stands at shots/a.json; NULL if it fails, with the reason in fixture_message. */
static inline JnScene *fixture_load(const char *text) {
    JnScene *scene = NULL;
    JnStatus status = scene_load_text(text, strlen(text), "shots/a.json", &scene, &fixture_message);
    return status == JN_OK ? scene : NULL;
}

/* The status of loading it, with everything freed. */
static inline JnStatus fixture_status(const char *text) {
    JnScene *scene = fixture_load(text);
    jn_scene_free(scene);
    return fixture_message.status;
}

/* Checks that loading fails with this status and that the message has this part. */
#define CHECK_REFUSED(scene_text, expected_status, part)                                                               \
    do {                                                                                                               \
        CHECK(fixture_status(scene_text) == (expected_status));                                                        \
        CHECK_STR_HAS(fixture_message.text, part);                                                                     \
    } while (0)

#endif
