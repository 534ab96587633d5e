/* Contact of points with colliders, with friction.

   When a step begins, the points that may touch in it are found. In every evaluation their distances and normals are
   those of the step's end (ContactReach in elastic/force_term.h), so a point that leaves is let go in the same step.
   Only friction lags: its normal force and direction are those of the last renewal, which the solver repeats until they
   change no more. With these fixed, friction has a convex potential.

   The derivative of the normal is left out of the matrix, which makes it positive semidefinite. */
#include "contact/contact.h"

#include "base/math3.h"
#include "base/status.h"
#include "contact/friction.h"

#include <stdlib.h>
#include <string.h>

typedef struct Touch {
    uint32_t point, collider;
    /* of friction, as last renewed */
    double normal[3];
    double velocity[3];  /* of the collider there, m/s */
    double normal_force; /* N */
    double end_force;    /* N, the normal force at the end of the step, as far as it is known */
    double sunk;         /* m: how much deeper than where it is pushed to the point is let be in this step */
    double place[3];     /* m/s: the sliding velocity at which it is linearized, if is_placed; else that given */
    bool is_placed;
    bool has_plane; /* it is held by `plane` for this step; else by the collider's distance */
    ColliderPlane plane;
} Touch;

typedef struct Contact {
    ContactDesc desc;
    uint32_t surface_count; /* of the colliders: those that find planes */
} Contact;

/* What a surface holds a point with in a step. */
typedef struct Hold {
    uint32_t count;
    ColliderPlane planes[COLLIDER_PLANES];
} Hold;

typedef struct ContactLag {
    Touch *touches;           /* with room for every point and collider */
    uint8_t *is_near;         /* [point_count] not in `touches`, but close to it */
    size_t hold_count;        /* point_count * surface_count */
    Hold *holds;              /* [hold_count] of this step */
    ColliderMemory *memories; /* [hold_count] from step to step */
    uint32_t touch_count;
    double deepest_penetration; /* so far */
    ContactReport now;          /* of the start of the last step: depth, point, collider */
    size_t allowed_count;       /* point_count * collider_count */
    double *allowed;            /* [allowed_count] m: depths that the bake began with, as left so far */
    bool has_begun;             /* a step */
} ContactLag;

/* ------------------------------------------------------------------------------------------------ where it touches */

static double touch_distance(const Contact *contact, const Touch *touch, const ColliderPlacement *placement,
                             const double x[3], double normal[3]) {
    if (!touch->has_plane)
        return collider_distance(&contact->desc.colliders[touch->collider], placement, x, normal);
    double offset[3];
    vec3_sub(x, touch->plane.point, offset);
    memcpy(normal, touch->plane.normal, 3 * sizeof *normal);
    return vec3_dot(offset, normal);
}

static void touch_velocity(const Touch *touch, const ColliderPlacement *placement, const double x[3],
                           double velocity[3]) {
    if (touch->has_plane)
        memcpy(velocity, touch->plane.velocity, 3 * sizeof *velocity);
    else
        collider_velocity(placement, x, velocity);
}

static double thickness_of(const Contact *contact, uint32_t collider) {
    double own = contact->desc.colliders[collider].thickness;
    return isnan(own) ? contact->desc.thickness : own;
}

/* The law of the scene's thickness, for a collider that has its own, and for a point that is let be deeper. */
static NormalForce touch_force(const Contact *contact, const Touch *touch, double distance) {
    double thicker = thickness_of(contact, touch->collider) - contact->desc.thickness;
    return contact->desc.method->normal(&contact->desc, contact->desc.points->areas[touch->point],
                                        distance + touch->sunk - thicker);
}

/* ------------------------------------------------------------------------------------------------ who may touch */

/* Points nearer than this part of a body's size may touch in one of the next steps. */
static const double NEAR_PART = 0.04;

const double CONTACT_DEEP_PART = 0.02, CONTACT_RISE_SPEED = 0.5;

/* How much of its depth a point keeps in this step: that with which the bake began, less what it has risen since. A
   point that is pushed in later is held at once. */
