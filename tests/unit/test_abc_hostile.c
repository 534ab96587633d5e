/* alembic_io: damaged, truncated and hostile files give a status, whatever is wrong with them. */
#include "harness.h"
#include "unit/abc_scene.h"
#include "unit/abc_zoo.h"

/* The fuzz target reads everything that an archive has. */
#include "fuzz/fuzz_abc.c"

/* Every sample and constant of the scene: ABC_OK if all of it can be read. */
static AbcStatus read_scene(const unsigned char *bytes, size_t size, uint32_t sample_count) {
    AbcReader *reader;
    float xyz[3 * SCENE_VERTICES], uv[8 * SCENE_FACES];
    double weights[SCENE_VERTICES], matrix[16], box[6];
    char text[64];
    size_t used;
    AbcStatus status = abc_reader_open_memory(&reader, bytes, size, NULL, &abc_error);
    if (status)
        return status;
    uint32_t shape = abc_reader_find(reader, "/body/bodyShape");
    for (uint32_t i = 0; status == ABC_OK && i < sample_count; ++i) {
        AbcBounds bounds;
        status = abc_reader_mesh_positions(reader, shape, i, xyz, 3 * SCENE_VERTICES, &abc_error);
        if (!status)
            status = abc_reader_mesh_velocities(reader, shape, i, xyz, 3 * SCENE_VERTICES, &abc_error);
        if (!status)
            status = abc_reader_mesh_bounds(reader, shape, i, &bounds, &abc_error);
        if (!status)
            status = abc_reader_world_matrix(reader, shape, scene_time(i), matrix, &abc_error);
        if (!status)
            status = abc_reader_property_doubles(reader, ABC_ROOT, ".childBnds", i, box, 6, &abc_error);
    }
    if (!status)
        status = abc_reader_mesh_uvs(reader, shape, 0, uv, 8 * SCENE_FACES, &abc_error);
    if (!status)
        status = abc_reader_property_doubles(reader, shape, ".geom/.arbGeomParams/weight", 0, weights, SCENE_VERTICES,
                                             &abc_error);
    if (!status)
        status = abc_reader_user_string(reader, ABC_ROOT, "receipt", text, sizeof text, &used, &abc_error);
    abc_reader_close(reader);
    return status;
}

SLOW_TEST(abc_truncated_at_every_byte_returns_error) {
    char path[512];
    size_t size = 0;
    scene_path(path, sizeof path, "abc_truncated.abc");
    CHECK(scene_write(path, 3, 3));
    unsigned char *bytes = file_bytes(path, &size);
    CHECK(bytes);
    CHECK(read_scene(bytes, size, 3) == ABC_OK);
    for (size_t length = 0; length < size; ++length) {
        /* a copy of its own, so that a sanitizer sees every byte past the end */
        unsigned char *copy = malloc(length + 1);
        memcpy(copy, bytes, length);
        AbcStatus status = read_scene(copy, length, 3);
        LLVMFuzzerTestOneInput(copy, length);
        free(copy);
        CHECK(status == ABC_ERR_CORRUPT || status == ABC_ERR_NOT_ALEMBIC);
        CHECK(status == ABC_ERR_NOT_ALEMBIC || abc_error.offset <= size);
    }
    free(bytes);
}

SLOW_TEST(abc_every_corrupt_byte_returns_a_status) {
    static const unsigned char patterns[] = {0xff, 0x01};
    char path[512];
    size_t size = 0, refused = 0;
    Zoo zoo;
    scene_path(path, sizeof path, "abc_corrupt.abc");
    CHECK(zoo_write(&zoo, path));
    unsigned char *bytes = file_bytes(path, &size);
    CHECK(bytes);
    for (size_t i = 0; i < size; ++i) {
        unsigned char good = bytes[i];
        for (size_t k = 0; k < sizeof patterns; ++k) {
            bytes[i] = (unsigned char)(good ^ patterns[k]);
            AbcReader *reader = NULL;
            refused += abc_reader_open_memory(&reader, bytes, size, NULL, &abc_error) != ABC_OK;
            CHECK(reader || abc_error.text[0]);
            abc_reader_close(reader);
            LLVMFuzzerTestOneInput(bytes, size);
        }
        bytes[i] = good;
    }
    printf("%zu of %zu corrupt archives refused at open\n", refused, size * sizeof patterns);
    CHECK(refused > size / 10);
    free(bytes);
}

