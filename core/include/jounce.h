/* Jounce: bakes jiggle and secondary motion of deformable bodies, M q'' = f(q, v), one frame at a time, to Alembic.

   The whole public API. A bake in five calls:

       JnBakeDesc desc;  jn_bake_desc_init(&desc, sizeof desc);          ... fill in ...
       jn_bake_begin(&desc, &bake, &message);
       for each frame:   jn_bake_advance(bake, &input, &message);
       jn_bake_end(bake, &message);

   Conventions
   - Status: 0 is success, negative an error. Every call that can fail takes a JnMessage (may be NULL) and fills it with
     one sentence that names the thing, the place and the remedy. Nothing is printed; nothing exits or aborts.
   - Structs that the caller fills begin with struct_size and are filled with defaults by their _init call; set what
     differs. Structs that the library fills need their struct_size only. One of another version is refused by name.
   - Calls that fill a struct which the caller may leave uninitialised, the _init calls among them, take its size in the
     caller's header as an argument: sizeof it. Another size than this library's is JN_ERR_STRUCT_SIZE: then struct_size
     is set to 0, if there is room for it, so that every call refuses the struct, and nothing else is written. NULL is
     JN_ERR_ARGUMENT. As nothing else can fail in them, the _init calls take no JnMessage.
   - Arrays come as pointer and count; their shape stands beside them. The core copies what it needs: everything passed
     in may be freed when the call returns, unless the comment says otherwise.
   - Lengths, positions and velocities are in scene units, metres_per_unit converts them; all else is SI (Pa, kg/m3, N,
     m/s2, s). Text is UTF-8. Indices start at 0. Positions are interleaved x y z.
   - Transforms are the first three rows of a 4x4 matrix that acts on column vectors, object space to scene space.
   - A body's points are what the artist paints and animates: the vertices of its surface, or of its tets if it has no
     surface, or of its curves if it has neither. Weights, targets, forces and start poses are per point.
   - Threads: a JnBake is used by one thread at a time; jn_bake_cancel alone may be called from any thread. Bakes on
     different threads do not disturb each other, and none depends on thread_count. What the libraries below share in a
     process is held while they compute: OpenBLAS works on one thread meanwhile, METIS reseeds rand(),
     and searches for modes wait for each other. */
#ifndef JOUNCE_H
#define JOUNCE_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define JN_API __declspec(dllexport)
#elif defined(__GNUC__)
#define JN_API __attribute__((visibility("default")))
#else
#define JN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ version, status */

/* Rises when a call or a struct changes: a host that was built with another number does not fit the library. */
#define JN_API_VERSION 2

typedef int32_t JnStatus;
enum {
    JN_OK = 0,
    JN_ERR_ARGUMENT = -1,    /* a NULL, NaN, out-of-range or contradictory value */
    JN_ERR_STRUCT_SIZE = -2, /* a struct of another version of this header */
    JN_ERR_MESH = -3,        /* empty, inverted, degenerate or inconsistent mesh */
    JN_ERR_UNKNOWN_NAME = -4,
    JN_ERR_NOT_BUILT = -5, /* a known feature that this version does not have yet */
    JN_ERR_MEMORY = -6,
    JN_ERR_FILE = -7,   /* cannot be opened, read or written */
    JN_ERR_FORMAT = -8, /* the file's content is not what its format says */
    JN_ERR_SCENE = -9,  /* the scene description is wrong: unknown key, wrong type, value out of range */
    JN_ERR_DIVERGED = -10,
    JN_ERR_CANCELLED = -11,
    JN_ERR_ORDER = -12 /* a call or a frame out of order */
};

#define JN_MESSAGE_CAPACITY 1020
typedef struct JnMessage {
    JnStatus status;
    char text[JN_MESSAGE_CAPACITY]; /* always terminated; empty after success */
} JnMessage;

JN_API const char *jn_version(void);                /* "0.1.0" */
JN_API int32_t jn_api_version(void);                /* JN_API_VERSION of the library, to compare with the header's */
JN_API const char *jn_status_name(JnStatus status); /* "JN_ERR_MESH"; "unknown status" for any other number */

/* ------------------------------------------------------------------------------------------------ tables

   What menus, docs, the JSON schema and command-line help are made of. Entries live as long as the library. */

