/* What meets of the skin in a step: points with triangles and edges with edges.

   When a step begins, it is foreseen where everything would go if nothing held it. What comes near or would cross on
   the way (continuous detection: nothing is too fast or too thin) is held by planes, chosen where it would first touch
   or where it ends. What a plane holds is then a matter of the force alone; the solution of a step is looked at again,
   until nothing crosses that is not held. */
#include "contact/meeting.h"

#include "base/math3.h"
#include "base/status.h"
#include "contact/pair_advance.h"
#include "contact/pair_cone.h"
#include "geometry/array.h"

#include <stdlib.h>
#include <string.h>

/* Of what gravity alone and the present velocity do in a step, the parts by which the foreseen way is widened. */
static const double GRAVITY_PART = 0.25, SPEED_PART = 0.1, THICKNESS_PART = 0.5;
/* Part of the least thickness within which two sides lie on each other. */
static const double FLUSH_PART = 1e-3;

/* ------------------------------------------------------------------------------------------------ a step begins */

/* Whether the pair is on the wrong side: inside of a closed collider, or on another side than that from which it was
   pushed in the last step. */
static bool is_behind(const Contact *contact, const ContactLag *lag, const Meeting *meeting, const PairDistance *apart,
                      const double normal[3]) {
    const Meetings *meetings = lag->meetings;
    const double *before = pair_memory_find(&meetings->memory, meeting->kind, meeting->pair);
    int known = meeting_may_sink(contact->skin, meeting)
                    ? pair_side(contact->skin, meeting->kind, meeting->pair, meeting->vertices, apart, normal,
                                meetings->sides, meetings->start)
                    : 0;
    /* beside it, it is free */
    bool inside = apart->region == (1u << pair_point_count(meeting->kind)) - 1;
    return known != 0 ? known < 0 : inside && before && vec3_dot(normal, before) < 0;
}

/* The direction in which a pair whose sides lie on each other is to be pushed apart. */
static bool find_flush_normal(const Contact *contact, const ContactLag *lag, const Meeting *meeting, double normal[3]) {
    const Meetings *meetings = lag->meetings;
    const double *before = pair_memory_find(&meetings->memory, meeting->kind, meeting->pair);
    if (before)
        memcpy(normal, before, 3 * sizeof *normal);
    return before || (!lag->has_begun && meeting->kind == PAIR_POINT_TRIANGLE &&
                      pair_flush_normal(contact->skin, meeting->pair, meeting->vertices, meetings->sides,
                                        meetings->start, normal));
}

static void note_gap(Meetings *meetings, const Meeting *meeting, double gap) {
    for (uint32_t k = 0; k < pair_point_count(meeting->kind); ++k) {
        double *least = &meetings->gaps[meeting->vertices[k]];
        *least = fmin(*least, gap);
    }
}

/* Pairs that are behind each other, or lie on each other, are pushed apart, if they are not too deep; where colliders
   hold points softly, as softly. false: it is none. */
static bool push_back(const Contact *contact, ContactLag *lag, const Meeting *meeting, JnStatus *status,
                      JnMessage *message) {
    PairDistance apart;
    double normal[3];
    pair_distance(meeting->kind, meeting->start, &apart);
    double depth = sqrt(apart.squared), flush = FLUSH_PART * meeting_least_thickness(contact);
    note_gap(lag->meetings, meeting, fmax(0, depth - meeting->radius));
    if (meeting->radius > 0 || depth > MEETING_DEEPEST * meeting->thickness)
        return false;
    if (depth <= flush) {
        if (!find_flush_normal(contact, lag, meeting, normal))
            return false;
    } else {
        if (!meeting_direction(&apart, normal) || !is_behind(contact, lag, meeting, &apart, normal))
            return false;
        for (int i = 0; i < 3; ++i)
            normal[i] = -normal[i];
        /* a body that has sunk in by a hair would be stopped by the edges of a flat floor */
        if (meeting_may_sink(contact->skin, meeting) &&
            pair_cone_is_flat(contact->skin, meeting->kind, meeting->pair, meeting->vertices, lag->meetings->start))
            return true;
        lag->meetings->watch |= !meeting_may_sink(contact->skin, meeting);
        lag->deepest_penetration = fmax(lag->deepest_penetration, depth);
    }
    *status = meeting_add(contact, lag, meeting, meeting->start, &apart, normal, message);
    if (*status == JN_OK && meeting_may_sink(contact->skin, meeting) && lag->meeting.count > 0)
        lag->meeting.items[lag->meeting.count - 1].law.curve = &penalty_curve;
    return true;
}

