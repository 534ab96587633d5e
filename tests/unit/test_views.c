/* Several views of one system at once: two times, two sets of unknowns, two matrices, elements of a subset, and what a
   force term may do beside pushing. */
#include "harness.h"
#include "random.h"
#include "small_system.h"
#include "views.h"

#include "base/status.h"
#include "integrate/newton.h"

enum { MOST = 60 };

/* The pose of the bar, shaken. */
static void shake(const SmallSystem *small, double amount, double *q) {
    uint64_t seed = 5;
    for (size_t i = 0; i < 3 * (size_t)small->system.vertex_count; ++i)
        q[i] = small->rest[i] + amount * random_signed(&seed);
}

static View *another_view(SmallSystem *small, ViewDesc desc) {
    View *view = NULL;
    desc.system = &small->system;
    if (view_create(&desc, &view, NULL) == JN_OK)
        view_set_time(view, 0, 0);
    return view;
}

TEST(views_at_two_times_do_not_disturb_each_other) {
    SmallSystem small;
    CHECK(small_system_bar(&small, &(SmallBar){.swing = 0.1, .stiffening = 3, .rest_follows = 0.8}));
    double q[MOST], early[MOST], late[MOST], again[MOST];
    shake(&small, 0.01, q);
    View *one = another_view(&small, (ViewDesc){.roles = small.roles});
    View *two = another_view(&small, (ViewDesc){.roles = small.roles});
    CHECK(one && two);
    view_set_time(two, 0.4, 0.5);
    view_set_load_part(one, 0.5);
    size_t bytes = 3 * (size_t)small.system.vertex_count * sizeof(double);
    forces_of(one, q, NULL, early);
    forces_of(two, q, NULL, late);
    forces_of(one, q, NULL, again);
    CHECK(memcmp(early, late, bytes) != 0);
    CHECK(memcmp(early, again, bytes) == 0);
    forces_of(two, q, NULL, again);
    CHECK(memcmp(late, again, bytes) == 0);
    CHECK(one->prescribed_positions[1] != two->prescribed_positions[1]);
    view_destroy(one);
    view_destroy(two);
    small_system_free(&small);
}

TEST(elements_of_disjoint_subsets_add_up_to_the_whole) {
    SmallSystem small;
    CHECK(small_system_bar(&small, &(SmallBar){.stiffness_damping = 0.01, .mass_damping = 2}));
    size_t n = 3 * (size_t)small.system.vertex_count;
    double q[MOST], v[MOST], whole[MOST], sum[MOST] = {0}, parts[3];
    uint8_t marked[MOST / 3];
    uint64_t seed = 9;
    shake(&small, 0.01, q);
    for (size_t i = 0; i < n; ++i)
        v[i] = random_signed(&seed);
    for (size_t k = 0; k < n / 3; ++k)
        marked[k] = small.rest[3 * k] > 0.15;
    forces_of(small.view, q, v, whole);
    const SubsetRule rules[] = {SUBSET_NONE, SUBSET_MIXED, SUBSET_EVERY};
    for (int k = 0; k < 3; ++k) {
        double part[MOST];
        View *view = another_view(&small, (ViewDesc){.roles = small.roles, .subset = {marked, rules[k]}});
        CHECK(view);
        forces_of(view, q, v, part);
        parts[k] = potential_of(view, q);
        double largest = 0;
        for (size_t i = 0; i < n; ++i) {
            sum[i] += part[i];
            largest = fmax(largest, fabs(part[i]));
        }
        CHECK(largest > 1e-3);
        view_destroy(view);
    }
    for (size_t i = 0; i < n; ++i)
        CHECK_NEAR(sum[i], whole[i], 1e-9);
    CHECK_NEAR(parts[0] + parts[1] + parts[2], potential_of(small.view, q), 1e-9);
    View *any = another_view(&small, (ViewDesc){.roles = small.roles, .subset = {marked, SUBSET_ANY}});
    CHECK(any);
    CHECK_NEAR(parts[1] + parts[2], potential_of(any, q), 1e-9);
    view_destroy(any);
    small_system_free(&small);
}

