/* All bodies in one system of equations. */
#include "bake/assemble_internal.h"
#include "bake/attach.h"
#include "bodies/body_volume.h"

#include "base/status.h"
#include "elastic/mass_damping.h"
#include "elastic/rods.h"
#include "elastic/tet_elements.h"
#include "region/border_answer.h"
#include "system/jacobian.h"

#include <stdlib.h>
#include <string.h>

/* The bodies' arrays, one after the other. */
typedef struct Joined {
    double *rest;   /* [vertex_count * 3] */
    uint32_t *tets; /* [tet_count * 4] */
    const Material **laws;
    double *young_modulus, *poisson_ratio, *density, *stiffness_damping, *rest_follows; /* [tet_count] */
    uint32_t *body_of_tet;                                                              /* [tet_count] */
    double *damping_mass;                                                               /* [vertex_count] */
    Spring *springs;                                                                    /* [spring_count] */
    uint32_t *spring_vertices;                                                          /* [spring_count * 4] */
    RodSegment *rods;                                                                   /* [rod_count] */
    uint32_t *rod_vertices;                                                             /* [rod_count * 8] */
} Joined;

static void joined_free(Joined *joined) {
    void *arrays[] = {joined->rest,
                      joined->tets,
                      joined->laws,
                      joined->young_modulus,
                      joined->poisson_ratio,
                      joined->density,
                      joined->stiffness_damping,
                      joined->rest_follows,
                      joined->body_of_tet,
                      joined->damping_mass,
                      joined->springs,
                      joined->spring_vertices,
                      joined->rods,
                      joined->rod_vertices};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
}

static bool joined_allocate(Joined *joined, const BakeModel *model) {
    size_t vertex_count = model->vertex_count, tet_count = model->tet_count;
    size_t spring_count = model->spring_count, rod_count = model->rod_count;
    *joined = (Joined){.rest = malloc((vertex_count * 3 + 1) * sizeof(double)),
                       .tets = malloc((tet_count * 4 + 1) * sizeof(uint32_t)),
                       .laws = malloc((tet_count + 1) * sizeof(const Material *)),
                       .young_modulus = malloc((tet_count + 1) * sizeof(double)),
                       .poisson_ratio = malloc((tet_count + 1) * sizeof(double)),
                       .density = malloc((tet_count + 1) * sizeof(double)),
                       .stiffness_damping = malloc((tet_count + 1) * sizeof(double)),
                       .rest_follows = malloc((tet_count + 1) * sizeof(double)),
                       .body_of_tet = malloc((tet_count + 1) * sizeof(uint32_t)),
                       .damping_mass = malloc((vertex_count + 1) * sizeof(double)),
                       .springs = malloc((spring_count + 1) * sizeof(Spring)),
                       .spring_vertices = malloc((spring_count * 4 + 1) * sizeof(uint32_t)),
                       .rods = malloc((rod_count + 1) * sizeof(RodSegment)),
                       .rod_vertices = malloc((rod_count * ROD_VERTICES + 1) * sizeof(uint32_t))};
    return joined->rest && joined->tets && joined->laws && joined->young_modulus && joined->poisson_ratio &&
           joined->density && joined->stiffness_damping && joined->rest_follows && joined->body_of_tet &&
           joined->damping_mass && joined->springs && joined->spring_vertices && joined->rods && joined->rod_vertices;
}

static void join_springs(const Body *body, uint32_t body_index, size_t first_spring, Joined *joined) {
    for (size_t k = 0; k < body->spring_count; ++k) {
        Spring *spring = &joined->springs[first_spring + k];
        *spring = body->springs[k];
        spring->group = body_index;
        for (size_t a = 0; a < 4; ++a) {
            spring->vertices[a] += body->first_vertex;
            joined->spring_vertices[4 * (first_spring + k) + a] = spring->vertices[a];
        }
    }
}

static void join_rods(const Body *body, uint32_t body_index, size_t first_rod, Joined *joined) {
    for (size_t k = 0; k < body->rod_count; ++k) {
        RodSegment *rod = &joined->rods[first_rod + k];
        *rod = body->rods[k];
        rod->group = body_index;
        rod->sections[0] += body->first_vertex;
        rod->sections[1] += body->first_vertex;
        for (uint32_t i = 0; i < ROD_VERTICES; ++i)
            joined->rod_vertices[ROD_VERTICES * (first_rod + k) + i] = rod_vertex(rod, i);
    }
}