typedef int32_t JnTable;
enum {
    JN_TABLE_MATERIALS = 0,
    JN_TABLE_INTEGRATORS = 1,
    JN_TABLE_CONTACT_METHODS = 2,
    JN_TABLE_COLLIDERS = 3,
    JN_TABLE_MESHERS = 4,
    JN_TABLE_REGION_EFFECTS = 5,
    JN_TABLE_SHAPES = 6,
    JN_TABLE_BODY_KINDS = 7,
    JN_TABLE_COUNT = 8
};

typedef struct JnTableEntry {
    const char *name;    /* as used in descs and scene files: "stable_neohooke" */
    const char *label;   /* as shown in menus: "Stable neo-Hookean" */
    const char *summary; /* one sentence for a tooltip */
} JnTableEntry;

JN_API const char *jn_table_name(JnTable table); /* "materials"; NULL if there is no such table */
JN_API uint32_t jn_table_size(JnTable table);
JN_API const JnTableEntry *jn_table_entry(JnTable table, uint32_t index); /* NULL if out of range */

/* Ready-made materials: names an artist knows, with the numbers behind them. */
typedef struct JnPreset {
    const char *name, *label, *summary;
    const char *law;          /* in JN_TABLE_MATERIALS */
    double young_modulus;     /* Pa */
    double poisson_ratio;     /* 1 */
    double density;           /* kg/m3 */
    double stiffness_damping; /* s */
    double mass_damping;      /* 1/s */
} JnPreset;

JN_API uint32_t jn_preset_count(void);
JN_API const JnPreset *jn_preset(uint32_t index); /* NULL if out of range */

/* Every setting of a scene description: its place in the scene file, unit, default and limits. The same limits hold for
   the fields of the descs below. */
typedef int32_t JnSettingType;
enum {
    JN_SETTING_NUMBER = 0,
    JN_SETTING_INTEGER = 1,
    JN_SETTING_BOOLEAN = 2,
    JN_SETTING_TEXT = 3,
    JN_SETTING_NAME = 4,   /* one of `choices` */
    JN_SETTING_VECTOR = 5, /* three numbers */
    JN_SETTING_OBJECT = 6, /* an object of the scope `choices` */
    JN_SETTING_LIST = 7,   /* objects of the scope `choices` */
    JN_SETTING_ANY = 8     /* several forms: the summary says which */
};

typedef struct JnSetting {
    const char *scope;   /* the object it stands in: "scene", "body", "material", ... */
    const char *key;     /* "young_modulus" */
    const char *label;   /* "Stiffness" */
    const char *summary; /* one sentence: what it does and a usual value */
    const char *unit;    /* "Pa", or "" */
    const char *choices; /* NAME: a table's name; OBJECT, LIST: a scope; otherwise NULL */
    JnSettingType type;
    int32_t built;           /* 0: known, but refused as not yet built */
    double minimum, maximum; /* inclusive, for numbers; -inf and inf: no limit */
    double default_value;    /* for numbers; NaN: none (required, or chosen from the scene) */
} JnSetting;

JN_API uint32_t jn_setting_count(void);
JN_API const JnSetting *jn_setting(uint32_t index);                          /* NULL if out of range */
JN_API const JnSetting *jn_setting_find(const char *scope, const char *key); /* NULL if unknown */

/* ------------------------------------------------------------------------------------------------ what to bake */

typedef struct JnSurface { /* polygons; all zero: none */
    uint32_t vertex_count;
    uint32_t face_count;
    uint32_t corner_count;         /* sum of face_sizes */
    uint32_t reserved;             /* 0 */
    const double *positions;       /* [vertex_count * 3] */
    const uint32_t *face_sizes;    /* [face_count], each at least 3 */
    const uint32_t *face_vertices; /* [corner_count] */
    const float *uvs;              /* [corner_count * 2] or NULL */
} JnSurface;

typedef struct JnTets { /* all zero: none */
    uint32_t vertex_count;
    uint32_t tet_count;
    const double *positions;      /* [vertex_count * 3] */
    const uint32_t *tet_vertices; /* [tet_count * 4], det(b-a, c-a, d-a) > 0 */
} JnTets;

