/* With the outward normals n_i of the faces, of length twice their area, the dihedral angle at the edge of the faces i
   and j has the cosine -n_i.n_j / |n_i||n_j| and the sine det |edge| / |n_i||n_j|, det being six times the volume. */
#include "geometry/tet_quality.h"
#include "geometry/vec3.h"

#include <math.h>
#include <string.h>

#define DEGREES 57.29577951308232

enum { PAIRS = 6 };
/* The faces of each edge, numbered by the corner across. */
static const uint8_t pairs[PAIRS][2] = {{2, 3}, {1, 3}, {1, 2}, {0, 3}, {0, 2}, {0, 1}};

/* Normals of the four faces, and the six edges, edge k lying in the faces pairs[k]. */
static double shape(const double *const p[4], double normals[4][3], double edges[PAIRS][3]) {
    static const uint8_t ends[PAIRS][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (int k = 0; k < PAIRS; ++k)
        vec3_sub(p[ends[k][1]], p[ends[k][0]], edges[k]);
    double back[3];
    vec3_cross(edges[3], edges[4], normals[0]);
    vec3_cross(edges[2], edges[1], normals[1]);
    vec3_cross(edges[0], edges[2], normals[2]);
    vec3_cross(edges[1], edges[0], normals[3]);
    vec3_cross(edges[1], edges[2], back);
    return vec3_dot(edges[0], back);
}

double tet_smallest_sine(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double normals[4][3], edges[PAIRS][3], areas[4], smallest = INFINITY;
    double det = shape((const double *const[4]){a, b, c, d}, normals, edges);
    for (int i = 0; i < 4; ++i)
        areas[i] = vec3_dot(normals[i], normals[i]);
    for (int k = 0; k < PAIRS; ++k) {
        double squared = vec3_dot(edges[k], edges[k]) / (areas[pairs[k][0]] * areas[pairs[k][1]]);
        if (!(squared >= smallest))
            smallest = squared;
    }
    return isfinite(smallest) ? det * sqrt(smallest) : -1;
}

double tet_quality_volume(const TetMesh *mesh) {
    double sum = 0;
    for (size_t t = 0; t < mesh->tet_count; ++t) {
        const uint32_t *v = &mesh->tet_vertices[4 * t];
        sum += vec3_tet_det(&mesh->positions[3 * (size_t)v[0]], &mesh->positions[3 * (size_t)v[1]],
                            &mesh->positions[3 * (size_t)v[2]], &mesh->positions[3 * (size_t)v[3]]);
    }
    return sum / 6;
}

void tet_quality(const TetMesh *mesh, TetQuality *quality) {
    *quality = (TetQuality){.smallest_angle = 180};
    for (size_t t = 0; t < mesh->tet_count; ++t) {
        const double *p[4];
        for (size_t i = 0; i < 4; ++i)
            p[i] = &mesh->positions[3 * (size_t)mesh->tet_vertices[4 * t + i]];
        double normals[4][3], edges[PAIRS][3], longest = 0, largest = 0;
        double det = shape(p, normals, edges);
        quality->volume += det / 6;
        for (size_t i = 0; i < 4; ++i)
            quality->solid_volume +=
                det / 24 * (mesh->density_factors ? mesh->density_factors[mesh->tet_vertices[4 * t + i]] : 1);
        quality->inverted_count += !(det > 0);
        for (int k = 0; k < PAIRS; ++k) {
            const double *n = normals[pairs[k][0]], *m = normals[pairs[k][1]];
            double angle = DEGREES * atan2(det * vec3_length(edges[k]), -vec3_dot(n, m));
            quality->largest_angle = fmax(quality->largest_angle, angle);
            longest = fmax(longest, vec3_length(edges[k]));
            if (angle >= quality->smallest_angle)
                continue;
            quality->smallest_angle = angle;
            for (int a = 0; a < 3; ++a)
                quality->smallest_angle_place[a] = 0.25 * (p[0][a] + p[1][a] + p[2][a] + p[3][a]);
        }
        for (int i = 0; i < 4; ++i)
            largest = fmax(largest, vec3_length(normals[i]));
        double aspect = det > 0 ? sqrt(2.0 / 3) * longest * largest / det : INFINITY;
        quality->worst_aspect = fmax(quality->worst_aspect, aspect);
        quality->mean_aspect += aspect / mesh->tet_count;
    }
}
