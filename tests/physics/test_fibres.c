/* Fibres against the theory of straight bars, and what hair must do. */
#include "harness.h"
#include "touching_methods.h"
#include "views.h"

#include "alembic_io.h"
#include "shaped.h"
#include "whole_and_parts.h"

#include "bake/bake_internal.h"

#define PI 3.14159265358979323846

typedef struct Bar {
    double length, diameter, E, G;
    uint32_t segments;
} Bar;

/* A hair and a bristle of Michels, Luan, Tokman 2017, section 4.4, the hair's segments 150 times as long as thick;
   between them a rod as stout as beam theory bears. */
static const Bar bars[] = {{0.1, 8e-5, 3.6e9, 1e9, 8}, {0.1, 5e-3, 2e9, 0.7e9, 16}, {0.01, 1.2e-4, 3.2e10, 1e9, 4}};
enum { BARS = sizeof bars / sizeof bars[0] };

static int open_bar(ShapedBody *scene, const Bar *bar) {
    JnShape shape = shaped_shape("fibres", bar->length, 0.01, bar->segments, 1);
    shape.cells[2] = 1;
    if (!shaped_init(scene, "fibres", &shape, 1))
        return 0;
    scene->body.material.young_modulus = bar->E;
    scene->body.springs.torsion_modulus = bar->G;
    scene->body.springs.thickness = bar->diameter;
    scene->desc.frame_count = 2;
    return 1;
}

/* The linear response of the bar, clamped at its start, to a force on the particles of its tip: displacements [n]. */
static int respond(JnBake *bake, const double *force, double *displacement) {
    Jacobian *stiffness = bake->motion.view->jacobian;
    JnMessage message;
    return jacobian_factor(stiffness, bake->motion.state.q, NULL, &(JacobianScales){.stiffness = 1},
                           (StiffnessTreatment){.first = STIFFNESS_RAW}, NULL, &message) == JN_OK &&
           stiffness->kind == STIFFNESS_RAW && jacobian_solve(stiffness, force, displacement, &message) == JN_OK;
}

TEST(fibre_stretches_bends_and_twists_as_a_round_bar) {
    for (int b = 0; b < BARS; ++b) {
        const Bar *bar = &bars[b];
        ShapedBody scene;
        JnBake *bake;
        JnMessage message;
        double force[300], moved[300], area = PI * bar->diameter * bar->diameter / 4;
        double I = area * bar->diameter * bar->diameter / 16, L = bar->length;
        CHECK(open_bar(&scene, bar));
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
        CHECK(advance_frames(bake, 1, &message) == JN_OK);
        uint32_t tip = 4 * bar->segments, n = 3 * bake->model.vertex_count;
        CHECK(n <= 300 && bake->model.vertex_count == 4 * (bar->segments + 1));

        /* stretch: F L / (E A) */
        memset(force, 0, sizeof force);
        for (uint32_t c = 0; c < 4; ++c)
            force[3 * (tip + c)] = 0.25;
        CHECK(respond(bake, force, moved));
        double theory = L / (bar->E * area);
        double stretch = moved[3 * tip] / theory, bend = 0;
        /* the clamped section does not give way as the others do, which shows in the stout bar */
        CHECK_NEAR(stretch, 1, b == 1 ? 2e-3 : 1e-4);

        /* bending: F L^3 / (3 E I) and F L / (0.9 G A) from shear, both ways across */
        for (uint32_t axis = 1; axis < 3; ++axis) {
            memset(force, 0, sizeof force);
            for (uint32_t c = 0; c < 4; ++c)
                force[3 * (tip + c) + axis] = 0.25;
            CHECK(respond(bake, force, moved));
            theory = L * L * L / (3 * bar->E * I) + L / (0.9 * bar->G * area);
            bend = moved[3 * tip + axis] / theory;
            CHECK_NEAR(bend, 1, 1e-5);
        }

        /* twist: T L / (G J), T by forces along the sides of the tip's square */
        double twist = 0, arm = 0;
        memset(force, 0, sizeof force);
        for (uint32_t c = 0; c < 4; ++c) {
            const double *q = bake->motion.state.q + 3 * (tip + c);
            const double *centre = scene.view.curves.positions + 3 * bar->segments;
            double y = q[1] - centre[1], z = q[2] - centre[2];
            arm = sqrt(y * y + z * z);
            force[3 * (tip + c) + 1] = -z / (4 * arm * arm);
            force[3 * (tip + c) + 2] = y / (4 * arm * arm);
        }
        CHECK(respond(bake, force, moved));
        for (uint32_t i = 0; i < n; ++i)
            twist += force[i] * moved[i];
        twist *= bar->G * 2 * I / L;
        CHECK_NEAR(twist, 1, 1e-5);
        printf("bar %d, sections %.2f of a segment wide: stretch %.4f, bending %.4f, twist %.4f of theory\n", b,
               arm * sqrt(2) * bar->segments / L, stretch, bend, twist);
        jn_bake_end(bake, NULL);
        shaped_free(&scene);
    }
}

