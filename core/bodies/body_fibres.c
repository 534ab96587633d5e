/* Fibres: each curve an elastic rod (elastic/fibre.h), with a section of four simulated vertices round each of its
   points, which is their mean. Point p has the vertices 4 p .. 4 p + 3. */
#include "bodies/body_kind.h"

#include "base/math3.h"
#include "base/status.h"
#include "elastic/fibre.h"

#include <stdlib.h>
#include <string.h>

BODY_KIND(fibres);

static const double USUAL_THICKNESS = 1e-4; /* m */

JnStatus fibres_check(const JnBody *desc, const char *place, JnMessage *message) {
    const JnCurves *curves = &desc->curves;
    if (curves->vertex_count > UINT32_MAX / (3 * SECTION_SIZE))
        return status_no_memory(message, "that many fibres");
    uint8_t *used = calloc((size_t)curves->vertex_count + 1, 1);
    if (!used)
        return status_no_memory(message, "checking the fibres");
    JnStatus status = JN_OK;
    for (uint32_t k = 0; status == JN_OK && k < curves->corner_count; ++k)
        if (used[curves->curve_vertices[k]]++)
            status = status_fail(message, JN_ERR_MESH,
                                 "%s '%.80s': vertex %u is in the curves twice: fibres must not share points", place,
                                 desc->name, curves->curve_vertices[k]);
    for (uint32_t v = 0; status == JN_OK && v < curves->vertex_count; ++v)
        if (!used[v])
            status = status_fail(message, JN_ERR_MESH, "%s '%.80s': vertex %u belongs to no curve: remove it", place,
                                 desc->name, v);
    free(used);
    return status;
}

/* ------------------------------------------------------------------------------------------------ sections */

/* One fibre, and constants of all fibres. */
typedef struct Fibre {
    const uint32_t *corners; /* [size] points */
    uint32_t size;
    double root, tip; /* m, diameters */
    double mass_per_area;
    FibreMaterial material;
} Fibre;

static void normalise(double v[3]) {
    double length = vec3_length(v);
    for (int i = 0; i < 3; ++i)
        v[i] = length > 0 ? v[i] / length : 0;
}

/* Unit vector along the fibre at its corner i; 0 where the curve turns back on itself. */
static void tangent_at(const Fibre *fibre, const double *points, uint32_t i, double tangent[3]) {
    const double *before = points + 3 * (size_t)fibre->corners[i > 0 ? i - 1 : 0];
    const double *after = points + 3 * (size_t)fibre->corners[i + 1 < fibre->size ? i + 1 : i];
    vec3_sub(after, before, tangent);
    normalise(tangent);
}

/* Makes `side` orthogonal to the tangent and of length 1; any orthogonal direction if nothing is left. */
static void turn_across(const double tangent[3], double side[3]) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        double along = vec3_dot(side, tangent);
        for (int i = 0; i < 3; ++i)
            side[i] -= along * tangent[i];
        if (vec3_length(side) > 1e-6) {
            normalise(side);
            return;
        }
        int least = fabs(tangent[0]) < fabs(tangent[1]) ? 0 : 1;
        least = fabs(tangent[2]) < fabs(tangent[least]) ? 2 : least;
        for (int i = 0; i < 3; ++i)
            side[i] = i == least;
    }
}