/* Whether the pair was pushed apart in the same direction when the last step ended. Bodies rest on each other by what
   holds them: without it they would fall into each other first, in every step, and be held when that is seen. */
static bool was_held(const Contact *contact, const Meetings *meetings, const Meeting *meeting, const double normal[3]) {
    const double *before = pair_memory_find(&meetings->memory, meeting->kind, meeting->pair);
    return before && !meeting_has_collider(contact->skin, meeting) && vec3_dot(normal, before) > MEETING_SAME_PLANE;
}

/* Holds the pair if it comes near on the foreseen way. */
static JnStatus foresee(const Contact *contact, ContactLag *lag, const Meeting *meeting, JnMessage *message) {
    const Meetings *meetings = lag->meetings;
    const PairAdvance how = {
        .thickness = meeting->radius, .reach = meeting->thickness - meeting->radius, .keep = 0.1, .most_planes = 64};
    JnStatus status = JN_OK;
    PairDistance apart;
    double x[12], normal[3], time;
    if (push_back(contact, lag, meeting, &status, message) || meeting_overlaps(meetings, meeting))
        return status;
    PairAdvanceEnd ends = pair_advance(meeting->kind, meeting->start, meeting->end, &how, &time);
    /* from the middle of a round collider, the way out is known */
    if (ends == PAIR_ADVANCE_INSIDE && meeting->radius == 0) {
        lag->meetings->watch |= !meeting_may_sink(contact->skin, meeting);
        return JN_OK;
    }
    meeting_at(meeting, time, x);
    pair_distance(meeting->kind, x, &apart);
    if (!meeting_direction(&apart, normal) ||
        (ends == PAIR_ADVANCE_FREE && apart.squared > pow(meeting->thickness + meetings->look, 2)))
        return JN_OK;
    if (!was_held(contact, meetings, meeting, normal) &&
        !pair_cone_holds(contact->skin, meeting->kind, meeting->pair, meeting->vertices, &apart, normal,
                         ends == PAIR_ADVANCE_FREE ? meetings->end : meetings->start))
        return JN_OK;
    return meeting_add(contact, lag, meeting, x, &apart, normal, message);
}

/* Where everything is and how fast; where it goes if nothing holds it. */
static void foresee_positions(const Contact *contact, Meetings *meetings, const StepScope *scope,
                              const StepStart *start) {
    const Skin *skin = contact->skin;
    const PointSet *points = contact->desc.points;
    const double *gravity = scope->moment->gravity;
    for (uint32_t p = 0; p < skin->body_vertex_count; ++p) {
        double v[3], *from = &meetings->start[3 * (size_t)p], *to = &meetings->end[3 * (size_t)p];
        bool falls = true;
        point_set_value(points, p, start->q, from);
        point_set_value(points, p, start->v, v);
        for (size_t a = 4 * (size_t)p; a < 4 * (size_t)p + 4; ++a)
            falls &= points->embedding.weights[a] == 0 || !scope->roles[points->embedding.vertices[a]];
        for (int i = 0; i < 3; ++i)
            to[i] = from[i] + start->h * (v[i] + (falls ? start->h * gravity[i] : 0));
        meetings->radii[p] = SPEED_PART * start->h * vec3_length(v);
    }
    for (uint32_t k = 0; k < skin->collider_count; ++k) {
        const Collider *collider = &contact->desc.colliders[skin->colliders[k].collider];
        size_t first = 3 * (size_t)skin->colliders[k].first_vertex;
        const ColliderPlacement *placement = &scope->moment->colliders[skin->colliders[k].collider];
        collider->kind->skin(placement, collider->shape, meetings->start + first, meetings->end + first,
                             meetings->velocities + first);
        double radius = collider->kind->skin_radius ? collider->kind->skin_radius(placement) : 0;
        meetings->object_radii[contact->desc.body_count + skin->colliders[k].collider] = radius;
        for (uint32_t v = 0; v < skin->colliders[k].vertex_count; ++v)
            meetings->radii[skin->colliders[k].first_vertex + v] = radius;
    }
    meetings->look =
        GRAVITY_PART * start->h * start->h * vec3_length(gravity) + THICKNESS_PART * contact->desc.thickness;
}

