/* Begins and ends a bake; frame.c advances it. */
#include "bake/bake_internal.h"

#include "base/os/os.h"
#include "base/status.h"
#include "integrate/kept_modes.h"
#include "settings/desc_hash.h"
#include "settings/validate.h"
#include "system/jacobian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ begin */

uint32_t bake_whole_samples(uint32_t steps, uint32_t samples) {
    return (steps + samples - 1) / samples * samples;
}

static void keep_settings(JnBake *bake, const JnBakeDesc *desc) {
    Settings *settings = &bake->settings;
    settings->fps = desc->fps;
    settings->first_frame = desc->first_frame;
    settings->metres_per_unit = desc->metres_per_unit;
    settings->frame_count = desc->frame_count;
    settings->samples_per_frame = desc->samples_per_frame;
    settings->steps_per_frame =
        desc->steps_per_frame > 0 ? desc->steps_per_frame : bake_whole_samples(JN_USUAL_STEPS, desc->samples_per_frame);
    settings->write_velocities = desc->write_velocities;
    settings->up_axis = desc->up_axis;
    settings->thread_count = desc->thread_count ? desc->thread_count : os_processor_count();
    memcpy(settings->gravity, desc->gravity, sizeof settings->gravity);
    memcpy(settings->wind, desc->wind, sizeof settings->wind);
    settings->air_density = desc->air_density;
    settings->error_tolerance = desc->error_tolerance;
    settings->safeguards = desc->safeguards;
    settings->preroll_count = desc->preroll_count;
    settings->strict = desc->contact.strict;
    memcpy(bake->motion.gravity_from, desc->gravity, sizeof bake->motion.gravity_from);
}

static JnStatus build_bodies(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    bake->model.bodies = calloc(desc->body_count, sizeof *bake->model.bodies);
    bake->motion.bodies = calloc(desc->body_count, sizeof *bake->motion.bodies);
    if (!bake->model.bodies || !bake->motion.bodies)
        return status_no_memory(message, "bodies");
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        char place[PLACE_CAPACITY];
        snprintf(place, sizeof place, "bodies[%u]", b);
        JnStatus status = body_build(&desc->bodies[b], desc->metres_per_unit, desc->thread_count, place,
                                     &bake->model.bodies[b], message);
        if (status != JN_OK)
            return status;
        bake->model.body_count = b + 1;
        status = body_motion_create(&desc->bodies[b], &bake->model.bodies[b], &bake->motion.bodies[b], message);
        if (status != JN_OK)
            return status;
    }
    return JN_OK;
}

/* Room for the shapes of a collider that may deform. */
static JnStatus make_shapes(const JnCollider *desc, const Collider *collider, double metres_per_unit,
                            ColliderShapes *shapes, JnMessage *message) {
    if (!collider->kind->deforms)
        return JN_OK;
    shapes->number_count = (size_t)collider->kind->vertex_count(collider->shape) * 3;
    shapes->from = malloc((shapes->number_count + 1) * sizeof *shapes->from);
    shapes->to = malloc((shapes->number_count + 1) * sizeof *shapes->to);
    if (!shapes->from || !shapes->to)
        return status_no_memory(message, "colliders");
    for (size_t i = 0; i < shapes->number_count; ++i)
        shapes->from[i] = shapes->to[i] = metres_per_unit * desc->surface.positions[i];
    return JN_OK;
}

/* A copy of the name for messages; one without a name is called "collider". */
static char *copy_name(const char *name) {
    name = name && name[0] ? name : "collider";
    char *copy = malloc(strlen(name) + 1);
    return copy ? strcpy(copy, name) : NULL;
}

