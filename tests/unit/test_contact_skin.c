/* The laws of contact, the skin that touches, what overlaps, and which pairs are remembered. */
#include "contact/pair_memory.h"
#include "contact/piercings.h"
#include "harness.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ laws */

static const ContactCurve *const curves[] = {&penalty_curve, &barrier_curve};

TEST(force_and_slope_of_a_law_are_derivatives_of_its_energy) {
    for (int k = 0; k < 2; ++k) {
        const ContactLaw law = {curves[k], 3e4, 2e-3, 1.5e-3};
        const double step = 1e-9;
        for (double distance = -1e-3; distance < 2.2e-3; distance += 7.3e-5) {
            NormalForce here = law.curve->normal(&law, distance), above = law.curve->normal(&law, distance + step),
                        below = law.curve->normal(&law, distance - step);
            CHECK_NEAR(here.force, (below.energy - above.energy) / (2 * step), 1e-5 * (1 + here.force));
            CHECK_NEAR(here.slope, (below.force - above.force) / (2 * step), 1e-4 * (1 + here.slope));
            CHECK(here.force >= 0 && here.slope >= 0);
        }
        CHECK(law.curve->normal(&law, law.thickness).force == 0);
    }
}

TEST(distance_of_a_law_is_where_it_has_the_force) {
    for (int k = 0; k < 2; ++k) {
        const ContactLaw law = {curves[k], 3e4, 2e-3, 2e-3};
        for (double force = 1e-6; force < 1e6; force *= 7) {
            double shrinks, distance = law.curve->distance(&law, force, &shrinks);
            NormalForce there = law.curve->normal(&law, distance);
            CHECK_NEAR(there.force / force, 1, 1e-5);
            CHECK_NEAR(shrinks * there.slope, 1, 1e-2);
        }
    }
}

TEST(barrier_is_steep_before_the_surface_and_keeps_a_tenth_beyond) {
    const ContactLaw law = {&barrier_curve, 1, 1, 1};
    CHECK_NEAR(barrier_curve.normal(&law, 0.55).force, 0.45, 1e-12); /* in its middle as a penalty */
    CHECK(barrier_curve.normal(&law, 0.15).force > 7);
    CHECK(barrier_curve.normal(&law, 0.1).force > 15);
}

/* ------------------------------------------------------------------------------------------------ two tets */

/* Two bodies, each a tet whose surface has its own four points; every vertex is a point. */
typedef struct TwoTets {
    double rest[24], weights[32], areas[8];
    uint32_t vertices[32], triangles[24];
    PointSet points;
    ContactBody bodies[2];
    ContactDesc desc;
    Skin *skin;
} TwoTets;

static bool two_tets_init(TwoTets *two, const double offset[3], bool split_first) {
    static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const void *method;
    memset(two, 0, sizeof *two);
    for (uint32_t p = 0; p < 8; ++p) {
        for (uint32_t i = 0; i < 3; ++i)
            two->rest[3 * p + i] = corners[3 * (p % 4) + i] + (p < 4 ? 0 : offset[i]);
        for (uint32_t a = 0; a < 4; ++a)
            two->vertices[4 * p + a] = p;
        two->weights[4 * p] = 1;
        two->areas[p] = 1;
    }
    if (split_first) /* point 3 of the first lies where its point 0 is, and moves by itself */
        memcpy(&two->rest[9], &two->rest[0], 3 * sizeof(double));
    for (uint32_t k = 0; k < 24; ++k)
        two->triangles[k] = faces[k % 12] + (k < 12 ? 0 : 4);
    two->points = (PointSet){.embedding = {8, two->vertices, two->weights},
                             .areas = two->areas,
                             .triangles = two->triangles,
                             .triangle_count = 8,
                             .bounding_size = 1};
    for (uint32_t b = 0; b < 2; ++b)
        two->bodies[b] = (ContactBody){
            .first_point = 4 * b, .point_count = 4, .collides = true, .friction = b == 0 ? 0.2 : 0.8, .thickness = NAN};
    if (table_find(&contact_table, "barrier", "test", &method, NULL) != JN_OK)
        return false;
    two->desc = (ContactDesc){.method = method,
                              .points = &two->points,
                              .rest_points = two->rest,
                              .bodies = two->bodies,
                              .body_count = 2,
                              .thickness = 1e-3};
    return skin_create(&two->desc, &two->skin, NULL) == JN_OK;
}

TEST(skin_of_two_tets_has_their_edges_once_and_knows_that_they_are_closed) {
    static TwoTets two;
    CHECK(two_tets_init(&two, (const double[3]){2, 0, 0}, false) && two.skin);
    CHECK(two.skin->desc.edge_count == 12 && two.skin->desc.triangle_count == 8 && two.skin->desc.point_count == 8);
    CHECK(two.skin->closed[0] && two.skin->closed[1]);
    CHECK(skin_side(two.skin, 0, two.rest) == 1);
    for (int i = 0; i < 24; ++i) /* mirrored */
        two.rest[i] = -two.rest[i];
    CHECK(skin_side(two.skin, 0, two.rest) == -1);
    CHECK(skin_edge(two.skin, 3, 1) != CONTACT_NOBODY && skin_edge(two.skin, 0, 4) == CONTACT_NOBODY);
    CHECK_NEAR(skin_friction(&two.desc, 0, 1), 0.4, 1e-15);
    skin_destroy(two.skin);
}

