/* Small compact patches of tets, over which a volume change is averaged (volume_patches.h). */
#ifndef JN_ELASTIC_TET_PATCHES_H
#define JN_ELASTIC_TET_PATCHES_H

#include "jounce.h"

enum { TET_PATCH_LARGEST = 12 };    /* tets in a patch, at most */
enum { TET_PATCHES_NO_GROUP = -1 }; /* for tets that are in no patch */

typedef struct TetPatches { /* owns its arrays */
    uint32_t patch_count;
    uint32_t *starts; /* [patch_count + 1]: patch p is tets[starts[p]] to tets[starts[p + 1] - 1] */
    uint32_t *tets;   /* [starts[patch_count]] */
} TetPatches;

/* Every tet with a group belongs to one patch, and all tets of a patch have the same group. A patch is connected by
   faces and usually has 4 to 10 tets, which leaves three to six unknowns for each patch. The patches are sorted along a
   space-filling curve, and depend on the mesh alone. groups: [tet_count]. On failure *patches is all zero. */
JnStatus tet_patches_build(const JnTets *mesh, const int32_t *groups, TetPatches *patches, JnMessage *message);

void tet_patches_free(TetPatches *patches); /* leaves it all zero */

#endif
