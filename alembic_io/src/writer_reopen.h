/* Layer 2, writing: what a reopened archive is rebuilt from. */
#ifndef WRITER_REOPEN_H
#define WRITER_REOPEN_H

#include "reader.h"
#include "writer.h"

typedef struct Reopening {
    AbcReader *reader;
    AbcWriter *writer;
    double keep_before;
    uint32_t *object_in_reader; /* [object_count] by number in the writer */
    uint64_t end;               /* of everything that is kept */
} Reopening;

/* Which part a property plays in its object. ABC_ERR_CORRUPT if it has not the shape that the part asks
   for. */
AbcStatus abcw_assign_role(AbcWriter *writer, uint32_t property, AbcError *error);

/* The latest transform, bounds and number of vertices of an object; checks that its samples can be
   continued. */
AbcStatus abcw_restore_object(Reopening *reopening, uint32_t object, AbcError *error);

#endif
