/* Textiles: the vertices of a surface, with structural springs along its edges, shear springs across faces of four and
   more corners, and bending springs over every edge between two faces (Provot 1995; Michels, Luan, Tokman 2017, section
   4.2). Faces of three corners resist shear by their edges already.

   Where no stiffness is given, a structural spring has E t a / l^2, with a the area associated with its edge of length
   l, so that the sheet stretches as one of Young's modulus E and thickness t; the others follow in the proportions of
   the flags of Michels, Luan, Tokman 2017, 100 : 10 : 1, and structural springs give way by what the others contribute.
   */
#include "bodies/body_kind.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/array.h"
#include "geometry/cloth_pairs.h"
#include "geometry/polygon.h"
#include "geometry/triangle.h"

#include <math.h>
#include <stdlib.h>

BODY_KIND(textile);

static const double USUAL_THICKNESS = 5e-4; /* m */

JnStatus textile_check(const JnBody *desc, const char *place, JnMessage *message) {
    (void)desc, (void)place, (void)message; /* any surface is accepted; springs are checked when they are made */
    return JN_OK;
}

/* Distributes the mass of every face equally to its corners. False if out of memory. */
static bool add_face_masses(const JnSurface *surface, double mass_per_area, double *masses) {
    uint32_t *triangles = array_new(3 * (size_t)surface->corner_count, sizeof *triangles);
    const uint32_t *face = surface->face_vertices;
    bool done = triangles != NULL;
    for (uint32_t f = 0; done && f < surface->face_count; face += surface->face_sizes[f++]) {
        uint32_t size = surface->face_sizes[f];
        double area = 0;
        done = polygon_triangulate(surface->positions, face, size, triangles);
        for (size_t t = 0; done && t + 2 < size; ++t) {
            double normal[3];
            triangle_normal(surface->positions + 3 * (size_t)triangles[3 * t],
                            surface->positions + 3 * (size_t)triangles[3 * t + 1],
                            surface->positions + 3 * (size_t)triangles[3 * t + 2], normal);
            area += 0.5 * vec3_length(normal);
        }
        for (uint32_t i = 0; i < size; ++i)
            masses[face[i]] += mass_per_area * area / size;
    }
    free(triangles);
    return done;
}

/* ------------------------------------------------------------------------------------------------ stiffness */

/* A spring to be: its direction, and k l^2, with which it counts in the stiffness of the sheet. */
typedef struct Strand {
    double direction[3], length; /* m; 0: two corners of folded faces coincide */
    double stiffness;            /* N/m */
    bool structural;
} Strand;

static const double SHEAR_SHARE = 0.1, BENDING_SHARE = 0.01;
/* Structural springs give way to the others down to this fraction. */
static const double LEAST_STRUCTURAL = 0.1;

static Strand strand_of(const JnSprings *given, double sheet, const double *positions, const ClothPair *pair) {
    Strand strand = {.structural = pair->kind == PAIR_EDGE};
    vec3_sub(positions + 3 * (size_t)pair->ends[1], positions + 3 * (size_t)pair->ends[0], strand.direction);
    strand.length = vec3_length(strand.direction);
    double square = strand.length * strand.length, by_area = square > 0 ? sheet * pair->area / square : 0;
    bool derived = isnan(given->structural);
    double base = derived ? sheet : given->structural;
    for (int i = 0; i < 3 && square > 0; ++i)
        strand.direction[i] /= strand.length;
    switch (pair->kind) {
    case PAIR_EDGE:
        strand.stiffness = derived ? by_area : base;
        break;
    case PAIR_DIAGONAL:
        strand.stiffness = !isnan(given->shear) ? given->shear : SHEAR_SHARE * (derived ? by_area : base);
        break;
    case PAIR_FOLD:
        strand.stiffness = !isnan(given->bending) ? given->bending : BENDING_SHARE * base;
        break;
    }
    return strand;
}

/* What springs contribute to the stiffness along a direction, and to that between it and the direction across. */
typedef struct SheetStiffness {
    double along, coupled;
} SheetStiffness;

static void add_strand(const Strand *strand, const double direction[3], SheetStiffness *sum) {
    double cosine = vec3_dot(strand->direction, direction), square = cosine * cosine;
    double weight = strand->stiffness * strand->length * strand->length;
    sum->along += weight * square * square;
    sum->coupled += weight * square * (1 - square);
}

/* The factor p on the structural springs with which a strip stretches as they alone would make it. A strip of stiffness
   C along and across, and c between the two, has the modulus C - c^2 / C; with the structural ones as unit, 1 and s of
   them, n and m of the others: p + n - (p s + m)^2 / (p + n) = 1 - s^2, a quadratic equation. */
static double structural_factor(const SheetStiffness *structural, const SheetStiffness *others) {
    if (!(structural->along > 0))
        return 1;
    double s = structural->coupled / structural->along, modulus = 1 - s * s;
    double n = others->along / structural->along, m = others->coupled / structural->along;
    double half = n - s * m - 0.5 * modulus, rest = n * n - m * m - modulus * n;
    double root = modulus > 0 ? (sqrt(fmax(half * half - modulus * rest, 0)) - half) / modulus : 1 - n;
    return fmax(root, LEAST_STRUCTURAL);
}

