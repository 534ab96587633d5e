/* In the vectors z = (x, a, b, n) of both sections the bonds have the energy 1/2 sum M_pq z_p.z_q with constant numbers
   M = bonds' weights bonds. With g_n the derivative by n, and n = a x b,

       dn = [u_a] da + [u_b] db,  u_a = -b, u_b = a,  [u] x = u x x,

   so the derivatives by a and b are g_a + b x g_n and g_b + g_n x a, the second derivatives

       (M_kl + M_nm u_k.u_l) I - M_nm u_l u_k' + M_km [u_l] - M_nl [u_k]      k, l of sections with normals n, m
       -[g_n] for a, b of the same section.

   The last, the part of the stretch across the fibre and that of the section's strain along I may be negative, and in a
   thin fibre only inertia compensates for them. Only the raw stiffness has them; without them the matrix is positive
   semidefinite.

   Damping resists the turning of the sections relative to each other, w1 - w0, as bending and twist resist the angle; a
   section's w is that for which w x a, w x b are as close as possible to the rates of a and b. Rotations of the whole
   are not damped, and angular momentum is kept. Stretch, shear and the sections' strain are not damped: their waves are
   far too fast to be seen, and an implicit step takes the chord of a turn for the velocity, part of which strains what
   has turned; dampers in proportion to such stiffness would brake the turn. */
#include "elastic/rod_segment.h"

#include "base/math3.h"

#include <string.h>

enum { CENTRE, SIDE_A, SIDE_B, NORMAL, WARP = NORMAL, SIZE = 3 * ROD_VECTORS };
/* Bonds. */
enum { SHEAR, TURN_A, TURN_B, TURN_N };

/* A rest shape that follows the animation stays at least this long, relative to the modelled one. */
static const double SHORTEST_REST = 0.01;

/* The segment's state. z holds x, a, b, n of both sections; y the unknowns x, a, b, h. */
typedef struct RodState {
    double z[ROD_VECTORS][3], warp[2][3];
    double weights[ROD_BONDS];
    double bonds[ROD_BONDS][3];               /* their values */
    double slope[ROD_VECTORS][3];             /* M z: derivatives by z */
    double strain[2][3];                      /* of the sections: |a|^2 - 1, |b|^2 - 1, a.b */
    double direction[3], pull, along, across; /* of the stretch, as in springs.c */
} RodState;

/* ------------------------------------------------------------------------------------------------ vectors */

/* y_k = sum of these over the section's particles; a and b times 1 / (2 s), the others times 1 / 4. */
static const double corner_signs[SECTION_SIZE][SECTION_SIZE] = {
    [CENTRE] = {1, 1, 1, 1}, [SIDE_A] = {-1, 1, 1, -1}, [SIDE_B] = {-1, -1, 1, 1}, [WARP] = {1, -1, 1, -1}};

static double corner_scale(const RodSegment *segment, int k) {
    return k == SIDE_A || k == SIDE_B ? 0.5 / segment->width : 0.25;
}

/* x, a, b, h of both sections. */
static void read_vectors(const RodSegment *segment, const double *values, double y[ROD_VECTORS][3]) {
    for (int k = 0; k < ROD_VECTORS; ++k) {
        const double *corner = values + 3 * (size_t)segment->sections[k / 4], *signs = corner_signs[k % 4];
        double scale = corner_scale(segment, k % 4);
        for (int i = 0; i < 3; ++i)
            y[k][i] = scale * (signs[0] * corner[i] + signs[1] * corner[3 + i] + signs[2] * corner[6 + i] +
                               signs[3] * corner[9 + i]);
    }
}

static void add_scaled(const double *x, double factor, double *y) {
    for (int i = 0; i < 3; ++i)
        y[i] += factor * x[i];
}

/* ------------------------------------------------------------------------------------------------ the rest shape */

/* The orthonormal frame closest to the section's: a, b, n. */
static void read_frame(const double y[4][3], double frame[3][3]) {
    double sum[3], difference[3];
    for (int i = 0; i < 3; ++i)
        sum[i] = y[SIDE_A][i] + y[SIDE_B][i], difference[i] = y[SIDE_A][i] - y[SIDE_B][i];
    double along = vec3_length(sum), across = vec3_length(difference), half = sqrt(0.5);
    for (int i = 0; i < 3; ++i) {
        double s = along > 0 ? half * sum[i] / along : 0, d = across > 0 ? half * difference[i] / across : 0;
        frame[0][i] = s + d;
        frame[1][i] = s - d;
    }
    vec3_cross(frame[0], frame[1], frame[2]);
}

