/* Systems A + C, elastic and contact, with the touching vertices eliminated last: exact, refused where they must be,
   and quick with a stale factor. */
#include "harness.h"
#include "spring_bodies.h"

#include "base/math3.h"
#include "linear/solver.h"

enum { BOX = 3 * 3 * 3, SMALL = 2 * BOX, UNKNOWNS = 3 * SMALL, LAST = 12 };

/* The touching vertices of both boxes in mixed order, one of them fixed, one twice. */
static const uint32_t small_last[LAST] = {19, BOX + 1, 18, BOX, 20, BOX + 4, 22, 23, BOX + 7, 22, BOX + 2, 26};
static const uint8_t small_fixed[SMALL] = {[0] = 1, [5] = 1, [23] = 1, [BOX + 8] = 1, [BOX + 26] = 1};

/* Contacts between the boxes, with a fixed vertex, and with the floor; each `round` has other ones. */
static int small_contacts(PairBlocks *pairs, double stiffness, uint32_t round) {
    uint64_t seed = 4 + round;
    double block[9];
    int ok = 1;
    pair_blocks_clear(pairs);
    for (uint32_t k = 0; ok && k + 1 < LAST; ++k) {
        contact_block(&seed, stiffness, block);
        if ((k + round) % 4 != 0)
            ok = add_contact(pairs, small_last[k], small_last[k + 1], block);
        if ((k + round) % 3 == 0)
            ok = ok && add_floor_contact(pairs, small_last[k], block);
    }
    return ok;
}

/* Solves the small system by Gaussian elimination of the dense matrix, which `multiply` gives column by column. */
static void solve_densely(const SpringBodies *bodies, const PairBlocks *pairs, const double *b, double *x) {
    static double a[UNKNOWNS][UNKNOWNS], column[UNKNOWNS], unit[UNKNOWNS];
    for (int j = 0; j < UNKNOWNS; ++j) {
        memset(unit, 0, sizeof unit);
        unit[j] = !small_fixed[j / 3];
        spring_bodies_multiply(bodies, pairs, small_fixed, unit, column);
        for (int i = 0; i < UNKNOWNS; ++i)
            a[i][j] = column[i] + (i == j && small_fixed[j / 3]);
        x[j] = small_fixed[j / 3] ? 0 : b[j];
    }
    for (int k = 0; k < UNKNOWNS; ++k)
        for (int i = k + 1; i < UNKNOWNS; ++i) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < UNKNOWNS && factor != 0; ++j)
                a[i][j] -= factor * a[k][j];
            x[i] -= factor * x[k];
        }
    for (int i = UNKNOWNS; i-- > 0;) {
        for (int j = i + 1; j < UNKNOWNS; ++j)
            x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
    }
}

/* The largest difference, against the largest number in `expected`. */
static double difference(const double *x, const double *expected, int count) {
    double largest = 0, apart = 0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(expected[i]));
        apart = fmax(apart, fabs(x[i] - expected[i]));
    }
    return apart / largest;
}

typedef struct Small {
    SpringBodies bodies;
    PairBlocks pairs;
    Solver *solver;
    double b[2 * UNKNOWNS], x[2 * UNKNOWNS], expected[UNKNOWNS];
} Small;

static int small_open(Small *small) {
    JnMessage message;
    uint64_t seed = 2;
    memset(small, 0, sizeof *small);
    for (int i = 0; i < 2 * UNKNOWNS; ++i)
        small->b[i] = random_signed(&seed);
    if (!spring_bodies_open(&small->bodies, 2, 2, 2, 2))
        return 0;
    spring_bodies_fill(&small->bodies, 1);
    SolverDesc desc = {.pattern = &small->bodies.matrix, .fixed = small_fixed, .last = small_last, .last_count = LAST};
    return solver_create(&desc, &small->solver, &message) == JN_OK;
}

static void small_close(Small *small) {
    solver_destroy(small->solver);
    pair_blocks_free(&small->pairs);
    spring_bodies_close(&small->bodies);
}

static SolverReport report_of(const Solver *solver) {
    SolverReport report;
    solver_report(solver, &report);
    return report;
}

