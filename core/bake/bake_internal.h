/* The parts of a bake, in the order in which data flow:

     settings/validate.c  checks the desc, by the limits of the settings table
     bodies/body.c        each body: its simulated mesh, painted maps         -> Body
     assemble.c   all bodies in one system of equations with its force terms  -> System, View;
                  assemble_points.c, assemble_contact.c: what is seen of them, and how it touches
     auto_choice.c  the method, where that is left to the core
     fast_regions.c  its form with small time steps where they are painted
     suggest_fast.c  where to paint them
     inputs.c     the frame's inputs, interpolated to the time of a step      -> Moment
     bones.c      where the bones have what they hold
     travel.c     the rigid motion of animated bodies: cuts, and what is taken out of their inertia
     preroll.c    the frames before the first one
     keep_shape.c, settle.c  rest shape and pose in equilibrium, before the first frame
     frame.c      the frame loop: samples, the last good state
     substeps.c   a time step, cut into smaller ones where necessary, as energy_check.c decides
     output.c     which file is written, which one may be replaced, and when
     warped.c     where the vertices of bodies with `warp` are seen
     cache.c      the rendered points of each sample                          -> Alembic
     motion.c     energies and momenta of a finished frame
     contact_frame.c  contact of a finished frame, and whether it may stand
     restore.c    the single list of all that a frame must be able to restore -> Archive
     checkpoint.c that list in a file beside the cache                        -> resume
     bake.c       begins and ends the bake */
#ifndef JN_BAKE_INTERNAL_H
#define JN_BAKE_INTERNAL_H

#include "bodies/body.h"
#include "contact/contact.h"
#include "elastic/force_field.h"
#include "elastic/loads.h"
#include "integrate/integrator.h"
#include "linear/modes.h"

#include <stdatomic.h>

/* A time step is cut into at most 2^this parts. */
enum { SUBSTEP_LEVELS = 10 };

/* ------------------------------------------------------------------------------------------------ bake */

typedef struct Settings { /* what is kept of the desc */
    double fps, first_frame, metres_per_unit;
    uint32_t frame_count, steps_per_frame, samples_per_frame;
    uint32_t write_velocities, up_axis, thread_count;
    double gravity[3], wind[3], air_density;
    double contact_thickness, contact_stiffness, smoothing_speed; /* as chosen, m and N/m3 */
    double usual_stiffness;                                       /* N/m3: of contact, where none is given */
    uint32_t strict;
    double error_tolerance;
    uint32_t safeguards;
    uint32_t preroll_count;
} Settings;

typedef struct Cache Cache;
typedef struct Warped Warped;

typedef struct EnergyLedger {
    double held;     /* J: kinetic energy and energy stored in bodies, goals and contacts at the start of a step */
    double stored;   /* J: of it, the energy stored in bodies and goals; 0 unless they change */
    double surplus;  /* J of spurious energy gain */
    uint64_t driven; /* 1: external motion did work in the last step, so a part of the surplus may be its */
} EnergyLedger;

typedef struct Cutting { /* the current cutting of time steps, and when parts may grow again */
    uint32_t level;      /* into 2^this parts */
    uint32_t good_parts; /* taken since the last cut or growth */
    uint32_t needed;     /* successful parts before they grow; 0: the initial number */
    uint32_t just_grown; /* 1: no part of this length has succeeded yet */
} Cutting;

/* Constant once the bake has begun. */
typedef struct BakeModel {
    uint64_t input_hash;
    Body *bodies; /* [body_count] */
    uint32_t body_count;
    Collider *colliders;   /* [collider_count] */
    char **collider_names; /* [collider_count] */
    uint32_t collider_count, field_count;
    ForceField *fields; /* [field_count] */
    uint32_t vertex_count, point_count;
    uint32_t tet_count, spring_count, rod_count; /* elements, springs, segments of fibres */
    PointSet points;
    double *areas; /* [point_count], behind `points` as the next */
    uint32_t *triangles;
    uint32_t *curve_neighbours;  /* NULL: no fibres */
    double *rest_points;         /* [point_count * 3] m */
    ContactBody *contact_bodies; /* [body_count], if there is a contact method */
    Pool *pool;
    System system;
    const ContactMethod *contact_method; /* NULL: nothing touches */
    uint32_t contact_term;               /* which of the system's terms is contact, if there is a method */
    uint32_t elastic_term;               /* which of them has the tets */
    const Integrator *integrator;
    const Integrator *stepper;  /* which takes the steps: the integrator, or its form with fast regions */
    JnFastRegion *fast_regions; /* [fast_region_count] */
    uint32_t fast_region_count;
    uint32_t chosen_modes; /* by auto_choice.c; 0: those of the desc */
    MethodOptions method_options;
} BakeModel;

