/* Rigid motions u(x) = t + w x (x - c) of a connected part, as far as its fixed vertices allow: six without any, three
 * about a single one, one about two or more on a line, else none. */
#include "linear/modes_parts.h"

#include "base/math3.h"
#include "base/status.h"
#include "linear/dense_eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A motion is in the null space of K if its eigenvalue is below this, relative to the largest eigenvalue: rounding
   error. */
static const double FELT = 1e-13;
/* Fixed vertices prevent a motion if it moves them by more than this fraction of what it moves the body. */
static const double HELD = 1e-6;

typedef struct RigidFrame {
    double centre[3], size;
} RigidFrame;

static RigidFrame find_frame(const Pencil *pencil) {
    RigidFrame frame = {{0, 0, 0}, 0};
    const double *positions = pencil->problem->positions;
    double mass = 0;
    for (size_t v = 0; v < pencil->size / 3; ++v) {
        mass += pencil->problem->masses[v];
        for (size_t i = 0; i < 3; ++i)
            frame.centre[i] += pencil->problem->masses[v] * positions[3 * v + i];
    }
    for (int i = 0; i < 3; ++i)
        frame.centre[i] /= mass;
    for (size_t v = 0; v < pencil->size / 3; ++v) {
        double offset[3];
        vec3_sub(positions + 3 * v, frame.centre, offset);
        frame.size = fmax(frame.size, vec3_length(offset));
    }
    /* a single vertex has size 0, and no rotations */
    frame.size = frame.size > 0 ? frame.size : 1;
    return frame;
}

/* motion[k]: displacement at a point by unit k of t and w, the latter divided by the size. */
static void unit_motions(const RigidFrame *frame, const double *position, double motions[6][3]) {
    double offset[3];
    vec3_sub(position, frame->centre, offset);
    for (int k = 0; k < 3; ++k) {
        double axis[3] = {k == 0, k == 1, k == 2};
        memcpy(motions[k], axis, sizeof axis);
        vec3_cross(axis, offset, motions[3 + k]);
        for (int i = 0; i < 3; ++i)
            motions[3 + k][i] /= frame->size;
    }
}

/* The motions that leave the fixed vertices where they are: columns of `allowed`, as sums of unit motions. */
static JnStatus find_allowed(const Pencil *pencil, const RigidFrame *frame, double allowed[36], uint32_t *count,
                             JnMessage *message) {
    double values[6], fixed_count = 0;
    memset(allowed, 0, 36 * sizeof *allowed);
    for (size_t v = 0; v < pencil->size / 3; ++v) {
        if (!pencil_is_fixed(pencil, v))
            continue;
        double motions[6][3];
        ++fixed_count;
        unit_motions(frame, pencil->problem->positions + 3 * v, motions);
        for (size_t a = 0; a < 6; ++a)
            for (size_t b = 0; b < 6; ++b)
                allowed[6 * a + b] += vec3_dot(motions[a], motions[b]);
    }
    JnStatus status = dense_eigen(6, allowed, NULL, values, message);
    *count = 0;
    while (status == JN_OK && *count < 6 && values[*count] <= HELD * HELD * fmax(fixed_count, 1))
        ++*count;
    return status;
}

/* Adds the motion that is the sum `weights` of unit motions to `basis`. */
static JnStatus add_motion(const Pencil *pencil, const RigidFrame *frame, const double weights[6], Basis *basis,
                           JnMessage *message) {
    double *x = calloc(pencil->size + 1, sizeof *x);
    if (!x)
        return status_no_memory(message, "the rigid motions");
    for (size_t v = 0; v < pencil->size / 3; ++v) {
        if (pencil_is_fixed(pencil, v))
            continue;
        double motions[6][3];
        unit_motions(frame, pencil->problem->positions + 3 * v, motions);
        for (size_t i = 0; i < 3; ++i)
            for (size_t k = 0; k < 6; ++k)
                x[3 * v + i] += weights[k] * motions[k][i];
    }
    /* a straight chain does not move when it rotates about its axis */
    double largest = 0;
    for (size_t i = 0; i < pencil->size; ++i)
        largest = fmax(largest, fabs(x[i]));
    bool added;
    JnStatus status = largest > HELD ? basis_add(basis, pencil, x, 0, &added, message) : JN_OK;
    free(x);
    return status;
}

/* Diagonalizes K over the motions, and sorts them by their eigenvalues. */
static JnStatus sort_motions(const Pencil *pencil, const Basis *motions, Basis *free_motions, Basis *stressed,
                             JnMessage *message) {
    double ritz[36], values[6];
    size_t count = motions->count, n = pencil->size;
    double *x = malloc((n + 1) * sizeof *x);
    if (!x)
        return status_no_memory(message, "the rigid motions");
    for (size_t a = 0; a < count; ++a) {
        pencil_multiply_stiffness(pencil, motions->vectors + a * n, x);
        for (size_t b = 0; b < count; ++b) {
            ritz[a * count + b] = 0;
            for (size_t i = 0; i < n; ++i)
                ritz[a * count + b] += motions->vectors[b * n + i] * x[i];
        }
    }
    JnStatus status = dense_eigen(count, ritz, NULL, values, message);
    size_t unfelt = 0;
    for (size_t k = 0; status == JN_OK && k < count; ++k)
        unfelt += fabs(values[k]) <= FELT * pencil->largest;
    for (size_t k = 0; status == JN_OK && k < count; ++k) {
        bool felt = fabs(values[k]) > FELT * pencil->largest, added;
        if (felt && unfelt < 3)
            continue; /* held by springs or goals: an ordinary elastic mode */
        memset(x, 0, n * sizeof *x);
        for (size_t a = 0; a < count; ++a)
            for (size_t i = 0; i < n; ++i)
                x[i] += ritz[k * count + a] * motions->vectors[a * n + i];
        status = basis_add(felt ? stressed : free_motions, pencil, x, felt ? values[k] : 0, &added, message);
    }
    free(x);
    return status;
}

JnStatus modes_rigid(const Pencil *pencil, Basis *free_motions, Basis *stressed, JnMessage *message) {
    RigidFrame frame = find_frame(pencil);
    Basis motions = {0};
    double allowed[36];
    uint32_t count = 0;
    JnStatus status = find_allowed(pencil, &frame, allowed, &count, message);
    for (uint32_t k = 0; status == JN_OK && k < count; ++k)
        status = add_motion(pencil, &frame, allowed + 6 * k, &motions, message);
    if (status == JN_OK && motions.count > 0)
        status = sort_motions(pencil, &motions, free_motions, stressed, message);
    basis_free(&motions);
    return status;
}
