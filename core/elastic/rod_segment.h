/* One segment of a fibre: an elastic rod between two sections, each a square of four particles.

   With s the width of the square and the particles at the corners (-,-), (+,-), (+,+), (-,+), a section has

       the centre x, the directors a and b along its sides, n = a x b, and h, by which it is not flat:
       x = (v0 + v1 + v2 + v3) / 4,               a = (-v0 + v1 + v2 - v3) / (2 s),
       h = (v0 - v1 + v2 - v3) / 4,               b = (-v0 - v1 + v2 + v3) / (2 s).

   At rest a, b, n are orthonormal, n points along the fibre, and h = 0. Let r = x1 - x0 join the sections, l its length
   at rest, t = r / l there; c0, c1 the components of t in the two frames, and R the rotation between them, the frame 1
   in components of frame 0, all at rest. The energy is

         stretch/2 (|r| - l)^2 (linear + cubic e^2 / 2),  e = (|r| - l) / l    as of a spring
       + shear/2 |r/l - (F0 c0 + F1 c1) / 2|^2                                 the fibre runs along its sections'
   normals
       + twist/4 (|a1 - F0 R e1|^2 + |b1 - F0 R e2|^2)
       + (bending - twist/2)/2 |n1 - F0 R e3|^2                                 F = [a b n]
       + section/2 (strain of a, b)^2 + section/(2 s^2) |h|^2                   of both sections.

   For orthonormal frames that differ from their rest by a bend by the angle p it is bending (1 - cos p), by a twist
   twist (1 - cos p). All but the first line is a polynomial, and apart from the sections' strain it has no minimum
   but the rest shape: a segment that was turned inside out by an impact recovers. Springs along the edges and diagonals
   of a cuboid would be at rest in its mirror image, too, and would lengthen the fibre when it bends. */
#ifndef JN_ELASTIC_ROD_SEGMENT_H
#define JN_ELASTIC_ROD_SEGMENT_H

#include "elastic/force_term.h"

enum { SECTION_SIZE = 4, ROD_VERTICES = 8, ROD_BLOCKS = 36, ROD_BONDS = 4, ROD_VECTORS = 8 };

typedef struct RodStiffness {
    double stretch;        /* N/m */
    double linear, cubic;  /* 1, of the law of the stretch, as in springs.h */
    double shear;          /* J */
    double bending, twist; /* J */
    double section;        /* J */
} RodStiffness;

typedef struct RodSegment {
    uint32_t sections[2]; /* the first of the four consecutive vertices of each */
    uint32_t group;       /* index in Moment.stiffness_factors */
    double width;         /* s, m */
    double length;        /* l, m */
    RodStiffness stiffness;
    double stiffness_damping; /* s */
    double rest_follows;      /* 0 to 1: how much the rest shape follows Moment.targets */
    /* the shear, twist and bending above are weight/2 |sum of bonds x vector|^2, over x, a, b, n of both sections */
    double bonds[ROD_BONDS][ROD_VECTORS];
} RodSegment;

/* The rest shape of a segment. */
typedef struct RodRest {
    double length;      /* l, m */
    double along[2][3]; /* c0, c1 */
    double turn[3][3];  /* the columns of R */
} RodRest;

/* The rest shape in which the segment is where its vertices are in positions. */
RodRest rod_rest_at(const RodSegment *segment, const double *positions);
/* The shape between two, `part` of the way from the first to the second; not much shorter than the first. */
RodRest rod_rest_between(const RodRest *from, const RodRest *to, double part);
void rod_set_rest(RodSegment *segment, const RodRest *rest);

/* Where a segment is evaluated and what is wanted, as in Evaluation. */
typedef struct RodWork {
    const double *q, *v;     /* of the system; v NULL: at rest */
    double stiffness_factor; /* of its group */
    double stiffness_scale, damping_scale;
    StiffnessKind stiffness;
    bool wants_force, wants_blocks;
    double energy;                 /* J */
    double force[ROD_VERTICES][3]; /* N */
    double blocks[ROD_BLOCKS][9];  /* (i, j) for j <= i of the vertices, row by row */
} RodWork;

void rod_segment_evaluate(const RodSegment *segment, RodWork *work);

static inline uint32_t rod_vertex(const RodSegment *segment, uint32_t i) {
    return segment->sections[i / SECTION_SIZE] + i % SECTION_SIZE;
}

#endif
