#include "harness.h"
#include "jounce.h"
#include "unit/test_geometry_helpers.h"

#define PI 3.14159265358979323846

typedef struct Made {
    JnStatus status;
    JnMessage message;
    JnMesh *mesh;
    JnMeshView view;
} Made;

static Made make(const JnShape *shape) {
    Made made = {.view = {.struct_size = sizeof made.view}};
    made.status = jn_shape_make(shape, &made.mesh, &made.message);
    if (made.status == JN_OK)
        made.status = jn_mesh_view(made.mesh, &made.view, &made.message);
    return made;
}

static const double *field(const Made *made, const char *name) {
    for (uint32_t f = 0; f < made->view.field_count; ++f)
        if (strcmp(made->view.fields[f].name, name) == 0)
            return made->view.fields[f].values;
    return NULL;
}

/* Positive tets, faces of at most two tets, a closed boundary. */
static bool is_sound(const Made *made) {
    if (made->status != JN_OK)
        return false;
    double lowest, volume = tets_volume(&made->view.tets, &lowest);
    FaceCounts faces = count_faces(&made->view.tets);
    return lowest > 0 && faces.crowded == 0 && faces.single == made->view.surface.face_count &&
           fabs(surface_volume(&made->view.surface) - volume) < 1e-10 * volume;
}

TEST(shape_init_fills_defaults_that_can_be_made) {
    for (uint32_t i = 0; i < jn_table_size(JN_TABLE_SHAPES); ++i) {
        JnShape shape;
        jn_shape_init(&shape, sizeof shape, jn_table_entry(JN_TABLE_SHAPES, i)->name);
        CHECK(strcmp(shape.kind, jn_table_entry(JN_TABLE_SHAPES, i)->name) == 0);
        Made made = make(&shape);
        CHECK(made.status == JN_OK);
        if (strcmp(shape.kind, "cloth") != 0 && strcmp(shape.kind, "fibres") != 0) {
            CHECK(is_sound(&made));
            CHECK(tets_worst_quality(&made.view.tets) > 0.5);
        }
        jn_mesh_free(made.mesh);
    }
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, NULL);
    CHECK(strcmp(shape.kind, "beam") == 0);
    jn_shape_init(&shape, sizeof shape, "no such shape");
    CHECK(strcmp(shape.kind, "beam") == 0);
}

TEST(cloth_is_a_grid_of_quads_with_texture_coordinates_and_ends) {
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, "cloth");
    shape.size[0] = 3, shape.size[1] = 2;
    shape.cells[0] = 6, shape.cells[1] = 4;
    Made made = make(&shape);
    CHECK(made.status == JN_OK);
    const JnSurface *surface = &made.view.surface;
    CHECK(made.view.tets.tet_count == 0 && surface->vertex_count == 35 && surface->face_count == 24);
    const double *start = field(&made, "start"), *end = field(&made, "end");
    for (uint32_t v = 0; v < 35; ++v) {
        const double *p = surface->positions + 3 * v;
        CHECK(start[v] == (p[0] == 0) && end[v] == (p[0] == 3));
        CHECK(p[2] == 0 && fabs(p[1]) <= 1);
    }
    for (uint32_t c = 0; c < surface->corner_count; ++c) {
        const double *p = surface->positions + 3 * (size_t)surface->face_vertices[c];
        CHECK_NEAR((double)surface->uvs[2 * c], p[0] / 3, 1e-6);
        CHECK_NEAR((double)surface->uvs[2 * c + 1], p[1] / 2 + 0.5, 1e-6);
    }
    /* every quad faces along z */
    for (uint32_t f = 0; f < surface->face_count; ++f) {
        const double *a = surface->positions + 3 * (size_t)surface->face_vertices[4 * f],
                     *b = surface->positions + 3 * (size_t)surface->face_vertices[4 * f + 1],
                     *c = surface->positions + 3 * (size_t)surface->face_vertices[4 * f + 2];
        CHECK_NEAR((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]), 0.25, 1e-12);
    }
    jn_mesh_free(made.mesh);
}

