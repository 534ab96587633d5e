/* Painted weights and colours that come with a mesh file, as fields. */
#include "harness.h"
#include "unit/test_mesh_samples.h"

#include <unistd.h>

static const JnMeshField *field_named(const JnMesh *mesh, const char *name) {
    for (uint32_t f = 0; mesh && f < mesh->field_count; ++f)
        if (strcmp(mesh->fields[f].name, name) == 0)
            return &mesh->fields[f];
    return NULL;
}

static JnMesh *parse_text(const char *ending, const char *text, JnMessage *message) {
    Sample sample = {.name = "fields", .ending = ending};
    JnMesh *mesh = NULL;
    put_text(&sample, text);
    if (sample_parse(&sample, sample.size, &mesh, message) != JN_OK)
        printf("%s\n", message->text);
    return mesh;
}

#define PLY_FIELDS_HEAD                                                                                                \
    " 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n"               \
    "property uchar green\nproperty uchar blue\nproperty uchar alpha\nproperty float nx\nproperty float tail\n"        \
    "property double push_x\nproperty double push_y\nproperty double push_z\nproperty ushort count\n"                  \
    "property list uchar float bones\nproperty float tail\nelement face 1\n"                                           \
    "property list uchar int vertex_indices\nend_header\n"

/* Three vertices with a colour, a weight, a vector and a whole number each, and with what is no field: a normal, a list
   and a second property of the same name. */
static void fill_ply_fields(Sample *sample, const char *format) {
    bool text = strcmp(format, "ascii") == 0, big = strcmp(format, "binary_big_endian") == 0;
    *sample = (Sample){.name = format, .ending = ".ply"};
    put_text(sample, "ply\nformat ");
    put_text(sample, format);
    put_text(sample, PLY_FIELDS_HEAD);
    if (text) {
        put_text(sample, "0 0 0 0 51 255 255 0 0 -1 0 2 7 1 .5 9\n1 0 0 51 51 255 255 0 .25 -1 .5 2 8 0 9\n"
                         "0 1 0 102 51 255 255 0 .5 -1 1 2 9 2 1 1 9\n3 0 1 2\n");
        return;
    }
    for (int v = 0; v < 3; ++v) {
        put_f32(sample, v == 1, big);
        put_f32(sample, v == 2, big);
        put_f32(sample, 0, big);
        const unsigned char colour[4] = {(unsigned char)(51 * v), 51, 255, 255};
        for (int i = 0; i < 4; ++i)
            put_bytes(sample, &colour[i], 1, big);
        put_f32(sample, 0, big);
        put_f32(sample, (float)v / 4, big);
        put_f64(sample, -1, big);
        put_f64(sample, v / 2.0, big);
        put_f64(sample, 2, big);
        put_bytes(sample, &(uint16_t){(uint16_t)(7 + v)}, 2, big);
        put_bytes(sample, &(unsigned char){1}, 1, big);
        put_f32(sample, 0.5f, big);
        put_f32(sample, 9, big);
    }
    put_bytes(sample, &(unsigned char){3}, 1, big);
    for (int32_t i = 0; i < 3; ++i)
        put_i32(sample, i, big);
}

TEST(ply_properties_of_vertices_are_fields_in_text_and_both_byte_orders) {
    static const char *const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (int f = 0; f < 3; ++f) {
        Sample sample;
        JnMesh *mesh = NULL;
        JnMessage message;
        fill_ply_fields(&sample, formats[f]);
        if (sample_parse(&sample, sample.size, &mesh, &message) != JN_OK)
            printf("%s: %s\n", formats[f], message.text);
        CHECK(mesh && mesh->field_count == 4);
        const JnMeshField *colour = field_named(mesh, "Col"), *tail = field_named(mesh, "tail");
        const JnMeshField *push = field_named(mesh, "push"), *count = field_named(mesh, "count");
        CHECK(colour && tail && push && count);
        CHECK(colour->component_count == 4 && tail->component_count == 1 && push->component_count == 3);
        for (int v = 0; v < 3; ++v) {
            CHECK_NEAR(colour->values[4 * v], 0.2 * v, 1e-15);
            CHECK_NEAR(colour->values[4 * v + 1], 0.2, 1e-15);
            CHECK(colour->values[4 * v + 3] == 1);
            CHECK(tail->values[v] == v / 4.0);
            CHECK(push->values[3 * v] == -1 && push->values[3 * v + 1] == v / 2.0 && push->values[3 * v + 2] == 2);
            CHECK(count->values[v] == 7 + v);
        }
        jn_mesh_free(mesh);
    }
}