typedef struct JnCurves { /* polylines: fibres, girders; all zero: none */
    uint32_t vertex_count;
    uint32_t curve_count;
    uint32_t corner_count;          /* sum of curve_sizes */
    uint32_t reserved;              /* 0 */
    const double *positions;        /* [vertex_count * 3] */
    const uint32_t *curve_sizes;    /* [curve_count], each at least 2 */
    const uint32_t *curve_vertices; /* [corner_count] */
} JnCurves;

typedef struct JnMaterial {
    uint32_t struct_size;
    uint32_t locking_cure;    /* 1: with a high Poisson ratio tets keep their volume together, so that the body bends as
                                 softly as it should; 0: each tet its own, as plain linear tets do */
    const char *law;          /* in JN_TABLE_MATERIALS */
    double young_modulus;     /* Pa */
    double poisson_ratio;     /* 1, below 0.5 */
    double density;           /* kg/m3 */
    double stiffness_damping; /* s: Rayleigh damping D = stiffness_damping K + mass_damping M */
    double mass_damping;      /* 1/s */
    /* Damping said otherwise, in place of stiffness_damping, which must then be 0; jn_bake_damping shows what it
       becomes. NaN: not given. */
    double settle_seconds;    /* s in which a wobble shrinks to a hundredth */
    double damping_ratio;     /* of critical damping */
    double damping_frequency; /* Hz, the wobble that either speaks of; NaN: the body's slowest about its rest shape */
} JnMaterial;

/* The springs of a body whose kind is made of them. NaN: chosen from the material, as docs/springs.md says. A spring
   that is stretched by d beyond its length L pulls with k d (linear + cubic (d / L)^2), k being one of the first three.
 */
typedef struct JnSprings {
    uint32_t struct_size;
    uint32_t reserved;
    double structural;      /* N/m: along edges */
    double shear;           /* N/m: across faces; in spring solids from a tet's vertex to the face across */
    double bending;         /* N/m: over two edges in line, or across a fold */
    double linear;          /* 1; 0: purely cubic */
    double cubic;           /* 1 */
    double thickness;       /* scene units: of cloth, of bars, of fibres at their root */
    double tip_thickness;   /* scene units: of fibres at their tip; NaN: as thickness */
    double torsion_modulus; /* Pa: of fibres; NaN: that of an isotropic material */
    double mass_per_area;   /* kg/m2: of textiles; NaN: density times thickness */
    double mass_per_length; /* kg/m: of girders; NaN: density times thickness squared */
} JnSprings;

/* A painted map and what it does. */
typedef struct JnRegion {
    uint32_t struct_size;
    uint32_t weight_count; /* the body's point count */
    const char *name;      /* the artist's name for it, used in messages */
    const char *effect;    /* in JN_TABLE_REGION_EFFECTS */
    const float *weights;  /* [weight_count], 0 to 1 */
    double value; /* stiffness, density, damping: the factor where the weight is 1; goal: N/m per kg of the body, that
                     is 1/s2, how hard the target pulls; rest_follows: the amount, 0 to 1, where the weight is 1; fast:
                     time steps per step of the rest; pin: unused */
} JnRegion;

typedef struct JnBody {
    uint32_t struct_size;
    uint32_t region_count;
    const char *name;   /* the object's name in the cache */
    const char *kind;   /* in JN_TABLE_BODY_KINDS: which of the following it takes, and what is simulated */
    JnSurface surface;  /* what is rendered and cached; none: the boundary of `tets`, or `curves` */
    JnTets tets;        /* what is simulated of solids; none: made from `surface` by `mesher` */
    JnCurves curves;    /* girders, fibres */
    const char *mesher; /* in JN_TABLE_MESHERS */
    double resolution;  /* cells along the longest side of the body, for the mesher */
    JnMaterial material;
    JnSprings springs;
    const JnRegion *regions;        /* [region_count] */
    double transform[12];           /* of the rest shape; every position of the body is in its object's space */
    const double *start_positions;  /* [point_count * 3] pose at the first frame, NULL: the first frame's targets if
                                       there are any, else the rest shape */
    const double *start_velocities; /* [point_count * 3] units/s in scene space, NULL: at rest */
    double rest_follows_animation;  /* 0 to 1: how much of the animated pose (JnBodyInput.targets) is the rest shape */
    uint32_t releasable_pins;       /* 1: pins hold by very stiff springs, which JnBodyInput.pin_strength may let go */
    uint32_t settle; /* 1: the pose at the first frame is the one that gravity, pins, goals and contact lead to from
                        the start pose; bodies without it stay put meanwhile */
    uint32_t
        keep_shape; /* 1: the rest shape is found that sags into the start pose, which then is at rest; needs pins */
    uint32_t reserved;
} JnBody;

