#include "contact/skin.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/array.h"
#include "geometry/topology.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ two objects */

static const double USUAL_FRICTION = 0.5;

static double friction_of(const ContactDesc *desc, uint32_t object) {
    return object < desc->body_count ? desc->bodies[object].friction
                                     : desc->colliders[object - desc->body_count].friction;
}

double skin_friction(const ContactDesc *desc, uint32_t first, uint32_t second) {
    double a = friction_of(desc, first), b = friction_of(desc, second);
    return isnan(a) && isnan(b) ? USUAL_FRICTION : isnan(a) ? b : isnan(b) ? a : sqrt(a * b);
}

static double thickness_of(const ContactDesc *desc, uint32_t object) {
    double own = object < desc->body_count ? desc->bodies[object].thickness
                                           : desc->colliders[object - desc->body_count].thickness;
    return isnan(own) ? desc->thickness : own;
}

static double chosen_thickness(const ContactDesc *desc, uint32_t first, uint32_t second) {
    bool plain_first = first < desc->body_count && isnan(desc->bodies[first].thickness);
    bool plain_second = second < desc->body_count && isnan(desc->bodies[second].thickness);
    /* a body without its own leaves the choice to the other */
    if (plain_first || plain_second)
        return plain_first ? thickness_of(desc, second) : thickness_of(desc, first);
    return fmax(thickness_of(desc, first), thickness_of(desc, second));
}

double skin_thickness(const ContactDesc *desc, uint32_t first, uint32_t second) {
    double least = desc->method->never_crosses ? CONTACT_LEAST_THICKNESS * desc->points->bounding_size : 0;
    return fmax(least, chosen_thickness(desc, first, second));
}

static uint64_t ignored_by(const ContactDesc *desc, uint32_t object) {
    return object < desc->body_count ? desc->bodies[object].ignore_groups
                                     : desc->colliders[object - desc->body_count].ignore_groups;
}

bool skin_may_meet(const ContactDesc *desc, uint32_t first, uint32_t second) {
    if (ignored_by(desc, first) & ignored_by(desc, second))
        return false;
    bool bodies[2] = {first < desc->body_count, second < desc->body_count};
    if (bodies[0] && bodies[1])
        return desc->bodies[first].collides && desc->bodies[second].collides;
    return bodies[0] || bodies[1];
}

bool skin_holds(const ContactDesc *desc, const Collider *collider) {
    return desc->method->never_crosses && collider->kind->skin_size && !collider->kind->skin_radius &&
           !collider->hollow;
}

/* ------------------------------------------------------------------------------------------------ building */

typedef struct Builder {
    const ContactDesc *desc;
    Skin *skin;
    uint32_t *welded; /* [body_vertex_count] */
} Builder;

/* Whether an object has points, edges and triangles that others can touch. */
static bool has_skin(const ContactDesc *desc, uint32_t object) {
    const Collider *collider = object < desc->body_count ? NULL : &desc->colliders[object - desc->body_count];
    return !collider || (collider->kind->skin_size && !collider->hollow);
}

/* Which objects touch which. false: none do. */
static bool fill_touching(Builder *builder) {
    const ContactDesc *desc = builder->desc;
    uint32_t count = desc->body_count + desc->collider_count;
    bool any = false;
    for (uint32_t a = 0; a < count; ++a)
        for (uint32_t b = 0; b < count; ++b) {
            bool touch = a == b ? a < desc->body_count && desc->bodies[a].self_contact
                                : has_skin(desc, a) && has_skin(desc, b) && skin_may_meet(desc, a, b);
            builder->skin->touching[(size_t)a * count + b] = touch;
            any |= touch;
        }
    return any;
}

static void count_colliders(Builder *builder, uint32_t *triangle_count) {
    const ContactDesc *desc = builder->desc;
    Skin *skin = builder->skin;
    for (uint32_t c = 0; c < desc->collider_count; ++c) {
        const Collider *collider = &desc->colliders[c];
        const uint32_t *triangles;
        uint32_t count, vertices;
        if (!has_skin(desc, desc->body_count + c))
            continue;
        vertices = collider->kind->skin_size(collider->shape, &triangles, &count);
        skin->colliders[skin->collider_count++] = (SkinCollider){c, skin->vertex_count, vertices};
        skin->vertex_count += vertices;
        *triangle_count += count;
    }
}

