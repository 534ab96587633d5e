#include "drawing.h"

#include "lights.h"
#include "raster.h"

#include <stdlib.h>

/* -------------------------------------------------------------------------------- colours, linear */

static const Vec3 backdrop_top = {0.905f, 0.899f, 0.886f};
static const Vec3 backdrop_bottom = {0.716f, 0.711f, 0.701f};
static const Vec3 key_colour = {1.45f, 1.36f, 1.22f};
static const Vec3 sky_colour = {0.38f, 0.43f, 0.52f};
static const Vec3 floor_bounce = {0.26f, 0.23f, 0.20f};
static const Vec3 shadow_tint = {0.93f, 0.97f, 1.06f};

static Vec3 object_colour(int32_t object) {
    static const Vec3 colours[] = {
        {0.800f, 0.175f, 0.085f}, /* coral */
        {0.050f, 0.340f, 0.330f}, /* teal */
        {0.830f, 0.440f, 0.060f}, /* amber */
        {0.120f, 0.150f, 0.500f}, /* indigo */
        {0.640f, 0.150f, 0.310f}, /* rose */
        {0.210f, 0.420f, 0.130f}, /* leaf */
        {0.360f, 0.230f, 0.140f}, /* clay */
    };
    return colours[(size_t)object % (sizeof colours / sizeof colours[0])];
}

/* -------------------------------------------------------------------------------- what is seen */

