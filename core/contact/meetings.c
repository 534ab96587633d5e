/* What meets of the skin in a step: points with triangles and edges with edges.

   When a step begins, it is foreseen where everything would go if nothing held it. What comes near or would cross on
   the way (continuous detection: nothing is too fast or too thin) is held by planes, chosen where it would first touch
   or where it ends. What a plane holds is then a matter of the force alone; the solution of a step is looked at again,
   until nothing crosses that is not held. */
#include "contact/contact_internal.h"

#include "base/math3.h"
#include "base/status.h"
#include "contact/edge_mollifier.h"
#include "contact/pair_advance.h"
#include "contact/pair_cone.h"
#include "contact/pair_memory.h"
#include "contact/pair_side.h"
#include "contact/piercings.h"
#include "geometry/array.h"

#include <stdlib.h>
#include <string.h>

struct Meetings {
    BroadPhase *broad;    /* made with the first search */
    size_t count;         /* skin vertices * 3 */
    double *start;        /* m, [count]: where the step begins, */
    double *end;          /* and where it was last thought to end */
    double *actual;       /* where it would end now */
    double *velocities;   /* m/s, [count], of colliders */
    double *radii;        /* m, [skin vertices]: what is foreseen may be off by half of `look` and this */
    double *sides;        /* [objects] of skin_side */
    double *object_radii; /* m, [objects] of round colliders, else 0 */
    double look;          /* m */
    double widest;        /* m, the largest thickness */
    uint32_t sorted;      /* of the lag's meeting touches, those that are sorted */
    Piercings piercings;  /* where the step begins */
    uint64_t watch;       /* 1: something may have crossed, so that the next step looks for piercings */
    PairMemory memory;    /* of pairs that were pushed apart where the last step ended */
};

/* Of what gravity alone and the present velocity do in a step, the parts by which the foreseen way is widened. */
static const double GRAVITY_PART = 0.25, SPEED_PART = 0.1, THICKNESS_PART = 0.5;
/* What has sunk deeper into another than this many thicknesses is not pushed back any more. */
static const double DEEPEST = 10;
/* Parts of points of one body, which may be near in its rest shape, touch at this part of their distance there. */
static const double REST_PART = 0.5;
/* Part of that within which two sides lie on each other. */
static const double FLUSH_PART = 1e-3;

/* ------------------------------------------------------------------------------------------------ one pair */

typedef struct Meeting {
    PairKind kind;
    uint32_t pair[2], vertices[4], objects[2];
    double thickness;
    double radius; /* m, of a round collider: a part of the thickness */
    double start[12], end[12];
} Meeting;

static void gather(const uint32_t vertices[4], const double *positions, double x[12]) {
    for (size_t i = 0; i < 4; ++i)
        memcpy(&x[3 * i], &positions[3 * (size_t)vertices[i]], 3 * sizeof *x);
}

/* At a part of the way. */
static void meeting_at(const Meeting *meeting, double time, double x[12]) {
    for (size_t i = 0; i < 12; ++i)
        x[i] = meeting->start[i] + time * (meeting->end[i] - meeting->start[i]);
}

/* What surfaces that meet keep between them, even if nothing is wanted. */
static double least_thickness(const Contact *contact) {
    return CONTACT_LEAST_THICKNESS * contact->desc.points->bounding_size;
}

/* How far the middle of the body's edge or triangle may dip into a round collider before which its points are, m. */
static double dip(const Skin *skin, const Meeting *meeting) {
    double longest = 0;
    for (uint32_t a = 0; a < pair_point_count(meeting->kind); ++a)
        for (uint32_t b = 0; b < a; ++b) {
            double way[3];
            vec3_sub(&meeting->start[3 * (size_t)a], &meeting->start[3 * (size_t)b], way);
            if (meeting->vertices[a] < skin->body_vertex_count && meeting->vertices[b] < skin->body_vertex_count)
                longest = fmax(longest, vec3_dot(way, way));
        }
    return longest / (8 * meeting->radius);
}

/* false: the two are not to be held apart, since they are one place in the rest shape, or since the body's points are
   enough to hold it before a round collider. */
