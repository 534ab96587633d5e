#include "geometry/thin_parts.h"
#include "geometry/array.h"
#include "geometry/shake.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* In cells: what is thinner bends too stiffly; what is thinner than the second may have been thickened. Between the two
   the fit of the boundary in the mean is trusted more and more. */
#define THIN 2.0
#define THICKENED 1.4
/* In thicknesses, and in halves of a cell. */
#define NEAR 0.75
/* A layer of tets is stiffer in bending than the solid by 1 + LOCKING / q^2, q its thickness in cells: measured on free
   plates and rods in several directions. From the first thickness on it fades until the layer is not thin. */
#define LOCKING 1.35
#define LOCKING_FADES 1.2
/* Tets that are larger than the solid: they bend by the power 3 (sheets) to 2 (rods) of the solid part too stiffly, and
   are thicker by the power 1 to 1/2. */
#define BENDING_POWER 2.5
#define THICKNESS_POWER 0.75
/* A sheet has no volume. Beside a solid in the same piece, its layer of cells is lighter and as much softer by this. */
#define SHEET_PART 0.25
/* Limits of the factors. */
#define LEAST_PART 0.02
#define MOST_PART 1.5
#define LEAST_STIFFNESS 0.02
#define MOST_STIFFNESS 1.2
/* In cells: how far outside of the tets a solid that they leave uncovered is looked for. */
#define UNCOVERED 0.5
/* Lines through each tet and out of each face of the boundary; rounds in which neighbours share. */
enum { TET_LINES = 4, FACE_LINES = 2, ROUNDS = 2, CHUNK = 64 };

typedef struct Weighing {
    const ThinSurface *surface;
    TetMesh *mesh;
    Bvh bvh;          /* of the samples */
    double *cells;    /* [tet_count] the size of the cells there; 0: the part is not thin */
    double *thick;    /* [tet_count] true thickness of thin parts */
    double *parts;    /* [tet_count] how much of each is solid */
    double *volumes;  /* [tet_count] */
    uint32_t *border; /* [border_count * 3] */
    uint32_t border_count;
    double *uncovered; /* [border_count] volume of the solid beyond */
    double *trusts;    /* [tet_count] 0 to 1: how far the solid part, as measured, counts */
    double *shares;    /* [vertex_count] the mean of that */
} Weighing;

/* The number `which` of a tet or a face. */
static double shake_item(uint64_t item, uint64_t which) {
    return shake(item * 0x9E3779B97F4A7C15u + which * 0xD1B54A32D192ED03u);
}

typedef struct Nearest {
    const ThinSurface *surface;
    const double *point;
    double cell;
    double squared;
    uint32_t sample; /* UINT32_MAX: none */
} Nearest;

/* Thin samples, and sheets. */
static double visit_sample(void *context, uint32_t item, double bound) {
    Nearest *search = context;
    const SurfaceSample *sample = &search->surface->samples[item];
    bool lost = search->surface->times_lost[item] > 0, sheet = sample->kind == SAMPLE_SHEET;
    if (!sheet && !lost && !(sample->kind == SAMPLE_SKIN && sample->thickness < THIN * search->cell))
        return bound;
    const double *corners = sample->corners;
    double squared = triangle_distance_squared(search->point, corners, corners + 3, corners + 6, NULL);
    // in a thin part no place is farther from its skin than that
    double near = sheet || lost ? search->cell : NEAR * fmax(sample->thickness, 0.5 * search->cell);
    if (squared >= fmin(search->squared, near * near))
        return bound;
    search->squared = squared;
    search->sample = item;
    return fmin(bound, squared);
}