/* Whether two points are embedded alike, so that they stay together. */
static bool moves_with(const Embedding *embedding, uint32_t a, uint32_t b) {
    return memcmp(&embedding->vertices[4 * (size_t)a], &embedding->vertices[4 * (size_t)b],
                  4 * sizeof *embedding->vertices) == 0 &&
           memcmp(&embedding->weights[4 * (size_t)a], &embedding->weights[4 * (size_t)b],
                  4 * sizeof *embedding->weights) == 0;
}

/* Each body's points by the lowest of those that are always at the same place. */
static bool weld(Builder *builder) {
    for (uint32_t b = 0; b < builder->desc->body_count; ++b) {
        const ContactBody *body = &builder->desc->bodies[b];
        uint32_t *own = topology_weld(builder->desc->rest_points + 3 * (size_t)body->first_point, body->point_count);
        if (!own)
            return false;
        for (uint32_t p = body->first_point; p < body->first_point + body->point_count; ++p) {
            uint32_t lowest = body->first_point + own[p - body->first_point];
            builder->welded[p] = moves_with(&builder->desc->points->embedding, p, lowest) ? lowest : p;
        }
        free(own);
    }
    return true;
}

static void add_triangle(Skin *skin, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t *triangle = &skin->triangles[3 * (size_t)skin->desc.triangle_count];
    if (a == b || b == c || c == a)
        return;
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
    ++skin->desc.triangle_count;
}

static void fill_triangles(Builder *builder) {
    const PointSet *points = builder->desc->points;
    Skin *skin = builder->skin;
    for (size_t t = 0; t < points->triangle_count; ++t) {
        const uint32_t *corners = &points->triangles[3 * t];
        add_triangle(skin, builder->welded[corners[0]], builder->welded[corners[1]], builder->welded[corners[2]]);
    }
    for (uint32_t k = 0; k < skin->collider_count; ++k) {
        const Collider *collider = &builder->desc->colliders[skin->colliders[k].collider];
        uint32_t count, first = skin->colliders[k].first_vertex;
        const uint32_t *triangles;
        collider->kind->skin_size(collider->shape, &triangles, &count);
        for (size_t t = 0; t < count; ++t)
            add_triangle(skin, first + triangles[3 * t], first + triangles[3 * t + 1], first + triangles[3 * t + 2]);
    }
}

/* An edge of a triangle, or a segment of a fibre. */
typedef struct Side {
    uint32_t vertices[2], opposite, triangle;
} Side;

