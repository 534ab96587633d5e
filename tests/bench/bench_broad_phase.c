/* What the search for contacts costs, from 1,000 to 100,000 triangles and more.

     bench_broad_phase [threads]    1 by default

   Two wavy sheets lie a hundredth of their side above each other and are twisted against each other a little more
   before every search; the margin is a fifth of an edge. Times are the processor's in milliseconds, summed over
   threads, the quickest of seven.
 */
#include "contact_mesh.h"

#include <stdio.h>
#include <time.h>

enum { ROUNDS = 7 };

static double processor_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static void twist(const ContactMesh *mesh, double angle, double *positions) {
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const double *from = &mesh->positions[3 * v];
        double turn = mesh->groups[v] ? angle : -angle, x = from[0] - 0.5, y = from[1] - 0.5;
        positions[3 * v] = cos(turn) * x - sin(turn) * y;
        positions[3 * v + 1] = sin(turn) * x + cos(turn) * y;
        positions[3 * v + 2] = from[2];
    }
}

static int measure(uint32_t side, Pool *pool) {
    ContactMesh mesh;
    JnMessage message;
    BroadPhase *broad = NULL;
    if (!contact_mesh_sheets(2, side, 0.01, &mesh))
        return 0;
    double *start = malloc(3 * sizeof(double) * mesh.vertex_count),
           *end = malloc(3 * sizeof(double) * mesh.vertex_count);
    BroadPhaseDesc desc = contact_mesh_desc(&mesh, 1 << PAIR_POINT_TRIANGLE | 1 << PAIR_EDGE_EDGE);
    PrimitiveMotion motion = {mesh.positions, mesh.positions, 0.1 / side, NULL};
    double begin = processor_ms(), built, quickest = INFINITY;
    int ok = start && end && broad_phase_create(&desc, &motion, &broad, &message) == JN_OK;
    built = processor_ms() - begin;
    for (int round = 0; ok && round < ROUNDS; ++round) {
        twist(&mesh, 0.001 * round, start);
        twist(&mesh, 0.001 * (round + 1), end);
        motion.start = start;
        motion.end = end;
        begin = processor_ms();
        ok = broad_phase_search(broad, &motion, pool, &message) == JN_OK;
        quickest = fmin(quickest, processor_ms() - begin);
    }
    if (ok) {
        size_t triangles = broad_phase_candidates(broad, PAIR_POINT_TRIANGLE).count;
        size_t edges = broad_phase_candidates(broad, PAIR_EDGE_EDGE).count;
        printf("%9u  %8.1f  %8.2f  %12.3f  %12zu  %9zu\n", mesh.triangle_count, built, quickest,
               1e3 * quickest / mesh.triangle_count, triangles, edges);
    }
    broad_phase_destroy(broad);
    contact_mesh_free(&mesh);
    free(start);
    free(end);
    return ok;
}

int main(int argc, char **argv) {
    static const uint32_t sides[] = {16, 35, 50, 87, 112, 158, 250};
    Pool *pool = pool_create(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1);
    int ok = 1;
    printf("triangles  build ms  search ms  us a triangle  point-triangle  edge-edge\n");
    for (size_t s = 0; ok && s < sizeof sides / sizeof sides[0]; ++s)
        ok = measure(sides[s], pool);
    pool_destroy(pool);
    return ok ? 0 : 1;
}
