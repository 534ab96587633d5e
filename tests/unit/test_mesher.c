/* The mesher on made shapes, clean and spoilt. */
#include "geometry/mesher.h"
#include "geometry/tet_quality.h"
#include "harness.h"
#include "unit/test_geometry_helpers.h"
#include "unit/test_mesher_shapes.h"

typedef struct Built {
    JnStatus status;
    JnMessage message;
    TetMesh mesh;
    Embedding embedding;
    JnMeshReport report;
    JnTets tets; /* borrows from mesh */
} Built;

static Built build_with(const JnSurface *surface, MesherOptions options) {
    Built built = {0};
    const Mesher *mesher = mesher_table.items;
    built.status = mesher->build(surface, &options, &built.mesh, &built.embedding, &built.report, NULL, &built.message);
    built.tets = (JnTets){built.mesh.vertex_count, built.mesh.tet_count, built.mesh.positions, built.mesh.tet_vertices};
    if (built.status != JN_OK)
        printf("%s\n", built.message.text);
    return built;
}

static Built build(const JnSurface *surface, double resolution) {
    return build_with(surface, (MesherOptions){.resolution = resolution, .edge_length = NAN, .measure_volume = true});
}

static void discard(Built *built) {
    tetmesh_free(&built->mesh);
    embedding_free(&built->embedding);
}

/* The parts that the tets fall into. */
static uint32_t count_parts(const JnTets *tets) {
    uint32_t *labels = malloc(tets->vertex_count * sizeof *labels), parts = 0;
    for (uint32_t v = 0; v < tets->vertex_count; ++v)
        labels[v] = v;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t t = 0; t < tets->tet_count; ++t)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) {
                    uint32_t *a = &labels[tets->tet_vertices[4 * t + (size_t)i]];
                    uint32_t *b = &labels[tets->tet_vertices[4 * t + (size_t)j]];
                    if (*a < *b)
                        *b = *a, changed = true;
                }
    }
    for (uint32_t v = 0; v < tets->vertex_count; ++v)
        parts += labels[v] == v;
    free(labels);
    return parts;
}

/* Everything that the mesher promises of its tets: positive, conforming, all vertices used, no small angle, and a
   surface that is embedded where it was. */
static void check_sound(const Built *built, const JnSurface *surface) {
    CHECK(built->status == JN_OK);
    double lowest;
    double volume = tets_volume(&built->tets, &lowest);
    FaceCounts faces = count_faces(&built->tets);
    CHECK(lowest > 0 && faces.crowded == 0 && faces.shared > 0);
    CHECK(tetmesh_check(&built->tets, "tets", NULL) == JN_OK);
    TetQuality quality;
    tet_quality(&built->mesh, &quality);
    CHECK(quality.smallest_angle >= 10 && quality.inverted_count == 0);
    CHECK_NEAR(quality.volume, volume, 1e-9 * volume);
    CHECK(built->embedding.point_count == surface->vertex_count);
    double *x = malloc(3 * (size_t)surface->vertex_count * sizeof *x), error = 0, largest = 0;
    embedding_apply(&built->embedding, built->mesh.positions, x);
    for (size_t i = 0; i < 3 * (size_t)surface->vertex_count; ++i)
        error = fmax(error, fabs(x[i] - surface->positions[i]));
    for (size_t i = 0; i < 4 * (size_t)surface->vertex_count; ++i)
        largest = fmax(largest, fabs(built->embedding.weights[i]));
    CHECK(error < 1e-9 * (1 + built->report.cell));
    CHECK(largest < 20); // of loose vertices, ten cells away
    free(x);
}

static double volume_of(const Built *built) {
    return tets_volume(&built->tets, NULL);
}

TEST(ball_has_its_volume_and_good_angles) {
    Shape ball = ball_shape(2, 48);
    double truth = surface_volume(&ball.surface);
    CHECK_NEAR(truth, 4.18879, 0.02);
    for (double resolution = 6; resolution <= 24; resolution *= 2) {
        Built built = build(&ball.surface, resolution);
        check_sound(&built, &ball.surface);
        CHECK_NEAR(volume_of(&built), truth, resolution < 8 ? 0.02 * truth : 0.005 * truth);
        CHECK_NEAR(built.report.surface_volume, truth, 1e-9);
        CHECK(built.report.piece_count == 1 && count_parts(&built.tets) == 1);
        CHECK(built.report.smallest_cell == built.report.cell); // nothing of it is thin
        discard(&built);
    }
    shape_free(&ball);
}