TEST(pairs_factored_in_double_precision_are_solved_exactly) {
    static Small small;
    JnMessage message;
    bool positive_definite;
    CHECK(small_open(&small));
    for (uint32_t round = 0; round < 6; ++round) {
        /* without pairs in between */
        CHECK(round == 3 || small_contacts(&small.pairs, pow(100, round), round));
        const PairBlocks *pairs = round == 3 ? NULL : &small.pairs;
        CHECK(solver_factor(small.solver, &small.bodies.matrix, pairs, &positive_definite, &message) == JN_OK);
        CHECK(positive_definite);
        CHECK(solver_solve(small.solver, small.b, small.x, 2, &message) == JN_OK);
        for (int side = 0; side < 2; ++side) {
            solve_densely(&small.bodies, pairs, small.b + side * UNKNOWNS, small.expected);
            CHECK(difference(small.x + side * UNKNOWNS, small.expected, UNKNOWNS) < 1e-11);
        }
    }
    CHECK(report_of(small.solver).iteration_count == 0 && report_of(small.solver).factor_count == 6);
    small_close(&small);
}

TEST(pairs_that_change_are_solved_with_the_old_factor) {
    static Small small;
    JnMessage message;
    bool positive_definite;
    CHECK(small_open(&small));
    /* the factor in single precision, then in double */
    for (uint32_t precision = 0; precision < 2; ++precision) {
        CHECK(small_contacts(&small.pairs, 10, 9));
        CHECK((precision == 0 ? solver_factor_mixed(small.solver, &small.bodies.matrix, &small.pairs,
                                                    small.bodies.positions, &positive_definite, &message)
                              : solver_factor(small.solver, &small.bodies.matrix, &small.pairs, &positive_definite,
                                              &message)) == JN_OK);
        uint64_t factors = report_of(small.solver).factor_count;
        for (uint32_t round = 0; round < 3; ++round) {
            uint64_t iterations = report_of(small.solver).iteration_count;
            CHECK(round == 1 || small_contacts(&small.pairs, pow(1000, round), round));
            const PairBlocks *pairs = round == 1 ? NULL : &small.pairs;
            CHECK(solver_update(small.solver, &small.bodies.matrix, pairs, small.bodies.positions, &positive_definite,
                                &message) == JN_OK);
            CHECK(positive_definite);
            CHECK(solver_solve(small.solver, small.b, small.x, 1, &message) == JN_OK);
            solve_densely(&small.bodies, pairs, small.b, small.expected);
            CHECK(difference(small.x, small.expected, UNKNOWNS) < 1e-6);
            /* the matrix is that of the factor, so rounding is all that there is to mend */
            CHECK(report_of(small.solver).iteration_count <= iterations + 3);
        }
        CHECK(report_of(small.solver).factor_count == factors);
    }
    CHECK(report_of(small.solver).reused_count == 6 && report_of(small.solver).pairs_count == 4);
    small_close(&small);
}

TEST(pairs_that_hardly_change_within_a_system_cost_no_factorization) {
    static Small small;
    JnMessage message;
    bool positive_definite;
    CHECK(small_open(&small));
    CHECK(small_contacts(&small.pairs, 1000, 0));
    CHECK(solver_factor_mixed(small.solver, &small.bodies.matrix, &small.pairs, small.bodies.positions,
                              &positive_definite, &message) == JN_OK);
    /* stiffer by 5 % in all, then by 20 %, then the first of them gone, then all as they were in the last factor */
    for (uint32_t round = 0; round < 4; ++round) {
        uint64_t iterations = report_of(small.solver).iteration_count;
        CHECK(small_contacts(&small.pairs, round == 0 ? 1050 : 1200, 0));
        if (round >= 2)
            small.pairs.blocks[0] = small.pairs.blocks[--small.pairs.count];
        CHECK(solver_change_pairs(small.solver, &small.bodies.matrix, &small.pairs, small.bodies.positions,
                                  &positive_definite, &message) == JN_OK);
        CHECK(positive_definite && report_of(small.solver).factor_count == 1);
        CHECK(report_of(small.solver).pairs_count == (round < 3 ? round : 2));
        CHECK(solver_solve(small.solver, small.b, small.x, 1, &message) == JN_OK);
        solve_densely(&small.bodies, &small.pairs, small.b, small.expected);
        CHECK(difference(small.x, small.expected, UNKNOWNS) < 1e-6);
        CHECK(report_of(small.solver).iteration_count <= iterations + 8);
    }
    small_close(&small);
}

