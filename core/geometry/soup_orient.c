/* The orientation of a soup. A patch is what hangs together over edges of two faces, or over edges of more faces that
   were modelled consistently (as many in one direction as in the other). Within a patch all faces are turned the way of
   the larger area; a patch that encloses a volume is then turned outwards. A closed patch that was modelled the other
   way round than the whole and lies inside the rest is a cavity, and stays one. */
#include "geometry/soup.h"
#include "geometry/array.h"
#include "geometry/index_sort.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "geometry/winding.h"
#include "base/disjoint_sets.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* An open patch has an outside if the volume that it encloses, with each of its rims capped from the rim's middle, is
   more than this part of its area to the power 3/2 (a hemisphere: 0.13). */
#define OPEN_VOLUME 0.02
/* Points of a patch that must lie inside the rest for a cavity. */
enum { CAVITY_SAMPLES = 16 };
/* Of the area that is modelled the way of a cavity: at most this part of it may be modelled the other way. */
#define CAVITY_DOUBT 0.5

typedef struct Patch {
    uint32_t first, end;           /* its triangles: order[first .. end) */
    double kept_area, turned_area; /* as modelled, relative to its first triangle */
    double volume, area;
    uint32_t rim_count; /* edges without a link; 0: closed */
    bool inward;        /* modelled inwards */
} Patch;

/* The orientation under construction. */
typedef struct Orienting {
    Soup *soup;
    uint32_t *links; /* [3 * triangle_count]: the edge across, SOUP_NONE */
    uint8_t *open;   /* [3 * triangle_count]: edges of one triangle */
    uint32_t *rims;  /* [vertex_count]: a vertex of the same rim, up to the rim's own; SOUP_NONE: on no rim */
    double *middles; /* [vertex_count * 4]: of each rim at its own vertex the sum of positions, and their number */
    uint8_t *turned; /* [triangle_count] */
    uint8_t *given;  /* [triangle_count]: turned against the given surface */
    uint8_t *seen;   /* [triangle_count] */
    uint32_t *order; /* [triangle_count] triangles by patch */
    Patch *patches;  /* [triangle_count] at most */
    uint32_t patch_count;
} Orienting;

static const double *position(const Soup *soup, size_t corner) {
    return &soup->positions[3 * (size_t)soup->triangles[corner]];
}