static bool load(const Contact *contact, const Meetings *meetings, PairKind kind, const uint32_t pair[2],
                 const double *end, Meeting *meeting) {
    const Skin *skin = contact->skin;
    meeting->kind = kind;
    memcpy(meeting->pair, pair, sizeof meeting->pair);
    broad_phase_vertices(meetings->broad, kind, pair, meeting->vertices);
    uint32_t second = meeting->vertices[pair_first_count(kind)];
    meeting->objects[0] = skin->groups[meeting->vertices[0]];
    meeting->objects[1] = skin->groups[second];
    meeting->thickness =
        fmax(skin_thickness(&contact->desc, meeting->objects[0], meeting->objects[1]), least_thickness(contact));
    meeting->radius = meetings->object_radii[meeting->objects[0]] + meetings->object_radii[meeting->objects[1]];
    double thickness = meeting->thickness;
    meeting->thickness += meeting->radius;
    gather(meeting->vertices, meetings->start, meeting->start);
    gather(meeting->vertices, end, meeting->end);
    if (meeting->objects[0] != meeting->objects[1])
        return meeting->radius == 0 ||
               dip(contact->skin, meeting) > (contact->skin->colliders_hold ? DEEPEST : 1) * thickness;
    double rest[12];
    PairDistance apart;
    gather(meeting->vertices, contact->desc.rest_points, rest);
    pair_distance(kind, rest, &apart);
    meeting->thickness = fmin(meeting->thickness, REST_PART * sqrt(apart.squared));
    return meeting->thickness > 1e-2 * least_thickness(contact);
}

/* Whether the pair is in the subset: by all vertices in which its points are embedded, those of colliders having none.
   So views of complementary subsets share out all pairs. */
static bool is_in_subset(const Contact *contact, const StepScope *scope, const Meeting *meeting) {
    const Embedding *embedding = &contact->desc.points->embedding;
    uint32_t vertices[16], count = 0;
    if (scope->subset.rule == SUBSET_WHOLE)
        return true;
    for (uint32_t k = 0; k < 4 * pair_point_count(meeting->kind); ++k) {
        size_t a = 4 * (size_t)meeting->vertices[k / 4] + k % 4;
        if (meeting->vertices[k / 4] < contact->skin->body_vertex_count && embedding->weights[a] != 0)
            vertices[count++] = embedding->vertices[a];
    }
    return element_subset_has(&scope->subset, vertices, count);
}

static double area_of(const Skin *skin, const Meeting *meeting, const double x[12]) {
    if (meeting->kind == PAIR_POINT_TRIANGLE) {
        double area = skin->point_areas[meeting->vertices[0]];
        return isinf(area) ? skin->triangle_areas[meeting->pair[1]] / 3 : area;
    }
    double factor;
    edge_mollifier(x, edge_mollifier_scale(x), &factor, NULL, NULL);
    return factor * fmin(skin->edge_areas[meeting->pair[0]], skin->edge_areas[meeting->pair[1]]);
}

/* The plane between the nearest points as they are at x: a touch's place, what holds it, and where it begins. */
static void set_plane(const Contact *contact, const Meetings *meetings, const Meeting *meeting,
                      const PairDistance *apart, const double normal[3], Touch *touch) {
    const Skin *skin = contact->skin;
    uint32_t count = pair_point_count(meeting->kind);
    touch->vertex_count = 0;
    touch->end_distance = 0; /* until the step is solved, where it begins */
    for (int i = 0; i < 3; ++i) {
        touch->plane[i] = touch->normal[i] = normal[i];
        touch->fixed[i] = touch->plane_velocity[i] = 0;
    }
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t vertex = meeting->vertices[k];
        double weight = apart->weights[k];
        if (weight == 0)
            continue;
        touch->end_distance += weight * vec3_dot(&meeting->start[3 * (size_t)k], normal);
        if (vertex < skin->body_vertex_count) {
            touch_add_point(touch, contact->desc.points, vertex, weight);
            continue;
        }
        for (size_t i = 0; i < 3; ++i) {
            touch->fixed[i] += weight * meetings->end[3 * (size_t)vertex + i];
            touch->plane_velocity[i] -= weight * meetings->velocities[3 * (size_t)vertex + i];
        }
    }
    memcpy(touch->velocity, touch->plane_velocity, sizeof touch->velocity);
}

static JnStatus add(const Contact *contact, ContactLag *lag, const Meeting *meeting, const double x[12],
                    const PairDistance *apart, const double normal[3], JnMessage *message) {
    Touch *touch = contact_add_touch(contact, lag, &lag->meeting, meeting->objects[0], meeting->objects[1],
                                     area_of(contact->skin, meeting, x), meeting->thickness);
    if (!touch)
        return status_no_memory(message, "contacts");
    touch->kind = meeting->kind;
    memcpy(touch->pair, meeting->pair, sizeof touch->pair);
    set_plane(contact, lag->meetings, meeting, apart, normal, touch);
    touch->normal_force = touch->solved_force = touch->end_force = touch_force(touch, touch->end_distance).force;
    if (touch->vertex_count == 0) /* in a collider's middle */
        --lag->meeting.count;
    return JN_OK;
}