SLOW_TEST(abc_reopening_a_corrupt_archive_returns_a_status) {
    char path[512], broken[512];
    size_t size = 0, refused = 0, tried = 0;
    scene_path(path, sizeof path, "abc_reopen_good.abc");
    scene_path(broken, sizeof broken, "abc_reopen_broken.abc");
    CHECK(scene_write(path, 2, 2));
    unsigned char *bytes = file_bytes(path, &size);
    CHECK(bytes);
    for (size_t i = 0; i < size; ++i, ++tried) {
        remove(broken); /* a new file: some systems flush one that is emptied and written again */
        FILE *file = fopen(broken, "wb");
        CHECK(file);
        bytes[i] ^= 0x81;
        CHECK(fwrite(bytes, 1, size, file) == size);
        bytes[i] ^= 0x81;
        fclose(file);
        Scene scene = {0};
        if (abc_writer_reopen(&scene.writer, broken, scene_time(1), ABC_SURVIVE_PROCESS, &abc_error)) {
            CHECK(abc_error.text[0]);
            ++refused;
            continue;
        }
        scene.body = abc_writer_find(scene.writer, "/body");
        scene.shape = abc_writer_find(scene.writer, "/body/bodyShape");
        if (scene.body != ABC_NO_OBJECT && scene.shape != ABC_NO_OBJECT)
            (void)scene_frame(&scene, 1);
        abc_writer_abandon(scene.writer);
    }
    printf("%zu of %zu corrupt archives refused at reopen\n", refused, tried);
    CHECK(refused > tried / 10 && refused < tried);
    free(bytes);
}

/* An archive of nothing but a root group, built by hand: what the reader says names the byte. */
TEST(abc_contradictions_are_named_with_their_byte) {
    unsigned char head[16] = {'O', 'g', 'a', 'w', 'a', 0xff, 0, 1, 16};
    AbcReader *reader;
    CHECK(abc_reader_open_memory(&reader, head, sizeof head, NULL, &abc_error) == ABC_ERR_CORRUPT);
    CHECK(abc_error.offset == 8);
    CHECK_STR_HAS(abc_error.text, "byte 8");
    head[5] = 0;
    CHECK(abc_reader_open_memory(&reader, head, sizeof head, NULL, &abc_error) == ABC_ERR_CORRUPT);
    CHECK_STR_HAS(abc_error.text, "not finished");
    head[7] = 2;
    CHECK(abc_reader_open_memory(&reader, head, sizeof head, NULL, &abc_error) == ABC_ERR_UNSUPPORTED);
    CHECK(abc_reader_open_memory(&reader, "solid cube", 10, NULL, &abc_error) == ABC_ERR_NOT_ALEMBIC);
    CHECK(abc_reader_open_memory(&reader, head, 0, NULL, &abc_error) == ABC_ERR_NOT_ALEMBIC);
    CHECK(abc_reader_open(&reader, "/nowhere/nothing.abc", NULL, &abc_error) == ABC_ERR_IO);
    CHECK(abc_error.system_error != 0);
    CHECK_STR_HAS(abc_error.text, "/nowhere/nothing.abc");
}

/* Links one child object's group to its parent's: a tree without an end. */
TEST(abc_cyclic_tree_of_objects_is_refused) {
    char path[512];
    size_t size = 0, found = 0;
    scene_path(path, sizeof path, "abc_cyclic.abc");
    CHECK(scene_write(path, 1, 1));
    unsigned char *bytes = file_bytes(path, &size);
    CHECK(bytes);
    /* try every link in place of every other: whatever the graph becomes, reading it ends */
    for (size_t i = 16; i + 8 <= size; i += 8) {
        uint64_t link, kept;
        memcpy(&kept, bytes + i, 8);
        if (kept < 16 || kept >= size)
            continue;
        for (size_t to = 16; to + 8 <= size; to += 8) {
            memcpy(&link, bytes + to, 8);
            if (link < 16 || link >= size || link == kept)
                continue;
            memcpy(bytes + i, &link, 8);
            AbcReader *reader = NULL;
            if (abc_reader_open_memory(&reader, bytes, size, NULL, &abc_error) == ABC_ERR_CORRUPT &&
                strstr(abc_error.text, "not a tree"))
                ++found;
            abc_reader_close(reader);
        }
        memcpy(bytes + i, &kept, 8);
    }
    CHECK(found > 0);
    free(bytes);
}

static bool open_asset(AbcReader **reader, const char *name, AbcStatus *status) {
    char path[512];
    snprintf(path, sizeof path, "%s/abc/%s", JN_TEST_ASSETS, name);
    *status = abc_reader_open(reader, path, NULL, &abc_error);
    return *status != ABC_ERR_IO;
}