TEST(stiffness_for_products_stands_beside_the_matrix_of_a_step) {
    for (int consistent = 0; consistent < 2; ++consistent) {
        SmallSystem small;
        CHECK(small_system_bar(&small, &(SmallBar){.consistent_mass = consistent}));
        View *view = small.view;
        size_t n = 3 * (size_t)small.system.vertex_count;
        double q[MOST], x[MOST], b[MOST], Kx[MOST], Mx[MOST], solved[MOST], h = 0.02, largest = 0;
        uint64_t seed = 3;
        shake(&small, 0.005, q);
        Jacobian *stiffness;
        CHECK(jacobian_create(view, &stiffness, NULL) == JN_OK);
        view_set_time(view, 0, h);
        CHECK(jacobian_assemble(stiffness, q, NULL, &(JacobianScales){.stiffness = 1}, STIFFNESS_RAW, NULL, NULL) ==
              JN_OK);
        CHECK(jacobian_factor(view->jacobian, q, NULL, &(JacobianScales){1, h, h * h, CONTACTS_HERE},
                              (StiffnessTreatment){.first = STIFFNESS_RAW}, NULL, NULL) == JN_OK);
        CHECK(view->jacobian->kind == STIFFNESS_RAW);
        for (size_t i = 0; i < n; ++i)
            x[i] = view_is_free(view, i / 3) ? random_signed(&seed) : 0;
        /* b = M x + h^2 K x, by the two products, is what the step's matrix takes back to x */
        Operator K = jacobian_operator(stiffness);
        CHECK(K.n == n);
        CHECK(K.apply(K.self, x, Kx, NULL) == JN_OK);
        system_multiply_mass(&small.system, x, Mx);
        for (size_t i = 0; i < n; ++i) {
            b[i] = Mx[i] + h * h * Kx[i];
            largest = fmax(largest, fabs(Kx[i]));
        }
        CHECK(largest > 1);
        CHECK(jacobian_solve(view->jacobian, b, solved, NULL) == JN_OK);
        CHECK(view_divide_by_mass(view, Mx, NULL) == JN_OK);
        for (size_t i = 0; i < n; ++i) {
            CHECK_NEAR(solved[i], x[i], 1e-6);
            CHECK_NEAR(Mx[i], x[i], 1e-9);
        }
        jacobian_destroy(stiffness);
        small_system_free(&small);
    }
}

/* L moves on at one velocity. */
static void glide(void *owner, const Moment *moment, double *q, double *v) {
    const SmallSystem *small = owner;
    for (size_t k = 0; k < small->system.vertex_count; ++k)
        if (small->roles[k] == VERTEX_FREE && small->rest[3 * k] < 0.15) {
            q[3 * k] = small->rest[3 * k] + 0.5 * moment->time;
            v[3 * k] = 0.5;
        }
}

TEST(vertices_that_are_solved_elsewhere_move_as_they_are_told) {
    SmallSystem small;
    CHECK(small_system_bar(&small, &(SmallBar){.swing = 0.1}));
    uint8_t roles[MOST / 3];
    size_t elsewhere = 0, pinned = 0;
    for (size_t k = 0; k < small.system.vertex_count; ++k) {
        roles[k] = small.roles[k] == VERTEX_FREE && small.rest[3 * k] < 0.15 ? VERTEX_ELSEWHERE : small.roles[k];
        elsewhere += roles[k] == VERTEX_ELSEWHERE;
        pinned += roles[k] == VERTEX_PINNED;
    }
    CHECK(elsewhere > 0 && pinned > 0);
    View *view = another_view(&small, (ViewDesc){.roles = roles, .elsewhere = glide, .elsewhere_owner = &small});
    CHECK(view && view_make_jacobian(view, true, NULL) == JN_OK);
    const void *found;
    void *self;
    CHECK(table_find(&integrator_table, "be", "test", &found, NULL) == JN_OK);
    const Integrator *be = found;
    CHECK(be->prepare(view, &(MethodOptions){.variant = be->variant}, &self, NULL) == JN_OK);
    double q[MOST], v[MOST] = {0}, moved = 0;
    shake(&small, 0, q);
    StepReport report;
    State state = {q, v, 0};
    CHECK(be->step(self, view, &state, 0.1, &report, NULL) == JN_OK);
    for (size_t k = 0; k < small.system.vertex_count; ++k) {
        if (roles[k] == VERTEX_ELSEWHERE)
            CHECK_NEAR(q[3 * k], small.rest[3 * k] + 0.05, 1e-15);
        if (roles[k] == VERTEX_PINNED)
            CHECK_NEAR(q[3 * k + 1], small.rest[3 * k + 1] + 0.1 * (1 - cos(0.3)), 1e-15);
        if (roles[k] == VERTEX_FREE)
            moved = fmax(moved, fabs(q[3 * k] - small.rest[3 * k]));
    }
    CHECK(moved > 0.01); /* pushed along by the others */
    be->destroy(self);
    view_destroy(view);
    small_system_free(&small);
}

