#include "scene/scene_weights.h"

#include "scene/scene_check.h"
#include "scene/scene_text.h"
#include "scene/scene_value.h"
#include "base/status.h"
#include "base/table.h"
#include "geometry/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ fields */

/* One of the mesh's fields, and the component that is meant of it; -1: all. */
typedef struct FieldPart {
    const JnMeshField *field;
    int component;
} FieldPart;

/* "Col.g" is component 1 of "Col": r g b a, x y z w or a digit after the last point. -1: the name has no such
   ending. */
static int named_component(const char *name, size_t *stem_length) {
    static const char *const letters[] = {"rgba", "xyzw", "012345678"};
    const char *point = strrchr(name, '.');
    if (!point || point[1] == '\0' || point[2] != '\0')
        return -1;
    *stem_length = (size_t)(point - name);
    for (int i = 0; i < 3; ++i) {
        const char *found = strchr(letters[i], point[1]);
        if (found)
            return (int)(found - letters[i]);
    }
    return -1;
}

static FieldPart find_field(const JnMeshView *view, const char *name) {
    for (uint32_t i = 0; i < view->field_count; ++i)
        if (strcmp(view->fields[i].name, name) == 0)
            return (FieldPart){&view->fields[i], -1};
    size_t length = 0;
    int component = named_component(name, &length);
    for (uint32_t i = 0; i < view->field_count && component >= 0; ++i) {
        const JnMeshField *field = &view->fields[i];
        if (strlen(field->name) == length && memcmp(field->name, name, length) == 0 &&
            (uint32_t)component < field->component_count)
            return (FieldPart){field, component};
    }
    return (FieldPart){NULL, -1};
}

/* Adds the names by which a field can be used to text[*used]: "tail", or "Col.r, Col.g, Col.b". Cut at the end. */
static void add_field_names(const JnMeshField *field, char *text, size_t capacity, size_t *used) {
    const char *letters = field->component_count <= 4 ? "rgba" : "012345678";
    for (uint32_t c = 0; c < field->component_count && c < 9 && *used < capacity; ++c) {
        char ending[3] = {'.', letters[c], '\0'};
        *used += (size_t)snprintf(text + *used, capacity - *used, "%s%.60s%s", *used ? ", " : "", field->name,
                                  field->component_count > 1 ? ending : "");
    }
}

static JnStatus fail_no_field(const SceneBody *body, const char *name, const char *place, JnMessage *message) {
    char names[600] = "";
    size_t used = 0;
    const JnMeshView *views[] = {&body->mesh_view, &body->render_view};
    for (int v = 0; v < 2; ++v)
        for (uint32_t i = 0; i < views[v]->field_count; ++i)
            add_field_names(&views[v]->fields[i], names, sizeof names, &used);
    return status_fail(message, JN_ERR_SCENE, "%s: the mesh has no field '%.60s'; %s%s", place, name,
                       used ? "it has " : "it has none at all", names);
}

static JnStatus fail_width(const JnMeshField *field, const char *name, uint32_t component_count, const char *place,
                           JnMessage *message) {
    char names[600] = "";
    size_t used = 0;
    add_field_names(field, names, sizeof names, &used);
    if (component_count == 1)
        return status_fail(message, JN_ERR_SCENE, "%s: the field '%.60s' has %u numbers per vertex: name one of %s",
                           place, name, field->component_count, names);
    return status_fail(message, JN_ERR_SCENE, "%s: the field '%.60s' has %u numbers per vertex, but %u are needed",
                       place, name, field->component_count, component_count);
}

/* out = W field: the field of the tets' vertices at the points of the render mesh; `clamped`: not beyond the values of
   the tet, for points outside of it. */
