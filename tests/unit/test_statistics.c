/* The statistics of a bake count what every solver did. */
#include "baking.h"
#include "harness.h"
#include "views.h"

#include "bake/bake_internal.h"

TEST(statistics_without_safeguards_count_the_factorizations_of_indefinite_matrices) {
    OneBody scene;
    JnBake *bake = NULL;
    one_body_init(&scene, tet_box_make(4, 2, 2, 0.1));
    one_body_pin(&scene);
    double *squeezed = malloc(3 * (size_t)scene.box.vertex_count * sizeof *squeezed);
    for (uint32_t i = 0; i < 3 * scene.box.vertex_count; ++i)
        squeezed[i] = scene.box.positions[i] * (i % 3 == 0 ? 0.5 : 1);
    scene.body.start_positions = squeezed;
    scene.body.material.law = "stvk";
    scene.desc.integrator = "si";
    scene.desc.safeguards = 0;
    scene.desc.steps_per_frame = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    CHECK(advance(bake, NULL) == JN_OK);
    CHECK(advance(bake, NULL) == JN_ERR_DIVERGED); /* as it may without them, after the matrix was factored */
    CHECK(bake->motion.view->jacobian->linear->indefinite_solver);
    SolverReport definite, indefinite;
    solver_report(bake->motion.view->jacobian->linear->solver, &definite);
    solver_report(bake->motion.view->jacobian->linear->indefinite_solver, &indefinite);
    JnStatistics statistics = {.struct_size = sizeof statistics};
    CHECK(jn_bake_statistics(bake, &statistics, NULL) == JN_OK);
    CHECK(statistics.projected_steps > 0 && indefinite.factor_count > 0);
    CHECK(statistics.factor_count == definite.factor_count + indefinite.factor_count);
    CHECK(statistics.solver_bytes == definite.bytes + indefinite.bytes);
    jn_bake_end(bake, NULL);
    free(squeezed);
    one_body_free(&scene);
}
