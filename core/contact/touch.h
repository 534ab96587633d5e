/* One contact in one step: what holds a point, or two points, apart from what is there.

   The place of a touch is where its first side is, less where its second side is: a sum over simulated vertices, and
   what colliders add. A plane holds it: the distance is its height over the plane through the origin. Or a collider
   does, which then adds nothing: the distance is the collider's.

   Only friction lags: its normal force and direction are those of the last renewal, which the solver repeats until they
   change no more. With these fixed, friction has a convex potential. The derivative of the normal is left out of the
   matrix, which makes it positive semidefinite. */
#ifndef JN_CONTACT_TOUCH_H
#define JN_CONTACT_TOUCH_H

#include "contact/contact.h"
#include "contact/pair_distance.h"

enum { TOUCH_VERTICES = 16 }; /* four points, each in four vertices */

typedef struct Touch {
    uint32_t vertex_count;
    uint32_t vertices[TOUCH_VERTICES]; /* each once */
    double weights[TOUCH_VERTICES];
    double fixed[3];          /* m: what colliders add, at the step's end */
    uint32_t point;           /* before a collider: which */
    uint32_t collider;        /* that holds it; CONTACT_NOBODY: it is the plane */
    double plane[3];          /* its normal, towards the first side */
    double plane_velocity[3]; /* m/s: what colliders take from the velocity */
    ContactLaw law;
    double sunk; /* m: how much deeper than where it is pushed to it is let be in this step */
    double friction;
    double smoothing_speed; /* m/s */
    uint32_t objects[2];    /* of the first side and the second */
    PairKind kind;          /* of a pair of the skin, */
    uint32_t pair[2];       /* its primitives; CONTACT_NOBODY: it is none */
    /* of friction, as last renewed */
    double normal[3];
    double velocity[3];  /* of the second side's colliders, m/s */
    double normal_force; /* N */
    double solved_force; /* N: the same in the linear system that was solved last */
    bool has_turned;     /* its plane, since the step began */
    double end_force;    /* N, the normal force at the end of the step, as far as it is known */
    double end_speed;    /* m/s, with which it slides there */
    double end_distance; /* m */
    double place[3];     /* m/s: the sliding velocity at which it is linearized, if is_placed; else that given */
    double pull[3];      /* the force so far, as part of its limit */
    bool is_placed;
    /* of the interior method, while it is in use: InteriorMove in elastic/force_term.h */
    bool is_interior;
    double interior_force, slack; /* N, m: both above 0 */
    double scale;                 /* N/m: what weighs one against the other */
    double centre_distance;       /* m: where the linearization has the force; */
    double centre_slope;          /* and its slope, N/m */
} Touch;

/* Adds `weight` times what the embedded point is to the place of the touch. */
void touch_add_point(Touch *touch, const PointSet *points, uint32_t point, double weight);

/* Sum of the weights times q, without what colliders add. */
void touch_sum(const Touch *touch, const double *q, double sum[3]);

/* The place at the end of a step: distance, and the normal there. */
double touch_distance(const Touch *touch, const ContactDesc *desc, const Moment *moment, const double *q,
                      double normal[3]);
/* The velocity that colliders have there. */
void touch_velocity(const Touch *touch, const Moment *moment, const double *q, double velocity[3]);
NormalForce touch_force(const Touch *touch, double distance);

/* The results that are wanted at e->q, e->v. false: out of memory. */
bool touch_evaluate(const Touch *touch, const ContactDesc *desc, Evaluation *e);

/* Friction in the interior method: linearizes it at the velocity v, smoothed; and moves its force a part of the way to
   that of the linearization at another v. */
void touch_place_friction(Touch *touch, const double *v, double smoothing_speed);
/* Guesses that it slides as it does at the velocity v. */
void touch_guess_friction(Touch *touch, const double *v);
void touch_pull_friction(Touch *touch, const double *v, double part);

/* The interior method. How deep it is, but at least a tenth of its thickness, squared. */
double touch_squared_depth(const Touch *touch, const ContactDesc *desc, const StepScope *scope,
                           const InteriorMove *move);
/* To begin; is_interior: whether it can move. */
void touch_begin_interior(Touch *touch, const ContactDesc *desc, const StepScope *scope, const InteriorMove *move);
/* How far it may go to the solution of the linear system at move->q, at most 1; and going there. */
double touch_bound_interior(const Touch *touch, const ContactDesc *desc, const StepScope *scope,
                            const InteriorMove *move);
void touch_move_interior(Touch *touch, const ContactDesc *desc, const StepScope *scope, const InteriorMove *move);
/* Linearizes anew around the centre: friction with the force as it is, and as smooth as the centre is far. */
void touch_centre_interior(Touch *touch, const ContactDesc *desc, const InteriorMove *move);
void touch_end_interior(Touch *touch, const ContactDesc *desc);

/* A touch at the end of a step. */
typedef struct TouchEnd {
    double normal[3];
    double velocity[3]; /* of colliders there */
    double distance;    /* m */
    double force;       /* N, the normal force */
    double leaving;     /* m/s: how fast both sides leave each other, at least 0 */
    double sliding;     /* m/s */
} TouchEnd;

TouchEnd touch_end(const Touch *touch, const ContactDesc *desc, const Moment *moment, const double *q, const double *v);

/* The velocity that a momentum between both sides gives to them, 1/kg; 0: they cannot move. roles: as in StepScope. */
double touch_mobility(const Touch *touch, const double *masses, const uint8_t *roles);
/* How much momentum along the normal it loses by being calmed after a step of h, N s. */
double touch_momentum_to_calm(const Touch *touch, const ContactDesc *desc, const uint8_t *roles, const TouchEnd *end,
                              double h);

/* Whether it goes on to stick if its normal force is renewed to this: friction, which holds it, then stays as it is. */
bool touch_goes_on_sticking(const Touch *touch, const TouchEnd *end, double normal_force);

/* Chooses anew where its friction is linearized: TermOperations.move_friction. */
void touch_move_friction(Touch *touch, const double *v, const double *impedances);

#endif
