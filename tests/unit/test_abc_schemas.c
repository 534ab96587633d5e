/* alembic_io: every schema and every time sampling goes out and comes back. */
#include "harness.h"
#include "unit/abc_scene.h"
#include "unit/abc_zoo.h"

static AbcReader *open_zoo(const char *name, Zoo *zoo) {
    char path[512];
    AbcReader *reader = NULL;
    scene_path(path, sizeof path, name);
    if (!zoo_write(zoo, path) || abc_reader_open(&reader, path, NULL, &abc_error))
        printf("%s\n", abc_error.text);
    return reader;
}

/* The stored positions are those of zoo_positions. */
static bool holds(AbcReader *reader, const char *path, uint32_t object, uint32_t sample, size_t count) {
    float expected[48], read[48];
    zoo_positions(object, sample, expected, count);
    return !abc_reader_mesh_positions(reader, abc_reader_find(reader, path), sample, read, 48, &abc_error) &&
           memcmp(expected, read, 12 * count) == 0;
}

TEST(abc_every_object_is_found_with_its_schema_and_samples) {
    static const struct {
        const char *path;
        AbcSchema schema;
        uint32_t sample_count;
    } expected[] = {{"/rig/skin", ABC_SCHEMA_SUBD, 3},  {"/still/shell", ABC_SCHEMA_POLYMESH, 1},
                    {"/waves", ABC_SCHEMA_POLYMESH, 6}, {"/hair", ABC_SCHEMA_CURVES, 3},
                    {"/dust", ABC_SCHEMA_POINTS, 3},    {"/again/skin", ABC_SCHEMA_SUBD, 3}};
    Zoo zoo;
    AbcReader *reader = open_zoo("abc_zoo_objects.abc", &zoo);
    CHECK(reader);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        uint32_t object = abc_reader_find(reader, expected[i].path);
        AbcObjectInfo info;
        AbcMeshInfo mesh;
        CHECK(abc_reader_object(reader, object, &info) == ABC_OK);
        CHECK(info.schema == expected[i].schema);
        CHECK(abc_reader_mesh_info(reader, object, &mesh, &abc_error) == ABC_OK);
        CHECK(mesh.sample_count == expected[i].sample_count);
        CHECK(mesh.constant_topology);
    }
    for (uint32_t sample = 0; sample < ZOO_FRAMES; ++sample) {
        CHECK(holds(reader, "/rig/skin", zoo.skin, sample, 8));
        CHECK(holds(reader, "/again/skin", zoo.skin, sample, 8));
        CHECK(holds(reader, "/hair", zoo.hair, sample, 9));
        CHECK(holds(reader, "/dust", zoo.dust, sample, 2 * sample));
    }
    CHECK(holds(reader, "/waves", zoo.waves, 5, 8));
    CHECK(abc_reader_find(reader, "/rig/skin/lid") != ABC_NO_OBJECT);
    CHECK(abc_reader_find(reader, "/nothing") == ABC_NO_OBJECT);
    abc_reader_close(reader);
}

TEST(abc_time_samplings_come_back_and_place_samples) {
    Zoo zoo;
    AbcReader *reader = open_zoo("abc_zoo_times.abc", &zoo);
    CHECK(reader);
    static const struct {
        const char *path;
        AbcSampling kind;
        double last;
    } expected[] = {{"/rig/skin", ABC_UNIFORM, 0.08}, {"/waves", ABC_CYCLIC, 0.10}, {"/hair", ABC_ACYCLIC, 0.6}};
    for (size_t i = 0; i < 3; ++i) {
        AbcMeshInfo info;
        AbcTimeSampling sampling;
        CHECK(abc_reader_mesh_info(reader, abc_reader_find(reader, expected[i].path), &info, &abc_error) == ABC_OK);
        CHECK(abc_reader_time_sampling(reader, info.time_sampling, &sampling) == ABC_OK);
        CHECK(sampling.kind == expected[i].kind);
        CHECK_NEAR(abc_sample_time(&sampling, info.sample_count - 1), expected[i].last, 1e-12);
    }
    /* between the second and the third sample of /hair, 0.5 s and 0.6 s */
    double at[27];
    float before[27], after[27];
    size_t count;
    zoo_positions(zoo.hair, 1, before, 9);
    zoo_positions(zoo.hair, 2, after, 9);
    CHECK(abc_reader_mesh_positions_at(reader, abc_reader_find(reader, "/hair"), 0.525, at, 27, &count, &abc_error) ==
          ABC_OK);
    CHECK(before[4] != after[4]);
    CHECK_NEAR(at[4], 0.75 * (double)before[4] + 0.25 * (double)after[4], 1e-6);
    abc_reader_close(reader);
}

