/* Draws one frame: meshes on a floor in a bright room. */
#ifndef JN_CLI_PICTURE_DRAWING_H
#define JN_CLI_PICTURE_DRAWING_H

#include "camera.h"
#include "frame_mesh.h"

#include <stdbool.h>
#include <stdint.h>

/* Shared by all frames of a strip. */
typedef struct Stage {
    Camera camera; /* for pictures SAMPLES times as wide and high as the pixels asked for */
    float floor;   /* height */
    Vec3 middle;   /* of everything that is drawn */
    float size;    /* of everything that is drawn, the longest side */
} Stage;

enum { SAMPLES = 2 }; /* per pixel, in each direction; see lights_fall */

/* Writes width * height pixels, 0x00RRGGBB in sRGB, rows `stride` pixels apart. False if memory runs out. */
bool draw_frame(const FrameMesh *mesh, const Stage *stage, uint32_t *pixels, int width, int height, int stride);

#endif
