/* Answers questions about contact pairs on standard output, for judges that are not in C. Every line of standard input
   is a word and numbers:
     distance KIND x[3 n]                     distance^2, its gradient and Hessian
     mollifier x[12] rest[12]                 scale, factor, gradient and Hessian
     barrier GAP REACH                        energy, slope and curvature at stiffness 1
     advance KIND THICKNESS KEEP x0[3 n] x1[3 n]   time, end
     crossings VERTICES EDGES TRIANGLES positions edges triangles   count */
#include "contact/contact.h"
#include "contact/edge_mollifier.h"
#include "contact/pair_advance.h"
#include "exact_intersection.h"

#include <stdio.h>

static int failed; /* a number was missing */

static double next_number(void) {
    double value = 0;
    failed |= scanf("%lf", &value) != 1;
    return value;
}

static void read_numbers(double *values, size_t count) {
    for (size_t i = 0; i < count; ++i)
        values[i] = next_number();
}

static void print_numbers(const double *values, size_t count) {
    for (size_t i = 0; i < count; ++i)
        printf(" %.17g", values[i]);
}

static PairKind read_kind(void) {
    double kind = next_number();
    failed |= !(kind >= 0 && kind < PAIR_KIND_COUNT);
    return failed ? PAIR_POINT_POINT : (PairKind)kind;
}

static void answer_distance(void) {
    PairKind kind = read_kind();
    uint32_t n = 3 * pair_point_count(kind);
    double x[12], gradient[12], hessian[144];
    PairDistance distance;
    read_numbers(x, n);
    pair_distance(kind, x, &distance);
    pair_distance_gradient(&distance, gradient);
    pair_distance_hessian(&distance, x, hessian);
    print_numbers(&distance.squared, 1);
    print_numbers(gradient, n);
    print_numbers(hessian, n * n);
}

static void answer_mollifier(void) {
    double x[12], rest[12], factor, gradient[12], hessian[144];
    read_numbers(x, 12);
    read_numbers(rest, 12);
    double scale = edge_mollifier_scale(rest);
    edge_mollifier(x, scale, &factor, gradient, hessian);
    print_numbers(&scale, 1);
    print_numbers(&factor, 1);
    print_numbers(gradient, 12);
    print_numbers(hessian, 144);
}

static void answer_barrier(void) {
    double gap = next_number(), reach = next_number();
    /* of the curve's reach nine tenths are used, and it is scaled to a penalty in its middle */
    ContactLaw law = {&barrier_curve, 2 * (0.5 + log(2)), reach, reach / 0.9};
    NormalForce normal = barrier_curve.normal(&law, gap);
    print_numbers((double[]){normal.energy, -normal.force, normal.slope}, 3);
}

static void answer_advance(void) {
    PairKind kind = read_kind();
    double thickness = next_number(), x0[12], x1[12], time;
    PairAdvance how = {thickness, INFINITY, next_number(), 64};
    read_numbers(x0, 3 * pair_point_count(kind));
    read_numbers(x1, 3 * pair_point_count(kind));
    PairAdvanceEnd end = pair_advance(kind, x0, x1, &how, &time);
    print_numbers((double[]){time, end}, 2);
}

static void answer_crossings(void) {
    uint32_t vertex_count = (uint32_t)next_number(), edge_count = (uint32_t)next_number();
    uint32_t triangle_count = (uint32_t)next_number();
    double *positions = calloc(3 * (size_t)vertex_count + 1, sizeof *positions);
    size_t indices = 2 * (size_t)edge_count + 3 * (size_t)triangle_count;
    uint32_t *edges = calloc(indices + 1, sizeof *edges);
    if (positions && edges) {
        read_numbers(positions, 3 * (size_t)vertex_count);
        for (size_t i = 0; i < indices; ++i) {
            edges[i] = (uint32_t)next_number();
            failed |= edges[i] >= vertex_count;
        }
        const uint32_t *triangles = edges + 2 * (size_t)edge_count;
        if (!failed)
            printf(" %ld", exact_count_crossings(positions, edges, edge_count, triangles, triangle_count, NULL));
    }
    free(positions);
    free(edges);
}

int main(void) {
    static const struct {
        const char *word;
        void (*answer)(void);
    } questions[] = {{"distance", answer_distance},
                     {"mollifier", answer_mollifier},
                     {"barrier", answer_barrier},
                     {"advance", answer_advance},
                     {"crossings", answer_crossings}};
    char word[16];
    while (!failed && scanf("%15s", word) == 1) {
        failed = 1;
        for (size_t q = 0; q < sizeof questions / sizeof questions[0]; ++q)
            if (strcmp(word, questions[q].word) == 0) {
                failed = 0;
                questions[q].answer();
            }
        printf("\n");
    }
    return failed;
}