/* Squares of this width round the points of the fibre, turned as little as possible from each to the next. */
static void place_sections(const Fibre *fibre, const double *points, double width, double *vertices) {
    static const double corners[SECTION_SIZE][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
    double side[3] = {0, 0, 0}, other[3], tangent[3] = {1, 0, 0};
    for (uint32_t i = 0; i < fibre->size; ++i) {
        double here[3];
        tangent_at(fibre, points, i, here);
        if (vec3_length(here) > 0)
            memcpy(tangent, here, sizeof tangent);
        turn_across(tangent, side);
        vec3_cross(tangent, side, other);
        for (size_t c = 0; c < SECTION_SIZE; ++c)
            for (size_t k = 0; k < 3; ++k)
                vertices[3 * (SECTION_SIZE * (size_t)fibre->corners[i] + c) + k] =
                    points[3 * (size_t)fibre->corners[i] + k] +
                    width * (corners[c][0] * side[k] + corners[c][1] * other[k]);
    }
}

/* ------------------------------------------------------------------------------------------------ segments */

static double diameter_at(const Fibre *fibre, double corner) {
    return fibre->root + (fibre->tip - fibre->root) * corner / (fibre->size - 1);
}

static double segment_length(const Fibre *fibre, const double *points, uint32_t i) {
    double along[3];
    vec3_sub(points + 3 * (size_t)fibre->corners[i + 1], points + 3 * (size_t)fibre->corners[i], along);
    return vec3_length(along);
}

/* Mass and contact area of half a segment, to one of its points. */
static void add_share(const Fibre *fibre, uint32_t corner, double diameter, double length, Body *body) {
    size_t point = fibre->corners[corner];
    double area = acos(-1.0) * diameter * diameter / 4;
    for (size_t c = 0; c < SECTION_SIZE; ++c)
        body->spring_masses[SECTION_SIZE * point + c] += 0.5 * fibre->mass_per_area * area * length / SECTION_SIZE;
    body->curve_areas[point] += 0.5 * diameter * length;
}

static JnStatus add_fibre(const JnBody *desc, const Fibre *fibre, const double *points, const char *place, Body *body,
                          JnMessage *message) {
    double longest = 0;
    for (uint32_t i = 0; i + 1 < fibre->size; ++i) {
        double length = segment_length(fibre, points, i);
        longest = fmax(longest, length);
        if (!(length > 0))
            return status_fail(
                message, JN_ERR_MESH,
                "%s '%.80s': vertices %u and %u of a fibre are at the same position: merge them, or move them apart",
                place, desc->name, fibre->corners[i], fibre->corners[i + 1]);
    }
    double width = fibre_section_width(longest, fmax(fibre->root, fibre->tip));
    place_sections(fibre, points, width, body->mesh.positions);
    for (uint32_t i = 0; i + 1 < fibre->size; ++i) {
        double length = segment_length(fibre, points, i), diameter = diameter_at(fibre, i + 0.5);
        RodSegment *segment = &body->rods[body->rod_count++];
        *segment = (RodSegment){.sections = {SECTION_SIZE * fibre->corners[i], SECTION_SIZE * fibre->corners[i + 1]},
                                .width = width,
                                .stiffness = fibre_stiffness(&fibre->material, diameter, length),
                                .stiffness_damping = body->material.stiffness_damping};
        segment->stiffness.linear = desc->springs.linear;
        segment->stiffness.cubic = desc->springs.cubic;
        add_share(fibre, i, diameter, length, body);
        add_share(fibre, i + 1, diameter, length, body);
    }
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ body */

/* Allocates everything, and computes what does not depend on the single fibre. */
static JnStatus prepare(const JnBody *desc, Body *body, JnMessage *message) {
    const JnCurves *curves = &desc->curves;
    size_t points = curves->vertex_count;
    body->mesh.vertex_count = SECTION_SIZE * curves->vertex_count;
    body->mesh.positions = calloc(points * SECTION_SIZE * 3 + 1, sizeof(double));
    body->embedding.point_count = curves->vertex_count;
    body->embedding.vertices = malloc((points * 4 + 1) * sizeof(uint32_t));
    body->embedding.weights = malloc((points * 4 + 1) * sizeof(double));
    body->section_neighbours = malloc((points * 2 + 1) * sizeof(uint32_t));
    body->rods = malloc(((size_t)curves->corner_count + 1) * sizeof *body->rods);
    body->spring_masses = calloc(points * SECTION_SIZE + 1, sizeof(double));
    body->curve_areas = calloc(points + 1, sizeof(double));
    body->curve_widths = malloc((points + 1) * sizeof(float));
    if (!body->mesh.positions || !body->embedding.vertices || !body->embedding.weights || !body->section_neighbours ||
        !body->curve_areas || !body->curve_widths || !body->rods || !body->spring_masses)
        return status_no_memory(message, "the fibres");
    for (size_t k = 0; k < 4 * points; ++k) {
        body->embedding.vertices[k] = (uint32_t)k;
        body->embedding.weights[k] = 0.25;
    }
    return body_keep_curves(curves, body, message);
}

JnStatus fibres_build(const JnBody *desc, double metres_per_unit, const char *place, Body *body, JnMessage *message) {
    const JnCurves *curves = &desc->curves;
    const JnSprings *given = &desc->springs;
    Fibre fibre = {.corners = curves->curve_vertices};
    fibre.root = isnan(given->thickness) ? USUAL_THICKNESS : given->thickness * metres_per_unit;
    fibre.tip = isnan(given->tip_thickness) ? fibre.root : given->tip_thickness * metres_per_unit;
    fibre.material.young_modulus = desc->material.young_modulus;
    fibre.material.torsion_modulus = isnan(given->torsion_modulus)
                                         ? desc->material.young_modulus / (2 * (1 + desc->material.poisson_ratio))
                                         : given->torsion_modulus;
    /* a given mass per length is that at the root: it decreases with the cross-section */
    fibre.mass_per_area = isnan(given->mass_per_length)
                              ? desc->material.density
                              : given->mass_per_length / (acos(-1.0) * fibre.root * fibre.root / 4);
    double *points = malloc(((size_t)curves->vertex_count * 3 + 1) * sizeof *points);
    JnStatus status = points ? prepare(desc, body, message) : status_no_memory(message, "the fibres");
    if (status == JN_OK)
        body_place_points(curves->positions, curves->vertex_count, desc->transform, metres_per_unit, points);
    for (uint32_t c = 0, cached = 0; status == JN_OK && c < curves->curve_count; ++c) {
        fibre.size = curves->curve_sizes[c];
        status = add_fibre(desc, &fibre, points, place, body, message);
        for (uint32_t i = 0; i < fibre.size; ++i) {
            uint32_t *neighbours = body->section_neighbours + 2 * (size_t)fibre.corners[i];
            neighbours[0] = fibre.corners[i > 0 ? i - 1 : 0];
            neighbours[1] = fibre.corners[i + 1 < fibre.size ? i + 1 : i];
            body->curve_widths[cached++] = (float)(diameter_at(&fibre, i) / metres_per_unit);
        }
        fibre.corners += fibre.size;
    }
    free(points);
    return status;
}
