/* Bakes with the effect fast: what it goes with, that it goes on after a stop to the byte, and that it does not depend
   on threads. */
#include "baking.h"
#include "harness.h"
#include "whole_and_parts.h"

enum { FRAMES = 8 };

typedef struct FastBake {
    OneBody scene;
    JnRegion regions[4];
    float tip[300], root[300];
} FastBake;

/* A bar that hangs from its pinned end and is shaken there; the other end takes small steps, the row next to the pins
   too, with another ratio. With backward Euler, where regions pay only if they are small, a shorter end alone. */
static void fast_bake_open(FastBake *fast, const char *law, const char *method, double ratio, const char *path) {
    OneBody *scene = &fast->scene;
    int fully = strcmp(method, "be") == 0;
    one_body_init(scene, tet_box_make(24, 2, 2, 0.04));
    one_body_pin(scene);
    scene->desc.gravity[1] = -9.81;
    scene->desc.frame_count = FRAMES;
    scene->desc.steps_per_frame = 2;
    scene->desc.integrator = method;
    scene->desc.output_path = path;
    scene->body.material.law = law;
    scene->body.material.young_modulus = 2e5;
    for (uint32_t v = 0; v < scene->box.vertex_count; ++v) {
        double x = scene->box.positions[3 * v];
        fast->tip[v] = x > (fully ? 0.9 : 0.86) ? 1 : x > 0.82 ? 0.4f : 0;
        fast->root[v] = x > 0.03 && x < 0.05;
    }
    fast->regions[0] = scene->pin;
    for (int k = 1; k < 3; ++k) {
        jn_region_init(&fast->regions[k], sizeof fast->regions[k]);
        fast->regions[k].effect = "fast";
        fast->regions[k].weights = k == 1 ? fast->tip : fast->root;
        fast->regions[k].weight_count = scene->box.vertex_count;
        fast->regions[k].value = k == 1 ? ratio : fmin(ratio, 3);
    }
    scene->body.regions = fast->regions;
    scene->body.region_count = ratio == 0 ? 1 : fully ? 2 : 3;
}

/* Whether the painted regions are in use, as they are asked for. */
static int has_regions(JnBake *bake, const FastBake *fast) {
    JnFastRegion region = {.struct_size = sizeof region};
    uint32_t count = jn_bake_fast_region_count(bake);
    if (fast->scene.body.region_count < 2 || fast->regions[1].value < 2)
        return count == 0;
    return count > 0 && jn_bake_fast_region(bake, count - 1, &region, NULL) == JN_OK && !region.for_all &&
           region.ratio == fast->regions[1].value;
}

/* Bakes all frames; positions: of the last one, to be freed, or NULL after a failure. */
static double *bake_all(FastBake *fast, uint32_t *count, JnMessage *message) {
    JnBake *bake = NULL;
    double *positions = NULL;
    if (jn_bake_begin(&fast->scene.desc, &bake, message) == JN_OK && has_regions(bake, fast) &&
        advance_shaken(bake, FRAMES, message) == JN_OK)
        positions = read_positions(bake, count);
    jn_bake_end(bake, NULL);
    one_body_free(&fast->scene);
    return positions;
}

TEST(fast_with_a_ratio_of_one_is_no_region_at_all) {
    FastBake fast;
    JnMessage message = {0};
    double *positions[2];
    uint32_t count[2];
    for (int way = 0; way < 2; ++way) {
        fast_bake_open(&fast, "stable_neohooke", "be", way, NULL);
        positions[way] = bake_all(&fast, &count[way], &message);
        CHECK(positions[way]);
    }
    CHECK(count[0] == count[1] && memcmp(positions[0], positions[1], count[0] * 3 * sizeof(double)) == 0);
    free(positions[0]);
    free(positions[1]);
}

/* Every law with both methods: the tip is where small steps for all put it, more nearly than large steps do. Weak
   gravity: a fall of the slow part would be most of the motion. */