/* What changes over time. restore.c lists all that the next frame depends on. */
/* The shapes of a collider that deforms, at two frames, m, before its transform. */
typedef struct ColliderShapes {
    size_t number_count; /* 0: it does not deform */
    uint32_t given;      /* 0: still as described */
    double *from, *to;   /* [number_count] */
} ColliderShapes;

typedef struct BakeMotion {
    State state;
    View *view; /* of the time steps: all terms, the artist's pins */
    void *integrator_self;
    void *stand_in_self; /* of integrator_stand_in; NULL until it is needed */
    EnergyLedger energy;
    Cutting cutting;
    BodyMotion *bodies;                              /* [body_count] */
    double (*collider_from)[12], (*collider_to)[12]; /* [collider_count] m, as in BodyMotion */
    ColliderShapes *collider_shapes;                 /* [collider_count] */
    double gravity_from[3], gravity_to[3];
    FieldState *fields_from, *fields_to; /* [field_count] */
    double **written; /* per body [cached_count * 3]: the last finished frame, scene units, object space */
    double
        carried_to; /* s: the time at which the bodies are whose travel is taken out: the end of the step under way */
    uint32_t preroll_done; /* intervals before the first frame, the current one included; 0: none has begun */
    uint32_t frames_done;
    uint32_t steps_done;
    uint32_t damped_steps;  /* steps, or parts of them, that integrator_stand_in took */
    bool lost;              /* a frame failed, and the one before could not be restored: the bake can only be ended */
    bool at_finished_frame; /* state, inputs and contacts are those of the last finished frame: not of a failed one, nor
                               of an earlier run, whose contacts are not saved */
} BakeMotion;

typedef struct BakeScratch {
    double *point_scratch;     /* [most * 3], `most` the larger of point_count and all cached_counts */
    double *cached_velocities; /* [most * 3] */
    double *part_positions;    /* [vertex_count * 3] at the start of the current part of a step */
    double *whole_step;        /* [vertex_count * 3]: positions after a step that is compared with two halves */
    MemoryArchive frame_start; /* frame_archive at the start of the current frame */
    MemoryArchive part_start;  /* step_archive at the start of the current part of a step */
} BakeScratch;

typedef struct ContactWatch { /* of the frame under way */
    uint64_t rounds_before;   /* contact_rounds and seconds of contact when it began */
    double seconds_before;
    double deepest; /* m: penetration so far */
} ContactWatch;

typedef struct BakeCounts { /* for reports only */
    uint32_t loose_steps;   /* smallest parts that were still inaccurate, gained energy or were not solved for */
    uint32_t cut_steps;     /* how often a step, or a part of one, was cut in two */
    uint32_t newton_iterations;
    double last_residual; /* of the last nonlinear solve, relative; NaN: none */
    ContactWatch contact_watch;
    JnContactFrame contact_frame; /* of the last finished frame; all zero: none in this run */
    double input_seconds, output_seconds, total_seconds;
} BakeCounts;

/* What jn_bake_frame_progress tells, from any thread. */
typedef struct FrameWatch {
    _Atomic double frame, fraction;
    _Atomic uint32_t part_count;
    _Atomic(const char *) reason; /* NULL: not known, or not cut */
} FrameWatch;

enum { KERNELS_CAPACITY = 256, NOTE_CAPACITY = 700, CHOICE_CAPACITY = 300 };

typedef struct BakeOutput {
    Cache *cache;                 /* NULL: nothing is written */
    char *path;                   /* of the complete cache, symbolic links followed; NULL: nothing is written */
    char *unfinished_path;        /* of the bake until it is complete, if a complete cache stands at `path` */
    char *checkpoint_path;        /* of the unfinished bake, whichever path it is written to */
    bool beside;                  /* this bake is written to unfinished_path */
    bool is_open;                 /* the cache can take frames */
    JnMessage checkpoint_message; /* of the last attempt to write one */
    /* the BLAS kernels that computed the frames, those of now and, after a resume, those of before; between commas */
    char kernels[KERNELS_CAPACITY];
    bool kernels_changed; /* by the resume: the receipt in the cache does not name those of now */
    char note[NOTE_CAPACITY];
    char choice[CHOICE_CAPACITY]; /* what auto_choice.c chose, and why; "" if nothing was left to it */
} BakeOutput;

