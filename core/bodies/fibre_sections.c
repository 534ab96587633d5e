#include "bodies/fibre_sections.h"

#include "base/math3.h"
#include "base/rigid.h"

#include <stdlib.h>
#include <string.h>

struct Sections {
    uint32_t point_count;
    double *points;       /* [point_count * 3] at rest */
    double *arms;         /* [point_count * 4 * 3] from the points to their vertices, at rest */
    uint32_t *neighbours; /* [point_count * 2] */
    bool on_a_line;       /* all points at rest: their motion does not determine a rotation */
};

/* Whether no point leaves the line through the first and the one farthest from it by a millionth of its length. */
static bool are_on_a_line(const double *points, uint32_t count) {
    double axis[3] = {0, 0, 0}, farthest = 0;
    for (uint32_t p = 1; p < count; ++p) {
        double arm[3];
        vec3_sub(points + 3 * (size_t)p, points, arm);
        if (vec3_length(arm) > farthest) {
            farthest = vec3_length(arm);
            memcpy(axis, arm, sizeof axis);
        }
    }
    for (uint32_t p = 1; p < count; ++p) {
        double arm[3], away[3];
        vec3_sub(points + 3 * (size_t)p, points, arm);
        vec3_cross(axis, arm, away);
        if (vec3_length(away) > 1e-6 * farthest * farthest)
            return false;
    }
    return true;
}

Sections *sections_create(const double *vertices, const uint32_t *neighbours, uint32_t point_count) {
    size_t n = point_count;
    Sections *sections = calloc(1, sizeof *sections);
    if (!sections)
        return NULL;
    sections->point_count = point_count;
    sections->points = calloc(3 * n + 1, sizeof(double));
    sections->arms = malloc((12 * n + 1) * sizeof(double));
    sections->neighbours = malloc((2 * n + 1) * sizeof(uint32_t));
    if (!sections->points || !sections->arms || !sections->neighbours) {
        sections_destroy(sections);
        return NULL;
    }
    for (size_t i = 0; i < 12 * n; ++i)
        sections->points[3 * (i / 12) + i % 3] += 0.25 * vertices[i];
    for (size_t i = 0; i < 12 * n; ++i)
        sections->arms[i] = vertices[i] - sections->points[3 * (i / 12) + i % 3];
    memcpy(sections->neighbours, neighbours, 2 * n * sizeof(uint32_t));
    sections->on_a_line = are_on_a_line(sections->points, point_count);
    return sections;
}

/* The unit vector along the curve at p; false where there is none. */
static bool tangent_at(const Sections *sections, const double *points, uint32_t p, double tangent[3]) {
    const uint32_t *neighbours = sections->neighbours + 2 * (size_t)p;
    vec3_sub(points + 3 * (size_t)neighbours[1], points + 3 * (size_t)neighbours[0], tangent);
    double length = vec3_length(tangent);
    for (int i = 0; i < 3 && length > 0; ++i)
        tangent[i] /= length;
    return length > 0;
}

/* x rotated by the smallest rotation that takes unit vector a to b: x + w x x + w x (w x x) / (1 + a.b), w = a x b. */
static void turn_short_way(const double a[3], const double b[3], double x[3]) {
    double w[3], once[3], twice[3], c = vec3_dot(a, b);
    if (c < -1 + 1e-9) /* opposite: the smallest rotation is not unique */
        return;
    vec3_cross(a, b, w);
    vec3_cross(w, x, once);
    vec3_cross(w, once, twice);
    for (int i = 0; i < 3; ++i)
        x[i] += once[i] + twice[i] / (1 + c);
}

void sections_place(const Sections *sections, const double *points, double *positions) {
    double motion[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, turn[9];
    if (!sections->on_a_line)
        rigid_fit(sections->points, points, sections->point_count, motion);
    for (int i = 0; i < 9; ++i)
        turn[i] = motion[4 * (i / 3) + i % 3];
    for (uint32_t p = 0; p < sections->point_count; ++p) {
        double rest[3], turned[3], now[3];
        bool has_direction = tangent_at(sections, sections->points, p, rest) && tangent_at(sections, points, p, now);
        mat3_mul_vec(turn, rest, turned);
        for (size_t c = 0; c < 4; ++c) {
            double arm[3], *x = positions + 12 * (size_t)p + 3 * c;
            mat3_mul_vec(turn, sections->arms + 12 * (size_t)p + 3 * c, arm);
            if (has_direction)
                turn_short_way(turned, now, arm);
            for (size_t i = 0; i < 3; ++i)
                x[i] = points[3 * (size_t)p + i] + arm[i];
        }
    }
}

void sections_destroy(Sections *sections) {
    if (!sections)
        return;
    free(sections->points);
    free(sections->arms);
    free(sections->neighbours);
    free(sections);
}
