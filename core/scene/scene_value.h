/* Values of a JSON tree that scene_check has passed, with the defaults of the settings table. */
#ifndef JN_SCENE_SCENE_VALUE_H
#define JN_SCENE_SCENE_VALUE_H

#include "settings/settings.h"

#include <cjson/cJSON.h>

/* The value of `key`, NULL if it is missing or `object` is NULL. */
const cJSON *value_get(const cJSON *object, const char *key);

/* A text, NULL if it is missing. */
const char *value_text(const cJSON *object, const char *key);

/* A number or a boolean (0 or 1); its default if it is missing. */
double value_number(const cJSON *object, const char *scope, const char *key);

/* Three numbers, or one number three times; three times the default if it is missing. */
void value_vector(const cJSON *object, const char *scope, const char *key, double out[3]);

/* The first `count` numbers of a list into `out`. */
void value_numbers(const cJSON *list, size_t count, double *out);

/* Stores every setting of `owner` that `object` (NULL: none), which is of `scope`, gives in `desc`; the others are
   unchanged. Settings of a nested scope are read from the object of that name inside. Texts and names belong to the
   tree. A form that the field cannot hold, such as an object for a vector, is left to the caller. */
void value_fields(const cJSON *object, const char *scope, DescStruct owner, void *desc);

#endif