RodRest rod_rest_at(const RodSegment *segment, const double *positions) {
    RodRest rest;
    double y[ROD_VECTORS][3], r[3], frames[2][3][3];
    read_vectors(segment, positions, y);
    vec3_sub(y[4 + CENTRE], y[CENTRE], r);
    rest.length = vec3_length(r);
    for (int s = 0; s < 2; ++s) {
        read_frame((const double(*)[3])y + 4 * s, frames[s]);
        for (int i = 0; i < 3; ++i)
            rest.along[s][i] = rest.length > 0 ? vec3_dot(frames[s][i], r) / rest.length : 0;
    }
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            rest.turn[k][i] = vec3_dot(frames[0][i], frames[1][k]);
    return rest;
}

RodRest rod_rest_between(const RodRest *from, const RodRest *to, double part) {
    RodRest rest;
    double frame[4][3];
    rest.length = fmax(from->length + part * (to->length - from->length), SHORTEST_REST * from->length);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) {
            if (k < 2)
                rest.along[k][i] = from->along[k][i] + part * (to->along[k][i] - from->along[k][i]);
            frame[1 + k][i] = from->turn[k][i] + part * (to->turn[k][i] - from->turn[k][i]);
        }
    read_frame((const double(*)[3])frame, rest.turn);
    return rest;
}

void rod_set_rest(RodSegment *segment, const RodRest *rest) {
    double(*bonds)[ROD_VECTORS] = segment->bonds;
    memset(bonds, 0, sizeof segment->bonds);
    segment->length = rest->length;
    bonds[SHEAR][CENTRE] = -1 / rest->length;
    bonds[SHEAR][4 + CENTRE] = 1 / rest->length;
    for (int i = 0; i < 3; ++i) {
        bonds[SHEAR][SIDE_A + i] = -0.5 * rest->along[0][i];
        bonds[SHEAR][4 + SIDE_A + i] = -0.5 * rest->along[1][i];
        bonds[TURN_A + i][4 + SIDE_A + i] = 1;
        for (int k = 0; k < 3; ++k)
            bonds[TURN_A + k][SIDE_A + i] = -rest->turn[k][i];
    }
}

/* ------------------------------------------------------------------------------------------------ the state */

static void read_bonds(const RodSegment *segment, double factor, RodState *state) {
    const RodStiffness *k = &segment->stiffness;
    const double weights[ROD_BONDS] = {k->shear, 0.5 * k->twist, 0.5 * k->twist, k->bending - 0.5 * k->twist};
    for (int m = 0; m < ROD_BONDS; ++m) {
        state->weights[m] = factor * weights[m];
        memset(state->bonds[m], 0, sizeof state->bonds[m]);
        for (int p = 0; p < ROD_VECTORS; ++p)
            add_scaled(state->z[p], segment->bonds[m][p], state->bonds[m]);
    }
    memset(state->slope, 0, sizeof state->slope);
    for (int p = 0; p < ROD_VECTORS; ++p)
        for (int m = 0; m < ROD_BONDS; ++m)
            add_scaled(state->bonds[m], state->weights[m] * segment->bonds[m][p], state->slope[p]);
}

/* Returns the energy of the stretch. */
static double read_stretch(const RodSegment *segment, double factor, RodState *state) {
    double l = segment->length, k = factor * segment->stiffness.stretch;
    vec3_sub(state->z[4 + CENTRE], state->z[CENTRE], state->direction);
    double length = vec3_length(state->direction), d = length - l, cubic = segment->stiffness.cubic * d * d / (l * l);
    for (int i = 0; i < 3; ++i)
        state->direction[i] = length > 0 ? state->direction[i] / length : 0;
    state->pull = k * d * (segment->stiffness.linear + cubic);
    state->along = k * (segment->stiffness.linear + 3 * cubic);
    state->across = length > 0 ? state->pull / length : 0;
    return k * d * d * (0.5 * segment->stiffness.linear + 0.25 * cubic);
}

/* Fills in the state; returns its energy. */
static double read_state(const RodSegment *segment, const double *q, double factor, RodState *state) {
    double section = factor * segment->stiffness.section, energy = 0;
    read_vectors(segment, q, state->z);
    for (int s = 0; s < 2; ++s) {
        double *a = state->z[4 * s + SIDE_A], *b = state->z[4 * s + SIDE_B], *n = state->z[4 * s + NORMAL];
        memcpy(state->warp[s], n, sizeof state->warp[s]);
        vec3_cross(a, b, n);
        double *strain = state->strain[s];
        strain[0] = vec3_dot(a, a) - 1, strain[1] = vec3_dot(b, b) - 1, strain[2] = vec3_dot(a, b);
        energy += section / 8 * (strain[0] * strain[0] + strain[1] * strain[1] + 2 * strain[2] * strain[2]) +
                  section / 2 * vec3_dot(state->warp[s], state->warp[s]) / (segment->width * segment->width);
    }
    read_bonds(segment, factor, state);
    for (int m = 0; m < ROD_BONDS; ++m)
        energy += 0.5 * state->weights[m] * vec3_dot(state->bonds[m], state->bonds[m]);
    return energy + read_stretch(segment, factor, state);
}