TEST(fibre_at_rest_stays_and_spinning_free_one_keeps_its_momentum) {
    ShapedBody scene;
    JnBake *bake;
    JnMessage message;
    JnShape shape = shaped_shape("fibres", 0.1, 0.01, 8, 2);
    shape.cells[2] = 1;
    double velocities[54], before[3] = {0, 0, 0};
    for (int moving = 0; moving < 2; ++moving) {
        CHECK(shaped_init(&scene, "fibres", &shape, 0));
        scene.body.material.young_modulus = 1e9;
        scene.body.springs.thickness = 1e-3;
        for (uint32_t p = 0; p < 18; ++p) {
            velocities[3 * p] = 0.1;
            velocities[3 * p + 1] = 3 * scene.view.curves.positions[3 * p]; /* turns about z at 3 rad/s, and shears */
            velocities[3 * p + 2] = 0;
        }
        scene.body.start_velocities = moving ? velocities : NULL;
        scene.desc.frame_count = 25;
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
        for (int frame = 0; frame < 25; ++frame) {
            double now[3] = {0, 0, 0};
            CHECK(advance(bake, &message) == JN_OK);
            for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
                for (uint32_t i = 0; i < 3; ++i)
                    now[i] += bake->model.system.masses[v] * bake->motion.state.v[3 * v + i];
            if (frame == 0)
                memcpy(before, now, sizeof before);
            /* sections are 10^9 times stiffer than inertia at this step: so much of the rounding shows */
            for (int i = 0; i < 3; ++i)
                CHECK_NEAR(now[i], before[i], 1e-6 * 2.4e-5);
        }
        /* cached points are the curves', fibre after fibre */
        uint32_t count;
        double *now = read_positions(bake, &count);
        CHECK(count == 18);
        for (uint32_t k = 0; !moving && k < 18; ++k)
            for (uint32_t i = 0; i < 3; ++i)
                CHECK_NEAR(now[3 * k + i], scene.view.curves.positions[3 * scene.view.curves.curve_vertices[k] + i],
                           1e-12);
        free(now);
        jn_bake_end(bake, NULL);
        shaped_free(&scene);
    }
    /* two fibres of 1 mm, 0.1 m long, 1000 kg/m3 */
    CHECK_NEAR(before[0], 0.1 * 2 * 0.1 * 1000 * PI * 1e-6 / 4, 1e-9);
}

/* Hair on a head that turns quickly to and fro about y, 60 degrees and back. */
static int open_hair(ShapedBody *scene, const char *path) {
    JnShape shape = shaped_shape("fibres", 0.12, 0.05, 8, 3);
    shape.size[2] = 0.05, shape.cells[2] = 3;
    if (!shaped_init(scene, "fibres", &shape, 1))
        return 0;
    scene->body.material.young_modulus = 3.6e9;
    scene->body.material.density = 1300;
    scene->body.material.stiffness_damping = 1e-4;
    scene->body.springs.torsion_modulus = 1e9;
    scene->body.springs.thickness = 9e-5;
    scene->body.springs.tip_thickness = 4e-5;
    scene->desc.gravity[1] = -9.81;
    scene->desc.frame_count = 24;
    scene->desc.output_path = path;
    return 1;
}