typedef struct JnCollider {
    uint32_t struct_size;
    uint32_t reserved;
    const char *name;
    const char *kind;  /* in JN_TABLE_COLLIDERS */
    double point[3];   /* plane: a point on it */
    double normal[3];  /* plane: towards the free side, any length but 0 */
    JnSurface surface; /* mesh */
    double friction;   /* Coulomb coefficient */
} JnCollider;

typedef struct JnContact {
    uint32_t struct_size;
    uint32_t reserved;
    const char *method; /* in JN_TABLE_CONTACT_METHODS */
    double thickness;   /* scene units: contact begins at this distance; NaN: chosen from the body's size */
    double stiffness;   /* N/m3: pressure per depth; NaN: chosen from material, mass and gravity */
    double
        smoothing_speed; /* m/s: below it friction fades in smoothly; slopes that should hold creep below this speed */
} JnContact;

enum { JN_UP_Y = 1, JN_UP_Z = 2 };

typedef struct JnBakeDesc {
    uint32_t struct_size;
    uint32_t body_count;
    uint32_t collider_count;
    uint32_t frame_count;        /* at least 1, the first frame included */
    double first_frame;          /* any frame number, also negative or between two frames */
    double fps;                  /* frames per second */
    uint32_t steps_per_frame;    /* time steps of the integrator per frame */
    uint32_t samples_per_frame;  /* cache samples per frame; divides steps_per_frame */
    double metres_per_unit;      /* 0.01 for a scene in centimetres */
    const JnBody *bodies;        /* [body_count] */
    const JnCollider *colliders; /* [collider_count] */
    double gravity[3];           /* m/s2 */
    double wind[3];              /* m/s: velocity of the air */
    double air_density;          /* kg/m3: how hard wind and still air push; 0: no air */
    const char *integrator;      /* in JN_TABLE_INTEGRATORS */
    double spectral_radius;      /* generalized_alpha: what is left of the fastest wobbles after a step, 0 to 1 */
    double error_tolerance;      /* above 0: time steps are cut until each is right to this part of the body's size */
    JnContact contact;
    const char *output_path;   /* .abc to write; NULL: no cache, positions by jn_bake_positions only */
    const char *application;   /* "Blender 4.5", goes into the cache; NULL: none */
    uint32_t write_velocities; /* 1: velocities in the cache, for motion blur */
    uint32_t thread_count;     /* 0: as many as the machine has */
    uint32_t resume;           /* 1: continue the bake that output_path holds, if its desc is the same */
    uint32_t safeguards; /* 1: elements are kept from pulling the matrix negative, and steps that fail are cut; 0: as
                            the textbook has it, for comparison */
    uint64_t input_tag;  /* any number that differs when what jn_bake_advance will be given differs: a hash of the
                            animation. A resume with another one is refused. 0: nothing moves, or do not look */
    uint32_t up_axis;    /* JN_UP_Y or JN_UP_Z: the scene's. Caches are y-up, as Alembic's readers expect. */
    uint32_t consistent_mass; /* 1: mass spread within each tet, as finite element programs do; 0: lumped at the
                                 vertices, as usual in animation */
    uint32_t reuse_factor; /* 1: time steps are solved with the matrix of an earlier one as a first approximation while
                              that is cheaper, to 1e-8; 0: every one is factored */
    uint32_t reserved;     /* 0 */
} JnBakeDesc;

/* Fill with defaults; struct_size, structs inside and names of the default methods included. struct_size: sizeof what
   is filled. JN_OK, JN_ERR_ARGUMENT or JN_ERR_STRUCT_SIZE, as the conventions say. */