static void join_body(const Body *body, uint32_t body_index, size_t first_tet, Joined *joined) {
    const TetMesh *mesh = &body->mesh;
    memcpy(joined->rest + 3 * (size_t)body->first_vertex, mesh->positions,
           (size_t)mesh->vertex_count * 3 * sizeof(double));
    for (size_t t = 0; t < body->element_count; ++t) {
        double log_stiffness = 0, density = 0, damping = 0, rest_follows = 0;
        for (size_t a = 0; a < 4; ++a) {
            uint32_t v = mesh->tet_vertices[4 * t + a];
            log_stiffness += 0.25 * log(body->stiffness_factors[v]);
            density += 0.25 * body->density_factors[v];
            damping += 0.25 * body->damping_factors[v];
            rest_follows += 0.25 * body->rest_follows[v];
            joined->tets[4 * (first_tet + t) + a] = body->first_vertex + v;
        }
        joined->laws[first_tet + t] = body->law;
        joined->young_modulus[first_tet + t] = body->material.young_modulus * exp(log_stiffness);
        joined->poisson_ratio[first_tet + t] = body->material.poisson_ratio;
        joined->density[first_tet + t] = body->material.density * density;
        joined->stiffness_damping[first_tet + t] = body->material.stiffness_damping * damping;
        joined->rest_follows[first_tet + t] = rest_follows;
        joined->body_of_tet[first_tet + t] = body_index;
    }
}

/* Numbers vertices, elements, springs, rods and points through all bodies. */
static JnStatus number_bodies(JnBake *bake, JnMessage *message) {
    uint64_t vertices = 0, tets = 0, springs = 0, rods = 0, points = 0;
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        bake->model.bodies[b].first_vertex = (uint32_t)vertices;
        bake->model.bodies[b].first_point = (uint32_t)points;
        vertices += bake->model.bodies[b].mesh.vertex_count;
        tets += bake->model.bodies[b].element_count;
        springs += bake->model.bodies[b].spring_count;
        rods += bake->model.bodies[b].rod_count;
        points += bake->model.bodies[b].point_count;
    }
    if (vertices > INT32_MAX / 3 || tets > INT32_MAX / 16 || springs > INT32_MAX / 16 ||
        rods > INT32_MAX / ROD_BLOCKS || points > INT32_MAX / 4)
        return status_no_memory(message, "that many vertices");
    bake->model.vertex_count = (uint32_t)vertices;
    bake->model.tet_count = (uint32_t)tets;
    bake->model.spring_count = (uint32_t)springs;
    bake->model.rod_count = (uint32_t)rods;
    bake->model.point_count = (uint32_t)points;
    return JN_OK;
}

/* Masses and mass damping per vertex. */
static JnStatus fill_vertices(JnBake *bake, Joined *joined, JnMessage *message) {
    System *system = &bake->model.system;
    system->masses = calloc((size_t)bake->model.vertex_count + 1, sizeof(double));
    if (!system->masses)
        return status_no_memory(message, "the simulated vertices");
    tet_elements_lump_mass(joined->rest, joined->tets, bake->model.tet_count, joined->density, system->masses);
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        for (uint32_t k = 0; k < body->mesh.vertex_count; ++k) {
            uint32_t v = body->first_vertex + k;
            if (body->spring_masses)
                system->masses[v] = body->spring_masses[k];
            joined->damping_mass[v] = body->material.mass_damping * body->damping_factors[k] * system->masses[v];
        }
    }
    return JN_OK;
}

/* The consistent mass. Mass that does not come from tets stays lumped at its vertex. */
static JnStatus create_consistent_mass(JnBake *bake, const Joined *joined, JnMessage *message) {
    System *system = &bake->model.system;
    const BlockMatrix *pattern = &system->pattern;
    double *missing = malloc(((size_t)bake->model.vertex_count + 1) * sizeof *missing);
    system->mass_blocks = calloc((size_t)pattern->block_count + 1, sizeof(double));
    if (!system->mass_blocks || !missing) {
        free(missing);
        return status_no_memory(message, "the consistent mass");
    }
    tet_elements_consistent_mass(joined->rest, joined->tets, bake->model.tet_count, joined->density, pattern,
                                 system->mass_blocks);
    memcpy(missing, system->masses, (size_t)bake->model.vertex_count * sizeof *missing);
    for (uint32_t column = 0; column < bake->model.vertex_count; ++column)
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k) {
            missing[column] -= system->mass_blocks[k];
            missing[pattern->rows[k]] -= pattern->rows[k] != column ? system->mass_blocks[k] : 0;
        }
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        system->mass_blocks[pattern->column_starts[v]] += missing[v];
    free(missing);
    return JN_OK;
}

