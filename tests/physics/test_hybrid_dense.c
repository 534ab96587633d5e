/* Steps of SIERE against the same steps written densely: exact eigenvectors of the step's stiffness, the damped
   oscillator by its series, and one dense solve in the complement,

       (M + h D + h^2 K) x = h (f - K U dq - D U dv - h K v_H)   where U'M x = 0.

   Pins that move, stiffness and goals that are keyed, both kinds of damping, cloth, fibres, a floor, and time steps
   whose length changes. */
#include "dense_solve.h"
#include "harness.h"
#include "shaped.h"
#include "small_system.h"

#include "bake/bake_internal.h"
#include "linear/dense_eigen.h"

enum { KEPT = 4 };

/* A step's start in the free unknowns. */
typedef struct DenseStep {
    size_t count;       /* n, of free unknowns */
    size_t *numbers;    /* [n] where each is in all unknowns */
    double *M, *f, *v;  /* [n]; the force with the pins where they end, at rest */
    double *K, *D;      /* [n][n] */
    double *U, *values; /* [n][n], [n] modes and eigenvalues, of dense_step_take */
    double *q_1, *v_1;  /* [n] the end by formula: first the displacement */
    double pin_way;     /* m: the farthest that a pin moves */
    double pressed;     /* of the force, how much contact has at most */
    double damped;      /* 1/s: the largest entry of M^-1 D */
} DenseStep;

static void dense_step_free(DenseStep *step) {
    void *arrays[] = {step->numbers, step->M,   step->f,   step->v, step->K,
                      step->D,       step->q_1, step->v_1, step->U, step->values};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        free(arrays[k]);
}

/* Reads what the system has at q, v, for a step of h from `time`. */
static int dense_step_read(DenseStep *step, View *view, const State *state, double h) {
    size_t all = 3 * (size_t)view->system->vertex_count, n = 0;
    double *unit = calloc(all, sizeof *unit), *column = calloc(all, sizeof *unit), *force = calloc(all, sizeof *unit);
    Jacobian *parts[2] = {NULL, NULL};
    static const JacobianScales scales[] = {{.stiffness = 1, .contacts = CONTACTS_GIVEN},
                                            {.damping = 1, .contacts = CONTACTS_GIVEN}}; /* and none are */
    *step = (DenseStep){.numbers = calloc(all, sizeof(size_t))};
    view_set_time(view, state->time, state->time + h);
    int good = view_begin_step(view, &(StepStart){state->q, state->v, h, false}, NULL) == JN_OK;
    for (int k = 0; k < 2; ++k)
        good &= jacobian_create(view, &parts[k], NULL) == JN_OK &&
                jacobian_assemble(parts[k], state->q, NULL, &scales[k], view->stiffness, k == 0 ? force : NULL, NULL) ==
                    JN_OK;
    for (size_t i = 0; i < all; ++i)
        if (view_is_free(view, i / 3))
            step->numbers[n++] = i;
    double **vectors[] = {&step->M, &step->f, &step->v, &step->q_1, &step->v_1};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
        *vectors[k] = calloc(n, sizeof(double));
    step->K = calloc(n * n, sizeof(double));
    step->D = calloc(n * n, sizeof(double));
    step->count = n;
    for (size_t i = 0; i < n; ++i) {
        step->M[i] = view->system->masses[step->numbers[i] / 3];
        step->f[i] = force[step->numbers[i]];
        step->v[i] = state->v[step->numbers[i]];
    }
    for (int part = 0; good && part < 2; ++part) {
        double *matrix = part == 0 ? step->K : step->D;
        for (size_t j = 0; j < n; ++j) {
            memset(unit, 0, all * sizeof *unit);
            unit[step->numbers[j]] = 1;
            jacobian_multiply(parts[part], unit, column);
            for (size_t i = 0; i < n; ++i) {
                matrix[i * n + j] = column[step->numbers[i]];
                step->damped = fmax(step->damped, part == 1 ? fabs(matrix[i * n + j]) / step->M[i] : 0);
            }
        }
        memset(unit, 0, all * sizeof *unit);
        for (size_t i = 0; i < all; ++i)
            if (!view_is_free(view, i / 3)) {
                unit[i] = (view->prescribed_positions[i] - state->q[i]) / (part == 0 ? 1 : h);
                step->pin_way = part == 0 ? fmax(step->pin_way, fabs(unit[i])) : step->pin_way;
            }
        jacobian_multiply(parts[part], unit, column);
        for (size_t i = 0; i < n; ++i) /* less the force of the pins on their way */
            step->f[i] -= column[step->numbers[i]];
    }
    jacobian_destroy(parts[0]);
    jacobian_destroy(parts[1]);
    free(unit);
    free(column);
    free(force);
    return good;
}

