/* Layer 1, reading: the Ogawa container. A file is a head of 16 bytes and a tree of groups and data:
     head:  "Ogawa", 0xff once complete, version 0 1, u64 position of the root group
     group: u64 number of children, u64 per child: position of a group, or of data with the top bit set
     data:  u64 number of bytes, bytes
   Position 0 denotes an empty group, the top bit alone empty data. All numbers are little endian. Nothing here trusts
   the file: every position and size is checked against its length before use. */
#ifndef OGAWA_READ_H
#define OGAWA_READ_H

#include "abc_error.h"
#include "abc_os.h"

enum { OGAWA_HEAD_SIZE = 16 };
#define OGAWA_DATA_BIT 0x8000000000000000u
#define OGAWA_EMPTY_GROUP 0u
#define OGAWA_EMPTY_DATA OGAWA_DATA_BIT

/* Where bytes come from: memory (also a mapped file) or an open file. */
typedef struct OgawaSource {
    const uint8_t *memory; /* NULL: read from the file */
    bool mapped;
    OsFile file;
    uint64_t size;
} OgawaSource;

typedef struct OgawaGroup {
    uint64_t position; /* 0 if empty */
    uint64_t child_count;
} OgawaGroup;

typedef struct OgawaData {
    uint64_t position; /* of the first byte, after the size */
    uint64_t size;
} OgawaData;

/* `path` is for messages. The source is closed after an error. */
AbcStatus ogawa_open_file(OgawaSource *source, const char *path, bool map, AbcError *error);
AbcStatus ogawa_open_memory(OgawaSource *source, const void *bytes, size_t size, AbcError *error);
void ogawa_close(OgawaSource *source);

/* `what` names the thing that is read, for messages: "sample of P". */
AbcStatus ogawa_read(const OgawaSource *source, uint64_t position, void *bytes, size_t size, const char *what,
                     AbcError *error);

/* Checks the head and opens the root group. */
AbcStatus ogawa_root(const OgawaSource *source, OgawaGroup *group, AbcError *error);

/* Child `index` as a raw link; past the end is ABC_ERR_CORRUPT. */
AbcStatus ogawa_child(const OgawaSource *source, OgawaGroup group, uint64_t index, uint64_t *link, const char *what,
                      AbcError *error);

/* Follows a link. A link of the other kind is ABC_ERR_CORRUPT; `place` is where the link was read. */
AbcStatus ogawa_group_at(const OgawaSource *source, uint64_t link, uint64_t place, OgawaGroup *group, const char *what,
                         AbcError *error);
AbcStatus ogawa_data_at(const OgawaSource *source, uint64_t link, uint64_t place, OgawaData *data, const char *what,
                        AbcError *error);

/* Child `index`, which must be a group or data. */
AbcStatus ogawa_child_group(const OgawaSource *source, OgawaGroup group, uint64_t index, OgawaGroup *child,
                            const char *what, AbcError *error);
AbcStatus ogawa_child_data(const OgawaSource *source, OgawaGroup group, uint64_t index, OgawaData *child,
                           const char *what, AbcError *error);

/* The position of the link of child `index` in the file. */
uint64_t ogawa_link_position(OgawaGroup group, uint64_t index);

/* All bytes of data in new memory, which the caller frees, with a zero byte after the end. */
AbcStatus ogawa_load(const OgawaSource *source, OgawaData data, uint8_t **bytes, const char *what, AbcError *error);

#endif
