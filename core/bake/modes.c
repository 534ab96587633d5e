/* Modes of the bodies of a desc about their rest shape. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/status.h"
#include "bodies/body_kind.h"
#include "geometry/mesh.h"
#include "linear/modes.h"
#include "settings/validate.h"
#include "system/jacobian.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MODES = 1000 };

/* What is seen of a body. */
typedef struct ShownBody {
    JnMesh *rest;         /* in the scene */
    uint32_t *points;     /* [vertex_count of `rest`] the body's point at each vertex */
    double transform[12]; /* of the rest shape, without its translation */
} ShownBody;

struct JnModes {
    uint32_t count, body_count;
    size_t point_total;     /* of all bodies */
    uint32_t *first_points; /* [body_count + 1] */
    JnMode *modes;          /* [count] */
    double *shapes;         /* [count][point_total * 3], as jn_modes_shape gives them */
    ShownBody *shown;       /* [body_count] */
};

/* Working data for one desc. */
typedef struct ModesWork {
    const JnBakeDesc *desc;
    JnBake *bake;
    double *rest;     /* [vertex_count * 3] */
    double *product;  /* [vertex_count * 3] */
    Jacobian *matrix; /* K, then D */
    Modes found;
} ModesWork;

/* ------------------------------------------------------------------------------------------------ solving */

JnStatus bake_find_modes(JnBake *bake, uint32_t count, double *rest, Jacobian **matrix, Modes *found,
                         JnMessage *message) {
    const System *system = &bake->model.system;
    bake_modelled_positions(bake, rest);
    JnStatus status = jacobian_create(bake->motion.view, matrix, message);
    if (status == JN_OK)
        status =
            jacobian_assemble(*matrix, rest, NULL, &(JacobianScales){.stiffness = 1}, STIFFNESS_RAW, NULL, message);
    if (status != JN_OK)
        return status;
    ModesProblem problem = {.stiffness = &(*matrix)->linear->matrix,
                            .masses = system->masses,
                            .mass_blocks = system->mass_blocks,
                            .fixed = bake->motion.view->roles,
                            .positions = rest};
    return modes_solve(&problem, count, found, message);
}

static JnStatus solve(ModesWork *work, uint32_t count, JnMessage *message) {
    size_t n = (size_t)work->bake->model.vertex_count * 3;
    work->rest = malloc((n + 1) * sizeof(double));
    work->product = malloc((n + 1) * sizeof(double));
    if (!work->rest || !work->product)
        return status_no_memory(message, "the modes");
    return bake_find_modes(work->bake, count, work->rest, &work->matrix, &work->found, message);
}

/* ------------------------------------------------------------------------------------------------ shapes */

/* Displacements of vertices to those of the body's points, in its object's space and scene units. */
static JnStatus carry_to_points(const ModesWork *work, const Body *body, const double *vertices, double *points,
                                JnMessage *message) {
    double to_object[12];
    embedding_apply(&body->embedding, vertices + 3 * (size_t)body->first_vertex, points);
    if (!affine_inverse(body->rest_transform, to_object))
        return status_fail(message, JN_ERR_ARGUMENT, "the transform of body '%.80s' flattens it", body->name);
    to_object[3] = to_object[7] = to_object[11] = 0;
    for (size_t p = 0; p < body->point_count; ++p) {
        double moved[3];
        affine_apply(to_object, points + 3 * p, moved);
        for (size_t i = 0; i < 3; ++i)
            points[3 * p + i] = moved[i] / work->desc->metres_per_unit;
    }
    return JN_OK;
}

/* Scales the longest vector to length 1. */
static void normalize(double *points, size_t count) {
    double longest = 0;
    for (size_t p = 0; p < count; ++p)
        longest = fmax(longest, vec3_length(points + 3 * p));
    for (size_t i = 0; longest > 0 && i < 3 * count; ++i)
        points[i] /= longest;
}

/* The region with the largest weighted mean motion, among those that move more than the body on average. */
static uint32_t find_region(const JnBody *body, const double *points, uint32_t point_count) {
    uint32_t found = UINT32_MAX;
    double most = 0;
    for (size_t p = 0; p < point_count; ++p)
        most += vec3_length(points + 3 * p) / point_count;
    for (uint32_t r = 0; r < body->region_count; ++r) {
        double weights = 0, moved = 0;
        for (size_t p = 0; p < point_count; ++p) {
            weights += (double)body->regions[r].weights[p];
            moved += (double)body->regions[r].weights[p] * vec3_length(points + 3 * p);
        }
        if (weights > 0 && moved / weights > most) {
            most = moved / weights;
            found = r;
        }
    }
    return found;
}

