/* Energies and momenta of a finished frame. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static JnStatus add_energies(JnBake *bake, JnMotion *motion, JnMessage *message) {
    const struct {
        uint32_t roles;
        double *energy;
    } parts[] = {
        {TERM_ROLE_BIT(TERM_ELASTIC), &motion->elastic_energy},
        {TERM_ROLE_BIT(TERM_LOADS), &motion->gravity_energy},
        {TERM_ROLE_BIT(TERM_GOALS), &motion->goal_energy},
        {TERM_ROLE_BIT(TERM_CONTACT), &motion->contact_energy},
    };
    View *view = bake->motion.view;
    const double *q = bake->motion.state.q;
    JnStatus status = JN_OK;
    for (size_t k = 0; status == JN_OK && k < sizeof parts / sizeof parts[0]; ++k)
        status = view_stored_energy(view, parts[k].roles, q, parts[k].energy, message);
    /* the loads are gravity and the given forces in one term */
    for (size_t i = 0; i < (size_t)bake->model.vertex_count * 3; ++i)
        motion->force_energy -= view->moment.forces[i] * q[i];
    motion->gravity_energy -= motion->force_energy;
    double of_fields = 0;
    if (status == JN_OK)
        status = view_stored_energy(view, TERM_ROLE_BIT(TERM_FIELDS), q, &of_fields, message);
    motion->force_energy += of_fields;
    motion->kinetic_energy = system_kinetic_energy(&bake->model.system, bake->motion.state.v);
    motion->total_energy = motion->kinetic_energy + motion->elastic_energy + motion->gravity_energy +
                           motion->force_energy + motion->goal_energy + motion->contact_energy;
    return status;
}

/* The sums of M v and of q x M v; the same with lumped and with consistent mass. */
static JnStatus add_momenta(const JnBake *bake, JnMotion *motion, JnMessage *message) {
    size_t n = bake->model.vertex_count;
    double *momenta = malloc((3 * n + 1) * sizeof *momenta);
    if (!momenta)
        return status_no_memory(message, "the momenta");
    system_multiply_mass(&bake->model.system, bake->motion.state.v, momenta);
    for (size_t v = 0; v < n; ++v) {
        double turning[3];
        vec3_cross(bake->motion.state.q + 3 * v, momenta + 3 * v, turning);
        for (size_t i = 0; i < 3; ++i) {
            motion->momentum[i] += momenta[3 * v + i];
            motion->angular_momentum[i] += turning[i];
        }
        motion->largest_speed = fmax(motion->largest_speed, vec3_length(bake->motion.state.v + 3 * v));
    }
    free(momenta);
    return JN_OK;
}

JnStatus jn_bake_motion(JnBake *bake, JnMotion *motion, JnMessage *message) {
    if (!bake || !motion || motion->struct_size != sizeof *motion)
        return status_fail(message, bake && motion ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a bake and a JnMotion whose struct_size is %zu", sizeof *motion);
    if (!bake->motion.at_finished_frame)
        return status_fail(message, JN_ERR_ORDER,
                           "the motion is known only right after a frame was finished: advance first");
    status_clear(message);
    uint32_t intervals = bake->motion.frames_done - 1;
    *motion = (JnMotion){.struct_size = sizeof *motion,
                         .steps_done = bake->motion.steps_done,
                         .extra_steps = bake->motion.steps_done - intervals * bake->settings.steps_per_frame,
                         .damped_steps = bake->motion.damped_steps,
                         .frame = bake->settings.first_frame + intervals,
                         .time = intervals / bake->settings.fps,
                         .residual = bake->counts.last_residual};
    JnStatus status = add_energies(bake, motion, message);
    return status == JN_OK ? add_momenta(bake, motion, message) : status;
}