TEST(abc_bracket_finds_samples_on_and_between_times) {
    const double shutter[2] = {1.0, 1.25}, listed[4] = {0, 1, 3, 7};
    const AbcTimeSampling cyclic = {ABC_CYCLIC, 0.5, 2, shutter}, acyclic = {ABC_ACYCLIC, 0, 4, listed};
    uint32_t lower, upper;
    double weight;
    for (uint32_t i = 0; i < 100; ++i) {
        abc_sample_bracket(&cyclic, 100, abc_sample_time(&cyclic, i) + 1e-9, &lower, &upper, &weight);
        CHECK(lower == i && upper == i && weight == 0);
    }
    abc_sample_bracket(&acyclic, 4, 4.0, &lower, &upper, &weight);
    CHECK(lower == 2 && upper == 3);
    CHECK_NEAR(weight, 0.25, 1e-12);
    abc_sample_bracket(&acyclic, 4, -5, &lower, &upper, &weight);
    CHECK(lower == 0 && upper == 0 && weight == 0);
    abc_sample_bracket(&acyclic, 4, (double)NAN, &lower, &upper, &weight);
    CHECK(lower == 0 && upper == 0);
    abc_sample_bracket(&acyclic, 1, 9, &lower, &upper, &weight);
    CHECK(lower == 0 && upper == 0);
}

TEST(abc_transforms_concatenate_and_instances_follow_their_own_path) {
    Zoo zoo;
    double m[16];
    AbcReader *reader = open_zoo("abc_zoo_transforms.abc", &zoo);
    CHECK(reader);
    /* scale (1, 2, 1), then 90 degrees about X, then one unit along X: y becomes 2 z */
    CHECK(abc_reader_world_matrix(reader, abc_reader_find(reader, "/rig/skin"), 0.04, m, &abc_error) == ABC_OK);
    CHECK_NEAR(m[6], 2, 1e-12);
    CHECK_NEAR(m[5], 0, 1e-12);
    CHECK_NEAR(m[12], 1, 1e-12);
    CHECK(abc_reader_world_matrix(reader, abc_reader_find(reader, "/again/skin"), 0.04, m, &abc_error) == ABC_OK);
    CHECK_NEAR(m[12], 1, 1e-12);
    CHECK(abc_reader_world_matrix(reader, abc_reader_find(reader, "/still/shell"), 0, m, &abc_error) == ABC_OK);
    CHECK(m[12] == 7);
    bool visible = true;
    CHECK(abc_reader_visible(reader, abc_reader_find(reader, "/still/shell"), 0, &visible, &abc_error) == ABC_OK);
    CHECK(!visible);
    CHECK(abc_reader_visible(reader, abc_reader_find(reader, "/waves"), 0, &visible, &abc_error) == ABC_OK);
    CHECK(visible);
    AbcObjectInfo info;
    CHECK(abc_reader_object(reader, abc_reader_find(reader, "/again"), &info) == ABC_OK);
    CHECK(info.instance_source == abc_reader_find(reader, "/rig"));
    abc_reader_close(reader);
}

