/* Points of bodies before colliders: when a step begins, the points that may touch in it are found. */
#include "contact/contact_internal.h"

#include "base/math3.h"
#include "base/status.h"

#include <string.h>

/* Points nearer than this part of a body's size may touch in one of the next steps. */
static const double NEAR_PART = 0.04;

const double CONTACT_DEEP_PART = 0.02, CONTACT_RISE_SPEED = 0.5;
/* Points that begin less deep, or merely nearer than the thickness, as those of a thing that was modelled on the floor,
   rise at this part of that speed: they are not to hop. The last part of the thickness is for what presses them. */
static const double SHALLOW_PART = 0.16, PRESSED_PART = 0.1;

/* A point and a collider, or one of its planes, in the step that begins. */
typedef struct Finding {
    const Contact *contact;
    ContactLag *lag;
    const StepScope *scope;
    const StepStart *start;
    uint32_t body, point, collider;
    double thickness;
} Finding;

/* How much of its depth a point keeps in this step: that with which the bake began, less what it has risen since. A
   point that is pushed in later is held at once. */
static double keep_depth(const Finding *finding, double depth) {
    ContactLag *lag = finding->lag;
    const StepStart *start = finding->start;
    size_t pair = (size_t)finding->point * finding->contact->desc.collider_count + finding->collider;
    double size = finding->contact->desc.points->bounding_size;
    double speed = (depth > CONTACT_DEEP_PART * size ? 1 : SHALLOW_PART) * CONTACT_RISE_SPEED * size;
    depth -= PRESSED_PART * finding->thickness;
    if (!lag->has_begun)
        lag->allowed[pair] = fmax(0, depth);
    if (lag->allowed[pair] > 0 && start->h > 0 && !start->within)
        lag->allowed[pair] = fmax(0, fmin(lag->allowed[pair], depth) - start->h * speed);
    return start->h > 0 ? lag->allowed[pair] : 0;
}

/* Adds the contact of the point with the collider, or with one of its planes, if it may touch in this step. */
static JnStatus add_touch(const Finding *finding, const ColliderPlane *plane, JnMessage *message) {
    const ContactDesc *desc = &finding->contact->desc;
    ContactLag *lag = finding->lag;
    const StepStart *start = finding->start;
    const Moment *moment = finding->scope->moment;
    uint32_t p = finding->point, c = finding->collider;
    double v[3];
    Touch *touch = contact_add_touch(finding->contact, lag, &lag->before, finding->body, desc->body_count + c,
                                     desc->points->areas[p], finding->thickness);
    if (!touch)
        return status_no_memory(message, "contacts");
    touch_add_point(touch, desc->points, p, 1);
    touch->collider = plane ? CONTACT_NOBODY : c;
    touch->point = p;
    for (int i = 0; plane && i < 3; ++i) {
        touch->fixed[i] = -plane->point[i];
        touch->plane[i] = plane->normal[i];
        touch->plane_velocity[i] = plane->velocity[i];
    }
    touch_sum(touch, start->v, v);
    double distance = touch_distance(touch, desc, moment, start->q, touch->normal);
    touch_velocity(touch, moment, start->q, touch->velocity);
    /* the collider is already where it will be at the end of the step: only the point's own motion closes the gap */
    double gap = distance - finding->thickness;
    double reach = contact_reach_in_step(finding->scope, start->h, -vec3_dot(v, touch->normal));
    lag->is_near[p] |= gap < 2 * reach + NEAR_PART * desc->points->bounding_size;
    if (gap > reach) {
        --lag->before.count;
        return JN_OK;
    }
    /* before the collider has moved */
    double before = distance + start->h * vec3_dot(touch->velocity, touch->normal);
    touch->sunk = keep_depth(finding, finding->thickness - before);
    touch->normal_force = touch->solved_force = touch->end_force = touch_force(touch, before).force;
    touch->end_distance = before;
    if (!start->within)
        lag->behind[(size_t)p * desc->collider_count + c] = before + touch->law.reach - touch->law.thickness < 0;
    touch_guess_friction(touch, start->v);
    if (start->h == 0) /* else it is held by where the step may lead, which need not be where it is */
        contact_note_depth(finding->contact, lag, touch, distance);
    return JN_OK;
}

/* What a collider that is a surface holds the point with. */
static void find_hold(const Finding *finding, ColliderMemory *memory, Hold *hold) {
    const ContactDesc *desc = &finding->contact->desc;
    const Collider *collider = &desc->colliders[finding->collider];
    const StepStart *start = finding->start;
    ColliderWay way = {.thickness = finding->thickness};
    double v[3];
    point_set_value(desc->points, finding->point, start->q, way.start);
    point_set_value(desc->points, finding->point, start->v, v);
    for (int i = 0; i < 3; ++i)
        way.end[i] = way.start[i] + start->h * v[i];
    double missed = contact_reach_in_step(finding->scope, start->h, vec3_length(v)) - start->h * vec3_length(v);
    way.look = way.thickness + fmax(missed, NEAR_PART * desc->points->bounding_size);
    hold->count = collider->kind->find(collider->shape, &finding->scope->moment->colliders[finding->collider], &way,
                                       memory, hold->planes);
}