static JnStatus carry_field(SceneBody *body, const JnMeshField *field, bool clamped, double *out, JnMessage *message) {
    Embedding *carrier = &body->carrier;
    if (!carrier->vertices) {
        TetMesh tets;
        JnStatus status = tetmesh_copy(&body->mesh_view.tets, &tets, message);
        if (status == JN_OK)
            status = embedding_build(&tets, body->points, body->point_count, carrier, message);
        tetmesh_free(&tets);
        if (status != JN_OK)
            return status;
    }
    uint32_t components = field->component_count;
    for (uint32_t i = 0; i < body->point_count; ++i)
        for (uint32_t c = 0; c < components; ++c) {
            double sum = 0, low = INFINITY, high = -INFINITY;
            for (size_t k = 4 * (size_t)i; k < 4 * (size_t)i + 4; ++k) {
                double value = field->values[(size_t)carrier->vertices[k] * components + c];
                sum += carrier->weights[k] * value;
                low = fmin(low, value);
                high = fmax(high, value);
            }
            /* weights are not extrapolated to points outside of the tets; poses are */
            out[(size_t)i * components + c] = clamped ? fmin(fmax(sum, low), high) : sum;
        }
    return JN_OK;
}

JnStatus scene_field(JnScene *scene, SceneBody *body, const char *name, uint32_t component_count, const char *place,
                     double **values, JnMessage *message) {
    /* search the mesh whose vertices are the points first */
    FieldPart part = find_field(body->render ? &body->render_view : &body->mesh_view, name);
    bool carried = !part.field && body->render;
    if (carried)
        part = find_field(&body->mesh_view, name);
    if (!part.field)
        return fail_no_field(body, name, place, message);
    uint32_t width = part.field->component_count;
    if (part.component < 0 ? width != component_count : component_count != 1)
        return fail_width(part.field, name, component_count, place, message);
    double *read = scene_alloc(scene, (size_t)body->point_count * width, sizeof *read);
    if (!read)
        return status_no_memory(message, "a field");
    JnStatus status = JN_OK;
    if (carried)
        status = carry_field(body, part.field, component_count == 1, read, message);
    else
        memcpy(read, part.field->values, (size_t)body->point_count * width * sizeof *read);
    for (size_t i = 0; i < body->point_count && part.component >= 0; ++i)
        read[i] = read[i * width + (size_t)part.component];
    *values = read;
    return status;
}

/* ------------------------------------------------------------------------------------------------ sources */

static JnStatus read_file(JnScene *scene, const SceneBody *body, const char *name, const char *place, double *values,
                          JnMessage *message) {
    char *path = scene_input_path(scene, name), *text;
    size_t length, i = 0;
    if (!path)
        return status_no_memory(message, "a path");
    JnStatus status = scene_text_read(path, "weights file", &text, &length, message);
    if (status != JN_OK)
        return scene_fail_in(place, status, message);
    static const char *const between = " \t\r\n,";
    const char *word = text + strspn(text, between);
    for (; *word && status == JN_OK; ++i) {
        size_t word_length = strcspn(word, between);
        double number;
        if (!number_parse(word, word_length, &number))
            status = status_fail(message, JN_ERR_FORMAT, "%s: %s: after %zu numbers comes '%.*s', which is not one",
                                 place, path, i, word_length < 40 ? (int)word_length : 40, word);
        else if (i < body->point_count)
            values[i] = number;
        word += word_length + strspn(word + word_length, between);
    }
    if (status == JN_OK && word != text + length)
        status = status_fail(message, JN_ERR_FORMAT, "%s: %s holds a zero byte: it is not a text file", place, path);
    if (status == JN_OK && i != body->point_count)
        status = status_fail(message, JN_ERR_SCENE, "%s: %s holds %zu numbers, but the body has %u points", place, path,
                             i, body->point_count);
    free(text);
    return status;
}

static JnStatus read_values(const SceneBody *body, const cJSON *list, const char *place, double *values,
                            JnMessage *message) {
    uint32_t count = (uint32_t)cJSON_GetArraySize(list);
    if (count != body->point_count)
        return status_fail(message, JN_ERR_SCENE, "%s holds %u numbers, but the body has %u points", place, count,
                           body->point_count);
    value_numbers(list, count, values);
    return JN_OK;
}

static void fill_box(const SceneBody *body, const cJSON *corners, double *values) {
    double a[3], b[3];
    value_numbers(corners->child, 3, a);
    value_numbers(corners->child->next, 3, b);
    for (uint32_t i = 0; i < body->point_count; ++i) {
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
            double x = body->points[3 * (size_t)i + (size_t)k];
            inside = inside && x >= fmin(a[k], b[k]) && x <= fmax(a[k], b[k]);
        }
        values[i] = inside;
    }
}

