/* A teddy bear falls down the stairs: the sample scene, and a bear that somebody else modelled in its place. */
#include "harness.h"
#include "read_file.h"
#include "solid_depth.h"

#include "alembic_io.h"
#include "jounce.h"

#include <cjson/cJSON.h>
#include <unistd.h>

#define SAMPLE JN_TEST_SOURCE "/sample_scenes/teddy"
#define RISE 0.19 /* m: height of a step */

/* What a cache holds of the bear, in the scene's space. */
typedef struct Fall {
    int complete;                  /* every frame was baked and read */
    double first_height, height;   /* m: of the mean of its points, at the first frame and at the last */
    double largest_energy, energy; /* J: kinetic, of any frame and of the last */
    double deepest;                /* m: that a point of its surface ever was inside the stairs */
} Fall;

/* Writes the sample's scene to `path`, with another mesh if one is given, scaled about its own origin, `lift` above. */
static int write_scene(const char *path, const char *mesh, double scale, double lift) {
    size_t size = 0;
    char *text = read_file(SAMPLE "/scene.json", &size);
    cJSON *scene = text ? cJSON_ParseWithLength(text, size) : NULL;
    cJSON *body = cJSON_GetArrayItem(cJSON_GetObjectItem(scene, "bodies"), 0);
    cJSON *stairs = cJSON_GetArrayItem(cJSON_GetObjectItem(scene, "colliders"), 0);
    cJSON *transform = cJSON_GetObjectItem(body, "transform");
    cJSON *height = cJSON_GetArrayItem(cJSON_GetObjectItem(transform, "translate"), 1);
    free(text);
    if (height && stairs) {
        cJSON_ReplaceItemInObject(body, "mesh", cJSON_CreateString(mesh ? mesh : SAMPLE "/bear.obj"));
        cJSON_ReplaceItemInObject(stairs, "mesh", cJSON_CreateString(SAMPLE "/stairs.obj"));
        cJSON_AddNumberToObject(transform, "scale", scale);
        cJSON_SetNumberValue(height, height->valuedouble + lift);
    }
    text = height && stairs ? cJSON_Print(scene) : NULL;
    cJSON_Delete(scene);
    FILE *file = text ? fopen(path, "w") : NULL;
    int written = file && fputs(text, file) >= 0;
    if (file)
        fclose(file);
    free(text);
    return written;
}

/* Bakes the scene at `path` to its cache, and notes the kinetic energy. */
static JnStatus bake_scene(const char *path, Fall *fall, JnMessage *message) {
    JnScene *scene;
    JnBake *bake = NULL;
    JnBakeDesc desc;
    JnStatus status = jn_scene_load(path, &scene, message);
    if (status == JN_OK)
        status = jn_scene_desc(scene, &desc, sizeof desc, message);
    if (status == JN_OK)
        status = jn_bake_begin(&desc, &bake, message);
    for (uint32_t f = 0; status == JN_OK && f < desc.frame_count; ++f) {
        JnFrameInput input;
        JnMotion motion = {.struct_size = sizeof motion};
        status = jn_scene_frame(scene, jn_bake_next_frame(bake), &input, sizeof input, message);
        if (status == JN_OK)
            status = jn_bake_advance(bake, &input, message);
        if (status == JN_OK)
            status = jn_bake_motion(bake, &motion, message);
        fall->energy = motion.kinetic_energy;
        fall->largest_energy = fmax(fall->largest_energy, fall->energy);
    }
    JnStatus end = jn_bake_end(bake, status == JN_OK ? message : NULL);
    jn_scene_free(scene);
    return status == JN_OK ? end : status;
}

static int read_stairs(Solid *stairs) {
    JnMesh *mesh;
    JnMeshView view = {.struct_size = sizeof view};
    int made = 0;
    if (jn_mesh_read(SAMPLE "/stairs.obj", &mesh, NULL) == JN_OK && jn_mesh_view(mesh, &view, NULL) == JN_OK)
        made = solid_make(stairs, view.surface.positions, view.surface.face_sizes, view.surface.face_vertices,
                          view.surface.face_count, view.surface.corner_count);
    jn_mesh_free(mesh);
    return made;
}

