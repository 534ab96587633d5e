/* Distances and normals of the colliders, and what meshes hold points with. */
#include "base/math3.h"
#include "closed_block.h"
#include "contact/collider.h"
#include "harness.h"
#include "random.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ a collider placed */

typedef struct Placed {
    JnCollider desc;
    Collider collider;
    ColliderPlacement *placement;
} Placed;

static void placed_init(Placed *placed, const char *kind) {
    jn_collider_init(&placed->desc, sizeof placed->desc);
    placed->desc.kind = kind;
}

static bool placed_open(Placed *placed) {
    JnMessage message;
    return collider_create(&placed->desc, 1, "colliders[0]", &placed->collider, &message) == JN_OK &&
           collider_placements_create(&placed->collider, 1, &placed->placement, &message) == JN_OK;
}

static void placed_close(Placed *placed) {
    collider_placements_destroy(&placed->collider, 1, placed->placement);
    collider_free(&placed->collider);
}

/* Moves it to a transform from another one in a time. */
static void placed_move(Placed *placed, const double before[12], const double now[12], double seconds) {
    collider_move(&placed->collider,
                  &(ColliderMotion){.now = now, .before = before, .after = now, .seconds = seconds, .fraction = 1},
                  placed->placement);
}

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* A rotation about a random axis, a scale of 1.5, mirrored or not, and a shift. */
static void some_similarity(uint64_t *seed, bool mirrored, double m[12]) {
    double axis[3], angle = 3 * random_signed(seed), c = cos(angle), s = sin(angle);
    do
        for (int i = 0; i < 3; ++i)
            axis[i] = random_signed(seed);
    while (vec3_length(axis) < 0.1);
    double length = vec3_length(axis);
    for (int i = 0; i < 3; ++i)
        axis[i] /= length;
    const double cross[9] = {0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            m[4 * i + j] = (mirrored && j == 0 ? -1.5 : 1.5) *
                           ((i == j ? c : 0) + (1 - c) * axis[i] * axis[j] + s * cross[3 * i + j]);
        m[4 * i + 3] = random_signed(seed);
    }
}

static double distance_at(const Placed *placed, const double x[3], double normal[3]) {
    return collider_distance(&placed->collider, placed->placement, x, normal);
}

/* ------------------------------------------------------------------------------------------------ solids */

/* Whether a point of the collider's own space is inside, from the description alone. */
static bool is_inside(const JnCollider *desc, const double y[3]) {
    double from[3], axis[3];
    vec3_sub(y, desc->point, from);
    if (strcmp(desc->kind, "sphere") == 0)
        return vec3_length(from) < desc->radius;
    if (strcmp(desc->kind, "box") == 0)
        return 2 * fabs(from[0]) < desc->size[0] && 2 * fabs(from[1]) < desc->size[1] &&
               2 * fabs(from[2]) < desc->size[2];
    vec3_sub(desc->end, desc->point, axis);
    double along = vec3_dot(from, axis) / vec3_dot(axis, axis);
    for (int i = 0; i < 3; ++i)
        from[i] -= fmax(0, fmin(1, along)) * axis[i];
    return vec3_length(from) < desc->radius;
}

/* A signed distance is the function that has the right sign, is 0 at the foot of every point, and never changes faster
   than the point moves. */
