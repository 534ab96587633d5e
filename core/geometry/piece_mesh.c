#include "geometry/piece_mesh.h"
#include "geometry/array.h"
#include "geometry/lost_samples.h"
#include "geometry/piece_cells.h"
#include "geometry/stuffing.h"
#include "geometry/tet_fit.h"
#include "geometry/tet_parts.h"
#include "geometry/tet_quality.h"
#include "geometry/tet_smooth.h"
#include "geometry/tet_thin.h"
#include "geometry/thin_parts.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FITS = 8, SQUEEZES = 12, SMOOTHINGS = 12, FEW_SMOOTHINGS = 3, AFTER_SQUEEZING = 2 };
/* In cells there: a part thinner than the first is thickened to the second. If parts of the tets then hang on nothing,
   more is thickened; if no tet is left, everything, and at last so much that there is a lattice vertex inside. */
typedef struct Thickening {
    double too_thin, thickened;
} Thickening;
static const Thickening thickenings[] = {
    {PIECE_LEAST_CELLS, PIECE_LEAST_CELLS}, {1.8, 1.8}, {INFINITY, 1.4}, {INFINITY, 3}};
enum { THICKENINGS = sizeof thickenings / sizeof thickenings[0] };
/* In cells: what the tets have left uncovered, as a rod that fell to small parts, is thickened by so much more each
   time, on its own. */
#define LOST_THICKENED 0.6
enum { MOST_LOSSES = 3 };
/* In cells: what is thinner is thickened where it hangs on a hinge. */
#define HINGED 2.0
/* Thickening fills less than half of a gap from either side; that of everything does not ask. */
#define GAP_FILLED 0.4
/* A sheet has no thickness of its own. */
#define SHEET_THICKNESS 1.4
/* Parts of the tets that hang on nothing are dropped below this part of the volume: their surface rides with the rest.
 */
#define SMALL_PART 0.02
/* How far in cells thickness and gap are measured. */
#define REACH 2.0
/* Sines of dihedral angles: what the fit keeps, what smoothing aims at. */
#define KEPT_SINE 0.2
#define WANTED_SINE 0.26
/* The same while thin parts are squeezed, and below what tets are flat enough to take out vertices. */
#define SQUEEZED_SINE 0.18
#define SQUEEZED_WANTED_SINE 0.24
#define FLAT_SINE 0.35
/* Of the volume: more excess is squeezed. It ends where a round leaves more than this part of the excess. */
#define SMALL_EXCESS 0.003
#define SQUEEZED 0.9

/* Everything of one piece. */
typedef struct Piece {
    const PieceGrid *grid;
    Interior interior;
    SurfaceSample *samples;
    uint32_t sample_count;
    uint8_t *times_lost; /* [sample_count]: how often the tets have left the sample uncovered, or hanging on a hinge */
    double *hinges;      /* [hinge_count * 3] of the tets as they are */
    uint32_t hinge_count, hinges_before;
    Octree octree;
    SolidLattice lattice;
} Piece;

/* Thickens what has no inside, and what is too thin for the cells there. */
static JnStatus thicken(Piece *piece, const Thickening *how, PieceFacts *facts, PieceTriangle *triangles,
                        JnMessage *message) {
    double *corners = array_new(9 * (size_t)piece->sample_count, sizeof *corners);
    double *radii = array_new(piece->sample_count, sizeof *radii);
    uint32_t count = 0;
    facts->sheet_count = facts->thickened_count = 0;
    facts->thinnest = INFINITY;
    facts->sample_count = piece->sample_count;
    for (uint32_t t = 0; t < piece->interior.winding.triangle_count; ++t)
        triangles[t] = (PieceTriangle){.thickness = INFINITY};
    for (uint32_t i = 0; corners && radii && i < piece->sample_count; ++i) {
        const SurfaceSample *sample = &piece->samples[i];
        bool sheet = sample->kind == SAMPLE_SHEET;
        double cell = octree_size_at(&piece->octree, sample->point);
        double thickness = sheet ? 0 : sample->thickness;
        PieceTriangle *triangle = &triangles[sample->triangle];
        triangle->thickness = fmin(triangle->thickness, thickness);
        if (!sheet && thickness < facts->thinnest) {
            facts->thinnest = thickness;
            facts->thinnest_triangle = sample->triangle;
            memcpy(facts->thinnest_place, sample->point, sizeof sample->point);
        }
        bool all = isinf(how->too_thin), thin = sample->kind == SAMPLE_SKIN && thickness < how->too_thin * cell;
        bool lost = piece->times_lost[i] > 0;
        if (!all && !sheet && !thin && !lost)
            continue;
        *(sheet ? &triangle->sheet : &triangle->thickened) = true;
        if (sheet && facts->sheet_count++ == 0)
            memcpy(facts->sheet_place, sample->point, sizeof sample->point);
        if (!sheet && facts->thickened_count++ == 0)
            memcpy(facts->thickened_place, sample->point, sizeof sample->point);
        memcpy(&corners[9 * (size_t)count], sample->corners, sizeof sample->corners);
        double wanted = (sheet ? SHEET_THICKNESS : how->thickened) + LOST_THICKENED * piece->times_lost[i];
        // what has been lost is thin, also where no wall faces it
        double own = all || (lost && thickness > wanted * cell) ? 0 : thickness, radius = 0.5 * (wanted * cell - own);
        radii[count++] = all ? radius : fmin(radius, GAP_FILLED * sample->gap);
    }
    JnStatus status = corners && radii ? interior_thicken(&piece->interior, corners, radii, count, message)
                                       : status_no_memory(message, "the inside of a surface");
    free(corners);
    free(radii);
    return status;
}

