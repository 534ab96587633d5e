/* Memory that runs out at every allocation in turn: a status, nothing leaked, nothing half made. This program
   brings its own array_new and array_grow, through which all of core/geometry allocates. */
#include "geometry/array.h"
#include "geometry/mesher.h"
#include "harness.h"
#include "unit/test_geometry_helpers.h"
#include "unit/test_mesh_samples.h"

static size_t allocations_left = SIZE_MAX;

static bool may_allocate(void) {
    if (allocations_left == 0)
        return false;
    allocations_left -= allocations_left != SIZE_MAX;
    return true;
}

void *array_new(size_t count, size_t item_size) {
    return may_allocate() ? calloc(count ? count : 1, item_size) : NULL;
}

void *array_grow(void *items, size_t *capacity, size_t needed, size_t item_size) {
    if (needed <= *capacity)
        return items;
    void *moved = may_allocate() ? realloc(items, 2 * needed * item_size) : NULL;
    if (moved)
        *capacity = 2 * needed;
    return moved;
}

TEST(reader_without_memory_at_each_allocation_returns_status) {
    for (int s = 0; s < SAMPLE_COUNT; ++s) {
        Sample sample;
        sample_fill(s, &sample);
        JnStatus status = JN_ERR_MEMORY;
        size_t allowed = 0;
        for (; status != JN_OK && allowed < 1000; ++allowed) {
            JnMesh *mesh = NULL;
            JnMessage message = {0};
            allocations_left = allowed;
            status = sample_parse(&sample, sample.size, &mesh, &message);
            allocations_left = SIZE_MAX;
            CHECK(status == JN_OK || (status == JN_ERR_MEMORY && !mesh && message.text[0]));
            jn_mesh_free(mesh);
        }
        CHECK(status == JN_OK && allowed > 3);
    }
}

TEST(shape_without_memory_at_each_allocation_returns_status) {
    static const char *const kinds[] = {"beam", "ball", "cuboid", "coil", "sheet"};
    for (int k = 0; k < 5; ++k) {
        JnShape shape;
        jn_shape_init(&shape, sizeof shape, kinds[k]);
        shape.cells[0] = 4, shape.cells[1] = 3;
        JnStatus status = JN_ERR_MEMORY;
        size_t allowed = 0;
        for (; status != JN_OK && allowed < 1000; ++allowed) {
            JnMesh *mesh = NULL;
            allocations_left = allowed;
            status = jn_shape_make(&shape, &mesh, NULL);
            allocations_left = SIZE_MAX;
            CHECK(status == JN_OK || (status == JN_ERR_MEMORY && !mesh));
            jn_mesh_free(mesh);
        }
        CHECK(status == JN_OK && allowed > 3);
    }
}

TEST(mesher_without_memory_at_each_allocation_returns_status) {
    const Mesher *mesher = mesher_table.items;
    JnStatus status = JN_ERR_MEMORY;
    size_t allowed = 0;
    MesherOptions options = {.resolution = 3, .edge_length = NAN, .thread_count = 1, .measure_volume = true};
    for (; status != JN_OK && allowed < 100000; ++allowed) {
        TetMesh mesh;
        JnMeshReport report = {0};
        Embedding embedding;
        allocations_left = allowed;
        status = mesher->build(&cube_surface, &options, &mesh, &embedding, &report, NULL, NULL);
        allocations_left = SIZE_MAX;
        CHECK(status == JN_OK || (status == JN_ERR_MEMORY && !mesh.positions && !mesh.tet_vertices));
        CHECK(status == JN_OK || (!embedding.vertices && !embedding.weights));
        tetmesh_free(&mesh);
        embedding_free(&embedding);
    }
    CHECK(status == JN_OK && allowed > 10);
}
