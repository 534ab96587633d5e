#include "base/archive.h"

#include <stdlib.h>
#include <string.h>

static bool save_piece(Archive *archive, void *data, size_t size) {
    MemoryArchive *memory = (MemoryArchive *)archive;
    if (size > memory->capacity - memory->size) {
        size_t capacity = 2 * (memory->size + size);
        char *bytes = realloc(memory->bytes, capacity);
        if (!bytes)
            return false;
        memory->bytes = bytes;
        memory->capacity = capacity;
    }
    if (size > 0)
        memcpy(memory->bytes + memory->size, data, size);
    memory->size += size;
    return true;
}

static bool load_piece(Archive *archive, void *data, size_t size) {
    MemoryArchive *memory = (MemoryArchive *)archive;
    if (size > memory->size - memory->at)
        return false;
    if (size > 0)
        memcpy(data, memory->bytes + memory->at, size);
    memory->at += size;
    return true;
}

Archive *memory_archive_save(MemoryArchive *memory) {
    memory->archive = (Archive){.loading = false, .piece = save_piece};
    memory->size = 0;
    return &memory->archive;
}

Archive *memory_archive_load(MemoryArchive *memory) {
    memory->archive = (Archive){.loading = true, .piece = load_piece};
    memory->at = 0;
    return &memory->archive;
}

void memory_archive_free(MemoryArchive *memory) {
    free(memory->bytes);
    *memory = (MemoryArchive){.bytes = NULL};
}
