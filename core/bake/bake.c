/* A bake from begin to end; frame.c advances it in between. */
#include "bake/bake_internal.h"

#include "base/os/os.h"
#include "base/status.h"
#include "settings/desc_hash.h"
#include "settings/validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ begin */

static void keep_settings(JnBake *bake, const JnBakeDesc *desc) {
    Settings *settings = &bake->settings;
    settings->fps = desc->fps;
    settings->first_frame = desc->first_frame;
    settings->metres_per_unit = desc->metres_per_unit;
    settings->frame_count = desc->frame_count;
    settings->steps_per_frame = desc->steps_per_frame;
    settings->samples_per_frame = desc->samples_per_frame;
    settings->write_velocities = desc->write_velocities;
    settings->up_axis = desc->up_axis;
    settings->thread_count = desc->thread_count ? desc->thread_count : os_processor_count();
    memcpy(settings->gravity, desc->gravity, sizeof settings->gravity);
    memcpy(settings->wind, desc->wind, sizeof settings->wind);
    settings->air_density = desc->air_density;
    settings->error_tolerance = desc->error_tolerance;
    settings->safeguards = desc->safeguards;
    memcpy(bake->gravity_from, desc->gravity, sizeof bake->gravity_from);
}

static JnStatus build_bodies(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    bake->bodies = calloc(desc->body_count, sizeof *bake->bodies);
    if (!bake->bodies)
        return status_no_memory(message, "bodies");
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        char place[PLACE_CAPACITY];
        snprintf(place, sizeof place, "bodies[%u]", b);
        JnStatus status = body_build(&desc->bodies[b], desc->metres_per_unit, place, &bake->bodies[b], message);
        if (status != JN_OK)
            return status;
        bake->body_count = b + 1;
    }
    return JN_OK;
}

static JnStatus build_colliders(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    size_t count = (size_t)desc->collider_count + 1;
    bake->colliders = calloc(count, sizeof *bake->colliders);
    bake->collider_from = calloc(count, sizeof *bake->collider_from);
    bake->collider_to = calloc(count, sizeof *bake->collider_to);
    if (!bake->colliders || !bake->collider_from || !bake->collider_to)
        return status_no_memory(message, "colliders");
    bake->collider_count = desc->collider_count;
    for (uint32_t c = 0; c < desc->collider_count; ++c) {
        char place[PLACE_CAPACITY];
        snprintf(place, sizeof place, "colliders[%u]", c);
        memcpy(bake->collider_from[c], identity, sizeof identity);
        JnStatus status =
            collider_create(&desc->colliders[c], desc->metres_per_unit, place, &bake->colliders[c], message);
        if (status != JN_OK)
            return status;
    }
    return JN_OK;
}

static JnStatus allocate_state(JnBake *bake, JnMessage *message) {
    size_t n = (size_t)bake->vertex_count * 3 + 1, points = (size_t)bake->point_count * 3 + 1;
    bake->state.q = calloc(n, sizeof(double));
    bake->state.v = calloc(n, sizeof(double));
    bake->whole_step = calloc(n, sizeof(double));
    bake->point_scratch = calloc(points, sizeof(double));
    bake->cached_velocities = calloc(points, sizeof(double));
    bake->written = calloc(bake->body_count, sizeof *bake->written);
    bool ok = bake->state.q && bake->state.v && bake->whole_step && bake->point_scratch && bake->cached_velocities &&
              bake->written;
    for (uint32_t b = 0; ok && b < bake->body_count; ++b) {
        bake->written[b] = calloc((size_t)bake->bodies[b].cached_count * 3 + 1, sizeof(double));
        ok = bake->written[b] != NULL;
    }
    return ok ? JN_OK : status_no_memory(message, "the motion's state");
}

static JnStatus open_output(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    if (!desc->output_path)
        return JN_OK;
    size_t length = strlen(desc->output_path) + sizeof ".resume";
    bake->checkpoint_path = malloc(length);
    if (!bake->checkpoint_path)
        return status_no_memory(message, "the cache's path");
    snprintf(bake->checkpoint_path, length, "%s.resume", desc->output_path);
    if (!desc->resume) {
        JnStatus created = cache_create(bake, desc, message);
        /* a checkpoint of an older bake must not outlive the cache that it belongs to */
        if (created == JN_OK)
            checkpoint_remove(bake);
        return created;
    }
    /* a job that is started again after it was done has nothing to do */
    if (cache_is_complete(bake, desc)) {
        bake->frames_done = desc->frame_count;
        return JN_OK;
    }
    JnStatus status = checkpoint_load(bake, message);
    return status == JN_OK ? cache_reopen(bake, desc, message) : status;
}