/* ------------------------------------------------------------------------------------------------ force */

/* Derivatives of the energy by y. */
static void elastic_slope(const RodSegment *segment, double factor, const RodState *state,
                          double slope[ROD_VECTORS][3]) {
    double section = factor * segment->stiffness.section;
    for (int s = 0; s < 2; ++s) {
        int first = 4 * s;
        const double *a = state->z[first + SIDE_A], *b = state->z[first + SIDE_B], *strain = state->strain[s];
        const double *normal = state->slope[first + NORMAL];
        double by_a[3], by_b[3];
        vec3_cross(b, normal, by_a);
        vec3_cross(normal, a, by_b);
        for (int i = 0; i < 3; ++i) {
            slope[first + CENTRE][i] =
                state->slope[first + CENTRE][i] + (s ? 1 : -1) * state->pull * state->direction[i];
            slope[first + SIDE_A][i] =
                state->slope[first + SIDE_A][i] + by_a[i] + 0.5 * section * (strain[0] * a[i] + strain[2] * b[i]);
            slope[first + SIDE_B][i] =
                state->slope[first + SIDE_B][i] + by_b[i] + 0.5 * section * (strain[1] * b[i] + strain[2] * a[i]);
            slope[first + WARP][i] = section / (segment->width * segment->width) * state->warp[s][i];
        }
    }
}

/* force -= the slope by the vertices. */
static void subtract_slope(const RodSegment *segment, const double slope[ROD_VECTORS][3],
                           double force[ROD_VERTICES][3]) {
    for (int c = 0; c < ROD_VERTICES; ++c)
        for (int k = 0; k < 4; ++k)
            add_scaled(slope[c / 4 * 4 + k], -corner_scale(segment, k) * corner_signs[k][c % 4], force[c]);
}

/* ------------------------------------------------------------------------------------------------ stiffness */

/* matrix += identity I + [axis] + outer left right', at the block of vectors k, l. */
static void add_block(double *matrix, int k, int l, double identity, const double axis[3], double outer,
                      const double *left, const double *right) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            matrix[SIZE * (3 * k + i) + 3 * l + j] += (i == j ? identity : 0) + outer * left[i] * right[j];
    if (!axis)
        return;
    double *at = matrix + SIZE * 3 * k + 3 * l;
    at[1] -= axis[2], at[2] += axis[1], at[SIZE + 2] -= axis[0];
    at[SIZE] += axis[2], at[2 * SIZE] -= axis[1], at[2 * SIZE + 1] += axis[0];
}

static const double nothing[3] = {0, 0, 0};

/* u_k of vector k; 0 for centres. */
static void normal_axis(const RodState *state, int k, double axis[3]) {
    const double *other = state->z[k / 4 * 4 + (k % 4 == SIDE_A ? SIDE_B : SIDE_A)];
    double sign = k % 4 == SIDE_A ? -1 : k % 4 == SIDE_B ? 1 : 0;
    for (int i = 0; i < 3; ++i)
        axis[i] = sign * other[i];
}

static void add_bond_stiffness(const RodSegment *segment, const RodState *state, StiffnessKind kind, double *matrix) {
    double form[ROD_VECTORS][ROD_VECTORS] = {{0}};
    for (int m = 0; m < ROD_BONDS; ++m) {
        double weight = kind == STIFFNESS_RAW ? state->weights[m] : fmax(state->weights[m], 0);
        for (int p = 0; p < ROD_VECTORS; ++p)
            for (int q = 0; q < ROD_VECTORS; ++q)
                form[p][q] += weight * segment->bonds[m][p] * segment->bonds[m][q];
    }
    for (int k = 0; k < ROD_VECTORS; ++k)
        for (int l = 0; l < ROD_VECTORS; ++l) {
            if (k % 4 == WARP || l % 4 == WARP)
                continue;
            int n = k / 4 * 4 + NORMAL, m = l / 4 * 4 + NORMAL;
            double uk[3], ul[3], axis[3];
            normal_axis(state, k, uk);
            normal_axis(state, l, ul);
            for (int i = 0; i < 3; ++i)
                axis[i] = form[k][m] * ul[i] - form[n][l] * uk[i];
            add_block(matrix, k, l, form[k][l] + form[n][m] * vec3_dot(uk, ul), axis, -form[n][m], ul, uk);
        }
    for (int s = 0; kind == STIFFNESS_RAW && s < 2; ++s) {
        const double *slope = state->slope[4 * s + NORMAL], back[3] = {-slope[0], -slope[1], -slope[2]};
        add_block(matrix, 4 * s + SIDE_A, 4 * s + SIDE_B, 0, back, 0, nothing, nothing);
        add_block(matrix, 4 * s + SIDE_B, 4 * s + SIDE_A, 0, slope, 0, nothing, nothing);
    }
}

