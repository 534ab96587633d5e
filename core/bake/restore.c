/* All that a frame must be able to restore, listed once: for undo in memory, and for the checkpoint. */
#include "bake/bake_internal.h"

#include "system/jacobian.h"

bool step_archive(JnBake *bake, Archive *archive) {
    BakeMotion *motion = &bake->motion;
    size_t bytes = (size_t)bake->model.vertex_count * 3 * sizeof(double);
    return archive_piece(archive, motion->state.q, bytes) && archive_piece(archive, motion->state.v, bytes) &&
           archive_piece(archive, &motion->state.time, sizeof motion->state.time) &&
           archive_piece(archive, &motion->energy, sizeof motion->energy) &&
           bake->model.stepper->archive(bake->motion.integrator_self, archive) &&
           view_archive(bake->motion.view, archive);
}

static bool body_archive(JnBake *bake, uint32_t body_index, Archive *archive) {
    const Body *body = &bake->model.bodies[body_index];
    BodyMotion *motion = &bake->motion.bodies[body_index];
    size_t points = (size_t)body->point_count * 3 * sizeof(double);
    size_t vertices = (size_t)body->mesh.vertex_count * 3 * sizeof(double);
    size_t cached = (size_t)body->cached_count * 3 * sizeof(double);
    return archive_piece(archive, motion->transform_from, sizeof motion->transform_from) &&
           archive_piece(archive, &motion->keys_from, sizeof motion->keys_from) &&
           archive_piece(archive, &motion->has_pose, sizeof motion->has_pose) &&
           (!body->bone_count ||
            archive_piece(archive, motion->bones_from, 12 * (size_t)body->bone_count * sizeof(double))) &&
           archive_piece(archive, &motion->travel_from, sizeof motion->travel_from) &&
           archive_piece(archive, motion->local_from, points) && archive_piece(archive, motion->forces_from, points) &&
           (!motion->kept_rest || archive_piece(archive, motion->kept_rest, vertices)) &&
           archive_piece(archive, bake->motion.written[body_index], cached);
}

bool frame_archive(JnBake *bake, Archive *archive) {
    BakeMotion *motion = &bake->motion;
    bool ok = step_archive(bake, archive) && view_retry_archive(motion->view, archive) &&
              archive_piece(archive, &motion->cutting, sizeof motion->cutting) &&
              archive_piece(archive, &motion->carried_to, sizeof motion->carried_to) &&
              archive_piece(archive, &motion->preroll_done, sizeof motion->preroll_done) &&
              archive_piece(archive, &motion->frames_done, sizeof motion->frames_done) &&
              archive_piece(archive, &motion->steps_done, sizeof motion->steps_done) &&
              archive_piece(archive, &motion->damped_steps, sizeof motion->damped_steps) &&
              archive_piece(archive, motion->gravity_from, sizeof motion->gravity_from) &&
              (bake->model.field_count == 0 ||
               archive_piece(archive, motion->fields_from, bake->model.field_count * sizeof *motion->fields_from));
    for (uint32_t c = 0; ok && c < bake->model.collider_count; ++c) {
        ColliderShapes *shapes = &motion->collider_shapes[c];
        ok = archive_piece(archive, motion->collider_from[c], sizeof motion->collider_from[c]) &&
             (shapes->number_count == 0 ||
              (archive_piece(archive, &shapes->given, sizeof shapes->given) &&
               archive_piece(archive, shapes->from, shapes->number_count * sizeof *shapes->from)));
    }
    for (uint32_t b = 0; ok && b < bake->model.body_count; ++b)
        ok = body_archive(bake, b, archive);
    if (ok && bake->model.stepper->archive_solvers)
        ok = bake->model.stepper->archive_solvers(motion->integrator_self, archive);
    return ok && jacobian_archive(bake->motion.view->jacobian, archive);
}
