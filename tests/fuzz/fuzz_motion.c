/* libFuzzer target for point caches: the first byte chooses .mdd or .pc2 and whether the rate is given. Whatever the
   bytes are, opening and reading give a status. */
#include "geometry/motion.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const double times[] = {-1e9, -0.5, 0, 0.3, 1, 2.75, 1e9};
    if (size < 2)
        return 0;
    JnMessage message;
    Motion motion = {.format = data[0] & 1 ? &motion_mdd : &motion_pc2, .path = "fuzz"};
    FILE *stream = fmemopen((void *)(data + 1), size - 1, "rb");
    if (!stream)
        return 0;
    if (motion_points_open(&motion, stream, size - 1, data[0] & 2 ? 24 : NAN, &message) != JN_OK) {
        fclose(stream);
        return 0;
    }
    /* the first call tells the number of vertices */
    double none;
    motion.format->positions(&motion, 0, 0, &none, &message);
    double *out = malloc(3 * (size_t)motion.last_count * sizeof *out);
    for (size_t i = 0; out && i < sizeof times / sizeof times[0]; ++i)
        if (motion.format->positions(&motion, times[i], motion.last_count, out, &message) == JN_OK)
            for (size_t k = 0; k < 3 * (size_t)motion.last_count; ++k)
                if (!isfinite(out[k]))
                    abort();
    free(out);
    motion.format->close(&motion);
    return 0;
}
