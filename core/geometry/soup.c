/* Welding, and what is dropped. */
#include "geometry/soup.h"
#include "geometry/array.h"
#include "geometry/index_sort.h"
#include "geometry/surface.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "base/disjoint_sets.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* Vertices nearer than this part of the longest side are one: the rounding of single precision. */
#define WELD_DISTANCE 1e-6
/* A triangle without area: its height is below this part of the longest side. */
#define FLAT_HEIGHT 1e-9

typedef struct Along {
    double distance; /* along a direction in which grids of vertices do not coincide */
    uint32_t vertex;
} Along;

static int compare_along(const void *left, const void *right) {
    const Along *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

void soup_mark_triangle(Soup *soup, FindingKind kind, uint32_t triangle) {
    for (size_t c = 3 * (size_t)triangle; c < 3 * (size_t)triangle + 3; ++c)
        findings_mark(&soup->findings, kind, soup->point_of_vertex[soup->triangles[c]]);
}

/* Counts a triangle whose corners are still vertices of the surface. */
static void find_triangle(Soup *soup, FindingKind kind, const uint32_t corners[3]) {
    findings_add(&soup->findings, kind, corners[0]);
    for (int i = 1; i < 3; ++i)
        findings_mark(&soup->findings, kind, corners[i]);
}

/* roots [vertex_count]: for each vertex the lowest of those within the weld distance, in chains. */
static bool weld(const double *positions, uint32_t vertex_count, double tolerance, uint32_t *roots) {
    static const double direction[3] = {0.5257311121191336, 0.7236067977499789, 0.4472135954999579};
    Along *order = array_new(vertex_count, sizeof *order);
    if (!order)
        return false;
    disjoint_sets_init(roots, vertex_count);
    for (uint32_t v = 0; v < vertex_count; ++v)
        order[v] = (Along){vec3_dot(&positions[3 * (size_t)v], direction), v};
    qsort(order, vertex_count, sizeof *order, compare_along);
    for (uint32_t i = 0; i < vertex_count; ++i)
        for (uint32_t j = i + 1; j < vertex_count && order[j].distance - order[i].distance <= tolerance; ++j)
            if (vec3_distance_squared(&positions[3 * (size_t)order[i].vertex],
                                      &positions[3 * (size_t)order[j].vertex]) <= tolerance * tolerance)
                disjoint_sets_join(roots, order[i].vertex, order[j].vertex);
    for (uint32_t v = 0; v < vertex_count; ++v)
        roots[v] = disjoint_sets_root(roots, v);
    free(order);
    return true;
}

static void bound(const JnSurface *surface, Soup *soup) {
    for (int a = 0; a < 3; ++a)
        soup->lower[a] = INFINITY, soup->upper[a] = -INFINITY;
    for (uint32_t c = 0; c < surface->corner_count; ++c)
        for (int a = 0; a < 3; ++a) {
            double x = surface->positions[3 * (size_t)surface->face_vertices[c] + (size_t)a];
            soup->lower[a] = fmin(soup->lower[a], x);
            soup->upper[a] = fmax(soup->upper[a], x);
        }
    for (int a = 0; a < 3; ++a)
        soup->longest = fmax(soup->longest, soup->upper[a] - soup->lower[a]);
}

/* Drops triangles without area. */
static void drop_flat(Soup *soup, const double *positions) {
    uint32_t kept = 0;
    for (uint32_t t = 0; t < soup->triangle_count; ++t) {
        const uint32_t *v = &soup->triangles[3 * (size_t)t];
        const double *p[3] = {&positions[3 * (size_t)v[0]], &positions[3 * (size_t)v[1]], &positions[3 * (size_t)v[2]]};
        double normal[3], longest = 0;
        triangle_normal(p[0], p[1], p[2], normal);
        for (int i = 0; i < 3; ++i)
            longest = fmax(longest, vec3_distance_squared(p[i], p[(i + 1) % 3]));
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0] ||
            !(vec3_length(normal) > FLAT_HEIGHT * soup->longest * sqrt(longest))) {
            find_triangle(soup, FINDING_FLAT, v);
            continue;
        }
        memmove(&soup->triangles[3 * (size_t)kept++], v, 3 * sizeof *v);
    }
    soup->triangle_count = kept;
}

/* Keeps the first triangle on each three vertices. */
static bool drop_copies(Soup *soup, uint32_t vertex_count) {
    uint32_t count = soup->triangle_count, kept = 0;
    uint32_t *keys = array_new(3 * (size_t)count, sizeof *keys), *order = NULL;
    bool *copy = array_new(count, sizeof *copy);
    if (keys && copy) {
        memcpy(keys, soup->triangles, 3 * (size_t)count * sizeof *keys);
        for (uint32_t t = 0; t < count; ++t)
            index_sort_three(&keys[3 * (size_t)t]);
        order = index_sort_tuples(keys, count, 3, vertex_count);
    }
    for (uint32_t i = 1; order && i < count; ++i)
        copy[order[i]] = memcmp(&keys[3 * (size_t)order[i - 1]], &keys[3 * (size_t)order[i]], 3 * sizeof *keys) == 0;
    for (uint32_t t = 0; order && t < count; ++t) {
        if (copy[t])
            find_triangle(soup, FINDING_COPIES, &soup->triangles[3 * (size_t)t]);
        else
            memmove(&soup->triangles[3 * (size_t)kept++], &soup->triangles[3 * (size_t)t], 3 * sizeof *keys);
    }
    if (order)
        soup->triangle_count = kept;
    bool done = order != NULL;
    free(keys);
    free(copy);
    free(order);
    return done;
}

