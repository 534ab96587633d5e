#include "linear/blas_guard.h"

#include "base/os/os.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Of the BLAS, which speaks Fortran. */
extern void dsyrk_(const char *triangle, const char *transposed, const int *n, const int *depth, const double *scale,
                   const double *a, const int *a_stride, const double *old_scale, double *c, const int *c_stride);

/* OpenBLAS's own calls, which its C headers declare beside names that clash with CHOLMOD's. */
extern const char *openblas_get_config(void); /* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." */
extern const char *openblas_get_corename(void);

/* OpenBLAS maps 128 MB for each thread that computes, and a page to align it. */
static const size_t BUFFER_BYTES = ((size_t)128 << 20) + 4096;

static bool reserved; /* under the process lock */

JnStatus blas_guard_reserve(JnMessage *message) {
    os_process_lock();
    if (!reserved && os_address_space_has(BUFFER_BYTES)) {
        /* a product that needs a buffer, so that nothing else takes the room */
        const int one = 1;
        const double unit = 1, zero = 0;
        double product = 0;
        dsyrk_("L", "N", &one, &one, &unit, &unit, &one, &zero, &product, &one);
        reserved = true;
    }
    bool ready = reserved;
    os_process_unlock();
    return ready ? JN_OK
                 : status_fail(message, JN_ERR_MEMORY,
                               "out of memory for the linear solver: OpenBLAS needs %zu MB of addresses in one piece; "
                               "raise the limit of the shell or job (`ulimit -v`)",
                               BUFFER_BYTES >> 20);
}

void blas_guard_kernels(char *text, size_t capacity) {
    /* the first two words of the configuration are name and version */
    const char *config = openblas_get_config();
    size_t name = strcspn(config, " "), length = config[name] ? name + 1 + strcspn(config + name + 1, " ") : name;
    snprintf(text, capacity, "%.*s %s", (int)length, config, openblas_get_corename());
    for (char *c = text; *c; ++c)
        if (*c == ',')
            *c = ' ';
}