static JnStatus build_fields(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    size_t count = (size_t)desc->field_count + 1;
    bake->model.fields = calloc(count, sizeof *bake->model.fields);
    bake->motion.fields_from = calloc(count, sizeof *bake->motion.fields_from);
    bake->motion.fields_to = calloc(count, sizeof *bake->motion.fields_to);
    if (!bake->model.fields || !bake->motion.fields_from || !bake->motion.fields_to)
        return status_no_memory(message, "the fields of force");
    bake->model.field_count = desc->field_count;
    for (uint32_t f = 0; f < desc->field_count; ++f) {
        const JnField *field = &desc->fields[f];
        FieldState *state = &bake->motion.fields_from[f];
        JnStatus status = force_field_create(field, desc->metres_per_unit, "fields", &bake->model.fields[f], message);
        if (status != JN_OK)
            return status;
        inputs_place_field(bake, field->transform, state);
        state->strength = field->strength;
        state->damping = field->damping;
        bake->motion.fields_to[f] = *state;
    }
    return JN_OK;
}

static JnStatus build_colliders(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    size_t count = (size_t)desc->collider_count + 1;
    bake->model.colliders = calloc(count, sizeof *bake->model.colliders);
    bake->model.collider_names = calloc(count, sizeof *bake->model.collider_names);
    bake->motion.collider_from = calloc(count, sizeof *bake->motion.collider_from);
    bake->motion.collider_to = calloc(count, sizeof *bake->motion.collider_to);
    bake->motion.collider_shapes = calloc(count, sizeof *bake->motion.collider_shapes);
    if (!bake->model.colliders || !bake->model.collider_names || !bake->motion.collider_from ||
        !bake->motion.collider_to || !bake->motion.collider_shapes)
        return status_no_memory(message, "colliders");
    bake->model.collider_count = desc->collider_count;
    for (uint32_t c = 0; c < desc->collider_count; ++c) {
        char place[PLACE_CAPACITY];
        snprintf(place, sizeof place, "colliders[%u]", c);
        memcpy(bake->motion.collider_from[c], identity, sizeof identity);
        bake->model.collider_names[c] = copy_name(desc->colliders[c].name);
        if (!bake->model.collider_names[c])
            return status_no_memory(message, "colliders");
        JnStatus status =
            collider_create(&desc->colliders[c], desc->metres_per_unit, place, &bake->model.colliders[c], message);
        if (status == JN_OK)
            status = make_shapes(&desc->colliders[c], &bake->model.colliders[c], desc->metres_per_unit,
                                 &bake->motion.collider_shapes[c], message);
        if (status != JN_OK)
            return status;
    }
    return JN_OK;
}

static JnStatus allocate_state(JnBake *bake, JnMessage *message) {
    size_t n = (size_t)bake->model.vertex_count * 3 + 1, most = bake->model.point_count;
    /* lines that meet are cached with each of their ends: more than there are points */
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        most = bake->model.bodies[b].cached_count > most ? bake->model.bodies[b].cached_count : most;
    size_t points = 3 * most + 1;
    bake->motion.state.q = calloc(n, sizeof(double));
    bake->motion.state.v = calloc(n, sizeof(double));
    bake->scratch.whole_step = calloc(n, sizeof(double));
    bake->scratch.part_positions = calloc(n, sizeof(double));
    bake->scratch.point_scratch = calloc(points, sizeof(double));
    bake->scratch.cached_velocities = calloc(points, sizeof(double));
    bake->motion.written = calloc(bake->model.body_count, sizeof *bake->motion.written);
    bool ok = bake->motion.state.q && bake->motion.state.v && bake->scratch.whole_step &&
              bake->scratch.part_positions && bake->scratch.point_scratch && bake->scratch.cached_velocities &&
              bake->motion.written;
    for (uint32_t b = 0; ok && b < bake->model.body_count; ++b) {
        bake->motion.written[b] = calloc((size_t)bake->model.bodies[b].cached_count * 3 + 1, sizeof(double));
        ok = bake->motion.written[b] != NULL;
    }
    return ok ? JN_OK : status_no_memory(message, "the motion's state");
}

