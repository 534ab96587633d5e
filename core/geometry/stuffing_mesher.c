#include "geometry/stuffing_mesher.h"
#include "geometry/array.h"
#include "geometry/mesh_findings.h"
#include "geometry/piece_mesh.h"
#include "geometry/pieces.h"
#include "geometry/surface_volume.h"
#include "geometry/tet_quality.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "base/os/os.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RESOLUTION 1e5
/* Cells are halved where a piece is thin while there are at most so many times as many leaves. */
#define GROWTH 1.5
/* Of the distance at which pieces touch: what edges of the lattice may cross where walls touch, also at an angle. */
#define LEAST_GAP 3.0
/* In cells, and at most in thicknesses there: how far inside of the surface its points are looked for in the tets. */
#define ANCHOR_DEPTH 0.15
#define MOST_ANCHOR_DEPTH 0.4
/* Tries to meet a budget of vertices, and how much less than it is good enough. */
enum { BUDGET_TRIES = 6 };
/* Pieces that are meshed at the same time, and up to how many triangles a piece is small enough for that. */
enum { BATCH = 32, SMALL_PIECE = 1000 };
#define BUDGET_SLACK 0.85

/* Everything that is known before the size of the cells. */
typedef struct Meshing {
    const JnSurface *surface;
    const MesherOptions *options;
    Soup soup;
    Pieces pieces;
    Pool *pool;
    PieceFacts *facts;    /* [pieces.count] */
    PieceTriangle *about; /* of pieces.triangles */
    uint32_t *first_tets; /* [pieces.count + 1]: where the tets of each piece begin */
} Meshing;

/* Appends the factors of a piece, 1 if it has none, to those of the mesh, if either has any. */
static bool append_factors(double **factors, size_t *capacity, uint32_t vertex_count, const double *piece,
                           uint32_t piece_count) {
    if (!*factors && !piece)
        return true;
    bool begun = *factors != NULL;
    double *grown = array_grow(*factors, capacity, (size_t)vertex_count + piece_count, sizeof *grown);
    if (!grown)
        return false;
    *factors = grown;
    for (uint32_t v = 0; !begun && v < vertex_count; ++v)
        grown[v] = 1;
    for (uint32_t v = 0; v < piece_count; ++v)
        grown[vertex_count + v] = piece ? piece[v] : 1;
    return true;
}

/* Appends the tets of a piece to the mesh, whose arrays have room for so many numbers. */
static bool append(TetMesh *mesh, size_t capacities[4], const TetMesh *piece) {
    size_t vertices = (size_t)mesh->vertex_count + piece->vertex_count;
    size_t tets = (size_t)mesh->tet_count + piece->tet_count;
    if (vertices > UINT32_MAX / 4 || tets > UINT32_MAX / 4)
        return false;
    double *positions = array_grow(mesh->positions, &capacities[0], 3 * vertices, sizeof *positions);
    if (positions)
        mesh->positions = positions;
    uint32_t *tet_vertices =
        positions ? array_grow(mesh->tet_vertices, &capacities[1], 4 * tets, sizeof *tet_vertices) : NULL;
    if (!tet_vertices)
        return false;
    mesh->tet_vertices = tet_vertices;
    if (!append_factors(&mesh->density_factors, &capacities[2], mesh->vertex_count, piece->density_factors,
                        piece->vertex_count) ||
        !append_factors(&mesh->stiffness_factors, &capacities[3], mesh->vertex_count, piece->stiffness_factors,
                        piece->vertex_count))
        return false;
    memcpy(&positions[3 * (size_t)mesh->vertex_count], piece->positions,
           3 * (size_t)piece->vertex_count * sizeof *positions);
    for (size_t i = 0; i < 4 * (size_t)piece->tet_count; ++i)
        tet_vertices[4 * (size_t)mesh->tet_count + i] = mesh->vertex_count + piece->tet_vertices[i];
    mesh->vertex_count = (uint32_t)vertices;
    mesh->tet_count = (uint32_t)tets;
    return true;
}

/* Pieces one after the other, which are meshed at the same time if there are several. */
typedef struct Batch {
    Meshing *work;
    const PieceGrid *grid;
    uint32_t first, count;
    TetMesh meshes[BATCH];
    JnStatus statuses[BATCH];
    JnMessage messages[BATCH];
} Batch;

static void mesh_piece(Batch *batch, uint32_t index, Pool *pool) {
    Meshing *work = batch->work;
    uint32_t p = batch->first + index, first = work->pieces.starts[p], count = work->pieces.starts[p + 1] - first;
    batch->statuses[index] =
        piece_mesh_build(work->soup.positions, &work->pieces.triangles[3 * (size_t)first], count, batch->grid, pool,
                         &batch->meshes[index], &work->facts[p], &work->about[first], &batch->messages[index]);
}

