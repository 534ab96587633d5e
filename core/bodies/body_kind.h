/* The kinds of bodies: what is simulated for a given mesh. One file per kind, one line in the list of body_kinds.c. */
#ifndef JN_BODIES_BODY_KIND_H
#define JN_BODIES_BODY_KIND_H

#include "base/table.h"
#include "bodies/body.h"

/* Which of the meshes of a JnBody a kind reads. */
enum { TAKES_SURFACE = 1, TAKES_TETS = 2, TAKES_CURVES = 4 };

struct BodyKind {
    JnTableEntry entry;
    uint32_t takes;    /* TAKES_... */
    bool has_elements; /* its tets are finite elements of the material */
    /* Checks the meshes, and other input that only this kind reads. `place`: "bodies[0]". At least one mesh is given,
       only meshes that it takes, and each has passed its own check. */
    JnStatus (*check)(const JnBody *desc, const char *place, JnMessage *message);
    /* Fills, of a zeroed Body: mesh, embedding, vertex_of_point; what is cached; springs or rods and
       spring_masses, or element_count. The desc has been checked. On failure the caller frees what was made so far. */
    JnStatus (*build)(const JnBody *desc, double metres_per_unit, const char *place, Body *body, JnMessage *message);
};

/* Declares the functions of a kind, for its file and for the table. */
#define BODY_KIND(kind)                                                                                                \
    JnStatus kind##_check(const JnBody *desc, const char *place, JnMessage *message);                                  \
    JnStatus kind##_build(const JnBody *desc, double metres_per_unit, const char *place, Body *body, JnMessage *message)

extern const Table body_kind_table; /* items: BodyKind */

/* What the artist paints and animates: the vertices of the surface, else of the tets, else of the curves. */
uint32_t body_point_count(const JnBody *desc);
const double *body_points(const JnBody *desc); /* [body_point_count * 3] */

/* body_solid.c: mesh, embedding and what is cached of a body of tets, given or made by the mesher. */
JnStatus body_use_solid(const JnBody *desc, double metres_per_unit, Body *body, JnMessage *message);

/* body_cached.c: what is cached. */
/* The surface as given: same order of vertices, same faces, same uvs. */
JnStatus body_keep_surface(const JnSurface *surface, Body *body, JnMessage *message);
/* The boundary of the tets in object space, with its vertices in their original order. */
JnStatus body_keep_boundary(const JnTets *mesh, Body *body, JnMessage *message);
/* The curves as given; a vertex of several curves is repeated in each. */
JnStatus body_keep_curves(const JnCurves *curves, Body *body, JnMessage *message);
/* The body's point that is cached as this vertex. */
uint32_t body_cached_point(const Body *body, uint32_t vertex);
/* The faces or curves of the cache, at `points` [point_count * 3] placed by the transform. On failure *mesh is NULL. */
JnStatus body_cached_mesh(const Body *body, const double *points, const double transform[12], JnMesh **mesh,
                          JnMessage *message);

/* body_springs.c: shared by the kinds that are made of springs. */
/* Simulated vertices that are the points themselves, without tets between them: fills mesh, embedding, vertex_of_point.
 */
JnStatus body_use_points(const JnBody *desc, double metres_per_unit, Body *body, JnMessage *message);
/* Allocates `count` springs and the masses of the body's vertices, which are 0 at first. */
JnStatus body_reserve_springs(uint32_t count, Body *body, JnMessage *message);
/* Adds a spring with the desc's law and damping. Refuses a spring of length 0, with a message that names `place` and
   its ends. */
JnStatus body_add_spring(const JnBody *desc, Spring spring, const char *place, Body *body, JnMessage *message);
/* Refuses a vertex without mass. */
JnStatus body_check_masses(const Body *body, const char *place, JnMessage *message);
/* To be called after the painted maps: multiplies stiffness and mass of every spring, rod and vertex by their
   factors. */
void body_paint_springs(Body *body);

#endif
