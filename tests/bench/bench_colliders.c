/* What obstacles cost: a cube of 10,648 vertices lies on a bumpy sheet of 10,082 triangles that rests, moves or
   deforms, beside the same cube on a plane, with semi-implicit Euler at four steps a frame.

     bench_colliders

   Finding is the search for what may touch in a step, placing the move of the collider; a step takes one of the first
   and about three of the second. Detection is all of both in a step as the bake counts it, looking again at the
   solution and all evaluations of contact included. Landing is the frame of the first touch, later the
   fourth. Times are milliseconds. Machines are shared and noisy: read the ratios. */
#include "baking.h"
#include "contact_mesh.h"

#include "bake/bake_internal.h"
#include "base/os/os.h"

#include <stdio.h>

enum { CELLS = 21, SIDE = 71, FRAMES = 4, PLACINGS = 20 };

typedef enum Floor { ON_PLANE, MESH_RESTS, MESH_MOVES, MESH_DEFORMS, MESH_FAR, FLOORS } Floor;
static const char *const names[FLOORS] = {"plane", "mesh, rests", "mesh, moves", "mesh, deforms",
                                          "plane, mesh far away"};

static uint32_t sizes[2 * SIDE * SIDE];

static JnStatus push(JnBake *bake, Floor floor, const ContactMesh *mesh, double *shape) {
    JnFrameInput input;
    JnColliderInput colliders[2];
    jn_frame_input_init(&input, sizeof input);
    input.frame = jn_bake_next_frame(bake);
    for (int c = 0; c < 2; ++c)
        jn_collider_input_init(&colliders[c], sizeof colliders[c]);
    input.colliders = colliders;
    input.collider_count = floor == MESH_FAR ? 2 : 1;
    colliders[0].has_transform = floor == MESH_MOVES;
    colliders[0].transform[3] = 0.002 * input.frame;
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; ++i)
        shape[i] = mesh->positions[i] * (i % 3 == 2 ? 1 + 0.01 * sin(input.frame) : 1);
    colliders[0].positions = floor == MESH_DEFORMS ? shape : NULL;
    return jn_bake_advance(bake, &input, NULL);
}

/* Seconds of placing a collider once, in motion or at rest. */
static double time_placing(JnBake *bake, bool moves) {
    static const double rest[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double now[12];
    memcpy(now, rest, sizeof now);
    double since = os_clock_seconds();
    for (int k = 0; k < PLACINGS; ++k) {
        now[3] = moves ? 1e-3 * k : 0;
        collider_move(&bake->model.colliders[0],
                      &(ColliderMotion){.now = now, .before = moves ? rest : now, .after = now, .seconds = moves},
                      &bake->motion.view->moment.colliders[0]);
    }
    return (os_clock_seconds() - since) / PLACINGS;
}

/* Seconds of finding the contacts of a step, the least of several. */
static double time_finding(JnBake *bake) {
    const StepStart start = {bake->motion.state.q, bake->motion.state.v, 1 / 96.0, false};
    double least = INFINITY;
    for (int k = 0; k < PLACINGS; ++k) {
        double since = os_clock_seconds();
        if (view_begin_step(bake->motion.view, &start, NULL) != JN_OK)
            return NAN;
        least = fmin(least, os_clock_seconds() - since);
    }
    return least;
}

static int measure(Floor floor, const ContactMesh *mesh, double *shape) {
    OneBody scene;
    JnBake *bake;
    JnCollider colliders[2];
    JnStatistics before = {.struct_size = sizeof before}, after = before;
    one_body_init(&scene, tet_box_make(CELLS, CELLS, CELLS, 0.5 / CELLS));
    scene.body.transform[3] = scene.body.transform[7] = 0.25;
    scene.body.transform[11] = 0.06;
    scene.body.material.young_modulus = 1e5;
    scene.desc.gravity[2] = -9.81;
    scene.desc.frame_count = FRAMES + 4;
    scene.desc.colliders = colliders;
    scene.desc.collider_count = floor == MESH_FAR ? 2 : 1;
    colliders[0] = colliders[1] = scene.collider;
    bool on_plane = floor == ON_PLANE || floor == MESH_FAR;
    JnCollider *sheet = &colliders[floor == MESH_FAR];
    if (on_plane) {
        colliders[0].point[2] = 0.05;
        colliders[0].normal[1] = 0;
        colliders[0].normal[2] = 1;
    }
    if (floor != ON_PLANE) {
        sheet->kind = "mesh";
        sheet->surface = (JnSurface){.vertex_count = mesh->vertex_count,
                                     .face_count = mesh->triangle_count,
                                     .corner_count = 3 * mesh->triangle_count,
                                     .positions = mesh->positions,
                                     .face_sizes = sizes,
                                     .face_vertices = mesh->triangles};
        sheet->transform[3] = floor == MESH_FAR ? 100 : 0;
    }
    JnStatus status = jn_bake_begin(&scene.desc, &bake, NULL);
    for (int f = 0; status == JN_OK && f < 2; ++f)
        status = push(bake, floor, mesh, shape);
    double steps = 1, totals[2] = {0, 0}, detections[2] = {0, 0};
    for (int f = 0; status == JN_OK && f < FRAMES; ++f) {
        status = jn_bake_statistics(bake, &before, NULL);
        double since = os_clock_seconds();
        status = status == JN_OK ? push(bake, floor, mesh, shape) : status;
        totals[f > 0] = os_clock_seconds() - since;
        status = status == JN_OK ? jn_bake_statistics(bake, &after, NULL) : status;
        detections[f > 0] = after.contact_seconds - before.contact_seconds;
        steps = after.steps_done - before.steps_done;
    }
    if (status == JN_OK) {
        double finding = time_finding(bake), placing = time_placing(bake, floor == MESH_MOVES || floor == MESH_DEFORMS);
        printf("| %-20s | %5u | %6.2f | %6.2f | %8.1f | %6.1f | %.3f | %8.1f | %6.1f | %.3f |\n", names[floor],
               after.contact_count, 1e3 * finding, 1e3 * placing, 1e3 * totals[0] / steps, 1e3 * detections[0] / steps,
               detections[0] / totals[0], 1e3 * totals[1] / steps, 1e3 * detections[1] / steps,
               detections[1] / totals[1]);
        fflush(stdout);
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return status == JN_OK;
}

int main(void) {
    ContactMesh mesh;
    if (!contact_mesh_sheets(1, SIDE, 0, &mesh))
        return 1;
    double *shape = malloc(3 * sizeof *shape * mesh.vertex_count);
    for (uint32_t f = 0; f < 2 * SIDE * SIDE; ++f)
        sizes[f] = 3;
    printf("| on | contacts | finding | placing | landing step | detection | part | later step | detection | part |\n"
           "|---|---|---|---|---|---|---|---|---|---|\n");
    int ok = shape != NULL;
    for (Floor floor = 0; ok && floor < FLOORS; ++floor)
        ok = measure(floor, &mesh, shape);
    free(shape);
    contact_mesh_free(&mesh);
    return !ok;
}
