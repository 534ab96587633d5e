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
     differs. In structs that the library fills, set struct_size only. A struct of another version is refused, and the
     message names it.
   - Calls that fill a struct which the caller may leave uninitialised, the _init calls among them, take its size in the
     caller's header as an argument: its sizeof. If that is not the library's size, the call returns JN_ERR_STRUCT_SIZE,
     sets struct_size to 0 if there is room for it, so that every call refuses the struct, and writes nothing else. NULL
     is JN_ERR_ARGUMENT. Nothing else can fail in the _init calls, so they take no JnMessage.
   - Arrays are passed as pointer and count; the comment beside each gives its shape. The core copies what it needs:
     everything passed in may be freed when the call returns, unless the comment says otherwise.
   - Lengths, positions and velocities are in scene units, which metres_per_unit converts to metres; everything else is
     in SI units (Pa, kg/m3, N, m/s2, s). Text is UTF-8. Indices start at 0. Positions are interleaved x y z.
   - Transforms are the first three rows of a 4x4 matrix that acts on column vectors, object space to scene space.
   - A body's points are what the artist paints and animates: the vertices of its surface, or of its tets if it has no
     surface, or of its curves if it has neither. Weights, targets, forces and start poses are per point.
   - Threads: a JnBake is used by one thread at a time; jn_bake_cancel alone may be called from any thread. Bakes on
     different threads are independent, and no result depends on thread_count. The libraries that the core calls have
     state that is shared by the whole process, which is locked while they compute: meanwhile OpenBLAS runs on one
     thread; METIS reseeds rand(); and computations of modes wait for each other. */
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

/* Incremented when a call or a struct changes: a host built with another number is not compatible with the library. */
#define JN_API_VERSION 4

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
    JN_ERR_ORDER = -12,  /* a call or a frame out of order */
    JN_ERR_OVERLAP = -13 /* things overlap, and JnContact.strict is set */
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

   The source of menus, docs, the JSON schema and command-line help. Entries live as long as the library. */

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
    JN_TABLE_FIELDS = 8,
    JN_TABLE_COUNT = 9
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
    const char *scope;   /* the object it belongs to: "scene", "body", "material", ... */
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
    uint32_t locking_cure;    /* 1: with a high Poisson ratio the volume is constrained per patch of tets, which avoids
                                 volumetric locking; 0: per tet, as in plain linear tets */
    const char *law;          /* in JN_TABLE_MATERIALS */
    double young_modulus;     /* Pa */
    double poisson_ratio;     /* 1, below 0.5 */
    double density;           /* kg/m3 */
    double stiffness_damping; /* s: Rayleigh damping D = stiffness_damping K + mass_damping M */
    double mass_damping;      /* 1/s */
    /* Other ways to specify stiffness_damping, which must then be 0; jn_bake_damping returns the value that is used.
       NaN: not given. */
    double settle_seconds;    /* s in which the amplitude of a vibration decays to a hundredth */
    double damping_ratio;     /* of critical damping */
    double damping_frequency; /* Hz, the frequency at which either holds; NaN: the lowest natural frequency of the body
                                 about its rest shape */
    double wobble_frequency;  /* Hz, replaces young_modulus: the lowest natural frequency that the body shall have, with
                                 its pins and goals; jn_bake_damping returns the modulus that is used. NaN: not given */
    uint32_t warp;            /* 1: bodies of the law linear are seen with their rotations made whole, which does not
                                 change their motion; 0: as the law has them. Refused for other laws */
    uint32_t reserved;        /* 0 */
} JnMaterial;

/* The springs of a body whose kind is made of them. NaN: derived from the material (docs/springs.md). A spring that is
   stretched by d beyond its length L pulls with k d (linear + cubic (d / L)^2), k being one of the first three. */
typedef struct JnSprings {
    uint32_t struct_size;
    uint32_t reserved;
    double structural;      /* N/m: along edges */
    double shear;           /* N/m: across faces; in spring solids from a tet's vertex to the face across */
    double bending;         /* N/m: over two edges in line, or across a fold */
    double linear;          /* 1; 0: purely cubic */
    double cubic;           /* 1 */
    double thickness;       /* scene units: of cloth, of bars, of fibres at their root */
    double tip_thickness;   /* scene units: of fibres at their tip; NaN: same as thickness */
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
    double value;          /* stiffness, density, damping: the factor where the weight is 1, between by ratio for
                              stiffness, linearly for the others; goal: the stiffness of the pull to
                              the target, N/m per kg of the body, that is 1/s2; rest_follows: the amount, 0 to 1, where the
                              weight is 1; fast: time steps per time step of the rest of the body; pin: unused: where the
                              weight is 1 it prescribes, below it is a spring (bodies/pins.c); attach: unused, its weights are
                              those of pins */
    const char *to;        /* attach: the name of the other body, which must have tets; NULL for other effects */
} JnRegion;

/* A rigid part inside a body, such as a skull or a bone of an armature: it holds the simulated vertices that it covers.
   Scene space and units, where the body's rest shape is. */
typedef struct JnBone {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    const char *name;  /* for messages */
    JnSurface surface; /* closed; none: a capsule */
    double point[3];   /* capsule: the ends of its axis */
    double end[3];
    double radius;        /* capsule */
    double transform[12]; /* of all that is described above */
    double strength;      /* 0 to 1, as the weight of a pin */
} JnBone;

