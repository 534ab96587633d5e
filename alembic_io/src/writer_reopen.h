/* Layer 2, writing: rebuilding the state of a reopened archive. */
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

/* The role of a property in its object. ABC_ERR_CORRUPT if its type does not match the role. */
AbcStatus abcw_assign_role(AbcWriter *writer, uint32_t property, AbcError *error);

/* The latest transform, bounds and number of vertices of an object; checks that its samples can be
   continued. */
AbcStatus abcw_restore_object(Reopening *reopening, uint32_t object, AbcError *error);

#endif
