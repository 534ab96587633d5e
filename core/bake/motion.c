/* Energies and momenta of a finished frame. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* Which energy of JnMotion a term's potential counts to. What is not listed deforms bodies. */
static double *energy_of_term(JnMotion *motion, const char *term) {
    if (strcmp(term, "loads") == 0)
        return &motion->gravity_energy;
    if (strcmp(term, "goals") == 0)
        return &motion->goal_energy;
    if (strcmp(term, "contact") == 0)
        return &motion->contact_energy;
    return &motion->elastic_energy;
}

static void add_energies(JnBake *bake, JnMotion *motion) {
    System *system = &bake->system;
    const double *q = bake->state.q;
    for (uint32_t k = 0; k < system->term_count; ++k)
        *energy_of_term(motion, system->terms[k].name) += system_term_energy(system, k, q);
    /* the loads are gravity and the given forces in one term */
    for (size_t i = 0; i < (size_t)bake->vertex_count * 3; ++i)
        motion->force_energy -= bake->forces[i] * q[i];
    motion->gravity_energy -= motion->force_energy;
    motion->kinetic_energy = system_kinetic_energy(system, bake->state.v);
    motion->total_energy = motion->kinetic_energy + motion->elastic_energy + motion->gravity_energy +
                           motion->force_energy + motion->goal_energy + motion->contact_energy;
}

/* The sums of M v and of q x M v; the same with lumped and with consistent mass. */
static JnStatus add_momenta(const JnBake *bake, JnMotion *motion, JnMessage *message) {
    size_t n = bake->vertex_count;
    double *momenta = malloc((3 * n + 1) * sizeof *momenta);
    if (!momenta)
        return status_no_memory(message, "the momenta");
    system_multiply_mass(&bake->system, bake->state.v, momenta);
    for (size_t v = 0; v < n; ++v) {
        double turning[3];
        vec3_cross(bake->state.q + 3 * v, momenta + 3 * v, turning);
        for (size_t i = 0; i < 3; ++i) {
            motion->momentum[i] += momenta[3 * v + i];
            motion->angular_momentum[i] += turning[i];
        }
        motion->largest_speed = fmax(motion->largest_speed, vec3_length(bake->state.v + 3 * v));
    }
    free(momenta);
    return JN_OK;
}

JnStatus jn_bake_motion(JnBake *bake, JnMotion *motion, JnMessage *message) {
    if (!bake || !motion || motion->struct_size != sizeof *motion)
        return status_fail(message, bake && motion ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a bake and a JnMotion whose struct_size is %zu", sizeof *motion);
    if (!bake->at_finished_frame)
        return status_fail(message, JN_ERR_ORDER,
                           "the motion is known only right after a frame was finished: advance first");
    status_clear(message);
    uint32_t intervals = bake->frames_done - 1;
    *motion = (JnMotion){.struct_size = sizeof *motion,
                         .steps_done = bake->steps_done,
                         .extra_steps = bake->steps_done - intervals * bake->settings.steps_per_frame,
                         .damped_steps = bake->damped_steps,
                         .frame = bake->settings.first_frame + intervals,
                         .time = intervals / bake->settings.fps,
                         .residual = bake->last_residual};
    add_energies(bake, motion);
    return add_momenta(bake, motion, message);
}
