/* Every setting, once: its key in scene files, the field of the API that holds it, limits, default and a tooltip.
   Defaults, parsing, checks, the input hash, the receipt, the JSON schema, docs/scene.md and the panels of the add-ons
   all come from this table: to add a setting, add a field in jounce.h, one line here, and the code that uses it. */
#include "settings/settings.h"

#include <math.h>

#define NONE NAN
#define LIMITS(min, max) min, max
#define ANY_NUMBER LIMITS(-INFINITY, INFINITY)
#define COMPONENT LIMITS(-1e9, 1e9) /* of a vector */
#define GRAVITY LIMITS(-1e6, 1e6)

/* Where the value is stored. NOWHERE: it is read by special code, which stores it in another line's field, an array of
   the desc, or the inputs of each frame. */
/* clang-format off */
#define OWNER(s)                                                                                                       \
    _Generic((s *)0, JnBakeDesc *: DESC_BAKE, JnContact *: DESC_CONTACT, JnBody *: DESC_BODY,                          \
        JnMaterial *: DESC_MATERIAL, JnSprings *: DESC_SPRINGS, JnRegion *: DESC_REGION,                          \
        JnBone *: DESC_BONE, JnCollider *: DESC_COLLIDER, JnField *: DESC_FIELD)
#define STORAGE(s, f)                                                                                                  \
    _Generic(&((s *)0)->f, double *: STORED_NUMBER, uint32_t *: STORED_COUNT, uint64_t *: STORED_TAG,                  \
        const char **: STORED_TEXT, double (*)[3]: STORED_VECTOR, double (*)[12]: STORED_MATRIX)
#define PLACE(s, f, role) {OWNER(s), STORAGE(s, f), role, offsetof(s, f), #f}
#define AT(s, f) PLACE(s, f, ROLE_RESULT)
#define LABEL_AT(s, f) PLACE(s, f, ROLE_LABEL)
#define RUN_AT(s, f) PLACE(s, f, ROLE_RUN)
#define NOWHERE {DESC_NONE, 0, 0, 0, NULL}
/* clang-format on */

/* scope, key, place, label, unit, limits, default, summary */
#define NUMBER(s, k, p, l, u, min, max, d, t)                                                                          \
    { {s, k, l, t, u, NULL, JN_SETTING_NUMBER, 1, min, max, d}, p, NULL, NULL, 0, 0 }
#define NUMBER_NEEDED(s, k, l, u, min, max, t)                                                                         \
    { {s, k, l, t, u, NULL, JN_SETTING_NUMBER, 1, min, max, NONE}, NOWHERE, NULL, NULL, 0, 1 }
/* as NUMBER, with the default in words */
#define NUMBER_CHOSEN(s, k, p, l, u, min, max, d, t)                                                                   \
    { {s, k, l, t, u, NULL, JN_SETTING_NUMBER, 1, min, max, NONE}, p, NULL, d, 0, 0 }
#define INTEGER(s, k, p, l, min, max, d, t)                                                                            \
    { {s, k, l, t, "", NULL, JN_SETTING_INTEGER, 1, min, max, d}, p, NULL, NULL, 0, 0 }
#define INTEGER_NEEDED(s, k, l, min, max, t)                                                                           \
    { {s, k, l, t, "", NULL, JN_SETTING_INTEGER, 1, min, max, NONE}, NOWHERE, NULL, NULL, 0, 1 }
#define INTEGER_CHOSEN(s, k, l, min, max, d, t)                                                                        \
    { {s, k, l, t, "", NULL, JN_SETTING_INTEGER, 1, min, max, NONE}, NOWHERE, NULL, d, 0, 0 }
#define BOOLEAN(s, k, p, l, d, t)                                                                                      \
    { {s, k, l, t, "", NULL, JN_SETTING_BOOLEAN, 1, 0, 1, d}, p, NULL, NULL, 0, 0 }
#define TEXT(s, k, p, l, d, t)                                                                                         \
    { {s, k, l, t, "", NULL, JN_SETTING_TEXT, 1, ANY_NUMBER, NONE}, p, NULL, d, 0, 0 }
#define TEXT_NEEDED(s, k, p, l, t)                                                                                     \
    { {s, k, l, t, "", NULL, JN_SETTING_TEXT, 1, ANY_NUMBER, NONE}, p, NULL, NULL, 0, 1 }
#define NAME(s, k, p, l, c, d, t)                                                                                      \
    { {s, k, l, t, "", c, JN_SETTING_NAME, 1, ANY_NUMBER, NONE}, p, NULL, d, 0, 0 }
#define NAME_NEEDED(s, k, p, l, c, t)                                                                                  \
    { {s, k, l, t, "", c, JN_SETTING_NAME, 1, ANY_NUMBER, NONE}, p, NULL, NULL, 0, 1 }
#define VECTOR(s, k, p, l, u, lim, d, t)                                                                               \
    { {s, k, l, t, u, NULL, JN_SETTING_VECTOR, 1, lim, d}, p, NULL, NULL, 0, 0 }
#define VECTOR_CHOSEN(s, k, p, l, u, lim, d, t)                                                                        \
    { {s, k, l, t, u, NULL, JN_SETTING_VECTOR, 1, lim, NONE}, p, NULL, d, 0, 0 }
#define VECTOR_NEEDED(s, k, l, u, lim, t)                                                                              \
    { {s, k, l, t, u, NULL, JN_SETTING_VECTOR, 1, lim, NONE}, NOWHERE, NULL, NULL, 0, 1 }
#define OBJECT(s, k, l, c, t)                                                                                          \
    { {s, k, l, t, "", c, JN_SETTING_OBJECT, 1, ANY_NUMBER, NONE}, NOWHERE, NULL, NULL, 0, 0 }
