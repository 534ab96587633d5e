#include "geometry/pieces.h"
#include "geometry/array.h"
#include "geometry/bvh.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "geometry/winding.h"
#include "base/disjoint_sets.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 };

/* What a triangle meets: counted and noted per triangle, so that threads do not share anything. */
typedef struct Meeting {
    const Soup *soup;
    Bvh bvh;
    const uint32_t *sets; /* [component_count] what has been joined so far */
    uint32_t *crossed;    /* [triangle_count] triangles of higher number that it passes through */
    uint32_t *neighbour;  /* [triangle_count] a component of another set that it touches; SOUP_NONE */
    bool again;           /* crossings have been counted */
} Meeting;

typedef struct Query {
    Meeting *meeting;
    uint32_t triangle;
} Query;

static void corners_of(const Soup *soup, uint32_t triangle, const double *corners[3]) {
    for (size_t i = 0; i < 3; ++i)
        corners[i] = &soup->positions[3 * (size_t)soup->triangles[3 * (size_t)triangle + i]];
}

static bool share_vertex(const uint32_t *a, const uint32_t *b) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (a[i] == b[j])
                return true;
    return false;
}

static bool touch(const double *const a[3], const double *const b[3], double distance) {
    for (int i = 0; i < 3; ++i)
        if (triangle_distance_squared(a[i], b[0], b[1], b[2], NULL) < distance * distance ||
            triangle_distance_squared(b[i], a[0], a[1], a[2], NULL) < distance * distance)
            return true;
    return false;
}

static void visit_other(void *context, uint32_t other) {
    const Query *query = context;
    Meeting *meeting = query->meeting;
    const Soup *soup = meeting->soup;
    uint32_t own_set = meeting->sets[soup->components[query->triangle]];
    bool apart = meeting->sets[soup->components[other]] != own_set && meeting->neighbour[query->triangle] == SOUP_NONE;
    bool count = other > query->triangle && !meeting->again;
    if ((!apart && !count) ||
        share_vertex(&soup->triangles[3 * (size_t)query->triangle], &soup->triangles[3 * (size_t)other]))
        return;
    const double *a[3], *b[3];
    corners_of(soup, query->triangle, a);
    corners_of(soup, other, b);
    bool cross = triangles_cross(a, b);
    meeting->crossed[query->triangle] += cross && count;
    if (apart && (cross || touch(a, b, PIECES_TOUCHING * soup->longest)))
        meeting->neighbour[query->triangle] = soup->components[other];
}

/* The box around a triangle and what touches it. */
static void touching_box(const Soup *soup, uint32_t triangle, double box[6]) {
    const double *p[3];
    double slack = PIECES_TOUCHING * soup->longest;
    corners_of(soup, triangle, p);
    for (int a = 0; a < 3; ++a) {
        box[a] = fmin(p[0][a], fmin(p[1][a], p[2][a])) - slack;
        box[3 + a] = fmax(p[0][a], fmax(p[1][a], p[2][a])) + slack;
    }
}

static void meet_chunk(void *context, uint32_t chunk) {
    Meeting *meeting = context;
    const Soup *soup = meeting->soup;
    for (uint32_t t = chunk * CHUNK; t < soup->triangle_count && t < (chunk + 1) * CHUNK; ++t) {
        double box[6];
        touching_box(soup, t, box);
        Query query = {meeting, t};
        bvh_visit_box(&meeting->bvh, box, visit_other, &query);
    }
}

typedef struct Crossed {
    Soup *soup;
    uint32_t triangle;
} Crossed;

static void mark_crossed(void *context, uint32_t other) {
    const Crossed *crossed = context;
    Soup *soup = crossed->soup;
    const double *a[3], *b[3];
    corners_of(soup, crossed->triangle, a);
    corners_of(soup, other, b);
    if (other > crossed->triangle && triangles_cross(a, b) &&
        !share_vertex(&soup->triangles[3 * (size_t)crossed->triangle], &soup->triangles[3 * (size_t)other]))
        soup_mark_triangle(soup, FINDING_CROSSINGS, other);
}

