/* Checks of single input fields, by the limits of the settings table. */
#ifndef JN_SETTINGS_CHECKS_H
#define JN_SETTINGS_CHECKS_H

#include "bodies/body.h"
#include "settings/settings.h"

/* Returns from the calling function if the status is not JN_OK. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        JnStatus try_status = (call);                                                                                  \
        if (try_status != JN_OK)                                                                                       \
            return try_status;                                                                                         \
    } while (0)

/* A place in the desc, for messages: "bodies[0].material". */
typedef struct Place {
    char text[PLACE_CAPACITY];
} Place;

Place place_member(const char *place, const char *name); /* "place.name" */
Place place_element(const char *place, uint32_t index);  /* "place[index]" */

JnStatus check_struct(uint32_t actual, size_t expected, const char *place, const char *type, JnMessage *message);

JnStatus check_pointer(const void *pointer, uint32_t count, const char *place, const char *field, JnMessage *message);

/* Checks the struct's size, then every field of it that has a line in the settings table: numbers, vectors and whole
   numbers by their limits, switches, names by their table. All further conditions are checked by the caller. */
JnStatus check_fields(DescStruct owner, const void *desc, const char *place, JnMessage *message);

/* By the limits of the setting scope.key, which exists; `field` is its name in the struct if that is not the key. */
JnStatus check_field(double value, const char *scope, const char *key, const char *place, const char *field,
                     JnMessage *message);
JnStatus check_number(double value, const char *scope, const char *key, const char *place, JnMessage *message);
/* Finite numbers, and no axis flattened. */
JnStatus check_transform(const double transform[12], const char *place, const char *field, JnMessage *message);
JnStatus check_point_array(const double *values, uint32_t point_count, const char *place, const char *field,
                           JnMessage *message);

#endif
