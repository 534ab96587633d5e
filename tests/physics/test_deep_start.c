/* A body that starts far below the floor: it is said so, and it is pushed out, not thrown. */
#include "baking.h"
#include "harness.h"

#include "bake/bake_internal.h"

SLOW_TEST(body_below_the_floor_rises_slowly_in_every_method) {
    for (uint32_t m = 0; m < integrator_table.count; ++m) {
        const char *method = table_at(&integrator_table, m)->name;
        OneBody scene;
        JnBake *bake;
        JnMessage message;
        if (strcmp(method, "rk4") == 0)
            continue;
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
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
        CHECK(jn_bake_note(bake)[0] == '\0' && advance(bake, &message) == JN_OK);
        CHECK(strstr(jn_bake_note(bake), "starts 0.4 m inside colliders[0]"));
        double fastest = 0, mean[3];
        for (int frame = 0; frame < 110; ++frame) {
            CHECK(advance(bake, &message) == JN_OK);
            for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
                fastest = fmax(fastest, fabs(bake->motion.state.v[3 * v + 1]));
        }
        mean_position(bake, mean);
        double lowest = 1;
        for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
            lowest = fmin(lowest, bake->motion.state.q[3 * v + 1]);
        printf("%-18s at most %.2f m/s, rests at %.4f m\n", method, fastest, lowest);
        CHECK(fastest < 1);
        CHECK(lowest > -0.003 && lowest < 0.02);
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
}
