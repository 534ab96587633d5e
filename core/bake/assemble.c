/* All bodies in one system of equations. */
#include "bake/bake_internal.h"
#include "bodies/body_volume.h"

#include "base/math3.h"
#include "base/status.h"
#include "elastic/mass_damping.h"

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
                      joined->spring_vertices};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
}

static bool joined_allocate(Joined *joined, size_t vertex_count, size_t tet_count, size_t spring_count) {
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
                       .spring_vertices = malloc((spring_count * 4 + 1) * sizeof(uint32_t))};
    return joined->rest && joined->tets && joined->laws && joined->young_modulus && joined->poisson_ratio &&
           joined->density && joined->stiffness_damping && joined->rest_follows && joined->body_of_tet &&
           joined->damping_mass && joined->springs && joined->spring_vertices;
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

/* Numbers vertices, elements, springs and points through all bodies. */
static JnStatus number_bodies(JnBake *bake, JnMessage *message) {
    uint64_t vertices = 0, tets = 0, springs = 0, points = 0;
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        bake->bodies[b].first_vertex = (uint32_t)vertices;
        bake->bodies[b].first_point = (uint32_t)points;
        vertices += bake->bodies[b].mesh.vertex_count;
        tets += bake->bodies[b].element_count;
        springs += bake->bodies[b].spring_count;
        points += bake->bodies[b].point_count;
    }
    if (vertices > INT32_MAX / 3 || tets > INT32_MAX / 16 || springs > INT32_MAX / 16 || points > INT32_MAX / 4)
        return status_no_memory(message, "that many vertices");
    bake->vertex_count = (uint32_t)vertices;
    bake->tet_count = (uint32_t)tets;
    bake->spring_count = (uint32_t)springs;
    bake->point_count = (uint32_t)points;
    return JN_OK;
}

static uint32_t triangle_total(const JnBake *bake) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < bake->body_count; ++b)
        count += bake->bodies[b].corner_count - 2 * bake->bodies[b].face_count;
    return count;
}

/* Fans the faces of all bodies into triangles of points. */
static void join_triangles(JnBake *bake) {
    uint32_t *triangle = bake->triangles;
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        const Body *body = &bake->bodies[b];
        const int32_t *face = body->face_vertices;
        for (uint32_t f = 0; f < body->face_count; face += body->face_sizes[f++])
            for (int32_t k = 2; k < body->face_sizes[f]; ++k, triangle += 3) {
                const int32_t corners[3] = {face[0], face[k - 1], face[k]};
                for (int c = 0; c < 3; ++c)
                    triangle[c] = body->first_point +
                                  (body->cached_points ? body->cached_points[corners[c]] : (uint32_t)corners[c]);
            }
    }
}

/* A third of the area of every triangle to each of its points, and what curves have of it. */
static void add_areas(JnBake *bake, const double *rest_points) {
    for (size_t t = 0; t < bake->points.triangle_count; ++t) {
        const uint32_t *corners = bake->triangles + 3 * t;
        double ab[3], ac[3], cross[3];
        vec3_sub(rest_points + 3 * (size_t)corners[1], rest_points + 3 * (size_t)corners[0], ab);
        vec3_sub(rest_points + 3 * (size_t)corners[2], rest_points + 3 * (size_t)corners[0], ac);
        vec3_cross(ab, ac, cross);
        for (int c = 0; c < 3; ++c)
            bake->areas[corners[c]] += vec3_length(cross) / 6;
    }
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        const Body *body = &bake->bodies[b];
        for (uint32_t p = 0; body->curve_areas && p < body->point_count; ++p)
            bake->areas[body->first_point + p] += body->curve_areas[p];
    }
}

