/* Girders: bars between the vertices of a line network, or along the edges of a surface, hinged where they meet. A bar
   of length l and square cross-section t^2 is a spring of E t^2 / l. Its force acts along its current direction, so
   that a bar rotates without force, as in the co-rotational form of Michels, Luan, Tokman 2017, section 4.3. */
#include "bodies/body_kind.h"

#include "base/status.h"
#include "geometry/array.h"
#include "geometry/index_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

BODY_KIND(girders);

static const double USUAL_THICKNESS = 0.01; /* m */

JnStatus girders_check(const JnBody *desc, const char *place, JnMessage *message) {
    if (desc->surface.vertex_count && desc->curves.vertex_count &&
        desc->surface.vertex_count != desc->curves.vertex_count)
        return status_fail(message, JN_ERR_MESH,
                           "%s '%.80s' has %u vertices in its surface and %u in its curves: girders use both, so give "
                           "both the same vertices",
                           place, desc->name, desc->surface.vertex_count, desc->curves.vertex_count);
    return JN_OK;
}

/* Writes the sides of `count` runs of corners to ends; returns the end of what was written. Runs are closed for
   faces. */
static uint32_t *collect_bars(const uint32_t *sizes, const uint32_t *corners, uint32_t count, bool closed,
                              uint32_t *ends) {
    for (uint32_t r = 0; r < count; corners += sizes[r++])
        for (uint32_t i = 0; i + !closed < sizes[r]; ++i) {
            uint32_t a = corners[i], b = corners[(i + 1) % sizes[r]];
            *ends++ = a < b ? a : b;
            *ends++ = a < b ? b : a;
        }
    return ends;
}

static JnStatus add_bars(const JnBody *desc, const uint32_t *ends, const uint32_t *order, size_t count,
                         double thickness, const char *place, Body *body, JnMessage *message) {
    double section = thickness * thickness;
    double mass_per_length =
        isnan(desc->springs.mass_per_length) ? desc->material.density * section : desc->springs.mass_per_length;
    JnStatus status = JN_OK;
    for (size_t k = 0; status == JN_OK && k < count; ++k) {
        const uint32_t *pair = ends + 2 * (size_t)order[k];
        if (k > 0 && memcmp(pair, ends + 2 * (size_t)order[k - 1], 2 * sizeof *pair) == 0)
            continue;
        Spring bar = spring_between(body->mesh.positions, pair[0], pair[1], 0);
        bar.stiffness = isnan(desc->springs.structural) && bar.rest_length > 0
                            ? desc->material.young_modulus * section / bar.rest_length
                            : desc->springs.structural;
        status = body_add_spring(desc, bar, place, body, message);
        for (int i = 0; i < 2; ++i) {
            body->spring_masses[pair[i]] += 0.5 * mass_per_length * bar.rest_length;
            if (body->curve_areas)
                body->curve_areas[pair[i]] += 0.5 * thickness * bar.rest_length;
        }
    }
    return status;
}

static JnStatus keep_shape(const JnBody *desc, Body *body, JnMessage *message) {
    if (desc->surface.vertex_count)
        return body_keep_surface(&desc->surface, body, message);
    body->curve_areas = calloc((size_t)body->mesh.vertex_count + 1, sizeof *body->curve_areas);
    return body->curve_areas ? body_keep_curves(&desc->curves, body, message)
                             : status_no_memory(message, "the girders");
}

JnStatus girders_build(const JnBody *desc, double metres_per_unit, const char *place, Body *body, JnMessage *message) {
    double thickness = isnan(desc->springs.thickness) ? USUAL_THICKNESS : desc->springs.thickness * metres_per_unit;
    uint64_t most = (uint64_t)desc->surface.corner_count + desc->curves.corner_count;
    if (most > UINT32_MAX / 2)
        return status_no_memory(message, "that many girders");
    uint32_t *ends = array_new(2 * (size_t)most, sizeof *ends), *order = NULL;
    JnStatus status =
        ends ? body_use_points(desc, metres_per_unit, body, message) : status_no_memory(message, "the girders");
    if (status == JN_OK)
        status = keep_shape(desc, body, message);
    if (status == JN_OK)
        status = body_reserve_springs((uint32_t)most, body, message);
    if (status == JN_OK) {
        uint32_t *last =
            collect_bars(desc->surface.face_sizes, desc->surface.face_vertices, desc->surface.face_count, true, ends);
        last =
            collect_bars(desc->curves.curve_sizes, desc->curves.curve_vertices, desc->curves.curve_count, false, last);
        size_t count = (size_t)(last - ends) / 2;
        order = index_sort_tuples(ends, count, 2, body->mesh.vertex_count);
        status = order ? add_bars(desc, ends, order, count, thickness, place, body, message)
                       : status_no_memory(message, "the girders");
    }
    if (status == JN_OK)
        status = body_check_masses(body, place, message);
    free(ends);
    free(order);
    return status;
}
