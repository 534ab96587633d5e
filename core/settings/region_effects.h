/* The table of what a painted map can do. */
#ifndef JN_SETTINGS_REGION_EFFECTS_H
#define JN_SETTINGS_REGION_EFFECTS_H

#include "base/table.h"

extern const Table region_effect_table; /* items: JnTableEntry */

#endif
