/* One body of the desc, built independently of the others: simulated vertices, points, what is cached, painted maps,
   motion. */
#ifndef JN_BODIES_BODY_H
#define JN_BODIES_BODY_H

#include "base/rigid.h"
#include "bodies/inverse_embedding.h"
#include "elastic/material.h"
#include "elastic/rod_segment.h"
#include "elastic/springs.h"

enum { NAME_CAPACITY = 256, PLACE_CAPACITY = 96 };

/* Animated points and vertices over one frame interval: row 0 at the previous frame, row s at sample s. */
typedef struct TargetTrack {
    uint32_t sample_count;    /* of this interval */
    uint32_t sample_capacity; /* rows allocated, less one */
    double *points;           /* [sample_count + 1][point_count * 3] m, scene space */
    double *vertices;         /* [sample_count + 1][vertex_count * 3] m, scene space */
    RigidMove *moves;         /* [sample_count] the travel of the points from row to row */
} TargetTrack;

/* What is attached to another body. */
typedef struct AttachMap {
    struct AttachMap *next;
    double *rates; /* [vertex_count] 1/s2 */
    char to[];     /* the other body's name in the desc */
} AttachMap;

/* A vertex that a bone holds. */
typedef struct BoneHold {
    uint32_t vertex, bone;
    double share; /* of all bones that hold it; these sum to 1 */
} BoneHold;

/* How the animated points travelled as a whole in a frame. */
typedef struct Travel {
    double shift[3], turn[3]; /* m; rad */
    uint64_t cut;             /* 1: it was cut, which tells nothing about the next */
} Travel;

/* Numbers that change over time. */
typedef struct BodyKeys {
    double stiffness, goal_strength, pin_strength, simulation; /* as in JnBodyInput */
} BodyKeys;

typedef struct BodyKind BodyKind;

typedef struct Body {
    char name[NAME_CAPACITY];
    const BodyKind *kind;
    TetMesh mesh;           /* rest shape, m, scene space; kinds without volume have vertices, but no tets */
    uint32_t thread_count;  /* that may be used to build it */
    JnMeshReport *report;   /* of the mesher, m, scene space; NULL: no tets were made */
    uint32_t *report_marks; /* [points] bit i if findings[i] of the report concerns the point; NULL: none was made */
    uint32_t element_count; /* tets that are finite elements of the material: all or none */
    uint32_t spring_count;
    Spring *springs; /* [spring_count] on the body's own vertices; NULL: none */
    uint32_t rod_count;
    RodSegment *rods;          /* [rod_count] of fibres, on the body's own vertices; NULL: none */
    double *spring_masses;     /* [vertex_count] kg, of kinds without elements, else NULL */
    Embedding embedding;       /* of the points in `mesh` */
    uint32_t *vertex_of_point; /* if the points are the vertices, else NULL */
    InverseEmbedding *inverse_embedding;
    uint32_t first_vertex, first_point; /* in the system */
    uint32_t point_count;
    double bounding_size; /* m, of the simulated vertices; of fibres, of the points */
    double point_extent;  /* m: the longest side of the points' bounding box at rest */

    /* what is cached: points cached_points[i], or all points if that is NULL */
    uint32_t cached_count;
    uint32_t *cached_points;
    uint32_t face_count, corner_count;
    int32_t *face_sizes, *face_vertices;
    float *uvs;                   /* [corner_count * 2] or NULL */
    uint32_t curve_count;         /* if not 0, curves are cached and no faces: */
    int32_t *curve_sizes;         /* [curve_count], which sum to cached_count */
    float *curve_widths;          /* [cached_count] scene units, diameters; or NULL */
    uint32_t *section_neighbours; /* [point_count * 2] of fibres: the previous and next point; else NULL */
    double *curve_areas;          /* [point_count] m2: each point's share of the curves, for contact; or NULL */

    /* painted maps on the simulated vertices */
    double *stiffness_factors, *density_factors, *damping_factors; /* [vertex_count], 1 where nothing is painted */
    double *rest_follows;                                          /* [vertex_count] 0 to 1 */
    double *goal_rates, *pin_rates;                                /* [vertex_count] 1/s2; of pins that are springs */
    uint8_t *pinned_vertices;                                      /* [vertex_count] prescribed */
    uint32_t *fast_ratios;  /* [vertex_count] small time steps in each large one; 0: none are painted */
    uint8_t *pinned_points; /* [point_count]: these are cached exactly at their animated positions */
    AttachMap *attached;    /* owned; NULL: it is not attached */
    uint32_t carrier;       /* the body that it is carried along with: itself, or the one that it hangs on */
    uint32_t bone_count, hold_count;
    BoneHold *holds;      /* [hold_count] by vertices; those that paint prescribes are not among them */
    double *held;         /* [vertex_count] 1 where a bone holds, else 0; NULL: no bones */
    double *bone_centres; /* [bone_count * 3] m, where they are described */
    double *simulation;   /* [point_count] 0 to 1: painted parts of the simulation in what is cached; NULL: all of it */
    bool has_targets;     /* has a pin, a goal or a rest shape that follows the animation: its targets are used */
    bool has_releasable_pins;
    bool has_fast;           /* some fast_ratios are above 1 */
    bool rest_moves;         /* some part of its rest shape follows the animation */
    bool settle, keep_shape; /* as in JnBody */
    bool collides, self_contact;
    double travel_influence, cut_distance; /* as in JnBody; cut_distance in m */
    double friction;                       /* NaN: that of what it touches */
    double contact_thickness;              /* m; NaN: the scene's */
    uint64_t ignore_groups;
    double rest_transform[12];
    double *start_positions, *start_velocities; /* [point_count * 3] or NULL, as in JnBody */
    JnMaterial material;                        /* its law is `law`; with the damping in use */
    const Material *law;
} Body;

