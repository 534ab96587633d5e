/* A ball of nearly regular tets. An icosahedron is twenty tets that meet in the centre; each is divided n times along
   its edges into n^3 small ones, and shell k of the division is projected to the sphere of radius k / n. So shells are
   layers of whole tets, and a layer of material ends where tets end.

   The division cuts a tet into upright small tets, octahedra and upside-down small tets, whose faces are the
   same on both sides of every face of the icosahedron's tets. An octahedron becomes four tets round its
   shortest diagonal. */
#include "geometry/shape.h"
#include "geometry/vec3.h"

#include <stdio.h>

enum { CORNERS = 12, EDGES = 30, FACES = 20 };

typedef struct Ball {
    JnMesh *mesh;
    uint32_t shells;
    double corners[CORNERS][3];
    uint32_t faces[FACES][3];
    uint32_t edges[CORNERS][CORNERS]; /* the number of the edge between two corners */
} Ball;

/* An icosahedron of radius 1 with corners at the top and the bottom. */
static void make_icosahedron(Ball *ball) {
    const double height = sqrt(0.2), radius = 2 * height, step = 2 * 3.14159265358979323846 / 5;
    ball->corners[0][1] = 1;
    ball->corners[11][1] = -1;
    uint32_t face = 0, edge = 0;
    for (uint32_t i = 0; i < 5; ++i) {
        uint32_t upper = 1 + i, next_upper = 1 + (i + 1) % 5, lower = 6 + i, next_lower = 6 + (i + 1) % 5;
        double *u = ball->corners[upper], *l = ball->corners[lower];
        u[0] = radius * cos(step * i), u[1] = height, u[2] = radius * sin(step * i);
        l[0] = radius * cos(step * (i + 0.5)), l[1] = -height, l[2] = radius * sin(step * (i + 0.5));
        const uint32_t around[4][3] = {{0, upper, next_upper},
                                       {upper, lower, next_upper},
                                       {next_upper, lower, next_lower},
                                       {11, lower, next_lower}};
        for (int f = 0; f < 4; ++f, ++face)
            for (int c = 0; c < 3; ++c)
                ball->faces[face][c] = around[f][c];
        const uint32_t ends[6][2] = {{0, upper},          {upper, next_upper}, {upper, lower},
                                     {lower, next_upper}, {lower, next_lower}, {11, lower}};
        for (int e = 0; e < 6; ++e, ++edge)
            ball->edges[ends[e][0]][ends[e][1]] = ball->edges[ends[e][1]][ends[e][0]] = edge;
    }
}

/* Vertices before shell k: the centre and 10 j^2 + 2 for every shell j below k. */
static uint32_t shell_begin(uint32_t k) {
    return k == 0 ? 0
                  : (uint32_t)(1 + 10 * ((uint64_t)(k - 1) * k * (2 * (uint64_t)k - 1) / 6) + 2 * (uint64_t)(k - 1));
}

/* The vertex at w[0] : w[1] : w[2] steps towards the three corners of `face`, on shell w[0] + w[1] + w[2]. */
static uint32_t vertex_number(const Ball *ball, uint32_t face, const uint32_t w[3]) {
    const uint32_t *corners = ball->faces[face];
    uint32_t k = w[0] + w[1] + w[2], begin = shell_begin(k);
    if (k == 0)
        return 0;
    for (int c = 0; c < 3; ++c) {
        // at a corner, or on the edge between two: then the number comes from the edge, counted from its
        // lower corner
        uint32_t i = (uint32_t)c, j = (i + 1) % 3, other = (i + 2) % 3;
        if (w[i] == k)
            return begin + corners[i];
        if (w[other] == 0 && w[i] && w[j]) {
            uint32_t steps = corners[i] < corners[j] ? w[j] : w[i];
            return begin + CORNERS + ball->edges[corners[i]][corners[j]] * (k - 1) + steps - 1;
        }
    }
    // inside the face: rows of w[0] from 1, in each w[1] from 1
    uint32_t row = w[0] - 1, before = row * (2 * k - 3 - row) / 2;
    return begin + CORNERS + EDGES * (k - 1) + face * ((k - 1) * (k - 2) / 2) + before + w[1] - 1;
}

/* The position of that vertex in the unit ball. */
static void vertex_position(const Ball *ball, uint32_t face, const uint32_t w[3], double p[3]) {
    uint32_t k = w[0] + w[1] + w[2];
    for (int a = 0; a < 3; ++a) {
        p[a] = 0;
        for (int c = 0; c < 3; ++c)
            p[a] += w[c] * ball->corners[ball->faces[face][c]][a];
    }
    double scale = k ? (double)k / ball->shells / vec3_length(p) : 0;
    for (int a = 0; a < 3; ++a)
        p[a] *= scale;
}

static void place_vertices(Ball *ball, const double size[3]) {
    uint32_t n = ball->shells, w[3];
    for (uint32_t face = 0; face < FACES; ++face)
        for (w[0] = 0; w[0] <= n; ++w[0])
            for (w[1] = 0; w[0] + w[1] <= n; ++w[1])
                for (w[2] = 0; w[0] + w[1] + w[2] <= n; ++w[2]) {
                    double *p = &ball->mesh->positions[3 * (size_t)vertex_number(ball, face, w)];
                    vertex_position(ball, face, w, p);
                    for (int a = 0; a < 3; ++a)
                        p[a] *= size[a] / 2;
                }
}

