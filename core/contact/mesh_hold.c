/* What holds a point before a mesh.

   It is chosen once for a step, as planes: on the way that the point would take, those that it would cross (continuous
   detection: so nothing is too fast or too thin), and where it ends, those that it is near. What a plane holds is then
   a matter of the force alone.

   A closed and consistently oriented mesh is solid: what is inside is pushed out. Any other mesh has two sides, and a
   point stays on the one on which it is. A force lets a point sink in; so that it comes back on its own side, also out
   of a wall that it has sunk through, the triangle that holds it is remembered for as long as it is behind it. */
#include "contact/mesh_collider.h"

#include "base/math3.h"

#include <float.h>
#include <string.h>

typedef struct Finding {
    const Mesh *mesh;
    const MeshPlaced *placed;
    ColliderWay way; /* of the point, brought back to its own side */
    uint32_t count;
    ColliderPlane *planes;
    uint32_t triangles[COLLIDER_PLANES]; /* of the planes */
} Finding;

/* How the free part of a way is found: what remains of a gap counts as crossed below a tenth of the thickness. */
static PairAdvance advance_by(double thickness) {
    return (PairAdvance){.thickness = 0, .reach = fmax(thickness, DBL_MIN), .keep = 0.1, .most_planes = 64};
}

/* Part of the thickness at which a point is free of a plane. */
static const double FREE_PART = 0.5;

/* Whether the mesh's box is nearer than way->look to anywhere on the way. */
static bool is_near(const MeshPlaced *placed, const ColliderWay *way) {
    const BvhNode *root = placed->tree.tree.bvh.nodes;
    for (int i = 0; i < 3; ++i)
        if (fmin(way->start[i], way->end[i]) - way->look > root->upper[i] ||
            fmax(way->start[i], way->end[i]) + way->look < root->lower[i])
            return false;
    return true;
}

/* The direction out of a closed mesh, at a triangle. */
static void outward(const Finding *finding, const double *positions, uint32_t triangle, double normal[3]) {
    surface_tree_normal(&finding->placed->tree, positions, triangle, normal);
    for (int i = 0; i < 3 && finding->mesh->is_inside_out != finding->placed->is_mirrored; ++i)
        normal[i] = -normal[i];
}

static void add_plane(Finding *finding, const SurfacePoint *at, const double normal[3]) {
    const MeshPlaced *placed = finding->placed;
    ColliderPlane *plane = &finding->planes[finding->count];
    finding->triangles[finding->count++] = at->triangle;
    for (int i = 0; i < 3; ++i) {
        plane->point[i] = plane->velocity[i] = 0;
        plane->normal[i] = normal[i];
        for (size_t c = 0; c < 3; ++c) {
            size_t vertex = finding->mesh->triangles[3 * (size_t)at->triangle + c];
            plane->point[i] += at->weights[c] * placed->end[3 * vertex + (size_t)i];
            plane->velocity[i] += at->weights[c] * placed->velocities[3 * vertex + (size_t)i];
        }
    }
}

/* Cosine of the angle within which two directions lead to the same side of a wall, or straight to its other side. */
static const double STRAIGHT = 0.5;

/* Whether the shortest way to where the point is free leads along neither side of a plane, but beside it: then it comes
   around an edge, not through a wall. */
static bool leads_aside(const Finding *finding, const double normal[3], double radius) {
    const MeshPlaced *placed = finding->placed;
    SurfacePoint nearest;
    return surface_tree_nearest(&placed->tree, placed->start, finding->way.start, radius, &nearest) &&
           fabs(vec3_dot(nearest.normal, normal)) < STRAIGHT;
}

/* If the point is behind the triangle that held it, moves its way to the side on which it was. */
static bool bring_back(Finding *finding, const ColliderMemory *memory) {
    const MeshPlaced *placed = finding->placed;
    ColliderWay *way = &finding->way;
    uint32_t triangle = memory->held_by - 1;
    double normal[3], offset[3], lifted[3];
    surface_tree_normal(&placed->tree, placed->start, triangle, normal);
    vec3_sub(way->start, &placed->start[3 * (size_t)finding->mesh->triangles[3 * (size_t)triangle]], offset);
    double distance = memory->side * vec3_dot(offset, normal), lift = FREE_PART * way->thickness - distance;
    if (!(distance < 0) || leads_aside(finding, normal, -distance))
        return false;
    for (int i = 0; i < 3; ++i)
        lifted[i] = way->start[i] + memory->side * lift * normal[i];
    /* behind its plane, but beside the mesh, it is free */
    SurfaceTree at_start = placed->tree;
    at_start.end = at_start.start;
    const PairAdvance how = advance_by(way->thickness);
    SurfaceAdvance advance;
    surface_tree_advance(&at_start, lifted, way->start, &how, &advance);
    if (advance.end == PAIR_ADVANCE_FREE)
        return false;
    for (int i = 0; i < 3; ++i) {
        way->end[i] += lifted[i] - way->start[i];
        way->start[i] = lifted[i];
    }
    return true;
}

