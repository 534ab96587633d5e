/* Kinds of bodies: what each refuses, and with which words. */
#include "baking.h"
#include "harness.h"

#include <unistd.h>

typedef struct Sheet {
    double positions[15];
    uint32_t sizes[3], corners[12];
    JnSurface surface;
    JnBody body;
    JnBakeDesc desc;
} Sheet;

/* Two quads side by side on five of six corners: vertices 0 1 2 3 and the triangle 1 4 2. */
static void open_sheet(Sheet *sheet) {
    static const double positions[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0};
    static const uint32_t sizes[3] = {4, 3}, corners[12] = {0, 1, 2, 3, 1, 4, 2};
    memcpy(sheet->positions, positions, sizeof positions);
    memcpy(sheet->sizes, sizes, sizeof sizes);
    memcpy(sheet->corners, corners, sizeof corners);
    sheet->surface = (JnSurface){5, 2, 7, 0, sheet->positions, sheet->sizes, sheet->corners, NULL};
    jn_bake_desc_init(&sheet->desc, sizeof sheet->desc);
    jn_body_init(&sheet->body, sizeof sheet->body);
    sheet->body.kind = "textile";
    sheet->desc.bodies = &sheet->body;
    sheet->desc.body_count = 1;
    sheet->desc.thread_count = 1;
    sheet->desc.frame_count = 2;
}

/* Begins and bakes both frames. */
static JnStatus bake_sheet(Sheet *sheet, JnMessage *message) {
    JnBake *bake;
    sheet->body.surface = sheet->surface;
    JnStatus status = jn_bake_begin(&sheet->desc, &bake, message);
    if (status == JN_OK)
        status = advance_frames(bake, 2, message);
    jn_bake_end(bake, NULL);
    return status;
}

#define CHECK_SHEET(status, part)                                                                                      \
    do {                                                                                                               \
        JnMessage sheet_message;                                                                                       \
        CHECK(bake_sheet(&sheet, &sheet_message) == (status));                                                         \
        CHECK_STR_HAS(sheet_message.text, part);                                                                       \
    } while (0)

TEST(textile_with_hostile_mesh_says_what_is_wrong) {
    Sheet sheet;
    open_sheet(&sheet);
    CHECK_SHEET(JN_OK, "");

    /* no faces; a NaN; an index out of range: as every surface */
    sheet.surface.face_count = sheet.surface.corner_count = 0;
    CHECK_SHEET(JN_ERR_MESH, "bodies[0].surface: the surface is empty");
    open_sheet(&sheet);
    sheet.positions[4] = NAN;
    CHECK_SHEET(JN_ERR_MESH, "vertex 1 is at");
    open_sheet(&sheet);
    sheet.corners[5] = 5;
    CHECK_SHEET(JN_ERR_MESH, "names vertex 5");
    open_sheet(&sheet);
    sheet.surface = (JnSurface){0};
    CHECK_SHEET(JN_ERR_MESH, "is of the kind textile, but has no surface: give it a mesh");

    /* a corner twice, two vertices on one spot, a vertex of no face, faces without area */
    open_sheet(&sheet);
    sheet.corners[5] = 1;
    CHECK_SHEET(JN_ERR_MESH, "face 1 names vertex 1 twice in succession");
    open_sheet(&sheet);
    memcpy(sheet.positions + 3, sheet.positions, 3 * sizeof(double));
    CHECK_SHEET(JN_ERR_MESH, "vertices 0 and 1 are at the same position");
    open_sheet(&sheet);
    sheet.surface.face_count = 1, sheet.surface.corner_count = 4;
    CHECK_SHEET(JN_ERR_MESH, "vertex 4 would have a mass of 0 kg");
    open_sheet(&sheet);
    for (int v = 0; v < 5; ++v)
        sheet.positions[3 * v + 1] = 0, sheet.positions[3 * v] = v;
    CHECK_SHEET(JN_ERR_MESH, "would have a mass of 0 kg");

    /* a face twice, from another corner on and the other way round */
    open_sheet(&sheet);
    sheet.sizes[2] = 3;
    memcpy(sheet.corners + 7, (uint32_t[3]){2, 1, 4}, 3 * sizeof(uint32_t));
    sheet.surface.face_count = 3, sheet.surface.corner_count = 10;
    CHECK_SHEET(JN_ERR_MESH, "face 1 (vertices 1 2 4) is listed again as face 2: remove one of the two");

    /* three faces on one edge are cloth sewn together, and are fine */
    open_sheet(&sheet);
    sheet.sizes[2] = 3;
    memcpy(sheet.corners + 7, (uint32_t[3]){2, 1, 0}, 3 * sizeof(uint32_t));
    sheet.surface.face_count = 3, sheet.surface.corner_count = 10;
    CHECK_SHEET(JN_OK, "");
}

