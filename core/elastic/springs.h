/* The force of all springs of the system, with damping along them.

   A spring joins two points, each a vertex or a fixed mean of vertices; the stencil says which. With r the vector from
   one point to the other, l its length, L the length at rest and e = (l - L) / L the strain, the spring pulls with

       f(l) = k (l - L) (linear + cubic e^2)      N,

   so that k is in N/m whatever the law: linear 1 and cubic 0 is Hooke's spring, linear 0 a purely cubic one, and with
   both, as in textiles, a spring stretched by e pulls 1 + cubic e^2 times as hard as Hooke's. A spring of length 0 at
   rest has no strain and is linear. */
#ifndef JN_ELASTIC_SPRINGS_H
#define JN_ELASTIC_SPRINGS_H

#include "elastic/force_term.h"

typedef enum SpringStencil {
    SPRING_VERTICES, /* from the first vertex to the second; the others repeat the second */
    /* from the first vertex to the centre of the triangle of the other three (Michels, Luan, Tokman 2017, 4.1) */
    SPRING_TO_TRIANGLE
} SpringStencil;

typedef struct Spring {
    uint32_t vertices[4];
    SpringStencil stencil;
    uint32_t group;           /* index in Moment.stiffness_factors */
    double rest_length;       /* m */
    double stiffness;         /* N/m */
    double linear, cubic;     /* 1, not negative */
    double stiffness_damping; /* s: a damper along the spring, with this times its current tangent stiffness */
    double rest_follows;      /* 0 to 1: how much the rest length follows Moment.targets */
    bool braced;              /* other springs resist motion across it: STIFFNESS_SAFE keeps its negative part */
} Spring;

/* A spring between two vertices, at rest where they are in positions [.. * 3]; linear 1. */
Spring spring_between(const double *positions, uint32_t a, uint32_t b, double stiffness);

/* A spring from a tet's vertex to the centre of the opposite triangle, at rest there; linear 1. */
Spring spring_to_triangle(const double *positions, uint32_t vertex, const uint32_t triangle[3], double stiffness);

/* Copies the springs, whose vertices are the system's and whose groups are below group_count. `matrix` is the system's:
   its pattern must couple the vertices of every spring. Free the term by its destroy. */
JnStatus springs_create(const double *rest_positions, uint32_t vertex_count, const Spring *springs,
                        uint32_t spring_count, uint32_t group_count, const BlockMatrix *matrix, ForceTerm *term,
                        JnMessage *message);

#endif