JN_API JnStatus jn_bake_desc_init(JnBakeDesc *desc, size_t struct_size);
JN_API JnStatus jn_body_init(JnBody *body, size_t struct_size);
JN_API JnStatus jn_material_init(JnMaterial *material, size_t struct_size);
JN_API JnStatus jn_springs_init(JnSprings *springs, size_t struct_size);
JN_API JnStatus jn_region_init(JnRegion *region, size_t struct_size);
JN_API JnStatus jn_collider_init(JnCollider *collider, size_t struct_size);

/* ------------------------------------------------------------------------------------------------ what moves */

/* Per body and frame. The core interpolates over the time steps from the frame before to this one. */
typedef struct JnBodyInput {
    uint32_t struct_size;
    uint32_t sample_count; /* sub-frame samples in `targets`, evenly spaced, the last one at this frame; usually 1 */
    const double *targets; /* [sample_count * point_count * 3] animated positions that pins and goals follow, in object
                              space at their time; NULL: as they were, at first the start pose */
    const double *forces;  /* [point_count * 3] N in scene space, NULL: none */
    double transform[12];  /* if has_transform: the object's at this frame, else as it was, at first JnBody's. The cache
                              is written in the object's space, so that parenting and instancing keep working. */
    uint32_t has_transform;
    /* Numbers that hold from this frame on, ramped from the value before; without has_.. as they were, at first 1. */
    uint32_t has_stiffness, has_goal_strength, has_pin_strength;
    double stiffness;     /* times the body's stiffness; ramped by ratio */
    double goal_strength; /* times the pull of its goals */
    double
        pin_strength; /* of pins, if the body's are releasable: 1 holds, 0 lets go; the pull falls with its 4th power */
} JnBodyInput;

typedef struct JnColliderInput {
    uint32_t struct_size;
    uint32_t has_transform;
    double transform[12];    /* rows of a 3x4 matrix applied to the collider as described; if has_transform */
    const double *positions; /* [vertex_count * 3] mesh at this frame; NULL: as it was */
} JnColliderInput;

typedef struct JnFrameInput {
    uint32_t struct_size;
    uint32_t body_count;              /* 0, or that of the desc */
    uint32_t collider_count;          /* 0, or that of the desc */
    uint32_t has_gravity;             /* 1: `gravity` below from this frame on, ramped from the value before */
    double frame;                     /* the frame that follows the last one; first first_frame */
    const JnBodyInput *bodies;        /* [body_count] */
    const JnColliderInput *colliders; /* [collider_count] */
    double gravity[3];                /* m/s2 */
} JnFrameInput;

/* Fill with defaults: nothing moves. struct_size: sizeof what is filled, as above. */
JN_API JnStatus jn_frame_input_init(JnFrameInput *input, size_t struct_size);
JN_API JnStatus jn_body_input_init(JnBodyInput *input, size_t struct_size);
JN_API JnStatus jn_collider_input_init(JnColliderInput *input, size_t struct_size);

/* ------------------------------------------------------------------------------------------------ the bake */

typedef struct JnBake JnBake;

/* Checks the desc, builds the simulation mesh, analyses the matrices, opens the cache. On failure *bake is NULL. */
JN_API JnStatus jn_bake_begin(const JnBakeDesc *desc, JnBake **bake, JnMessage *message);

/* The frame that jn_bake_advance expects next: first_frame, or after a resume the one after the last kept. */
JN_API double jn_bake_next_frame(const JnBake *bake);

/* Simulates up to input->frame and writes it; the first frame is the start pose. When it fails, the last good state and
   a readable cache remain, and the same frame may be tried again. JN_ERR_CANCELLED: cancelled before the frame was
   done. */
JN_API JnStatus jn_bake_advance(JnBake *bake, const JnFrameInput *input, JnMessage *message);

/* Makes the advance under way, and every later one, return soon with JN_ERR_CANCELLED: end the bake then, and resume it
   if you like. May be called from any thread or a signal handler. */
JN_API void jn_bake_cancel(JnBake *bake);

/* How far the advance under way is, and into how many parts a time step is cut that fails as a whole: what a frame that
   takes long is busy with. */