static size_t next_corner(size_t corner) {
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

/* Whether edge `corner` runs from its lower to its higher vertex. */
static bool forward(const Soup *soup, size_t corner) {
    return soup->triangles[corner] < soup->triangles[next_corner(corner)];
}

/* Links the edges of one run of equal edges; `edges` are corners. */
static void link_run(Orienting *work, const uint32_t *edges, size_t count) {
    Soup *soup = work->soup;
    if (count == 1) {
        ++soup->open_edge_count;
        work->open[edges[0]] = 1;
        return;
    }
    if (count == 2) {
        work->links[edges[0]] = soup->partners[edges[0]] = edges[1];
        work->links[edges[1]] = soup->partners[edges[1]] = edges[0];
        return;
    }
    findings_add(&soup->findings, FINDING_CROWDED_EDGES, soup->point_of_vertex[soup->triangles[edges[0]]]);
    findings_mark(&soup->findings, FINDING_CROWDED_EDGES,
                  soup->point_of_vertex[soup->triangles[next_corner(edges[0])]]);
    size_t ahead = 0;
    for (size_t i = 0; i < count; ++i)
        ahead += forward(soup, edges[i]);
    if (2 * ahead != count)
        return;
    for (size_t i = 0, j = 0;; ++i, ++j) {
        while (i < count && !forward(soup, edges[i]))
            ++i;
        while (j < count && forward(soup, edges[j]))
            ++j;
        if (i >= count || j >= count)
            return;
        work->links[edges[i]] = edges[j];
        work->links[edges[j]] = edges[i];
    }
}

static bool link_edges(Orienting *work) {
    Soup *soup = work->soup;
    size_t count = 3 * (size_t)soup->triangle_count;
    uint32_t *keys = array_new(2 * count, sizeof *keys), *order = NULL;
    for (size_t c = 0; keys && c < count; ++c) {
        uint32_t a = soup->triangles[c], b = soup->triangles[next_corner(c)];
        keys[2 * c] = a < b ? a : b;
        keys[2 * c + 1] = a < b ? b : a;
        work->links[c] = soup->partners[c] = SOUP_NONE;
    }
    if (keys)
        order = index_sort_tuples(keys, count, 2, soup->vertex_count);
    for (size_t first = 0, end; order && first < count; first = end) {
        for (end = first + 1; end < count; ++end)
            if (memcmp(&keys[2 * (size_t)order[first]], &keys[2 * (size_t)order[end]], 2 * sizeof *keys) != 0)
                break;
        link_run(work, &order[first], end - first);
    }
    bool done = order != NULL;
    free(keys);
    free(order);
    return done;
}

/* Joins the edges without a link to rims. Chains of open edges are counted: their vertices, less the edges that join
   two chains. */
static void find_rims(Orienting *work) {
    Soup *soup = work->soup;
    for (uint32_t v = 0; v < soup->vertex_count; ++v)
        work->rims[v] = SOUP_NONE;
    for (int open = 1; open >= 0; --open)
        for (size_t c = 0; c < 3 * (size_t)soup->triangle_count; ++c) {
            if (work->links[c] != SOUP_NONE || work->open[c] != open)
                continue;
            uint32_t ends[2] = {soup->triangles[c], soup->triangles[next_corner(c)]};
            for (int i = 0; i < 2; ++i)
                if (work->rims[ends[i]] == SOUP_NONE) {
                    work->rims[ends[i]] = ends[i];
                    if (open)
                        findings_add(&soup->findings, FINDING_OPEN_LOOPS, soup->point_of_vertex[ends[i]]);
                }
            if (disjoint_sets_join(work->rims, ends[0], ends[1]))
                soup->findings.of[FINDING_OPEN_LOOPS].count -= (uint32_t)open;
        }
    for (uint32_t v = 0; v < soup->vertex_count; ++v) {
        if (work->rims[v] == SOUP_NONE)
            continue;
        double *sum = &work->middles[4 * (size_t)disjoint_sets_root(work->rims, v)];
        for (size_t a = 0; a < 3; ++a)
            sum[a] += soup->positions[3 * (size_t)v + a];
        ++sum[3];
    }
}

/* Collects a patch from its first triangle on, and turns its triangles like that one. */
static void flood(Orienting *work, uint32_t start, uint32_t *filled) {
    const Soup *soup = work->soup;
    Patch *patch = &work->patches[work->patch_count++];
    *patch = (Patch){.first = *filled, .end = *filled};
    work->order[patch->end++] = start;
    work->seen[start] = 1;
    for (uint32_t i = patch->first; i < patch->end; ++i) {
        uint32_t t = work->order[i];
        double normal[3];
        triangle_normal(position(soup, 3 * (size_t)t), position(soup, 3 * (size_t)t + 1),
                        position(soup, 3 * (size_t)t + 2), normal);
        *(work->turned[t] ? &patch->turned_area : &patch->kept_area) += 0.5 * vec3_length(normal);
        for (size_t c = 3 * (size_t)t; c < 3 * (size_t)t + 3; ++c) {
            uint32_t other = work->links[c];
            if (other == SOUP_NONE) {
                ++patch->rim_count;
                continue;
            }
            if (work->seen[other / 3])
                continue;
            // neighbours that face the same way run along their edge in opposite directions
            work->seen[other / 3] = 1;
            work->turned[other / 3] = work->turned[t] ^ (forward(soup, c) == forward(soup, other));
            work->order[patch->end++] = other / 3;
        }
    }
    *filled = patch->end;
}

/* The volume that the patch encloses as its triangles are turned now, with its rims capped. */
static void measure(const Orienting *work, Patch *patch) {
    const Soup *soup = work->soup;
    const double *origin = position(soup, 3 * (size_t)work->order[patch->first]);
    patch->volume = 0;
    patch->area = patch->kept_area + patch->turned_area;
    for (uint32_t i = patch->first; i < patch->end; ++i) {
        size_t first = 3 * (size_t)work->order[i];
        double det = vec3_tet_det(origin, position(soup, first), position(soup, first + 1), position(soup, first + 2));
        for (size_t c = first; c < first + 3; ++c) {
            if (work->links[c] != SOUP_NONE)
                continue;
            const double *sum = &work->middles[4 * (size_t)disjoint_sets_root(work->rims, soup->triangles[c])];
            double middle[3] = {sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3]};
            det += vec3_tet_det(origin, position(soup, next_corner(c)), position(soup, c), middle);
        }
        patch->volume += (work->turned[work->order[i]] ? -det : det) / 6;
    }
}

static void turn_patch(Orienting *work, const Patch *patch) {
    for (uint32_t i = patch->first; i < patch->end; ++i)
        work->turned[work->order[i]] ^= 1;
}

static void apply(Orienting *work) {
    Soup *soup = work->soup;
    for (uint32_t t = 0; t < soup->triangle_count; ++t) {
        if (!work->turned[t])
            continue;
        work->given[t] ^= 1;
        uint32_t *v = &soup->triangles[3 * (size_t)t], *p = &soup->partners[3 * (size_t)t], swap = v[1];
        v[1] = v[2];
        v[2] = swap;
        // the edges of a b c were ab bc ca; those of a c b are ac cb ba
        swap = p[0];
        p[0] = p[2];
        p[2] = swap;
    }
    // partners name edges of triangles that may have been turned as well
    for (size_t c = 0; c < 3 * (size_t)soup->triangle_count; ++c) {
        uint32_t other = soup->partners[c];
        if (other != SOUP_NONE && work->turned[other / 3])
            soup->partners[c] = other / 3 * 3 + (other % 3 == 1 ? 1 : 2 - other % 3);
    }
}

