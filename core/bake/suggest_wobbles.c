/* The wobbles of the bodies that can be seen, and how much of each is where. */
#include "bake/suggest_wobbles.h"

#include "base/math3.h"
#include "base/status.h"
#include "system/jacobian.h"

#include <stdlib.h>
#include <string.h>

/* So many of the slowest modes are looked at. */
enum { MODES = 32 };
/* A wobble can be seen if it is slower than half the frame rate, and if a shake of one g, everywhere in its direction,
   moves something by this part of the body's size. */
static const double SEEN = 1e-3, GRAVITY = 9.81;

/* ------------------------------------------------------------------------------------------------ elastic energy */

/* Of a tet that moves by `shape` about its rest shape, by linear theory. */
static double tet_energy(const Body *body, const uint32_t *vertices, const double *shape) {
    double edges[9], moves[9], inverse[9], gradient[9], log_stiffness = 0, trace = 0, square = 0;
    for (int a = 1; a < 4; ++a)
        for (int i = 0; i < 3; ++i) {
            size_t from = 3 * (size_t)vertices[0] + (size_t)i, to = 3 * (size_t)vertices[a] + (size_t)i;
            edges[3 * i + a - 1] = body->mesh.positions[to] - body->mesh.positions[from];
            moves[3 * i + a - 1] = shape[to] - shape[from];
        }
    for (int a = 0; a < 4; ++a)
        log_stiffness += 0.25 * log(body->stiffness_factors[vertices[a]]);
    double volume = mat3_det(edges) / 6;
    mat3_inverse(edges, inverse);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            gradient[3 * i + j] =
                moves[3 * i] * inverse[j] + moves[3 * i + 1] * inverse[3 + j] + moves[3 * i + 2] * inverse[6 + j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double strain = 0.5 * (gradient[3 * i + j] + gradient[3 * j + i]);
            square += strain * strain;
            trace += i == j ? strain : 0;
        }
    double young = body->material.young_modulus * exp(log_stiffness), poisson = body->material.poisson_ratio;
    double shear = young / (2 + 2 * poisson), lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    return volume * (shear * square + 0.5 * lame * trace * trace);
}

/* Of a spring, as long as it is at rest. */
static double spring_energy(const Body *body, const Spring *spring, const double *shape) {
    double along[3] = {0}, moved[3] = {0}, length, stretch;
    int ends = spring->stencil == SPRING_VERTICES ? 1 : 3;
    for (int a = 0; a <= ends; ++a)
        for (size_t i = 0; i < 3; ++i) {
            double part = a == 0 ? 1 : -1.0 / ends;
            along[i] += part * body->mesh.positions[3 * (size_t)spring->vertices[a] + i];
            moved[i] += part * shape[3 * (size_t)spring->vertices[a] + i];
        }
    length = vec3_length(along);
    stretch = length > 0 ? vec3_dot(along, moved) / length : vec3_length(moved);
    return 0.5 * spring->stiffness * spring->linear * stretch * stretch;
}

/* The elements of all bodies, and their energies in a shape; either may be NULL. */
static void list_elements(const JnBake *bake, const double *shape, WobbleElement *elements, double *energies) {
    size_t at = 0;
    for (const Body *body = bake->model.bodies; body < bake->model.bodies + bake->model.body_count; ++body) {
        const double *own = shape ? shape + 3 * (size_t)body->first_vertex : NULL;
        for (size_t e = 0; e < (size_t)body->element_count + body->spring_count; ++e, ++at) {
            const Spring *spring = e < body->element_count ? NULL : &body->springs[e - body->element_count];
            const uint32_t *vertices = spring ? spring->vertices : body->mesh.tet_vertices + 4 * e;
            for (int a = 0; elements && a < 4; ++a)
                elements[at].vertices[a] = body->first_vertex + vertices[a];
            if (energies)
                energies[at] = spring ? spring_energy(body, spring, own) : tet_energy(body, vertices, own);
        }
    }
}