TEST(ply_weight_that_is_no_number_names_property_and_vertex) {
    Sample sample;
    JnMesh *mesh;
    JnMessage message;
    fill_ply_fields(&sample, "binary_big_endian");
    size_t first = 0;
    while (memcmp(&sample.bytes[first], "end_header\n", 11) != 0)
        ++first;
    /* of the second vertex, after x y z, four bytes of colour and nx */
    memcpy(&sample.bytes[first + 11 + 59 + 20], (const unsigned char[4]){0x7f, 0xc0, 0, 0}, 4);
    CHECK(sample_parse(&sample, sample.size, &mesh, &message) == JN_ERR_FORMAT);
    CHECK_STR_HAS(message.text, "the property tail of vertex 1 is nan");
}

TEST(obj_colours_stand_behind_coordinates) {
    JnMessage message;
    JnMesh *mesh = parse_text(".obj", "v 0 0 0 .25 .5 1\nv 1 0 0\nv 0 1 0 1\nv 0 0 1 0 1 0 # end\nf 1 2 3\n", &message);
    const JnMeshField *colour = field_named(mesh, "Col");
    CHECK(colour && colour->component_count == 3 && mesh->field_count == 1);
    static const double expected[12] = {0.25, 0.5, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0};
    CHECK(memcmp(colour->values, expected, sizeof expected) == 0);
    jn_mesh_free(mesh);
    mesh = parse_text(".obj", "v 0 0 0 1\nv 1 0 0 1\nv 0 1 0 1\nf 1 2 3\n", &message);
    CHECK(mesh && mesh->field_count == 0);
    jn_mesh_free(mesh);
    mesh = parse_text(".obj", "v 0 0 0 1 1 1 .5\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", &message);
    colour = field_named(mesh, "Col");
    CHECK(colour && colour->component_count == 4 && colour->values[3] == 0.5);
    jn_mesh_free(mesh);
    CHECK(!parse_text(".obj", "v 0 0 0 1 nan 1\n", &message));
    CHECK_STR_HAS(message.text, "line 1: 'nan' stands for the colour of a vertex");
}

TEST(obj_colours_and_mask_stand_in_comments_of_hexadecimal_digits) {
    JnMessage message;
    JnMesh *mesh =
        parse_text(".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n#MRGB ff330066ff00FF00\n#MRGB 33000000\nf 1 2 3\n", &message);
    const JnMeshField *colour = field_named(mesh, "Col"), *mask = field_named(mesh, "Mask");
    CHECK(colour && mask && colour->component_count == 3 && mask->component_count == 1);
    CHECK_NEAR(colour->values[0], 0.2, 1e-15);
    CHECK_NEAR(colour->values[2], 0.4, 1e-15);
    CHECK(colour->values[4] == 1 && mask->values[0] == 1);
    CHECK_NEAR(mask->values[2], 0.2, 1e-15);
    jn_mesh_free(mesh);
    CHECK(!parse_text(".obj", "v 0 0 0\n#MRGB ff33006\n", &message));
    CHECK_STR_HAS(message.text, "line 2: the last colour of a line with #MRGB has 7 digits");
    CHECK(
        !parse_text(".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n#MRGB ffffffffffffffffffffffffffffffff\n", &message));
    CHECK_STR_HAS(message.text, "hold 4 colours, but there are 3 vertices");
}

/* ------------------------------------------------------------------------------------------------ writing */

static JnMesh *write_and_read(const JnMesh *mesh, const char *name) {
    char path[600];
    JnMesh *back = NULL;
    JnMessage message;
    snprintf(path, sizeof path, "%s/%s", JN_TEST_OUTPUT, name);
    if (jn_mesh_write(mesh, path, &message) != JN_OK || jn_mesh_read(path, &back, &message) != JN_OK)
        printf("%s\n", message.text);
    unlink(path);
    return back;
}

/* Whether `other` has a field of this name with the same numbers to the bit. */
static bool has_same(const JnMesh *other, const JnMeshField *field, uint32_t vertex_count) {
    const JnMeshField *found = field_named(other, field->name);
    return found && other->vertex_count == vertex_count && found->component_count == field->component_count &&
           memcmp(found->values, field->values, (size_t)vertex_count * field->component_count * sizeof(double)) == 0;
}

/* A triangle with fields of every kind: a weight, colours of bytes or not, vectors, and names that files must not
   break on. */