static JnStatus shake(JnBake *bake, double end, JnMessage *message) {
    JnStatus status = JN_OK;
    while (status == JN_OK && jn_bake_next_frame(bake) < end) {
        JnFrameInput input;
        JnBodyInput body;
        jn_frame_input_init(&input, sizeof input);
        jn_body_input_init(&body, sizeof body);
        input.frame = jn_bake_next_frame(bake);
        double angle = PI / 3 * sin((input.frame - 1) / 4), c = cos(angle), s = sin(angle);
        const double turned[12] = {c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0};
        memcpy(body.transform, turned, sizeof turned);
        body.has_transform = 1;
        input.bodies = &body;
        input.body_count = 1;
        status = jn_bake_advance(bake, &input, message);
    }
    return status;
}

TEST(hair_on_a_shaken_head_keeps_its_roots_and_its_length) {
    ShapedBody scene;
    JnBake *bake;
    JnMessage message;
    CHECK(open_hair(&scene, NULL));
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    double lag = 0;
    for (int frame = 1; frame <= 24; ++frame) {
        CHECK(shake(bake, frame + 1, &message) == JN_OK);
        uint32_t count;
        double *now = read_positions(bake, &count); /* in the head's space, nine fibres of nine points */
        CHECK(count == 81);
        for (uint32_t f = 0; f < 9; ++f) {
            double length = 0;
            const double *root = scene.view.curves.positions + 3 * f;
            for (uint32_t i = 0; i < 3; ++i)
                CHECK_NEAR(now[27 * f + i], root[i], 1e-15);
            for (uint32_t k = 0; k < 8; ++k) {
                double *a = now + 27 * f + 3 * k;
                length += sqrt(pow(a[3] - a[0], 2) + pow(a[4] - a[1], 2) + pow(a[5] - a[2], 2));
            }
            CHECK_NEAR(length, 0.12, 0.02 * 0.12);
            /* the root leaves the head straight: it is clamped, and turns with it */
            double *a = now + 27 * f, first = sqrt(pow(a[3] - a[0], 2) + pow(a[4] - a[1], 2) + pow(a[5] - a[2], 2));
            CHECK(a[3] - a[0] > 0.5 * first);
            lag = fmax(lag, fabs(now[27 * f + 26] - root[2]));
        }
        free(now);
    }
    CHECK(lag > 0.03); /* the tips do not follow */
    jn_bake_end(bake, NULL);
    shaped_free(&scene);
}

TEST(hair_cache_is_curves_and_the_same_after_a_resume_on_two_threads) {
    const char *paths[] = {whole_path, parts_path};
    for (int run = 0; run < 2; ++run) {
        ShapedBody scene;
        JnBake *bake;
        JnMessage message;
        CHECK(open_hair(&scene, paths[run]));
        scene.desc.frame_count = 8;
        scene.desc.thread_count = 1 + (uint32_t)run;
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
        CHECK(shake(bake, run ? 4 : 9, &message) == JN_OK);
        CHECK(jn_bake_end(bake, &message) == JN_OK);
        if (run) {
            scene.desc.resume = 1;
            CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
            CHECK(shake(bake, 9, &message) == JN_OK);
            CHECK(jn_bake_end(bake, &message) == JN_OK);
        }
        AbcReader *reader;
        AbcMeshInfo info;
        AbcMeshSizes sample;
        CHECK(abc_reader_open(&reader, paths[run], NULL, NULL) == ABC_OK);
        uint32_t object = abc_reader_find(reader, "/body/bodyShape");
        CHECK(abc_reader_mesh_info(reader, object, &info, NULL) == ABC_OK);
        CHECK(info.sample_count == 8 && info.has_velocities && !info.cubic);
        CHECK(abc_reader_mesh_sizes(reader, object, 7, &sample, NULL) == ABC_OK);
        CHECK(sample.vertex_count == 81 && sample.face_count == 9);
        abc_reader_close(reader);
        shaped_free(&scene);
    }
    CHECK(whole_equals_parts());
}

/* ------------------------------------------------------------------------------------------------ a shaken head */

enum { STRANDS = 8, SEGMENTS = 16, SHAKEN_POINTS = STRANDS * (SEGMENTS + 1), SHAKEN_FRAMES = 8 };

