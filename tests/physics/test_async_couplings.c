/* Large and small time steps in one chain of springs, both couplings written densely with all unknowns of the large
   step at once, independent of the core: what is claimed of them, and where the published one fails.

   L takes one step of h, S takes m of h/m. Published (paper 004): the velocity of L is a ramp, the impulse on it that
   of one large step. Impulse-matched: L moves with its velocity of the end, and receives the sum of the forces that the
   small steps of S have seen. */
#include "dense_solve.h"
#include "harness.h"
#include "random.h"

#include <stdbool.h>

enum { MASSES = 8, STATE = 2 * MASSES, MOST_UNKNOWNS = 600 };

typedef struct Chain {
    int first_fast; /* masses from here on are S */
    double mass[MASSES];
    double spring[MASSES + 1]; /* between i - 1 and i; spring[0] and spring[MASSES] hold the ends, 0: free */
    double damping;            /* D = damping K */
} Chain;

typedef enum Coupling { PUBLISHED, MATCHED } Coupling;

static double stiffness(const Chain *chain, int i, int j) {
    return i == j       ? chain->spring[i] + chain->spring[i + 1]
           : j == i + 1 ? -chain->spring[j]
           : i == j + 1 ? -chain->spring[i]
                        : 0;
}

/* Of the springs with an end in S, or with none, or of all. */
typedef enum Springs { ALL_SPRINGS, WITH_S, WITHOUT_S } Springs;

static double part(const Chain *chain, Springs springs, int i, int j) {
    Chain some = *chain;
    for (int k = 0; k <= MASSES; ++k) /* spring k ends at k - 1 and k */
        if (springs != ALL_SPRINGS && (k >= chain->first_fast) != (springs == WITH_S))
            some.spring[k] = 0;
    return stiffness(&some, i, j);
}

/* The linear map of a large step, P [STATE][STATE], of states (u, v). Unknowns: v of L at the end, then v of S after
   every small step. */
static void large_step(const Chain *chain, Coupling coupling, double h, int m, double P[STATE][STATE]) {
    static double A[MOST_UNKNOWNS * MOST_UNKNOWNS], B[MOST_UNKNOWNS][STATE];
    int nl = chain->first_fast, ns = MASSES - nl, n = nl + ns * m;
    double s = h / m, beta = chain->damping;
    memset(A, 0, sizeof A);
    memset(B, 0, sizeof B);
#define FAST(r, j) (nl + ((r)-1) * ns + (j)-nl) /* v of mass j in S after small step r */
    for (int r = 1; r <= m; ++r)
        for (int i = nl; i < MASSES; ++i) {
            int row = FAST(r, i);
            A[row * n + row] += chain->mass[i];
            if (r > 1)
                A[row * n + FAST(r - 1, i)] -= chain->mass[i];
            else
                B[row][MASSES + i] += chain->mass[i];
            for (int j = 0; j < MASSES; ++j) {
                double k = stiffness(chain, i, j);
                B[row][j] -= s * k; /* the force at the start */
                if (j >= nl) {
                    for (int past = 1; past <= r; ++past)
                        A[row * n + FAST(past, j)] += s * s * k;
                    A[row * n + FAST(r, j)] += s * beta * k;
                } else if (coupling == MATCHED) {
                    A[row * n + j] += s * (r * s + beta) * k;
                } else { /* v of L at r: v0 + (r / m) (v - v0) */
                    double ramp = r * (r + 1) / 2.0 / m;
                    A[row * n + j] += s * (s * ramp + beta * r / m) * k;
                    B[row][MASSES + j] -= s * (s * (r - ramp) + beta * (1 - (double)r / m)) * k;
                }
            }
        }
    for (int i = 0; i < nl; ++i) {
        A[i * n + i] += chain->mass[i];
        B[i][MASSES + i] += chain->mass[i];
        for (int j = 0; j < MASSES; ++j) {
            double slow = coupling == MATCHED ? part(chain, WITHOUT_S, i, j) : stiffness(chain, i, j);
            double straddling = coupling == MATCHED ? part(chain, WITH_S, i, j) : 0;
            B[i][j] -= h * (slow + straddling);
            if (j < nl) {
                A[i * n + j] += h * (h + beta) * slow;
                A[i * n + j] += straddling * (s * s * m * (m + 1) / 2.0 + h * beta);
            } else {
                for (int r = 1; r <= m; ++r) {
                    A[i * n + FAST(r, j)] += slow * h * s + (r == m ? slow * h * beta : 0);
                    A[i * n + FAST(r, j)] += straddling * (s * s * (m + 1 - r) + s * beta);
                }
            }
        }
    }
    dense_solve(A, B[0], (size_t)n, STATE);
    for (int c = 0; c < STATE; ++c)
        for (int i = 0; i < MASSES; ++i) {
            P[MASSES + i][c] = i < nl ? B[i][c] : B[FAST(m, i)][c];
            P[i][c] = (i == c) + (i < nl ? h * B[i][c] : 0);
            for (int r = 1; i >= nl && r <= m; ++r)
                P[i][c] += s * B[FAST(r, i)][c];
        }
#undef FAST
}