/* What overlaps where the step begins, if anything can. */
static JnStatus find_piercings(const Contact *contact, ContactLag *lag, JnMessage *message) {
    Meetings *meetings = lag->meetings;
    Piercings *piercings = &meetings->piercings;
    if (lag->has_begun && !meetings->watch) {
        piercings_clear(piercings);
        return JN_OK;
    }
    JnStatus status = piercings_find(contact->skin, meetings->start, piercings, message);
    meetings->watch = piercings->count > 0;
    lag->now.overlap_count = piercings->count;
    if (piercings->count > 0) {
        memcpy(lag->now.overlap_place, piercings->place, sizeof lag->now.overlap_place);
        memcpy(lag->now.overlap_objects, piercings->objects, sizeof lag->now.overlap_objects);
    }
    return status;
}

JnStatus meetings_find(const Contact *contact, ContactLag *lag, const StepScope *scope, const StepStart *start,
                       JnMessage *message) {
    Meetings *meetings = lag->meetings;
    lag->meeting.count = 0;
    foresee_positions(contact, meetings, scope, start);
    for (uint32_t object = 0; object < contact->skin->desc.group_count; ++object)
        meetings->sides[object] = skin_side(contact->skin, object, meetings->start);
    for (uint32_t v = 0; v < contact->skin->vertex_count; ++v)
        meetings->gaps[v] = INFINITY;
    JnStatus status = find_piercings(contact, lag, message);
    if (status == JN_OK)
        status = meetings_search(contact, meetings, scope, message);
    for (int k = 0; status == JN_OK && k < MEETING_KIND_COUNT; ++k) {
        PairCandidates candidates = broad_phase_candidates(meetings->broad, MEETING_KINDS[k]);
        for (size_t c = 0; status == JN_OK && c < candidates.count; ++c) {
            Meeting meeting;
            if (meeting_load(contact, meetings, MEETING_KINDS[k], candidates.pairs[c], meetings->end, &meeting) &&
                meeting_is_in_subset(contact, scope, &meeting))
                status = foresee(contact, lag, &meeting, message);
        }
    }
    for (uint32_t k = 0; k < lag->meeting.count; ++k)
        touch_guess_friction(&lag->meeting.items[k], start->v);
    meetings->sorted = lag->meeting.count;
    if (status == JN_OK && !lag->has_begun)
        status = meetings_remember(contact, lag, scope, start->q, message);
    return status;
}

/* ------------------------------------------------------------------------------------------------ life */

bool meetings_archive(Meetings *meetings, Archive *archive) {
    return archive_piece(archive, &meetings->watch, sizeof meetings->watch) &&
           pair_memory_archive(&meetings->memory, archive);
}

void meetings_destroy(Meetings *meetings) {
    if (!meetings)
        return;
    broad_phase_destroy(meetings->broad);
    pair_memory_free(&meetings->memory);
    piercings_free(&meetings->piercings);
    free(meetings->start);
    free(meetings->end);
    free(meetings->actual);
    free(meetings->velocities);
    free(meetings->radii);
    free(meetings->sides);
    free(meetings->object_radii);
    free(meetings->gaps);
    free(meetings);
}

JnStatus meetings_create(const Contact *contact, Meetings **made, JnMessage *message) {
    const Skin *skin = contact->skin;
    const ContactDesc *desc = &contact->desc;
    Meetings *meetings = calloc(1, sizeof *meetings);
    *made = NULL;
    if (meetings) {
        meetings->count = 3 * (size_t)skin->vertex_count;
        meetings->start = array_new(meetings->count, sizeof(double));
        meetings->end = array_new(meetings->count, sizeof(double));
        meetings->actual = array_new(meetings->count, sizeof(double));
        meetings->velocities = array_new(meetings->count, sizeof(double));
        meetings->radii = array_new(skin->vertex_count, sizeof(double));
        meetings->sides = array_new(skin->desc.group_count, sizeof(double));
        meetings->object_radii = array_new(skin->desc.group_count, sizeof(double));
        meetings->gaps = array_new(skin->vertex_count, sizeof(double));
        for (uint32_t a = 0; a < skin->desc.group_count; ++a)
            for (uint32_t b = 0; b < skin->desc.group_count; ++b)
                if (skin->touching[(size_t)a * skin->desc.group_count + b])
                    meetings->widest =
                        fmax(fmax(meetings->widest, meeting_least_thickness(contact)), skin_thickness(desc, a, b));
    }
    if (meetings && meetings->start && meetings->end && meetings->actual && meetings->velocities && meetings->radii &&
        meetings->sides && meetings->object_radii && meetings->gaps) {
        *made = meetings;
        return JN_OK;
    }
    meetings_destroy(meetings);
    return status_no_memory(message, "what may touch");
}
