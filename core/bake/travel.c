/* The travel of an animated body: the rigid motion that fits its animated points best.

   With an influence a below 1 the part 1 - a of the travel is taken out of the body's inertia: before each time step
   the body is moved along by that part, positions and directions of velocities, to where the step ends. The velocities
   are then those relative to that motion, and so are the targets' velocities; targets within the step are moved to its
   end, too. Without gravity's direction and contact, a = 0 gives the motion of an animation that does not travel.

   Where the travel changes too much from one frame to the next the animation is cut: the body is moved rigidly to where
   it would have been one frame earlier in the new place, and goes on from there as it moved before. */
#include "bake/bake_internal.h"

#include "base/math3.h"

#include <math.h>
#include <string.h>

static const double *row_points(const Body *body, const TargetTrack *track, uint32_t row) {
    return track->points + (size_t)row * body->point_count * 3;
}

static void find_centre(const double *points, uint32_t count, double centre[3]) {
    centre[0] = centre[1] = centre[2] = 0;
    for (size_t p = 0; p < count; ++p)
        for (size_t i = 0; i < 3; ++i)
            centre[i] += points[3 * p + i] / count;
}

/* The travel from one row to another; *motion, if not NULL, receives it as a matrix. */
static RigidMove find_move(const Body *body, const TargetTrack *track, uint32_t from, uint32_t to, double *motion) {
    const double *before = row_points(body, track, from), *after = row_points(body, track, to);
    double centre[3], matrix[12];
    find_centre(before, body->point_count, centre);
    rigid_fit(before, after, body->point_count, matrix);
    if (motion)
        memcpy(motion, matrix, sizeof matrix);
    return rigid_move(matrix, centre);
}

/* ------------------------------------------------------------------------------------------------ cuts */

/* A change of speed that small things may make within a frame, m/s: below it only a given cut is one. */
static const double THROW = 10;

/* How much the travel differs from that of the frame before, m. */
static double change_of_travel(const Body *body, const Travel *before, const RigidMove *now) {
    double shift[3], turn[3];
    vec3_sub(now->shift, before->shift, shift);
    vec3_sub(now->turn, before->turn, turn);
    return vec3_length(shift) + 0.5 * body->point_extent * vec3_length(turn);
}

/* Moves the animated points and vertices of the interval's start to where the animation goes on. */
static void cut(const Body *body, const double motion[12], BodyMotion *state) {
    TargetTrack *track = &state->track;
    size_t points = (size_t)body->point_count * 3, vertices = (size_t)body->mesh.vertex_count * 3;
    double shift[3] = {0, 0, 0};
    memcpy(state->jump, motion, sizeof state->jump);
    if (!state->travel_from.cut)
        memcpy(shift, state->travel_from.shift, sizeof shift);
    rigid_carry_vectors(motion, 1, shift);
    for (int i = 0; i < 3; ++i)
        state->jump[4 * i + 3] -= shift[i];
    rigid_carry_points(state->jump, body->point_count, track->points);
    rigid_carry_points(state->jump, body->mesh.vertex_count, track->vertices);
    /* samples in between lie on the jump */
    for (uint32_t row = 1; row < track->sample_count; ++row) {
        double t = (double)row / track->sample_count;
        for (size_t i = 0; i < points; ++i)
            track->points[row * points + i] =
                (1 - t) * track->points[i] + t * track->points[track->sample_count * points + i];
        for (size_t i = 0; i < vertices; ++i)
            track->vertices[row * vertices + i] =
                (1 - t) * track->vertices[i] + t * track->vertices[track->sample_count * vertices + i];
    }
}

void travel_begin_frame(const Body *body, BodyMotion *motion, double fps, bool cut_here) {
    double matrix[12];
    TargetTrack *track = &motion->track;
    RigidMove move = find_move(body, track, 0, track->sample_count, matrix);
    bool may_jump = body->cut_distance > 0 && !motion->travel_from.cut;
    double farthest = fmax(body->cut_distance, THROW / fps);
    motion->travel_to.cut = cut_here || (may_jump && change_of_travel(body, &motion->travel_from, &move) > farthest);
    memcpy(motion->travel_to.shift, move.shift, sizeof move.shift);
    memcpy(motion->travel_to.turn, move.turn, sizeof move.turn);
    if (motion->travel_to.cut)
        cut(body, matrix, motion);
    for (uint32_t row = 0; body->travel_influence < 1 && row < track->sample_count; ++row)
        track->moves[row] = find_move(body, track, row, row + 1, NULL);
}

/* How far the collider goes within the interval if it is moved by `motion` first, m: the mean over its vertices, or
   what its transform does to the corners of a unit cube. */
static double collider_way(const JnBake *bake, uint32_t index, const double motion[12]) {
    const ColliderShapes *shapes = &bake->motion.collider_shapes[index];
    static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    bool deforms = shapes->given && shapes->number_count > 0;
    const double *from = deforms ? shapes->from : corners, *to = deforms ? shapes->to : corners;
    size_t count = deforms ? shapes->number_count : 12;
    double carried[12], sum = 0;
    affine_multiply(motion, bake->motion.collider_from[index], carried);
    for (size_t i = 0; i < count; i += 3) {
        double start[3], end[3];
        affine_apply(carried, from + i, start);
        affine_apply(bake->motion.collider_to[index], to + i, end);
        vec3_sub(end, start, end);
        sum += 3 * vec3_length(end) / (double)count;
    }
    return sum;
}