/* Without safeguards methods that keep modes find them in every step, as their paper does: carried along, they do not
   span what buckles, and a raw matrix is not positive definite in the rest. */
static const double TEXTBOOK_MODES = 1e-9;

static JnStatus prepare_integrator(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    double length = 0;
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        length = length > 0 ? fmin(length, bake->model.bodies[b].bounding_size) : bake->model.bodies[b].bounding_size;
    uint32_t modes = bake->model.chosen_modes > 0 ? bake->model.chosen_modes : desc->kept_modes;
    bake->model.method_options = (MethodOptions){.variant = bake->model.integrator->variant,
                                                 .spectral_radius = desc->spectral_radius,
                                                 .error_tolerance = bake->settings.error_tolerance,
                                                 .length = length,
                                                 .guarded = bake->settings.safeguards,
                                                 .mode_count = modes > 0 ? modes : KEPT_AUTOMATIC,
                                                 .mode_tolerance = bake->settings.safeguards ? 0 : TEXTBOOK_MODES,
                                                 .damp_complement = !desc->damp_kept_modes};
    return fast_regions_prepare(bake, message);
}

/* hash: of the desc as it was given. */
static JnStatus prepare(const JnBakeDesc *desc, uint64_t hash, JnBake **out, JnMessage *message) {
    JnStatus status;
    JnBake *bake = calloc(1, sizeof *bake);
    if (!bake)
        return status_no_memory(message, "the bake");
    double since = os_clock_seconds();
    const void *integrator = NULL;
    keep_settings(bake, desc);
    bake->counts.last_residual = NAN;
    bake->model.pool = pool_create(bake->settings.thread_count);
    bake->model.input_hash = hash;
    kernels_begin(bake);
    status = table_find(&integrator_choices, desc->integrator, "desc.integrator", &integrator, message);
    bake->model.integrator = integrator;
    if (status == JN_OK)
        status = build_bodies(bake, desc, message);
    if (status == JN_OK)
        status = build_colliders(bake, desc, message);
    if (status == JN_OK)
        status = build_fields(bake, desc, message);
    if (status == JN_OK)
        status = assemble_system(bake, desc, message);
    if (status == JN_OK)
        status = damping_convert(bake, message);
    if (status == JN_OK)
        status = allocate_state(bake, message);
    if (status == JN_OK)
        status = warped_create(bake, message);
    if (status == JN_OK)
        status = auto_resolve(bake, desc, message);
    if (status == JN_OK)
        status = prepare_integrator(bake, desc, message);
    if (status == JN_OK)
        status = output_open(bake, desc, message);
    bake->counts.total_seconds += os_clock_seconds() - since;
    watch_next_frame(bake);
    if (status != JN_OK)
        jn_bake_end(bake, NULL);
    else
        *out = bake;
    return status;
}

JnStatus bake_prepare(const JnBakeDesc *desc, JnBake **out, JnMessage *message) {
    JnBody *bodies = NULL;
    *out = NULL;
    status_clear(message);
    JnStatus status = validate_desc(desc, message);
    if (status == JN_OK)
        status = stiffness_convert(desc, &bodies, message);
    if (status != JN_OK)
        return status;
    JnBakeDesc converted = *desc;
    converted.bodies = bodies ? bodies : desc->bodies;
    status = prepare(&converted, hash_desc(desc), out, message);
    free(bodies);
    return status;
}

JnStatus jn_bake_begin(const JnBakeDesc *desc, JnBake **bake, JnMessage *message) {
    if (!bake)
        return status_fail(message, JN_ERR_ARGUMENT, "bake is NULL: give a place for the new bake");
    return bake_prepare(desc, bake, message);
}

const Body *bake_body_of_vertex(const JnBake *bake, uint32_t vertex) {
    uint32_t b = bake->model.body_count - 1;
    while (b > 0 && bake->model.bodies[b].first_vertex > vertex)
        --b;
    return &bake->model.bodies[b];
}

