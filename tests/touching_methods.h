/* Which methods contact is judged in: of those that leave steps in which anything may touch to SDIRK
   (integrate/touching_steps.h), ere and generalized_alpha alone. */
#ifndef JN_TESTS_TOUCHING_METHODS_H
#define JN_TESTS_TOUCHING_METHODS_H

#include "integrate/integrator.h"

#include <string.h>

static inline bool contact_is_judged_in(const char *method) {
    static const char *const left_out[] = {"rk4", "exprb42", "epirk4s3", "epirk_adaptive", "gautschi"};
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; ++k)
        if (strcmp(method, left_out[k]) == 0)
            return false;
    return true;
}

#endif
