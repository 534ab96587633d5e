/* One segment of a fibre: its derivatives, its invariance, and that it has no other minimum than its rest shape. */
#include "harness.h"

#include "elastic/fibre.h"

enum { N = 3 * ROD_VERTICES };

static double random_part(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed / 4294967296.0 - 0.5;
}

/* A bent and twisted segment of 1 cm, and where it is: its rest shape, deformed by `amount` of a centimetre. */
static RodSegment make_segment(double amount, uint32_t *seed, double rest[N], double q[N]) {
    static const double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    RodSegment segment = {.sections = {0, 4}, .width = 0.004, .stiffness_damping = 0.01};
    for (int v = 0; v < ROD_VERTICES; ++v) {
        double y = 0.002 * corners[v % 4][0], z = 0.002 * corners[v % 4][1], turn = v / 4 * 0.7, bend = v / 4 * 0.5;
        double across = y * cos(turn) - z * sin(turn), up = y * sin(turn) + z * cos(turn);
        rest[3 * v] = 0.0098 * (v / 4) - up * sin(bend);
        rest[3 * v + 1] = across + 0.002 * (v / 4);
        rest[3 * v + 2] = up * cos(bend);
    }
    for (int i = 0; i < N; ++i)
        q[i] = rest[i] + 0.01 * amount * random_part(seed);
    RodRest shape = rod_rest_at(&segment, rest);
    /* a stout fibre, so that no part of the stiffness is negligible */
    segment.stiffness = fibre_stiffness(&(FibreMaterial){1e9, 4e8}, 0.005, shape.length);
    segment.stiffness.cubic = 3;
    rod_set_rest(&segment, &shape);
    return segment;
}

static RodWork evaluate(const RodSegment *segment, const double *q, const double *v, double stiffness, double damping) {
    RodWork work = {.q = q,
                    .v = v,
                    .stiffness_factor = 1.5,
                    .stiffness_scale = stiffness,
                    .damping_scale = damping,
                    .stiffness = STIFFNESS_RAW,
                    .wants_force = true,
                    .wants_blocks = true};
    rod_segment_evaluate(segment, &work);
    return work;
}

/* The matrix, [N * N]. */
static void read_matrix(const RodWork *work, double *matrix) {
    int b = 0;
    for (int c = 0; c < ROD_VERTICES; ++c)
        for (int d = 0; d <= c; ++d, ++b)
            for (int i = 0; i < 9; ++i)
                matrix[N * (3 * c + i / 3) + 3 * d + i % 3] = matrix[N * (3 * d + i % 3) + 3 * c + i / 3] =
                    work->blocks[b][i];
}

TEST(rod_segment_force_and_stiffness_are_derivatives_of_its_energy) {
    uint32_t seed = 1;
    double rest[N], q[N], matrix[N * N];
    for (int trial = 0; trial < 5; ++trial) {
        RodSegment segment = make_segment(0.3 * trial, &seed, rest, q);
        RodWork here = evaluate(&segment, q, NULL, 1, 0);
        read_matrix(&here, matrix);
        double step = 1e-8, force_scale = 0, stiffness_scale = 0;
        for (int i = 0; i < N; ++i) {
            force_scale = fmax(force_scale, fabs(here.force[i / 3][i % 3]));
            stiffness_scale = fmax(stiffness_scale, fabs(matrix[N * i + i]));
        }
        force_scale = fmax(force_scale, 1e-6 * stiffness_scale);
        for (int i = 0; i < N; ++i) {
            double at = q[i];
            q[i] = at + step;
            RodWork after = evaluate(&segment, q, NULL, 1, 0);
            q[i] = at - step;
            RodWork before = evaluate(&segment, q, NULL, 1, 0);
            q[i] = at;
            CHECK_NEAR(here.force[i / 3][i % 3], -(after.energy - before.energy) / (2 * step), 1e-5 * force_scale);
            for (int j = 0; j < N; ++j)
                CHECK_NEAR(matrix[N * j + i], -(after.force[j / 3][j % 3] - before.force[j / 3][j % 3]) / (2 * step),
                           1e-5 * stiffness_scale);
        }
        if (trial == 0)
            CHECK(here.energy < 1e-20);
    }
}

TEST(rod_segment_damping_is_its_matrix_and_spares_rigid_motion) {
    uint32_t seed = 2;
    double rest[N], q[N], v[N], matrix[N * N];
    for (int trial = 0; trial < 4; ++trial) {
        RodSegment segment = make_segment(0.2 * trial, &seed, rest, q);
        RodWork still = evaluate(&segment, q, NULL, 0, 1);
        read_matrix(&still, matrix);
        for (int i = 0; i < N; ++i)
            v[i] = random_part(&seed);
        RodWork moving = evaluate(&segment, q, v, 1, 0);
        double power = 0, largest = 0;
        for (int i = 0; i < N; ++i) {
            double sum = 0;
            for (int j = 0; j < N; ++j)
                sum += matrix[N * i + j] * v[j];
            largest = fmax(largest, fabs(sum));
            power += sum * v[i];
            CHECK_NEAR(moving.force[i / 3][i % 3] - still.force[i / 3][i % 3], -sum, 1e-9 * fabs(sum) + 1e-9);
        }
        CHECK(power > 0);
        for (int i = 0; i < N; i += 3) { /* moves and turns */
            v[i] = 1 + 2 * q[i + 1] - 3 * q[i + 2];
            v[i + 1] = 2 - 2 * q[i] + q[i + 2];
            v[i + 2] = 3 + 3 * q[i] - q[i + 1];
        }
        moving = evaluate(&segment, q, v, 1, 0);
        for (int i = 0; i < N; ++i)
            CHECK_NEAR(moving.force[i / 3][i % 3], still.force[i / 3][i % 3], 1e-9 * largest);
    }
}

/* A section that turns at w about the fibre or across it: the power of the damping. */
TEST(rod_segment_damping_is_that_of_bending_and_twist) {
    uint32_t seed = 3;
    double rest[N], q[N];
    RodSegment segment = make_segment(0, &seed, rest, q);
    for (int v = 0; v < ROD_VERTICES; ++v) { /* straight */
        memcpy(rest + 3 * v, rest + 3 * (v % 4), 3 * sizeof(double));
        rest[3 * v] += v < 4 ? 0 : 0.01;
    }
    for (int axis = 0; axis < 3; ++axis) {
        double v[N] = {0}, w[3] = {axis == 0, axis == 1, axis == 2}, power = 0;
        for (int i = 4; i < ROD_VERTICES; ++i) {
            const double arm[3] = {0, rest[3 * i + 1], rest[3 * i + 2]};
            v[3 * i] = w[1] * arm[2] - w[2] * arm[1];
            v[3 * i + 1] = w[2] * arm[0] - w[0] * arm[2];
            v[3 * i + 2] = w[0] * arm[1] - w[1] * arm[0];
        }
        RodWork still = evaluate(&segment, rest, NULL, 1, 0), moving = evaluate(&segment, rest, v, 1, 0);
        for (int i = 0; i < N; ++i)
            power -= v[i] * (moving.force[i / 3][i % 3] - still.force[i / 3][i % 3]);
        double stiffness = axis == 0 ? segment.stiffness.twist : segment.stiffness.bending;
        CHECK_NEAR(power, 1.5 * 0.01 * stiffness, 1e-9 * stiffness);
    }
}
