/* alembic_io: what is written is read back. */
#include "harness.h"
#include "unit/abc_scene.h"

TEST(abc_archive_written_and_read_holds_every_sample) {
    char path[512];
    scene_path(path, sizeof path, "abc_roundtrip.abc");
    CHECK(scene_write(path, 12, 12));
    CHECK(scene_holds(path, 12));
}

TEST(abc_archive_metadata_and_receipt_come_back) {
    char path[512], text[256];
    size_t size = 0;
    scene_path(path, sizeof path, "abc_metadata.abc");
    CHECK(scene_write(path, 4, 4));
    AbcReader *reader;
    CHECK(abc_reader_open(&reader, path, NULL, &abc_error) == ABC_OK);
    AbcArchiveInfo info;
    abc_reader_archive_info(reader, &info);
    CHECK(strcmp(info.application, "alembic_io tests") == 0);
    CHECK(info.fps == SCENE_FPS);
    CHECK(info.date[0] == '\0');
    CHECK(info.object_count == 3);
    CHECK_NEAR(info.first_time, scene_time(0), 1e-12);
    CHECK_NEAR(info.last_time, scene_time(3), 1e-12);
    CHECK(abc_reader_user_string(reader, ABC_ROOT, "receipt", text, sizeof text, &size, &abc_error) == ABC_OK);
    CHECK(strcmp(text, SCENE_RECEIPT) == 0);
    CHECK(size == sizeof SCENE_RECEIPT);
    CHECK(abc_reader_user_string(reader, ABC_ROOT, "receipt", text, 4, &size, &abc_error) == ABC_ERR_ARGUMENT);
    CHECK(abc_reader_user_string(reader, ABC_ROOT, "none", text, 4, &size, &abc_error) == ABC_ERR_NOT_FOUND);
    abc_reader_close(reader);
}

TEST(abc_mesh_topology_uvs_and_weights_come_back_in_either_winding) {
    char path[512];
    int32_t counts[SCENE_FACES], corners[4 * SCENE_FACES], read_counts[SCENE_FACES], read[4 * SCENE_FACES];
    uint32_t uv_indices[4 * SCENE_FACES];
    float uv[2 * SCENE_VERTICES], read_uv[8 * SCENE_FACES];
    scene_faces(counts, corners, uv_indices, uv);
    scene_path(path, sizeof path, "abc_topology.abc");
    CHECK(scene_write(path, 2, 2));
    for (int winding = 0; winding < 2; ++winding) {
        AbcReaderDesc desc = abc_reader_desc_default();
        desc.counter_clockwise = winding == 1;
        desc.memory_map = winding == 1;
        AbcReader *reader;
        CHECK(abc_reader_open(&reader, path, &desc, &abc_error) == ABC_OK);
        uint32_t shape = abc_reader_find(reader, "/body/bodyShape");
        CHECK(abc_reader_mesh_topology(reader, shape, 0, read_counts, SCENE_FACES, read, 4 * SCENE_FACES, &abc_error) ==
              ABC_OK);
        CHECK(abc_reader_mesh_uvs(reader, shape, 0, read_uv, 8 * SCENE_FACES, &abc_error) == ABC_OK);
        for (int f = 0; f < SCENE_FACES; ++f)
            for (int k = 0; k < 4; ++k) {
                int c = 4 * f + k, from = winding ? c : 4 * f + 3 - k;
                CHECK(read[c] == corners[from]);
                CHECK(read_uv[2 * c] == uv[2 * corners[from]]);
                CHECK(read_uv[2 * c + 1] == uv[2 * corners[from] + 1]);
            }
        double weights[SCENE_VERTICES];
        AbcPropertyInfo info;
        CHECK(abc_reader_property(reader, shape, ".geom/.arbGeomParams/weight", &info, &abc_error) == ABC_OK);
        CHECK(info.scope == ABC_SCOPE_VERTEX && info.pod == ABC_FLOAT32 && info.constant);
        CHECK(abc_reader_property_doubles(reader, shape, ".geom/.arbGeomParams/weight", 0, weights, SCENE_VERTICES,
                                          &abc_error) == ABC_OK);
        CHECK(weights[7] == (double)(7.0f / SCENE_VERTICES));
        abc_reader_close(reader);
    }
}

