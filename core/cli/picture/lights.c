#include "lights.h"

#include "raster.h"

#include <stdlib.h>

enum { MAP_SIZE = 320, LAMPS_MAXIMUM = 64, LAMPS_MINIMUM = 16 };
static const float key_spread = 0.13f;        /* tangent of the key lamp's half angle */
static const float golden_angle = 2.3999632f; /* multiples of this angle never coincide */

Vec3 key_direction(Vec3 right, Vec3 back) {
    Vec3 level_back = vec3_unit(vec3(back.x, 0, back.z), vec3(0, 0, 1));
    Vec3 direction = vec3_add(vec3_scale(right, -0.62f), vec3_scale(level_back, 0.55f));
    return vec3_unit(vec3(direction.x, 1.05f, direction.z), vec3(0, 1, 0));
}

/* One distant lamp: a frame of axes, and the map from world to pixels of its shadow map. */
typedef struct Lamp {
    Vec3 direction, across, along;
    float origin_x, origin_y, scale; /* pixel = (coordinate - origin) * scale */
} Lamp;

static Lamp lamp_at(Vec3 direction) {
    Lamp lamp = {.direction = direction};
    Vec3 helper = fabsf(direction.y) < 0.9f ? vec3(0, 1, 0) : vec3(1, 0, 0);
    lamp.across = vec3_unit(vec3_cross(helper, direction), vec3(1, 0, 0));
    lamp.along = vec3_cross(direction, lamp.across);
    return lamp;
}

/* Lamp i of n on a disc around the key direction. */
static Lamp key_lamp(Vec3 key, int i, int n) {
    Lamp middle = lamp_at(key);
    float radius = key_spread * sqrtf(((float)i + 0.5f) / (float)n), angle = golden_angle * (float)i;
    Vec3 direction = vec3_along(key, radius * cosf(angle), middle.across);
    return lamp_at(vec3_unit(vec3_along(direction, radius * sinf(angle), middle.along), key));
}

/* Lamp i of n, spread evenly over the upper half of the sky. */
static Lamp sky_lamp(int i, int n) {
    float y = ((float)i + 0.5f) / (float)n, ring = sqrtf(1 - y * y), angle = golden_angle * (float)i;
    return lamp_at(vec3(ring * cosf(angle), y, ring * sinf(angle)));
}

/* Draws what casts shadows as the lamp sees it. `seen` [vertex_count] is scratch. */
static void draw_shadow_map(const FrameMesh *mesh, Lamp *lamp, Raster *map, Vec3 *seen) {
    float low_x = INFINITY, low_y = INFINITY, high_x = -INFINITY, high_y = -INFINITY;
    for (uint32_t i = 0; i < mesh->caster_vertex_count; ++i) {
        Vec3 p = mesh->positions[i];
        seen[i] = vec3(vec3_dot(p, lamp->across), vec3_dot(p, lamp->along), vec3_dot(p, lamp->direction));
        low_x = fminf(low_x, seen[i].x);
        high_x = fmaxf(high_x, seen[i].x);
        low_y = fminf(low_y, seen[i].y);
        high_y = fmaxf(high_y, seen[i].y);
    }
    // one pixel of room around, so that edges are not cut
    lamp->scale = (MAP_SIZE - 2) / fmaxf(fmaxf(high_x - low_x, high_y - low_y), 1e-20f);
    lamp->origin_x = low_x - 1 / lamp->scale;
    lamp->origin_y = low_y - 1 / lamp->scale;
    for (uint32_t i = 0; i < mesh->caster_vertex_count; ++i) {
        seen[i].x = (seen[i].x - lamp->origin_x) * lamp->scale;
        seen[i].y = (seen[i].y - lamp->origin_y) * lamp->scale;
    }
    raster_clear(map);
    for (uint32_t i = 0; i < mesh->caster_triangle_count; ++i) {
        const uint32_t *corners = mesh->triangles + 3 * (size_t)i;
        raster_triangle(map, seen[corners[0]], seen[corners[1]], seen[corners[2]], i);
    }
}

static bool is_lit(const Lamp *lamp, const Raster *map, const Surfel *surfel) {
    // offset from the surface, to avoid self-shadowing
    float pixel = 1 / lamp->scale;
    Vec3 p = vec3_along(surfel->position, 2.0f * pixel, surfel->normal);
    int x = (int)floorf((vec3_dot(p, lamp->across) - lamp->origin_x) * lamp->scale);
    int y = (int)floorf((vec3_dot(p, lamp->along) - lamp->origin_y) * lamp->scale);
    if (x < 0 || y < 0 || x >= MAP_SIZE || y >= MAP_SIZE)
        return true;
    return vec3_dot(p, lamp->direction) + pixel >= map->depths[y * MAP_SIZE + x];
}

/* Adds one lamp's light to one pixel of every 2 x 2: the one with number `corner`. */
static void add_lamp(const Lamp *lamp, const Raster *map, Surfel *surfels, int width, int height, int corner,
                     bool is_key, float strength) {
    for (int y = corner / 2; y < height; y += 2) {
        for (int x = corner % 2; x < width; x += 2) {
            Surfel *surfel = surfels + (size_t)y * (size_t)width + x;
            float facing = vec3_dot(surfel->normal, lamp->direction);
            if (surfel->object == SURFEL_BACKDROP || facing <= 0 || !is_lit(lamp, map, surfel))
                continue;
            if (is_key) {
                surfel->key += strength * facing;
                surfel->shine += strength;
            } else {
                surfel->sky += 2 * strength * facing; // the mean of `facing` over the half sky is a half
            }
        }
    }
}

bool lights_fall(const FrameMesh *mesh, Vec3 key, Surfel *surfels, int width, int height) {
    // as many lamps as can be drawn in about a second
    int count = LAMPS_MAXIMUM;
    while (count > LAMPS_MINIMUM && (double)count * mesh->triangle_count > 4e6)
        count /= 2;
    Raster map;
    Vec3 *seen = malloc(((size_t)mesh->vertex_count + 1) * sizeof *seen);
    bool enough = raster_create(&map, MAP_SIZE, MAP_SIZE, false) && seen;
    for (int i = 0; i < 2 * count && enough; ++i) {
        bool is_key = i < count;
        Lamp lamp = is_key ? key_lamp(key, i, count) : sky_lamp(i - count, count);
        draw_shadow_map(mesh, &lamp, &map, seen);
        add_lamp(&lamp, &map, surfels, width, height, i % 4, is_key, 4.0f / (float)count);
    }
    raster_free(&map);
    free(seen);
    return enough;
}
