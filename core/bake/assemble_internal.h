/* Parts of assemble_system. */
#ifndef JN_BAKE_ASSEMBLE_INTERNAL_H
#define JN_BAKE_ASSEMBLE_INTERNAL_H

#include "bake/bake_internal.h"

/* Embeds all points in the system's vertices, with the surface between them. rest: [vertex_count * 3], of all bodies.
 */
JnStatus assemble_points(JnBake *bake, const double *rest, JnMessage *message);

/* Chooses the settings of contact and, if there is anything to touch, adds its term to the system. */
JnStatus assemble_contact(JnBake *bake, const JnBakeDesc *desc, JnMessage *message);

#endif
