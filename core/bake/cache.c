/* Writes the rendered points of every sample to Alembic, in each object's space. Caches are y-up. */
#include "bake/bake_internal.h"

#include "alembic_io.h"
#include "base/math3.h"
#include "base/os/os.h"
#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Cache {
    AbcWriter *writer;
    uint32_t *xforms, *meshes; /* [body_count] object numbers in the archive; of meshes or curves */
};

static JnStatus fail(const AbcError *error, JnMessage *message) {
    return status_fail(message, error->status == ABC_ERR_MEMORY ? JN_ERR_MEMORY : JN_ERR_FILE, "%s", error->text);
}

/* ------------------------------------------------------------------------------------------------ what is written */

/* The rate of change of the object's space at `fraction`, 1/s: 0 if there is no previous frame. */
static void transform_rate(const JnBake *bake, const BodyMotion *motion, double fraction, double rate[12]) {
    double before[12], seconds = RATE_FRACTION / bake->settings.fps;
    memset(rate, 0, 12 * sizeof *rate);
    if (!inputs_has_interval(bake) ||
        memcmp(motion->transform_from, motion->transform_to, sizeof motion->transform_from) == 0)
        return;
    inputs_transform(motion, fraction, rate);
    inputs_transform(motion, fraction - RATE_FRACTION, before);
    for (int i = 0; i < 12; ++i)
        rate[i] = (rate[i] - before[i]) / seconds;
}

/* Where the animation has point p in the scene, m and m/s. */
static void animated_point(const JnBake *bake, uint32_t body_index, uint32_t p, double fraction, double x[3],
                           double v[3]) {
    double before[3];
    inputs_point_target(bake, body_index, p, fraction, x);
    inputs_point_target(bake, body_index, p, fraction - RATE_FRACTION, before);
    for (int c = 0; c < 3; ++c)
        v[c] = inputs_has_interval(bake) ? (x[c] - before[c]) * bake->settings.fps / RATE_FRACTION : 0;
}

/* The part of the simulation in what is seen of a body; *rate: its change, 1/s. */
static double simulated_part(const JnBake *bake, uint32_t body_index, double fraction, double *rate) {
    const BodyMotion *motion = &bake->motion.bodies[body_index];
    double from = motion->keys_from.simulation, to = motion->keys_to.simulation;
    *rate = inputs_has_interval(bake) ? (to - from) * bake->settings.fps : 0;
    return fraction == 1 ? to : from + fraction * (to - from);
}

/* Position and velocity of point p in the scene, m and m/s: a blend of simulation and animation. Pinned points are
   exactly at their animated positions. */
static void scene_point(const JnBake *bake, uint32_t body_index, uint32_t p, double fraction, double x[3],
                        double v[3]) {
    const Body *body = &bake->model.bodies[body_index];
    if (body->pinned_points[p]) {
        animated_point(bake, body_index, p, fraction, x, v);
        return;
    }
    point_set_value(&bake->model.points, body->first_point + p, warped_positions(bake), x);
    point_set_value(&bake->model.points, body->first_point + p, warped_velocities(bake), v);
    if (travel_is_out(bake, body_index)) {
        double carried[3];
        travel_velocity(bake, body_index, fraction, x, carried);
        for (int c = 0; c < 3; ++c)
            v[c] += carried[c];
    }
    double rate, painted = body->simulation ? body->simulation[p] : 1;
    double part = painted * simulated_part(bake, body_index, fraction, &rate), animated[3], velocity[3];
    if (part == 1 && rate == 0)
        return;
    animated_point(bake, body_index, p, fraction, animated, velocity);
    for (int c = 0; c < 3; ++c) {
        v[c] = velocity[c] + part * (v[c] - velocity[c]) + painted * rate * (x[c] - animated[c]);
        x[c] = animated[c] + part * (x[c] - animated[c]);
    }
}