LONG_TEST(fast_tip_moves_more_as_in_small_steps_for_all) {
    static const char *const laws[] = {"linear", "corotational", "stable_neohooke", "stvk"};
    for (int k = 0; k < 8; ++k) {
        FastBake fast;
        JnMessage message = {0};
        double *positions[3], off[2] = {0, 0};
        uint32_t count = 0;
        for (int way = 0; way < 3; ++way) { /* large, with small ones at the tip, small */
            fast_bake_open(&fast, laws[k / 2], k % 2 ? "be" : "si", way == 1 ? 15 : 0, NULL);
            fast.scene.desc.steps_per_frame = way == 2 ? 30 : 2;
            fast.scene.desc.gravity[1] = -1;
            positions[way] = bake_all(&fast, &count, &message);
            CHECK(positions[way]);
        }
        for (size_t i = 0; i < 3 * (size_t)count; ++i)
            for (int way = 0; way < 2; ++way)
                off[way] += pow(positions[way][i] - positions[2][i], 2);
        CHECK(off[1] < off[0]);
        for (int way = 0; way < 3; ++way)
            free(positions[way]);
    }
}

/* A bar that is flung around its pinned end, by about five degrees in a large step; all but the row at the pins is
   fast: it follows its turn, though the method's forces are linear through a step. */
SLOW_TEST(fast_part_that_turns_in_a_large_step_moves_as_in_small_steps) {
    static const char *const laws[] = {"corotational", "stable_neohooke"};
    for (int k = 0; k < 2; ++k) {
        FastBake fast;
        JnMessage message = {0};
        double *positions[3], off[2] = {0, 0}, velocities[900] = {0};
        uint32_t count = 0;
        for (int way = 0; way < 3; ++way) { /* large, with fast parts, small */
            fast_bake_open(&fast, laws[k], "si", way == 1 ? 12 : 0, NULL);
            for (uint32_t v = 0; v < fast.scene.box.vertex_count; ++v) {
                fast.tip[v] = fast.scene.box.positions[3 * v] > 0.05;
                fast.root[v] = 0;
                velocities[3 * v + 1] = 2 * fast.scene.box.positions[3 * v];
            }
            fast.scene.body.start_velocities = velocities;
            fast.scene.desc.gravity[1] = 0;
            fast.scene.desc.steps_per_frame = way == 2 ? 12 : 1;
            positions[way] = bake_all(&fast, &count, &message);
            CHECK(positions[way]);
        }
        for (size_t i = 0; i < 3 * (size_t)count; ++i)
            for (int way = 0; way < 2; ++way)
                off[way] += pow(positions[way][i] - positions[2][i], 2);
        CHECK(off[1] < 0.04 * off[0]);
        for (int way = 0; way < 3; ++way)
            free(positions[way]);
    }
}

LONG_TEST(fast_bake_that_stops_and_resumes_gives_the_same_bytes) {
    static const char *const methods[] = {"si", "be"};
    for (int k = 0; k < 6; ++k) {
        FastBake fast;
        JnMessage message = {0};
        for (int part = 0; part < 3; ++part) {
            JnBake *bake = NULL;
            JnStatistics statistics = {.struct_size = sizeof statistics};
            fast_bake_open(&fast, k < 2 ? "linear" : "stable_neohooke", methods[k < 4 ? k % 2 : 0], 12,
                           part == 0 ? whole_path : parts_path);
            fast.scene.desc.resume = part == 2;
            if (k >= 4) { /* its tip touches the floor before the stop */
                fast.scene.desc.collider_count = 1;
                fast.scene.desc.contact.method = k == 4 ? "penalty" : "barrier";
                fast.scene.collider.point[1] = -0.03;
                fast.scene.collider.normal[1] = 1;
            }
            CHECK(jn_bake_begin(&fast.scene.desc, &bake, &message) == JN_OK);
            CHECK(has_regions(bake, &fast));
            CHECK(advance_shaken(bake, part == 0 ? FRAMES : part == 1 ? 6 : FRAMES - 6, &message) == JN_OK);
            CHECK(jn_bake_statistics(bake, &statistics, &message) == JN_OK);
            CHECK((statistics.fast_touch_steps > 0) == (k >= 4));
            CHECK(jn_bake_end(bake, &message) == JN_OK);
            one_body_free(&fast.scene);
        }
        CHECK(whole_equals_parts());
        remove_whole_and_parts();
    }
}

TEST(fast_bake_does_not_depend_on_threads) {
    FastBake fast;
    JnMessage message = {0};
    double *positions[2];
    uint32_t count = 0;
    for (int way = 0; way < 2; ++way) {
        fast_bake_open(&fast, "stable_neohooke", "si", 8, NULL);
        fast.scene.desc.thread_count = way ? 3 : 1;
        positions[way] = bake_all(&fast, &count, &message);
        CHECK(positions[way]);
    }
    CHECK(memcmp(positions[0], positions[1], count * 3 * sizeof(double)) == 0);
    free(positions[0]);
    free(positions[1]);
}

