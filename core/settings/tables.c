/* The public view of every stage's table, and other information about the library. */
#include "settings/tables.h"

#include "bodies/body_kind.h"
#include "settings/region_effects.h"
#include "contact/contact.h"
#include "elastic/force_field.h"
#include "elastic/material.h"
#include "geometry/mesher.h"
#include "integrate/integrator.h"

#include <string.h>

static const Table *find_table(JnTable table) {
    switch (table) {
    case JN_TABLE_MATERIALS:
        return &material_table;
    case JN_TABLE_INTEGRATORS:
        return &integrator_choices;
    case JN_TABLE_CONTACT_METHODS:
        return &contact_table;
    case JN_TABLE_COLLIDERS:
        return &collider_table;
    case JN_TABLE_MESHERS:
        return &mesher_table;
    case JN_TABLE_REGION_EFFECTS:
        return &region_effect_table;
    case JN_TABLE_SHAPES:
        return &shape_table;
    case JN_TABLE_BODY_KINDS:
        return &body_kind_table;
    case JN_TABLE_FIELDS:
        return &field_table;
    default:
        return NULL;
    }
}

const Table *table_of_stage(const char *name) {
    for (JnTable table = 0; table < JN_TABLE_COUNT; ++table)
        if (strcmp(find_table(table)->name, name) == 0)
            return find_table(table);
    return NULL;
}

const char *jn_table_name(JnTable table) {
    const Table *found = find_table(table);
    return found ? found->name : NULL;
}

uint32_t jn_table_size(JnTable table) {
    const Table *found = find_table(table);
    return found ? found->count : 0;
}

const JnTableEntry *jn_table_entry(JnTable table, uint32_t index) {
    const Table *found = find_table(table);
    return found ? table_at(found, index) : NULL;
}

const char *jn_version(void) {
    return JN_VERSION;
}

int32_t jn_api_version(void) {
    return JN_API_VERSION;
}

const char *jn_status_name(JnStatus status) {
    static const char *const names[] = {"JN_OK",         "JN_ERR_ARGUMENT",     "JN_ERR_STRUCT_SIZE",
                                        "JN_ERR_MESH",   "JN_ERR_UNKNOWN_NAME", "JN_ERR_NOT_BUILT",
                                        "JN_ERR_MEMORY", "JN_ERR_FILE",         "JN_ERR_FORMAT",
                                        "JN_ERR_SCENE",  "JN_ERR_DIVERGED",     "JN_ERR_CANCELLED",
                                        "JN_ERR_ORDER",  "JN_ERR_OVERLAP"};
    int32_t last = (int32_t)(sizeof names / sizeof names[0]) - 1;
    return status <= 0 && status >= -last ? names[-status] : "unknown status";
}
