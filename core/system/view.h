/* A view of a system: the vertices that are solved for, the active terms and elements, the treatment of stiffness, the
   time, and what the terms have lagged since the view's step began. Views of one system are independent, but must be
   used by one thread at a time. */
#ifndef JN_SYSTEM_VIEW_H
#define JN_SYSTEM_VIEW_H

#include "system/system.h"

typedef enum VertexRole {
    VERTEX_FREE,     /* solved for */
    VERTEX_PINNED,   /* moves with the moment's targets */
    VERTEX_ELSEWHERE /* not solved for here: moves as ViewDesc.elsewhere says */
} VertexRole;

/* The motion, at a moment, of vertices that are solved elsewhere. Writes their entries of q (m) and v (m/s),
   [vertex_count * 3], and no others. */
typedef void (*ElsewhereMotion)(void *owner, const Moment *moment, double *q, double *v);

#define TERM_ROLE_BIT(role) (1u << (role))
#define ALL_TERM_ROLES UINT32_MAX
#define ALL_BUT_CONTACT (~TERM_ROLE_BIT(TERM_CONTACT))

typedef struct ViewDesc {
    System *system;            /* borrowed for the view's life */
    const uint8_t *roles;      /* [vertex_count] VertexRole, copied; NULL: all are free */
    uint32_t term_roles;       /* TERM_ROLE_BIT of the terms that act; 0: all of them */
    ElementSubset subset;      /* of the elements that act; `marked` is borrowed for the view's life */
    StiffnessKind stiffness;   /* STIFFNESS_SAFE; or STIFFNESS_RAW: unchanged, for comparison with textbooks; an
                                  indefinite matrix is then solved as such */
    ElsewhereMotion elsewhere; /* NULL: these vertices stay where a step finds them */
    void *elsewhere_owner;
} ViewDesc;

typedef struct Jacobian Jacobian; /* system/jacobian.h */
typedef struct Solver Solver;

typedef struct View { /* fields are read by all, written by the functions below */
    System *system;
    uint8_t *roles; /* [vertex_count] VertexRole */
    StiffnessKind stiffness;
    Moment moment;
    /* Of vertices that are not free, at the moment, [vertex_count * 3]; other entries are undefined. */
    const double *prescribed_positions, *prescribed_velocities;
    Jacobian *jacobian; /* of its steps; NULL until view_make_jacobian */
    /* the view's own */
    uint32_t term_roles;
    ElementSubset subset;
    ElsewhereMotion elsewhere;
    void *elsewhere_owner;
    double *elsewhere_positions, *elsewhere_velocities; /* with the pinned ones; NULL: nothing is solved elsewhere */
    void *lags[SYSTEM_TERM_CAPACITY];                   /* what each term has lagged */
    /* Of contact: how the step ends for a given z, if has_reach; else contact is evaluated at the q and v given. */
    bool has_reach;
    ContactReach reach;
    const uint32_t *reach_vertices; /* [reach_count] the vertices that contact may look at; NULL: all */
    uint32_t reach_count;
    double *end_position_offset, *end_velocity_offset, *end_position, *end_velocity; /* [vertex_count * 3] */
    /* Set by who takes steps: */
    bool may_cross;      /* a step that passes through what it must not is kept all the same */
    bool takes_nearest;  /* where things touch, a solve that does not converge is kept as near as it came */
    Solver *mass_solver; /* of a consistent mass; made with the first that needs it */
} View;

/* Has no time at first: call view_set_time before any other call. */
JnStatus view_create(const ViewDesc *desc, View **view, JnMessage *message);
void view_destroy(View *view); /* may be NULL */

static inline bool view_is_free(const View *view, size_t vertex) {
    return view->roles[vertex] == VERTEX_FREE;
}

/* x = 0 at vertices that are not free; [vertex_count * 3]. */
void view_clear_fixed(const View *view, double *x);

/* Sets the view's moment to `time`, the end of a step from `time_before`. Called at every stage of a step. */
void view_set_time(View *view, double time_before, double time);
/* The same with the colliders at `end`, the end of a step within which `time` is. */
void view_set_stage_time(View *view, double time_before, double time, double end);
/* From now on gravity and given forces act on this view with a part of their strength; 1 at first. */
void view_set_load_part(View *view, double part);

/* Tells every term where a step starts. */
JnStatus view_begin_step(View *view, const StepStart *start, JnMessage *message);

/* From now until the next view_begin_step, every q that is given to an evaluation is z, and contact is evaluated where
   and how fast the step then ends, whatever v: at position_offset + position_scale z, velocity_offset + velocity_scale
   z. Offsets: [vertex_count * 3], copied; NULL: 0. */