TEST(spoilt_balls_are_as_good_as_the_clean_one) {
    for (int fault = 0; fault < 6; ++fault) {
        Shape ball = ball_shape(2, 24);
        double truth = surface_volume(&ball.surface);
        uint32_t count = ball.surface.face_count;
        if (fault == 0) // turned as a whole
            shape_turn(&ball);
        for (uint32_t t = 0; fault == 1 && t < count; t += 7) { // every seventh face turned
            uint32_t *c = &ball.corners[3 * t], swap = c[0];
            c[0] = c[1], c[1] = swap;
        }
        if (fault == 2) // all faces twice, the second time from behind
            for (uint32_t *copy = shape_add_triangles(&ball, count), c = 0; c < 3 * count; ++c)
                copy[c] = ball.corners[3 * (c / 3) + 2 - c % 3];
        if (fault == 3)
            shape_unweld(&ball, 1e-8);
        if (fault == 4) { // a hole: a cap of 12 degrees is missing
            memmove(ball.corners, &ball.corners[3 * 48], 3 * (count - 48) * sizeof *ball.corners);
            shape_refer(&ball, ball.surface.vertex_count, count - 48);
        }
        if (fault == 5) { // two balls through each other
            Shape other = ball_shape(2, 24);
            shape_move(&other, 1e-3, 0.4, 0);
            truth = 4.1887902 + 3.14159265 * 0.4; // and the cylinder between, less what bulges: checked by the report
            shape_join(&ball, &other);
        }
        Built built = build(&ball.surface, 12);
        check_sound(&built, &ball.surface);
        CHECK(built.report.piece_count == 1 && count_parts(&built.tets) == 1);
        if (fault != 5)
            CHECK_NEAR(volume_of(&built), truth, 0.015 * truth);
        CHECK_NEAR(volume_of(&built), built.report.surface_volume, 0.015 * truth);
        discard(&built);
        shape_free(&ball);
    }
}

TEST(thin_plate_is_a_connected_layer_of_small_cells) {
    // 1 x 1 x 0.03, a third of the cell
    Shape plate = box_shape(1, 1, 0.03);
    Built built = build(&plate.surface, 10);
    check_sound(&built, &plate.surface);
    CHECK(count_parts(&built.tets) == 1);
    CHECK(built.report.smallest_cell <= 0.05);
    CHECK_NEAR(built.report.thinnest, 0.03, 1e-9);
    CHECK_NEAR(volume_of(&built), 0.03, 0.02 * 0.03);
    discard(&built);
    shape_free(&plate);
}

TEST(thin_parts_have_their_volume_and_good_angles) {
    // a leaning plate of a fifth of the cell, and a hollow ball with a wall of a quarter
    Shape plate = box_shape(1, 1, 0.05), ball = ball_shape(1, 16), cavity = ball_shape(0.95, 16);
    double wall = 1 - 0.95 * 0.95 * 0.95;
    shape_lean(&plate, 0.5);
    Built built = build(&plate.surface, 5);
    check_sound(&built, &plate.surface);
    CHECK(count_parts(&built.tets) == 1);
    CHECK_NEAR(volume_of(&built), 0.05, 0.02 * 0.05);
    discard(&built);
    shape_free(&plate);

    built = build(&ball.surface, 8);
    double solid = built.report.surface_volume;
    discard(&built);
    shape_turn(&cavity);
    cavity.corners[1] = cavity.corners[2], cavity.corners[2] = ball.corners[2]; // one face the wrong way round
    shape_join(&ball, &cavity);
    built = build(&ball.surface, 8);
    check_sound(&built, &ball.surface);
    CHECK(count_parts(&built.tets) == 1);
    CHECK_NEAR(built.report.surface_volume, wall * solid, 0.005 * wall * solid);
    CHECK_NEAR(volume_of(&built), wall * solid, 0.02 * wall * solid);
    discard(&built);
    shape_free(&ball);
}

