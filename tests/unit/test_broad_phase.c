/* The broad phase against all pairs tried one by one. */
#include "contact_mesh.h"
#include "harness.h"
#include "random.h"

enum { ALL_KINDS = (1 << PAIR_KIND_COUNT) - 1, MESH_KINDS = 1 << PAIR_POINT_TRIANGLE | 1 << PAIR_EDGE_EDGE };

/* The box over a motion with what is around it, as the header has it. */
static void box_of(const PrimitiveMotion *motion, const uint32_t *vertices, uint32_t count, double box[6]) {
    double radius = 0;
    for (uint32_t c = 0; motion->radii && c < count; ++c)
        radius = fmax(radius, motion->radii[vertices[c]]);
    for (uint32_t a = 0; a < 3; ++a) {
        box[a] = INFINITY;
        box[3 + a] = -INFINITY;
        for (uint32_t c = 0; c < count; ++c) {
            double from = motion->start[3 * vertices[c] + a], to = motion->end[3 * vertices[c] + a];
            box[a] = fmin(box[a], fmin(from, to));
            box[3 + a] = fmax(box[3 + a], fmax(from, to));
        }
        box[a] -= motion->margin + radius;
        box[3 + a] += motion->margin + radius;
    }
}

static int is_candidate(const BroadPhaseDesc *desc, const PrimitiveMotion *motion, PairKind kind,
                        const uint32_t *vertices) {
    uint32_t first = pair_first_count(kind), n = pair_point_count(kind);
    double a[6], b[6];
    for (uint32_t i = 0; i < first; ++i)
        for (uint32_t j = first; j < n; ++j)
            if (vertices[i] == vertices[j])
                return 0;
    if (desc->touching &&
        !desc->touching[desc->groups[vertices[0]] * desc->group_count + desc->groups[vertices[first]]])
        return 0;
    box_of(motion, vertices, first, a);
    box_of(motion, &vertices[first], n - first, b);
    for (int i = 0; i < 3; ++i)
        if (a[i] > b[3 + i] || b[i] > a[3 + i])
            return 0;
    return !desc->accept || desc->accept(desc->context, kind, vertices);
}

/* Compares the candidates with those of all pairs in turn, which come in the same order. Returns how many, -1 if they
   differ. */
static long count_if_right(const BroadPhase *broad, const BroadPhaseDesc *desc, const PrimitiveMotion *motion,
                           PairKind kind) {
    const uint32_t counts[] = {desc->point_count, desc->edge_count, desc->triangle_count};
    uint32_t first_count = counts[pair_first_count(kind) - 1];
    uint32_t second_count = counts[pair_point_count(kind) - pair_first_count(kind) - 1];
    int same = kind == PAIR_POINT_POINT || kind == PAIR_EDGE_EDGE;
    PairCandidates found = broad_phase_candidates(broad, kind);
    size_t k = 0;
    for (uint32_t i = 0; i < first_count; ++i)
        for (uint32_t j = same ? i + 1 : 0; j < second_count; ++j) {
            uint32_t pair[2] = {i, j}, vertices[4];
            broad_phase_vertices(broad, kind, pair, vertices);
            if (!is_candidate(desc, motion, kind, vertices))
                continue;
            if (k == found.count || found.pairs[k][0] != i || found.pairs[k][1] != j)
                return -1;
            ++k;
        }
    return k == found.count ? (long)k : -1;
}

static void move_randomly(const ContactMesh *mesh, double amount, uint64_t *seed, const double *from, double *to) {
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; ++i)
        to[i] = from[i] + amount * random_signed(seed);
}

TEST(broad_phase_finds_what_trying_all_pairs_finds) {
    enum { MOTIONS = 4 };
    ContactMesh mesh;
    JnMessage message;
    BroadPhase *broad;
    uint64_t seed = 8;
    CHECK(contact_mesh_sheets(3, 7, 0.04, &mesh));
    double *start = malloc(3 * sizeof(double) * mesh.vertex_count),
           *end = malloc(3 * sizeof(double) * mesh.vertex_count);
    double *radii = malloc(sizeof(double) * mesh.vertex_count);
    CHECK(start && end && radii);
    for (uint32_t v = 0; v < mesh.vertex_count; ++v)
        radii[v] = v % 5 ? 0 : 0.03;
    BroadPhaseDesc desc = contact_mesh_desc(&mesh, ALL_KINDS);
    PrimitiveMotion motion = {mesh.positions, mesh.positions, 0.01, NULL};
    CHECK(broad_phase_create(&desc, &motion, &broad, &message) == JN_OK);
    for (int m = 0; m < MOTIONS; ++m) {
        /* at rest, moving, scattered over the whole room (so that trees are built again), with radii */
        move_randomly(&mesh, m == 2 ? 1 : 0.01 * m, &seed, mesh.positions, start);
        move_randomly(&mesh, m == 0 ? 0 : 0.05, &seed, start, end);
        motion = (PrimitiveMotion){start, end, 0.0213, m == 3 ? radii : NULL};
        CHECK(broad_phase_search(broad, &motion, NULL, &message) == JN_OK);
        for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind) {
            long count = count_if_right(broad, &desc, &motion, kind);
            CHECK(count > (kind == PAIR_POINT_POINT ? 0 : 20));
        }
    }
    broad_phase_destroy(broad);
    contact_mesh_free(&mesh);
    free(start);
    free(end);
    free(radii);
}

