/* glTF binary files as surfaces and as animation. */
#include "glb_arm.h"
#include "geometry/mesh.h"
#include "geometry/motion.h"
#include "harness.h"

#include <unistd.h>

static JnMesh *parse(const GlbFile *file, size_t size, JnMessage *message) {
    const MeshFormat *format = NULL;
    for (uint32_t i = 0; (format = mesh_format(i)) && strcmp(format->ending, ".glb") != 0;)
        ++i;
    unsigned char *bytes = malloc(size + 1);
    memcpy(bytes, file->bytes, size);
    TextFile text = textfile_open("arm.glb", bytes, size);
    JnMesh *mesh = NULL;
    mesh_parse(format, &text, NULL, &mesh, message);
    free(bytes);
    return mesh;
}

static const JnMeshField *field_named(const JnMesh *mesh, const char *name) {
    for (uint32_t f = 0; f < mesh->field_count; ++f)
        if (strcmp(mesh->fields[f].name, name) == 0)
            return &mesh->fields[f];
    return NULL;
}

TEST(glb_mesh_is_read_on_its_skin_with_colours_and_joint_weights) {
    JnMessage message;
    GlbFile file = glb_arm_with(GLB_ARM);
    JnMesh *mesh = parse(&file, file.size, &message);
    if (!mesh)
        printf("%s\n", message.text);
    CHECK(mesh && mesh->vertex_count == 4 && mesh->face_count == 2 && mesh->field_count == 3);
    /* the joints' root lifts by 5; the transform of the skinned node itself does not count */
    static const double expected[12] = {0, 5, 0, 0, 5.5, 0, 1, 5.5, 0, 2, 5, 0};
    for (int i = 0; i < 12; ++i)
        CHECK_NEAR(mesh->positions[i], expected[i], 1e-12);
    static const uint32_t corners[6] = {0, 3, 1, 1, 3, 2};
    CHECK(memcmp(mesh->face_vertices, corners, sizeof corners) == 0);
    const JnMeshField *colour = field_named(mesh, "Col"), *upper = field_named(mesh, "upper");
    const JnMeshField *lower = field_named(mesh, "lower");
    CHECK(colour && upper && lower && colour->component_count == 3);
    CHECK(colour->values[1] == 0.5 && colour->values[8] == 0.25);
    CHECK(upper->values[0] == 1 && upper->values[2] == 0.5 && upper->values[3] == 0);
    CHECK(lower->values[0] == 0 && lower->values[2] == 0.5 && lower->values[3] == 1);
    jn_mesh_free(mesh);
}

static const char *write_arm(const char *json) {
    static const char path[] = JN_TEST_OUTPUT "/arm.glb";
    GlbFile file = glb_arm_with(json);
    FILE *out = fopen(path, "wb");
    fwrite(file.bytes, 1, file.size, out);
    fclose(out);
    return path;
}

TEST(glb_animation_bends_the_skin_between_its_keys) {
    JnMessage message;
    Motion motion;
    const char *path = write_arm(GLB_ARM);
    CHECK(motion_open(path, NULL, NAN, &motion, &message) == JN_OK);
    CHECK(motion.first_time == 3);
    for (int k = 0; k < 5; ++k) {
        static const double times[] = {-1, 3, 3.5, 4, 99};
        double x[12], angle = acos(-1) / 2 * (times[k] <= 3 ? 0 : times[k] >= 4 ? 1 : times[k] - 3);
        CHECK(motion.format->positions(&motion, times[k], 4, x, &message) == JN_OK);
        /* the hand, 1 from the elbow at (1, 5, 0); and the elbow's own point, half on each joint */
        CHECK_NEAR(x[9], 1 + cos(angle), 1e-7);
        CHECK_NEAR(x[10], 5 + sin(angle), 1e-7);
        CHECK_NEAR(x[6], 1 - 0.25 * sin(angle), 1e-7);
        CHECK_NEAR(x[7], 5.25 + 0.25 * cos(angle), 1e-7);
        CHECK(x[0] == 0 && x[1] == 5);
    }
    double none[3];
    CHECK(motion.format->positions(&motion, 0, 1, none, &message) == JN_ERR_MESH && motion.last_count == 4);
    motion_close(&motion);
    CHECK(motion_open(path, "arm", NAN, &motion, &message) == JN_OK);
    motion_close(&motion);
    CHECK(motion_open(path, "leg", NAN, &motion, &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "holds no mesh leg");
    CHECK(motion_open(path, NULL, 24, &motion, &message) == JN_ERR_SCENE);
    unlink(path);
}

TEST(glb_walking_man_stands_where_blender_puts_him) {
    const char *path = JN_TEST_ASSETS "/rig/CesiumMan.glb";
    JnMessage message;
    Motion motion;
    if (access(path, R_OK) != 0)
        SKIP("the asset CesiumMan.glb is absent");
    CHECK(motion_open(path, NULL, NAN, &motion, &message) == JN_OK);
    /* vertices at frames of 24 a second, as evaluated by Blender 4.5 and turned from z up to y up */
    static const struct {
        double frame;
        uint32_t vertex;
        double at[3];
    } cases[] = {{1, 0, {0.0257133, 0.9237242, 0.1161086}},
                 {7, 1000, {-0.0918036, 1.4368948, -0.0756604}},
                 {13.5, 2500, {0.1393467, 1.3918747, 0.1417563}},
                 {30, 3272, {0.0058509, 1.4582855, -0.0415975}},
                 {48, 1717, {-0.2764210, 0.7769305, -0.2428718}}};
    double *x = malloc(3273 * 3 * sizeof *x);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        CHECK(motion.format->positions(&motion, cases[i].frame / 24, 3273, x, &message) == JN_OK);
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(x[3 * cases[i].vertex + (uint32_t)k], cases[i].at[k], 2e-6);
    }
    free(x);
    motion_close(&motion);
    JnMesh *mesh = NULL;
    CHECK(jn_mesh_read(path, &mesh, &message) == JN_OK);
    CHECK(mesh->vertex_count == 3273 && mesh->face_count == 4672 && mesh->uvs && field_named(mesh, "leg_joint_L_1"));
    jn_mesh_free(mesh);
}