static JnStatus fill_ramp(const SceneBody *body, const cJSON *ends, const char *place, double *values,
                          JnMessage *message) {
    double a[3], b[3], length2 = 0;
    value_numbers(ends->child, 3, a);
    value_numbers(ends->child->next, 3, b);
    for (int k = 0; k < 3; ++k)
        length2 += (b[k] - a[k]) * (b[k] - a[k]);
    if (!(length2 > 0))
        return status_fail(message, JN_ERR_SCENE, "%s: its two points are the same", place);
    for (uint32_t i = 0; i < body->point_count; ++i) {
        double along = 0;
        for (int k = 0; k < 3; ++k)
            along += (body->points[3 * (size_t)i + (size_t)k] - a[k]) * (b[k] - a[k]);
        values[i] = fmin(fmax(along / length2, 0), 1);
    }
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ maps */

/* The numbers of one map, from the source that its object names. */
static JnStatus read_source(JnScene *scene, SceneBody *body, const cJSON *json, const char *place, double **values,
                            JnMessage *message) {
    const char *key = json->child->string;
    char key_place[SCENE_PLACE_BYTES];
    snprintf(key_place, sizeof key_place, "%.140s.%s", place, key);
    if (strcmp(key, "field") == 0)
        return scene_field(scene, body, json->child->valuestring, 1, key_place, values, message);

    *values = scene_alloc(scene, body->point_count, sizeof **values);
    if (!*values)
        return status_no_memory(message, "painted weights");
    if (strcmp(key, "file") == 0)
        return read_file(scene, body, json->child->valuestring, key_place, *values, message);
    if (strcmp(key, "values") == 0)
        return read_values(body, json->child, key_place, *values, message);
    if (strcmp(key, "ramp") == 0)
        return fill_ramp(body, json->child, key_place, *values, message);
    fill_box(body, json->child, *values);
    return JN_OK;
}

static JnStatus read_map(JnScene *scene, SceneBody *body, const cJSON *json, WeightMap *map, JnMessage *message) {
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%s.weights.%.60s", body->place, json->string);
    map->name = json->string;
    map->values = scene_alloc(scene, body->point_count, sizeof *map->values);
    if (!map->values)
        return status_no_memory(message, "painted weights");
    double *values;
    JnStatus status = read_source(scene, body, json, place, &values, message);
    for (uint32_t i = 0; i < body->point_count && status == JN_OK; ++i) {
        /* interpolated fields may exceed the limits by rounding */
        if (!(values[i] >= -1e-6 && values[i] <= 1 + 1e-6))
            return status_fail(message, JN_ERR_SCENE, "%s: the weight of point %u is %g, but must be from 0 to 1",
                               place, i, values[i]);
        map->values[i] = (float)fmin(fmax(values[i], 0), 1);
        map->sum += (double)map->values[i];
    }
    return status;
}

JnStatus scene_weights_read(JnScene *scene, SceneBody *body, JnMessage *message) {
    const cJSON *maps = value_get(body->json, "weights");
    uint32_t count = maps ? (uint32_t)cJSON_GetArraySize(maps) : 0;
    body->maps = scene_alloc(scene, count, sizeof *body->maps);
    if (!body->maps)
        return status_no_memory(message, "painted weights");
    JnStatus status = JN_OK;
    for (const cJSON *item = maps ? maps->child : NULL; item && status == JN_OK; item = item->next)
        status = read_map(scene, body, item, &body->maps[body->map_count++], message);
    return status;
}

JnStatus scene_weights_find(const SceneBody *body, const char *name, const char *place, const WeightMap **map,
                            JnMessage *message) {
    const char *names[SCENE_NAMES_MOST];
    for (uint32_t i = 0; i < body->map_count; ++i) {
        names[i] = body->maps[i].name;
        if (strcmp(names[i], name) != 0)
            continue;
        *map = &body->maps[i];
        if ((*map)->sum > 0)
            return JN_OK;
        return status_fail(message, JN_ERR_SCENE,
                           "%s: the map '%.60s' is 0 at every point of the body, so it does nothing", place, name);
    }
    const char *near = table_nearest(name, names, body->map_count);
    return status_fail(message, JN_ERR_SCENE, "%s: %s.weights has no map '%.60s'%s%.60s%s", place, body->place, name,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
