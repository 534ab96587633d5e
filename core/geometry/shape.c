#include "geometry/shape.h"

#include "base/struct_size.h"
#include "geometry/array.h"
#include "geometry/vec3.h"

#include <string.h>

/* 21 million tets: more than current machines can simulate. */
#define MOST_TETS 2.1e7

static const Shape shapes[] = {
    {{"beam", "Beam", "A straight beam of small cells, to hang from one end."},
     {.size = {1, 0.125, 0.125}, .cells = {32, 4, 4}},
     3,
     shape_make_box},
    {{"ball", "Ball", "A ball or ellipsoid, in shells that can be given different materials."},
     {.size = {0.2, 0.2, 0.2}, .cells = {12, 0, 0}, .layer_count = 2},
     1,
     shape_make_ball},
    {{"cuboid", "Twisted cuboid", "A straight block whose pose is twisted, to be released."},
     {.size = {1, 0.25, 0.25}, .cells = {24, 6, 6}, .turns = 1},
     3,
     shape_make_cuboid},
    {{"coil", "Coil", "A straight round rope whose pose is wound to a helix, to be released."},
     {.size = {0.2, 0.1, 0.05}, .cells = {4, 96, 0}, .turns = 7},
     2,
     shape_make_coil},
    {{"helix", "Helix", "A round rope that is wound to a helix, at rest, to uncoil by its weight."},
     {.size = {0.2, 0.1, 0.05}, .cells = {4, 96, 0}, .turns = 7},
     2,
     shape_make_helix},
    {{"sheet", "Sheet", "A thin flat slab."}, {.size = {1, 0.02, 1}, .cells = {32, 1, 32}}, 3, shape_make_box},
    {{"cloth", "Cloth", "A flat surface of quads, upright, for textiles: a flag, a curtain."},
     {.size = {1, 0.7, 1}, .cells = {30, 20, 1}},
     2,
     shape_make_cloth},
    {{"fibres", "Fibres", "Straight fibres that grow on a field: bristles, grass, a strand of hair."},
     {.size = {0.1, 0.02, 0.02}, .cells = {8, 6, 6}},
     3,
     shape_make_fibres},
};

const Table shape_table = {"shapes", "shape", shapes, sizeof shapes[0], sizeof shapes / sizeof shapes[0], NULL};

JnStatus jn_shape_init(JnShape *shape, size_t struct_size, const char *kind) {
    JnStatus status = struct_size_check(shape, struct_size, sizeof *shape, "JnShape", NULL);
    if (status != JN_OK)
        return status;
    const Shape *found = &shapes[0];
    for (size_t i = 0; kind && i < sizeof shapes / sizeof shapes[0]; ++i)
        if (strcmp(shapes[i].entry.name, kind) == 0)
            found = &shapes[i];
    *shape = found->defaults;
    shape->struct_size = sizeof *shape;
    shape->kind = found->entry.name;
    return JN_OK;
}

static JnStatus check_shape(const JnShape *shape, const Shape *kind, JnMessage *message) {
    for (int i = 0; i < 3; ++i)
        if (!(isfinite(shape->size[i]) && shape->size[i] > 0))
            return status_fail(message, JN_ERR_ARGUMENT, "shape.size[%d] of the %s is %g: it must be above 0", i,
                               shape->kind, shape->size[i]);
    for (int i = 0; i < kind->cell_count; ++i)
        if (shape->cells[i] == 0)
            return status_fail(message, JN_ERR_ARGUMENT, "shape.cells[%d] of the %s is 0: it must be at least 1", i,
                               shape->kind);
    if (!isfinite(shape->turns))
        return status_fail(message, JN_ERR_ARGUMENT, "shape.turns of the %s is %g: it must be a finite number",
                           shape->kind, shape->turns);
    return JN_OK;
}

JnStatus jn_shape_make(const JnShape *shape, JnMesh **mesh, JnMessage *message) {
    status_clear(message);
    if (!shape || !mesh)
        return status_fail(message, JN_ERR_ARGUMENT, "jn_shape_make: %s is NULL", shape ? "mesh" : "shape");
    *mesh = NULL;
    if (shape->struct_size != sizeof *shape)
        return status_fail(message, JN_ERR_STRUCT_SIZE,
                           "JnShape has struct_size %u, this library's is %zu: fill it with jn_shape_init, and build "
                           "against this library's header",
                           shape->struct_size, sizeof *shape);
    const void *item = NULL;
    JnStatus status = table_find(&shape_table, shape->kind, "shape.kind", &item, message);
    if (status != JN_OK)
        return status;
    const Shape *kind = item;
    status = check_shape(shape, kind, message);
    if (status != JN_OK)
        return status;
    *mesh = array_new(1, sizeof **mesh);
    status = *mesh ? kind->make(shape, *mesh, message) : status_no_memory(message, "a shape");
    if (status == JN_OK)
        status = mesh_finish(*mesh, (*mesh)->tet_count > 0, shape->kind, message);
    if (status != JN_OK) {
        jn_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}

JnStatus shape_reserve(JnMesh *mesh, double vertex_count, double tet_count, JnMessage *message) {
    if (!(tet_count <= MOST_TETS && vertex_count <= MOST_TETS))
        return status_fail(message, JN_ERR_ARGUMENT,
                           "the shape would have %.0f vertices and %.0f tets, at most %.0f are possible: lower "
                           "shape.cells",
                           vertex_count, tet_count, MOST_TETS);
    JnStatus status = mesh_set_vertex_count(mesh, (uint32_t)vertex_count, message);
    if (status == JN_OK && tet_count > 0)
        status = mesh_set_tet_count(mesh, (uint32_t)tet_count, message);
    mesh->tet_count = 0;
    return status;
}

double shape_grid_place(double low, double high, uint32_t index, uint32_t cells) {
    double t = (double)index / cells;
    return low * (1 - t) + high * t;
}

JnStatus shape_mark_ends(JnMesh *mesh, uint32_t end_count, JnMessage *message) {
    double *start, *end;
    JnStatus status = mesh_add_field(mesh, "start", 5, 1, &start, message);
    if (status == JN_OK)
        status = mesh_add_field(mesh, "end", 3, 1, &end, message);
    for (uint32_t i = 0; status == JN_OK && i < end_count; ++i) {
        start[i] = 1;
        end[mesh->vertex_count - 1 - i] = 1;
    }
    return status;
}

void shape_add_tet(JnMesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const double *p = mesh->positions;
    bool positive = vec3_tet_det(&p[3 * (size_t)a], &p[3 * (size_t)b], &p[3 * (size_t)c], &p[3 * (size_t)d]) > 0;
    uint32_t *tet = &mesh->tet_vertices[4 * (size_t)mesh->tet_count++];
    tet[0] = a;
    tet[1] = b;
    tet[2] = positive ? c : d;
    tet[3] = positive ? d : c;
}
