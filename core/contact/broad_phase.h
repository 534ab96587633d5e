/* The broad phase of contact: which points, edges and triangles come so near to each other in a motion that they may
   touch. Search trees are built once, refitted to each motion and searched on all threads of a pool; the candidates
   depend on the motion alone. */
#ifndef JN_CONTACT_BROAD_PHASE_H
#define JN_CONTACT_BROAD_PHASE_H

#include "contact/pair_distance.h"
#include "contact/primitive_tree.h"

/* What may touch: everything in one array of vertices, bodies and colliders alike. Borrowed, arrays included, for the
   life of the broad phase. */
typedef struct BroadPhaseDesc {
    const uint32_t *points; /* [point_count] vertices */
    uint32_t point_count;
    const uint32_t *edges; /* [edge_count * 2] vertices */
    uint32_t edge_count;
    const uint32_t *triangles; /* [triangle_count * 3] vertices */
    uint32_t triangle_count;
    uint32_t kinds; /* bits 1 << PairKind: points are paired with points, edges and triangles, edges with edges */
    /* A primitive is in the group of its first vertex. Two groups that do not touch, and what is inside of a group that
       does not touch itself, cost next to nothing. */
    const uint32_t *groups; /* [vertices] each below group_count, or NULL: one group */
    uint32_t group_count;
    const uint8_t *touching; /* [group_count * group_count] symmetric; 0: primitives of the two groups make no pairs;
                                NULL: all do */
    /* Whether a pair is a candidate; `vertices` are those of the pair in the order of pair_distance.h. Called on
       several threads at once, in any order. May be NULL: all are. */
    bool (*accept)(const void *context, PairKind kind, const uint32_t *vertices);
    const void *context;
} BroadPhaseDesc;

/* Ascending by the first primitive, then by the second: numbers of points, edges or triangles of the desc. Of two equal
   kinds the first is the lower one. Until the next search. */
typedef struct PairCandidates {
    const uint32_t (*pairs)[2];
    size_t count;
} PairCandidates;

typedef struct BroadPhase BroadPhase;

/* `motion`: as for the first search. On failure *made is NULL. */
JnStatus broad_phase_create(const BroadPhaseDesc *desc, const PrimitiveMotion *motion, BroadPhase **made,
                            JnMessage *message);

/* Finds every pair of primitives that have no vertex in common, may touch by the desc, and whose boxes over the motion,
   each with the margin and its radius around it, overlap. For pairs nearer than some distance at some time of the
   motion give half of that distance as margin. Allocates only when there are more candidates than ever before. On
   failure there are no candidates. */
JnStatus broad_phase_search(BroadPhase *broad, const PrimitiveMotion *motion, Pool *pool, JnMessage *message);

PairCandidates broad_phase_candidates(const BroadPhase *broad, PairKind kind);

/* The vertices of a candidate in the order of pair_distance.h. */
void broad_phase_vertices(const BroadPhase *broad, PairKind kind, const uint32_t pair[2], uint32_t vertices[4]);

void broad_phase_destroy(BroadPhase *broad); /* may be NULL */

#endif
