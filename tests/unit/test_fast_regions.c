/* Methods with fast regions on small systems: where regions are, their step against all its equations written densely,
   what they keep, and where they lead as steps shrink. */
#include "dense_solve.h"
#include "harness.h"
#include "random.h"
#include "small_system.h"
#include "views.h"

#include "base/vectors.h"
#include "region/border_answer.h"
#include "region/fast_sets.h"
#include "region/regional.h"

enum { MOST = 60, UNKNOWNS_MOST = 16 * 3 * 6 };

/* ------------------------------------------------------------------------------------------------ where they are */

/* A row of vertices, each coupled with the next. */
static JnStatus build_row(uint32_t count, BlockMatrix *pattern) {
    uint32_t pairs[200];
    for (uint32_t k = 0; k + 1 < count; ++k) {
        pairs[2 * k] = k;
        pairs[2 * k + 1] = k + 1;
    }
    return block_matrix_build(count, &(VertexGroups){count - 1, 2, NULL, pairs}, 1, pattern, NULL);
}

/* ratios and roles, a character for each vertex of a row: 'P' is pinned, '.' slow, a digit its ratio. */
static FastSets sets_of(const char *row) {
    uint32_t count = (uint32_t)strlen(row), ratios[100] = {0};
    uint8_t roles[100] = {0};
    BlockMatrix pattern;
    FastSets sets = {0};
    for (uint32_t v = 0; v < count; ++v) {
        roles[v] = row[v] == 'P' ? VERTEX_PINNED : VERTEX_FREE;
        ratios[v] = row[v] >= '0' && row[v] <= '9' ? (uint32_t)(row[v] - '0') : 0;
    }
    if (build_row(count, &pattern) == JN_OK)
        fast_sets_build(&pattern, roles, ratios, &sets, NULL);
    block_matrix_free(&pattern);
    return sets;
}

TEST(fast_sets_have_a_border_and_what_holds_them) {
    FastSets sets = sets_of("..55P...");
    CHECK(sets.count == 1 && sets.slow_count == 5 && sets.hastened_vertex == UINT32_MAX);
    const FastSet *set = &sets.sets[0];
    CHECK(set->ratio == 5 && set->inside_count == 2 && set->border_count == 1 && set->vertex_count == 4);
    CHECK(set->vertices[0] == 1 && set->kinds[0] == FAST_BORDER && set->kinds[1] == FAST_INSIDE);
    CHECK(set->vertices[3] == 4 && set->kinds[3] == FAST_HELD && set->islands[3] == UINT32_MAX);
    CHECK(sets.marked[2] && sets.marked[3] && !sets.marked[1] && !sets.marked[4]);
    fast_sets_free(&sets);
}

TEST(fast_sets_islands_that_share_a_border_vertex_are_one) {
    FastSets sets = sets_of("33.33..3.P3P");
    CHECK(sets.count == 1);
    const FastSet *set = &sets.sets[0];
    CHECK(set->inside_count == 6 && set->border_count == 4 && set->island_count == 3 && set->longest_border == 2);
    fast_sets_free(&sets);
}

TEST(fast_regions_that_touch_take_the_largest_ratio) {
    FastSets sets = sets_of("..2277..4..1");
    CHECK(sets.count == 2 && sets.sets[0].ratio == 4 && sets.sets[1].ratio == 7);
    CHECK(sets.sets[1].inside_count == 4 && (sets.hastened_vertex == 2 || sets.hastened_vertex == 3));
    CHECK(sets.slow_count == 7); /* a ratio of 1 is slow */
    fast_sets_free(&sets);
}

TEST(fast_sets_may_be_none_or_all) {
    FastSets none = sets_of("..1P0"), all = sets_of("4444"), held = sets_of("P4P");
    CHECK(none.count == 0 && none.slow_count == 4);
    CHECK(all.count == 1 && all.sets[0].border_count == 0 && all.sets[0].island_count == 1 && all.slow_count == 0);
    CHECK(held.count == 1 && held.sets[0].inside_count == 1 && held.sets[0].border_count == 0);
    fast_sets_free(&none);
    fast_sets_free(&all);
    fast_sets_free(&held);
}

/* ------------------------------------------------------------------------------------------------ a bar */

/* The bar of small_system.h with the term of the borders. free: without pins. */
static int make_bar(SmallSystem *small, const SmallBar *bar, bool is_free) {
    if (!small_system_bar(small, bar))
        return 0;
    for (uint32_t v = 0; is_free && v < small->system.vertex_count; ++v)
        small->roles[v] = VERTEX_FREE;
    ForceTerm term;
    return border_answer_create(small->system.vertex_count, &term, NULL) == JN_OK && small_system_add(small, term);
}