/* Reports the crossings that were counted: both triangles of each. */
static void find_crossings(const Meeting *meeting, Soup *soup) {
    for (uint32_t t = 0; t < soup->triangle_count; ++t) {
        if (meeting->crossed[t] == 0)
            continue;
        double box[6];
        Crossed crossed = {soup, t};
        findings_add(&soup->findings, FINDING_CROSSINGS, soup->point_of_vertex[soup->triangles[3 * (size_t)t]]);
        soup->findings.of[FINDING_CROSSINGS].count += meeting->crossed[t] - 1;
        soup_mark_triangle(soup, FINDING_CROSSINGS, t);
        touching_box(soup, t, box);
        bvh_visit_box(&meeting->bvh, box, mark_crossed, &crossed);
    }
}

/* Boxes of the components [component_count * 6] and their first triangles. */
static void bound_components(const Soup *soup, double *boxes, uint32_t *firsts) {
    for (uint32_t c = 0; c < soup->component_count; ++c)
        firsts[c] = SOUP_NONE;
    for (uint32_t t = 0; t < soup->triangle_count; ++t) {
        uint32_t c = soup->components[t];
        double *box = &boxes[6 * (size_t)c];
        for (size_t i = 0; i < 3; ++i)
            for (size_t a = 0; a < 3; ++a) {
                double x = soup->positions[3 * (size_t)soup->triangles[3 * (size_t)t + i] + a];
                bool first = firsts[c] == SOUP_NONE && i == 0;
                box[a] = first ? x : fmin(box[a], x);
                box[3 + a] = first ? x : fmax(box[3 + a], x);
            }
        if (firsts[c] == SOUP_NONE)
            firsts[c] = t;
    }
}

/* Joins components to those that contain them: eyes to a head. */
static JnStatus join_contained(const Soup *soup, uint32_t *parents, JnMessage *message) {
    double *boxes = array_new(6 * (size_t)soup->component_count, sizeof *boxes);
    uint32_t *firsts = array_new(soup->component_count, sizeof *firsts);
    uint32_t *triangles = array_new(3 * (size_t)soup->triangle_count, sizeof *triangles);
    JnStatus status = boxes && firsts && triangles ? JN_OK : status_no_memory(message, "the pieces of a surface");
    if (status == JN_OK)
        bound_components(soup, boxes, firsts);
    for (uint32_t outer = 0; status == JN_OK && outer < soup->component_count; ++outer) {
        uint32_t count = SOUP_NONE;
        for (uint32_t inner = 0; inner < soup->component_count; ++inner) {
            const double *a = &boxes[6 * (size_t)outer], *b = &boxes[6 * (size_t)inner];
            bool within = disjoint_sets_root(parents, inner) != disjoint_sets_root(parents, outer);
            for (int k = 0; within && k < 3; ++k)
                within = a[k] <= b[k] && b[3 + k] <= a[3 + k];
            if (!within)
                continue;
            // the outer one's triangles are collected when first needed
            for (uint32_t t = count == SOUP_NONE ? (count = 0) : soup->triangle_count; t < soup->triangle_count; ++t)
                if (soup->components[t] == outer)
                    memcpy(&triangles[3 * (size_t)count++], &soup->triangles[3 * (size_t)t], 3 * sizeof *triangles);
            const double *point = &soup->positions[3 * (size_t)soup->triangles[3 * (size_t)firsts[inner]]];
            if (winding_number_exact(soup->positions, triangles, count, point) > 0.5)
                disjoint_sets_join(parents, inner, outer);
        }
    }
    free(boxes);
    free(firsts);
    free(triangles);
    return status;
}

