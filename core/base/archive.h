/* What must be restored, listed once: the owner of some state walks through its pieces of memory, and the archive saves
   each of them, or fills it with what was saved. The same walk serves undo in memory and a checkpoint on disk. */
#ifndef JN_BASE_ARCHIVE_H
#define JN_BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Archive Archive;

struct Archive {
    bool loading; /* pieces are filled; else they are read, and stay as they are */
    /* Saves or fills `size` bytes. false: the archive is full, or has no such piece; the walk ends there. */
    bool (*piece)(Archive *archive, void *data, size_t size);
};

static inline bool archive_piece(Archive *archive, void *data, size_t size) {
    return archive->piece(archive, data, size);
}

/* An archive in memory. All zero: empty. */
typedef struct MemoryArchive {
    Archive archive;
    char *bytes;
    size_t size, capacity; /* saved, and allocated */
    size_t at;             /* where the next piece is filled from */
} MemoryArchive;

/* Begins to save from the start, in memory that grows as needed and is kept. */
Archive *memory_archive_save(MemoryArchive *memory);
/* Begins to fill with what was saved, in the same order. */
Archive *memory_archive_load(MemoryArchive *memory);
void memory_archive_free(MemoryArchive *memory); /* leaves it all zero */

#endif