/* Turns the bodies about z, with the matrix and contacts that they have then. */
static int small_turned(Small *small, double angle, double stiffness) {
    const double c = cos(angle), s = sin(angle), turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    for (uint32_t v = 0; v < SMALL; ++v) {
        double p[3];
        mat3_mul_vec(turn, small->bodies.positions + 3 * v, p);
        memcpy(small->bodies.positions + 3 * v, p, sizeof p);
    }
    spring_bodies_fill(&small->bodies, 1);
    int ok = small_contacts(&small->pairs, stiffness, 0);
    for (size_t k = 0; k < small->pairs.count; ++k) {
        double *block = small->pairs.blocks[k].block, turned[9]; /* T B, whose rows are turned too: T B T' */
        for (int i = 0; i < 9; ++i)
            turned[i] = turn[i / 3 * 3] * block[i % 3] + turn[i / 3 * 3 + 1] * block[3 + i % 3] +
                        turn[i / 3 * 3 + 2] * block[6 + i % 3];
        for (int i = 0; i < 9; i += 3)
            mat3_mul_vec(turn, turned + i, block + i);
    }
    return ok;
}

/* Makes a factor of the system as it is. */
static int factor_small(Small *small) {
    JnMessage message;
    bool positive_definite;
    return solver_factor_mixed(small->solver, &small->bodies.matrix, &small->pairs, small->bodies.positions,
                               &positive_definite, &message) == JN_OK &&
           positive_definite;
}

/* Gives the system as it is to the solver and solves it. */
static int solve_small(Small *small, double *x) {
    JnMessage message;
    bool positive_definite;
    return solver_update(small->solver, &small->bodies.matrix, &small->pairs, small->bodies.positions,
                         &positive_definite, &message) == JN_OK &&
           positive_definite && solver_solve(small->solver, small->b, x, 1, &message) == JN_OK;
}

TEST(pairs_that_turn_with_the_bodies_and_hardly_change_cost_no_factorization) {
    static Small small;
    CHECK(small_open(&small));
    CHECK(small_turned(&small, 0, 1000) && factor_small(&small));
    for (uint32_t round = 0; round < 2; ++round) {
        uint64_t iterations = report_of(small.solver).iteration_count;
        CHECK(small_turned(&small, 0.7 * (round + 1), round == 0 ? 1010 : 1200));
        CHECK(solve_small(&small, small.x));
        CHECK(report_of(small.solver).factor_count == 1 && report_of(small.solver).reused_count == round + 1);
        CHECK(report_of(small.solver).pairs_count == round);
        solve_densely(&small.bodies, &small.pairs, small.b, small.expected);
        CHECK(difference(small.x, small.expected, UNKNOWNS) < 1e-6);
        CHECK(report_of(small.solver).iteration_count <= iterations + 8);
    }
    small_close(&small);
}

TEST(pairs_that_are_kept_are_kept_after_a_load) {
    static Small small, other;
    static double x[2][UNKNOWNS];
    MemoryArchive saved = {.bytes = NULL};
    CHECK(small_open(&small) && small_open(&other));
    CHECK(small_turned(&small, 0, 1000) && factor_small(&small));
    CHECK(small_turned(&small, 0, 2000) && solve_small(&small, x[0])); /* the factor of one, pairs of another */
    CHECK(solver_archive(small.solver, memory_archive_save(&saved)));
    CHECK(small_turned(&small, 0, 2020) && solve_small(&small, x[0]));
    CHECK(report_of(small.solver).pairs_count == 1);
    /* in a solver that has to make the factor, and in one that has it, with other pairs */
    CHECK(small_turned(&small, 0, 9000) && solve_small(&small, x[1]));
    CHECK(small_turned(&other, 0, 2020));
    for (int same = 0; same < 2; ++same) {
        Small *loaded = same ? &small : &other;
        CHECK(small_turned(loaded, 0, 2020) && solver_archive(loaded->solver, memory_archive_load(&saved)));
        CHECK(solve_small(loaded, x[1]) && memcmp(x[0], x[1], sizeof x[0]) == 0);
        CHECK(report_of(loaded->solver).factor_count == 1);
    }
    /* a pair of vertices that do not exist, or are fixed, is no pair: the solver begins anew */
    static const uint32_t wrong_rows[] = {SMALL, 23};
    for (int i = 0; i < 2; ++i) {
        memcpy(saved.bytes + saved.size - sizeof(PairBlock), &wrong_rows[i], sizeof wrong_rows[i]);
        CHECK(!solver_archive(other.solver, memory_archive_load(&saved)));
    }
    CHECK(solve_small(&other, x[1]) && difference(x[1], x[0], UNKNOWNS) < 1e-6);
    memory_archive_free(&saved);
    small_close(&small);
    small_close(&other);
}

