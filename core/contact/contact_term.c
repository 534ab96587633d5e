/* Contact as a force term: what touches is found when a step begins (collider_touches.c, meetings.c); in every
   evaluation distances and normals are those of the step's end (ContactReach in elastic/force_term.h), so what leaves
   is let go in the same step. */
#include "contact/contact_internal.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/array.h"

#include <stdlib.h>
#include <string.h>

/* The barrier becomes stiffer when less than this part of its reach is left, each time by this factor, at most to the
   last number: what is pressed so hard would be held by cutting steps. It becomes softer again by the same factor when
   more than the second part is left everywhere: then it is still far from the first part, and comes to rest. */
static const double TOO_NEAR = 0.15, FAR_ENOUGH = 0.5, STIFFER = 2, STIFFEST = 1e6;
/* And by this one for the next try of a step in which something crossed. */
static const double RAISED = 10;

/* How much stiffer than given a barrier must be to be as stiff as usual. */
static double factor_to_usual(const ContactDesc *desc) {
    return fmax(1, desc->usual_stiffness / desc->stiffness);
}

Touch *contact_add_touch(const Contact *contact, const ContactLag *lag, TouchList *list, uint32_t first,
                         uint32_t second, double area, double thickness) {
    const ContactDesc *desc = &contact->desc;
    Touch *items = list->count < UINT32_MAX / 2
                       ? array_grow(list->items, &list->capacity, (size_t)list->count + 1, sizeof *items)
                       : NULL;
    if (!items)
        return NULL;
    list->items = items;
    Touch *touch = &items[list->count++];
    *touch = (Touch){.collider = CONTACT_NOBODY,
                     .law = {.curve = list == &lag->meeting ? &barrier_curve : desc->method->collider_curve,
                             .stiffness = lag->stiffening * desc->stiffness * area,
                             .thickness = thickness,
                             .reach = desc->thickness > 0 ? fmin(thickness, desc->thickness) : thickness},
                     .friction = skin_friction(desc, first, second),
                     .smoothing_speed = desc->smoothing_speed,
                     .objects = {first, second},
                     .pair = {CONTACT_NOBODY, CONTACT_NOBODY}};
    return touch;
}

void contact_note_depth(const Contact *contact, ContactLag *lag, const Touch *touch, double distance) {
    lag->deepest_penetration = fmax(lag->deepest_penetration, -distance);
    if (-distance <= lag->now.depth)
        return;
    lag->now.depth = -distance;
    lag->now.point = touch->point;
    lag->now.collider = touch->objects[1] - contact->desc.body_count;
}

static uint32_t touch_count(const ContactLag *lag) {
    return lag->before.count + lag->meeting.count;
}

static Touch *touch_at(const ContactLag *lag, uint32_t index) {
    return index < lag->before.count ? &lag->before.items[index] : &lag->meeting.items[index - lag->before.count];
}

double contact_reach_in_step(const StepScope *scope, double h, double closing_speed) {
    return h * (1.5 * fmax(0, closing_speed) + 1.5 * h * vec3_length(scope->moment->gravity));
}

/* ------------------------------------------------------------------------------------------------ who may touch */

static JnStatus begin_step(const void *self, void *lagged, const StepScope *scope, const StepStart *start,
                           JnMessage *message) {
    const Contact *contact = self;
    ContactLag *lag = lagged;
    if (!start->within)
        lag->stiffening = lag->raised > 0 ? fmax(lag->stiffening, lag->raised) : 1;
    if (!start->within)
        lag->now = (ContactReport){.smallest_distance = INFINITY, .overlap_place = {NAN, NAN, NAN}};
    JnStatus status = collider_touches_find(contact, lag, scope, start, message);
    /* what meets is that of the whole step */
    if (status == JN_OK && contact->skin && !start->within)
        status = meetings_find(contact, lag, scope, start, message);
    lag->has_begun = true;
    return status;
}

static JnStatus look_again(const void *self, void *lagged, const StepScope *scope, const double *q, bool *more,
                           JnMessage *message) {
    const Contact *contact = self;
    *more = false;
    JnStatus status = collider_touches_look_again(contact, lagged, scope, q, more, message);
    if (status != JN_OK)
        return status;
    return contact->skin ? meetings_look_again(contact, lagged, scope, q, more, message) : JN_OK;
}

/* A barrier that is pressed too hard where the step ended is stiffer from the next one on, or softer if it need not be
   so stiff. */
