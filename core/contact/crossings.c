/* What crosses on the way to where a step ends: it is held, or said how far the way is free. */
#include "contact/meeting.h"

#include "base/math3.h"
#include "base/status.h"
#include "contact/pair_advance.h"
#include "contact/pair_cone.h"

#include <math.h>
#include <string.h>

/* Where a step that ends at q takes everything; and what it may meet there is searched for, if it is not where it was
   thought to be. */
static JnStatus find_actual(const Contact *contact, Meetings *meetings, const StepScope *scope, const double *q,
                            JnMessage *message) {
    bool foreseen = true;
    memcpy(meetings->actual, meetings->end, meetings->count * sizeof(double));
    for (uint32_t p = 0; p < contact->skin->body_vertex_count; ++p) {
        double *x = &meetings->actual[3 * (size_t)p], room = 0.5 * meetings->look + meetings->radii[p];
        point_set_value(contact->desc.points, p, q, x);
        for (size_t i = 0; i < 3; ++i)
            foreseen &= fabs(x[i] - meetings->end[3 * (size_t)p + i]) <= room;
    }
    if (foreseen)
        return JN_OK;
    memcpy(meetings->end, meetings->actual, meetings->count * sizeof(double));
    return meetings_search(contact, meetings, scope, message);
}

/* The distance at which a pair counts as crossed: a part of what a barrier never gives up; less where either side is
   nearer to anything already, since it then slides along that, from one triangle to the next. */
static PairAdvance crossing(const Contact *contact, const Meetings *meetings, const Meeting *meeting, double part) {
    PairDistance apart;
    pair_distance(meeting->kind, meeting->start, &apart);
    double thickness = meeting->thickness - meeting->radius, gap = fmax(0, sqrt(apart.squared) - meeting->radius);
    for (uint32_t k = 0; k < pair_point_count(meeting->kind); ++k)
        gap = fmin(gap, meetings->gaps[meeting->vertices[k]]);
    double reach = contact->desc.thickness > 0 ? fmin(thickness, contact->desc.thickness) : thickness;
    double kept = contact->desc.method->never_crosses ? fmin(part * (thickness - 0.9 * reach), 0.5 * part * gap) : 0;
    return (PairAdvance){
        .thickness = meeting->radius + kept, .reach = 0.05 * thickness, .keep = 0.1, .most_planes = 64};
}

static int compare_pairs(const Meeting *meeting, const Touch *touch) {
    return pair_order(meeting->kind, meeting->pair, touch->kind, touch->pair);
}

/* The touch that holds a pair; NULL: none does. */
static Touch *find_touch(ContactLag *lag, const Meeting *meeting) {
    uint32_t low = 0, high = lag->meetings->sorted;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_pairs(meeting, &lag->meeting.items[middle]);
        if (order == 0)
            return &lag->meeting.items[middle];
        *(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
    }
    for (uint32_t k = lag->meetings->sorted; k < lag->meeting.count; ++k)
        if (compare_pairs(meeting, &lag->meeting.items[k]) == 0)
            return &lag->meeting.items[k];
    return NULL;
}

static JnStatus hold(const Contact *contact, ContactLag *lag, const Meeting *meeting, double time, bool beside,
                     bool *more, JnMessage *message) {
    PairDistance apart;
    double x[12], normal[3];
    meeting_at(meeting, time, x);
    pair_distance(meeting->kind, x, &apart);
    if (!meeting_direction(&apart, normal))
        return JN_OK;
    /* Bodies that are pressed into each other yield to whatever holds them first: there nothing can wait. */
    if (!beside && meeting_has_collider(contact->skin, meeting) &&
        !pair_cone_holds(contact->skin, meeting->kind, meeting->pair, meeting->vertices, &apart, normal,
                         lag->meetings->start)) {
        /* what has sunk into another by a hair would be stopped by its edges */
        lag->meetings->has_postponed |= !meeting_may_sink(contact->skin, meeting);
        return JN_OK;
    }
    Touch *touch = find_touch(lag, meeting);
    if (!touch) {
        *more = true;
        return meeting_add(contact, lag, meeting, x, &apart, normal, message);
    }
    if (touch->has_turned || vec3_dot(touch->plane, normal) > MEETING_SAME_PLANE)
        return JN_OK;
    *more = touch->has_turned = true;
    touch->is_placed = false;
    meeting_set_plane(contact, lag->meetings, meeting, &apart, normal, touch);
    return JN_OK;
}

/* Holds the pair where it crosses, if it is nearest to each other there. Else another pair crosses before it, and from
   where that has been crossed this one may be met from its wrong side. */