TEST(pairs_make_an_indefinite_matrix_positive_definite) {
    static Small small;
    JnMessage message;
    bool positive_definite;
    const double firm[9] = {200, 0, 0, 0, 200, 0, 0, 0, 200};
    CHECK(small_open(&small));
    block_matrix_add(&small.bodies.matrix, 18, 18, (const double[9]){-90, 0, 0, 0, -90, 0, 0, 0, -90});
    CHECK(solver_factor(small.solver, &small.bodies.matrix, NULL, &positive_definite, &message) == JN_OK);
    CHECK(!positive_definite);
    CHECK(solver_solve(small.solver, small.b, small.x, 1, &message) == JN_ERR_ORDER);
    CHECK(add_floor_contact(&small.pairs, 18, firm));
    for (int mixed = 0; mixed < 2; ++mixed) {
        CHECK((mixed ? solver_factor_mixed(small.solver, &small.bodies.matrix, &small.pairs, NULL, &positive_definite,
                                           &message)
                     : solver_factor(small.solver, &small.bodies.matrix, &small.pairs, &positive_definite, &message)) ==
              JN_OK);
        CHECK(positive_definite);
        CHECK(solver_solve(small.solver, small.b, small.x, 1, &message) == JN_OK);
        solve_densely(&small.bodies, &small.pairs, small.b, small.expected);
        CHECK(difference(small.x, small.expected, UNKNOWNS) < (mixed ? 1e-6 : 1e-11));
    }
    /* pairs that are negative themselves: found out, and the next system is solved */
    pair_blocks_clear(&small.pairs);
    CHECK(add_floor_contact(&small.pairs, 19, (const double[9]){-1e3, 0, 0, 0, -1e3, 0, 0, 0, -1e3}));
    CHECK(solver_update(small.solver, &small.bodies.matrix, &small.pairs, NULL, &positive_definite, &message) == JN_OK);
    CHECK(!positive_definite);
    CHECK(small_contacts(&small.pairs, 1e4, 0) && add_floor_contact(&small.pairs, 18, firm));
    CHECK(solver_update(small.solver, &small.bodies.matrix, &small.pairs, NULL, &positive_definite, &message) == JN_OK);
    CHECK(positive_definite && solver_solve(small.solver, small.b, small.x, 1, &message) == JN_OK);
    solve_densely(&small.bodies, &small.pairs, small.b, small.expected);
    CHECK(difference(small.x, small.expected, UNKNOWNS) < 1e-6);
    small_close(&small);
}

TEST(pairs_between_bodies_lose_no_net_force_of_both) {
    static Small small;
    JnMessage message;
    bool positive_definite;
    double y[UNKNOWNS], sums[3] = {0}, largest = 0;
    CHECK(small_open(&small) && small_contacts(&small.pairs, 100, 1));
    CHECK(solver_factor_mixed(small.solver, &small.bodies.matrix, &small.pairs, NULL, &positive_definite, &message) ==
          JN_OK);
    /* a slightly different matrix, so that iterations stop at the tolerance rather than at rounding */
    spring_bodies_fill(&small.bodies, 1.001);
    CHECK(solver_update(small.solver, &small.bodies.matrix, &small.pairs, NULL, &positive_definite, &message) == JN_OK);
    CHECK(solver_solve(small.solver, small.b, small.x, 1, &message) == JN_OK);
    CHECK(report_of(small.solver).factor_count == 1 && report_of(small.solver).iteration_count > 0);
    spring_bodies_multiply(&small.bodies, &small.pairs, small_fixed, small.x, y);
    for (int i = 0; i < UNKNOWNS; ++i) {
        double left = small_fixed[i / 3] ? 0 : y[i] - small.b[i];
        sums[i % 3] += left;
        largest = fmax(largest, fabs(left));
    }
    CHECK(largest > 1e-12); /* iterated, not exact */
    for (int i = 0; i < 3; ++i)
        CHECK(fabs(sums[i]) < 1e-3 * largest && fabs(sums[i]) < 1e-12);
    small_close(&small);
}