/* All points on the system's vertices, with the surface between them. */
static JnStatus join_points(JnBake *bake, const double *rest, JnMessage *message) {
    size_t points = bake->point_count;
    Embedding *embedding = &bake->points.embedding;
    embedding->point_count = bake->point_count;
    embedding->vertices = malloc((points * 4 + 1) * sizeof(uint32_t));
    embedding->weights = malloc((points * 4 + 1) * sizeof(double));
    bake->points.triangle_count = triangle_total(bake);
    bake->triangles = malloc(((size_t)bake->points.triangle_count * 3 + 1) * sizeof(uint32_t));
    bake->areas = calloc(points + 1, sizeof(double));
    double *rest_points = malloc((points * 3 + 1) * sizeof(double));
    if (!embedding->vertices || !embedding->weights || !bake->triangles || !bake->areas || !rest_points) {
        free(rest_points);
        return status_no_memory(message, "the bodies' points");
    }
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        const Body *body = &bake->bodies[b];
        size_t first = 4 * (size_t)body->first_point;
        for (size_t k = 0; k < 4 * (size_t)body->point_count; ++k) {
            embedding->vertices[first + k] = body->first_vertex + body->embedding.vertices[k];
            embedding->weights[first + k] = body->embedding.weights[k];
        }
        bake->points.bounding_size = fmax(bake->points.bounding_size, body->bounding_size);
    }
    embedding_apply(embedding, rest, rest_points);
    join_triangles(bake);
    add_areas(bake, rest_points);
    bake->points.triangles = bake->triangles;
    bake->points.areas = bake->areas;
    free(rest_points);
    return JN_OK;
}

/* Masses, pins and mass damping per vertex; room for what inputs_set_time fills. */
static JnStatus fill_vertices(JnBake *bake, Joined *joined, JnMessage *message) {
    System *system = &bake->system;
    size_t n = (size_t)bake->vertex_count + 1;
    system->masses = calloc(n, sizeof(double));
    system->fixed = calloc(n, 1);
    bake->goal_stiffness = calloc(n, sizeof(double));
    bake->targets = calloc(3 * n, sizeof(double));
    bake->forces = calloc(3 * n, sizeof(double));
    bake->target_velocities = calloc(3 * n, sizeof(double));
    if (!system->masses || !system->fixed || !bake->goal_stiffness || !bake->targets || !bake->forces ||
        !bake->target_velocities)
        return status_no_memory(message, "the simulated vertices");
    tet_elements_lump_mass(joined->rest, joined->tets, bake->tet_count, joined->density, system->masses);
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        const Body *body = &bake->bodies[b];
        for (uint32_t k = 0; body->spring_masses && k < body->mesh.vertex_count; ++k)
            system->masses[body->first_vertex + k] = body->spring_masses[k];
    }
    memcpy(bake->targets, joined->rest, (size_t)bake->vertex_count * 3 * sizeof(double));
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        const Body *body = &bake->bodies[b];
        for (uint32_t k = 0; k < body->mesh.vertex_count; ++k) {
            uint32_t v = body->first_vertex + k;
            system->fixed[v] = body->pinned_vertices[k];
            joined->damping_mass[v] = body->material.mass_damping * body->damping_factors[k] * system->masses[v];
        }
    }
    return JN_OK;
}

/* Contact numbers that were left to the core: a body's own weight sinks it by about a thousandth of its size, and the
   thickness hides that, so that it rests where the artist put the floor. */
static void choose_contact(JnBake *bake, const JnBakeDesc *desc) {
    Settings *settings = &bake->settings;
    double size = bake->points.bounding_size, stiffness = 0;
    double gravity = fmax(vec3_length(desc->gravity), 9.81);
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        const JnMaterial *material = &bake->bodies[b].material;
        stiffness = fmax(stiffness, 1000 * material->density * gravity);
        if (bake->bodies[b].element_count) /* what is thin gives way before it is squeezed */
            stiffness = fmax(stiffness, 10 * material->young_modulus / size);
    }
    settings->contact_thickness =
        isnan(desc->contact.thickness) ? 1e-3 * size : desc->contact.thickness * desc->metres_per_unit;
    settings->contact_stiffness = isnan(desc->contact.stiffness) ? stiffness : desc->contact.stiffness;
    settings->smoothing_speed = desc->contact.smoothing_speed;
}

static JnStatus create_contact(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    choose_contact(bake, desc);
    System *system = &bake->system;
    system->contact_term = SYSTEM_TERM_CAPACITY;
    if (bake->collider_count == 0)
        return JN_OK;
    const void *method = NULL;
    JnStatus status = table_find(&contact_table, desc->contact.method, "desc.contact.method", &method, message);
    if (status != JN_OK)
        return status;
    bake->contact_method = method;
    ContactDesc contact = {&bake->points,
                           bake->colliders,
                           bake->collider_count,
                           bake->settings.contact_thickness,
                           bake->settings.contact_stiffness,
                           bake->settings.smoothing_speed};
    status = bake->contact_method->create(&contact, &system->terms[system->term_count], message);
    if (status == JN_OK)
        system->contact_term = system->term_count++;
    return status;
}

