/* The normal force of one touch in the interior method: the force f and the slack w, how much farther away it is than
   where the law has this force, are both kept above 0, and f w is brought to 0 along a centre f w = scale centre. */
#include "contact/touch.h"

#include <math.h>

/* What is left of force and slack at least when they become smaller in a round. */
static const double LEFT = 0.05;

/* N/m, how hard it is to move both sides apart. */
static double stiffness_of(const Touch *touch, const double *stiffnesses) {
    double mobility = 0;
    for (uint32_t k = 0; k < touch->vertex_count; ++k)
        mobility += touch->weights[k] * touch->weights[k] / stiffnesses[touch->vertices[k]];
    return mobility > 0 ? 1 / mobility : 0;
}

static double law_distance(const Touch *touch, const ContactDesc *desc, const StepScope *scope, const double *q) {
    double normal[3];
    return touch_distance(touch, desc, scope->moment, q, normal) + touch->sunk;
}

double touch_squared_depth(const Touch *touch, const ContactDesc *desc, const StepScope *scope,
                           const InteriorMove *move) {
    double thickness = touch->law.thickness, depth = thickness - law_distance(touch, desc, scope, move->q);
    return pow(fmax(depth, 0.1 * thickness), 2);
}

void touch_begin_interior(Touch *touch, const ContactDesc *desc, const StepScope *scope, const InteriorMove *move) {
    double stiffness = stiffness_of(touch, move->stiffnesses), law = touch->law.curve->stiffest(&touch->law);
    touch->is_interior = stiffness > 0 && law > 0;
    if (!touch->is_interior)
        return;
    double depth = touch->law.thickness - law_distance(touch, desc, scope, move->q);
    double root = sqrt(depth * depth + 4 * move->centre);
    touch->scale = stiffness * law / (stiffness + law);
    touch->interior_force = 0.5 * touch->scale * (root + depth);
    touch->slack = 0.5 * (root - depth);
    touch->pull[0] = touch->pull[1] = touch->pull[2] = 0;
}

void touch_centre_interior(Touch *touch, const ContactDesc *desc, const InteriorMove *move) {
    double shrinks, force = touch->interior_force;
    double distance = touch->law.curve->distance(&touch->law, force, &shrinks);
    touch->centre_distance = distance + touch->scale * move->centre / force;
    touch->centre_slope = 1 / (touch->slack / force + shrinks);
    touch->normal_force = touch->solved_force = force;
    if (move->v)
        touch_place_friction(touch, move->v, fmax(desc->smoothing_speed, move->rate * sqrt(move->centre)));
}

void touch_end_interior(Touch *touch, const ContactDesc *desc) {
    touch->is_interior = false;
    touch->smoothing_speed = desc->smoothing_speed;
}

/* The changes of force and slack to the solution of the linear system. */
static void find_change(const Touch *touch, const ContactDesc *desc, const StepScope *scope, const InteriorMove *move,
                        double *force, double *slack) {
    double distance = law_distance(touch, desc, scope, move->q);
    *force = touch->centre_slope * (touch->centre_distance - distance);
    *slack = (touch->scale * move->centre - touch->slack * *force) / touch->interior_force - touch->slack;
}

double touch_bound_interior(const Touch *touch, const ContactDesc *desc, const StepScope *scope,
                            const InteriorMove *move) {
    double force, slack, bound = 1;
    find_change(touch, desc, scope, move, &force, &slack);
    if (force < 0)
        bound = fmin(bound, (LEFT - 1) * touch->interior_force / force);
    if (slack < 0)
        bound = fmin(bound, (LEFT - 1) * touch->slack / slack);
    return bound;
}

void touch_move_interior(Touch *touch, const ContactDesc *desc, const StepScope *scope, const InteriorMove *move) {
    double force, slack;
    find_change(touch, desc, scope, move, &force, &slack);
    if (move->v)
        touch_pull_friction(touch, move->v, move->part);
    touch->interior_force += move->part * force;
    touch->slack += move->part * slack;
}
