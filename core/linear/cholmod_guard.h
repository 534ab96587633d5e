/* Shared by all uses of CHOLMOD: settings, memory, threads, error handling. */
#ifndef JN_LINEAR_CHOLMOD_GUARD_H
#define JN_LINEAR_CHOLMOD_GUARD_H

#include "jounce.h"

#include <cholmod.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts CHOLMOD for supernodal factorizations: nothing printed, the ordering left to the caller. */
void cholmod_guard_start(cholmod_common *common);

/* Around every call that computes: limits CHOLMOD's OpenMP teams and the BLAS to one thread, so that the order of sums,
   and with it the result, does not depend on the machine. The release restores both. */
typedef struct CholmodHold {
    int openmp_levels;
} CholmodHold;
CholmodHold cholmod_guard_hold(void);
void cholmod_guard_release(CholmodHold hold);

/* The best of AMD, METIS and a dissection by METIS's separators for the graph of `pattern` (symmetric, lower stored,
   one node per `node_size` unknowns of `expanded`), by the factorization's flop count, as the analysis of `expanded`.
   last: [node count], nonzero for nodes that are to be eliminated after all others, or NULL. `expanded` must couple
   them all to each other; then they are the last columns of the last supernode. The columns of supernodes are in
   postorder. NULL on failure. *ordering names the ordering. */
cholmod_factor *cholmod_guard_analyze(cholmod_sparse *pattern, cholmod_sparse *expanded, size_t node_size,
                                      const uint8_t *last, const char **ordering, cholmod_common *common);

/* Workspace of a solve, kept from call to call. */
typedef struct CholmodWorkspace {
    cholmod_dense *solution, *y, *e;
} CholmodWorkspace;

/* workspace->solution = A^-1 rhs by a supernodal factor. false: out of memory. Allocates the workspace itself,
   because CHOLMOD does not check its own allocations there. */
bool cholmod_guard_solve(cholmod_factor *factor, cholmod_dense *rhs, CholmodWorkspace *workspace,
                         cholmod_common *common);
void cholmod_guard_free_workspace(CholmodWorkspace *workspace, cholmod_common *common);

/* The status and message for a CHOLMOD failure of `what`. */
JnStatus cholmod_guard_fail(const cholmod_common *common, const char *what, JnMessage *message);

#endif