/* h phi_1(h J) (a, b) for J = (0 1; -value -damping), by its series in short parts of the step. */
static void swing(double value, double damping, double h, double a, double b, double moved[2]) {
    enum { PARTS = 64 };
    double dt = h / PARTS, x = 0, v = a, f = b + damping * a; /* x'' = f - value x - damping x' */
    for (int part = 0; part < PARTS; ++part) {
        double term[2] = {v, f - value * x - damping * v}, sum[2] = {x, v}, scale = dt;
        for (int k = 1; k < 30; ++k) {
            sum[0] += scale * term[0];
            sum[1] += scale * term[1];
            double next[2] = {term[1], -value * term[0] - damping * term[1]};
            memcpy(term, next, sizeof term);
            scale *= dt / (k + 1);
        }
        x = sum[0];
        v = sum[1];
    }
    moved[0] = x;
    moved[1] = v - a;
}

/* The formula. Returns whether the last kept eigenvalue is apart from the next, so that just so many are kept. */
static int dense_step_take(DenseStep *step, double h) {
    size_t n = step->count, all = n + KEPT;
    double *U = malloc(n * n * sizeof *U), *mass = calloc(n * n, sizeof *mass), *values = malloc(n * sizeof *values);
    double *A = calloc(all * all, sizeof *A), *x = calloc(all, sizeof *x), *v_H = malloc(n * sizeof *v_H),
           *f = malloc(n * sizeof *f);
    memcpy(U, step->K, n * n * sizeof *U);
    for (size_t i = 0; i < n; ++i)
        mass[i * n + i] = step->M[i];
    int good = dense_eigen(n, U, mass, values, NULL) == JN_OK && values[KEPT] > 1.02 * values[KEPT - 1];
    for (size_t i = 0; i < n; ++i) {
        v_H[i] = step->v[i];
        f[i] = step->f[i];
        for (size_t j = 0; j < n; ++j)
            f[i] -= step->D[i * n + j] * step->v[j];
    }
    for (size_t k = 0; k < KEPT; ++k) {
        const double *u = U + k * n;
        double a = 0, b = 0, damping = 0, moved[2];
        for (size_t i = 0; i < n; ++i) {
            a += u[i] * step->M[i] * step->v[i];
            b += u[i] * f[i];
            for (size_t j = 0; j < n; ++j)
                damping += u[i] * step->D[i * n + j] * u[j];
        }
        swing(values[k], damping, h, a, b, moved);
        for (size_t i = 0; i < n; ++i) {
            v_H[i] -= a * u[i];
            step->q_1[i] += moved[0] * u[i];
            step->v_1[i] += moved[1] * u[i];
        }
    }
    /* in the complement, with the modes where they have come to; a multiplier for each keeps x out of them */
    for (size_t i = 0; i < n; ++i) {
        x[i] = h * f[i];
        for (size_t j = 0; j < n; ++j) {
            A[i * all + j] = (i == j) * step->M[i] + h * step->D[i * n + j] + h * h * step->K[i * n + j];
            x[i] -= h * (step->K[i * n + j] * (step->q_1[j] + h * v_H[j]) + step->D[i * n + j] * step->v_1[j]);
        }
        for (size_t k = 0; k < KEPT; ++k)
            A[i * all + n + k] = A[(n + k) * all + i] = step->M[i] * U[k * n + i];
    }
    dense_solve(A, x, all, 1);
    for (size_t i = 0; i < n; ++i) {
        step->q_1[i] += h * (v_H[i] + x[i]);
        step->v_1[i] += step->v[i] + x[i];
    }
    step->U = U;
    step->values = values;
    void *arrays[] = {mass, A, x, v_H, f};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        free(arrays[k]);
    return good;
}

/* Adds what contact has at the end of a step of h from `before` to q: a constant force, which acts on both parts. The
   view's step is still that one, in which contact takes the mean velocity and gives what it changes of the momentum. */