static JnMesh *make_painted(bool bytes) {
    JnMessage message;
    static const struct {
        const char *name;
        uint32_t width;
    } fields[] = {{"tail", 1}, {"Col", 4}, {"push", 3}, {"pair", 2}, {"x", 1}, {"six", 6}, {"t", 1}};
    JnMesh *mesh = parse_text(".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", &message);
    for (size_t f = 0; mesh && f < sizeof fields / sizeof fields[0]; ++f) {
        double *values;
        mesh_add_field(mesh, fields[f].name, strlen(fields[f].name), fields[f].width, &values, &message);
        for (uint32_t i = 0; i < 3 * fields[f].width; ++i)
            values[i] = strcmp(fields[f].name, "Col") == 0 && bytes ? (17.0 * i) / 255 : 1 / (1.0 + i + (double)f);
    }
    return mesh;
}

TEST(ply_written_and_read_keeps_every_field_to_the_bit) {
    for (int bytes = 0; bytes < 2; ++bytes) {
        JnMesh *mesh = make_painted(bytes), *back = write_and_read(mesh, "painted.ply");
        CHECK(back && back->field_count == mesh->field_count);
        for (uint32_t f = 0; f < mesh->field_count; ++f)
            CHECK(has_same(back, &mesh->fields[f], 3));
        jn_mesh_free(mesh);
        jn_mesh_free(back);
    }
}

TEST(obj_written_and_read_keeps_colours_and_lists_what_it_leaves_out) {
    char text[100];
    JnMesh *mesh = make_painted(false), *back = write_and_read(mesh, "painted.obj");
    CHECK(back && back->field_count == 1 && has_same(back, field_named(mesh, "Col"), 3));
    CHECK(jn_mesh_losses(mesh, "a.obj", text, sizeof text) == strlen(text));
    CHECK(strcmp(text, "tail, push, pair, x, six, t") == 0);
    CHECK(jn_mesh_losses(mesh, "a.obj", text, 5) == 27 && strcmp(text, "tail") == 0);
    CHECK(jn_mesh_losses(mesh, "a.obj", NULL, 0) == 27);
    CHECK(jn_mesh_losses(mesh, "a.ply", text, sizeof text) == 0 && text[0] == '\0');
    CHECK(jn_mesh_losses(mesh, "a.xyz", text, sizeof text) == 0 && jn_mesh_losses(NULL, "a.obj", text, 9) == 0);
    jn_mesh_free(back);
    jn_mesh_free(mesh);
    JnMessage message;
    mesh = parse_text(".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\nl 1 2\n", &message);
    CHECK(jn_mesh_losses(mesh, "a.ply", text, sizeof text) && strcmp(text, "texture coordinates, curves") == 0);
    jn_mesh_free(mesh);
}

TEST(tets_written_keep_their_fields_and_their_boundary_keeps_its_share) {
    JnShape shape;
    JnMesh *mesh = NULL;
    char text[100];
    jn_shape_init(&shape, sizeof shape, "cuboid");
    shape.cells[0] = 7, shape.cells[1] = 3, shape.cells[2] = 3;
    shape.turns = 0.3;
    CHECK(jn_shape_make(&shape, &mesh, NULL) == JN_OK && mesh->field_count == 3);
    static const char *const names[] = {"tets.msh", "tets.vtk"};
    for (int i = 0; i < 2; ++i) {
        JnMesh *back = write_and_read(mesh, names[i]);
        CHECK(back && back->field_count == 3 && back->tet_count == mesh->tet_count);
        CHECK(memcmp(back->positions, mesh->positions, 3 * sizeof(double) * mesh->vertex_count) == 0);
        CHECK(memcmp(back->tet_vertices, mesh->tet_vertices, 4 * sizeof(uint32_t) * mesh->tet_count) == 0);
        for (uint32_t f = 0; f < 3; ++f)
            CHECK(has_same(back, &mesh->fields[f], mesh->vertex_count));
        jn_mesh_free(back);
        CHECK(jn_mesh_losses(mesh, names[i], text, sizeof text) == 0);
    }
    CHECK(jn_mesh_losses(mesh, "a.mesh", text, sizeof text) && strcmp(text, "start, end, pose") == 0);

    /* on the boundary: the weight 1 of the start is at x = 0 */
    JnMesh *back = write_and_read(mesh, "boundary.ply");
    const JnMeshField *start = field_named(back, "start"), *pose = field_named(back, "pose");
    CHECK(back && start && pose && pose->component_count == 3 && back->vertex_count < mesh->vertex_count);
    int painted = 0;
    for (uint32_t v = 0; v < back->vertex_count; ++v) {
        CHECK(start->values[v] == (back->positions[3 * v] == 0));
        painted += start->values[v] == 1;
    }
    CHECK(painted == 16);
    jn_mesh_free(back);
    jn_mesh_free(mesh);
}