/* The damping of a consistent mass, which the elements then do not add. */
static JnStatus create_mass_damping(System *system, Joined *joined, JnMessage *message) {
    for (uint32_t v = 0; v < system->vertex_count; ++v)
        joined->damping_mass[v] /= system->masses[v];
    JnStatus status = mass_damping_create(&system->pattern, system->mass_blocks, joined->damping_mass,
                                          system_next_term(system), message);
    memset(joined->damping_mass, 0, (size_t)system->vertex_count * sizeof(double));
    return system_keep_term(system, status, message);
}

/* The tets, and the volume patches of nearly incompressible materials. */
static JnStatus create_elastic_terms(JnBake *bake, const Joined *joined, const BodyVolume *volume, JnMessage *message) {
    System *system = &bake->model.system;
    const ForceTerm *tets = system_next_term(system);
    bake->model.elastic_term = system->term_count;
    TetElementsDesc elements = {.vertex_count = bake->model.vertex_count,
                                .tet_count = bake->model.tet_count,
                                .rest_positions = joined->rest,
                                .tet_vertices = joined->tets,
                                .laws = joined->laws,
                                .young_modulus = volume->young_modulus,
                                .poisson_ratio = volume->poisson_ratio,
                                .stiffness_damping = joined->stiffness_damping,
                                .damping_mass = joined->damping_mass,
                                .groups = joined->body_of_tet,
                                .group_count = bake->model.body_count,
                                .rest_follows = joined->rest_follows};
    JnStatus status = system_keep_term(
        system, tet_elements_create(&elements, &system->pattern, system_next_term(system), message), message);
    if (status != JN_OK || volume->patches.patch_count == 0)
        return status;
    VolumePatchesDesc patches = {.vertex_count = bake->model.vertex_count,
                                 .tet_count = bake->model.tet_count,
                                 .rest_positions = joined->rest,
                                 .tet_vertices = joined->tets,
                                 .laws = joined->laws,
                                 .young_modulus = joined->young_modulus,
                                 .poisson_ratio = joined->poisson_ratio,
                                 .stiffness_damping = joined->stiffness_damping,
                                 .groups = joined->body_of_tet,
                                 .group_count = bake->model.body_count,
                                 .patches = &volume->patches,
                                 .elements = tets};
    return system_keep_term(
        system, volume_patches_create(&patches, &system->pattern, system_next_term(system), message), message);
}

static JnStatus create_terms(JnBake *bake, const JnBakeDesc *desc, Joined *joined, const BodyVolume *volume,
                             const Attachments *attached, JnMessage *message) {
    System *system = &bake->model.system;
    JnStatus status = system->mass_blocks ? create_mass_damping(system, joined, message) : JN_OK;
    if (status == JN_OK)
        status = create_elastic_terms(bake, joined, volume, message);
    if (status == JN_OK && bake->model.spring_count > 0)
        status = system_keep_term(system,
                                  springs_create(joined->rest, system->vertex_count, joined->springs,
                                                 bake->model.spring_count, bake->model.body_count, &system->pattern,
                                                 system_next_term(system), message),
                                  message);
    if (status == JN_OK && bake->model.rod_count > 0)
        status = system_keep_term(system,
                                  rods_create(joined->rest, system->masses, system->vertex_count, joined->rods,
                                              bake->model.rod_count, bake->model.body_count, &system->pattern,
                                              system_next_term(system), message),
                                  message);
    if (status == JN_OK)
        status = system_keep_term(
            system, loads_create(system->vertex_count, system->masses, system_next_term(system), message), message);
    if (status == JN_OK)
        status =
            system_keep_term(system, goals_create(system->vertex_count, system_next_term(system), message), message);
    if (status == JN_OK && attached->count > 0)
        status = system_keep_term(
            system, attachments_create(attached->list, attached->count, system_next_term(system), message), message);
    if (status == JN_OK && desc->air_density > 0)
        status = system_keep_term(system, air_create(&bake->model.points, system_next_term(system), message), message);
    if (status == JN_OK && bake->model.field_count > 0)
        status = system_keep_term(system,
                                  force_fields_create(system->vertex_count, system->masses, bake->model.fields,
                                                      bake->model.field_count, system_next_term(system), message),
                                  message);
    if (status == JN_OK && fast_regions_painted(bake))
        status = system_keep_term(system, border_answer_create(system->vertex_count, system_next_term(system), message),
                                  message);
    return status == JN_OK ? assemble_contact(bake, desc, message) : status;
}