/* Squeezes what has been thickened towards its true thickness, as far as the angles allow. `excess`: the volume that is
   too much. *squeezed: whether there was something to squeeze. */
static JnStatus squeeze(const Piece *piece, TetMesh *mesh, uint8_t *on_surface, const FitTarget *target, double excess,
                        Pool *pool, bool *squeezed, JnMessage *message) {
    JnStatus status = JN_OK;
    double before = INFINITY;
    for (int i = 0; status == JN_OK && i < SQUEEZES; ++i) {
        if (excess < SMALL_EXCESS * fmax(tet_quality_volume(mesh), piece->grid->share) ||
            (i > 2 && excess > SQUEEZED * before))
            break;
        *squeezed = true;
        before = excess;
        status = tet_thin_out(mesh, on_surface, FLAT_SINE, pool, message);
        if (status == JN_OK)
            status = tet_smooth(mesh, on_surface, SQUEEZED_WANTED_SINE, FEW_SMOOTHINGS, message);
        if (status == JN_OK)
            status = tet_fit(mesh, on_surface, target, SQUEEZED_SINE, pool, &excess, message);
    }
    return status;
}

/* The tets of the piece with thin parts thickened; *parts: how many hang on nothing. */
static JnStatus stuff_thickened(Piece *piece, const Thickening *how, Pool *pool, TetMesh *mesh, uint8_t **on_surface,
                                PieceFacts *facts, PieceTriangle *triangles, uint32_t *parts, JnMessage *message) {
    free(*on_surface);
    *on_surface = NULL;
    tetmesh_free(mesh);
    JnStatus status = thicken(piece, how, facts, triangles, message);
    if (status == JN_OK)
        status = stuffing_build(&piece->lattice, &piece->interior, pool, mesh, on_surface, message);
    free(piece->hinges);
    piece->hinges = NULL;
    piece->hinge_count = 0;
    if (status == JN_OK)
        status = tet_parts_split_pinches(mesh, on_surface, &piece->hinges, &piece->hinge_count, message);
    if (status == JN_OK && !tet_parts_drop_small(mesh, *on_surface, SMALL_PART, parts))
        status = status_no_memory(message, "the tets of the simulation mesh");
    return status;
}

/* Marks the samples that have to be thickened more; *lost: how many. */
static JnStatus find_lost(Piece *piece, const TetMesh *mesh, uint32_t *lost, JnMessage *message) {
    JnStatus status =
        lost_samples_count(piece->samples, piece->sample_count, &piece->octree, mesh, piece->times_lost, lost, message);
    // those that thickening hardly mends are in the surface itself
    if (status == JN_OK && piece->hinge_count <= piece->hinges_before / 2)
        status = lost_samples_add_hinges(piece->samples, piece->sample_count, &piece->octree, piece->hinges,
                                         piece->hinge_count, HINGED, piece->times_lost, lost, message);
    piece->hinges_before = piece->hinge_count;
    return status;
}

