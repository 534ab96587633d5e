/* What a method remembers from step to step, as bytes for a resume: plain data, then vectors. */
#ifndef JN_INTEGRATE_REMEMBERED_H
#define JN_INTEGRATE_REMEMBERED_H

#include "jounce.h"

#include <stddef.h>

typedef struct Remembered { /* borrowed: the method's own; all zero: nothing */
    void *data;
    size_t data_size;
    double *vectors[2]; /* [n] each; NULL for none, at the end */
    size_t n;
} Remembered;

size_t remembered_size(const Remembered *remembered);
void remembered_save(const Remembered *remembered, void *bytes);
/* JN_ERR_FORMAT for bytes of another size. */
JnStatus remembered_load(const Remembered *remembered, const void *bytes, size_t size, JnMessage *message);

#endif