typedef struct JnBody {
    uint32_t struct_size;
    uint32_t region_count;
    const char *name;   /* the object's name in the cache */
    const char *kind;   /* in JN_TABLE_BODY_KINDS: selects which of the following are used, and what is simulated */
    JnSurface surface;  /* what is rendered and cached; none: the boundary of `tets`, or `curves` */
    JnTets tets;        /* what is simulated for solids; none: made from `surface` by `mesher` */
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
    uint32_t releasable_pins;       /* 1: pins are very stiff springs, which JnBodyInput.pin_strength can release */
    uint32_t settle; /* 1: the first frame is the static equilibrium under gravity, pins, goals and contact, reached
                        from the start pose; bodies without it are held fixed meanwhile */
    uint32_t
        keep_shape; /* 1: finds the rest shape for which the start pose is in equilibrium under gravity; needs pins */
    uint32_t collides;     /* 1: touches other bodies that collide; colliders it touches in any case */
    uint32_t self_contact; /* 1: its parts touch each other */
    uint32_t bone_count;
    double friction;          /* Coulomb coefficient; NaN: that of what it touches. Between two that have one the
                                 geometric mean counts, between two that have none 0.5 */
    double contact_thickness; /* scene units: contact with it begins at this distance; NaN: at JnContact.thickness. Of
                                 two objects the larger one counts */
    uint64_t ignore_groups;   /* bits: two objects, bodies or colliders, that have one in common do not touch */
    double travel_influence; /* 0 to 1: the part of the animation's own travel, its best-fitting rigid motion, that acts
                                on the body's inertia; 0: the body is carried along */
    double cut_distance;     /* times the body's size: an animation whose travel changes by more from one frame to the
                                next, and by more than 10 m/s, is cut there, as if JnBodyInput.cut were set; 0: never */
    const JnBone *bones;     /* [bone_count] */
    double edge_length;      /* scene units: length of a cell, for the mesher; NaN: by the resolution */
    uint32_t vertex_budget;  /* at most about this many simulated vertices, for the mesher; 0: as many as come */
    uint32_t keep_pieces_apart; /* 1: pieces of the surface that touch or overlap are not joined */
} JnBody;

typedef struct JnCollider {
    uint32_t struct_size;
    uint32_t hollow; /* sphere, capsule, box: 1: bodies are kept inside */
    const char *name;
    const char *kind;     /* in JN_TABLE_COLLIDERS */
    double point[3];      /* plane: a point on it; sphere, box: the centre; capsule: one end of its axis */
    double normal[3];     /* plane: towards the free side, any length but 0 */
    JnSurface surface;    /* mesh: a closed and consistently oriented one is solid, others are walls with two sides */
    double friction;      /* Coulomb coefficient */
    double end[3];        /* capsule: the other end of its axis */
    double radius;        /* sphere, capsule */
    double size[3];       /* box: length, height and depth */
    double transform[12]; /* of all that is described above; for a sphere, capsule or box with one scale for all axes */
    double thickness;     /* scene units: contact begins at this distance; NaN: at JnContact.thickness */
    uint64_t ignore_groups; /* bits: as in JnBody */
} JnCollider;

/* A field of force in the scene: it accelerates each kilogram of what it reaches alike. Its strength is multiplied by
   (1 + max(d - nearest, 0))^-falloff at the distance d from its place. */
typedef struct JnField {
    uint32_t struct_size;
    uint32_t seed;        /* turbulence: another one for each number */
    const char *name;     /* for messages */
    const char *kind;     /* in JN_TABLE_FIELDS */
    double strength;      /* m/s2; harmonic: 1/s2; drag: 1/m, of the part that grows with the square of the speed */
    double damping;       /* 1/s: drag, of the part that grows with the speed; harmonic */
    double falloff;       /* power of the distance; 0: everywhere alike */
    double nearest;       /* scene units: closer than this it is as strong as there */
    double farthest;      /* scene units: beyond this it does not act; NaN: it has no end */
    double size;          /* scene units: of the swirls of turbulence */
    double transform[12]; /* its origin is the place of the field, its third axis the direction */
} JnField;

typedef struct JnContact {
    uint32_t struct_size;
    uint32_t strict;        /* 1: a frame in which things overlap, the first one included, fails; 0: they are tolerated,
                               and jn_bake_contact reports them */
    const char *method;     /* in JN_TABLE_CONTACT_METHODS */
    double thickness;       /* scene units: contact begins at this distance; NaN: chosen from the body's size */
    double stiffness;       /* N/m3: pressure per depth; NaN: chosen from material, mass and gravity */
    double smoothing_speed; /* m/s: below this speed friction is regularized, so bodies that should stick creep slower
                               than this */
} JnContact;

enum { JN_UP_Y = 1, JN_UP_Z = 2 };

/* Time steps per frame of a method that is named without them; of "auto", see jn_bake_choice. */
enum { JN_USUAL_STEPS = 4 };

