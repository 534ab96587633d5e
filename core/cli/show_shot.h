/* How `jounce show` looks at a film: one camera and floor for all frames, and the pictures that they give. */
#ifndef JN_CLI_SHOW_SHOT_H
#define JN_CLI_SHOW_SHOT_H

#include "film.h"

typedef struct Shot {
    Film *film;
    double *frames; /* [frame_count], owned */
    size_t frame_count;
    int width, height; /* of one picture, pixels; 0 before shot_aim: the shape of the motion */
    Vec3 view;         /* where the camera stands, seen from the bodies */
    double floor;      /* NAN before shot_aim: chosen from the motion */
    Stage stage;
    FilmArea area;
} Shot;

/* Sets the camera so that it sees all frames, the size of the picture and the floor. */
ExitCode shot_aim(Shot *shot);

/* Draws frames[first .. first + count - 1], at most SHOT_BATCH, to pixels [count][width * height], 0x00RRGGBB, on as
   many threads as there are processors. */
enum { SHOT_BATCH = 8 };
ExitCode shot_draw(Shot *shot, size_t first, size_t count, uint32_t *const *pixels);

/* How many frames to draw at once, and room for their pixels, which the caller frees; NULL if memory runs out. */
size_t shot_batch(const Shot *shot);
uint32_t *shot_pixels(const Shot *shot, size_t count, uint32_t *pictures[SHOT_BATCH]);

#endif
