#include "geometry/array.h"
#include "geometry/glb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void glb_nodes_free(GlbNodes *nodes) {
    free(nodes->modelled);
    free(nodes->parents);
    free(nodes->order);
    free(nodes->world);
    free(nodes->channels);
    *nodes = (GlbNodes){0};
}

/* ------------------------------------------------------------------------------------------------ the tree */

static void read_transform(const cJSON *node, GlbTransform *transform) {
    double columns[16];
    *transform = (GlbTransform){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    transform->has_matrix = glb_list(node, "matrix", 16, columns);
    for (size_t i = 0; i < 3 && transform->has_matrix; ++i)
        for (size_t j = 0; j < 4; ++j)
            transform->matrix[4 * i + j] = columns[4 * j + i];
    double numbers[4];
    if (glb_list(node, "translation", 3, numbers))
        memcpy(transform->translation, numbers, 3 * sizeof *numbers);
    if (glb_list(node, "rotation", 4, numbers))
        memcpy(transform->rotation, numbers, 4 * sizeof *numbers);
    if (glb_list(node, "scale", 3, numbers))
        memcpy(transform->scale, numbers, 3 * sizeof *numbers);
}

static JnStatus read_parents(const Glb *glb, GlbNodes *nodes, JnMessage *message) {
    memset(nodes->parents, 0xff, nodes->count * sizeof *nodes->parents);
    for (uint32_t n = 0; n < nodes->count; ++n) {
        const cJSON *children = cJSON_GetObjectItemCaseSensitive(glb->nodes.items[n], "children");
        for (const cJSON *item = children ? children->child : NULL; item; item = item->next) {
            double child = cJSON_IsNumber(item) ? item->valuedouble : -1;
            if (!(child >= 0 && child < nodes->count && child == floor(child)))
                return glb_fail(glb, message, "node %u has the child %g, but there are %u nodes", n, child,
                                nodes->count);
            if (nodes->parents[(uint32_t)child] != UINT32_MAX)
                return glb_fail(glb, message, "node %g has two parents", child);
            nodes->parents[(uint32_t)child] = n;
        }
    }
    return JN_OK;
}

/* Parents before children; nodes in a circle are in no such order. */
static JnStatus find_order(const Glb *glb, GlbNodes *nodes, JnMessage *message) {
    uint32_t filled = 0;
    for (uint32_t n = 0; n < nodes->count; ++n)
        if (nodes->parents[n] == UINT32_MAX)
            nodes->order[filled++] = n;
    for (uint32_t k = 0; k < filled; ++k) {
        const cJSON *children = cJSON_GetObjectItemCaseSensitive(glb->nodes.items[nodes->order[k]], "children");
        for (const cJSON *item = children ? children->child : NULL; item; item = item->next)
            nodes->order[filled++] = (uint32_t)item->valuedouble;
    }
    return filled == nodes->count ? JN_OK : glb_fail(glb, message, "some of its nodes are their own ancestors");
}

/* ------------------------------------------------------------------------------------------------ animation */

static JnStatus check_times(const Glb *glb, const GlbNumbers *times, JnMessage *message) {
    for (uint32_t i = 0; i < times->count; ++i) {
        double time = glb_number(times, i, 0);
        if (!(fabs(time) <= 1e7) || (i && time <= glb_number(times, i - 1, 0)))
            return glb_fail(glb, message, "the time of key %u is %g s, which does not follow the one before", i, time);
    }
    return JN_OK;
}

/* One channel; *used false: it moves no node. */
static JnStatus read_channel(const Glb *glb, const cJSON *channel, const GlbList *samplers, GlbChannel *out, bool *used,
                             JnMessage *message) {
    static const char *const paths[] = {"translation", "rotation", "scale"}, *const ways[] = {"LINEAR", "STEP",
                                                                                              "CUBICSPLINE"};
    const cJSON *target = cJSON_GetObjectItemCaseSensitive(channel, "target");
    const cJSON *path = cJSON_GetObjectItemCaseSensitive(target, "path");
    int64_t node, sampler, input, output;
    int kind = 0, way = 0;
    JnStatus status = glb_index(glb, target, "node", glb->nodes.count, GLB_NONE, &node, message);
    if (status == JN_OK)
        status = glb_index(glb, channel, "sampler", samplers->count, GLB_NONE, &sampler, message);
    if (status != JN_OK)
        return status;
    while (kind < 3 && !(cJSON_IsString(path) && strcmp(path->valuestring, paths[kind]) == 0))
        ++kind;
    *used = node != GLB_NONE && kind < 3;
    if (cJSON_IsString(path) && strcmp(path->valuestring, "weights") == 0)
        return glb_fail(glb, message, "its animation has morph targets, which are not read: export an .abc file");
    if (!*used)
        return JN_OK;
    if (sampler == GLB_NONE)
        return glb_fail(glb, message, "a channel of its animation has no sampler");
    const cJSON *item = samplers->items[sampler];
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "interpolation");
    while (way < 3 && strcmp(cJSON_IsString(name) ? name->valuestring : "LINEAR", ways[way]) != 0)
        ++way;
    if (way == 3)
        return glb_fail(glb, message, "a sampler of its animation has no known interpolation");
    *out = (GlbChannel){.node = (uint32_t)node, .path = (GlbPath)kind, .way = (GlbWay)way};
    status = glb_index(glb, item, "input", glb->accessors.count, GLB_NONE, &input, message);
    if (status == JN_OK)
        status = glb_index(glb, item, "output", glb->accessors.count, GLB_NONE, &output, message);
    if (status == JN_OK)
        status = glb_numbers(glb, input, 1, &out->times, message);
    if (status == JN_OK)
        status = glb_numbers(glb, output, kind == GLB_ROTATION ? 4 : 3, &out->values, message);
    if (status == JN_OK && (out->times.count == 0 || out->values.count / (way == GLB_CUBIC ? 3 : 1) < out->times.count))
        return glb_fail(glb, message, "a sampler of its animation has %u values for %u times", out->values.count,
                        out->times.count);
    return status == JN_OK ? check_times(glb, &out->times, message) : status;
}

