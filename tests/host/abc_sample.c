/* Writes the archive that test_abc_blender.py reads back in Blender:
     abc_sample <path> <finished frames> <reserved frames>
   /cage (animated transform) / cageShape: a 3 x 2 grid of quads with uv, velocities, weights and two face
   sets; /prop (translate, rotate, scale) / propShape: a constant tetrahedron, counter-clockwise; /shutter /
   shutterShape: a triangle sampled twice a frame (cyclic). 24 frames a second from frame 1. Position of grid
   vertex (i, j) at time t: (i + 0.1 sin(t + i), j + 0.1 cos(2 t), 0.25 sin(3 t + j)). */
#include "alembic_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4, ROWS = 3, VERTICES = COLUMNS * ROWS, FACES = (COLUMNS - 1) * (ROWS - 1) };

static AbcError error;

static void must(AbcStatus status) {
    if (status == ABC_OK)
        return;
    fprintf(stderr, "abc_sample: %s: %s\n", abc_status_name(status), error.text);
    exit(1);
}

static void grid_at(double t, double *xyz, double *velocity) {
    for (int j = 0; j < ROWS; ++j)
        for (int i = 0; i < COLUMNS; ++i) {
            double *p = xyz + 3 * (j * COLUMNS + i), *v = velocity + 3 * (j * COLUMNS + i);
            p[0] = i + 0.1 * sin(t + i);
            p[1] = j + 0.1 * cos(2 * t);
            p[2] = 0.25 * sin(3 * t + j);
            v[0] = 0.1 * cos(t + i);
            v[1] = -0.2 * sin(2 * t);
            v[2] = 0.75 * cos(3 * t + j);
        }
}

static uint32_t add_grid(AbcWriter *writer, uint32_t parent, AbcAnimation animation) {
    int32_t counts[FACES], corners[4 * FACES];
    uint32_t uv_indices[4 * FACES];
    float uv[2 * VERTICES], weights[VERTICES];
    for (int v = 0; v < VERTICES; ++v) {
        uv[2 * v] = (float)(v % COLUMNS) / (COLUMNS - 1);
        uv[2 * v + 1] = (float)(v / COLUMNS) / (ROWS - 1);
        weights[v] = (float)v / VERTICES;
    }
    for (int j = 0, f = 0; j + 1 < ROWS; ++j)
        for (int i = 0; i + 1 < COLUMNS; ++i, ++f) {
            const int32_t quad[4] = {j * COLUMNS + i, j * COLUMNS + i + 1, (j + 1) * COLUMNS + i + 1,
                                     (j + 1) * COLUMNS + i};
            counts[f] = 4;
            for (int k = 0; k < 4; ++k) {
                corners[4 * f + k] = quad[k];
                uv_indices[4 * f + k] = (uint32_t)quad[k];
            }
        }
    const AbcGeomValues uvs = {uv, VERTICES, uv_indices, 4 * FACES, ABC_SCOPE_FACEVARYING, "UVMap"};
    AbcMeshDesc desc = abc_mesh_desc_default();
    desc.name = "cageShape";
    desc.animation = animation;
    desc.counter_clockwise = true;
    desc.vertex_count = VERTICES;
    desc.face_count = FACES;
    desc.index_count = 4 * FACES;
    desc.face_counts = counts;
    desc.face_indices = corners;
    desc.velocities = true;
    desc.uvs = &uvs;
    uint32_t mesh, set;
    const int32_t first_faces[] = {0, 1}, other_faces[] = {2, 3, 4, 5};
    must(abc_writer_add_mesh(writer, parent, &desc, &mesh, &error));
    must(abc_writer_add_face_set(writer, mesh, "front", first_faces, 2, &set, &error));
    must(abc_writer_add_face_set(writer, mesh, "back", other_faces, 4, &set, &error));
    must(abc_writer_add_geom_param(writer, mesh, "weight", ABC_SCOPE_VERTEX, weights, VERTICES, 1, &error));
    return mesh;
}

