/* What fields of force do at a point:
       a = s f(d) n(x) - f(d) r v,    f(d) = (1 + max(d - nearest, 0))^-falloff, 0 beyond `farthest`
   with d the distance from the field's origin in scene units, s its strength, n given by its kind, and r the rate at
   which it slows. The law of falloff is that of Blender, so that its fields act alike. */
#include "elastic/force_field.h"

#include "base/math3.h"

#include <math.h>
#include <string.h>

/* Column `axis` of the field's transform, of length 1; along that axis of the scene if it is flattened. */
static void field_axis(const FieldState *state, int axis, double out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = state->transform[4 * i + axis];
    double length = vec3_length(out);
    for (int i = 0; i < 3; ++i)
        out[i] = length > 0 ? out[i] / length : i == axis;
}

/* Away from the origin, or to it if the strength is negative. */
static void push(const ForceField *field, const FieldState *state, const double x[3], double acceleration[3]) {
    (void)field;
    double distance = vec3_length(x);
    for (int i = 0; i < 3; ++i)
        acceleration[i] = distance > 0 ? state->strength * x[i] / distance : 0;
}

static void blow(const ForceField *field, const FieldState *state, const double x[3], double acceleration[3]) {
    (void)field, (void)x;
    field_axis(state, 2, acceleration);
    for (int i = 0; i < 3; ++i)
        acceleration[i] *= state->strength;
}

/* Around the axis, counter-clockwise seen from its tip. */
static void swirl(const ForceField *field, const FieldState *state, const double x[3], double acceleration[3]) {
    (void)field;
    double axis[3];
    field_axis(state, 2, axis);
    vec3_cross(axis, x, acceleration);
    double length = vec3_length(acceleration);
    for (int i = 0; i < 3; ++i)
        acceleration[i] = length > 0 ? state->strength * acceleration[i] / length : 0;
}

static double spring_rate(const FieldState *state) {
    return state->strength;
}

/* As a spring to the origin. */
static void spring_back(const ForceField *field, const FieldState *state, const double x[3], double acceleration[3]) {
    for (int i = 0; i < 3; ++i)
        acceleration[i] = -spring_rate(state) * field->metres_per_unit * x[i];
}

/* ------------------------------------------------------------------------------------------------ turbulence */

/* A number from -1 to 1 for a point of the lattice and a component. */
static double lattice_number(int64_t x, int64_t y, int64_t z, uint32_t seed, uint32_t component) {
    /* the finalizer of splitmix64 (Steele, Lea and Flood 2014) over the sum of odd multiples */
    uint64_t h = (uint64_t)x * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)y * UINT64_C(0xC2B2AE3D27D4EB4F) +
                 (uint64_t)z * UINT64_C(0x165667B19E3779F9) + ((uint64_t)seed << 2 | component);
    h = (h ^ h >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ h >> 27) * UINT64_C(0x94D049BB133111EB);
    h ^= h >> 31;
    return (double)(h >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

/* Vectors at the points of a lattice of the field's size, with two continuous derivatives in between; the lattice moves
   with the field. */
static void stir(const ForceField *field, const FieldState *state, const double x[3], double acceleration[3]) {
    double blend[3][2];
    int64_t cell[3];
    memset(acceleration, 0, 3 * sizeof *acceleration);
    for (int a = 0; a < 3; ++a) {
        double axis[3];
        field_axis(state, a, axis);
        double along = vec3_dot(axis, x) / field->size, whole = floor(along), t = along - whole;
        if (!(fabs(along) < 1e15))
            return;
        cell[a] = (int64_t)whole;
        blend[a][1] = t * t * t * (t * (6 * t - 15) + 10);
        blend[a][0] = 1 - blend[a][1];
    }
    for (int corner = 0; corner < 8; ++corner) {
        int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        double weight = state->strength * blend[0][i] * blend[1][j] * blend[2][k];
        for (uint32_t c = 0; c < 3; ++c)
            acceleration[c] += weight * lattice_number(cell[0] + i, cell[1] + j, cell[2] + k, field->seed, c);
    }
}

/* ------------------------------------------------------------------------------------------------ what slows */

static double drag_rate(const FieldState *state, double speed) {
    return state->damping + state->strength * speed;
}

static double damping_rate(const FieldState *state, double speed) {
    (void)speed;
    return state->damping;
}

static const FieldKind kinds[] = {
    {{"force", "Force", "Pushes away from its place, or pulls to it with a negative strength."}, push, NULL, NULL},
    {{"wind", "Wind", "Blows along its third axis, everywhere alike but for its falloff."}, blow, NULL, NULL},
    {{"vortex", "Vortex", "Swirls around its third axis."}, swirl, NULL, NULL},
    {{"harmonic", "Harmonic", "Pulls to its place as a spring does, the harder the farther."},
     spring_back,
     damping_rate,
     spring_rate},
    {{"turbulence", "Turbulence", "Pushes to all sides, from place to place another way."}, stir, NULL, NULL},
    {{"drag", "Drag", "Slows what moves, as water or mud does."}, NULL, drag_rate, NULL},
};

const Table field_table = {"fields", "field", kinds, sizeof kinds[0], sizeof kinds / sizeof kinds[0], NULL};

JnStatus force_field_create(const JnField *desc, double metres_per_unit, const char *place, ForceField *field,
                            JnMessage *message) {
    const void *kind;
    *field = (ForceField){.falloff = desc->falloff,
                          .nearest = desc->nearest,
                          .farthest = desc->farthest,
                          .size = desc->size,
                          .metres_per_unit = metres_per_unit,
                          .seed = desc->seed};
    JnStatus status = table_find(&field_table, desc->kind, place, &kind, message);
    if (status == JN_OK)
        field->kind = kind;
    return status;
}

void force_field_add(const ForceField *field, const FieldState *state, const double x[3], double speed,
                     double acceleration[3], double *rate, double *spring) {
    double way[3], added[3];
    for (int i = 0; i < 3; ++i)
        way[i] = (x[i] - state->transform[4 * i + 3]) / field->metres_per_unit;
    double distance = vec3_length(way);
    if (distance > field->farthest) /* false if there is no farthest */
        return;
    double part = pow(1 + fmax(distance - field->nearest, 0), -field->falloff);
    if (field->kind->accelerate) {
        field->kind->accelerate(field, state, way, added);
        for (int i = 0; i < 3; ++i)
            acceleration[i] += part * added[i];
    }
    if (field->kind->slow)
        *rate += part * fmax(field->kind->slow(state, speed), 0);
    if (field->kind->spring)
        *spring += part * fmax(field->kind->spring(state), 0);
}