TEST(points_at_one_place_that_move_apart_are_not_one) {
    static TwoTets two;
    CHECK(two_tets_init(&two, (const double[3]){2, 0, 0}, true) && two.skin);
    CHECK(two.skin->desc.point_count == 8 && two.skin->desc.triangle_count == 8);
    skin_destroy(two.skin);
    two.vertices[4 * 3] = 0; /* now they are carried by the same vertex */
    memcpy(&two.vertices[12], &two.vertices[0], 4 * sizeof(uint32_t));
    CHECK(skin_create(&two.desc, &two.skin, NULL) == JN_OK);
    CHECK(two.skin->desc.point_count == 7 && two.skin->desc.triangle_count == 6);
    skin_destroy(two.skin);
}

TEST(bodies_that_ignore_each_other_have_no_skin) {
    static TwoTets two;
    CHECK(two_tets_init(&two, (const double[3]){2, 0, 0}, false) && two.skin);
    skin_destroy(two.skin);
    two.bodies[0].ignore_groups = 5;
    two.bodies[1].ignore_groups = 4;
    CHECK(skin_create(&two.desc, &two.skin, NULL) == JN_OK && !two.skin);
    two.bodies[0].self_contact = true;
    CHECK(skin_create(&two.desc, &two.skin, NULL) == JN_OK && two.skin);
    skin_destroy(two.skin);
}

/* ------------------------------------------------------------------------------------------------ what overlaps */

TEST(overlap_is_found_and_concerns_only_the_two_objects) {
    static TwoTets two;
    Piercings piercings = {0};
    const uint32_t pair[4] = {0, 5, 6, 7}, between[2] = {0, 1}, others[2] = {0, 7};
    CHECK(two_tets_init(&two, (const double[3]){0.2, 0.1, 0.13}, false) && two.skin);
    CHECK(piercings_find(two.skin, two.rest, &piercings, NULL) == JN_OK);
    CHECK(piercings.count > 0 && piercings.objects[0] != piercings.objects[1]);
    CHECK(piercings_hold(&piercings, pair, 1, 4, between));
    CHECK(!piercings_hold(&piercings, pair, 1, 1, others));
    piercings_free(&piercings);
    skin_destroy(two.skin);
}

TEST(body_inside_another_is_found_and_one_beside_it_is_not) {
    static TwoTets two;
    Piercings piercings = {0};
    CHECK(two_tets_init(&two, (const double[3]){2, 0, 0}, false) && two.skin);
    CHECK(piercings_find(two.skin, two.rest, &piercings, NULL) == JN_OK && piercings.count == 0);
    for (int i = 12; i < 24; ++i) /* the second one, tiny, in the middle of the first */
        two.rest[i] = 0.2 + 0.01 * (two.rest[i] - (i % 3 == 0 ? 2 : 0));
    CHECK(piercings_find(two.skin, two.rest, &piercings, NULL) == JN_OK);
    CHECK(piercings.count == 1 && piercings.objects[0] == 1 && piercings.objects[1] == 0);
    piercings_free(&piercings);
    skin_destroy(two.skin);
}

/* ------------------------------------------------------------------------------------------------ memory */

TEST(pairs_are_remembered_by_kind_and_number_and_survive_an_archive) {
    PairMemory memory = {0}, restored = {0};
    MemoryArchive bytes = {0};
    const double up[3] = {0, 1, 0}, left[3] = {-1, 0, 0};
    CHECK(pair_memory_add(&memory, PAIR_EDGE_EDGE, (const uint32_t[]){7, 3}, left));
    CHECK(pair_memory_add(&memory, PAIR_POINT_TRIANGLE, (const uint32_t[]){7, 3}, up));
    pair_memory_sort(&memory);
    CHECK(pair_memory_archive(&memory, memory_archive_save(&bytes)));
    CHECK(pair_memory_archive(&restored, memory_archive_load(&bytes)));
    const double *side = pair_memory_find(&restored, PAIR_EDGE_EDGE, (const uint32_t[]){7, 3});
    CHECK(side && side[0] == -1);
    CHECK(pair_memory_find(&restored, PAIR_POINT_TRIANGLE, (const uint32_t[]){7, 3})[1] == 1);
    CHECK(!pair_memory_find(&restored, PAIR_EDGE_EDGE, (const uint32_t[]){3, 7}));
    pair_memory_free(&memory);
    pair_memory_free(&restored);
    memory_archive_free(&bytes);
}
