/* Whether a desc can be baked. */
#ifndef JN_SETTINGS_VALIDATE_H
#define JN_SETTINGS_VALIDATE_H

#include "jounce.h"

/* JN_OK, or the first error, with its place in the desc. */
JnStatus validate_desc(const JnBakeDesc *desc, JnMessage *message);

#endif