static int add_contact(DenseStep *step, View *view, const double *before, const double *q, double h) {
    size_t all = 3 * (size_t)view->system->vertex_count;
    double *velocity = calloc(all, sizeof *velocity), *impulse = calloc(all, sizeof *impulse), largest = 0, pressed = 0;
    for (size_t i = 0; i < all; ++i)
        velocity[i] = (q[i] - before[i]) / h;
    int good = view_contact(view, velocity, NULL, impulse, NULL) == JN_OK;
    for (size_t i = 0; good && i < step->count; ++i) {
        double force = impulse[step->numbers[i]] / h;
        largest = fmax(largest, fabs(step->f[i]));
        pressed = fmax(pressed, fabs(force));
        step->f[i] += force;
    }
    step->pressed = pressed > 0 ? pressed / fmax(largest, pressed) : 0;
    free(velocity);
    free(impulse);
    return good;
}

/* Steps of these lengths one after the other, each against the formula from where the last one ended. *seen
   gets what acted. */
static void check_steps(View *view, State *state, const double *lengths, size_t count, double tolerance,
                        DenseStep *seen) {
    const void *found = NULL;
    void *self;
    size_t all = 3 * (size_t)view->system->vertex_count;
    double *before = malloc(all * sizeof *before), worst = 0;
    CHECK(table_find(&integrator_table, "siere", "test", &found, NULL) == JN_OK);
    const Integrator *siere = found;
    const MethodOptions options = {.variant = siere->variant, .mode_count = KEPT, .mode_tolerance = 1e-12};
    CHECK(siere->prepare(view, &options, &self, NULL) == JN_OK);
    *seen = (DenseStep){0};
    for (size_t s = 0; s < count; ++s) {
        DenseStep step;
        StepReport report;
        CHECK(dense_step_read(&step, view, state, lengths[s]));
        memcpy(before, state->q, all * sizeof *before);
        CHECK(siere->step(self, view, state, lengths[s], &report, NULL) == JN_OK);
        CHECK(!view_may_touch(view) || add_contact(&step, view, before, state->q, lengths[s]));
        CHECK(dense_step_take(&step, lengths[s]));
        double way = 0, speed = 0, off = 0, off_speed = 0;
        for (size_t i = 0; i < step.count; ++i) {
            size_t at = step.numbers[i];
            way = fmax(way, fabs(step.q_1[i]));
            speed = fmax(speed, fabs(step.v_1[i]));
            off = fmax(off, fabs(state->q[at] - before[at] - step.q_1[i]));
            off_speed = fmax(off_speed, fabs(state->v[at] - step.v_1[i]));
        }
        CHECK(way > 1e-6 && speed > 1e-4);
        /* what turns goes around: its velocities alone are as in the formula */
        worst = fmax(worst, fmax(view_has_turns(view) ? 0 : off / way, off_speed / speed));
        seen->pressed = fmax(seen->pressed, step.pressed);
        seen->pin_way = fmax(seen->pin_way, step.pin_way);
        seen->damped = fmax(seen->damped, step.damped);
        dense_step_free(&step);
    }
    printf("off by %.2g of a step; pins move by %.2g m\n", worst, seen->pin_way);
    siere->destroy(self);
    free(before);
    CHECK(worst < tolerance);
}

/* A bent and rough pose of the bar, and velocities; the pinned end is where it is at rest. */
static void start_bent(const SmallSystem *small, double *q, double *v) {
    for (size_t i = 0; i < 3 * (size_t)small->system.vertex_count; ++i) {
        double x = small->rest[i - i % 3];
        q[i] = small->rest[i] + 0.05 * x * x * (1 + (double)(i % 3)) + 0.002 * sin(3 * (double)i) * (x > 0);
        v[i] = x * (0.3 + 0.1 * cos(7 * (double)i));
    }
}

/* Goals move with the pins, and are keyed: they grow. Damping that does not have the modes of the stiffness, goals
   included, couples them to the complement; what is small of that is left out (modal_split.c). So there is none of the
   material with goals. */