static float smoothed(float from, float to, float x) {
    float t = fminf(fmaxf((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

static Vec3 weighted(Vec3 a, Vec3 b, Vec3 c, const float weights[3]) {
    return vec3_along(vec3_along(vec3_scale(a, weights[0]), weights[1], b), weights[2], c);
}

/* The coverage of mesh lines at this point of a triangle. The lines of a fine mesh would only be noise: they fade out
   as triangles become smaller than a few pixels. `doubled_area` and the sides in world space, `pixel` is a pixel's
   size. */
static float mesh_line(uint32_t edges, const float weights[3], const Vec3 sides[3], float doubled_area, float pixel) {
    float line = 0, thinnest = INFINITY;
    for (int i = 0; i < 3; ++i) {
        float altitude = doubled_area / (vec3_length(sides[i]) * pixel);
        thinnest = fminf(thinnest, altitude);
        if (edges >> i & 1)
            line = fmaxf(line, 1 - smoothed(0, 1.4f, weights[i] * altitude));
    }
    return line * smoothed(5, 20, thinnest);
}

/* The point of the triangle that the ray meets. */
static Surfel surfel_on_triangle(const FrameMesh *mesh, const Camera *camera, uint32_t triangle, Vec3 ray) {
    Vec3 eye = camera->eye;
    const uint32_t *corners = mesh->triangles + 3 * (size_t)triangle;
    const Vec3 *normals = mesh->normals + 3 * (size_t)triangle;
    Vec3 a = mesh->positions[corners[0]], b = mesh->positions[corners[1]], c = mesh->positions[corners[2]];
    Vec3 flat = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    // pieces of the triangle between the ray's line and each side, as shares of the whole
    Vec3 from_a = vec3_sub(a, eye), from_b = vec3_sub(b, eye), from_c = vec3_sub(c, eye);
    float weights[3] = {vec3_dot(ray, vec3_cross(from_b, from_c)), vec3_dot(ray, vec3_cross(from_c, from_a)),
                        vec3_dot(ray, vec3_cross(from_a, from_b))};
    float sum = weights[0] + weights[1] + weights[2];
    for (int i = 0; i < 3; ++i)
        weights[i] = fabsf(sum) > 0 ? fminf(fmaxf(weights[i] / sum, 0), 1) : 1.0f / 3;
    Vec3 normal = vec3_unit(weighted(normals[0], normals[1], normals[2], weights), vec3(0, 1, 0));
    // seen from behind: an open sheet, or faces the wrong way round
    if (vec3_dot(flat, ray) > 0)
        normal = vec3_scale(normal, -1);
    Vec3 position = weighted(a, b, c, weights), sides[3] = {vec3_sub(c, b), vec3_sub(a, c), vec3_sub(b, a)};
    float pixel = vec3_length(vec3_sub(position, eye)) / camera->focal;
    return (Surfel){.position = position,
                    .normal = normal,
                    .line = mesh_line(mesh->edges[triangle], weights, sides, vec3_length(flat), pixel),
                    .object = (int32_t)mesh->objects[triangle]};
}

static Surfel surfel_behind(const Stage *stage, Vec3 ray) {
    Vec3 eye = stage->camera.eye;
    float distance = ray.y < 0 ? (stage->floor - eye.y) / ray.y : -1;
    if (!(distance > 0))
        return (Surfel){.object = SURFEL_BACKDROP};
    return (Surfel){.position = vec3_along(eye, distance, ray), .normal = vec3(0, 1, 0), .object = SURFEL_FLOOR};
}

/* Finds the nearest point behind every pixel of the raster. `seen` [vertex_count] is scratch. */
static void find_surfels(const FrameMesh *mesh, const Stage *stage, Raster *raster, Vec3 *seen, Surfel *surfels) {
    const Camera *camera = &stage->camera;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        seen[i] = camera_project(camera, mesh->positions[i]);
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t *corners = mesh->triangles + 3 * (size_t)i;
        raster_triangle(raster, seen[corners[0]], seen[corners[1]], seen[corners[2]], i);
    }
    for (int y = 0; y < raster->height; ++y) {
        for (int x = 0; x < raster->width; ++x) {
            size_t pixel = (size_t)y * (size_t)raster->width + (size_t)x;
            Vec3 ray = camera_ray(camera, (float)x + 0.5f, (float)y + 0.5f);
            surfels[pixel] = surfel_behind(stage, ray);
            // parts under the floor stay visible: the floor does not hide them
            if (raster->ids[pixel] != RASTER_EMPTY)
                surfels[pixel] = surfel_on_triangle(mesh, camera, raster->ids[pixel], ray);
        }
    }
}

/* -------------------------------------------------------------------------------- shading */

/* The next 1, 2 or 5 times a power of ten at or above x. */
static float round_length(float x) {
    float power = powf(10, floorf(log10f(x)));
    float lead = x / power;
    return power * (lead <= 1 ? 1.0f : lead <= 2 ? 2.0f : lead <= 5 ? 5.0f : 10.0f);
}

/* 1 on a line of the floor's grid, 0 between lines; fades far from the middle. */
static float grid_line(const Stage *stage, Vec3 p) {
    float spacing = round_length(0.2f * stage->size);
    float pixel = vec3_length(vec3_sub(p, stage->camera.eye)) / stage->camera.focal;
    float to_x = fabsf(p.x - spacing * roundf(p.x / spacing)), to_z = fabsf(p.z - spacing * roundf(p.z / spacing));
    float line = fmaxf(1 - smoothed(0, 2.6f * pixel, to_x), 1 - smoothed(0, 2.6f * pixel, to_z));
    float away = vec3_length(vec3(p.x - stage->middle.x, 0, p.z - stage->middle.z)) / stage->size;
    return line * expf(-1.2f * away * away);
}

static Vec3 shade_floor(const Stage *stage, const Surfel *surfel, Vec3 backdrop, Vec3 key) {
    const float key_share = 0.55f, sky_share = 0.45f, strength = 0.88f;
    float light = key_share * surfel->key / key.y + sky_share * surfel->sky;
    float shade = strength * (1 - light);
    Vec3 colour = vec3_scale(backdrop, 1 - 0.13f * grid_line(stage, surfel->position));
    Vec3 shadow = vec3_scale(vec3_times(colour, shadow_tint), 1 - shade);
    return vec3_along(vec3_scale(colour, 1 - shade), shade, shadow);
}

static Vec3 shade_object(const Stage *stage, const Surfel *surfel, Vec3 key) {
    Vec3 to_eye = vec3_unit(vec3_sub(stage->camera.eye, surfel->position), stage->camera.back);
    Vec3 half = vec3_unit(vec3_add(to_eye, key), key);
    Vec3 normal = surfel->normal;
    float upward = 0.5f - 0.5f * normal.y;
    Vec3 light = vec3_along(vec3_scale(key_colour, surfel->key), surfel->sky, sky_colour);
    light = vec3_along(light, upward, floor_bounce);
    Vec3 colour = vec3_times(object_colour(surfel->object), vec3_scale(light, 1 - 0.3f * surfel->line));
    // a soft highlight of the key lamp, and rim light from the room
    float highlight = 0.16f * surfel->shine * powf(fmaxf(vec3_dot(normal, half), 0), 38);
    float grazing = powf(1 - fminf(fmaxf(vec3_dot(normal, to_eye), 0), 1), 4);
    float rim = 0.30f * grazing * (0.25f + 0.75f * fminf(surfel->sky, 1));
    return vec3_add(colour, vec3(highlight + rim, highlight + rim, highlight + rim));
}

/* Linear light to a byte of sRGB; bright light saturates smoothly to white. */
static uint32_t encode(float linear) {
    float x = linear < 0.75f ? linear : 1 - 0.25f * expf(-(linear - 0.75f) / 0.25f);
    x = fmaxf(x, 0);
    float coded = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
    return (uint32_t)(255 * fminf(coded, 1) + 0.5f);
}

static Vec3 shade(const Stage *stage, const Surfel *surfel, float height, Vec3 key) {
    Vec3 backdrop = vec3_along(vec3_scale(backdrop_top, 1 - height), height, backdrop_bottom);
    switch (surfel->object) {
    case SURFEL_BACKDROP:
        return backdrop;
    case SURFEL_FLOOR:
        return shade_floor(stage, surfel, backdrop, key);
    default:
        return shade_object(stage, surfel, key);
    }
}

/* The mean colour of a pixel's samples. */
static uint32_t pixel_colour(const Stage *stage, const Surfel *surfels, int x, int y, Vec3 key) {
    Vec3 sum = {0, 0, 0};
    for (int fine_y = y * SAMPLES; fine_y < (y + 1) * SAMPLES; ++fine_y) {
        float height = (float)fine_y / stage->camera.height;
        for (int fine_x = x * SAMPLES; fine_x < (x + 1) * SAMPLES; ++fine_x) {
            const Surfel *surfel = surfels + (size_t)fine_y * (size_t)stage->camera.width + (size_t)fine_x;
            sum = vec3_add(sum, shade(stage, surfel, height, key));
        }
    }
    sum = vec3_scale(sum, 1.0f / (SAMPLES * SAMPLES));
    return encode(sum.x) << 16 | encode(sum.y) << 8 | encode(sum.z);
}

bool draw_frame(const FrameMesh *mesh, const Stage *stage, uint32_t *pixels, int width, int height, int stride) {
    int fine_width = width * SAMPLES, fine_height = height * SAMPLES;
    Vec3 key = key_direction(stage->camera.right, stage->camera.back);
    Raster raster;
    Vec3 *seen = malloc(((size_t)mesh->vertex_count + 1) * sizeof *seen);
    Surfel *surfels = malloc((size_t)fine_width * (size_t)fine_height * sizeof *surfels);
    bool enough = raster_create(&raster, fine_width, fine_height, true) && seen && surfels;
    if (enough) {
        find_surfels(mesh, stage, &raster, seen, surfels);
        enough = lights_fall(mesh, key, surfels, fine_width, fine_height);
    }
    for (int y = 0; y < height && enough; ++y)
        for (int x = 0; x < width; ++x)
            pixels[(size_t)y * (size_t)stride + (size_t)x] = pixel_colour(stage, surfels, x, y, key);
    raster_free(&raster);
    free(seen);
    free(surfels);
    return enough;
}
