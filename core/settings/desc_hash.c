/* The input hash of a receipt: 64-bit FNV-1a over everything in a desc that affects the result: the fields marked so in
   the settings table, including the caller's tag for animated inputs, and the arrays. */
#include "settings/desc_hash.h"

#include "base/hash.h"
#include "bodies/body_kind.h"
#include "settings/fields.h"

#include <string.h>

/* NULL and empty differ; the length is hashed too, so that bytes cannot move between adjacent arrays. */
static void mix_array(uint64_t *hash, const void *data, size_t count, size_t size) {
    uint64_t length = data ? count : UINT64_MAX;
    hash_mix(hash, &length, sizeof length);
    if (data)
        hash_mix(hash, data, count * size);
}

static void mix_text(uint64_t *hash, const char *text) {
    mix_array(hash, text, text ? strlen(text) : 0, 1);
}

static void mix_fields(uint64_t *hash, DescStruct owner, const void *desc) {
    const SettingDetail *line;
    for (uint32_t i = 0; (line = field_line(owner, i)) != NULL; ++i) {
        if (line->place.role != ROLE_RESULT)
            continue;
        if (line->place.storage == STORED_TEXT)
            mix_text(hash, field_text(line, desc));
        else
            hash_mix(hash, field_address(line, desc), field_bytes(line->place.storage));
    }
}

static void mix_surface(uint64_t *hash, const JnSurface *surface) {
    mix_array(hash, surface->positions, (size_t)surface->vertex_count * 3, sizeof(double));
    mix_array(hash, surface->face_sizes, surface->face_count, sizeof(uint32_t));
    mix_array(hash, surface->face_vertices, surface->corner_count, sizeof(uint32_t));
    mix_array(hash, surface->uvs, (size_t)surface->corner_count * 2, sizeof(float));
}

static void mix_body(uint64_t *hash, const JnBody *body) {
    size_t points = body_point_count(body);
    mix_fields(hash, DESC_BODY, body);
    mix_fields(hash, DESC_MATERIAL, &body->material);
    mix_fields(hash, DESC_SPRINGS, &body->springs);
    mix_surface(hash, &body->surface);
    mix_array(hash, body->curves.positions, (size_t)body->curves.vertex_count * 3, sizeof(double));
    mix_array(hash, body->curves.curve_sizes, body->curves.curve_count, sizeof(uint32_t));
    mix_array(hash, body->curves.curve_vertices, body->curves.corner_count, sizeof(uint32_t));
    mix_array(hash, body->tets.positions, (size_t)body->tets.vertex_count * 3, sizeof(double));
    mix_array(hash, body->tets.tet_vertices, (size_t)body->tets.tet_count * 4, sizeof(uint32_t));
    hash_mix(hash, &body->region_count, sizeof body->region_count);
    for (uint32_t r = 0; r < body->region_count; ++r) {
        mix_fields(hash, DESC_REGION, &body->regions[r]);
        mix_array(hash, body->regions[r].weights, body->regions[r].weight_count, sizeof(float));
    }
    hash_mix(hash, &body->bone_count, sizeof body->bone_count);
    for (uint32_t b = 0; b < body->bone_count; ++b) {
        mix_fields(hash, DESC_BONE, &body->bones[b]);
        mix_surface(hash, &body->bones[b].surface);
    }
    mix_array(hash, body->start_positions, points * 3, sizeof(double));
    mix_array(hash, body->start_velocities, points * 3, sizeof(double));
}

uint64_t hash_desc(const JnBakeDesc *desc) {
    uint64_t hash = HASH_START;
    mix_text(&hash, jn_version());
    mix_fields(&hash, DESC_BAKE, desc);
    mix_fields(&hash, DESC_CONTACT, &desc->contact);
    hash_mix(&hash, &desc->body_count, sizeof desc->body_count);
    for (uint32_t b = 0; b < desc->body_count; ++b)
        mix_body(&hash, &desc->bodies[b]);
    hash_mix(&hash, &desc->collider_count, sizeof desc->collider_count);
    for (uint32_t c = 0; c < desc->collider_count; ++c) {
        mix_fields(&hash, DESC_COLLIDER, &desc->colliders[c]);
        mix_surface(&hash, &desc->colliders[c].surface);
    }
    hash_mix(&hash, &desc->field_count, sizeof desc->field_count);
    for (uint32_t f = 0; f < desc->field_count; ++f)
        mix_fields(&hash, DESC_FIELD, &desc->fields[f]);
    return hash;
}
