#include "show_shot.h"

#include "os.h"
#include "picture/tile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIXELS_OF_A_FRAME = 140000 };

/* -------------------------------------------------------------------------------- camera and floor */

typedef struct Box {
    Vec3 low, high;
} Box;

static void box_add(Box *box, const FrameMesh *mesh) {
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        Vec3 p = mesh->positions[i];
        box->low = vec3(fminf(box->low.x, p.x), fminf(box->low.y, p.y), fminf(box->low.z, p.z));
        box->high = vec3(fmaxf(box->high.x, p.x), fmaxf(box->high.y, p.y), fmaxf(box->high.z, p.z));
    }
}

/* The ground of most scenes is at 0. Bodies that move far above or below it get a floor under their lowest point. */
static float choose_floor(const Box *box, float size) {
    float lowest = box->low.y;
    return lowest > -0.03f * size && lowest < 0.5f * size ? 0 : lowest;
}

/* The boxes around the bodies, and around everything that moves; one frame is in memory at a time. */
static ExitCode measure(Shot *shot, Box *bodies, Box *all) {
    ExitCode code = EXIT_DONE;
    *bodies = *all = (Box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < shot->frame_count && code == EXIT_DONE; ++i) {
        Scenery scenery = {0};
        code = film_frame(shot->film, shot->frames[i], NULL, &scenery);
        box_add(bodies, &scenery.solid);
        box_add(all, &scenery.solid);
        for (int kind = 0; kind < VEIL_KINDS; ++kind)
            box_add(all, &scenery.veils[kind]);
        scenery_free(&scenery);
    }
    return code;
}

/* If no size was given: pictures with the aspect ratio of the box as seen from the camera. */
static void choose_size(Shot *shot, const Box *box) {
    CameraFit seen;
    camera_fit_begin(&seen, shot->view, 1, 1);
    Vec3 sides = vec3_sub(box->high, box->low), right = seen.camera.right, up = seen.camera.up;
    float width = fabsf(right.x) * sides.x + fabsf(right.y) * sides.y + fabsf(right.z) * sides.z;
    float height = fabsf(up.x) * sides.x + fabsf(up.y) * sides.y + fabsf(up.z) * sides.z;
    double shape = height > 0 ? fmin(fmax((double)(width / height), 0.7), 1.6) : 1;
    if (shot->width > 0)
        return;
    shot->width = 2 * (int)round(0.5 * sqrt(PIXELS_OF_A_FRAME * shape));
    shot->height = 2 * (int)round(0.5 * sqrt(PIXELS_OF_A_FRAME / shape));
}

/* The nearest camera that sees all frames. */
static ExitCode aim_camera(Shot *shot, const Box *box) {
    ExitCode code = EXIT_DONE;
    Stage *stage = &shot->stage;
    CameraFit fit;
    camera_fit_begin(&fit, shot->view, (float)(shot->width * SAMPLES), (float)(shot->height * SAMPLES));
    for (size_t i = 0; i < shot->frame_count && code == EXIT_DONE; ++i) {
        Scenery scenery = {0};
        code = film_frame(shot->film, shot->frames[i], NULL, &scenery);
        FrameMesh *meshes[] = {&scenery.solid, &scenery.veils[VEIL_GHOST], &scenery.veils[VEIL_SIMULATION]};
        for (size_t m = 0; m < sizeof meshes / sizeof meshes[0]; ++m) {
            camera_fit_add(&fit, meshes[m]->positions, meshes[m]->vertex_count);
            // the floor below is part of the picture, if it is near
            for (uint32_t v = 0; v < meshes[m]->vertex_count; ++v)
                meshes[m]->positions[v].y = fmaxf(stage->floor, box->low.y - 0.5f * stage->size);
            camera_fit_add(&fit, meshes[m]->positions, meshes[m]->vertex_count);
        }
        scenery_free(&scenery);
    }
    stage->camera = camera_fit_end(&fit);
    return code;
}

