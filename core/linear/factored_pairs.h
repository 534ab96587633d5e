/* The pairs C that a factor holds, and those of the system at hand, both in the pose of the factor: R' C R, where R
   turns that pose to the one of the system (vertex_rotations.h). A factor with other pairs is as good a preconditioner
   as one with the system's own while they are alike, and then its dense block need not be factored anew. */
#ifndef JN_LINEAR_FACTORED_PAIRS_H
#define JN_LINEAR_FACTORED_PAIRS_H

#include "base/archive.h"
#include "linear/pair_blocks.h"

typedef struct FactoredPairs { /* owns its arrays; all zero: none are held, and none can be */
    PairBlocks held;           /* in the factor */
    PairBlocks given;          /* of the system at hand; free vertices only, like those */
    double *diagonal;          /* [free count][3][3] the diagonal blocks of `held`, */
    double *change;            /* and by what those of `given` differ */
} FactoredPairs;

/* false: out of memory, and all zero. */
bool factored_pairs_prepare(FactoredPairs *pairs, const FreeUnknowns *unknowns);
void factored_pairs_free(FactoredPairs *pairs); /* leaves it all zero */

/* given = R' C R. C: may be NULL: 0. rotations: R, [free count * 9], or NULL: none. false: out of memory, and `given`
   is of no use. */
bool factored_pairs_give(FactoredPairs *pairs, const FreeUnknowns *unknowns, const PairBlocks *C,
                         const double *rotations);
/* Whether those given are nearly those held. matrix: the A of the system. */
bool factored_pairs_alike(FactoredPairs *pairs, const FreeUnknowns *unknowns, const BlockMatrix *matrix);
/* The factor holds those given from now on. */
void factored_pairs_hold(FactoredPairs *pairs, const FreeUnknowns *unknowns);

/* Saves or loads those held. *changed: whether loading has changed them. false: the archive failed, memory is out, or
   a pair is of vertices that are not free; after a failed load none are held. */
bool factored_pairs_archive(FactoredPairs *pairs, const FreeUnknowns *unknowns, Archive *archive, bool *changed);

#endif
