/* A round rope. Its cross-section is a hexagonal grid of triangles mapped to a disc: ring r has 6 r points. Between two
   cross-sections each triangle is a prism of three tets, whose diagonals rise from the lower to the higher vertex
   number, and in every other slice the other way, so that the rope has no handedness.

   Wound up, which is the pose of the coil and the rest shape of the helix: the centre line follows a helix of radius R
   and rise c per radian, arc length s, torsion t = c / (R^2 + c^2); the cross-sections rotate against the torsion by t
   s (Bishop's frame), so that the rope is bent but not twisted. */
#include "geometry/shape.h"
#include "geometry/index_sort.h"
#include "geometry/vec3.h"

#define PI 3.14159265358979323846

typedef struct Rope {
    JnMesh *mesh;
    uint32_t rings;
    uint32_t section_count;
    uint32_t section_size; /* vertices in a cross-section */
} Rope;

/* The number in its cross-section of point `j` of ring r; j is cyclic and may exceed the last. */
static uint32_t ring_vertex(uint32_t r, uint32_t j) {
    return r == 0 ? 0 : 1 + 3 * r * (r - 1) + j % (6 * r);
}

/* The three tets between a triangle of cross-section `section` and the same one of the next. */
static void add_prism(const Rope *rope, uint32_t section, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t v[3] = {a, b, c};
    index_sort_three(v);
    if (section % 2) {
        uint32_t first = v[0];
        v[0] = v[2], v[2] = first;
    }
    uint32_t low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        low[i] = section * rope->section_size + v[i];
        high[i] = low[i] + rope->section_size;
    }
    shape_add_tet(rope->mesh, low[0], low[1], low[2], high[2]);
    shape_add_tet(rope->mesh, low[0], low[1], high[1], high[2]);
    shape_add_tet(rope->mesh, low[0], high[0], high[1], high[2]);
}

/* The prisms of the slice after `section`: between rings r - 1 and r, in each of six sectors, r triangles have an edge
   on the outer ring and r - 1 on the inner one. */
static void add_slice(const Rope *rope, uint32_t section) {
    for (uint32_t r = 1; r <= rope->rings; ++r)
        for (uint32_t sector = 0; sector < 6; ++sector)
            for (uint32_t i = 0; i < r; ++i) {
                uint32_t outer = sector * r + i, inner = sector * (r - 1) + i;
                add_prism(rope, section, ring_vertex(r, outer), ring_vertex(r, outer + 1), ring_vertex(r - 1, inner));
                if (i + 1 < r)
                    add_prism(rope, section, ring_vertex(r, outer + 1), ring_vertex(r - 1, inner + 1),
                              ring_vertex(r - 1, inner));
            }
}

static void place_section(const Rope *rope, uint32_t section, double x, double radius) {
    double *p = &rope->mesh->positions[3 * (size_t)section * rope->section_size];
    for (uint32_t r = 0; r <= rope->rings; ++r)
        for (uint32_t j = 0; j < (r ? 6 * r : 1); ++j, p += 3) {
            double angle = r ? 2 * PI * j / (6 * r) : 0;
            p[0] = x;
            p[1] = radius * r / rope->rings * cos(angle);
            p[2] = radius * r / rope->rings * sin(angle);
        }
}

/* One cross-section, wound up at `angle` along the helix. `pose` may be the mesh's own positions. */
static void wind_section(const Rope *rope, uint32_t section, double radius, double rise, double angle, double *pose) {
    double speed = sqrt(radius * radius + rise * rise);
    double c = cos(angle), s = sin(angle), twist = -rise / speed * angle;
    const double center[3] = {radius * c, -rise * angle, radius * s};
    const double tangent[3] = {-radius * s / speed, -rise / speed, radius * c / speed};
    const double normal[3] = {-c, 0, -s};
    double binormal[3], u[3], v[3];
    vec3_cross(tangent, normal, binormal);
    for (int a = 0; a < 3; ++a)
        u[a] = cos(twist) * normal[a] + sin(twist) * binormal[a];
    vec3_cross(tangent, u, v);
    for (uint32_t i = 0; i < rope->section_size; ++i) {
        size_t vertex = 3 * ((size_t)section * rope->section_size + i);
        const double along_u = rope->mesh->positions[vertex + 1], along_v = rope->mesh->positions[vertex + 2];
        for (size_t a = 0; a < 3; ++a)
            pose[vertex + a] = center[a] + along_u * u[a] + along_v * v[a];
    }
}

static JnStatus check_windings(const JnShape *shape, JnMessage *message) {
    double radius = shape->size[0], pitch = shape->size[1], thickness = shape->size[2], around = 2 * PI * radius;
    if (!(shape->turns > 0))
        return status_fail(message, JN_ERR_ARGUMENT, "shape.turns of the %s is %g: it must be above 0", shape->kind,
                           shape->turns);
    if (thickness >= 2 * radius)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "a %s of radius %g cannot be wound from a rope %g thick: make it thinner than %g",
                           shape->kind, radius, thickness, 2 * radius);
    double gap = pitch * around / sqrt(around * around + pitch * pitch);
    if (shape->turns > 1 && gap <= thickness)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "the windings of the %s, %g apart, overlap, as the rope is %g thick: raise the pitch, "
                           "shape.size[1]",
                           shape->kind, gap, thickness);
    return JN_OK;
}

/* Where the wound shape goes: to a field, or in place of the straight one. */
typedef enum WoundShape { WOUND_POSE, WOUND_REST } WoundShape;

static JnStatus make_rope(const JnShape *shape, WoundShape wound, JnMesh *mesh, JnMessage *message) {
    double radius = shape->size[0], rise = shape->size[1] / (2 * PI);
    JnStatus status = check_windings(shape, message);
    if (status != JN_OK)
        return status;

    // count in doubles, which cannot overflow, until shape_reserve has checked the number
    double rings = ceil(shape->cells[0] / 2.0), slices = fmax(1, round(shape->turns * shape->cells[1]));
    status = shape_reserve(mesh, (1 + 3 * rings * (rings + 1)) * (slices + 1), 18 * rings * rings * slices, message);
    double *pose = mesh->positions;
    if (status == JN_OK && wound == WOUND_POSE)
        status = mesh_add_field(mesh, "pose", 4, 3, &pose, message);
    if (status != JN_OK)
        return status;
    Rope rope = {.mesh = mesh, .rings = (uint32_t)rings, .section_count = (uint32_t)slices + 1};
    rope.section_size = 1 + 3 * rope.rings * (rope.rings + 1);
    double length = 2 * PI * shape->turns * sqrt(radius * radius + rise * rise);
    for (uint32_t s = 0; s < rope.section_count; ++s) {
        double t = s / slices;
        place_section(&rope, s, length * t, shape->size[2] / 2);
        wind_section(&rope, s, radius, rise, 2 * PI * shape->turns * t, pose);
    }
    for (uint32_t s = 0; s + 1 < rope.section_count; ++s)
        add_slice(&rope, s);
    return shape_mark_ends(mesh, rope.section_size, message);
}

JnStatus shape_make_coil(const JnShape *shape, JnMesh *mesh, JnMessage *message) {
    return make_rope(shape, WOUND_POSE, mesh, message);
}

JnStatus shape_make_helix(const JnShape *shape, JnMesh *mesh, JnMessage *message) {
    return make_rope(shape, WOUND_REST, mesh, message);
}
