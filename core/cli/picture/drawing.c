#include "drawing.h"

#include "lights.h"
#include "surfels.h"

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

static const Vec3 unpainted_colour = {0.42f, 0.42f, 0.43f};
static const Vec3 collider_tint = {0.80f, 0.84f, 0.90f}; /* of the backdrop, so that obstacles belong to the room */
static const Vec3 contact_colour = {0.035f, 0.025f, 0.060f};

/* From deep blue through green to yellow: even steps of brightness, so that it can be read in black and white. */
static Vec3 ramp_colour(float weight) {
    static const Vec3 stops[] = {{0.030f, 0.022f, 0.150f},
                                 {0.028f, 0.105f, 0.280f},
                                 {0.015f, 0.250f, 0.285f},
                                 {0.100f, 0.450f, 0.155f},
                                 {0.850f, 0.720f, 0.045f}};
    float place = 4 * fminf(fmaxf(weight, 0), 1);
    int stop = place < 3 ? (int)place : 3;
    return vec3_along(vec3_scale(stops[stop], 1 - (place - (float)stop)), place - (float)stop, stops[stop + 1]);
}

/* How a veil looks: how much of it covers what is behind, on its faces and on its edges. */
typedef struct VeilStyle {
    Vec3 colour;
    float face, edge;
    float behind; /* factor on both where something solid is in front */
} VeilStyle;

static const VeilStyle veil_styles[VEIL_KINDS] = {
    [VEIL_GHOST] = {{0.10f, 0.30f, 0.62f}, 0.22f, 0.34f, 0.2f},
    [VEIL_SIMULATION] = {{0.02f, 0.035f, 0.09f}, 0.0f, 0.55f, 1.0f},
};

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

/* Obstacles are of the room: its colour, a little cooler, with their edges; what is endless fades away. */
static Vec3 shade_collider(const Stage *stage, const Surfel *surfel, Vec3 backdrop, Vec3 key) {
    float facing = fmaxf(vec3_dot(surfel->normal, key), 0);
    float light = 0.50f * surfel->key / fmaxf(key.y, 0.1f) + 0.50f * surfel->sky;
    float steepness = 0.85f + 0.15f * facing / fmaxf(key.y, 0.1f);
    Vec3 colour = vec3_times(backdrop, vec3_scale(collider_tint, 1 - 0.25f * surfel->line));
    colour = vec3_scale(colour, steepness * (0.35f + 0.65f * fminf(light, 1)));
    float away = vec3_length(vec3_sub(surfel->position, stage->middle)) / stage->size;
    float fade = smoothed(0.75f, 1.15f, away);
    colour = vec3_along(vec3_scale(colour, 1 - fade), fade, backdrop);
    return surfel->contact ? contact_colour : colour;
}

static Vec3 surface_colour(const Stage *stage, const Surfel *surfel) {
    if (!stage->is_painted)
        return object_colour(surfel->object);
    return isnan(surfel->paint) ? unpainted_colour : ramp_colour(surfel->paint);
}

static Vec3 shade_object(const Stage *stage, const Surfel *surfel, Vec3 key) {
    Vec3 to_eye = vec3_unit(vec3_sub(stage->camera.eye, surfel->position), stage->camera.back);
    Vec3 half = vec3_unit(vec3_add(to_eye, key), key);
    Vec3 normal = surfel->normal;
    float upward = 0.5f - 0.5f * normal.y;
    Vec3 light = vec3_along(vec3_scale(key_colour, surfel->key), surfel->sky, sky_colour);
    light = vec3_along(light, upward, floor_bounce);
    Vec3 colour =
        vec3_times(surface_colour(stage, surfel), vec3_scale(light, stage->has_edges ? 1 - 0.3f * surfel->line : 1));
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
    case OBJECT_COLLIDER:
        return shade_collider(stage, surfel, backdrop, key);
    default:
        return shade_object(stage, surfel, key);
    }
}

/* -------------------------------------------------------------------------------- veils */

/* How much of the pixel at (x, y) an edge of the triangle covers: lines of one width on the screen. Edges of triangles
   of a few pixels are left out. */
static float edge_cover(const FrameMesh *mesh, const Camera *camera, uint32_t triangle, float x, float y) {
    const uint32_t *corners = mesh->triangles + 3 * (size_t)triangle;
    Vec3 seen[3];
    for (int i = 0; i < 3; ++i)
        seen[i] = camera_project(camera, mesh->positions[corners[i]]);
    float nearest = INFINITY, longest = 0;
    for (int i = 0; i < 3; ++i) {
        Vec3 from = seen[(i + 1) % 3], to = seen[(i + 2) % 3];
        float along_x = to.x - from.x, along_y = to.y - from.y, length = hypotf(along_x, along_y);
        longest = fmaxf(longest, length);
        if (mesh->edges[triangle] >> i & 1 && length > 0)
            nearest = fminf(nearest, fabsf(along_x * (y - from.y) - along_y * (x - from.x)) / length);
    }
    return (1 - smoothed(0.5f, 1.8f, nearest)) * smoothed(3, 10, longest);
}

