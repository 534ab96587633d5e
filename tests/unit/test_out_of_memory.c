/* Every allocation of a bake fails once, the core's own, CHOLMOD's and cJSON's: a clean status, no leak, no crash. The
   linker sends malloc, calloc and realloc of the core through the wrappers of failing_memory.h. */
#include "baking.h"
#include "failing_memory.h"
#include "harness.h"

#include "bake/bake_internal.h"
#include "base/status.h"
#include "linear/solver.h"

#include <SuiteSparse_config.h>
#include <cjson/cJSON.h>

static void fail_allocations_of_libraries(void) {
    cJSON_Hooks hooks = {__wrap_malloc, free};
    cJSON_InitHooks(&hooks);
    SuiteSparse_config.malloc_func = __wrap_malloc;
    SuiteSparse_config.calloc_func = __wrap_calloc;
    SuiteSparse_config.realloc_func = __wrap_realloc;
}

/* The bodies of a test: a box of tets and a closed cube of polygons with a pinned side, meshed by the core; the same,
   and lines between the corners, as springs of every kind. */
enum { SOLIDS = 0, SPRINGS = 2, BODIES = 6 };

/* Whether every step fails, so that the integrator that stands in takes it. */
static bool refuse_steps;

static JnStatus refuse_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    (void)self, (void)view, (void)state;
    *report = (StepReport){.h = h};
    return status_fail(message, JN_ERR_DIVERGED, "the test says no");
}

static void begin_to_refuse(JnBake *bake) {
    static Integrator refusing;
    refusing = *bake->model.integrator;
    refusing.undamped = true;
    refusing.step = refuse_step;
    bake->model.integrator = bake->model.stepper = &refusing;
}

/* Bodies first to end - 1, cached at `path`. */
typedef struct Some {
    const char *path;
    uint32_t first, end;
} Some;