ExitCode shot_aim(Shot *shot) {
    Box bodies, box;
    Stage *stage = &shot->stage;
    ExitCode code = measure(shot, &bodies, &box);
    if (code == EXIT_DONE && !(box.low.x <= box.high.x))
        code = fail(shot->film->arguments, EXIT_INPUT, "%s has no visible mesh to draw",
                    shot->film->arguments->positionals[0]);
    if (code != EXIT_DONE)
        return code;
    Vec3 sides = vec3_sub(box.high, box.low);
    stage->middle = vec3_scale(vec3_add(box.low, box.high), 0.5f);
    stage->size = fmaxf(fmaxf(fmaxf(sides.x, sides.y), sides.z), 1e-6f);
    stage->has_floor = !shot->film->wishes.colliders;
    stage->is_painted = shot->film->wishes.map != NULL;
    stage->floor = isnan(shot->floor) ? choose_floor(&bodies, stage->size) : (float)shot->floor;
    shot->area = (FilmArea){stage->middle, 1.15f * stage->size};
    choose_size(shot, &box);
    return aim_camera(shot, &box);
}

/* -------------------------------------------------------------------------------- pictures */

typedef struct Task {
    const Shot *shot;
    Scenery scenery;
    char label[32];
    uint32_t *pixels;
    bool drawn;
} Task;

static void draw(void *context) {
    Task *task = context;
    const Shot *shot = task->shot;
    task->drawn = tile_draw(&task->scenery, &shot->stage, task->label, shot->film->wishes.map, task->pixels,
                            shot->width, shot->height);
}

ExitCode shot_draw(Shot *shot, size_t first, size_t count, uint32_t *const *pixels) {
    Task tasks[SHOT_BATCH];
    OsThread *threads[SHOT_BATCH] = {0};
    ExitCode code = EXIT_DONE;
    // the cache is read by one thread, in order
    for (size_t i = 0; i < count; ++i) {
        tasks[i] = (Task){.shot = shot, .pixels = pixels[i]};
        double frame = shot->frames[first + i];
        snprintf(tasks[i].label, sizeof tasks[i].label, "frame %.6g", round(frame * 100) / 100);
        if (code == EXIT_DONE)
            code = film_frame(shot->film, frame, &shot->area, &tasks[i].scenery);
    }
    for (size_t i = 1; i < count && code == EXIT_DONE; ++i)
        threads[i] = os_thread_start(draw, &tasks[i]);
    for (size_t i = 0; i < count && code == EXIT_DONE; ++i)
        if (!threads[i])
            draw(&tasks[i]);
    for (size_t i = 0; i < count; ++i) {
        if (threads[i])
            os_thread_join(threads[i]);
        if (code == EXIT_DONE && !tasks[i].drawn)
            code = fail(shot->film->arguments, EXIT_MEMORY, "out of memory for the picture of %s", tasks[i].label);
        scenery_free(&tasks[i].scenery);
    }
    return code;
}

/* Drawing takes about so many bytes for each pixel of a picture; those of one batch take a gigabyte at most. */
static const double BYTES_OF_A_PIXEL = 400, BYTES_OF_A_BATCH = 1e9;

size_t shot_batch(const Shot *shot) {
    double affordable = BYTES_OF_A_BATCH / (BYTES_OF_A_PIXEL * shot->width * shot->height);
    double most = fmin(fmin(os_processor_count(), SHOT_BATCH), fmax(floor(affordable), 1));
    return (size_t)fmin(most, (double)shot->frame_count);
}

uint32_t *shot_pixels(const Shot *shot, size_t count, uint32_t *pictures[SHOT_BATCH]) {
    size_t one = (size_t)shot->width * (size_t)shot->height;
    uint32_t *pixels = malloc(count * one * sizeof *pixels);
    for (size_t i = 0; i < count && pixels; ++i)
        pictures[i] = pixels + i * one;
    return pixels;
}
