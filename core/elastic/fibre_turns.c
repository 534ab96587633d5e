#include "elastic/fibre_turns.h"

#include "base/math3.h"

/* Lengths change at most by this factor in one step, whatever its first order says. */
static const double MOST_CHANGE = 1.5;

static uint32_t section_at(const RodSegment *segments, uint32_t i) {
    return i > 0 ? segments[i - 1].sections[1] : segments[0].sections[0];
}

static void centre_at(const double *q, uint32_t section, double centre[3]) {
    for (size_t i = 0; i < 3; ++i) {
        const double *at = q + 3 * (size_t)section + i;
        centre[i] = 0.25 * (at[0] + at[3] + at[6] + at[9]);
    }
}

static void shift(double *q, uint32_t section, const double by[3]) {
    for (size_t i = 0; i < 12; ++i)
        q[3 * (size_t)section + i] += by[i % 3];
}

/* The factor on `after` that gives it the length that the way from `before` gives to first order. */
static double length_factor(const double before[3], const double after[3], bool keep) {
    double length = vec3_length(before), now = vec3_length(after);
    if (!(length > 0) || !(now > 0))
        return 1;
    double wanted = keep ? length : vec3_dot(before, after) / length;
    return fmin(fmax(wanted, length / MOST_CHANGE), length * MOST_CHANGE) / now;
}

/* Gives the sides of a section their lengths; its centre stays. */
static void turn_section(const FibreStep *step, uint32_t section) {
    static const double signs[2][4] = {{-1, 1, 1, -1}, {-1, -1, 1, 1}};
    for (int side = 0; side < 2; ++side) {
        double sides[2][3] = {{0}};
        for (size_t c = 0; c < SECTION_SIZE; ++c)
            for (size_t i = 0; i < 3; ++i) {
                size_t at = 3 * (section + c) + i;
                sides[0][i] += 0.25 * signs[side][c] * step->q0[at];
                sides[1][i] += 0.25 * signs[side][c] * step->q1[at];
            }
        double change = length_factor(sides[0], sides[1], step->kind == TURN_GUESS) - 1;
        for (size_t c = 0; c < SECTION_SIZE; ++c)
            for (size_t i = 0; i < 3; ++i)
                step->q1[3 * (section + c) + i] += change * signs[side][c] * sides[1][i];
    }
}

/* Moves sections from `from` on, one by one towards `last`, so that the way from each to the next has its length.
   moved: by how much `from` was moved. */
static void carry(const RodSegment *segments, uint32_t from, uint32_t last, const FibreStep *step) {
    double moved[3] = {0, 0, 0}, here[3];
    int way = from < last ? 1 : -1;
    centre_at(step->q1, section_at(segments, from), here);
    for (uint32_t i = from; i != last;) {
        uint32_t a = section_at(segments, i), b = section_at(segments, i + (uint32_t)way);
        double x[3], y[3], before[3], next[3], after[3];
        centre_at(step->q0, a, x);
        centre_at(step->q0, b, y);
        centre_at(step->q1, b, next);
        vec3_sub(y, x, before);
        vec3_sub(next, here, after);
        double change = length_factor(before, after, step->kind == TURN_GUESS) - 1;
        for (int k = 0; k < 3; ++k) {
            moved[k] += change * after[k];
            here[k] = next[k];
        }
        shift(step->q1, b, moved);
        i += (uint32_t)way;
    }
}

static void keep_centre_of_mass(const RodSegment *segments, uint32_t count, const FibreStep *step, double sign,
                                double sum[3], double *mass) {
    for (uint32_t i = 0; i <= count; ++i)
        for (size_t c = 0; c < SECTION_SIZE; ++c) {
            size_t v = section_at(segments, i) + c;
            *mass += sign > 0 ? step->masses[v] : 0;
            for (size_t k = 0; k < 3; ++k)
                sum[k] += sign * step->masses[v] * step->q1[3 * v + k];
        }
}

/* How far the fibre turns at most, as the tangent of the angle if nothing is stretched. */
static double largest_turn(const RodSegment *segments, uint32_t count, const FibreStep *step) {
    double largest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double x[4][3], before[3], after[3], way[3];
        for (int s = 0; s < 2; ++s) {
            centre_at(step->q0, segments[i].sections[s], x[s]);
            centre_at(step->q1, segments[i].sections[s], x[2 + s]);
        }
        vec3_sub(x[1], x[0], before);
        vec3_sub(x[3], x[2], after);
        vec3_sub(after, before, way);
        largest = fmax(largest, vec3_length(way) / vec3_length(before));
    }
    return largest;
}

/* Newton's method loses its way if a part of the fibre turns farther than this at once; other fibres need not wait. */
static const double FARTHEST_TURN = 0.5;

static void shorten(const RodSegment *segments, uint32_t count, const FibreStep *step) {
    double part = FARTHEST_TURN / largest_turn(segments, count, step);
    if (!(part < 1))
        return;
    for (uint32_t i = 0; i <= count; ++i)
        for (size_t k = 0; k < 12; ++k) {
            size_t at = 3 * (size_t)section_at(segments, i) + k;
            step->q1[at] = step->q0[at] + part * (step->q1[at] - step->q0[at]);
        }
}

void fibre_follow_turns(const RodSegment *segments, uint32_t count, const FibreStep *step) {
    uint32_t first = count + 1, last = 0;
    if (step->kind == TURN_SEARCH)
        shorten(segments, count, step);
    for (uint32_t i = 0; i <= count; ++i) {
        uint32_t section = section_at(segments, i);
        if (step->roles[section]) {
            first = i < first ? i : first;
            last = i;
        } else {
            turn_section(step, section);
        }
    }
    if (first <= count) {
        carry(segments, first, 0, step);
        carry(segments, last, count, step);
        return;
    }
    double moved[3] = {0, 0, 0}, mass = 0;
    keep_centre_of_mass(segments, count, step, -1, moved, &mass);
    carry(segments, 0, count, step);
    keep_centre_of_mass(segments, count, step, 1, moved, &mass);
    for (int k = 0; k < 3; ++k)
        moved[k] = mass > 0 ? -moved[k] / mass : 0;
    for (uint32_t i = 0; i <= count; ++i)
        shift(step->q1, section_at(segments, i), moved);
}
