/* Textiles: the vertices of a surface, with structural springs along its edges, shear springs across faces of four and
   more corners, and bending springs over every edge between two faces (Provot 1995; Michels, Luan, Tokman 2017, section
   4.2). Faces of three corners resist shear by their edges already.

   Where no stiffness is given, a structural spring has E t a / l^2, with a the area associated with its edge of length
   l, so that the sheet stretches as one of Young's modulus E and thickness t; the others follow in the proportions of
   the flags of Michels, Luan, Tokman 2017, 100 : 10 : 1. */
#include "bodies/body_kind.h"

#include "base/math3.h"
#include "geometry/cloth_pairs.h"

#include <math.h>
#include <stdlib.h>

BODY_KIND(textile);

static const double USUAL_THICKNESS = 5e-4; /* m */

JnStatus textile_check(const JnBody *desc, const char *place, JnMessage *message) {
    (void)desc, (void)place, (void)message; /* any surface is accepted; springs are checked when they are made */
    return JN_OK;
}

/* Distributes the mass of every face, a fan of triangles, equally to its corners. */
static void add_face_masses(const JnSurface *surface, double mass_per_area, double *masses) {
    const uint32_t *face = surface->face_vertices;
    for (uint32_t f = 0; f < surface->face_count; face += surface->face_sizes[f++]) {
        uint32_t size = surface->face_sizes[f];
        const double *first = surface->positions + 3 * (size_t)face[0];
        double area = 0;
        for (uint32_t i = 2; i < size; ++i) {
            double ab[3], ac[3], cross[3];
            vec3_sub(surface->positions + 3 * (size_t)face[i - 1], first, ab);
            vec3_sub(surface->positions + 3 * (size_t)face[i], first, ac);
            vec3_cross(ab, ac, cross);
            area += 0.5 * vec3_length(cross);
        }
        for (uint32_t i = 0; i < size; ++i)
            masses[face[i]] += mass_per_area * area / size;
    }
}

static JnStatus add_springs(const JnBody *desc, const ClothPair *pairs, uint32_t pair_count, double thickness,
                            const char *place, Body *body, JnMessage *message) {
    const JnSprings *given = &desc->springs;
    double sheet = desc->material.young_modulus * thickness,
           base = isnan(given->structural) ? sheet : given->structural;
    double shear = isnan(given->shear) ? 0.1 * base : given->shear;
    double bending = isnan(given->bending) ? 0.01 * base : given->bending;
    JnStatus status = JN_OK;
    for (uint32_t k = 0; status == JN_OK && k < pair_count; ++k) {
        const ClothPair *pair = &pairs[k];
        Spring spring = spring_between(body->mesh.positions, pair->ends[0], pair->ends[1], 0);
        if (pair->kind == PAIR_EDGE)
            spring.stiffness = isnan(given->structural) && spring.rest_length > 0
                                   ? sheet * pair->area / (spring.rest_length * spring.rest_length)
                                   : base;
        else
            spring.stiffness = pair->kind == PAIR_DIAGONAL ? shear : bending;
        /* two corners of folded faces may coincide: no error of the mesh, but there is no spring then */
        if (pair->kind != PAIR_EDGE && !(spring.rest_length > 0))
            continue;
        status = body_add_spring(desc, spring, place, body, message);
    }
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
        add_face_masses(&placed, mass_per_area, body->spring_masses);
        status = body_check_masses(body, place, message);
    }
    if (status == JN_OK)
        status = add_springs(desc, pairs, pair_count, thickness, place, body, message);
    free(pairs);
    return status;
}
