/* Checks of single fields of what comes in, by the limits of the settings table. */
#ifndef JN_SETTINGS_CHECKS_H
#define JN_SETTINGS_CHECKS_H

#include "bodies/body.h"

/* Returns from the calling function what is not JN_OK. */
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

/* By the limits of the setting scope.key; `field` is its name in the struct, if that differs from the key. */
JnStatus check_field(double value, const char *scope, const char *key, const char *place, const char *field,
                     JnMessage *message);
JnStatus check_number(double value, const char *scope, const char *key, const char *place, JnMessage *message);
/* A switch that is no setting of a scene. */
JnStatus check_flag(uint32_t value, const char *place, const char *field, JnMessage *message);
/* A number that may be left to the core by NaN. */
JnStatus check_chosen(double value, const char *scope, const char *key, const char *place, JnMessage *message);
JnStatus check_vector(const double *values, uint32_t count, const char *place, const char *field, JnMessage *message);
JnStatus check_transform(const double transform[12], const char *place, const char *field, JnMessage *message);
JnStatus check_point_array(const double *values, uint32_t point_count, const char *place, const char *field,
                           JnMessage *message);

#endif
