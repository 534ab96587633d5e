#include "mesh_picture.h"
#include "picture/strip.h"
#include "picture/tile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE_SIDE = 560, TILES = 2 };
static const Vec3 view = {0.45f, 0.35f, 0.85f};

/* A face of a tet: its corners sorted, to find the same face of a neighbour, and as they face outwards. */
typedef struct Face {
    uint32_t sorted[3], corners[3];
} Face;

static int compare_faces(const void *left, const void *right) {
    const uint32_t *a = ((const Face *)left)->sorted, *b = ((const Face *)right)->sorted;
    for (int i = 0; i < 3; ++i)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static Face face_of(const uint32_t *tet, int opposite) {
    static const int corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    Face face;
    for (int i = 0; i < 3; ++i)
        face.corners[i] = face.sorted[i] = tet[corners[opposite][i]];
    for (int i = 0; i < 2; ++i)
        for (int j = 2; j > i; --j)
            if (face.sorted[j] < face.sorted[j - 1]) {
                uint32_t swap = face.sorted[j];
                face.sorted[j] = face.sorted[j - 1];
                face.sorted[j - 1] = swap;
            }
    return face;
}

/* Whether a tet lies behind the plane through the middle that faces the eye. */
static bool is_behind(const JnTets *tets, const uint32_t *tet, Vec3 middle) {
    double along = 0;
    for (int i = 0; i < 4; ++i) {
        const double *p = &tets->positions[3 * (size_t)tet[i]];
        along += (p[0] - (double)middle.x) * (double)view.x + (p[1] - (double)middle.y) * (double)view.y +
                 (p[2] - (double)middle.z) * (double)view.z;
    }
    return along < 0;
}

/* Adds the boundary of the tets, or of those behind the middle. */
static bool add_boundary(const JnTets *tets, bool cut, Vec3 middle, FrameMesh *mesh) {
    Face *faces = malloc(((size_t)tets->tet_count * 4 + 1) * sizeof *faces);
    size_t count = 0, single = 0;
    for (size_t t = 0; faces && t < tets->tet_count; ++t)
        for (int i = 0; i < 4 && (!cut || is_behind(tets, &tets->tet_vertices[4 * t], middle)); ++i)
            faces[count++] = face_of(&tets->tet_vertices[4 * t], i);
    if (faces)
        qsort(faces, count, sizeof *faces, compare_faces);
    // faces of one tet only, moved to the front
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && compare_faces(&faces[first], &faces[end]) == 0;)
            ++end;
        if (end - first == 1)
            faces[single++] = faces[first];
    }
    Polygons polygons = {.vertex_count = tets->vertex_count, .face_count = single, .index_count = 3 * single};
    polygons.positions = malloc((3 * polygons.vertex_count + 1) * sizeof *polygons.positions);
    polygons.face_counts = malloc((single + 1) * sizeof *polygons.face_counts);
    polygons.face_indices = malloc((3 * single + 1) * sizeof *polygons.face_indices);
    bool enough = faces && polygons.positions && polygons.face_counts && polygons.face_indices;
    for (size_t i = 0; enough && i < 3 * polygons.vertex_count; ++i)
        polygons.positions[i] = tets->positions[i];
    for (size_t f = 0; enough && f < single; ++f) {
        polygons.face_counts[f] = 3;
        for (size_t i = 0; i < 3; ++i)
            polygons.face_indices[3 * f + i] = (int32_t)faces[f].corners[i];
    }
    static const double as_is[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    enough = enough && frame_mesh_add_faces(mesh, &polygons, as_is, 0) && frame_mesh_finish(mesh);
    polygons_free(&polygons);
    free(faces);
    return enough;
}

/* A camera that sees all vertices, and where they lie. */
static Stage aim(const JnTets *tets) {
    Vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    CameraFit fit;
    camera_fit_begin(&fit, view, TILE_SIDE * SAMPLES, TILE_SIDE * SAMPLES);
    for (size_t v = 0; v < tets->vertex_count; ++v) {
        const double *p = &tets->positions[3 * v];
        Vec3 point = {(float)p[0], (float)p[1], (float)p[2]};
        low = vec3(fminf(low.x, point.x), fminf(low.y, point.y), fminf(low.z, point.z));
        high = vec3(fmaxf(high.x, point.x), fmaxf(high.y, point.y), fmaxf(high.z, point.z));
        camera_fit_add(&fit, &point, 1);
    }
    Vec3 sides = vec3_sub(high, low);
    return (Stage){.camera = camera_fit_end(&fit),
                   .has_floor = true,
                   .floor = low.y,
                   .has_edges = true,
                   .middle = vec3_scale(vec3_add(low, high), 0.5f),
                   .size = fmaxf(fmaxf(fmaxf(sides.x, sides.y), sides.z), 1e-6f)};
}

ExitCode draw_tets(const Arguments *arguments, const JnTets *tets, const char *path) {
    Stage stage = aim(tets);
    Strip *strip = strip_create(TILES, TILES, TILE_SIDE, TILE_SIDE);
    uint32_t *pixels = malloc((size_t)TILE_SIDE * TILE_SIDE * sizeof *pixels);
    bool enough = strip && pixels;
    for (int tile = 0; enough && tile < TILES; ++tile) {
        Scenery scenery = {0};
        enough = add_boundary(tets, tile == 1, stage.middle, &scenery.solid) &&
                 tile_draw(&scenery, &stage, tile ? "cut open" : "tets", NULL, pixels, TILE_SIDE, TILE_SIDE) &&
                 strip_place(strip, tile, pixels);
        scenery_free(&scenery);
    }
    ExitCode code = enough ? EXIT_DONE : fail(arguments, EXIT_MEMORY, "out of memory for the picture of the tets");
    if (code == EXIT_DONE && !strip_write_png(strip, path))
        code = fail_file(arguments, "write", path);
    strip_free(strip);
    free(pixels);
    return code;
}
