/* Around the listing of alembic_io/README.md. */
#include "alembic_io.h"

#include <stddef.h>

void write_body(uint32_t n, const double *xyz);

void write_body(uint32_t n, const double *xyz) {
#include "listing.h"
}