static double energy(const Chain *chain, const double x[STATE]) {
    double sum = 0;
    for (int i = 0; i < MASSES; ++i) {
        double stretch = x[i] - (i > 0 ? x[i - 1] : 0);
        sum += 0.5 * chain->mass[i] * x[MASSES + i] * x[MASSES + i] + 0.5 * chain->spring[i] * stretch * stretch;
    }
    return sum;
}

static double momentum(const Chain *chain, const double x[STATE]) {
    double sum = 0;
    for (int i = 0; i < MASSES; ++i)
        sum += chain->mass[i] * x[MASSES + i];
    return sum;
}

static void apply(double P[STATE][STATE], const double x[STATE], double y[STATE]) {
    for (int i = 0; i < STATE; ++i) {
        y[i] = 0;
        for (int j = 0; j < STATE; ++j)
            y[i] += P[i][j] * x[j];
    }
}

static Chain random_chain(uint64_t *seed, bool pinned) {
    Chain chain = {.first_fast = 2 + (int)(2.99 * fabs(random_signed(seed)))};
    double ratio = pow(10, -2 + 6 * fabs(random_signed(seed))); /* stiffness of S to that of L: 0.01 to 1e4 */
    for (int i = 0; i < MASSES; ++i)
        chain.mass[i] = pow(10, random_signed(seed));
    for (int i = 0; i <= MASSES; ++i)
        chain.spring[i] = pow(10, random_signed(seed)) * (i >= chain.first_fast ? ratio : 1);
    if (!pinned)
        chain.spring[0] = 0;
    chain.spring[MASSES] = 0;
    return chain;
}

/* Growth of random states in one large step, as the largest ratio of energies. */
static double largest_gain(const Chain *chain, double P[STATE][STATE], uint64_t *seed) {
    double most = 0;
    for (int trial = 0; trial < 40; ++trial) {
        double x[STATE], y[STATE];
        for (int i = 0; i < STATE; ++i)
            x[i] = random_signed(seed) * (i < MASSES && chain->spring[0] == 0 ? 0.3 : 1);
        apply(P, x, y);
        double start = energy(chain, x);
        for (int power = 0; power < 20 && energy(chain, x) > 1e-9 * start; ++power) { /* towards what decays least */
            most = fmax(most, energy(chain, y) / energy(chain, x));
            memcpy(x, y, sizeof x);
            apply(P, x, y);
        }
    }
    return most;
}

TEST(couplings_with_one_small_step_are_backward_euler) {
    uint64_t seed = 3;
    for (int trial = 0; trial < 10; ++trial) {
        Chain chain = random_chain(&seed, trial % 2), whole = chain;
        double P[2][STATE][STATE], single[STATE][STATE], h = pow(10, random_signed(&seed));
        chain.damping = whole.damping = trial < 5 ? 0 : 0.1;
        whole.first_fast = 0; /* all of it is S, in one step */
        large_step(&chain, PUBLISHED, h, 1, P[PUBLISHED]);
        large_step(&chain, MATCHED, h, 1, P[MATCHED]);
        large_step(&whole, MATCHED, h, 1, single);
        for (int i = 0; i < STATE; ++i)
            for (int j = 0; j < STATE; ++j) {
                CHECK_NEAR(P[MATCHED][i][j], single[i][j], 1e-9 * (1 + 1 / h));
                CHECK_NEAR(P[PUBLISHED][i][j], single[i][j], 1e-9 * (1 + 1 / h));
            }
    }
}

static const int RATIOS[] = {2, 5, 10, 30, 90};
enum { RATIO_COUNT = sizeof RATIOS / sizeof *RATIOS };