/* Ratio m beyond x, and n beyond `farther`. */
static void paint(const SmallSystem *small, double x, uint32_t m, double farther, uint32_t n, uint32_t *ratios) {
    for (uint32_t v = 0; v < small->system.vertex_count; ++v)
        ratios[v] = small->rest[3 * v] > farther ? n : small->rest[3 * v] > x ? m : 1;
}

static const Integrator *find_method(const char *name) {
    const void *found = NULL;
    table_find(&integrator_table, name, "test", &found, NULL);
    return found;
}

/* `steps` steps of h from *state. */
static JnStatus advance(SmallSystem *small, const char *name, const uint32_t *ratios, State *state, double h, int steps,
                        JnMessage *message) {
    const Integrator *method = find_method(name);
    method = ratios ? regional_method(method) : method;
    void *self = NULL;
    StepReport report;
    JnStatus status =
        method->prepare(small->view, &(MethodOptions){.variant = method->variant, .ratios = ratios}, &self, message);
    for (int k = 0; status == JN_OK && k < steps; ++k)
        status = method->step(self, small->view, state, h, &report, message);
    if (self)
        method->destroy(self);
    return status;
}

static void shake(const SmallSystem *small, double amount, double speed, double *q, double *v) {
    uint64_t seed = 5;
    for (size_t i = 0; i < 3 * (size_t)small->system.vertex_count; ++i) {
        bool is_free = small->roles[i / 3] == VERTEX_FREE;
        q[i] = small->rest[i] + (is_free ? amount * random_signed(&seed) : 0);
        v[i] = is_free ? speed * random_signed(&seed) : 0;
    }
}

static double distance(const double *a, const double *b, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; ++i)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* ------------------------------------------------------------------------------------------------ densely */

/* K and D of the elements of a view, [n * n], column by column from differences of forces, which are linear. */
static void dense_matrices(View *view, const double *q, size_t n, double *K, double *D) {
    double at[MOST], v[MOST] = {0}, one[MOST], other[MOST], step = 1e-4;
    memcpy(at, q, n * sizeof *at);
    for (size_t j = 0; j < n; ++j) {
        at[j] = q[j] + step;
        forces_of(view, at, NULL, one);
        at[j] = q[j] - step;
        forces_of(view, at, NULL, other);
        at[j] = q[j];
        for (size_t i = 0; i < n; ++i)
            K[i * n + j] = (other[i] - one[i]) / (2 * step);
        v[j] = 1;
        forces_of(view, q, v, one);
        v[j] = 0;
        forces_of(view, q, v, other);
        for (size_t i = 0; i < n; ++i)
            D[i * n + j] = other[i] - one[i];
    }
}

/* Where small step r begins is linearized: x and w of every vertex, for S on its way with the border at its velocities
   v of the start, one iteration of Newton's method in each small step. */
typedef struct Way {
    double q[MOST], v[MOST]; /* at the end of the last small step */
    double x[MOST], w[MOST]; /* free flight from there */
} Way;

static void follow_way(SmallSystem *small, View *any, const uint8_t *fast, const double *K, const double *D, double s,
                       Way *way, double *f) {
    static double A[MOST * MOST];
    double b[MOST];
    size_t n = 3 * (size_t)small->system.vertex_count, place[MOST], ns = 0;
    for (size_t i = 0; i < n; ++i) {
        bool held = small->roles[i / 3] != VERTEX_FREE;
        way->w[i] = held ? (any->prescribed_positions[i] - way->q[i]) / s : way->v[i];
        way->x[i] = way->q[i] + s * way->w[i];
        place[i] = !held && fast[i / 3] ? ns++ : SIZE_MAX;
    }
    forces_of(any, way->x, way->w, f);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; place[i] != SIZE_MAX && j < n; ++j)
            if (place[j] != SIZE_MAX) {
                A[place[i] * ns + place[j]] =
                    s * D[i * n + j] + s * s * K[i * n + j] + (i == j ? small->system.masses[i / 3] : 0);
                b[place[i]] = s * f[i];
            }
    dense_solve(A, b, ns, 1);
    for (size_t i = 0; i < n; ++i) {
        way->v[i] = way->w[i] + (place[i] != SIZE_MAX ? b[place[i]] : 0);
        way->q[i] += s * way->v[i];
    }
}

/* All equations of a large step with one fast region of ratio m, from q, v at time t to there: as section "with fast
   regions" of the engineers' notes writes them, unknowns the slow velocities and those of every small step. follows:
   forces are linear around the way of S, else around the start of the large step. */