/* Hair of 16 cm, a tenth of a millimetre thick, on a head of 20 cm. */
typedef struct Head {
    JnBakeDesc desc;
    JnBody body;
    JnRegion roots;
    double points[3 * SHAKEN_POINTS];
    uint32_t sizes[STRANDS], corners[SHAKEN_POINTS];
    float weights[SHAKEN_POINTS];
} Head;

static void make_head(Head *head, const char *integrator, bool curled) {
    memset(head, 0, sizeof *head);
    jn_bake_desc_init(&head->desc, sizeof head->desc);
    jn_body_init(&head->body, sizeof head->body);
    jn_region_init(&head->roots, sizeof head->roots);
    for (uint32_t k = 0; k < STRANDS; ++k) {
        double y = 1 - 1.2 * (k + 0.5) / STRANDS, r = sqrt(1 - y * y), t = 2.39996 * k;
        const double out[3] = {r * cos(t), y, r * sin(t)}, side[3] = {-sin(t), 0, cos(t)};
        head->sizes[k] = SEGMENTS + 1;
        for (uint32_t s = 0; s <= SEGMENTS; ++s) {
            uint32_t p = k * (SEGMENTS + 1) + s;
            double along = 0.16 * s / SEGMENTS, curl = curled ? 0.01 * sin(75 * along) : 0;
            for (uint32_t i = 0; i < 3; ++i)
                head->points[3 * p + i] = (0.1 + along) * out[i] + curl * side[i];
            head->corners[p] = p;
            head->weights[p] = s == 0;
        }
    }
    head->body.kind = "fibres";
    head->body.curves = (JnCurves){.vertex_count = SHAKEN_POINTS,
                                   .curve_count = STRANDS,
                                   .corner_count = SHAKEN_POINTS,
                                   .positions = head->points,
                                   .curve_sizes = head->sizes,
                                   .curve_vertices = head->corners};
    head->body.material.young_modulus = 3.6e9;
    head->body.material.density = 1300;
    head->body.material.stiffness_damping = 1e-4;
    head->body.springs.torsion_modulus = 1e9;
    head->body.springs.thickness = 1e-4;
    head->roots.effect = "pin";
    head->roots.weights = head->weights;
    head->roots.weight_count = SHAKEN_POINTS;
    head->body.regions = &head->roots;
    head->body.region_count = 1;
    head->desc.bodies = &head->body;
    head->desc.body_count = 1;
    head->desc.thread_count = 1;
    head->desc.frame_count = SHAKEN_FRAMES;
    head->desc.integrator = integrator;
}

/* Turns the head by 35 degrees to both sides, four times a second. */
static JnStatus shake_frame(JnBake *bake, int frame, JnMessage *message) {
    JnFrameInput input;
    JnBodyInput body;
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    double angle = 35 * PI / 180 * sin(2 * PI * 4 * frame / 24), c = cos(angle), s = sin(angle);
    const double turned[12] = {c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0};
    memcpy(body.transform, turned, sizeof turned);
    body.has_transform = 1;
    input.frame = jn_bake_next_frame(bake);
    input.bodies = &body;
    input.body_count = 1;
    return jn_bake_advance(bake, &input, message);
}

/* The largest strain of a segment, up to here. */
static double largest_strain(JnBake *bake, const Head *head, double largest) {
    uint32_t count;
    double *now = read_positions(bake, &count);
    for (uint32_t p = 0; p + 1 < count; ++p) {
        const double *a = now + 3 * p, *b = head->points + 3 * p;
        double length = sqrt(pow(a[3] - a[0], 2) + pow(a[4] - a[1], 2) + pow(a[5] - a[2], 2));
        double rest = sqrt(pow(b[3] - b[0], 2) + pow(b[4] - b[1], 2) + pow(b[5] - b[2], 2));
        if (p % (SEGMENTS + 1) != SEGMENTS)
            largest = fmax(largest, fabs(length / rest - 1));
    }
    free(now);
    return largest;
}