static void mesh_piece_alone(void *context, uint32_t index) {
    mesh_piece(context, index, NULL);
}

/* Small pieces are meshed at the same time, each on one thread, a large one by all threads. */
static void mesh_batch(Batch *batch) {
    const Pieces *pieces = &batch->work->pieces;
    batch->count = 0;
    while (batch->count < BATCH && batch->first + batch->count < pieces->count) {
        uint32_t p = batch->first + batch->count;
        bool large = pieces->starts[p + 1] - pieces->starts[p] > SMALL_PIECE;
        if (large && batch->count > 0)
            break;
        ++batch->count;
        if (large)
            break;
    }
    if (batch->count == 1)
        mesh_piece(batch, 0, batch->work->pool);
    else
        pool_run(batch->work->pool, batch->count, mesh_piece_alone, batch);
}

/* The volume of the body over the number of its pieces, roughly: open pieces have less, overlaps count twice. */
static double mean_volume(const Meshing *work) {
    double sum = 0;
    for (uint32_t p = 0; p < work->pieces.count; ++p) {
        uint32_t first = work->pieces.starts[p], count = work->pieces.starts[p + 1] - first;
        sum += fabs(surface_signed_volume(work->soup.positions, &work->pieces.triangles[3 * (size_t)first], count));
    }
    return sum / work->pieces.count;
}

static JnStatus mesh_pieces(Meshing *work, double cell, TetMesh *mesh, JnMessage *message) {
    const Soup *soup = &work->soup;
    PieceGrid grid = {.cell = cell,
                      .least_gap = LEAST_GAP * PIECES_TOUCHING * soup->longest,
                      .share = mean_volume(work),
                      .growth = GROWTH};
    for (int a = 0; a < 3; ++a)
        grid.corner[a] = 0.5 * (soup->lower[a] + soup->upper[a]);
    size_t capacities[4] = {0};
    *mesh = (TetMesh){0};
    Batch *batch = array_new(1, sizeof *batch);
    JnStatus status = batch ? JN_OK : status_no_memory(message, "the pieces of a surface");
    for (uint32_t p = 0; status == JN_OK && p < work->pieces.count; p += batch->count) {
        *batch = (Batch){.work = work, .grid = &grid, .first = p};
        mesh_batch(batch);
        for (uint32_t i = 0; i < batch->count; ++i) {
            if (status == JN_OK && batch->statuses[i] != JN_OK) {
                status = batch->statuses[i];
                if (message)
                    *message = batch->messages[i];
            }
            work->first_tets[p + i] = mesh->tet_count;
            if (status == JN_OK && !append(mesh, capacities, &batch->meshes[i]))
                status = status_no_memory(message, "the tets of the simulation mesh");
            tetmesh_free(&batch->meshes[i]);
        }
    }
    free(batch);
    work->first_tets[work->pieces.count] = mesh->tet_count;
    if (status != JN_OK)
        tetmesh_free(mesh);
    return status;
}

/* Makes the cells larger until the vertices are within the budget, then smaller again while they stay there. */
static JnStatus meet_budget(Meshing *work, double *cell, TetMesh *mesh, JnMessage *message) {
    double budget = work->options->vertex_budget, fits = INFINITY, too_small = 0;
    JnStatus status = JN_OK;
    for (int tries = 0; status == JN_OK && tries < BUDGET_TRIES; ++tries) {
        double count = mesh->vertex_count, next;
        if (count <= budget) {
            fits = *cell;
            if (count >= BUDGET_SLACK * budget)
                break;
        } else {
            too_small = *cell;
        }
        // the count grows with a power of the resolution between 2 and 3
        next = *cell * pow(count / (0.95 * budget), 0.4);
        if (too_small > 0 && isfinite(fits))
            next = sqrt(too_small * fits);
        *cell = next;
        tetmesh_free(mesh);
        status = mesh_pieces(work, *cell, mesh, message);
    }
    if (status == JN_OK && mesh->vertex_count > budget && isfinite(fits)) {
        *cell = fits;
        tetmesh_free(mesh);
        status = mesh_pieces(work, *cell, mesh, message);
    }
    return status;
}

