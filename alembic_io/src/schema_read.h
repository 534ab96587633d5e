/* Layer 3, reading: shared by the schemas. */
#ifndef SCHEMA_READ_H
#define SCHEMA_READ_H

#include "reader.h"

/* ABC_ERR_NOT_FOUND unless the object is a PolyMesh, SubD, Curves or Points. */
AbcStatus abc_geom_check(const AbcReader *reader, uint32_t object, AbcError *error);

/* Reverses the corners of every face; elements have `width` bytes, 16 at most. */
void abc_corners_reverse(const int32_t *face_counts, size_t face_count, void *corners, size_t width);

#endif