/* The numbers are those of the list that came with the files. */
TEST(abc_archives_of_other_programs_are_read) {
    static const struct {
        const char *name, *mesh;
        uint32_t sample_count;
        size_t vertex_count, face_count;
    } expected[] = {
        {"blender279_clothsim.abc", "/Plane/PlaneShape", 70, 144, 121},
        {"blender279_clothsim_seq.030.abc", "/Plane/PlaneShape", 1, 144, 121},
        {"blender279_clothsim_seq.031.abc", "/Plane/PlaneShape", 1, 144, 121},
        {"blender279_clothsim_seq.032.abc", "/Plane/PlaneShape", 1, 144, 121},
        {"blender279_cube_uv.abc", "/Cube/CubeShape", 1, 8, 6},
        {"blender341_flower_geonodes.abc", "/Flower2/Cube_002", 100, 3450, 3650},
        {"houdini175_softbody_balloons.abc", "/balloon_vellum/vellumpostprocess1", 140, 702, 1108},
        {"houdini180_sphere_noise.abc", "/sphere1/OUT", 60, 252, 500},
        {"maya2012_animatedCube.abc", "/pCube1/pCubeShape1", 10, 8, 6},
        {"maya2012_rotatingCube.abc", "/pCube1/pCubeShape1", 1, 8, 6},
        {"maya2015_dform_subframe_ogawa.abc", "/pSphere1/pSphereShape1", 6, 382, 400},
        {"maya2016_sphere_facesets.abc", "/pSphere1/pSphereShape1", 1, 382, 400},
        {"maya2018_creases_subd.abc", "/CUBE/C_cube_REN/C_cube_RENShape", 1, 8, 6},
        {"nestedInstancing.abc", "/rootNode/c/instance1/f/g/b/c/cMesh", 2, 8, 6},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        AbcReader *reader;
        AbcStatus status;
        if (!open_asset(&reader, expected[i].name, &status))
            SKIP("the .abc files from elsewhere are not there");
        printf("%s\n", expected[i].name);
        CHECK(status == ABC_OK);
        uint32_t object = abc_reader_find(reader, expected[i].mesh);
        AbcMeshInfo info;
        AbcMeshSizes sizes;
        CHECK(abc_reader_mesh_info(reader, object, &info, &abc_error) == ABC_OK);
        CHECK(info.sample_count == expected[i].sample_count);
        CHECK(abc_reader_mesh_sizes(reader, object, 0, &sizes, &abc_error) == ABC_OK);
        CHECK(sizes.vertex_count == expected[i].vertex_count && sizes.face_count == expected[i].face_count);
        int32_t *counts = malloc(4 * sizes.face_count), *indices = malloc(4 * sizes.index_count);
        float *xyz = malloc(12 * sizes.vertex_count), *corners = malloc(12 * sizes.index_count);
        CHECK(abc_reader_mesh_topology(reader, object, 0, counts, sizes.face_count, indices, sizes.index_count,
                                       &abc_error) == ABC_OK);
        for (uint32_t k = 0; k < info.sample_count; ++k)
            CHECK(abc_reader_mesh_positions(reader, object, k, xyz, 3 * sizes.vertex_count, &abc_error) == ABC_OK);
        CHECK(!info.has_uvs ||
              abc_reader_mesh_uvs(reader, object, 0, corners, 2 * sizes.index_count, &abc_error) == ABC_OK);
        CHECK(!info.has_normals ||
              abc_reader_mesh_normals(reader, object, 0, corners, 3 * sizes.index_count, &abc_error) == ABC_OK);
        CHECK(!info.has_velocities ||
              abc_reader_mesh_velocities(reader, object, 0, xyz, 3 * sizes.vertex_count, &abc_error) == ABC_OK);
        free(counts);
        free(indices);
        free(xyz);
        free(corners);
        abc_reader_close(reader);
    }
}

TEST(abc_bad_archives_from_elsewhere_are_refused_truthfully) {
    static const struct {
        const char *name;
        AbcStatus status;
        const char *says;
    } expected[] = {
        {"maya2015_dform_subframe_hdf5.abc", ABC_ERR_NOT_ALEMBIC, "HDF5"},
        {"malformed_badver.abc", ABC_ERR_UNSUPPORTED, "version 61697"},
        {"malformed_fuzzer_issue25192.abc", ABC_ERR_CORRUPT, "outside of the file"},
        {"malformed_bad_strings_ogawa.abc", ABC_OK, ""},
        {"malformed_issue282.abc", ABC_OK, ""},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        AbcReader *reader;
        AbcStatus status;
        if (!open_asset(&reader, expected[i].name, &status))
            SKIP("the .abc files from elsewhere are not there");
        printf("%s: %s\n", expected[i].name, status ? abc_error.text : "opens");
        CHECK(status == expected[i].status);
        if (status)
            CHECK_STR_HAS(abc_error.text, expected[i].says);
        if (status == ABC_OK && strstr(expected[i].name, "282")) {
            /* the tree is sound, the properties of its mesh are not */
            AbcMeshInfo info;
            uint32_t object = abc_reader_find(reader, "/Suzanne/SuzanneShape");
            CHECK(abc_reader_mesh_info(reader, object, &info, &abc_error) == ABC_ERR_CORRUPT);
        }
        abc_reader_close(reader);
    }
}