/* The body with most of the kinetic energy of mode k. */
static void find_body(ModesWork *work, const double *shape, JnMode *mode) {
    const JnBake *bake = work->bake;
    double whole = 0, largest = -1;
    system_multiply_mass(&bake->model.system, shape, work->product);
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        double energy = 0;
        size_t first = 3 * (size_t)bake->model.bodies[b].first_vertex;
        for (size_t i = first; i < first + 3 * (size_t)bake->model.bodies[b].mesh.vertex_count; ++i)
            energy += shape[i] * work->product[i];
        whole += energy;
        if (energy > largest) {
            largest = energy;
            mode->body_index = b;
        }
    }
    mode->body_share = whole > 0 ? largest / whole : 0;
}

static JnStatus describe_mode(ModesWork *work, JnModes *modes, uint32_t k, JnMessage *message) {
    const double *shape = work->found.shapes + (size_t)k * work->bake->model.vertex_count * 3;
    double *points = modes->shapes + k * modes->point_total * 3, eigenvalue = work->found.eigenvalues[k];
    JnMode *mode = &modes->modes[k];
    *mode = (JnMode){.struct_size = (uint32_t)sizeof *mode,
                     .rigid = k < work->found.rigid_count,
                     .eigenvalue = eigenvalue,
                     .residual = work->found.residuals[k]};
    double rate = mode->rigid ? 0 : sqrt(fmax(eigenvalue, 0));
    mode->frequency = rate / (2 * acos(-1));

    /* shapes have unit mass */
    jacobian_multiply(work->matrix, shape, work->product);
    for (size_t i = 0; i < (size_t)work->bake->model.vertex_count * 3; ++i)
        mode->decay_rate += 0.5 * shape[i] * work->product[i];
    mode->damping_ratio = rate > 0 ? mode->decay_rate / rate : 0;

    JnStatus status = JN_OK;
    find_body(work, shape, mode);
    for (uint32_t b = 0; status == JN_OK && b < modes->body_count; ++b)
        status = carry_to_points(work, &work->bake->model.bodies[b], shape, points + 3 * (size_t)modes->first_points[b],
                                 message);
    normalize(points, modes->point_total);
    uint32_t first = modes->first_points[mode->body_index];
    mode->region_index = find_region(&work->desc->bodies[mode->body_index], points + 3 * (size_t)first,
                                     modes->first_points[mode->body_index + 1] - first);
    return status;
}

static JnStatus keep_shown(const Body *body, const JnBody *desc, ShownBody *shown, JnMessage *message) {
    JnStatus status = body_cached_mesh(body, body_points(desc), desc->transform, &shown->rest, message);
    memcpy(shown->transform, desc->transform, sizeof shown->transform);
    shown->transform[3] = shown->transform[7] = shown->transform[11] = 0;
    shown->points = malloc(((size_t)body->cached_count + 1) * sizeof *shown->points);
    for (uint32_t v = 0; shown->points && v < body->cached_count; ++v)
        shown->points[v] = body_cached_point(body, v);
    return status != JN_OK || shown->points ? status : status_no_memory(message, "the shapes of the modes");
}

static JnStatus describe_all(ModesWork *work, JnModes *modes, JnMessage *message) {
    JnBake *bake = work->bake;
    modes->count = work->found.count;
    modes->body_count = bake->model.body_count;
    modes->first_points = calloc((size_t)bake->model.body_count + 1, sizeof(uint32_t));
    for (uint32_t b = 0; modes->first_points && b < bake->model.body_count; ++b)
        modes->first_points[b + 1] = modes->first_points[b] + bake->model.bodies[b].point_count;
    modes->point_total = bake->model.point_count;
    modes->modes = calloc((size_t)modes->count + 1, sizeof *modes->modes);
    modes->shapes = malloc((modes->count * modes->point_total * 3 + 1) * sizeof(double));
    modes->shown = calloc((size_t)bake->model.body_count + 1, sizeof *modes->shown);
    if (!modes->first_points || !modes->modes || !modes->shapes || !modes->shown)
        return status_no_memory(message, "the shapes of the modes");
    JnStatus status = JN_OK;
    for (uint32_t b = 0; status == JN_OK && b < modes->body_count; ++b)
        status = keep_shown(&bake->model.bodies[b], &work->desc->bodies[b], &modes->shown[b], message);
    if (status != JN_OK)
        return status;
    status = jacobian_assemble(work->matrix, work->rest, NULL, &(JacobianScales){.damping = 1}, STIFFNESS_RAW, NULL,
                               message);
    for (uint32_t k = 0; status == JN_OK && k < modes->count; ++k)
        status = describe_mode(work, modes, k, message);
    return status;
}

/* ------------------------------------------------------------------------------------------------ the calls */

