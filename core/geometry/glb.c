#include "geometry/glb.h"
#include "geometry/array.h"
#include "geometry/textfile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

JnStatus glb_fail(const Glb *glb, JnMessage *message, const char *format, ...) {
    char sentence[JN_MESSAGE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return status_fail(message, JN_ERR_FORMAT, "%.300s: %s", glb->name, sentence);
}

/* ------------------------------------------------------------------------------------------------ JSON */

JnStatus glb_index(const Glb *glb, const cJSON *object, const char *key, double limit, int64_t missing, int64_t *index,
                   JnMessage *message) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    *index = missing;
    if (!value)
        return JN_OK;
    double number = cJSON_IsNumber(value) ? value->valuedouble : -1;
    if (!(number >= 0 && number < limit && number == floor(number)))
        return glb_fail(glb, message, "%s is %g, but must be a whole number from 0 to below %g", key, number, limit);
    *index = (int64_t)number;
    return JN_OK;
}

bool glb_list(const cJSON *object, const char *key, size_t count, double *numbers) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key);
    size_t filled = 0;
    if (!cJSON_IsArray(list))
        return false;
    for (const cJSON *item = list->child; item && filled < count; item = item->next) {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
            return false;
        numbers[filled++] = item->valuedouble;
    }
    return filled == count;
}

JnStatus glb_list_make(const Glb *glb, const cJSON *object, const char *key, GlbList *list, JnMessage *message) {
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, key);
    *list = (GlbList){0};
    size_t count = 0;
    for (const cJSON *item = array ? array->child : NULL; item; item = item->next)
        ++count;
    list->items = array_new(count, sizeof *list->items);
    if (!list->items || count >= UINT32_MAX)
        return status_no_memory(message, glb->name);
    for (const cJSON *item = array ? array->child : NULL; item; item = item->next) {
        if (!cJSON_IsObject(item))
            return glb_fail(glb, message, "%s[%u] is not an object", key, list->count);
        list->items[list->count++] = item;
    }
    return JN_OK;
}

