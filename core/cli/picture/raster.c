#include "raster.h"

#include <stdlib.h>

bool raster_create(Raster *raster, int width, int height, bool with_ids) {
    size_t count = (size_t)width * (size_t)height;
    *raster = (Raster){.width = width, .height = height, .depths = malloc(count * sizeof *raster->depths)};
    if (with_ids)
        raster->ids = malloc(count * sizeof *raster->ids);
    if (!raster->depths || (with_ids && !raster->ids))
        return false;
    raster_clear(raster);
    return true;
}

void raster_clear(Raster *raster) {
    size_t count = (size_t)raster->width * (size_t)raster->height;
    for (size_t i = 0; i < count; ++i)
        raster->depths[i] = -INFINITY;
    for (size_t i = 0; i < count && raster->ids; ++i)
        raster->ids[i] = RASTER_EMPTY;
}

void raster_free(Raster *raster) {
    free(raster->depths);
    free(raster->ids);
    *raster = (Raster){0};
}

/* Twice the signed area of a, b, p. */
static float edge(Vec3 a, Vec3 b, float x, float y) {
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

static int clamped(float value, int limit) {
    return value < 0 ? 0 : value > (float)limit ? limit : (int)value;
}

void raster_triangle(Raster *raster, Vec3 a, Vec3 b, Vec3 c, uint32_t id) {
    float area = edge(a, b, c.x, c.y);
    if (area < 0) {
        Vec3 swap = b;
        b = c;
        c = swap;
        area = -area;
    }
    if (!(area > 0))
        return;
    // pixels whose middles lie in the box around the triangle
    int left = clamped(ceilf(fminf(fminf(a.x, b.x), c.x) - 0.5f), raster->width);
    int right = clamped(floorf(fmaxf(fmaxf(a.x, b.x), c.x) - 0.5f) + 1, raster->width);
    int top = clamped(ceilf(fminf(fminf(a.y, b.y), c.y) - 0.5f), raster->height);
    int bottom = clamped(floorf(fmaxf(fmaxf(a.y, b.y), c.y) - 0.5f) + 1, raster->height);
    float per_area = 1 / area;
    for (int y = top; y < bottom; ++y) {
        // the shares of b and c change evenly along the row; that of a is the remainder
        float middle_x = (float)left + 0.5f, middle_y = (float)y + 0.5f;
        float b_start = edge(c, a, middle_x, middle_y), b_step = c.y - a.y;
        float c_start = edge(a, b, middle_x, middle_y), c_step = a.y - b.y;
        size_t row = (size_t)y * (size_t)raster->width;
        for (int x = left; x < right; ++x) {
            float share_b = b_start + (float)(x - left) * b_step, share_c = c_start + (float)(x - left) * c_step;
            float share_a = area - share_b - share_c;
            if (share_a < 0 || share_b < 0 || share_c < 0)
                continue;
            float depth = (share_a * a.z + share_b * b.z + share_c * c.z) * per_area;
            size_t pixel = row + (size_t)x;
            if (depth > raster->depths[pixel]) {
                raster->depths[pixel] = depth;
                if (raster->ids)
                    raster->ids[pixel] = id;
            }
        }
    }
}
