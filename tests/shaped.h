/* Bakes of one generated shape, for tests: a body of any kind, pinned at its start or free. */
#ifndef JN_TESTS_SHAPED_H
#define JN_TESTS_SHAPED_H

#include "baking.h"

typedef struct ShapedBody {
    JnBakeDesc desc;
    JnBody body;
    JnRegion pin;
    JnMesh *mesh;
    JnMeshView view;
    float *pin_weights;
} ShapedBody;

/* A shape as a body of `kind` in a scene without gravity. The struct must not move afterwards. Returns 0 on failure. */
static inline int shaped_init(ShapedBody *scene, const char *kind, const JnShape *shape, int pinned) {
    memset(scene, 0, sizeof *scene);
    scene->view.struct_size = sizeof scene->view;
    jn_bake_desc_init(&scene->desc, sizeof scene->desc);
    scene->desc.integrator = "si"; /* the simplest rule, whose discrete motion is known by hand */
    scene->desc.steps_per_frame = JN_USUAL_STEPS;
    jn_body_init(&scene->body, sizeof scene->body);
    if (jn_shape_make(shape, &scene->mesh, NULL) != JN_OK || jn_mesh_view(scene->mesh, &scene->view, NULL) != JN_OK)
        return 0;
    scene->body.kind = kind;
    scene->body.tets = scene->view.tets;
    if (!scene->view.tets.tet_count)
        scene->body.surface = scene->view.surface;
    scene->body.curves = scene->view.curves;
    scene->desc.bodies = &scene->body;
    scene->desc.body_count = 1;
    scene->desc.thread_count = 1;
    memset(scene->desc.gravity, 0, sizeof scene->desc.gravity);
    uint32_t count = scene->view.tets.tet_count       ? scene->view.tets.vertex_count
                     : scene->view.surface.face_count ? scene->view.surface.vertex_count
                                                      : scene->view.curves.vertex_count;
    scene->pin_weights = calloc(count, sizeof *scene->pin_weights);
    for (uint32_t f = 0; pinned && f < scene->view.field_count; ++f)
        for (uint32_t v = 0; strcmp(scene->view.fields[f].name, "start") == 0 && v < count; ++v)
            scene->pin_weights[v] = (float)scene->view.fields[f].values[v];
    jn_region_init(&scene->pin, sizeof scene->pin);
    scene->pin.weights = scene->pin_weights;
    scene->pin.weight_count = count;
    scene->body.regions = &scene->pin;
    scene->body.region_count = pinned ? 1 : 0;
    return 1;
}

static inline void shaped_free(ShapedBody *scene) {
    jn_mesh_free(scene->mesh);
    free(scene->pin_weights);
}

static inline JnShape shaped_shape(const char *kind, double length, double height, uint32_t nx, uint32_t ny) {
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, kind);
    shape.size[0] = length, shape.size[1] = height;
    shape.cells[0] = nx, shape.cells[1] = ny;
    return shape;
}

#endif
