/* The table of commands and their options. */
#include "cli.h"
#include "list_topics.h"
#include "method_list.h"

#include <string.h>

#define JSON_OPTION                                                                                                    \
    { "json", 0, OPTION_FLAG, HINT_NONE, NULL, "Print JSON on standard output, for programs." }
#define HELP_OPTION                                                                                                    \
    { "help", 'h', OPTION_FLAG, HINT_NONE, NULL, "Print this help." }
#define END_OF_OPTIONS                                                                                                 \
    { NULL, 0, OPTION_FLAG, HINT_NONE, NULL, NULL }

static const Option bake_options[] = {
    {"output", 'o', OPTION_TEXT, HINT_CACHE, "FILE",
     "The cache to write. Default: the scene's own output, else the scene's name with the ending .abc."},
    {"frames", 0, OPTION_COUNT, HINT_NONE, "N", "Bake only the first N frames. Default: all frames of the scene."},
    {"threads", 0, OPTION_COUNT, HINT_NONE, "N",
     "Threads to use; the result is the same for any number. Default: all."},
    {"resume", 0, OPTION_FLAG, HINT_NONE, NULL,
     "Resume a stopped bake, after the last frame that it finished; if there is none, start at the first frame."},
    {"history", 0, OPTION_TEXT, HINT_TABLE, "FILE",
     "Write energies, momenta, contacts and residual of every frame to this .csv or .json file."},
    {"plot", 0, OPTION_TEXT, HINT_PLOT, "FILE", "Plot the energies over time as this .svg or .png file."},
    {"quiet", 'q', OPTION_FLAG, HINT_NONE, NULL, "Print errors only."},
    JSON_OPTION,
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const Option check_options[] = {
    {"frames", 0, OPTION_COUNT, HINT_NONE, "N", "Predict for the first N frames. Default: all frames of the scene."},
    {"threads", 0, OPTION_COUNT, HINT_NONE, "N", "Predict for N threads. Default: all."},
    {"modes", 0, OPTION_FLAG, HINT_NONE, NULL,
     "Also find the slowest wobble of each body, and how it is damped. A large scene takes much longer with it."},
    JSON_OPTION,
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const Option modes_options[] = {
    {"count", 'n', OPTION_COUNT, HINT_NONE, "N", "How many to find, up to 1000. Default: 10."},
    {"output", 'o', OPTION_TEXT, HINT_CACHE, "FILE",
     "Write an Alembic file that plays each mode, one after the other. Default: none is written."},
    JSON_OPTION,
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const Option regions_options[] = {
    {"suggest", 0, OPTION_FLAG, HINT_NONE, NULL, "Propose parts of the bodies to be painted with the effect fast."},
    {"output", 'o', OPTION_TEXT, HINT_NONE, "FOLDER",
     "Write the weights there, one file for each body, one number per point. Default: none are written."},
    JSON_OPTION,
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const Option compare_options[] = {
    {"methods", 0, OPTION_TEXT, HINT_METHODS, "A,B,...",
     "The integrators to compare, or all; siere:5 keeps 5 modes. Default: " METHODS_TO_COMPARE
     "; `jounce list integrators` has them all, of which the exponential ones are slow where bodies are stiff."},
    {"steps", 0, OPTION_NUMBERS, HINT_NONE, "N,...",
     "Time steps per frame; each method but auto runs with each number. Default: the scene's."},
    {"truth", 0, OPTION_FLAG, HINT_NONE, NULL,
     "Also measure how far each run is from the true motion, found with tiny time steps, and name the cheapest for "
     "each "
     "error. --steps is then 1,2,4,8 unless given."},
    {"truth-steps", 0, OPTION_COUNT, HINT_NONE, "N",
     "With --truth: its time steps per frame. Default: eight times the largest of --steps."},
    {"truth-check", 0, OPTION_TEXT, HINT_METHODS, "A", "With --truth: the integrator that checks it. Default: sdirk."},
    {"extrapolate", 0, OPTION_FLAG, HINT_NONE, NULL,
     "With --truth: take as the truth where its motion leads as its time steps go to 0, by a run with half as many. "
     "More "
     "precise for smooth motion, not for hits."},
    {"frames", 0, OPTION_COUNT, HINT_NONE, "N", "Bake only the first N frames. Default: all frames of the scene."},
    {"output", 'o', OPTION_TEXT, HINT_NONE, "FOLDER", "Where plots and tables go. Default: nothing is written."},
    {"caches", 0, OPTION_FLAG, HINT_NONE, NULL, "Write each method's cache into that folder too."},
    {"threads", 0, OPTION_COUNT, HINT_NONE, "N", "Threads to use. Default: all."},
    {"quiet", 'q', OPTION_FLAG, HINT_NONE, NULL, "Print errors only."},
    JSON_OPTION,
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const Option damping_options[] = {
    {"methods", 0, OPTION_TEXT, HINT_METHODS, "A,B,...",
     "Integrators, or all. Default: all; for a scene, its own integrator."},
    {"steps", 0, OPTION_COUNT, HINT_NONE, "N", "With a scene: time steps per frame. Default: the scene's."},
    {"count", 0, OPTION_COUNT, HINT_NONE, "N", "With a scene: how many of the slowest modes. Default: 10."},
    {"plot", 0, OPTION_TEXT, HINT_PLOT, "FILE", "Plot the curves as this .svg or .png file."},
    JSON_OPTION,
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const Option show_options[] = {
    {"output", 'o', OPTION_TEXT, HINT_PICTURE, "FILE",
     "The picture. Default: the cache's name with the ending .png. With the ending .mp4: a movie, by ffmpeg."},
    {"movie", 0, OPTION_FLAG, HINT_NONE, NULL, "Make a movie: an animated PNG, which browsers play."},
    {"frames", 0, OPTION_NUMBERS, HINT_NONE, "A,B,...",
     "The frames to draw; of a movie the first and the last. Default: --count frames over the range; of a movie all."},
    {"count", 0, OPTION_COUNT, HINT_NONE, "N", "How many frames to spread over the range. Default: 6; of a movie all."},
    {"columns", 0, OPTION_COUNT, HINT_NONE, "N",
     "Frames side by side in one row. Default: at most 6, rows of one length."},
    {"size", 0, OPTION_NUMBERS, HINT_NONE, "W,H", "Pixels of one frame. Default: the shape of the motion."},
    {"view", 0, OPTION_TRIPLE, HINT_NONE, "X,Y,Z",
     "Where the camera stands, seen from the body; y is up. Default: 0.6,0.35,1."},
    {"floor", 0, OPTION_NUMBER, HINT_NONE, "Y",
     "Height of the floor. Default: 0 if the body moves just above it, else its lowest point."},
    {"colliders", 0, OPTION_FLAG, HINT_NONE, NULL, "Draw the scene's colliders in place of the floor."},
    {"simulation", 0, OPTION_FLAG, HINT_NONE, NULL, "Draw the edges of the simulation mesh over the bodies."},
    {"map", 0, OPTION_TEXT, HINT_NONE, "NAME", "Colour the bodies by this painted map of the scene."},
    {"ghost", 0, OPTION_FLAG, HINT_NONE, NULL, "Draw the animated pose that pins and goals follow, as a pale skin."},
    {"scene", 0, OPTION_TEXT, HINT_SCENE, "FILE",
     "The scene that was baked, for the four options above. Default: the cache's name with the ending .json."},
    JSON_OPTION,
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const Option mesh_options[] = {
    {"output", 'o', OPTION_TEXT, HINT_MESH, "FILE",
     "The mesh to write: .msh, .vtk or .mesh for tets, .ply or .obj for surfaces; .msh, .vtk and .ply keep all fields, "
     ".obj fibres and the colours Col."},
    {"shape", 0, OPTION_CHOICE, HINT_SHAPES, "NAME",
     "Make this shape instead of reading a file; `jounce list shapes` has them."},
    {"size", 0, OPTION_TRIPLE, HINT_NONE, "X,Y,Z",
     "Length, height and depth; ball: diameters; coil, helix: radius, pitch, thickness; cloth: length, height; fibres: "
     "length, both sides of their field."},
    {"cells", 0, OPTION_NUMBERS, HINT_NONE, "A,B,C",
     "Cells along each side; ball: across; coil, helix: across, around one turn; fibres: segments, how many along each "
     "side."},
    {"turns", 0, OPTION_NUMBER, HINT_NONE, "N", "Cuboid: turns of twist; coil, helix: windings."},
    {"layers", 0, OPTION_COUNT, HINT_NONE, "N", "Ball: shells, each a field layer_0 (core), layer_1, ..."},
    {"resolution", 0, OPTION_NUMBER, HINT_NONE, "N",
     "Fill a surface with tets: cells along its longest side, smaller where it is thin."},
    {"edge-length", 0, OPTION_NUMBER, HINT_NONE, "X", "Fill a surface with tets: the length of a cell instead."},
    {"vertices", 0, OPTION_COUNT, HINT_NONE, "N", "Fill a surface with tets: at most about this many vertices."},
    {"keep-apart", 0, OPTION_FLAG, HINT_NONE, NULL,
     "Fill a surface with tets: parts that touch or overlap are not joined."},
    {"picture", 0, OPTION_TEXT, HINT_PICTURE, "FILE", "Draw the tets to this .png: as a whole, and cut open."},
    JSON_OPTION,
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const Option json_options[] = {JSON_OPTION, HELP_OPTION, END_OF_OPTIONS};
static const Option no_options[] = {HELP_OPTION, END_OF_OPTIONS};

static const Option help_options[] = {
    {"markdown", 0, OPTION_FLAG, HINT_NONE, NULL, "Print the tables of docs/command-line.md."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const char bake_notes[] =
    "The cache can be opened while it is written and holds every finished frame. Ctrl-C keeps those, and prints the "
    "command that resumes after them; a second one ends it at once. A finished cache of that name stays until the new "
    "one is complete, which is "
    "written to NAME.unfinished.abc beside it. With --json: one line for the start, one for each frame, one for the "
    "end, and some while a frame takes long because its time steps have to be cut.";
static const char bake_examples[] = "jounce bake scene.json -o jelly.abc\n"
                                    "jounce bake --resume scene.json -o jelly.abc";

static const char check_notes[] =
    "Simulates the first frames without writing anything: one frame or, if that takes less than 0.2 s, as many as fit "
    "into two seconds, up to half of the bake. Motion that changes later, as when something hits the ground, costs "
    "more or less than "
    "predicted. The sag under gravity is that of linear theory, about the modelled shape; what nothing holds stands on "
    "its lowest points.";

static const char modes_notes[] =
    "Modes are about the rest shape, with pins and goals, without gravity and contact. Damping is that of the "
    "materials: "
    "100 % is critical, without any swing; \"dies in\" is the time after which a hundredth of the swing is left. The "
    "time "
    "integrator adds numerical damping. A repeated frequency is printed as often as it occurs, even beyond N. "
    "Slack is "
    "a motion without stiffness, such as pushing a flat cloth out of its plane. The file shows what each mode is: two "
    "swings from the first frame of the scene on, out to a tenth of the body's size, slowed down where a swing takes "
    "less than half a second. What is printed says which frames show which mode, and `jounce info` says it again. "
    "Rigid motions are not in it, and no more than N modes.";
static const char modes_examples[] = "jounce modes scene.json -n 20\n"
                                     "jounce modes scene.json -n 5 -o modes.abc";

static const char regions_notes[] =
    "Looks at the slowest 32 wobbles: those below half the frame rate can be seen, if a shake of one g "
    "moves something by a thousandth of the body's size. Where the integrator takes more than 30 % of "
    "their height in each swing, small time steps would keep it. Proposed are the parts that have most of"
    " the energy of such wobbles, elastic energy included, because a limb is damped where it bends, if "
    "with them all wobbles come clearly nearer to small steps for all than more steps for all do at the "
    "same cost. Where no part does, it says what to do instead. Printed is what to add to the scene, and "
    "what it would cost. It is a proposal: load it, repaint it, take another value. What is painted fast "
    "already does not count.";
static const char regions_examples[] = "jounce regions scene.json --suggest -o weights";

static const char compare_notes[] =
    "Bakes the scene with each method and shows side by side what each costs and how much energy it loses: a "
    "table here and, with -o, in the folder potential_energy and total_energy as .svg and .png, compare.csv and "
    "compare.json. "
    "A method that fails gets its line, and the others continue. With --truth also error_work.csv, and error_work as "
    ".svg and .png: the error of each run over its cost. The truth is tr_bdf2 with tiny steps; sdirk with about half "
    "as many, or --truth-check, checks it, and errors smaller than the difference of the two are not told apart.";
static const char compare_examples[] =
    "jounce compare scene.json --methods si,be,sdirk\n"
    "jounce compare scene.json --methods si --steps 1,2,4,8 --frames 48 -o steps\n"
    "jounce compare scene.json --truth --methods si,ssdirk,auto --frames 12 -o truth";

static const char damping_notes[] =
    "Most integrators have numerical damping: more, the fewer time steps a swing has. Without a scene: how "
    "much, found by running each on one mass on one spring. d is the damping in q'' + d q' + omega^2 q = 0, h the "
    "time step; a swing decays as exp(-d t / 2). With a scene: what each of its modes loses in a second, and which "
    "ones are lost almost at once.";
static const char damping_examples[] = "jounce damping --plot damping.svg\n"
                                       "jounce damping scene.json --methods si,sdirk --steps 2";

static const char show_notes[] =
    "Draws caches of any program; no screen is needed. All frames share one camera. A scene is drawn as it is before "
    "its "
    "bake, in its animated pose. The simulation mesh in a cache's frame is the one that fits the cached points best.";
static const char show_examples[] = "jounce show jelly.abc -o jelly.png --frames 1,12,24,48\n"
                                    "jounce show jelly.abc --movie -o jelly_moves.png\n"
                                    "jounce show jelly.abc --scene scene.json --ghost\n"
                                    "jounce show scene.json --simulation";

static const char mesh_notes[] =
    "Without -o it only says what is in the mesh. A surface that is written as .msh or .mesh "
    "is filled with tets; it may be open, dirty or in pieces, and what was found is "
    "listed with its places. What a file cannot hold, it lists as left out.";
static const char mesh_examples[] = "jounce mesh --shape beam --size 1,0.1,0.1 --cells 32,4,4 -o beam.msh\n"
                                    "jounce mesh beam.msh -o beam.obj\n"
                                    "jounce mesh sample_scenes/pudding/pudding.obj --resolution 8 -o pudding.msh";

static const char list_notes[] = "Without a topic: everything. A topic may be shortened: contact, regions.";
static const char list_examples[] = "jounce list presets\njounce list settings --json";

static const char completion_notes[] = "Put one of these lines into ~/.bashrc, into ~/.zshrc after compinit, or into "
                                       "~/.config/fish/config.fish.";
static const char completion_examples[] = "eval \"$(jounce completion bash)\"\n"
                                          "eval \"$(jounce completion zsh)\"\n"
                                          "jounce completion fish | source";

const Command commands[] = {
    {"bake", "Simulate a scene and write its Alembic cache.", "scene.json", HINT_SCENE, 1, 1, bake_options, bake_notes,
     bake_examples, run_bake},
    {"check", "Validate a scene and predict time, memory and cache size.", "scene.json", HINT_SCENE, 1, 1,
     check_options, check_notes, NULL, run_check},
    {"modes", "Find the slowest wobbles of a scene: frequency, damping, what moves.", "scene.json", HINT_SCENE, 1, 1,
     modes_options, modes_notes, modes_examples, run_modes},
    {"regions", "Propose parts of the bodies that should take small time steps.", "scene.json", HINT_SCENE, 1, 1,
     regions_options, regions_notes, regions_examples, run_regions},
    {"compare", "Bake a scene with several integrators, side by side.", "scene.json", HINT_SCENE, 1, 1, compare_options,
     compare_notes, compare_examples, run_compare},
    {"damping", "Show the numerical damping of integrators, in general or in a scene.", "[scene.json]", HINT_SCENE, 0,
     1, damping_options, damping_notes, damping_examples, run_damping},
    {"info", "Show what is in a cache, with its receipt.", "cache.abc", HINT_CACHE, 1, 1, json_options, NULL, NULL,
     run_info},
    {"show", "Draw a cache, or a scene before its bake, as a picture strip or a movie.", "cache.abc|scene.json",
     HINT_SHOWN, 1, 1, show_options, show_notes, show_examples, run_show},
    {"mesh", "Make the mesh of a basic shape, fill a surface with tets, or convert a mesh file.", "[in.obj]", HINT_MESH,
     0, 1, mesh_options, mesh_notes, mesh_examples, run_mesh},
    {"list", "List materials, integrators, presets, settings and more.", "[topic]", HINT_TOPICS, 0, 1, json_options,
     list_notes, list_examples, run_list},
    {"schema", "Print the JSON schema of scene files.", "", HINT_NONE, 0, 0, no_options, NULL, NULL, run_schema},
    {"completion", "Print a script that completes this command in a shell.", "bash|zsh|fish", HINT_SHELLS, 1, 1,
     no_options, completion_notes, completion_examples, run_completion},
    {"version", "Print the version.", "", HINT_NONE, 0, 0, json_options, NULL, NULL, run_version},
    {"help", "Explain a command.", "[command]", HINT_COMMANDS, 0, 1, help_options, NULL, NULL, run_help},
    {NULL, NULL, NULL, HINT_NONE, 0, 0, NULL, NULL, NULL, NULL},
};

const Command *command_find(const char *name) {
    for (const Command *command = commands; command->name; ++command)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static size_t command_words(const char **words, size_t capacity) {
    size_t count = 0;
    for (; commands[count].name; ++count)
        if (count < capacity)
            words[count] = commands[count].name;
    return count;
}

static size_t table_words(JnTable table, const char **words, size_t capacity) {
    uint32_t count = jn_table_size(table);
    for (uint32_t i = 0; i < count && i < capacity; ++i)
        words[i] = jn_table_entry(table, i)->name;
    return count;
}

static size_t method_words(const char **words, size_t capacity) {
    size_t count = table_words(JN_TABLE_INTEGRATORS, words, capacity);
    if (count < capacity)
        words[count] = "all";
    return count + 1;
}

static size_t shell_words(const char **words, size_t capacity) {
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (size_t i = 0; i < 3 && i < capacity; ++i)
        words[i] = shells[i];
    return 3;
}

size_t hint_words(Hint hint, const char **words, size_t capacity) {
    switch (hint) {
    case HINT_TOPICS:
        return topic_words(words, capacity);
    case HINT_SHAPES:
        return table_words(JN_TABLE_SHAPES, words, capacity);
    case HINT_METHODS:
        return method_words(words, capacity);
    case HINT_COMMANDS:
        return command_words(words, capacity);
    case HINT_SHELLS:
        return shell_words(words, capacity);
    default:
        return 0;
    }
}

const char *const *hint_endings(Hint hint) {
    static const char *const scene[] = {".json", NULL};
    static const char *const cache[] = {".abc", NULL};
    static const char *const picture[] = {".png", ".mp4", NULL};
    static const char *const shown[] = {".abc", ".json", NULL};
    static const char *const plot[] = {".svg", ".png", NULL};
    static const char *const table[] = {".csv", ".json", NULL};
    static const char *const mesh[] = {".obj", ".ply",  ".stl", ".msh", ".mesh", ".veg",
                                       ".vtk", ".node", ".ele", ".abc", ".glb",  NULL};
    switch (hint) {
    case HINT_SCENE:
        return scene;
    case HINT_CACHE:
        return cache;
    case HINT_PICTURE:
        return picture;
    case HINT_SHOWN:
        return shown;
    case HINT_PLOT:
        return plot;
    case HINT_TABLE:
        return table;
    case HINT_MESH:
        return mesh;
    default:
        return NULL;
    }
}