TEST(solid_colliders_have_exact_distances_and_normals) {
    static const char *const kinds[] = {"sphere", "capsule", "box"};
    uint64_t seed = 5;
    for (int k = 0; k < 3; ++k)
        for (int turn = 0; turn < 8; ++turn) {
            Placed placed;
            double m[12], inverse[12];
            placed_init(&placed, kinds[k]);
            placed.desc.radius = 0.3;
            for (int i = 0; i < 3; ++i) {
                placed.desc.point[i] = 0.2 * random_signed(&seed);
                placed.desc.end[i] = 0.8 * random_signed(&seed);
                placed.desc.size[i] = 0.7 + 0.4 * random_signed(&seed);
            }
            placed.desc.hollow = turn % 4 == 3;
            some_similarity(&seed, turn % 2, m);
            CHECK(placed_open(&placed) && affine_inverse(m, inverse));
            placed_move(&placed, m, m, 0);
            double last[3] = {0, 0, 0}, last_distance = NAN;
            for (int trial = 0; trial < 500; ++trial) {
                double x[3], y[3], normal[3], foot[3], other[3], along = 0;
                for (int i = 0; i < 3; ++i)
                    y[i] = random_signed(&seed);
                affine_apply(m, y, x);
                double distance = distance_at(&placed, x, normal);
                CHECK((distance < 0) == (is_inside(&placed.desc, y) != (placed.desc.hollow != 0)));
                CHECK_NEAR(vec3_length(normal), 1, 1e-12);
                for (int i = 0; i < 3; ++i)
                    foot[i] = x[i] - distance * normal[i];
                CHECK_NEAR(distance_at(&placed, foot, other), 0, 1e-12);
                vec3_sub(x, last, foot);
                CHECK(trial == 0 || fabs(distance - last_distance) <= vec3_length(foot) + 1e-12);
                memcpy(last, x, sizeof last);
                last_distance = distance;
                for (int i = 0; i < 3; ++i) {
                    double ahead[3] = {x[0], x[1], x[2]}, behind[3] = {x[0], x[1], x[2]};
                    ahead[i] += 1e-6;
                    behind[i] -= 1e-6;
                    along +=
                        normal[i] * (distance_at(&placed, ahead, other) - distance_at(&placed, behind, other)) / 2e-6;
                }
                /* inside, there are ridges where two faces are equally near */
                CHECK(along > 1 - 1e-5 || fabs(distance) > 1e-3);
            }
            placed_close(&placed);
        }
}

TEST(deepest_points_of_solid_colliders_have_a_normal) {
    static const char *const kinds[] = {"sphere", "capsule", "capsule", "box"};
    for (int k = 0; k < 4; ++k) {
        Placed placed;
        placed_init(&placed, kinds[k]);
        if (k == 1)
            placed.desc.end[1] = 2;
        CHECK(placed_open(&placed));
        const double x[3] = {0, k == 1 ? 1 : 0, 0};
        double normal[3], distance = distance_at(&placed, x, normal);
        CHECK_NEAR(distance, k == 3 ? -0.5 : -1, 1e-15);
        CHECK_NEAR(vec3_length(normal), 1, 1e-15);
        CHECK(k != 1 || fabs(normal[1]) < 1e-15);
        placed_close(&placed);
    }
}

TEST(transforms_that_a_round_collider_cannot_keep_are_refused) {
    Placed placed;
    JnMessage message;
    double m[12];
    memcpy(m, identity, sizeof m);
    placed_init(&placed, "sphere");
    CHECK(placed_open(&placed));
    m[5] = -1; /* mirrored, but of one scale */
    CHECK(collider_check_transform(placed.collider.kind, m, "input", &message) == JN_OK);
    m[5] = 1.01;
    CHECK(collider_check_transform(placed.collider.kind, m, "input", &message) == JN_ERR_ARGUMENT);
    m[5] = 1;
    m[1] = 0.1;
    CHECK(collider_check_transform(placed.collider.kind, m, "input", &message) == JN_ERR_ARGUMENT);
    placed_close(&placed);
}

/* ------------------------------------------------------------------------------------------------ meshes */

/* The distance from x to the first plane that holds it; INFINITY: none. */
static double hold(const Placed *placed, const double from[3], const double to[3], ColliderMemory *memory,
                   ColliderPlane planes[COLLIDER_PLANES], uint32_t *count) {
    ColliderWay way = {.thickness = 1e-3, .look = 10};
    double offset[3];
    memcpy(way.start, from, sizeof way.start);
    memcpy(way.end, to, sizeof way.end);
    *count = placed->collider.kind->find(placed->collider.shape, placed->placement, &way, memory, planes);
    if (*count == 0)
        return INFINITY;
    vec3_sub(from, planes[0].point, offset);
    return vec3_dot(offset, planes[0].normal);
}

TEST(closed_mesh_has_the_distances_of_a_box_inside_and_outside) {
    uint64_t seed = 8;
    for (int turn = 0; turn < 8; ++turn) {
        Placed mesh, box;
        ClosedBlock block;
        double m[12];
        placed_init(&mesh, "mesh");
        placed_init(&box, "box");
        mesh.desc.surface = closed_block(1, 0.7, 1.2, &block);
        box.desc.size[0] = 1;
        box.desc.size[1] = 0.7;
        box.desc.size[2] = 1.2;
        for (uint32_t f = 0; turn >= 4 && f < BLOCK_FACES; ++f) { /* normals that point inwards */
            uint32_t corner = block.corners[3 * f];
            block.corners[3 * f] = block.corners[3 * f + 1];
            block.corners[3 * f + 1] = corner;
        }
        some_similarity(&seed, turn % 2, m);
        CHECK(placed_open(&mesh) && placed_open(&box));
        placed_move(&mesh, m, m, 0);
        placed_move(&box, m, m, 0);
        for (int trial = 0; trial < 500; ++trial) {
            double x[3], y[3], normal[3];
            uint32_t count;
            ColliderMemory memory = {0};
            ColliderPlane planes[COLLIDER_PLANES];
            for (int i = 0; i < 3; ++i)
                y[i] = random_signed(&seed);
            affine_apply(m, y, x);
            double distance = hold(&mesh, x, x, &memory, planes, &count), expected = distance_at(&box, x, normal);
            CHECK_NEAR(distance, expected, 1e-12);
            CHECK(memory.inside == (expected < 0 ? 1 : -1));
        }
        placed_close(&mesh);
        placed_close(&box);
    }
}

