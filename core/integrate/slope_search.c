#include "integrate/slope_search.h"

#include <math.h>

/* The potential is nearly least where its slope is this part of that at the start. */
static const double NEARLY = 0.05;
enum { CUTS_MOST = 20 };

JnStatus slope_search(SlopeAt slope_at, void *owner, double *taken, JnMessage *message) {
    double low = 0, high = 1, low_slope, high_slope, t = 1, slope;
    *taken = 1;
    JnStatus status = slope_at(owner, 0, &low_slope, message);
    if (status == JN_OK)
        status = slope_at(owner, 1, &high_slope, message);
    if (status != JN_OK || !(low_slope < 0))
        return status;
    double enough = -NEARLY * low_slope;
    slope = high_slope;
    for (int cut = 0; status == JN_OK && cut < CUTS_MOST && high_slope > enough && fabs(slope) > enough; ++cut) {
        /* between the secant's zero and the middle: either alone may creep */
        t = cut % 3 < 2 ? low + (high - low) * low_slope / (low_slope - high_slope) : 0.5 * (low + high);
        status = slope_at(owner, t, &slope, message);
        *(slope > 0 ? &high : &low) = t;
        *(slope > 0 ? &high_slope : &low_slope) = slope;
    }
    *taken = t;
    return status;
}
