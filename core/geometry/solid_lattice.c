#include "geometry/solid_lattice.h"
#include "geometry/array.h"
#include "base/status.h"

#include <stdlib.h>

JnStatus solid_lattice_build(const Octree *octree, const Winding *winding, Pool *pool, SolidLattice *lattice,
                             JnMessage *message) {
    *lattice = (SolidLattice){0};
    JnStatus status = bcc_lattice_build(octree, &lattice->bcc, message);
    if (status != JN_OK)
        return status;
    uint32_t count = lattice->bcc.vertex_count;
    lattice->vertex_count = count;
    lattice->tet_count = lattice->bcc.tet_count;
    lattice->positions = array_new(3 * (size_t)count, sizeof *lattice->positions);
    lattice->numbers = array_new(count, sizeof *lattice->numbers);
    if (!lattice->positions || !lattice->numbers) {
        solid_lattice_free(lattice);
        return status_no_memory(message, "the cells of the simulation mesh");
    }
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        lattice->positions[i] = octree->origin[i % 3] + octree->unit * lattice->bcc.places[i];
    winding_numbers(winding, pool, lattice->positions, count, lattice->numbers);
    return JN_OK;
}

void solid_lattice_free(SolidLattice *lattice) {
    bcc_lattice_free(&lattice->bcc);
    free(lattice->positions);
    free(lattice->numbers);
    *lattice = (SolidLattice){0};
}