TEST(springs_out_of_their_limits_are_refused_by_name) {
    Sheet sheet;
    open_sheet(&sheet);
    sheet.body.springs.bending = -1;
    CHECK_SHEET(JN_ERR_ARGUMENT, "bodies[0].springs.bending is -1 N/m");
    open_sheet(&sheet);
    sheet.body.springs.cubic = NAN;
    CHECK_SHEET(JN_ERR_ARGUMENT, "bodies[0].springs.cubic is");
    open_sheet(&sheet);
    sheet.body.springs.struct_size = 4;
    CHECK_SHEET(JN_ERR_STRUCT_SIZE, "bodies[0].springs.struct_size is 4");
    open_sheet(&sheet);
    sheet.body.springs.structural = INFINITY;
    CHECK_SHEET(JN_ERR_ARGUMENT, "bodies[0].springs.structural");
    open_sheet(&sheet);
    sheet.body.springs.structural = 0; /* loose, but legal: no springs at all hold it */
    CHECK_SHEET(JN_OK, "");
}

/* Two curves of three points each. */
static void open_curves(Sheet *sheet, const char *kind) {
    static const double positions[18] = {0, 0, 0, 0, 0, 1, 0, 0, 2, 1, 0, 0, 1, 0.1, 1, 1, 0.3, 2};
    static double moved[18];
    static uint32_t sizes[2], corners[6];
    open_sheet(sheet);
    memcpy(moved, positions, sizeof positions);
    memcpy(sizes, (uint32_t[2]){3, 3}, sizeof sizes);
    memcpy(corners, (uint32_t[6]){0, 1, 2, 3, 4, 5}, sizeof corners);
    sheet->surface = (JnSurface){0};
    sheet->body.kind = kind;
    sheet->body.curves = (JnCurves){6, 2, 6, 0, moved, sizes, corners};
}

TEST(curves_that_are_hostile_say_what_is_wrong) {
    Sheet sheet;
    const char *kinds[] = {"fibres", "girders"};
    for (int k = 0; k < 2; ++k) {
        open_curves(&sheet, kinds[k]);
        CHECK_SHEET(JN_OK, "");
        uint32_t *sizes = (uint32_t *)sheet.body.curves.curve_sizes,
                 *corners = (uint32_t *)sheet.body.curves.curve_vertices;
        double *positions = (double *)sheet.body.curves.positions;
        positions[4] = INFINITY;
        CHECK_SHEET(JN_ERR_MESH, "bodies[0].curves: vertex 1 is at");
        open_curves(&sheet, kinds[k]);
        corners[2] = 6;
        CHECK_SHEET(JN_ERR_MESH, "a curve names vertex 6, but there are 6 vertices");
        open_curves(&sheet, kinds[k]);
        sizes[0] = 1;
        CHECK_SHEET(JN_ERR_MESH, "curve 0 has 1 corners");
        open_curves(&sheet, kinds[k]);
        sizes[0] = UINT32_MAX;
        CHECK_SHEET(JN_ERR_ARGUMENT, "curve_sizes add up to 4294967298 corners");
        open_curves(&sheet, kinds[k]);
        sheet.body.curves.positions = NULL;
        CHECK_SHEET(JN_ERR_ARGUMENT, "positions is NULL");
        open_curves(&sheet, kinds[k]);
        memcpy(positions + 3, positions, 3 * sizeof *positions);
        CHECK_SHEET(JN_ERR_MESH, "are at the same position");
        open_curves(&sheet, kinds[k]);
        corners[5] = 4;
        CHECK_SHEET(JN_ERR_MESH, k ? "" : "vertex 4 is in the curves twice");
        open_curves(&sheet, kinds[k]);
        sheet.body.curves.curve_count = 1, sheet.body.curves.corner_count = 3;
        CHECK_SHEET(JN_ERR_MESH, k ? "vertex 3 would have a mass of 0 kg" : "vertex 3 belongs to no curve");
        /* a fibre that turns straight back has no direction there, and is baked all the same */
        open_curves(&sheet, kinds[k]);
        memcpy(positions + 6, (double[3]){0, 0, 0}, 3 * sizeof *positions);
        CHECK_SHEET(JN_OK, "");
    }
    open_curves(&sheet, "textile");
    CHECK_SHEET(JN_ERR_MESH, "is of the kind textile, but has no surface");
    open_curves(&sheet, "solid");
    CHECK_SHEET(JN_ERR_MESH, "is of the kind solid, but has no surface or tets");
}