static bool even_sum(const void *context, PairKind kind, const uint32_t *vertices) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < pair_point_count(kind); ++i)
        sum += vertices[i];
    return sum % 2 == *(const uint32_t *)context;
}

TEST(broad_phase_obeys_groups_and_filter) {
    /* 0 touches itself and 1; 1 and 2 touch each other; 3 nothing */
    static const uint8_t touching[16] = {1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0};
    const uint32_t odd = 1;
    ContactMesh mesh;
    JnMessage message;
    BroadPhase *broad;
    CHECK(contact_mesh_sheets(4, 8, 0.02, &mesh));
    BroadPhaseDesc desc = contact_mesh_desc(&mesh, ALL_KINDS);
    desc.groups = mesh.groups;
    desc.group_count = 4;
    desc.touching = touching;
    for (int filter = 0; filter < 2; ++filter) {
        desc.accept = filter ? even_sum : NULL;
        desc.context = &odd;
        PrimitiveMotion motion = {mesh.positions, mesh.positions, 0.05, NULL};
        CHECK(broad_phase_create(&desc, &motion, &broad, &message) == JN_OK);
        CHECK(broad_phase_search(broad, &motion, NULL, &message) == JN_OK);
        for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind)
            CHECK(count_if_right(broad, &desc, &motion, kind) > 50);
        broad_phase_destroy(broad);
    }
    contact_mesh_free(&mesh);
}

TEST(broad_phase_misses_no_pair_that_comes_near) {
    /* pairs nearer than a distance at random times of the motion are among the candidates for half of it */
    ContactMesh mesh;
    JnMessage message;
    BroadPhase *broad;
    uint64_t seed = 12;
    int near = 0;
    const double distance = 0.06;
    CHECK(contact_mesh_sheets(2, 6, 0.05, &mesh));
    double *end = malloc(3 * sizeof(double) * mesh.vertex_count);
    CHECK(end);
    move_randomly(&mesh, 0.1, &seed, mesh.positions, end);
    BroadPhaseDesc desc = contact_mesh_desc(&mesh, MESH_KINDS);
    PrimitiveMotion motion = {mesh.positions, end, 0.5 * distance, NULL};
    CHECK(broad_phase_create(&desc, &motion, &broad, &message) == JN_OK);
    CHECK(broad_phase_search(broad, &motion, NULL, &message) == JN_OK);
    PairCandidates found = broad_phase_candidates(broad, PAIR_POINT_TRIANGLE);
    for (uint32_t p = 0; p < mesh.vertex_count; ++p)
        for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
            uint32_t pair[2] = {p, t}, v[4];
            double x[12], time = 0.5 * (1 + random_signed(&seed));
            PairDistance d;
            broad_phase_vertices(broad, PAIR_POINT_TRIANGLE, pair, v);
            for (uint32_t i = 0; i < 12; ++i) {
                double from = mesh.positions[3 * v[i / 3] + i % 3], to = end[3 * v[i / 3] + i % 3];
                x[i] = from + time * (to - from);
            }
            pair_distance(PAIR_POINT_TRIANGLE, x, &d);
            if (v[0] == v[1] || v[0] == v[2] || v[0] == v[3] || d.squared > distance * distance)
                continue;
            ++near;
            size_t k = 0;
            while (k < found.count && (found.pairs[k][0] != p || found.pairs[k][1] != t))
                ++k;
            CHECK(k < found.count);
        }
    CHECK(near > 100);
    broad_phase_destroy(broad);
    contact_mesh_free(&mesh);
    free(end);
}