typedef struct JnFrameProgress {
    uint32_t struct_size;
    uint32_t part_count; /* 1: time steps are taken whole */
    double frame;        /* the frame under way, or the one that comes next */
    double fraction;     /* of its time that is simulated, 0 to 1 */
    const char *reason;  /* why steps were cut last, as the end of a sentence; NULL: they are not cut. Static. */
} JnFrameProgress;

/* May be called from any thread between jn_bake_begin and jn_bake_end, also while jn_bake_advance runs. */
JN_API JnStatus jn_bake_frame_progress(const JnBake *bake, JnFrameProgress *progress, JnMessage *message);

/* Copies the cached points of body `body_index` at the last finished frame, in scene units and axes, in the object's
   space at that frame. `capacity` is in doubles and must be at least three times the cached vertex count, which
   *vertex_count (may be NULL) receives even on failure. */
JN_API JnStatus jn_bake_positions(const JnBake *bake, uint32_t body_index, double *positions, size_t capacity,
                                  uint32_t *vertex_count, JnMessage *message);

/* Finishes the cache and frees everything, also after an error or a cancel. `bake` may be NULL. The cache keeps every
   finished frame; a bake that is not complete leaves beside it what jn_bake_begin with resume needs. */
JN_API JnStatus jn_bake_end(JnBake *bake, JnMessage *message);

typedef struct JnStatistics {
    uint32_t struct_size;
    uint32_t body_count;
    uint32_t vertex_count; /* simulated */
    uint32_t tet_count;
    uint32_t spring_count;
    uint32_t point_count;   /* rendered */
    uint32_t unknown_count; /* not pinned, times 3 */
    uint32_t frames_done;
    uint32_t steps_done;
    uint32_t projected_steps; /* matrices that were not positive definite at first; a step may have several */
    uint32_t cut_steps;       /* how often a time step, or a part of one, was cut in two */
    uint32_t loose_steps; /* parts that could not be cut further and still missed error_tolerance or gained energy */
    uint32_t newton_iterations;
    uint32_t contact_count; /* points in contact in the last step */
    uint32_t thread_count;
    uint32_t limited_rest_count; /* tets whose animated pose was too flat or long to be a rest shape: most at a time */
    uint32_t factor_count;       /* factorizations */
    uint32_t reused_count;       /* matrices that were solved with the factor of an earlier one */
    uint32_t iteration_count;    /* of conjugate gradients, in all */
    uint32_t damped_steps;       /* time steps, or parts of them, that a damped integrator took for an undamped one */
    double deepest_penetration;  /* m, beyond the collider's surface, so far */
    double factor_flops;         /* of one factorization */
    double factor_bytes;
    double solver_bytes; /* all that the linear solver keeps, the factor included */
    double peak_bytes;   /* largest memory of the process so far */
    double input_seconds, assembly_seconds, factor_seconds, solve_seconds, contact_seconds, output_seconds,
        total_seconds;
    double kinetic_energy; /* J, at the last frame */
} JnStatistics;

JN_API JnStatus jn_bake_statistics(const JnBake *bake, JnStatistics *statistics, JnMessage *message);

/* What the motion holds at the last finished frame: energies, momenta, and how hard it was to get there. */
typedef struct JnMotion {
    uint32_t struct_size;
    uint32_t steps_done;   /* time steps so far */
    uint32_t extra_steps;  /* of them, those beyond steps_per_frame: what cutting steps into smaller ones has cost */
    uint32_t damped_steps; /* those, or parts of them, that a damped integrator took where an undamped one failed */
    double frame;
    double time;           /* s, since the first frame */
    double kinetic_energy; /* J, as all energies */
    double elastic_energy; /* in the bodies' deformation, springs included */
    double gravity_energy; /* 0 at the scene's origin */
    double force_energy;   /* of the given forces; a potential only while they stay as they are */
    double goal_energy;    /* between goals and their targets */
    double contact_energy; /* in what contact has pushed together */
    double total_energy;
    double momentum[3];         /* kg m/s, scene axes */
    double angular_momentum[3]; /* kg m2/s about the scene's origin */
    double largest_speed;       /* m/s, of a simulated vertex */
    double residual;            /* of the last nonlinear solve, relative; NaN: the integrator solves none */
} JnMotion;