static void add_section_stiffness(const RodSegment *segment, const RodState *state, double factor, StiffnessKind kind,
                                  double *matrix) {
    double section = factor * segment->stiffness.section, least = kind == STIFFNESS_RAW ? -1 : 0;
    for (int s = 0; s < 2; ++s) {
        int A = 4 * s + SIDE_A, B = 4 * s + SIDE_B, W = 4 * s + WARP;
        const double *a = state->z[A], *b = state->z[B], *strain = state->strain[s];
        double both = kind == STIFFNESS_RAW ? 0.5 * section * strain[2] : 0;
        add_block(matrix, A, A, 0.5 * section * fmax(strain[0], least), NULL, section, a, a);
        add_block(matrix, A, A, 0, NULL, 0.5 * section, b, b);
        add_block(matrix, B, B, 0.5 * section * fmax(strain[1], least), NULL, section, b, b);
        add_block(matrix, B, B, 0, NULL, 0.5 * section, a, a);
        add_block(matrix, A, B, both, NULL, 0.5 * section, b, a);
        add_block(matrix, B, A, both, NULL, 0.5 * section, a, b);
        add_block(matrix, W, W, section / (segment->width * segment->width), NULL, 0, nothing, nothing);
    }
}

static void add_stretch_stiffness(const RodState *state, double along, double across, double *matrix) {
    for (int s = 0; s < 2; ++s)
        for (int t = 0; t < 2; ++t) {
            double sign = s == t ? 1 : -1;
            add_block(matrix, 4 * s + CENTRE, 4 * t + CENTRE, sign * across, NULL, sign * (along - across),
                      state->direction, state->direction);
        }
}

/* ------------------------------------------------------------------------------------------------ damping */

/* rates: [3][SIZE], w1 - w0 as a linear function of the rates of y. */
static void read_turn_rates(const RodState *state, double rates[3 * SIZE]) {
    memset(rates, 0, 3 * SIZE * sizeof *rates);
    for (int s = 0; s < 2; ++s) {
        const double *a = state->z[4 * s + SIDE_A], *b = state->z[4 * s + SIDE_B];
        double inertia[9], inverse[9], size = vec3_dot(a, a) + vec3_dot(b, b), sign = s ? 1 : -1;
        for (int i = 0; i < 9; ++i)
            inertia[i] = (i % 4 == 0 ? size : 0) - a[i / 3] * a[i % 3] - b[i / 3] * b[i % 3];
        if (!mat3_inverse(inertia, inverse)) { /* a collapsed section has no w */
            memset(rates, 0, 3 * SIZE * sizeof *rates);
            return;
        }
        for (int k = 4 * s + SIDE_A; k <= 4 * s + SIDE_B; ++k)
            for (int i = 0; i < 3; ++i) {
                double row[3] = {sign * inverse[3 * i], sign * inverse[3 * i + 1], sign * inverse[3 * i + 2]};
                vec3_cross(row, state->z[k], rates + SIZE * i + 3 * k); /* of inverse [f] */
            }
    }
}

/* [9]: the stiffness against a turn of the sections relative to each other: twist along the fibre, bending across. */
static void read_turn_stiffness(const RodSegment *segment, const RodState *state, double factor, double stiffness[9]) {
    double n[3], twist = factor * segment->stiffness.twist, bending = factor * segment->stiffness.bending;
    for (int i = 0; i < 3; ++i)
        n[i] = state->z[NORMAL][i] + state->z[4 + NORMAL][i];
    double square = vec3_dot(n, n);
    for (int i = 0; i < 9; ++i)
        stiffness[i] = (i % 4 == 0 ? bending : 0) + (square > 0 ? (twist - bending) * n[i / 3] * n[i % 3] / square : 0);
}