typedef struct JnBakeDesc {
    uint32_t struct_size;
    uint32_t body_count;
    uint32_t collider_count;
    uint32_t frame_count;        /* at least 1, the first frame included */
    double first_frame;          /* any frame number, also negative or between two frames */
    double fps;                  /* frames per second */
    uint32_t steps_per_frame;    /* time steps of the integrator per frame; 0: as many as "auto" chooses, or with any
                                    other method JN_USUAL_STEPS, rounded up to whole samples */
    uint32_t samples_per_frame;  /* cache samples per frame; divides steps_per_frame */
    double metres_per_unit;      /* 0.01 for a scene in centimetres */
    const JnBody *bodies;        /* [body_count] */
    const JnCollider *colliders; /* [collider_count] */
    double gravity[3];           /* m/s2 */
    double wind[3];              /* m/s: velocity of the air */
    double air_density;          /* kg/m3: how hard wind and still air push; 0: no air */
    const char *integrator;      /* in JN_TABLE_INTEGRATORS */
    double spectral_radius;      /* generalized_alpha: the factor per step on the amplitude of the highest frequencies,
                                    0 to 1 */
    double error_tolerance;      /* above 0: time steps are cut until the error estimate of each is below this fraction
                                    of the body's size */
    JnContact contact;
    const char *output_path;   /* .abc to write; NULL: no cache, positions by jn_bake_positions only */
    const char *application;   /* "Blender 4.5", goes into the cache; NULL: none */
    uint32_t write_velocities; /* 1: velocities in the cache, for motion blur */
    uint32_t thread_count;     /* 0: as many as the machine has */
    uint32_t resume;           /* 1: continue the bake that output_path holds, if its desc is the same; from the first
                                  frame if there is nothing to continue. Refused if it holds another bake */
    uint32_t safeguards; /* 1: element stiffnesses are projected so that the matrix is positive definite, and steps that
                            fail are cut; 0: the textbook method, for comparison */
    uint64_t input_tag;  /* any number that differs when what jn_bake_advance will be given differs: a hash of the
                            animation. A resume with another one is refused. 0: nothing moves, or no check */
    uint32_t up_axis;    /* JN_UP_Y or JN_UP_Z: the scene's. Caches are y-up, as Alembic's readers expect. */
    uint32_t consistent_mass; /* 1: consistent mass matrix, as in finite element programs; 0: lumped at the vertices, as
                                 usual in animation */
    uint32_t reuse_factor;  /* 1: where it is cheaper, a time step is solved iteratively, to 1e-8, with the factor of an
                               earlier matrix as preconditioner; 0: every matrix is factored */
    uint32_t preroll_count; /* frames that are simulated before the first one and not written: in them animated bodies
                               go from their rest shape, placed where they start, to the first frame's targets */
    uint32_t kept_modes;    /* methods that keep modes undamped: how many of the slowest elastic ones; 0: automatic */
    uint32_t damp_kept_modes; /* 1: the damping of materials, drag and air act on these too; 0: on the others alone */
    uint32_t field_count;
    uint32_t reserved;     /* 0 */
    const JnField *fields; /* [field_count] */
} JnBakeDesc;

/* Fill with defaults; struct_size, structs inside and names of the default methods included. struct_size: sizeof what
   is filled. JN_OK, JN_ERR_ARGUMENT or JN_ERR_STRUCT_SIZE, as the conventions say. */
JN_API JnStatus jn_bake_desc_init(JnBakeDesc *desc, size_t struct_size);
JN_API JnStatus jn_body_init(JnBody *body, size_t struct_size);
JN_API JnStatus jn_material_init(JnMaterial *material, size_t struct_size);
JN_API JnStatus jn_springs_init(JnSprings *springs, size_t struct_size);
JN_API JnStatus jn_region_init(JnRegion *region, size_t struct_size);
JN_API JnStatus jn_bone_init(JnBone *bone, size_t struct_size);
JN_API JnStatus jn_collider_init(JnCollider *collider, size_t struct_size);
JN_API JnStatus jn_field_init(JnField *field, size_t struct_size);

/* ------------------------------------------------------------------------------------------------ what moves */

/* Per body and frame. The core interpolates over the time steps from the frame before to this one. */
typedef struct JnBodyInput {
    uint32_t struct_size;
    uint32_t sample_count; /* sub-frame samples in `targets`, evenly spaced, the last one at this frame; usually 1 */
    const double *targets; /* [sample_count * point_count * 3] animated positions that pins and goals follow, in object
                              space at their time; NULL: unchanged, at first the start pose */
    const double *forces;  /* [point_count * 3] N in scene space, NULL: none */
    double transform[12];  /* if has_transform: the object's at this frame, else unchanged, at first JnBody's. The cache
                              is written in the object's space, so that parenting and instancing keep working. */
    uint32_t has_transform;
    /* Numbers that hold from this frame on, ramped from the value before; without has_.. unchanged, at first 1. */
    uint32_t has_stiffness, has_goal_strength, has_pin_strength;
    double stiffness;     /* factor on the body's stiffness; ramped geometrically */
    double goal_strength; /* factor on the stiffness of its goals */
    double pin_strength; /* if the body's pins are releasable: 1 holds, 0 releases; their stiffness is scaled by the 4th
                            power */
    uint32_t has_simulation;
    uint32_t cut;        /* 1: the animation jumps to this frame: the body is carried over, as it is and as it moves */
    double simulation;   /* 0 to 1: the part of the simulation in what is cached, the rest is the animation */
    const double *bones; /* [bone_count * 12] the motion of each bone from where it is described, rows of a 3x4 matrix
                            in scene space and units; NULL: unchanged, at first where they are. Without targets the
                            body's animated shape is its rest shape, moved rigidly with the bones. */
} JnBodyInput;

typedef struct JnColliderInput {
    uint32_t struct_size;
    uint32_t has_transform;
    double transform[12];    /* rows of a 3x4 matrix applied to the collider as described; if has_transform */
    const double *positions; /* [vertex_count * 3] the mesh at this frame, before both transforms; NULL: unchanged, at
                                first as described */
} JnColliderInput;

/* Ramped from the frame before; without has_.. unchanged, at first as described. */
typedef struct JnFieldInput {
    uint32_t struct_size;
    uint32_t has_transform, has_strength, has_damping;
    double transform[12]; /* in place of that of the desc */
    double strength, damping;
} JnFieldInput;

typedef struct JnFrameInput {
    uint32_t struct_size;
    uint32_t body_count;              /* 0, or that of the desc */
    uint32_t collider_count;          /* 0, or that of the desc */
    uint32_t has_gravity;             /* 1: `gravity` below from this frame on, ramped from the value before */
    double frame;                     /* the frame after the last one; at first first_frame */
    const JnBodyInput *bodies;        /* [body_count] */
    const JnColliderInput *colliders; /* [collider_count] */
    double gravity[3];                /* m/s2 */
    uint32_t field_count;             /* 0, or that of the desc */
    uint32_t reserved;                /* 0 */
    const JnFieldInput *fields;       /* [field_count] */
} JnFrameInput;

