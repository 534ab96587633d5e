#include "base/vectors.h"

#include <stdint.h>
#include <stdlib.h>

double *vectors_make(double **const *vectors, size_t count, size_t n) {
    if (n > SIZE_MAX / sizeof(double) / (count + 1))
        return NULL;
    double *memory = calloc(count * n + 1, sizeof *memory);
    for (size_t k = 0; memory && k < count; ++k)
        *vectors[k] = memory + k * n;
    return memory;
}