/* ------------------------------------------------------------------------------------------------ a term that can do
 * all */

/* A wall that no vertex may pass: it has no force, refuses steps through x, counts how often a step began, and has no
   value inside. */
typedef struct Wall {
    uint32_t vertex_count;
    double x, thickness;
} Wall;

typedef struct WallLag {
    uint32_t begun;
    double start[MOST];
} WallLag;

static JnStatus wall_evaluate(void *self, const void *lag, Evaluation *e, JnMessage *message) {
    const Wall *wall = self;
    (void)lag;
    for (uint32_t v = 0; v < wall->vertex_count; ++v)
        if (e->q[3 * v] >= wall->x && e->q[3 * v] < wall->x + wall->thickness)
            return status_fail(message, JN_ERR_DIVERGED, "vertex %u is in the wall", v);
    return JN_OK;
}

static void *wall_lag_create(const void *self) {
    (void)self;
    return calloc(1, sizeof(WallLag));
}

static JnStatus wall_begin_step(const void *self, void *lag, const StepScope *scope, const StepStart *start,
                                JnMessage *message) {
    const Wall *wall = self;
    WallLag *lagged = lag;
    (void)scope, (void)message;
    ++lagged->begun;
    if (!start->within)
        memcpy(lagged->start, start->q, 3 * (size_t)wall->vertex_count * sizeof *lagged->start);
    return JN_OK;
}

static JnStatus wall_check_way(const void *self, void *lag, const StepScope *scope, const double *q, bool may_cross,
                               double *free_part, JnMessage *message) {
    const Wall *wall = self;
    const double *start = ((const WallLag *)lag)->start;
    (void)scope, (void)may_cross, (void)message;
    for (uint32_t v = 0; v < wall->vertex_count; ++v)
        if (start[3 * v] < wall->x && q[3 * v] >= wall->x)
            *free_part = fmin(*free_part, 0.9 * (wall->x - start[3 * v]) / (q[3 * v] - start[3 * v]));
    return JN_OK;
}

static bool wall_lag_archive(void *lag, Archive *archive) {
    return archive_piece(archive, lag, sizeof(WallLag));
}

static const TermOperations wall_operations = {.name = "wall",
                                               .role = TERM_CONTACT,
                                               .has_potential = true,
                                               .evaluate = wall_evaluate,
                                               .destroy = free,
                                               .lag_create = wall_lag_create,
                                               .lag_destroy = free,
                                               .begin_step = wall_begin_step,
                                               .check_way = wall_check_way,
                                               .lag_archive = wall_lag_archive};

static int add_wall(SmallSystem *small, double x, double thickness) {
    Wall *wall = malloc(sizeof *wall);
    *wall = (Wall){small->system.vertex_count, x, thickness};
    return small_system_add(small, (ForceTerm){&wall_operations, wall});
}