TEST(fibres_stand_on_their_field_from_root_to_tip) {
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, "fibres");
    shape.size[0] = 2, shape.size[1] = 3, shape.size[2] = 4;
    shape.cells[0] = 5, shape.cells[1] = 3, shape.cells[2] = 2;
    Made made = make(&shape);
    CHECK(made.status == JN_OK);
    const JnCurves *curves = &made.view.curves;
    CHECK(made.view.tets.tet_count == 0 && made.view.surface.vertex_count == 0);
    CHECK(curves->curve_count == 6 && curves->vertex_count == 36 && curves->corner_count == 36);
    const double *start = field(&made, "start"), *end = field(&made, "end");
    for (uint32_t k = 0; k < 36; ++k) {
        uint32_t v = curves->curve_vertices[k];
        const double *p = curves->positions + 3 * (size_t)v;
        const double *root = curves->positions + 3 * (size_t)curves->curve_vertices[k / 6 * 6];
        CHECK(curves->curve_sizes[k / 6] == 6);
        CHECK_NEAR(p[0], 2.0 / 5 * (k % 6), 1e-12);
        CHECK(p[1] == root[1] && p[2] == root[2] && fabs(p[1]) < 1.5 && fabs(p[2]) < 2);
        CHECK(start[v] == (k % 6 == 0) && end[v] == (k % 6 == 5));
    }
    jn_mesh_free(made.mesh);
}

TEST(beam_of_paper_001_has_its_cells) {
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, "beam");
    Made made = make(&shape);
    CHECK(is_sound(&made));
    CHECK(made.view.tets.vertex_count == 33 * 5 * 5 && made.view.tets.tet_count == 32 * 4 * 4 * 5);
    CHECK_NEAR(tets_volume(&made.view.tets, NULL), 1.0 / 64, 1e-15);
    jn_mesh_free(made.mesh);
}

TEST(box_of_any_cells_has_volume_and_ends) {
    static const char *const kinds[] = {"beam", "cuboid", "sheet"};
    static const uint32_t cells[][3] = {{1, 1, 1}, {2, 1, 3}, {5, 4, 3}};
    for (size_t k = 0; k < 3; ++k)
        for (size_t c = 0; c < 3; ++c) {
            JnShape shape;
            jn_shape_init(&shape, sizeof shape, kinds[k]);
            memcpy(shape.cells, cells[c], sizeof shape.cells);
            shape.size[0] = 3, shape.size[1] = 0.5, shape.size[2] = 0.7;
            Made made = make(&shape);
            CHECK(is_sound(&made));
            CHECK(made.view.tets.tet_count == 5 * cells[c][0] * cells[c][1] * cells[c][2]);
            CHECK_NEAR(tets_volume(&made.view.tets, NULL), 1.05, 1e-13);
            const double *start = field(&made, "start"), *end = field(&made, "end");
            CHECK(start && end);
            for (uint32_t v = 0; v < made.view.tets.vertex_count; ++v) {
                double x = made.view.tets.positions[3 * (size_t)v];
                CHECK(start[v] == (x == 0) && end[v] == (x == 3));
            }
            jn_mesh_free(made.mesh);
        }
}

TEST(cuboid_pose_is_twisted_by_turns) {
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, "cuboid");
    shape.turns = 0.25;
    Made made = make(&shape);
    CHECK(is_sound(&made));
    const double *pose = field(&made, "pose"), *rest = made.view.tets.positions;
    CHECK(pose != NULL);
    size_t last = 3 * ((size_t)made.view.tets.vertex_count - 1);
    CHECK(fabs(rest[last + 1]) > 0.1);
    CHECK_NEAR(pose[0], rest[0], 1e-15);
    CHECK_NEAR(pose[1], rest[1], 1e-15);
    CHECK_NEAR(pose[last + 1], -rest[last + 2], 1e-15);
    CHECK_NEAR(pose[last + 2], rest[last + 1], 1e-15);
    jn_mesh_free(made.mesh);
}