static void adapt_stiffness(const Contact *contact, ContactLag *lag, const StepScope *scope, const double *q) {
    double least = 1, normal[3];
    for (uint32_t k = 0; k < touch_count(lag); ++k) {
        const Touch *touch = touch_at(lag, k);
        double distance = touch_distance(touch, &contact->desc, scope->moment, q, normal);
        if (touch->sunk == 0 && touch_mobility(touch, contact->desc.masses, scope->roles) > 0)
            least = fmin(least, 1 - (touch->law.thickness - distance) / touch->law.reach);
    }
    if (least < TOO_NEAR && lag->stiffening < STIFFEST * factor_to_usual(&contact->desc))
        lag->stiffening *= STIFFER;
    if (least > FAR_ENOUGH)
        lag->stiffening = fmax(1, lag->stiffening / STIFFER);
}

/* Whether a barrier before a collider was crossed. */
static bool has_crossed(const Contact *contact, const ContactLag *lag, const Touch *touch, const StepScope *scope,
                        const double *q) {
    double normal[3], behind = touch->law.reach - touch->law.thickness;
    size_t pair = (size_t)touch->point * contact->desc.collider_count + touch->objects[1] - contact->desc.body_count;
    return !lag->behind[pair] && touch_distance(touch, &contact->desc, scope->moment, q, normal) + behind < 0 &&
           touch_mobility(touch, contact->desc.masses, scope->roles) > 0;
}

static JnStatus check_way(const void *self, void *lagged, const StepScope *scope, const double *q, bool may_cross,
                          double *free_part, JnMessage *message) {
    const Contact *contact = self;
    ContactLag *lag = lagged;
    JnStatus status = JN_OK;
    *free_part = 1;
    for (uint32_t k = 0; k < lag->before.count; ++k) {
        double normal[3];
        const Touch *touch = &lag->before.items[k];
        contact_note_depth(contact, lag, touch, touch_distance(touch, &contact->desc, scope->moment, q, normal));
    }
    if (contact->desc.method->never_crosses) {
        for (uint32_t k = 0; k < lag->before.count; ++k)
            *free_part = has_crossed(contact, lag, &lag->before.items[k], scope, q) ? 0.5 : *free_part;
        adapt_stiffness(contact, lag, scope, q);
        if (contact->skin)
            status = meetings_check_way(contact, lag, scope, q, free_part, message);
        double usual = factor_to_usual(&contact->desc);
        lag->raised = *free_part < 1 ? fmin(STIFFEST * usual, fmax(usual, RAISED * lag->stiffening)) : 1;
        if (*free_part < 1 && may_cross) /* what cannot be held is not to be thrown either */
            lag->stiffening = lag->raised = 1;
    }
    return contact->skin && status == JN_OK ? meetings_remember(contact, lag, scope, q, message) : status;
}

static void give_way(void *lagged) {
    ContactLag *lag = lagged;
    lag->raised = 0;
}

static bool is_active(const void *lag) {
    return touch_count(lag) > 0;
}

static void mark_vertices(const Touch *touch, uint8_t mark, uint8_t *marks) {
    for (uint32_t k = 0; k < touch->vertex_count; ++k)
        if (marks[touch->vertices[k]] < mark)
            marks[touch->vertices[k]] = mark;
}

static void mark_coupled(const void *self, const void *lagged, uint8_t *marks) {
    const Contact *contact = self;
    const ContactLag *lag = lagged;
    const Embedding *embedding = &contact->desc.points->embedding;
    for (uint32_t p = 0; p < embedding->point_count; ++p)
        if (lag->is_near[p])
            point_set_mark(contact->desc.points, p, COUPLED_NEAR, marks);
    for (uint32_t k = 0; k < lag->before.count; ++k)
        mark_vertices(&lag->before.items[k], COUPLED_INSIDE, marks);
    for (uint32_t k = 0; k < lag->meeting.count; ++k)
        mark_vertices(&lag->meeting.items[k], COUPLED_ACROSS, marks);
}

/* ------------------------------------------------------------------------------------------------ the step */

static JnStatus evaluate(void *self, const void *lagged, Evaluation *e, JnMessage *message) {
    const Contact *contact = self;
    const ContactLag *lag = lagged;
    for (uint32_t k = 0; k < touch_count(lag); ++k)
        if (!touch_evaluate(touch_at(lag, k), &contact->desc, e))
            return status_no_memory(message, "contacts");
    return JN_OK;
}

/* The normal force of friction at the step's end. */
static double friction_force(const Contact *contact, const Touch *touch, const StepScope *scope, const TouchEnd *end,
                             double calmed_over) {
    return calmed_over == 0
               ? end->force
               : end->force -
                     touch_momentum_to_calm(touch, &contact->desc, scope->roles, end, calmed_over) / calmed_over;
}