TEST(matched_coupling_never_gains_energy_whatever_ratio_and_stiffness) {
    uint64_t seed = 7;
    double most = 0;
    for (int trial = 0; trial < 40; ++trial) {
        Chain chain = random_chain(&seed, trial % 2);
        double P[STATE][STATE], h = pow(10, random_signed(&seed));
        chain.damping = trial % 4 < 2 ? 0 : 0.01;
        large_step(&chain, MATCHED, h, RATIOS[trial % RATIO_COUNT], P);
        most = fmax(most, largest_gain(&chain, P, &seed));
    }
    CHECK(most > 0.1 && most <= 1 + 1e-9);
}

TEST(published_coupling_gains_energy_within_a_step) {
    uint64_t seed = 7;
    double most = 0;
    for (int trial = 0; trial < 40; ++trial) {
        Chain chain = random_chain(&seed, true);
        double P[STATE][STATE], h = pow(10, random_signed(&seed));
        large_step(&chain, PUBLISHED, h, RATIOS[trial % RATIO_COUNT], P);
        most = fmax(most, largest_gain(&chain, P, &seed));
    }
    printf("the published coupling multiplied energy by %.3g in one large step\n", most);
    CHECK(most > 2);
}

TEST(matched_coupling_keeps_momentum_and_the_published_does_not) {
    uint64_t seed = 11;
    double drift[2] = {0, 0};
    for (int trial = 0; trial < 20; ++trial) {
        Chain chain = random_chain(&seed, false);
        double h = pow(10, random_signed(&seed));
        for (int coupling = PUBLISHED; coupling <= MATCHED; ++coupling) {
            double P[STATE][STATE], x[STATE], y[STATE], size = 0;
            large_step(&chain, (Coupling)coupling, h, RATIOS[trial % RATIO_COUNT], P);
            for (int i = 0; i < STATE; ++i)
                x[i] = random_signed(&seed);
            for (int i = 0; i < MASSES; ++i) {
                size += chain.mass[i] * fabs(x[MASSES + i]);
                for (int j = 0; j < MASSES; ++j) /* the impulses that cancel */
                    size += h * fabs(stiffness(&chain, i, j) * x[j]);
            }
            apply(P, x, y);
            drift[coupling] = fmax(drift[coupling], fabs(momentum(&chain, y) - momentum(&chain, x)) / size);
        }
    }
    CHECK(drift[MATCHED] < 1e-12);
    CHECK(drift[PUBLISHED] > 1e-3);
}

/* Against the exact motion, both couplings, and large steps alone: the fast part, after the same time. */
TEST(small_steps_bring_the_fast_part_nearer_the_truth_than_large_ones) {
    uint64_t seed = 5;
    int nearer = 0, trials = 12;
    for (int trial = 0; trial < trials; ++trial) {
        Chain chain = random_chain(&seed, true), whole;
        double P[STATE][STATE], x[3][STATE], y[STATE], h = 0.3, off[2] = {0, 0};
        int steps = 10;
        chain.first_fast = 4;
        for (int i = 0; i <= MASSES; ++i) /* S is light, and wobbles within the large step */
            chain.spring[i] = i == MASSES ? 0 : i >= chain.first_fast ? 40 + 20 * random_signed(&seed) : 5;
        for (int i = 0; i < MASSES; ++i)
            chain.mass[i] = i >= chain.first_fast ? 1 : 10;
        whole = chain;
        whole.first_fast = 0;
        for (int i = 0; i < STATE; ++i)
            x[0][i] = x[1][i] = x[2][i] = i >= MASSES + 4 ? random_signed(&seed) : 0;
        large_step(&chain, MATCHED, h, 10, P);
        for (int k = 0; k < steps; ++k, memcpy(x[0], y, sizeof y))
            apply(P, x[0], y);
        large_step(&whole, MATCHED, h, 1, P);
        for (int k = 0; k < steps; ++k, memcpy(x[1], y, sizeof y))
            apply(P, x[1], y);
        large_step(&whole, MATCHED, h / 10, 1, P);
        for (int k = 0; k < steps * 10; ++k, memcpy(x[2], y, sizeof y))
            apply(P, x[2], y);
        for (int i = 4; i < MASSES; ++i)
            for (int way = 0; way < 2; ++way)
                off[way] += pow(x[way][i] - x[2][i], 2) + pow(x[way][MASSES + i] - x[2][MASSES + i], 2);
        nearer += off[0] < 0.25 * off[1];
    }
    CHECK(nearer >= 10);
}