/* Whether the point is inside of a closed mesh; then it is held by what is nearest. */
static bool push_out(Finding *finding, ColliderMemory *memory) {
    const MeshPlaced *placed = finding->placed;
    const double *start = finding->way.start;
    SurfacePoint nearest;
    double normal[3];
    /* what was outside can only come inside through the surface, near it */
    double radius = memory->inside == -1 ? finding->way.look : INFINITY;
    if (!finding->mesh->is_closed || !surface_tree_nearest(&placed->tree, placed->start, start, radius, &nearest))
        return false;
    bool behind = surface_tree_is_behind(&placed->tree, placed->start, start, &nearest);
    memory->inside = behind != (finding->mesh->is_inside_out != placed->is_mirrored) && nearest.distance > 0 ? 1 : -1;
    if (memory->inside == -1)
        return false;
    for (int i = 0; i < 3; ++i)
        normal[i] = -nearest.normal[i];
    add_plane(finding, &nearest, normal);
    return true;
}

/* The planes that the point would cross on its way, which then ends before them. */
static void hold_on_way(Finding *finding) {
    const MeshPlaced *placed = finding->placed;
    ColliderWay *way = &finding->way;
    const PairAdvance how = advance_by(way->thickness);
    while (finding->count < COLLIDER_PLANES) {
        SurfaceAdvance advance;
        SurfacePoint at;
        double x[3], offset[3];
        surface_tree_advance(&placed->tree, way->start, way->end, &how, &advance);
        if (advance.end == PAIR_ADVANCE_FREE)
            return;
        for (uint32_t p = 0; p < finding->count; ++p)
            if (finding->triangles[p] == advance.triangle)
                return;
        for (int i = 0; i < 3; ++i)
            x[i] = way->start[i] + advance.time * (way->end[i] - way->start[i]);
        surface_tree_nearest_of(&placed->tree, advance.triangle, advance.time, x, &at);
        if (advance.end == PAIR_ADVANCE_INSIDE) { /* on the surface itself */
            outward(finding, placed->end, at.triangle, at.normal);
            vec3_sub(way->end, way->start, offset);
            for (int i = 0; i < 3 && !finding->mesh->is_closed && vec3_dot(offset, at.normal) > 0; ++i)
                at.normal[i] = -at.normal[i];
        }
        add_plane(finding, &at, at.normal);
        const ColliderPlane *plane = &finding->planes[finding->count - 1];
        vec3_sub(way->end, plane->point, offset);
        double lift = fmax(0, FREE_PART * way->thickness - vec3_dot(offset, plane->normal));
        for (int i = 0; i < 3; ++i)
            way->end[i] += lift * plane->normal[i];
    }
}

/* The planes near where the way ends. */
static void hold_at_end(Finding *finding) {
    const MeshPlaced *placed = finding->placed;
    const ColliderWay *way = &finding->way;
    SurfacePoint nearest;
    double taken[3 * COLLIDER_PLANES];
    if (finding->count == 0) {
        if (!surface_tree_nearest(&placed->tree, placed->end, way->end, way->look, &nearest))
            return;
        add_plane(finding, &nearest, nearest.normal);
        if (nearest.distance > way->thickness)
            return;
    }
    while (finding->count < COLLIDER_PLANES) {
        for (uint32_t p = 0; p < finding->count; ++p)
            memcpy(&taken[3 * (size_t)p], finding->planes[p].normal, 3 * sizeof *taken);
        if (!surface_tree_nearest_other(&placed->tree, placed->end, way->end, way->thickness, taken, finding->count,
                                        &nearest))
            return;
        add_plane(finding, &nearest, nearest.normal);
    }
}

uint32_t mesh_find(const void *shape, const ColliderPlacement *placement, const ColliderWay *way,
                   ColliderMemory *memory, ColliderPlane planes[COLLIDER_PLANES]) {
    Finding finding = {.mesh = shape, .placed = placement->placed, .way = *way, .planes = planes};
    bool back = memory->held_by > 0 && bring_back(&finding, memory);
    if (!back && !is_near(finding.placed, way)) {
        *memory = (ColliderMemory){.inside = -1};
        return 0;
    }
    memory->held_by = 0;
    if (!back && push_out(&finding, memory))
        return finding.count;
    hold_on_way(&finding);
    hold_at_end(&finding);
    if (finding.count > 0) {
        double normal[3];
        surface_tree_normal(&finding.placed->tree, finding.placed->end, finding.triangles[0], normal);
        memory->held_by = finding.triangles[0] + 1;
        memory->side = vec3_dot(normal, planes[0].normal) < 0 ? -1 : 1;
    }
    return finding.count;
}
