/* A body that starts far below the floor: it is said so, and it is pushed out, not thrown. */
#include "baking.h"
#include "harness.h"
#include "touching_methods.h"

#include "bake/bake_internal.h"

/* What a block does that starts 40 cm below the floor. */
typedef struct Rise {
    bool is_noted;          /* the bake says so, with its first frame */
    double fastest, lowest; /* m/s: up or down, of any vertex; m: the lowest vertex at the end */
} Rise;

static JnStatus rise(const char *method, Rise *result, JnMessage *message) {
    OneBody scene;
    JnBake *bake;
    *result = (Rise){.lowest = 1};
    one_body_init(&scene, tet_box_make(3, 3, 3, 0.1));
    scene.body.transform[7] = -0.4;
    scene.body.material.young_modulus = 1e5;
    scene.body.material.stiffness_damping = 0.002;
    scene.desc.integrator = method;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 111;
    scene.desc.steps_per_frame = 2;
    scene.desc.collider_count = 1;
    scene.collider.normal[1] = 1;
    JnStatus status = jn_bake_begin(&scene.desc, &bake, message);
    bool noted_before = status == JN_OK && jn_bake_note(bake)[0] != '\0';
    for (int frame = 0; status == JN_OK && frame < 111; ++frame) {
        status = advance(bake, message);
        if (frame == 0)
            result->is_noted = !noted_before && strstr(jn_bake_note(bake), "starts 0.4 m inside colliders[0]");
        for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
            result->fastest = fmax(result->fastest, fabs(bake->motion.state.v[3 * v + 1]));
    }
    for (uint32_t v = 0; status == JN_OK && v < bake->model.vertex_count; ++v)
        result->lowest = fmin(result->lowest, bake->motion.state.q[3 * v + 1]);
    printf("%-18s at most %.2f m/s, rests at %.4f m\n", method, result->fastest, result->lowest);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return status;
}

static void check_rise(const char *method) {
    JnMessage message;
    Rise result;
    CHECK(rise(method, &result, &message) == JN_OK);
    CHECK(result.is_noted);
    CHECK(result.fastest < 1);
    CHECK(result.lowest > -0.003 && result.lowest < 0.02);
}

TEST(body_below_the_floor_rises_slowly) {
    check_rise("si");
}

LONG_TEST(body_below_the_floor_rises_slowly_in_every_method) {
    for (uint32_t m = 0; m < integrator_table.count; ++m) {
        const char *method = table_at(&integrator_table, m)->name;
        if (contact_is_judged_in(method))
            check_rise(method);
    }
}

/* As most things are modelled: its lower side is that of the floor, nearer than the thickness. */
TEST(block_modelled_on_a_slope_neither_hops_nor_slides) {
    static const char *const contacts[] = {"penalty", "barrier"};
    const double angle = atan(0.45); /* friction is 0.5 */
    for (int c = 0; c < 2; ++c) {
        OneBody scene;
        JnBake *bake;
        JnMessage message;
        one_body_init(&scene, tet_box_make(2, 1, 2, 0.1));
        scene.body.material.young_modulus = 1e10;
        scene.desc.contact.method = contacts[c];
        scene.desc.gravity[0] = 9.81 * sin(angle);
        scene.desc.gravity[1] = -9.81 * cos(angle);
        scene.desc.steps_per_frame = 64;
        scene.desc.collider_count = 1;
        scene.collider.normal[1] = 1;
        JnStatus status = jn_bake_begin(&scene.desc, &bake, &message);
        double highest = 0, farthest = 0;
        for (int frame = 0; status == JN_OK && frame < 6; ++frame) {
            status = advance(bake, &message);
            highest = fmax(highest, bake->motion.state.q[1]);
            farthest = fmax(farthest, bake->motion.state.q[0]);
        }
        printf("%s: %.2f mm up, %.2f mm along\n", contacts[c], 1e3 * highest, 1e3 * farthest);
        CHECK(status == JN_OK);
        /* the thickness is 0.2 mm */
        CHECK(highest > 1e-4 && highest < 3e-4 && farthest < 1e-3);
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
}