/* Numbers the vertices that are left, and tells each point of the surface its vertex. */
static bool number_vertices(const JnSurface *surface, const uint32_t *roots, Soup *soup) {
    uint32_t *numbers = array_new(surface->vertex_count, sizeof *numbers);
    bool *in_face = array_new(surface->vertex_count, sizeof *in_face);
    soup->vertex_of_point = array_new(surface->vertex_count, sizeof *soup->vertex_of_point);
    bool ready = numbers && in_face && soup->vertex_of_point;
    for (uint32_t c = 0; ready && c < surface->corner_count; ++c)
        in_face[surface->face_vertices[c]] = true;
    for (size_t c = 0; ready && c < 3 * (size_t)soup->triangle_count; ++c)
        numbers[soup->triangles[c]] = 1;
    for (uint32_t v = 0; ready && v < surface->vertex_count; ++v) {
        if (!in_face[v])
            findings_add(&soup->findings, FINDING_LOOSE, v);
        if (roots[v] != v)
            findings_add(&soup->findings, FINDING_WELDED, v);
        numbers[v] = numbers[v] ? soup->vertex_count++ : SOUP_NONE;
    }
    soup->positions = ready ? array_new(3 * (size_t)soup->vertex_count, sizeof *soup->positions) : NULL;
    soup->point_of_vertex = ready ? array_new(soup->vertex_count, sizeof *soup->point_of_vertex) : NULL;
    ready = soup->positions && soup->point_of_vertex;
    for (uint32_t v = 0; ready && v < surface->vertex_count; ++v) {
        if (numbers[v] != SOUP_NONE) {
            memcpy(&soup->positions[3 * (size_t)numbers[v]], &surface->positions[3 * (size_t)v],
                   3 * sizeof *soup->positions);
            soup->point_of_vertex[numbers[v]] = v;
        }
        soup->vertex_of_point[v] = in_face[v] ? numbers[roots[v]] : SOUP_NONE;
    }
    for (size_t c = 0; ready && c < 3 * (size_t)soup->triangle_count; ++c)
        soup->triangles[c] = numbers[soup->triangles[c]];
    free(numbers);
    free(in_face);
    return ready;
}

/* Numbers the components in the order of their first triangles. */
static bool find_components(Soup *soup) {
    uint32_t *parents = array_new(soup->vertex_count, sizeof *parents);
    uint32_t *numbers = array_new(soup->vertex_count, sizeof *numbers);
    soup->components = array_new(soup->triangle_count, sizeof *soup->components);
    bool ready = parents && numbers && soup->components;
    if (ready)
        disjoint_sets_init(parents, soup->vertex_count);
    for (uint32_t v = 0; ready && v < soup->vertex_count; ++v)
        numbers[v] = SOUP_NONE;
    for (uint32_t t = 0; ready && t < soup->triangle_count; ++t) {
        disjoint_sets_join(parents, soup->triangles[3 * (size_t)t], soup->triangles[3 * (size_t)t + 1]);
        disjoint_sets_join(parents, soup->triangles[3 * (size_t)t], soup->triangles[3 * (size_t)t + 2]);
    }
    for (uint32_t t = 0; ready && t < soup->triangle_count; ++t) {
        uint32_t *number = &numbers[disjoint_sets_root(parents, soup->triangles[3 * (size_t)t])];
        if (*number == SOUP_NONE)
            *number = soup->component_count++;
        soup->components[t] = *number;
    }
    free(parents);
    free(numbers);
    return ready;
}

JnStatus soup_build(const JnSurface *surface, Soup *soup, JnMessage *message) {
    *soup = (Soup){0};
    bound(surface, soup);
    uint32_t *roots = array_new(surface->vertex_count, sizeof *roots);
    const Finding *flat = &soup->findings.of[FINDING_FLAT];
    JnStatus status = roots ? surface_triangulate(surface, &soup->triangles, &soup->triangle_count, message)
                            : status_no_memory(message, "cleaning a surface");
    if (status == JN_OK)
        status = findings_init(surface, &soup->findings, message);
    if (status == JN_OK) {
        bool done = weld(surface->positions, surface->vertex_count, WELD_DISTANCE * soup->longest, roots);
        for (size_t c = 0; done && c < 3 * (size_t)soup->triangle_count; ++c)
            soup->triangles[c] = roots[soup->triangles[c]];
        if (done)
            drop_flat(soup, surface->positions);
        if (done && soup->triangle_count == 0)
            status = status_fail(message, JN_ERR_MESH,
                                 "the surface has no area: all of its %u faces are points or lines, the first near "
                                 "(%g, %g, %g); give it faces, or make it a body of another kind",
                                 surface->face_count, flat->place[0], flat->place[1], flat->place[2]);
        else if (!done || !drop_copies(soup, surface->vertex_count) || !number_vertices(surface, roots, soup) ||
                 !find_components(soup))
            status = status_no_memory(message, "cleaning a surface");
    }
    free(roots);
    if (status == JN_OK)
        status = soup_orient(soup, message);
    if (status != JN_OK)
        soup_free(soup);
    return status;
}

void soup_free(Soup *soup) {
    free(soup->positions);
    free(soup->triangles);
    free(soup->components);
    free(soup->vertex_of_point);
    free(soup->point_of_vertex);
    findings_free(&soup->findings);
    free(soup->partners);
    *soup = (Soup){0};
}