/* Fill with defaults: nothing moves. struct_size: sizeof what is filled, as above. */
JN_API JnStatus jn_frame_input_init(JnFrameInput *input, size_t struct_size);
JN_API JnStatus jn_body_input_init(JnBodyInput *input, size_t struct_size);
JN_API JnStatus jn_collider_input_init(JnColliderInput *input, size_t struct_size);
JN_API JnStatus jn_field_input_init(JnFieldInput *input, size_t struct_size);

/* ------------------------------------------------------------------------------------------------ the bake */

typedef struct JnBake JnBake;

/* Checks the desc, builds the simulation mesh, analyses the matrices, opens the cache. On failure *bake is NULL.
   At output_path may be nothing or a cache of ours; anything else, a write-protected cache and one that another bake is
   writing are refused. A complete cache stays there until jn_bake_end of the new one, if that is complete. */
JN_API JnStatus jn_bake_begin(const JnBakeDesc *desc, JnBake **bake, JnMessage *message);

/* The frame that jn_bake_advance expects next: at first first_frame, or after a resume the one after the last frame
   that was kept. */
JN_API double jn_bake_next_frame(const JnBake *bake);

/* What an artist should know about the bake that has begun, in one sentence; "" if nothing. At first: a resume on
   another kind of processor than before, whose arithmetic rounds otherwise. After the start pose: a body that starts
   deep inside a collider. The bake owns it. */
JN_API const char *jn_bake_note(const JnBake *bake);

/* The name of a body whose animation was cut on the way to the last finished frame, found by itself or as
   JnBodyInput.cut says, the first of several; NULL: there is none. The bake owns it. */
JN_API const char *jn_bake_cut_body(const JnBake *bake);

/* What the integrator "auto" has chosen and why, in one sentence, or that all take the small time steps of fast
   regions;
   "" if nothing was chosen. The bake owns it. */
JN_API const char *jn_bake_choice(const JnBake *bake);

/* Simulates up to input->frame and writes it; the first frame is the start pose. When it fails, the last good state and
   a readable cache remain, and the same frame may be tried again. JN_ERR_CANCELLED: cancelled before the frame was
   done. */
JN_API JnStatus jn_bake_advance(JnBake *bake, const JnFrameInput *input, JnMessage *message);

/* Where the finished frames are until the bake is complete: output_path with symbolic links followed or, if a complete
   cache stands there, "name.unfinished.abc" beside it. Lives as long as the bake. NULL: no cache is written. */
JN_API const char *jn_bake_cache_path(const JnBake *bake);

/* Makes the jn_bake_advance in progress, and every later one, return soon with JN_ERR_CANCELLED. Then call jn_bake_end;
   the bake may be resumed later. May be called from any thread or a signal handler. */
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
   finished frame; an incomplete bake also leaves the files that jn_bake_begin needs to resume it. */
JN_API JnStatus jn_bake_end(JnBake *bake, JnMessage *message);

typedef struct JnStatistics {
    uint32_t struct_size;
    uint32_t body_count;
    uint32_t vertex_count; /* simulated */
    uint32_t tet_count;
    uint32_t spring_count;  /* with the segments of fibres */
    uint32_t point_count;   /* rendered */
    uint32_t unknown_count; /* not pinned, times 3 */
    uint32_t frames_done;
    uint32_t steps_done;
    uint32_t projected_steps; /* matrices that were not positive definite at first, and those of methods with one Newton
                                 step in which the stiffness of elements was projected; a step may have several */
    uint32_t cut_steps;       /* how often a time step, or a part of one, was cut in two */
    uint32_t loose_steps;     /* parts that could not be cut further and still missed error_tolerance, gained
                                 energy or, where things touch, were not solved to the end */
    uint32_t newton_iterations;
    uint32_t contact_count; /* points in contact in the last step */
    uint32_t thread_count;
    uint32_t limited_rest_count; /* tets whose animated pose was too flat or long to be a rest shape: the largest number
                                    at one time */
    uint32_t factor_count;       /* factorizations */
    uint32_t reused_count;       /* matrices that were solved with the factor of an earlier one */
    uint32_t iteration_count;    /* of conjugate gradients, total */
    uint32_t damped_steps;       /* time steps, or parts of them, that a dissipative integrator took in place of an
                                    undamped one */
    double deepest_penetration;  /* m, beyond the collider's surface, so far */
    double factor_flops;         /* of one factorization */
    double factor_bytes;
    double solver_bytes; /* total memory of the linear solver, including the factor */
    double peak_bytes;   /* largest memory of the process so far */
    double input_seconds, assembly_seconds, factor_seconds, solve_seconds, contact_seconds, output_seconds,
        total_seconds;
    double kinetic_energy;     /* J, at the last frame */
    double projected_elements; /* how often the stiffness of an element of a solid was projected because it was badly
                                  squeezed, by methods with one Newton step, which it damps there */
    const char *integrator;    /* the method in use: of the desc, or what "auto" has chosen */
    uint32_t steps_per_frame;  /* in use, likewise */
    uint32_t kept_modes;       /* likewise, as in JnBakeDesc */
    uint32_t fast_touch_steps; /* time steps in which fast parts that touch took their small steps, the rest its own */
    uint32_t hastened_steps; /* those in which all took the small steps of fast parts, because one touched something */
} JnStatistics;

JN_API JnStatus jn_bake_statistics(const JnBake *bake, JnStatistics *statistics, JnMessage *message);