static void check_bar(double goal_growth) {
    static const double lengths[] = {0.01, 0.004, 0.013, 0.01, 1.0 / 72};
    SmallSystem small;
    DenseStep seen;
    ForceTerm goals;
    CHECK(small_system_bar(&small, &(SmallBar){.swing = 0.05,
                                               .mass_damping = 2,
                                               .stiffness_damping = goal_growth > 0 ? 0 : 0.003,
                                               .stiffening = 0.5}));
    small.goal_growth = goal_growth;
    CHECK(goals_create(small.system.vertex_count, &goals, NULL) == JN_OK && small_system_add(&small, goals));
    CHECK(small_system_open(&small, STIFFNESS_RAW, NULL) == JN_OK);
    size_t all = 3 * (size_t)small.system.vertex_count;
    double *q = malloc(all * sizeof *q), *v = malloc(all * sizeof *v);
    start_bent(&small, q, v);
    check_steps(small.view, &(State){q, v, 0.2}, lengths, sizeof lengths / sizeof *lengths, 1e-10, &seen);
    CHECK(seen.pin_way > 1e-4 && seen.damped > 1);
    free(q);
    free(v);
    small_system_free(&small);
}

TEST(siere_with_moving_pins_keyed_stiffness_and_damping_is_its_dense_formula_at_any_steps) {
    check_bar(0);
}

TEST(siere_with_keyed_goals_is_its_dense_formula_at_any_steps) {
    check_bar(500);
}

/* The damping of springs does not have the modes of their stiffness. */
TEST(siere_on_hanging_cloth_is_its_dense_formula_at_any_steps) {
    static const double lengths[] = {1.0 / 96, 1.0 / 240, 1.0 / 72, 1.0 / 24};
    ShapedBody scene;
    JnBake *bake;
    DenseStep seen;
    JnShape shape = shaped_shape("cloth", 0.7, 0.4, 6, 3);
    CHECK(shaped_init(&scene, "textile", &shape, 1));
    scene.body.material.stiffness_damping = 0.001;
    scene.desc.gravity[0] = 9;
    scene.desc.gravity[1] = -2;
    scene.desc.gravity[2] = 3;
    scene.desc.integrator = "si";
    scene.desc.steps_per_frame = 4;
    scene.desc.frame_count = 9;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance_frames(bake, 9, NULL) == JN_OK);
    check_steps(bake->motion.view, &bake->motion.state, lengths, sizeof lengths / sizeof *lengths, 1e-7, &seen);
    CHECK(seen.damped > 1);
    jn_bake_end(bake, NULL);
    shaped_free(&scene);
}

TEST(siere_on_fibres_is_its_dense_formula_at_any_steps) {
    static const double lengths[] = {1.0 / 96, 1.0 / 240, 1.0 / 72, 1.0 / 24};
    ShapedBody scene;
    JnBake *bake;
    DenseStep seen;
    JnShape shape = shaped_shape("fibres", 0.16, 0.01, 5, 1);
    shape.cells[2] = 1;
    CHECK(shaped_init(&scene, "fibres", &shape, 1));
    scene.body.material.young_modulus = 3e9;
    scene.body.material.density = 1300;
    scene.body.material.stiffness_damping = 1e-4;
    scene.body.springs.thickness = 4e-4;
    scene.desc.gravity[0] = 1;
    scene.desc.gravity[1] = -9;
    scene.desc.gravity[2] = 3;
    scene.desc.integrator = "si";
    scene.desc.steps_per_frame = 4;
    scene.desc.frame_count = 4;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance_frames(bake, 4, NULL) == JN_OK);
    CHECK(view_has_turns(bake->motion.view));
    check_steps(bake->motion.view, &bake->motion.state, lengths, sizeof lengths / sizeof *lengths, 1e-7, &seen);
    CHECK(seen.damped > 1);
    jn_bake_end(bake, NULL);
    shaped_free(&scene);
}