void bake_modelled_positions(const JnBake *bake, double *positions) {
    for (const Body *body = bake->model.bodies; body < bake->model.bodies + bake->model.body_count; ++body)
        memcpy(positions + 3 * (size_t)body->first_vertex, body->mesh.positions,
               (size_t)body->mesh.vertex_count * 3 * sizeof *positions);
}

double jn_bake_next_frame(const JnBake *bake) {
    return bake ? bake->settings.first_frame + bake->motion.frames_done : NAN;
}

const char *jn_bake_cache_path(const JnBake *bake) {
    return bake && bake->output.path ? output_written_path(bake) : NULL;
}

void jn_bake_cancel(JnBake *bake) {
    if (bake)
        bake->cancelled = 1;
}

/* ------------------------------------------------------------------------------------------------ results */

/* Resumed after its last frame: nothing was simulated, and nothing is open. */
static bool was_complete(const JnBake *bake) {
    return bake->output.path && !bake->output.cache;
}

JnStatus jn_bake_positions(const JnBake *bake, uint32_t body_index, double *positions, size_t capacity,
                           uint32_t *vertex_count, JnMessage *message) {
    if (!bake)
        return status_fail(message, JN_ERR_ARGUMENT, "bake is NULL: begin one by jn_bake_begin");
    if (body_index >= bake->model.body_count)
        return status_fail(message, JN_ERR_ARGUMENT, "body_index is %u, but the bake has %u bodies", body_index,
                           bake->model.body_count);
    status_clear(message);
    size_t n = (size_t)bake->model.bodies[body_index].cached_count * 3;
    if (vertex_count)
        *vertex_count = bake->model.bodies[body_index].cached_count;
    if (bake->motion.frames_done == 0)
        return status_fail(message, JN_ERR_ORDER, "no frame is finished yet: call jn_bake_advance first");
    if (was_complete(bake))
        return status_fail(message, JN_ERR_ORDER,
                           "all frames were finished by an earlier run: read them from the cache");
    if (!positions || capacity < n)
        return status_fail(message, JN_ERR_ARGUMENT, "positions has room for %zu numbers, but body %u needs %zu",
                           positions ? capacity : 0, body_index, n);
    memcpy(positions, bake->motion.written[body_index], n * sizeof *positions);
    return JN_OK;
}

/* 0: as many as move visibly. */
static uint32_t asked_modes(const JnBake *bake) {
    uint32_t count = bake->model.method_options.mode_count;
    return count == KEPT_AUTOMATIC ? 0 : count;
}

