/* Around the listing of ERE's operator in docs/engineers.md: what it takes as given. */
#include "system/jacobian.h"

#include <string.h>

typedef struct Ere {
    size_t n;
    View *view;
    Jacobian *stiffness, *damping;
    double *elastic, *damped;
} Ere;

#include "listing.h"

JnStatus (*const uses)(void *, const double *, double *, JnMessage *) = apply_jacobian;