#define LIST(s, k, l, c, t)                                                                                            \
    { {s, k, l, t, "", c, JN_SETTING_LIST, 1, ANY_NUMBER, NONE}, NOWHERE, NULL, NULL, 0, 0 }
#define LIST_NEEDED(s, k, l, c, t)                                                                                     \
    { {s, k, l, t, "", c, JN_SETTING_LIST, 1, ANY_NUMBER, NONE}, NOWHERE, NULL, NULL, 0, 1 }
/* scope, key, place, label, unit, limits, default, default in words, form, inner scope, required, summary */
#define ANY(s, k, p, l, u, lim, d, w, f, c, r, t)                                                                      \
    { {s, k, l, t, u, NULL, JN_SETTING_ANY, 1, lim, d}, p, c, w, f, r }
/* known, but refused as not yet built, whatever its value */
#define LATER(s, k, l, type, t)                                                                                        \
    { {s, k, l, t, "", NULL, type, 0, ANY_NUMBER, NONE}, NOWHERE, NULL, NULL, 0, 0 }

/* clang-format off */
static const SettingDetail settings[] = {
    INTEGER_NEEDED("scene", "jounce", "Format", 1, 1, "Version of this file format: 1."),
    TEXT("scene", "$schema", NOWHERE, "Schema", NULL,
        "Address of docs/scene.schema.json, for editors that check while you type; Jounce does not read "
        "it."),
    TEXT("scene", "note", NOWHERE, "Note", NULL, "Free text for whoever opens the file."),
    OBJECT("scene", "units", "Units", "units", "Size of a scene unit and the axis that points up."),
    OBJECT("scene", "frames", "Frames", "frames", "Which frames are baked and how finely time is cut."),
    OBJECT("scene", "world", "World", "world", "Gravity, wind and air."),
    OBJECT("scene", "integrator", "Integrator", "integrator", "How time is stepped."),
    OBJECT("scene", "contact", "Contact", "contact", "How bodies and colliders touch."),
    LIST_NEEDED("scene", "bodies", "Bodies", "body", "The bodies that wobble, at least one."),
    LIST("scene", "colliders", "Colliders", "collider", "What the bodies collide with."),
    LIST("scene", "fields", "Fields", "field", "Fields of force: what blows, attracts, swirls or slows."),
    OBJECT("scene", "output", "Output", "output", "The cache to write."),

    NUMBER("units", "metres_per_unit", AT(JnBakeDesc, metres_per_unit), "Unit scale", "m", 1e-6, 1e6, 1,
        "Length of one scene unit in metres: 1 for metres, 0.01 for a scene in centimetres."),
    NAME("units", "up_axis", AT(JnBakeDesc, up_axis), "Up axis", "axes", "y",
        "The axis that points up: y, or z as in Blender."),

    NUMBER("frames", "first", AT(JnBakeDesc, first_frame), "First frame", "frame", -1e7, 1e7, 1,
        "Number of the first frame, which shows the start pose; any number, also negative or between two "
        "frames."),
    INTEGER("frames", "count", AT(JnBakeDesc, frame_count), "Frame count", 1, 1e6, 48,
        "How many frames are baked, the first one included."),
    NUMBER("frames", "fps", AT(JnBakeDesc, fps), "Frame rate", "frame/s", 0.01, 1e5, 24,
        "Frames per second; usually 24, 25 or 30."),
    INTEGER("frames", "steps_per_frame", AT(JnBakeDesc, steps_per_frame), "Substeps", 0, 10000, 0,
        "Time steps of the simulation per frame: more keep more of the jiggle and cost more time; usually "
        "2 to 10. 0 leaves the number to the integrator auto; others then take 4."),
    INTEGER("frames", "samples_per_frame", AT(JnBakeDesc, samples_per_frame), "Cache samples", 1, 1000, 1,
        "Samples per frame in the cache, for motion blur of fast motion; must divide the substeps; "
        "usually 1."),
    INTEGER("frames", "preroll", AT(JnBakeDesc, preroll_count), "Pre-roll", 0, 10000, 0,
        "Frames simulated before the first one and not cached: animated bodies go from their rest pose to that of the "
        "first frame, and what is loose moves already; 10 to 30 for a character."),

    ANY("world", "gravity", AT(JnBakeDesc, gravity), "Gravity", "m/s2", GRAVITY, 9.81, "9.81 down along the up axis",
        FORM_VECTOR_OR_OBJECT, "gravity", 0,
        "Acceleration that pulls everything: three numbers, or {\"keys\": [..]} to change it over time; "
        "9.81 on Earth, 1.62 on the Moon."),
    VECTOR("world", "wind", AT(JnBakeDesc, wind), "Wind", "m/s", COMPONENT, 0,
        "Velocity of the air, which pushes the bodies if the air density is not 0; 5 is a breeze, 20 a "
        "storm."),
    NUMBER("world", "air_density", AT(JnBakeDesc, air_density), "Air density", "kg/m3", 0, 1e4, 0,
        "How hard wind and still air push: 1.2 for air, 0 for none."),
    LIST_NEEDED("gravity", "keys", "Keys", "gravity_key", "Gravity at chosen frames, linear in between."),
    NUMBER_NEEDED("gravity_key", "frame", "Frame", "frame", -1e7, 1e7,
        "Frame of this key; later than that of the previous key."),
    VECTOR_NEEDED("gravity_key", "value", "Gravity", "m/s2", GRAVITY, "Gravity at this frame."),

    NAME("integrator", "method", AT(JnBakeDesc, integrator), "Method", "integrators", "auto",
        "The time integrator; it decides how much of the jiggle survives."),
    BOOLEAN("integrator", "consistent_mass", AT(JnBakeDesc, consistent_mass), "Consistent mass", 0,
        "Spreads mass within each tet, as engineering programs do, for comparison with them; off, it sits at the "
        "vertices."),
    BOOLEAN("integrator", "reuse_factor", AT(JnBakeDesc, reuse_factor), "Reuse factors", 1,
        "Solves a step with an earlier step's factored matrix as a first approximation while that takes less "
        "work: the same motion to nine digits, to four where modes are kept, 1.1 to 2.2 times as fast where "
        "measured. Acts on si, sbdf2, ssdirk, str_sbdf2 and their forms that keep modes, with safeguards on. Off: "
        "factors every step."),
    INTEGER("integrator", "modes", AT(JnBakeDesc, kept_modes), "Kept modes", 0, 1000, 0,
        "Methods that keep modes: how many of the slowest wobbles stay without numerical damping. Usually 5, 20 at "
        "most; 0 chooses as many as move visibly."),
    BOOLEAN("integrator", "damp_kept_modes", AT(JnBakeDesc, damp_kept_modes), "Damp kept modes", 1,
        "Methods that keep modes: the damping of materials and drag acts on the kept wobbles too. Off, only on the "
        "others, so that the slow ones go on."),
    NUMBER("integrator", "spectral_radius", AT(JnBakeDesc, spectral_radius), "Spectral radius", "", 0, 1, 0.8,
        "Generalized alpha: how much of the fastest wobbles is left after a time step, from 0 (none) to 1 "
        "(all)."),
    NUMBER("integrator", "error_tolerance", AT(JnBakeDesc, error_tolerance), "Error tolerance", "", 0, 1, 0,
        "Cuts time steps into smaller ones until the error of each is below this fraction of the body's size: 0 never, "
        "0.001 usual, 0.0001 fine."),
    BOOLEAN("integrator", "safeguards", AT(JnBakeDesc, safeguards), "Safeguards", 1,
        "Keeps the solve stable when elements are badly squeezed, cuts time steps that fail, and damps those at which "
        "an undamped integrator still fails; off, methods run as in textbooks, for comparison."),

    NAME("contact", "method", AT(JnContact, method), "Method", "contact_methods", "penalty",
        "How contact is enforced: penalty pushes back what comes too close; barrier lets nothing cross, and is slower."),
    NUMBER_CHOSEN("contact", "thickness", AT(JnContact, thickness), "Thickness", "unit", 0, 1e6,
        "from the size of the bodies",
        "Distance at which contact begins; usually a thousandth of the body's size."),
    NUMBER_CHOSEN("contact", "stiffness", AT(JnContact, stiffness), "Stiffness", "N/m3", 1e-3, 1e15,
        "from material, mass and gravity",
        "Pressure per depth of penetration: higher sinks in less."),
    NUMBER("contact", "smoothing_speed", AT(JnContact, smoothing_speed), "Friction smoothing", "m/s", 1e-9, 10, 1e-4,
        "Below this speed friction is reduced smoothly: things that should stick creep slower than this; "
        "0.0001 is a millimetre in ten seconds."),
    BOOLEAN("contact", "strict", AT(JnContact, strict), "Strict", 0,
        "Stops the bake at a frame in which things overlap, at the start or later; off, the bake goes on and reports "
        "them."),

    TEXT_NEEDED("body", "name", AT(JnBody, name), "Name",
        "Name of the body and of its object in the cache; must be unique."),
    NAME("body", "kind", AT(JnBody, kind), "Kind", "body_kinds", "solid",
        "What is simulated: a solid of tets, or springs along the mesh's edges, as in textiles, girders and fibres."),
    ANY("body", "mesh", NOWHERE, "Mesh", "", ANY_NUMBER, NONE, NULL, FORM_TEXT_OR_OBJECT, "shape", 1,
        "A mesh file, or a generated shape: .obj .ply .stl .abc .glb are surfaces, which solids fill with tets, open or "
        "dirty ones too; .msh .mesh .veg .vtk .node are tets; polylines of .obj are fibres and girders."),
    TEXT("body", "surface", NOWHERE, "Render mesh", "the boundary of the tets",
        "A surface file that is carried by the tets of `mesh` and cached in their place; its vertices "
        "become the points that weights and animation refer to."),
    NAME("body", "mesher", AT(JnBody, mesher), "Mesher", "meshers", "stuffing",
        "How tets are made when `mesh` is a surface."),
    NUMBER("body", "resolution", AT(JnBody, resolution), "Resolution", "", 1, 1000, 16,
        "Cells of the simulation mesh along the longest side of the body, smaller ones where it is thin: 8 is a "
        "preview, 16 usual, 30 fine; twice as many cost about ten times the time."),
    NUMBER_CHOSEN("body", "edge_length", AT(JnBody, edge_length), "Edge length", "unit", 1e-9, 1e9, "by resolution",
        "Length of a cell of the simulation mesh, in place of `resolution`: bodies of different sizes get equal "
        "cells."),
    INTEGER("body", "vertex_budget", AT(JnBody, vertex_budget), "Vertex budget", 0, 1e8, 0,
        "Makes the cells larger until the simulation mesh has at most this many vertices, or smaller until it has "
        "nearly as many; 0 leaves them as `resolution` says."),
    BOOLEAN("body", "keep_pieces_apart", AT(JnBody, keep_pieces_apart), "Keep pieces apart", 0,
        "Parts of the mesh that touch or overlap move on their own; off, they are one body. Parts that do not touch "
        "are always on their own."),
    ANY("body", "transform", AT(JnBody, transform), "Transform", "", ANY_NUMBER, NONE, "none", FORM_MATRIX_OR_OBJECT,
        "transform", 0,
        "Places the body in the scene: {\"translate\", \"rotate\", \"scale\"}, or the twelve numbers of a "
        "3x4 matrix by rows."),
    TEXT("body", "matrices", NOWHERE, "Matrices", "the transform",
        "The motion of the body's own space: a text file with thirteen numbers for each frame in order, the frame and the "
        "3x4 matrix by rows that places it in the scene; blended in between. `transform` is that of the rest shape."),
    OBJECT("body", "material", "Material", "material", "What the body is made of."),
    OBJECT("body", "springs", "Springs", "springs",
        "The springs of all kinds except solid; values not given are derived from the material."),
    ANY("body", "weights", NOWHERE, "Weights", "", ANY_NUMBER, NONE, "none", FORM_MAP, "weights", 0,
        "Painted maps by name, each a weight from 0 to 1 per point."),
    LIST("body", "regions", "Regions", "region", "What the painted maps do."),
    LIST("body", "bones", "Bones", "bone",
        "Rigid parts inside the body, such as a skull or the bones of an armature, which hold and move what they cover."),
    OBJECT("body", "animation", "Animation", "animation", "The motion that pins and goals follow."),
    OBJECT("body", "start", "Start", "start",
        "Pose and velocity at the first frame, if not the rest shape at rest."),
    LIST("body", "forces", "Forces", "force", "Pulls and pushes on painted points."),
    NUMBER("body", "rest_follows_animation", AT(JnBody, rest_follows_animation), "Rest shape follows", "", 0, 1, 0,
        "How much of the animated pose becomes the rest shape, so that a bent elbow does not fight its pose: "
        "0 none, 1 all of it."),
    LIST("body", "keys", "Keys", "body_key",
        "Stiffness, goals, pins and the part of the simulation at chosen frames; they change in between."),
    NUMBER("body", "travel_influence", AT(JnBody, travel_influence), "Travel influence", "", 0, 1, 1,
        "How much the animation's own travel shakes the body: 1 all of it, 0 none, so that a running character is not "
        "blown back and still jiggles with each step."),
    NUMBER("body", "cut_distance", AT(JnBody, cut_distance), "Cut distance", "", 0, 1e6, 1,
        "An animation whose travel changes by more than this many sizes of the body in a frame, and by more than 10 m/s, "
        "is taken as a cut, and the body is carried over as it is; 0 never."),
    ANY("body", "cuts", NOWHERE, "Cuts", "frame", LIMITS(-1e7, 1e7), NONE, "none", FORM_NUMBERS, NULL, 0,
        "Frames to which the animation jumps: the body is carried over as it is."),
    NUMBER_CHOSEN("body", "rest_frame", NOWHERE, "Rest frame", "frame", -1e7, 1e7, "the shape of the mesh file",
        "The frame of the animation whose pose is the rest shape, such as that of the T-pose."),
    BOOLEAN("body", "settle", AT(JnBody, settle), "Settle first", 0,
        "Starts at rest in the pose that gravity leads to, instead of dropping into it; something must "
        "hold the body: pins, a goal or a floor."),
    BOOLEAN("body", "keep_shape", AT(JnBody, keep_shape), "Keep modelled shape", 0,
        "Finds the rest shape that its own weight bends into the shape you modelled: it looks as modelled and hangs at "
        "rest; needs pinned points."),
    BOOLEAN("body", "collides", AT(JnBody, collides), "Collides", 1,
        "Touches the other bodies that collide; off, it passes through them. It touches colliders in any case."),
    BOOLEAN("body", "self_contact", AT(JnBody, self_contact), "Self-contact", 0,
        "Its parts touch each other, as thighs or the folds of a cloth do."),
    NUMBER_CHOSEN("body", "friction", AT(JnBody, friction), "Friction", "", 0, 100, "that of what it touches",
        "Coulomb coefficient: 0 ice, 0.5 usual, 1 rubber on wood. Where both have one, the geometric mean counts; where "
        "neither has, 0.5."),
    NUMBER_CHOSEN("body", "contact_thickness", AT(JnBody, contact_thickness), "Contact thickness", "unit", 0, 1e9,
        "the scene's",
        "Contact begins at this distance from its surface; of the two that touch, the larger one counts."),
    ANY("body", "ignore_groups", AT(JnBody, ignore_groups), "Ignore groups", "", ANY_NUMBER, NONE, "none", FORM_NAMES,
        NULL, 0,
        "Names of groups: objects that have one in common do not touch each other; up to 64 different ones in a scene."),

    NAME_NEEDED("shape", "shape", NOWHERE, "Shape", "shapes", "Which shape."),
    VECTOR_CHOSEN("shape", "size", NOWHERE, "Size", "unit", COMPONENT, "the shape's default",
        "Length, height and depth; ball: diameters; coil, helix: radius, pitch, thickness; cloth: length and height; "
        "fibres: their length, then both sides of the field they grow on."),
    ANY("shape", "cells", NOWHERE, "Cells", "", LIMITS(1, 1000), NONE, "the shape's default", FORM_COUNTS, NULL, 0,
        "Cells along each side; ball: across the diameter in the first; coil, helix: across, then around one "
        "turn; fibres: segments of each, then how many along each side of the field."),
    NUMBER_CHOSEN("shape", "turns", NOWHERE, "Turns", "", -1000, 1000, "the shape's default",
        "Cuboid: turns of its twisted pose; coil, helix: windings."),
    INTEGER_CHOSEN("shape", "layers", "Layers", 1, 100, "the shape's default",
        "Ball: shells of equal thickness, each a field layer_0 (core), layer_1, ..."),

    VECTOR("transform", "translate", NOWHERE, "Location", "unit", COMPONENT, 0, "Moves."),
    VECTOR("transform", "rotate", NOWHERE, "Rotation", "deg", COMPONENT, 0,
        "Rotates about x, then y, then z of the scene."),
    ANY("transform", "scale", NOWHERE, "Scale", "", LIMITS(-1e6, 1e6), 1, NULL, FORM_NUMBER_OR_VECTOR, NULL, 0,
        "Scales, before the rotation: one number or three, none of them 0."),

    NAME("material", "preset", NOWHERE, "Preset", "presets", NULL,
        "A ready-made material; the other keys change single numbers of it."),
    NAME("material", "law", AT(JnMaterial, law), "Law", "materials", "stable_neohooke", "How stress follows strain."),
    NUMBER("material", "young_modulus", AT(JnMaterial, young_modulus), "Stiffness", "Pa", 1, 1e13, 1e5,
        "Young's modulus: 5e3 jelly, 2e4 flesh, 1e6 rubber, 1e10 wood."),
    NUMBER_CHOSEN("material", "wobble_frequency", AT(JnMaterial, wobble_frequency), "Wobble", "Hz", 1e-3, 1e5,
        "not given",
        "In place of young_modulus: how often a second the body's slowest wobble swings; 2 jelly, 4 flesh, 8 firm "
        "flesh."),
    NUMBER("material", "poisson_ratio", AT(JnMaterial, poisson_ratio), "Volume preservation", "", 0, 0.499, 0.4,
        "Poisson's ratio: 0 squeezes like cork, 0.45 bulges like flesh, 0.49 keeps its volume like rubber; "
        "above 0.4 steps take longer, up to twice."),
    BOOLEAN("material", "locking_cure", AT(JnMaterial, locking_cure), "Locking cure", 1,
        "Keeps meshes with a Poisson ratio above 0.4 from turning stiff, by letting neighbouring tets share "
        "their volume; off for comparison with programs that do not."),
    BOOLEAN("material", "warp", AT(JnMaterial, warp), "Warp", 0,
        "Only with the law linear: shows large rotations without swelling, for a fast preview of bodies that bend far. "
        "What touches still sees the body without it."),
    NUMBER("material", "density", AT(JnMaterial, density), "Density", "kg/m3", 1e-3, 1e5, 1000,
        "Mass per volume: 1000 water and flesh, 60 foam, 600 wood."),
    NUMBER("material", "stiffness_damping", AT(JnMaterial, stiffness_damping), "Damping", "s", 0, 100, 0,
        "Stops ringing, fast wobbles first, without slowing the fall: 0.01 is firm flesh, 0.1 very dull."),
    NUMBER("material", "mass_damping", AT(JnMaterial, mass_damping), "Drag", "1/s", 0, 1e4, 0,
        "Slows every motion equally, free fall too, as in a thick fluid; usually 0."),
    NUMBER_CHOSEN("material", "settle_seconds", AT(JnMaterial, settle_seconds), "Seconds to settle", "s", 1e-3, 1e4,
        "not given",
        "In place of stiffness_damping: the time in which a wobble decays to a hundredth; 0.5 firm flesh, "
        "3 jelly."),
    NUMBER_CHOSEN("material", "damping_ratio", AT(JnMaterial, damping_ratio), "Damping ratio", "", 0, 10, "not given",
        "In place of stiffness_damping: the fraction of critical damping; 0.02 rings on, 0.2 swings back a few "
        "times, 1 not at all."),
    NUMBER_CHOSEN("material", "damping_frequency", AT(JnMaterial, damping_frequency), "Damped wobble",
        "Hz", 1e-3, 1e6, "the body's slowest",
        "The frequency of the wobble that settle_seconds or damping_ratio describes; faster ones "
        "die sooner, slower ones later."),

    NUMBER_CHOSEN("springs", "structural", AT(JnSprings, structural), "Stretch stiffness", "N/m", 0, 1e15,
        "from Young's modulus and thickness",
        "Stiffness of the springs along the edges; textiles: 100 stretches like jersey, 10000 hardly at all."),
    NUMBER_CHOSEN("springs", "shear", AT(JnSprings, shear), "Shear stiffness", "N/m", 0, 1e15,
        "a tenth of structural; spring solids: the same",
        "Stiffness of the springs across faces of four and more corners; in spring solids, of the diagonals that "
        "keep tets from collapsing."),
    NUMBER_CHOSEN("springs", "bending", AT(JnSprings, bending), "Bend stiffness", "N/m", 0, 1e15,
        "a hundredth of structural",
        "Textiles: stiffness of the springs over two edges in line, which resist folding."),
    NUMBER("springs", "linear", AT(JnSprings, linear), "Linear part", "", 0, 1e6, 1,
        "Factor on the linear part of the spring force: 1 for ordinary springs, 0 for purely cubic springs."),
    NUMBER("springs", "cubic", AT(JnSprings, cubic), "Cubic part", "", 0, 1e9, 0,
        "Factor on the cubic part of the spring force: with 100, a spring pulls twice as hard as a linear "
        "one when it is stretched by a tenth."),
    NUMBER_CHOSEN("springs", "thickness", AT(JnSprings, thickness), "Thickness", "unit", 1e-9, 1e6,
        "textiles 0.5 mm, girders 10 mm, fibres 0.1 mm",
        "Thickness of the cloth, width of the girders' square bars, diameter of the fibres at their root."),
    NUMBER_CHOSEN("springs", "tip_thickness", AT(JnSprings, tip_thickness), "Tip thickness", "unit", 1e-9, 1e6,
        "the thickness",
        "Fibres: diameter at the tip, for those that thin out."),
    NUMBER_CHOSEN("springs", "torsion_modulus", AT(JnSprings, torsion_modulus), "Torsion modulus", "Pa", 1, 1e13,
        "from Young's modulus and Poisson's ratio",
        "Fibres: stiffness against twisting; hair has 1e9."),
    NUMBER_CHOSEN("springs", "mass_per_area", AT(JnSprings, mass_per_area), "Mass per area", "kg/m2", 1e-6, 1e5,
        "density times thickness",
        "Textiles: 0.05 silk, 0.2 cotton, 0.4 denim, 1 leather."),
    NUMBER_CHOSEN("springs", "mass_per_length", AT(JnSprings, mass_per_length), "Mass per length",
        "kg/m", 1e-9, 1e6, "density times cross-section",
        "Girders and fibres: mass of one metre of bar or hair."),

    TEXT("weights", "field", NOWHERE, "Field", NULL,
        "A field of the mesh file or shape, such as \"start\" and \"end\" of a beam; of colours and vectors one "
        "number: \"Col.r\", \"push.x\"."),
    TEXT("weights", "file", NOWHERE, "File", NULL,
        "A text file with one number per point, separated by white space or commas."),
    ANY("weights", "values", NOWHERE, "Values", "", LIMITS(0, 1), NONE, NULL, FORM_NUMBERS, NULL, 0,
        "One number per point, here in the scene."),
    ANY("weights", "box", NOWHERE, "Box", "unit", COMPONENT, NONE, NULL, FORM_TWO_POINTS, NULL, 0,
        "Two opposite corners in the body's own space: 1 inside, 0 outside."),
    ANY("weights", "ramp", NOWHERE, "Ramp", "unit", COMPONENT, NONE, NULL, FORM_TWO_POINTS, NULL, 0,
        "Two points in the body's own space: 0 at the first and before it, rising linearly to 1 at the second "
        "and beyond."),

    TEXT_NEEDED("region", "weights", LABEL_AT(JnRegion, name), "Weights", "Which of the body's painted maps."),
    TEXT("region", "to", AT(JnRegion, to), "To", "needed by attach alone",
        "Attach: the name of the body to which the painted part is attached, where both are in their rest shapes."),
    NAME_NEEDED("region", "effect", AT(JnRegion, effect), "Effect", "region_effects", "What it does."),
    NUMBER_CHOSEN("region", "value", AT(JnRegion, value), "Value", "", 0, 1e12, "needed by all effects except pin and attach",
        "Stiffness, density and damping: the factor where the weight is 1 (between, stiffness blends "
        "by ratio, the others linearly); goal: how hard it pulls, in 1/s2, "
        "100 soft to 10000 firm; rest_follows: how much of the pose, 0 to 1; simulation: how much of it is seen, 0 to 1; "
        "fast: small time steps in each step of the rest, a whole number from 1 to 150."),

    TEXT_NEEDED("bone", "name", LABEL_AT(JnBone, name), "Name", "Name of the bone, used in messages."),
    ANY("bone", "mesh", NOWHERE, "Mesh", "", ANY_NUMBER, NONE, "a capsule", FORM_TEXT_OR_OBJECT, "shape", 0,
        "A closed surface, a file or a generated shape; without it the bone is a capsule."),
    VECTOR("bone", "point", AT(JnBone, point), "Point", "unit", COMPONENT, 0, "Capsule: one end of its axis."),
    VECTOR("bone", "end", AT(JnBone, end), "End", "unit", COMPONENT, 0, "Capsule: the other end of its axis."),
    NUMBER("bone", "radius", AT(JnBone, radius), "Radius", "unit", 0, 1e9, 1, "Capsule: the radius, above 0."),
    ANY("bone", "transform", AT(JnBone, transform), "Transform", "", ANY_NUMBER, NONE, "none", FORM_MATRIX_OR_OBJECT,
        "transform", 0, "Places the bone in the scene, within the body's rest shape."),
    NUMBER("bone", "strength", AT(JnBone, strength), "Strength", "", 0, 1, 1,
        "How it holds what it covers, as the weight of a painted pin: 1 exactly, 0.5 softly."),
    OBJECT("bone", "animation", "Animation", "animation",
        "Its motion: keys, or for a mesh files or a cache, whose best-fitting rigid motion it follows."),
    TEXT("bone", "matrices", NOWHERE, "Matrices", "none",
        "In place of animation: a text file with thirteen numbers for each frame in order, the frame and the 3x4 matrix by "
        "rows that moves the bone from where it is placed; blended in between."),

    NUMBER_NEEDED("body_key", "frame", "Frame", "frame", -1e7, 1e7,
        "Frame of this key; later than that of the previous key."),
    NUMBER_CHOSEN("body_key", "stiffness", NOWHERE, "Stiffness", "", 1e-6, 1e6, "from the keys around it",
        "Factor on the body's stiffness at this frame: 2 doubles it; geometric in between."),
    NUMBER_CHOSEN("body_key", "goal", NOWHERE, "Goal strength", "", 0, 1e6, "from the keys around it",
        "Factor on the pull of the body's goals at this frame: 0 releases."),
    NUMBER_CHOSEN("body_key", "pin", NOWHERE, "Pin strength", "", 0, 1, "from the keys around it",
        "Strength of the body's pins at this frame: 1 holds, 0.1 pulls like a firm goal, 0 releases."),
    NUMBER_CHOSEN("body_key", "simulation", NOWHERE, "Simulation", "", 0, 1, "from the keys around it",
        "What is seen at this frame: 1 the simulation, 0 the animation, 0.5 halfway between; it is simulated all the "
        "same."),

    LIST("animation", "keys", "Keys", "pose_key",
        "Moves the whole animated shape from key to key, linear in between."),
    TEXT("animation", "files", NOWHERE, "Files", NULL,
        "Animated positions in one mesh file per frame: #### in the name stands for the frame number, one "
        "# per digit; %04d does too."),
    ANY("animation", "cache", NOWHERE, "Cache", "", ANY_NUMBER, NONE, NULL, FORM_TEXT_OR_OBJECT, "cache", 0,
        "Animated positions in an .abc, .mdd, .pc2 or .glb file, or {\"file\", ..} to choose the mesh or the frames; "
        "transforms above the mesh of an .abc file place the body."),
    TEXT_NEEDED("cache", "file", NOWHERE, "File",
        "An .abc, .mdd, .pc2 or .glb file, or numbered mesh files: \"walk.####.ply\"."),
    TEXT("cache", "object", NOWHERE, "Object", "the only mesh",
        "Path of the mesh in an .abc file, \"/tail/tailShape\", or its name in a .glb file."),
    NUMBER_CHOSEN("cache", "first_frame", NOWHERE, "First frame", "frame", -1e7, 1e7,
        "as the file says; .mdd and .glb files at the scene's first",
        "Frame of the scene at which the first sample plays."),
    NUMBER_CHOSEN("cache", "first_file", NOWHERE, "First file", "", 0, 1e7, "the number of that frame",
        "Numbered files: the number of the one that plays at first_frame."),
    NUMBER_CHOSEN("cache", "fps", NOWHERE, "Frame rate", "frame/s", 0.01, 1e5, "the scene's",
        "Frames per second of .pc2 and numbered files, which do not tell; replaces the times of an .mdd file."),
    NAME("cache", "up_axis", NOWHERE, "Up axis", "axes", NULL,
        "The axis that points up in the file; without it y in .abc and .glb files, and the scene's in others."),
    NUMBER_NEEDED("pose_key", "frame", "Frame", "frame", -1e7, 1e7,
        "Frame of this key; later than that of the previous key."),
    VECTOR("pose_key", "translate", NOWHERE, "Location", "unit", COMPONENT, 0, "Moves, in the scene's space."),
    VECTOR("pose_key", "rotate", NOWHERE, "Rotation", "deg", COMPONENT, 0,
        "Rotates about x, then y, then z of the scene, through `about`."),
    VECTOR("pose_key", "about", NOWHERE, "Pivot", "unit", COMPONENT, 0,
        "The fixed point of rotation and scale."),
    ANY("pose_key", "scale", NOWHERE, "Scale", "", LIMITS(-1e6, 1e6), 1, NULL, FORM_NUMBER_OR_VECTOR, NULL, 0,
        "Scales, before the rotation: one number or three, none of them 0."),

    OBJECT("start", "pose", "Pose", "start_pose",
        "The shape at the first frame; the rest shape is still that of `mesh`."),
    VECTOR("start", "velocity", NOWHERE, "Velocity", "unit/s", COMPONENT, 0,
        "Speed of the whole body at the first frame."),
    VECTOR("start", "angular_velocity", NOWHERE, "Spin", "deg/s", COMPONENT, 0,
        "Spin about the centre of the body's points at the first frame, around this axis at this many "
        "degrees a second."),
    TEXT("start_pose", "field", NOWHERE, "Field", NULL,
        "A field of the mesh file or shape, such as \"pose\" of a coil."),
    TEXT("start_pose", "file", NOWHERE, "File", NULL, "A mesh file with the same vertices in another pose."),

    TEXT_NEEDED("force", "weights", NOWHERE, "Weights", "Which of the body's painted maps is pulled."),
    VECTOR_NEEDED("force", "force", "Force", "N", COMPONENT,
        "The whole force, spread over the painted points in proportion to their weights."),
    NUMBER_CHOSEN("force", "from", NOWHERE, "From", "frame", -1e7, 1e7, "the first frame",
        "First frame at which it acts."),
    NUMBER_CHOSEN("force", "to", NOWHERE, "To", "frame", -1e7, 1e7, "the last frame", "Last frame at which it acts."),

    TEXT_NEEDED("collider", "name", LABEL_AT(JnCollider, name), "Name",
        "Name of the collider, used in messages; must be unique."),
    NAME("collider", "kind", AT(JnCollider, kind), "Kind", "colliders", "plane", "What it is."),
    VECTOR("collider", "point", AT(JnCollider, point), "Point", "unit", COMPONENT, 0,
        "Plane: a point on it; sphere and box: the centre; capsule: one end of its axis."),
    VECTOR_CHOSEN("collider", "normal", AT(JnCollider, normal), "Normal", "", COMPONENT, "the up axis",
        "Plane: direction towards the free side, of any length."),
    VECTOR("collider", "end", AT(JnCollider, end), "End", "unit", COMPONENT, 0,
        "Capsule: the other end of its axis."),
    NUMBER("collider", "radius", AT(JnCollider, radius), "Radius", "unit", 0, 1e9, 1,
        "Sphere and capsule: the radius, above 0."),
    VECTOR("collider", "size", AT(JnCollider, size), "Size", "unit", LIMITS(0, 1e9), 1,
        "Box: length, height and depth, each above 0."),
    ANY("collider", "mesh", NOWHERE, "Mesh", "", ANY_NUMBER, NONE, NULL, FORM_TEXT_OR_OBJECT, "shape", 0,
        "Mesh: any mesh file, or a generated shape. A closed surface is solid: what is inside is pushed out. An open "
        "one is a wall with two sides."),
    ANY("collider", "transform", AT(JnCollider, transform), "Transform", "", ANY_NUMBER, NONE, "none",
        FORM_MATRIX_OR_OBJECT, "transform", 0,
        "Places the collider in the scene, as a body's; a sphere, capsule or box takes one scale for all axes."),
    BOOLEAN("collider", "hollow", AT(JnCollider, hollow), "Hollow", 0,
        "Sphere, capsule and box: keeps bodies inside."),
    NUMBER("collider", "friction", AT(JnCollider, friction), "Friction", "", 0, 100, 0.5,
        "Coulomb coefficient: 0 ice, 0.5 usual, 1 rubber on wood."),
    NUMBER_CHOSEN("collider", "thickness", AT(JnCollider, thickness), "Thickness", "unit", 0, 1e9, "the scene's",
        "Contact begins at this distance from its surface; of the two that touch, the larger one counts."),
    ANY("collider", "ignore_groups", AT(JnCollider, ignore_groups), "Ignore groups", "", ANY_NUMBER, NONE, "none",
        FORM_NAMES, NULL, 0, "Names of groups, as a body's: bodies that have one in common do not touch it."),
    OBJECT("collider", "animation", "Animation", "animation",
        "Its motion: by keys, and for a mesh also by files or a cache, in which it may deform."),

    TEXT_NEEDED("field", "name", LABEL_AT(JnField, name), "Name", "Name of the field, used in messages."),
    NAME_NEEDED("field", "kind", AT(JnField, kind), "Kind", "fields", "What it does."),
    NUMBER("field", "strength", AT(JnField, strength), "Strength", "m/s2", -1e6, 1e6, 1,
        "Acceleration where it is not yet weakened, 9.81 is as strong as gravity; harmonic: in 1/s2; drag: in 1/m, of "
        "the part that grows with the square of the speed."),
    NUMBER("field", "damping", AT(JnField, damping), "Damping", "1/s", 0, 1e6, 0,
        "Drag and harmonic: how fast motion dies away; 1 slows to a third within a second."),
    NUMBER("field", "falloff", AT(JnField, falloff), "Falloff", "", 0, 10, 0,
        "Power by which it weakens: the strength is divided by the distance from its place, plus one, to this power; 0 "
        "everywhere alike, 2 as gravity and light."),
    NUMBER("field", "nearest", AT(JnField, nearest), "Nearest", "unit", 0, 1e9, 0,
        "Up to this distance it is not weakened."),
    NUMBER_CHOSEN("field", "farthest", AT(JnField, farthest), "Farthest", "unit", 0, 1e9, "no end",
        "Beyond this distance it does not act."),
    NUMBER("field", "size", AT(JnField, size), "Size", "unit", 1e-6, 1e9, 1, "Turbulence: size of its swirls."),
    INTEGER("field", "seed", AT(JnField, seed), "Seed", 0, 1e9, 0,
        "Turbulence: any number; another one gives another turbulence."),
    ANY("field", "transform", AT(JnField, transform), "Transform", "", ANY_NUMBER, NONE, "none",
        FORM_MATRIX_OR_OBJECT, "transform", 0,
        "Places the field in the scene; wind blows along its third axis, which a vortex swirls around."),
    LIST("field", "keys", "Keys", "field_key", "Strength, damping and place at chosen frames, linear in between."),
    NUMBER_NEEDED("field_key", "frame", "Frame", "frame", -1e7, 1e7,
        "Frame of this key; later than that of the previous key."),
    NUMBER_CHOSEN("field_key", "strength", NOWHERE, "Strength", "m/s2", -1e6, 1e6, "the field's",
        "Strength at this frame."),
    NUMBER_CHOSEN("field_key", "damping", NOWHERE, "Damping", "1/s", 0, 1e6, "the field's", "Damping at this frame."),
    ANY("field_key", "transform", NOWHERE, "Transform", "", ANY_NUMBER, NONE, "the field's", FORM_MATRIX_OR_OBJECT,
        "transform", 0, "Where the field is at this frame."),

    TEXT("output", "path", RUN_AT(JnBakeDesc, output_path), "Cache file", "the scene's name with .abc",
        "The Alembic file to write; relative paths start at the scene's folder."),
    BOOLEAN("output", "velocities", AT(JnBakeDesc, write_velocities), "Velocities", 1,
        "Writes velocities for motion blur."),
};