void cache_body_points(JnBake *bake, uint32_t body_index, double *positions, double *velocities) {
    const Body *body = &bake->model.bodies[body_index];
    double fraction = inputs_fraction(bake, bake->motion.state.time), transform[12], inverse[12], rate[12];
    double unit = bake->settings.metres_per_unit;
    const BodyMotion *motion = &bake->motion.bodies[body_index];
    inputs_transform(motion, fraction, transform);
    affine_inverse(transform, inverse); /* exists: inputs_begin_frame has checked it */
    transform_rate(bake, motion, fraction, rate);
    for (uint32_t i = 0; i < body->cached_count; ++i) {
        uint32_t p = body->cached_points ? body->cached_points[i] : i;
        double x[3], v[3], *local = positions + 3 * (size_t)i;
        scene_point(bake, body_index, p, fraction, x, v);
        for (int c = 0; c < 3; ++c)
            x[c] /= unit;
        affine_apply(inverse, x, local);
        if (!velocities)
            continue;
        /* d/dt of transform^-1 x: the point's velocity relative to the object's space */
        double carried[3];
        affine_apply(rate, local, carried);
        for (int c = 0; c < 3; ++c)
            v[c] = v[c] / unit - carried[c];
        for (int c = 0; c < 3; ++c)
            velocities[3 * (size_t)i + (size_t)c] =
                inverse[4 * c] * v[0] + inverse[4 * c + 1] * v[1] + inverse[4 * c + 2] * v[2];
    }
}

/* The body's object space in the cache's scene: x' = x M for the y-up rows of Alembic. */
static void cache_matrix(const JnBake *bake, uint32_t body_index, double matrix[16]) {
    /* axis i of the cache is axis axes[i] of the scene, with that sign */
    static const int axes[2][3] = {{0, 1, 2}, {0, 2, 1}};
    static const double signs[2][3] = {{1, 1, 1}, {1, 1, -1}};
    int up = bake->settings.up_axis == JN_UP_Z;
    double transform[12];
    inputs_transform(&bake->motion.bodies[body_index], inputs_fraction(bake, bake->motion.state.time), transform);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            matrix[4 * j + i] = signs[up][i] * signs[up][j] * transform[4 * axes[up][i] + axes[up][j]];
        matrix[12 + i] = signs[up][i] * transform[4 * axes[up][i] + 3];
        matrix[4 * i + 3] = 0;
    }
    matrix[15] = 1;
}

/* From z up to y up: a quarter turn about x. */
static void turn_up(double *vectors, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        double y = vectors[3 * i + 1];
        vectors[3 * i + 1] = vectors[3 * i + 2];
        vectors[3 * i + 2] = -y;
    }
}

double cache_sample_bytes(const JnBake *bake) {
    double bytes = 0;
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        bytes += 12.0 * bake->model.bodies[b].cached_count * (bake->settings.write_velocities ? 2 : 1) + 200;
    return bytes;
}

/* ------------------------------------------------------------------------------------------------ the archive */

static uint32_t sample_total(const JnBake *bake, uint32_t frame_count) {
    return frame_count ? 1 + (frame_count - 1) * bake->settings.samples_per_frame : 0;
}

static AbcStatus add_body(JnBake *bake, uint32_t body_index, AbcAnimation animation, AbcError *error) {
    const Body *body = &bake->model.bodies[body_index];
    Cache *cache = bake->output.cache;
    char shape_name[NAME_CAPACITY + 8];
    snprintf(shape_name, sizeof shape_name, "%sShape", body->name);
    AbcXformDesc xform = abc_xform_desc_default();
    xform.name = body->name;
    xform.animation = animation;
    AbcStatus status = abc_writer_add_xform(cache->writer, ABC_ROOT, &xform, &cache->xforms[body_index], error);
    if (body->curve_count && status == ABC_OK) {
        AbcCurvesDesc curves = abc_curves_desc_default();
        curves.name = shape_name;
        curves.animation = animation;
        curves.curve_count = body->curve_count;
        curves.vertex_counts = body->curve_sizes;
        curves.vertex_count = body->cached_count;
        curves.velocities = bake->settings.write_velocities;
        curves.widths = body->curve_widths;
        return abc_writer_add_curves(cache->writer, cache->xforms[body_index], &curves, &cache->meshes[body_index],
                                     error);
    }
    AbcGeomValues uvs = {.values = body->uvs, .value_count = body->corner_count, .scope = ABC_SCOPE_FACEVARYING};
    AbcMeshDesc mesh = abc_mesh_desc_default();
    mesh.name = shape_name;
    mesh.animation = animation;
    mesh.counter_clockwise = true;
    mesh.vertex_count = body->cached_count;
    mesh.face_count = body->face_count;
    mesh.index_count = body->corner_count;
    mesh.face_counts = body->face_sizes;
    mesh.face_indices = body->face_vertices;
    mesh.velocities = bake->settings.write_velocities;
    mesh.uvs = body->uvs ? &uvs : NULL;
    if (status == ABC_OK)
        status =
            abc_writer_add_mesh(cache->writer, cache->xforms[body_index], &mesh, &cache->meshes[body_index], error);
    return status;
}

