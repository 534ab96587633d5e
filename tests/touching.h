/* Scenes of up to three bodies that may touch each other, for tests: baked without a cache, and measured. */
#ifndef JN_TESTS_TOUCHING_H
#define JN_TESTS_TOUCHING_H

#include "baking.h"

#include "base/math3.h"

#include <math.h>
#include <stdio.h>

static const double G = 9.81;

enum { METHOD_COUNT = 2 };
static const char *const METHODS[METHOD_COUNT] = {"penalty", "barrier"};

/* ------------------------------------------------------------------------------------------------ scenes */

enum { BODIES_MOST = 3 };

/* Up to three bodies, and a floor at y = 0 if collider_count is set to 1. Must not move once it has bodies. */
typedef struct Scene {
    JnBakeDesc desc;
    JnBody bodies[BODIES_MOST];
    TetBox boxes[BODIES_MOST];
    JnRegion pins[BODIES_MOST];
    double *velocities[BODIES_MOST]; /* or NULL */
    float *weights[BODIES_MOST];
    JnCollider floor;
    JnBake *bake;
    JnMessage message;
} Scene;

static inline void scene_init(Scene *scene, const char *method) {
    memset(scene, 0, sizeof *scene);
    jn_bake_desc_init(&scene->desc, sizeof scene->desc);
    scene->desc.integrator = "si"; /* the simplest rule, whose discrete motion is known by hand */
    scene->desc.steps_per_frame = JN_USUAL_STEPS;
    jn_collider_init(&scene->floor, sizeof scene->floor);
    scene->floor.normal[1] = 1;
    scene->desc.bodies = scene->bodies;
    scene->desc.colliders = &scene->floor;
    scene->desc.contact.method = method;
    scene->desc.thread_count = 1;
    scene->desc.frame_count = 1000;
    scene->desc.gravity[1] = -G;
}

/* A body of a stiff material at this place; tets or a surface are to be given. */
static inline JnBody *scene_add(Scene *scene, double x, double y, double z) {
    static const char *const names[BODIES_MOST] = {"first", "second", "third"};
    JnBody *body = &scene->bodies[scene->desc.body_count];
    jn_body_init(body, sizeof *body);
    body->name = names[scene->desc.body_count++];
    body->material.young_modulus = 1e6;
    body->material.stiffness_damping = 0.002;
    body->transform[3] = x;
    body->transform[7] = y;
    body->transform[11] = z;
    return body;
}

/* A box of cells, its corner of least coordinates at this place. */
static inline JnBody *scene_add_box(Scene *scene, const uint32_t cells[3], double cell, double x, double y, double z) {
    TetBox *box = &scene->boxes[scene->desc.body_count];
    *box = tet_box_make(cells[0], cells[1], cells[2], cell);
    JnBody *body = scene_add(scene, x, y, z);
    body->tets = tet_box_view(box);
    return body;
}

/* A cube of 10 cm. */
static inline JnBody *scene_add_cube(Scene *scene, double x, double y, double z) {
    return scene_add_box(scene, (const uint32_t[]){2, 2, 2}, 0.05, x, y, z);
}

/* Pins the points of the last body below a height in its own space. */
static inline void scene_pin_below(Scene *scene, double height) {
    uint32_t last = scene->desc.body_count - 1, count = scene->bodies[last].tets.vertex_count;
    JnRegion *pin = &scene->pins[last];
    scene->weights[last] = malloc(count * sizeof(float));
    for (uint32_t v = 0; v < count; ++v)
        scene->weights[last][v] = scene->bodies[last].tets.positions[3 * v + 1] < height;
    jn_region_init(pin, sizeof *pin);
    pin->effect = "pin";
    pin->weights = scene->weights[last];
    pin->weight_count = count;
    scene->bodies[last].regions = pin;
    scene->bodies[last].region_count = 1;
}

/* Lets the last body start with this velocity. */
static inline void scene_throw(Scene *scene, double x, double y, double z) {
    uint32_t last = scene->desc.body_count - 1, count = scene->bodies[last].tets.vertex_count;
    const double velocity[3] = {x, y, z};
    scene->velocities[last] = malloc(3 * (size_t)count * sizeof(double));
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        scene->velocities[last][i] = velocity[i % 3];
    scene->bodies[last].start_velocities = scene->velocities[last];
}

/* Bakes the start pose and so many frames after it. */
static inline JnStatus scene_begin(Scene *scene, uint32_t frames) {
    JnStatus status = jn_bake_begin(&scene->desc, &scene->bake, &scene->message);
    if (status == JN_OK)
        status = advance_frames(scene->bake, 1 + frames, &scene->message);
    if (status != JN_OK)
        printf("%s\n", scene->message.text);
    return status;
}

static inline void scene_end(Scene *scene) {
    jn_bake_end(scene->bake, NULL);
    for (uint32_t b = 0; b < BODIES_MOST; ++b) {
        tet_box_free(&scene->boxes[b]);
        free(scene->velocities[b]);
        free(scene->weights[b]);
    }
}

/* ------------------------------------------------------------------------------------------------ measures */

/* The cached points of a body that is where its description places it, in the scene. The caller frees them. */
static inline double *scene_points(const Scene *scene, uint32_t body, uint32_t *count) {
    jn_bake_positions(scene->bake, body, NULL, 0, count, NULL);
    double *points = calloc(3 * (size_t)*count + 1, sizeof *points);
    jn_bake_positions(scene->bake, body, points, 3 * (size_t)*count, count, NULL);
    for (uint32_t v = 0; v < *count; ++v)
        affine_apply(scene->bodies[body].transform, &points[3 * (size_t)v], &points[3 * (size_t)v]);
    return points;
}

/* Mean and extremes along every axis. NaN if a point is not finite. */
typedef struct Extent {
    double mean[3], least[3], most[3];
} Extent;

static inline Extent extent_of(const Scene *scene, uint32_t body) {
    Extent extent = {{0, 0, 0}, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    uint32_t count;
    double *points = scene_points(scene, body, &count);
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        extent.mean[i % 3] += points[i] / count;
        extent.least[i % 3] = isfinite(points[i]) ? fmin(extent.least[i % 3], points[i]) : NAN;
        extent.most[i % 3] = isfinite(points[i]) ? fmax(extent.most[i % 3], points[i]) : NAN;
    }
    free(points);
    return extent;
}

static inline double distance_of(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static inline JnMotion motion_of(Scene *scene) {
    JnMotion motion = {.struct_size = sizeof motion};
    if (jn_bake_motion(scene->bake, &motion, &scene->message) != JN_OK)
        motion.total_energy = motion.kinetic_energy = motion.largest_speed = NAN;
    return motion;
}

static inline JnContactFrame contact_of(Scene *scene) {
    JnContactFrame contact = {.struct_size = sizeof contact};
    jn_bake_contact(scene->bake, &contact, &scene->message);
    return contact;
}

static inline uint32_t cut_steps_of(Scene *scene) {
    JnStatistics statistics = {.struct_size = sizeof statistics};
    jn_bake_statistics(scene->bake, &statistics, &scene->message);
    return statistics.cut_steps;
}

#endif