TEST(ball_converges_to_the_volume_of_a_ball) {
    double error_before = INFINITY;
    for (uint32_t cells = 4; cells <= 32; cells *= 2) {
        JnShape shape;
        jn_shape_init(&shape, sizeof shape, "ball");
        shape.size[0] = shape.size[1] = shape.size[2] = 2;
        shape.cells[0] = cells;
        Made made = make(&shape);
        uint32_t n = cells / 2;
        CHECK(is_sound(&made));
        CHECK(made.view.tets.tet_count == 20 * n * n * n);
        CHECK(made.view.tets.vertex_count == 1 + 10 * (n * (n + 1) * (2 * n + 1) / 6) + 2 * n);
        CHECK(made.view.surface.face_count == 20 * n * n);
        CHECK(tets_worst_quality(&made.view.tets) > 0.55);
        double error = 4 * PI / 3 - tets_volume(&made.view.tets, NULL);
        CHECK(error > 0 && error < error_before / 3.5);
        error_before = error;
        jn_mesh_free(made.mesh);
    }
}

TEST(ball_layers_add_up_to_one_and_follow_the_radius) {
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, "ball");
    shape.cells[0] = 13; // seven shells for three layers: borders fall between shells
    shape.layer_count = 3;
    shape.size[0] = 2, shape.size[1] = 4, shape.size[2] = 6;
    Made made = make(&shape);
    CHECK(is_sound(&made));
    const double *layers[3] = {field(&made, "layer_0"), field(&made, "layer_1"), field(&made, "layer_2")};
    CHECK(layers[0] && layers[1] && layers[2] && !field(&made, "layer_3"));
    for (uint32_t v = 0; v < made.view.tets.vertex_count; ++v) {
        const double *p = &made.view.tets.positions[3 * (size_t)v];
        double radius = sqrt(p[0] * p[0] + p[1] * p[1] / 4 + p[2] * p[2] / 9);
        CHECK_NEAR(layers[0][v] + layers[1][v] + layers[2][v], 1, 1e-12);
        CHECK(radius > 0.2 || layers[0][v] == 1);
        CHECK(radius < 0.45 || radius > 0.55 || layers[1][v] == 1);
        CHECK(radius < 0.8 || layers[2][v] == 1);
    }
    CHECK(field(&made, "top") && field(&made, "bottom"));
    jn_mesh_free(made.mesh);
}

TEST(ball_with_more_layers_than_shells_is_refused) {
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, "ball");
    shape.cells[0] = 4;
    shape.layer_count = 3;
    Made made = make(&shape);
    CHECK(made.status == JN_ERR_ARGUMENT && made.mesh == NULL);
    CHECK_STR_HAS(made.message.text, "shape.layer_count is 3");
}

TEST(coil_rest_is_a_straight_rope_as_long_as_the_helix) {
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, "coil");
    Made made = make(&shape);
    CHECK(is_sound(&made));
    // within one cross-section of the 12,791 vertices of Chen, Sheen, Ascher, Pai 2020, Table 1
    CHECK(abs((int)made.view.tets.vertex_count - 12791) < 19);
    double length = 7 * sqrt(pow(2 * PI * 0.2, 2) + 0.01), area = PI * 0.025 * 0.025;
    double volume = tets_volume(&made.view.tets, NULL);
    CHECK(volume < length * area && volume > 0.95 * length * area);
    const double *end = field(&made, "end"), *start = field(&made, "start");
    double ends = 0;
    for (uint32_t v = 0; v < made.view.tets.vertex_count; ++v) {
        double x = made.view.tets.positions[3 * (size_t)v];
        CHECK((start[v] == 1) == (x == 0));
        CHECK(end[v] == 0 || fabs(x - length) < 1e-12);
        ends += end[v];
    }
    CHECK(ends == 19);
    jn_mesh_free(made.mesh);
}