TEST(abc_positions_between_samples_are_interpolated) {
    char path[512];
    scene_path(path, sizeof path, "abc_interpolate.abc");
    CHECK(scene_write(path, 3, 3));
    AbcReader *reader;
    CHECK(abc_reader_open(&reader, path, NULL, &abc_error) == ABC_OK);
    uint32_t shape = abc_reader_find(reader, "/body/bodyShape");
    double a[3 * SCENE_VERTICES], b[3 * SCENE_VERTICES], unused[3 * SCENE_VERTICES], at[3 * SCENE_VERTICES];
    size_t count = 0;
    scene_sample(1, a, unused);
    scene_sample(2, b, unused);
    double time = 0.75 * scene_time(1) + 0.25 * scene_time(2);
    CHECK(abc_reader_mesh_positions_at(reader, shape, time, at, 3 * SCENE_VERTICES, &count, &abc_error) == ABC_OK);
    CHECK(count == SCENE_VERTICES);
    CHECK(fabs(a[2] - b[2]) > 0.01);
    for (int k = 0; k < 3 * SCENE_VERTICES; ++k)
        CHECK_NEAR(at[k], 0.75 * a[k] + 0.25 * b[k], 1e-6);
    /* outside of the samples the first and last hold */
    CHECK(abc_reader_mesh_positions_at(reader, shape, 99, at, 3 * SCENE_VERTICES, &count, &abc_error) == ABC_OK);
    CHECK(at[2] == (double)(float)b[2]);
    double matrix[16];
    CHECK(abc_reader_world_matrix(reader, shape, time, matrix, &abc_error) == ABC_OK);
    CHECK_NEAR(matrix[12], 1.25, 1e-6);
    abc_reader_close(reader);
}

TEST(abc_bounds_of_mesh_and_archive_enclose_the_points) {
    char path[512];
    scene_path(path, sizeof path, "abc_bounds.abc");
    CHECK(scene_write(path, 2, 2));
    AbcReader *reader;
    CHECK(abc_reader_open(&reader, path, NULL, &abc_error) == ABC_OK);
    uint32_t shape = abc_reader_find(reader, "/body/bodyShape");
    double xyz[3 * SCENE_VERTICES], unused[3 * SCENE_VERTICES], all[6], low = 1e9, high = -1e9;
    scene_sample(1, xyz, unused);
    for (int v = 0; v < SCENE_VERTICES; ++v) {
        low = fmin(low, (double)(float)xyz[3 * v]);
        high = fmax(high, (double)(float)xyz[3 * v]);
    }
    AbcBounds bounds;
    CHECK(abc_reader_mesh_bounds(reader, shape, 1, &bounds, &abc_error) == ABC_OK);
    CHECK(bounds.min[0] == low && bounds.max[0] == high);
    CHECK(abc_reader_property_doubles(reader, ABC_ROOT, ".childBnds", 1, all, 6, &abc_error) == ABC_OK);
    /* the transform moves sample 1 by (1, 2, 3) */
    CHECK_NEAR(all[0], low + 1, 1e-12);
    CHECK_NEAR(all[3], high + 1, 1e-12);
    CHECK_NEAR(all[1], bounds.min[1] + 2, 1e-12);
    abc_reader_close(reader);
}

TEST(abc_float32_and_float64_input_give_equal_files) {
    char paths[2][512];
    for (int wide = 0; wide < 2; ++wide) {
        scene_path(paths[wide], sizeof paths[wide], wide ? "abc_f64.abc" : "abc_f32.abc");
        Scene scene;
        CHECK(scene_begin(&scene, paths[wide], 3));
        for (uint32_t i = 0; i < 3; ++i) {
            double xyz[3 * SCENE_VERTICES], velocity[3 * SCENE_VERTICES];
            float xyz32[3 * SCENE_VERTICES], velocity32[3 * SCENE_VERTICES];
            scene_sample(i, xyz, velocity);
            for (int k = 0; k < 3 * SCENE_VERTICES; ++k) {
                xyz32[k] = (float)xyz[k];
                velocity32[k] = (float)velocity[k];
            }
            AbcMeshSample sample = {.vertex_count = SCENE_VERTICES};
            if (wide) {
                sample.positions.f64 = xyz;
                sample.velocities.f64 = velocity;
            } else {
                sample.positions.f32 = xyz32;
                sample.velocities.f32 = velocity32;
            }
            CHECK(abc_writer_mesh_sample(scene.writer, scene.shape, &sample, &abc_error) == ABC_OK);
            CHECK(abc_writer_commit(scene.writer, &abc_error) == ABC_OK);
        }
        CHECK(scene_close(&scene));
    }
    CHECK(same_files(paths[0], paths[1]));
}

