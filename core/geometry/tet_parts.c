#include "geometry/tet_parts.h"
#include "geometry/array.h"
#include "geometry/index_sort.h"
#include "geometry/vec3.h"
#include "base/disjoint_sets.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* sets: [tet_count * 4] of corners: joins those of two tets at each vertex of a face that they share; parts:
   [tet_count] joins those tets. */
static bool join_across_faces(const TetMesh *mesh, uint32_t *sets, uint32_t *parts) {
    size_t count = 4 * (size_t)mesh->tet_count;
    uint32_t *faces = array_new(3 * count, sizeof *faces);
    for (size_t f = 0; faces && f < count; ++f) {
        for (size_t i = 0; i < 3; ++i)
            faces[3 * f + i] = mesh->tet_vertices[f / 4 * 4 + (f + 1 + i) % 4];
        index_sort_three(&faces[3 * f]);
    }
    uint32_t *order = faces ? index_sort_tuples(faces, count, 3, mesh->vertex_count) : NULL;
    for (size_t k = 1; order && k < count; ++k) {
        size_t a = order[k - 1], b = order[k];
        if (memcmp(&faces[3 * a], &faces[3 * b], 3 * sizeof *faces) != 0)
            continue;
        disjoint_sets_join(parts, (uint32_t)(a / 4), (uint32_t)(b / 4));
        for (size_t i = a / 4 * 4; i < a / 4 * 4 + 4; ++i)
            for (size_t j = b / 4 * 4; i != a && j < b / 4 * 4 + 4; ++j)
                if (mesh->tet_vertices[i] == mesh->tet_vertices[j])
                    disjoint_sets_join(sets, (uint32_t)i, (uint32_t)j);
    }
    bool done = order != NULL;
    free(faces);
    free(order);
    return done;
}

/* Joins the sets at vertices where different parts meet, and lists the places of these vertices. firsts:
   [vertex_count], for use. */
static void join_parts(const TetMesh *mesh, uint32_t *sets, uint32_t *parts, uint32_t *firsts, double *hinges,
                       uint32_t *hinge_count) {
    uint32_t last = UINT32_MAX;
    memset(firsts, 0xff, mesh->vertex_count * sizeof *firsts);
    for (uint32_t c = 0; c < 4 * mesh->tet_count; ++c) {
        uint32_t *first = &firsts[mesh->tet_vertices[c]];
        if (*first == UINT32_MAX)
            *first = c;
        else if (disjoint_sets_root(parts, c / 4) != disjoint_sets_root(parts, *first / 4)) {
            disjoint_sets_join(sets, c, *first);
            if (last != mesh->tet_vertices[c] && *hinge_count < mesh->vertex_count)
                memcpy(&hinges[3 * (size_t)(*hinge_count)++], &mesh->positions[3 * (size_t)mesh->tet_vertices[c]],
                       3 * sizeof *hinges);
            last = mesh->tet_vertices[c];
        }
    }
}

JnStatus tet_parts_split_pinches(TetMesh *mesh, uint8_t **on_surface, double **hinges, uint32_t *hinge_count,
                                 JnMessage *message) {
    size_t count = 4 * (size_t)mesh->tet_count, total = 0;
    uint32_t *sets = array_new(count, sizeof *sets), *numbers = array_new(count, sizeof *numbers);
    uint32_t *parts = array_new(mesh->tet_count, sizeof *parts);
    uint32_t *firsts = array_new(mesh->vertex_count, sizeof *firsts);
    *hinges = array_new(3 * (size_t)mesh->vertex_count, sizeof **hinges);
    *hinge_count = 0;
    bool ready = sets && numbers && parts && firsts && *hinges;
    if (ready) {
        disjoint_sets_init(sets, (uint32_t)count);
        disjoint_sets_init(parts, mesh->tet_count);
    }
    ready = ready && join_across_faces(mesh, sets, parts);
    if (ready)
        join_parts(mesh, sets, parts, firsts, *hinges, hinge_count);
    free(parts);
    free(firsts);
    // the first set at a vertex keeps it; the others get vertices at the end
    uint8_t *taken = array_new(mesh->vertex_count, 1);
    total = mesh->vertex_count;
    for (uint32_t c = 0; ready && taken && c < count; ++c) {
        uint32_t vertex = mesh->tet_vertices[c];
        if (disjoint_sets_root(sets, c) != c)
            continue;
        numbers[c] = taken[vertex] ? (uint32_t)total++ : vertex;
        taken[vertex] = 1;
    }
    double *positions = ready && taken ? array_new(3 * total, sizeof *positions) : NULL;
    uint8_t *marks = positions ? array_new(total, 1) : NULL;
    for (uint32_t c = 0; marks && c < count; ++c) {
        uint32_t vertex = mesh->tet_vertices[c], number = numbers[disjoint_sets_root(sets, c)];
        memcpy(&positions[3 * (size_t)number], &mesh->positions[3 * (size_t)vertex], 3 * sizeof *positions);
        marks[number] = (*on_surface)[vertex];
        mesh->tet_vertices[c] = number;
    }
    free(sets);
    free(numbers);
    free(taken);
    if (!marks) {
        free(positions);
        free(*hinges);
        *hinges = NULL;
        *hinge_count = 0;
        return status_no_memory(message, "the tets of the simulation mesh");
    }
    free(mesh->positions);
    free(*on_surface);
    mesh->positions = positions;
    mesh->vertex_count = (uint32_t)total;
    *on_surface = marks;
    return JN_OK;
}

