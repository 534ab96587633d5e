/* Layer 1, writing: blocks are appended to the end of the file, links and counts are patched in place.

   A sample is a data block whose first 16 bytes are the digest of the rest. It may be longer than memory: its bytes are
   added piece by piece, and the block's header is written last. If the file already has an equal sample, that one is
   linked instead, and the bytes just written are discarded. */
#ifndef OGAWA_WRITE_H
#define OGAWA_WRITE_H

#include "abc_digest.h"
#include "abc_error.h"
#include "abc_os.h"
#include "ogawa_read.h"
#include "sample_map.h"

/* Bytes in front of a sample's values: the size of the block and the digest. */
enum { SAMPLE_HEAD_SIZE = 24 };

/* Bytes that are collected before a write; larger pieces are written directly. */
enum { OGAWA_STAGING_SIZE = 1 << 16 };

typedef struct OgawaSink {
    OsFile file;
    char *path;       /* for messages */
    uint64_t end;     /* where the next block goes */
    uint64_t payload; /* bytes of all sample values in the file */
    SampleMap samples;
    /* the sample being written */
    uint8_t *staging; /* [SAMPLE_HEAD_SIZE + OGAWA_STAGING_SIZE], room for the head first */
    size_t staged;
    uint64_t sample_size;
    DigestState digest;
} OgawaSink;

/* Makes a file with a header without a root. */
AbcStatus ogawa_sink_create(OgawaSink *sink, const char *path, AbcError *error);
/* Opens a file to write into it; `end` is its size. */
AbcStatus ogawa_sink_update(OgawaSink *sink, const char *path, AbcError *error);
/* Closes and frees; errors of the system are reported again here. */
AbcStatus ogawa_sink_close(OgawaSink *sink, AbcError *error);

AbcStatus ogawa_write_at(OgawaSink *sink, uint64_t position, const void *bytes, size_t size, AbcError *error);
/* Appends bytes and returns their position. */
AbcStatus ogawa_append(OgawaSink *sink, const void *bytes, size_t size, uint64_t *position, AbcError *error);
AbcStatus ogawa_flush(OgawaSink *sink, AbcError *error);
AbcStatus ogawa_truncate(OgawaSink *sink, uint64_t size, AbcError *error);

/* The next multiple of 8. All blocks start at one, so that no link crosses a page or sector boundary, and values in a
   mapped file are aligned. */
uint64_t ogawa_align(uint64_t position);

void ogawa_sample_start(OgawaSink *sink);
/* The next bytes of the sample, in file order: into its digest and into the file. */
AbcStatus ogawa_sample_add(OgawaSink *sink, const void *bytes, size_t size, AbcError *error);
/* Only into the file: the caller adds the same bytes to sink->digest. */
AbcStatus ogawa_sample_write(OgawaSink *sink, const void *bytes, size_t size, AbcError *error);
/* True if a sample of `size` bytes that equals all bytes digested so far is in the file: nothing needs to be
   written. */
bool ogawa_sample_skip(OgawaSink *sink, uint64_t size);
/* Gives the link to the sample and its digest. A sample without bytes is OGAWA_EMPTY_DATA. */
AbcStatus ogawa_sample_finish(OgawaSink *sink, uint64_t *link, Digest *digest, AbcError *error);

#endif