static JnStatus read_channels(const Glb *glb, GlbNodes *nodes, JnMessage *message) {
    const cJSON *animations = cJSON_GetObjectItemCaseSensitive(glb->json, "animations");
    const cJSON *animation = animations ? animations->child : NULL;
    GlbList channels = {0}, samplers = {0};
    uint64_t key_count = 0;
    JnStatus status = glb_list_make(glb, animation, "channels", &channels, message);
    if (status == JN_OK)
        status = glb_list_make(glb, animation, "samplers", &samplers, message);
    nodes->channels = array_new(channels.count, sizeof *nodes->channels);
    if (status == JN_OK && !nodes->channels)
        status = status_no_memory(message, glb->name);
    nodes->first_time = INFINITY;
    for (uint32_t c = 0; c < channels.count && status == JN_OK; ++c) {
        GlbChannel *channel = &nodes->channels[nodes->channel_count];
        bool used = false;
        status = read_channel(glb, channels.items[c], &samplers, channel, &used, message);
        if (status != JN_OK || !used)
            continue;
        nodes->first_time = fmin(nodes->first_time, glb_number(&channel->times, 0, 0));
        ++nodes->channel_count;
        key_count += channel->times.count;
        if (key_count > glb->size)
            status = glb_fail(glb, message, "its animation has more keys than the file has bytes: it is damaged");
    }
    nodes->first_time = isfinite(nodes->first_time) ? nodes->first_time : 0;
    free(channels.items);
    free(samplers.items);
    return status;
}

JnStatus glb_nodes_read(const Glb *glb, GlbNodes *nodes, JnMessage *message) {
    *nodes = (GlbNodes){.count = glb->nodes.count};
    nodes->modelled = array_new(nodes->count, sizeof *nodes->modelled);
    nodes->parents = array_new(nodes->count, sizeof *nodes->parents);
    nodes->order = array_new(nodes->count, sizeof *nodes->order);
    nodes->world = array_new(12 * (size_t)nodes->count, sizeof *nodes->world);
    JnStatus status = nodes->modelled && nodes->parents && nodes->order && nodes->world
                          ? read_parents(glb, nodes, message)
                          : status_no_memory(message, glb->name);
    if (status == JN_OK)
        status = find_order(glb, nodes, message);
    if (status == JN_OK)
        status = read_channels(glb, nodes, message);
    for (uint32_t n = 0; status == JN_OK && n < nodes->count; ++n)
        read_transform(glb->nodes.items[n], &nodes->modelled[n]);
    if (status != JN_OK)
        glb_nodes_free(nodes);
    return status;
}

/* ------------------------------------------------------------------------------------------------ placing */

/* The key at `time` or before it, and how far on to the next one it is, 0 to 1. */
static uint32_t find_key(const GlbNumbers *times, double time, double *on, double *step) {
    uint32_t low = 0, high = times->count - 1;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (glb_number(times, middle, 0) <= time)
            low = middle;
        else
            high = middle - 1;
    }
    double at = glb_number(times, low, 0);
    *on = *step = 0;
    if (low + 1 < times->count && time > at) {
        *step = glb_number(times, low + 1, 0) - at;
        *on = (time - at) / *step;
    }
    return low;
}