/* Joins the vertices of each tet: sets [vertex_count]. Returns the number of parts that the tets fall into. */
static uint32_t find_parts(const TetMesh *mesh, uint32_t *sets) {
    uint32_t parts = mesh->vertex_count;
    disjoint_sets_init(sets, mesh->vertex_count);
    for (size_t c = 0; c < 4 * (size_t)mesh->tet_count; ++c)
        parts -= disjoint_sets_join(sets, mesh->tet_vertices[c], mesh->tet_vertices[c / 4 * 4]);
    return parts;
}

/* volumes [vertex_count]: of each part, at its root. Returns the sum. */
static double measure_parts(const TetMesh *mesh, uint32_t *sets, double *volumes) {
    double total = 0;
    for (size_t t = 0; t < mesh->tet_count; ++t) {
        const uint32_t *v = &mesh->tet_vertices[4 * t];
        double volume = vec3_tet_det(&mesh->positions[3 * (size_t)v[0]], &mesh->positions[3 * (size_t)v[1]],
                                     &mesh->positions[3 * (size_t)v[2]], &mesh->positions[3 * (size_t)v[3]]);
        volumes[disjoint_sets_root(sets, v[0])] += volume;
        total += volume;
    }
    return total;
}

/* Keeps the vertices that tets have; numbers: [vertex_count], for use. */
static void drop_unused_vertices(TetMesh *mesh, uint8_t *on_surface, uint32_t *numbers) {
    uint32_t kept = 0;
    memset(numbers, 0, mesh->vertex_count * sizeof *numbers);
    for (size_t c = 0; c < 4 * (size_t)mesh->tet_count; ++c)
        numbers[mesh->tet_vertices[c]] = 1;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        if (!numbers[v])
            continue;
        memmove(&mesh->positions[3 * (size_t)kept], &mesh->positions[3 * (size_t)v], 3 * sizeof *mesh->positions);
        on_surface[kept] = on_surface[v];
        numbers[v] = kept++;
    }
    for (size_t c = 0; c < 4 * (size_t)mesh->tet_count; ++c)
        mesh->tet_vertices[c] = numbers[mesh->tet_vertices[c]];
    mesh->vertex_count = kept;
}

bool tet_parts_drop_unused(TetMesh *mesh, uint8_t *on_surface) {
    uint32_t *numbers = array_new(mesh->vertex_count, sizeof *numbers);
    if (numbers)
        drop_unused_vertices(mesh, on_surface, numbers);
    free(numbers);
    return numbers != NULL;
}

bool tet_parts_drop_small(TetMesh *mesh, uint8_t *on_surface, double least, uint32_t *parts) {
    uint32_t *sets = array_new(mesh->vertex_count, sizeof *sets), kept = 0;
    double *volumes = array_new(mesh->vertex_count, sizeof *volumes);
    bool ready = sets && volumes;
    *parts = ready ? find_parts(mesh, sets) : 0;
    if (*parts > 1) {
        double smallest = least * measure_parts(mesh, sets, volumes);
        for (uint32_t t = 0; t < mesh->tet_count; ++t) {
            const uint32_t *v = &mesh->tet_vertices[4 * (size_t)t];
            if (volumes[disjoint_sets_root(sets, v[0])] >= smallest)
                memmove(&mesh->tet_vertices[4 * (size_t)kept++], v, 4 * sizeof *v);
        }
        *parts = 0;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v)
            *parts += volumes[v] >= smallest;
        mesh->tet_count = kept;
        drop_unused_vertices(mesh, on_surface, sets);
    }
    free(sets);
    free(volumes);
    return ready;
}