/* Costs a pass over the elements. JN_ERR_ORDER: no frame was finished in this run, or the last one failed. */
JN_API JnStatus jn_bake_motion(JnBake *bake, JnMotion *motion, JnMessage *message);

/* What a bake will cost, found by preparing it and taking a few time steps without writing anything. */
typedef struct JnEstimate {
    uint32_t struct_size;
    uint32_t vertex_count, tet_count, point_count, unknown_count;
    uint32_t spring_count;
    double seconds_per_frame;
    double total_seconds;
    double memory_bytes;
    double cache_bytes;
} JnEstimate;

JN_API JnStatus jn_bake_estimate(const JnBakeDesc *desc, JnEstimate *estimate, JnMessage *message);

/* What damps a body's slowest wobble about its modelled shape, pins and goals as they are at first. */
typedef struct JnDamping {
    uint32_t struct_size;
    uint32_t reserved;
    double frequency;         /* Hz; 0: nothing of it wobbles */
    double stiffness_damping; /* s, as used: converted from settle_seconds or damping_ratio if these were given */
    double mass_damping;      /* 1/s */
    double material_ratio;    /* of critical damping, from the material and what is painted */
    double method_ratio;   /* of critical damping, from the integrator at this step; NaN: it cannot step this wobble */
    double settle_seconds; /* both together, until a hundredth is left; inf: never */
} JnDamping;

/* Only before the first frame. */
JN_API JnStatus jn_bake_damping(JnBake *bake, uint32_t body_index, JnDamping *damping, JnMessage *message);

/* ------------------------------------------------------------------------------------------------ modes

   How the bodies swing about their rest shape when they are let go: the slowest free vibrations, with the pins and
   goals of the desc, without gravity and contact. */

typedef struct JnModes JnModes;

typedef struct JnMode {
    uint32_t struct_size;
    uint32_t rigid;       /* 1: a motion that nothing restores, up to six of a body that floats; its frequency is 0 */
    double frequency;     /* Hz */
    double eigenvalue;    /* 1/s2: the square of 2 pi frequency; 0 where nothing resists; below 0 where the shape is not
                             stable */
    double residual;      /* 1/s2: an exact eigenvalue is about this near */
    double decay_rate;    /* 1/s: damping shrinks the swing as exp(-decay_rate t) */
    double damping_ratio; /* decay_rate / (2 pi frequency): 1 does not swing any more; 0 for rigid modes */
    uint32_t body_index;  /* of the body that has most of the motion */
    uint32_t region_index; /* of the region that moves most there, more than the body on the whole; UINT32_MAX: none */
    double body_share;     /* that body's part of the kinetic energy, 0 to 1 */
} JnMode;

/* Finds the `count` (1 to 1000) slowest elastic modes, by the mass that desc.consistent_mass says. Rigid ones come
   first and beside them; more come where a frequency is repeated beyond the last, fewer where there are not so many,
   none where all is pinned. Nothing is written. On failure *modes is NULL. */
JN_API JnStatus jn_bake_modes(const JnBakeDesc *desc, uint32_t count, JnModes **modes, JnMessage *message);
JN_API uint32_t jn_modes_count(const JnModes *modes); /* 0 for NULL */
JN_API JnStatus jn_modes_get(const JnModes *modes, uint32_t index, JnMode *mode, JnMessage *message);
/* How the points of a body move in mode `index`: vectors in scene units and in the object's space, the largest of all
   bodies 1 long. `capacity` is in doubles and must be at least three times the body's point count, which *point_count
   (may be NULL) receives even on failure. */
JN_API JnStatus jn_modes_shape(const JnModes *modes, uint32_t index, uint32_t body_index, double *displacements,
                               size_t capacity, uint32_t *point_count, JnMessage *message);
JN_API void jn_modes_free(JnModes *modes); /* may be NULL */

/* ------------------------------------------------------------------------------------------------ methods' damping */

/* What an integrator takes from a swing of its own, whatever the material: with time steps of h it moves q'' + omega^2
   q = 0 as if it were q'' + d q' + omega^2 q = 0, and the swing shrinks as exp(-d t / 2). Found by running the method
   itself. h_omega: h times omega, 1e-6 to 1e6. spectral_radius: as in JnBakeDesc, NaN: the default. *damping: d /
   omega; below 0 the swing grows. JN_ERR_DIVERGED where the method cannot take such steps. */
