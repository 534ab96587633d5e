/* Penalty contact: the pressure on a point at gap g below 0 is stiffness times -g, where the gap is the distance to the
   collider less the contact thickness. The active points, their normals and the force and secant of friction are fixed
   at the start of the step. A point that would reach the collider in this step is active, so that fast bodies are
   stopped at the surface instead of inside it. This makes contact inelastic with methods that take one Newton step: a
   point that separates is released one step late, and a bounce loses some height, less with smaller steps. */
#include "contact/contact.h"

#include "base/math3.h"
#include "base/status.h"
#include "contact/friction.h"

#include <stdlib.h>

CONTACT_METHOD(penalty);

typedef struct Touch {
    uint32_t point;
    double normal[3];
    double offset;      /* gap = normal . x - offset */
    double stiffness;   /* N/m */
    double friction;    /* N s/m: mu lambda s(|u|)/|u| */
    double velocity[3]; /* of the collider there */
} Touch;

typedef struct Penalty {
    ContactDesc desc;
} Penalty;

typedef struct PenaltyLag {
    Touch *touches; /* with room for every point and collider */
    uint32_t touch_count;
    double deepest_penetration; /* so far */
} PenaltyLag;

/* The contact of point p with a collider, if there is one in this step. */
static bool find_touch(const Penalty *penalty, const StepStart *start, uint32_t p, const Collider *collider,
                       const ColliderPlacement *placement, Touch *touch, double *distance) {
    double x[3], v[3], relative[3], area = penalty->desc.points->areas[p];
    if (area == 0)
        return false;
    point_set_value(penalty->desc.points, p, start->q, x);
    point_set_value(penalty->desc.points, p, start->v, v);
    *distance = collider_distance(collider, placement, x, touch->normal);
    collider_velocity(collider, placement, x, touch->velocity);
    vec3_sub(v, touch->velocity, relative);
    /* the collider is already where it will be at the end of the step: only the point's own motion closes the gap */
    double gap = *distance - penalty->desc.thickness, closing = vec3_dot(v, touch->normal);
    if (gap >= 0 && gap + start->h * closing >= 0)
        return false;

    touch->point = p;
    touch->stiffness = penalty->desc.stiffness * area;
    touch->offset = vec3_dot(x, touch->normal) - gap;
    /* friction uses the normal force at the start of the step, before the collider has moved */
    double gap_before = gap + start->h * vec3_dot(touch->velocity, touch->normal);
    double normal_force = gap_before < 0 ? -gap_before * touch->stiffness : 0;
    double slide = vec3_dot(relative, touch->normal);
    for (int i = 0; i < 3; ++i)
        relative[i] -= slide * touch->normal[i];
    touch->friction =
        collider->friction * normal_force * friction_secant(vec3_length(relative), penalty->desc.smoothing_speed);
    return true;
}

static JnStatus begin_step(const void *self, void *lagged, const StepScope *scope, const StepStart *start,
                           JnMessage *message) {
    (void)message; /* room for every touch was made at the start */
    const Penalty *penalty = self;
    PenaltyLag *lag = lagged;
    const ColliderPlacement *placements = scope->moment->colliders;
    lag->touch_count = 0;
    for (uint32_t p = 0; p < penalty->desc.points->embedding.point_count; ++p)
        for (uint32_t c = 0; c < penalty->desc.collider_count; ++c) {
            if (!point_set_in_subset(penalty->desc.points, p, &scope->subset))
                continue;
            double distance;
            Touch *touch = &lag->touches[lag->touch_count];
            if (!find_touch(penalty, start, p, &penalty->desc.colliders[c], &placements[c], touch, &distance))
                continue;
            ++lag->touch_count;
            lag->deepest_penetration = fmax(lag->deepest_penetration, -distance);
        }
    return JN_OK;
}