/* The consistent mass, with its damping, which the elements then leave alone. What of a vertex's mass is not the tets'
   stays at the vertex. */
static JnStatus create_consistent_mass(JnBake *bake, const Joined *joined, JnMessage *message) {
    System *system = &bake->system;
    const BlockMatrix *matrix = &system->matrix;
    double *damping_rates = joined->damping_mass;
    double *missing = malloc(((size_t)bake->vertex_count + 1) * sizeof *missing);
    system->mass_blocks = calloc((size_t)matrix->block_count + 1, sizeof(double));
    if (!system->mass_blocks || !missing) {
        free(missing);
        return status_no_memory(message, "the consistent mass");
    }
    tet_elements_consistent_mass(joined->rest, joined->tets, bake->tet_count, joined->density, matrix,
                                 system->mass_blocks);
    memcpy(missing, system->masses, (size_t)bake->vertex_count * sizeof *missing);
    for (uint32_t column = 0; column < bake->vertex_count; ++column)
        for (uint32_t k = matrix->column_starts[column]; k < matrix->column_starts[column + 1]; ++k) {
            missing[column] -= system->mass_blocks[k];
            missing[matrix->rows[k]] -= matrix->rows[k] != column ? system->mass_blocks[k] : 0;
        }
    for (uint32_t v = 0; v < bake->vertex_count; ++v) {
        system->mass_blocks[matrix->column_starts[v]] += missing[v];
        damping_rates[v] /= system->masses[v];
    }
    free(missing);
    JnStatus status =
        mass_damping_create(matrix, system->mass_blocks, damping_rates, &system->terms[system->term_count], message);
    system->term_count += status == JN_OK;
    memset(joined->damping_mass, 0, (size_t)bake->vertex_count * sizeof(double));
    return status;
}

/* The tets, and where the material is nearly incompressible what they share of their volume change. */
static JnStatus create_elastic_terms(JnBake *bake, const Joined *joined, const BodyVolume *volume, JnMessage *message) {
    System *system = &bake->system;
    TetElementsDesc elements = {.vertex_count = bake->vertex_count,
                                .tet_count = bake->tet_count,
                                .rest_positions = joined->rest,
                                .tet_vertices = joined->tets,
                                .laws = joined->laws,
                                .young_modulus = volume->young_modulus,
                                .poisson_ratio = volume->poisson_ratio,
                                .stiffness_damping = joined->stiffness_damping,
                                .damping_mass = joined->damping_mass,
                                .groups = joined->body_of_tet,
                                .group_count = bake->body_count,
                                .rest_follows = joined->rest_follows};
    JnStatus status = tet_elements_create(&elements, &system->matrix, &system->terms[system->term_count], message);
    bake->elements = &system->terms[system->term_count];
    system->term_count += status == JN_OK;
    if (status == JN_OK && volume->patches.patch_count > 0) {
        VolumePatchesDesc patches = {.vertex_count = bake->vertex_count,
                                     .tet_count = bake->tet_count,
                                     .rest_positions = joined->rest,
                                     .tet_vertices = joined->tets,
                                     .laws = joined->laws,
                                     .young_modulus = joined->young_modulus,
                                     .poisson_ratio = joined->poisson_ratio,
                                     .stiffness_damping = joined->stiffness_damping,
                                     .groups = joined->body_of_tet,
                                     .group_count = bake->body_count,
                                     .patches = &volume->patches};
        status = volume_patches_create(&patches, &system->matrix, &system->terms[system->term_count], message);
        bake->volume = &system->terms[system->term_count];
        system->term_count += status == JN_OK;
    }
    return status;
}