static void dense_step(SmallSystem *small, const uint8_t *fast, uint32_t m, bool follows, double t, double h, double *q,
                       double *v) {
    static double Ka[MOST * MOST], Da[MOST * MOST], Kn[MOST * MOST], Dn[MOST * MOST], A[UNKNOWNS_MOST * UNKNOWNS_MOST];
    double b[UNKNOWNS_MOST] = {0}, f[MOST], s = h / m;
    size_t n = 3 * (size_t)small->system.vertex_count, place[MOST], nl = 0, ns = 0;
    View *any = NULL, *none = NULL;
    view_create(&(ViewDesc){.system = &small->system, .roles = small->roles, .subset = {fast, SUBSET_ANY}}, &any, NULL);
    view_create(&(ViewDesc){.system = &small->system, .roles = small->roles, .subset = {fast, SUBSET_NONE}}, &none,
                NULL);
    view_set_time(any, t, t + h);
    view_set_time(none, t, t + h);
    dense_matrices(any, q, n, Ka, Da);
    dense_matrices(none, q, n, Kn, Dn);
    for (size_t i = 0; i < n; ++i)
        if (small->roles[i / 3] == VERTEX_FREE)
            place[i] = fast[i / 3] ? ns++ : nl++;
    size_t count = nl + ns * m;
    memset(A, 0, count * count * sizeof *A);
    /* the slow part's own elements */
    forces_of(none, q, NULL, f);
    for (size_t i = 0; i < n; ++i) {
        if (small->roles[i / 3] != VERTEX_FREE || fast[i / 3])
            continue;
        double *row = A + place[i] * count;
        row[place[i]] += small->system.masses[i / 3];
        b[place[i]] += small->system.masses[i / 3] * v[i] + h * f[i];
        for (size_t j = 0; j < n; ++j) {
            double coupling = h * Dn[i * n + j] + h * h * Kn[i * n + j];
            if (small->roles[j / 3] != VERTEX_FREE)
                b[place[i]] -= coupling * (none->prescribed_positions[j] - q[j]) / h;
            else if (!fast[j / 3])
                row[place[j]] += coupling;
        }
    }
    /* the small steps: rows of S are their equations, rows of the border the impulses */
    double before[MOST];
    static Way way;
    memcpy(before, q, sizeof before);
    memcpy(way.q, q, sizeof way.q);
    memcpy(way.v, v, sizeof way.v);
    for (size_t r = 1; r <= m; ++r) {
        view_set_time(any, t + h * (double)(r - 1) / m, t + h * (double)r / m);
        forces_of(any, q, NULL, f);
        if (follows) {
            follow_way(small, any, fast, Ka, Da, s, &way, f);
            for (size_t i = 0; i < n; ++i)
                for (size_t j = 0; j < n; ++j)
                    f[i] += Ka[i * n + j] * (way.x[j] - q[j]) + Da[i * n + j] * way.w[j];
        }
        for (size_t i = 0; i < n; ++i) {
            if (small->roles[i / 3] != VERTEX_FREE)
                continue;
            size_t at = fast[i / 3] ? nl + (r - 1) * ns + place[i] : place[i];
            double *row = A + at * count;
            b[at] += s * f[i];
            if (fast[i / 3]) {
                row[at] += small->system.masses[i / 3];
                if (r > 1)
                    row[at - ns] -= small->system.masses[i / 3];
                else
                    b[at] += small->system.masses[i / 3] * v[i];
            }
            for (size_t j = 0; j < n; ++j) {
                double K = Ka[i * n + j], D = Da[i * n + j];
                if (small->roles[j / 3] != VERTEX_FREE) {
                    double moved = any->prescribed_positions[j] - q[j];
                    b[at] -= s * K * moved + D * (any->prescribed_positions[j] - before[j]);
                } else if (!fast[j / 3]) {
                    row[place[j]] += s * s * (double)r * K + s * D;
                } else {
                    for (size_t past = 1; past <= r; ++past)
                        row[nl + (past - 1) * ns + place[j]] += s * s * K;
                    row[nl + (r - 1) * ns + place[j]] += s * D;
                }
            }
        }
        for (size_t j = 0; j < n; ++j)
            if (small->roles[j / 3] != VERTEX_FREE)
                before[j] = any->prescribed_positions[j];
    }
    dense_solve(A, b, count, 1);
    for (size_t i = 0; i < n; ++i) {
        if (small->roles[i / 3] != VERTEX_FREE) {
            v[i] = (before[i] - q[i]) / h;
            q[i] = before[i];
            continue;
        }
        for (size_t r = 1; fast[i / 3] && r <= m; ++r)
            q[i] += s * b[nl + (r - 1) * ns + place[i]];
        v[i] = fast[i / 3] ? b[nl + (m - 1) * ns + place[i]] : b[place[i]];
        q[i] += fast[i / 3] ? 0 : h * v[i];
    }
    view_destroy(any);
    view_destroy(none);
}