static JnStatus hold_nearest(const Contact *contact, ContactLag *lag, const Meeting *meeting, double time, bool *more,
                             JnMessage *message) {
    return hold(contact, lag, meeting, time, false, more, message);
}

static JnStatus hold_beside(const Contact *contact, ContactLag *lag, const Meeting *meeting, double time, bool *more,
                            JnMessage *message) {
    return meeting_may_sink(contact->skin, meeting) ? JN_OK : hold(contact, lag, meeting, time, true, more, message);
}

/* Whether one of its vertices is free. */
static bool can_move(const Contact *contact, const StepScope *scope, const Meeting *meeting) {
    const Embedding *embedding = &contact->desc.points->embedding;
    for (uint32_t k = 0; k < 4 * pair_point_count(meeting->kind); ++k) {
        uint32_t vertex = meeting->vertices[k / 4];
        if (vertex >= contact->skin->body_vertex_count)
            continue;
        size_t a = 4 * (size_t)vertex + k % 4;
        if (embedding->weights[a] != 0 && !scope->roles[embedding->vertices[a]])
            return true;
    }
    return false;
}

/* Goes through what would cross on the way to q. */
typedef JnStatus (*OnCrossing)(const Contact *contact, ContactLag *lag, const Meeting *meeting, double time, bool *more,
                               JnMessage *message);

static JnStatus find_crossings(const Contact *contact, ContactLag *lag, const StepScope *scope, const double *q,
                               double part, double *earliest, OnCrossing on_crossing, bool *more, JnMessage *message) {
    Meetings *meetings = lag->meetings;
    JnStatus status = find_actual(contact, meetings, scope, q, message);
    for (int k = 0; status == JN_OK && k < MEETING_KIND_COUNT; ++k) {
        PairCandidates candidates = broad_phase_candidates(meetings->broad, MEETING_KINDS[k]);
        for (size_t c = 0; status == JN_OK && c < candidates.count; ++c) {
            Meeting meeting;
            double time;
            if (!meeting_load(contact, meetings, MEETING_KINDS[k], candidates.pairs[c], meetings->actual, &meeting) ||
                !meeting_is_in_subset(contact, scope, &meeting) || meeting_overlaps(meetings, &meeting))
                continue;
            const PairAdvance how = crossing(contact, meetings, &meeting, part);
            PairAdvanceEnd ends = pair_advance(MEETING_KINDS[k], meeting.start, meeting.end, &how, &time);
            if (ends == PAIR_ADVANCE_FREE || ends == PAIR_ADVANCE_INSIDE)
                continue;
            if (!can_move(contact, scope, &meeting)) {
                meetings->watch = 1;
                continue;
            }
            *earliest = fmin(*earliest, time);
            if (on_crossing)
                status = on_crossing(contact, lag, &meeting, time, more, message);
        }
    }
    return status;
}

JnStatus meetings_look_again(const Contact *contact, ContactLag *lag, const StepScope *scope, const double *q,
                             bool *more, JnMessage *message) {
    double earliest = 1;
    lag->meetings->has_postponed = false;
    JnStatus status = find_crossings(contact, lag, scope, q, 0.5, &earliest, hold_nearest, more, message);
    if (status == JN_OK && !*more && lag->meetings->has_postponed)
        status = find_crossings(contact, lag, scope, q, 0.5, &earliest, hold_beside, more, message);
    return status;
}

JnStatus meetings_check_way(const Contact *contact, ContactLag *lag, const StepScope *scope, const double *q,
                            double *free_part, JnMessage *message) {
    JnStatus status = find_crossings(contact, lag, scope, q, 0.25, free_part, NULL, NULL, message);
    lag->meetings->watch |= *free_part < 1;
    return status;
}

JnStatus meetings_remember(const Contact *contact, ContactLag *lag, const StepScope *scope, const double *q,
                           JnMessage *message) {
    Meetings *meetings = lag->meetings;
    bool room = true;
    pair_memory_clear(&meetings->memory);
    for (uint32_t k = 0; room && k < lag->meeting.count; ++k) {
        const Touch *touch = &lag->meeting.items[k];
        double normal[3], distance = touch_distance(touch, &contact->desc, scope->moment, q, normal);
        if (touch_force(touch, distance).force > 0)
            room = pair_memory_add(&meetings->memory, touch->kind, touch->pair, touch->plane);
    }
    pair_memory_sort(&meetings->memory);
    return room ? JN_OK : status_no_memory(message, "contacts");
}
