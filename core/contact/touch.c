#include "contact/touch.h"

#include "base/math3.h"
#include "contact/friction.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ where it is */

void touch_add_point(Touch *touch, const PointSet *points, uint32_t point, double weight) {
    for (size_t a = 4 * (size_t)point; a < 4 * (size_t)point + 4; ++a) {
        uint32_t vertex = points->embedding.vertices[a], k = 0;
        double share = weight * points->embedding.weights[a];
        if (share == 0)
            continue;
        while (k < touch->vertex_count && touch->vertices[k] != vertex)
            ++k;
        if (k == touch->vertex_count) {
            touch->vertices[touch->vertex_count++] = vertex;
            touch->weights[k] = 0;
        }
        touch->weights[k] += share;
    }
}

void touch_sum(const Touch *touch, const double *q, double sum[3]) {
    sum[0] = sum[1] = sum[2] = 0;
    for (uint32_t k = 0; k < touch->vertex_count; ++k)
        for (size_t i = 0; i < 3; ++i)
            sum[i] += touch->weights[k] * q[3 * (size_t)touch->vertices[k] + i];
}

double touch_distance(const Touch *touch, const ContactDesc *desc, const Moment *moment, const double *q,
                      double normal[3]) {
    double place[3];
    touch_sum(touch, q, place);
    if (touch->collider != CONTACT_NOBODY)
        return collider_distance(&desc->colliders[touch->collider], &moment->colliders[touch->collider], place, normal);
    memcpy(normal, touch->plane, 3 * sizeof *normal);
    return vec3_dot(place, normal) + vec3_dot(touch->fixed, normal);
}

void touch_velocity(const Touch *touch, const Moment *moment, const double *q, double velocity[3]) {
    double place[3];
    memcpy(velocity, touch->plane_velocity, 3 * sizeof *velocity);
    if (touch->collider == CONTACT_NOBODY)
        return;
    touch_sum(touch, q, place);
    collider_velocity(&moment->colliders[touch->collider], place, velocity);
}

NormalForce touch_force(const Touch *touch, double distance) {
    return touch->law.curve->normal(&touch->law, distance + touch->sunk);
}

/* ------------------------------------------------------------------------------------------------ friction */

/* The velocity v less the colliders', along the surface. */
static void find_slide(const Touch *touch, const double v[3], double slide[3]) {
    vec3_sub(v, touch->velocity, slide);
    double away = vec3_dot(slide, touch->normal);
    for (int i = 0; i < 3; ++i)
        slide[i] -= away * touch->normal[i];
}

/* Friction at one sliding velocity: force and derivative are minus those of what acts. */
typedef struct Friction {
    double potential, force[3], slope[9];
} Friction;

/* pull: NULL, or the force, as part of its limit, that the solution had so far: where it differs from that of the law,
   the slope does too, so that directions turn step by step (Chan, Golub, Mulet 1999). */
static Friction friction_at(const Touch *touch, double normal_force, const double slide[3], const double *pull) {
    double limit = touch->friction * normal_force, speed = vec3_length(slide);
    FrictionCurve curve = friction_curve(speed, touch->smoothing_speed);
    Friction friction = {.potential = limit * curve.potential};
    for (int i = 0; i < 3; ++i) {
        friction.force[i] = limit * curve.secant * slide[i];
        for (int j = 0; j < 3; ++j) {
            double along = speed > 0 ? slide[i] / speed * (slide[j] / speed) : 0;
            if (pull && speed > 0)
                along = 0.5 * (pull[i] * slide[j] + pull[j] * slide[i]) / speed;
            double across = (i == j) - touch->normal[i] * touch->normal[j];
            friction.slope[3 * i + j] = limit * (curve.secant * across + (curve.slope - curve.secant) * along);
        }
    }
    return friction;
}

/* Its linearization at touch->place, at another sliding velocity. */
static Friction linear_friction_at(const Touch *touch, double normal_force, const double slide[3]) {
    Friction friction = friction_at(touch, normal_force, touch->place, touch->pull);
    double off[3], added[3];
    vec3_sub(slide, touch->place, off);
    mat3_mul_vec(friction.slope, off, added);
    for (int i = 0; i < 3; ++i)
        friction.force[i] += added[i];
    return friction;
}