/* Fields that only a caller of the API sets, without a key in scene files; the scope says where the receipt has
   them. */
static const SettingDetail caller_settings[] = {
    INTEGER("scene", "input_tag", AT(JnBakeDesc, input_tag), "Input tag", 0, INFINITY, 0,
        "Differs when the inputs of the frames differ; scene files are hashed for it."),
    TEXT("scene", "application", RUN_AT(JnBakeDesc, application), "Application", NULL,
        "The program that started the bake."),
    INTEGER("scene", "thread_count", RUN_AT(JnBakeDesc, thread_count), "Threads", 0, UINT32_MAX, 0,
        "Threads to compute with; 0: as many as the machine has."),
    BOOLEAN("scene", "resume", RUN_AT(JnBakeDesc, resume), "Resume", 0, "Continues the bake that the cache holds."),
    BOOLEAN("body", "releasable_pins", AT(JnBody, releasable_pins), "Releasable pins", 0,
        "Pins are very stiff springs, which can be released; scene files set it where a key has a pin strength."),
};
/* clang-format on */

const SettingDetail *setting_detail(uint32_t index) {
    return index < sizeof settings / sizeof settings[0] ? &settings[index] : NULL;
}

const SettingDetail *setting_line(uint32_t index) {
    const uint32_t keys = sizeof settings / sizeof settings[0];
    const uint32_t others = sizeof caller_settings / sizeof caller_settings[0];
    return index < keys ? &settings[index] : index - keys < others ? &caller_settings[index - keys] : NULL;
}