static JnStatus prepare_integrator(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    bake->method_options = (MethodOptions){bake->integrator->variant, desc->spectral_radius};
    return bake->integrator->prepare(&bake->system, &bake->method_options, &bake->integrator_self, message);
}

JnStatus bake_prepare(const JnBakeDesc *desc, JnBake **out, JnMessage *message) {
    *out = NULL;
    status_clear(message);
    JnStatus status = validate_desc(desc, message);
    if (status != JN_OK)
        return status;
    JnBake *bake = calloc(1, sizeof *bake);
    if (!bake)
        return status_no_memory(message, "the bake");
    double since = os_clock_seconds();
    const void *integrator = NULL;
    keep_settings(bake, desc);
    bake->last_residual = NAN;
    bake->pool = pool_create(bake->settings.thread_count);
    bake->input_hash = hash_desc(desc);
    status = table_find(&integrator_table, desc->integrator, "desc.integrator", &integrator, message);
    bake->integrator = integrator;
    if (status == JN_OK)
        status = build_bodies(bake, desc, message);
    if (status == JN_OK)
        status = build_colliders(bake, desc, message);
    if (status == JN_OK)
        status = assemble_system(bake, desc, message);
    if (status == JN_OK)
        status = damping_convert(bake, message);
    bake->system.raw = !desc->safeguards;
    if (status == JN_OK)
        status = allocate_state(bake, message);
    if (status == JN_OK)
        status = prepare_integrator(bake, desc, message);
    if (status == JN_OK)
        status = open_output(bake, desc, message);
    bake->total_seconds += os_clock_seconds() - since;
    if (status != JN_OK)
        jn_bake_end(bake, NULL);
    else
        *out = bake;
    return status;
}

JnStatus jn_bake_begin(const JnBakeDesc *desc, JnBake **bake, JnMessage *message) {
    if (!bake)
        return status_fail(message, JN_ERR_ARGUMENT, "bake is NULL: give a place for the new bake");
    return bake_prepare(desc, bake, message);
}

const Body *bake_body_of_vertex(const JnBake *bake, uint32_t vertex) {
    uint32_t b = bake->body_count - 1;
    while (b > 0 && bake->bodies[b].first_vertex > vertex)
        --b;
    return &bake->bodies[b];
}

void bake_modelled_positions(const JnBake *bake, double *positions) {
    for (const Body *body = bake->bodies; body < bake->bodies + bake->body_count; ++body)
        memcpy(positions + 3 * (size_t)body->first_vertex, body->mesh.positions,
               (size_t)body->mesh.vertex_count * 3 * sizeof *positions);
}

double jn_bake_next_frame(const JnBake *bake) {
    return bake ? bake->settings.first_frame + bake->frames_done : NAN;
}

bool bake_is_cancelled(void *owner) {
    return ((JnBake *)owner)->cancelled != 0;
}

void jn_bake_cancel(JnBake *bake) {
    if (bake)
        bake->cancelled = 1;
}

/* ------------------------------------------------------------------------------------------------ results */

/* Resumed after its last frame: nothing was simulated, and nothing is open. */
static bool was_complete(const JnBake *bake) {
    return bake->checkpoint_path && !bake->cache;
}

JnStatus jn_bake_positions(const JnBake *bake, uint32_t body_index, double *positions, size_t capacity,
                           uint32_t *vertex_count, JnMessage *message) {
    if (!bake)
        return status_fail(message, JN_ERR_ARGUMENT, "bake is NULL: begin one by jn_bake_begin");
    if (body_index >= bake->body_count)
        return status_fail(message, JN_ERR_ARGUMENT, "body_index is %u, but the bake has %u bodies", body_index,
                           bake->body_count);
    status_clear(message);
    size_t n = (size_t)bake->bodies[body_index].cached_count * 3;
    if (vertex_count)
        *vertex_count = bake->bodies[body_index].cached_count;
    if (bake->frames_done == 0)
        return status_fail(message, JN_ERR_ORDER, "no frame is done yet: advance first");
    if (was_complete(bake))
        return status_fail(message, JN_ERR_ORDER, "all frames were done before this bake: read them from the cache");
    if (!positions || capacity < n)
        return status_fail(message, JN_ERR_ARGUMENT, "positions has room for %zu numbers, but body %u needs %zu",
                           positions ? capacity : 0, body_index, n);
    memcpy(positions, bake->written[body_index], n * sizeof *positions);
    return JN_OK;
}