TEST(volume_of_crossing_bars_counts_what_they_share_once) {
    // three bars along each axis, at even distances
    Shape bars = {0};
    for (int bar = 0; bar < 12; ++bar) {
        int axis = bar % 3;
        double size[3] = {0.02, 0.02, 0.02}, at[3];
        size[axis] = 1;
        at[axis] = 0;
        at[(axis + 1) % 3] = bar / 3 % 2 ? 0.7 : 0.2;
        at[(axis + 2) % 3] = bar / 6 ? 0.7 : 0.2;
        Shape box = box_shape(size[0], size[1], size[2]);
        shape_move(&box, at[0], at[1], at[2]);
        shape_join(&bars, &box);
    }
    Built built = build(&bars.surface, 6);
    double truth = 12 * 0.0004 - 8 * 2 * 0.000008;
    check_sound(&built, &bars.surface);
    CHECK(count_parts(&built.tets) == 1);
    CHECK_NEAR(built.report.surface_volume, truth, 0.01 * truth);
    discard(&built);
    shape_free(&bars);
}

TEST(copy_that_is_turned_and_cut_otherwise_counts_once) {
    Shape ball = ball_shape(1, 10), copy = ball_shape(1, 10);
    Built built = build(&ball.surface, 8);
    double volume = built.report.surface_volume;
    discard(&built);
    shape_turn(&copy);
    shape_lean(&copy, 2.0943951023931954921); // a third of a turn: the poles lie elsewhere
    shape_join(&ball, &copy);
    built = build(&ball.surface, 8);
    check_sound(&built, &ball.surface);
    CHECK_NEAR(built.report.surface_volume, volume, 0.02 * volume);
    CHECK_NEAR(volume_of(&built), volume, 0.02 * volume);
    discard(&built);
    shape_free(&ball);
}

TEST(thin_rods_on_a_body_are_not_lost) {
    // of a fifth to a half of the cell, and less than two percent of the volume
    for (int i = 0; i < 4; ++i) {
        Shape body = box_shape(1, 1, 1), rod = box_shape(3, 0.04 + 0.02 * i, 0.04 + 0.02 * i);
        shape_lean(&rod, 0.4 + 0.1 * i);
        shape_move(&rod, 0.5, 0.5, 0.5);
        shape_join(&body, &rod);
        Built built = build(&body.surface, 16);
        check_sound(&built, &body.surface);
        CHECK(count_parts(&built.tets) == 1);
        CHECK(farthest_out(&built.embedding) < 1.5);
        CHECK_NEAR(volume_of(&built), built.report.surface_volume, 0.02 * built.report.surface_volume);
        discard(&built);
        shape_free(&body);
    }
}

TEST(pieces_much_smaller_than_the_cells_are_all_carried) {
    Shape dust = {0};
    for (int i = 0; i < 60; ++i) {
        Shape grain = box_shape(0.05, 0.05, 0.05);
        shape_lean(&grain, i);
        shape_move(&grain, 10 * fmod(0.618034 * i, 1), 10 * fmod(0.381966 * i * i, 1), 10.0 * i / 60);
        shape_join(&dust, &grain);
    }
    Built built = build(&dust.surface, 8);
    check_sound(&built, &dust.surface);
    CHECK(built.report.piece_count == 60 && count_parts(&built.tets) == 60);
    CHECK_NEAR(built.report.surface_volume, 60 * 0.05 * 0.05 * 0.05, 1e-9);
    discard(&built);
    shape_free(&dust);
}

/* A palm with two fingers up to y = 1.3, the gap between them at x = 0.5. */
static Shape hand_shape(double gap) {
    double width = 0.5 - 0.5 * gap;
    Shape hand = box_shape(1, 0.4, 0.2), finger = box_shape(width, 1, 0.2), other = box_shape(width, 1, 0.2);
    shape_move(&finger, 0, 0.3, 0);
    shape_move(&other, 0.5 + 0.5 * gap, 0.3, 0);
    shape_join(&hand, &finger);
    shape_join(&hand, &other);
    return hand;
}

/* Whether some of the vertices lie left of the gap and some right of it, above the palm. */
static bool spans_gap(const TetMesh *mesh, const uint32_t vertices[4]) {
    bool left = false, right = false;
    for (int i = 0; i < 4; ++i) {
        const double *p = &mesh->positions[3 * (size_t)vertices[i]];
        left = left || p[0] < 0.47;
        right = right || p[0] > 0.53;
        if (p[1] < 0.48)
            return false;
    }
    return left && right;
}