/* ------------------------------------------------------------------------------------------------ wobbles */

/* How far a shake of one g moves what moves most, relative to the size of its body. */
static double seen_motion(const JnBake *bake, const double *shape, double eigenvalue) {
    double pushed = 0, most = 0;
    for (const Body *body = bake->model.bodies; body < bake->model.bodies + bake->model.body_count; ++body)
        for (uint32_t v = body->first_vertex; v < body->first_vertex + body->mesh.vertex_count; ++v) {
            double moved = vec3_length(shape + 3 * (size_t)v);
            pushed += bake->model.system.masses[v] * moved;
            most = fmax(most, moved / body->bounding_size);
        }
    return GRAVITY * pushed * most / eigenvalue;
}

/* Adds the modes that can be seen. */
static JnStatus add_modes(const JnBake *bake, double fps, const Modes *found, const Jacobian *damping,
                          SeenWobbles *seen, JnMessage *message) {
    size_t n = 3 * (size_t)bake->model.vertex_count;
    double *energies = malloc((size_t)seen->wobbles.element_count * sizeof(double) + 1),
           *product = malloc(n * sizeof(double) + 1);
    bool ok = energies && product;
    for (uint32_t k = found->rigid_count; ok && k < found->count; ++k) {
        const double *shape = found->shapes + k * n;
        double omega = sqrt(fmax(found->eigenvalues[k], 0)), decay = 0;
        if (!(omega > 0) || omega >= acos(-1) * fps || seen_motion(bake, shape, found->eigenvalues[k]) < SEEN)
            continue;
        jacobian_multiply(damping, shape, product);
        for (size_t i = 0; i < n; ++i)
            decay += shape[i] * product[i];
        list_elements(bake, shape, NULL, energies);
        ok = wobbles_add(&seen->wobbles, omega, decay / omega, shape, energies);
        seen->mode_count = k + 1 - found->rigid_count;
    }
    free(energies);
    free(product);
    return ok ? JN_OK : status_no_memory(message, "the wobbles of the bodies");
}

JnStatus seen_wobbles_find(JnBake *bake, double fps, SeenWobbles *seen, JnMessage *message) {
    const System *system = &bake->model.system;
    uint32_t n = bake->model.vertex_count, elements = bake->model.tet_count + bake->model.spring_count;
    double *rest = malloc(3 * (size_t)n * sizeof(double) + 1);
    Jacobian *matrix = NULL;
    Modes found = {0};
    *seen = (SeenWobbles){.wobbles = {.pattern = &system->pattern,
                                      .masses = system->masses,
                                      .roles = bake->motion.view->roles,
                                      .element_count = elements,
                                      .scratch = calloc((size_t)n + 1, 1)},
                          .elements = malloc((size_t)elements * sizeof(WobbleElement) + 1)};
    seen->wobbles.elements = seen->elements;
    for (uint32_t v = 0; v < n; ++v)
        seen->wobbles.free_count += view_is_free(bake->motion.view, v);
    JnStatus status = rest && seen->wobbles.scratch && seen->elements
                          ? bake_find_modes(bake, MODES, rest, &matrix, &found, message)
                          : status_no_memory(message, "the wobbles of the bodies");
    if (status == JN_OK)
        status = jacobian_assemble(matrix, rest, NULL, &(JacobianScales){.damping = 1}, STIFFNESS_RAW, NULL, message);
    if (status == JN_OK) {
        list_elements(bake, NULL, seen->elements, NULL);
        status = add_modes(bake, fps, &found, matrix, seen, message);
        wobbles_sort(&seen->wobbles);
    }
    modes_free(&found);
    jacobian_destroy(matrix);
    free(rest);
    return status;
}

void seen_wobbles_free(SeenWobbles *seen) {
    wobbles_free(&seen->wobbles);
    free(seen->wobbles.scratch);
    free(seen->elements);
    memset(seen, 0, sizeof *seen);
}
