/* Solids of springs, as in Michels, Luan, Tokman 2017, section 4.1: structural springs along the edges of the tets, and
   diagonal springs from each corner of a tet to the centre of the face across, which keep it from collapsing.

   Where no stiffness is given, every spring of a tet of volume V has 0.6 E V / l^2, l its length. For springs in all
   directions, with S the sum of k l^2 per volume, the mean over directions n of S/2 (n.e n)^2 is the energy of an
   isotropic solid of Lame's parameters S/15 and S/15; so S = 6 E, shared by the ten springs of a tet, gives Young's
   modulus E and Poisson's ratio 1/4. The material's own Poisson's ratio is not used. */
#include "bodies/body_kind.h"
#include "elastic/tet_elements.h"

#include "base/status.h"
#include "geometry/array.h"
#include "geometry/index_sort.h"

#include <math.h>
#include <stdlib.h>

BODY_KIND(spring_solid);

static const double SPRINGS_SHARE = 0.6;
enum { TET_EDGES = 6 };
static const int edge_ends[TET_EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

JnStatus spring_solid_check(const JnBody *desc, const char *place, JnMessage *message) {
    (void)desc, (void)place, (void)message;
    return JN_OK;
}

/* ends: [tet_count * 6 * 2], ascending in each pair. */
static void collect_edges(const TetMesh *mesh, uint32_t *ends) {
    for (size_t t = 0; t < mesh->tet_count; ++t)
        for (size_t e = 0; e < TET_EDGES; ++e) {
            uint32_t a = mesh->tet_vertices[4 * t + (size_t)edge_ends[e][0]];
            uint32_t b = mesh->tet_vertices[4 * t + (size_t)edge_ends[e][1]];
            uint32_t *pair = ends + 2 * (TET_EDGES * t + e);
            pair[0] = a < b ? a : b;
            pair[1] = a < b ? b : a;
        }
}

/* Young's modulus, for springs whose stiffness is derived from the tet's volume. */
static double derived(const JnBody *desc, const TetMesh *mesh, size_t tet, double length) {
    double volume = tet_volume(mesh->positions, mesh->tet_vertices + 4 * tet);
    return SPRINGS_SHARE * desc->material.young_modulus * volume / (length * length);
}

/* One spring for each run of equal edges, with the sum of the stiffnesses from its tets. */
static JnStatus add_edges(const JnBody *desc, const uint32_t *ends, const uint32_t *order, const char *place,
                          Body *body, JnMessage *message) {
    size_t count = (size_t)body->mesh.tet_count * TET_EDGES;
    JnStatus status = JN_OK;
    for (size_t k = 0, end; status == JN_OK && k < count; k = end) {
        const uint32_t *pair = ends + 2 * (size_t)order[k];
        Spring spring = spring_between(body->mesh.positions, pair[0], pair[1], 0);
        for (end = k; end < count; ++end) {
            const uint32_t *other = ends + 2 * (size_t)order[end];
            if (other[0] != pair[0] || other[1] != pair[1])
                break;
            spring.stiffness += derived(desc, &body->mesh, order[end] / TET_EDGES, spring.rest_length);
        }
        if (!isnan(desc->springs.structural))
            spring.stiffness = desc->springs.structural;
        spring.braced = true;
        status = body_add_spring(desc, spring, place, body, message);
    }
    return status;
}

static JnStatus add_diagonals(const JnBody *desc, const char *place, Body *body, JnMessage *message) {
    const JnSprings *given = &desc->springs;
    JnStatus status = JN_OK;
    for (size_t k = 0; status == JN_OK && k < (size_t)body->mesh.tet_count * 4; ++k) {
        const uint32_t *tet = body->mesh.tet_vertices + k / 4 * 4;
        const uint32_t across[3] = {tet[(k + 1) % 4], tet[(k + 2) % 4], tet[(k + 3) % 4]};
        Spring spring = spring_to_triangle(body->mesh.positions, tet[k % 4], across, 0);
        spring.stiffness = !isnan(given->shear)        ? given->shear
                           : !isnan(given->structural) ? given->structural
                                                       : derived(desc, &body->mesh, k / 4, spring.rest_length);
        spring.braced = true;
        status = body_add_spring(desc, spring, place, body, message);
    }
    return status;
}

static JnStatus add_masses(const JnBody *desc, Body *body, JnMessage *message) {
    double *densities = array_new(body->mesh.tet_count, sizeof *densities);
    if (!densities)
        return status_no_memory(message, "the springs");
    for (uint32_t t = 0; t < body->mesh.tet_count; ++t)
        densities[t] = desc->material.density;
    tet_elements_lump_mass(body->mesh.positions, body->mesh.tet_vertices, body->mesh.tet_count, densities,
                           body->spring_masses);
    free(densities);
    return JN_OK;
}

JnStatus spring_solid_build(const JnBody *desc, double metres_per_unit, const char *place, Body *body,
                            JnMessage *message) {
    JnStatus status = body_use_solid(desc, metres_per_unit, body, message);
    if (status != JN_OK)
        return status;
    if (body->mesh.tet_count > UINT32_MAX / (2 * TET_EDGES))
        return status_no_memory(message, "that many springs");
    size_t edges = (size_t)body->mesh.tet_count * TET_EDGES;
    uint32_t *ends = array_new(2 * edges, sizeof *ends), *order = NULL;
    if (ends) {
        collect_edges(&body->mesh, ends);
        order = index_sort_tuples(ends, edges, 2, body->mesh.vertex_count);
    }
    status = order ? body_reserve_springs(body->mesh.tet_count * (TET_EDGES + 4), body, message)
                   : status_no_memory(message, "the springs");
    if (status == JN_OK)
        status = add_masses(desc, body, message);
    if (status == JN_OK)
        status = add_edges(desc, ends, order, place, body, message);
    if (status == JN_OK)
        status = add_diagonals(desc, place, body, message);
    free(ends);
    free(order);
    return status;
}