/* Linear material, damping of both kinds, pins that move within the step; then stiffness and rest shape do, too, and
   the forces are followed. */
TEST(step_with_a_fast_region_solves_all_equations_of_its_small_steps) {
    for (int way = 0; way < 3; ++way) {
        SmallSystem small;
        bool damped = way > 0, changes = way > 1;
        CHECK(make_bar(&small,
                       &(SmallBar){.law = "linear",
                                   .swing = 0.3,
                                   .stiffening = changes ? 8 : 0,
                                   .rest_follows = changes ? 0.5 : 0,
                                   .stiffness_damping = damped ? 0.02 : 0,
                                   .mass_damping = damped ? 3 : 0},
                       false));
        uint32_t ratios[MOST / 3];
        uint8_t fast[MOST / 3];
        double q[MOST], v[MOST], expected[MOST], velocities[MOST], t = 0, h = 0.04;
        size_t n = 3 * (size_t)small.system.vertex_count;
        paint(&small, 0.15, 5, 9, 0, ratios);
        for (size_t k = 0; k < n / 3; ++k)
            fast[k] = ratios[k] > 1;
        /* backward Euler has every small step's own stiffness */
        for (int method = 0; method < (changes ? 1 : 2); ++method) {
            shake(&small, 0.01, 1, q, v);
            shake(&small, 0.01, 1, expected, velocities);
            dense_step(&small, fast, 5, changes, t, h, expected, velocities);
            JnMessage message = {0};
            State state = {q, v, t};
            CHECK(advance(&small, method ? "be" : "si", ratios, &state, h, 1, &message) == JN_OK);
            CHECK_NEAR(distance(q, expected, n), 0, 1e-8);
            CHECK_NEAR(distance(v, velocities, n), 0, 1e-6);
        }
        small_system_free(&small);
    }
}

/* ------------------------------------------------------------------------------------------------ what is kept */

TEST(region_that_covers_all_takes_small_steps_of_its_method) {
    SmallSystem small;
    CHECK(make_bar(&small, &(SmallBar){.law = "linear", .swing = 0.2, .stiffness_damping = 0.01}, false));
    uint32_t ratios[MOST / 3];
    double q[2][MOST], v[2][MOST];
    size_t n = 3 * (size_t)small.system.vertex_count;
    paint(&small, -1, 4, 9, 0, ratios);
    for (int way = 0; way < 2; ++way) {
        State state = {q[way], v[way], 0};
        shake(&small, 0.01, 1, q[way], v[way]);
        JnMessage message = {0};
        CHECK(advance(&small, "si", way ? ratios : NULL, &state, way ? 0.04 : 0.01, way ? 5 : 20, &message) == JN_OK);
    }
    CHECK_NEAR(distance(q[0], q[1], n), 0, 1e-7);
    for (size_t i = 0; i < n; ++i) /* pins have the mean velocity of a step */
        if (small.roles[i / 3] == VERTEX_FREE)
            CHECK_NEAR(v[0][i], v[1][i], 1e-5);
    small_system_free(&small);
}

/* A body that flies freely, of any material: both methods, two sets of regions. */
TEST(regions_keep_linear_momentum_to_rounding) {
    static const char *const laws[] = {"linear", "corotational", "stable_neohooke"};
    for (int k = 0; k < 6; ++k) {
        SmallSystem small;
        CHECK(make_bar(&small, &(SmallBar){.law = laws[k / 2], .stiffness_damping = 0.003}, true));
        uint32_t ratios[MOST / 3];
        double q[MOST], v[MOST], before[3] = {0}, after[3] = {0}, size = 0;
        size_t n = 3 * (size_t)small.system.vertex_count;
        small.gravity = 0;
        CHECK(small_system_open(&small, STIFFNESS_SAFE, NULL) == JN_OK);
        shake(&small, 0.004, 0.3, q, v);
        paint(&small, 0.35, 7, 9, 0, ratios);
        for (size_t i = 0; i < n / 3; ++i)
            if (small.rest[3 * i] < 0.05)
                ratios[i] = 3;
        for (size_t i = 0; i < n; ++i) {
            before[i % 3] += small.system.masses[i / 3] * v[i];
            size += small.system.masses[i / 3] * fabs(v[i]);
        }
        State state = {q, v, 0};
        JnMessage message = {0};
        CHECK(advance(&small, k % 2 ? "be" : "si", ratios, &state, 0.02, 10, &message) == JN_OK);
        for (size_t i = 0; i < n; ++i)
            after[i % 3] += small.system.masses[i / 3] * v[i];
        /* what Newton's method leaves of forces is smaller than what it stops at, but above rounding */
        for (int i = 0; i < 3; ++i)
            CHECK_NEAR(after[i], before[i], (k % 2 ? 1e-8 : 1e-12) * size);
        small_system_free(&small);
    }
}