JnStatus jn_bake_statistics(const JnBake *bake, JnStatistics *statistics, JnMessage *message) {
    if (!bake || !statistics || statistics->struct_size != sizeof *statistics)
        return status_fail(message, bake && statistics ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a bake and a JnStatistics whose struct_size is %zu", sizeof *statistics);
    status_clear(message);
    const System *system = &bake->model.system;
    const Jacobian *jacobian = bake->motion.view->jacobian;
    ContactReport contact = contact_frame_report(bake);
    SolverReport solver, indefinite = {0};
    solver_report(jacobian->linear->solver, &solver);
    if (jacobian->linear->indefinite_solver)
        solver_report(jacobian->linear->indefinite_solver, &indefinite);
    fast_regions_add_solvers(bake, &solver);
    *statistics = (JnStatistics){.struct_size = sizeof *statistics,
                                 .body_count = bake->model.body_count,
                                 .vertex_count = bake->model.vertex_count,
                                 .tet_count = bake->model.tet_count,
                                 .spring_count = bake->model.spring_count + bake->model.rod_count,
                                 .unknown_count = solver_unknown_count(jacobian->linear->solver),
                                 .frames_done = bake->motion.frames_done,
                                 .steps_done = bake->motion.steps_done,
                                 .projected_steps = system->projected_count,
                                 .projected_elements = (double)system->projected_elements,
                                 .cut_steps = bake->counts.cut_steps,
                                 .loose_steps = bake->counts.loose_steps,
                                 .damped_steps = bake->motion.damped_steps,
                                 .newton_iterations = bake->counts.newton_iterations,
                                 .contact_count = contact.contact_count,
                                 .thread_count = bake->settings.thread_count,
                                 .limited_rest_count = system_limited_rest_count(system),
                                 .deepest_penetration = contact.deepest_penetration,
                                 .factor_flops = solver.factor_flops,
                                 .factor_bytes = solver.factor_bytes,
                                 .solver_bytes = solver.bytes + indefinite.bytes,
                                 .factor_count = (uint32_t)(solver.factor_count + indefinite.factor_count),
                                 .reused_count = (uint32_t)solver.reused_count,
                                 .iteration_count = (uint32_t)solver.iteration_count,
                                 .peak_bytes = (double)os_peak_memory_bytes(),
                                 .input_seconds = bake->counts.input_seconds,
                                 .assembly_seconds = system->times.assembly,
                                 .factor_seconds = system->times.factor,
                                 .solve_seconds = system->times.solve,
                                 .contact_seconds = system->times.contact,
                                 .output_seconds = bake->counts.output_seconds,
                                 .total_seconds = bake->counts.total_seconds,
                                 .kinetic_energy = system_kinetic_energy(system, bake->motion.state.v),
                                 .integrator = bake->model.integrator->entry.name,
                                 .steps_per_frame = bake->settings.steps_per_frame,
                                 .kept_modes = asked_modes(bake),
                                 .fast_touch_steps = system->fast_touch_steps,
                                 .hastened_steps = system->hastened_steps};
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        statistics->point_count += bake->model.bodies[b].cached_count;
    return JN_OK;
}

JnStatus jn_bake_end(JnBake *bake, JnMessage *message) {
    status_clear(message);
    if (!bake)
        return JN_OK;
    JnStatus status = output_close(bake, message);
    /* an unfinished bake must leave a checkpoint to resume from */
    if (status == JN_OK && bake->motion.frames_done < bake->settings.frame_count &&
        bake->output.checkpoint_message.status != JN_OK) {
        status = bake->output.checkpoint_message.status;
        if (message)
            *message = bake->output.checkpoint_message;
    }
    if (bake->motion.integrator_self)
        bake->model.stepper->destroy(bake->motion.integrator_self);
    if (bake->motion.stand_in_self)
        integrator_stand_in->destroy(bake->motion.stand_in_self);
    for (uint32_t b = 0; bake->motion.written && b < bake->model.body_count; ++b)
        free(bake->motion.written[b]);
    warped_destroy(bake);
    assemble_free(bake);
    pool_destroy(bake->model.pool);
    memory_archive_free(&bake->scratch.frame_start);
    memory_archive_free(&bake->scratch.part_start);
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        body_motion_free(&bake->motion.bodies[b]);
        body_free(&bake->model.bodies[b]);
    }
    for (uint32_t c = 0; c < bake->model.collider_count; ++c) {
        collider_free(&bake->model.colliders[c]);
        free(bake->model.collider_names[c]);
        free(bake->motion.collider_shapes[c].from);
        free(bake->motion.collider_shapes[c].to);
    }
    void *arrays[] = {bake->model.fast_regions,     bake->model.bodies,           bake->model.colliders,
                      bake->model.collider_names,   bake->motion.bodies,          bake->motion.collider_from,
                      bake->motion.collider_to,     bake->motion.collider_shapes, bake->motion.state.q,
                      bake->motion.state.v,         bake->motion.written,         bake->scratch.whole_step,
                      bake->scratch.part_positions, bake->scratch.point_scratch,  bake->scratch.cached_velocities,
                      bake->model.fields,           bake->motion.fields_from,     bake->motion.fields_to};
    output_free(bake);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    free(bake);
    return status;
}