JnStatus jn_bake_statistics(const JnBake *bake, JnStatistics *statistics, JnMessage *message) {
    if (!bake || !statistics || statistics->struct_size != sizeof *statistics)
        return status_fail(message, bake && statistics ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a bake and a JnStatistics whose struct_size is %zu", sizeof *statistics);
    status_clear(message);
    const System *system = &bake->system;
    ContactReport contact = {0, 0};
    if (bake->contact_method)
        bake->contact_method->report(system->terms[system->contact_term].self, &contact);
    SolverReport solver, indefinite = {0};
    solver_report(system->solver, &solver);
    if (system->indefinite_solver)
        solver_report(system->indefinite_solver, &indefinite);
    *statistics = (JnStatistics){.struct_size = sizeof *statistics,
                                 .body_count = bake->body_count,
                                 .vertex_count = bake->vertex_count,
                                 .tet_count = bake->tet_count,
                                 .spring_count = bake->spring_count,
                                 .unknown_count = solver_unknown_count(system->solver),
                                 .frames_done = bake->frames_done,
                                 .steps_done = bake->steps_done,
                                 .projected_steps = system->projected_count,
                                 .cut_steps = bake->cut_steps,
                                 .loose_steps = bake->loose_steps,
                                 .damped_steps = bake->damped_steps,
                                 .newton_iterations = bake->newton_iterations,
                                 .contact_count = contact.contact_count,
                                 .thread_count = bake->settings.thread_count,
                                 .limited_rest_count = bake->limited_rest_count,
                                 .deepest_penetration = contact.deepest_penetration,
                                 .factor_flops = solver.factor_flops,
                                 .factor_bytes = solver.factor_bytes,
                                 .solver_bytes = solver.bytes + indefinite.bytes,
                                 .factor_count = (uint32_t)(solver.factor_count + indefinite.factor_count),
                                 .reused_count = (uint32_t)solver.reused_count,
                                 .iteration_count = (uint32_t)solver.iteration_count,
                                 .peak_bytes = (double)os_peak_memory_bytes(),
                                 .input_seconds = bake->input_seconds,
                                 .assembly_seconds = system->times.assembly,
                                 .factor_seconds = system->times.factor,
                                 .solve_seconds = system->times.solve,
                                 .contact_seconds = system->times.contact,
                                 .output_seconds = bake->output_seconds,
                                 .total_seconds = bake->total_seconds,
                                 .kinetic_energy = system_kinetic_energy(system, bake->state.v)};
    for (uint32_t b = 0; b < bake->body_count; ++b)
        statistics->point_count += bake->bodies[b].cached_count;
    return JN_OK;
}

JnStatus jn_bake_end(JnBake *bake, JnMessage *message) {
    status_clear(message);
    if (!bake)
        return JN_OK;
    JnStatus status = cache_close(bake, message);
    /* an unfinished bake promises that it can be resumed */
    if (status == JN_OK && bake->frames_done < bake->settings.frame_count && bake->checkpoint_message.status != JN_OK) {
        status = bake->checkpoint_message.status;
        if (message)
            *message = bake->checkpoint_message;
    }
    if (bake->integrator_self)
        bake->integrator->destroy(bake->integrator_self);
    if (bake->stand_in_self)
        integrator_stand_in->destroy(bake->stand_in_self);
    for (uint32_t b = 0; bake->written && b < bake->body_count; ++b)
        free(bake->written[b]);
    assemble_free(bake);
    pool_destroy(bake->pool);
    state_copy_free(&bake->frame_start);
    memory_archive_free(&bake->solver_start);
    state_copy_free(&bake->part_start);
    for (uint32_t b = 0; b < bake->body_count; ++b)
        body_free(&bake->bodies[b]);
    void *arrays[] = {bake->bodies,      bake->colliders,      bake->collider_from,
                      bake->collider_to, bake->state.q,        bake->state.v,
                      bake->whole_step,  bake->point_scratch,  bake->cached_velocities,
                      bake->written,     bake->checkpoint_path};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    free(bake);
    return status;
}