JnStatus jn_bake_modes(const JnBakeDesc *desc, uint32_t count, JnModes **out, JnMessage *message) {
    if (!out)
        return status_fail(message, JN_ERR_ARGUMENT, "modes is NULL: give a place for the modes");
    *out = NULL;
    if (count < 1 || count > MOST_MODES)
        return status_fail(message, JN_ERR_ARGUMENT, "count is %u: request 1 to %d modes", count, (int)MOST_MODES);
    JnStatus status = validate_desc(desc, message);
    if (status != JN_OK)
        return status;
    JnBakeDesc unwritten = *desc;
    unwritten.output_path = NULL;
    unwritten.resume = 0;
    ModesWork work = {.desc = desc};
    status = bake_prepare(&unwritten, &work.bake, message);
    if (status == JN_OK)
        status = solve(&work, count, message);
    JnModes *modes = status == JN_OK ? calloc(1, sizeof *modes) : NULL;
    if (status == JN_OK)
        status = modes ? describe_all(&work, modes, message) : status_no_memory(message, "the modes");
    modes_free(&work.found);
    jacobian_destroy(work.matrix);
    free(work.rest);
    free(work.product);
    jn_bake_end(work.bake, NULL);
    if (status != JN_OK)
        jn_modes_free(modes);
    else
        *out = modes;
    return status;
}

uint32_t jn_modes_count(const JnModes *modes) {
    return modes ? modes->count : 0;
}

static JnStatus check_index(const JnModes *modes, uint32_t index, JnMessage *message) {
    if (!modes)
        return status_fail(message, JN_ERR_ARGUMENT, "modes is NULL: find them by jn_bake_modes");
    if (index >= modes->count)
        return status_fail(message, JN_ERR_ARGUMENT, "index is %u, but there are %u modes", index, modes->count);
    return status_clear(message);
}

static JnStatus check_body(const JnModes *modes, uint32_t body_index, JnMessage *message) {
    if (!modes)
        return status_fail(message, JN_ERR_ARGUMENT, "modes is NULL: find them by jn_bake_modes");
    if (body_index >= modes->body_count)
        return status_fail(message, JN_ERR_ARGUMENT, "body_index is %u, but there are %u bodies", body_index,
                           modes->body_count);
    return status_clear(message);
}

JnStatus jn_modes_get(const JnModes *modes, uint32_t index, JnMode *mode, JnMessage *message) {
    JnStatus status = check_index(modes, index, message);
    if (status != JN_OK)
        return status;
    if (!mode || mode->struct_size != sizeof *mode)
        return status_fail(message, mode ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a JnMode whose struct_size is %zu", sizeof *mode);
    *mode = modes->modes[index];
    return JN_OK;
}

JnStatus jn_modes_shape(const JnModes *modes, uint32_t index, uint32_t body_index, double *displacements,
                        size_t capacity, uint32_t *point_count, JnMessage *message) {
    JnStatus status = check_index(modes, index, message);
    if (status == JN_OK)
        status = check_body(modes, body_index, message);
    if (status != JN_OK)
        return status;
    uint32_t first = modes->first_points[body_index], count = modes->first_points[body_index + 1] - first;
    if (point_count)
        *point_count = count;
    if (!displacements || capacity < 3 * (size_t)count)
        return status_fail(message, JN_ERR_ARGUMENT, "displacements has room for %zu numbers, but body %u needs %zu",
                           displacements ? capacity : 0, body_index, 3 * (size_t)count);
    memcpy(displacements, modes->shapes + 3 * (index * modes->point_total + first), 3 * (size_t)count * sizeof(double));
    return JN_OK;
}

JnStatus jn_modes_mesh(const JnModes *modes, uint32_t body_index, JnMeshView *view, JnMessage *message) {
    JnStatus status = check_body(modes, body_index, message);
    return status == JN_OK ? jn_mesh_view(modes->shown[body_index].rest, view, message) : status;
}

JnStatus jn_modes_pose(const JnModes *modes, uint32_t index, uint32_t body_index, double amount, double *positions,
                       size_t capacity, JnMessage *message) {
    JnStatus status = check_index(modes, index, message);
    if (status == JN_OK)
        status = check_body(modes, body_index, message);
    if (status != JN_OK)
        return status;
    const ShownBody *shown = &modes->shown[body_index];
    size_t count = shown->rest->vertex_count;
    if (!positions || capacity < 3 * count)
        return status_fail(message, JN_ERR_ARGUMENT, "positions has room for %zu numbers, but body %u needs %zu",
                           positions ? capacity : 0, body_index, 3 * count);
    if (!isfinite(amount))
        return status_fail(message, JN_ERR_ARGUMENT, "amount is not a finite number");
    const double *shape = modes->shapes + 3 * (index * modes->point_total + modes->first_points[body_index]);
    for (size_t v = 0; v < count; ++v) {
        double moved[3];
        affine_apply(shown->transform, shape + 3 * (size_t)shown->points[v], moved);
        for (size_t i = 0; i < 3; ++i)
            positions[3 * v + i] = shown->rest->positions[3 * v + i] + amount * moved[i];
    }
    return JN_OK;
}

void jn_modes_free(JnModes *modes) {
    if (!modes)
        return;
    for (uint32_t b = 0; modes->shown && b < modes->body_count; ++b) {
        jn_mesh_free(modes->shown[b].rest);
        free(modes->shown[b].points);
    }
    free(modes->shown);
    free(modes->first_points);
    free(modes->modes);
    free(modes->shapes);
    free(modes);
}