TEST(coil_pose_is_wound_bent_and_not_twisted) {
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, "coil");
    shape.turns = 2.5;
    Made made = make(&shape);
    CHECK(is_sound(&made));
    const double *pose = field(&made, "pose");
    CHECK(pose != NULL);
    JnTets wound = made.view.tets;
    wound.positions = pose;
    double lowest, rest_volume = tets_volume(&made.view.tets, NULL);
    CHECK_NEAR(tets_volume(&wound, &lowest), rest_volume, 0.002 * rest_volume);
    CHECK(lowest > 0);

    // the centre line lies on the cylinder; from section to section the cross-section does not turn about it
    uint32_t size = 19, sections = made.view.tets.vertex_count / size;
    double twist = 0;
    for (uint32_t s = 0; s + 1 < sections; ++s) {
        const double *a = &pose[3 * (size_t)s * size], *b = a + 3 * size;
        CHECK_NEAR(sqrt(a[0] * a[0] + a[2] * a[2]), 0.2, 1e-12);
        double u[3], v[3], t[3], cross[3];
        for (int i = 0; i < 3; ++i) {
            u[i] = (a[3 + i] - a[i]) / 0.0125;
            v[i] = (b[3 + i] - b[i]) / 0.0125;
            t[i] = b[i] - a[i];
        }
        double step = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
        for (int i = 0; i < 3; ++i)
            cross[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
        twist += (cross[0] * t[0] + cross[1] * t[1] + cross[2] * t[2]) / step;
    }
    // Frenet's frame would turn by 2 pi 2.5 sin(slope) = 1.25
    CHECK_NEAR(twist, 0, 0.01);
    jn_mesh_free(made.mesh);
}

TEST(coil_that_cannot_be_wound_is_refused) {
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, "coil");
    shape.size[2] = 0.4;
    CHECK(make(&shape).status == JN_ERR_ARGUMENT);
    jn_shape_init(&shape, sizeof shape, "coil");
    shape.size[1] = 0.04;
    Made made = make(&shape);
    CHECK(made.status == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(made.message.text, "overlap");
    jn_shape_init(&shape, sizeof shape, "coil");
    shape.turns = 0;
    CHECK(make(&shape).status == JN_ERR_ARGUMENT);
}

TEST(shape_with_bad_values_is_refused_by_field) {
    for (uint32_t i = 0; i < jn_table_size(JN_TABLE_SHAPES); ++i) {
        const char *kind = jn_table_entry(JN_TABLE_SHAPES, i)->name;
        const double bad[] = {0, -1, NAN, INFINITY};
        JnShape shape;
        for (size_t b = 0; b < 4; ++b) {
            jn_shape_init(&shape, sizeof shape, kind);
            shape.size[1] = bad[b];
            Made made = make(&shape);
            CHECK(made.status == JN_ERR_ARGUMENT && !made.mesh);
            CHECK_STR_HAS(made.message.text, "shape.size[1]");
        }
        jn_shape_init(&shape, sizeof shape, kind);
        shape.cells[0] = 0;
        CHECK(make(&shape).status == JN_ERR_ARGUMENT);
        shape.cells[0] = UINT32_MAX;
        Made made = make(&shape);
        CHECK(made.status == JN_ERR_ARGUMENT);
        CHECK_STR_HAS(made.message.text, "shape.cells");
        jn_shape_init(&shape, sizeof shape, kind);
        shape.turns = NAN;
        CHECK(make(&shape).status == JN_ERR_ARGUMENT);
        jn_shape_init(&shape, sizeof shape, kind);
        shape.struct_size -= 8;
        CHECK(make(&shape).status == JN_ERR_STRUCT_SIZE);
    }
    JnShape shape;
    JnMesh *mesh;
    jn_shape_init(&shape, sizeof shape, "ball");
    shape.kind = "bal";
    CHECK(make(&shape).status == JN_ERR_UNKNOWN_NAME);
    CHECK(jn_shape_make(NULL, &mesh, NULL) == JN_ERR_ARGUMENT);
    CHECK(jn_shape_make(&shape, NULL, NULL) == JN_ERR_ARGUMENT);
}