static void renew_friction(const void *self, void *lagged, const StepScope *scope, const double *q, const double *v,
                           double calmed_over, double least, double *change) {
    const Contact *contact = self;
    ContactLag *lag = lagged;
    /* as accelerations: beside a heavy body a light one counts as much */
    double changed = 0, whole = 0;
    for (uint32_t k = 0; k < touch_count(lag); ++k) {
        Touch *touch = touch_at(lag, k);
        TouchEnd end = touch_end(touch, &contact->desc, scope->moment, q, v);
        double turned = 1 - vec3_dot(end.normal, touch->normal);
        double weight = touch->friction * touch_mobility(touch, contact->desc.masses, scope->roles);
        double force = friction_force(contact, touch, scope, &end, calmed_over);
        touch->end_force = end.force;
        touch->end_speed = end.sliding;
        touch->end_distance = end.distance;
        double renewed = touch_goes_on_sticking(touch, &end, force) ? 0 : fabs(force - touch->normal_force);
        changed += weight * (renewed + turned * force);
        whole += weight * fmax(force, touch->normal_force);
    }
    *change = whole > 0 ? changed / whole : 0;
    for (uint32_t k = 0; *change > least && k < touch_count(lag); ++k) {
        Touch *touch = touch_at(lag, k);
        TouchEnd end = touch_end(touch, &contact->desc, scope->moment, q, v);
        touch->normal_force = friction_force(contact, touch, scope, &end, calmed_over);
        memcpy(touch->normal, end.normal, sizeof touch->normal);
        memcpy(touch->velocity, end.velocity, sizeof touch->velocity);
    }
}

static void move_friction(const void *self, void *lagged, const double *v, const double *impedances) {
    (void)self;
    const ContactLag *lag = lagged;
    for (uint32_t k = 0; k < touch_count(lag); ++k)
        touch_move_friction(touch_at(lag, k), v, impedances);
}

static void interior(const void *self, void *lagged, const StepScope *scope, InteriorStage stage, InteriorMove *move) {
    const ContactDesc *desc = &((const Contact *)self)->desc;
    ContactLag *lag = lagged;
    for (uint32_t k = 0; k < touch_count(lag); ++k) {
        Touch *touch = touch_at(lag, k);
        if (stage == INTERIOR_BEGIN)
            touch_begin_interior(touch, desc, scope, move);
        if (!touch->is_interior && stage != INTERIOR_MEASURE)
            continue;
        switch (stage) {
        case INTERIOR_MEASURE:
            move->products += touch_squared_depth(touch, desc, scope, move);
            ++move->count;
            break;
        case INTERIOR_BEGIN:
        case INTERIOR_CENTRE:
            touch_centre_interior(touch, desc, move);
            break;
        case INTERIOR_BOUND:
            move->part = fmin(move->part, touch_bound_interior(touch, desc, scope, move));
            break;
        case INTERIOR_MOVE:
            touch_move_interior(touch, desc, scope, move);
            move->products += touch->interior_force * touch->slack / touch->scale;
            ++move->count;
            break;
        case INTERIOR_END:
            touch_end_interior(touch, desc);
        }
    }
}