/* The part of a tet that is solid: the mean over lines through random points of it. */
static double solid_part(const Weighing *work, uint32_t tet, const double along[3]) {
    const double *p[4];
    for (size_t i = 0; i < 4; ++i)
        p[i] = &work->mesh->positions[3 * (size_t)work->mesh->tet_vertices[4 * (size_t)tet + i]];
    // how fast each barycentric coordinate changes along the line
    static const uint8_t faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    double rates[4], sum = 0, calm = NAN;
    for (int i = 0; i < 4; ++i) {
        double normal[3];
        triangle_normal(p[faces[i][0]], p[faces[i][1]], p[faces[i][2]], normal);
        rates[i] = -vec3_dot(normal, along) / (6 * work->volumes[tet]);
    }
    for (uint64_t k = 0; k < TET_LINES; ++k) {
        double u[3], weights[4], low = -INFINITY, high = INFINITY;
        for (uint64_t i = 0; i < 3; ++i)
            u[i] = shake_item(tet, 3 * k + i + 1);
        double a = cbrt(u[0]), b = sqrt(u[1]);
        weights[0] = 1 - a;
        weights[1] = a * (1 - b);
        weights[2] = a * b * (1 - u[2]);
        weights[3] = a * b * u[2];
        for (int i = 0; i < 4; ++i) {
            double end = -weights[i] / rates[i];
            *(rates[i] > 0 ? &low : &high) = rates[i] > 0 ? fmax(low, end) : rates[i] < 0 ? fmin(high, end) : high;
        }
        double start[3], way[3];
        for (int c = 0; c < 3; ++c) {
            start[c] = low * along[c];
            way[c] = (high - low) * along[c];
            for (int i = 0; i < 4; ++i)
                start[c] += weights[i] * p[i][c];
        }
        sum += interior_solid_part(work->surface->interior, start, way, false, &calm);
    }
    return sum / TET_LINES;
}

static void weigh_tet(Weighing *work, uint32_t tet) {
    const uint32_t *v = &work->mesh->tet_vertices[4 * (size_t)tet];
    const double *p[4];
    double middle[3];
    for (int i = 0; i < 4; ++i)
        p[i] = &work->mesh->positions[3 * (size_t)v[i]];
    for (int a = 0; a < 3; ++a)
        middle[a] = 0.25 * (p[0][a] + p[1][a] + p[2][a] + p[3][a]);
    work->parts[tet] = 1;
    work->volumes[tet] = vec3_tet_det(p[0], p[1], p[2], p[3]) / 6;
    double cell = octree_size_at(work->surface->octree, middle);
    Nearest search = {work->surface, middle, cell, THIN * THIN * cell * cell, UINT32_MAX};
    bvh_visit_near(&work->bvh, middle, search.squared, visit_sample, &search);
    if (search.sample == UINT32_MAX)
        return;
    const SurfaceSample *sample = &work->surface->samples[search.sample];
    if (sample->kind == SAMPLE_SHEET) {
        if (!winding_is_inside(winding_number(&work->surface->interior->winding, middle)))
            work->parts[tet] = SHEET_PART;
        return;
    }
    bool lost = work->surface->times_lost[search.sample] > 0;
    work->cells[tet] = cell;
    work->thick[tet] = fmin(sample->thickness, lost ? cell : INFINITY);
    work->trusts[tet] = lost ? 1 : fmin((THIN - sample->thickness / cell) / (THIN - THICKENED), 1);
    work->parts[tet] += work->trusts[tet] * (solid_part(work, tet, sample->normal) - 1);
}

static void weigh_tets(void *context, uint32_t chunk) {
    Weighing *work = context;
    for (uint32_t t = chunk * CHUNK; t < work->mesh->tet_count && t < (chunk + 1) * CHUNK; ++t)
        weigh_tet(work, t);
}