/* Along the shorter arc between two rotations of length 1. */
static void turn_between(const double a[4], const double b[4], double t, double out[4]) {
    double cosine = 0, weights[2] = {1 - t, t};
    for (int i = 0; i < 4; ++i)
        cosine += a[i] * b[i];
    double sign = cosine < 0 ? -1 : 1, angle = acos(fmin(fabs(cosine), 1));
    if (sin(angle) > 1e-6) {
        weights[0] = sin((1 - t) * angle) / sin(angle);
        weights[1] = sin(t * angle) / sin(angle);
    }
    for (int i = 0; i < 4; ++i)
        out[i] = weights[0] * a[i] + sign * weights[1] * b[i];
}

/* The value of a channel at `time`. */
static void sample(const GlbChannel *channel, double time, double out[4]) {
    double t, step, a[4], b[4];
    size_t width = channel->path == GLB_ROTATION ? 4 : 3, key = find_key(&channel->times, time, &t, &step);
    size_t next = t > 0 ? key + 1 : key;
    const GlbNumbers *values = &channel->values;
    if (channel->way == GLB_CUBIC) {
        /* each key has an incoming tangent, its value and an outgoing tangent */
        for (size_t i = 0; i < width; ++i) {
            double p = glb_number(values, 3 * key + 1, i), q = glb_number(values, 3 * next + 1, i);
            double leave = step * glb_number(values, 3 * key + 2, i), arrive = step * glb_number(values, 3 * next, i);
            out[i] = (2 * t * t * t - 3 * t * t + 1) * p + (t * t * t - 2 * t * t + t) * leave +
                     (3 * t * t - 2 * t * t * t) * q + (t * t * t - t * t) * arrive;
        }
        return;
    }
    if (channel->way == GLB_STEP)
        next = key;
    for (size_t i = 0; i < width; ++i) {
        a[i] = glb_number(values, key, i);
        b[i] = glb_number(values, next, i);
        out[i] = (1 - t) * a[i] + t * b[i];
    }
    if (channel->path == GLB_ROTATION)
        turn_between(a, b, t, out);
}

/* T R S as the first three rows of a matrix; a rotation of length 0 is none. */
static void transform_matrix(const GlbTransform *transform, double m[12]) {
    if (transform->has_matrix) {
        memcpy(m, transform->matrix, 12 * sizeof *m);
        return;
    }
    const double *r = transform->rotation;
    double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    double x = 0, y = 0, z = 0, w = 1;
    if (length > 0)
        x = r[0] / length, y = r[1] / length, z = r[2] / length, w = r[3] / length;
    const double turn[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                            2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                            2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j)
            m[4 * i + j] = turn[3 * i + j] * transform->scale[j];
        m[4 * i + 3] = transform->translation[i];
    }
}

/* out = a b */
static void multiply(const double a[12], const double b[12], double out[12]) {
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 4; ++j) {
            out[4 * i + j] = j == 3 ? a[4 * i + 3] : 0;
            for (size_t k = 0; k < 3; ++k)
                out[4 * i + j] += a[4 * i + k] * b[4 * k + j];
        }
}

JnStatus glb_nodes_place(const Glb *glb, GlbNodes *nodes, double time, JnMessage *message) {
    GlbTransform *placed = array_new(nodes->count, sizeof *placed);
    if (!placed)
        return status_no_memory(message, glb->name);
    memcpy(placed, nodes->modelled, nodes->count * sizeof *placed);
    for (uint32_t c = 0; c < nodes->channel_count && !isnan(time); ++c) {
        const GlbChannel *channel = &nodes->channels[c];
        GlbTransform *transform = &placed[channel->node];
        double value[4];
        transform->has_matrix = false;
        sample(channel, time, value);
        if (channel->path == GLB_ROTATION)
            memcpy(transform->rotation, value, 4 * sizeof *value);
        else
            memcpy(channel->path == GLB_SCALE ? transform->scale : transform->translation, value, 3 * sizeof *value);
    }
    for (uint32_t k = 0; k < nodes->count; ++k) {
        uint32_t n = nodes->order[k], parent = nodes->parents[n];
        double local[12];
        transform_matrix(&placed[n], local);
        if (parent == UINT32_MAX)
            memcpy(nodes->world + 12 * (size_t)n, local, sizeof local);
        else
            multiply(nodes->world + 12 * (size_t)parent, local, nodes->world + 12 * (size_t)n);
    }
    free(placed);
    return JN_OK;
}
