/* Saving and restoring state with one list: the owner of some state visits its pieces of memory, and the archive saves
   each of them, or restores it. The same code is used for undo in memory and for a checkpoint on disk. */
#ifndef JN_BASE_ARCHIVE_H
#define JN_BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Archive Archive;

struct Archive {
    bool loading; /* pieces are restored; else they are saved, and do not change */
    /* Saves or restores `size` bytes. false: the archive is full, or has no such piece; the caller stops there. */
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
    size_t at;             /* offset of the next piece to restore */
} MemoryArchive;

/* Starts saving from the beginning, in memory that grows as needed and is kept. */
Archive *memory_archive_save(MemoryArchive *memory);
/* Starts restoring what was saved, in the same order. */
Archive *memory_archive_load(MemoryArchive *memory);
void memory_archive_free(MemoryArchive *memory); /* leaves it all zero */

#endif
