/* Fills triangles into a grid of depths, keeping the nearest. */
#ifndef JN_CLI_PICTURE_RASTER_H
#define JN_CLI_PICTURE_RASTER_H

#include "vec3.h"

#include <stdbool.h>
#include <stdint.h>

#define RASTER_EMPTY UINT32_MAX

typedef struct Raster {
    int width, height;
    float *depths; /* [width * height] larger is nearer; -INFINITY: nothing there */
    uint32_t *ids; /* [width * height] the nearest triangle, RASTER_EMPTY: none; NULL: not kept */
} Raster;

/* False if out of memory; free it even then. */
bool raster_create(Raster *raster, int width, int height, bool with_ids);
void raster_clear(Raster *raster);
void raster_free(Raster *raster);

/* Corners in pixels (x right, y down; pixel (0, 0) covers 0 to 1), z is a depth that is linear on the screen.
   Either winding; pixels whose middle lies inside or on an edge are filled. */
void raster_triangle(Raster *raster, Vec3 a, Vec3 b, Vec3 c, uint32_t id);

#endif