/* Whether the patch lies inside the rest of the surface, which has been oriented. */
static bool lies_inside(const Orienting *work, const Patch *patch, const Winding *winding, uint32_t *scratch) {
    const Soup *soup = work->soup;
    uint32_t count = patch->end - patch->first, step = count / CAVITY_SAMPLES + 1;
    for (uint32_t i = 0; i < count; ++i)
        memcpy(&scratch[3 * (size_t)i], &soup->triangles[3 * (size_t)work->order[patch->first + i]],
               3 * sizeof *scratch);
    for (uint32_t i = 0; i < count; i += step) {
        const double *p = position(soup, 3 * (size_t)work->order[patch->first + i]);
        double own = winding_number_exact(soup->positions, scratch, count, p);
        if (winding_number(winding, p) - own < 0.5)
            return false;
    }
    return true;
}

/* Turns cavities inwards again. */
static JnStatus keep_cavities(Orienting *work, JnMessage *message) {
    Soup *soup = work->soup;
    double outward = 0, inward = 0;
    for (uint32_t i = 0; i < work->patch_count; ++i)
        *(work->patches[i].inward ? &inward : &outward) += fabs(work->patches[i].volume);
    bool minority = inward <= outward;
    bool any = false;
    for (uint32_t i = 0; i < work->patch_count; ++i)
        any = any || (work->patches[i].rim_count == 0 && work->patches[i].inward == minority);
    if (!any || work->patch_count < 2)
        return JN_OK;
    Winding winding;
    JnStatus status = winding_build(soup->positions, soup->triangles, soup->triangle_count, &winding, message);
    uint32_t *scratch = array_new(3 * (size_t)soup->triangle_count, sizeof *scratch);
    if (status == JN_OK && !scratch)
        status = status_no_memory(message, "cleaning a surface");
    memset(work->turned, 0, soup->triangle_count);
    for (uint32_t i = 0; status == JN_OK && i < work->patch_count; ++i) {
        const Patch *patch = &work->patches[i];
        double least = fmin(patch->kept_area, patch->turned_area), most = fmax(patch->kept_area, patch->turned_area);
        if (patch->rim_count == 0 && patch->inward == minority && least < CAVITY_DOUBT * most &&
            lies_inside(work, patch, &winding, scratch))
            turn_patch(work, patch);
    }
    winding_free(&winding);
    free(scratch);
    if (status == JN_OK)
        apply(work);
    return status;
}

JnStatus soup_orient(Soup *soup, JnMessage *message) {
    size_t count = soup->triangle_count;
    Orienting work = {.soup = soup,
                      .links = array_new(3 * count, sizeof(uint32_t)),
                      .open = array_new(3 * count, 1),
                      .rims = array_new(soup->vertex_count, sizeof(uint32_t)),
                      .middles = array_new(4 * (size_t)soup->vertex_count, sizeof(double)),
                      .turned = array_new(count, 1),
                      .given = array_new(count, 1),
                      .seen = array_new(count, 1),
                      .order = array_new(count, sizeof(uint32_t)),
                      .patches = array_new(count, sizeof(Patch))};
    soup->partners = array_new(3 * count, sizeof *soup->partners);
    bool ready = work.links && work.open && work.rims && work.middles && work.turned && work.given && work.seen &&
                 work.order && work.patches && soup->partners;
    JnStatus status = ready && link_edges(&work) ? JN_OK : status_no_memory(message, "cleaning a surface");
    uint32_t filled = 0;
    if (status == JN_OK)
        find_rims(&work);
    for (uint32_t t = 0; status == JN_OK && t < count; ++t)
        if (!work.seen[t])
            flood(&work, t, &filled);
    for (uint32_t i = 0; status == JN_OK && i < work.patch_count; ++i) {
        Patch *patch = &work.patches[i];
        if (patch->turned_area > patch->kept_area)
            turn_patch(&work, patch);
        measure(&work, patch);
        double least = patch->rim_count ? OPEN_VOLUME * patch->area * sqrt(patch->area) : 0;
        patch->inward = patch->volume < -least;
        if (patch->inward)
            turn_patch(&work, patch);
    }
    if (status == JN_OK) {
        apply(&work);
        status = keep_cavities(&work, message);
    }
    for (uint32_t t = 0; status == JN_OK && t < count; ++t)
        if (work.given[t]) {
            findings_add(&soup->findings, FINDING_TURNED, soup->point_of_vertex[soup->triangles[3 * (size_t)t]]);
            soup_mark_triangle(soup, FINDING_TURNED, t);
        }
    free(work.links);
    free(work.open);
    free(work.rims);
    free(work.middles);
    free(work.given);
    free(work.turned);
    free(work.seen);
    free(work.order);
    free(work.patches);
    return status;
}