/* Pairs of each vertex: those of v are pairs[starts[v]] to pairs[starts[v + 1] - 1]. */
typedef struct VertexPairs {
    uint32_t *starts, *pairs;
} VertexPairs;

static bool vertex_pairs_build(const ClothPair *pairs, uint32_t pair_count, uint32_t vertex_count, VertexPairs *out) {
    out->starts = calloc((size_t)vertex_count + 2, sizeof *out->starts);
    out->pairs = malloc((2 * (size_t)pair_count + 1) * sizeof *out->pairs);
    if (!out->starts || !out->pairs)
        return false;
    for (uint32_t k = 0; k < pair_count; ++k)
        for (int end = 0; end < 2; ++end)
            ++out->starts[pairs[k].ends[end] + 2];
    for (uint32_t v = 1; v < vertex_count; ++v)
        out->starts[v + 1] += out->starts[v];
    for (uint32_t k = 0; k < pair_count; ++k)
        for (int end = 0; end < 2; ++end)
            out->pairs[out->starts[pairs[k].ends[end] + 1]++] = k;
    return true;
}

/* factors: [pair_count] on the structural springs, found from all springs at their ends; 1 on the others. */
static void find_factors(const ClothPair *pairs, const Strand *strands, uint32_t pair_count, const VertexPairs *at,
                         double *factors) {
    for (uint32_t k = 0; k < pair_count; ++k) {
        SheetStiffness structural = {0, 0}, others = {0, 0};
        factors[k] = 1;
        if (!strands[k].structural)
            continue;
        for (int end = 0; end < 2; ++end)
            for (uint32_t i = at->starts[pairs[k].ends[end]]; i < at->starts[pairs[k].ends[end] + 1]; ++i) {
                const Strand *strand = &strands[at->pairs[i]];
                add_strand(strand, strands[k].direction, strand->structural ? &structural : &others);
            }
        factors[k] = structural_factor(&structural, &others);
    }
}

/* Lets derived structural springs give way to the others. */
static JnStatus balance_strands(const ClothPair *pairs, uint32_t pair_count, uint32_t vertex_count, Strand *strands,
                                JnMessage *message) {
    VertexPairs at = {NULL, NULL};
    double *factors = malloc(((size_t)pair_count + 1) * sizeof *factors);
    bool built = factors && vertex_pairs_build(pairs, pair_count, vertex_count, &at);
    if (built) {
        find_factors(pairs, strands, pair_count, &at, factors);
        for (uint32_t k = 0; k < pair_count; ++k)
            strands[k].stiffness *= factors[k];
    }
    free(factors);
    free(at.starts);
    free(at.pairs);
    return built ? JN_OK : status_no_memory(message, "the springs");
}

/* ------------------------------------------------------------------------------------------------ the body */

static JnStatus add_springs(const JnBody *desc, const ClothPair *pairs, uint32_t pair_count, double thickness,
                            const char *place, Body *body, JnMessage *message) {
    const JnSprings *given = &desc->springs;
    double sheet = desc->material.young_modulus * thickness;
    Strand *strands = malloc(((size_t)pair_count + 1) * sizeof *strands);
    JnStatus status = strands ? JN_OK : status_no_memory(message, "the springs");
    for (uint32_t k = 0; status == JN_OK && k < pair_count; ++k)
        strands[k] = strand_of(given, sheet, body->mesh.positions, &pairs[k]);
    if (status == JN_OK && isnan(given->structural))
        status = balance_strands(pairs, pair_count, body->mesh.vertex_count, strands, message);
    for (uint32_t k = 0; status == JN_OK && k < pair_count; ++k) {
        const uint32_t *ends = pairs[k].ends;
        /* two corners of folded faces may coincide: no error of the mesh, but there is no spring then */
        if (strands[k].structural || strands[k].length > 0)
            status = body_add_spring(desc, spring_between(body->mesh.positions, ends[0], ends[1], strands[k].stiffness),
                                     place, body, message);
    }
    free(strands);
    return status;
}

JnStatus textile_build(const JnBody *desc, double metres_per_unit, const char *place, Body *body, JnMessage *message) {
    double thickness = isnan(desc->springs.thickness) ? USUAL_THICKNESS : desc->springs.thickness * metres_per_unit;
    double mass_per_area =
        isnan(desc->springs.mass_per_area) ? desc->material.density * thickness : desc->springs.mass_per_area;
    ClothPair *pairs = NULL;
    uint32_t pair_count = 0;
    JnStatus status = body_use_points(desc, metres_per_unit, body, message);
    if (status == JN_OK)
        status = body_keep_surface(&desc->surface, body, message);
    JnSurface placed = desc->surface;
    placed.positions = body->mesh.positions;
    if (status == JN_OK)
        status = cloth_pairs_find(&placed, place, &pairs, &pair_count, message);
    if (status == JN_OK)
        status = body_reserve_springs(pair_count, body, message);
    if (status == JN_OK) {
        status = add_face_masses(&placed, mass_per_area, body->spring_masses)
                     ? body_check_masses(body, place, message)
                     : status_no_memory(message, "the masses of a textile");
    }
    if (status == JN_OK)
        status = add_springs(desc, pairs, pair_count, thickness, place, body, message);
    free(pairs);
    return status;
}