#define ARM_OF(nodes, meshes, skins, animations, accessors, views)                                                     \
    "{" nodes ", " meshes ", " skins ", " animations ", " accessors ", " views "}"

TEST(glb_that_is_wrong_is_refused_with_a_sentence) {
    static const char *const cases[][2] = {
        {"{}", "holds no mesh"},
        {"[1]", "its JSON cannot be read"},
        {"{\"nodes\": [", "its JSON cannot be read"},
        {"{\"nodes\": [5]}", "nodes[0] is not an object"},
        {"{\"extensionsRequired\": [\"KHR_draco_mesh_compression\"]}", "the extension KHR_draco_mesh_compression"},
        {ARM_OF("\"nodes\": [{\"mesh\": 0, \"children\": [1]}, {\"children\": [1]}]", GLB_ARM_MESHES, GLB_ARM_SKINS,
                GLB_ARM_ANIMATIONS, GLB_ARM_ACCESSORS, GLB_ARM_VIEWS),
         "has two parents"},
        {ARM_OF("\"nodes\": [{\"mesh\": 0}, {\"children\": [2]}, {\"children\": [1]}]", GLB_ARM_MESHES, GLB_ARM_SKINS,
                "\"a\": 0", GLB_ARM_ACCESSORS, GLB_ARM_VIEWS),
         "their own ancestors"},
        {ARM_OF("\"nodes\": [{\"mesh\": 0}, {\"mesh\": 0}]", GLB_ARM_MESHES, GLB_ARM_SKINS, "\"a\": 0",
                GLB_ARM_ACCESSORS, GLB_ARM_VIEWS),
         "holds 2 meshes"},
        {ARM_OF("\"nodes\": [{\"mesh\": 1}]", GLB_ARM_MESHES, GLB_ARM_SKINS, "\"a\": 0", GLB_ARM_ACCESSORS,
                GLB_ARM_VIEWS),
         "mesh is 1"},
        {ARM_OF("\"nodes\": [{\"mesh\": 0, \"skin\": 0}]", GLB_ARM_MESHES, GLB_ARM_SKINS, "\"a\": 0", GLB_ARM_ACCESSORS,
                GLB_ARM_VIEWS),
         "its skin names node 1 of 1"},
        {ARM_OF(GLB_ARM_NODES, "\"meshes\": [{\"primitives\": [{\"attributes\": {}}]}]", GLB_ARM_SKINS, "\"a\": 0",
                GLB_ARM_ACCESSORS, GLB_ARM_VIEWS),
         "has 0 vertices"},
        {ARM_OF(GLB_ARM_NODES, "\"meshes\": [{\"primitives\": [{\"mode\": 1, \"attributes\": {}}]}]", GLB_ARM_SKINS,
                "\"a\": 0", GLB_ARM_ACCESSORS, GLB_ARM_VIEWS),
         "not made of triangles"},
        {ARM_OF(GLB_ARM_NODES, GLB_ARM_MESHES, "\"skins\": [{\"joints\": [1]}]", "\"a\": 0", GLB_ARM_ACCESSORS,
                GLB_ARM_VIEWS),
         "is bound to joint 1 of 1"},
        {ARM_OF(GLB_ARM_NODES, GLB_ARM_MESHES, GLB_ARM_SKINS, "\"a\": 0", GLB_ARM_ACCESSORS,
                "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 300}]"),
         "ends beyond its bufferView"},
        {ARM_OF(GLB_ARM_NODES, GLB_ARM_MESHES, GLB_ARM_SKINS, "\"a\": 0", GLB_ARM_ACCESSORS,
                "\"bufferViews\": [{\"buffer\": 0, \"byteOffset\": 1, \"byteLength\": 356}]"),
         "ends beyond the file"},
        {ARM_OF(GLB_ARM_NODES, GLB_ARM_MESHES, GLB_ARM_SKINS, "\"a\": 0", GLB_ARM_ACCESSORS,
                "\"bufferViews\": [{\"buffer\": 1, \"byteLength\": 356}]"),
         "lies in another file"},
        {ARM_OF(GLB_ARM_NODES, "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}]", GLB_ARM_SKINS,
                "\"a\": 0", "\"accessors\": [{\"count\": 4000000000, \"componentType\": 5126, \"type\": \"VEC3\"}]",
                GLB_ARM_VIEWS),
         "is sparse"},
        {ARM_OF(GLB_ARM_NODES, "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}]", GLB_ARM_SKINS,
                "\"a\": 0",
                "\"accessors\": [{\"bufferView\": 0, \"count\": 4000000000, \"componentType\": 5126, \"type\": "
                "\"VEC3\"}]",
                GLB_ARM_VIEWS),
         "ends beyond its bufferView"},
        {ARM_OF(GLB_ARM_NODES, "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 1e300}}]}]",
                GLB_ARM_SKINS, "\"a\": 0", GLB_ARM_ACCESSORS, GLB_ARM_VIEWS),
         "POSITION is 1e+300"},
        {ARM_OF(GLB_ARM_NODES, GLB_ARM_MESHES, GLB_ARM_SKINS,
                "\"animations\": [{\"channels\": [{\"sampler\": 0, \"target\": {\"node\": 2, \"path\": \"weights\"}}], "
                "\"samplers\": [{\"input\": 4, \"output\": 5}]}]",
                GLB_ARM_ACCESSORS, GLB_ARM_VIEWS),
         "morph targets"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        JnMessage message = {0};
        GlbFile file = glb_arm_with(cases[i][0]);
        CHECK(!parse(&file, file.size, &message));
        if (!strstr(message.text, cases[i][1]))
            printf("case %zu\n", i);
        CHECK_STR_HAS(message.text, cases[i][1]);
    }
}

TEST(glb_without_a_binary_part_is_refused_with_a_sentence) {
    static const char json[] = "{\"nodes\": [{\"mesh\": 0}], \"meshes\": [{\"primitives\": [{\"attributes\": "
                               "{\"POSITION\": 0}}]}], \"accessors\": [{\"bufferView\": 0, \"count\": 0, "
                               "\"componentType\": 5126, \"type\": \"VEC3\"}], \"bufferViews\": [{\"buffer\": 0}]}";
    JnMessage message = {0};
    GlbFile file = glb_make(json, "", 0);
    enum { CHUNK_HEAD = 8 };
    CHECK(!parse(&file, file.size - CHUNK_HEAD, &message));
    CHECK_STR_HAS(message.text, "has 0 vertices");
}

TEST(glb_cut_short_or_with_numbers_that_are_none_returns_status) {
    GlbFile file = glb_arm_with(GLB_ARM);
    for (size_t size = 0; size < file.size; ++size) {
        JnMessage message = {0};
        JnMesh *mesh = parse(&file, size, &message);
        CHECK(!mesh && strlen(message.text) > 10);
    }
    for (size_t at = file.size - GLB_ARM_BYTES; at < file.size - 28; at += 4) {
        JnMessage message = {0};
        GlbFile damaged = file;
        memcpy(damaged.bytes + at, (const unsigned char[4]){0, 0, 0xc0, 0x7f}, 4);
        JnMesh *mesh = parse(&damaged, damaged.size, &message);
        CHECK(mesh || strlen(message.text) > 10);
        for (size_t i = 0; mesh && i < 12; ++i)
            CHECK(isfinite(mesh->positions[i]));
        jn_mesh_free(mesh);
    }
}
