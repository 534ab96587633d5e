/* Allocations of the contact geometry: none once the candidates have been found, and a status when one fails. */
#include "contact_mesh.h"
#include "failing_memory.h"
#include "harness.h"

static const uint8_t touching[4] = {0, 1, 1, 0};

static BroadPhaseDesc two_sheets(const ContactMesh *mesh) {
    BroadPhaseDesc desc = contact_mesh_desc(mesh, (1 << PAIR_KIND_COUNT) - 1);
    desc.groups = mesh->groups;
    desc.group_count = 2;
    desc.touching = touching;
    return desc;
}

TEST(broad_phase_searched_again_allocates_nothing) {
    ContactMesh mesh;
    JnMessage message;
    BroadPhase *broad;
    CHECK(contact_mesh_sheets(2, 20, 0.02, &mesh));
    BroadPhaseDesc desc = two_sheets(&mesh);
    PrimitiveMotion motion = {mesh.positions, mesh.positions, 0.02, NULL};
    CHECK(broad_phase_create(&desc, &motion, &broad, &message) == JN_OK);
    CHECK(broad_phase_search(broad, &motion, NULL, &message) == JN_OK);
    CHECK(broad_phase_candidates(broad, PAIR_EDGE_EDGE).count > 1000);
    long before = allocations;
    for (int search = 0; search < 3; ++search) {
        motion.margin *= 0.9;
        CHECK(broad_phase_search(broad, &motion, NULL, &message) == JN_OK);
    }
    CHECK(allocations == before && before > 0);
    broad_phase_destroy(broad);
    contact_mesh_free(&mesh);
}

TEST(broad_phase_with_every_allocation_failing_once_returns_a_status) {
    ContactMesh mesh;
    JnMessage message;
    CHECK(contact_mesh_sheets(2, 12, 0.02, &mesh));
    BroadPhaseDesc desc = two_sheets(&mesh);
    PrimitiveMotion motion = {mesh.positions, mesh.positions, 0.02, NULL};
    int refused = 0;
    JnStatus status = JN_ERR_MEMORY;
    for (long n = 1; status != JN_OK; ++n) {
        BroadPhase *broad;
        allocations = 0;
        failing = n;
        status = broad_phase_create(&desc, &motion, &broad, &message);
        CHECK((status == JN_OK) == (broad != NULL));
        if (status == JN_OK)
            status = broad_phase_search(broad, &motion, NULL, &message);
        failing = 0;
        if (status != JN_OK) {
            ++refused;
            CHECK(status == JN_ERR_MEMORY);
            for (PairKind kind = 0; broad && kind < PAIR_KIND_COUNT; ++kind)
                CHECK(broad_phase_candidates(broad, kind).count == 0);
            /* what failed once works the next time */
            if (broad)
                CHECK(broad_phase_search(broad, &motion, NULL, &message) == JN_OK);
        }
        broad_phase_destroy(broad);
    }
    CHECK(refused > 30);
    contact_mesh_free(&mesh);
}
