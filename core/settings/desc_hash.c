/* The input hash of a receipt: 64-bit FNV-1a over everything in a desc that decides the result, and the caller's tag
   for what moves. */
#include "settings/desc_hash.h"

#include "base/hash.h"
#include "bodies/body_kind.h"

#include <string.h>

/* Absent and empty differ; the length goes in, so that neighbours cannot swap bytes. */
static void mix_array(uint64_t *hash, const void *data, size_t count, size_t size) {
    uint64_t length = data ? count : UINT64_MAX;
    hash_mix(hash, &length, sizeof length);
    if (data)
        hash_mix(hash, data, count * size);
}

static void mix_text(uint64_t *hash, const char *text) {
    mix_array(hash, text, text ? strlen(text) : 0, 1);
}

static void mix_surface(uint64_t *hash, const JnSurface *surface) {
    mix_array(hash, surface->positions, (size_t)surface->vertex_count * 3, sizeof(double));
    mix_array(hash, surface->face_sizes, surface->face_count, sizeof(uint32_t));
    mix_array(hash, surface->face_vertices, surface->corner_count, sizeof(uint32_t));
    mix_array(hash, surface->uvs, (size_t)surface->corner_count * 2, sizeof(float));
}

static void mix_springs(uint64_t *hash, const JnSprings *springs) {
    const double numbers[] = {springs->structural,     springs->shear,           springs->bending,
                              springs->linear,         springs->cubic,           springs->thickness,
                              springs->tip_thickness,  springs->torsion_modulus, springs->mass_per_area,
                              springs->mass_per_length};
    hash_mix(hash, numbers, sizeof numbers);
}

static void mix_body(uint64_t *hash, const JnBody *body) {
    size_t points = body_point_count(body);
    mix_text(hash, body->name);
    mix_text(hash, body->kind);
    mix_surface(hash, &body->surface);
    mix_array(hash, body->curves.positions, (size_t)body->curves.vertex_count * 3, sizeof(double));
    mix_array(hash, body->curves.curve_sizes, body->curves.curve_count, sizeof(uint32_t));
    mix_array(hash, body->curves.curve_vertices, body->curves.corner_count, sizeof(uint32_t));
    mix_springs(hash, &body->springs);
    mix_array(hash, body->tets.positions, (size_t)body->tets.vertex_count * 3, sizeof(double));
    mix_array(hash, body->tets.tet_vertices, (size_t)body->tets.tet_count * 4, sizeof(uint32_t));
    mix_text(hash, body->mesher);
    hash_mix(hash, &body->resolution, sizeof body->resolution);
    mix_text(hash, body->material.law);
    const double numbers[] = {body->material.young_modulus, body->material.poisson_ratio,
                              body->material.density,       body->material.stiffness_damping,
                              body->material.mass_damping,  body->material.settle_seconds,
                              body->material.damping_ratio, body->material.damping_frequency};
    hash_mix(hash, numbers, sizeof numbers);
    hash_mix(hash, &body->material.locking_cure, sizeof body->material.locking_cure);
    hash_mix(hash, body->transform, sizeof body->transform);
    hash_mix(hash, &body->rest_follows_animation, sizeof body->rest_follows_animation);
    hash_mix(hash, &body->releasable_pins, sizeof body->releasable_pins);
    hash_mix(hash, &body->region_count, sizeof body->region_count);
    for (uint32_t r = 0; r < body->region_count; ++r) {
        mix_text(hash, body->regions[r].effect);
        mix_array(hash, body->regions[r].weights, body->regions[r].weight_count, sizeof(float));
        hash_mix(hash, &body->regions[r].value, sizeof(double));
    }
    mix_array(hash, body->start_positions, points * 3, sizeof(double));
    mix_array(hash, body->start_velocities, points * 3, sizeof(double));
    hash_mix(hash, &body->settle, sizeof body->settle);
    hash_mix(hash, &body->keep_shape, sizeof body->keep_shape);
}

uint64_t hash_desc(const JnBakeDesc *desc) {
    uint64_t hash = HASH_START;
    mix_text(&hash, jn_version());
    const double numbers[] = {desc->first_frame,
                              desc->fps,
                              desc->metres_per_unit,
                              desc->gravity[0],
                              desc->gravity[1],
                              desc->gravity[2],
                              desc->wind[0],
                              desc->wind[1],
                              desc->wind[2],
                              desc->air_density,
                              desc->spectral_radius,
                              desc->error_tolerance,
                              desc->contact.thickness,
                              desc->contact.stiffness,
                              desc->contact.smoothing_speed};
    const uint32_t counts[] = {
        desc->frame_count, desc->steps_per_frame, desc->samples_per_frame, desc->write_velocities, desc->up_axis,
        desc->body_count,  desc->collider_count,  desc->safeguards,        desc->consistent_mass,  desc->reuse_factor};
    hash_mix(&hash, numbers, sizeof numbers);
    hash_mix(&hash, counts, sizeof counts);
    hash_mix(&hash, &desc->input_tag, sizeof desc->input_tag);
    mix_text(&hash, desc->integrator);
    mix_text(&hash, desc->contact.method);
    for (uint32_t b = 0; b < desc->body_count; ++b)
        mix_body(&hash, &desc->bodies[b]);
    for (uint32_t c = 0; c < desc->collider_count; ++c) {
        const JnCollider *collider = &desc->colliders[c];
        mix_text(&hash, collider->kind);
        hash_mix(&hash, collider->point, sizeof collider->point);
        hash_mix(&hash, collider->normal, sizeof collider->normal);
        mix_surface(&hash, &collider->surface);
        hash_mix(&hash, &collider->friction, sizeof collider->friction);
    }
    return hash;
}