/* The volume of the solid before a face of the boundary, as far as it begins there. */
static void measure_uncovered(void *context, uint32_t chunk) {
    Weighing *work = context;
    for (uint32_t f = chunk * CHUNK; f < work->border_count && f < (chunk + 1) * CHUNK; ++f) {
        const uint32_t *v = &work->border[3 * (size_t)f];
        const double *p[3];
        for (int i = 0; i < 3; ++i)
            p[i] = &work->mesh->positions[3 * (size_t)v[i]];
        double normal[3], sum = 0, calm = NAN;
        triangle_normal(p[0], p[1], p[2], normal);
        double area = vec3_length(normal);
        double share = fmin(work->shares[v[0]], fmin(work->shares[v[1]], work->shares[v[2]]));
        if (!(share > 0 && area > 0))
            continue;
        double reach = UNCOVERED * octree_size_at(work->surface->octree, p[0]);
        for (uint64_t k = 0; k < FACE_LINES; ++k) {
            double a = sqrt(shake_item(f, 2 * k + 1)), b = shake_item(f, 2 * k + 2), start[3], way[3];
            for (int c = 0; c < 3; ++c) {
                start[c] = (1 - a) * p[0][c] + a * (1 - b) * p[1][c] + a * b * p[2][c];
                way[c] = reach / area * normal[c];
            }
            sum += interior_solid_part(work->surface->interior, start, way, true, &calm);
        }
        work->uncovered[f] = share * 0.5 * area * reach * sum / FACE_LINES;
    }
}

/* The factors on density: of each vertex, the solid around it over the tets around it. What neighbours share goes from
   tets to vertices and back, and stays the same in sum. volumes [vertex_count]: of the tets around each, a quarter. */
static void share_parts(Weighing *work, const double *volumes) {
    TetMesh *mesh = work->mesh;
    double *factors = mesh->density_factors;
    for (int round = 0; round < ROUNDS; ++round) {
        memset(factors, 0, mesh->vertex_count * sizeof *factors);
        for (size_t t = 0; t < mesh->tet_count; ++t)
            for (size_t i = 0; i < 4; ++i)
                factors[mesh->tet_vertices[4 * t + i]] += 0.25 * work->volumes[t] * work->parts[t];
        for (size_t c = 0; round == 0 && c < 3 * (size_t)work->border_count; ++c)
            factors[work->border[c]] += work->uncovered[c / 3] / 3;
        for (size_t v = 0; v < mesh->vertex_count; ++v)
            factors[v] = fmin(fmax(factors[v] / volumes[v], LEAST_PART), MOST_PART);
        for (size_t t = 0; t < mesh->tet_count; ++t) {
            work->parts[t] = 0;
            for (size_t i = 0; i < 4; ++i)
                work->parts[t] += 0.25 * factors[mesh->tet_vertices[4 * t + i]];
        }
    }
}

/* The logarithm of what the stiffness of a tet is multiplied with. */
static double log_softened(const Weighing *work, size_t tet) {
    double part = work->parts[tet];
    if (work->cells[tet] == 0)
        return log(part);
    double cells = work->thick[tet] / work->cells[tet] / pow(part, THICKNESS_POWER);
    double fade = fmin(fmax((THIN - cells) / (THIN - LOCKING_FADES), 0), 1);
    return BENDING_POWER * log(part) - log(1 + LOCKING * fade / (cells * cells));
}

static void soften(const Weighing *work, const double *volumes) {
    TetMesh *mesh = work->mesh;
    double *factors = mesh->stiffness_factors;
    for (size_t t = 0; t < mesh->tet_count; ++t) {
        double softened = log_softened(work, t);
        for (size_t i = 0; i < 4; ++i)
            factors[mesh->tet_vertices[4 * t + i]] += 0.25 * work->volumes[t] * softened;
    }
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        factors[v] = fmin(fmax(exp(factors[v] / volumes[v]), LEAST_STIFFNESS), MOST_STIFFNESS);
}

