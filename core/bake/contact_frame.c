/* Contact in a finished frame, as the contact stage reports it after each time step. */
#include "bake/bake_internal.h"

#include "base/status.h"

#include <math.h>

static ContactReport last_report(const JnBake *bake) {
    ContactReport report = {.depth = 0};
    if (bake->model.contact_method)
        contact_report(bake->motion.view->lags[bake->model.contact_term], &report);
    return report;
}

void contact_frame_begin(JnBake *bake) {
    const System *system = &bake->model.system;
    bake->counts.contact_watch = (ContactWatch){system->contact_rounds, system->times.contact, 0};
}

void contact_frame_step(JnBake *bake) {
    ContactWatch *watch = &bake->counts.contact_watch;
    watch->deepest = fmax(watch->deepest, last_report(bake).depth);
}

/* Whether what the report tells of is more than contact lets things sink. */
static bool is_overlap(const JnBake *bake, const ContactReport *report) {
    return report->depth > CONTACT_DEEP_PART * bake->model.points.bounding_size;
}

/* Where the deepest overlap is, and between whom. */
static void tell_overlap(const JnBake *bake, const ContactReport *report, JnContactFrame *frame) {
    const PointSet *points = &bake->model.points;
    point_set_value(points, report->point, bake->motion.state.q, frame->overlap_place);
    for (int i = 0; i < 3; ++i)
        frame->overlap_place[i] /= bake->settings.metres_per_unit;
    frame->overlap_first = bake_body_of_vertex(bake, points->embedding.vertices[4 * (size_t)report->point])->name;
    frame->overlap_second = bake->model.collider_names[report->collider];
}

static JnStatus refuse_overlap(const JnBake *bake, const JnContactFrame *frame, JnMessage *message) {
    const double *place = frame->overlap_place;
    return status_fail(message, JN_ERR_OVERLAP,
                       "'%.80s' and '%.80s' overlap in frame %g by %.3g m, deepest near (%.4g, %.4g, %.4g), and "
                       "contact.strict is on: move them apart there, or switch it off",
                       frame->overlap_first, frame->overlap_second, jn_bake_next_frame(bake),
                       frame->deepest_penetration, place[0], place[1], place[2]);
}

JnStatus contact_frame_end(JnBake *bake, JnContactFrame *frame, JnMessage *message) {
    const System *system = &bake->model.system;
    contact_frame_step(bake);
    const ContactWatch *watch = &bake->counts.contact_watch;
    const ContactReport report = last_report(bake);
    *frame = (JnContactFrame){.struct_size = sizeof *frame,
                              .contact_count = report.contact_count,
                              .round_count = (uint32_t)(system->contact_rounds - watch->rounds_before),
                              .overlap_count = is_overlap(bake, &report),
                              .smallest_distance = INFINITY,
                              .deepest_penetration = watch->deepest,
                              .seconds = system->times.contact - watch->seconds_before,
                              .overlap_place = {NAN, NAN, NAN}};
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