static int compare_sides(const void *a, const void *b) {
    const Side *x = a, *y = b;
    if (x->vertices[0] != y->vertices[0])
        return x->vertices[0] < y->vertices[0] ? -1 : 1;
    if (x->vertices[1] != y->vertices[1])
        return x->vertices[1] < y->vertices[1] ? -1 : 1;
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static Side make_side(uint32_t a, uint32_t b, uint32_t opposite, uint32_t triangle) {
    return (Side){{a < b ? a : b, a < b ? b : a}, opposite, triangle};
}

static bool is_round(const Builder *builder, uint32_t skin_collider) {
    const Skin *skin = builder->skin;
    return builder->desc->colliders[skin->colliders[skin_collider].collider].kind->skin_radius != NULL;
}

static size_t list_sides(const Builder *builder, Side *sides) {
    const Skin *skin = builder->skin;
    const uint32_t *neighbours = builder->desc->points->curve_neighbours;
    size_t count = 0;
    for (uint32_t t = 0; t < skin->desc.triangle_count; ++t)
        for (size_t c = 0; c < 3; ++c) {
            const uint32_t *triangle = &skin->triangles[3 * (size_t)t];
            sides[count++] = make_side(triangle[c], triangle[(c + 1) % 3], triangle[(c + 2) % 3], t);
        }
    for (uint32_t k = 0; k < skin->collider_count; ++k)
        if (is_round(builder, k) && skin->colliders[k].vertex_count == 2)
            sides[count++] = make_side(skin->colliders[k].first_vertex, skin->colliders[k].first_vertex + 1,
                                       CONTACT_NOBODY, CONTACT_NOBODY);
    for (uint32_t p = 0; neighbours && p < skin->body_vertex_count; ++p)
        if (neighbours[2 * (size_t)p + 1] != p)
            sides[count++] = make_side(p, neighbours[2 * (size_t)p + 1], CONTACT_NOBODY, CONTACT_NOBODY);
    return count;
}

/* The edges, each once, and the third vertices of their triangles. */
static bool fill_edges(Builder *builder) {
    Skin *skin = builder->skin;
    size_t most = 3 * (size_t)skin->desc.triangle_count + skin->body_vertex_count + skin->collider_count;
    Side *sides = array_new(most + 1, sizeof *sides);
    skin->edges = array_new(2 * most + 1, sizeof *skin->edges);
    skin->edge_triangles = array_new(most + 1, sizeof *skin->edge_triangles);
    skin->opposite_starts = array_new(most + 1, sizeof *skin->opposite_starts);
    skin->opposites = array_new(most + 1, sizeof *skin->opposites);
    skin->opposite_triangles = array_new(most + 1, sizeof *skin->opposite_triangles);
    if (!sides || !skin->edges || !skin->edge_triangles || !skin->opposite_starts || !skin->opposites ||
        !skin->opposite_triangles) {
        free(sides);
        return false;
    }
    size_t side_count = list_sides(builder, sides);
    uint32_t edge = 0, opposite = 0;
    qsort(sides, side_count, sizeof *sides, compare_sides);
    for (size_t s = 0; s < side_count; ++s) {
        const Side *side = &sides[s];
        if (s == 0 || memcmp(side->vertices, sides[s - 1].vertices, sizeof side->vertices) != 0) {
            memcpy(&skin->edges[2 * (size_t)edge], side->vertices, sizeof side->vertices);
            skin->edge_triangles[edge] = side->triangle;
            skin->opposite_starts[edge++] = opposite;
        }
        if (side->opposite == CONTACT_NOBODY)
            continue;
        skin->opposite_triangles[opposite] = side->triangle;
        skin->opposites[opposite++] = side->opposite;
    }
    skin->opposite_starts[edge] = opposite;
    skin->desc.edge_count = edge;
    free(sides);
    return true;
}

/* Whether a triangle goes along the edge in the direction from its lower vertex. */
static bool goes_up(const Skin *skin, uint32_t edge, uint32_t triangle) {
    const uint32_t *ends = &skin->edges[2 * (size_t)edge], *corners = &skin->triangles[3 * (size_t)triangle];
    for (size_t c = 0; c < 3; ++c)
        if (corners[c] == ends[0])
            return corners[(c + 1) % 3] == ends[1];
    return false;
}

static bool fill_closed(Builder *builder) {
    Skin *skin = builder->skin;
    uint32_t objects = builder->desc->body_count + builder->desc->collider_count;
    skin->closed = array_new((size_t)objects + 1, sizeof *skin->closed);
    skin->triangle_starts = array_new((size_t)objects + 1, sizeof *skin->triangle_starts);
    if (!skin->closed || !skin->triangle_starts)
        return false;
    /* bodies come first, as objects do, and each object's triangles were added together */
    for (uint32_t t = 0; t < skin->desc.triangle_count; ++t)
        ++skin->triangle_starts[skin->groups[skin->triangles[3 * (size_t)t]] + 1];
    for (uint32_t object = 0; object < objects; ++object) {
        skin->closed[object] = skin->triangle_starts[object + 1] > 0;
        skin->triangle_starts[object + 1] += skin->triangle_starts[object];
    }
    for (uint32_t e = 0; e < skin->desc.edge_count; ++e) {
        const uint32_t *faces = &skin->opposite_triangles[skin->opposite_starts[e]];
        if (skin->opposite_starts[e + 1] - skin->opposite_starts[e] != 2 ||
            goes_up(skin, e, faces[0]) == goes_up(skin, e, faces[1]))
            skin->closed[skin->groups[skin->edges[2 * (size_t)e]]] = 0;
    }
    return true;
}

static bool fill_neighbours(Skin *skin) {
    skin->neighbour_starts = array_new((size_t)skin->vertex_count + 2, sizeof *skin->neighbour_starts);
    skin->neighbours = array_new(2 * (size_t)skin->desc.edge_count + 1, sizeof *skin->neighbours);
    if (!skin->neighbour_starts || !skin->neighbours)
        return false;
    uint32_t *starts = skin->neighbour_starts;
    for (size_t k = 0; k < 2 * (size_t)skin->desc.edge_count; ++k)
        ++starts[skin->edges[k] + 2];
    for (size_t v = 0; v < skin->vertex_count; ++v)
        starts[v + 2] += starts[v + 1];
    for (size_t k = 0; k < 2 * (size_t)skin->desc.edge_count; ++k)
        skin->neighbours[starts[skin->edges[k] + 1]++] = skin->edges[k ^ 1];
    return true;
}

static double triangle_area(const double *rest, const uint32_t *triangle) {
    double ab[3], ac[3], cross[3];
    vec3_sub(rest + 3 * (size_t)triangle[1], rest + 3 * (size_t)triangle[0], ab);
    vec3_sub(rest + 3 * (size_t)triangle[2], rest + 3 * (size_t)triangle[0], ac);
    vec3_cross(ab, ac, cross);
    return 0.5 * vec3_length(cross);
}

/* A third of a triangle's area to each corner and edge; of a fibre, to an edge half of each end's. */
static bool fill_areas(Builder *builder) {
    Skin *skin = builder->skin;
    const ContactDesc *desc = builder->desc;
    skin->point_areas = array_new((size_t)skin->vertex_count + 1, sizeof(double));
    skin->edge_areas = array_new((size_t)skin->desc.edge_count + 1, sizeof(double));
    skin->triangle_areas = array_new((size_t)skin->desc.triangle_count + 1, sizeof(double));
    if (!skin->point_areas || !skin->edge_areas || !skin->triangle_areas)
        return false;
    for (size_t t = 0; t < skin->desc.triangle_count; ++t) {
        const uint32_t *triangle = &skin->triangles[3 * t];
        bool collider = triangle[0] >= skin->body_vertex_count;
        double area = collider ? INFINITY : triangle_area(desc->rest_points, triangle);
        skin->triangle_areas[t] = area;
        for (size_t c = 0; c < 3; ++c) {
            skin->point_areas[triangle[c]] += area / 3;
            skin->edge_areas[skin_edge(skin, triangle[c], triangle[(c + 1) % 3])] += area / 3;
        }
    }
    for (uint32_t p = 0; p < skin->body_vertex_count; ++p)
        if (point_set_on_fibre(desc->points, p))
            skin->point_areas[p] += desc->points->areas[p];
    for (uint32_t k = 0; k < skin->collider_count; ++k)
        for (uint32_t v = 0; is_round(builder, k) && v < skin->colliders[k].vertex_count; ++v)
            skin->point_areas[skin->colliders[k].first_vertex + v] = INFINITY;
    for (size_t e = 0; e < skin->desc.edge_count; ++e)
        for (size_t c = 0; skin->edge_triangles[e] == CONTACT_NOBODY && c < 2; ++c)
            skin->edge_areas[e] += 0.5 * skin->point_areas[skin->edges[2 * e + c]];
    return true;
}

static bool fill_points(Builder *builder) {
    const ContactDesc *desc = builder->desc;
    Skin *skin = builder->skin;
    skin->points = array_new((size_t)skin->vertex_count + 1, sizeof *skin->points);
    skin->groups = array_new((size_t)skin->vertex_count + 1, sizeof *skin->groups);
    skin->first_triangles = array_new((size_t)skin->vertex_count + 1, sizeof *skin->first_triangles);
    skin->round = array_new((size_t)desc->body_count + desc->collider_count + 1, sizeof *skin->round);
    for (uint32_t k = 0; skin->round && k < skin->collider_count; ++k)
        skin->round[desc->body_count + skin->colliders[k].collider] = is_round(builder, k);
    if (!skin->round || !skin->points || !skin->groups || !skin->first_triangles)
        return false;
    for (uint32_t b = 0; b < desc->body_count; ++b)
        for (uint32_t p = 0; p < desc->bodies[b].point_count; ++p)
            skin->groups[desc->bodies[b].first_point + p] = b;
    for (uint32_t k = 0; k < skin->collider_count; ++k)
        for (uint32_t v = 0; v < skin->colliders[k].vertex_count; ++v)
            skin->groups[skin->colliders[k].first_vertex + v] = desc->body_count + skin->colliders[k].collider;
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        skin->first_triangles[v] = CONTACT_NOBODY;
        if (skin->neighbour_starts[v] < skin->neighbour_starts[v + 1] || isinf(skin->point_areas[v]))
            skin->points[skin->desc.point_count++] = v;
    }
    for (uint32_t k = 3 * skin->desc.triangle_count; k-- > 0;)
        skin->first_triangles[skin->triangles[k]] = k / 3;
    return true;
}