/* Energies and momenta at the last finished frame, and the number of steps that it took to get there. */
typedef struct JnMotion {
    uint32_t struct_size;
    uint32_t steps_done;   /* time steps so far */
    uint32_t extra_steps;  /* of them, those beyond steps_per_frame: the cost of cutting steps into smaller ones */
    uint32_t damped_steps; /* those, or parts of them, that a dissipative integrator took where an undamped one
                              failed */
    double frame;
    double time;           /* s, since the first frame */
    double kinetic_energy; /* J, as all energies */
    double elastic_energy; /* in the bodies' deformation, springs included */
    double gravity_energy; /* 0 at the scene's origin */
    double force_energy;   /* of the given forces and of fields; a potential only while they are constant */
    double goal_energy;    /* between goals and their targets, and between what is attached */
    double contact_energy; /* stored in contact penetration */
    double total_energy;
    double momentum[3];         /* kg m/s, scene axes */
    double angular_momentum[3]; /* kg m2/s about the scene's origin */
    double largest_speed;       /* m/s, of a simulated vertex */
    double residual;            /* of the last nonlinear solve, relative; NaN: the integrator solves none */
} JnMotion;

/* Costs a pass over the elements. JN_ERR_ORDER: no frame was finished in this run, or the last one failed. */
JN_API JnStatus jn_bake_motion(JnBake *bake, JnMotion *motion, JnMessage *message);

/* Contact in the last finished frame. */
typedef struct JnContactFrame {
    uint32_t struct_size;
    uint32_t pair_count;                    /* pairs, and points at colliders, that might touch in its last time step */
    uint32_t contact_count;                 /* of them, those that push */
    uint32_t sticking_count, sliding_count; /* of those, with friction: slower and faster than the smoothing speed */
    uint32_t round_count;                   /* linear solves with contact, in all steps of the frame */
    uint32_t overlap_count;                 /* pairs and points that overlap and are tolerated, at its end */
    uint32_t reserved;
    double smallest_distance;   /* m, between what pushes; below 0: one is inside of the other; inf: nothing pushes */
    double deepest_penetration; /* m, into a collider in this frame; 0: none */
    double seconds;             /* of this frame that were spent on contact: finding it, and its forces */
    /* One of the overlaps, the deepest if their depths are known. */
    double overlap_place[3]; /* scene units; NaN: there is none */
    double overlap_depth;    /* m; NaN: there is none, or it is between bodies, where the depth is not measured */
    const char *overlap_first, *overlap_second; /* names of the two; NULL: there is none. The bake owns them */
} JnContactFrame;

/* JN_ERR_ORDER: no frame was finished in this run. */
JN_API JnStatus jn_bake_contact(const JnBake *bake, JnContactFrame *contact, JnMessage *message);

/* What a bake that writes its cache will cost, found by simulating its first frames without writing anything. */
typedef struct JnEstimate {
    uint32_t struct_size;
    uint32_t vertex_count, tet_count, point_count, unknown_count;
    uint32_t spring_count;      /* with the segments of fibres */
    uint32_t trial_frame_count; /* frames that were simulated for it, in addition to the start pose */
    uint32_t reserved;
    double seconds_per_frame; /* of a frame after the trial */
    double total_seconds;     /* of the whole bake */
    double memory_bytes;      /* largest memory of this process, if the bake ran in it */
    double cache_bytes;
    char note[704];           /* what jn_bake_note says after the start pose */
    char choice[304];         /* what jn_bake_choice says */
    const char *integrator;   /* as in JnStatistics */
    uint32_t steps_per_frame; /* as in JnStatistics */
    uint32_t kept_modes;      /* as in JnStatistics */
} JnEstimate;

/* Takes as long as the bake until its second frame is done. If that frame takes less than 0.2 s, it simulates as many
   as fit into two seconds, up to half of the bake. Nothing moves; jn_scene_estimate knows the animation. Fails
   as the bake would in these frames. */
JN_API JnStatus jn_bake_estimate(const JnBakeDesc *desc, JnEstimate *estimate, JnMessage *message);

/* The damping of a body's lowest mode about its modelled shape, with the pins and goals of the first frame. */
typedef struct JnDamping {
    uint32_t struct_size;
    uint32_t reserved;
    double frequency;         /* Hz; 0: the body has no elastic mode */
    double stiffness_damping; /* s, the value in use: converted from settle_seconds or damping_ratio if these were
                                 given */
    double mass_damping;      /* 1/s */
    double material_ratio;    /* of critical damping, from the material and the painted maps */
    double method_ratio;   /* of critical damping, numerical damping of the integrator at this time step; NaN: it cannot
                              step this mode */
    double settle_seconds; /* with both together, until the amplitude is a hundredth; inf: never */
    double young_modulus;  /* Pa, the value in use: converted from wobble_frequency if that was given */
} JnDamping;

/* Only before the first frame. */
JN_API JnStatus jn_bake_damping(JnBake *bake, uint32_t body_index, JnDamping *damping, JnMessage *message);

/* What gravity does to a body about its modelled shape by linear theory, with the pins and goals of the first frame;
   pieces that nothing holds stand on their lowest points. To judge size, density and stiffness before a bake: large
   sags are larger here than in the bake. Costs about as much as a time step. */
typedef struct JnSag {
    uint32_t struct_size;
    uint32_t stands;  /* 1: the body or a piece of it is held by nothing, so it stands */
    double size;      /* m: the longest side of the body */
    double sag;       /* m: how far the point moves that moves farthest; NaN: not known, as for cloth, or because the
                         body can neither be held nor stand */
    double frequency; /* Hz: of the slowest wobble, approximately, from above; NaN as sag */
    double settle_seconds; /* until that wobble's amplitude is a hundredth; inf: never; NaN as sag */
    double young_modulus;  /* Pa, the value in use */
    char note[512];        /* advice if these do not seem to belong together; else "" */
} JnSag;

/* Only before the first frame. */
JN_API JnStatus jn_bake_sag(JnBake *bake, uint32_t body_index, JnSag *sag, JnMessage *message);

