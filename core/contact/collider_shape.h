/* What the round and the straight colliders share. */
#ifndef JN_CONTACT_COLLIDER_SHAPE_H
#define JN_CONTACT_COLLIDER_SHAPE_H

#include "jounce.h"

#include <stddef.h>

/* Three finite numbers; a finite length above 0. `place`: "colliders[0]". */
JnStatus shape_check_point(const double point[3], const char *place, const char *field, JnMessage *message);
JnStatus shape_check_length(double length, const char *place, const char *field, JnMessage *message);

/* Copies a shape to the heap, if the status is JN_OK; else *shape is NULL. */
JnStatus shape_keep(JnStatus status, const void *from, size_t size, void **shape, JnMessage *message);

/* The scale of a transform that scales all axes alike. */
double shape_scale(const double transform[12]);

/* Distance of x from a ball, and the direction away from its centre; from the centre itself that of the first axis. */
double shape_round_distance(const double center[3], double radius, const double x[3], double normal[3]);

/* A unit vector across the axis, which is not 0. */
void shape_direction_across(const double axis[3], double out[3]);

/* Fills an empty mesh with the surface of a round rod between two points, which may be the same. */
JnStatus shape_round_outline(const double ends[2][3], double radius, JnMesh *mesh, JnMessage *message);

#endif