TEST(step_of_any_integrator_through_a_wall_is_refused_unless_it_may_cross) {
    for (uint32_t m = 0; m < integrator_table.count; ++m) {
        const Integrator *method = (const Integrator *)integrator_table.items + m;
        SmallSystem small;
        CHECK(small_system_bar(&small, &(SmallBar){0}) && add_wall(&small, 0.43, 0.005));
        double q[MOST], v[MOST], farthest = 0;
        void *self;
        StepReport report;
        JnMessage message = {0};
        State state = {q, v, 0};
        shake(&small, 0, q);
        for (size_t k = 0; k < small.system.vertex_count; ++k)
            v[3 * k] = 10 * small.rest[3 * k], v[3 * k + 1] = v[3 * k + 2] = 0;
        CHECK(method->prepare(small.view, &(MethodOptions){.variant = method->variant, .spectral_radius = 0.8}, &self,
                              &message) == JN_OK);
        JnStatus status = method->step(self, small.view, &state, 0.05, &report, &message);
        if (status == JN_OK)
            status = view_check_way(small.view, q, false, &message);
        for (size_t k = 0; k < small.system.vertex_count; ++k)
            farthest = fmax(farthest, q[3 * k]);
        if (status == JN_OK)
            CHECK(farthest < 0.43);
        else /* the step is to be cut */
            CHECK(status == JN_ERR_DIVERGED && message.text[0]);
        if (farthest >= 0.43)
            CHECK(view_check_way(small.view, q, true, &message) == JN_OK);
        method->destroy(self);
        small_system_free(&small);
    }
}

TEST(term_that_has_no_value_fails_the_evaluation) {
    SmallSystem small;
    CHECK(small_system_bar(&small, &(SmallBar){0}) && add_wall(&small, 0.3, 1));
    double force[MOST], energy;
    JnMessage message = {0};
    view_set_time(small.view, 0, 0);
    CHECK(view_force(small.view, ALL_TERM_ROLES, small.rest, NULL, force, &message) == JN_ERR_DIVERGED);
    CHECK_STR_HAS(message.text, "is in the wall");
    CHECK(view_stored_energy(small.view, ALL_TERM_ROLES, small.rest, &energy, &message) == JN_ERR_DIVERGED);
    CHECK(jacobian_factor(small.view->jacobian, small.rest, NULL, &(JacobianScales){1, 0, 1e-4, CONTACTS_HERE},
                          view_treatment(small.view), NULL, &message) == JN_ERR_DIVERGED);
    /* Newton's method passes the term's own sentence on */
    Newton *newton;
    NewtonReport report;
    double x[MOST];
    message = (JnMessage){0};
    memcpy(x, small.rest, 3 * small.system.vertex_count * sizeof *x);
    CHECK(newton_create(small.view, &newton, NULL) == JN_OK);
    CHECK(newton_solve(newton, small.view, &(NewtonProblem){.mass = 0}, &newton_usual_limits, x, &report, &message) ==
          JN_ERR_DIVERGED);
    CHECK_STR_HAS(message.text, "is in the wall");
    newton_destroy(newton);
    /* a view of other terms does not ask it */
    View *elastic = another_view(&small, (ViewDesc){.term_roles = TERM_ROLE_BIT(TERM_ELASTIC)});
    CHECK(elastic && view_force(elastic, ALL_TERM_ROLES, small.rest, NULL, force, &message) == JN_OK);
    view_destroy(elastic);
    small_system_free(&small);
}

TEST(vertices_that_are_solved_elsewhere_stay_without_a_motion) {
    SmallSystem small;
    CHECK(small_system_bar(&small, &(SmallBar){.swing = 0.1}));
    uint8_t roles[MOST / 3];
    for (size_t k = 0; k < small.system.vertex_count; ++k)
        roles[k] = small.rest[3 * k] > 0.25 ? VERTEX_ELSEWHERE : small.roles[k];
    View *view = another_view(&small, (ViewDesc){.roles = roles});
    double q[MOST];
    shake(&small, 0.01, q);
    CHECK(view);
    view_set_time(view, 0, 0.5);
    CHECK(view_begin_step(view, &(StepStart){q, q, 0.5, false}, NULL) == JN_OK);
    for (size_t i = 0; i < 3 * (size_t)small.system.vertex_count; ++i)
        if (roles[i / 3] == VERTEX_ELSEWHERE)
            CHECK(view->prescribed_positions[i] == q[i] && view->prescribed_velocities[i] == 0);
    view_destroy(view);
    small_system_free(&small);
}