/* matrix += scale times the damping by y. */
static void add_damping(const RodSegment *segment, const RodState *state, double factor, double scale, double *matrix) {
    double rates[3 * SIZE], stiffness[9], moments[3 * SIZE] = {0};
    read_turn_rates(state, rates);
    read_turn_stiffness(segment, state, scale * factor, stiffness);
    for (int i = 0; i < 9; ++i)
        for (int k = 0; k < SIZE; ++k)
            moments[SIZE * (i / 3) + k] += stiffness[i] * rates[SIZE * (i % 3) + k];
    for (int k = 0; k < SIZE; ++k)
        for (int i = 0; i < 3; ++i)
            for (int l = 0; rates[SIZE * i + k] != 0 && l < SIZE; ++l)
                matrix[SIZE * k + l] += rates[SIZE * i + k] * moments[SIZE * i + l];
}

/* slope = scale times the damping times the rates of y. */
static void damping_slope(const RodSegment *segment, const RodState *state, double factor, double scale,
                          const double rate[SIZE], double slope[SIZE]) {
    double rates[3 * SIZE], stiffness[9], turn[3], moment[3];
    read_turn_rates(state, rates);
    read_turn_stiffness(segment, state, scale * factor, stiffness);
    for (int i = 0; i < 3; ++i) {
        turn[i] = 0;
        for (int k = 0; k < SIZE; ++k)
            turn[i] += rates[SIZE * i + k] * rate[k];
    }
    mat3_mul_vec(stiffness, turn, moment);
    for (int k = 0; k < SIZE; ++k)
        slope[k] = rates[k] * moment[0] + rates[SIZE + k] * moment[1] + rates[2 * SIZE + k] * moment[2];
}

/* ------------------------------------------------------------------------------------------------ all of it */

/* blocks = the matrix by y, in the vertices. */
static void to_vertices(const RodSegment *segment, const double *matrix, double blocks[ROD_BLOCKS][9]) {
    double half[ROD_VECTORS][ROD_VERTICES][9]; /* rows by y, columns by vertices */
    memset(half, 0, sizeof half);
    for (int k = 0; k < ROD_VECTORS; ++k)
        for (int c = 0; c < ROD_VERTICES; ++c)
            for (int l = 0; l < 4; ++l) {
                double scale = corner_scale(segment, l) * corner_signs[l][c % 4];
                const double *from = matrix + SIZE * 3 * k + 3 * (c / 4 * 4 + l);
                for (int i = 0; i < 9; ++i)
                    half[k][c][i] += scale * from[SIZE * (i / 3) + i % 3];
            }
    memset(blocks, 0, ROD_BLOCKS * sizeof *blocks);
    for (int c = 0; c < ROD_VERTICES; ++c)
        for (int d = 0; d <= c; ++d, ++blocks)
            for (int k = 0; k < 4; ++k) {
                double scale = corner_scale(segment, k) * corner_signs[k][c % 4];
                for (int i = 0; i < 9; ++i)
                    (*blocks)[i] += scale * half[c / 4 * 4 + k][d][i];
            }
}

void rod_segment_evaluate(const RodSegment *segment, RodWork *work) {
    RodState state;
    double factor = work->stiffness_factor;
    work->energy = read_state(segment, work->q, factor, &state);
    if (work->wants_force) {
        double slope[ROD_VECTORS][3];
        memset(work->force, 0, sizeof work->force);
        elastic_slope(segment, factor, &state, slope);
        subtract_slope(segment, (const double(*)[3])slope, work->force);
        if (work->v && segment->stiffness_damping > 0) {
            double rate[ROD_VECTORS][3];
            read_vectors(segment, work->v, rate);
            damping_slope(segment, &state, factor, segment->stiffness_damping, *rate, *slope);
            subtract_slope(segment, (const double(*)[3])slope, work->force);
        }
    }
    if (!work->wants_blocks)
        return;
    double matrix[SIZE * SIZE] = {0};
    double across = work->stiffness == STIFFNESS_RAW ? state.across : fmax(state.across, 0);
    add_bond_stiffness(segment, &state, work->stiffness, matrix);
    add_section_stiffness(segment, &state, factor, work->stiffness, matrix);
    add_stretch_stiffness(&state, state.along, across, matrix);
    for (int i = 0; i < SIZE * SIZE; ++i)
        matrix[i] *= work->stiffness_scale;
    if (segment->stiffness_damping > 0 && work->damping_scale != 0)
        add_damping(segment, &state, factor, work->damping_scale * segment->stiffness_damping, matrix);
    to_vertices(segment, matrix, work->blocks);
}