TEST(abc_equal_samples_are_stored_once) {
    char path[512];
    uint64_t first = 0, second = 0, index;
    scene_path(path, sizeof path, "abc_shared.abc");
    Scene scene;
    CHECK(scene_begin(&scene, path, 100));
    CHECK(scene_frame(&scene, 0));
    abc_writer_sizes(scene.writer, &first, &index);
    double xyz[3 * SCENE_VERTICES], velocity[3 * SCENE_VERTICES];
    scene_sample(0, xyz, velocity);
    for (int i = 0; i < 50; ++i) {
        const AbcMeshSample sample = {.vertex_count = SCENE_VERTICES, .positions.f64 = xyz, .velocities.f64 = velocity};
        CHECK(abc_writer_mesh_sample(scene.writer, scene.shape, &sample, &abc_error) == ABC_OK);
        CHECK(abc_writer_commit(scene.writer, &abc_error) == ABC_OK);
    }
    abc_writer_sizes(scene.writer, &second, &index);
    CHECK(second == first);
    CHECK(abc_writer_sample_count(scene.writer, scene.shape) == 51);
    CHECK(scene_close(&scene));
    AbcReader *reader;
    CHECK(abc_reader_open(&reader, path, NULL, &abc_error) == ABC_OK);
    float read[3 * SCENE_VERTICES];
    CHECK(abc_reader_mesh_positions(reader, abc_reader_find(reader, "/body/bodyShape"), 50, read, 3 * SCENE_VERTICES,
                                    &abc_error) == ABC_OK);
    CHECK(read[3] == (float)xyz[3]);
    abc_reader_close(reader);
}

TEST(abc_index_of_10000_frames_stays_below_5_percent) {
    char path[512];
    uint64_t file_bytes_count, index_bytes;
    enum { FRAMES = 10000, VERTICES = 400 };
    scene_path(path, sizeof path, "abc_index.abc");
    const double start = 0;
    const int32_t counts[] = {3}, corners[] = {0, 1, 2};
    AbcWriter *writer;
    uint32_t sampling, mesh;
    CHECK(abc_writer_create(&writer, path, NULL, &abc_error) == ABC_OK);
    CHECK(abc_writer_add_time_sampling(writer, &(AbcTimeSampling){ABC_UNIFORM, 0.04, 1, &start}, &sampling,
                                       &abc_error) == ABC_OK);
    AbcMeshDesc desc = abc_mesh_desc_default();
    desc.name = "mesh";
    desc.animation = (AbcAnimation){sampling, FRAMES};
    desc.vertex_count = VERTICES;
    desc.face_count = 1;
    desc.index_count = 3;
    desc.face_counts = counts;
    desc.face_indices = corners;
    CHECK(abc_writer_add_mesh(writer, ABC_ROOT, &desc, &mesh, &abc_error) == ABC_OK);
    for (int frame = 0; frame < FRAMES; ++frame) {
        static float xyz[3 * VERTICES];
        for (int k = 0; k < 3 * VERTICES; ++k)
            xyz[k] = (float)(frame + k);
        CHECK(abc_writer_mesh_sample(writer, mesh, &(AbcMeshSample){.vertex_count = VERTICES, .positions.f32 = xyz},
                                     &abc_error) == ABC_OK);
        CHECK(abc_writer_commit(writer, &abc_error) == ABC_OK);
    }
    abc_writer_sizes(writer, &file_bytes_count, &index_bytes);
    CHECK(abc_writer_close(writer, &abc_error) == ABC_OK);
    printf("%llu bytes, %.2f %% index\n", (unsigned long long)file_bytes_count,
           100.0 * (double)index_bytes / (double)file_bytes_count);
    CHECK(20 * index_bytes < file_bytes_count);
    remove(path);
}