TEST(pairs_that_are_not_finite_are_not_positive_definite) {
    static Small small;
    JnMessage message;
    bool positive_definite;
    CHECK(small_open(&small));
    CHECK(add_floor_contact(&small.pairs, 19, (const double[9]){NAN, 0, 0, 0, 1, 0, 0, 0, 1}));
    CHECK(solver_factor(small.solver, &small.bodies.matrix, &small.pairs, &positive_definite, &message) == JN_OK);
    CHECK(!positive_definite);
    CHECK(solver_update(small.solver, &small.bodies.matrix, &small.pairs, NULL, &positive_definite, &message) == JN_OK);
    CHECK(!positive_definite);
    small_close(&small);
}

TEST(pairs_of_vertices_that_are_not_last_are_refused) {
    static Small small;
    JnMessage message;
    bool positive_definite;
    double block[9];
    uint64_t seed = 6;
    contact_block(&seed, 5, block);
    CHECK(small_open(&small));
    CHECK(small_contacts(&small.pairs, 5, 0));
    CHECK(solver_update(small.solver, &small.bodies.matrix, &small.pairs, NULL, &positive_definite, &message) == JN_OK);
    CHECK(solver_solve(small.solver, small.b, small.x, 1, &message) == JN_OK);
    memcpy(small.expected, small.x, sizeof small.expected);
    PairBlocks wrong = {.blocks = NULL};
    CHECK(add_contact(&wrong, 19, 12, block));
    CHECK(solver_factor(small.solver, &small.bodies.matrix, &wrong, &positive_definite, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "vertex 12 is not among");
    CHECK(solver_factor_mixed(small.solver, &small.bodies.matrix, &wrong, NULL, &positive_definite, &message) ==
          JN_ERR_ARGUMENT);
    CHECK(solver_update(small.solver, &small.bodies.matrix, &wrong, NULL, &positive_definite, &message) ==
          JN_ERR_ARGUMENT);
    pair_blocks_clear(&wrong);
    CHECK(add_floor_contact(&wrong, SMALL, block));
    CHECK(solver_update(small.solver, &small.bodies.matrix, &wrong, NULL, &positive_definite, &message) ==
          JN_ERR_ARGUMENT);
    /* the solver is as it was */
    CHECK(solver_solve(small.solver, small.b, small.x, 1, &message) == JN_OK);
    CHECK(memcmp(small.expected, small.x, sizeof small.expected) == 0);
    pair_blocks_free(&wrong);
    small_close(&small);
}

TEST(pairs_are_refused_where_nothing_is_eliminated_last) {
    static Small small;
    JnMessage message;
    bool positive_definite;
    CHECK(small_open(&small) && small_contacts(&small.pairs, 5, 0));
    for (int kind = SOLVER_POSITIVE_DEFINITE; kind <= SOLVER_SYMMETRIC_INDEFINITE; ++kind) {
        Solver *solver;
        SolverDesc desc = {.pattern = &small.bodies.matrix, .kind = (SolverKind)kind};
        CHECK(solver_create(&desc, &solver, &message) == JN_OK);
        CHECK(solver_factor(solver, &small.bodies.matrix, &small.pairs, &positive_definite, &message) ==
              JN_ERR_ARGUMENT);
        CHECK(message.text[0] != '\0');
        pair_blocks_clear(&small.pairs);
        CHECK(solver_factor(solver, &small.bodies.matrix, &small.pairs, &positive_definite, &message) == JN_OK);
        CHECK(small_contacts(&small.pairs, 5, 0));
        solver_destroy(solver);
    }
    Solver *solver;
    SolverDesc wrong_kind = {&small.bodies.matrix, NULL, SOLVER_UNSYMMETRIC, small_last, LAST};
    CHECK(solver_create(&wrong_kind, &solver, &message) == JN_ERR_ARGUMENT && !solver);
    SolverDesc wrong_vertex = {.pattern = &small.bodies.matrix, .last = (const uint32_t[]){SMALL}, .last_count = 1};
    CHECK(solver_create(&wrong_vertex, &solver, &message) == JN_ERR_ARGUMENT && !solver);
    small_close(&small);
}

TEST(every_vertex_may_be_eliminated_last_or_only_fixed_ones) {
    static Small small;
    JnMessage message;
    bool positive_definite;
    uint32_t all[SMALL];
    CHECK(small_open(&small) && small_contacts(&small.pairs, 50, 0));
    for (uint32_t v = 0; v < SMALL; ++v)
        all[v] = v;
    for (int only_fixed = 0; only_fixed < 2; ++only_fixed) {
        Solver *solver;
        SolverDesc desc = {.pattern = &small.bodies.matrix,
                           .fixed = small_fixed,
                           .last = only_fixed ? (const uint32_t[]){0, 5} : all,
                           .last_count = only_fixed ? 2 : SMALL};
        const PairBlocks *pairs = only_fixed ? NULL : &small.pairs;
        CHECK(solver_create(&desc, &solver, &message) == JN_OK);
        for (int round = 0; round < 3; ++round) {
            CHECK(solver_update(solver, &small.bodies.matrix, pairs, NULL, &positive_definite, &message) == JN_OK);
            CHECK(positive_definite && solver_solve(solver, small.b, small.x, 1, &message) == JN_OK);
            solve_densely(&small.bodies, pairs, small.b, small.expected);
            CHECK(difference(small.x, small.expected, UNKNOWNS) < 1e-6);
        }
        solver_destroy(solver);
    }
    small_close(&small);
}

/* Gives a system with contacts of that round to the solver and solves it. */
static int update_small(Small *small, uint32_t round, double *x) {
    JnMessage message;
    bool positive_definite;
    return small_contacts(&small->pairs, 30, round) &&
           solver_update(small->solver, &small->bodies.matrix, round == 0 ? NULL : &small->pairs,
                         small->bodies.positions, &positive_definite, &message) == JN_OK &&
           positive_definite && solver_solve(small->solver, small->b, x, 1, &message) == JN_OK;
}

TEST(pairs_after_a_load_are_solved_to_the_bit) {
    static Small small, other;
    static double x[4][UNKNOWNS];
    JnMessage message;
    bool positive_definite;
    for (int precision = 0; precision < 2; ++precision) {
        MemoryArchive saved = {.bytes = NULL};
        CHECK(small_open(&small) && small_open(&other));
        CHECK(small_contacts(&small.pairs, 30, 7));
        if (precision == 1)
            CHECK(solver_factor(small.solver, &small.bodies.matrix, &small.pairs, &positive_definite, &message) ==
                  JN_OK);
        CHECK(update_small(&small, 1, x[0]) && update_small(&small, 2, x[0]));
        CHECK(solver_archive(small.solver, memory_archive_save(&saved)));
        CHECK(update_small(&small, 3, x[0]) && update_small(&small, 0, x[1]));
        /* in another solver, which has to make the factor, and in the same one, which has it, with other pairs in it */
        for (int same = 0; same < 2; ++same) {
            Small *loaded = same ? &small : &other;
            uint64_t factors = report_of(loaded->solver).factor_count;
            CHECK(solver_archive(loaded->solver, memory_archive_load(&saved)));
            CHECK(update_small(loaded, 3, x[2]) && update_small(loaded, 0, x[3]));
            CHECK(memcmp(x[0], x[2], sizeof x[0]) == 0 && memcmp(x[1], x[3], sizeof x[1]) == 0);
            CHECK(report_of(loaded->solver).factor_count == factors + !same);
        }
        CHECK(difference(x[0], x[1], UNKNOWNS) > 1e-3);
        memory_archive_free(&saved);
        small_close(&small);
        small_close(&other);
    }
}