/* Whether the nearest points are apart, and then in which direction. */
static bool direction_of(const PairDistance *apart, double normal[3]) {
    double length = sqrt(apart->squared);
    for (int i = 0; length > 0 && i < 3; ++i)
        normal[i] = apart->offset[i] / length;
    return length > 0;
}

/* ------------------------------------------------------------------------------------------------ a step begins */

/* Whether a collider takes part before which the points of bodies are held softly, so that it is no news if something
   else of a body has sunk in. */
static bool may_sink(const Skin *skin, const Meeting *meeting) {
    return skin->colliders_hold && (meeting->vertices[0] >= skin->body_vertex_count ||
                                    meeting->vertices[pair_first_count(meeting->kind)] >= skin->body_vertex_count);
}

/* Whether the pair is on the wrong side: inside of a closed collider, or on another side than that from which it was
   pushed in the last step. */
static bool is_behind(const Contact *contact, const ContactLag *lag, const Meeting *meeting, const PairDistance *apart,
                      const double normal[3]) {
    const Meetings *meetings = lag->meetings;
    const double *before = pair_memory_find(&meetings->memory, meeting->kind, meeting->pair);
    int known = may_sink(contact->skin, meeting)
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

/* Pairs that are behind each other, or lie on each other, are pushed apart, if they are not too deep; where colliders
   hold points softly, as softly. false: it is none. */
static bool push_back(const Contact *contact, ContactLag *lag, const Meeting *meeting, JnStatus *status,
                      JnMessage *message) {
    PairDistance apart;
    double normal[3];
    pair_distance(meeting->kind, meeting->start, &apart);
    double depth = sqrt(apart.squared), flush = FLUSH_PART * least_thickness(contact);
    if (meeting->radius > 0 || depth > DEEPEST * meeting->thickness)
        return false;
    if (depth <= flush) {
        if (!find_flush_normal(contact, lag, meeting, normal))
            return false;
    } else {
        if (!direction_of(&apart, normal) || !is_behind(contact, lag, meeting, &apart, normal))
            return false;
        for (int i = 0; i < 3; ++i)
            normal[i] = -normal[i];
        lag->meetings->watch |= !may_sink(contact->skin, meeting);
        lag->deepest_penetration = fmax(lag->deepest_penetration, depth);
    }
    *status = add(contact, lag, meeting, meeting->start, &apart, normal, message);
    if (*status == JN_OK && may_sink(contact->skin, meeting) && lag->meeting.count > 0)
        lag->meeting.items[lag->meeting.count - 1].law.curve = &penalty_curve;
    return true;
}

static bool overlaps(const Meetings *meetings, const Meeting *meeting) {
    return piercings_hold(&meetings->piercings, meeting->vertices, pair_first_count(meeting->kind),
                          pair_point_count(meeting->kind), meeting->objects);
}

/* Holds the pair if it comes near on the foreseen way. */
static JnStatus foresee(const Contact *contact, ContactLag *lag, const Meeting *meeting, JnMessage *message) {
    const Meetings *meetings = lag->meetings;
    const PairAdvance how = {
        .thickness = meeting->radius, .reach = meeting->thickness - meeting->radius, .keep = 0.1, .most_planes = 64};
    JnStatus status = JN_OK;
    PairDistance apart;
    double x[12], normal[3], time;
    if (push_back(contact, lag, meeting, &status, message) || overlaps(meetings, meeting))
        return status;
    PairAdvanceEnd ends = pair_advance(meeting->kind, meeting->start, meeting->end, &how, &time);
    /* from the middle of a round collider, the way out is known */
    if (ends == PAIR_ADVANCE_INSIDE && meeting->radius == 0) {
        lag->meetings->watch |= !may_sink(contact->skin, meeting);
        return JN_OK;
    }
    meeting_at(meeting, time, x);
    pair_distance(meeting->kind, x, &apart);
    if (!direction_of(&apart, normal) ||
        (ends == PAIR_ADVANCE_FREE && apart.squared > pow(meeting->thickness + meetings->look, 2)))
        return JN_OK;
    if (!pair_cone_holds(contact->skin, meeting->kind, meeting->pair, meeting->vertices, &apart, normal,
                         ends == PAIR_ADVANCE_FREE ? meetings->end : meetings->start))
        return JN_OK;
    return add(contact, lag, meeting, x, &apart, normal, message);
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

static JnStatus search(const Contact *contact, Meetings *meetings, const StepScope *scope, JnMessage *message) {
    const PrimitiveMotion motion = {meetings->start, meetings->end, 0.5 * (meetings->widest + meetings->look),
                                    meetings->radii};
    JnStatus status =
        meetings->broad ? JN_OK : broad_phase_create(&contact->skin->desc, &motion, &meetings->broad, message);
    return status == JN_OK ? broad_phase_search(meetings->broad, &motion, scope->pool, message) : status;
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

static const PairKind kinds[] = {PAIR_POINT_TRIANGLE, PAIR_EDGE_EDGE}; /* ascending */
enum { KINDS = sizeof kinds / sizeof kinds[0] };

JnStatus meetings_find(const Contact *contact, ContactLag *lag, const StepScope *scope, const StepStart *start,
                       JnMessage *message) {
    Meetings *meetings = lag->meetings;
    lag->meeting.count = 0;
    foresee_positions(contact, meetings, scope, start);
    for (uint32_t object = 0; object < contact->skin->desc.group_count; ++object)
        meetings->sides[object] = skin_side(contact->skin, object, meetings->start);
    JnStatus status = find_piercings(contact, lag, message);
    if (status == JN_OK)
        status = search(contact, meetings, scope, message);
    for (int k = 0; status == JN_OK && k < KINDS; ++k) {
        PairCandidates candidates = broad_phase_candidates(meetings->broad, kinds[k]);
        for (size_t c = 0; status == JN_OK && c < candidates.count; ++c) {
            Meeting meeting;
            if (load(contact, meetings, kinds[k], candidates.pairs[c], meetings->end, &meeting) &&
                is_in_subset(contact, scope, &meeting))
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

/* ------------------------------------------------------------------------------------------------ its end */

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
    return search(contact, meetings, scope, message);
}

/* The distance at which a pair counts as crossed: a part of what a barrier never gives up. */
static PairAdvance crossing(const Contact *contact, const Meeting *meeting, double part) {
    PairDistance apart;
    pair_distance(meeting->kind, meeting->start, &apart);
    double thickness = meeting->thickness - meeting->radius, gap = fmax(0, sqrt(apart.squared) - meeting->radius);
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

/* A plane that is turned by less than this, as cosine, is the same. */
static const double SAME_PLANE = 0.99;

static JnStatus hold(const Contact *contact, ContactLag *lag, const Meeting *meeting, double time, bool *more,
                     JnMessage *message) {
    PairDistance apart;
    double x[12], normal[3];
    meeting_at(meeting, time, x);
    pair_distance(meeting->kind, x, &apart);
    if (!direction_of(&apart, normal))
        return JN_OK;
    /* what has sunk into another by a hair would else be stopped by its edges */
    if (may_sink(contact->skin, meeting) && !pair_cone_holds(contact->skin, meeting->kind, meeting->pair,
                                                             meeting->vertices, &apart, normal, lag->meetings->start))
        return JN_OK;
    Touch *touch = find_touch(lag, meeting);
    if (!touch) {
        *more = true;
        return add(contact, lag, meeting, x, &apart, normal, message);
    }
    if (touch->has_turned || vec3_dot(touch->plane, normal) > SAME_PLANE)
        return JN_OK;
    *more = touch->has_turned = true;
    touch->is_placed = false;
    set_plane(contact, lag->meetings, meeting, &apart, normal, touch);
    return JN_OK;
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
    for (int k = 0; status == JN_OK && k < KINDS; ++k) {
        PairCandidates candidates = broad_phase_candidates(meetings->broad, kinds[k]);
        for (size_t c = 0; status == JN_OK && c < candidates.count; ++c) {
            Meeting meeting;
            double time;
            if (!load(contact, meetings, kinds[k], candidates.pairs[c], meetings->actual, &meeting) ||
                !is_in_subset(contact, scope, &meeting) || overlaps(meetings, &meeting))
                continue;
            const PairAdvance how = crossing(contact, &meeting, part);
            PairAdvanceEnd ends = pair_advance(kinds[k], meeting.start, meeting.end, &how, &time);
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
    return find_crossings(contact, lag, scope, q, 0.5, &earliest, hold, more, message);
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
        for (uint32_t a = 0; a < skin->desc.group_count; ++a)
            for (uint32_t b = 0; b < skin->desc.group_count; ++b)
                if (skin->touching[(size_t)a * skin->desc.group_count + b])
                    meetings->widest =
                        fmax(fmax(meetings->widest, least_thickness(contact)), skin_thickness(desc, a, b));
    }
    if (meetings && meetings->start && meetings->end && meetings->actual && meetings->velocities && meetings->radii &&
        meetings->sides && meetings->object_radii) {
        *made = meetings;
        return JN_OK;
    }
    meetings_destroy(meetings);
    return status_no_memory(message, "what may touch");
}