/* The same, thickened as much as it takes for the tets to hang together and to cover the surface. */
static JnStatus stuff_connected(Piece *piece, Pool *pool, TetMesh *mesh, uint8_t **on_surface, PieceFacts *facts,
                                PieceTriangle *triangles, uint32_t *parts, JnMessage *message) {
    JnStatus status = JN_OK;
    int losses = 0;
    *parts = 0;
    for (int i = 0; status == JN_OK && *parts != 1 && i < THICKENINGS && (i < 2 || mesh->tet_count == 0); ++i) {
        uint32_t lost;
        do {
            lost = 0;
            status = stuff_thickened(piece, &thickenings[i], pool, mesh, on_surface, facts, triangles, parts, message);
            if (status == JN_OK && mesh->tet_count > 0 && (*parts == 1 || i > 0) && losses++ < MOST_LOSSES)
                status = find_lost(piece, mesh, &lost, message);
        } while (status == JN_OK && lost > 0);
    }
    return status;
}

static JnStatus stuff(Piece *piece, Pool *pool, TetMesh *mesh, PieceFacts *facts, PieceTriangle *triangles,
                      JnMessage *message) {
    uint8_t *on_surface = NULL;
    FitTarget target = {0};
    double excess = 0;
    bool squeezed = false;
    uint32_t parts = 0;
    JnStatus status = solid_lattice_build(&piece->octree, &piece->interior.winding, pool, &piece->lattice, message);
    if (status == JN_OK)
        status = stuff_connected(piece, pool, mesh, &on_surface, facts, triangles, &parts, message);
    solid_lattice_free(&piece->lattice);
    if (status == JN_OK && mesh->tet_count == 0)
        status = status_fail(
            message, JN_ERR_MESH, "no cell of %g fits into the piece near (%g, %g, %g): raise the resolution",
            piece->grid->cell, piece->samples[0].point[0], piece->samples[0].point[1], piece->samples[0].point[2]);
    if (status == JN_OK)
        status = tet_smooth(mesh, on_surface, WANTED_SINE, SMOOTHINGS, message);
    if (status == JN_OK)
        status = fit_target_build(piece->samples, piece->sample_count, &target, message);
    if (status == JN_OK)
        status = tet_fit(mesh, on_surface, &target, KEPT_SINE, pool, &excess, message);
    if (status == JN_OK)
        status = squeeze(piece, mesh, on_surface, &target, excess, pool, &squeezed, message);
    double kept = squeezed ? SQUEEZED_SINE : KEPT_SINE;
    for (int fit = squeezed ? FITS - AFTER_SQUEEZING : 1; status == JN_OK && fit < FITS; ++fit)
        status = tet_fit(mesh, on_surface, &target, kept, pool, &excess, message);
    if (status == JN_OK && !squeezed)
        status = tet_smooth(mesh, on_surface, WANTED_SINE, SMOOTHINGS, message);
    facts->island_count = parts > 0 ? parts - 1 : 0;
    fit_target_free(&target);
    free(on_surface);
    return status;
}

JnStatus piece_mesh_build(const double *positions, const uint32_t *triangles, uint32_t triangle_count,
                          const PieceGrid *grid, Pool *pool, TetMesh *mesh, PieceFacts *facts, PieceTriangle *about,
                          JnMessage *message) {
    *mesh = (TetMesh){0};
    *facts = (PieceFacts){0};
    Piece piece = {.grid = grid, .hinges_before = UINT32_MAX};
    JnStatus status = interior_build(positions, triangles, triangle_count, &piece.interior, message);
    piece.interior.least_gap = grid->least_gap;
    if (status == JN_OK)
        status = surface_samples_build(&piece.interior, grid->cell, REACH * grid->cell, pool, &piece.samples,
                                       &piece.sample_count, message);
    if (status == JN_OK)
        status = piece_cells_build(&piece.interior, grid, piece.samples, piece.sample_count, &piece.octree, message);
    if (status == JN_OK && !(piece.times_lost = array_new(piece.sample_count, 1)))
        status = status_no_memory(message, "the samples of a surface");
    if (status == JN_OK) {
        facts->smallest_cell = octree_smallest(&piece.octree);
        status = stuff(&piece, pool, mesh, facts, about, message);
    }
    if (status == JN_OK) {
        ThinSurface surface = {&piece.interior, piece.samples, piece.times_lost, piece.sample_count, &piece.octree};
        status = thin_parts_weigh(&surface, pool, mesh, message);
    }
    interior_free(&piece.interior);
    free(piece.samples);
    free(piece.times_lost);
    free(piece.hinges);
    octree_free(&piece.octree);
    if (status != JN_OK)
        tetmesh_free(mesh);
    return status;
}
