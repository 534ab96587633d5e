/* The patches of tets: every tet in one, connected, compact, the same whenever they are made. */
#include "harness.h"
#include "random.h"
#include "tet_box.h"

#include "elastic/tet_patches.h"

#include <stdbool.h>

typedef struct Found {
    bool valid;              /* every grouped tet in one patch of its own group, every patch connected by faces */
    uint32_t patches;        /* how many */
    uint32_t smallest, most; /* tets in a patch */
    double vertices;         /* mean vertices of a patch */
} Found;

static bool share_face(const uint32_t *a, const uint32_t *b) {
    int common = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            common += a[i] == b[j];
    return common == 3;
}

static bool is_connected(const JnTets *mesh, const uint32_t *tets, uint32_t count) {
    bool reached[TET_PATCH_LARGEST] = {true};
    for (uint32_t round = 0; round < count; ++round)
        for (uint32_t a = 0; a < count; ++a)
            for (uint32_t b = 0; b < count; ++b)
                reached[b] |= reached[a] && share_face(mesh->tet_vertices + 4 * (size_t)tets[a],
                                                       mesh->tet_vertices + 4 * (size_t)tets[b]);
    for (uint32_t a = 0; a < count; ++a)
        if (!reached[a])
            return false;
    return true;
}

static uint32_t count_vertices(const JnTets *mesh, const uint32_t *tets, uint32_t count) {
    uint32_t seen[4 * TET_PATCH_LARGEST], vertices = 0;
    for (uint32_t i = 0; i < 4 * count; ++i) {
        uint32_t v = mesh->tet_vertices[4 * (size_t)tets[i / 4] + i % 4], k = 0;
        while (k < vertices && seen[k] != v)
            ++k;
        if (k == vertices)
            seen[vertices++] = v;
    }
    return vertices;
}

static Found examine(const JnTets *mesh, const int32_t *groups, const TetPatches *patches) {
    Found found = {true, patches->patch_count, UINT32_MAX, 0, 0};
    uint32_t *times = calloc((size_t)mesh->tet_count + 1, sizeof *times);
    for (uint32_t p = 0; p < patches->patch_count && found.valid; ++p) {
        const uint32_t *tets = patches->tets + patches->starts[p];
        uint32_t size = patches->starts[p + 1] - patches->starts[p];
        found.valid = size >= 1 && size <= TET_PATCH_LARGEST && is_connected(mesh, tets, size);
        if (!found.valid)
            break;
        found.smallest = size < found.smallest ? size : found.smallest;
        found.most = size > found.most ? size : found.most;
        found.vertices += (double)count_vertices(mesh, tets, size) / patches->patch_count;
        for (uint32_t k = 0; k < size; ++k) {
            ++times[tets[k]];
            found.valid &= groups[tets[k]] == groups[tets[0]];
        }
    }
    for (uint32_t t = 0; t < mesh->tet_count; ++t)
        found.valid &= times[t] == (groups[t] == TET_PATCHES_NO_GROUP ? 0 : 1);
    free(times);
    return found;
}

/* The patches of a mesh, made twice: invalid if the two differ. */
static Found build(const JnTets *mesh, const int32_t *groups) {
    JnMessage message;
    TetPatches patches, again;
    Found found = {0};
    if (tet_patches_build(mesh, groups, &patches, &message) != JN_OK)
        return found;
    found = examine(mesh, groups, &patches);
    if (tet_patches_build(mesh, groups, &again, &message) != JN_OK || again.patch_count != patches.patch_count ||
        memcmp(again.starts, patches.starts, (patches.patch_count + 1) * sizeof *patches.starts) != 0 ||
        memcmp(again.tets, patches.tets, patches.starts[patches.patch_count] * sizeof *patches.tets) != 0)
        found.valid = false;
    tet_patches_free(&again);
    tet_patches_free(&patches);
    return found;
}

static Found build_all(const JnTets *mesh) {
    int32_t *groups = calloc((size_t)mesh->tet_count + 1, sizeof *groups);
    Found found = build(mesh, groups);
    free(groups);
    return found;
}

TEST(patches_of_cubes_of_six_tets_are_the_cubes) {
    TetBox box = tet_box_make(5, 4, 3, 0.1);
    JnTets mesh = tet_box_view(&box);
    Found found = build_all(&mesh);
    CHECK(found.valid);
    CHECK(found.patches == 60 && found.smallest == 6 && found.most == 6);
    CHECK_NEAR(found.vertices, 8, 1e-12);
    tet_box_free(&box);
}

TEST(patches_of_an_irregular_mesh_are_compact) {
    TetBox box = tet_box_make(6, 6, 6, 0.1);
    JnTets mesh = tet_box_view(&box);
    uint64_t seed = 4;
    for (uint32_t i = 0; i < 3 * box.vertex_count; ++i)
        box.positions[i] += 0.02 * random_signed(&seed);
    Found found = build_all(&mesh);
    CHECK(found.valid && found.smallest >= 4);
    CHECK(found.patches > box.tet_count / 9 && found.patches < box.tet_count / 5);
    CHECK(found.vertices < 9);
    tet_box_free(&box);
}

