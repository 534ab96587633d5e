/* What is found in a surface while it is meshed: how often, where first, and at which of its vertices. */
#ifndef JN_GEOMETRY_FINDINGS_H
#define JN_GEOMETRY_FINDINGS_H

#include "jounce.h"

/* In the order of the report. */
typedef enum FindingKind {
    FINDING_SHEETS,         /* pieces without an inside */
    FINDING_PARTIAL_SHEETS, /* pieces with parts without an inside */
    FINDING_TOO_THIN,       /* pieces with parts thinner than the smallest cells */
    FINDING_ISLANDS,        /* parts of the tets that hang on nothing */
    FINDING_THINNEST,       /* the thinnest part */
    FINDING_OPEN_LOOPS,     /* connected chains of edges of one triangle */
    FINDING_CROWDED_EDGES,  /* of more than two triangles */
    FINDING_CROSSINGS,      /* pairs of triangles that pass through each other */
    FINDING_COPIES,         /* further triangles on the same vertices */
    FINDING_FLAT,           /* triangles without area */
    FINDING_TURNED,         /* triangles turned over */
    FINDING_WELDED,         /* vertices that lie on others */
    FINDING_LOOSE,          /* vertices of no face */
    FINDING_KINDS,
} FindingKind;

/* `place` is valid if count > 0. */
typedef struct Finding {
    uint32_t count;
    double place[3];
} Finding;

typedef struct Findings { /* owns `marks` */
    Finding of[FINDING_KINDS];
    const double *positions; /* of the surface, borrowed */
    uint32_t *marks;         /* [vertex_count] of the surface: bit k if a finding of kind k concerns the vertex */
} Findings;

/* On failure *findings is all zero. */
JnStatus findings_init(const JnSurface *surface, Findings *findings, JnMessage *message);

/* Marks a vertex of the surface. */
void findings_mark(Findings *findings, FindingKind kind, uint32_t vertex);

/* Counts a finding at a vertex of the surface, and marks it. */
void findings_add(Findings *findings, FindingKind kind, uint32_t vertex);

void findings_free(Findings *findings); /* leaves it all zero */

#endif
