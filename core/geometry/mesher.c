/* The meshers, and the public call. */
#include "geometry/mesher.h"
#include "geometry/array.h"
#include "geometry/mesh.h"
#include "geometry/stuffing_mesher.h"
#include "geometry/surface.h"
#include "base/status.h"
#include "base/struct_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const Mesher meshers[] = {
    {{"stuffing", "Stuffing",
      "Cells inside the surface that fit it, small where it is thin and large inside; holes, flipped and doubled faces "
      "and crossing parts are taken care of."},
     stuffing_mesher_build},
};

const Table mesher_table = {"meshers", "mesher", meshers, sizeof meshers[0], sizeof meshers / sizeof meshers[0], NULL};

/* A mesh of the tets, which it takes over. */
static JnStatus wrap(TetMesh *tets, JnMesh **mesh, JnMessage *message) {
    *mesh = array_new(1, sizeof **mesh);
    if (!*mesh) {
        tetmesh_free(tets);
        return status_no_memory(message, "the tets of the simulation mesh");
    }
    (*mesh)->vertex_count = tets->vertex_count;
    (*mesh)->tet_count = tets->tet_count;
    (*mesh)->positions = tets->positions;
    (*mesh)->tet_vertices = tets->tet_vertices;
    tets->positions = NULL;
    tets->tet_vertices = NULL;
    tetmesh_free(tets);
    JnStatus status = mesh_finish(*mesh, true, "the tets", message);
    if (status != JN_OK) {
        jn_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}

JnStatus jn_mesh_fill(const JnSurface *surface, const JnMesher *mesher, JnMesh **mesh, JnMeshReport *report,
                      JnMessage *message) {
    status_clear(message);
    if (!surface || !mesher || !mesh)
        return status_fail(message, JN_ERR_ARGUMENT, "jn_mesh_fill: %s is NULL",
                           !surface  ? "surface"
                           : !mesher ? "mesher"
                                     : "mesh");
    *mesh = NULL;
    if (mesher->struct_size != sizeof *mesher)
        return status_fail(message, JN_ERR_STRUCT_SIZE, "jn_mesh_fill: JnMesher has %u bytes, but %zu are expected",
                           mesher->struct_size, sizeof *mesher);
    JnMeshReport own = {.struct_size = sizeof own};
    JnStatus status =
        report ? struct_size_check(report, report->struct_size, sizeof *report, "JnMeshReport", message) : JN_OK;
    if (status == JN_OK)
        status = surface_check(surface, "the surface", message);
    const void *found = NULL;
    if (status == JN_OK)
        status = table_find(&mesher_table, mesher->mesher, "mesher", &found, message);
    if (status != JN_OK)
        return status;
    MesherOptions options = {mesher->resolution,
                             mesher->edge_length,
                             mesher->vertex_budget,
                             mesher->thread_count,
                             mesher->keep_pieces_apart != 0,
                             true};
    TetMesh tets;
    status = ((const Mesher *)found)->build(surface, &options, &tets, NULL, &own, NULL, message);
    if (status == JN_OK)
        status = wrap(&tets, mesh, message);
    if (report && status == JN_OK)
        *report = own;
    return status;
}