LONG_TEST(hair_on_a_shaken_head_does_not_stretch_with_any_integrator) {
    static Head head;
    double factors_of_si = 0;
    for (uint32_t m = 0; m < integrator_table.count; ++m) {
        const Integrator *method = (const Integrator *)integrator_table.items + m;
        bool explicitly = strcmp(method->entry.name, "rk4") == 0;     /* ten thousand steps a frame */
        if (!explicitly && !contact_is_judged_in(method->entry.name)) /* the stand-in takes every step, as of ere */
            continue;
        for (int curled = 0; curled < (explicitly ? 1 : 2); ++curled) {
            JnBake *bake;
            JnMessage message;
            double strain = 0;
            make_head(&head, method->entry.name, curled);
            CHECK(jn_bake_begin(&head.desc, &bake, &message) == JN_OK);
            for (int frame = 0; frame < (explicitly ? 3 : SHAKEN_FRAMES); ++frame) {
                CHECK(shake_frame(bake, frame, &message) == JN_OK);
                strain = largest_strain(bake, &head, strain);
            }
            JnStatistics statistics = {.struct_size = sizeof statistics};
            CHECK(jn_bake_statistics(bake, &statistics, &message) == JN_OK);
            printf("%s: strain %.2g %%, %u factorizations, %u iterations, %u cut\n", method->entry.name, 100 * strain,
                   statistics.factor_count, statistics.newton_iterations, statistics.cut_steps);
            CHECK(strain < 0.001);
            if (strcmp(method->entry.name, "si") == 0) {
                CHECK(statistics.cut_steps == 0);
                factors_of_si = statistics.factor_count;
            }
            if (strcmp(method->entry.name, "be") == 0) {
                CHECK(statistics.cut_steps == 0);
                CHECK(statistics.factor_count < 10 * factors_of_si);
                CHECK(statistics.newton_iterations < 10 * statistics.steps_done);
            }
            jn_bake_end(bake, NULL);
        }
    }
}

/* ------------------------------------------------------------------------------------------------ wind */

TEST(wind_bends_a_bristle_as_a_beam_under_the_drag_of_a_cylinder) {
    const Bar bar = {0.02, 2e-4, 3e9, 1e9, 16};
    for (int along = 0; along < 2; ++along) {
        ShapedBody scene;
        JnBake *bake;
        JnMessage message;
        CHECK(open_bar(&scene, &bar));
        scene.body.material.density = 1300;
        scene.body.material.mass_damping = 100;
        scene.desc.frame_count = 25;
        scene.desc.air_density = 1.2;
        scene.desc.wind[along ? 0 : 2] = 5;
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
        CHECK(advance_frames(bake, 25, &message) == JN_OK);
        uint32_t count;
        double *now = read_positions(bake, &count), I = PI * pow(bar.diameter, 4) / 64;
        double deflection = now[3 * 16 + 2] - scene.view.curves.positions[3 * 16 + 2];
        double theory = along ? 0 : 0.5 * 1.2 * bar.diameter * 25 * pow(bar.length, 4) / (8 * bar.E * I);
        printf("deflection %.4g m, theory %.4g m\n", deflection, theory);
        /* n loads instead of an even one: 1 / (3 n^2) more */
        CHECK_NEAR(deflection, theory * (1 + 1 / (3.0 * 16 * 16)), 2e-3 * theory + 1e-15);
        free(now);
        jn_bake_end(bake, NULL);
        shaped_free(&scene);
    }
}

TEST(hair_falls_as_fast_as_air_lets_it) {
    const Bar bar = {0.1, 1e-4, 3.6e9, 1e9, 8};
    ShapedBody scene;
    JnBake *bake;
    JnMessage message;
    CHECK(open_bar(&scene, &bar));
    scene.body.region_count = 0;
    scene.body.material.density = 1300;
    scene.desc.frame_count = 25;
    scene.desc.gravity[1] = -9.81;
    scene.desc.air_density = 1.2;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 25, &message) == JN_OK);
    /* m g = rho/2 d v^2 per length */
    double theory = sqrt(1300 * PI * bar.diameter / 4 * 9.81 / (0.5 * 1.2));
    printf("falls at %.4f m/s, theory %.4f m/s\n", -bake->motion.state.v[1], theory);
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        CHECK_NEAR(bake->motion.state.v[3 * v + 1], -theory, 1e-3 * theory);
    jn_bake_end(bake, NULL);
    shaped_free(&scene);
}