TEST(fingers_stay_apart_however_narrow_the_gap) {
    // a half, a tenth and a fiftieth of a cell wide
    const double gaps[] = {0.05, 0.01, 0.002};
    for (int g = 0; g < 3; ++g)
        for (double turn = 0; turn < 1; turn += 0.6) {
            Shape hand = hand_shape(gaps[g]);
            shape_lean(&hand, turn);
            Built built = build(&hand.surface, 13);
            check_sound(&built, &hand.surface);
            CHECK(count_parts(&built.tets) == 1);
            for (uint32_t v = 0; v < built.mesh.vertex_count; ++v) // as before it leant
                point_lean(&built.mesh.positions[3 * (size_t)v], -turn);
            for (size_t t = 0; t < built.tets.tet_count; ++t)
                CHECK(!spans_gap(&built.mesh, &built.mesh.tet_vertices[4 * t]));
            double truth = 0.08 + (1 - gaps[g]) * 0.9 * 0.2;
            CHECK_NEAR(volume_of(&built), truth, 0.02 * truth);
            // the walls of the gap are carried by their own fingers
            for (uint32_t p = 8; p < hand.surface.vertex_count; ++p) {
                double centre[2] = {0};
                for (size_t k = 0; k < 8; ++k)
                    centre[k % 2] +=
                        0.25 * built.mesh.positions[3 * (size_t)built.embedding.vertices[4 * p + k / 2] + k % 2];
                CHECK(centre[1] < 0.5 || (centre[0] < 0.5) == (p < 16));
            }
            discard(&built);
            shape_free(&hand);
        }
}

TEST(walls_that_touch_are_one_body) {
    // two cubes face to face, and with a crack that is thinner than the distance at which parts touch
    for (int crack = 0; crack < 2; ++crack) {
        Shape cubes = cube_shape(1), other = cube_shape(1);
        shape_move(&other, 1 + 5e-5 * crack, 0, 0);
        shape_join(&cubes, &other);
        Built built = build(&cubes.surface, 10);
        check_sound(&built, &cubes.surface);
        CHECK(built.report.piece_count == 1 && count_parts(&built.tets) == 1);
        CHECK_NEAR(volume_of(&built), 2, 0.03);
        discard(&built);
        shape_free(&cubes);
    }
}

TEST(pieces_that_do_not_touch_stay_apart_however_near) {
    Shape cubes = cube_shape(1), other = cube_shape(1);
    shape_move(&other, 1.01, 0, 0);
    shape_join(&cubes, &other);
    shape_add_vertex(&cubes, 2.5, 0.5, 0.5);
    Built built = build(&cubes.surface, 8);
    check_sound(&built, &cubes.surface);
    CHECK(built.report.piece_count == 2 && count_parts(&built.tets) == 2);
    CHECK_NEAR(volume_of(&built), 2, 0.02);
    // points ride with their own piece, the loose one with the nearest
    for (uint32_t p = 0; p < cubes.surface.vertex_count; ++p)
        for (int k = 0; k < 4; ++k) {
            double x = built.mesh.positions[3 * (size_t)built.embedding.vertices[4 * p + (uint32_t)k]];
            CHECK(p < 8 ? x < 1.005 : x > 1.005);
        }
    discard(&built);
    shape_free(&cubes);
}

TEST(overlapping_pieces_are_one_body_unless_kept_apart) {
    Shape cubes = cube_shape(1), other = cube_shape(1);
    shape_move(&other, 0.5, 0.25, 0.25);
    shape_join(&cubes, &other);
    double overlap = 0.5 * 0.75 * 0.75;
    Built joined = build(&cubes.surface, 12);
    check_sound(&joined, &cubes.surface);
    CHECK(joined.report.piece_count == 1 && count_parts(&joined.tets) == 1);
    CHECK_NEAR(volume_of(&joined), 2 - overlap, 0.03);
    Built apart = build_with(&cubes.surface, (MesherOptions){.resolution = 12, .edge_length = NAN, .keep_apart = true});
    CHECK(apart.status == JN_OK && apart.report.piece_count == 2 && count_parts(&apart.tets) == 2);
    CHECK_NEAR(volume_of(&apart), 2, 0.03);
    discard(&joined);
    discard(&apart);
    shape_free(&cubes);
}

TEST(open_sheet_is_carried_by_a_layer_of_cells) {
    Shape sheet = box_shape(1, 1, 1);
    shape_refer(&sheet, 8, 2); // one side of the box
    Built built = build(&sheet.surface, 10);
    check_sound(&built, &sheet.surface);
    CHECK(built.report.sheet_count == 1 && built.report.findings[0].warning);
    CHECK(strcmp(built.report.findings[0].name, "sheets") == 0);
    CHECK(count_parts(&built.tets) == 1);
    // about a cell thick
    CHECK(volume_of(&built) > 0.05 && volume_of(&built) < 0.25);
    discard(&built);
    shape_free(&sheet);
}