void touch_place_friction(Touch *touch, const double *v, double smoothing_speed) {
    double velocity[3];
    touch_sum(touch, v, velocity);
    find_slide(touch, velocity, touch->place);
    touch->smoothing_speed = smoothing_speed;
    touch->is_placed = true;
}

void touch_guess_friction(Touch *touch, const double *v) {
    touch_place_friction(touch, v, touch->smoothing_speed);
    double secant = friction_curve(vec3_length(touch->place), touch->smoothing_speed).secant;
    for (int i = 0; i < 3; ++i)
        touch->pull[i] = secant * touch->place[i];
}

void touch_pull_friction(Touch *touch, const double *v, double part) {
    double velocity[3], slide[3], limit = touch->friction * touch->normal_force, length;
    touch_sum(touch, v, velocity);
    find_slide(touch, velocity, slide);
    Friction friction = linear_friction_at(touch, touch->normal_force, slide);
    for (int i = 0; i < 3; ++i)
        touch->pull[i] += limit > 0 ? part * (friction.force[i] / limit - touch->pull[i]) : 0;
    length = vec3_length(touch->pull);
    for (int i = 0; length > 1 && i < 3; ++i)
        touch->pull[i] /= length;
}

/* The speed x at which limit s(x) + impedance x = sum. */
static double speed_of_sum(double eps, double limit, double impedance, double sum) {
    if (sum >= limit + impedance * eps)
        return (sum - limit) / impedance;
    /* limit (2 x/eps - x^2/eps^2) + impedance x = sum */
    double b = 2 * limit / eps + impedance, c = limit / (eps * eps);
    return 2 * sum / (b + sqrt(fmax(0, b * b - 4 * c * sum)));
}

/* The new place is where the law of friction and the line of this impedance through the solution of the linear system
   meet. This is the semismooth Newton method on the law as a projection (Hueber, Stadler, Wohlmuth 2008), in the form
   of an ordinary one at another place: it finds who sticks and who slides in a few rounds, where an ordinary one turns
   the directions of sliding step by step. The force is that which the linear system had, the law that of the normal
   force as it is now: a contact that sticks goes on to do so when its limit changes. */
void touch_move_friction(Touch *touch, const double *v, const double *impedances) {
    double velocity[3], slide[3], sum[3], mobility = 0, solved_force = touch->solved_force;
    touch->is_placed &= impedances != NULL;
    touch->solved_force = touch->normal_force;
    if (!impedances)
        return;
    double limit = touch->friction * touch->normal_force;
    touch_sum(touch, v, velocity);
    find_slide(touch, velocity, slide);
    for (uint32_t k = 0; k < touch->vertex_count; ++k)
        mobility += touch->weights[k] * touch->weights[k] / impedances[touch->vertices[k]];
    if (!(mobility > 0))
        return;
    Friction friction = touch->is_placed ? linear_friction_at(touch, solved_force, slide)
                                         : friction_at(touch, solved_force, slide, NULL);
    for (int i = 0; i < 3; ++i)
        sum[i] = friction.force[i] + slide[i] / mobility;
    double most = fmax(limit, vec3_length(friction.force));
    for (int i = 0; i < 3; ++i)
        touch->pull[i] = most > 0 ? friction.force[i] / most : 0;
    double size = vec3_length(sum), speed = speed_of_sum(touch->smoothing_speed, limit, 1 / mobility, size);
    for (int i = 0; i < 3; ++i)
        touch->place[i] = size > 0 ? speed * sum[i] / size : 0;
    touch->is_placed = true;
}

/* ------------------------------------------------------------------------------------------------ forces */

/* A force between both sides, and its matrix. */
typedef struct PlaceForce {
    double force[3], block[9];
} PlaceForce;

static void add_normal_force(const Touch *touch, const ContactDesc *desc, Evaluation *e, PlaceForce *sum) {
    double n[3], distance = touch_distance(touch, desc, e->moment, e->q, n);
    NormalForce normal = touch_force(touch, distance);
    if (e->linear_contact && touch->is_interior) {
        normal.force = touch->interior_force + touch->centre_slope * (touch->centre_distance - distance - touch->sunk);
        normal.slope = touch->centre_slope;
    }
    if (e->energy)
        *e->energy += e->reach.strength / e->reach.position_scale * normal.energy;
    for (int i = 0; i < 3; ++i) {
        sum->force[i] += normal.force * n[i];
        for (int j = 0; j < 3; ++j)
            sum->block[3 * i + j] += e->stiffness_scale * normal.slope * n[i] * n[j];
    }
}