/* A block without its lid, whose floor is at y = -0.35 and whose walls are at x = -0.5 .. 0.5, z = -0.6 .. 0.6. */
static void open_tray(ClosedBlock *block, Placed *tray) {
    placed_init(tray, "mesh");
    tray->desc.surface = closed_block(1, 0.7, 1.2, block);
    /* the lid's two triangles are the seventh and the eighth: those after them take their place */
    memmove(&block->corners[18], &block->corners[24], 12 * sizeof *block->corners);
    tray->desc.surface.face_count -= 2;
    tray->desc.surface.corner_count -= 6;
}

TEST(open_mesh_holds_points_on_the_side_on_which_they_are) {
    Placed tray;
    ClosedBlock block;
    open_tray(&block, &tray);
    CHECK(placed_open(&tray));
    /* over the floor, below it, and shot through it both ways */
    const double over[3] = {0.1, -0.3, 0.1}, below[3] = {0.1, -0.4, 0.1}, high[3] = {0.1, 5, 0.1},
                 low[3] = {0.1, -5, 0.1};
    const double *ways[4][2] = {{over, over}, {below, below}, {high, low}, {low, high}};
    for (int w = 0; w < 4; ++w) {
        ColliderMemory memory = {0};
        ColliderPlane planes[COLLIDER_PLANES];
        uint32_t count;
        double distance = hold(&tray, ways[w][0], ways[w][1], &memory, planes, &count);
        CHECK_NEAR(planes[0].normal[1], w % 2 ? -1 : 1, 1e-12);
        CHECK_NEAR(distance, fabs(ways[w][0][1] + 0.35), 1e-12);
        /* sunk through the floor, it is brought back */
        const double sunk[3] = {0.1, w % 2 ? -0.345 : -0.355, 0.1};
        distance = hold(&tray, sunk, sunk, &memory, planes, &count);
        CHECK_NEAR(planes[0].normal[1], w % 2 ? -1 : 1, 1e-12);
        CHECK_NEAR(distance, -0.005, 1e-12);
    }
    placed_close(&tray);
}

TEST(point_in_a_corner_is_held_by_all_of_its_walls) {
    Placed tray;
    ClosedBlock block;
    ColliderPlane planes[COLLIDER_PLANES];
    ColliderMemory memory = {0};
    uint32_t count;
    open_tray(&block, &tray);
    CHECK(placed_open(&tray));
    const double corner[3] = {-0.4995, -0.3496, 0.5997}, inside[3] = {0, 0, 0}, outside[3] = {-5, -4, 6};
    hold(&tray, corner, corner, &memory, planes, &count);
    CHECK(count == 3);
    double sum[3] = {0, 0, 0};
    for (uint32_t p = 0; p < count; ++p)
        for (int i = 0; i < 3; ++i)
            sum[i] += planes[p].normal[i];
    CHECK_NEAR(sum[0], 1, 1e-12);
    CHECK_NEAR(sum[1], 1, 1e-12);
    CHECK_NEAR(sum[2], -1, 1e-12);
    /* and so is one that is shot into it */
    memory = (ColliderMemory){0};
    hold(&tray, inside, outside, &memory, planes, &count);
    CHECK(count == 3);
    placed_close(&tray);
}

TEST(point_beside_a_wall_is_free_also_behind_its_plane) {
    Placed tray;
    ClosedBlock block;
    ColliderPlane planes[COLLIDER_PLANES];
    ColliderMemory memory = {0};
    uint32_t count;
    open_tray(&block, &tray);
    CHECK(placed_open(&tray));
    const double out[3] = {-0.501, 0.2, 0}, above[3] = {-0.45, 0.5, 0};
    hold(&tray, out, out, &memory, planes, &count); /* outside, at a wall */
    CHECK(count == 1 && planes[0].normal[0] < -0.999);
    hold(&tray, above, above, &memory, planes, &count); /* over the rim: behind the wall's plane, but free */
    CHECK(count == 1 && planes[0].normal[1] > 0.5);
    placed_close(&tray);
}