struct JnBake {
    Settings settings;
    BakeModel model;
    BakeMotion motion;
    BakeScratch scratch;
    Warped *warped; /* NULL: no body has `warp` */
    BakeCounts counts;
    BakeOutput output;
    FrameWatch watch;
    _Atomic int cancelled;
};

/* frame_input.c: JN_OK or the first error, with its place in the input. */
JnStatus validate_frame_input(const JnBake *bake, const JnFrameInput *input, JnMessage *message);

/* assemble.c: from bodies and colliders to the system. */
JnStatus assemble_system(JnBake *bake, const JnBakeDesc *desc, JnMessage *message);
void assemble_free(JnBake *bake);

/* inputs.c */
/* Sets the inputs of the current frame as the end of the interval; nothing else changes until inputs_end_frame. */
JnStatus inputs_begin_frame(JnBake *bake, const JnFrameInput *input, JnMessage *message);
/* The frame is finished: the end of its interval becomes the start of the next. */
void inputs_end_frame(JnBake *bake);
/* The world of the system: moments at any time of the current frame interval. */
World inputs_world(JnBake *bake);
/* The start pose, from the first frame's inputs. */
JnStatus inputs_start_state(JnBake *bake, JnMessage *message);
/* Time of frame number `index` of the bake, s. */
double inputs_frame_time(const JnBake *bake, uint32_t index);
/* Whether there is a frame before the current one, from which the inputs change. */
bool inputs_has_interval(const JnBake *bake);
/* Time of the frame from which the current interval leads, s; at the start, the start's. */
double inputs_interval_start(const JnBake *bake);
/* The animated points of a body over the current interval: those of `input`, or as they are set. */
JnStatus inputs_fill_track(const JnBake *bake, uint32_t body_index, const JnBodyInput *input, JnMessage *message);
/* Whether keys or gravity change so much in the current frame that histories are invalid. */
bool inputs_jump(const JnBake *bake);
/* The fraction of the current frame interval at `time`: 0 at the last finished frame, 1 at the current one. */
double inputs_fraction(const JnBake *bake, double time);
/* Puts a field of force to where a transform in scene units has it. */
void inputs_place_field(const JnBake *bake, const double transform[12], FieldState *state);
/* The body's object space at that fraction. */
void inputs_transform(const BodyMotion *motion, double fraction, double transform[12]);
/* The animated position of point p of a body at that fraction, m. Only for bodies with `has_targets`. */
void inputs_point_target(const JnBake *bake, uint32_t body_index, uint32_t point, double fraction, double target[3]);

/* bones.c */
/* The motions of the body's bones at the current frame, from its input or as they are. */
JnStatus bones_begin_frame(const JnBake *bake, const Body *body, BodyMotion *motion, const JnBodyInput *input,
                           JnMessage *message);
/* A bone's motion at `fraction` of the way between two, m: its centre goes straight. */
void bone_between(const Body *body, uint32_t bone, const double from[12], const double to[12], double fraction,
                  double motion[12]);
/* Moves the vertices that bones hold, of `vertices` [vertex_count * 3], to where these are at `fraction`. */
void bones_place(const Body *body, const BodyMotion *motion, double fraction, double *vertices);
/* Points and vertices of a body without an animation of its own: the rest shape, moved rigidly with the bones, and what
   they hold with each of them. */
void bones_move_rest(const Body *body, const BodyMotion *motion, double fraction, double *points, double *vertices);

/* travel.c */
/* The track of the current interval is filled: finds the body's travel, and cuts it if it jumps or `cut_here`. */
void travel_begin_frame(const Body *body, BodyMotion *motion, double fps, bool cut_here);
/* Carries over the bodies whose animation is cut in this frame, and the colliders that jump along with them; returns
 * whether there are any. */
bool travel_cut(JnBake *bake);
/* Moves bodies along, as far as their travel does not act on them, for a step of h; returns whether there are any. */
bool travel_carry(JnBake *bake, double h);
/* Whether a part of the body's travel is taken out in the current interval; if so: */
bool travel_is_out(const JnBake *bake, uint32_t body_index);
/* that part from one fraction of the interval to another, rows of a 3x4 matrix, */
void travel_between(const JnBake *bake, uint32_t body_index, double from, double to, double motion[12]);
/* and its velocity at x, m/s. */
void travel_velocity(const JnBake *bake, uint32_t body_index, double fraction, const double x[3], double velocity[3]);
/* The fastest of them at any place of its body, m/s. */
double travel_speed(const JnBake *bake);

