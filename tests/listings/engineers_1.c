/* Around the listing of an operator of ERE in docs/engineers.md: what it takes as given. */
#include "system/jacobian.h"

typedef struct Ere {
    Jacobian *stiffness;
} Ere;

#include "listing.h"

JnStatus (*const uses)(void *, const double *, double *, JnMessage *) = apply_stiffness;