TEST(cells_follow_edge_length_and_budget) {
    Shape ball = ball_shape(2, 24);
    Built by_length = build_with(&ball.surface, (MesherOptions){.resolution = 5, .edge_length = 0.2});
    CHECK(by_length.status == JN_OK);
    CHECK_NEAR(by_length.report.cell, 0.2, 1e-12);
    for (uint32_t budget = 300; budget <= 3000; budget *= 10) {
        Built built =
            build_with(&ball.surface, (MesherOptions){.resolution = 16, .edge_length = NAN, .vertex_budget = budget});
        check_sound(&built, &ball.surface);
        CHECK(built.tets.vertex_count <= budget && built.tets.vertex_count >= budget / 2);
        discard(&built);
    }
    discard(&by_length);
    shape_free(&ball);
}

TEST(mesh_does_not_depend_on_threads) {
    Shape ball = ball_shape(1, 30), other = box_shape(0.05, 2, 0.05);
    shape_join(&ball, &other);
    Built built[3];
    for (uint32_t i = 0; i < 3; ++i)
        built[i] =
            build_with(&ball.surface, (MesherOptions){.resolution = 14, .edge_length = NAN, .thread_count = i + 1});
    check_sound(&built[0], &ball.surface);
    for (int i = 1; i < 3; ++i) {
        CHECK(built[i].tets.tet_count == built[0].tets.tet_count);
        CHECK(memcmp(built[i].mesh.positions, built[0].mesh.positions,
                     3 * (size_t)built[0].tets.vertex_count * sizeof(double)) == 0);
        CHECK(memcmp(built[i].mesh.tet_vertices, built[0].mesh.tet_vertices,
                     4 * (size_t)built[0].tets.tet_count * sizeof(uint32_t)) == 0);
    }
    for (int i = 0; i < 3; ++i)
        discard(&built[i]);
    shape_free(&ball);
}

TEST(mesh_is_the_same_at_every_scale_and_place) {
    Shape ball = ball_shape(1, 12);
    Built first = build(&ball.surface, 10);
    for (uint32_t i = 0; i < 3 * ball.surface.vertex_count; ++i)
        ball.positions[i] = 1024 * ball.positions[i] + 4096;
    Built second = build(&ball.surface, 10);
    check_sound(&second, &ball.surface);
    CHECK(second.tets.tet_count == first.tets.tet_count && second.tets.vertex_count == first.tets.vertex_count);
    discard(&first);
    discard(&second);
    shape_free(&ball);
}

TEST(cells_grow_inside) {
    // with the resolution the cells at the surface grow by 4, all cells by 8: coarse ones inside save most of that
    Shape cube = cube_shape(1);
    Built coarse = build(&cube.surface, 12), fine = build(&cube.surface, 24);
    check_sound(&coarse, &cube.surface);
    check_sound(&fine, &cube.surface);
    CHECK(fine.tets.tet_count < 6 * coarse.tets.tet_count);
    CHECK_NEAR(volume_of(&fine), 1, 0.01);
    discard(&coarse);
    discard(&fine);
    shape_free(&cube);
}

TEST(absurd_resolutions_are_refused) {
    const double resolutions[] = {0, -1, 0.5, NAN, 1e4, 1e9, 1e300, INFINITY};
    Shape cube = cube_shape(1);
    for (size_t i = 0; i < sizeof resolutions / sizeof resolutions[0]; ++i) {
        Built built = build(&cube.surface, resolutions[i]);
        CHECK(built.status == JN_ERR_ARGUMENT);
        CHECK_STR_HAS(built.message.text, "resolution");
        CHECK(!built.mesh.positions && !built.embedding.weights);
    }
    shape_free(&cube);
}

TEST(surface_without_area_or_too_far_is_refused_with_its_place) {
    Shape cube = cube_shape(1);
    for (uint32_t i = 0; i < 24; ++i)
        cube.positions[i] = 3;
    Built built = build(&cube.surface, 4);
    CHECK(built.status == JN_ERR_MESH);
    CHECK_STR_HAS(built.message.text, "no area");
    CHECK_STR_HAS(built.message.text, "(3, 3, 3)");
    shape_free(&cube);
    cube = cube_shape(1);
    shape_move(&cube, 1e15, 0, 0);
    CHECK(build(&cube.surface, 4).status == JN_ERR_MESH);
    shape_free(&cube);
}