TEST(abc_normals_velocities_ids_and_subdivision_data_come_back) {
    Zoo zoo;
    float normals[72], expected[24], read[24];
    double values[8];
    AbcReader *reader = open_zoo("abc_zoo_data.abc", &zoo);
    CHECK(reader);
    CHECK(abc_reader_mesh_normals(reader, abc_reader_find(reader, "/still/shell"), 0, normals, 72, &abc_error) ==
          ABC_OK);
    CHECK(normals[3 * 4] == 1 && normals[3 * 8 + 1] == -1 && normals[3 * 23 + 2] == 1);
    /* normals of vertices are spread to the corners */
    uint32_t waves = abc_reader_find(reader, "/waves");
    zoo_positions(zoo.waves, 3, expected, 8);
    CHECK(abc_reader_mesh_normals(reader, waves, 3, normals, 72, &abc_error) == ABC_OK);
    CHECK(normals[3 * 2 + 1] == expected[3 * ZOO_CORNERS[2] + 1]);
    CHECK(abc_reader_mesh_velocities(reader, waves, 3, read, 24, &abc_error) == ABC_OK);
    CHECK(memcmp(expected, read, sizeof read) == 0);
    CHECK(abc_reader_property_doubles(reader, abc_reader_find(reader, "/dust"), ".geom/.pointIds", 2, values, 8,
                                      &abc_error) == ABC_OK);
    CHECK(values[3] == 3);
    uint32_t skin = abc_reader_find(reader, "/rig/skin");
    CHECK(abc_reader_property_doubles(reader, skin, ".geom/.creaseSharpnesses", 0, values, 8, &abc_error) == ABC_OK);
    CHECK(values[0] == 2.5);
    CHECK(abc_reader_property_doubles(reader, skin, ".geom/.holes", 0, values, 8, &abc_error) == ABC_OK);
    CHECK(values[0] == 5);
    CHECK(abc_reader_property_doubles(reader, skin, ".geom/.userProperties/mass", 0, values, 8, &abc_error) == ABC_OK);
    CHECK(values[0] == 12.5);
    char text[32];
    size_t size;
    CHECK(abc_reader_user_string(reader, skin, "note", text, sizeof text, &size, &abc_error) == ABC_OK);
    CHECK(text[0] == '\0' && size == 1);
    CHECK(abc_reader_property_text(reader, skin, ".geom/.scheme", 0, text, sizeof text, &abc_error) == ABC_OK);
    CHECK(strcmp(text, "catmull-clark") == 0);
    CHECK(abc_reader_user_string(reader, abc_reader_find(reader, "/rig"), "owner", text, sizeof text, &size,
                                 &abc_error) == ABC_OK);
    CHECK(strcmp(text, "rigger") == 0);
    AbcMeshInfo info;
    CHECK(abc_reader_mesh_info(reader, abc_reader_find(reader, "/hair"), &info, &abc_error) == ABC_OK);
    CHECK(info.cubic && !info.periodic);
    abc_reader_close(reader);
}

TEST(abc_zoo_reopened_and_continued_equals_one_go) {
    char whole[512], part[512];
    Zoo zoo;
    scene_path(whole, sizeof whole, "abc_zoo_whole.abc");
    scene_path(part, sizeof part, "abc_zoo_part.abc");
    CHECK(zoo_write(&zoo, whole));
    Zoo again = zoo;
    CHECK(zoo_write(&again, part));
    CHECK(abc_writer_reopen(&again.writer, part, 0, ABC_SURVIVE_POWER_LOSS, &abc_error) == ABC_OK);
    CHECK(abc_writer_find(again.writer, "/dust") == zoo.dust);
    CHECK(abc_writer_find(again.writer, "/rig/skin") == zoo.skin);
    CHECK(abc_writer_sample_count(again.writer, zoo.waves) == 0);
    CHECK(abc_writer_sample_count(again.writer, zoo.shell) == 1);
    for (uint32_t frame = 0; frame < ZOO_FRAMES; ++frame)
        CHECK(zoo_frame(&again, frame));
    CHECK(abc_writer_close(again.writer, &abc_error) == ABC_OK);
    CHECK(same_files(whole, part));
}