/* ------------------------------------------------------------------------------------------------ fast regions */

/* All parts of the bodies that are painted fast and take the same number of small time steps. */
typedef struct JnFastRegion {
    uint32_t struct_size;
    uint32_t ratio;        /* small time steps in each step of the rest */
    uint32_t vertex_count; /* simulated vertices that take them */
    uint32_t border_count; /* vertices of the rest that share an element with them */
    uint32_t island_count; /* pieces that do not touch each other, nor the same border vertex */
    uint32_t for_all;      /* 1: the border is so long that all vertices take the small steps, which costs less */
    double cost_of_large;  /* predicted cost of a step with these, relative to one without small steps, */
    double cost_of_small;  /* and relative to small steps for all */
    uint32_t hastened;     /* 1: a part of it asks for fewer, but touches one that asks for these */
} JnFastRegion;

/* In ascending order of their ratios; 0 for NULL. */
JN_API uint32_t jn_bake_fast_region_count(const JnBake *bake);
JN_API JnStatus jn_bake_fast_region(const JnBake *bake, uint32_t index, JnFastRegion *region, JnMessage *message);

/* Which parts of the bodies to paint fast: those whose wobbles can be seen, are damped away by the time steps, and keep
   their height by small steps of these parts at a lower cost than by more steps for all. Found by modes about the rest
   shape, as jn_bake_modes does, and by counts of operations; regions of the desc with the effect fast are left out. */
typedef struct JnFastSuggestions JnFastSuggestions;

typedef struct JnFastAdvice {
    uint32_t struct_size;
    uint32_t part_count;     /* parts to paint; 0: none is worth it, and `note` says what to do instead */
    uint32_t damped_count;   /* wobbles that can be seen and are damped by the time steps, */
    uint32_t kept_count;     /* of which so many are kept by the parts */
    uint32_t steps_for_all;  /* steps_per_frame with which all of them would be kept without parts */
    double slowest, fastest; /* Hz, of the damped ones; 0: there are none */
    double kept_now;         /* the part of its height that is left of a wobble after a swing, the mean of the kept
                                ones: with the time steps of the desc, */
    double kept_with;        /* with the parts, */
    double kept_for_all;     /* and with as many steps for all as cost the same */
    double cost_of_large;    /* predicted cost of a step with the parts, relative to one without small steps, */
    double cost_of_small;    /* and relative to small steps for all */
    char note[512];          /* a sentence for the artist; "": there is nothing to do */
} JnFastAdvice;

typedef struct JnFastPart {
    uint32_t struct_size;
    uint32_t body_index;
    uint32_t ratio;        /* small time steps in each step of the rest: JnRegion.value */
    uint32_t point_count;  /* of the body: weights that jn_fast_suggestions_weights gives */
    uint32_t vertex_count; /* simulated vertices of the part */
} JnFastPart;

/* No file is written. On failure *suggestions is NULL. */
JN_API JnStatus jn_bake_suggest_fast(const JnBakeDesc *desc, JnFastSuggestions **suggestions, JnMessage *message);
JN_API JnStatus jn_fast_suggestions_advice(const JnFastSuggestions *suggestions, JnFastAdvice *advice,
                                           JnMessage *message);
JN_API JnStatus jn_fast_suggestions_part(const JnFastSuggestions *suggestions, uint32_t index, JnFastPart *part,
                                         JnMessage *message);
/* The weights of a part, 0 to 1, for JnRegion.weights. `capacity` is in floats, at least the part's point_count. */
JN_API JnStatus jn_fast_suggestions_weights(const JnFastSuggestions *suggestions, uint32_t index, float *weights,
                                            size_t capacity, JnMessage *message);
JN_API void jn_fast_suggestions_free(JnFastSuggestions *suggestions); /* may be NULL */

/* ------------------------------------------------------------------------------------------------ modes

   The lowest natural frequencies and mode shapes of the bodies about their rest shape, with the pins and goals of the
   desc, without gravity and contact. */

typedef struct JnModes JnModes;

typedef struct JnMode {
    uint32_t struct_size;
    uint32_t rigid;        /* 1: a motion without a restoring force, up to six for a body without pins; its frequency is
                              0 */
    double frequency;      /* Hz */
    double eigenvalue;     /* 1/s2: the square of 2 pi frequency; 0: no restoring force; below 0: the shape is
                              unstable */
    double residual;       /* 1/s2: approximately the distance to the nearest exact eigenvalue */
    double decay_rate;     /* 1/s: the amplitude decays as exp(-decay_rate t) */
    double damping_ratio;  /* decay_rate / (2 pi frequency): 1 is critical; 0 for rigid modes */
    uint32_t body_index;   /* of the body that has most of the kinetic energy */
    uint32_t region_index; /* of that body's region that moves most, if it moves more than the body on average;
                              UINT32_MAX: none */
    double body_share;     /* that body's fraction of the kinetic energy, 0 to 1 */
} JnMode;

/* Finds the `count` (1 to 1000) lowest elastic modes, with the mass matrix chosen by desc.consistent_mass. Rigid modes
   come first and are not counted. There are more if the last frequency is a repeated one, fewer if the system has fewer
   degrees of freedom, none if everything is pinned. No file is written. On failure *modes is NULL. */
JN_API JnStatus jn_bake_modes(const JnBakeDesc *desc, uint32_t count, JnModes **modes, JnMessage *message);
JN_API uint32_t jn_modes_count(const JnModes *modes); /* 0 for NULL */
JN_API JnStatus jn_modes_get(const JnModes *modes, uint32_t index, JnMode *mode, JnMessage *message);
/* The mode shape of mode `index` at the points of a body: displacements in scene units and in the object's space,
   scaled so that the largest over all bodies has length 1. `capacity` is in doubles and must be at least three times
   the body's point count, which *point_count (may be NULL) receives even on failure. */