/* preroll.c */
/* The body's inputs of the first frame are set: finds the poses between which it is before that frame. */
JnStatus preroll_begin_body(const JnBake *bake, const Body *body, BodyMotion *motion, JnMessage *message);
/* From the start state through the frames before the first one. */
JnStatus preroll_run(JnBake *bake, JnMessage *message);

/* frame.c: the time steps of the current interval; `write`: and the samples among them. */
JnStatus simulate_interval(JnBake *bake, bool write, JnMessage *message);

/* contact_frame.c */
/* Of the last time step. */
ContactReport contact_frame_report(const JnBake *bake);
/* A frame begins. */
void contact_frame_begin(JnBake *bake);
/* A time step of it, or a part of one, is done. */
void contact_frame_step(JnBake *bake);
/* It is at its end: what jn_bake_contact tells of it, once it is kept. JN_ERR_OVERLAP: things overlap, and may not. */
JnStatus contact_frame_end(JnBake *bake, JnContactFrame *frame, JnMessage *message);

/* settle.c: moves the bodies with `settle` from the start pose to their equilibrium. */
JnStatus settle_bodies(JnBake *bake, JnMessage *message);

/* keep_shape.c */
/* Finds the rest shape of the bodies with `keep_shape` for which the start pose is an equilibrium. */
JnStatus keep_shapes(JnBake *bake, JnMessage *message);
/* Sets the elements to the rest shapes that were found or restored. */
JnStatus keep_shape_apply(JnBake *bake, JnMessage *message);

/* warped.c */
/* Does nothing if no body has `warp`. */
JnStatus warped_create(JnBake *bake, JnMessage *message);
void warped_destroy(JnBake *bake);
/* To be called in the state of a sample, before anything of it is seen; `velocities`: with these. */
JnStatus warped_update(JnBake *bake, bool velocities, JnMessage *message);
/* Where the simulated vertices are seen, and how fast, [vertex_count * 3] m, m/s: those of the state for bodies without
   `warp`; for the others, of the last update. */
const double *warped_positions(const JnBake *bake);
const double *warped_velocities(const JnBake *bake);

/* cache.c */
/* Fraction of the frame over which velocities of what is seen are differenced. */
#define RATE_FRACTION 1e-3
/* A body named "ball" is the mesh, or the curves, /ball/ballShape under the transform /ball, which places its object
   space in the scene.

   What is written for body b in the current state, for which warped_update was called, object space and scene units:
   positions and, if not NULL, velocities. */
void cache_body_points(JnBake *bake, uint32_t body_index, double *positions, double *velocities);
/* Makes the cache at output_written_path, or opens it behind the frames that are done. */
JnStatus cache_create(JnBake *bake, const JnBakeDesc *desc, JnMessage *message);
JnStatus cache_reopen(JnBake *bake, const JnBakeDesc *desc, JnMessage *message);
JnStatus cache_write_sample(JnBake *bake, JnMessage *message);
/* Keeps the samples of a finished frame, or drops those of a failed one. */
JnStatus cache_commit(JnBake *bake, JnMessage *message);
void cache_drop(JnBake *bake);
JnStatus cache_close(JnBake *bake, JnMessage *message);
/* Bytes that one sample of all bodies takes. */
double cache_sample_bytes(const JnBake *bake);

/* cache_facts.c: what is known of a file that may be a cache. */
typedef enum CacheOwner { CACHE_ABSENT, CACHE_FOREIGN, CACHE_OURS } CacheOwner;

typedef struct CacheFacts {
    CacheOwner owner;     /* ours: an archive with a receipt. The rest is 0 unless it is */
    uint64_t input_hash;  /* of the bake */
    uint32_t frames_done; /* whole frames of all bodies */
    bool complete;        /* all that the bake was to have */
} CacheFacts;

/* JN_ERR_MEMORY, or JN_OK whatever is there. */
JnStatus cache_facts(const char *path, CacheFacts *facts, JnMessage *message);

/* output.c */
/* Begins a cache, or continues one if desc->resume, by the rules at the head of output.c. */
JnStatus output_open(JnBake *bake, const JnBakeDesc *desc, JnMessage *message);
/* Where the frames go until the bake is complete. */
const char *output_written_path(const JnBake *bake);
/* Closes the cache; a complete one takes its place. */
JnStatus output_close(JnBake *bake, JnMessage *message);
void output_free(JnBake *bake);