TEST(abc_bad_descriptions_are_refused_with_the_place) {
    char path[512];
    uint32_t object;
    AbcWriter *w;
    scene_path(path, sizeof path, "abc_refused.abc");
    CHECK(abc_writer_create(&w, path, NULL, &abc_error) == ABC_OK);
    int32_t corners[24];
    memcpy(corners, ZOO_CORNERS, sizeof corners);
    corners[13] = 8;
    double xyz[24];
    zoo_cube(xyz, 1);
    AbcMeshDesc desc = zoo_cube_desc("cube");
    desc.positions.f64 = xyz;
    desc.face_indices = corners;
    CHECK(abc_writer_add_mesh(w, ABC_ROOT, &desc, &object, &abc_error) == ABC_ERR_ARGUMENT);
    CHECK_STR_HAS(abc_error.text, "Face 3");
    CHECK_STR_HAS(abc_error.text, "vertex 8 of 8");
    desc.face_indices = ZOO_CORNERS;
    desc.name = NULL;
    CHECK(abc_writer_add_mesh(w, ABC_ROOT, &desc, &object, &abc_error) == ABC_ERR_ARGUMENT);
    CHECK_STR_HAS(abc_error.text, "no name");
    CHECK(abc_writer_add_user_string(w, ABC_ROOT, NULL, "x", &abc_error) == ABC_ERR_ARGUMENT);
    CHECK(abc_writer_add_user_string(w, ABC_ROOT, "x", NULL, &abc_error) == ABC_ERR_ARGUMENT);
    desc.name = "a/b";
    CHECK(abc_writer_add_mesh(w, ABC_ROOT, &desc, &object, &abc_error) == ABC_ERR_ARGUMENT);
    desc.name = "cube";
    xyz[10] = (double)INFINITY;
    CHECK(abc_writer_add_mesh(w, ABC_ROOT, &desc, &object, &abc_error) == ABC_ERR_ARGUMENT);
    CHECK_STR_HAS(abc_error.text, "vertex 3");
    xyz[10] = 0;
    CHECK(abc_writer_add_mesh(w, ABC_ROOT, &desc, &object, &abc_error) == ABC_OK);
    CHECK(abc_writer_add_mesh(w, ABC_ROOT, &desc, &object, &abc_error) == ABC_ERR_ARGUMENT);
    CHECK_STR_HAS(abc_error.text, "\"/cube\"");
    CHECK(abc_writer_add_geom_param(w, object, "w", ABC_SCOPE_VERTEX, (float[7]){0}, 7, 1, &abc_error) ==
          ABC_ERR_ARGUMENT);
    CHECK_STR_HAS(abc_error.text, "requires 8");
    CHECK(abc_writer_add_user_string(w, object, "note", "a", &abc_error) == ABC_OK);
    CHECK(abc_writer_add_user_string(w, object, "note", "b", &abc_error) == ABC_ERR_ARGUMENT);
    CHECK_STR_HAS(abc_error.text, "already has a property \"note\"");
    CHECK(abc_writer_add_visibility(w, object, 1, &abc_error) == ABC_OK);
    CHECK(abc_writer_add_visibility(w, object, 0, &abc_error) == ABC_ERR_ARGUMENT);
    const double backwards[] = {1, 0.5};
    uint32_t sampling;
    CHECK(abc_writer_add_time_sampling(w, &(AbcTimeSampling){ABC_ACYCLIC, 0, 2, backwards}, &sampling, &abc_error) ==
          ABC_ERR_ARGUMENT);
    CHECK(abc_writer_begin(w, &abc_error) == ABC_OK);
    CHECK(abc_writer_add_visibility(w, object, 1, &abc_error) == ABC_ERR_STATE);
    CHECK(abc_writer_close(w, &abc_error) == ABC_OK);
    AbcReader *reader;
    CHECK(abc_reader_open(&reader, path, NULL, &abc_error) == ABC_OK);
    AbcArchiveInfo info;
    abc_reader_archive_info(reader, &info);
    CHECK(info.object_count == 2);
    abc_reader_close(reader);
}

TEST(abc_names_are_made_from_any_text) {
    char name[8];
    abc_make_name(name, sizeof name, "a/b;c=d");
    CHECK(strcmp(name, "a_b_c_d") == 0);
    abc_make_name(name, sizeof name, "");
    CHECK(strcmp(name, "unnamed") == 0);
    /* the two bytes of the last character do not fit both */
    abc_make_name(name, sizeof name, "abcdef\xc3\xa4");
    CHECK(strcmp(name, "abcdef") == 0);
}

TEST(abc_pc2_holds_what_was_written) {
    char path[512];
    AbcPc2Writer *writer;
    const float a[6] = {1, 2, 3, 4, 5, 6};
    const double b[6] = {7, 8, 9, 10, 11, 12};
    scene_path(path, sizeof path, "abc.pc2");
    CHECK(abc_pc2_create(&writer, path, 2, 1, 1, &abc_error) == ABC_OK);
    CHECK(abc_pc2_sample(writer, (AbcVec3Array){.f32 = a}, &abc_error) == ABC_OK);
    CHECK(abc_pc2_sample(writer, (AbcVec3Array){.f64 = b}, &abc_error) == ABC_OK);
    CHECK(abc_pc2_sample(writer, (AbcVec3Array){0}, &abc_error) == ABC_ERR_ARGUMENT);
    CHECK(abc_pc2_close(writer, &abc_error) == ABC_OK);
    size_t size = 0;
    unsigned char *bytes = file_bytes(path, &size);
    CHECK(bytes && size == 32 + 2 * 24);
    CHECK(memcmp(bytes, "POINTCACHE2\0\1\0\0\0\2\0\0\0", 20) == 0);
    CHECK(bytes[28] == 2);
    float last;
    memcpy(&last, bytes + size - 4, 4);
    CHECK(last == 12);
    free(bytes);
}
