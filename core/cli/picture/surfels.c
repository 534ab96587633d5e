#include "surfels.h"

#include <stdlib.h>

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

/* The painted weight at this point of a triangle. */
static float paint_at(const FrameMesh *mesh, const uint32_t corners[3], const float weights[3]) {
    float paint = 0;
    for (int i = 0; i < 3; ++i)
        paint += mesh->weights ? weights[i] * mesh->weights[corners[i]] : NAN;
    return paint;
}

Surfel surfel_on_triangle(const FrameMesh *mesh, const Camera *camera, uint32_t triangle, Vec3 ray) {
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
                    .object = mesh->objects[triangle],
                    .paint = paint_at(mesh, corners, weights)};
}

static Surfel surfel_behind(const Stage *stage, Vec3 ray) {
    Vec3 eye = stage->camera.eye;
    float distance = stage->has_floor && ray.y < 0 ? (stage->floor - eye.y) / ray.y : -1;
    if (!(distance > 0))
        return (Surfel){.object = SURFEL_BACKDROP};
    return (Surfel){.position = vec3_along(eye, distance, ray), .normal = vec3(0, 1, 0), .object = SURFEL_FLOOR};
}

bool draw_depths(const FrameMesh *mesh, const Camera *camera, Raster *raster) {
    Vec3 *seen = malloc(((size_t)mesh->vertex_count + 1) * sizeof *seen);
    raster_clear(raster);
    for (uint32_t i = 0; seen && i < mesh->vertex_count; ++i)
        seen[i] = camera_project(camera, mesh->positions[i]);
    for (uint32_t i = 0; seen && i < mesh->triangle_count; ++i) {
        const uint32_t *corners = mesh->triangles + 3 * (size_t)i;
        raster_triangle(raster, seen[corners[0]], seen[corners[1]], seen[corners[2]], i);
    }
    free(seen);
    return seen != NULL;
}

/* Whether the body at one pixel rests on the collider at another beside it: a round edge is seen a little above where
   it touches. `gap`: how far. */
static bool touches(const Surfel *collider, const Surfel *body, float gap) {
    if (collider->object != OBJECT_COLLIDER || body->object < 0)
        return false;
    Vec3 between = vec3_sub(body->position, collider->position);
    return fabsf(vec3_dot(between, collider->normal)) < gap && vec3_length(between) < 6 * gap;
}

/* Marks where bodies rest on colliders: pixels of the collider with a touching body beside them. */
static void mark_contacts(const Stage *stage, Surfel *surfels, int width, int height) {
    static const int steps[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {2, 0}, {-2, 0}, {0, 2}, {0, -2}};
    for (int y = 2; y < height - 2; ++y)
        for (int x = 2; x < width - 2; ++x) {
            Surfel *surfel = surfels + (size_t)y * (size_t)width + x;
            float pixel = vec3_length(vec3_sub(surfel->position, stage->camera.eye)) / stage->camera.focal;
            for (int i = 0; i < 8 && !surfel->contact; ++i)
                surfel->contact =
                    touches(surfel, surfel + steps[i][1] * width + steps[i][0], 2 * pixel + 0.01f * stage->size);
        }
}

void find_surfels(const FrameMesh *mesh, const Stage *stage, const Raster *raster, Surfel *surfels) {
    const Camera *camera = &stage->camera;
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
    mark_contacts(stage, surfels, raster->width, raster->height);
}
