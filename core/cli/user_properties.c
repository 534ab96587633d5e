#include "user_properties.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char receipt_name[] = "jounce_receipt";

/* The text user property `name` of the archive, NULL if it is none. The caller frees it. */
static char *user_text(AbcReader *reader, const char *name) {
    size_t byte_count = 0;
    if (abc_reader_user_string(reader, ABC_ROOT, name, NULL, 0, &byte_count, NULL) != ABC_OK || byte_count == 0)
        return NULL;
    char *text = malloc(byte_count);
    if (text && abc_reader_user_string(reader, ABC_ROOT, name, text, byte_count, &byte_count, NULL) != ABC_OK) {
        free(text);
        return NULL;
    }
    return text;
}

/* All text user properties of the archive as an object; those that hold JSON, such as the receipt, as JSON. */
static cJSON *read_all(AbcReader *reader) {
    cJSON *object = cJSON_CreateObject();
    AbcPropertyInfo property;
    for (uint32_t i = 0; abc_reader_property_at(reader, ABC_ROOT, ".userProperties", i, &property, NULL) == ABC_OK;
         ++i) {
        char *text = user_text(reader, property.name);
        if (!text)
            continue;
        cJSON *value = cJSON_Parse(text);
        cJSON_AddItemToObject(object, property.name, value ? value : cJSON_CreateString(text));
        free(text);
    }
    return object;
}

void user_properties_add(AbcReader *reader, cJSON *object) {
    cJSON *properties = read_all(reader);
    cJSON *receipt = cJSON_DetachItemFromObject(properties, receipt_name);
    if (receipt)
        cJSON_AddItemToObject(object, "receipt", receipt);
    cJSON_AddItemToObject(object, "user_properties", properties);
}

/* -------------------------------------------------------------------------------- text */

static bool is_plain(const cJSON *value) {
    return !cJSON_IsObject(value) && !cJSON_IsArray(value);
}

/* A list without objects and lists in it is printed on one line. */
static bool is_plain_list(const cJSON *value) {
    const cJSON *item;
    cJSON_ArrayForEach(item, value) {
        if (!is_plain(item))
            return false;
    }
    return cJSON_IsArray(value);
}

static void print_plain(const cJSON *value) {
    if (cJSON_IsString(value))
        fputs(cJSON_GetStringValue(value), stdout);
    else if (cJSON_IsNumber(value))
        printf("%.9g", cJSON_GetNumberValue(value));
    else
        fputs(cJSON_IsTrue(value) ? "yes" : cJSON_IsFalse(value) ? "no" : "none", stdout);
}

static const char *key_of(const cJSON *value) {
    return value->string ? value->string : "-";
}

static bool is_one_line(const cJSON *value) {
    return is_plain(value) || is_plain_list(value);
}

/* As wide as the longest key of an object or list whose value is on the same line, within limits. */
static int key_width(const cJSON *parent) {
    size_t longest = 18;
    const cJSON *value;
    cJSON_ArrayForEach(value, parent) {
        size_t length = strlen(key_of(value));
        if (is_one_line(value) && length > longest && length < 80)
            longest = length;
    }
    return (int)longest;
}

/* Prints the members of an object or list, one a line, deeper ones further to the right. Parsed JSON is at
   most CJSON_NESTING_LIMIT deep, so the recursion ends. */
static void print_members(const cJSON *parent, int indent) {
    int width = key_width(parent);
    const cJSON *value;
    cJSON_ArrayForEach(value, parent) {
        printf("%*s%-*s%s", indent, "", is_one_line(value) ? width : 0, key_of(value), is_one_line(value) ? "  " : "");
        if (is_plain(value))
            print_plain(value);
        const cJSON *item;
        if (is_plain_list(value))
            cJSON_ArrayForEach(item, value) {
                print_plain(item);
                fputs(item->next ? ", " : "", stdout);
            }
        putchar('\n');
        if (!is_one_line(value))
            print_members(value, indent + 2);
    }
}

void user_properties_print(AbcReader *reader) {
    cJSON *properties = read_all(reader);
    const cJSON *property;
    cJSON_ArrayForEach(property, properties) {
        printf("\n%s\n", strcmp(property->string, receipt_name) == 0 ? "receipt" : property->string);
        if (is_plain(property)) {
            fputs("  ", stdout);
            print_plain(property);
            putchar('\n');
        } else {
            print_members(property, 2);
        }
    }
    cJSON_Delete(properties);
}