TEST(girders_of_faces_and_lines_share_their_vertices) {
    Sheet sheet;
    static const uint32_t sizes[1] = {2}, corners[2] = {0, 4};
    open_sheet(&sheet);
    sheet.body.kind = "girders";
    CHECK_SHEET(JN_OK, "");
    sheet.body.curves = (JnCurves){5, 1, 2, 0, sheet.positions, sizes, corners};
    CHECK_SHEET(JN_OK, "");
    sheet.body.curves.vertex_count = 6;
    double six[18] = {0};
    sheet.body.curves.positions = six;
    CHECK_SHEET(JN_ERR_MESH, "has 5 vertices in its surface and 6 in its curves");
}

TEST(girders_with_more_ends_than_vertices_are_cached_whole) {
    enum { VERTICES = 8, LINES = VERTICES * (VERTICES - 1) / 2 };
    JnBakeDesc desc;
    JnBody body;
    JnMessage message;
    JnBake *bake;
    double positions[3 * VERTICES], cached[6 * LINES];
    uint32_t sizes[LINES], ends[2 * LINES], line = 0, count;
    for (uint32_t v = 0; v < VERTICES; ++v)
        for (uint32_t i = 0; i < 3; ++i)
            positions[3 * v + i] = v >> i & 1;
    for (uint32_t a = 0; a < VERTICES; ++a)
        for (uint32_t b = a + 1; b < VERTICES; ++b, ++line) {
            sizes[line] = 2;
            ends[2 * line] = a;
            ends[2 * line + 1] = b;
        }
    jn_bake_desc_init(&desc, sizeof desc);
    jn_body_init(&body, sizeof body);
    body.kind = "girders";
    body.curves = (JnCurves){VERTICES, LINES, 2 * LINES, 0, positions, sizes, ends};
    desc.bodies = &body;
    desc.body_count = 1;
    desc.frame_count = 3;
    const char *path = JN_TEST_OUTPUT "/truss.abc";
    desc.output_path = path;
    CHECK(jn_bake_begin(&desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 3, &message) == JN_OK);
    CHECK(jn_bake_positions(bake, 0, cached, 6 * LINES, &count, &message) == JN_OK && count == 2 * LINES);
    for (uint32_t e = 0; e < 2 * LINES; ++e) /* it falls as one */
        CHECK_NEAR(cached[3 * e] - positions[3 * ends[e]], 0, 1e-6);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    remove(path);
}

TEST(body_of_a_kind_that_does_not_take_its_mesh_is_refused) {
    Sheet sheet;
    TetBox box = tet_box_make(1, 1, 1, 1);
    open_sheet(&sheet);
    sheet.body.kind = "textil";
    CHECK_SHEET(JN_ERR_UNKNOWN_NAME, "did you mean 'textile'");
    open_sheet(&sheet);
    sheet.body.kind = NULL;
    CHECK_SHEET(JN_ERR_ARGUMENT, "bodies[0].kind is NULL");
    open_sheet(&sheet);
    sheet.body.tets = tet_box_view(&box);
    CHECK_SHEET(JN_ERR_MESH, "is of the kind textile, which does not use the tets given");
    sheet.surface = (JnSurface){0};
    CHECK_SHEET(JN_ERR_MESH,
                "is of the kind textile, but has no surface: give it a mesh of that type, or another kind");
    tet_box_free(&box);
}
