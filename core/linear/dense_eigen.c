#include "linear/dense_eigen.h"

#include "base/status.h"
#include "linear/blas_guard.h"
#include "linear/cholmod_guard.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* LAPACK, from the OpenBLAS that CHOLMOD uses. Fortran passes the lengths of strings as trailing arguments. */
extern void dsyev_(const char *job, const char *triangle, const int *n, double *a, const int *stride, double *values,
                   double *work, const int *work_size, int *info, size_t job_length, size_t triangle_length);
extern void dsygv_(const int *kind, const char *job, const char *triangle, const int *n, double *a, const int *a_stride,
                   double *b, const int *b_stride, double *values, double *work, const int *work_size, int *info,
                   size_t job_length, size_t triangle_length);

enum { WORK_PER_ROW = 40 }; /* room for LAPACK's blocks; 3 is the minimum */

static bool all_finite(const double *values, size_t count) {
    for (size_t i = 0; values && i < count; ++i)
        if (!isfinite(values[i]))
            return false;
    return true;
}

JnStatus dense_eigen(size_t n, double *a, double *b, double *values, JnMessage *message) {
    if (n == 0)
        return JN_OK;
    if (n > INT_MAX / WORK_PER_ROW)
        return status_no_memory(message, "a dense eigenvalue problem");
    if (!all_finite(a, n * n) || !all_finite(b, n * n))
        return status_fail(message, JN_ERR_DIVERGED, "an eigenvalue problem has numbers that are not finite");
    JnStatus status = blas_guard_reserve(message);
    if (status != JN_OK)
        return status;
    int size = (int)n, work_size = WORK_PER_ROW * size, kind = 1, info = 0;
    double *work = malloc((size_t)work_size * sizeof *work);
    if (!work)
        return status_no_memory(message, "a dense eigenvalue problem");
    CholmodHold hold = cholmod_guard_hold();
    if (b)
        dsygv_(&kind, "V", "L", &size, a, &size, b, &size, values, work, &work_size, &info, 1, 1);
    else
        dsyev_("V", "L", &size, a, &size, values, work, &work_size, &info, 1, 1);
    cholmod_guard_release(hold);
    free(work);
    if (info != 0)
        return status_fail(message, JN_ERR_DIVERGED,
                           "a dense eigenvalue problem of %zu unknowns cannot be solved (LAPACK status %d)", n, info);
    return JN_OK;
}