static double keep_depth(const Contact *contact, ContactLag *lag, const StepStart *start, size_t pair, double depth) {
    double size = contact->desc.points->bounding_size;
    if (!lag->has_begun && depth > CONTACT_DEEP_PART * size)
        lag->allowed[pair] = depth;
    if (lag->allowed[pair] > 0 && start->h > 0 && !start->within)
        lag->allowed[pair] = fmax(0, fmin(lag->allowed[pair], depth) - start->h * CONTACT_RISE_SPEED * size);
    return start->h > 0 ? lag->allowed[pair] : 0;
}

/* How far a point may come in a step, m. */
static double reach_in_step(const StepScope *scope, double h, double closing_speed) {
    return h * (1.5 * fmax(0, closing_speed) + 1.5 * h * vec3_length(scope->moment->gravity));
}

/* Adds the contact of point p with a collider, or with one of its planes, if it may touch in this step. */
static void add_touch(const Contact *contact, ContactLag *lag, const StepScope *scope, const StepStart *start,
                      uint32_t p, uint32_t c, const ColliderPlane *plane) {
    const ColliderPlacement *placement = &scope->moment->colliders[c];
    double x[3], v[3];
    Touch *touch = &lag->touches[lag->touch_count];
    *touch = (Touch){.point = p, .collider = c, .has_plane = plane != NULL};
    if (plane)
        touch->plane = *plane;
    point_set_value(contact->desc.points, p, start->q, x);
    point_set_value(contact->desc.points, p, start->v, v);
    double distance = touch_distance(contact, touch, placement, x, touch->normal);
    touch_velocity(touch, placement, x, touch->velocity);
    /* the collider is already where it will be at the end of the step: only the point's own motion closes the gap */
    double gap = distance - thickness_of(contact, c);
    double reach = reach_in_step(scope, start->h, -vec3_dot(v, touch->normal));
    lag->is_near[p] |= gap < 2 * reach + NEAR_PART * contact->desc.points->bounding_size;
    if (gap > reach)
        return;
    /* before the collider has moved */
    double before = distance + start->h * vec3_dot(touch->velocity, touch->normal);
    touch->sunk = keep_depth(contact, lag, start, (size_t)p * contact->desc.collider_count + c,
                             thickness_of(contact, c) - before);
    touch->normal_force = touch->end_force = touch_force(contact, touch, before).force;
    if (!start->within && -before > lag->now.depth)
        lag->now = (ContactReport){.depth = -before, .point = p, .collider = c};
    if (!start->within)
        lag->deepest_penetration = fmax(lag->deepest_penetration, -before);
    ++lag->touch_count;
}

/* What a collider that is a surface holds point p with. */
static void find_hold(const Contact *contact, const StepScope *scope, const StepStart *start, uint32_t p, uint32_t c,
                      ColliderMemory *memory, Hold *hold) {
    const Collider *collider = &contact->desc.colliders[c];
    ColliderWay way = {.thickness = thickness_of(contact, c)};
    double v[3];
    point_set_value(contact->desc.points, p, start->q, way.start);
    point_set_value(contact->desc.points, p, start->v, v);
    for (int i = 0; i < 3; ++i)
        way.end[i] = way.start[i] + start->h * v[i];
    double missed = reach_in_step(scope, start->h, vec3_length(v)) - start->h * vec3_length(v);
    way.look = way.thickness + fmax(missed, NEAR_PART * contact->desc.points->bounding_size);
    hold->count = collider->kind->find(collider->shape, &scope->moment->colliders[c], &way, memory, hold->planes);
}

