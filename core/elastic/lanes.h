/* Four numbers side by side, with the arithmetic of one: an operation acts on each by itself and rounds as it would
   there, so that results do not depend on the width of the processor's registers. */
#ifndef JN_ELASTIC_LANES_H
#define JN_ELASTIC_LANES_H

#include <stdint.h>

enum { LANES = 4 };

typedef double Lanes __attribute__((vector_size(8 * LANES)));
/* What comparisons give: -1 where they hold, else 0. */
typedef int64_t LaneMask __attribute__((vector_size(8 * LANES)));

#endif
