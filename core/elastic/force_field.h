/* Fields of force: what blows, attracts, swirls or slows all that it reaches, each kilogram alike. */
#ifndef JN_ELASTIC_FORCE_FIELD_H
#define JN_ELASTIC_FORCE_FIELD_H

#include "base/table.h"
#include "elastic/force_term.h"

/* A field at one time. */
typedef struct FieldState {
    double transform[12]; /* m, to the scene: its origin is the field's place, its third axis the field's direction */
    double strength, damping; /* see JnField */
} FieldState;

struct FieldKind;

typedef struct ForceField {
    const struct FieldKind *kind;
    double falloff, nearest, farthest, size; /* of JnField, in scene units; farthest may be NaN */
    double metres_per_unit;
    uint32_t seed;
} ForceField;

/* A kind of field. x: the way from the field's origin to a point, in scene units. */
typedef struct FieldKind {
    JnTableEntry entry;
    /* The acceleration of what is at rest there, m/s2, without falloff; NULL: none. */
    void (*accelerate)(const ForceField *field, const FieldState *state, const double x[3], double acceleration[3]);
    /* The rate at which it slows what moves with this speed, m/s, in 1/s, without falloff; NULL: it does not. */
    double (*slow)(const FieldState *state, double speed);
    /* By how much the acceleration turns back for each metre away, 1/s2, without falloff; NULL: it is held through a
       step. */
    double (*spring)(const FieldState *state);
} FieldKind;

extern const Table field_table;

/* From a valid desc. */
JnStatus force_field_create(const JnField *desc, double metres_per_unit, const char *place, ForceField *field,
                            JnMessage *message);

/* What the field does to a point at x, m, that moves with `speed`, m/s: += an acceleration, m/s2, += the rate at which
   velocities die away, 1/s, and += what it pulls back with, 1/s2. */
void force_field_add(const ForceField *field, const FieldState *state, const double x[3], double speed,
                     double acceleration[3], double *rate, double *spring);

/* The force term of all fields of a moment. A field acts through a whole time step as it is where the step begins, so
   that its force has a potential within the step: held, or growing as that of a spring that pulls; what slows, slows
   the velocity of the step's end and is always dissipative. masses [vertex_count] kg, fields [field_count]: borrowed
   for the term's life. */
JnStatus force_fields_create(uint32_t vertex_count, const double *masses, const ForceField *fields,
                             uint32_t field_count, ForceTerm *term, JnMessage *message);

#endif