/* The view that time steps are taken in. */
static JnStatus create_view(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    uint8_t *roles = malloc((size_t)bake->model.vertex_count + 1);
    if (!roles)
        return status_no_memory(message, "the simulated vertices");
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        for (uint32_t k = 0; k < body->mesh.vertex_count; ++k)
            roles[body->first_vertex + k] = body->pinned_vertices[k] ? VERTEX_PINNED : VERTEX_FREE;
    }
    ViewDesc view = {
        .system = &bake->model.system, .roles = roles, .stiffness = desc->safeguards ? STIFFNESS_SAFE : STIFFNESS_RAW};
    JnStatus status = view_create(&view, &bake->motion.view, message);
    free(roles);
    return status == JN_OK ? view_make_jacobian(bake->motion.view, desc->reuse_factor, message) : status;
}

/* The pattern of all couplings, masses and terms. */
static JnStatus build_system(JnBake *bake, const JnBakeDesc *desc, Joined *joined, JnMessage *message) {
    System *system = &bake->model.system;
    system->vertex_count = bake->model.vertex_count;
    system->pool = bake->model.pool;
    system->world = inputs_world(bake);
    BodyVolume volume = {0};
    Attachments attached = {0};
    JnTets mesh = {bake->model.vertex_count, bake->model.tet_count, joined->rest, joined->tets};
    JnStatus status = body_volume_build(bake->model.bodies, bake->model.body_count, &mesh, joined->young_modulus,
                                        joined->poisson_ratio, &volume, message);
    if (status == JN_OK)
        status = attachments_list(bake, &attached, message);
    VertexGroups coupled[] = {vertex_groups_of_tets(joined->tets, bake->model.tet_count),
                              {attached.count, ATTACHMENT_VERTICES, NULL, attached.vertices},
                              body_volume_groups(&volume),
                              {bake->model.spring_count, 4, NULL, joined->spring_vertices},
                              {bake->model.rod_count, ROD_VERTICES, NULL, joined->rod_vertices}};
    if (status == JN_OK)
        status = block_matrix_build(bake->model.vertex_count, coupled, sizeof coupled / sizeof coupled[0],
                                    &system->pattern, message);
    if (status == JN_OK)
        block_matrix_drop_values(&system->pattern);
    if (status == JN_OK && desc->consistent_mass)
        status = create_consistent_mass(bake, joined, message);
    if (status == JN_OK)
        status = create_terms(bake, desc, joined, &volume, &attached, message);
    attachments_free(&attached);
    body_volume_free(&volume);
    return status;
}

JnStatus assemble_system(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    JnStatus status = number_bodies(bake, message);
    if (status != JN_OK)
        return status;
    Joined joined;
    if (!joined_allocate(&joined, &bake->model))
        status = status_no_memory(message, "the simulation mesh");
    size_t first_tet = 0, first_spring = 0, first_rod = 0;
    for (uint32_t b = 0; status == JN_OK && b < bake->model.body_count; ++b) {
        join_body(&bake->model.bodies[b], b, first_tet, &joined);
        join_springs(&bake->model.bodies[b], b, first_spring, &joined);
        join_rods(&bake->model.bodies[b], b, first_rod, &joined);
        first_tet += bake->model.bodies[b].element_count;
        first_rod += bake->model.bodies[b].rod_count;
        first_spring += bake->model.bodies[b].spring_count;
    }
    if (status == JN_OK)
        status = fill_vertices(bake, &joined, message);
    if (status == JN_OK)
        status = assemble_points(bake, joined.rest, message);
    if (status == JN_OK)
        status = build_system(bake, desc, &joined, message);
    joined_free(&joined);
    return status == JN_OK ? create_view(bake, desc, message) : status;
}

void assemble_free(JnBake *bake) {
    view_destroy(bake->motion.view);
    system_free(&bake->model.system);
    embedding_free(&bake->model.points.embedding);
    free(bake->model.areas);
    free(bake->model.triangles);
    free(bake->model.curve_neighbours);
    free(bake->model.rest_points);
    free(bake->model.contact_bodies);
}
