/* Draws one frame: bodies and colliders on a floor in a bright room, and what is seen through them. */
#ifndef JN_CLI_PICTURE_DRAWING_H
#define JN_CLI_PICTURE_DRAWING_H

#include "camera.h"
#include "frame_mesh.h"

#include <stdbool.h>
#include <stdint.h>

/* Shared by all frames of a picture. */
typedef struct Stage {
    Camera camera;   /* for pictures SAMPLES times as wide and high as the pixels asked for */
    bool has_floor;  /* else colliders are all that bodies can rest on */
    float floor;     /* height */
    bool is_painted; /* bodies are coloured by what is painted on them */
    bool has_edges;  /* of the bodies' polygons; in motion they would flicker */
    Vec3 middle;     /* of everything that is drawn */
    float size;      /* of everything that is drawn, the longest side */
} Stage;

/* Meshes that are drawn over the others, which stay visible: what is in front of them dims them. */
typedef enum VeilKind {
    VEIL_GHOST,      /* the animated pose: a pale skin with faint edges */
    VEIL_SIMULATION, /* what is simulated: edges only */
    VEIL_KINDS
} VeilKind;

/* What is seen in one frame. */
typedef struct Scenery {
    FrameMesh solid; /* bodies and colliders */
    FrameMesh veils[VEIL_KINDS];
} Scenery;

void scenery_free(Scenery *scenery); /* leaves it empty */

enum { SAMPLES = 2 }; /* per pixel, in each direction; see lights_fall */

/* Writes width * height pixels, 0x00RRGGBB in sRGB, rows `stride` pixels apart. False if memory runs out. */
bool draw_frame(const Scenery *scenery, const Stage *stage, uint32_t *pixels, int width, int height, int stride);

/* The colour of a painted weight, 0 to 1, as a light of sRGB. */
void paint_colour(double weight, double rgb[3]);

#endif
