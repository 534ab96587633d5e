/* Checks a scene's JSON tree against the settings table, so that later code can rely on it. */
#ifndef JN_SCENE_SCENE_CHECK_H
#define JN_SCENE_SCENE_CHECK_H

#include "settings/settings.h"

#include <cjson/cJSON.h>

enum { SCENE_NAMES_MOST = 256 }; /* free names in one object: painted maps of a body */

/* Every key known, given once and built; every required key present; every value of the right type and within its
   limits; every name in its table. The message opens with the place: "bodies[0].material.youngs". JN_ERR_SCENE,
   JN_ERR_NOT_BUILT, JN_ERR_UNKNOWN_NAME. */
JnStatus scene_check(const cJSON *root, JnMessage *message);

/* What a value of this setting must be, in words: "a number from 1 to 1e+13 (Pa)". Cut at the end of the
 * buffer. */
void scene_check_expected(const SettingDetail *detail, char *text, size_t capacity);

#endif
