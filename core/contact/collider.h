/* The collider contract: obstacles that bodies collide with. One file per kind, one line in the list of collider.c. */
#ifndef JN_CONTACT_COLLIDER_H
#define JN_CONTACT_COLLIDER_H

#include "base/table.h"

#include <stdbool.h>

typedef struct ColliderKind ColliderKind;

/* A collider as it was described, in metres: the same for all times. */
typedef struct Collider {
    const ColliderKind *kind;
    double friction;
    double thickness;       /* m: contact begins at this distance; NaN: at the scene's */
    bool hollow;            /* bodies are kept inside */
    uint64_t ignore_groups; /* bodies that have a bit in common do not touch it */
    double transform[12];   /* of the shape, before any motion */
    void *shape;            /* the kind's own, owned */
} Collider;

/* How a collider moves on its way to a time: times are `now`, and before and after, between which its velocity is
   measured. The step begins at `before`. Borrowed arrays, in metres. */
typedef struct ColliderMotion {
    const double *now, *before, *after; /* [12] transforms */
    double seconds;                     /* from before to after; 0: at rest */
    const double *from, *to; /* [vertex_count * 3] two shapes of one that deforms, before the transform; NULL: as
                                described */
    double fraction, fraction_before, fraction_after; /* of the way between them */
} ColliderMotion;

/* Where a collider is at one time, in the scene, in metres. */
typedef struct ColliderPlacement {
    double transform[12];
    double velocity_map[12]; /* from a position x to the velocity there in this step if it moves rigidly, m/s */
    void *placed;            /* the kind's own, owned: positions that deform, what is derived from them */
} ColliderPlacement;

/* The way of a point in a step. */
typedef struct ColliderWay {
    double start[3], end[3]; /* m: where the point is, and where it comes to if nothing stops it */
    double thickness;        /* m: the distance at which contact begins */
    double look;             /* m, at least the thickness: what is no farther from the end matters */
} ColliderWay;

/* What holds a point in a step: it stays before the plane, which is at the step's end. */
typedef struct ColliderPlane {
    double point[3], normal[3]; /* m; of length 1, towards the free side */
    double velocity[3];         /* m/s, of the surface there */
} ColliderPlane;

enum { COLLIDER_PLANES = 3 }; /* the most that hold one point: it may be in a corner */

/* What is remembered about a point from step to step; all zero at first. */
typedef struct ColliderMemory {
    uint32_t held_by; /* 1 + the triangle or face that holds it, 0: none */
    int16_t side;     /* of this triangle: 1 that of its normal, -1 the other */
    int16_t inside;   /* 1: of a closed mesh, not yet pushed out; -1: not; 0: not yet known */
} ColliderMemory;

struct ColliderKind {
    JnTableEntry entry;
    bool deforms;     /* reads the shapes of a ColliderMotion; else it is never given any */
    bool keeps_shape; /* transforms that scale its axes differently are refused */
    bool may_hollow;
    /* Checks what this kind reads of the desc, and copies it in metres. `place`: "colliders[0]". */
    JnStatus (*create)(const JnCollider *desc, double metres_per_unit, const char *place, void **shape,
                       JnMessage *message);
    void (*destroy)(void *shape); /* may be NULL */
    /* Allocates what `place` derives; NULL if out of memory. */
    void *(*create_placed)(const void *shape);
    void (*destroy_placed)(void *placed); /* may be NULL */
    /* Derives `placed` from the motion; transform and velocity_map are set already. */
    void (*place)(const void *shape, const ColliderMotion *motion, ColliderPlacement *placement);
    /* Signed distance of x to the surface, m, positive on the free side; unit normal there, towards the free side.
       NULL for those that have only `find`. */
    double (*distance)(const void *shape, const ColliderPlacement *placement, const double x[3], double normal[3]);
    /* Chooses for a whole step what holds a point, and returns the number of planes. NULL: it is the distance that
       holds it. */
    uint32_t (*find)(const void *shape, const ColliderPlacement *placement, const ColliderWay *way,
                     ColliderMemory *memory, ColliderPlane planes[COLLIDER_PLANES]);
    /* The surface that bodies touch with theirs: its triangles, [*triangle_count * 3], and the number of its vertices;
       and where these are at the start and the end of a step, m, and how fast, m/s: [vertices * 3]. NULL: it has
       none. */
    uint32_t (*skin_size)(const void *shape, const uint32_t **triangles, uint32_t *triangle_count);
    void (*skin)(const ColliderPlacement *placement, const void *shape, double *start, double *end, double *velocities);
    /* Of a round one, whose skin is one point, or two with an edge between them: its radius around these, m; else
       NULL. */
    double (*skin_radius)(const ColliderPlacement *placement);
    /* The number of vertices of one that deforms, and their largest speed, m/s. */
    uint32_t (*vertex_count)(const void *shape);
    double (*fastest)(const ColliderPlacement *placement);
    /* Fills an empty mesh with the surface where it is placed, m, to be drawn: polygons that are counter-clockwise seen
       from the free side. What is endless is cut to `radius` around the point nearest to `centre`. */
    JnStatus (*outline)(const void *shape, const ColliderPlacement *placement, const double centre[3], double radius,
                        JnMesh *mesh, JnMessage *message);
};