/* The inputs of a body; `_from` at the last finished frame, `_to` at the current one. */
typedef struct BodyMotion {
    double transform_from[12], transform_to[12];
    double *local_from, *local_to;   /* [point_count * 3] scene units, object space: the animated points */
    double *forces_from, *forces_to; /* [point_count * 3] N */
    BodyKeys keys_from, keys_to;
    double *kept_rest; /* [vertex_count * 3] m: the rest shape that keep_shape found, until then the modelled one; NULL
                          without it */
    bool posed;        /* does not start in its rest shape */
    TargetTrack track;
    double *bones_from, *bones_to; /* [bone_count * 12] m, the bones' motions */
    uint64_t has_pose;             /* 1: targets or a start pose were given; 0: what bones move is the rest shape */
    Travel travel_from, travel_to; /* in the last finished frame, and in the current one */
    double jump[12];               /* if travel_to.cut: carries the body over at the start of the current frame */
    double *lead_from, *lead_to;   /* [point_count * 3] as local_from: the poses between which it is before the first
                                      frame; NULL: it starts there */
    double *lead_bones;            /* [bone_count * 12] of the first frame; NULL with these */
    double lead_motion[12];        /* that took the rest shape to lead_from, m */
    double *lead_forces;           /* [point_count * 3] N, of the first frame; NULL with these */
} BodyMotion;

/* Builds everything of a body that does not depend on other bodies. `place`: "bodies[0]". The desc has been
   validated. thread_count: for the mesher, 0: as many as the machine has. */
JnStatus body_build(const JnBody *desc, double metres_per_unit, uint32_t thread_count, const char *place, Body *body,
                    JnMessage *message);
void body_free(Body *body);

/* The motion of a body that was built from the desc: nothing moves yet. On failure *motion is all zero. */
JnStatus body_motion_create(const JnBody *desc, const Body *body, BodyMotion *motion, JnMessage *message);
void body_motion_free(BodyMotion *motion); /* leaves it all zero; may be all zero */

/* Points in object space and scene units to the scene, in metres. points, out: [count * 3]. */
void body_place_points(const double *points, uint32_t count, const double transform[12], double metres_per_unit,
                       double *out);

/* body_report.c: what the mesher found, in units of the scene; without tets if the body's were not made of a surface.
 */
void body_report(const Body *body, double metres_per_unit, JnMeshReport *report);

/* pins.c */
/* Applies a region with the effect pin. */
JnStatus body_apply_pin(const JnRegion *region, Body *body, JnMessage *message);
/* Applies a region with the effect attach: adds its map to body->attached. */
JnStatus body_apply_attach(const JnRegion *region, Body *body, JnMessage *message);
/* The rate of the spring of a pin with that weight, 1/s2, if all of the body has it. */
double body_pin_rate(const Body *body, double weight);
/* After all pins: those that are prescribed become springs, as stiff as pins can be. */
void body_make_pins_releasable(Body *body);
/* Whether the vertex has such a spring. */
bool body_pin_is_firm(const Body *body, uint32_t vertex);

/* bones.c: finds the vertices that the bones hold, after all regions. */
JnStatus body_add_bones(const JnBody *desc, double metres_per_unit, const char *place, Body *body, JnMessage *message);

/* Applies the region effects: fills the painted maps of the body. */
JnStatus body_apply_regions(const JnBody *desc, const char *place, Body *body, JnMessage *message);

#endif