static JnStatus begin_with(const char *method, uint32_t consistent_mass, JnMessage *message) {
    FastBake fast;
    JnBake *bake = NULL;
    fast_bake_open(&fast, "linear", method, 4, NULL);
    fast.scene.desc.consistent_mass = consistent_mass;
    JnStatus status = jn_bake_begin(&fast.scene.desc, &bake, message);
    jn_bake_end(bake, NULL);
    one_body_free(&fast.scene);
    return status;
}

TEST(fast_with_a_method_that_has_one_step_for_all_is_refused_with_the_ones_that_go) {
    JnMessage message = {0};
    CHECK(begin_with("midpoint", 0, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "the effect fast is painted, but the integrator midpoint");
    CHECK_STR_HAS(message.text, "choose si or be");
    CHECK(begin_with("si", 1, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "consistent_mass");
    CHECK(begin_with("auto", 0, &message) == JN_OK);
    CHECK(begin_with("si", 0, &message) == JN_OK);
}

TEST(fast_region_that_no_point_is_in_changes_nothing) {
    FastBake fast;
    JnBake *bake = NULL;
    JnMessage message = {0};
    fast_bake_open(&fast, "linear", "midpoint", 4, NULL);
    for (uint32_t v = 0; v < fast.scene.box.vertex_count; ++v)
        fast.tip[v] = fast.root[v] = 0.4f;
    CHECK(jn_bake_begin(&fast.scene.desc, &bake, &message) == JN_OK && jn_bake_fast_region_count(bake) == 0);
    jn_bake_end(bake, NULL);
    one_body_free(&fast.scene);
}

TEST(fast_regions_are_listed_with_what_they_cost) {
    FastBake fast;
    JnBake *bake = NULL;
    JnMessage message = {0};
    JnFastRegion region = {.struct_size = sizeof region};
    fast_bake_open(&fast, "linear", "si", 10, NULL);
    CHECK(jn_bake_begin(&fast.scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_fast_region_count(bake) == 2 && jn_bake_fast_region_count(NULL) == 0);
    CHECK(jn_bake_fast_region(bake, 0, &region, &message) == JN_OK);
    CHECK(region.ratio == 3 && region.vertex_count == 9 && region.border_count == 9 && region.island_count == 1);
    region.struct_size = sizeof region;
    CHECK(jn_bake_fast_region(bake, 1, &region, &message) == JN_OK);
    CHECK(region.ratio == 10 && region.vertex_count == 27 && region.border_count == 9 && !region.for_all);
    CHECK(region.cost_of_large > 1 && region.cost_of_large < 10 && !region.hastened);
    CHECK_NEAR(region.cost_of_small, region.cost_of_large / 10, 1e-12);
    CHECK(jn_bake_fast_region(bake, 2, &region, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "the bake has 2 fast regions");
    region.struct_size = 1;
    CHECK(jn_bake_fast_region(bake, 0, &region, &message) == JN_ERR_STRUCT_SIZE);
    jn_bake_end(bake, NULL);
    one_body_free(&fast.scene);
}

TEST(fast_regions_count_the_factors_that_they_make) {
    static const struct {
        const char *law, *method;
        uint32_t least,
            most; /* factors in the first frame: of two regions and of the rest, of a linear material once */
    } cases[] = {{"linear", "si", 2, 4}, {"stable_neohooke", "si", 5, 8}, {"stable_neohooke", "be", 4, 12}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        FastBake fast;
        JnBake *bake = NULL;
        JnMessage message = {0};
        JnStatistics statistics = {.struct_size = sizeof statistics};
        fast_bake_open(&fast, cases[k].law, cases[k].method, 10, NULL);
        CHECK(jn_bake_begin(&fast.scene.desc, &bake, &message) == JN_OK && has_regions(bake, &fast));
        CHECK(advance_shaken(bake, 2, &message) == JN_OK && jn_bake_statistics(bake, &statistics, &message) == JN_OK);
        CHECK(statistics.factor_count >= cases[k].least && statistics.factor_count <= cases[k].most);
        CHECK(statistics.factor_seconds > 0 && statistics.solve_seconds > 0);
        jn_bake_end(bake, NULL);
        one_body_free(&fast.scene);
    }
}

/* Every second layer of a bar is fast: nearly all others are on a border. */
TEST(fast_regions_with_a_border_too_long_to_solve_for_make_all_steps_small) {
    FastBake fast;
    JnBake *bake = NULL;
    JnMessage message = {0};
    JnFastRegion region = {.struct_size = sizeof region};
    JnStatistics statistics = {.struct_size = sizeof statistics};
    fast_bake_open(&fast, "stable_neohooke", "si", 2, NULL);
    for (uint32_t v = 0; v < fast.scene.box.vertex_count; ++v)
        fast.tip[v] = (int)(fast.scene.box.positions[3 * v] / 0.04 + 0.5) % 2 == 1;
    CHECK(jn_bake_begin(&fast.scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_fast_region_count(bake) == 1 && jn_bake_fast_region(bake, 0, &region, &message) == JN_OK);
    CHECK(region.for_all && region.cost_of_small > 1);
    CHECK_STR_HAS(jn_bake_choice(bake), "small time steps of the fast regions for all, 4 a frame");
    CHECK(advance_shaken(bake, 2, &message) == JN_OK && jn_bake_statistics(bake, &statistics, &message) == JN_OK);
    CHECK(statistics.steps_per_frame == 4);
    jn_bake_end(bake, NULL);
    one_body_free(&fast.scene);
}

/* The bar swings down on a floor, with every contact method and both integrators: its fast end stays above, and is
   where small steps for all bring it, more nearly than with large steps for all. */
LONG_TEST(fast_region_touches_colliders_at_its_own_rate) {
    static const char *const contacts[] = {"penalty", "barrier"};
    for (int k = 0; k < 4; ++k) {
        FastBake fast;
        JnMessage message = {0};
        double *positions[3], lowest = 1, off[2] = {0, 0};
        uint32_t count = 0;
        for (int way = 0; way < 3; ++way) {
            fast_bake_open(&fast, "stable_neohooke", k % 2 ? "be" : "si", way == 1 ? 15 : 0, NULL);
            fast.scene.desc.steps_per_frame = way == 2 ? 30 : 2;
            fast.scene.desc.collider_count = 1;
            fast.scene.desc.contact.method = contacts[k / 2];
            fast.scene.collider.point[1] = -0.12;
            fast.scene.collider.normal[1] = 1;
            fast.scene.collider.friction = 0.3;
            positions[way] = bake_all(&fast, &count, &message);
            CHECK(positions[way]);
        }
        for (size_t i = 0; i < 3 * (size_t)count; ++i) {
            lowest = i % 3 == 1 ? fmin(lowest, positions[1][i] + 0.05 * sin(FRAMES)) : lowest;
            for (int way = 0; way < 2; ++way)
                off[way] += pow(positions[way][i] - positions[2][i], 2);
        }
        CHECK(lowest > -0.122 && lowest < -0.1 && off[1] < off[0]);
        for (int way = 0; way < 3; ++way)
            free(positions[way]);
    }
}

/* Whether the second motion is nearer to the last, small steps for all, than the first, large ones; frees them. */
static int is_nearer(double *positions[3], uint32_t count) {
    double off[2] = {0, 0};
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        for (int way = 0; way < 2; ++way)
            off[way] += pow(positions[way][i] - positions[2][i], 2);
    for (int way = 0; way < 3; ++way)
        free(positions[way]);
    return off[0] > 0 && off[1] < off[0];
}

/* A collider of this kind whose highest places are at y = -0.12; `wall` holds the mesh. */
static void put_below(FastBake *fast, const char *kind, const double wall[12]) {
    static const uint32_t sizes[] = {4}, corners[] = {0, 1, 2, 3};
    JnCollider *collider = &fast->scene.collider;
    collider->kind = kind;
    collider->name = kind;
    collider->friction = 0.3;
    collider->radius = 0.3;
    const double centre[3] = {0.6, -0.42, 0.04}, end[3] = {1.2, -0.42, 0.04}, size[3] = {2, 0.6, 1};
    memcpy(collider->point, centre, sizeof centre);
    memcpy(collider->end, end, sizeof end);
    memcpy(collider->size, size, sizeof size);
    if (strcmp(kind, "sphere") == 0)
        collider->point[0] = 0.95;
    if (strcmp(kind, "mesh") == 0)
        collider->surface = (JnSurface){.vertex_count = 4,
                                        .face_count = 1,
                                        .corner_count = 4,
                                        .positions = wall,
                                        .face_sizes = sizes,
                                        .face_vertices = corners};
    fast->scene.desc.collider_count = 1;
}

/* The fast end swings down on colliders with a surface: it stays above them, where small steps for all bring it, more
   nearly than large ones; and friction is seen to slide. */
LONG_TEST(fast_region_touches_colliders_of_every_kind) {
    static const char *const kinds[] = {"sphere", "capsule", "box", "mesh"};
    static const double wall[12] = {-1, -0.12, -1, -1, -0.12, 1, 2, -0.12, 1, 2, -0.12, -1};
    for (int k = 0; k < 4; ++k) {
        JnMessage message = {0};
        double *positions[3];
        uint32_t count = 0, sliding = 0, overlaps = 0;
        for (int way = 0; way < 3; ++way) {
            FastBake fast;
            JnBake *bake = NULL;
            JnContactFrame contact = {.struct_size = sizeof contact};
            fast_bake_open(&fast, "stable_neohooke", "si", way == 1 ? 15 : 0, NULL);
            put_below(&fast, kinds[k], wall);
            fast.scene.desc.steps_per_frame = way == 2 ? 30 : 2;
            fast.scene.desc.contact.method = k % 2 ? "barrier" : "penalty";
            CHECK(jn_bake_begin(&fast.scene.desc, &bake, &message) == JN_OK && has_regions(bake, &fast));
            for (int frame = 0; frame < FRAMES; ++frame) {
                CHECK(advance_shaken(bake, 1, &message) == JN_OK);
                CHECK(jn_bake_contact(bake, &contact, &message) == JN_OK);
                sliding += way == 1 ? contact.sliding_count : 0;
                overlaps += contact.overlap_count;
            }
            positions[way] = read_positions(bake, &count);
            jn_bake_end(bake, NULL);
            one_body_free(&fast.scene);
        }
        CHECK(is_nearer(positions, count));
        CHECK(sliding > 0 && overlaps == 0);
    }
}

/* The fast end swings down on another body, which lies on a floor: they meet as in small steps for all, and neither
   passes through the other. */
LONG_TEST(fast_region_touches_another_body) {
    for (int k = 0; k < 2; ++k) {
        JnMessage message = {0};
        double *positions[3];
        uint32_t count = 0, contacts = 0, overlaps = 0;
        for (int way = 0; way < 3; ++way) {
            FastBake fast;
            JnBody bodies[2];
            JnBake *bake = NULL;
            TetBox box = tet_box_make(3, 2, 3, 0.05);
            JnContactFrame contact = {.struct_size = sizeof contact};
            fast_bake_open(&fast, "stable_neohooke", k % 2 ? "be" : "si", way == 1 ? 15 : 0, NULL);
            fast.scene.desc.steps_per_frame = way == 2 ? 30 : 2;
            fast.scene.desc.contact.method = k ? "barrier" : "penalty";
            for (uint32_t v = 0; v < box.vertex_count; ++v) {
                box.positions[3 * v] += 0.85;
                box.positions[3 * v + 1] -= 0.17;
            }
            jn_body_init(&bodies[1], sizeof bodies[1]);
            bodies[0] = fast.scene.body;
            bodies[1].name = "cushion";
            bodies[1].tets = tet_box_view(&box);
            fast.scene.desc.bodies = bodies;
            fast.scene.desc.body_count = 2;
            fast.scene.desc.collider_count = 1;
            fast.scene.collider.point[1] = -0.175;
            fast.scene.collider.normal[1] = 1;
            CHECK(jn_bake_begin(&fast.scene.desc, &bake, &message) == JN_OK);
            for (int frame = 0; frame < FRAMES; ++frame) {
                CHECK(advance(bake, &message) == JN_OK && jn_bake_contact(bake, &contact, &message) == JN_OK);
                contacts += way == 1 ? contact.contact_count : 0;
                overlaps += contact.overlap_count;
            }
            positions[way] = read_positions(bake, &count);
            jn_bake_end(bake, NULL);
            one_body_free(&fast.scene);
            tet_box_free(&box);
        }
        CHECK(is_nearer(positions, count));
        CHECK(contacts > 0 && overlaps == 0);
    }
}