JN_API JnStatus jn_modes_shape(const JnModes *modes, uint32_t index, uint32_t body_index, double *displacements,
                               size_t capacity, uint32_t *point_count, JnMessage *message);
JN_API void jn_modes_free(JnModes *modes); /* may be NULL */

/* ------------------------------------------------------------------------------------------------ numerical damping */

/* The numerical damping of an integrator, independent of the material: with time steps of h it solves q'' + omega^2 q =
   0 as if it were q'' + d q' + omega^2 q = 0, whose amplitude decays as exp(-d t / 2). Found by running the method
   itself. h_omega: h times omega, 1e-6 to 1e6. spectral_radius: as in JnBakeDesc, NaN: the default. *damping: d /
   omega; below 0 the amplitude grows. JN_ERR_DIVERGED if the method cannot take such steps. */
JN_API JnStatus jn_method_damping(const char *integrator, double h_omega, double spectral_radius, double *damping,
                                  JnMessage *message);

/* ------------------------------------------------------------------------------------------------ scene files */

/* A scene description in JSON with its meshes beside it, and the inputs of each of its frames. */
typedef struct JnScene JnScene;

JN_API JnStatus jn_scene_load(const char *path, JnScene **scene, JnMessage *message);
/* The scene's desc. Its pointers belong to the scene: change the copy's fields, then jn_bake_begin. struct_size: sizeof
 *desc. */
JN_API JnStatus jn_scene_desc(const JnScene *scene, JnBakeDesc *desc, size_t struct_size, JnMessage *message);
/* The inputs at `frame`. Pointers in *input belong to the scene and are valid until the next call. struct_size: sizeof
 *input. */
JN_API JnStatus jn_scene_frame(JnScene *scene, double frame, JnFrameInput *input, size_t struct_size,
                               JnMessage *message);
/* As jn_bake_estimate, for a bake of `desc` with the inputs of the scene's frames. */
JN_API JnStatus jn_scene_estimate(JnScene *scene, const JnBakeDesc *desc, JnEstimate *estimate, JnMessage *message);
/* 1: `path` leads to the scene file or to a file that the scene reads, so nothing may be written there; else 0. */
JN_API uint32_t jn_scene_reads(const JnScene *scene, const char *path);
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
    uint32_t reversed_tet_count; /* tets that were inverted in the file and are turned round */
    uint32_t reserved;
} JnMeshView;

/* .obj .ply .stl .abc .glb are surfaces; .msh .mesh .veg .vtk .node/.ele are tets. The file's ending selects the
 * format.
 */
JN_API JnStatus jn_mesh_read(const char *path, JnMesh **mesh, JnMessage *message);
/* .msh, .vtk and .mesh for tets, .obj and .ply for surfaces, of tets the boundary. What a format cannot hold, fields in
   .mesh and .obj (but for the colours "Col"), is left out: jn_mesh_losses lists it. */
JN_API JnStatus jn_mesh_write(const JnMesh *mesh, const char *path, JnMessage *message);
/* What jn_mesh_write leaves out for the ending of `path`: "tail, push, texture coordinates"; "" if all is kept. Returns
   its length without the terminator; writes at most `capacity` bytes, terminator included. `text` may be NULL if
   capacity is 0. */
JN_API size_t jn_mesh_losses(const JnMesh *mesh, const char *path, char *text, size_t capacity);
JN_API JnStatus jn_mesh_view(const JnMesh *mesh, JnMeshView *view, JnMessage *message);
JN_API void jn_mesh_free(JnMesh *mesh); /* may be NULL */
/* Cuts a face into corner_count - 2 triangles [3 each], which name its corners from 0: right for concave faces, a fan
   for convex ones of few corners. `points` [corner_count * 3]. A face that is bent, crosses itself or has no area keeps
   all of its sides. */
JN_API JnStatus jn_polygon_triangulate(const double *points, uint32_t corner_count, uint32_t *triangles,
                                       JnMessage *message);

typedef struct JnShape {
    uint32_t struct_size;
    uint32_t layer_count; /* ball: shells of equal thickness, each a field "layer_0" (core) .. */
    const char *kind;     /* in JN_TABLE_SHAPES */
    double size[3]; /* beam, cuboid, sheet, cloth: length, height, depth; ball: diameters; coil, helix: radius, pitch,
                       thickness; fibres: their length, then the sides of the field they grow on */
    uint32_t cells[3]; /* along each side; ball: across the diameter, in [0]; coil, helix: across, around one turn,
                          unused; fibres: segments of each, then the number of fibres along each side of the field */
    uint32_t reserved;
    double turns; /* cuboid: total twist in turns; coil, helix: windings */
} JnShape;

/* Fills with the defaults of the shape named `kind`; of the first in the table if it is NULL or unknown. struct_size:
   sizeof *shape. */
JN_API JnStatus jn_shape_init(JnShape *shape, size_t struct_size, const char *kind);
/* All but the ball carry fields "start" and "end" (weights of their two ends); the cuboid and the coil
   carry "pose", their twisted or wound positions, while the mesh itself is the straight rest shape. */
JN_API JnStatus jn_shape_make(const JnShape *shape, JnMesh **mesh, JnMessage *message);

/* -------------------------------------------------------------------------------- tets of a surface */

/* How tets are made of a surface. One of resolution, edge_length and vertex_budget says how fine they are. */
typedef struct JnMesher {
    uint32_t struct_size;
    uint32_t keep_pieces_apart; /* 1: pieces that touch or overlap are not joined */
    const char *mesher;         /* in JN_TABLE_MESHERS */
    double resolution;          /* cells along the longest side of the surface */
    double edge_length;         /* length of a cell in the surface's units; NaN: by the resolution */
    uint32_t vertex_budget;     /* at most about this many vertices; 0: as many as come */
    uint32_t thread_count;      /* 0: as many as the machine has */
} JnMesher;