static JnStatus begin_step(const void *self, void *lagged, const StepScope *scope, const StepStart *start,
                           JnMessage *message) {
    (void)message; /* room for every touch was made at the start */
    const Contact *contact = self;
    ContactLag *lag = lagged;
    lag->touch_count = 0;
    if (!start->within)
        lag->now = (ContactReport){.depth = 0};
    for (uint32_t p = 0; p < contact->desc.points->embedding.point_count; ++p) {
        lag->is_near[p] = 0;
        if (contact->desc.points->areas[p] == 0 || !point_set_in_subset(contact->desc.points, p, &scope->subset))
            continue;
        size_t hold = (size_t)p * contact->surface_count;
        for (uint32_t c = 0; c < contact->desc.collider_count; ++c) {
            if (!contact->desc.colliders[c].kind->find) {
                add_touch(contact, lag, scope, start, p, c, NULL);
                continue;
            }
            /* a stage within a step is not where the point is: what holds it is that of the step */
            if (!start->within)
                find_hold(contact, scope, start, p, c, &lag->memories[hold], &lag->holds[hold]);
            for (uint32_t k = 0; k < lag->holds[hold].count; ++k)
                add_touch(contact, lag, scope, start, p, c, &lag->holds[hold].planes[k]);
            ++hold;
        }
    }
    lag->has_begun = true;
    return JN_OK;
}

static bool is_active(const void *lag) {
    return ((const ContactLag *)lag)->touch_count > 0;
}

static void mark_coupled(const void *self, const void *lagged, uint8_t *marks) {
    const Contact *contact = self;
    const ContactLag *lag = lagged;
    const Embedding *embedding = &contact->desc.points->embedding;
    for (uint32_t p = 0; p < embedding->point_count; ++p)
        if (lag->is_near[p])
            point_set_mark(contact->desc.points, p, COUPLED_NEAR, marks);
    for (uint32_t k = 0; k < lag->touch_count; ++k)
        point_set_mark(contact->desc.points, lag->touches[k].point, COUPLED_INSIDE, marks);
}

/* ------------------------------------------------------------------------------------------------ forces */

/* A force on a point, and its matrix. */
typedef struct PointForce {
    double force[3], block[9];
} PointForce;

static void add_normal_force(const Contact *contact, const Touch *touch, const double x[3], Evaluation *e,
                             PointForce *sum) {
    double n[3], area = contact->desc.points->areas[touch->point];
    double distance = touch_distance(contact, touch, &e->moment->colliders[touch->collider], x, n);
    NormalForce normal = touch_force(contact, touch, distance);
    if (e->contacts_closed)
        normal.slope = contact->desc.method->stiffest(&contact->desc, area);
    if (e->energy)
        *e->energy += e->reach.strength / e->reach.position_scale * normal.energy;
    for (int i = 0; i < 3; ++i) {
        sum->force[i] += normal.force * n[i];
        for (int j = 0; j < 3; ++j)
            sum->block[3 * i + j] += e->stiffness_scale * normal.slope * n[i] * n[j];
    }
}

/* The velocity v less the collider's, along its surface. */
static void find_slide(const Touch *touch, const double v[3], double slide[3]) {
    vec3_sub(v, touch->velocity, slide);
    double away = vec3_dot(slide, touch->normal);
    for (int i = 0; i < 3; ++i)
        slide[i] -= away * touch->normal[i];
}

/* Friction at one sliding velocity: force and derivative are minus those of what acts. */
typedef struct Friction {
    double potential, force[3], slope[9];
} Friction;

static Friction friction_at(const Contact *contact, const Touch *touch, const double slide[3]) {
    double limit = contact->desc.colliders[touch->collider].friction * touch->normal_force, speed = vec3_length(slide);
    FrictionCurve curve = friction_curve(speed, contact->desc.smoothing_speed);
    Friction friction = {.potential = limit * curve.potential};
    for (int i = 0; i < 3; ++i) {
        friction.force[i] = limit * curve.secant * slide[i];
        for (int j = 0; j < 3; ++j) {
            double along = speed > 0 ? slide[i] / speed * (slide[j] / speed) : 0;
            double across = (i == j) - touch->normal[i] * touch->normal[j];
            friction.slope[3 * i + j] = limit * (curve.secant * across + (curve.slope - curve.secant) * along);
        }
    }
    return friction;
}

/* Its linearization at touch->place, at another sliding velocity. */
static Friction linear_friction_at(const Contact *contact, const Touch *touch, const double slide[3]) {
    Friction friction = friction_at(contact, touch, touch->place);
    double off[3], added[3];
    vec3_sub(slide, touch->place, off);
    mat3_mul_vec(friction.slope, off, added);
    for (int i = 0; i < 3; ++i)
        friction.force[i] += added[i];
    return friction;
}