static JnStatus find_of_point(Finding *finding, JnMessage *message) {
    const Contact *contact = finding->contact;
    const ContactDesc *desc = &contact->desc;
    ContactLag *lag = finding->lag;
    size_t hold = (size_t)finding->point * contact->surface_count;
    JnStatus status = JN_OK;
    for (uint32_t c = 0; status == JN_OK && c < desc->collider_count; ++c) {
        const Collider *collider = &desc->colliders[c];
        size_t own = hold;
        hold += collider->kind->find != NULL;
        if (skin_holds(desc, collider) || !skin_may_meet(desc, finding->body, desc->body_count + c))
            continue;
        finding->collider = c;
        finding->thickness = skin_thickness(desc, finding->body, desc->body_count + c);
        if (!collider->kind->find) {
            status = add_touch(finding, NULL, message);
            continue;
        }
        /* a stage within a step is not where the point is: what holds it is that of the step */
        if (!finding->start->within)
            find_hold(finding, &lag->memories[own], &lag->holds[own]);
        for (uint32_t k = 0; status == JN_OK && k < lag->holds[own].count; ++k)
            status = add_touch(finding, &lag->holds[own].planes[k], message);
    }
    return status;
}

JnStatus collider_touches_find(const Contact *contact, ContactLag *lag, const StepScope *scope, const StepStart *start,
                               JnMessage *message) {
    const ContactDesc *desc = &contact->desc;
    JnStatus status = JN_OK;
    lag->before.count = 0;
    if (!start->within)
        memset(lag->behind, 0, lag->allowed_count);
    memset(lag->is_near, 0, desc->points->embedding.point_count);
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        const ContactBody *body = &desc->bodies[b];
        for (uint32_t p = body->first_point; status == JN_OK && p < body->first_point + body->point_count; ++p) {
            Finding finding = {contact, lag, scope, start, b, p, 0, 0};
            if (desc->points->areas[p] != 0 && point_set_in_subset(desc->points, p, &scope->subset))
                status = find_of_point(&finding, message);
        }
    }
    lag->foreseen = lag->before.count;
    return status;
}

/* A point that the start of the step did not show on its way to a collider: pins, or a shape that springs back, took it
   there. */
static JnStatus hold_unforeseen(const Finding *finding, const double *q, bool *more, JnMessage *message) {
    const ContactDesc *desc = &finding->contact->desc;
    const Moment *moment = finding->scope->moment;
    const Collider *collider = &desc->colliders[finding->collider];
    double x[3], normal[3];
    point_set_value(desc->points, finding->point, q, x);
    if (collider_distance(collider, &moment->colliders[finding->collider], x, normal) > 0)
        return JN_OK;
    Touch *touch = contact_add_touch(finding->contact, finding->lag, &finding->lag->before, finding->body,
                                     desc->body_count + finding->collider, desc->points->areas[finding->point],
                                     finding->thickness);
    if (!touch)
        return status_no_memory(message, "contacts");
    touch_add_point(touch, desc->points, finding->point, 1);
    touch->collider = finding->collider;
    touch->point = finding->point;
    touch->end_distance = finding->thickness;
    memcpy(touch->normal, normal, sizeof touch->normal);
    touch_velocity(touch, moment, q, touch->velocity);
    *more = true;
    return JN_OK;
}

JnStatus collider_touches_look_again(const Contact *contact, ContactLag *lag, const StepScope *scope, const double *q,
                                     bool *more, JnMessage *message) {
    const ContactDesc *desc = &contact->desc;
    uint32_t known = 0, count = lag->foreseen;
    JnStatus status = JN_OK;
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        const ContactBody *body = &desc->bodies[b];
        for (uint32_t p = body->first_point; p < body->first_point + body->point_count; ++p)
            for (uint32_t c = 0; status == JN_OK && c < desc->collider_count; ++c) {
                Finding finding = {contact, lag, scope, NULL, b, p, c, 0};
                if (desc->colliders[c].kind->find || desc->points->areas[p] == 0 ||
                    !skin_may_meet(desc, b, desc->body_count + c) ||
                    !point_set_in_subset(desc->points, p, &scope->subset))
                    continue;
                while (known < count && lag->before.items[known].point < p)
                    ++known;
                bool held = false;
                for (uint32_t k = known; k < count && lag->before.items[k].point == p; ++k)
                    held |= lag->before.items[k].collider == c;
                for (uint32_t k = count; k < lag->before.count; ++k)
                    held |= lag->before.items[k].point == p && lag->before.items[k].collider == c;
                finding.thickness = skin_thickness(desc, b, desc->body_count + c);
                if (!held)
                    status = hold_unforeseen(&finding, q, more, message);
            }
    }
    return status;
}