TEST(field_with_a_strange_name_is_written_as_one_that_can_be_read) {
    JnShape shape;
    JnMesh *mesh = NULL;
    double *values;
    jn_shape_init(&shape, sizeof shape, "beam");
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 1;
    CHECK(jn_shape_make(&shape, &mesh, NULL) == JN_OK);
    CHECK(mesh_add_field(mesh, "my \"tail\"\n", 10, 1, &values, NULL) == JN_OK);
    CHECK(mesh_add_field(mesh, "", 0, 1, &values, NULL) == JN_OK);
    static const char *const files[][2] = {
        {"names.msh", "my _tail__"}, {"names.vtk", "my__tail__"}, {"names.ply", "my__tail__"}};
    for (int i = 0; i < 3; ++i) {
        JnMesh *back = write_and_read(mesh, files[i][0]);
        CHECK(back && field_named(back, files[i][1]) && field_named(back, "_"));
        jn_mesh_free(back);
    }
    jn_mesh_free(mesh);
}

/* A grid over the unit cube's six sides, painted by height: the tets have the height as their field, and nothing beyond
   what is painted; fields that are no weights keep their range. */
TEST(tets_that_fill_a_surface_carry_its_fields_smoothly_inside) {
    enum { N = 16, SIDE = (N + 1) * (N + 1) };
    JnMesh *surface = calloc(1, sizeof *surface);
    CHECK(surface != NULL);
    surface->vertex_count = 6 * SIDE;
    surface->face_count = 6 * N * N;
    surface->corner_count = 4 * surface->face_count;
    surface->positions = calloc(3 * surface->vertex_count, sizeof(double));
    surface->face_sizes = calloc(surface->face_count, sizeof(uint32_t));
    surface->face_vertices = calloc(surface->corner_count, sizeof(uint32_t));
    uint32_t face = 0;
    for (uint32_t side = 0; side < 6; ++side)
        for (uint32_t i = 0; i < SIDE; ++i) {
            uint32_t axis = side / 2, u = i % (N + 1), v = i / (N + 1);
            double *p = &surface->positions[3 * (side * SIDE + i)];
            p[axis] = side % 2;
            p[(axis + 1) % 3] = (double)u / N;
            p[(axis + 2) % 3] = (double)v / N;
            if (u == N || v == N)
                continue;
            uint32_t at = side * SIDE + i, corners[4] = {at, at + 1, at + N + 2, at + N + 1};
            surface->face_sizes[face] = 4;
            for (uint32_t k = 0; k < 4; ++k)
                surface->face_vertices[4 * face + k] = corners[side % 2 ? k : 3 - k];
            ++face;
        }
    double *heights, *pair;
    CHECK(mesh_add_field(surface, "height", 6, 1, &heights, NULL) == JN_OK);
    CHECK(mesh_add_field(surface, "pair", 4, 2, &pair, NULL) == JN_OK);
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        heights[v] = surface->positions[3 * v + 1];
        pair[2 * v] = -3;
        pair[2 * v + 1] = 20 * heights[v] - 10;
    }
    JnMeshView view = {.struct_size = sizeof view};
    JnMesher mesher;
    JnMesh *tets = NULL;
    CHECK(mesh_finish(surface, false, "the surface", NULL) == JN_OK);
    CHECK(jn_mesher_init(&mesher, sizeof mesher) == JN_OK && jn_mesh_view(surface, &view, NULL) == JN_OK);
    mesher.resolution = 8;
    CHECK(jn_mesh_fill(&view.surface, &mesher, &tets, NULL, NULL) == JN_OK);
    CHECK(jn_mesh_carry_fields(surface, tets, NULL) == JN_OK);
    CHECK(jn_mesh_carry_fields(tets, surface, NULL) == JN_ERR_ARGUMENT);
    const JnMeshField *carried = field_named(tets, "height"), *pairs = field_named(tets, "pair");
    CHECK(tets->vertex_count > 300 && carried && pairs && pairs->component_count == 2);
    double worst = 0, sum = 0, lowest = 1, highest = 0;
    for (uint32_t v = 0; v < tets->vertex_count; ++v) {
        double off = fabs(carried->values[v] - tets->positions[3 * v + 1]);
        worst = fmax(worst, off);
        sum += off;
        lowest = fmin(lowest, carried->values[v]);
        highest = fmax(highest, carried->values[v]);
        CHECK_NEAR(pairs->values[2 * v], -3, 1e-6);
        CHECK_NEAR(pairs->values[2 * v + 1], 20 * carried->values[v] - 10, 1e-5);
    }
    CHECK(worst < 0.02 && sum < 0.005 * tets->vertex_count);
    CHECK(lowest >= 0 && lowest < 0.02 && highest <= 1 && highest > 0.98);
    jn_mesh_free(tets);
    jn_mesh_free(surface);
}