/* Three frames of some bodies. */
static JnStatus bake_some(const void *what, JnMessage *message) {
    const Some *some = what;
    static const double corners[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    static const uint32_t sizes[6] = {4, 4, 4, 4, 4, 4};
    static const uint32_t faces[24] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
    static const float pinned[8] = {1, 1, 1, 1, 0, 0, 0, 0};
    OneBody scene;
    JnRegion pin;
    static const uint32_t lines[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    JnBody bodies[BODIES];
    JnBake *bake = NULL;
    long failing_kept = failing;
    failing = 0; /* the test's own mesh is not under test */
    one_body_init(&scene, tet_box_make(2, 1, 1, 0.1));
    failing = failing_kept;
    allocations = 0;
    jn_region_init(&pin, sizeof pin);
    pin.effect = "pin";
    pin.weights = pinned;
    pin.weight_count = 8;
    bodies[0] = scene.body;
    bodies[0].rest_follows_animation = 0.5;
    bodies[0].material.poisson_ratio = 0.49; /* with patches */
    bodies[0].material.law = "linear";
    bodies[0].material.warp = 1;
    bodies[0].material.settle_seconds = 1;
    jn_body_init(&bodies[1], sizeof bodies[1]);
    bodies[1].name = "cube";
    bodies[1].surface = (JnSurface){8, 6, 24, 0, corners, sizes, faces, NULL};
    bodies[1].resolution = 1;
    bodies[1].regions = &pin;
    bodies[1].region_count = 1;
    bodies[SPRINGS] = bodies[1];
    bodies[SPRINGS].kind = "textile";
    bodies[SPRINGS + 1] = scene.body;
    bodies[SPRINGS + 1].kind = "spring_solid";
    bodies[SPRINGS + 1].rest_follows_animation = 0.5;
    for (uint32_t b = SPRINGS + 2; b < BODIES; ++b) {
        jn_body_init(&bodies[b], sizeof bodies[b]);
        bodies[b].name = bodies[b].kind = b == SPRINGS + 2 ? "girders" : "fibres";
        bodies[b].curves = (JnCurves){8, 2, 8, 0, corners, sizes, lines};
    }
    bodies[1].keep_shape = bodies[1].settle = 1;
    bodies[1].ignore_groups = 1;
    for (uint32_t b = SPRINGS; b < BODIES; ++b) { /* all are in one place: they would fight for it */
        bodies[b].collides = 0;
        bodies[b].ignore_groups = 1;
    }
    scene.desc.bodies = bodies + some->first;
    scene.desc.body_count = some->end - some->first;
    scene.desc.frame_count = 3;
    scene.desc.steps_per_frame = 1;
    JnCollider colliders[] = {scene.collider, scene.collider};
    colliders[1].kind = "mesh";
    colliders[1].surface = bodies[1].surface;
    colliders[1].ignore_groups = 1;
    scene.desc.colliders = colliders;
    scene.desc.collider_count = 2;
    scene.desc.air_density = 1;
    jn_field_init(&scene.field, sizeof scene.field);
    scene.field.kind = "turbulence";
    scene.desc.fields = &scene.field;
    scene.desc.field_count = 1;
    scene.desc.output_path = some->path;
    JnStatus status = jn_bake_begin(&scene.desc, &bake, message);
    if (status == JN_OK && refuse_steps)
        begin_to_refuse(bake);
    if (status == JN_OK)
        status = advance_frames(bake, 3, message);
    bool stood_in = status == JN_OK && bake->motion.damped_steps > 0;
    JnMotion motion = {.struct_size = sizeof motion};
    double damping;
    if (status == JN_OK)
        status = jn_bake_motion(bake, &motion, message);
    if (status == JN_OK)
        status = jn_method_damping("bdf2", 1, NAN, &damping, message);
    JnStatus ended = jn_bake_end(bake, status == JN_OK ? message : NULL);
    one_body_free(&scene);
    if (status == JN_OK && stood_in != refuse_steps)
        return status_fail(message, JN_ERR_ORDER, "the stand-in was %s", stood_in ? "made" : "not made");
    return status == JN_OK ? ended : status;
}

/* What is done with each of its allocations failing once. */
typedef JnStatus (*Job)(const void *what, JnMessage *message);

/* Of allocations that one place of the program makes again and again, in every step and for every body, these fail
   first, and then every so many: the others would only be more of the same. */
enum { FAIL_FIRST = 5, FAIL_EVERY = 8 };

static bool is_one_of_many(const void *const *asked_by, long n) {
    long before = 0;
    for (long k = 1; k < n; ++k)
        before += asked_by[k] == asked_by[n];
    return before >= FAIL_FIRST && before % FAIL_EVERY != 0;
}

static void fail_each_allocation(Job job, const void *what, long least) {
    fail_allocations_of_libraries();
    JnMessage message = {0};
    failing = 0;
    JnStatus plain = job(what, &message);
    if (plain != JN_OK)
        printf("%s\n", message.text);
    CHECK(plain == JN_OK);
    static const void *asked_by[SITES_MOST];
    memcpy(asked_by, sites, sizeof sites);
    long total = allocations, tried = 0, refused = 0;
    CHECK(total > least && total < SITES_MOST);
    for (long n = 1; n <= total; ++n) {
        if (is_one_of_many(asked_by, n))
            continue;
        ++tried;
        failing = n;
        JnStatus status = job(what, &message);
        /* many are made up for: a second ordering that is not tried, each time a solver is made, a factor in single
           precision, a checkpoint that is not written */
        if (status != JN_OK && status != JN_ERR_MEMORY)
            printf("allocation %ld: %s: %s\n", n, jn_status_name(status), message.text);
        CHECK(status == JN_OK || status == JN_ERR_MEMORY);
        CHECK(status == JN_OK || message.text[0] != '\0');
        refused += status != JN_OK;
    }
    failing = 0;
    CHECK(refused > tried / 3);
    CHECK(job(what, &message) == JN_OK);
}

static void fail_each_allocation_of(Some some) {
    fail_each_allocation(bake_some, &some, 300);
    remove(some.path);
}

SANITIZED_TEST(bake_with_every_allocation_failing_once_returns_a_status) {
    fail_each_allocation_of((Some){JN_TEST_OUTPUT "/out_of_memory.abc", SOLIDS, SPRINGS});
}

SANITIZED_TEST(bake_of_springs_with_every_allocation_failing_once_returns_a_status) {
    fail_each_allocation_of((Some){JN_TEST_OUTPUT "/out_of_memory_springs.abc", SPRINGS, BODIES});
}

SANITIZED_TEST(bake_by_the_stand_in_with_every_allocation_failing_once_returns_a_status) {
    refuse_steps = true;
    fail_each_allocation_of((Some){JN_TEST_OUTPUT "/out_of_memory_stand_in.abc", SOLIDS, SOLIDS + 1});
    refuse_steps = false;
}

/* Two frames of a bar with a fast end that falls on a floor. */
static JnStatus bake_fast_end(const void *what, JnMessage *message) {
    (void)what;
    OneBody scene;
    JnBake *bake = NULL;
    long failing_kept = failing;
    failing = 0;
    JnStatistics statistics = {.struct_size = sizeof statistics};
    one_body_init(&scene, tet_box_make(12, 1, 1, 0.1));
    one_body_pin(&scene);
    float fast[100];
    JnRegion regions[] = {scene.pin, scene.pin};
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        fast[v] = scene.box.positions[3 * v] > 1.15;
    regions[1].effect = "fast";
    regions[1].value = 8;
    regions[1].weights = fast;
    scene.body.regions = regions;
    scene.body.region_count = 2;
    scene.desc.gravity[1] = -9.81;
    scene.body.material.law = "linear";
    scene.desc.frame_count = 2;
    scene.desc.steps_per_frame = 1;
    scene.desc.collider_count = 1;
    scene.collider.point[1] = -0.005;
    failing = failing_kept;
    allocations = 0;
    JnStatus status = jn_bake_begin(&scene.desc, &bake, message);
    if (status == JN_OK && bake->model.stepper == bake->model.integrator)
        status = status_fail(message, JN_ERR_ORDER, "there is no fast region");
    if (status == JN_OK)
        status = advance_frames(bake, 2, message);
    if (status == JN_OK)
        status = jn_bake_statistics(bake, &statistics, message);
    if (status == JN_OK && statistics.fast_touch_steps == 0)
        status = status_fail(message, JN_ERR_ORDER, "the fast region does not touch at its own rate");
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return status;
}

SANITIZED_TEST(bake_with_fast_regions_with_every_allocation_failing_once_returns_a_status) {
    fail_each_allocation(bake_fast_end, NULL, 300);
}

/* The modes of a floating box, found by ARPACK; those of a pinned one of few vertices, by LAPACK. `what`: whether it is
   pinned. */
static JnStatus find_modes(const void *what, JnMessage *message) {
    bool pinned = *(const bool *)what;
    OneBody scene;
    JnModes *modes = NULL;
    long failing_kept = failing;
    failing = 0;
    one_body_init(&scene, tet_box_make(pinned ? 2 : 5, 4, 4, 0.1));
    if (pinned)
        one_body_pin(&scene);
    scene.desc.consistent_mass = pinned;
    failing = failing_kept;
    allocations = 0;
    JnStatus status = jn_bake_modes(&scene.desc, 3, &modes, message);
    if (status == JN_OK && jn_modes_count(modes) < (pinned ? 3 : 9))
        status = JN_ERR_ORDER;
    jn_modes_free(modes);
    one_body_free(&scene);
    return status;
}

SANITIZED_TEST(modes_with_every_allocation_failing_once_return_a_status) {
    fail_each_allocation(find_modes, &(bool){false}, 100);
}

SANITIZED_TEST(modes_of_few_vertices_with_every_allocation_failing_once_return_a_status) {
    fail_each_allocation(find_modes, &(bool){true}, 100);
}

/* Makes, factors and solves a system that is not symmetric. */
static JnStatus solve_unsymmetric(const TetBox *box, JnMessage *message) {
    BlockMatrix matrix;
    Solver *solver = NULL;
    bool regular = false;
    double x[3 * 12] = {1};
    VertexGroups tets = vertex_groups_of_tets(box->tets, box->tet_count);
    JnStatus status = block_matrix_build(box->vertex_count, &tets, 1, &matrix, message);
    if (status == JN_OK)
        status = block_matrix_make_unsymmetric(&matrix, message);
    for (uint32_t v = 0; status == JN_OK && v < box->vertex_count; ++v)
        block_matrix_add(&matrix, v, v, (const double[9]){2, 1, 0, -1, 2, 0, 0, 0, 1});
    if (status == JN_OK)
        status = solver_create(&(SolverDesc){.pattern = &matrix, .kind = SOLVER_UNSYMMETRIC}, &solver, message);
    if (status == JN_OK)
        status = solver_factor(solver, &matrix, NULL, &regular, message);
    if (status == JN_OK)
        status = regular ? solver_solve(solver, x, x, 1, message) : JN_ERR_DIVERGED;
    solver_destroy(solver);
    block_matrix_free(&matrix);
    return status;
}

/* Whether `solve` returns a clean status when any one of its allocations fails. */
static int survives_every_failure(JnStatus (*solve)(const TetBox *box, JnMessage *message)) {
    SuiteSparse_config.malloc_func = __wrap_malloc;
    SuiteSparse_config.calloc_func = __wrap_calloc;
    SuiteSparse_config.realloc_func = __wrap_realloc;
    JnMessage message;
    failing = 0;
    TetBox box = tet_box_make(2, 1, 1, 1);
    allocations = 0;
    int ok = box.vertex_count == 12 && solve(&box, &message) == JN_OK;
    long total = allocations, refused = 0;
    for (long n = 1; ok && n <= total; ++n) {
        failing = n;
        allocations = 0;
        JnStatus status = solve(&box, &message);
        ok = status == JN_OK || (status == JN_ERR_MEMORY && message.text[0] != '\0');
        refused += status != JN_OK;
    }
    failing = 0;
    tet_box_free(&box);
    return ok && refused > 20; /* an ordering that fails leaves two others */
}

TEST(unsymmetric_solve_with_every_allocation_failing_once_returns_a_status) {
    CHECK(survives_every_failure(solve_unsymmetric));
}

/* Factors in single and in double precision, reuses and solves a system with pairs of vertices. */
static JnStatus solve_with_pairs(const TetBox *box, JnMessage *message) {
    BlockMatrix matrix;
    PairBlocks pairs = {.blocks = NULL};
    Solver *solver = NULL;
    bool positive_definite = false;
    double x[3 * 12] = {1};
    const double block[9] = {2, 1, 0, 1, 2, 0, 0, 0, 1};
    const uint32_t last[] = {1, 7, 10};
    VertexGroups tets = vertex_groups_of_tets(box->tets, box->tet_count);
    JnStatus status = block_matrix_build(box->vertex_count, &tets, 1, &matrix, message);
    for (uint32_t v = 0; status == JN_OK && v < box->vertex_count; ++v)
        block_matrix_add(&matrix, v, v, block);
    if (status == JN_OK)
        status = solver_create(&(SolverDesc){.pattern = &matrix, .last = last, .last_count = 3}, &solver, message);
    if (status == JN_OK && (!pair_blocks_add(&pairs, 1, 1, block) || !pair_blocks_add(&pairs, 7, 7, block)))
        status = status_no_memory(message, "the pairs");
    for (int precision = 0; status == JN_OK && precision < 2; ++precision) {
        status = precision == 0
                     ? solver_factor_mixed(solver, &matrix, &pairs, box->positions, &positive_definite, message)
                     : solver_factor(solver, &matrix, &pairs, &positive_definite, message);
        if (status == JN_OK)
            status = positive_definite ? solver_solve(solver, x, x, 1, message) : JN_ERR_DIVERGED;
        if (status == JN_OK)
            status = solver_update(solver, &matrix, &pairs, box->positions, &positive_definite, message);
        if (status == JN_OK)
            status = positive_definite ? solver_solve(solver, x, x, 1, message) : JN_ERR_DIVERGED;
    }
    solver_destroy(solver);
    pair_blocks_free(&pairs);
    block_matrix_free(&matrix);
    return status;
}

TEST(solve_with_pairs_with_every_allocation_failing_once_returns_a_status) {
    CHECK(survives_every_failure(solve_with_pairs));
}