/* Takes the fall down from the cached mesh of `object`. */
static int judge_cache(AbcReader *reader, uint32_t object, const Solid *stairs, Fall *fall) {
    AbcMeshInfo info;
    AbcMeshSizes sizes;
    AbcTimeSampling times;
    if (abc_reader_mesh_info(reader, object, &info, NULL) != ABC_OK ||
        abc_reader_time_sampling(reader, info.time_sampling, &times) != ABC_OK ||
        abc_reader_mesh_sizes(reader, object, 0, &sizes, NULL) != ABC_OK)
        return 0;
    int32_t *counts = calloc(sizes.face_count, sizeof *counts), *indices = calloc(sizes.index_count, sizeof *indices);
    double *points = calloc(sizes.vertex_count, 3 * sizeof *points);
    int read = counts && indices && points &&
               abc_reader_mesh_topology(reader, object, 0, counts, sizes.face_count, indices, sizes.index_count,
                                        NULL) == ABC_OK;
    for (uint32_t sample = 0; read && sample < info.sample_count; ++sample) {
        double time = abc_sample_time(&times, sample), matrix[16], sum = 0;
        size_t count;
        read =
            abc_reader_world_matrix(reader, object, time, matrix, NULL) == ABC_OK &&
            abc_reader_mesh_positions_at(reader, object, time, points, 3 * sizes.vertex_count, &count, NULL) == ABC_OK;
        for (size_t v = 0; read && v < sizes.vertex_count; ++v) {
            const double local[3] = {points[3 * v], points[3 * v + 1], points[3 * v + 2]};
            for (size_t i = 0; i < 3; ++i)
                points[3 * v + i] =
                    local[0] * matrix[i] + local[1] * matrix[4 + i] + local[2] * matrix[8 + i] + matrix[12 + i];
            sum += points[3 * v + 1];
        }
        fall->height = sum / (double)sizes.vertex_count;
        if (sample == 0)
            fall->first_height = fall->height;
        const int32_t *face = indices;
        for (size_t f = 0; read && f < sizes.face_count; face += counts[f++])
            for (int32_t i = 2; i < counts[f]; ++i) {
                const int32_t corners[3] = {face[0], face[i - 1], face[i]};
                double triangle[9];
                for (int k = 0; k < 3; ++k)
                    memcpy(&triangle[3 * k], &points[3 * corners[k]], 3 * sizeof *triangle);
                fall->deepest = solid_deepest(stairs, triangle, fall->deepest);
            }
    }
    free(counts);
    free(indices);
    free(points);
    return read;
}

static Fall let_fall(const char *mesh, double scale, double lift) {
    Fall fall = {0};
    Solid stairs = {0, NULL};
    AbcReader *reader = NULL;
    JnMessage message = {0};
    const char *scene = JN_TEST_OUTPUT "/teddy.json", *cache = JN_TEST_OUTPUT "/teddy.abc";
    const char *checkpoint = JN_TEST_OUTPUT "/teddy.abc.resume";
    if (write_scene(scene, mesh, scale, lift) && bake_scene(scene, &fall, &message) == JN_OK && read_stairs(&stairs) &&
        abc_reader_open(&reader, cache, NULL, NULL) == ABC_OK)
        fall.complete = judge_cache(reader, abc_reader_find(reader, "/bear/bearShape"), &stairs, &fall);
    abc_reader_close(reader);
    solid_free(&stairs);
    remove(scene);
    remove(cache);
    remove(checkpoint);
    printf("%s fell %.3f m, at most %.2f mm inside the stairs; kinetic energy %.3g J, at the end %.3g J%s%s\n",
           mesh ? mesh : "bear", fall.first_height - fall.height, 1e3 * fall.deepest, fall.largest_energy, fall.energy,
           message.text[0] ? "; " : "", message.text);
    return fall;
}

TEST(depth_in_a_solid_is_that_of_the_deepest_point_of_a_triangle) {
    /* a cube of side 2 about the origin */
    double positions[24];
    const uint32_t sizes[6] = {4, 4, 4, 4, 4, 4};
    const uint32_t faces[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    for (int v = 0; v < 8; ++v)
        for (int i = 0; i < 3; ++i)
            positions[3 * v + i] = v >> i & 1 ? 1 : -1;
    Solid cube;
    CHECK(solid_make(&cube, positions, sizes, faces, 6, 24));
    const double inside[3] = {0.1, 0.2, 0.7}, outside[3] = {0, 4, 5};
    CHECK_NEAR(solid_depth(&cube, inside), 0.3, 1e-12);
    CHECK_NEAR(solid_depth(&cube, outside), -5, 1e-12);
    /* all corners outside, and the cube's edge x = y = 1 cuts into it by 0.1, its corner by less */
    const double across[9] = {1.8, 0, 0, 0, 1.8, 0, 2.5, 2.5, 0.3};
    CHECK_NEAR(solid_deepest(&cube, across, 0), 0.1, SOLID_DEPTH_ERROR);
    const double clear[9] = {2.1, 0, 0, 0, 2.1, 0, 2.5, 2.5, 0.3};
    CHECK(solid_deepest(&cube, clear, 0) == 0);
    solid_free(&cube);
}

LONG_TEST(bear_tumbles_down_the_stairs_and_comes_to_rest) {
    Fall fall = let_fall(NULL, 1, 0);
    CHECK(fall.complete);
    CHECK(fall.first_height - fall.height > 3 * RISE);
    CHECK(fall.energy < 1e-3 * fall.largest_energy);
    CHECK(fall.deepest < 0.005);
}

LONG_TEST(bear_modelled_elsewhere_tumbles_down_the_stairs_and_comes_to_rest) {
    const char *path = JN_TEST_ASSETS "/surface/teddy.obj";
    if (access(path, R_OK) != 0)
        SKIP("there is no surface/teddy.obj among the assets");
    Fall fall = let_fall(path, 0.0095, 0.2); /* 40 cm high, its origin in its middle */
    CHECK(fall.complete);
    CHECK(fall.first_height - fall.height > 3 * RISE);
    CHECK(fall.energy < 1e-3 * fall.largest_energy);
    CHECK(fall.deepest < 0.005);
}