static void calm(const void *self, const void *lagged, const StepScope *scope, const double *q, double h, double *v) {
    const Contact *contact = self;
    const ContactLag *lag = lagged;
    for (uint32_t k = 0; k < touch_count(lag); ++k) {
        const Touch *touch = touch_at(lag, k);
        TouchEnd end = touch_end(touch, &contact->desc, scope->moment, q, v);
        double momentum = touch_momentum_to_calm(touch, &contact->desc, scope->roles, &end, h);
        for (uint32_t a = 0; a < touch->vertex_count; ++a) {
            size_t vertex = touch->vertices[a];
            for (size_t i = 0; i < 3 && !scope->roles[vertex]; ++i)
                v[3 * vertex + i] -= momentum * touch->weights[a] / contact->desc.masses[vertex] * end.normal[i];
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
           archive_piece(archive, &lag->stiffening, sizeof lag->stiffening) && allowed_archive(lag, archive) &&
           (lag->hold_count == 0 || archive_piece(archive, lag->memories, lag->hold_count * sizeof *lag->memories)) &&
           (!lag->meetings || meetings_archive(lag->meetings, archive));
}

static bool touches_archive(TouchList *list, Archive *archive) {
    uint32_t count = list->count;
    if (!archive_piece(archive, &count, sizeof count))
        return false;
    Touch *items = array_grow(list->items, &list->capacity, (size_t)count + 1, sizeof *items);
    if (!items)
        return false;
    list->items = items;
    list->count = count;
    return count == 0 || archive_piece(archive, items, count * sizeof *items);
}

/* The way of what meets is not among it: only begin_step finds that. */
static bool step_archive(void *lagged, Archive *archive) {
    ContactLag *lag = lagged;
    return archive_piece(archive, &lag->foreseen, sizeof lag->foreseen) && touches_archive(&lag->before, archive) &&
           touches_archive(&lag->meeting, archive);
}

static bool retry_archive(void *lagged, Archive *archive) {
    ContactLag *lag = lagged;
    return archive_piece(archive, &lag->raised, sizeof lag->raised);
}

static void lag_destroy(void *lagged) {
    ContactLag *lag = lagged;
    if (!lag)
        return;
    meetings_destroy(lag->meetings);
    free(lag->before.items);
    free(lag->meeting.items);
    free(lag->allowed);
    free(lag->behind);
    free(lag->is_near);
    free(lag->holds);
    free(lag->memories);
    free(lag);
}

static void *lag_create(const void *self) {
    const Contact *contact = self;
    ContactLag *lag = calloc(1, sizeof *lag);
    size_t points = contact->desc.points->embedding.point_count;
    if (lag) {
        lag->stiffening = lag->raised = 1;
        lag->now = (ContactReport){.smallest_distance = INFINITY, .overlap_place = {NAN, NAN, NAN}};
        lag->hold_count = points * contact->surface_count;
        lag->is_near = calloc(points + 1, 1);
        lag->allowed_count = points * contact->desc.collider_count;
        lag->allowed = calloc(lag->allowed_count + 1, sizeof *lag->allowed);
        lag->behind = calloc(lag->allowed_count + 1, sizeof *lag->behind);
        lag->holds = calloc(lag->hold_count + 1, sizeof *lag->holds);
        lag->memories = calloc(lag->hold_count + 1, sizeof *lag->memories);
    }
    if (lag && lag->is_near && lag->allowed && lag->behind && lag->holds && lag->memories &&
        (!contact->skin || meetings_create(contact, &lag->meetings, NULL) == JN_OK))
        return lag;
    lag_destroy(lag);
    return NULL;
}

static void destroy(void *self) {
    Contact *contact = self;
    if (!contact)
        return;
    skin_destroy(contact->skin);
    free(contact);
}

static const TermOperations operations = {.name = "contact",
                                          .role = TERM_CONTACT,
                                          .has_potential = true,
                                          .evaluate = evaluate,
                                          .destroy = destroy,
                                          .lag_create = lag_create,
                                          .lag_destroy = lag_destroy,
                                          .begin_step = begin_step,
                                          .is_active = is_active,
                                          .renew_friction = renew_friction,
                                          .move_friction = move_friction,
                                          .interior = interior,
                                          .look_again = look_again,
                                          .check_way = check_way,
                                          .give_way = give_way,
                                          .calm = calm,
                                          .mark_coupled = mark_coupled,
                                          .lag_archive = lag_archive,
                                          .step_archive = step_archive,
                                          .retry_archive = retry_archive};

JnStatus contact_create(const ContactDesc *desc, ForceTerm *term, JnMessage *message) {
    Contact *contact = calloc(1, sizeof *contact);
    if (!contact)
        return status_no_memory(message, "contacts");
    contact->desc = *desc;
    for (uint32_t c = 0; c < desc->collider_count; ++c)
        contact->surface_count += desc->colliders[c].kind->find != NULL;
    JnStatus status = skin_create(&contact->desc, &contact->skin, message);
    if (status != JN_OK) {
        destroy(contact);
        return status;
    }
    *term = (ForceTerm){&operations, contact};
    return JN_OK;
}

void contact_report(const void *self, const void *lagged, ContactReport *report) {
    double smoothing_speed = ((const Contact *)self)->desc.smoothing_speed;
    const ContactLag *lag = lagged;
    *report = lag->now;
    report->deepest_penetration = lag->deepest_penetration;
    report->pair_count = touch_count(lag);
    for (uint32_t k = 0; k < touch_count(lag); ++k) {
        const Touch *touch = touch_at(lag, k);
        if (touch->end_force == 0)
            continue;
        ++report->contact_count;
        report->sliding_count += touch->friction > 0 && touch->end_speed > smoothing_speed;
        report->sticking_count += touch->friction > 0 && touch->end_speed <= smoothing_speed;
        report->smallest_distance = fmin(report->smallest_distance, touch->end_distance);
    }
}