/* Numbers the pieces in the order of their first components, and sorts the triangles by piece. */
static bool sort_triangles(const Soup *soup, uint32_t *parents, Pieces *pieces) {
    pieces->piece_of = array_new(soup->component_count, sizeof *pieces->piece_of);
    pieces->starts = array_new((size_t)soup->component_count + 2, sizeof *pieces->starts);
    pieces->triangles = array_new(3 * (size_t)soup->triangle_count, sizeof *pieces->triangles);
    if (!pieces->piece_of || !pieces->starts || !pieces->triangles)
        return false;
    for (uint32_t c = 0; c < soup->component_count; ++c) {
        uint32_t root = disjoint_sets_root(parents, c);
        pieces->piece_of[c] = root == c ? pieces->count++ : pieces->piece_of[root];
    }
    // counted two places further, so that filling leaves the starts in place
    for (uint32_t t = 0; t < soup->triangle_count; ++t)
        ++pieces->starts[pieces->piece_of[soup->components[t]] + 2];
    for (uint32_t p = 2; p < pieces->count + 2; ++p)
        pieces->starts[p] += pieces->starts[p - 1];
    for (uint32_t t = 0; t < soup->triangle_count; ++t) {
        uint32_t at = pieces->starts[pieces->piece_of[soup->components[t]] + 1]++;
        memcpy(&pieces->triangles[3 * (size_t)at], &soup->triangles[3 * (size_t)t], 3 * sizeof *soup->triangles);
    }
    return true;
}

JnStatus pieces_build(Soup *soup, bool keep_apart, Pool *pool, Pieces *pieces, JnMessage *message) {
    *pieces = (Pieces){0};
    Meeting meeting = {.soup = soup,
                       .crossed = array_new(soup->triangle_count, sizeof *meeting.crossed),
                       .neighbour = array_new(soup->triangle_count, sizeof *meeting.neighbour)};
    uint32_t *parents = array_new(soup->component_count, sizeof *parents);
    uint32_t *sets = array_new(soup->component_count, sizeof *sets);
    double *boxes = triangle_boxes(soup->positions, soup->triangles, soup->triangle_count);
    meeting.sets = sets;
    JnStatus status = meeting.crossed && meeting.neighbour && parents && sets && boxes
                          ? bvh_build(boxes, soup->triangle_count, &meeting.bvh, message)
                          : status_no_memory(message, "the pieces of a surface");
    for (uint32_t c = 0; status == JN_OK && c < soup->component_count; ++c)
        parents[c] = sets[c] = keep_apart ? 0 : c;
    for (bool joined = status == JN_OK; joined; meeting.again = true) {
        joined = false;
        for (uint32_t t = 0; t < soup->triangle_count; ++t)
            meeting.neighbour[t] = SOUP_NONE;
        pool_run(pool, (soup->triangle_count + CHUNK - 1) / CHUNK, meet_chunk, &meeting);
        for (uint32_t t = 0; t < soup->triangle_count; ++t)
            if (meeting.neighbour[t] != SOUP_NONE)
                disjoint_sets_join(parents, soup->components[t], meeting.neighbour[t]), joined = true;
        for (uint32_t c = 0; joined && c < soup->component_count; ++c)
            sets[c] = disjoint_sets_root(parents, c);
    }
    if (status == JN_OK)
        find_crossings(&meeting, soup);
    for (uint32_t c = 0; status == JN_OK && keep_apart && c < soup->component_count; ++c)
        parents[c] = c;
    if (status == JN_OK && !keep_apart && soup->component_count > 1)
        status = join_contained(soup, parents, message);
    if (status == JN_OK && !sort_triangles(soup, parents, pieces))
        status = status_no_memory(message, "the pieces of a surface");
    free(meeting.crossed);
    free(meeting.neighbour);
    free(parents);
    free(sets);
    free(boxes);
    bvh_free(&meeting.bvh);
    if (status != JN_OK)
        pieces_free(pieces);
    return status;
}

void pieces_free(Pieces *pieces) {
    free(pieces->piece_of);
    free(pieces->starts);
    free(pieces->triangles);
    *pieces = (Pieces){0};
}