TEST(matrix_that_another_view_has_written_is_not_solved_with) {
    SmallSystem small;
    CHECK(small_system_bar(&small, &(SmallBar){0}));
    View *one = small.view, *two = another_view(&small, (ViewDesc){.roles = small.roles});
    double x[MOST] = {0};
    const JacobianScales scales = {1, 0, 1e-4, CONTACTS_HERE};
    CHECK(two && view_share_jacobian(two, one->jacobian, NULL) == JN_OK);
    CHECK(two->jacobian->linear == one->jacobian->linear);
    view_set_time(one, 0, 0);
    CHECK(jacobian_factor(one->jacobian, small.rest, NULL, &scales, view_treatment(one), NULL, NULL) == JN_OK);
    CHECK(jacobian_factor(two->jacobian, small.rest, NULL, &scales, view_treatment(two), NULL, NULL) == JN_OK);
    CHECK(jacobian_solve(two->jacobian, x, x, NULL) == JN_OK);
    CHECK(jacobian_solve(one->jacobian, x, x, NULL) == JN_ERR_ORDER);
    view_destroy(two);
    small_system_free(&small);
}

TEST(term_that_comes_after_a_view_is_refused) {
    SmallSystem small;
    JnMessage message = {0};
    CHECK(small_system_bar(&small, &(SmallBar){0}));
    Wall *wall = calloc(1, sizeof *wall);
    *system_next_term(&small.system) = (ForceTerm){&wall_operations, wall};
    CHECK(system_keep_term(&small.system, JN_OK, &message) == JN_ERR_ORDER);
    small_system_free(&small);
}

/* As the wall, which is the last term, counts them. */
static uint64_t steps_begun(const View *view) {
    return ((const WallLag *)view->lags[view->system->term_count - 1])->begun;
}

TEST(views_lag_contacts_each_by_itself_and_archive_them) {
    SmallSystem small;
    CHECK(small_system_bar(&small, &(SmallBar){0}) && add_wall(&small, 9, 1));
    View *one = small.view, *two = another_view(&small, (ViewDesc){.roles = small.roles});
    const StepStart start = {small.rest, small.rest, 0.1, false};
    MemoryArchive archive = {.bytes = NULL};
    CHECK(two);
    for (int k = 0; k < 3; ++k)
        CHECK(view_begin_step(one, &start, NULL) == JN_OK);
    CHECK(steps_begun(one) == 3 && steps_begun(two) == 0);
    CHECK(view_archive(one, memory_archive_save(&archive)));
    CHECK(view_begin_step(one, &start, NULL) == JN_OK && steps_begun(one) == 4);
    CHECK(view_archive(one, memory_archive_load(&archive)));
    CHECK(steps_begun(one) == 3);
    CHECK(!view_archive(one, &archive.archive)); /* nothing is left to load */
    memory_archive_free(&archive);
    view_destroy(two);
    small_system_free(&small);
}

/* ------------------------------------------------------------------------------------------------ pairs outside the
 * pattern */

/* A spring of length 0 between two vertices that no element couples; which ones is decided when a step begins. */
typedef struct Rope {
    uint32_t ends[2];
    double stiffness;
} Rope;

typedef struct RopeLag {
    uint32_t ends[2];
} RopeLag;

static JnStatus rope_evaluate(void *self, const void *lagged, Evaluation *e, JnMessage *message) {
    const Rope *rope = self;
    const RopeLag *lag = lagged;
    for (size_t i = 0; e->force && i < 3; ++i) {
        double pull = rope->stiffness * (e->q[3 * lag->ends[0] + i] - e->q[3 * lag->ends[1] + i]);
        e->force[3 * lag->ends[0] + i] -= pull;
        e->force[3 * lag->ends[1] + i] += pull;
    }
    double k = e->stiffness_scale * rope->stiffness, along[9] = {k, 0, 0, 0, k, 0, 0, 0, k}, across[9];
    for (int i = 0; i < 9; ++i)
        across[i] = -along[i];
    bool ok = !e->pairs || (pair_blocks_add(e->pairs, lag->ends[0], lag->ends[0], along) &&
                            pair_blocks_add(e->pairs, lag->ends[1], lag->ends[1], along) &&
                            pair_blocks_add(e->pairs, lag->ends[0], lag->ends[1], across));
    if (!ok && message)
        message->status = JN_ERR_MEMORY;
    return ok ? JN_OK : JN_ERR_MEMORY;
}

static void *rope_lag_create(const void *self) {
    (void)self;
    return calloc(1, sizeof(RopeLag));
}