/* Declares the functions that every kind has, for its file and for the table. */
#define COLLIDER_KIND(kind)                                                                                            \
    JnStatus kind##_create(const JnCollider *desc, double metres_per_unit, const char *place, void **shape,            \
                           JnMessage *message);                                                                        \
    void kind##_destroy(void *shape);                                                                                  \
    void *kind##_create_placed(const void *shape);                                                                     \
    void kind##_destroy_placed(void *placed);                                                                          \
    void kind##_place(const void *shape, const ColliderMotion *motion, ColliderPlacement *placement);                  \
    JnStatus kind##_outline(const void *shape, const ColliderPlacement *placement, const double centre[3],             \
                            double radius, JnMesh *mesh, JnMessage *message)
/* And one that knows its distance from every point. */
#define COLLIDER_SOLID(kind)                                                                                           \
    COLLIDER_KIND(kind);                                                                                               \
    double kind##_distance(const void *shape, const ColliderPlacement *placement, const double x[3], double normal[3])
/* One that follows the way of a point. */
#define COLLIDER_FIND(kind)                                                                                            \
    uint32_t kind##_find(const void *shape, const ColliderPlacement *placement, const ColliderWay *way,                \
                         ColliderMemory *memory, ColliderPlane planes[COLLIDER_PLANES])
/* One with a surface of triangles. */
#define COLLIDER_SKIN(kind)                                                                                            \
    uint32_t kind##_skin_size(const void *shape, const uint32_t **triangles, uint32_t *triangle_count);                \
    void kind##_skin(const ColliderPlacement *placement, const void *shape, double *start, double *end,                \
                     double *velocities)
/* One that is round around a point or an edge. */
#define COLLIDER_ROUND(kind)                                                                                           \
    COLLIDER_SOLID(kind);                                                                                              \
    COLLIDER_SKIN(kind);                                                                                               \
    double kind##_skin_radius(const ColliderPlacement *placement)
/* One that is a surface and nothing else. */
#define COLLIDER_SURFACE(kind)                                                                                         \
    COLLIDER_KIND(kind);                                                                                               \
    COLLIDER_SKIN(kind);                                                                                               \
    COLLIDER_FIND(kind);                                                                                               \
    uint32_t kind##_vertex_count(const void *shape);                                                                   \
    double kind##_fastest(const ColliderPlacement *placement)

extern const Table collider_table; /* items: ColliderKind */

/* On failure *collider is all zero. */
JnStatus collider_create(const JnCollider *desc, double metres_per_unit, const char *place, Collider *collider,
                         JnMessage *message);
void collider_free(Collider *collider); /* leaves it all zero; may be all zero */

/* Placements of `count` colliders, as described and at rest. On failure *placements is NULL. */
JnStatus collider_placements_create(const Collider *colliders, uint32_t count, ColliderPlacement **placements,
                                    JnMessage *message);
void collider_placements_destroy(const Collider *colliders, uint32_t count, ColliderPlacement *placements);

/* Moves the collider. */
void collider_move(const Collider *collider, const ColliderMotion *motion, ColliderPlacement *placement);

/* Whether its kind can be moved so; else the sentence begins with `place`. */
JnStatus collider_check_transform(const ColliderKind *kind, const double transform[12], const char *place,
                                  JnMessage *message);

/* Of a kind that has it. */
double collider_distance(const Collider *collider, const ColliderPlacement *placement, const double x[3],
                         double normal[3]);
/* The velocity at x, m/s, of a collider that does not deform. */
void collider_velocity(const ColliderPlacement *placement, const double x[3], double velocity[3]);

/* The surface where it is placed, m, as ColliderKind.outline; free it by jn_mesh_free. On failure *mesh is NULL. */
JnStatus collider_outline(const Collider *collider, const ColliderPlacement *placement, const double centre[3],
                          double radius, JnMesh **mesh, JnMessage *message);

#endif