/* Blends a veil, which is drawn in `raster`, over the shaded colours; `solid` holds the depths of what is solid. */
static void draw_veil(const FrameMesh *mesh, const VeilStyle *style, const Stage *stage, const Raster *raster,
                      const Raster *solid, Vec3 *colours) {
    for (int y = 0; y < raster->height; ++y)
        for (int x = 0; x < raster->width; ++x) {
            size_t pixel = (size_t)y * (size_t)raster->width + (size_t)x;
            if (raster->ids[pixel] == RASTER_EMPTY)
                continue;
            Vec3 ray = camera_ray(&stage->camera, (float)x + 0.5f, (float)y + 0.5f);
            uint32_t triangle = raster->ids[pixel];
            Surfel surfel = surfel_on_triangle(mesh, &stage->camera, triangle, ray);
            float edge = edge_cover(mesh, &stage->camera, triangle, (float)x + 0.5f, (float)y + 0.5f);
            float cover = fmaxf(style->face, style->edge * edge);
            // nearly in one place counts as behind: where a body follows its animation, the body is seen
            if (raster->depths[pixel] < 1.01f * solid->depths[pixel])
                cover *= style->behind;
            float light = 0.6f + 0.4f * fabsf(vec3_dot(surfel.normal, ray));
            Vec3 over = vec3_scale(style->colour, light);
            colours[pixel] = vec3_along(vec3_scale(colours[pixel], 1 - cover), cover, over);
        }
}

/* -------------------------------------------------------------------------------- the picture */

/* The mean colour of a pixel's samples. */
static uint32_t pixel_colour(const Vec3 *colours, int x, int y, int fine_width) {
    Vec3 sum = {0, 0, 0};
    for (int fine_y = y * SAMPLES; fine_y < (y + 1) * SAMPLES; ++fine_y)
        for (int fine_x = x * SAMPLES; fine_x < (x + 1) * SAMPLES; ++fine_x)
            sum = vec3_add(sum, colours[(size_t)fine_y * (size_t)fine_width + (size_t)fine_x]);
    sum = vec3_scale(sum, 1.0f / (SAMPLES * SAMPLES));
    return encode(sum.x) << 16 | encode(sum.y) << 8 | encode(sum.z);
}

/* Colours [raster->width * raster->height] of everything, linear. False if memory runs out. */
static bool draw_colours(const Scenery *scenery, const Stage *stage, Raster *solid, Raster *veil, Surfel *surfels,
                         Vec3 *colours) {
    Vec3 key = key_direction(stage->camera.right, stage->camera.back);
    int width = solid->width, height = solid->height;
    if (!draw_depths(&scenery->solid, &stage->camera, solid))
        return false;
    find_surfels(&scenery->solid, stage, solid, surfels);
    if (!lights_fall(&scenery->solid, key, surfels, width, height))
        return false;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            size_t pixel = (size_t)y * (size_t)width + (size_t)x;
            colours[pixel] = shade(stage, &surfels[pixel], (float)y / stage->camera.height, key);
        }
    for (int kind = 0; kind < VEIL_KINDS; ++kind) {
        const FrameMesh *mesh = &scenery->veils[kind];
        if (mesh->triangle_count == 0)
            continue;
        if (!draw_depths(mesh, &stage->camera, veil))
            return false;
        draw_veil(mesh, &veil_styles[kind], stage, veil, solid, colours);
    }
    return true;
}

bool draw_frame(const Scenery *scenery, const Stage *stage, uint32_t *pixels, int width, int height, int stride) {
    int fine_width = width * SAMPLES, fine_height = height * SAMPLES;
    size_t fine_count = (size_t)fine_width * (size_t)fine_height;
    Raster solid = {0}, veil = {0};
    Surfel *surfels = malloc(fine_count * sizeof *surfels);
    Vec3 *colours = malloc(fine_count * sizeof *colours);
    bool enough = surfels && colours && raster_create(&solid, fine_width, fine_height, true) &&
                  raster_create(&veil, fine_width, fine_height, true) &&
                  draw_colours(scenery, stage, &solid, &veil, surfels, colours);
    for (int y = 0; y < height && enough; ++y)
        for (int x = 0; x < width; ++x)
            pixels[(size_t)y * (size_t)stride + (size_t)x] = pixel_colour(colours, x, y, fine_width);
    raster_free(&solid);
    raster_free(&veil);
    free(surfels);
    free(colours);
    return enough;
}

void paint_colour(double weight, double rgb[3]) {
    Vec3 colour = ramp_colour((float)weight);
    const float channels[3] = {colour.x, colour.y, colour.z};
    for (int i = 0; i < 3; ++i)
        rgb[i] = encode(channels[i]) / 255.0;
}

void scenery_free(Scenery *scenery) {
    frame_mesh_free(&scenery->solid);
    for (int kind = 0; kind < VEIL_KINDS; ++kind)
        frame_mesh_free(&scenery->veils[kind]);
}