static void add_prop(AbcWriter *writer) {
    AbcXformDesc xform = abc_xform_desc_default();
    xform.name = "prop";
    xform.trs = true;
    xform.trs_value = (AbcTrs){{1, 2, 3}, {30, 0, 0}, {2, 2, 2}};
    uint32_t parent, mesh;
    must(abc_writer_add_xform(writer, ABC_ROOT, &xform, &parent, &error));
    const int32_t counts[] = {3, 3, 3, 3}, corners[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    AbcMeshDesc desc = abc_mesh_desc_default();
    desc.name = "propShape";
    desc.counter_clockwise = true;
    desc.vertex_count = 4;
    desc.face_count = 4;
    desc.index_count = 12;
    desc.face_counts = counts;
    desc.face_indices = corners;
    desc.positions.f64 = positions;
    must(abc_writer_add_mesh(writer, parent, &desc, &mesh, &error));
}

static uint32_t add_shutter(AbcWriter *writer, uint32_t sampling, uint32_t frames) {
    AbcXformDesc xform = abc_xform_desc_default();
    xform.name = "shutter";
    uint32_t parent, mesh;
    must(abc_writer_add_xform(writer, ABC_ROOT, &xform, &parent, &error));
    const int32_t counts[] = {3}, corners[] = {0, 1, 2};
    AbcMeshDesc desc = abc_mesh_desc_default();
    desc.name = "shutterShape";
    desc.animation = (AbcAnimation){sampling, 2 * frames};
    desc.vertex_count = 3;
    desc.face_count = 1;
    desc.index_count = 3;
    desc.face_counts = counts;
    desc.face_indices = corners;
    must(abc_writer_add_mesh(writer, parent, &desc, &mesh, &error));
    return mesh;
}

static void write_pc2(const char *path) {
    AbcPc2Writer *writer;
    must(abc_pc2_create(&writer, path, VERTICES, 1, 1, &error));
    for (int frame = 1; frame <= 5; ++frame) {
        double xyz[3 * VERTICES], velocity[3 * VERTICES];
        grid_at(frame / 24.0, xyz, velocity);
        must(abc_pc2_sample(writer, (AbcVec3Array){.f64 = xyz}, &error));
    }
    must(abc_pc2_close(writer, &error));
}

static void write_kinds(const char *path) {
    static const int32_t counts[] = {4, 4, 4, 4, 4, 4}, crease[] = {0, 1}, crease_lengths[] = {2};
    static const int32_t corners[] = {0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3};
    static const int32_t hairs[] = {4, 5};
    static const float sharpness[] = {4};
    const double start = 1 / 24.0;
    AbcWriter *writer;
    uint32_t sampling, skin, hair, dust;
    must(abc_writer_create(&writer, path, NULL, &error));
    must(abc_writer_add_time_sampling(writer, &(AbcTimeSampling){ABC_UNIFORM, 1 / 24.0, 1, &start}, &sampling, &error));
    const AbcSubdData data = {.crease_indices = crease,
                              .crease_index_count = 2,
                              .crease_lengths = crease_lengths,
                              .crease_sharpnesses = sharpness,
                              .crease_count = 1};
    AbcMeshDesc mesh = abc_mesh_desc_default();
    mesh.name = "skin";
    mesh.animation = (AbcAnimation){sampling, 3};
    mesh.subd = true;
    mesh.vertex_count = 8;
    mesh.face_count = 6;
    mesh.index_count = 24;
    mesh.face_counts = counts;
    mesh.face_indices = corners;
    mesh.subd_data = &data;
    AbcCurvesDesc curves = abc_curves_desc_default();
    curves.name = "hair";
    curves.animation = mesh.animation;
    curves.curve_count = 2;
    curves.vertex_counts = hairs;
    curves.vertex_count = 9;
    AbcPointsDesc points = abc_points_desc_default();
    points.name = "dust";
    points.animation = mesh.animation;
    must(abc_writer_add_mesh(writer, ABC_ROOT, &mesh, &skin, &error));
    must(abc_writer_add_curves(writer, ABC_ROOT, &curves, &hair, &error));
    must(abc_writer_add_points(writer, ABC_ROOT, &points, &dust, &error));
    for (uint32_t frame = 0; frame < 3; ++frame) {
        float xyz[27];
        for (int k = 0; k < 27; ++k)
            xyz[k] = (float)(k / 3 >> k % 3 & 1) + 0.1f * (float)frame;
        must(abc_writer_mesh_sample(writer, skin, &(AbcMeshSample){.vertex_count = 8, .positions.f32 = xyz}, &error));
        must(abc_writer_mesh_sample(writer, hair, &(AbcMeshSample){.vertex_count = 9, .positions.f32 = xyz}, &error));
        must(abc_writer_mesh_sample(writer, dust, &(AbcMeshSample){.vertex_count = 2 + frame, .positions.f32 = xyz},
                                    &error));
        must(abc_writer_commit(writer, &error));
    }
    must(abc_writer_close(writer, &error));
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[2], "--kinds") == 0) {
        write_kinds(argv[1]);
        return 0;
    }
    if (argc == 3 && strcmp(argv[2], "--pc2") == 0) {
        write_pc2(argv[1]);
        return 0;
    }
    if (argc != 4) {
        fprintf(stderr, "usage: abc_sample <path> <finished frames> <reserved frames> | --kinds | --pc2\n");
        return 2;
    }
    uint32_t finished = (uint32_t)atoi(argv[2]), reserved = (uint32_t)atoi(argv[3]);
    const double fps = 24, start = 1 / fps, shutter[2] = {1 / fps, 1.5 / fps};
    AbcWriterDesc desc = abc_writer_desc_default();
    desc.application = "abc_sample";
    desc.fps = fps;
    AbcWriter *writer;
    must(abc_writer_create(&writer, argv[1], &desc, &error));
    uint32_t uniform, cyclic, cage;
    must(abc_writer_add_time_sampling(writer, &(AbcTimeSampling){ABC_UNIFORM, 1 / fps, 1, &start}, &uniform, &error));
    must(abc_writer_add_time_sampling(writer, &(AbcTimeSampling){ABC_CYCLIC, 1 / fps, 2, shutter}, &cyclic, &error));
    const AbcAnimation animation = {uniform, reserved};
    AbcXformDesc xform = abc_xform_desc_default();
    xform.name = "cage";
    xform.animation = animation;
    must(abc_writer_add_xform(writer, ABC_ROOT, &xform, &cage, &error));
    uint32_t grid = add_grid(writer, cage, animation);
    add_prop(writer);
    uint32_t triangle = add_shutter(writer, cyclic, reserved);
    must(abc_writer_add_archive_bounds(writer, &animation, &error));
    must(abc_writer_add_user_string(writer, ABC_ROOT, "receipt", "{\"a\": [1, 2], \"text\": \"x = y; z\"}", &error));
    must(abc_writer_begin(writer, &error));
    for (uint32_t frame = 0; frame < finished; ++frame) {
        double t = start + frame / fps, xyz[3 * VERTICES], velocity[3 * VERTICES];
        double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5 * t, 0, 0, 1};
        grid_at(t, xyz, velocity);
        must(abc_writer_xform_sample(writer, cage, matrix, &error));
        must(abc_writer_mesh_sample(
            writer, grid, &(AbcMeshSample){.vertex_count = VERTICES, .positions.f64 = xyz, .velocities.f64 = velocity},
            &error));
        for (int k = 0; k < 2; ++k) {
            float s = (float)(2 * frame + (uint32_t)k);
            const float corner[] = {s, 0, 0, s + 1, 0, 0, s, 1, 0};
            must(abc_writer_mesh_sample(writer, triangle, &(AbcMeshSample){.vertex_count = 3, .positions.f32 = corner},
                                        &error));
        }
        must(abc_writer_archive_bounds_sample(writer, &error));
        must(abc_writer_commit(writer, &error));
    }
    must(abc_writer_close(writer, &error));
    return 0;
}