/* Around an edge, sunk in a little all the way: over the top, then in the side. */
TEST(point_that_comes_around_an_edge_is_held_by_the_next_face) {
    static const char *const kinds[] = {"mesh", "box"};
    for (int k = 0; k < 2; ++k) {
        Placed placed;
        ClosedBlock block;
        ColliderPlane planes[COLLIDER_PLANES];
        ColliderMemory memory = {0};
        uint32_t count;
        placed_init(&placed, kinds[k]);
        if (k == 0)
            placed.desc.surface = closed_block(1, 1, 1, &block);
        CHECK(placed_open(&placed));
        const double ways[4][3] = {{0.49, 0.501, 0}, {0.4985, 0.4995, 0}, {0.4995, 0.49, 0}, {0.5005, 0.48, 0}};
        for (int w = 0; w < 4; ++w) {
            double distance = hold(&placed, ways[w], ways[w], &memory, planes, &count);
            CHECK(count == 1);
            CHECK_NEAR(planes[0].normal[w < 2 ? 1 : 0], 1, 1e-9);
            CHECK_NEAR(distance, w < 2 ? ways[w][1] - 0.5 : ways[w][0] - 0.5, 1e-9);
        }
        placed_close(&placed);
    }
}

/* Sunk through a thin one, however far it is on its way out. */
TEST(point_that_sank_through_a_board_comes_back) {
    static const char *const kinds[] = {"mesh", "box"};
    for (int k = 0; k < 2; ++k)
        for (int side = -1; side < 2; side += 2) {
            Placed placed;
            ClosedBlock block;
            ColliderPlane planes[COLLIDER_PLANES];
            ColliderMemory memory = {0};
            uint32_t count;
            placed_init(&placed, kinds[k]);
            placed.desc.size[1] = 0.01;
            if (k == 0)
                placed.desc.surface = closed_block(1, 0.01, 1, &block);
            CHECK(placed_open(&placed));
            const double heights[] = {0.0055, 0.004, -0.004, -0.1, -0.3, -0.01, 0.001, 0.0049, 0.0051};
            for (int w = 0; w < 9; ++w) {
                const double x[3] = {0.1, side * heights[w], 0.2}, to[3] = {0.1, side * (heights[w] - 0.02), 0.2};
                double distance = hold(&placed, x, to, &memory, planes, &count);
                CHECK(count >= 1);
                CHECK_NEAR(planes[0].normal[1], side, 1e-9);
                CHECK_NEAR(distance, heights[w] - 0.005, 1e-9);
            }
            placed_close(&placed);
        }
}

TEST(moving_mesh_sweeps_a_point_along) {
    Placed slab;
    ClosedBlock block;
    ColliderPlane planes[COLLIDER_PLANES];
    ColliderMemory memory = {.inside = -1};
    uint32_t count;
    double before[12], now[12];
    placed_init(&slab, "mesh");
    slab.desc.surface = closed_block(1, 1e-3, 1, &block);
    CHECK(placed_open(&slab));
    memcpy(before, identity, sizeof before);
    memcpy(now, identity, sizeof now);
    before[7] = -1;
    now[7] = 2;
    placed_move(&slab, before, now, 0.5);
    const double x[3] = {0.1, 0, 0.2};
    double distance = hold(&slab, x, x, &memory, planes, &count);
    CHECK(count == 1);
    CHECK_NEAR(planes[0].normal[1], 1, 1e-12);
    CHECK_NEAR(distance, -2.0005, 1e-9);
    CHECK_NEAR(planes[0].velocity[1], 6, 1e-9);
    placed_close(&slab);
}

TEST(far_meshes_hold_nothing) {
    Placed slab;
    ClosedBlock block;
    ColliderPlane planes[COLLIDER_PLANES];
    ColliderMemory memory = {0};
    uint32_t count;
    placed_init(&slab, "mesh");
    slab.desc.surface = closed_block(1, 1, 1, &block);
    CHECK(placed_open(&slab));
    const double x[3] = {0, 20, 0};
    hold(&slab, x, x, &memory, planes, &count);
    CHECK(count == 0 && memory.held_by == 0 && memory.inside == -1);
    placed_close(&slab);
}
