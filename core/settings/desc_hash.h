/* The input hash of a bake: of everything in a desc that affects the result. */
#ifndef JN_SETTINGS_DESC_HASH_H
#define JN_SETTINGS_DESC_HASH_H

#include "jounce.h"

uint64_t hash_desc(const JnBakeDesc *desc);

#endif