static JnStatus check_cell(const Meshing *work, double *cell, JnMessage *message) {
    const MesherOptions *options = work->options;
    const Soup *soup = &work->soup;
    double farthest = 0;
    for (int a = 0; a < 3; ++a)
        farthest = fmax(farthest, fmax(fabs(soup->lower[a]), fabs(soup->upper[a])));
    bool by_length = !isnan(options->edge_length);
    double resolution = by_length ? soup->longest / options->edge_length : options->resolution;
    if (!(resolution > 0 && resolution <= MOST_RESOLUTION) || (!by_length && resolution < 1))
        return status_fail(message, JN_ERR_ARGUMENT,
                           "a resolution of %g cells along the longest side: give between 1 and %g", resolution,
                           MOST_RESOLUTION);
    *cell = soup->longest / fmax(resolution, 1);
    if (!isfinite(soup->longest) || !(*cell > 1e-12 * farthest))
        return status_fail(
            message, JN_ERR_MESH,
            "the surface is %g long and reaches to %g from the origin, too far to resolve its cells of %g: "
            "move it to the origin or scale it",
            soup->longest, farthest, *cell);
    return JN_OK;
}

/* The volume of all pieces together, as the pieces are simulated: what overlaps within a piece counts once. */
static JnStatus measure_volume(Meshing *work, double *volume, JnMessage *message) {
    const Soup *soup = &work->soup;
    bool closed = soup->open_edge_count == 0;
    // where nothing meets anything, the triangles of one component enclose its volume
    bool clean = closed && soup->findings.of[FINDING_CROSSINGS].count == 0 &&
                 soup->findings.of[FINDING_CROWDED_EDGES].count == 0;
    uint32_t *components = array_new(work->pieces.count, sizeof *components);
    JnStatus status = components ? JN_OK : status_no_memory(message, "the volume of a surface");
    for (uint32_t c = 0; status == JN_OK && c < soup->component_count; ++c)
        ++components[work->pieces.piece_of[c]];
    *volume = 0;
    for (uint32_t p = 0; status == JN_OK && p < work->pieces.count; ++p) {
        uint32_t first = work->pieces.starts[p], count = work->pieces.starts[p + 1] - first;
        const uint32_t *triangles = &work->pieces.triangles[3 * (size_t)first];
        if (clean && components[p] == 1) {
            *volume += surface_signed_volume(soup->positions, triangles, count);
            continue;
        }
        Winding winding;
        double piece = 0;
        status = winding_build(soup->positions, triangles, count, &winding, message);
        if (status == JN_OK)
            status = surface_volume(&winding, closed, work->pool, &piece, message);
        winding_free(&winding);
        *volume += piece;
    }
    free(components);
    return status;
}

static void fill_report(Meshing *work, const TetMesh *mesh, double cell, JnMeshReport *report, uint32_t *marks) {
    TetQuality quality;
    tet_quality(mesh, &quality);
    *report = (JnMeshReport){.struct_size = report->struct_size,
                             .vertex_count = mesh->vertex_count,
                             .tet_count = mesh->tet_count,
                             .piece_count = work->pieces.count,
                             .cell = cell,
                             .smallest_cell = cell,
                             .thinnest = INFINITY,
                             .smallest_angle = quality.smallest_angle,
                             .largest_angle = quality.largest_angle,
                             .worst_aspect = quality.worst_aspect,
                             .mean_aspect = quality.mean_aspect,
                             .volume = quality.volume,
                             .solid_volume = quality.solid_volume,
                             .surface_volume = NAN};
    memcpy(report->smallest_angle_place, quality.smallest_angle_place, sizeof report->smallest_angle_place);
    for (uint32_t p = 0; p < work->pieces.count; ++p) {
        const PieceFacts *facts = &work->facts[p];
        report->smallest_cell = fmin(report->smallest_cell, facts->smallest_cell);
        report->sheet_count += facts->sheet_count == facts->sample_count;
        if (facts->thinnest < report->thinnest) {
            report->thinnest = facts->thinnest;
            memcpy(report->thinnest_place, facts->thinnest_place, sizeof report->thinnest_place);
        }
    }
    mesh_findings_report(&work->soup, &work->pieces, work->facts, work->about, work->surface->vertex_count, report,
                         marks);
}

/* Where points are looked for in the tets, so that they go with their own side of a gap: a little inside. anchors:
   [vertex_count of the surface * 3]; depths: as many, for use. */
