/* Penalty contact: the pressure on a point at gap g below 0 is stiffness times -g, where the gap is the distance to the
   collider less the contact thickness. Which points touch, their normals and the friction's force and secant are fixed
   at the start of the step. A point that would reach the collider in this step counts as touching, so that fast bodies
   are stopped at the surface instead of inside it. For the same reason contact is inelastic with methods that take one
   Newton step: a point that leaves is let go one step late, which costs a bounce some of its height, the less the
   smaller the step. */
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
    Touch *touches;
    uint32_t touch_count;
    double deepest_penetration;
} Penalty;

/* The touch of point p with a collider, if there is one in this step. */
static bool find_touch(const Penalty *penalty, const StepStart *start, uint32_t p, const Collider *collider,
                       Touch *touch, double *distance) {
    double x[3], v[3], relative[3], area = penalty->desc.points->areas[p];
    if (area == 0)
        return false;
    point_set_value(penalty->desc.points, p, start->q, x);
    point_set_value(penalty->desc.points, p, start->v, v);
    *distance = collider_distance(collider, x, touch->normal);
    collider_velocity(collider, x, touch->velocity);
    vec3_sub(v, touch->velocity, relative);
    /* the collider is already where it will be at the end of the step: only the point's own motion closes the gap */
    double gap = *distance - penalty->desc.thickness, closing = vec3_dot(v, touch->normal);
    if (gap >= 0 && gap + start->h * closing >= 0)
        return false;

    touch->point = p;
    touch->stiffness = penalty->desc.stiffness * area;
    touch->offset = vec3_dot(x, touch->normal) - gap;
    /* friction lags the force that the point feels now, before the collider has moved */
    double gap_before = gap + start->h * vec3_dot(touch->velocity, touch->normal);
    double normal_force = gap_before < 0 ? -gap_before * touch->stiffness : 0;
    double slide = vec3_dot(relative, touch->normal);
    for (int i = 0; i < 3; ++i)
        relative[i] -= slide * touch->normal[i];
    touch->friction =
        collider->friction * normal_force * friction_secant(vec3_length(relative), penalty->desc.smoothing_speed);
    return true;
}

static JnStatus begin_step(void *self, const StepStart *start, JnMessage *message) {
    (void)message; /* room for every touch was made at the start */
    Penalty *penalty = self;
    penalty->touch_count = 0;
    for (uint32_t p = 0; p < penalty->desc.points->embedding.point_count; ++p)
        for (uint32_t c = 0; c < penalty->desc.collider_count; ++c) {
            double distance;
            Touch *touch = &penalty->touches[penalty->touch_count];
            if (!find_touch(penalty, start, p, &penalty->desc.colliders[c], touch, &distance))
                continue;
            ++penalty->touch_count;
            penalty->deepest_penetration = fmax(penalty->deepest_penetration, -distance);
        }
    return JN_OK;
}

static void evaluate(void *self, const Evaluation *e) {
    const Penalty *penalty = self;
    for (uint32_t k = 0; k < penalty->touch_count; ++k) {
        const Touch *touch = &penalty->touches[k];
        const double *n = touch->normal;
        double x[3], slide[3], f[3], H[9];
        point_set_value(penalty->desc.points, touch->point, e->q, x);
        double gap = vec3_dot(n, x) - touch->offset;
        /* the friction's force is that of the step's start: it acts whether the point still touches or not */
        double stiffness = gap > 0 && !e->hold_contacts ? 0 : touch->stiffness;
        if (e->energy)
            *e->energy += 0.5 * stiffness * gap * gap;
        if (e->energy && !e->stored_energy) /* what slides past drags what is at rest by one force, within a step */
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
}

static uint64_t touching(const void *self) {
    const Penalty *penalty = self;
    uint64_t mixed = 0;
    for (uint32_t k = 0; k < penalty->touch_count; ++k)
        mixed = (mixed ^ (penalty->touches[k].point + 1)) * 0x9e3779b97f4a7c15u;
    return penalty->touch_count > 0 && mixed == 0 ? 1 : mixed;
}

static void destroy(void *self) {
    Penalty *penalty = self;
    free(penalty->touches);
    free(penalty);
}

JnStatus penalty_create(const ContactDesc *desc, ForceTerm *term, JnMessage *message) {
    Penalty *penalty = calloc(1, sizeof *penalty);
    size_t capacity = (size_t)desc->points->embedding.point_count * desc->collider_count + 1;
    Touch *touches = capacity <= SIZE_MAX / sizeof *touches ? malloc(capacity * sizeof *touches) : NULL;
    if (!penalty || !touches) {
        free(penalty);
        free(touches);
        return status_no_memory(message, "contacts");
    }
    penalty->desc = *desc;
    penalty->touches = touches;
    *term = (ForceTerm){"contact", true, penalty, begin_step, evaluate, touching, destroy};
    return JN_OK;
}

void penalty_report(const void *self, ContactReport *report) {
    const Penalty *penalty = self;
    *report = (ContactReport){penalty->touch_count, penalty->deepest_penetration};
}