/* Four tets round the shortest of the three diagonals; o[i] lies opposite o[i + 3]. */
static void add_octahedron(JnMesh *mesh, const uint32_t o[6]) {
    uint32_t best = 0;
    double shortest = INFINITY;
    for (uint32_t d = 0; d < 3; ++d) {
        double length =
            vec3_distance_squared(&mesh->positions[3 * (size_t)o[d]], &mesh->positions[3 * (size_t)o[d + 3]]);
        if (length < shortest * (1 - 1e-9)) {
            shortest = length;
            best = d;
        }
    }
    uint32_t i = (best + 1) % 3, j = (best + 2) % 3;
    const uint32_t ring[5] = {o[i], o[j], o[i + 3], o[j + 3], o[i]};
    for (int r = 0; r < 4; ++r)
        shape_add_tet(mesh, o[best], o[best + 3], ring[r], ring[r + 1]);
}

/* The small tets at one point of the division: `left` is its number of steps to the outermost shell. */
static void add_tets_at(const Ball *ball, uint32_t face, const uint32_t w[3], uint32_t left) {
    // the corners of the small cube at w, numbered by bits: which of the three steps are taken
    uint32_t v[8];
    for (uint32_t c = 0; c < 8; ++c) {
        uint32_t steps = (c & 1) + (c >> 1 & 1) + (c >> 2);
        const uint32_t at[3] = {w[0] + (c & 1), w[1] + (c >> 1 & 1), w[2] + (c >> 2)};
        v[c] = steps <= left ? vertex_number(ball, face, at) : 0;
    }
    shape_add_tet(ball->mesh, v[0], v[1], v[2], v[4]);
    if (left >= 2)
        add_octahedron(ball->mesh, (const uint32_t[6]){v[1], v[2], v[4], v[6], v[5], v[3]});
    if (left >= 3)
        shape_add_tet(ball->mesh, v[3], v[5], v[6], v[7]);
}

/* Fields "layer_0".. from the core outwards. The weight of a vertex in a layer is the fraction of its own shell, half a
   step inwards and outwards, that lies in the layer; the weights sum to 1. */
static JnStatus add_layers(const Ball *ball, uint32_t layer_count, JnMessage *message) {
    JnStatus status = JN_OK;
    for (uint32_t layer = 0; status == JN_OK && layer < layer_count; ++layer) {
        char name[32];
        int length = snprintf(name, sizeof name, "layer_%u", layer);
        double *values;
        status = mesh_add_field(ball->mesh, name, (size_t)length, 1, &values, message);
        double low = (double)layer / layer_count * ball->shells,
               high = (double)(layer + 1) / layer_count * ball->shells;
        for (uint32_t k = 0; status == JN_OK && k <= ball->shells; ++k) {
            double from = k ? k - 0.5 : 0, to = k < ball->shells ? k + 0.5 : k;
            double share = fmax(0, fmin(to, high) - fmax(from, low)) / (to - from);
            for (uint32_t v = shell_begin(k); v < shell_begin(k + 1); ++v)
                values[v] = share;
        }
    }
    return status;
}

/* Fields "top" and "bottom": the caps above and below four fifths of the height. */
static JnStatus add_caps(const Ball *ball, double height, JnMessage *message) {
    JnMesh *mesh = ball->mesh;
    double *top, *bottom;
    JnStatus status = mesh_add_field(mesh, "top", 3, 1, &top, message);
    if (status == JN_OK)
        status = mesh_add_field(mesh, "bottom", 6, 1, &bottom, message);
    for (uint32_t v = 0; status == JN_OK && v < mesh->vertex_count; ++v) {
        double y = mesh->positions[3 * (size_t)v + 1] / (height / 2);
        top[v] = y > 0.8;
        bottom[v] = y < -0.8;
    }
    return status;
}

JnStatus shape_make_ball(const JnShape *shape, JnMesh *mesh, JnMessage *message) {
    uint32_t n = shape->cells[0] / 2 + shape->cells[0] % 2;
    if (shape->layer_count > n)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "shape.layer_count is %u, but a ball of %u cells across has %u shells: raise shape.cells[0] "
                           "to %u or request fewer layers",
                           shape->layer_count, shape->cells[0], n, 2 * shape->layer_count);
    double k = n, tet_count = FACES * k * k * k, vertex_count = 1 + 10 * (k * (k + 1) * (2 * k + 1) / 6) + 2 * k;
    JnStatus status = shape_reserve(mesh, vertex_count, tet_count, message);
    if (status != JN_OK)
        return status;
    Ball ball = {.mesh = mesh, .shells = n};
    make_icosahedron(&ball);
    place_vertices(&ball, shape->size);
    uint32_t w[3];
    for (uint32_t face = 0; face < FACES; ++face)
        for (w[0] = 0; w[0] < n; ++w[0])
            for (w[1] = 0; w[0] + w[1] < n; ++w[1])
                for (w[2] = 0; w[0] + w[1] + w[2] < n; ++w[2])
                    add_tets_at(&ball, face, w, n - w[0] - w[1] - w[2]);
    status = add_layers(&ball, shape->layer_count, message);
    return status == JN_OK ? add_caps(&ball, shape->size[1], message) : status;
}
