/* Where the vertices of bodies with `warp` are seen: elastic/warp.h on the state of each sample. The state itself, and
   so contact, goals and attachments, knows nothing of it. */
#include "bake/bake_internal.h"

#include "base/status.h"
#include "elastic/tet_elements.h"
#include "elastic/warp.h"

#include <stdlib.h>
#include <string.h>

typedef struct WarpedBody {
    Warp *warp;               /* NULL: the body is seen as it is simulated */
    uint32_t tet_count;       /* of its tets that follow, and the next two, if its rest shape changes; else 0 */
    uint32_t *tets;           /* [tet_count] in the order of the elastic term, where the current rest shapes are */
    double *rest[WARP_POSES]; /* [tet_count * 9] gradients, as in WarpPose */
} WarpedBody;

struct Warped {
    WarpedBody *bodies;                  /* [body_count] */
    double *positions, *velocities;      /* [vertex_count * 3] m, m/s, as seen */
    double *earlier, *earlier_positions; /* [vertex_count * 3] m: shortly before, as simulated and as seen */
    double *anchors;                     /* [vertex_count] as in warp_apply */
    Moment moment;                       /* of the rest shapes; all zero: none changes */
};

/* ------------------------------------------------------------------------------------------------ building */

static const ForceTerm *elastic_term(const JnBake *bake) {
    return &bake->model.system.terms[bake->model.elastic_term];
}

static bool holds_tet(const Body *body, const ForceTerm *term, uint32_t k) {
    uint32_t vertex = tet_elements_shape(term, k).vertices[0];
    return vertex >= body->first_vertex && vertex - body->first_vertex < body->mesh.vertex_count;
}

/* The body's tets in the order of the elastic term. */
static JnStatus list_tets(const JnBake *bake, const Body *body, uint32_t *tets, uint32_t *vertices,
                          JnMessage *message) {
    const ForceTerm *term = elastic_term(bake);
    uint32_t count = 0;
    if (!tets || !vertices)
        return status_no_memory(message, "the warp");
    for (uint32_t k = 0; k < tet_elements_count(term); ++k) {
        if (!holds_tet(body, term, k))
            continue;
        for (size_t a = 0; a < 4; ++a)
            vertices[4 * (size_t)count + a] = tet_elements_shape(term, k).vertices[a] - body->first_vertex;
        tets[count++] = k;
    }
    return JN_OK;
}

static JnStatus create_body(const JnBake *bake, const Body *body, WarpedBody *warped, JnMessage *message) {
    size_t count = body->element_count;
    uint32_t *vertices = malloc((4 * count + 1) * sizeof *vertices);
    warped->tets = malloc((count + 1) * sizeof *warped->tets);
    JnStatus status = list_tets(bake, body, warped->tets, vertices, message);
    if (status == JN_OK && (body->keep_shape || body->rest_moves)) {
        warped->tet_count = body->element_count;
        for (int p = 0; p < WARP_POSES; ++p)
            if (!(warped->rest[p] = malloc((9 * count + 1) * sizeof(double))))
                status = status_no_memory(message, "the warp");
    }
    WarpDesc desc = {.vertex_count = body->mesh.vertex_count,
                     .tet_count = body->element_count,
                     .rest_positions = body->mesh.positions,
                     .tet_vertices = vertices,
                     .fixed = body->pinned_vertices};
    if (status == JN_OK)
        status = warp_create(&desc, &warped->warp, message);
    free(vertices);
    if (status == JN_ERR_DIVERGED)
        return status_fail(message, status,
                           "'%s' cannot be warped, because some of its tets are too flat: switch warp off, or mesh it "
                           "anew",
                           body->name);
    return status;
}

JnStatus warped_create(JnBake *bake, JnMessage *message) {
    const BakeModel *model = &bake->model;
    bool any = false, any_moves = false;
    for (uint32_t b = 0; b < model->body_count; ++b) {
        any |= model->bodies[b].material.warp != 0;
        any_moves |= model->bodies[b].material.warp && model->bodies[b].rest_moves;
    }
    if (!any)
        return JN_OK;
    size_t n = (size_t)model->vertex_count + 1;
    Warped *warped = bake->warped = calloc(1, sizeof *warped);
    if (!warped)
        return status_no_memory(message, "the warp");
    warped->bodies = calloc(model->body_count, sizeof *warped->bodies);
    warped->positions = malloc(3 * n * sizeof(double));
    warped->velocities = malloc(3 * n * sizeof(double));
    warped->earlier = malloc(3 * n * sizeof(double));
    warped->earlier_positions = malloc(3 * n * sizeof(double));
    warped->anchors = malloc(n * sizeof(double));
    if (!warped->bodies || !warped->positions || !warped->velocities || !warped->earlier ||
        !warped->earlier_positions || !warped->anchors)
        return status_no_memory(message, "the warp");
    const World *world = &model->system.world;
    JnStatus status = any_moves ? world->create_moment(world->owner, &warped->moment, message) : JN_OK;
    for (uint32_t b = 0; status == JN_OK && b < model->body_count; ++b)
        if (model->bodies[b].material.warp)
            status = create_body(bake, &model->bodies[b], &warped->bodies[b], message);
    return status;
}

