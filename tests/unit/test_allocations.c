/* A time step allocates nothing once the first ones have made room: with contact, moving pins, and both new factors and
   reused ones. The linker sends the core's malloc, calloc and realloc through the wrappers of failing_memory.h, and
   CHOLMOD's are counted apart. */
#include "baking.h"
#include "closed_block.h"
#include "failing_memory.h"
#include "harness.h"

#include <SuiteSparse_config.h>
#include <stdbool.h>

static long suitesparse_allocations;

static void *count_malloc(size_t size) {
    ++suitesparse_allocations;
    return __real_malloc(size);
}

static void *count_calloc(size_t count, size_t size) {
    ++suitesparse_allocations;
    return __real_calloc(count, size);
}

static void *count_realloc(void *pointer, size_t size) {
    ++suitesparse_allocations;
    return __real_realloc(pointer, size);
}

/* A bar that is shaken at its pinned end above a floor, over frames 5 to 20 of a bake that writes nothing. */
static JnStatus shake(uint32_t reuse, const char *integrator, bool on_mesh, JnStatistics *before, JnStatistics *after) {
    OneBody scene;
    JnBake *bake;
    one_body_init(&scene, tet_box_make(12, 7, 7, 0.02));
    one_body_pin(&scene);
    scene.body.material.young_modulus = 5e4;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 21;
    scene.desc.steps_per_frame = 4;
    scene.desc.reuse_factor = reuse;
    scene.desc.integrator = integrator;
    scene.desc.collider_count = 1;
    scene.desc.thread_count = 2;
    scene.collider.point[1] = -0.05;
    scene.collider.normal[1] = 1;
    ClosedBlock block;
    if (on_mesh) {
        scene.collider.kind = "mesh";
        scene.collider.surface = closed_block(2, 0.2, 2, &block);
        scene.collider.transform[7] = -0.15;
    }
    before->struct_size = after->struct_size = sizeof *before;
    JnStatus status = jn_bake_begin(&scene.desc, &bake, NULL);
    for (int frame = 1; status == JN_OK && frame <= 20; ++frame) {
        JnFrameInput input;
        JnBodyInput body;
        jn_frame_input_init(&input, sizeof input);
        jn_body_input_init(&body, sizeof body);
        input.frame = jn_bake_next_frame(bake);
        body.has_transform = 1;
        const double moved[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.001 * sin(0.5 * frame)};
        memcpy(body.transform, moved, sizeof moved);
        input.bodies = &body;
        input.body_count = 1;
        JnColliderInput collider;
        jn_collider_input_init(&collider, sizeof collider);
        collider.has_transform = 1;
        collider.transform[3] = 0.01 * frame;
        collider.positions = on_mesh ? block.positions : NULL;
        input.colliders = &collider;
        input.collider_count = 1;
        if (frame == 5) {
            status = jn_bake_statistics(bake, before, NULL);
            allocations = suitesparse_allocations = 0;
        }
        if (status == JN_OK)
            status = jn_bake_advance(bake, &input, NULL);
    }
    long counted = allocations;
    if (status == JN_OK)
        status = jn_bake_statistics(bake, after, NULL);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    allocations = counted;
    return status;
}

TEST(step_after_the_first_ones_allocates_nothing) {
    SuiteSparse_config.malloc_func = count_malloc;
    SuiteSparse_config.calloc_func = count_calloc;
    SuiteSparse_config.realloc_func = count_realloc;
    for (uint32_t k = 0; k < 4; ++k) {
        uint32_t reuse = k % 2;
        JnStatistics before, after;
        CHECK(shake(reuse, "si", k > 1, &before, &after) == JN_OK);
        CHECK(after.contact_count > 0 && after.steps_done >= before.steps_done + 30);
        uint32_t factors = after.factor_count - before.factor_count;
        CHECK(factors > 0);
        printf("%ld allocations, %ld by SuiteSparse in %u factorizations and %u reuses\n", allocations,
               suitesparse_allocations, factors, after.reused_count - before.reused_count);
        CHECK(reuse ? after.reused_count > before.reused_count + 10 : factors >= 30);
        CHECK(allocations == 0);
        /* CHOLMOD's own: the one dense workspace that cholmod_super_numeric takes and gives back, header and numbers */
        CHECK(suitesparse_allocations <= 2 * (long)factors);
    }
}