/* A bar, held at one end, falls on a floor without friction. Contact is solved for to a thousandth of its force. */
TEST(siere_on_a_floor_is_its_dense_formula_with_the_force_of_contact) {
    static const double lengths[] = {1.0 / 96, 1.0 / 240, 1.0 / 120, 1.0 / 96};
    OneBody scene;
    JnBake *bake;
    JnCollider floor;
    DenseStep seen;
    one_body_init(&scene, tet_box_make(6, 2, 2, 0.05));
    one_body_pin(&scene);
    jn_collider_init(&floor, sizeof floor);
    floor.kind = "plane";
    floor.point[1] = -0.01;
    floor.normal[1] = 1;
    floor.friction = 0;
    scene.body.friction = 0;
    scene.body.material.young_modulus = 2e4;
    scene.desc.colliders = &floor;
    scene.desc.collider_count = 1;
    scene.desc.gravity[1] = -9.81;
    scene.desc.integrator = "si";
    scene.desc.steps_per_frame = 4;
    scene.desc.frame_count = 8;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance_frames(bake, 8, NULL) == JN_OK);
    check_steps(bake->motion.view, &bake->motion.state, lengths, sizeof lengths / sizeof *lengths, 1e-3, &seen);
    printf("contact has up to %.2g of the force\n", seen.pressed);
    CHECK(seen.pressed > 0.5);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* BEERE: on the modes as SIERE; in the complement backward Euler with the force at the end,

       M (z / h - v) = h f(q + z)   but for the modes,   z = q_1 - q, v_1 = z / h there. */
TEST(beere_with_moving_pins_solves_backward_euler_in_the_complement) {
    static const double lengths[] = {0.01, 0.004, 0.013};
    SmallSystem small;
    const void *found = NULL;
    void *self;
    CHECK(small_system_bar(&small, &(SmallBar){.swing = 0.05, .stiffening = 0.5}));
    CHECK(small_system_open(&small, STIFFNESS_RAW, NULL) == JN_OK);
    size_t all = 3 * (size_t)small.system.vertex_count;
    double *q = malloc(all * sizeof *q), *v = malloc(all * sizeof *v), *before = malloc(all * sizeof *q),
           *force = malloc(all * sizeof *q);
    start_bent(&small, q, v);
    CHECK(table_find(&integrator_table, "beere", "test", &found, NULL) == JN_OK);
    const Integrator *beere = found;
    const MethodOptions options = {.variant = beere->variant, .mode_count = KEPT, .mode_tolerance = 1e-12};
    CHECK(beere->prepare(small.view, &options, &self, NULL) == JN_OK);
    State state = {q, v, 0.2};
    for (size_t s = 0; s < sizeof lengths / sizeof *lengths; ++s) {
        DenseStep step;
        StepReport report;
        double h = lengths[s], way = 0, off = 0, left = 0, largest = 0;
        CHECK(dense_step_read(&step, small.view, &state, h) && dense_step_take(&step, h));
        memcpy(before, q, all * sizeof *q);
        CHECK(beere->step(self, small.view, &state, h, &report, NULL) == JN_OK);
        CHECK(view_force(small.view, ALL_BUT_CONTACT, q, NULL, force, NULL) == JN_OK);
        size_t n = step.count;
        double *r = calloc(n, sizeof *r);
        for (size_t i = 0; i < n; ++i) {
            size_t at = step.numbers[i];
            r[i] = step.M[i] * ((q[at] - before[at]) / h - step.v[i]) - h * force[at];
            largest = fmax(largest, fabs(h * force[at]));
        }
        for (size_t k = 0; k < KEPT; ++k) { /* modes end as those of siere, and the rest of r is nothing */
            const double *u = step.U + k * n;
            double place = 0, speed = 0, along = 0, wanted = 0, wanted_speed = 0;
            for (size_t i = 0; i < n; ++i) {
                size_t at = step.numbers[i];
                place += u[i] * step.M[i] * (q[at] - before[at]);
                speed += u[i] * step.M[i] * v[at];
                wanted += u[i] * step.M[i] * step.q_1[i];
                wanted_speed += u[i] * step.M[i] * step.v_1[i];
                along += u[i] * r[i];
            }
            for (size_t i = 0; i < n; ++i)
                r[i] -= along * step.M[i] * u[i];
            way = fmax(way, fmax(fabs(wanted), h * fabs(wanted_speed)));
            off = fmax(off, fmax(fabs(place - wanted), h * fabs(speed - wanted_speed)));
        }
        for (size_t i = 0; i < n; ++i)
            left = fmax(left, fabs(r[i]));
        printf("modes off by %.2g of their way, left %.2g of the force\n", off / way, left / largest);
        CHECK(way > 1e-6 && off < 1e-8 * way && largest > 0 && left < 1e-6 * largest);
        free(r);
        dense_step_free(&step);
    }
    beere->destroy(self);
    free(q);
    free(v);
    free(before);
    free(force);
    small_system_free(&small);
}
