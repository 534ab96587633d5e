/* Packs bytes in the zlib format (RFC 1950 and 1951), for PNG files. The same bytes give the same result everywhere. */
#ifndef JN_CLI_PICTURE_DEFLATE_H
#define JN_CLI_PICTURE_DEFLATE_H

#include "bytes.h"

/* Appends the packed bytes[count] to *packed. False if memory runs out. */
bool deflate_pack(const uint8_t *bytes, size_t count, Bytes *packed);

#endif