JN_API JnStatus jn_method_damping(const char *integrator, double h_omega, double spectral_radius, double *damping,
                                  JnMessage *message);

/* ------------------------------------------------------------------------------------------------ scene files */

/* A scene description in JSON with its meshes beside it, and the inputs of each of its frames. */
typedef struct JnScene JnScene;

JN_API JnStatus jn_scene_load(const char *path, JnScene **scene, JnMessage *message);
/* The scene's desc. Its pointers belong to the scene: change the copy's fields, then jn_bake_begin. struct_size: sizeof
 *desc. */
JN_API JnStatus jn_scene_desc(const JnScene *scene, JnBakeDesc *desc, size_t struct_size, JnMessage *message);
/* The inputs at `frame`. Pointers in *input belong to the scene and hold until the next call. struct_size: sizeof
 *input. */
JN_API JnStatus jn_scene_frame(JnScene *scene, double frame, JnFrameInput *input, size_t struct_size,
                               JnMessage *message);
JN_API void jn_scene_free(JnScene *scene); /* may be NULL */

/* The JSON schema of scene files, made from the settings. Returns its length without the terminator; writes at most
   `capacity` bytes, terminator included. `text` may be NULL if capacity is 0. */
JN_API size_t jn_scene_schema(char *text, size_t capacity);

/* -------------------------------------------------------------------------------- mesh files, shapes */

/* A surface, tets or polylines with named fields per vertex (painted weights, a pose). */
typedef struct JnMesh JnMesh;

typedef struct JnMeshField {
    const char *name;
    const double *values;     /* [vertex_count * component_count] */
    uint32_t component_count; /* 1: weights; 3: positions or vectors */
    uint32_t reserved;
} JnMeshField;

typedef struct JnMeshView { /* pointers belong to the mesh */
    uint32_t struct_size;
    uint32_t field_count;
    JnSurface surface; /* of a surface file; for tets, their boundary with the tets' vertex numbers */
    JnTets tets;       /* none for a surface file */
    JnCurves curves;   /* polylines of an .obj or of a shape, on the vertices of the surface */
    const JnMeshField *fields;
} JnMeshView;

/* .obj .ply .stl .abc are surfaces; .msh .mesh .veg .vtk .node/.ele are tets. The format is found by the file's ending.
 */
JN_API JnStatus jn_mesh_read(const char *path, JnMesh **mesh, JnMessage *message);
/* .msh (with fields) and .mesh for tets, .obj and .ply for surfaces. */
JN_API JnStatus jn_mesh_write(const JnMesh *mesh, const char *path, JnMessage *message);
JN_API JnStatus jn_mesh_view(const JnMesh *mesh, JnMeshView *view, JnMessage *message);
JN_API void jn_mesh_free(JnMesh *mesh); /* may be NULL */

typedef struct JnShape {
    uint32_t struct_size;
    uint32_t layer_count; /* ball: shells of equal thickness, each a field "layer_0" (core) .. */
    const char *kind;     /* in JN_TABLE_SHAPES */
    double size[3];       /* beam, cuboid, sheet, cloth: length, height, depth; ball: diameters; coil: radius, pitch,
                             thickness;       fibres: their length, then the field that they stand on */
    uint32_t cells[3];    /* along each side; ball: across the diameter, in [0]; coil: across, around one turn, unused;
                             fibres: segments of each, then how many along each side of the field */
    uint32_t reserved;
    double turns; /* cuboid: whole twist; coil: windings */
} JnShape;

/* Fills with the defaults of the shape named `kind`; of the first in the table if it is NULL or unknown. struct_size:
   sizeof *shape. */
JN_API JnStatus jn_shape_init(JnShape *shape, size_t struct_size, const char *kind);
/* All but the ball carry fields "start" and "end" (weights of their two ends); the cuboid and the coil
   carry "pose", their twisted or wound positions, while the mesh itself is the straight rest shape. */
JN_API JnStatus jn_shape_make(const JnShape *shape, JnMesh **mesh, JnMessage *message);

#ifdef __cplusplus
}
#endif

#endif