/* Linear material, soft and stiff, no damping, up to 1,000 large steps. Parts that differ in stiffness: the dense
   chains of physics/test_async_couplings.c. */
TEST(regions_of_linear_material_never_gain_energy) {
    static const uint32_t RATIOS[] = {2, 13, 150};
    for (int k = 0; k < 6; ++k) {
        SmallSystem small;
        CHECK(make_bar(&small, &(SmallBar){.law = "linear", .young_modulus = k % 2 ? 2e7 : 2e3}, k < 3));
        uint32_t ratios[MOST / 3];
        double q[MOST], v[MOST], held = INFINITY;
        size_t n = 3 * (size_t)small.system.vertex_count;
        small.gravity = 0;
        CHECK(small_system_open(&small, STIFFNESS_SAFE, NULL) == JN_OK);
        paint(&small, 0.15, RATIOS[k % 3], 9, 0, ratios);
        shake(&small, 0.01, 1, q, v);
        const Integrator *method = regional_method(find_method("si"));
        void *self = NULL;
        StepReport report;
        State state = {q, v, 0};
        CHECK(method->prepare(small.view, &(MethodOptions){.variant = method->variant, .ratios = ratios}, &self,
                              NULL) == JN_OK);
        double first = system_kinetic_energy(&small.system, v) + potential_of(small.view, q);
        for (int step = 0; step < (k % 3 == 2 ? 100 : 1000); ++step) {
            CHECK(method->step(self, small.view, &state, 0.02, &report, NULL) == JN_OK);
            double energy = system_kinetic_energy(&small.system, v) + potential_of(small.view, q);
            CHECK(energy <= held + 1e-12 * first);
            held = energy;
        }
        CHECK(held < first);
        for (size_t i = 0; i < n; ++i)
            CHECK(isfinite(q[i]));
        method->destroy(self);
        small_system_free(&small);
    }
}

/* As the large step shrinks, the motion goes to that of tiny steps for all: by half with every halving. */
TEST(regions_lead_to_the_motion_of_tiny_steps) {
    static const char *const laws[] = {"linear", "corotational", "stable_neohooke"};
    for (int k = 0; k < 6; ++k) {
        SmallSystem small;
        CHECK(make_bar(&small, &(SmallBar){.law = laws[k / 2], .swing = 0.05, .stiffness_damping = 0.002}, false));
        uint32_t ratios[MOST / 3];
        double q[MOST], v[MOST], truth[MOST], off[3];
        size_t n = 3 * (size_t)small.system.vertex_count;
        paint(&small, 0.25, 4, 9, 0, ratios);
        State fine = {truth, v, 0};
        shake(&small, 0, 0, truth, v);
        JnMessage message = {0};
        CHECK(advance(&small, "midpoint", NULL, &fine, 0.001, 200, &message) == JN_OK);
        for (int halving = 0; halving < 3; ++halving) {
            State state = {q, v, 0};
            shake(&small, 0, 0, q, v);
            int steps = 40 << halving;
            CHECK(advance(&small, k % 2 ? "be" : "si", ratios, &state, 0.2 / steps, steps, &message) == JN_OK);
            off[halving] = distance(q, truth, n);
        }
        CHECK(off[1] < 0.65 * off[0] && off[2] < 0.6 * off[1] && off[2] < 2e-3);
        small_system_free(&small);
    }
}

TEST(fast_regions_with_consistent_mass_are_refused) {
    SmallSystem small;
    CHECK(make_bar(&small, &(SmallBar){.consistent_mass = 1}, false));
    uint32_t ratios[MOST / 3];
    double q[MOST], v[MOST];
    paint(&small, 0.15, 4, 9, 0, ratios);
    shake(&small, 0, 0, q, v);
    State state = {q, v, 0};
    JnMessage message = {0};
    CHECK(advance(&small, "si", ratios, &state, 0.02, 1, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "consistent_mass");
    CHECK(!regional_method(find_method("midpoint")));
    small_system_free(&small);
}