TEST(broad_phase_gives_the_same_candidates_on_any_number_of_threads) {
    ContactMesh mesh;
    JnMessage message;
    uint64_t seed = 9;
    CHECK(contact_mesh_sheets(3, 40, 0.01, &mesh));
    double *end = malloc(3 * sizeof(double) * mesh.vertex_count);
    CHECK(end);
    move_randomly(&mesh, 0.02, &seed, mesh.positions, end);
    BroadPhaseDesc desc = contact_mesh_desc(&mesh, ALL_KINDS);
    PrimitiveMotion motion = {mesh.positions, end, 0.002, NULL};
    BroadPhase *one, *many;
    CHECK(broad_phase_create(&desc, &motion, &one, &message) == JN_OK);
    CHECK(broad_phase_search(one, &motion, NULL, &message) == JN_OK);
    for (uint32_t threads = 2; threads <= 4; ++threads) {
        Pool *pool = pool_create(threads);
        CHECK(broad_phase_create(&desc, &motion, &many, &message) == JN_OK);
        CHECK(broad_phase_search(many, &motion, pool, &message) == JN_OK);
        for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind) {
            PairCandidates a = broad_phase_candidates(one, kind), b = broad_phase_candidates(many, kind);
            CHECK(a.count > 1000 && a.count == b.count);
            CHECK(memcmp(a.pairs, b.pairs, a.count * sizeof *a.pairs) == 0);
        }
        broad_phase_destroy(many);
        pool_destroy(pool);
    }
    broad_phase_destroy(one);
    contact_mesh_free(&mesh);
    free(end);
}

TEST(broad_phase_does_not_depend_on_what_was_searched_before) {
    ContactMesh mesh;
    JnMessage message;
    uint64_t seed = 10;
    CHECK(contact_mesh_sheets(2, 20, 0.02, &mesh));
    double *scattered = malloc(3 * sizeof(double) * mesh.vertex_count);
    CHECK(scattered);
    move_randomly(&mesh, 3, &seed, mesh.positions, scattered);
    BroadPhaseDesc desc = contact_mesh_desc(&mesh, MESH_KINDS);
    PrimitiveMotion far = {scattered, scattered, 0.01, NULL}, motion = {mesh.positions, mesh.positions, 0.01, NULL};
    BroadPhase *fresh, *used;
    CHECK(broad_phase_create(&desc, &motion, &fresh, &message) == JN_OK);
    CHECK(broad_phase_create(&desc, &far, &used, &message) == JN_OK);
    CHECK(broad_phase_search(used, &far, NULL, &message) == JN_OK);
    CHECK(broad_phase_search(used, &motion, NULL, &message) == JN_OK);
    CHECK(broad_phase_search(fresh, &motion, NULL, &message) == JN_OK);
    for (PairKind kind = PAIR_POINT_TRIANGLE; kind < PAIR_KIND_COUNT; ++kind) {
        PairCandidates a = broad_phase_candidates(fresh, kind), b = broad_phase_candidates(used, kind);
        CHECK(a.count > 100 && a.count == b.count && memcmp(a.pairs, b.pairs, a.count * sizeof *a.pairs) == 0);
    }
    broad_phase_destroy(fresh);
    broad_phase_destroy(used);
    contact_mesh_free(&mesh);
    free(scattered);
}

TEST(broad_phase_of_one_thing_near_all_others_is_right) {
    /* an edge and a triangle across everything: long runs of pairs */
    ContactMesh mesh;
    JnMessage message;
    BroadPhase *broad;
    CHECK(contact_mesh_sheets(1, 12, 0, &mesh));
    uint32_t last = mesh.vertex_count - 1, *edge = &mesh.edges[0], *triangle = &mesh.triangles[0];
    edge[0] = 0, edge[1] = last;
    triangle[0] = 0, triangle[1] = 12, triangle[2] = last;
    BroadPhaseDesc desc = contact_mesh_desc(&mesh, MESH_KINDS);
    PrimitiveMotion motion = {mesh.positions, mesh.positions, 0.1, NULL};
    CHECK(broad_phase_create(&desc, &motion, &broad, &message) == JN_OK);
    CHECK(broad_phase_search(broad, &motion, NULL, &message) == JN_OK);
    CHECK(count_if_right(broad, &desc, &motion, PAIR_EDGE_EDGE) > 400);
    CHECK(count_if_right(broad, &desc, &motion, PAIR_POINT_TRIANGLE) > 100);
    broad_phase_destroy(broad);
    contact_mesh_free(&mesh);
}

TEST(broad_phase_of_nothing_finds_nothing) {
    const double position[3] = {0, 0, 0};
    const uint32_t point = 0;
    JnMessage message;
    BroadPhase *broad;
    for (uint32_t count = 0; count < 2; ++count) {
        BroadPhaseDesc desc = {.points = &point, .point_count = count, .kinds = ALL_KINDS};
        PrimitiveMotion motion = {position, position, 1, NULL};
        CHECK(broad_phase_create(&desc, &motion, &broad, &message) == JN_OK);
        CHECK(broad_phase_search(broad, &motion, NULL, &message) == JN_OK);
        for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind)
            CHECK(broad_phase_candidates(broad, kind).count == 0);
        broad_phase_destroy(broad);
    }
}
