/* Every stage's table, by its name. */
#ifndef JN_SETTINGS_TABLES_H
#define JN_SETTINGS_TABLES_H

#include "base/table.h"

/* "materials", ...; NULL: no stage has such a table. */
const Table *table_of_stage(const char *name);

#endif
