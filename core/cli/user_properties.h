/* The text properties of a cache: the receipt of a bake, and those of other programs. */
#ifndef JN_CLI_USER_PROPERTIES_H
#define JN_CLI_USER_PROPERTIES_H

#include "alembic_io.h"

struct cJSON;

/* Adds "receipt" (if there is one) and "user_properties" to the object. */
void user_properties_add(AbcReader *reader, struct cJSON *object);

/* Prints them as text. */
void user_properties_print(AbcReader *reader);

#endif