/* With the penalty, points of bodies are held before colliders point by point, with a memory: not here. */
static bool accept(const void *context, PairKind kind, const uint32_t *vertices) {
    const Skin *skin = context;
    return kind != PAIR_POINT_TRIANGLE || vertices[0] >= skin->body_vertex_count ||
           vertices[1] < skin->body_vertex_count;
}

static bool build(Builder *builder) {
    const ContactDesc *desc = builder->desc;
    Skin *skin = builder->skin;
    uint32_t objects = desc->body_count + desc->collider_count, triangle_count = desc->points->triangle_count;
    skin->body_vertex_count = skin->vertex_count = desc->points->embedding.point_count;
    skin->touching = array_new((size_t)objects * objects + 1, 1);
    skin->colliders = array_new((size_t)desc->collider_count + 1, sizeof *skin->colliders);
    builder->welded = array_new((size_t)skin->vertex_count + 1, sizeof *builder->welded);
    if (!skin->touching || !skin->colliders || !builder->welded)
        return false;
    if (!fill_touching(builder))
        return true;
    count_colliders(builder, &triangle_count);
    skin->triangles = array_new(3 * (size_t)triangle_count + 1, sizeof *skin->triangles);
    if (!skin->triangles || !weld(builder))
        return false;
    fill_triangles(builder);
    if (!fill_edges(builder) || !fill_neighbours(skin) || !fill_areas(builder) || !fill_points(builder) ||
        !fill_closed(builder))
        return false;
    skin->desc.points = skin->points;
    skin->desc.edges = skin->edges;
    skin->desc.triangles = skin->triangles;
    skin->desc.kinds = 1u << PAIR_POINT_TRIANGLE | 1u << PAIR_EDGE_EDGE;
    skin->desc.groups = skin->groups;
    skin->desc.group_count = objects;
    skin->desc.touching = skin->touching;
    skin->colliders_hold = !desc->method->never_crosses;
    skin->desc.accept = skin->colliders_hold ? accept : NULL;
    skin->desc.context = skin;
    return true;
}

