/* The one table of settings: what jn_setting shows, the field of the API that holds each value, and further details for
   parsing, schema and docs. */
#ifndef JN_SETTINGS_SETTINGS_H
#define JN_SETTINGS_SETTINGS_H

#include "base/table.h"

#include <stdbool.h>

/* The forms that a JN_SETTING_ANY may take in a scene file. */
typedef enum SettingForm {
    FORM_PLAIN = 0,        /* not ANY: the type is enough */
    FORM_TEXT_OR_OBJECT,   /* a path, or an object of `inner` */
    FORM_VECTOR_OR_OBJECT, /* three numbers, or an object of `inner` */
    FORM_MATRIX_OR_OBJECT, /* twelve numbers, or an object of `inner` */
    FORM_MAP,              /* an object of free names, each with an object of `inner` */
    FORM_NUMBER_OR_VECTOR, /* one number for all axes, or three numbers */
    FORM_TWO_POINTS,       /* [[x, y, z], [x, y, z]] */
    FORM_NUMBERS,          /* a list of numbers, each within the limits */
    FORM_COUNTS,           /* three whole numbers, each within the limits */
    FORM_NAMES             /* a list of texts; the field has a bit for each */
} SettingForm;

/* The structs of the API that hold settings. */
typedef enum DescStruct {
    DESC_NONE = 0,
    DESC_BAKE,
    DESC_CONTACT,
    DESC_BODY,
    DESC_MATERIAL,
    DESC_SPRINGS,
    DESC_REGION,
    DESC_BONE,
    DESC_COLLIDER,
    DESC_FIELD,
    DESC_COUNT
} DescStruct;

/* How a field holds its value: its C type. */
typedef enum FieldStorage {
    STORED_NUMBER, /* double; NaN: left to the core, where the setting has no default and is not required */
    STORED_COUNT,  /* uint32_t: a whole number, 0 or 1; of a name its number among the choices, from 1 */
    STORED_TAG,    /* uint64_t: any; of FORM_NAMES a bit for each name */
    STORED_TEXT,   /* const char * */
    STORED_VECTOR, /* double[3] */
    STORED_MATRIX  /* double[12] */
} FieldStorage;

/* What depends on a setting. */
typedef enum SettingRole {
    ROLE_RESULT, /* what is baked: it is in the input hash and in the receipt */
    ROLE_LABEL,  /* words for messages: it is in the receipt only */
    ROLE_RUN     /* where and how the bake runs: it is in neither, since the cache is the same */
} SettingRole;

typedef struct SettingPlace {
    DescStruct owner; /* DESC_NONE: not stored in a field as given */
    FieldStorage storage;
    SettingRole role;
    size_t offset;     /* in the struct */
    const char *field; /* its name there */
} SettingPlace;

typedef struct SettingDetail {
    JnSetting setting;
    SettingPlace place;
    const char *inner;        /* ANY: the scope of its object form, else NULL */
    const char *default_text; /* NAME: the default name; others: the default in words if it is not a number; NULL */
    SettingForm form;
    bool required;
} SettingDetail;

/* An object of a scene file: its name in JnSetting.scope and one sentence for the docs. */
typedef struct SettingScope {
    const char *name;
    const char *summary;
    bool one_key; /* an object of this scope has exactly one of its keys */
} SettingScope;

/* Detail number `index` below jn_setting_count, a key of scene files; NULL if out of range. */
const SettingDetail *setting_detail(uint32_t index);
/* Line number `index` of the whole table: the details, then the fields without a key; NULL past the end. */
const SettingDetail *setting_line(uint32_t index);
/* NULL if unknown. */
const SettingDetail *setting_detail_find(const char *scope, const char *key);

/* Default number of a setting: NaN if it has none or is unknown. */
double setting_default(const char *scope, const char *key);

/* The scopes in the order of the docs; NULL past the end. */
const SettingScope *setting_scope(uint32_t index);
/* NULL if unknown. */
const SettingScope *setting_scope_find(const char *name);

/* The key of `scope` nearest to `key`; NULL if none is near. */
const char *setting_nearest(const char *scope, const char *key);

/* The names that a JN_SETTING_NAME may have, for table_find: a stage's table, or one made of the presets in `entries`,
   at most SETTING_CHOICES of them. */
enum { SETTING_CHOICES = 64 };
Table setting_choices(const char *choices, JnTableEntry entries[SETTING_CHOICES]);

#endif