/* "Jounce 0.1.0 in Blender 4.5", without the characters that Alembic's metadata cannot carry. */
static void application_text(const JnBakeDesc *desc, char *text, size_t capacity) {
    snprintf(text, capacity, "Jounce %s%s%.100s", jn_version(), desc->application ? " in " : "",
             desc->application ? desc->application : "");
    for (char *c = text; *c; ++c)
        if (*c == ';' || *c == '=')
            *c = '_';
}

static JnStatus allocate_cache(JnBake *bake, JnMessage *message) {
    bake->output.cache = calloc(1, sizeof *bake->output.cache);
    if (bake->output.cache) {
        bake->output.cache->xforms = calloc(bake->model.body_count, sizeof(uint32_t));
        bake->output.cache->meshes = calloc(bake->model.body_count, sizeof(uint32_t));
    }
    return bake->output.cache && bake->output.cache->xforms && bake->output.cache->meshes
               ? JN_OK
               : status_no_memory(message, "the cache");
}

/* That no other bake writes to where this one begins, or to where it will end. */
static AbcStatus check_idle(const JnBake *bake, AbcError *error) {
    const char *paths[] = {bake->output.path, bake->output.unfinished_path};
    for (int i = 0; i < 2; ++i)
        if (abc_is_being_written(paths[i])) {
            error->status = ABC_ERR_IO;
            snprintf(error->text, sizeof error->text,
                     "another bake is writing %.300s: wait until it is done, or bake to another file", paths[i]);
            return ABC_ERR_IO;
        }
    return ABC_OK;
}

JnStatus cache_create(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    char application[200];
    AbcError error;
    application_text(desc, application, sizeof application);
    AbcWriterDesc archive = abc_writer_desc_default();
    archive.application = application;
    archive.fps = desc->fps;
    JnStatus status = allocate_cache(bake, message);
    if (status != JN_OK)
        return status;
    char *receipt = receipt_make(bake, desc);
    if (!receipt)
        return status_no_memory(message, "the receipt");

    double start = inputs_frame_time(bake, 0), rate = desc->fps * desc->samples_per_frame;
    AbcTimeSampling sampling = {ABC_UNIFORM, 1 / rate, 1, &start};
    AbcAnimation animation = {0, sample_total(bake, desc->frame_count)};
    AbcStatus written = abc_writer_create(&bake->output.cache->writer, output_written_path(bake), &archive, &error);
    if (written == ABC_OK)
        written = check_idle(bake, &error);
    if (written == ABC_OK)
        written = abc_writer_add_time_sampling(bake->output.cache->writer, &sampling, &animation.time_sampling, &error);
    if (written == ABC_OK)
        written = abc_writer_add_user_string(bake->output.cache->writer, ABC_ROOT, "jounce_receipt", receipt, &error);
    if (written == ABC_OK)
        written = abc_writer_add_archive_bounds(bake->output.cache->writer, &animation, &error);
    for (uint32_t b = 0; written == ABC_OK && b < bake->model.body_count; ++b)
        written = add_body(bake, b, animation, &error);
    if (written == ABC_OK)
        written = abc_writer_begin(bake->output.cache->writer, &error);
    free(receipt);
    if (written == ABC_OK)
        return JN_OK;
    /* an older cache at this path is not changed */
    abc_writer_abandon(bake->output.cache->writer);
    bake->output.cache->writer = NULL;
    return fail(&error, message);
}

static void mesh_path(const Body *body, char *path, size_t capacity) {
    snprintf(path, capacity, "/%s/%sShape", body->name, body->name);
}

