#include "integrate/remembered.h"

#include "base/status.h"

#include <string.h>

enum { VECTORS = sizeof((Remembered *)0)->vectors / sizeof(double *) };

size_t remembered_size(const Remembered *remembered) {
    size_t size = remembered->data_size;
    for (int k = 0; k < VECTORS; ++k)
        size += remembered->vectors[k] ? remembered->n * sizeof(double) : 0;
    return size;
}

void remembered_save(const Remembered *remembered, void *bytes) {
    char *at = bytes;
    if (remembered->data_size > 0)
        memcpy(at, remembered->data, remembered->data_size);
    at += remembered->data_size;
    for (int k = 0; k < VECTORS && remembered->vectors[k]; ++k, at += remembered->n * sizeof(double))
        memcpy(at, remembered->vectors[k], remembered->n * sizeof(double));
}

JnStatus remembered_load(const Remembered *remembered, const void *bytes, size_t size, JnMessage *message) {
    size_t expected = remembered_size(remembered);
    if (size != expected)
        return status_fail(message, JN_ERR_FORMAT, "the integrator's history has %zu bytes, but %zu were given",
                           expected, size);
    const char *at = bytes;
    if (remembered->data_size > 0)
        memcpy(remembered->data, at, remembered->data_size);
    at += remembered->data_size;
    for (int k = 0; k < VECTORS && remembered->vectors[k]; ++k, at += remembered->n * sizeof(double))
        memcpy(remembered->vectors[k], at, remembered->n * sizeof(double));
    return JN_OK;
}
