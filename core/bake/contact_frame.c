/* Contact in a finished frame, as the contact stage reports it after each time step. */
#include "bake/bake_internal.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

ContactReport contact_frame_report(const JnBake *bake) {
    ContactReport report = {.smallest_distance = INFINITY};
    if (bake->model.contact_method)
        contact_report(bake->model.system.terms[bake->model.contact_term].self,
                       bake->motion.view->lags[bake->model.contact_term], &report);
    return report;
}

void contact_frame_begin(JnBake *bake) {
    const System *system = &bake->model.system;
    bake->counts.contact_watch = (ContactWatch){system->contact_rounds, system->times.contact, 0};
}

void contact_frame_step(JnBake *bake) {
    ContactWatch *watch = &bake->counts.contact_watch;
    watch->deepest = fmax(watch->deepest, contact_frame_report(bake).depth);
}

/* Whether a point is deeper in a collider than contact lets things sink. */
static bool is_deep(const JnBake *bake, const ContactReport *report) {
    return report->depth > CONTACT_DEEP_PART * bake->model.points.bounding_size;
}

static const char *object_name(const JnBake *bake, uint32_t object) {
    uint32_t bodies = bake->model.body_count;
    return object < bodies ? bake->model.bodies[object].name : bake->model.collider_names[object - bodies];
}

/* Where an overlap is, and between whom: the deepest in a collider, else one of those that meet. */
static void tell_overlap(const JnBake *bake, const ContactReport *report, JnContactFrame *frame) {
    const PointSet *points = &bake->model.points;
    if (is_deep(bake, report)) {
        frame->overlap_depth = report->depth;
        point_set_value(points, report->point, bake->motion.state.q, frame->overlap_place);
        frame->overlap_first = bake_body_of_vertex(bake, points->embedding.vertices[4 * (size_t)report->point])->name;
        frame->overlap_second = object_name(bake, bake->model.body_count + report->collider);
    } else {
        memcpy(frame->overlap_place, report->overlap_place, sizeof frame->overlap_place);
        frame->overlap_first = object_name(bake, report->overlap_objects[0]);
        frame->overlap_second = object_name(bake, report->overlap_objects[1]);
    }
    for (int i = 0; i < 3; ++i)
        frame->overlap_place[i] /= bake->settings.metres_per_unit;
}

static JnStatus refuse_overlap(const JnBake *bake, const JnContactFrame *frame, JnMessage *message) {
    const double *place = frame->overlap_place;
    char depth[40] = "";
    if (!isnan(frame->overlap_depth))
        snprintf(depth, sizeof depth, " by %.3g m", frame->overlap_depth);
    return status_fail(message, JN_ERR_OVERLAP,
                       "'%.80s' and '%.80s' overlap in frame %g%s, near (%.4g, %.4g, %.4g), and contact.strict is on: "
                       "move them apart there, or switch it off",
                       frame->overlap_first, frame->overlap_second, jn_bake_next_frame(bake), depth, place[0], place[1],
                       place[2]);
}

JnStatus contact_frame_end(JnBake *bake, JnContactFrame *frame, JnMessage *message) {
    const System *system = &bake->model.system;
    contact_frame_step(bake);
    const ContactWatch *watch = &bake->counts.contact_watch;
    const ContactReport report = contact_frame_report(bake);
    *frame = (JnContactFrame){.struct_size = sizeof *frame,
                              .pair_count = report.pair_count,
                              .contact_count = report.contact_count,
                              .sticking_count = report.sticking_count,
                              .sliding_count = report.sliding_count,
                              .round_count = (uint32_t)(system->contact_rounds - watch->rounds_before),
                              .overlap_count = report.overlap_count + is_deep(bake, &report),
                              .smallest_distance = report.smallest_distance,
                              .deepest_penetration = watch->deepest,
                              .seconds = system->times.contact - watch->seconds_before,
                              .overlap_place = {NAN, NAN, NAN},
                              .overlap_depth = NAN};
    if (frame->overlap_count > 0)
        tell_overlap(bake, &report, frame);
    return frame->overlap_count > 0 && bake->settings.strict ? refuse_overlap(bake, frame, message) : JN_OK;
}

JnStatus jn_bake_contact(const JnBake *bake, JnContactFrame *contact, JnMessage *message) {
    if (!bake || !contact || contact->struct_size != sizeof *contact)
        return status_fail(message, bake && contact ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a bake and a JnContactFrame whose struct_size is %zu", sizeof *contact);
    if (bake->counts.contact_frame.struct_size == 0)
        return status_fail(message, JN_ERR_ORDER, "no frame was finished in this run: advance first");
    *contact = bake->counts.contact_frame;
    return status_clear(message);
}