static JnStatus replace_receipt(const JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    AbcError error;
    char *receipt = receipt_make(bake, desc);
    if (!receipt)
        return status_no_memory(message, "the receipt");
    AbcStatus replaced =
        abc_writer_replace_user_string(bake->output.cache->writer, ABC_ROOT, "jounce_receipt", receipt, &error);
    free(receipt);
    return replaced == ABC_OK ? JN_OK : fail(&error, message);
}

JnStatus cache_reopen(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    AbcError error;
    const char *written_path = output_written_path(bake);
    JnStatus status = allocate_cache(bake, message);
    if (status != JN_OK)
        return status;
    /* keep what ends half a sample after the last finished frame */
    double keep_before =
        inputs_frame_time(bake, bake->motion.frames_done - 1) + 0.5 / (desc->fps * desc->samples_per_frame);
    AbcStatus opened =
        abc_writer_reopen(&bake->output.cache->writer, written_path, keep_before, ABC_SURVIVE_PROCESS, &error);
    if (opened != ABC_OK)
        return fail(&error, message);
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        char path[2 * NAME_CAPACITY + 16];
        snprintf(path, sizeof path, "/%s", bake->model.bodies[b].name);
        bake->output.cache->xforms[b] = abc_writer_find(bake->output.cache->writer, path);
        mesh_path(&bake->model.bodies[b], path, sizeof path);
        bake->output.cache->meshes[b] = abc_writer_find(bake->output.cache->writer, path);
        uint32_t expected = sample_total(bake, bake->motion.frames_done);
        if (abc_writer_sample_count(bake->output.cache->writer, bake->output.cache->meshes[b]) != expected)
            return status_fail(
                message, JN_ERR_FILE,
                "%s does not hold the %u samples of %s that its checkpoint refers to: bake again without "
                "resume",
                written_path, expected, path);
    }
    return bake->output.kernels_changed ? replace_receipt(bake, desc, message) : JN_OK;
}

/* A sample of one body: its transform and its points. */
static AbcStatus write_body(JnBake *bake, uint32_t body_index, AbcError *error) {
    const Body *body = &bake->model.bodies[body_index];
    const Cache *cache = bake->output.cache;
    double *positions = bake->scratch.point_scratch;
    double *velocities = bake->settings.write_velocities ? bake->scratch.cached_velocities : NULL;
    cache_body_points(bake, body_index, positions, velocities);
    if (bake->settings.up_axis == JN_UP_Z) {
        turn_up(positions, body->cached_count);
        if (velocities)
            turn_up(velocities, body->cached_count);
    }
    double matrix[16];
    cache_matrix(bake, body_index, matrix);
    AbcMeshSample sample = {
        .vertex_count = body->cached_count, .positions.f64 = positions, .velocities.f64 = velocities};
    AbcStatus status = abc_writer_xform_sample(cache->writer, cache->xforms[body_index], matrix, error);
    return status ? status : abc_writer_mesh_sample(cache->writer, cache->meshes[body_index], &sample, error);
}

JnStatus cache_write_sample(JnBake *bake, JnMessage *message) {
    AbcError error;
    AbcStatus status = ABC_OK;
    JnStatus warped = warped_update(bake, bake->settings.write_velocities, message);
    if (warped != JN_OK)
        return warped;
    for (uint32_t b = 0; status == ABC_OK && b < bake->model.body_count; ++b)
        status = write_body(bake, b, &error);
    if (status == ABC_OK)
        status = abc_writer_archive_bounds_sample(bake->output.cache->writer, &error);
    return status == ABC_OK ? JN_OK : fail(&error, message);
}

JnStatus cache_commit(JnBake *bake, JnMessage *message) {
    AbcError error;
    return abc_writer_commit(bake->output.cache->writer, &error) == ABC_OK ? JN_OK : fail(&error, message);
}

void cache_drop(JnBake *bake) {
    abc_writer_drop_uncommitted(bake->output.cache->writer);
}

JnStatus cache_close(JnBake *bake, JnMessage *message) {
    if (!bake->output.cache)
        return JN_OK;
    AbcError error;
    AbcStatus closed = bake->output.cache->writer ? abc_writer_close(bake->output.cache->writer, &error) : ABC_OK;
    free(bake->output.cache->xforms);
    free(bake->output.cache->meshes);
    free(bake->output.cache);
    bake->output.cache = NULL;
    return closed == ABC_OK ? JN_OK : fail(&error, message);
}