static void add_friction(const Touch *touch, Evaluation *e, PlaceForce *sum) {
    double v[3], slide[3];
    if (!e->v || e->stored_energy || touch->normal_force == 0)
        return;
    touch_sum(touch, e->v, v);
    find_slide(touch, v, slide);
    double force = touch->normal_force;
    Friction friction = e->linear_contact && touch->is_placed ? linear_friction_at(touch, force, slide)
                                                              : friction_at(touch, force, slide, NULL);
    if (e->energy)
        *e->energy += e->reach.strength / e->reach.velocity_scale * friction.potential;
    for (int i = 0; i < 3; ++i)
        sum->force[i] -= friction.force[i];
    for (int i = 0; i < 9; ++i)
        sum->block[i] += e->damping_scale * friction.slope[i];
}

/* The lower triangle of the touch's matrix. */
static bool add_pairs(const Touch *touch, const double H[9], PairBlocks *pairs) {
    for (uint32_t a = 0; a < touch->vertex_count; ++a)
        for (uint32_t b = 0; b < touch->vertex_count; ++b) {
            double block[9];
            if (touch->vertices[a] < touch->vertices[b])
                continue;
            for (int i = 0; i < 9; ++i)
                block[i] = touch->weights[a] * touch->weights[b] * H[i];
            if (!pair_blocks_add(pairs, touch->vertices[a], touch->vertices[b], block))
                return false;
        }
    return true;
}

static bool is_zero(const double block[9]) {
    for (int i = 0; i < 9; ++i)
        if (block[i] != 0)
            return false;
    return true;
}

bool touch_evaluate(const Touch *touch, const ContactDesc *desc, Evaluation *e) {
    PlaceForce sum = {{0}, {0}};
    add_normal_force(touch, desc, e, &sum);
    add_friction(touch, e, &sum);
    for (uint32_t k = 0; e->force && k < touch->vertex_count; ++k)
        for (size_t i = 0; i < 3; ++i)
            e->force[3 * (size_t)touch->vertices[k] + i] += e->reach.strength * touch->weights[k] * sum.force[i];
    return !e->pairs || is_zero(sum.block) || add_pairs(touch, sum.block, e->pairs);
}

/* ------------------------------------------------------------------------------------------------ the step's end */

TouchEnd touch_end(const Touch *touch, const ContactDesc *desc, const Moment *moment, const double *q,
                   const double *v) {
    double velocity[3], relative[3];
    TouchEnd end;
    end.distance = touch_distance(touch, desc, moment, q, end.normal);
    end.force = touch_force(touch, end.distance).force;
    touch_sum(touch, v, velocity);
    touch_velocity(touch, moment, q, end.velocity);
    vec3_sub(velocity, end.velocity, relative);
    double away = vec3_dot(relative, end.normal);
    end.leaving = fmax(0, away);
    for (int i = 0; i < 3; ++i)
        relative[i] -= away * end.normal[i];
    end.sliding = vec3_length(relative);
    return end;
}

bool touch_goes_on_sticking(const Touch *touch, const TouchEnd *end, double normal_force) {
    static const double MOST = 0.9; /* of the limit that friction has */
    double part = friction_curve(end->sliding, touch->smoothing_speed).secant * end->sliding;
    return part <= MOST && part * touch->normal_force <= MOST * normal_force;
}

double touch_mobility(const Touch *touch, const double *masses, const uint8_t *roles) {
    double mobility = 0;
    for (uint32_t k = 0; k < touch->vertex_count; ++k)
        if (!roles[touch->vertices[k]])
            mobility += touch->weights[k] * touch->weights[k] / masses[touch->vertices[k]];
    return mobility;
}

double touch_momentum_to_calm(const Touch *touch, const ContactDesc *desc, const uint8_t *roles, const TouchEnd *end,
                              double h) {
    double mobility = touch_mobility(touch, desc->masses, roles);
    return mobility > 0 ? fmin(end->leaving / mobility, h * end->force) : 0;
}
