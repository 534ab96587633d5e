/* Samples over a surface, dense against the cells of the mesher: what lies on both sides of each, how thick the solid
   is behind it, and how wide the gap is before it. */
#ifndef JN_GEOMETRY_SURFACE_SAMPLES_H
#define JN_GEOMETRY_SURFACE_SAMPLES_H

#include "geometry/interior.h"

typedef enum SampleKind {
    SAMPLE_SKIN,     /* between inside and outside */
    SAMPLE_INTERNAL, /* inside on both sides: a wall within another part */
    SAMPLE_SHEET,    /* outside on both sides: no inside belongs to it */
} SampleKind;

typedef struct SurfaceSample {
    double corners[9]; /* the piece of a triangle that it stands for */
    double point[3];   /* its centre */
    double normal[3];  /* unit, towards the outside */
    double thickness;  /* of the solid behind a skin; INFINITY: more than the reach */
    double gap;        /* to the next skin before it; INFINITY: more than the reach */
    SampleKind kind;
    uint32_t triangle;
} SurfaceSample;

/* Samples the triangles of the solid with pieces of at most `spacing`, and measures thickness and gap up to `reach`.
   The caller frees *samples. JN_ERR_ARGUMENT if there are too many. */
JnStatus surface_samples_build(const Interior *interior, double spacing, double reach, Pool *pool,
                               SurfaceSample **samples, uint32_t *sample_count, JnMessage *message);

#endif