/* Extensions that change nothing of the shape. Others that a file requires are refused. */
static JnStatus check_extensions(const Glb *glb, JnMessage *message) {
    static const char *const harmless[] = {"KHR_mesh_quantization", "KHR_texture_", "KHR_materials_", "EXT_texture_",
                                           "KHR_lights_"};
    const cJSON *required = cJSON_GetObjectItemCaseSensitive(glb->json, "extensionsRequired");
    for (const cJSON *item = required ? required->child : NULL; item; item = item->next) {
        bool known = false;
        for (size_t i = 0; cJSON_IsString(item) && i < sizeof harmless / sizeof harmless[0]; ++i)
            known |= strncmp(item->valuestring, harmless[i], strlen(harmless[i])) == 0;
        if (!known)
            return glb_fail(glb, message, "it needs the extension %.60s, which is not read: export it without",
                            cJSON_IsString(item) ? item->valuestring : "?");
    }
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ container */

enum { HEAD = 12, CHUNK_HEAD = 8, JSON_CHUNK = 0x4E4F534A, BINARY_CHUNK = 0x004E4942 };

/* Finds the chunks: JSON first, then perhaps the binary part. */
static JnStatus read_chunks(Glb *glb, const unsigned char *bytes, size_t size, const char **json, size_t *json_size,
                            JnMessage *message) {
    if (size < HEAD + CHUNK_HEAD || memcmp(bytes, "glTF", 4) != 0 || textfile_u32(bytes + 4, false) != 2)
        return glb_fail(glb, message, "it does not begin with glTF, version 2: it is no .glb file");
    for (size_t at = HEAD; size - at >= CHUNK_HEAD;) {
        size_t length = textfile_u32(bytes + at, false), type = textfile_u32(bytes + at + 4, false);
        at += CHUNK_HEAD;
        if (length > size - at)
            return glb_fail(glb, message, "a part of %zu bytes begins where %zu are left: it is cut short or damaged",
                            length, size - at);
        if (type == JSON_CHUNK && !*json) {
            *json = (const char *)bytes + at;
            *json_size = length;
        } else if (type == BINARY_CHUNK && !glb->bytes) {
            glb->bytes = bytes + at;
            glb->byte_count = length;
        }
        at += length;
    }
    return *json ? JN_OK : glb_fail(glb, message, "it has no JSON: it is cut short or damaged");
}

JnStatus glb_open(Glb *glb, const char *name, const unsigned char *bytes, size_t size, JnMessage *message) {
    const char *json = NULL;
    size_t json_size = 0;
    *glb = (Glb){.name = name, .size = size};
    JnStatus status = read_chunks(glb, bytes, size, &json, &json_size, message);
    if (status == JN_OK) {
        glb->json = cJSON_ParseWithLength(json, json_size);
        if (!cJSON_IsObject(glb->json))
            status = glb_fail(glb, message, "its JSON cannot be read: it is damaged");
    }
    if (status == JN_OK)
        status = check_extensions(glb, message);
    if (status == JN_OK)
        status = glb_list_make(glb, glb->json, "nodes", &glb->nodes, message);
    if (status == JN_OK)
        status = glb_list_make(glb, glb->json, "accessors", &glb->accessors, message);
    if (status == JN_OK)
        status = glb_list_make(glb, glb->json, "bufferViews", &glb->views, message);
    if (status != JN_OK)
        glb_close(glb);
    return status;
}

void glb_close(Glb *glb) {
    cJSON_Delete(glb->json);
    free(glb->nodes.items);
    free(glb->accessors.items);
    free(glb->views.items);
    *glb = (Glb){0};
}

/* ------------------------------------------------------------------------------------------------ accessors */

enum { BYTE = 5120, UBYTE, SHORT, USHORT, UINT = 5125, FLOAT };

static size_t size_of_type(int64_t type) {
    return type == BYTE || type == UBYTE     ? 1
           : type == SHORT || type == USHORT ? 2
           : type == UINT || type == FLOAT   ? 4
                                             : 0;
}

static uint32_t width_of(const cJSON *accessor) {
    static const struct {
        const char *name;
        uint32_t width;
    } kinds[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(accessor, "type");
    for (size_t i = 0; cJSON_IsString(kind) && i < sizeof kinds / sizeof kinds[0]; ++i)
        if (strcmp(kind->valuestring, kinds[i].name) == 0)
            return kinds[i].width;
    return 0;
}

/* The bytes of a view. */
static JnStatus find_view(const Glb *glb, int64_t number, size_t *offset, size_t *length, size_t *stride,
                          JnMessage *message) {
    const cJSON *view = glb->views.items[number];
    const double limit = (double)glb->byte_count + 1;
    int64_t buffer, at, count, step;
    JnStatus status = glb_index(glb, view, "buffer", 1, GLB_NONE, &buffer, message);
    if (status != JN_OK || buffer != 0)
        return status_fail(message, JN_ERR_FORMAT,
                           "%.300s: a bufferView lies in another file: export one .glb file that holds all", glb->name);
    status = glb_index(glb, view, "byteOffset", limit, 0, &at, message);
    if (status == JN_OK)
        status = glb_index(glb, view, "byteLength", limit, 0, &count, message);
    if (status == JN_OK)
        status = glb_index(glb, view, "byteStride", 253, 0, &step, message);
    if (status == JN_OK && (size_t)count > glb->byte_count - (size_t)at)
        return glb_fail(glb, message, "bufferViews[%lld] ends beyond the file: it is cut short or damaged",
                        (long long)number);
    if (status == JN_OK) {
        *offset = (size_t)at;
        *length = (size_t)count;
        *stride = (size_t)step;
    }
    return status;
}

JnStatus glb_numbers(const Glb *glb, int64_t accessor, uint32_t width, GlbNumbers *numbers, JnMessage *message) {
    *numbers = (GlbNumbers){0};
    if (accessor < 0 || accessor >= glb->accessors.count)
        return glb_fail(glb, message, "there is no accessor %lld", (long long)accessor);
    const cJSON *json = glb->accessors.items[accessor];
    int64_t view, at, count, type;
    size_t offset = 0, length = 0, stride = 0;
    if (cJSON_GetObjectItemCaseSensitive(json, "sparse") || !cJSON_GetObjectItemCaseSensitive(json, "bufferView"))
        return glb_fail(glb, message, "accessors[%lld] is sparse, which is not read: export it otherwise",
                        (long long)accessor);
    JnStatus status = glb_index(glb, json, "bufferView", glb->views.count, GLB_NONE, &view, message);
    if (status == JN_OK)
        status = find_view(glb, view, &offset, &length, &stride, message);
    if (status == JN_OK)
        status = glb_index(glb, json, "byteOffset", (double)glb->byte_count + 1, 0, &at, message);
    if (status == JN_OK)
        status = glb_index(glb, json, "count", UINT32_MAX, 0, &count, message);
    if (status == JN_OK)
        status = glb_index(glb, json, "componentType", 1e5, 0, &type, message);
    if (status != JN_OK)
        return status;
    size_t number_size = size_of_type(type), found = width_of(json), item = number_size * found;
    if (!item || (width && found != width))
        return glb_fail(glb, message, "accessors[%lld] does not hold items of %u numbers", (long long)accessor, width);
    stride = stride ? stride : item;
    /* the last item ends within the view */
    if (count && ((size_t)at > length || length - (size_t)at < item ||
                  (size_t)(count - 1) > (length - (size_t)at - item) / stride))
        return glb_fail(glb, message, "accessors[%lld] ends beyond its bufferView: it is cut short or damaged",
                        (long long)accessor);
    *numbers = (GlbNumbers){.first = count ? glb->bytes + offset + at : NULL, /* there may be no binary part */
                            .stride = stride,
                            .number_size = number_size,
                            .count = (uint32_t)count,
                            .width = (uint32_t)found,
                            .type = (int)type,
                            .normalized = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "normalized"))};
    return JN_OK;
}

double glb_number(const GlbNumbers *numbers, size_t item, size_t component) {
    const unsigned char *at = numbers->first + item * numbers->stride + component * numbers->number_size;
    uint32_t two = numbers->number_size == 2 ? (uint32_t)at[0] | (uint32_t)at[1] << 8 : 0;
    switch (numbers->type) {
    case BYTE:
        return numbers->normalized ? fmax((int8_t)at[0] / 127.0, -1) : (int8_t)at[0];
    case UBYTE:
        return numbers->normalized ? at[0] / 255.0 : at[0];
    case SHORT:
        return numbers->normalized ? fmax((int16_t)two / 32767.0, -1) : (int16_t)two;
    case USHORT:
        return numbers->normalized ? two / 65535.0 : two;
    case UINT:
        return textfile_u32(at, false);
    default:
        return (double)textfile_f32(at, false);
    }
}
