#include "contact/meeting.h"

#include "base/math3.h"
#include "base/status.h"
#include "contact/edge_mollifier.h"

#include <string.h>

const PairKind MEETING_KINDS[MEETING_KIND_COUNT] = {PAIR_POINT_TRIANGLE, PAIR_EDGE_EDGE};
/* Parts of points of one body, which may be near in its rest shape, touch at this part of their distance there. */
static const double REST_PART = 0.5;

static void gather(const uint32_t vertices[4], const double *positions, double x[12]) {
    for (size_t i = 0; i < 4; ++i)
        memcpy(&x[3 * i], &positions[3 * (size_t)vertices[i]], 3 * sizeof *x);
}

void meeting_at(const Meeting *meeting, double time, double x[12]) {
    for (size_t i = 0; i < 12; ++i)
        x[i] = meeting->start[i] + time * (meeting->end[i] - meeting->start[i]);
}

double meeting_least_thickness(const Contact *contact) {
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

bool meeting_load(const Contact *contact, const Meetings *meetings, PairKind kind, const uint32_t pair[2],
                  const double *end, Meeting *meeting) {
    const Skin *skin = contact->skin;
    meeting->kind = kind;
    memcpy(meeting->pair, pair, sizeof meeting->pair);
    broad_phase_vertices(meetings->broad, kind, pair, meeting->vertices);
    uint32_t second = meeting->vertices[pair_first_count(kind)];
    meeting->objects[0] = skin->groups[meeting->vertices[0]];
    meeting->objects[1] = skin->groups[second];
    meeting->thickness = fmax(skin_thickness(&contact->desc, meeting->objects[0], meeting->objects[1]),
                              meeting_least_thickness(contact));
    meeting->radius = meetings->object_radii[meeting->objects[0]] + meetings->object_radii[meeting->objects[1]];
    double thickness = meeting->thickness;
    meeting->thickness += meeting->radius;
    gather(meeting->vertices, meetings->start, meeting->start);
    gather(meeting->vertices, end, meeting->end);
    if (meeting->objects[0] != meeting->objects[1])
        return meeting->radius == 0 ||
               dip(contact->skin, meeting) > (contact->skin->colliders_hold ? MEETING_DEEPEST : 1) * thickness;
    double rest[12];
    PairDistance apart;
    gather(meeting->vertices, contact->desc.rest_points, rest);
    pair_distance(kind, rest, &apart);
    meeting->thickness = fmin(meeting->thickness, REST_PART * sqrt(apart.squared));
    return meeting->thickness > 1e-2 * meeting_least_thickness(contact);
}

bool meeting_is_in_subset(const Contact *contact, const StepScope *scope, const Meeting *meeting) {
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

void meeting_set_plane(const Contact *contact, const Meetings *meetings, const Meeting *meeting,
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

JnStatus meeting_add(const Contact *contact, ContactLag *lag, const Meeting *meeting, const double x[12],
                     const PairDistance *apart, const double normal[3], JnMessage *message) {
    Touch *touch = contact_add_touch(contact, lag, &lag->meeting, meeting->objects[0], meeting->objects[1],
                                     area_of(contact->skin, meeting, x), meeting->thickness);
    if (!touch)
        return status_no_memory(message, "contacts");
    touch->kind = meeting->kind;
    memcpy(touch->pair, meeting->pair, sizeof touch->pair);
    meeting_set_plane(contact, lag->meetings, meeting, apart, normal, touch);
    touch->normal_force = touch->solved_force = touch->end_force = touch_force(touch, touch->end_distance).force;
    if (touch->vertex_count == 0) /* in a collider's middle */
        --lag->meeting.count;
    return JN_OK;
}

bool meeting_direction(const PairDistance *apart, double normal[3]) {
    double length = sqrt(apart->squared);
    for (int i = 0; length > 0 && i < 3; ++i)
        normal[i] = apart->offset[i] / length;
    return length > 0;
}

bool meeting_has_collider(const Skin *skin, const Meeting *meeting) {
    return meeting->vertices[0] >= skin->body_vertex_count ||
           meeting->vertices[pair_first_count(meeting->kind)] >= skin->body_vertex_count;
}

bool meeting_may_sink(const Skin *skin, const Meeting *meeting) {
    return skin->colliders_hold && meeting_has_collider(skin, meeting);
}

bool meeting_overlaps(const Meetings *meetings, const Meeting *meeting) {
    return piercings_hold(&meetings->piercings, meeting->vertices, pair_first_count(meeting->kind),
                          pair_point_count(meeting->kind), meeting->objects);
}

JnStatus meetings_search(const Contact *contact, Meetings *meetings, const StepScope *scope, JnMessage *message) {
    const PrimitiveMotion motion = {meetings->start, meetings->end, 0.5 * (meetings->widest + meetings->look),
                                    meetings->radii};
    JnStatus status =
        meetings->broad ? JN_OK : broad_phase_create(&contact->skin->desc, &motion, &meetings->broad, message);
    return status == JN_OK ? broad_phase_search(meetings->broad, &motion, scope->pool, message) : status;
}