static JnStatus evaluate(void *self, const void *lagged, Evaluation *e, JnMessage *message) {
    (void)message;
    const Penalty *penalty = self;
    const PenaltyLag *lag = lagged;
    for (uint32_t k = 0; k < lag->touch_count; ++k) {
        const Touch *touch = &lag->touches[k];
        const double *n = touch->normal;
        double x[3], slide[3], f[3], H[9];
        point_set_value(penalty->desc.points, touch->point, e->q, x);
        double gap = vec3_dot(n, x) - touch->offset;
        /* the friction force is that of the step's start: it acts even if the point has separated */
        double stiffness = gap > 0 && !e->hold_contacts ? 0 : touch->stiffness;
        if (e->energy)
            *e->energy += 0.5 * stiffness * gap * gap;
        if (e->energy && !e->stored_energy) /* within a step the friction force on a point at rest is constant */
            *e->energy -=
                touch->friction * (vec3_dot(touch->velocity, x) - vec3_dot(touch->velocity, n) * vec3_dot(n, x));

        /* friction acts on the velocity along the surface, relative to the collider */
        double v[3] = {0, 0, 0};
        if (e->v)
            point_set_value(penalty->desc.points, touch->point, e->v, v);
        vec3_sub(v, touch->velocity, slide);
        double normal_speed = vec3_dot(slide, n);
        for (int i = 0; i < 3; ++i)
            f[i] = -stiffness * gap * n[i] - touch->friction * (slide[i] - normal_speed * n[i]);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                H[3 * i + j] = e->stiffness_scale * stiffness * n[i] * n[j] +
                               e->damping_scale * touch->friction * ((i == j) - n[i] * n[j]);
        if (e->force)
            point_set_add_force(penalty->desc.points, touch->point, f, e->force);
        if (e->matrix)
            point_set_add_block(penalty->desc.points, touch->point, H, e->matrix);
    }
    return JN_OK;
}

static uint64_t contact_signature(const void *lagged) {
    const PenaltyLag *lag = lagged;
    uint64_t mixed = 0;
    for (uint32_t k = 0; k < lag->touch_count; ++k)
        mixed = (mixed ^ (lag->touches[k].point + 1)) * 0x9e3779b97f4a7c15u;
    return lag->touch_count > 0 && mixed == 0 ? 1 : mixed;
}

/* Contacts are found anew by begin_step. */
static bool lag_archive(void *lagged, Archive *archive) {
    PenaltyLag *lag = lagged;
    return archive_piece(archive, &lag->deepest_penetration, sizeof lag->deepest_penetration);
}

static void lag_destroy(void *lagged) {
    PenaltyLag *lag = lagged;
    if (!lag)
        return;
    free(lag->touches);
    free(lag);
}

static void *lag_create(const void *self) {
    const Penalty *penalty = self;
    PenaltyLag *lag = calloc(1, sizeof *lag);
    size_t capacity = (size_t)penalty->desc.points->embedding.point_count * penalty->desc.collider_count + 1;
    if (lag && capacity <= SIZE_MAX / sizeof *lag->touches)
        lag->touches = malloc(capacity * sizeof *lag->touches);
    if (lag && lag->touches)
        return lag;
    lag_destroy(lag);
    return NULL;
}

static const TermOperations operations = {.name = "contact",
                                          .role = TERM_CONTACT,
                                          .has_potential = true,
                                          .evaluate = evaluate,
                                          .destroy = free,
                                          .lag_create = lag_create,
                                          .lag_destroy = lag_destroy,
                                          .begin_step = begin_step,
                                          .contact_signature = contact_signature,
                                          .lag_archive = lag_archive};

JnStatus penalty_create(const ContactDesc *desc, ForceTerm *term, JnMessage *message) {
    Penalty *penalty = malloc(sizeof *penalty);
    if (!penalty)
        return status_no_memory(message, "contacts");
    *penalty = (Penalty){*desc};
    *term = (ForceTerm){&operations, penalty};
    return JN_OK;
}

void penalty_report(const void *lagged, ContactReport *report) {
    const PenaltyLag *lag = lagged;
    *report = (ContactReport){lag->touch_count, lag->deepest_penetration};
}