void view_set_reach(View *view, const ContactReach *reach, const double *position_offset,
                    const double *velocity_offset);

/* From now on contact of this view looks at no other vertices, in number and in place: what is elsewhere need not be
   brought to the step's end. vertices: [count], borrowed for the view's life. */
void view_limit_reach(View *view, const uint32_t *vertices, uint32_t count);

/* Whether anything may touch in this step. */
bool view_may_touch(const View *view);

/* As Evaluation does for contact alone: *energy and force, [vertex_count * 3], at z. Set, not added; either may be
   NULL. */
JnStatus view_contact(View *view, const double *z, double *energy, double *force, JnMessage *message);

/* Lags the normal forces of friction anew, as they are at z. *change: how much the friction forces change by that,
   relative to all of them; nothing is changed if it is at most `least`. */
void view_renew_friction(View *view, const double *z, double least, double *change);

/* force = the sum of the terms with these roles at q, v (v NULL: at rest), [vertex_count * 3]. */
JnStatus view_force(View *view, uint32_t term_roles, const double *q, const double *v, double *force,
                    JnMessage *message);

/* The sum of all terms at one state, and its scale. */
typedef struct ForceBalance {
    double energy;    /* J: the potential energy of all terms */
    double magnitude; /* N: the sum over the terms of the norm of each force. Forces in balance cancel in the total
                         force, not here */
} ForceBalance;

/* As view_force, with energy and magnitude. scratch: [vertex_count * 3]. */
JnStatus view_force_balance(View *view, const double *q, const double *v, double *force, double *scratch,
                            ForceBalance *balance, JnMessage *message);

/* The potential energy of the terms with these roles at positions q, J; without the work of wind and friction. */
JnStatus view_stored_energy(View *view, uint32_t term_roles, const double *q, double *energy, JnMessage *message);

/* Adds the wanted results of the terms with these roles; moment, subset, reach and pool of `evaluation` need not be
   set. */
JnStatus view_evaluate(View *view, uint32_t term_roles, Evaluation evaluation, JnMessage *message);

/* Whether every term has a potential while it is at rest, so that a line search may use the energy. */
bool view_has_potential(const View *view);

/* Chooses anew where friction is linearized, as TermOperations.move_friction does. */
void view_move_friction(View *view, const double *z, const double *impedances);
/* The force of contact at z in its linearization, [vertex_count * 3]: that of friction where it was last moved to, that
   of the normal force at z. */
JnStatus view_linear_contact(View *view, const double *z, double *force, JnMessage *message);

/* A stage of the interior method for the normal forces, at z; move->q is filled in. */
void view_interior(View *view, const double *z, InteriorStage stage, InteriorMove *move);

/* Takes the velocity with which points would leave what pushed them in the step that ended at q, v, if the reach says
   that it is calmed. */
void view_calm(View *view, const double *q, double *v);

/* Marks the vertices that pairs may join until the next step, [vertex_count] as CoupledMark, 0 elsewhere. false: no
   term has any. */
bool view_mark_coupled(const View *view, uint8_t *marks);

/* Holds from now on what would be crossed if the step ended with z, and is not held yet. *more: whether there is
   any. */
JnStatus view_look_again(View *view, const double *z, bool *more, JnMessage *message);

/* To be called when a step has ended at q: JN_ERR_DIVERGED if it has crossed what must not be, so that a shorter step
   is needed, unless it may. */
JnStatus view_check_way(View *view, const double *q, bool may_cross, JnMessage *message);

/* To be called when a step that may cross was not solved for: the next try of it holds nothing harder than given. */
void view_give_way(View *view);

/* Moves the free vertices of q1, which one linear step from q0 has found, along with what has turned on the way
   (follow_turns in elastic/force_term.h). Returns whether it moved any. */
bool view_follow_turns(const View *view, TurnKind kind, const double *q0, double *q1);
/* Whether it may move any: then stiff parts may turn, and a matrix is valid only close to where it was made. */
bool view_has_turns(const View *view);

/* x = M^-1 x where free, 0 elsewhere, [vertex_count * 3]. A consistent mass is factored once. */
JnStatus view_divide_by_mass(View *view, double *x, JnMessage *message);

/* stiffness = that with which goals and fields hold vertices where they are in this step, [vertex_count] N/m. */
void view_holding(const View *view, double *stiffness);

/* The part of the terms' lags that persists from step to step; and that which persists from try to try of a step that
   failed. false: the archive ended. */
bool view_archive(View *view, Archive *archive);
/* What the terms hold since view_begin_step, so that one view can go back and forth between several steps. */
bool view_step_archive(View *view, Archive *archive);
bool view_retry_archive(View *view, Archive *archive);

#endif
