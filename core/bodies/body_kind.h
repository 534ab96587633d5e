/* The kinds of bodies: what is simulated of the mesh that the artist gives. One kind a file, one line in the list of
   body_kinds.c. */
#ifndef JN_BODIES_BODY_KIND_H
#define JN_BODIES_BODY_KIND_H

#include "base/table.h"
#include "bodies/body.h"

/* Which of the meshes of a JnBody a kind reads. */
enum { TAKES_SURFACE = 1, TAKES_TETS = 2, TAKES_CURVES = 4 };

struct BodyKind {
    JnTableEntry entry;
    uint32_t takes;    /* TAKES_... */
    bool has_elements; /* its tets are elements of the material's law */
    /* Checks the meshes, and what else only this kind reads. `place`: "bodies[0]". Only meshes that it takes are given,
       and at least one is; each has passed its own check. */
    JnStatus (*check)(const JnBody *desc, const char *place, JnMessage *message);
    /* Fills, of a zeroed Body: mesh, embedding, vertex_of_point; what is cached; springs and spring_masses, or
       element_count. The desc has been checked. What it made before it failed is freed by the caller. */
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
/* The surface as it came: same order of vertices, same faces, same uvs. */
JnStatus body_keep_surface(const JnSurface *surface, Body *body, JnMessage *message);
/* The boundary of the tets in the object's own space, with the vertices that lie on it in their order. */
JnStatus body_keep_boundary(const JnTets *mesh, Body *body, JnMessage *message);
/* The curves as they came; a vertex of several curves stands in each. */
JnStatus body_keep_curves(const JnCurves *curves, Body *body, JnMessage *message);

/* body_springs.c: what the kinds that are made of springs share. */
/* Simulated vertices that are the points themselves, without tets between them: fills mesh, embedding, vertex_of_point.
 */
JnStatus body_use_points(const JnBody *desc, double metres_per_unit, Body *body, JnMessage *message);
/* Room for `count` springs and the masses of the body's vertices, which begin at 0. */
JnStatus body_reserve_springs(uint32_t count, Body *body, JnMessage *message);
/* Adds a spring with the desc's law and damping. Refuses one without length: `place` and the ends go into the message.
 */
JnStatus body_add_spring(const JnBody *desc, Spring spring, const char *place, Body *body, JnMessage *message);
/* Refuses a vertex without mass. */
JnStatus body_check_masses(const Body *body, const char *place, JnMessage *message);
/* After the painted maps: stiffness and mass of every spring and vertex times their factors. */
void body_paint_springs(Body *body);

#endif