/* checkpoint.c */
JnStatus checkpoint_save(JnBake *bake, JnMessage *message);
/* Whether there is a checkpoint of this very bake, of at most `frames_done` frames: one that an older bake left behind,
   as after a crash between two files, is none. What cannot be told is left to checkpoint_load. */
bool checkpoint_is_there(const JnBake *bake, uint32_t frames_done);
JnStatus checkpoint_load(JnBake *bake, JnMessage *message);
void checkpoint_remove(const JnBake *bake);

/* kernels.c: which BLAS kernels the frames are computed by. */
void kernels_begin(JnBake *bake);
/* saved: what `kernels` held when the frames so far were done. */
void kernels_resume(JnBake *bake, const char saved[KERNELS_CAPACITY]);

/* receipt.c: the JSON that the cache carries (version, settings, input hash). The caller frees it; NULL: no memory. */
char *receipt_make(const JnBake *bake, const JnBakeDesc *desc);

/* body_damping.c */
/* Turns settle_seconds and damping_ratio into stiffness damping, in the bodies' materials and in the elements, which
 * were made with 1 s of it. */
JnStatus damping_convert(JnBake *bake, JnMessage *message);
/* The angular frequency of the lowest elastic mode of one body about its modelled shape, goals included, rad/s; 0: it
   has none. ratio: its damping as part of the critical one, may be NULL. */
JnStatus bake_slowest_wobble(JnBake *bake, uint32_t body_index, double *omega, double *ratio, JnMessage *message);

/* body_stiffness.c: copies of the bodies whose Young's moduli give the wobble_frequency that their materials ask for;
   NULL if none does. The desc is valid. The caller frees *converted. */
JnStatus stiffness_convert(const JnBakeDesc *desc, JnBody **converted, JnMessage *message);

/* modes.c: the `count` lowest elastic modes, and the rigid ones, about the modelled shape, which `rest`, [vertex_count
 * 3], receives; *matrix: K there, which the caller destroys, also after a failure. */
JnStatus bake_find_modes(JnBake *bake, uint32_t count, double *rest, Jacobian **matrix, Modes *found,
                         JnMessage *message);

/* fast_regions.c */
/* The cost of a large step with these small steps, [vertex_count], relative to one without; and that of small steps for
   all. */
JnStatus fast_regions_predict(const JnBake *bake, const uint32_t *ratios, double *with, double *small,
                              JnMessage *message);
/* Whether any body is painted fast. */
bool fast_regions_painted(const JnBake *bake);
/* Adds what the solvers of fast regions have done, if they are in use. */
void fast_regions_add_solvers(const JnBake *bake, SolverReport *report);
/* Chooses what takes the steps, and prepares it with bake->model.method_options. */
JnStatus fast_regions_prepare(JnBake *bake, JnMessage *message);

/* auto_choice.c: puts a method and its settings in the place of the integrator "auto". */
JnStatus auto_resolve(JnBake *bake, const JnBakeDesc *desc, JnMessage *message);

/* The body that simulated vertex `vertex` belongs to. */
const Body *bake_body_of_vertex(const JnBake *bake, uint32_t vertex);
/* The modelled shape of all bodies, m. positions: [vertex_count * 3]. */
void bake_modelled_positions(const JnBake *bake, double *positions);

/* substeps.c */
/* The frame that comes next is under way, or is the one that comes next: nothing of it is done. */
void watch_next_frame(JnBake *bake);
/* Advances the state by h, in as many parts as it needs. */
JnStatus bake_step(JnBake *bake, double h, JnMessage *message);
/* energy_check.c: before a step, and after it. */
JnStatus energy_check_start(JnBake *bake, JnMessage *message);
/* *passed: whether the step from q_before to here gained no significant spurious energy; if so, it is recorded.
 *driven: external motion does work that is only known approximately. */
JnStatus energy_check_step(JnBake *bake, const double *q_before, bool *passed, bool *driven, JnMessage *message);

/* restore.c: the single list of all that must be restored. false: the archive ended. */
/* What a time step changes: to undo a part of a step. */
bool step_archive(JnBake *bake, Archive *archive);
/* All that the next frame depends on: to undo a frame, and for the checkpoint. */
bool frame_archive(JnBake *bake, Archive *archive);

/* bake.c: as jn_bake_begin, for a desc with or without output. */
JnStatus bake_prepare(const JnBakeDesc *desc, JnBake **bake, JnMessage *message);
/* The next multiple: every sample of the cache is at the end of a time step. */
uint32_t bake_whole_samples(uint32_t steps, uint32_t samples);

#endif