void warped_destroy(JnBake *bake) {
    Warped *warped = bake->warped;
    if (!warped)
        return;
    for (uint32_t b = 0; warped->bodies && b < bake->model.body_count; ++b) {
        warp_destroy(warped->bodies[b].warp);
        free(warped->bodies[b].tets);
        for (int p = 0; p < WARP_POSES; ++p)
            free(warped->bodies[b].rest[p]);
    }
    if (warped->moment.vertex_count)
        bake->model.system.world.free_moment(bake->model.system.world.owner, &warped->moment);
    void *arrays[] = {warped->bodies,  warped->positions,         warped->velocities,
                      warped->earlier, warped->earlier_positions, warped->anchors};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    free(warped);
    bake->warped = NULL;
}

/* ------------------------------------------------------------------------------------------------ a sample */

/* Under a spring that is so soft a body would sag by this many times its size: where there are others, it does not
 * count. */
static const double LOOSE_SAG = 100, EARTH_GRAVITY = 9.81 /* m/s2 */;

/* Where a body that nothing fixes is held: by the springs of its goals, pins and attachments, each as stiff as it is;
   if there are none, by its mass. */
static void find_anchors(const JnBake *bake, const Body *body) {
    const Moment *moment = &bake->motion.view->moment;
    double *anchors = bake->warped->anchors + body->first_vertex;
    for (size_t k = 0; k < body->mesh.vertex_count; ++k) {
        size_t v = body->first_vertex + k;
        double rate = EARTH_GRAVITY / (LOOSE_SAG * body->bounding_size);
        for (const AttachMap *map = body->attached; map; map = map->next)
            rate += map->rates[k];
        anchors[k] = rate * bake->model.system.masses[v] + moment->goal_stiffness[v];
    }
}

/* Reads the rest shapes at `time`. */
static void read_rest(JnBake *bake, int pose, double time) {
    Warped *warped = bake->warped;
    System *system = &bake->model.system;
    if (warped->moment.vertex_count) {
        system->world.fill(system->world.owner, time, time, &warped->moment);
        system_number_moment(system, &warped->moment);
        system_set_moment(system, &warped->moment);
    }
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const WarpedBody *body = &warped->bodies[b];
        for (size_t t = 0; t < body->tet_count; ++t)
            memcpy(body->rest[pose] + 9 * t, tet_elements_shape(elastic_term(bake), body->tets[t]).gradients,
                   9 * sizeof(double));
    }
}

JnStatus warped_update(JnBake *bake, bool velocities, JnMessage *message) {
    Warped *warped = bake->warped;
    if (!warped)
        return JN_OK;
    const State *state = &bake->motion.state;
    size_t n = (size_t)bake->model.vertex_count * 3;
    double seconds = RATE_FRACTION / bake->settings.fps;
    memcpy(warped->positions, state->q, n * sizeof(double));
    memcpy(warped->velocities, state->v, n * sizeof(double));
    if (velocities) {
        for (size_t i = 0; i < n; ++i)
            warped->earlier[i] = state->q[i] - seconds * state->v[i];
        read_rest(bake, 1, inputs_has_interval(bake) ? state->time - seconds : state->time);
    }
    read_rest(bake, 0, state->time);
    JnStatus status = JN_OK;
    for (uint32_t b = 0; status == JN_OK && b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        const WarpedBody *own = &warped->bodies[b];
        size_t first = 3 * (size_t)body->first_vertex;
        if (!own->warp)
            continue;
        WarpPose poses[WARP_POSES] = {{state->q + first, own->rest[0], warped->positions + first},
                                      {warped->earlier + first, own->rest[1], warped->earlier_positions + first}};
        find_anchors(bake, body);
        status = warp_apply(own->warp, poses, velocities ? 2 : 1, warped->anchors + body->first_vertex,
                            bake->model.pool, message);
        for (size_t i = first; velocities && i < first + 3 * (size_t)body->mesh.vertex_count; ++i)
            warped->velocities[i] = (warped->positions[i] - warped->earlier_positions[i]) / seconds;
    }
    return status;
}

const double *warped_positions(const JnBake *bake) {
    return bake->warped ? bake->warped->positions : bake->motion.state.q;
}

const double *warped_velocities(const JnBake *bake) {
    return bake->warped ? bake->warped->velocities : bake->motion.state.v;
}