TEST(patches_of_shapes_leave_unknowns_to_move) {
    for (uint32_t k = 0; k < jn_table_size(JN_TABLE_SHAPES); ++k) {
        JnShape shape;
        JnMesh *mesh = NULL;
        JnMeshView view = {.struct_size = (uint32_t)sizeof view};
        JnMessage message;
        jn_shape_init(&shape, sizeof shape, jn_table_entry(JN_TABLE_SHAPES, k)->name);
        CHECK(jn_shape_make(&shape, &mesh, &message) == JN_OK && jn_mesh_view(mesh, &view, &message) == JN_OK);
        if (view.tets.tet_count == 0) { /* a surface, for textiles */
            jn_mesh_free(mesh);
            continue;
        }
        Found found = build_all(&view.tets);
        printf("%s: %u vertices, %u patches of %u to %u tets\n", shape.kind, view.tets.vertex_count, found.patches,
               found.smallest, found.most);
        CHECK(found.valid && found.smallest >= 4);
        CHECK(found.patches < 0.9 * view.tets.vertex_count && found.patches > 0.3 * view.tets.vertex_count);
        jn_mesh_free(mesh);
    }
}

TEST(patches_of_cubes_of_five_tets_enclose_vertices) {
    /* an enclosed vertex costs a factorization nothing: 8 tets around it, and one or two more, make 7 to 9 vertices */
    JnShape shape;
    JnMesh *mesh = NULL;
    JnMeshView view = {.struct_size = (uint32_t)sizeof view};
    JnMessage message;
    jn_shape_init(&shape, sizeof shape, "cuboid");
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 10;
    CHECK(jn_shape_make(&shape, &mesh, &message) == JN_OK && jn_mesh_view(mesh, &view, &message) == JN_OK);
    Found found = build_all(&view.tets);
    CHECK(found.valid && found.most >= 9);
    CHECK(found.vertices < 8.5 && found.patches < 0.7 * 1000);
    jn_mesh_free(mesh);
}

TEST(patches_stay_within_groups) {
    TetBox box = tet_box_make(4, 4, 4, 0.1);
    JnTets mesh = tet_box_view(&box);
    int32_t *groups = malloc(box.tet_count * sizeof *groups);
    for (uint32_t t = 0; t < box.tet_count; ++t)
        groups[t] = t % 7 == 0 ? TET_PATCHES_NO_GROUP : (int32_t)(t / 50 % 3);
    CHECK(build(&mesh, groups).valid);
    for (uint32_t t = 0; t < box.tet_count; ++t)
        groups[t] = TET_PATCHES_NO_GROUP;
    Found none = build(&mesh, groups);
    CHECK(none.valid && none.patches == 0);
    free(groups);
    tet_box_free(&box);
}

TEST(patches_of_odd_meshes_are_whole) {
    /* one tet; two that touch in a vertex; three on one face; the same one four times around a vertex */
    static const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, -1, 0, 0, 0, -1, 1, 1, 1};
    static const uint32_t one[] = {0, 1, 2, 3}, apart[] = {0, 1, 2, 3, 0, 5, 4, 6};
    static const uint32_t fan[] = {1, 2, 3, 7, 1, 3, 2, 0, 1, 2, 3, 7};
    static const uint32_t same[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
    JnMessage message;
    TetPatches patches;
    const int32_t groups[4] = {0, 0, 0, 0};
    JnTets meshes[] = {
        {8, 1, positions, one}, {8, 2, positions, apart}, {8, 3, positions, fan}, {8, 4, positions, same}};
    for (int m = 0; m < 4; ++m) {
        CHECK(tet_patches_build(&meshes[m], groups, &patches, &message) == JN_OK);
        CHECK(patches.starts[patches.patch_count] == meshes[m].tet_count);
        CHECK(m != 0 || patches.patch_count == 1);
        CHECK(m != 1 || patches.patch_count == 2);
        tet_patches_free(&patches);
    }
}

TEST(patches_of_asset_meshes_are_valid) {
    static const char *const names[] = {"bunny.msh",          "sphere1K.msh",      "Armadillo13K.msh", "rod300x33.msh",
                                        "armadillo_1180.ele", "cactus_test_0.ele", "simpleBridge.veg", "turtle.veg"};
    int read = 0;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        char path[512];
        JnMesh *mesh = NULL;
        JnMeshView view = {.struct_size = (uint32_t)sizeof view};
        snprintf(path, sizeof path, JN_TEST_ASSETS "/tet/%s", names[k]);
        FILE *file = fopen(path, "rb");
        if (!file)
            continue;
        fclose(file);
        ++read;
        JnMessage message;
        CHECK(jn_mesh_read(path, &mesh, &message) == JN_OK && jn_mesh_view(mesh, &view, &message) == JN_OK);
        Found found = build_all(&view.tets);
        printf("%s: %u vertices, %u patches of %u to %u tets, %.1f vertices each\n", names[k], view.tets.vertex_count,
               found.patches, found.smallest, found.most, found.vertices);
        CHECK(found.valid && found.patches < 0.8 * view.tets.vertex_count && found.vertices < 10);
        jn_mesh_free(mesh);
    }
    if (!read)
        SKIP("no asset meshes");
}