static JnStatus build_tree(Weighing *work, JnMessage *message) {
    uint32_t count = work->surface->sample_count;
    double *boxes = array_new(6 * (size_t)count, sizeof *boxes);
    for (size_t i = 0; boxes && i < count; ++i)
        for (size_t a = 0; a < 3; ++a) {
            const double *c = &work->surface->samples[i].corners[a];
            boxes[6 * i + a] = fmin(c[0], fmin(c[3], c[6]));
            boxes[6 * i + 3 + a] = fmax(c[0], fmax(c[3], c[6]));
        }
    JnStatus status =
        boxes ? bvh_build(boxes, count, &work->bvh, message) : status_no_memory(message, "the thin parts");
    free(boxes);
    return status;
}

/* Whether some sample is thin or was lost, or is a sheet beside others that are not. */
static bool any_thin(const ThinSurface *surface) {
    uint32_t sheets = 0;
    for (uint32_t i = 0; i < surface->sample_count; ++i) {
        const SurfaceSample *sample = &surface->samples[i];
        sheets += sample->kind == SAMPLE_SHEET;
        if ((surface->times_lost[i] && sample->kind == SAMPLE_SKIN) ||
            (sample->kind == SAMPLE_SKIN && sample->thickness < THIN * octree_size_at(surface->octree, sample->point)))
            return true;
    }
    return sheets > 0 && sheets < surface->sample_count;
}

static JnStatus weigh(Weighing *work, Pool *pool, JnMessage *message) {
    TetMesh *mesh = work->mesh;
    JnTets view = {mesh->vertex_count, mesh->tet_count, mesh->positions, mesh->tet_vertices};
    pool_run(pool, (mesh->tet_count + CHUNK - 1) / CHUNK, weigh_tets, work);
    JnStatus status = tetmesh_boundary(&view, &work->border, &work->border_count, message);
    if (status != JN_OK)
        return status;
    double *volumes = array_new(mesh->vertex_count, sizeof *volumes);
    for (size_t c = 0; volumes && c < 4 * (size_t)mesh->tet_count; ++c) {
        volumes[mesh->tet_vertices[c]] += 0.25 * work->volumes[c / 4];
        work->shares[mesh->tet_vertices[c]] += 0.25 * work->volumes[c / 4] * work->trusts[c / 4];
    }
    for (size_t v = 0; volumes && v < mesh->vertex_count; ++v)
        work->shares[v] /= volumes[v];
    work->uncovered = array_new(work->border_count, sizeof *work->uncovered);
    mesh->density_factors = array_new(mesh->vertex_count, sizeof *mesh->density_factors);
    mesh->stiffness_factors = array_new(mesh->vertex_count, sizeof *mesh->stiffness_factors);
    if (volumes && work->uncovered && mesh->density_factors && mesh->stiffness_factors) {
        pool_run(pool, (work->border_count + CHUNK - 1) / CHUNK, measure_uncovered, work);
        share_parts(work, volumes);
        soften(work, volumes);
    } else {
        status = status_no_memory(message, "the thin parts");
    }
    free(volumes);
    return status;
}

JnStatus thin_parts_weigh(const ThinSurface *surface, Pool *pool, TetMesh *mesh, JnMessage *message) {
    if (!any_thin(surface))
        return JN_OK;
    Weighing work = {.surface = surface,
                     .mesh = mesh,
                     .cells = array_new(mesh->tet_count, sizeof *work.cells),
                     .thick = array_new(mesh->tet_count, sizeof *work.thick),
                     .parts = array_new(mesh->tet_count, sizeof *work.parts),
                     .volumes = array_new(mesh->tet_count, sizeof *work.volumes),
                     .trusts = array_new(mesh->tet_count, sizeof *work.trusts),
                     .shares = array_new(mesh->vertex_count, sizeof *work.shares)};
    JnStatus status = work.cells && work.thick && work.parts && work.volumes && work.trusts && work.shares
                          ? build_tree(&work, message)
                          : status_no_memory(message, "the thin parts");
    if (status == JN_OK)
        status = weigh(&work, pool, message);
    bvh_free(&work.bvh);
    void *arrays[] = {work.cells,  work.thick,     work.parts,  work.volumes,
                      work.border, work.uncovered, work.trusts, work.shares};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    return status;
}