static JnStatus rope_begin_step(const void *self, void *lag, const StepScope *scope, const StepStart *start,
                                JnMessage *message) {
    const Rope *rope = self;
    (void)scope, (void)start, (void)message;
    memcpy(((RopeLag *)lag)->ends, rope->ends, sizeof rope->ends);
    return JN_OK;
}

static void rope_mark_coupled(const void *self, const void *lag, uint8_t *marks) {
    (void)self;
    for (int end = 0; end < 2; ++end)
        marks[((const RopeLag *)lag)->ends[end]] = COUPLED_ACROSS;
}

static const TermOperations rope_operations = {.name = "rope",
                                               .role = TERM_CONTACT,
                                               .has_potential = false,
                                               .evaluate = rope_evaluate,
                                               .destroy = free,
                                               .lag_create = rope_lag_create,
                                               .lag_destroy = free,
                                               .begin_step = rope_begin_step,
                                               .mark_coupled = rope_mark_coupled};

/* Whether the step's matrix solves to what its product, pairs included, takes back to b; and they matter. */
static void check_solve_with_pairs(SmallSystem *small) {
    View *view = small->view;
    size_t n = 3 * (size_t)small->system.vertex_count;
    double b[MOST], x[MOST], product[MOST], elastic[MOST], h = 0.02, difference = 0;
    uint64_t seed = 21;
    for (size_t i = 0; i < n; ++i)
        b[i] = view_is_free(view, i / 3) ? random_signed(&seed) : 0;
    view_set_time(view, 0, h);
    CHECK(view_begin_step(view, &(StepStart){small->rest, b, h, false}, NULL) == JN_OK);
    CHECK(jacobian_update(view->jacobian, small->rest, NULL, &(JacobianScales){1, h, h * h, CONTACTS_HERE},
                          view_treatment(view), NULL, NULL) == JN_OK);
    CHECK(view->jacobian->linear->pairs.count == 3);
    CHECK(jacobian_solve(view->jacobian, b, x, NULL) == JN_OK);
    jacobian_multiply(view->jacobian, x, product);
    block_matrix_multiply(&view->jacobian->linear->matrix, x, elastic);
    for (size_t i = 0; i < n; ++i) {
        if (view_is_free(view, i / 3))
            CHECK_NEAR(product[i], b[i], 1e-7);
        difference = fmax(difference, fabs(product[i] - elastic[i]));
    }
    CHECK(difference > 1e-3);
}

TEST(pairs_that_no_element_couples_enter_the_matrix_of_a_step) {
    SmallSystem small;
    CHECK(small_system_bar(&small, &(SmallBar){0}));
    Rope *rope = malloc(sizeof *rope);
    /* free vertices at two ends of the bar */
    uint32_t far[2] = {0, 0};
    for (uint32_t v = 0; v < small.system.vertex_count; ++v) {
        far[0] = fabs(small.rest[3 * v] - 0.1) < 1e-9 ? v : far[0];
        far[1] = fabs(small.rest[3 * v] - 0.4) < 1e-9 ? v : far[1];
    }
    CHECK(far[0] != far[1]);
    *rope = (Rope){{far[0], far[1]}, 1e5};
    CHECK(small_system_add(&small, (ForceTerm){&rope_operations, rope}));
    check_solve_with_pairs(&small);
    /* other vertices: the solver makes room for them; and for both ends, in whatever order they are given */
    rope->ends[0] = far[1];
    rope->ends[1] = far[0] + 1;
    check_solve_with_pairs(&small);
    uint32_t last = 0;
    for (uint32_t v = 0; v < small.system.vertex_count; ++v)
        last += small.view->jacobian->linear->eliminated_last[v];
    CHECK(last == 3);

    /* what an archive restores has room for them too */
    MemoryArchive archive = {.bytes = NULL};
    CHECK(jacobian_archive(small.view->jacobian, memory_archive_save(&archive)));
    CHECK(small_system_open(&small, STIFFNESS_SAFE, NULL) == JN_OK);
    CHECK(jacobian_archive(small.view->jacobian, memory_archive_load(&archive)));
    CHECK(small.view->jacobian->linear->eliminated_last[far[0]] == 1);
    check_solve_with_pairs(&small);
    memory_archive_free(&archive);
    small_system_free(&small);
}