static JnStatus create_terms(JnBake *bake, const JnBakeDesc *desc, const Joined *joined, const BodyVolume *volume,
                             JnMessage *message) {
    System *system = &bake->system;
    bake->inputs.targets = bake->targets;
    bake->inputs.forces = bake->forces;
    memcpy(bake->inputs.gravity, desc->gravity, sizeof desc->gravity);
    memcpy(bake->inputs.wind, desc->wind, sizeof desc->wind);
    bake->inputs.air_density = desc->air_density;
    JnStatus status = create_elastic_terms(bake, joined, volume, message);
    if (status == JN_OK && bake->spring_count > 0) {
        status = springs_create(joined->rest, bake->vertex_count, joined->springs, bake->spring_count, bake->body_count,
                                &system->matrix, &system->terms[system->term_count], message);
        bake->springs = &system->terms[system->term_count];
        system->term_count += status == JN_OK;
    }
    if (status == JN_OK) {
        bake->load_term = system->term_count;
        status = loads_create(bake->vertex_count, system->masses, &bake->inputs, &system->terms[system->term_count],
                              message);
        system->term_count += status == JN_OK;
    }
    if (status == JN_OK) {
        status = goals_create(bake->vertex_count, bake->goal_stiffness, &bake->inputs,
                              &system->terms[system->term_count], message);
        system->term_count += status == JN_OK;
    }
    if (status == JN_OK && desc->air_density > 0) {
        status = air_create(&bake->points, &bake->inputs, &system->terms[system->term_count], message);
        system->term_count += status == JN_OK;
    }
    for (uint32_t b = 0; status == JN_OK && b < bake->body_count; ++b)
        inputs_set_keys(bake, b, 1);
    return status == JN_OK ? create_contact(bake, desc, message) : status;
}

JnStatus assemble_system(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    System *system = &bake->system;
    JnStatus status = number_bodies(bake, message);
    if (status != JN_OK)
        return status;
    Joined joined;
    if (!joined_allocate(&joined, bake->vertex_count, bake->tet_count, bake->spring_count))
        status = status_no_memory(message, "the simulation mesh");
    size_t first_tet = 0, first_spring = 0;
    for (uint32_t b = 0; status == JN_OK && b < bake->body_count; ++b) {
        join_body(&bake->bodies[b], b, first_tet, &joined);
        join_springs(&bake->bodies[b], b, first_spring, &joined);
        first_tet += bake->bodies[b].element_count;
        first_spring += bake->bodies[b].spring_count;
    }
    if (status == JN_OK)
        status = fill_vertices(bake, &joined, message);
    if (status == JN_OK)
        status = join_points(bake, joined.rest, message);
    BodyVolume volume = {0};
    JnTets mesh = {bake->vertex_count, bake->tet_count, joined.rest, joined.tets};
    if (status == JN_OK)
        status = body_volume_build(bake->bodies, bake->body_count, &mesh, joined.young_modulus, joined.poisson_ratio,
                                   &volume, message);
    VertexGroups coupled[] = {vertex_groups_of_tets(joined.tets, bake->tet_count),
                              body_volume_groups(&volume),
                              {bake->spring_count, 4, NULL, joined.spring_vertices}};
    if (status == JN_OK)
        status = block_matrix_build(bake->vertex_count, coupled, sizeof coupled / sizeof coupled[0], &system->matrix,
                                    message);
    if (status == JN_OK && desc->consistent_mass)
        status = create_consistent_mass(bake, &joined, message);
    if (status == JN_OK)
        status = create_terms(bake, desc, &joined, &volume, message);
    if (status == JN_OK)
        status =
            solver_create(&(SolverDesc){.pattern = &system->matrix, .fixed = system->fixed}, &system->solver, message);
    if (status == JN_OK)
        solver_allow_reuse(system->solver, desc->reuse_factor);
    system->vertex_count = bake->vertex_count;
    system->pool = bake->pool;
    system->set_time = inputs_set_time;
    system->should_stop = bake_is_cancelled;
    system->owner = bake;
    system->pin_targets = bake->targets;
    system->pin_velocities = bake->target_velocities;
    body_volume_free(&volume);
    joined_free(&joined);
    return status;
}

void assemble_free(JnBake *bake) {
    system_free(&bake->system);
    embedding_free(&bake->points.embedding);
    free(bake->areas);
    free(bake->triangles);
    free(bake->goal_stiffness);
    free(bake->targets);
    free(bake->forces);
    free(bake->target_velocities);
}