/* A collider that jumps along with a body, such as the seat that it sits on, is carried over with it. */
static void cut_collider(JnBake *bake, uint32_t index) {
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double *nearest = identity;
    double shortest = collider_way(bake, index, identity);
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const BodyMotion *motion = &bake->motion.bodies[b];
        double way = motion->travel_to.cut ? collider_way(bake, index, motion->jump) : INFINITY;
        if (way < shortest) {
            shortest = way;
            nearest = motion->jump;
        }
    }
    if (nearest == identity)
        return;
    double *from = bake->motion.collider_from[index], carried[12], back[12], in_object[12];
    ColliderShapes *shapes = &bake->motion.collider_shapes[index];
    bool stays = memcmp(from, bake->motion.collider_to[index], sizeof carried) == 0; /* it is its vertices that jump */
    affine_multiply(nearest, from, carried);
    if (stays && shapes->given && affine_inverse(from, back)) {
        affine_multiply(back, carried, in_object);
        rigid_carry_points(in_object, (uint32_t)(shapes->number_count / 3), shapes->from);
    } else {
        memcpy(from, carried, sizeof carried);
    }
}

bool travel_cut(JnBake *bake) {
    bool any = false;
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        const BodyMotion *motion = &bake->motion.bodies[body->carrier];
        if (!motion->travel_to.cut)
            continue;
        rigid_carry_points(motion->jump, body->mesh.vertex_count,
                           bake->motion.state.q + 3 * (size_t)body->first_vertex);
        rigid_carry_vectors(motion->jump, body->mesh.vertex_count,
                            bake->motion.state.v + 3 * (size_t)body->first_vertex);
        any = true;
    }
    for (uint32_t c = 0; any && c < bake->model.collider_count; ++c)
        cut_collider(bake, c);
    return any;
}

const char *jn_bake_cut_body(const JnBake *bake) {
    for (uint32_t b = 0; bake && b < bake->model.body_count; ++b)
        if (bake->motion.bodies[b].travel_from.cut) /* that of the finished frame is where the next one comes from */
            return bake->model.bodies[b].name;
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ influence */

bool travel_is_out(const JnBake *bake, uint32_t body_index) {
    const Body *body = &bake->model.bodies[bake->model.bodies[body_index].carrier];
    return body->travel_influence < 1 && body->has_targets && inputs_has_interval(bake);
}

void travel_between(const JnBake *bake, uint32_t body_index, double from, double to, double motion[12]) {
    uint32_t carrier = bake->model.bodies[body_index].carrier;
    const TargetTrack *track = &bake->motion.bodies[carrier].track;
    double amount = 1 - bake->model.bodies[carrier].travel_influence;
    double low = fmin(from, to) * track->sample_count, high = fmax(from, to) * track->sample_count;
    double total[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    for (uint32_t row = 0; row < track->sample_count; ++row) {
        double start = fmax(low - row, 0), end = fmin(high - row, 1), part[12], next[12];
        if (!(start < end))
            continue;
        rigid_move_between(&track->moves[row], start, end, amount, part);
        affine_multiply(part, total, next);
        memcpy(total, next, sizeof total);
    }
    if (from <= to || !affine_inverse(total, motion))
        memcpy(motion, total, sizeof total);
}

void travel_velocity(const JnBake *bake, uint32_t body_index, double fraction, const double x[3], double velocity[3]) {
    uint32_t carrier = bake->model.bodies[body_index].carrier;
    const TargetTrack *track = &bake->motion.bodies[carrier].track;
    double position = fraction * track->sample_count, arm[3];
    uint32_t row = position >= track->sample_count ? track->sample_count - 1 : (uint32_t)position;
    const RigidMove *move = &track->moves[row];
    double rate = (1 - bake->model.bodies[carrier].travel_influence) * track->sample_count * bake->settings.fps;
    for (int i = 0; i < 3; ++i)
        arm[i] = x[i] - move->centre[i] - (position - row) * move->shift[i];
    vec3_cross(move->turn, arm, velocity);
    for (int i = 0; i < 3; ++i)
        velocity[i] = rate * (velocity[i] + move->shift[i]);
}

bool travel_carry(JnBake *bake, double h) {
    double from = inputs_fraction(bake, bake->motion.state.time);
    bake->motion.carried_to = bake->motion.state.time + h;
    double to = inputs_fraction(bake, bake->motion.carried_to);
    bool any = false;
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        size_t first = 3 * (size_t)body->first_vertex;
        double motion[12];
        if (!travel_is_out(bake, b))
            continue;
        travel_between(bake, b, from, to, motion);
        rigid_carry_points(motion, body->mesh.vertex_count, bake->motion.state.q + first);
        rigid_carry_points(motion, body->mesh.vertex_count, bake->scratch.part_positions + first);
        rigid_carry_vectors(motion, body->mesh.vertex_count, bake->motion.state.v + first);
        any = true;
    }
    return any;
}

double travel_speed(const JnBake *bake) {
    double fastest = 0;
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        uint32_t carrier = bake->model.bodies[b].carrier;
        const TargetTrack *track = &bake->motion.bodies[carrier].track;
        double rate = (1 - bake->model.bodies[carrier].travel_influence) * track->sample_count * bake->settings.fps;
        for (uint32_t row = 0; travel_is_out(bake, b) && row < track->sample_count; ++row)
            fastest = fmax(fastest, rate * (vec3_length(track->moves[row].shift) +
                                            bake->model.bodies[b].bounding_size * vec3_length(track->moves[row].turn)));
    }
    return fastest;
}