enum { JN_FINDING_CAPACITY = 224, JN_FINDING_COUNT = 16 };

/* Something found in a surface, or done to it in memory; the surface itself is never changed. */
typedef struct JnFinding {
    const char *name;               /* "open_loops" */
    double place[3];                /* where first, in the space and units of the surface */
    uint32_t count;                 /* how often */
    uint32_t warning;               /* 1: the result may not be what the artist wants; 0: taken care of */
    char text[JN_FINDING_CAPACITY]; /* a sentence: what it is, and what was done or can be done */
} JnFinding;

typedef struct JnMeshReport {
    uint32_t struct_size;
    uint32_t finding_count;
    JnFinding findings[JN_FINDING_COUNT];
    uint32_t vertex_count, tet_count; /* 0: the body's tets were not made of a surface */
    uint32_t piece_count;             /* bodies that do not hang together */
    uint32_t sheet_count;             /* pieces with no inside anywhere, which are embedded in a layer of cells */
    double cell, smallest_cell;       /* usual and smallest length of a cell, in the surface's units */
    double thinnest;                  /* smallest thickness found, up to two cells; inf: nowhere thin */
    double thinnest_place[3];
    double smallest_angle, largest_angle; /* dihedral, degrees */
    double smallest_angle_place[3];
    double worst_aspect, mean_aspect; /* longest edge over smallest height; 1 for a regular tet */
    double volume;                    /* of the tets */
    double surface_volume;            /* where the winding number of the surface is above a half; NaN: not measured */
    double solid_volume; /* what the tets stand for: their mass over the density. Less than their volume where
                            parts thinner than the cells are simulated thicker, but not heavier */
} JnMeshReport;

JN_API JnStatus jn_mesher_init(JnMesher *mesher, size_t struct_size);
/* Makes the tets of a surface, which may be open, dirty or in pieces; its volume is measured too. Refuses what has no
   faces with an area, and a resolution that needs too many cells. `report` may be NULL. */
JN_API JnStatus jn_mesh_fill(const JnSurface *surface, const JnMesher *mesher, JnMesh **mesh, JnMeshReport *report,
                             JnMessage *message);
/* Gives the tets made of a surface its fields, of the same names: as painted at the surface, smooth inside. */
JN_API JnStatus jn_mesh_carry_fields(const JnMesh *surface, JnMesh *tets, JnMessage *message);

/* What the mesher found in the surface of a body of a bake; its volume is not measured. Places are in scene space and
   units. tet_count is 0 if the body's tets were not made of a surface. */
JN_API JnStatus jn_bake_mesh_report(const JnBake *bake, uint32_t body_index, JnMeshReport *report, JnMessage *message);
/* Where: bit i of marks[v] is set if findings[i] of that report concerns vertex v of the body's surface.
   marks: [vertex_count], as many as the surface has. */
JN_API JnStatus jn_bake_mesh_marks(const JnBake *bake, uint32_t body_index, uint32_t *marks, uint32_t vertex_count,
                                   JnMessage *message);

/* -------------------------------------------------------------------------------- preview */

/* What goes into the bake of a scene, as meshes to be drawn before the bake or over its cache. All are in scene space
   and units, and are freed by jn_mesh_free; on failure *mesh is NULL. The scene is borrowed for the preview's life. */
typedef struct JnPreview JnPreview;

/* Checks the scene and makes its simulation meshes. On failure *preview is NULL. */
JN_API JnStatus jn_preview_create(JnScene *scene, JnPreview **preview, JnMessage *message);
/* What the cache will have of a body, faces or curves, in its animated pose at `frame`, or in its start pose if it is
   not animated. Its painted maps are fields of the mesh. */
JN_API JnStatus jn_preview_body(JnPreview *preview, uint32_t body_index, double frame, JnMesh **mesh,
                                JnMessage *message);
/* What is simulated of a body: the boundary of its tets as faces, or its springs as curves of two vertices. It is posed
   to follow `positions` [vertex_count * 3] of the vertices of jn_preview_body, by which a cache may be followed; NULL:
   as modelled. Vertices inside may be off. */
JN_API JnStatus jn_preview_simulated(JnPreview *preview, uint32_t body_index, const double *positions,
                                     uint32_t vertex_count, JnMesh **mesh, JnMessage *message);
/* The surface of a collider at `frame`. What is endless, a plane, is cut to `radius` (1e-9 to 1e9) around the
   point nearest to `centre` [3]. */
JN_API JnStatus jn_preview_collider(JnPreview *preview, uint32_t collider_index, double frame, const double *centre,
                                    double radius, JnMesh **mesh, JnMessage *message);
/* What the mesher found in the surface of a body; its volume is not measured. Places are in scene space and units. */
JN_API JnStatus jn_preview_report(const JnPreview *preview, uint32_t body_index, JnMeshReport *report,
                                  JnMessage *message);
JN_API void jn_preview_free(JnPreview *preview); /* may be NULL */

/* What the cache has of a body, faces or curves, at rest: what the modes of jn_bake_modes move. The pointers in the
   view belong to the modes. */
JN_API JnStatus jn_modes_mesh(const JnModes *modes, uint32_t body_index, JnMeshView *view, JnMessage *message);
/* The vertices of that mesh, displaced by `amount` times the shape of mode `index`. `capacity` is in doubles and must
   be at least three times the mesh's vertex count. */
JN_API JnStatus jn_modes_pose(const JnModes *modes, uint32_t index, uint32_t body_index, double amount,
                              double *positions, size_t capacity, JnMessage *message);

#ifdef __cplusplus
}
#endif

#endif
