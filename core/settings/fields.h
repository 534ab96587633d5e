/* The fields of the desc structs, as described by the settings table. Defaults, checks, hash and receipt iterate over
   these, so that none of them needs a separate list. */
#ifndef JN_SETTINGS_FIELDS_H
#define JN_SETTINGS_FIELDS_H

#include "settings/settings.h"

/* The struct's name in the header, "JnMaterial", and its size. */
const char *desc_struct_name(DescStruct owner);
size_t desc_struct_size(DescStruct owner);

/* Line number `index` of those whose values are fields of `owner`; NULL past the end. */
const SettingDetail *field_line(DescStruct owner, uint32_t index);

/* The field in `desc`, a struct of the line's owner. Its type is given by the line's storage. */
const void *field_address(const SettingDetail *line, const void *desc);
size_t field_bytes(FieldStorage storage);

/* The doubles of a number, vector or matrix; 0 for other storage. */
uint32_t field_number_count(FieldStorage storage);
double field_number(const SettingDetail *line, const void *desc, uint32_t index);
/* Of STORED_COUNT. */
uint32_t field_count(const SettingDetail *line, const void *desc);
/* Of STORED_TAG. */
uint64_t field_tag(const SettingDetail *line, const void *desc);
/* Of STORED_TEXT; may be NULL. */
const char *field_text(const SettingDetail *line, const void *desc);

/* Whether NaN leaves the number to the core. */
bool field_may_be_left(const SettingDetail *line);

/* The number that a field of STORED_COUNT holds for `name`; 0 if the name is none of its choices. */
uint32_t field_choice_number(const SettingDetail *line, const char *name);
/* The reverse; NULL if there is no such choice. Names live as long as the library. */
const char *field_choice_name(const SettingDetail *line, uint32_t number);

/* Fills the whole struct with zeros, its size and the defaults of its lines. Structs inside are left zero, and so is
   what has no plain default. */
void fields_init(DescStruct owner, void *desc);

#endif