static void add_friction(const Contact *contact, const Touch *touch, Evaluation *e, PointForce *sum) {
    static const double at_rest[3] = {0, 0, 0};
    double v[3], slide[3] = {0, 0, 0};
    if ((!e->v && !e->contacts_closed) || e->stored_energy || touch->normal_force == 0)
        return;
    if (e->v) {
        point_set_value(contact->desc.points, touch->point, e->v, v);
        find_slide(touch, v, slide);
    }
    Friction friction = e->linear_friction && touch->is_placed ? linear_friction_at(contact, touch, slide)
                        : e->contacts_closed                   ? friction_at(contact, touch, at_rest)
                                                               : friction_at(contact, touch, slide);
    if (e->energy)
        *e->energy += e->reach.strength / e->reach.velocity_scale * friction.potential;
    for (int i = 0; i < 3; ++i)
        sum->force[i] -= friction.force[i];
    for (int i = 0; i < 9; ++i)
        sum->block[i] += e->damping_scale * friction.slope[i];
}

static JnStatus evaluate(void *self, const void *lagged, Evaluation *e, JnMessage *message) {
    const Contact *contact = self;
    const ContactLag *lag = lagged;
    const PointSet *points = contact->desc.points;
    for (uint32_t k = 0; k < lag->touch_count; ++k) {
        const Touch *touch = &lag->touches[k];
        PointForce sum = {{0}, {0}};
        double x[3];
        point_set_value(points, touch->point, e->q, x);
        add_normal_force(contact, touch, x, e, &sum);
        add_friction(contact, touch, e, &sum);
        for (int i = 0; i < 3; ++i)
            sum.force[i] *= e->reach.strength;
        if (e->force)
            point_set_add_force(points, touch->point, sum.force, e->force);
        if (e->pairs && !point_set_add_pairs(points, touch->point, sum.block, e->pairs))
            return status_no_memory(message, "contacts");
    }
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ friction, calm */

/* A touch at the end of a step. */
typedef struct TouchEnd {
    double normal[3];
    double velocity[3]; /* of the collider there */
    double force;       /* N, the normal force */
    double leaving;     /* m/s: how fast it leaves the collider, at least 0 */
} TouchEnd;

static TouchEnd find_end(const Contact *contact, const Touch *touch, const StepScope *scope, const double *q,
                         const double *v) {
    const ColliderPlacement *placement = &scope->moment->colliders[touch->collider];
    double x[3], velocity[3], relative[3];
    TouchEnd end;
    point_set_value(contact->desc.points, touch->point, q, x);
    point_set_value(contact->desc.points, touch->point, v, velocity);
    double distance = touch_distance(contact, touch, placement, x, end.normal);
    touch_velocity(touch, placement, x, end.velocity);
    end.force = touch_force(contact, touch, distance).force;
    vec3_sub(velocity, end.velocity, relative);
    end.leaving = fmax(0, vec3_dot(relative, end.normal));
    return end;
}

/* The velocity that a momentum on the point gives to it, 1/kg; 0: it cannot move. */
static double find_mobility(const Contact *contact, const Touch *touch, const StepScope *scope) {
    const Embedding *embedding = &contact->desc.points->embedding;
    double mobility = 0;
    for (size_t a = 4 * (size_t)touch->point; a < 4 * (size_t)touch->point + 4; ++a)
        if (!scope->roles[embedding->vertices[a]])
            mobility += embedding->weights[a] * embedding->weights[a] / contact->desc.masses[embedding->vertices[a]];
    return mobility;
}

/* How much momentum along the normal the point loses by being calmed, N s. */
static double momentum_to_calm(const Contact *contact, const Touch *touch, const StepScope *scope, const TouchEnd *end,
                               double h) {
    double mobility = find_mobility(contact, touch, scope);
    return mobility > 0 ? fmin(end->leaving / mobility, h * end->force) : 0;
}

/* The normal force of friction at the step's end. */
static double friction_force(const Contact *contact, const Touch *touch, const StepScope *scope, const TouchEnd *end,
                             double calmed_over) {
    return calmed_over == 0 ? end->force
                            : end->force - momentum_to_calm(contact, touch, scope, end, calmed_over) / calmed_over;
}

static void renew_friction(const void *self, void *lagged, const StepScope *scope, const double *q, const double *v,
                           double calmed_over, double least, double *change) {
    const Contact *contact = self;
    ContactLag *lag = lagged;
    /* as accelerations: beside a heavy body a light one counts as much */
    double changed = 0, whole = 0;
    for (uint32_t k = 0; k < lag->touch_count; ++k) {
        Touch *touch = &lag->touches[k];
        TouchEnd end = find_end(contact, touch, scope, q, v);
        double turned = 1 - vec3_dot(end.normal, touch->normal);
        double weight = contact->desc.colliders[touch->collider].friction * find_mobility(contact, touch, scope);
        double force = friction_force(contact, touch, scope, &end, calmed_over);
        touch->end_force = end.force;
        changed += weight * (fabs(force - touch->normal_force) + turned * force);
        whole += weight * fmax(force, touch->normal_force);
    }
    *change = whole > 0 ? changed / whole : 0;
    for (uint32_t k = 0; *change > least && k < lag->touch_count; ++k) {
        Touch *touch = &lag->touches[k];
        TouchEnd end = find_end(contact, touch, scope, q, v);
        touch->normal_force = friction_force(contact, touch, scope, &end, calmed_over);
        memcpy(touch->normal, end.normal, sizeof touch->normal);
        memcpy(touch->velocity, end.velocity, sizeof touch->velocity);
    }
}

/* The speed x at which limit s(x) + impedance x = sum. */
static double speed_of_sum(const Contact *contact, double limit, double impedance, double sum) {
    double eps = contact->desc.smoothing_speed;
    if (sum >= limit + impedance * eps)
        return (sum - limit) / impedance;
    /* limit (2 x/eps - x^2/eps^2) + impedance x = sum */
    double b = 2 * limit / eps + impedance, c = limit / (eps * eps);
    return 2 * sum / (b + sqrt(fmax(0, b * b - 4 * c * sum)));
}

/* The new place is where the law of friction and the line of this impedance through the solution of the linear system
   meet. This is the semismooth Newton method on the law as a projection (Hueber, Stadler, Wohlmuth 2008), in the form
   of an ordinary one at another place: it finds who sticks and who slides in a few rounds, where an ordinary one turns
   the directions of sliding step by step. */
static void move_friction(const void *self, void *lagged, const double *v, const double *impedances) {
    const Contact *contact = self;
    ContactLag *lag = lagged;
    const Embedding *embedding = &contact->desc.points->embedding;
    for (uint32_t k = 0; k < lag->touch_count; ++k) {
        Touch *touch = &lag->touches[k];
        touch->is_placed &= impedances != NULL;
        if (!impedances)
            continue;
        double velocity[3], slide[3], sum[3], mobility = 0;
        double limit = contact->desc.colliders[touch->collider].friction * touch->normal_force;
        point_set_value(contact->desc.points, touch->point, v, velocity);
        find_slide(touch, velocity, slide);
        for (size_t a = 4 * (size_t)touch->point; a < 4 * (size_t)touch->point + 4; ++a)
            mobility += embedding->weights[a] * embedding->weights[a] / impedances[embedding->vertices[a]];
        if (!(mobility > 0))
            continue;
        Friction friction =
            touch->is_placed ? linear_friction_at(contact, touch, slide) : friction_at(contact, touch, slide);
        for (int i = 0; i < 3; ++i)
            sum[i] = friction.force[i] + slide[i] / mobility;
        double size = vec3_length(sum), speed = speed_of_sum(contact, limit, 1 / mobility, size);
        for (int i = 0; i < 3; ++i)
            touch->place[i] = size > 0 ? speed * sum[i] / size : 0;
        touch->is_placed = true;
    }
}

static void calm(const void *self, const void *lagged, const StepScope *scope, const double *q, double h, double *v) {
    const Contact *contact = self;
    const ContactLag *lag = lagged;
    const Embedding *embedding = &contact->desc.points->embedding;
    for (uint32_t k = 0; k < lag->touch_count; ++k) {
        const Touch *touch = &lag->touches[k];
        TouchEnd end = find_end(contact, touch, scope, q, v);
        double momentum = momentum_to_calm(contact, touch, scope, &end, h);
        for (size_t a = 4 * (size_t)touch->point; a < 4 * (size_t)touch->point + 4; ++a) {
            size_t vertex = embedding->vertices[a];
            for (size_t i = 0; i < 3 && !scope->roles[vertex]; ++i)
                v[3 * vertex + i] -= momentum * embedding->weights[a] / contact->desc.masses[vertex] * end.normal[i];
        }
    }
}

/* ------------------------------------------------------------------------------------------------ life */

/* The depths that are allowed: hardly ever are there any. */
static bool allowed_archive(ContactLag *lag, Archive *archive) {
    uint64_t any = 0, begun = lag->has_begun;
    for (size_t k = 0; k < lag->allowed_count; ++k)
        any |= lag->allowed[k] > 0;
    if (!archive_piece(archive, &begun, sizeof begun) || !archive_piece(archive, &any, sizeof any))
        return false;
    lag->has_begun = begun != 0;
    if (any)
        return archive_piece(archive, lag->allowed, lag->allowed_count * sizeof *lag->allowed);
    memset(lag->allowed, 0, lag->allowed_count * sizeof *lag->allowed);
    return true;
}

/* Contacts are found anew by begin_step, from what is remembered. */
static bool lag_archive(void *lagged, Archive *archive) {
    ContactLag *lag = lagged;
    return archive_piece(archive, &lag->deepest_penetration, sizeof lag->deepest_penetration) &&
           allowed_archive(lag, archive) &&
           (lag->hold_count == 0 || archive_piece(archive, lag->memories, lag->hold_count * sizeof *lag->memories));
}

static void lag_destroy(void *lagged) {
    ContactLag *lag = lagged;
    if (!lag)
        return;
    free(lag->touches);
    free(lag->allowed);
    free(lag->is_near);
    free(lag->holds);
    free(lag->memories);
    free(lag);
}

static void *lag_create(const void *self) {
    const Contact *contact = self;
    ContactLag *lag = calloc(1, sizeof *lag);
    size_t points = contact->desc.points->embedding.point_count;
    size_t per_point = (size_t)contact->desc.collider_count + (COLLIDER_PLANES - 1) * (size_t)contact->surface_count;
    size_t capacity = points * per_point + 1;
    if (lag && capacity <= SIZE_MAX / sizeof *lag->touches) {
        lag->hold_count = points * contact->surface_count;
        lag->touches = malloc(capacity * sizeof *lag->touches);
        lag->is_near = calloc(points + 1, 1);
        lag->allowed_count = points * contact->desc.collider_count;
        lag->allowed = calloc(lag->allowed_count + 1, sizeof *lag->allowed);
        lag->holds = calloc(lag->hold_count + 1, sizeof *lag->holds);
        lag->memories = calloc(lag->hold_count + 1, sizeof *lag->memories);
    }
    if (lag && lag->touches && lag->is_near && lag->allowed && lag->holds && lag->memories)
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
                                          .is_active = is_active,
                                          .renew_friction = renew_friction,
                                          .move_friction = move_friction,
                                          .calm = calm,
                                          .mark_coupled = mark_coupled,
                                          .lag_archive = lag_archive};

JnStatus contact_create(const ContactDesc *desc, ForceTerm *term, JnMessage *message) {
    Contact *contact = malloc(sizeof *contact);
    if (!contact)
        return status_no_memory(message, "contacts");
    *contact = (Contact){*desc, 0};
    for (uint32_t c = 0; c < desc->collider_count; ++c)
        contact->surface_count += desc->colliders[c].kind->find != NULL;
    *term = (ForceTerm){&operations, contact};
    return JN_OK;
}

void contact_report(const void *lagged, ContactReport *report) {
    const ContactLag *lag = lagged;
    *report = lag->now;
    report->deepest_penetration = lag->deepest_penetration;
    for (uint32_t k = 0; k < lag->touch_count; ++k)
        report->contact_count += lag->touches[k].end_force > 0;
}