static void place_anchors(const Meshing *work, double cell, double *anchors, double *depths) {
    const JnSurface *surface = work->surface;
    const Soup *soup = &work->soup;
    memset(anchors, 0, 3 * (size_t)surface->vertex_count * sizeof *anchors);
    for (uint32_t p = 0; p < surface->vertex_count; ++p)
        depths[p] = ANCHOR_DEPTH * cell;
    for (uint32_t t = 0; t < soup->triangle_count; ++t) {
        const uint32_t *v = &work->pieces.triangles[3 * (size_t)t];
        const double *p[3];
        double normal[3], angles[3];
        for (size_t i = 0; i < 3; ++i)
            p[i] = &soup->positions[3 * (size_t)v[i]];
        triangle_normal(p[0], p[1], p[2], normal);
        triangle_angles(p[0], p[1], p[2], angles);
        double length = vec3_length(normal), most = MOST_ANCHOR_DEPTH * work->about[t].thickness;
        for (size_t i = 0; i < 3; ++i) {
            size_t point = soup->point_of_vertex[v[i]];
            depths[point] = fmin(depths[point], most > 0 ? most : INFINITY);
            for (size_t a = 0; a < 3; ++a)
                anchors[3 * point + a] += angles[i] / length * normal[a];
        }
    }
    // from the last: the sum of a vertex is at the first of the points there
    for (uint32_t p = surface->vertex_count; p-- > 0;) {
        uint32_t own = soup->vertex_of_point[p];
        size_t first = own == SOUP_NONE ? p : soup->point_of_vertex[own];
        const double *sum = &anchors[3 * first];
        double length = vec3_length(sum), depth = length > 0 ? depths[first] / length : 0;
        for (size_t a = 0; a < 3; ++a)
            anchors[3 * (size_t)p + a] = surface->positions[3 * (size_t)p + a] - depth * sum[a];
    }
}

/* Embeds each point of the surface in the tets of its own piece; loose ones in the nearest tet. */
static JnStatus embed(const Meshing *work, const TetMesh *mesh, double cell, Embedding *embedding, JnMessage *message) {
    const JnSurface *surface = work->surface;
    const Soup *soup = &work->soup;
    uint32_t *groups = array_new(surface->vertex_count, sizeof *groups);
    uint32_t *piece_of_vertex = array_new(soup->vertex_count, sizeof *piece_of_vertex);
    double *anchors = array_new(3 * (size_t)surface->vertex_count, sizeof *anchors);
    double *depths = array_new(surface->vertex_count, sizeof *depths);
    JnStatus status = groups && piece_of_vertex && anchors && depths
                          ? JN_OK
                          : status_no_memory(message, "the embedding of the render mesh");
    for (size_t c = 0; status == JN_OK && c < 3 * (size_t)soup->triangle_count; ++c)
        piece_of_vertex[soup->triangles[c]] = work->pieces.piece_of[soup->components[c / 3]];
    for (uint32_t v = 0; status == JN_OK && v < surface->vertex_count; ++v) {
        uint32_t own = soup->vertex_of_point[v];
        groups[v] = own == SOUP_NONE ? EMBEDDING_ANY : piece_of_vertex[own];
    }
    if (status == JN_OK) {
        EmbeddingParts parts = {work->pieces.count, work->first_tets, groups, anchors};
        place_anchors(work, cell, anchors, depths);
        status = embedding_build_in_parts(mesh, &parts, surface->positions, surface->vertex_count, embedding, message);
    }
    free(groups);
    free(piece_of_vertex);
    free(anchors);
    free(depths);
    return status;
}

JnStatus stuffing_mesher_build(const JnSurface *surface, const MesherOptions *options, TetMesh *mesh,
                               Embedding *embedding, JnMeshReport *report, uint32_t *marks, JnMessage *message) {
    *mesh = (TetMesh){0};
    if (embedding)
        *embedding = (Embedding){0};
    Meshing work = {.surface = surface, .options = options};
    double cell = 0;
    JnStatus status = soup_build(surface, &work.soup, message);
    if (status == JN_OK)
        status = check_cell(&work, &cell, message);
    if (status == JN_OK) {
        work.pool = pool_create(options->thread_count ? options->thread_count : os_processor_count());
        status = pieces_build(&work.soup, options->keep_apart, work.pool, &work.pieces, message);
    }
    if (status == JN_OK) {
        work.facts = array_new(work.pieces.count, sizeof *work.facts);
        work.first_tets = array_new((size_t)work.pieces.count + 1, sizeof *work.first_tets);
        work.about = array_new(work.soup.triangle_count, sizeof *work.about);
        status = work.facts && work.first_tets && work.about ? mesh_pieces(&work, cell, mesh, message)
                                                             : status_no_memory(message, "the pieces of a surface");
    }
    if (status == JN_OK && options->vertex_budget)
        status = meet_budget(&work, &cell, mesh, message);
    if (status == JN_OK && embedding)
        status = embed(&work, mesh, cell, embedding, message);
    if (status == JN_OK)
        fill_report(&work, mesh, cell, report, marks);
    if (status == JN_OK && options->measure_volume)
        status = measure_volume(&work, &report->surface_volume, message);
    pool_destroy(work.pool);
    soup_free(&work.soup);
    pieces_free(&work.pieces);
    free(work.facts);
    free(work.first_tets);
    free(work.about);
    if (status != JN_OK) {
        tetmesh_free(mesh);
        if (embedding)
            embedding_free(embedding);
    }
    return status;
}
