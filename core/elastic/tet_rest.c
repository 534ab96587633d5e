/* Rest shapes that change: one that changes to C times its modelled edges has the gradients C^-T g_a and the volume
   V det C. */
#include "base/status.h"
#include "elastic/rest_shape.h"
#include "elastic/tet_elements_internal.h"

#include <stdlib.h>
#include <string.h>

/* places[a]: where the desc's corner a is in the tet's. */
static void find_corners(const Tet *tet, const uint32_t corners[4], uint32_t places[4]) {
    for (int a = 0; a < 4; ++a)
        for (uint32_t place = 0; place < 4; ++place)
            if (tet->vertices[place] == corners[a])
                places[a] = place;
}

JnStatus tet_rest_list(TetElements *elements, const TetElementsDesc *desc, const uint32_t *order, JnMessage *message) {
    uint32_t count = 0;
    for (uint32_t t = 0; desc->rest_follows && t < desc->tet_count; ++t)
        count += desc->rest_follows[t] > 0;
    if (count == 0)
        return JN_OK;
    elements->following = calloc(count, sizeof *elements->following);
    if (!elements->following)
        return status_no_memory(message, "the rest shape");
    for (uint32_t k = 0; k < desc->tet_count; ++k) {
        const Tet *tet = &elements->tets[k];
        double amount = desc->rest_follows[order[k]];
        if (!(amount > 0))
            continue;
        FollowingTet *following = &elements->following[elements->following_count++];
        following->index = k;
        following->number = order[k];
        following->amount = amount;
        following->rest_volume = tet->volume;
        memcpy(following->model_gradients, tet->gradients, sizeof tet->gradients);
        memcpy(following->rest_gradients, tet->gradients, sizeof tet->gradients);
        find_corners(tet, desc->tet_vertices + 4 * (size_t)order[k], following->corners);
    }
    return JN_OK;
}

typedef struct FollowWork {
    TetElements *elements;
    const double *pose;
    uint32_t limited[TET_PARTS];
} FollowWork;

static void follow_tet(TetElements *elements, const FollowingTet *following, const double *pose, bool *limited) {
    Tet *tet = &elements->tets[following->index];
    double F[9];
    RestChange change;
    tet_deformation_gradient(tet->vertices, following->model_gradients, pose, F);
    rest_shape_follow(F, following->amount, !(tet->law->traits & MATERIAL_ROTATES), &change);
    for (int a = 0; a < 9; a += 3)
        for (int j = 0; j < 3; ++j)
            tet->gradients[a + j] = following->rest_gradients[a] * change.inverse[j] +
                                    following->rest_gradients[a + 1] * change.inverse[3 + j] +
                                    following->rest_gradients[a + 2] * change.inverse[6 + j];
    tet->volume = following->rest_volume * change.volume;
    *limited = change.limited;
}

static void follow_part(void *context, uint32_t part) {
    FollowWork *work = context;
    const TetElements *elements = work->elements;
    uint64_t count = elements->following_count;
    for (uint64_t k = count * part / TET_PARTS; k < count * (part + 1) / TET_PARTS; ++k) {
        bool limited;
        follow_tet(work->elements, &elements->following[k], work->pose, &limited);
        work->limited[part] += limited;
    }
}

void tet_elements_set_moment(void *self, const Moment *moment, Pool *pool) {
    TetElements *elements = self;
    if (elements->moment == moment->number)
        return;
    memcpy(elements->stiffness_factors, moment->stiffness_factors, elements->group_count * sizeof(double));
    FollowWork work = {.elements = elements, .pose = moment->targets};
    if (elements->following_count)
        pool_run(pool, TET_PARTS, follow_part, &work);
    uint32_t limited = 0;
    for (int part = 0; part < TET_PARTS; ++part)
        limited += work.limited[part];
    if (limited > elements->limited_count)
        elements->limited_count = limited;
    elements->moment = moment->number;
}

uint32_t tet_elements_following_count(const ForceTerm *term) {
    const TetElements *elements = term->self;
    return elements->following_count;
}

TetRest tet_elements_following_rest(const ForceTerm *term, uint32_t k) {
    const TetElements *elements = term->self;
    const FollowingTet *following = &elements->following[k];
    const Tet *tet = &elements->tets[following->index];
    TetRest rest = {.tet = following->number, .volume = tet->volume};
    for (size_t a = 0; a < 3; ++a)
        for (size_t j = 0; j < 3; ++j) {
            const double *g = tet->gradients + j;
            rest.gradients[3 * a + j] =
                following->corners[a] < 3 ? g[3 * following->corners[a]] : -(g[0] + g[3] + g[6]);
        }
    return rest;
}

uint32_t tet_elements_count(const ForceTerm *term) {
    const TetElements *elements = term->self;
    return elements->part_starts[TET_PARTS];
}

TetShape tet_elements_shape(const ForceTerm *term, uint32_t k) {
    const TetElements *elements = term->self;
    return (TetShape){elements->tets[k].vertices, elements->tets[k].gradients};
}

bool tet_elements_accepts_rest(const void *self, const double *rest_positions) {
    const TetElements *elements = self;
    for (uint32_t k = 0; k < elements->part_starts[TET_PARTS]; ++k) {
        double gradients[4][3], volume;
        const Tet *tet = &elements->tets[k];
        if (!(tet->orientation * tet_volume(rest_positions, tet->vertices) > 0) ||
            !tet_gradients(rest_positions, tet->vertices, gradients, &volume))
            return false;
    }
    return true;
}

void tet_elements_set_rest(void *self, const double *rest_positions) {
    TetElements *elements = self;
    memcpy(elements->rest_positions, rest_positions, (size_t)elements->vertex_count * 3 * sizeof(double));
    for (uint32_t k = 0; k < elements->part_starts[TET_PARTS]; ++k) {
        double gradients[4][3];
        Tet *tet = &elements->tets[k];
        tet_gradients(rest_positions, tet->vertices, gradients, &tet->volume);
        memcpy(tet->gradients, gradients, sizeof tet->gradients);
    }
    for (uint32_t f = 0; f < elements->following_count; ++f) {
        FollowingTet *following = &elements->following[f];
        const Tet *tet = &elements->tets[following->index];
        following->rest_volume = tet->volume;
        memcpy(following->rest_gradients, tet->gradients, sizeof tet->gradients);
    }
    elements->moment = 0;
}