JnStatus skin_create(const ContactDesc *desc, Skin **made, JnMessage *message) {
    Builder builder = {desc, calloc(1, sizeof(Skin)), NULL};
    *made = NULL;
    bool built = builder.skin && build(&builder);
    free(builder.welded);
    if (built && builder.skin->desc.edge_count > 0) {
        *made = builder.skin;
        return JN_OK;
    }
    skin_destroy(builder.skin);
    return built ? JN_OK : status_no_memory(message, "what may touch");
}

void skin_destroy(Skin *skin) {
    if (!skin)
        return;
    void *arrays[] = {skin->points,
                      skin->edges,
                      skin->triangles,
                      skin->groups,
                      skin->touching,
                      skin->colliders,
                      skin->point_areas,
                      skin->edge_areas,
                      skin->triangle_areas,
                      skin->first_triangles,
                      skin->edge_triangles,
                      skin->opposite_starts,
                      skin->opposites,
                      skin->neighbours,
                      skin->neighbour_starts,
                      skin->opposite_triangles,
                      skin->closed,
                      skin->triangle_starts,
                      skin->round};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    free(skin);
}

double skin_side(const Skin *skin, uint32_t object, const double *positions) {
    const double *origin = NULL;
    double sum = 0;
    for (size_t t = skin->triangle_starts[object]; skin->closed[object] && t < skin->triangle_starts[object + 1]; ++t) {
        const uint32_t *corners = &skin->triangles[3 * t];
        double rows[9];
        origin = origin ? origin : &positions[3 * (size_t)corners[0]];
        for (size_t c = 0; c < 3; ++c)
            vec3_sub(&positions[3 * (size_t)corners[c]], origin, &rows[3 * c]);
        sum += mat3_det(rows);
    }
    return sum > 0 ? 1 : sum < 0 ? -1 : 0;
}

uint32_t skin_edge(const Skin *skin, uint32_t a, uint32_t b) {
    uint32_t low = 0, high = skin->desc.edge_count, from = a < b ? a : b, to = a < b ? b : a;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const uint32_t *edge = &skin->edges[2 * (size_t)middle];
        if (edge[0] < from || (edge[0] == from && edge[1] < to))
            low = middle + 1;
        else
            high = middle;
    }
    const uint32_t *edge = &skin->edges[2 * (size_t)low];
    return low < skin->desc.edge_count && edge[0] == from && edge[1] == to ? low : CONTACT_NOBODY;
}
